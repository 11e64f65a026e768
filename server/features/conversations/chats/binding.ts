// Binds chats to contacts. A chat has one contact at most, and binding it to another moves it, with
// its open talk. Talks that are closed stay with the contact that they were about.
import { faultAt } from '../../../http/problem.ts'
import { startWriting } from '../../../access/actor.ts'
import type { Actor } from '../../../access/actor.ts'
import { record, updatedEntry } from '../../../changes/record.ts'
import type { Entry } from '../../../changes/record.ts'
import type { Tx } from '../../../database/connect.ts'
import type { Batch } from '../../../http/batch.ts'
import * as queries from './contact-chats/queries.ts'
import type { BoundChat } from './contact-chats/queries.ts'
import type { ContactChat, NewContactChat } from './contact-chats/schema.ts'

/**
 * Binds chats to contacts; one answer per item, in request order. Of several items with one chat the
 * last one counts. An unknown chat or contact: 400.
 */
export async function bindChats(
  tx: Tx,
  actor: Actor,
  { items, faults }: Batch<NewContactChat>,
): Promise<ContactChat[]> {
  const uids = items.map(({ value }) => value.chat_id.toLowerCase())
  const locked = await tx.rows<BoundChat>(queries.lockChatsByUid(actor, [...new Set(uids)]))
  const chats = new Map(locked.map((chat) => [chat.uid, chat]))
  const wanted = [...new Set(items.map(({ value }) => value.contact_id))]
  const kept = await tx.rows<{ id: number }>(queries.keepContacts(actor, wanted))
  const contacts = new Set(kept.map(({ id }) => id))
  for (const [index, item] of items.entries()) {
    if (!chats.has(uids[index]!))
      faults.add(item, unknown('chat_id', 'There is no chat with this id.'))
    if (!contacts.has(item.value.contact_id))
      faults.add(item, unknown('contact_id', 'There is no contact with this id.'))
  }
  faults.throwIfAny()
  const moves = new Map(
    items.map(({ value }, index) => [chats.get(uids[index]!)!, value.contact_id]),
  )
  await moveChats(tx, actor, moves)
  return items.map(({ value: { contact_id }, request_id }, index) => {
    const chat_id = uids[index]!
    return { chat_id, contact_id, id: chats.get(chat_id)!.id, request_id }
  })
}

/** Gives locked chats and their open talks other contacts, with the news of those that change. */
async function moveChats(
  tx: Tx,
  actor: Actor,
  moves: ReadonlyMap<BoundChat, number>,
): Promise<void> {
  const changed = [...moves].filter(([chat, contactId]) => chat.contact_id !== contactId)
  if (changed.length === 0) return
  const ids = changed.map(([{ id }]) => id)
  const contactIds = changed.map(([, contactId]) => contactId)
  const talks = await tx.rows<{ id: number; contact_id: number | null }>(
    queries.contactsOfOpenTalks(actor, ids),
  )
  const writer = startWriting(tx, actor)
  await tx.rows(queries.updateContacts(writer, ids, contactIds))
  const entries: Entry[] = [
    ...changed.map(([{ id, contact_id }]) => updatedEntry('chats', id, { contact_id })),
    ...talks.map(({ id, contact_id }) => updatedEntry('talks', id, { contact_id })),
  ]
  await record(tx, writer, entries)
}

const unknown = (path: string, detail: string) => faultAt(path, 'NotSupportedChoice', detail)
