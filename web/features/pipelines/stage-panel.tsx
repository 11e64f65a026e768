// The members of a stage under the strip. Each is saved by itself as soon as it is left, so two administrators
// change different members beside each other; where both change the same one, the later is asked whose value stays.
import { Button, Group, Text, Textarea, TextInput, Title } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { ArrowLeft, ArrowRight, Check, Trash2 } from 'lucide-react'
import { useEffect, useId, useRef, useState } from 'react'
import type { CSSProperties, KeyboardEvent, ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import { stageColors, useColorNames } from '../../crm/colors.ts'
import { useOrders } from '../../ui/conflict.tsx'
import { NumberField, useNumbers } from '../../ui/number-field.tsx'
import { useRefusalText } from '../../ui/states.tsx'
import { changeStage, levels, setStaleAfter } from './pipelines.ts'
import type { PipelineStage, StageText } from './pipelines.ts'
import styles from './stage.module.css'
import { isOwnStage } from './strip.tsx'
import type { StageMoves } from './strip.tsx'

/** The days of a stage. */
const dayRules = { isWhole: true, min: 1, max: 1000 }

export function StagePanel({
  pipeline,
  stage,
  texts,
  refresh,
  onDelete,
  steps,
  fields,
}: {
  pipeline: number
  stage: PipelineStage
  /** Undefined while they are not known. */
  texts: StageText[] | undefined
  /** Ends once the page has what the server has. */
  refresh: () => Promise<unknown>
  onDelete: () => void
  steps: StageMoves | undefined
  /** Which fields the stage requires. */
  fields?: ReactNode
}) {
  const words = useTranslations('pipelines')
  const id = useId()
  const isOwn = isOwnStage(stage)
  // A change that waited for the one before it reads the texts as that one left them.
  const latestTexts = useRef(texts)
  latestTexts.current = texts
  return (
    <section className={styles.panel} aria-labelledby={id}>
      <Title order={3} id={id}>
        {stage.name}
      </Title>
      <SavedText
        label={words('stageName')}
        value={stage.name}
        maxLength={255}
        isRequired
        about={isOwn ? undefined : words('systemAbout')}
        refresh={refresh}
        save={(name) => changeStage(pipeline, stage.id, { name })}
      />
      {isOwn && (
        <>
          <Colors
            value={stage.color}
            refresh={refresh}
            save={(color) => changeStage(pipeline, stage.id, { color })}
          />
          <StaleAfter
            value={stage.stale_after_days}
            refresh={refresh}
            save={(stale_after_days) => setStaleAfter(pipeline, stage.id, { stale_after_days })}
          />
          {fields}
          {texts && (
            <div className={styles.texts}>
              <Text component="h4" fw={500}>
                {words('texts')}
              </Text>
              {levels.map((level) => {
                const text = texts.find((each) => each.level === level)
                return (
                  <SavedText
                    key={level}
                    label={words(`ranks.${level}`)}
                    value={text?.description ?? ''}
                    maxLength={1000}
                    isLong
                    refresh={refresh}
                    save={(description) => {
                      const known = latestTexts.current?.find((each) => each.level === level)
                      const removed = known ? [{ id: known.id, level }] : []
                      return changeStage(pipeline, stage.id, {
                        descriptions: description === '' ? removed : [{ level, description }],
                      })
                    }}
                  />
                )
              })}
            </div>
          )}
          <Group gap="sm">
            <Button
              variant="default"
              leftSection={<ArrowLeft size={14} aria-hidden />}
              disabled={!steps?.back}
              onClick={steps?.back}
            >
              {words('back')}
            </Button>
            <Button
              variant="default"
              leftSection={<ArrowRight size={14} aria-hidden />}
              disabled={!steps?.forward}
              onClick={steps?.forward}
            >
              {words('forward')}
            </Button>
            <Button
              variant="default"
              c="danger"
              leftSection={<Trash2 size={14} aria-hidden />}
              onClick={onDelete}
            >
              {words('deleteStage')}
            </Button>
          </Group>
        </>
      )}
    </section>
  )
}

/**
 * A value that is saved when its control is left, and whose change by others is asked about. `save` sends it; `refresh`
 * ends once the page has what the server has.
 */
function useSaved<Value>(
  value: Value,
  save: (value: Value) => Promise<unknown>,
  refresh: () => Promise<unknown>,
) {
  const words = useTranslations('pipelines')
  const refusalText = useRefusalText()
  const orders = useOrders()
  const base = useRef(value)
  const scope = useId()
  const { mutate, isPending, isSuccess, error, reset, variables } = useMutation({
    scope: { id: scope },
    mutationFn: async (wanted: Value) => {
      await save(wanted)
      // From here on the own value is no change of others.
      base.current = wanted
      await refresh()
    },
  })
  const latest = useRef(value)
  latest.current = value
  // What is on its way is what the control shows.
  const shown = isPending ? variables : value
  return {
    shown,
    isPending,
    /** The control got the focus: later changes are measured from here. */
    begin() {
      base.current = latest.current
    },
    give(wanted: Value, dropped: () => void, text: (theirs: Value) => string) {
      if (wanted === shown) return
      if (!isPending) reset()
      orders.give({
        base: base.current,
        present: latest.current,
        wanted,
        text: words('changedElsewhere', { value: text(latest.current) }),
        run: () => mutate(wanted),
        dropped,
      })
    },
    notice: orders.notice,
    isSaved: isSuccess && variables === value,
    error: error ? refusalText(error) : undefined,
  }
}

interface Saving<Value> {
  value: Value
  save: (value: Value) => Promise<unknown>
  refresh: () => Promise<unknown>
}

/** A text that is saved when it is left, or by Enter. */
export function SavedText({
  label,
  value,
  maxLength,
  isRequired = false,
  isLong = false,
  about,
  save,
  refresh,
}: Saving<string> & {
  label: string
  maxLength: number
  isRequired?: boolean
  isLong?: boolean
  about?: string | undefined
}) {
  const words = useTranslations('pipelines')
  const [draft, setDraft] = useState<string>()
  const saved = useSaved(value, save, refresh)
  const isMissing = isRequired && draft?.trim() === ''
  // What was typed since it was sent stays.
  useEffect(() => {
    if (saved.isSaved) setDraft((now) => (now?.trim() === value ? undefined : now))
  }, [saved.isSaved, value])
  const finish = () => {
    if (draft === undefined || isMissing) return
    const wanted = draft.trim()
    if (wanted !== saved.shown)
      saved.give(
        wanted,
        () => setDraft(undefined),
        (theirs) => theirs,
      )
    else if (!saved.isPending) setDraft(undefined)
  }
  const shared = {
    label,
    rightSection: <SavedMark isSaved={saved.isSaved && draft === undefined} />,
    rightSectionPointerEvents: 'none' as const,
    description: about,
    value: draft ?? saved.shown,
    maxLength,
    error: isMissing ? words('nameMissing') : saved.error,
    onFocus: saved.begin,
    onBlur: finish,
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) =>
      setDraft(currentTarget.value),
    onKeyDown(event: KeyboardEvent) {
      if (event.key === 'Escape' && draft !== undefined) {
        event.stopPropagation()
        setDraft(undefined)
      }
      if (event.key === 'Enter' && !isLong) finish()
    },
  }
  return (
    <div>
      {isLong ? (
        <Textarea {...shared} autosize minRows={1} maxRows={8} />
      ) : (
        <TextInput {...shared} />
      )}
      {saved.notice}
    </div>
  )
}

