// How a job changes a batch of its records, and how an undo takes that back: by the verbs of the
// interface, with the rights and the news of everybody else. The changes are read from the news that
// the verbs recorded in the same transaction, so they are exact, whatever others do meanwhile.
import { isDeepStrictEqual } from 'node:util'
import type { Actor } from '../../../access/actor.ts'
import type { Action } from '../../../access/rights.ts'
import { requireTaskRight } from '../../../access/task-rights.ts'
import { lastDrawn } from '../../../changes/position.ts'
import type { Tx } from '../../../database/connect.ts'
import { singular } from '../../../entity-types.ts'
import { newFaults } from '../../../http/batch.ts'
import type { Batch } from '../../../http/batch.ts'
import { Problem } from '../../../http/problem.ts'
import { fieldsOf } from '../../../records/fields/definitions.ts'
import type { Field, Fields } from '../../../records/fields/definitions.ts'
import type { SentValues } from '../../../records/fields/schema.ts'
import { valuesText } from '../../../records/fields/show.ts'
import { shownOf } from '../../../records/fields/values.ts'
import type { Kept, KeptValues } from '../../../records/fields/values.ts'
import { keepTags } from '../../../records/tags.ts'
import type { Identified, SentRecord } from '../../../records/schema.ts'
import { purgeRecords } from '../../../records/purge.ts'
import { deleteRecords, restoreRecords } from '../../../records/writing/bin.ts'
import { changeCompanies, companies } from '../../records/companies/companies.ts'
import { changeContacts, contacts } from '../../records/contacts/contacts.ts'
import {
  changeCustomers,
  deleteCustomers,
  lockRules,
  restoreCustomers,
} from '../../records/customers/customers.ts'
import { changeLeads, deleteLeads, leads, lockLeadStages } from '../../records/leads/leads.ts'
import type { LeadDraft } from '../../records/leads/schema.ts'
import type { KeepFiles } from '../../activity/notes/notes.ts'
import { isClosed, lost } from '../../definitions/pipelines/pipelines.ts'
import { createTasks, deleteOpenTasks } from '../../activity/tasks/tasks.ts'
import { changeOrAcceptLeads } from '../../records/unsorted/unsorted.ts'
import * as queries from './queries.ts'
import type { Columns, Inverse, JobRow, PresentRecord, PresentRequest } from './queries.ts'
import { verbsOf } from './definitions.ts'
import { keptChoices, withoutOption } from './options.ts'
import { retypeBack, retypeBatch } from './retyping.ts'
import type {
  BulkAction,
  BulkKind,
  JobAction,
  JobType,
  ReplacedOption,
  ReplacedTag,
  Retyping,
} from './schema.ts'

/** The result of a batch: the records that were skipped, with the reason, and what was changed. */
export interface BatchOutcome {
  skipped: Map<number, string>
  inverses: Inverse[]
}

/** The members that jobs send, of whichever type. */
type Sent = Identified<Pick<LeadDraft, keyof SentRecord | keyof Stage | 'price'>>

interface Verbs {
  change: (tx: Tx, actor: Actor, batch: Batch<Sent>, keepFiles: KeepFiles) => Promise<unknown>
  /** The same for what a job changed: no unsorted lead is accepted. */
  changeBack: (tx: Tx, actor: Actor, batch: Batch<Sent>) => Promise<unknown>
  remove: (tx: Tx, actor: Actor, ids: number[]) => Promise<unknown>
  /** Out of the bin. */
  restore: (tx: Tx, actor: Actor, ids: number[]) => Promise<unknown>
}

