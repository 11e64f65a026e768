// Jobs that delete a definition: they move its records elsewhere, batch by batch, then delete it, and
// their undo brings it back first (docs/decisions/0102-jobs-of-definitions.md). Each kind says which
// records are next, how they change, how the definition ends, and how it comes back.
import { isDeepStrictEqual } from 'node:util'
import type { Sql } from 'sql-template-tag'
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
import { keepChoices } from '../../../records/fields/definitions.ts'
import { changeKeys } from '../../../records/fields/field-index.ts'
import {
  checkOptionRemoval,
  holdOptions,
  isOption,
  putBackOption,
  requireOptions,
  takeOutOption,
} from '../../definitions/custom-fields/custom-fields.ts'
import type { LeavingOption, OptionTaken } from '../../definitions/custom-fields/custom-fields.ts'
import { lockRules } from '../../records/customers/customers.ts'
import { keptChoices, withoutOption, withoutTag } from './options.ts'
import {
  checkTagRemoval,
  holdTag,
  isTag,
  putBackTag,
  requireTags,
  takeOutTag,
} from '../../definitions/tags/tags.ts'
import type { LeavingTag } from '../../definitions/tags/tags.ts'
import { keepTags } from '../../../records/tags.ts'
import type { Tag } from '../../../records/tags.ts'
import { tasksOfType } from '../../activity/tasks/tasks.ts'
import {
  checkTaskTypeMerge,
  putBackTaskType,
  takeOutTaskType,
} from '../../definitions/task-types/task-types.ts'
import type { TaskTypeRow } from '../../definitions/task-types/task-types.ts'
import {
  giveBinnedReason,
  lockLeadsOfReason,
  lockPresentRecords,
  lockRecordsOfOption,
  lockRecordsOfTag,
  presentRecords,
  recordsOfOption,
  recordsOfTag,
  setBinnedTags,
  setBinnedValues,
  setEntered,
} from './queries.ts'
import type { Inverse, PresentRecord } from './queries.ts'
import type { DefinitionKind, DefinitionRequest, JobAction, JobEntity, JobType } from './schema.ts'

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

/** The deletion of a choice of a custom field, whose records get another one where it is merged. */
interface OptionDefinition<
  Kind extends 'merge_option' | 'delete_option' = 'merge_option' | 'delete_option',
> extends LeavingOption {
  kind: Kind
  name: string
  into: string
  taken?: OptionTaken
}

/** The merge of a task type into another one. */
interface TaskTypeDefinition {
  kind: 'merge_task_type'
  task_type_id: number
  into_id: number
  name: string
  into: string
  taken?: TaskTypeRow
}

/** The deletion of a tag, whose records get another one where it is merged. */
interface TagDefinition<
  Kind extends 'merge_tag' | 'delete_tag' = 'merge_tag' | 'delete_tag',
> extends LeavingTag {
  kind: Kind
  name: string
  into: string
  taken?: Tag
}

export type Definition =
  | StatusDefinition
  | ReasonDefinition
  | OptionDefinition<'merge_option'>
  | OptionDefinition<'delete_option'>
  | TaskTypeDefinition
  | TagDefinition<'merge_tag'>
  | TagDefinition<'delete_tag'>

/** Locked records that still have the definition. */
export interface RecordsToMove {
  ids: number[]
  /** Records of the bin change without any news. */
  binned: number[]
  /**
   * The record after which the next step begins; null: none is left behind it. Absent where the
   * locked records say so: fewer than were asked for are the last ones.
   */
  next?: number | null
}

