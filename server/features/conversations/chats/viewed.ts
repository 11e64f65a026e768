// Lists of chats and of talks that rights, or a responsible user, select few rows of. The lists are
// read along an index, and the condition is asked of the contact, the lead or the customer of each
// row. Where few rows pass, such a list would read an account to its end, so it is read in two steps.
import sql, { join } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Actor } from '../../../access/actor.ts'
import { mayAll, may, mayNone } from '../../../access/record-rights.ts'
import { tableOf } from '../../../entity-types.ts'
import type { PagePosition } from '../../../http/paging.ts'

/** How a list finds its rows. */
export type ChatWay =
  /** Along the index that has the order of the list. */
  | { kind: 'walk' }
  /** The same, of the first rows alone. */
  | { kind: 'window'; rows: number }
  /** The first row behind these, whether it passes or not. */
  | { kind: 'beyond'; rows: number }
  /** Chats with these ids are looked up one by one. */
  | { kind: 'lookUp'; ids: Sql }

/** The rows tested before the chats of the actor's records are looked up: 2,000 take about 10 ms. */
export const windowRows = 2000

type ListChats<Row> = (way: ChatWay) => Promise<Row[]>

/**
 * Reads a page whose rows only the actor's rights select. Where the actor may view all contacts,
 * nearly every row passes.
 */
export function findViewed<Row>(
  actor: Actor,
  seek: PagePosition,
  list: ListChats<Row>,
): Promise<Row[]> {
  if (mayAll(actor, 'contacts', 'view')) return list({ kind: 'walk' })
  return findAmong(seek, list, viewedChats(actor))
}

/**
 * Reads a page whose rows all have these ids: from the first rows of the list, and only where those
 * are too few, by the ids.
 */
export async function findAmong<Row>(
  { offset, limit }: PagePosition,
  list: ListChats<Row>,
  ids: Sql,
): Promise<Row[]> {
  if (offset + limit <= windowRows) {
    const rows = await list({ kind: 'window', rows: windowRows })
    if (rows.length === limit) return rows
    const further = await list({ kind: 'beyond', rows: windowRows })
    if (further.length === 0) return rows
  }
  return list({ kind: 'lookUp', ids })
}

/**
 * Selects the ids of the chats of records that the actor may view, some twice, and some that the
 * right to another record hides.
 */
function viewedChats(actor: Actor): Sql {
  const { accountId } = actor
  const ofType = (type: ChatRecord) => {
    if (type !== 'contacts' && mayAll(actor, type, 'view')) return chatsWithoutContact(actor, type)
    return chatsOfRecords(actor, type, sql`not record.is_deleted and ${may(actor, type, 'view')}`)
  }
  const types = (['contacts', 'leads', 'customers'] as const).filter(
    (type) => !mayNone(actor, type, 'view'),
  )
  const isAnyWhole = types.some((type) => type !== 'contacts' && mayAll(actor, type, 'view'))
  const parts = [
    ...types.map(ofType),
    ...(isAnyWhole ? [chatsOfRecords(actor, 'contacts', sql`record.is_deleted`)] : []),
  ]
  return parts.length === 0
    ? sql`select id from chats where account_id = ${accountId} and false`
    : join(parts, ' union all ')
}

/** Selects the ids of the chats whose responsible user may be the actor. */
export function ownChats(actor: Actor): Sql {
  const isOwn = sql`record.responsible_user_id = ${actor.userId}`
  const types = ['leads', 'customers', 'contacts'] as const
  const parts = types.map((type) => chatsOfRecords(actor, type, isOwn))
  return join(parts, ' union all ')
}

type ChatRecord = 'contacts' | 'leads' | 'customers'

/** Selects the ids of the chats of the rows named `record`. */
function chatsOfRecords({ accountId }: Actor, type: ChatRecord, condition: Sql): Sql {
  const isOf =
    type === 'contacts'
      ? sql`chat.contact_id = record.id`
      : sql`chat.entity_type = ${type} and chat.entity_id = record.id`
  return sql`
    select chat.id from ${tableOf(type)} record, lateral (
      select chat.id from chats chat where chat.account_id = ${accountId} and ${isOf} offset 0) chat
     where record.account_id = ${accountId} and ${condition}`
}

/**
 * Selects the ids of the chats of leads or customers without a contact, on which the record decides. Most
 * chats have a contact, so they are fewer than the leads of an account. A contact in the bin counts as none.
 */
const chatsWithoutContact = ({ accountId }: Actor, type: 'leads' | 'customers'): Sql => sql`
  select chat.id from chats chat
   where chat.account_id = ${accountId} and chat.entity_type = ${type} and chat.contact_id is null and chat.entity_id is not null`