const verbs: Record<JobType, Verbs> = {
  leads: {
    change: changeOrAcceptLeads,
    changeBack: changeLeads,
    remove: deleteLeads,
    restore: (tx, actor, ids) => restoreRecords(tx, actor, leads, ids),
  },
  contacts: {
    change: (tx, actor, batch) => changeContacts(tx, actor, batch),
    changeBack: changeContacts,
    remove: (tx, actor, ids) => deleteRecords(tx, actor, contacts, ids),
    restore: (tx, actor, ids) => restoreRecords(tx, actor, contacts, ids),
  },
  companies: {
    change: (tx, actor, batch) => changeCompanies(tx, actor, batch),
    changeBack: changeCompanies,
    remove: (tx, actor, ids) => deleteRecords(tx, actor, companies, ids),
    restore: (tx, actor, ids) => restoreRecords(tx, actor, companies, ids),
  },
  customers: {
    change: (tx, actor, batch) => changeCustomers(tx, actor, batch),
    changeBack: changeCustomers,
    remove: deleteCustomers,
    restore: restoreCustomers,
  },
}

/** The right that an action takes, by its kind. */
export const rightFor: Record<BulkKind, Action> = {
  move: 'edit',
  assign: 'edit',
  tag: 'edit',
  field: 'edit',
  task: 'view',
  delete: 'delete',
  restore: 'delete',
  purge: 'delete',
}

/** Whether an action is for the records of the bin. */
export const takesFromBin = (kind: BulkKind | Retyping['kind']): kind is 'restore' | 'purge' =>
  kind === 'restore' || kind === 'purge'

/** The columns that an action changes, which an undo compares and writes. */
function columnsOf(action: JobAction): string[] {
  switch (action.kind) {
    case 'move':
      return ['pipeline_id', 'status_id', 'loss_reason_id', 'closed_at']
    case 'assign':
      return ['responsible_user_id']
    case 'tag':
      return ['tag_ids']
    case 'field': {
      if ('enum_id' in action.value) return ['custom_fields_values']
      const { price, custom_fields_values: values } = action.value
      return [
        ...(price === undefined ? [] : ['price']),
        ...(values === undefined ? [] : ['custom_fields_values']),
      ]
    }
    case 'task':
      return []
    default:
      return ['is_deleted', 'updated_at', 'updated_by']
  }
}

const isGone = (type: JobType, id: number) => `There is no ${singular[type]} ${id}.`
const isRefused = (type: JobType, action: Action, id: number) =>
  `You have no right to ${action} ${singular[type]} ${id}.`
const isChanged = (type: JobType, id: number) => {
  const [first = '', ...others] = singular[type]
  return `${first.toUpperCase()}${others.join('')} ${id} has been changed since.`
}

/** Changes these records. `refused` are those that a verb has refused before, with the reasons. */
export async function changeBatch(
  tx: Tx,
  actor: Actor,
  { entity_type: type, action }: Pick<JobRow, 'entity_type' | 'action'>,
  ids: number[],
  refused: ReadonlyMap<number, string>,
  keepFiles: KeepFiles,
): Promise<BatchOutcome> {
  if (type === 'tasks' || action.kind === 'retype') return retypeBatch(tx, actor, action, ids)
  const right = rightFor[action.kind]
  // Tasks are given to the users whom the records have in this moment: these are locked before.
  const columns =
    action.kind === 'move'
      ? ['entered_at']
      : 'enum_id' in action.value
        ? ['custom_fields_values']
        : []
  const request: PresentRequest = { type, ids, action: right, columns }
  const present =
    action.kind === 'task'
      ? await lockPresent(tx, actor, request)
      : await recordsById(tx, queries.presentRecords(actor, request))
  const ofAll = action.kind === 'task' ? refusalOfTasks(actor, 'edit') : undefined
  const skipped = new Map<number, string>()
  for (const id of ids) {
    const found = present.get(id)
    const reason = refused.get(id) ?? ofAll
    if (reason !== undefined) skipped.set(id, reason)
    else if (!found || found.is_deleted !== takesFromBin(action.kind))
      skipped.set(id, isGone(type, id))
    else if (!found.allowed) skipped.set(id, isRefused(type, right, id))
  }
  const rest = ids.filter((id) => !skipped.has(id))
  if (rest.length === 0) return { skipped, inverses: [] }
  if (action.kind === 'task') {
    const records = rest.map((id) => present.get(id)!)
    return { skipped, inverses: await addTasks(tx, actor, type, action.value, records) }
  }
  if (action.kind === 'purge') {
    const purged = new Set(await purgeRecords(tx, actor.accountId, type, rest))
    // Somebody has restored it a moment ago.
    for (const id of rest) if (!purged.has(id)) skipped.set(id, isGone(type, id))
    return { skipped, inverses: [] }
  }
  const mark = await lastDrawn(tx)
  if (action.kind === 'delete') await verbs[type].remove(tx, actor, rest)
  else if (action.kind === 'restore') await verbs[type].restore(tx, actor, rest)
  else {
    const field = await fieldOf(tx, actor, type, action)
    const batch = batchOf(rest.map((id) => change(action, present.get(id)!, field)))
    await verbs[type].change(tx, actor, batch, keepFiles)
  }
  const changed = await changesSince(tx, actor, type, {
    mark,
    ids: rest,
    columns: columnsOf(action),
  })
  if (action.kind === 'field')
    return { skipped, inverses: await ofNamedFields(tx, actor, type, action.value, changed) }
  if (action.kind !== 'move') return { skipped, inverses: changed }
  const inverses = changed.map(({ id, before, after }) => {
    const { entered_at } = present.get(id)!
    return { id, before: { ...before, entered_at }, after }
  })
  return { skipped, inverses }
}