interface DefinitionVerbs<Kind extends DefinitionKind> {
  /** Whose records these are, where the definition does not say so. */
  entity_type: JobEntity
  /** Throws the problem that refuses the request. */
  ask(tx: Tx, actor: Actor, request: NonNullable<DefinitionRequest[Kind]>): Promise<Of<Kind>>
  action(definition: Of<Kind>): JobAction
  /**
   * Locks the next records after an id. With `isLast`, no record can be given the definition before
   * the transaction ends. Tasks are locked later, with their records.
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
  changeBinnedBack(tx: Tx, actor: Actor, kept: Inverse[], definition: Of<Kind>): Promise<number[]>
  /**
   * Deletes the definition, which no record has any more; answers it with all that `putBack` needs.
   * `moved` is the number of records that the step has moved. Undefined: others may have it, and the
   * next step looks.
   */
  takeOut(tx: Tx, actor: Actor, definition: Of<Kind>, moved: number): Promise<Of<Kind> | undefined>
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
  merge_option: {
    ...ofOptions<'merge_option'>(),
    async ask(tx, actor, { field_id, enum_id, into: into_id }) {
      const option = { field_id, enum_id, into_id }
      return { kind: 'merge_option', ...option, ...(await checkOptionRemoval(tx, actor, option)) }
    },
  },
  delete_option: {
    ...ofOptions<'delete_option'>(),
    async ask(tx, actor, { field_id, enum_id }) {
      const option = { field_id, enum_id, into_id: null }
      return { kind: 'delete_option', ...option, ...(await checkOptionRemoval(tx, actor, option)) }
    },
  },
  merge_tag: {
    ...ofTags<'merge_tag'>(),
    async ask(tx, actor, { tag_id, into: into_id }) {
      const tag = { tag_id, into_id }
      return { kind: 'merge_tag', ...tag, ...(await checkTagRemoval(tx, actor, tag)) }
    },
  },
  delete_tag: {
    ...ofTags<'delete_tag'>(),
    async ask(tx, actor, { tag_id }) {
      const tag = { tag_id, into_id: null }
      return { kind: 'delete_tag', ...tag, ...(await checkTagRemoval(tx, actor, tag)) }
    },
  },
  merge_task_type: {
    entity_type: 'tasks',
    async ask(tx, actor, { task_type_id, into: into_id }) {
      const names = await checkTaskTypeMerge(tx, actor, task_type_id, into_id)
      return { kind: 'merge_task_type', task_type_id, into_id, ...names }
    },
    action: ({ task_type_id: from, into_id: into }) => ({ kind: 'retype', value: { from, into } }),
    async lockNext(tx, actor, { task_type_id }, { after, most }) {
      const tasks = await tx.rows<{ id: number }>(tasksOfType(actor, task_type_id, after, most))
      return { ids: tasks.map(({ id }) => id), binned: [] }
    },
    // The verb of tasks changes those of records in the bin with the others.
    changeBinned: async () => [],
    changeBinnedBack: async () => [],
    async takeOut(tx, actor, definition, moved) {
      // A writer that gives a task a type locks the task first and then the type. A step that has given tasks the other
      // type has that one already, and would lock both in no order.
      if (moved > 0) return undefined
      const { task_type_id, into_id } = definition
      const taken = await takeOutTaskType(tx, actor, task_type_id, into_id)
      return taken && { ...definition, taken }
    },
    async putBack(tx, actor, { taken }) {
      if (taken) await putBackTaskType(tx, actor, taken)
    },
  },
}

/** All but the request, which both kinds of choices share. */
function ofOptions<Kind extends 'merge_option' | 'delete_option'>(): Omit<
  DefinitionVerbs<Kind>,
  'ask'
