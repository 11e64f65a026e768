import sql, { empty } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Actor } from '../../../../access/actor.ts'
import type { PagePosition } from '../../../../http/paging.ts'
import { mayOnChat } from '../queries.ts'
import type { ChatWay } from '../viewed.ts'
import type { ContactChatQuery } from './schema.ts'

/** A locked chat, and the contact that it has. */
export interface BoundChat {
  id: number
  uid: string
  contact_id: number | null
}

/** A page of the chats that have a contact which the actor may view, in the order of their ids. */
export function contactChatPage(
  actor: Actor,
  { contact_id, chat_id }: ContactChatQuery,
  { after, offset, limit }: PagePosition,
  way: ChatWay,
): Sql {
  const rows = sql`
    select chat.id, chat.uid, chat.contact_id, chat.entity_type, chat.entity_id from chats chat
     where chat.account_id = ${actor.accountId} and chat.contact_id is not null`
  const further = after ? sql`and chat.id > ${after.id}` : empty
  const may = mayOnChat(actor, 'view')
  const ending = sql`order by chat.id limit ${limit} offset ${offset}`
  const each = (named: Sql, isOf: Sql) => sql`
    select chat.* from ${named} cross join lateral (${rows} and ${isOf} offset 0) chat
     where ${may} ${further} ${ofBoth} ${ending}`
  const ofBoth =
    contact_id && chat_id ? sql`and chat.contact_id = any(${contact_id}::bigint[])` : empty
  const page = chat_id
    ? each(
        sql`(select distinct unnest(${chat_id}::uuid[]) as uid) named`,
        sql`chat.uid = named.uid`,
      )
    : contact_id
      ? each(
          sql`(select distinct unnest(${contact_id}::bigint[]) as id) named`,
          sql`chat.contact_id = named.id`,
        )
      : way.kind === 'lookUp'
        ? each(
            sql`(select distinct found.id from (${way.ids}) found) named`,
            sql`chat.id = named.id`,
          )
        : way.kind === 'window'
          ? sql`select chat.* from (${rows} ${further} order by chat.id limit ${way.rows}) chat where ${may} ${ending}`
          : way.kind === 'beyond'
            ? sql`${rows} ${further} order by chat.id limit 1 offset ${way.rows}`
            : sql`${rows} and ${may} ${further} ${ending}`
  return sql`
    select row_to_json(shown)::text as json, chat.id as key, chat.id
      from (${page}) chat, lateral (select chat.uid as chat_id, chat.contact_id, chat.id) shown`
}

/** Locks chats in the order of their ids. */
export const lockChatsByUid = ({ accountId }: Actor, uids: string[]): Sql => sql`
  select id, uid, contact_id from chats
   where account_id = ${accountId} and uid = any(${uids}::uuid[])
   order by id for no key update`

/** Those of the ids that are contacts. None can be deleted before this transaction ends. */
export const keepContacts = ({ accountId }: Actor, ids: number[]): Sql => sql`
  select id from contacts
   where account_id = ${accountId} and id = any(${ids}::bigint[]) and not is_deleted
   order by id for share`

/** The open talks of locked chats, with the contacts that they have. */
export const contactsOfOpenTalks = ({ accountId }: Actor, chats: number[]): Sql => sql`
  select talk.id, talk.contact_id from unnest(${chats}::bigint[]) named (id)
   cross join lateral (select id, contact_id from talks
                        where account_id = ${accountId} and chat_id = named.id and closed_at is null offset 0) talk
   order by talk.id`

/** Gives locked chats and their open talks other contacts. */
export const updateContacts = (
  { accountId, at }: Actor,
  chats: number[],
  contacts: number[],
): Sql => sql`
  with bound as (select * from unnest(${chats}::bigint[], ${contacts}::bigint[]) as bound (chat_id, contact_id)),
       moved as (
         update talks talk set contact_id = bound.contact_id, updated_at = greatest(${at}::bigint, talk.created_at) from bound
          where talk.account_id = ${accountId} and talk.chat_id = bound.chat_id and talk.closed_at is null)
  update chats chat set contact_id = bound.contact_id, updated_at = greatest(${at}::bigint, chat.created_at) from bound
   where chat.account_id = ${accountId} and chat.id = bound.chat_id`