type ChangeAction = Exclude<JobAction, { kind: 'task' | 'delete' | 'restore' | 'purge' | 'retype' }>
type FieldChange = Extract<BulkAction, { kind: 'field' }>['value']

/** The field whose choice is replaced; undefined for other actions. */
async function fieldOf(
  tx: Tx,
  actor: Actor,
  type: JobType,
  { value }: ChangeAction,
): Promise<Field | undefined> {
  if (!('enum_id' in value)) return undefined
  return (await fieldsOf(tx, actor.accountId, type)).byId.get(value.field_id)
}

function change(action: ChangeAction, record: PresentRecord, field: Field | undefined): Sent {
  const { id } = record
  if ('enum_id' in action.value) {
    const { field_id } = action.value
    // A choice that was deleted may still wait to be taken off the record.
    const kept = keptChoices(record, field_id)
    const shown = (field ? shownOf(field, kept) : kept) as number[]
    const values = withoutOption(shown, action.value)
    return {
      id,
      custom_fields_values: [{ field_id, values: values.map((enum_id) => ({ enum_id })) }],
    }
  }
  if (action.kind !== 'tag') return { id, ...action.value }
  if ('tag_id' in action.value) {
    const { tag_id, into_id } = action.value
    return {
      id,
      ...(into_id !== null && { tags_to_add: [{ id: into_id }] }),
      tags_to_delete: [{ id: tag_id }],
    }
  }
  const { add = [], remove = [] } = action.value
  return {
    id,
    ...(add.length > 0 && { tags_to_add: add.map((name) => ({ name })) }),
    ...(remove.length > 0 && { tags_to_delete: remove.map((each) => ({ id: each })) }),
  }
}

async function addTasks(
  tx: Tx,
  actor: Actor,
  entity_type: JobType,
  { responsible_user_id, ...draft }: Extract<BulkAction, { kind: 'task' }>['value'],
  present: PresentRecord[],
): Promise<Inverse[]> {
  const values = present.map((found) => ({
    ...draft,
    id: found.id,
    entity_type,
    entity_id: found.id,
    responsible_user_id: responsible_user_id ?? found.responsible_user_id,
  }))
  const added = await createTasks(tx, actor, batchOf(values))
  return added.map(({ id: task_id }, index) => ({
    id: present[index]!.id,
    before: {},
    after: { task_id },
  }))
}

async function changesSince(
  tx: Tx,
  actor: Actor,
  type: JobType,
  { mark, ids, columns }: { mark: number; ids: number[]; columns: string[] },
): Promise<Inverse[]> {
  const statement = queries.journaledChanges(actor, type, mark, ids, columns)
  const journaled = await tx.rows<Inverse>(statement)
  return journaled.map(({ id, before, after }) => ({
    id,
    before: Object.fromEntries(
      columns.map((name) => [name, before[name] === undefined ? after[name] : before[name]]),
    ),
    after,
  }))
}

