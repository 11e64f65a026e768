// Lists of chats and of talks for users who may not view all of them. The lists are read along an
// index, and the right is asked of the contact, the lead or the customer of each row. A user who may
// view few records would make such a list read an account to its end, so these are read in two steps.
import sql, { join } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Actor } from '../../access/actor.ts'
import { mayAll, may, mayNone } from '../../access/record-rights.ts'
import type { PagePosition } from '../../http/paging.ts'

/** How a list finds its rows. */
export type ChatWay =
  /** Along the index that has the order of the list. */
  | { kind: 'walk' }
  /** The same, of the first rows alone. */
  | { kind: 'window'; rows: number }
  /** Chats with these ids are looked up one by one. */
  | { kind: 'driven'; ids: Sql }

/** The rows tested before the chats of the actor's records are looked up: 2,000 take about 10 ms. */
const windowRows = 2000

/**
 * Reads a page whose rows only the actor's rights select. Where the actor may view all contacts,
 * nearly every row passes.
 */
export async function findViewed<Row>(
  actor: Actor,
  { offset, limit }: PagePosition,
  list: (way: ChatWay) => Promise<Row[]>,
): Promise<Row[]> {
  if (mayAll(actor, 'contacts', 'view')) return list({ kind: 'walk' })
  if (offset + limit <= windowRows) {
    const rows = await list({ kind: 'window', rows: windowRows })
    if (rows.length === limit) return rows
  }
  return list({ kind: 'driven', ids: viewedChats(actor) })
}

/**
 * Selects the ids of the chats of records that the actor may view, some twice, and some that the
 * right to another record hides.
 */
export function viewedChats(actor: Actor): Sql {
  const { accountId } = actor
  const ofContacts = sql`
    select chat.id from contacts record, lateral (
      select chat.id from chats chat
       where chat.account_id = ${accountId} and chat.contact_id = record.id offset 0) chat
     where record.account_id = ${accountId} and not record.is_deleted and ${may(actor, 'contacts', 'view')}`
  const ofLeads = sql`
    select chat.id from leads record, lateral (
      select chat.id from chats chat
       where chat.account_id = ${accountId} and chat.entity_type = 'leads' and chat.entity_id = record.id offset 0) chat
     where record.account_id = ${accountId} and not record.is_deleted and ${may(actor, 'leads', 'view')}`
  const ofCustomers = sql`
    select chat.id from customers record, lateral (
      select chat.id from chats chat
       where chat.account_id = ${accountId} and chat.entity_type = 'customers' and chat.entity_id = record.id offset 0) chat
     where record.account_id = ${accountId} and not record.is_deleted and ${may(actor, 'customers', 'view')}`
  const parts = [
    ...(mayNone(actor, 'contacts', 'view') ? [] : [ofContacts]),
    ...(mayNone(actor, 'leads', 'view') ? [] : [ofLeads]),
    ...(mayNone(actor, 'customers', 'view') ? [] : [ofCustomers]),
  ]
  return parts.length === 0
    ? sql`select id from chats where account_id = ${accountId} and false`
    : join(parts, ' union all ')
}
