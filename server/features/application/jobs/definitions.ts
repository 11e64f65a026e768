// Jobs that delete a definition: they move its records elsewhere, batch by batch, then delete it, and
// their undo brings it back first (docs/decisions/0102-jobs-of-definitions.md). Each kind says which
// records are next, how they change, how the definition ends, and how it comes back.
import type { Actor } from '../../../access/actor.ts'
import type { PipelineStatus } from '../../../access/rights.ts'
import type { Tx } from '../../../database/connect.ts'
import {
  checkRemoval,
  lockLeadsToMove,
  lockTargetPipelines,
  moveBinnedLeads,
  moveBinnedLeadsBack,
  putBackStatus,
  stagesAround,
  takeOutStatus,
} from '../../definitions/pipelines/pipelines.ts'
import type { TakenOut } from '../../definitions/pipelines/pipelines.ts'
import {
  checkLossReasonMerge,
  lockLossReasonMerge,
  lockLossReasons,
  lossReasonsAmong,
  putBackLossReason,
  takeOutLossReason,
} from '../../definitions/loss-reasons/loss-reasons.ts'
import type { LossReasonTaken } from '../../definitions/loss-reasons/loss-reasons.ts'
import {
  giveBinnedReason,
  lockLeadsOfReason,
  lockPresentRecords,
  presentRecords,
  setEntered,
} from './queries.ts'
import type { Inverse, PresentRecord } from './queries.ts'
import type { DefinitionKind, DefinitionRequest, JobAction, JobType } from './schema.ts'

/** The deletion of a stage, as a job keeps it. */
interface StatusDefinition extends PipelineStatus {
  kind: 'delete_status'
  move_to: number
  /** The names of the stage and of the one that its leads go to, as they were then. */
  name: string
  into: string
  /** All that the undo needs, once the stage is deleted. */
  taken?: TakenOut
}

/** The merge of a loss reason into another one. */
interface ReasonDefinition {
  kind: 'merge_loss_reason'
  loss_reason_id: number
  into_id: number
  name: string
  into: string
  taken?: LossReasonTaken
}

export type Definition = StatusDefinition | ReasonDefinition

/** Locked records that still have the definition. */
export interface RecordsToMove {
  ids: number[]
  /** Records of the bin change without any news. */
  binned: number[]
}

interface DefinitionVerbs<Kind extends DefinitionKind> {
  entity_type: JobType
  /** Throws the problem that refuses the request. */
  ask(tx: Tx, actor: Actor, request: NonNullable<DefinitionRequest[Kind]>): Promise<Of<Kind>>
  action(definition: Of<Kind>): JobAction
  /**
   * Locks the next records after an id. With `isLast`, no record can be given the definition before
   * the transaction ends.
   */
  lockNext(
    tx: Tx,
    actor: Actor,
    definition: Of<Kind>,
    page: { after: number; most: number; isLast: boolean },
  ): Promise<RecordsToMove>
  /** Changes locked records of the bin; answers what an undo needs. */
  changeBinned(tx: Tx, actor: Actor, definition: Of<Kind>, ids: number[]): Promise<Inverse[]>
  /**
   * Changes records of the bin back that are still there as the job left them. Answers the ids of
   * those that it leaves alone.
   */
  changeBinnedBack(tx: Tx, actor: Actor, kept: Inverse[]): Promise<number[]>
  /** Deletes the definition, which no record has any more; answers it with all that `putBack` needs. */
  takeOut(tx: Tx, actor: Actor, definition: Of<Kind>): Promise<Of<Kind>>
  putBack(tx: Tx, actor: Actor, definition: Of<Kind>): Promise<void>
}

type Of<Kind extends DefinitionKind> = Extract<Definition, { kind: Kind }>