/** Changes of records with the values of the named fields alone: a record may have a quarter of a megabyte of others. */
async function ofNamedFields(
  tx: Tx,
  actor: Actor,
  type: JobType,
  action: FieldChange | ReplacedOption,
  changes: Inverse[],
): Promise<Inverse[]> {
  const sent =
    'enum_id' in action
      ? [{ field_id: action.field_id, field_code: null }]
      : action.custom_fields_values
  if (sent === undefined) return changes
  const { byId, byCode } = await fieldsOf(tx, actor.accountId, type)
  const named = sent.flatMap(
    ({ field_id, field_code }) =>
      (field_id ? byId.get(field_id) : byCode.get(field_code ?? '')) ?? [],
  )
  const own = ({ custom_fields_values: values, ...others }: Columns): Columns => ({
    ...others,
    custom_fields_values: Object.fromEntries(
      named.map(({ id }) => [id, (values as KeptValues)?.[id] ?? []]),
    ),
  })
  return changes.map(({ id, before, after }) => ({ id, before: own(before), after: own(after) }))
}

/** Takes back what a job changed of these records, where nobody has changed it since. */
export async function undoBatch(
  tx: Tx,
  actor: Actor,
  { account_id, entity_type: type, action, undoes, definition }: JobRow,
  ids: number[],
  refused: ReadonlyMap<number, string>,
): Promise<BatchOutcome> {
  const kept = await tx.rows<Inverse>(queries.inversesOf(account_id, undoes!, ids))
  const skipped = new Map([...refused].filter(([id]) => ids.includes(id)))
  // No job of a purge is undone: it keeps nothing.
  if (action.kind === 'purge') throw new Error(`job ${undoes} has purged its records`)
  if (type === 'tasks' || action.kind === 'retype') {
    const outcome = await retypeBack(tx, actor, action, kept, refused)
    const undone = ids.filter((id) => !outcome.skipped.has(id))
    if (undone.length > 0) await tx.rows(queries.forgetInverses(account_id, undoes!, undone))
    return outcome
  }
  // Tags are kept before records are locked, as by all who give tags to records.
  const tag = action.kind === 'tag' && 'tag_id' in action.value ? action.value : undefined
  if (tag) await tx.rows(keepTags(account_id, type))
  const takesFromBin = ({ before }: Inverse) => before['is_deleted'] === true
  const left = kept.filter(({ id }) => !skipped.has(id))
  const binned = definition === null ? [] : left.filter(takesFromBin)
  if (definition && binned.length > 0) {
    await lockBefore(tx, actor, type, left)
    for (const id of await verbsOf(definition).changeBinnedBack(tx, actor, binned, definition))
      skipped.set(id, isChanged(type, id))
  }
  const rest = left.filter(({ id }) => !skipped.has(id) && !binned.some((each) => each.id === id))
  const columns = columnsOf(action)
  if (rest.length > 0 && tag) await giveTagBack(tx, actor, type, tag, { kept: rest, skipped })
  else if (rest.length > 0)
    await undoOf[action.kind](tx, actor, type, { kept: rest, skipped, columns })
  const undone = ids.filter((id) => !skipped.has(id))
  if (undone.length > 0) await tx.rows(queries.forgetInverses(account_id, undoes!, undone))
  return { skipped, inverses: [] }
}

/** Locks what records had before and then the records, those of the bin among the others: in one order. */
async function lockBefore(tx: Tx, actor: Actor, type: JobType, kept: Inverse[]): Promise<void> {
  const named = kept.map(({ id, before: { pipeline_id, status_id, loss_reason_id } }) => ({
    id,
    ...({ pipeline_id, status_id, loss_reason_id } as Partial<Stage>),
  }))
  if (type === 'leads') await lockLeadStages(tx, actor, batchOf(named), 'change')
  await lockPresent(tx, actor, { type, ids: idsOf(kept), action: 'edit', columns: [] })
}

/** A batch of an undo: the changes by the job, and the skipped records with the reasons. */
interface Undoing {
  kept: Inverse[]
  skipped: Map<number, string>
  columns: string[]
}

