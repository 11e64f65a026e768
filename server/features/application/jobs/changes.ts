// How a job changes a batch of its records, and how an undo takes that back: by the verbs of the
// interface, with the rights and the news of everybody else. The changes are read from the news that
// the verbs recorded in the same transaction, so they are exact, whatever others do meanwhile.
import { isDeepStrictEqual } from 'node:util'
import type { Actor } from '../../../access/actor.ts'
import type { Action } from '../../../access/rights.ts'
import { requireTaskRight } from '../../../access/task-rights.ts'
import { lastDrawn } from '../../../changes/position.ts'
import type { Tx } from '../../../database/connect.ts'
import { newFaults } from '../../../http/batch.ts'
import type { Batch } from '../../../http/batch.ts'
import { Problem } from '../../../http/problem.ts'
import type { Identified } from '../../../records/schema.ts'
import { restoreRecord } from '../../../records/writing/bin.ts'
import { changeLeads, deleteLead, leads, lockLeadStages } from '../../records/leads/leads.ts'
import type { LeadDraft } from '../../records/leads/schema.ts'
import type { KeepFiles } from '../../activity/notes/notes.ts'
import { isClosed, lost } from '../../definitions/pipelines/pipelines.ts'
import { createTasks, deleteOpenTasks } from '../../activity/tasks/tasks.ts'
import { changeOrAcceptLeads } from '../../records/unsorted/unsorted.ts'
import * as queries from './queries.ts'
import type { Columns, Inverse, JobRow, PresentLead } from './queries.ts'
import type { BulkAction, BulkKind } from './schema.ts'

/** The result of a batch: the records that were skipped, with the reason, and what was changed. */
export interface BatchOutcome {
  skipped: Map<number, string>
  inverses: Inverse[]
}

/** The right that an action takes, by its kind. */
const rightFor: Record<BulkKind, Action> = {
  move: 'edit',
  assign: 'edit',
  tag: 'edit',
  task: 'view',
  delete: 'delete',
}

/** The columns that an action changes, which an undo compares and writes. */
const columnsOf: Record<Exclude<BulkKind, 'task'>, string[]> = {
  move: ['pipeline_id', 'status_id', 'loss_reason_id', 'closed_at'],
  assign: ['responsible_user_id'],
  tag: ['tag_ids'],
  delete: ['is_deleted', 'updated_at', 'updated_by'],
}

const isGone = (id: number) => `There is no lead ${id}.`
const isRefused = (action: Action, id: number) => `You have no right to ${action} lead ${id}.`
const isChanged = (id: number) => `Lead ${id} has been changed since.`

/** Changes these records. `refused` are those that a verb has refused before, with the reasons. */
export async function changeBatch(
  tx: Tx,
  actor: Actor,
  { action }: JobRow,
  ids: number[],
  refused: ReadonlyMap<number, string>,
  keepFiles: KeepFiles,
): Promise<BatchOutcome> {
  const right = rightFor[action.kind]
  // Tasks are given to the users whom the leads have in this moment, and leads are deleted one by one:
  // all are locked before the first of them is written.
  const isLocked = action.kind === 'task' || action.kind === 'delete'
  const statement = isLocked ? queries.lockPresentLeads : queries.presentLeads
  const present = await leadsById(tx, statement(actor, ids, right))
  const ofAll = action.kind === 'task' ? refusalOfTasks(actor, 'edit') : undefined
  const skipped = new Map<number, string>()
  for (const id of ids) {
    const lead = present.get(id)
    const reason = refused.get(id) ?? ofAll
    if (reason !== undefined) skipped.set(id, reason)
    else if (!lead || lead.is_deleted) skipped.set(id, isGone(id))
    else if (!lead.allowed) skipped.set(id, isRefused(right, id))
  }
  const rest = ids.filter((id) => !skipped.has(id))
  if (rest.length === 0) return { skipped, inverses: [] }
  if (action.kind === 'task') {
    const inverses = await addTasks(
      tx,
      actor,
      action.value,
      rest.map((id) => present.get(id)!),
    )
    return { skipped, inverses }
  }
  const mark = await lastDrawn(tx)
  if (action.kind === 'delete') for (const id of rest) await deleteLead(tx, actor, id)
  else
    await changeOrAcceptLeads(tx, actor, batchOf(rest.map((id) => change(action, id))), keepFiles)
  return { skipped, inverses: await changesSince(tx, actor, mark, columnsOf[action.kind]) }
}

type ChangeAction = Exclude<BulkAction, { kind: 'task' | 'delete' }>

