// The stage of a lead: the steps of its pipeline, and the questions that a move asks first.
import { Button, Tooltip } from '@mantine/core'
import { ChevronDown } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import type { ReactNode } from 'react'
import { useNow, useTranslations } from 'use-intl'
import type { Bootstrap } from '../../../server/features/bootstrap/schema.ts'
import { isClosed, lost, unsortedType, won } from '../../stages.ts'
import { FieldDialog } from '../../ui/field-dialog.tsx'
import type { FieldValue, MissingField } from '../../ui/field-dialog.tsx'
import { Picker } from '../../ui/picker.tsx'
import { useRefusalText } from '../../ui/states.tsx'
import { offer } from '../../ui/toast-actions.tsx'
import { warn } from '../../ui/toasts.ts'
import { fieldKey } from './record.ts'
import { useCardScene } from './scene.ts'
import styles from './stage.module.css'
import { useMember } from './store.ts'

export interface Target {
  pipelineId: number
  statusId: number
}

type Stage = Bootstrap['pipelines'][number]['statuses'][number]

type Question =
  | { kind: 'fields'; fields: MissingField[]; target: Target }
  | { kind: 'lost'; values: FieldValue[]; target: Target }

const daySeconds = 86_400

/** Moves the lead; asks first for what the stage requires, and for the reason of a loss. */
export function useMove(): { move: (target: Target) => void; dialog: ReactNode } {
  const words = useTranslations('card')
  const { store, bootstrap } = useCardScene()
  const refusalText = useRefusalText()
  const [question, setQuestion] = useState<Question>()
  const name = store.shown('name') ?? ''

  const close = () => setQuestion(undefined)

  async function apply(
    { pipelineId, statusId }: Target,
    values: FieldValue[],
    reason?: number | null,
  ): Promise<void> {
    const member = {
      pipeline_id: pipelineId,
      status_id: statusId,
      ...(reason !== undefined && { loss_reason_id: reason }),
    }
    const before = {
      pipeline_id: store.shown('pipeline_id')!,
      status_id: store.shown('status_id')!,
      loss_reason_id: store.shown('loss_reason_id') ?? null,
      closed_at: store.shown('closed_at') ?? null,
    }
    const stage = bootstrap.pipelines
      .find(({ id }) => id === pipelineId)
      ?.statuses.find(({ id }) => id === statusId)?.name
    const sent = store.save(
      { ...member, closed_at: isClosed(statusId) ? Math.floor(Date.now() / 1000) : null },
      { ...member, ...(values.length > 0 && { custom_fields_values: values }) },
    )
    const goBack = () => {
      const { pipeline_id, status_id, ...closing } = before
      const body = { pipeline_id, status_id, ...(isClosed(status_id) && closing) }
      store.save(before, body).catch(refused)
    }
    const hide = offer(words('moved', { name, stage: stage ?? '' }), words('undo'), () => {
      hide()
      void sent.then(goBack, () => undefined)
    })
    try {
      await sent
    } catch (error) {
      hide()
      refused(error)
    }
  }

  const refused = (error: unknown) => void warn(words('notMoved', { name }), refusalText(error))

  const askReason = (target: Target, values: FieldValue[]) => {
    if (target.statusId === lost && bootstrap.account.is_loss_reason_enabled)
      setQuestion({ kind: 'lost', values, target })
    else {
      close()
      void apply(target, values)
    }
  }

  function move(target: Target): void {
    if (
      target.statusId === store.shown('status_id') &&
      target.pipelineId === store.shown('pipeline_id')
    )
      return
    const fields = bootstrap.custom_fields.leads.fields.filter(
      ({ id, required_statuses }) =>
        required_statuses.some(
          (at) => at.pipeline_id === target.pipelineId && at.status_id === target.statusId,
        ) && (store.shown(fieldKey(id)) ?? null) === null,
    )
    if (fields.length > 0) setQuestion({ kind: 'fields', fields, target })
    else askReason(target, [])
  }

  const dialog = question && (
    <>
      {question.kind === 'fields' && (
        <FieldDialog
          title={words('stageNeeds')}
          text={words('stageNeedsText')}
          action={words('move')}
          fields={question.fields}
          currency={bootstrap.account.currency}
          elsewhere={{ text: words('stageNeedsElsewhere') }}
          onFilled={(values) => askReason(question.target, values)}
          onClose={close}
        />
      )}
      {question.kind === 'lost' && (
        <Picker
          title={words('whyLost', { name })}
          hint={words('reasonHint')}
          choices={bootstrap.loss_reasons.map(({ id, name: text }) => ({ key: String(id), text }))}
          onPick={(key) => {
            close()
            void apply(question.target, question.values, Number(key))
          }}
          skip={{
            text: words('withoutReason'),
            run: () => {
              close()
              void apply(question.target, question.values, null)
            },
          }}
          onClose={close}
        />
      )}
    </>
  )
  return { move, dialog }
}

