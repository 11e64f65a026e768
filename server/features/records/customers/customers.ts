// Customers: people and organizations that buy again, each in a status (interface: Customer). Their
// rights are those of leads.
import sql from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import { startWriting } from '../../../access/actor.ts'
import type { Actor, Writer } from '../../../access/actor.ts'
import { requireRight, sees } from '../../../access/record-rights.ts'
import type { ViewedRow } from '../../../access/record-rights.ts'
import { record } from '../../../changes/record.ts'
import type { Entry } from '../../../changes/record.ts'
import type { Tx } from '../../../database/connect.ts'
import { together } from '../../../database/together.ts'
import type { Batch, Item } from '../../../http/batch.ts'
import type { DraftedRow, RecordDescription } from '../../../records/description.ts'
import { oneOf, within } from '../../../records/lists/conditions.ts'
import type { Condition } from '../../../records/lists/conditions.ts'
import { constant, number, numbers, textMember } from '../../../records/lists/members.ts'
import { groupShown } from '../../../records/lists/select.ts'
import type { Identified } from '../../../records/schema.ts'
import { resolveTags } from '../../../records/tags.ts'
import { deleteRecords, restoreRecords } from '../../../records/writing/bin.ts'
import {
  changedAnswers,
  changedColumns,
  changedEntry,
  changedFields,
  changedRows,
  lockRecords,
  rowOf,
  touched,
  updateRecords,
  withoutDeletedTags,
  withoutStored,
} from '../../../records/writing/change.ts'
import type { ChangedRecord, Missing, RecordChange } from '../../../records/writing/change.ts'
import { loadContext } from '../../../records/writing/context.ts'
import type { WritingContext } from '../../../records/writing/context.ts'
import { addRecords, createdAnswers, newColumns, timesOf } from '../../../records/writing/create.ts'
import type { CreatedRecord } from '../../../records/writing/create.ts'
import { wakeCustomers } from './clock/queries.ts'
import {
  lockRules,
  placedByDates,
  placedByHand,
  placedInSegments,
  statusNews,
} from './clock/rules.ts'
import type { CustomerRules } from './clock/rules.ts'
import { checkNewLinks, checkSentLinks, linkNew, namesLinks } from '../links/links.ts'
import { Customer, customerWith } from './schema.ts'
import type { CustomerDraft, CustomerFilter, CustomerRow } from './schema.ts'
import {
  countMoves,
  linkedSegments,
  noMembership,
  resolveSegments,
  segmentsAfter,
} from '../segments/segments.ts'
import type { NamedSegments } from '../segments/segments.ts'
import { checkStatus } from './statuses/locking.ts'

export { setCustomersMode } from './mode/mode.ts'
export {
  changeCustomerStatus,
  createCustomerStatuses,
  customerStatusSummaries,
  findCustomerStatuses,
} from './statuses/statuses.ts'
import { customerForm } from './webhook.ts'
export { turnDueCustomers } from './clock/clock.ts'
export { lockRules, placedAnew, placedByPurchases, statusNews } from './clock/rules.ts'

/** What a purchase of the row named `record` brought on average; 0 without one. */
export const averageCheck: Sql = sql`coalesce(record.ltv / nullif(record.purchases_count, 0), 0)`