function change(action: ChangeAction, id: number): Identified<LeadDraft> {
  if (action.kind !== 'tag') return { id, ...action.value }
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
  { responsible_user_id, ...draft }: Extract<BulkAction, { kind: 'task' }>['value'],
  present: PresentLead[],
): Promise<Inverse[]> {
  const values = present.map((lead) => ({
    ...draft,
    id: lead.id,
    entity_type: 'leads' as const,
    entity_id: lead.id,
    responsible_user_id: responsible_user_id ?? lead.responsible_user_id,
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
  mark: number,
  columns: string[],
): Promise<Inverse[]> {
  const journaled = await tx.rows<Inverse>(queries.journaledChanges(actor, mark, columns))
  return journaled.map(({ id, before, after }) => ({
    id,
    before: Object.fromEntries(
      columns.map((name) => [name, before[name] === undefined ? after[name] : before[name]]),
    ),
    after,
  }))
}

/** Takes back what a job changed of these records, where nobody has changed it since. */
export async function undoBatch(
  tx: Tx,
  actor: Actor,
  { account_id, action, undoes }: JobRow,
  ids: number[],
  refused: ReadonlyMap<number, string>,
): Promise<BatchOutcome> {
  const kept = await tx.rows<Inverse>(queries.inversesOf(account_id, undoes!, ids))
  const skipped = new Map([...refused].filter(([id]) => ids.includes(id)))
  const rest = kept.filter(({ id }) => !skipped.has(id))
  if (rest.length > 0) await undoOf[action.kind](tx, actor, rest, skipped)
  const undone = ids.filter((id) => !skipped.has(id))
  if (undone.length > 0) await tx.rows(queries.forgetInverses(account_id, undoes!, undone))
  return { skipped, inverses: [] }
}

type Undo = (tx: Tx, actor: Actor, kept: Inverse[], skipped: Map<number, string>) => Promise<void>

const undoOf: Record<BulkKind, Undo> = {
  async move(tx, actor, kept, skipped) {
    const back = kept.map(({ id, before }) => stageBack(id, before as unknown as Stage))
    // Stages are locked before leads.
    await lockLeadStages(tx, actor, batchOf(back.flat()), 'change')
    await changeBack(tx, actor, kept, skipped, back)
  },
  async assign(tx, actor, kept, skipped) {
    const back = kept.map(({ id, before }) => [{ id, ...before }])
    await changeBack(tx, actor, kept, skipped, back)
  },
  // Tags that others have added or removed since stay so.
  async tag(tx, actor, kept, skipped) {
    const present = await leadsById(tx, queries.presentLeads(actor, idsOf(kept), 'edit'))
    const some = kept.filter(({ id }) => mayChange(present, id, skipped))
    const pairs = some.map(({ id, before, after }) => {
      const [were, are] = [before['tag_ids'] as number[], after['tag_ids'] as number[]]
      const added = are.filter((tag) => !were.includes(tag))
      return { id, added, removed: were.filter((tag) => !are.includes(tag)) }
    })
    const removed = [...new Set(pairs.flatMap((pair) => pair.removed))]
    const rows =
      removed.length > 0 ? await tx.rows<{ id: number }>(queries.existingTags(actor, removed)) : []
    const exists = new Set(rows.map(({ id }) => id))
    const values = pairs.map((pair) => ({
      id: pair.id,
      tags_to_add: pair.removed.flatMap((id) => (exists.has(id) ? { id } : [])),
      tags_to_delete: pair.added.map((id) => ({ id })),
    }))
    if (values.length > 0) await changeLeads(tx, actor, batchOf(values))
  },
  async delete(tx, actor, kept, skipped) {
    const present = await leadsById(tx, queries.lockPresentLeads(actor, idsOf(kept), 'delete'))
    for (const { id, after } of kept) {
      const lead = present.get(id)
      if (!lead) skipped.set(id, isGone(id))
      else if (!lead.allowed) skipped.set(id, isRefused('delete', id))
      else if (lead.is_deleted && !isAs(lead, after)) skipped.set(id, isChanged(id))
      // The verb takes one record.
      else if (lead.is_deleted) await restoreRecord(tx, actor, leads, id)
    }
  },
  async task(tx, actor, kept, skipped) {
    const leadOf = new Map(kept.map(({ id, after }) => [after['task_id'] as number, id]))
    const ids = [...leadOf.keys()]
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
      if (!is_deleted) skipped.set(leadOf.get(id)!, `Task ${id} ${why}.`)
    }
  },
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
function stageBack(id: number, stage: Stage): Identified<LeadDraft>[] {
  const { pipeline_id, status_id, loss_reason_id, closed_at } = stage
  const index = { id, pipeline_id, status_id, ...(status_id === lost && { loss_reason_id }) }
  return isClosed(status_id) ? [index, { id, closed_at }] : [index]
}

/** Changes the leads that are still as the job left them; those that are as before stay so. */
async function changeBack(
  tx: Tx,
  actor: Actor,
  kept: Inverse[],
  skipped: Map<number, string>,
  values: Identified<LeadDraft>[][],
): Promise<void> {
  const present = await leadsById(tx, queries.lockPresentLeads(actor, idsOf(kept), 'edit'))
  const back = kept.flatMap(({ id, before, after }, index) => {
    if (!mayChange(present, id, skipped) || isAs(present.get(id)!, before)) return []
    if (isAs(present.get(id)!, after)) return values[index]!
    skipped.set(id, isChanged(id))
    return []
  })
  if (back.length > 0) await changeLeads(tx, actor, batchOf(back))
}

function mayChange(
  present: ReadonlyMap<number, PresentLead>,
  id: number,
  skipped: Map<number, string>,
): boolean {
  const lead = present.get(id)
  if (!lead || lead.is_deleted) skipped.set(id, isGone(id))
  else if (!lead.allowed) skipped.set(id, isRefused('edit', id))
  return !skipped.has(id)
}

const isAs = (lead: PresentLead, columns: Columns) =>
  Object.entries(columns).every(([name, value]) => isDeepStrictEqual(lead[name], value))

const idsOf = (kept: Inverse[]) => kept.map(({ id }) => id)

async function leadsById(
  tx: Tx,
  statement: ReturnType<typeof queries.presentLeads>,
): Promise<Map<number, PresentLead>> {
  const rows = await tx.rows<PresentLead>(statement)
  return new Map(rows.map((row) => [row.id, row]))
}

/** A batch whose items are named by the ids of their leads, and so are its faults. */
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
