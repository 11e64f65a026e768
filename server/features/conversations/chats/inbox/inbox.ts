// The inbox: the chats that a user sees, their order, and the marks of messages as read.
import { startWriting } from '../../../../access/actor.ts'
import type { Actor } from '../../../../access/actor.ts'
import { mayAll } from '../../../../access/record-rights.ts'
import type { Entry } from '../../../../changes/record.ts'
import { record, updatedEntry } from '../../../../changes/record.ts'
import type { Reader, Tx } from '../../../../database/connect.ts'
import type { PagePosition, PageRow } from '../../../../http/paging.ts'
import { invalidValue, notFound, Problem } from '../../../../http/problem.ts'
import { lockChat } from '../chats.ts'
import { updateTalkRead } from '../queries.ts'
import type { ChatRow } from '../queries.ts'
import { findAmong, findViewed, ownChats, windowRows } from '../viewed.ts'
import type { ChatWay } from '../viewed.ts'
import * as queries from './queries.ts'
import type { MessagePosition, TabCount, UnreadMark } from './queries.ts'
import type { InboxCounts, InboxQuery, ReadMark } from './schema.ts'

/**
 * A search tests the names of so many chats, the first of its list, or the next ones of a later
 * page: 20,000 take about 60 ms.
 */
const searchedRows = 20_000

/** A page of the chats that the actor may view, and one more where another page follows. */
export function findChats(
  reader: Reader,
  actor: Actor,
  base: string,
  query: InboxQuery,
  seek: PagePosition,
): Promise<PageRow[]> {
  checkInboxQuery(query)
  const request = queries.inboxRequest(actor, query)
  const isUnread = query.filter?.is_unread
  // A closed chat has nothing unread.
  if (isUnread && request.tab === 'closed') return Promise.resolve([])
  const list = (way: ChatWay) =>
    reader.list<PageRow>(queries.inboxPage(actor, base, request, seek, way))
  const named = queries.namedChats(actor, query)
  if (named) return list({ kind: 'lookUp', ids: named })
  if (query.query !== undefined) return list({ kind: 'window', rows: searchedRows })
  if (request.tab === 'mine') return findAmong(seek, list, ownChats(actor))
  // The index by time has unread chats among the others.
  if (isUnread && request.order === 'newest' && mayAll(actor, 'contacts', 'view'))
    return findAmong(seek, list, queries.unreadChats(actor))
  return findViewed(actor, seek, list)
}

/**
 * How many of the first 2,001 open chats of the account the actor may view, by tab, 2,000 at most.
 * `is_more` says that the account has further open chats, which were not tested.
 */
export async function countInbox(reader: Reader, actor: Actor): Promise<InboxCounts> {
  const [counted] = await reader.list<Record<keyof InboxCounts, TabCount>>(
    queries.inboxCounts(actor, windowRows + 1),
  )
  const shown = ({ tested, passed }: TabCount) => ({
    count: Math.min(passed, windowRows),
    is_more: tested > windowRows,
  })
  const { open, mine, unassigned, unread } = counted!
  return {
    open: shown(open),
    mine: shown(mine),
    unassigned: shown(unassigned),
    unread: shown(unread),
  }
}

/**
 * Marks the messages of a chat as read, up to one of them, or all. The mark never makes more messages
 * unread. Unknown chat: 404, message of another chat: 400.
 */
export async function readChat(
  tx: Tx,
  actor: Actor,
  id: number,
  { up_to }: ReadMark,
): Promise<void> {
  const chat = await lockVisible(tx, actor, id)
  const position =
    up_to === undefined
      ? undefined
      : await tx.row<MessagePosition>(queries.messagePosition(actor, id, up_to))
  if (up_to !== undefined && !position)
    throw invalidValue('NotSupportedChoice', 'up_to', 'This is no message of the chat.')
  if (chat.unread === 0) return
  const left = position
    ? await tx.row<UnreadMark>(queries.unreadAfter(actor, id, position, chat.unread))
    : undefined
  await markUnread(tx, actor, chat, left ?? { unread: 0, waiting_since: null })
}

/**
 * Marks the latest message of the client as unread. A chat that is closed, or to which the client
 * wrote nothing: 422. Unknown: 404.
 */
export async function unreadChat(tx: Tx, actor: Actor, id: number): Promise<void> {
  const chat = await lockVisible(tx, actor, id)
  if (chat.talk_id === null) throw new Problem(422, 'The talk is closed')
  const latest = await tx.row<MessagePosition>(queries.latestOfClient(actor, id))
  if (!latest) throw new Problem(422, 'The client has written nothing')
  if (chat.unread === 0)
    await markUnread(tx, actor, chat, { unread: 1, waiting_since: latest.msec_timestamp })
}

/** Writes the mark of a locked chat and that of its talk, where they change, with their news. */
async function markUnread(tx: Tx, actor: Actor, chat: ChatRow, mark: UnreadMark): Promise<void> {
  const { unread, waiting_since } = chat
  if (mark.unread === unread && mark.waiting_since === waiting_since) return
  const writer = startWriting(tx, actor)
  await tx.rows(queries.updateUnread(writer, chat.id, mark))
  const entries: Entry[] = [updatedEntry('chats', chat.id, { unread, waiting_since })]
  const isRead = mark.unread === 0
  if (chat.talk_id !== null && (await tx.row(updateTalkRead(writer, chat.talk_id, isRead))))
    entries.push(updatedEntry('talks', chat.talk_id, { is_read: !isRead }))
  await record(tx, writer, entries)
}

async function lockVisible(tx: Tx, actor: Actor, id: number): Promise<ChatRow> {
  const chat = await lockChat(tx, actor, id, 'view')
  if (!chat.is_visible) throw notFound()
  return chat
}

/** Throws a 400 problem for filters that do not go together. */
function checkInboxQuery({ tab = 'open', order, filter = {} }: InboxQuery): void {
  const { entity_type, entity_id } = filter
  if ((entity_type === undefined) !== (entity_id === undefined))
    throw invalidValue(
      'FieldMissing',
      entity_type === undefined ? 'filter[entity_type]' : 'filter[entity_id]',
      'filter[entity_type] and filter[entity_id] work only together.',
    )
  if (order === 'waiting' && !queries.isOpenTab(tab))
    throw invalidValue('NotSupportedChoice', 'order', 'Only open chats have the order waiting.')
}