export const customers: RecordDescription = {
  type: 'customers',
  columns: {
    next_price: 'bigint',
    next_date: 'bigint',
    periodicity: 'int',
    status_id: 'bigint',
    is_status_by_hand: 'boolean',
    status_due_at: 'bigint',
    segments_due_at: 'bigint',
    ltv: 'bigint',
    purchases_count: 'int',
    last_purchase_at: 'bigint',
    segment_ids: 'bigint[]',
    segment_ids_by_hand: 'bigint[]',
  },
  keys: Customer.required,

  news: {
    browser: ['add', 'update', 'status', 'responsible', 'delete', 'restore', 'note', 'update_note'],
    webhook: ['add', 'update', 'responsible', 'delete', 'note'],
    isHeardBy: (actor, row) => sees(actor, 'customers', row as ViewedRow),
  },
  webhook: customerForm,
  isRestoredSilently: true,

  members: (actor, wanted) => [
    number('id'),
    textMember('name'),
    ...numbers('next_price', 'next_date', 'responsible_user_id'),
    ...(wanted.has('group_id') ? [number('group_id', groupShown(actor))] : []),
    ...numbers('status_id', 'periodicity', 'created_by', 'updated_by', 'created_at', 'updated_at'),
    number('closest_task_at'),
    constant('is_deleted', false),
    ...numbers('account_id', 'ltv', 'purchases_count'),
    number('average_check', averageCheck),
    ...(wanted.has('loss_reason_name') ? [constant('loss_reason_name', null)] : []),
  ],

  with: customerWith,
  embeds: { always: [], wanted: ['contacts', 'companies', 'catalog_elements'] },
  listed: { member: 'segments', column: 'segment_ids', existing: linkedSegments },

  filters: ({ date, next_price, next_date, status_id }: CustomerFilter) => [
    ...inDates(date),
    ...(Array.isArray(next_price)
      ? oneOf('next_price', next_price)
      : within('next_price', next_price, 'exact')),
    ...within('next_date', next_date, 'from'),
    ...oneOf('status_id', status_id),
  ],
}

/** Creates customers. One faulty item refuses the batch; the problem lists every faulty item. */
export async function createCustomers(
  tx: Tx,
  actor: Actor,
  batch: Batch<CustomerDraft>,
): Promise<CreatedRecord[]> {
  requireRight(actor, 'customers', 'add')
  const tags = await resolveTags(tx, actor, 'customers', batch)
  const segments = await resolveSegments(tx, actor, batch)
  const rules = await lockRules(tx, actor)
  const links = await checkNewLinks(tx, actor, 'customers', batch)
  const context = await loadContext(tx, actor, 'customers', batch, tags)
  const around = { ...context, rules, segments }
  const writer = startWriting(tx, actor)
  const rows = batch.items.map((item) => newCustomer(writer, around, item))
  batch.faults.throwIfAny()
  const moves = rows.map(({ segment_ids }) => ({ before: [], after: segment_ids }))
  const [ids] = await together([
    addRecords(tx, writer, customers, { rows, context, mayHaveLinks: namesLinks(batch) }),
    countMoves(tx, writer, moves),
  ])
  await linkNew(tx, writer, 'customers', ids, links)
  return createdAnswers(batch, ids)
}

/**
 * Changes customers. Two items for one customer apply one after the other and make one change.
 * Throws 403 for a customer that the actor may not edit.
 */
export async function changeCustomers(
  tx: Tx,
  actor: Actor,
  batch: Batch<Identified<CustomerDraft>>,
  missing: Missing = 'fault',
): Promise<ChangedRecord[]> {
  requireRight(actor, 'customers', 'edit')
  const tags = await resolveTags(tx, actor, 'customers', batch)
  const segments = await resolveSegments(tx, actor, batch)
  const rules = await lockRules(tx, actor)
  const ids = batch.items.map(({ value }) => value.id)
  const locked = await lockRecords<CustomerRow>(tx, actor, customers, ids, 'edit')
  await checkSentLinks(tx, actor, 'customers', batch, locked)
  const before = await withoutDeletedTags(tags, batch, locked)
  const context = await loadContext(tx, actor, 'customers', batch, tags, [...before.values()])
  const around = { ...context, rules, segments }
  const writer = startWriting(tx, actor)
  const after = new Map(before)
  for (const item of batch.items) {
    const row = rowOf(after, 'customers', item, batch.faults, missing)
    if (row) after.set(row.id, changedCustomer(writer, around, item, row))
  }
  batch.faults.throwIfAny()
  const changed = changedRows(before, after)
  const moves = changed.map(({ before: { segment_ids: was }, after: { segment_ids: is } }) => ({
    before: was,
    after: is,
  }))
  const entries = changed.map((each) => changedCustomerEntry(each, context))
  await together([
    updateRecords(tx, writer, customers, context.fields, changed),
    countMoves(tx, writer, moves),
    record(tx, writer, entries),
  ])
  return changedAnswers(batch, after)
}