type Undo = (tx: Tx, actor: Actor, type: JobType, undoing: Undoing) => Promise<void>

const undoOf: Record<Exclude<BulkKind, 'purge'>, Undo> = {
  async move(tx, actor, type, { kept, ...undoing }) {
    const stages = kept.map(({ id, before: { entered_at: _, ...before }, after }) => ({
      id,
      before,
      after,
    }))
    const back = stages.map(({ id, before }) => stageBack(id, before as unknown as Stage))
    // Stages are locked before leads.
    await lockLeadStages(tx, actor, batchOf(back.flat()), 'change')
    const moved = new Set(await changeBack(tx, actor, type, { ...undoing, kept: stages }, back))
    // They have been in their stages since then, as if they had never left them. Jobs of earlier versions do not know it.
    const entered = kept.flatMap(({ id, before: { entered_at } }) =>
      moved.has(id) && entered_at !== undefined
        ? { id, entered_at: entered_at as number | null }
        : [],
    )
    if (entered.length > 0) await tx.rows(queries.setEntered(actor, entered))
  },
  async assign(tx, actor, type, undoing) {
    const back = undoing.kept.map(({ id, before }) => [{ id, ...before }])
    await changeBack(tx, actor, type, undoing, back)
  },
  async field(tx, actor, type, undoing) {
    const fields = await fieldsOf(tx, actor.accountId, type)
    const back = undoing.kept.map(({ id, before }) => {
      const value = valuesBack(fields, id, before)
      if (!value) undoing.skipped.set(id, isChanged(type, id))
      return value ? [value] : []
    })
    await changeBack(tx, actor, type, undoing, back)
  },
  // Tags that others have added or removed since stay so.
  async tag(tx, actor, type, { kept, skipped }) {
    const request = { type, ids: idsOf(kept), action: 'edit' as const, columns: [] }
    const present = await recordsById(tx, queries.presentRecords(actor, request))
    const some = kept.filter(({ id }) => mayChange(type, present, id, skipped))
    const pairs = some.map(({ id, before, after }) => {
      const [were, are] = [before['tag_ids'] as number[], after['tag_ids'] as number[]]
      const added = are.filter((tag) => !were.includes(tag))
      return { id, added, removed: were.filter((tag) => !are.includes(tag)) }
    })
    const removed = [...new Set(pairs.flatMap((pair) => pair.removed))]
    const rows =
      removed.length > 0
        ? await tx.rows<{ id: number }>(queries.existingTags(actor, type, removed))
        : []
    const exists = new Set(rows.map(({ id }) => id))
    const values = pairs.map((pair) => ({
      id: pair.id,
      tags_to_add: pair.removed.flatMap((id) => (exists.has(id) ? { id } : [])),
      tags_to_delete: pair.added.map((id) => ({ id })),
    }))
    if (values.length > 0) await verbs[type].changeBack(tx, actor, batchOf(values))
  },
  async delete(tx, actor, type, undoing) {
    const back = await unchangedInBin(tx, actor, type, undoing, true)
    if (back.length > 0) await verbs[type].restore(tx, actor, back)
  },
  async restore(tx, actor, type, undoing) {
    const back = await unchangedInBin(tx, actor, type, undoing, false)
    if (back.length > 0) await verbs[type].remove(tx, actor, back)
  },
  async task(tx, actor, _type, { kept, skipped }) {
    const recordOf = new Map(kept.map(({ id, after }) => [after['task_id'] as number, id]))
    const ids = [...recordOf.keys()]
    const ofAll = refusalOfTasks(actor, 'delete')
    if (ofAll !== undefined) return kept.forEach(({ id }) => skipped.set(id, ofAll))
    const deleted = new Set(await deleteOpenTasks(tx, actor, ids))
    const left = ids.filter((id) => !deleted.has(id))
    if (left.length === 0) return
    const there = await tx.rows<{ id: number; is_deleted: boolean; is_completed: boolean }>(
      queries.tasksWithIds(actor, left),
    )
    for (const { id, is_deleted, is_completed } of there) {
      const why = is_completed ? 'is completed' : 'belongs to a record in the bin'
      if (!is_deleted) skipped.set(recordOf.get(id)!, `Task ${id} ${why}.`)
    }
  },
}

