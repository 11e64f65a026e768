// The chats of a contact that is merged into another, and their way back. Closed talks and messages go
// along: elsewhere they stay with the contact of their time, but here the two are one person.
import sql from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Actor } from '../../../access/actor.ts'
import { updatedEntry } from '../../../changes/record.ts'
import type { Entry } from '../../../changes/record.ts'
import type { Tx } from '../../../database/connect.ts'

/** The ids of what went over. */
export interface MovedChats {
  chats: number[]
  talks: number[]
  messages: number[]
}

/** The chats that a contact has, or had talks in. */
export const chatsOfContact = async (tx: Tx, actor: Actor, contactId: number): Promise<number[]> =>
  idsIn(await tx.rows<{ id: number }>(sql`${chatsOf(actor, contactId)} order by id`))

/**
 * The same, locked. Chats are locked before contacts, so more may have been bound once the contact is
 * locked.
 */
export const lockChatsOfContact = async (
  tx: Tx,
  actor: Actor,
  contactId: number,
): Promise<number[]> =>
  idsIn(await tx.rows<{ id: number }>(lockChats(actor, chatsOf(actor, contactId))))

/** Locks the chats of what went over once. */
export async function lockKeptChats(
  tx: Tx,
  actor: Actor,
  { chats, talks }: MovedChats,
): Promise<void> {
  const { accountId } = actor
  const ofTalks = sql`select chat_id from talks where account_id = ${accountId} and id = any(${talks}::bigint[])`
  await tx.rows(lockChats(actor, sql`select unnest(${chats}::bigint[]) union ${ofTalks}`))
}

const idsIn = (rows: { id: number }[]) => rows.map(({ id }) => id)

/** Moves all that locked chats have of a locked contact to another one. */
export async function moveChatsOfContact(
  tx: Tx,
  actor: Actor,
  { from, into }: { from: number; into: number },
  locked: number[],
): Promise<{ moved: MovedChats; entries: Entry[] }> {
  const moved = await tx.row<MovedChats>(moveAll(actor, from, into, locked))
  return { moved: moved!, entries: entriesOf(moved!, from) }
}

/**
 * Moves back those that are still with the contact they went to, with what was said in them since; all
 * are locked. `mergedAt`: when they went, in Unix seconds.
 */
export async function moveChatsBack(
  tx: Tx,
  actor: Actor,
  { from, into }: { from: number; into: number },
  kept: MovedChats,
  mergedAt: number,
): Promise<Entry[]> {
  const moved = await tx.row<MovedChats>(moveNamed(actor, into, from, kept, mergedAt))
  return entriesOf(moved!, into)
}

const entriesOf = ({ chats, talks }: MovedChats, contact_id: number): Entry[] => [
  ...chats.map((id) => updatedEntry('chats', id, { contact_id })),
  ...talks.map((id) => updatedEntry('talks', id, { contact_id })),
]

const chatsOf = ({ accountId }: Actor, contactId: number): Sql => sql`
  select id from chats where account_id = ${accountId} and contact_id = ${contactId}
   union select chat_id from talks where account_id = ${accountId} and contact_id = ${contactId}`

const lockChats = ({ accountId }: Actor, ids: Sql): Sql => sql`
  select id from chats
   where account_id = ${accountId} and id = any(array(${ids}))
   order by id for no key update`

const moveAll = ({ accountId, at }: Actor, from: number, into: number, chats: number[]): Sql => sql`
  with chat as (
    update chats set contact_id = ${into}, updated_at = greatest(${at}::bigint, created_at)
     where account_id = ${accountId} and contact_id = ${from} returning id
  ), talk as (
    update talks set contact_id = ${into}, updated_at = greatest(${at}::bigint, created_at)
     where account_id = ${accountId} and contact_id = ${from} returning id
  ), message as (
    update messages set contact_id = ${into}
     where account_id = ${accountId} and chat_id = any(${chats}::bigint[]) and contact_id = ${from} returning id
  )
  ${idsOfMoved}`

const moveNamed = (
  { accountId, at }: Actor,
  from: number,
  into: number,
  { chats, talks, messages }: MovedChats,
  mergedAt: number,
): Sql => sql`
  with chat as (
    update chats set contact_id = ${into}, updated_at = greatest(${at}::bigint, created_at)
     where account_id = ${accountId} and id = any(${chats}::bigint[]) and contact_id = ${from} returning id
  ), talk as (
    update talks set contact_id = ${into}, updated_at = greatest(${at}::bigint, created_at)
     where account_id = ${accountId} and contact_id = ${from}
       and (id = any(${talks}::bigint[]) or chat_id in (select id from chat) and (closed_at is null or created_at >= ${mergedAt}))
    returning id
  ), message as (
    update messages set contact_id = ${into}
     where account_id = ${accountId} and contact_id = ${from}
       and id = any(array(select unnest(${messages}::bigint[])
                           union select said.id from chat join messages said on said.account_id = ${accountId} and said.chat_id = chat.id
                                                                            and said.created_at >= ${mergedAt}))
    returning id
  )
  ${idsOfMoved}`

const idsOfMoved = sql`
  select to_json(array(select id from chat order by id)) as chats, to_json(array(select id from talk order by id)) as talks,
         to_json(array(select id from message order by id)) as messages`
