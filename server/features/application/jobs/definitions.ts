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
  putBackStatus,
  takeOutStatus,
} from '../../definitions/pipelines/pipelines.ts'
import type { TakenOut } from '../../definitions/pipelines/pipelines.ts'
import { lockPresentRecords } from './queries.ts'
import type { Inverse, PresentRecord } from './queries.ts'
import type { BulkAction, DefinitionKind, DefinitionRequest, JobType } from './schema.ts'

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

export type Definition = StatusDefinition

/** Locked records that still have the definition. */
export interface RecordsToMove {
  ids: number[]
  /** Records of the bin change without any news. */
  binned: number[]
}

interface DefinitionVerbs {
  entity_type: JobType
  /** Throws the problem that refuses the request. */
  ask: (tx: Tx, actor: Actor, request: PipelineStatus & { move_to: number }) => Promise<Definition>
  action: (definition: Definition) => BulkAction
  /**
   * Locks the next records after an id. With `isLast`, no record can be given the definition before
   * the transaction ends.
   */
  lockNext: (
    tx: Tx,
    actor: Actor,
    definition: Definition,
    page: { after: number; most: number; isLast: boolean },
  ) => Promise<RecordsToMove>
  /** Changes locked records of the bin; answers what an undo needs. */
  changeBinned: (tx: Tx, actor: Actor, definition: Definition, ids: number[]) => Promise<Inverse[]>
  /** Deletes the definition, which no record has any more; answers it with all that `putBack` needs. */
  takeOut: (tx: Tx, actor: Actor, definition: Definition) => Promise<Definition>
  putBack: (tx: Tx, actor: Actor, definition: Definition) => Promise<void>
}

export const definitionVerbs: Record<DefinitionKind, DefinitionVerbs> = {
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
      await moveBinnedLeads(tx, actor, ids, { pipeline_id, status_id: move_to })
      return ids.map((id) => ({
        id,
        before: { is_deleted: true, pipeline_id, status_id },
        after: { is_deleted: true, pipeline_id, status_id: move_to },
      }))
    },
    async takeOut(tx, actor, definition) {
      const { pipeline_id, status_id } = definition
      return { ...definition, taken: await takeOutStatus(tx, actor, { pipeline_id, status_id }) }
    },
    async putBack(tx, actor, { taken }) {
      if (taken) await putBackStatus(tx, actor, taken)
    },
  },
}

/** The one kind that a request names, with its value. */
export function definitionOf(request: DefinitionRequest) {
  const [[kind, value]] = Object.entries(request) as [
    [DefinitionKind, NonNullable<DefinitionRequest['delete_status']>],
  ]
  return { kind, value }
}

/**
 * Moves records of the bin back that are still there as a job left them. Answers the ids of those
 * that it leaves alone.
 */
export async function moveBinnedBack(tx: Tx, actor: Actor, kept: Inverse[]): Promise<number[]> {
  const [first] = kept
  if (!first) return []
  const to = first.before as unknown as PipelineStatus
  await lockTargetPipelines(tx, actor, [to], 'change')
  const request = {
    type: 'leads' as const,
    ids: kept.map(({ id }) => id),
    action: 'edit' as const,
    columns: ['pipeline_id', 'status_id'],
  }
  const present = await tx.rows<PresentRecord>(lockPresentRecords(actor, request))
  const isLeft = ({ id, after }: Inverse) =>
    present.some(
      (record) =>
        record.id === id &&
        record.is_deleted &&
        record['pipeline_id'] === after['pipeline_id'] &&
        record['status_id'] === after['status_id'],
    )
  const back = kept.filter(isLeft).map(({ id }) => id)
  await moveBinnedLeads(tx, actor, back, { pipeline_id: to.pipeline_id, status_id: to.status_id })
  return kept.flatMap((each) => (isLeft(each) ? [] : each.id))
}