/**
 * Gives records a tag back that a job replaced. A record that no longer has the tag which the job gave it has been
 * changed since, and so have all where the tag is gone again. Tags in the order in which the job left them have their
 * former order.
 */
async function giveTagBack(
  tx: Tx,
  actor: Actor,
  type: JobType,
  { tag_id, into_id }: ReplacedTag,
  { kept, skipped }: Pick<Undoing, 'kept' | 'skipped'>,
): Promise<void> {
  const tagsOf = (columns: Columns | undefined) => (columns?.['tag_ids'] ?? []) as number[]
  const named = [...new Set([tag_id, ...kept.flatMap(({ before }) => tagsOf(before))])]
  const existing = await tx.rows<{ id: number }>(queries.existingTags(actor, type, named))
  const isThere = new Set(existing.map(({ id }) => id))
  if (!isThere.has(tag_id)) return kept.forEach(({ id }) => skipped.set(id, isChanged(type, id)))
  const request = { type, ids: idsOf(kept), action: 'edit' as const, columns: ['tag_ids'] }
  const present = await lockPresent(tx, actor, request)
  const values = kept.flatMap(({ id, before, after }): Sent[] => {
    if (!mayChange(type, present, id, skipped)) return []
    const now = tagsOf(present.get(id))
    const isGiven = into_id !== null && !tagsOf(before).includes(into_id)
    if (isGiven && !now.includes(into_id)) {
      skipped.set(id, isChanged(type, id))
      return []
    }
    if (isDeepStrictEqual(now, tagsOf(after))) {
      const tags = tagsOf(before).flatMap((each) => (isThere.has(each) ? { id: each } : []))
      return [{ id, _embedded: { tags } }]
    }
    const tags_to_delete = isGiven ? [{ id: into_id }] : []
    return [{ id, tags_to_add: [{ id: tag_id }], tags_to_delete }]
  })
  if (values.length > 0) await verbs[type].changeBack(tx, actor, batchOf(values))
}

/** The records that are in the bin, or outside of it, as the job left them. Those that moved since stay. */
async function unchangedInBin(
  tx: Tx,
  actor: Actor,
  type: JobType,
  { kept, skipped, columns }: Undoing,
  isDeleted: boolean,
): Promise<number[]> {
  const request: PresentRequest = { type, ids: idsOf(kept), action: 'delete', columns }
  const present = await lockPresent(tx, actor, request)
  return kept.flatMap(({ id, after }) => {
    const found = present.get(id)
    if (!found) skipped.set(id, isGone(type, id))
    else if (!found.allowed) skipped.set(id, isRefused(type, 'delete', id))
    else if (found.is_deleted !== isDeleted) return []
    else if (isAs(found, after)) return [id]
    else skipped.set(id, isChanged(type, id))
    return []
  })
}

/**
 * The change that gives a record back the values of the fields that a job changed; undefined where one
 * of them is a choice that is gone.
 */
function valuesBack(
  fields: Fields,
  id: number,
  { custom_fields_values, ...before }: Columns,
): Sent | undefined {
  if (custom_fields_values === undefined) return { id, ...before }
  const values = custom_fields_values as Record<string, Kept[]>
  const isWhole = Object.entries(values).every(([name, kept]) => {
    const field = fields.byId.get(Number(name))
    return !field || shownOf(field, kept).length === kept.length
  })
  if (!isWhole) return undefined
  // As an answer shows them, which a body takes.
  const shown = JSON.parse(valuesText(fields, values)) as SentValues | null
  const byId = new Map((shown ?? []).map((each) => [each.field_id, each.values]))
  const sent = Object.keys(values).map((name) => ({
    field_id: Number(name),
    values: byId.get(Number(name)) ?? [],
  }))
  return { id, ...before, custom_fields_values: sent }
}

interface Stage {
  pipeline_id: number
  status_id: number
  loss_reason_id: number | null
  closed_at: number | null
}

