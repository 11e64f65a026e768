// The stage of a lead: the steps of its pipeline, and the questions that a move asks first.
import { Button, Tooltip } from '@mantine/core'
import { ChevronDown } from 'lucide-react'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { ReactNode } from 'react'
import { useNow, useTranslations } from 'use-intl'
import type { Bootstrap } from '../../../server/features/application/bootstrap/schema.ts'
import { isSameValue, ChangeOvertaken } from '../../data/conflicts.ts'
import { forgetEdit, readEdit } from '../../data/kept-edits.ts'
import { reasonChoices } from '../../crm/icons.tsx'
import { isClosed, lost, unsortedType, won } from '../../crm/stages.ts'
import { useOrders } from '../../ui/conflict.tsx'
import type { Field } from '../../crm/fields/field.ts'
import { FieldDialog } from '../../crm/fields/field-dialog.tsx'
import type { FilledField } from '../../crm/fields/field-dialog.tsx'
import { Picker } from '../../ui/picker.tsx'
import { useRefusalText } from '../../ui/states.tsx'
import { useOfferUndo } from '../../ui/undo.ts'
import { warn } from '../../ui/toasts.ts'
import { fieldKey } from './record.ts'
import { useOpenCard, useLastEditor } from './context.ts'
import styles from './stage.module.css'
import { useKnown, useMember } from './store.ts'
import type { CardStore } from './store.ts'

export interface Target {
  pipelineId: number
  statusId: number
}

type Stage = Bootstrap['pipelines'][number]['statuses'][number]

type Asking = { target: Target; base: Target } & (
  | { kind: 'fields'; fields: Field[] }
  | { kind: 'lost'; values: FilledField[] }
)

/** Moves to a target. `base`: the stage that the user saw as the move was begun, where that was earlier. */
type Move = (target: Target, base?: Target) => void

const daySeconds = 86_400

/** The stage of the lead as it is shown, with the user's own moves that are on their way. */
const stageNow = (store: CardStore): Target => ({
  pipelineId: store.shown('pipeline_id') ?? 0,
  statusId: store.shown('status_id') ?? 0,
})

/**
 * Moves the lead; asks first for what the stage requires, and for the reason of a loss. `notice`: another has moved
 * it meanwhile, and somebody says whose stage stays.
 */
