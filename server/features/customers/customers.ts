// Customers: people and organizations that buy again, each in a status (specification, Customer).
// Their rights are those of leads.
import sql, { empty } from 'sql-template-tag'
import type { Actor } from '../../access/actor.ts'
import { requireRight, sees } from '../../access/record-rights.ts'
import type { ViewedRow } from '../../access/record-rights.ts'
import { record } from '../../changes/record.ts'
import type { Entry } from '../../changes/record.ts'
import type { Tx } from '../../database/connect.ts'
import type { Batch, Item } from '../../http/batch.ts'
import type { RecordDescription } from '../../records/description.ts'
import { oneOf, within } from '../../records/lists/conditions.ts'
import type { Condition } from '../../records/lists/conditions.ts'
import { nothingYet } from '../../records/lists/embed.ts'
import { groupShown, recordLink } from '../../records/lists/select.ts'
import type { Identified } from '../../records/schema.ts'
import { resolveTags } from '../../records/tags.ts'
import {
  bothSides,
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
} from '../../records/writing/change.ts'
import type { ChangedRecord, Missing, RecordChange } from '../../records/writing/change.ts'
import { loadContext } from '../../records/writing/context.ts'
import type { WritingContext } from '../../records/writing/context.ts'
import {
  addedEntry,
  createdAnswers,
  insertRecords,
  newColumns,
} from '../../records/writing/create.ts'
import type { CreatedRecord } from '../../records/writing/create.ts'
import { checkNewLinks, linkNew } from '../links/links.ts'
import { Customer, customerWith } from './schema.ts'
import type { CustomerDraft, CustomerFilter, CustomerRow } from './schema.ts'
import { checkedStatus, firstStatus, holdStatuses } from './statuses/held.ts'
import type { HeldStatus } from './statuses/held.ts'

export const customers: RecordDescription = {
  type: 'customers',
  columns: {
    next_price: 'bigint',
    next_date: 'bigint',
    periodicity: 'int',
    status_id: 'bigint',
  },
  keys: Customer.required,

  news: {
    browser: ['add', 'update', 'status', 'responsible', 'delete', 'restore', 'note', 'update_note'],
    webhook: ['add', 'update', 'responsible', 'delete', 'note'],
    isHeardBy: (actor, row) => sees(actor, 'customers', row as ViewedRow),
  },
  isRestoredSilently: true,

  selected: (actor, base, wanted) => sql`
    record.id, record.name, record.next_price, record.next_date, record.responsible_user_id,
    ${wanted.has('group_id') ? sql`${groupShown(actor)},` : empty} record.status_id, record.periodicity, record.created_by,
    record.updated_by, record.created_at, record.updated_at, record.closest_task_at, record.is_deleted, record.account_id, record.ltv,
    record.purchases_count, coalesce(record.ltv / nullif(record.purchases_count, 0), 0) as average_check,
    ${wanted.has('loss_reason_name') ? sql`null as loss_reason_name,` : empty} ${recordLink('customers', base)} as _links`,

  with: customerWith,
  embeds: { always: [], wanted: ['contacts', 'companies', 'catalog_elements'] },
  extras: nothingYet('segments'),
  extrasAlways: ['segments'],

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
  const statuses = await holdStatuses(tx, actor)
  const links = await checkNewLinks(tx, actor, 'customers', batch)
  const context = await loadContext(tx, actor, 'customers', batch, tags)
  const rows = batch.items.map((item) => newCustomer(actor, context, statuses, item))
  batch.faults.throwIfAny()
  const inserted = await insertRecords(tx, actor, customers, context.fields, rows)
  await record(
    tx,
    actor,
    inserted.map((row) => addedEntry('customers', row)),
  )
  const ids = inserted.map(({ id }) => id)
  await linkNew(tx, actor, 'customers', ids, links)
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
  const namesStatus = batch.items.some(({ value }) => value.status_id !== undefined)
  const statuses = namesStatus ? await holdStatuses(tx, actor) : []
  const ids = batch.items.map(({ value }) => value.id)
  const locked = await lockRecords<CustomerRow>(tx, actor, customers, ids, 'edit')
  const before = await withoutDeletedTags(tags, batch, locked)
  const context = await loadContext(tx, actor, 'customers', batch, tags, [...before.values()])
  const after = new Map(before)
  for (const item of batch.items) {
    const row = rowOf(after, 'customers', item, batch.faults, missing)
    if (row) after.set(row.id, changedCustomer(actor, context, statuses, item, row))
  }
  batch.faults.throwIfAny()
  const changed = changedRows(before, after)
  await updateRecords(tx, actor, customers, context.fields, changed)
  await record(
    tx,
    actor,
    changed.map((each) => changedCustomerEntry(each, context)),
  )
  return changedAnswers(batch, after)
}

/** The row of a new customer; faults go to the item. */
function newCustomer(
  actor: Actor,
  context: WritingContext,
  statuses: HeldStatus[],
  item: Item<CustomerDraft>,
): Omit<CustomerRow, 'id'> {
  const { next_price = 0, next_date = 0, periodicity = 0, status_id } = item.value
  return {
    ...newColumns(actor, context, item),
    next_price,
    next_date,
    periodicity,
    status_id:
      status_id === undefined
        ? firstStatus(statuses, next_date, actor.at)
        : checkedStatus(statuses, context.faults, item, status_id),
  }
}

/**
 * The row of a customer after a change, the same object where nothing changes; faults go to the
 * item.
 */
function changedCustomer(
  actor: Actor,
  context: WritingContext,
  statuses: HeldStatus[],
  item: Item<Identified<CustomerDraft>>,
  row: CustomerRow,
): CustomerRow {
  const sent = withoutStored<CustomerDraft>(item.value, row)
  const next = {
    ...changedColumns(context, item, row, sent),
    next_price: sent.next_price ?? row.next_price,
    next_date: sent.next_date ?? row.next_date,
    periodicity: sent.periodicity ?? row.periodicity,
    status_id:
      sent.status_id === undefined
        ? row.status_id
        : checkedStatus(statuses, context.faults, item, sent.status_id),
  }
  return touched(actor, row, next, sent)
}

/** The journal entry of a changed customer; pure. */
function changedCustomerEntry(
  change: RecordChange<CustomerRow>,
  context: Pick<WritingContext, 'fields' | 'tags'>,
): Entry {
  const { before, after } = change
  const isNewStatus = changedFields(before, after).includes('status_id')
  const status = ({ status_id: id }: CustomerRow) => ({ customer_status: { id } })
  return changedEntry('customers', change, context, {
    actions: isNewStatus ? ['status'] : [],
    events: isNewStatus ? [bothSides('customer_status_changed', before, after, status)] : [],
  })
}

function inDates(date: CustomerFilter['date']): Condition[] {
  if (!date) return []
  const { type, ...ends } = date
  return within(type === 'create' ? 'created_at' : 'updated_at', ends, 'from')
}