> {
  const verbs: Omit<DefinitionVerbs<'merge_option'>, 'ask'> = {
    entity_type: 'leads',
    action: ({ field_id, enum_id, into_id }) => ({
      kind: 'field',
      value: { field_id, enum_id, into_id },
    }),
    lockNext: (tx, actor, definition, page) =>
      lockNextHeld(tx, actor, definition.entity_type, page, {
        hold: () => holdOptions(tx, actor, definition.entity_type),
        require: () => requireOptions(tx, actor, definition),
        find: (after) => recordsOfOption(actor, definition, after, page.most),
        lock: (ids) => lockRecordsOfOption(actor, definition, ids, page.isLast),
      }),
    async changeBinned(tx, actor, definition, ids) {
      if (ids.length === 0) return []
      const { entity_type: type, field_id } = definition
      const columns = ['custom_fields_values']
      const request = { type, ids, action: 'edit' as const, columns }
      const present = await tx.rows<PresentRecord>(presentRecords(actor, request))
      // Verbs take this lock for the other records; a step may have records of the bin alone.
      await tx.rows(keepChoices(actor.accountId, type))
      await requireOptions(tx, actor, definition)
      const changed = present.map((record) => {
        const before = keptChoices(record, field_id)
        return { id: record.id, before, after: withoutOption(before, definition) }
      })
      await writeBinned(tx, actor, type, field_id, changed)
      const ofField = (values: readonly unknown[]) => ({
        is_deleted: true,
        custom_fields_values: { [field_id]: values },
      })
      return changed.map(({ id, before, after }) => ({
        id,
        before: ofField(before),
        after: ofField(after),
      }))
    },
    async changeBinnedBack(tx, actor, kept, definition) {
      const { entity_type: type, field_id } = definition
      const ids = kept.map(({ id }) => id)
      const request = { type, ids, action: 'edit' as const, columns: ['custom_fields_values'] }
      const present = await tx.rows<PresentRecord>(lockPresentRecords(actor, request))
      await tx.rows(keepChoices(actor.accountId, type))
      if (!(await isOption(tx, actor, definition))) return ids
      const back = kept.flatMap(({ id, before, after }) => {
        const found = present.find((record) => record.id === id && record.is_deleted)
        if (!found) return []
        const [now, left] = [keptChoices(found, field_id), keptChoices(after, field_id)]
        if (!isDeepStrictEqual(now, left)) return []
        return { id, before: now, after: keptChoices(before, field_id) }
      })
      await writeBinned(tx, actor, type, field_id, back)
      return ids.filter((id) => !back.some((each) => each.id === id))
    },
    async takeOut(tx, actor, definition) {
      return { ...definition, taken: await takeOutOption(tx, actor, definition) }
    },
    async putBack(tx, actor, { taken, ...definition }) {
      if (taken) await putBackOption(tx, actor, definition, taken)
    },
  }
  return verbs as unknown as Omit<DefinitionVerbs<Kind>, 'ask'>
}

/** All but the request, which both ends of a tag share. */
function ofTags<Kind extends 'merge_tag' | 'delete_tag'>(): Omit<DefinitionVerbs<Kind>, 'ask'> {
  const verbs: Omit<DefinitionVerbs<'merge_tag'>, 'ask'> = {
    entity_type: 'leads',
    action: ({ tag_id, into_id }) => ({ kind: 'tag', value: { tag_id, into_id } }),
    async lockNext(tx, actor, definition, page) {
      // Tags are kept before records are locked, as by all who give tags to records.
      if (!page.isLast) await tx.rows(keepTags(actor.accountId, definition.entity_type))
      return lockNextHeld(tx, actor, definition.entity_type, page, {
        hold: () => holdTag(tx, actor, definition),
        require: () => requireTags(tx, actor, definition),
        find: (after) => recordsOfTag(actor, definition, after, page.most),
        lock: (ids) => lockRecordsOfTag(actor, definition, ids, page.isLast),
      })
    },
    async changeBinned(tx, actor, definition, ids) {
      if (ids.length === 0) return []
      const { entity_type: type } = definition
      const request = { type, ids, action: 'edit' as const, columns: ['tag_ids'] }
      const present = await tx.rows<PresentRecord>(presentRecords(actor, request))
      await requireTags(tx, actor, definition)
      const changed = present.map(({ id, tag_ids }) => {
        const before = tag_ids as number[]
        return { id, before, after: withoutTag(before, definition) }
      })
      await tx.rows(setBinnedTags(actor, type, changed))
      return changed.map(({ id, before, after }) => ({
        id,
        before: { is_deleted: true, tag_ids: before },
        after: { is_deleted: true, tag_ids: after },
      }))
    },
    async changeBinnedBack(tx, actor, kept, definition) {
      const { entity_type: type } = definition
      const ids = kept.map(({ id }) => id)
      const request = { type, ids, action: 'edit' as const, columns: ['tag_ids'] }
      const present = await tx.rows<PresentRecord>(lockPresentRecords(actor, request))
      if (!(await isTag(tx, actor, definition))) return ids
      const back = kept.flatMap(({ id, before, after }) => {
        const found = present.find((record) => record.id === id && record.is_deleted)
        if (!isDeepStrictEqual(found?.['tag_ids'], after['tag_ids'])) return []
        return { id, after: before['tag_ids'] as number[] }
      })
      if (back.length > 0) await tx.rows(setBinnedTags(actor, type, back))
      return ids.filter((id) => !back.some((each) => each.id === id))
    },
    async takeOut(tx, actor, definition) {
      return { ...definition, taken: await takeOutTag(tx, actor, definition) }
    },
    async putBack(tx, actor, { taken, ...definition }) {
      if (taken) await putBackTag(tx, actor, definition, taken)
    },
  }
  return verbs as unknown as Omit<DefinitionVerbs<Kind>, 'ask'>
}