export function useMove(): { move: Move; dialog: ReactNode; notice: ReactNode } {
  const words = useTranslations('card')
  const { store, bootstrap, mayEdit } = useOpenCard()
  const orders = useOrders()
  const lastEditor = useLastEditor()
  const refusalText = useRefusalText()
  const offerUndo = useOfferUndo()
  const [confirmation, setConfirmation] = useState<Asking>()
  const name = store.shown('name') ?? ''

  const close = () => setConfirmation(undefined)

  /** What others made of the stage. */
  const theirText = () => {
    return words('theyMoved', {
      who: lastEditor(),
      stage: stageOf(stageNow(store)) ?? '',
    })
  }

  const stageOf = ({ pipelineId, statusId }: Target) =>
    bootstrap.pipelines
      .find(({ id }) => id === pipelineId)
      ?.statuses.find(({ id }) => id === statusId)?.name

  /** Goes on with a move, unless another has moved the lead since it was begun. */
  const give = (target: Target, base: Target, run: () => void) =>
    orders.give({ base, present: stageNow(store), wanted: target, text: theirText(), run })

  async function apply(
    target: Target,
    values: FilledField[],
    reason?: number | null,
  ): Promise<void> {
    const { pipelineId, statusId } = target
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
    const stage = stageOf(target)
    const sent = store.save(
      { ...member, closed_at: isClosed(statusId) ? Math.floor(Date.now() / 1000) : null },
      { ...member, ...(values.length > 0 && { custom_fields_values: values }) },
    )
    const goBack = () => {
      const { pipeline_id, status_id, ...closing } = before
      const body = { pipeline_id, status_id, ...(isClosed(status_id) && closing) }
      store.save(before, body).catch(refused)
    }
    const withdraw = offerUndo(
      words('moved', { name, stage: stage ?? '' }),
      () => void sent.then(goBack, () => undefined),
    )
    try {
      await sent
    } catch (error) {
      withdraw()
      if (error instanceof ChangeOvertaken)
        orders.ask({ text: theirText(), run: () => void apply(target, values, reason) })
      else refused(error)
    }
  }

  // A move that this browser could not send before others moved the lead.
  const record = `leads ${store.id}`
  const hasAnswer = useKnown(store, 'created_at') !== undefined
  const mayAsk = mayEdit && store.type === 'leads' && hasAnswer
  const atOpening = useRef(askAgain)
  useLayoutEffect(() => {
    atOpening.current = askAgain
  })
  useLayoutEffect(() => {
    if (mayAsk) atOpening.current()
  }, [mayAsk])

  function askAgain(): void {
    const left = readEdit(record, 'status_id')?.after
    if (!left) return
    const { pipeline_id, status_id, loss_reason_id } = left as Record<string, number>
    const forget = () => forgetEdit(record, 'status_id')
    const target = { pipelineId: pipeline_id!, statusId: status_id! }
    if (isSameValue(target, stageNow(store))) return forget()
    orders.ask({
      text: theirText(),
      run() {
        forget()
        void apply(target, [], loss_reason_id)
      },
      dropped: forget,
    })
  }

  const refused = (error: unknown) => void warn(words('notMoved', { name }), refusalText(error))

  const askReason = (target: Target, base: Target, values: FilledField[]) => {
    if (target.statusId === lost && bootstrap.account.is_loss_reason_enabled)
      setConfirmation({ kind: 'lost', values, target, base })
    else {
      close()
      give(target, base, () => void apply(target, values))
    }
  }

  function move(target: Target, base = stageNow(store)): void {
    if (
      target.statusId === store.shown('status_id') &&
      target.pipelineId === store.shown('pipeline_id')
    )
      return
    give(target, base, () => prepare(target))
  }

  function prepare(target: Target): void {
    const base = stageNow(store)
    const fields = bootstrap.custom_fields.leads.fields.filter(
      ({ id, required_statuses }) =>
        required_statuses.some(
          (at) => at.pipeline_id === target.pipelineId && at.status_id === target.statusId,
        ) && (store.shown(fieldKey(id)) ?? null) === null,
    )
    if (fields.length > 0) setConfirmation({ kind: 'fields', fields, target, base })
    else askReason(target, base, [])
  }

  const finish = (
    { target, base, values }: Extract<Asking, { kind: 'lost' }>,
    reason: number | null,
  ) => give(target, base, () => void apply(target, values, reason))

  const dialog = confirmation && (
    <>
      {confirmation.kind === 'fields' && (
        <FieldDialog
          title={words('stageNeeds')}
          text={words('stageNeedsText')}
          action={words('move')}
          fields={confirmation.fields}
          elsewhere={{ text: words('stageNeedsElsewhere') }}
          onFilled={(values) => askReason(confirmation.target, confirmation.base, values)}
          onClose={close}
        />
      )}
      {confirmation.kind === 'lost' && (
        <Picker
          title={words('whyLost', { name })}
          hint={words('reasonHint')}
          choices={reasonChoices(bootstrap.loss_reasons)}
          onPick={(key) => {
            close()
            finish(confirmation, Number(key))
          }}
          skip={{
            text: words('withoutReason'),
            run: () => {
              close()
              finish(confirmation, null)
            },
          }}
          onClose={close}
        />
      )}
    </>
  )
  return { move, dialog, notice: orders.notice }
}

/** All stages of all pipelines to choose from. */
export function StagePicker({ move, onClose }: { move: Move; onClose: () => void }) {
  const words = useTranslations('card')
  const { store, bootstrap } = useOpenCard()
  const pipelineId = useMember(store, 'pipeline_id')
  const statusId = useMember(store, 'status_id')
  const [base] = useState(() => stageNow(store))
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
        move({ pipelineId: pipeline, statusId: status }, base)
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
  move: Move
  /** Shows the stages of all pipelines. */
  onChoose: () => void
}) {
  const words = useTranslations('card')
  const { store, bootstrap, mayEdit } = useOpenCard()
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
        data-printed
        disabled={!mayEdit}
        aria-haspopup="dialog"
        rightSection={<ChevronDown size={14} aria-hidden />}
        onClick={onChoose}
      >
        {pipeline.name}
      </Button>
      <ol ref={list} className={styles.steps} aria-label={words('stages')}>
        {stages.map(({ id, name, color, type }, index) => {
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
              data-state={isNow ? 'now' : index < at || isClosed(statusId) ? 'passed' : 'ahead'}
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
                data-unprinted={statusId === id ? undefined : true}
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