/** All stages of all pipelines to choose from. */
export function StagePicker({
  move,
  onClose,
}: {
  move: (target: Target) => void
  onClose: () => void
}) {
  const words = useTranslations('card')
  const { store, bootstrap } = useCardScene()
  const pipelineId = useMember(store, 'pipeline_id')
  const statusId = useMember(store, 'status_id')
  const { pipelines } = bootstrap
  const all = [
    ...pipelines.filter(({ id }) => id === pipelineId),
    ...pipelines.filter(({ id, is_archive }) => id !== pipelineId && !is_archive),
  ]
  return (
    <Picker
      title={words('moveTo')}
      hint={words('stage')}
      choices={all.flatMap((pipeline) =>
        stagesOf(pipeline).map(({ id, name, color }) => ({
          key: `${pipeline.id}-${id}`,
          text: name,
          color,
          group: pipeline.name,
          isChosen: pipeline.id === pipelineId && id === statusId,
        })),
      )}
      onPick={(key) => {
        const [pipeline, status] = key.split('-').map(Number) as [number, number]
        onClose()
        move({ pipelineId: pipeline, statusId: status })
      }}
      onClose={onClose}
    />
  )
}

const stagesOf = ({ statuses }: Bootstrap['pipelines'][number]): Stage[] =>
  statuses.filter(({ type }) => type !== unsortedType)

/** The steps of the pipeline with the present one, and how the lead ends. */
export function StageSteps({
  enteredAt,
  move,
  onChoose,
}: {
  /** Since when the lead is in its stage, in Unix seconds. */
  enteredAt: number | undefined
  move: (target: Target) => void
  /** Shows the stages of all pipelines. */
  onChoose: () => void
}) {
  const words = useTranslations('card')
  const { store, bootstrap, mayEdit } = useCardScene()
  const now = useNow({ updateInterval: 60_000 })
  const pipelineId = useMember(store, 'pipeline_id')
  const statusId = useMember(store, 'status_id')
  const list = useRef<HTMLOListElement>(null)
  useEffect(() => {
    list.current
      ?.querySelector('[aria-current]')
      ?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [statusId])
  const pipeline = bootstrap.pipelines.find(({ id }) => id === pipelineId)
  if (!pipeline || pipelineId === undefined) return undefined
  const stages = pipeline.statuses.filter(({ id }) => !isClosed(id))
  const at = stages.findIndex(({ id }) => id === statusId)
  const days =
    enteredAt === undefined ? 0 : Math.floor((now.getTime() / 1000 - enteredAt) / daySeconds)
  const to = (id: number) => () => move({ pipelineId, statusId: id })
  return (
    <div className={styles.stage}>
      <Button
        variant="default"
        size="compact-sm"
        className={styles.pipeline}
        disabled={!mayEdit}
        aria-haspopup="dialog"
        rightSection={<ChevronDown size={14} aria-hidden />}
        onClick={onChoose}
      >
        {pipeline.name}
      </Button>
      <ol ref={list} className={styles.steps} aria-label={words('stages')}>
        {stages.map(({ id, name, color, type }, place) => {
          const isNow = id === statusId
          const text = (
            <>
              <span className={styles.text}>{name}</span>
              {isNow && days > 0 && (
                <span className={styles.days}>{words('days', { count: days })}</span>
              )}
            </>
          )
          return (
            <li
              key={id}
              className={styles.step}
              data-state={isNow ? 'now' : place < at || isClosed(statusId) ? 'passed' : 'ahead'}
              style={{ '--stage': color } as React.CSSProperties}
            >
              <button
                type="button"
                disabled={!mayEdit || type === unsortedType}
                aria-current={isNow ? 'step' : undefined}
                title={
                  isNow && days > 0 ? words('daysInStage', { stage: name, count: days }) : name
                }
                onClick={to(id)}
              >
                {text}
              </button>
            </li>
          )
        })}
      </ol>
      <div className={styles.ends}>
        {([won, lost] as const).map((id) => {
          const stage = pipeline.statuses.find((each) => each.id === id)
          return (
            <Tooltip key={id} label={stage?.name ?? ''} disabled={!stage}>
              <button
                type="button"
                className={id === won ? styles.won : styles.lost}
                disabled={!mayEdit}
                aria-pressed={statusId === id}
                onClick={to(id)}
              >
                {words(id === won ? 'won' : 'lost')}
              </button>
            </Tooltip>
          )
        })}
      </div>
    </div>
  )
}