function SavedMark({ isSaved }: { isSaved: boolean }) {
  const words = useTranslations('ui')
  return (
    <span role="status">
      {isSaved && <Check size={14} role="img" aria-label={words('saved')} />}
    </span>
  )
}

/** The swatches: a press saves at once; keys go through them, and the chosen one is saved when they are left. */
function Colors({ value, save, refresh }: Saving<string>) {
  const words = useTranslations('colors')
  const name = useId()
  const [draft, setDraft] = useState<string>()
  const saved = useSaved(value.toLowerCase(), save, refresh)
  const present = draft ?? saved.shown
  const nameOf = useColorNames()
  const give = (color: string | undefined) => {
    setDraft(undefined)
    if (color !== undefined) saved.give(color, () => undefined, nameOf)
  }
  return (
    <div>
      <fieldset
        className={styles.colors}
        onBlur={({ currentTarget, relatedTarget }) => {
          if (!currentTarget.contains(relatedTarget)) give(draft)
        }}
      >
        <legend>{words('title')}</legend>
        {stageColors.map((color) => (
          <label
            key={color}
            className={styles.color}
            style={{ '--stage': color } as CSSProperties}
            title={nameOf(color)}
          >
            <input
              type="radio"
              name={name}
              value={color}
              checked={color === present}
              aria-label={nameOf(color)}
              onFocus={() => draft === undefined && saved.begin()}
              // Arrows of the keyboard click, too, without any press.
              onClick={({ detail }) => detail > 0 && give(color)}
              onChange={() => setDraft(color)}
              onKeyDown={({ key }) => key === 'Enter' && give(draft)}
            />
            {color === present && <Check size={16} aria-hidden />}
          </label>
        ))}
      </fieldset>
      {saved.error && (
        <Text c="danger" size="sm" role="alert">
          {saved.error}
        </Text>
      )}
      {saved.notice}
    </div>
  )
}

function StaleAfter({ value, save, refresh }: Saving<number | null>) {
  const words = useTranslations('pipelines')
  const numbers = useNumbers(dayRules)
  const typedOf = (days: number | null) => (days === null ? '' : numbers.typed(days))
  const [draft, setDraft] = useState<string>()
  const saved = useSaved(value, save, refresh)
  const read = (typed: string) => (typed.trim() === '' ? null : numbers.amount(typed)!)
  useEffect(() => {
    if (saved.isSaved)
      setDraft((now) => (now !== undefined && read(now) === value ? undefined : now))
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- reading depends on the language alone
  }, [saved.isSaved, value])
  const finish = () => {
    if (draft === undefined || numbers.fault(draft) !== undefined) return
    const wanted = read(draft)
    if (wanted !== saved.shown)
      saved.give(
        wanted,
        () => setDraft(undefined),
        (theirs) => (theirs === null ? words('never') : String(theirs)),
      )
    else if (!saved.isPending) setDraft(undefined)
  }
  return (
    <div>
      <NumberField
        maw={220}
        label={words('staleAfter')}
        rightSection={<SavedMark isSaved={saved.isSaved && draft === undefined} />}
        rightSectionPointerEvents="none"
        description={words('staleAbout')}
        placeholder={words('never')}
        rules={dayRules}
        value={draft ?? typedOf(saved.shown)}
        onChange={setDraft}
        onFocus={saved.begin}
        onBlur={finish}
        onKeyDown={(event) => {
          if (event.key === 'Enter') finish()
        }}
        error={saved.error}
      />
      {saved.notice}
    </div>
  )
}