/**
 * The time of closing comes in an item of its own, after the stage: sent with it, a time that equals
 * the present one would count as not sent.
 */
function stageBack(id: number, stage: Stage): Sent[] {
  const { pipeline_id, status_id, loss_reason_id, closed_at } = stage
  const index = { id, pipeline_id, status_id, ...(status_id === lost && { loss_reason_id }) }
  return isClosed(status_id) ? [index, { id, closed_at }] : [index]
}

/** Changes the records that are still as the job left them, and answers their ids; those that are as before stay so. */
async function changeBack(
  tx: Tx,
  actor: Actor,
  type: JobType,
  { kept, skipped, columns }: Undoing,
  values: Sent[][],
): Promise<number[]> {
  const request: PresentRequest = { type, ids: idsOf(kept), action: 'edit', columns }
  const present = await lockPresent(tx, actor, request)
  const back = kept.flatMap(({ id, before, after }, index) => {
    if (!mayChange(type, present, id, skipped) || isAs(present.get(id)!, before)) return []
    if (isAs(present.get(id)!, after)) return values[index]!
    skipped.set(id, isChanged(type, id))
    return []
  })
  if (back.length > 0) await verbs[type].changeBack(tx, actor, batchOf(back))
  return back.map(({ id }) => id)
}

function mayChange(
  type: JobType,
  present: ReadonlyMap<number, PresentRecord>,
  id: number,
  skipped: Map<number, string>,
): boolean {
  const found = present.get(id)
  if (!found || found.is_deleted) skipped.set(id, isGone(type, id))
  else if (!found.allowed) skipped.set(id, isRefused(type, 'edit', id))
  return !skipped.has(id)
}

/** Whether a record has these values; of custom fields, those that are named. */
const isAs = (found: PresentRecord, columns: Columns): boolean =>
  Object.entries(columns).every(([name, value]) => {
    if (name !== 'custom_fields_values') return isDeepStrictEqual(found[name], value)
    const present = found[name] as KeptValues
    return Object.entries(value as Record<string, Kept[]>).every(([id, values]) =>
      isDeepStrictEqual(present?.[id] ?? [], values),
    )
  })

const idsOf = (kept: Inverse[]) => kept.map(({ id }) => id)

/** Locks records, and before customers the rules that place them. */
async function lockPresent(
  tx: Tx,
  actor: Actor,
  request: PresentRequest,
): Promise<Map<number, PresentRecord>> {
  if (request.type === 'customers') await lockRules(tx, actor)
  return recordsById(tx, queries.lockPresentRecords(actor, request))
}

async function recordsById(
  tx: Tx,
  statement: ReturnType<typeof queries.presentRecords>,
): Promise<Map<number, PresentRecord>> {
  const rows = await tx.rows<PresentRecord>(statement)
  return new Map(rows.map((row) => [row.id, row]))
}

/** A batch whose items are named by the ids of their records, and so are its faults. */
function batchOf<Value extends { id: number }>(values: Value[]): Batch<Value> {
  const items = values.map((value, index) => ({ index, request_id: String(value.id), value }))
  return { items, faults: newFaults() }
}

/**
 * The reasons by which a problem of a verb names records of the batch; none where it names none.
 */
export function refusedBy(problem: Problem, ids: readonly number[]): Map<number, string> {
  const { errors, 'validation-errors': items = [] } = problem.body()
  const sentences = Object.entries((errors ?? {}) as Record<string, string>)
  const named = [
    ...items.map(({ request_id, errors: [first] }) => [request_id, first!.detail] as const),
    ...sentences,
  ]
  return new Map(
    named.flatMap(([name, detail]) => (ids.includes(Number(name)) ? [[Number(name), detail]] : [])),
  )
}

/** The reason why the actor may do the action to no task; undefined where it may. */
function refusalOfTasks(actor: Actor, action: 'edit' | 'delete'): string | undefined {
  try {
    requireTaskRight(actor, action)
    return undefined
  } catch (error) {
    if (error instanceof Problem) return error.message
    throw error
  }
}