/** Moves customers into the bin, where they count for no segment. Throws 404 where one does not exist. */
export async function deleteCustomers(tx: Tx, actor: Actor, ids: number[]): Promise<void> {
  const rows = await deleteRecords<CustomerRow>(tx, actor, customers, ids)
  const moves = rows.map(({ segment_ids }) => ({ before: segment_ids, after: [] }))
  await countMoves(tx, actor, moves)
}

/**
 * Takes customers out of the bin, back into their segments. Rules may have changed meanwhile: the
 * clock evaluates the customers. Throws 404 where one is not in the bin.
 */
export async function restoreCustomers(tx: Tx, actor: Actor, ids: number[]): Promise<void> {
  const rules = await lockRules(tx, actor)
  const rows = await restoreRecords<CustomerRow>(tx, actor, customers, ids)
  const moves = rows.map(({ segment_ids }) => ({ before: [], after: segment_ids }))
  await countMoves(tx, actor, moves)
  const due = rows.map((row) => {
    const { status_due_at } = placedByHand(rules, row, row.status_id, actor.at)
    return { id: row.id, status_due_at: row.is_status_by_hand ? status_due_at : actor.at }
  })
  await tx.rows(wakeCustomers(actor, due))
}

/** The data from which the rows of a batch of customers are computed. */
interface CustomerContext extends WritingContext {
  rules: CustomerRules
  segments: NamedSegments
}

/** The row of a new customer; faults go to the item. */
function newCustomer(
  writer: Writer,
  context: CustomerContext,
  item: Item<CustomerDraft>,
): DraftedRow<CustomerRow> {
  const { rules, segments, faults } = context
  const { next_price = 0, next_date = 0, periodicity = 0, status_id } = item.value
  checkStatus(rules.statuses, faults, item)
  const shared = newColumns(writer, context, item)
  const row = {
    ...shared,
    ...timesOf(writer, shared),
    ...noPurchases,
    ...segmentsAfter(segments, item.value, noMembership),
    next_price,
    next_date,
    periodicity,
  }
  return {
    ...row,
    ...(status_id === undefined
      ? placedByDates(rules, row, writer.at)
      : placedByHand(rules, row, status_id, writer.at)),
    ...placedInSegments(rules, row, writer.at),
  }
}

const noPurchases = { ltv: 0, purchases_count: 0, last_purchase_at: null }

/**
 * The row of a customer after a change, the same object where nothing changes; faults go to the
 * item.
 */
function changedCustomer(
  writer: Writer,
  context: CustomerContext,
  item: Item<Identified<CustomerDraft>>,
  row: CustomerRow,
): CustomerRow {
  const { rules, segments, faults } = context
  const sent = withoutStored<CustomerDraft>(writer, item.value, row)
  checkStatus(rules.statuses, faults, item)
  const columns = {
    ...changedColumns(context, item, row, sent),
    ...segmentsAfter(segments, item.value, row),
    next_price: sent.next_price ?? row.next_price,
    next_date: sent.next_date ?? row.next_date,
    periodicity: sent.periodicity ?? row.periodicity,
  }
  const next = { ...columns, ...placement(rules, columns, sent, writer.at) }
  const isSame = changedFields(row, next).length === 0
  return touched(
    writer,
    row,
    isSame ? next : { ...next, ...placedInSegments(rules, next, writer.at) },
    sent,
  )
}

/** The status after a change: the one that was sent, or by dates where those change. */
function placement(rules: CustomerRules, row: CustomerRow, sent: CustomerDraft, at: number) {
  if (sent.status_id !== undefined) return placedByHand(rules, row, sent.status_id, at)
  if (sent.next_date !== undefined && rules.isPeriodic) return placedByDates(rules, row, at)
  return {}
}

/** The journal entry of a changed customer; pure. */
function changedCustomerEntry(
  change: RecordChange<CustomerRow>,
  context: Pick<WritingContext, 'fields' | 'tags'>,
): Entry {
  return changedEntry('customers', change, context, statusNews(change.before, change.after))
}

function inDates(date: CustomerFilter['date']): Condition[] {
  if (!date) return []
  const { type, ...ends } = date
  return within(type === 'create' ? 'created_at' : 'updated_at', ends, 'from')
}