const definitionVerbs: { [Kind in DefinitionKind]: DefinitionVerbs<Kind> } = {
  delete_status: {
    entity_type: 'leads',
    async ask(tx, actor, { pipeline_id, status_id, move_to }) {
      const names = await checkRemoval(tx, actor, { pipeline_id, status_id }, move_to)
      return { kind: 'delete_status', pipeline_id, status_id, move_to, ...names }
    },
    action: ({ pipeline_id, move_to }) => ({
      kind: 'move',
      value: { pipeline_id, status_id: move_to },
    }),
    async lockNext(tx, actor, { pipeline_id, status_id, move_to }, page) {
      const status = { pipeline_id, status_id }
      const leads = await lockLeadsToMove(tx, actor, status, { move_to, ...page })
      const idsOf = (isDeleted: boolean) =>
        leads.flatMap(({ id, is_deleted }) => (is_deleted === isDeleted ? id : []))
      return { ids: idsOf(false), binned: idsOf(true) }
    },
    async changeBinned(tx, actor, { pipeline_id, status_id, move_to }, ids) {
      const entered = await enteredAt(tx, actor, ids)
      await moveBinnedLeads(tx, actor, ids, { pipeline_id, status_id: move_to })
      return ids.map((id) => ({
        id,
        before: { is_deleted: true, pipeline_id, status_id, entered_at: entered.get(id) ?? null },
        after: { is_deleted: true, pipeline_id, status_id: move_to },
      }))
    },
    changeBinnedBack: moveBinnedBack,
    async takeOut(tx, actor, definition) {
      const { pipeline_id, status_id } = definition
      return { ...definition, taken: await takeOutStatus(tx, actor, { pipeline_id, status_id }) }
    },
    async putBack(tx, actor, { taken }) {
      if (taken) await putBackStatus(tx, actor, taken)
    },
  },
  merge_loss_reason: {
    entity_type: 'leads',
    async ask(tx, actor, { loss_reason_id, into: into_id }) {
      const names = await checkLossReasonMerge(tx, actor, loss_reason_id, into_id)
      return { kind: 'merge_loss_reason', loss_reason_id, into_id, ...names }
    },
    action: ({ into_id }) => ({ kind: 'move', value: { loss_reason_id: into_id } }),
    async lockNext(tx, actor, { loss_reason_id, into_id }, page) {
      await lockLossReasonMerge(tx, actor, loss_reason_id, into_id, page.isLast)
      const statement = lockLeadsOfReason(actor, loss_reason_id, page.after, page.most)
      const leads = await tx.rows<{ id: number; is_deleted: boolean }>(statement)
      const idsOf = (isDeleted: boolean) =>
        leads.flatMap(({ id, is_deleted }) => (is_deleted === isDeleted ? id : []))
      return { ids: idsOf(false), binned: idsOf(true) }
    },
    async changeBinned(tx, actor, { loss_reason_id, into_id }, ids) {
      if (ids.length > 0) await tx.rows(giveBinnedReason(actor, ids, into_id))
      return ids.map((id) => ({
        id,
        before: { is_deleted: true, loss_reason_id },
        after: { is_deleted: true, loss_reason_id: into_id },
      }))
    },
    async changeBinnedBack(tx, actor, kept) {
      const reasonOf = ({ before }: Inverse) => before['loss_reason_id'] as number
      await lockLossReasons(tx, actor, kept.map(reasonOf))
      const reasons = await lossReasonsAmong(tx, actor, kept.map(reasonOf))
      if (!kept.every((each) => reasons.has(reasonOf(each)))) return kept.map(({ id }) => id)
      const back = await lockLeftInBin(tx, actor, kept, ['loss_reason_id'])
      const ids = back.map(({ id }) => id)
      if (back[0]) await tx.rows(giveBinnedReason(actor, ids, reasonOf(back[0])))
      return kept.flatMap((each) => (back.includes(each) ? [] : each.id))
    },
    async takeOut(tx, actor, definition) {
      return { ...definition, taken: await takeOutLossReason(tx, actor, definition.loss_reason_id) }
    },
    async putBack(tx, actor, { taken }) {
      if (taken) await putBackLossReason(tx, actor, taken)
    },
  },
}

/** The verbs of a kind. They are given definitions of that kind alone, which the compiler cannot see. */
export const verbsOf = ({ kind }: Pick<Definition, 'kind'>): DefinitionVerbs<DefinitionKind> =>
  definitionVerbs[kind] as unknown as DefinitionVerbs<DefinitionKind>

/** The one kind that a request names, with its value. */
export function definitionOf(request: DefinitionRequest) {
  const [[kind, value]] = Object.entries(request) as [
    [DefinitionKind, NonNullable<DefinitionRequest[DefinitionKind]>],
  ]
  return { kind, value }
}

/**
 * Moves records of the bin back that are still there as a job left them. Answers the ids of those
 * that it leaves alone.
 */
async function moveBinnedBack(tx: Tx, actor: Actor, kept: Inverse[]): Promise<number[]> {
  const [first] = kept
  if (!first) return []
  const to = first.before as unknown as PipelineStatus
  await lockTargetPipelines(tx, actor, [to], 'change')
  // The stage may have gone anew since it came back, or may never have been this job's to bring back.
  const stages = await stagesAround(tx, actor, [to.pipeline_id], [to.status_id])
  if (!stages.has(to.pipeline_id, to.status_id)) return kept.map(({ id }) => id)
  const back = await lockLeftInBin(tx, actor, kept, ['pipeline_id', 'status_id'])
  if (back.length > 0) {
    const ids = back.map(({ id }) => id)
    const { pipeline_id, status_id } = to
    await moveBinnedLeadsBack(tx, actor, ids, { pipeline_id, status_id })
    const entered = back.map(({ id, before }) => ({
      id,
      entered_at: before['entered_at'] as number | null,
    }))
    await tx.rows(setEntered(actor, entered))
  }
  return kept.flatMap((each) => (back.includes(each) ? [] : each.id))
}

/** Locks leads; answers the changes of those that are in the bin with these columns as a job left them. */
async function lockLeftInBin(
  tx: Tx,
  actor: Actor,
  kept: Inverse[],
  columns: readonly string[],
): Promise<Inverse[]> {
  const ids = kept.map(({ id }) => id)
  const request = { type: 'leads' as const, ids, action: 'edit' as const, columns }
  const present = await tx.rows<PresentRecord>(lockPresentRecords(actor, request))
  return kept.filter(({ id, after }) =>
    present.some(
      (record) =>
        record.id === id &&
        record.is_deleted &&
        columns.every((name) => record[name] === after[name]),
    ),
  )
}

/** Since when leads have been in their stages, by their ids. */
async function enteredAt(
  tx: Tx,
  actor: Actor,
  ids: number[],
): Promise<ReadonlyMap<number, number | null>> {
  if (ids.length === 0) return new Map()
  const request = { type: 'leads' as const, ids, action: 'edit' as const, columns: ['entered_at'] }
  const present = await tx.rows<PresentRecord>(presentRecords(actor, request))
  return new Map(present.map((lead) => [lead.id, lead['entered_at'] as number | null]))
}
