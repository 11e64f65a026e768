// Talks: the stretches of a chat. A message opens one where none is open, and it is in work until
// somebody closes it. The log has no events of talks: no source describes their values.
import { startWriting } from '../../../../access/actor.ts'
import type { Actor } from '../../../../access/actor.ts'
import { record, updatedEntry } from '../../../../changes/record.ts'
import type { Reader, Tx } from '../../../../database/connect.ts'
import type { PagePosition, PageRow } from '../../../../http/paging.ts'
import { invalidValue, Problem } from '../../../../http/problem.ts'
import { lockChat, lockTalk } from '../chats.ts'
import type { ChatRow } from '../queries.ts'
import { findViewed } from '../viewed.ts'
import type { ChatWay } from '../viewed.ts'
import * as queries from './queries.ts'
import type { TalkFilter } from './schema.ts'

/** A page of the talks of chats that the actor may view, and one more where another page follows. */
export function findTalks(
  reader: Reader,
  actor: Actor,
  base: string,
  filter: TalkFilter,
  seek: PagePosition,
): Promise<PageRow[]> {
  checkTalkFilter(filter)
  const list = (way: ChatWay) =>
    reader.list<PageRow>(queries.talkPage(actor, base, filter, seek, way))
  return queries.namedTalks(filter) ? list({ kind: 'walk' }) : findViewed(actor, seek, list)
}

/**
 * Closes a talk. Without the right to edit the contact of its chat: 403. Unknown: 404; closed
 * already: 422.
 */
export async function closeTalk(tx: Tx, actor: Actor, id: number): Promise<void> {
  const chat = await lockTalk(tx, actor, id, 'edit', isClosed)
  await endTalk(tx, actor, chat)
}

/** Closes the open talk of a chat, in the same way. */
export async function closeChat(tx: Tx, actor: Actor, id: number): Promise<void> {
  const chat = await lockChat(tx, actor, id, 'edit')
  if (chat.talk_id === null) throw new Problem(422, isClosed)
  await endTalk(tx, actor, chat)
}

const isClosed = 'The talk is closed already'

/** Ends the open talk of a locked chat, with its news. */
async function endTalk(tx: Tx, actor: Actor, chat: ChatRow): Promise<void> {
  const { id, unread, waiting_since } = chat
  const talkId = chat.talk_id!
  const writer = startWriting(tx, actor)
  await tx.rows(queries.updateTalkClosed(writer, talkId))
  await tx.rows(queries.updateChatClosed(writer, id))
  const wasUnread = unread > 0
  await record(tx, writer, [
    updatedEntry('talks', talkId, { closed_at: null, ...(wasUnread && { is_read: false }) }),
    updatedEntry('chats', id, { talk_id: talkId, ...(wasUnread && { unread, waiting_since }) }),
  ])
}

function checkTalkFilter({ entity_type, entity_id }: TalkFilter): void {
  if ((entity_type === undefined) === (entity_id === undefined)) return
  const path = entity_type === undefined ? 'filter[entity_type]' : 'filter[entity_id]'
  const detail = 'filter[entity_id] and filter[entity_type] work only together.'
  throw invalidValue('FieldMissing', path, detail)
}
