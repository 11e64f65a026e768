// The chats of unsorted items: the messages of a stranger wait with the item, and the decision on the
// item says whose they are.
import sql from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import { startWriting } from '../../../access/actor.ts'
import type { Actor } from '../../../access/actor.ts'
import { record, updatedEntry } from '../../../changes/record.ts'
import type { Entry } from '../../../changes/record.ts'
import type { Tx } from '../../../database/connect.ts'

/** The columns of `chats` that a decision changes, and the open talk. */
export interface ChatOfItem {
  id: number
  item_id: number
  talk_id: number | null
  contact_id: number | null
  entity_type: 'leads' | 'customers' | null
  entity_id: number | null
}

/** The decision on the item of a chat. */
export interface ChatDecision {
  item_id: number
  contact_id: number | null
  entity_type: ChatOfItem['entity_type']
  entity_id: number | null
  /** Whether a contact that the chat has, outside the bin, stays in the place of this one. */
  keepsContact: boolean
}

/**
 * Locks the chats of unsorted items, before the items themselves: publications lock a chat, and then
 * its item. `items` selects the ids of the items.
 */
export function lockItemChats(tx: Tx, actor: Actor, items: Sql): Promise<ChatOfItem[]> {
  return tx.rows<ChatOfItem>(lockChatsOfItems(actor, items))
}

/** Binds locked chats by the decisions on their items, and records that. */
export async function decideChats(
  tx: Tx,
  actor: Actor,
  locked: readonly ChatOfItem[],
  decisions: ChatDecision[],
): Promise<void> {
  if (locked.length === 0) return
  const before = new Map(locked.map((chat) => [chat.id, chat]))
  const former = new Map(locked.map(({ item_id, entity_id }) => [item_id, entity_id]))
  const named = decisions.map((each) => ({ ...each, former_id: former.get(each.item_id) ?? null }))
  const writer = startWriting(tx, actor)
  const bound = await tx.rows<{ id: number; talk_id: number | null }>(
    bindDecidedChats(writer, named),
  )
  const entries = bound.flatMap(({ id, talk_id }): Entry[] => {
    const { contact_id, entity_type, entity_id, item_id } = before.get(id)!
    const former = { contact_id, entity_type, entity_id }
    return [
      updatedEntry('chats', id, { ...former, item_id }),
      ...(talk_id === null ? [] : [updatedEntry('talks', talk_id, former)]),
    ]
  })
  await record(tx, writer, entries)
}

/** Locks the chats of items. As a list, the ids never make PostgreSQL read all chats. */
export const lockChatsOfItems = ({ accountId }: Pick<Actor, 'accountId'>, items: Sql): Sql => sql`
  select id, item_id, talk_id, contact_id, entity_type, entity_id from chats
   where account_id = ${accountId} and item_id = any(array(${items}))
   order by id
     for no key update`

interface DecisionOnChat extends ChatDecision {
  /** The record that messages went to before. */
  former_id: number | null
}

/** Binds locked chats, and their talks about the same record, by the decisions on their items. */
export const bindDecidedChats = (
  { accountId, at }: Pick<Actor, 'accountId' | 'at'>,
  decisions: DecisionOnChat[],
): Sql => sql`
  with decided as materialized (
    select * from json_to_recordset(${JSON.stringify(decisions)}::json)
      as decided(item_id bigint, contact_id bigint, entity_type text, entity_id bigint, "keepsContact" boolean, former_id bigint)
  ), bound as (
    update chats chat
       set contact_id = case when decided.contact_id is null then chat.contact_id
                             when decided."keepsContact" and exists (
                               select from contacts where account_id = ${accountId} and id = chat.contact_id and not is_deleted)
                             then chat.contact_id else decided.contact_id end,
           entity_type = decided.entity_type,
           entity_id = decided.entity_id, item_id = null, updated_at = greatest(${at}::bigint, chat.created_at)
      from decided
     where chat.account_id = ${accountId} and chat.item_id = any(array(select item_id from decided)) and chat.item_id = decided.item_id
    returning chat.id, chat.talk_id, chat.contact_id, chat.entity_type, chat.entity_id, decided.former_id
  ), talked as (
    update talks talk
       set contact_id = bound.contact_id, entity_type = bound.entity_type, entity_id = bound.entity_id,
           updated_at = greatest(${at}::bigint, talk.created_at)
      from bound
     where talk.account_id = ${accountId} and talk.chat_id = bound.id
       and (talk.id = bound.talk_id or talk.entity_type = 'leads' and talk.entity_id = bound.former_id)
  )
  select id, talk_id from bound`
