// Empties the bin: records deleted long ago are removed for good, with their notes, tasks and
// links. A purge records no events, since the deletion was recorded when the records went into the
// bin. The purchases of customers, which may be many, follow in steps of their own.
import sql, { empty, join, raw } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Database, Tx } from '../database/connect.ts'
import { fieldsOf } from './fields/definitions.ts'
import { removeKeys } from './fields/field-index.ts'
import { followFiles } from './fields/files.ts'
import { keysOf } from './fields/values.ts'
import type { KeptValues } from './fields/values.ts'
import { recordTypes } from './description.ts'
import type { RecordType } from './description.ts'
import { mainHolders } from './link-rules.ts'

/** Few enough that a chunk takes only milliseconds. */
const chunk = 500

/** The most purchases removed in one transaction: 5,000 take about 0.1 s. */
const mostPurchases = 5000

/**
 * Purges the records of all accounts that have been in the bin for `days`, and answers their
 * number. `at` is now, in Unix seconds. Of several processes, one at a time purges an account; the
 * others wait for its transaction, and then find nothing left.
 */
export async function purgeBin(database: Database, days: number, at: number): Promise<number> {
  let purged = 0
  const accounts = await database.rows<{ id: number }>(sql`select id from accounts order by id`)
  for (const { id } of accounts) purged += await purgeBinOf(database, id, days, at)
  return purged
}

/** Purges the records of one account, as `purgeBin` does. */
export async function purgeBinOf(
  database: Database,
  accountId: number,
  days: number,
  at: number,
): Promise<number> {
  let purged = 0
  for (const type of recordTypes)
    for (let gone = chunk; gone === chunk; purged += gone)
      gone = await database.transaction((tx) => purgeChunk(tx, accountId, type, at - days * 86_400))
  while (await database.transaction((tx) => purgePurchases(tx, accountId, mostPurchases))) continue
  return purged
}

/** Lets nobody else purge the account until the transaction ends. */
const lockPurge = (tx: Tx, accountId: number) =>
  tx.rows(sql`select pg_advisory_xact_lock(hashtextextended('kontor purge', ${accountId}::bigint))`)

/**
 * Removes records of the bin for good, and answers their ids; those outside of it stay. The purchases of customers
 * follow with the next purge of the account.
 */
export async function purgeRecords(
  tx: Tx,
  accountId: number,
  type: RecordType,
  ids: readonly number[],
): Promise<number[]> {
  await lockPurge(tx, accountId)
  const doomed = sql`
    select account_id, id from ${raw(type)}
     where account_id = ${accountId} and id = any(${ids}::bigint[]) and is_deleted
     order by id for update`
  return removeRecords(tx, accountId, type, removal(type, doomed))
}

interface Gone {
  id: number
  custom_fields_values: KeptValues
}

async function purgeChunk(
  tx: Tx,
  accountId: number,
  type: RecordType,
  before: number,
): Promise<number> {
  await lockPurge(tx, accountId)
  const statement = purgeOldest(accountId, type, before, chunk)
  return (await removeRecords(tx, accountId, type, statement)).length
}

/** Removes records for good, by a statement that `removal` makes; answers their ids. */
export async function removeRecords(
  tx: Tx,
  accountId: number,
  type: RecordType,
  statement: Sql,
): Promise<number[]> {
  const gone = await tx.list<Gone>(statement)
  if (gone.length > 0) {
    const fields = await fieldsOf(tx, accountId, type)
    const keys = gone.map(({ id, custom_fields_values }) => ({
      id,
      ...keysOf(fields, custom_fields_values),
    }))
    await tx.rows(removeKeys({ accountId }, type, keys))
    const values = gone.map(({ custom_fields_values }) => ({
      before: custom_fields_values,
      after: null,
    }))
    await followFiles(tx, { accountId, at: Math.floor(Date.now() / 1000) }, fields, values)
  }
  return gone.map(({ id }) => id)
}

/**
 * Removes purchases of customers that were purged, `most` at once. Answers whether some may be
 * left.
 */
export async function purgePurchases(tx: Tx, accountId: number, most: number): Promise<boolean> {
  await lockPurge(tx, accountId)
  const waiting = await tx.rows<{ id: number }>(
    sql`select id from purged_customers where account_id = ${accountId} order by id limit ${chunk}`,
  )
  if (waiting.length === 0) return false
  const ids = waiting.map(({ id }) => id)
  const gone = await tx.rows(removePurchases(accountId, ids, most))
  if (gone.length < most)
    await tx.rows(
      sql`delete from purged_customers where account_id = ${accountId} and id = any(${ids}::bigint[])`,
    )
  return true
}

/** Removes purchases of these customers, with what was bought and their notes. */
export const removePurchases = (accountId: number, customers: number[], most: number): Sql => sql`
  with doomed as materialized (
    select purchase.id, purchase.note_id
      from unnest(${customers}::bigint[]) customer (id),
           lateral (select id, note_id from transactions where account_id = ${accountId} and customer_id = customer.id limit ${most}) purchase
     limit ${most}
  ), elements_gone as (
    delete from transaction_elements bought using doomed where bought.account_id = ${accountId} and bought.transaction_id = doomed.id
  ), notes_gone as (
    delete from notes using doomed where notes.account_id = ${accountId} and notes.id = doomed.note_id
  )
  delete from transactions purchase using doomed where purchase.account_id = ${accountId} and purchase.id = doomed.id
  returning purchase.id`