/** How the records of a definition are found and locked that anybody may give to a record at any time. */
interface HeldRecords {
  /** Nobody gives it to a record before the transaction ends. */
  hold(): Promise<void>
  /** Throws 404 where it is gone. */
  require(): Promise<void>
  /** The next records after an id, by an index. */
  find(after: number): Sql
  /** Locks those of these that still have it; in the last step those that nobody has locked. */
  lock(ids: number[]): Sql
}

/**
 * The last step holds back all who give the definition to records. They may have locked records before,
 * so it waits for none: it takes those that are free. Where others are left, or too many, the job
 * begins anew without the lock, and waits for them.
 */
async function lockNextHeld(
  tx: Tx,
  actor: Actor,
  type: JobType,
  { after, most, isLast }: { after: number; most: number; isLast: boolean },
  { hold, require, find, lock }: HeldRecords,
): Promise<RecordsToMove> {
  if (isLast) {
    // The index still has the entries of all records that were moved. They are passed before anybody waits.
    const left = await tx.rows(find(0))
    if (left.length === most) return { ids: [], binned: [], next: 0 }
    await hold()
  }
  await require()
  if (type === 'customers') await lockRules(tx, actor)
  const found = (await tx.rows<{ id: number }>(find(after))).map(({ id }) => id)
  const locked = await tx.rows<{ id: number; is_deleted: boolean }>(lock(found))
  const idsOf = (isDeleted: boolean) =>
    locked.flatMap(({ id, is_deleted }) => (is_deleted === isDeleted ? id : []))
  const records = { ids: idsOf(false), binned: idsOf(true) }
  if (!isLast) return { ...records, next: found.length < most ? null : found.at(-1)! }
  const isAll =
    found.length < most && found.every((id) => locked.some((record) => record.id === id))
  return { ...records, next: isAll ? null : 0 }
}

/** Writes the values of a field of locked records in the bin, without news. */
async function writeBinned(
  tx: Tx,
  actor: Actor,
  type: JobType,
  field_id: number,
  changed: { id: number; before: number[]; after: number[] }[],
): Promise<void> {
  if (changed.length === 0) return
  const keysOf = (values: number[], others: number[]) => ({
    numbers: values
      .filter((value) => !others.includes(value))
      .map((value) => ({ field_id, value })),
    texts: [],
  })
  await tx.rows(setBinnedValues(actor, type, field_id, changed))
  const keys = changed.map(({ id, before, after }) => ({
    id,
    added: keysOf(after, before),
    removed: keysOf(before, after),
    staying: [],
  }))
  await tx.rows(changeKeys(actor, type, keys))
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