/**
 * Purges one account's bin along its own index: PostgreSQL used an index over the bins of all
 * accounts for the list of one bin too. Records that are being restored at this moment are skipped.
 */
export const purgeOldest = (
  accountId: number,
  type: RecordType,
  before: number,
  most: number,
): Sql =>
  removal(
    type,
    sql`
    select account_id, id from ${raw(type)}
     where account_id = ${accountId} and is_deleted and updated_at < ${before}
     order by updated_at limit ${most}
       for update skip locked`,
  )

/**
 * Removes records with their notes, tasks and links. `doomed` selects and locks `account_id` and `id`
 * of them.
 */
export const removal = (type: RecordType, doomed: Sql): Sql => sql`
  with doomed as materialized (${doomed}), own_links as (
    delete from links using doomed
     where links.account_id = doomed.account_id and links.from_type = ${type}::text and links.from_id = doomed.id
    returning links.account_id, links.from_type, links.from_id, links.to_type, links.to_id, links.is_main
  ), other_links as (
    delete from links using own_links own
     where links.account_id = own.account_id and links.from_type = own.to_type and links.from_id = own.to_id
       and links.to_type = own.from_type and links.to_id = own.from_id
  ) ${following(type)}, elements_gone as (
    delete from element_links link using doomed
     where link.account_id = doomed.account_id and link.entity_type = ${type}::text and link.entity_id = doomed.id
  ), notes_gone as (
    delete from notes using doomed
     where notes.account_id = doomed.account_id and notes.entity_type = ${type}::text and notes.entity_id = doomed.id
       and note_type <> 'entity_added' ${type === 'customers' ? sql`and note_type <> 'transaction'` : empty}
    returning notes.file_id
  ), files_left as (
    update files set released_at = extract(epoch from now())::bigint
     where account_id = any(array(select distinct account_id from doomed))
       and id = any(array(select file_id from notes_gone where file_id is not null))
  ), own_notes_gone as (
    delete from notes using doomed
     where notes.account_id = doomed.account_id and notes.entity_type = ${type}::text and notes.entity_id = doomed.id
       and note_type = 'entity_added'
  ), tasks_gone as (
    delete from tasks using doomed
     where tasks.account_id = doomed.account_id and tasks.entity_type = ${type}::text and tasks.entity_id = doomed.id
    returning tasks.account_id, tasks.id
  ), results_gone as (
    delete from notes using tasks_gone
     where notes.account_id = tasks_gone.account_id and notes.entity_type = 'tasks' and notes.entity_id = tasks_gone.id
       and note_type = 'task_result'
  ) ${chatsLeft(type)} ${type === 'customers' ? purchasesLeft : empty}, gone as (
    delete from ${raw(type)} record using doomed where record.account_id = doomed.account_id and record.id = doomed.id
    returning record.id, record.custom_fields_values
  )
  select id, custom_fields_values from gone`

/** The purged customers whose purchases are to follow. */
const purchasesLeft = sql`, purchases_left as (
    insert into purged_customers (account_id, id)
    select account_id, id from doomed
     where exists (select from transactions purchase
                    where purchase.account_id = doomed.account_id and purchase.customer_id = doomed.id)
  )`

/**
 * Chats and talks leave records that go. They are never about companies. As lists, the ids, which all
 * accounts share, never make PostgreSQL read all chats.
 */
function chatsLeft(type: RecordType): Sql {
  if (type === 'companies') return empty
  const gone = sql`any(array(select id from doomed))`
  const ofRow =
    type === 'contacts'
      ? sql`contact_id = ${gone}`
      : sql`entity_type = ${type}::text and entity_id = ${gone}`
  const nothing =
    type === 'contacts' ? sql`contact_id = null` : sql`entity_type = null, entity_id = null`
  const ofAccount = sql`account_id = any(array(select distinct account_id from doomed))`
  return sql`, chats_left as (
    update chats set ${nothing} where ${ofAccount} and ${ofRow}
  ), talks_left as (
    update talks set ${nothing} where ${ofAccount} and ${ofRow}
  )`
}

/**
 * Where the main contact is purged, the earliest remaining one becomes the main contact. A lead
 * that is locked at this moment is left to its next change of links: waiting for the lock here
 * would break the order of locks.
 */
function following(type: RecordType): Sql {
  const each = mainHolders(type).map(
    (holder) => sql`, ${raw(`${holder}_left`)} as materialized (
    select holder.account_id, holder.id from ${raw(holder)} holder
      join own_links own on own.account_id = holder.account_id and own.to_type = ${holder}::text and own.to_id = holder.id and own.is_main
       for no key update of holder skip locked
  ), ${raw(`${holder}_following`)} as (
    update links set is_main = true
      from (select distinct on (left_behind.id) left_behind.account_id, left_behind.id as holder_id, link.to_id as held_id
              from ${raw(`${holder}_left`)} left_behind
              join links link on link.account_id = left_behind.account_id and link.from_type = ${holder}::text
                             and link.from_id = left_behind.id and link.to_type = ${type}::text
             where link.to_id not in (select id from doomed)
             order by left_behind.id, link.id) heir,
           lateral (values (${holder}::text, holder_id, ${type}::text, held_id), (${type}::text, held_id, ${holder}::text, holder_id))
             these(from_type, from_id, to_type, to_id)
     where links.account_id = heir.account_id and links.from_type = these.from_type and links.from_id = these.from_id
       and links.to_type = these.to_type and links.to_id = these.to_id
  )`,
  )
  return each.length > 0 ? join(each, ' ') : empty
}
