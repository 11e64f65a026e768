// Reads the feed of a record: a merge by time over notes, completed tasks, changes and messages. Each
// part is read from its index, a bounded number of rows at a time (queries.ts); a page is exact down to
// where the part stopped that was read least far (docs/decisions/0079-timeline.md).
import type { Actor } from '../../../access/actor.ts'
import { plural, singular } from '../../../entity-types.ts'
import type { EntityType } from '../../../entity-types.ts'
import { badRequest, forbidden, notFound } from '../../../http/problem.ts'
import type { Kontor } from '../../../kontor.ts'
import { readFeedEvents } from '../../activity/events/events.ts'
import { readFeedMessages } from '../../conversations/messages/messages.ts'
import { readFeedNotes } from '../../activity/notes/notes.ts'
import { tasksOfRecords } from '../../activity/tasks/tasks.ts'
import {
  beginningOf,
  comparePositions,
  end,
  endOfSecond,
  formatPosition,
  parsePosition,
  positionOfEvent,
  ranks,
} from './positions.ts'
import type { Position } from './positions.ts'
import * as queries from './queries.ts'
import type {
  FeedChat,
  FeedRecord,
  FeedRow,
  FeedScope,
  FeedSearch,
  FeedSpan,
  ScannedRow,
} from './queries.ts'
import { feedParts, mostFeedItems, usualFeedItems } from './schema.ts'
import type { FeedQuery } from './schema.ts'

interface Feed {
  scope: FeedScope
  records: ReadonlyMap<string, FeedRecord>
  chats: ReadonlyMap<number, FeedChat>
}

/**
 * The feed of a record as JSON text. Throws 404 for an unknown record, 403 where the actor may not view it,
 * and 400 for two of `before`, `after` and `keys`.
 */
export async function readFeed(
  kontor: Kontor,
  actor: Actor,
  base: string,
  type: EntityType,
  id: number,
  query: FeedQuery,
): Promise<string> {
  const { before, after, keys, kinds, limit = usualFeedItems } = query
  if ([before, after, keys].filter((each) => each !== undefined).length > 1)
    throw badRequest('Send one of before, after and keys')
  const feed = await openFeed(kontor, actor, type, id, query.only ?? false)
  if (keys) {
    const items = await showItems(kontor, actor, base, feed, keys)
    return answer({ items: inOrder(items, keysInOrder(items)), before: null, after: null })
  }
  const search: FeedSearch = {
    parts: new Set(kinds ?? feedParts),
    words: [...new Set(query.query?.split(/\s+/).filter((word) => word !== '') ?? [])],
  }
  const most = Math.min(limit, mostFeedItems)
  if (after !== undefined) {
    const from = parsePosition(after)
    const { positions, rest } = await findPositions(
      kontor,
      actor,
      feed,
      search,
      'after',
      from,
      most,
    )
    const items = await showItems(kontor, actor, base, feed, positions.map(keyOf))
    const newest = positions.at(-1)
    return answer({
      items: inOrder(items, positions.map(keyOf)),
      before: null,
      after: formatPosition(rest ?? latestSeen(actor, newest, from)),
    })
  }
  const from = before === undefined ? end : parsePosition(before)
  const [{ positions, rest }, beside] = await Promise.all([
    findPositions(kontor, actor, feed, search, 'before', from, most),
    before === undefined
      ? kontor.database.page<Beside>(queries.pinnedAndPlanned(actor, feed.scope))
      : [],
  ])
  const pinned = keysBeside(beside, 'note', queries.mostPinned)
  const planned = keysBeside(beside, 'task', queries.mostPlanned)
  const shown = positions.toReversed().map(keyOf)
  const items = await showItems(kontor, actor, base, feed, [...shown, ...pinned, ...planned])
  return answer({
    items: inOrder(items, shown),
    before: rest ? formatPosition(rest) : null,
    after: formatPosition(
      before === undefined ? latestSeen(actor, positions[0]) : (positions[0] ?? from),
    ),
    ...(before === undefined && {
      pinned: inOrder(items, pinned),
      planned: inOrder(items, planned),
    }),
  })
}

async function openFeed(
  { database }: Kontor,
  actor: Actor,
  type: EntityType,
  id: number,
  isAlone: boolean,
): Promise<Feed> {
  const row = await database.row<FeedRow>(queries.feedOf(actor, type, id, isAlone))
  if (!row) throw notFound()
  if (!row.allowed) throw forbidden(`You have no right to view ${singular[type]} ${id}`)
  const records = recordsOfFeed(type, id, row)
  return {
    scope: {
      types: records.map((record) => record.type),
      singulars: records.map((record) => singular[record.type]),
      ids: records.map((record) => record.id),
      chats: row.chats.map(({ chat_id }) => chat_id),
    },
    records: new Map(
      records.map((record) => [
        `${record.type} ${record.id}`,
        // A merged record that is removed has no card: the survivor stands for it.
        record.name === null ? { ...record, id, name: row.name } : { ...record, name: record.name },
      ]),
    ),
    chats: new Map(row.chats.map((chat) => [chat.chat_id, chat])),
  }
}

/** The records whose items a feed shows. All reads of a feed begin with this list. */
function recordsOfFeed(
  type: EntityType,
  id: number,
  row: FeedRow,
): (Omit<FeedRecord, 'name'> & { name: string | null })[] {
  const { name, may_edit, linked, merged } = row
  return [
    { type, id, name, may_edit },
    ...merged.map((record) => ({ ...record, type, may_edit: false })),
    ...linked,
  ]
}

/** A page of places, the nearest first. `rest` is where the next one begins; null at the end of the feed. */
interface FoundPositions {
  positions: Position[]
  rest: Position | null
}

/** Tests lower these. */
export const feedBounds = {
  /** The most statements of one page. Each looks at four times as many rows as the one before. */
  rounds: 3,
  /** The rows of all records together that the first statement looks at in each part. */
  firstRows: 400,
}

async function findPositions(
  { database }: Kontor,
  actor: Actor,
  { scope }: Feed,
  search: FeedSearch,
  direction: FeedSpan['direction'],
  from: Position,
  limit: number,
): Promise<FoundPositions> {
  const positions: Position[] = []
  let rest: Position | null = from
  let most = Math.max(limit + 1, Math.ceil(feedBounds.firstRows / scope.ids.length))
  for (
    let round = 0;
    round < feedBounds.rounds && rest && positions.length <= limit;
    round++, most *= 4
  ) {
    const span = { direction, from: rest, most }
    const statement = queries.scannedRows(actor, scope, search, span)
    if (!statement) return { positions, rest: null }
    const step = nearest(direction, await database.page<ScannedRow>(statement))
    positions.push(...step.positions)
    rest = step.rest
  }
  if (positions.length <= limit) return { positions, rest }
  return { positions: positions.slice(0, limit), rest: positions[limit - 1]! }
}

/**
 * The places that pass, the nearest first, as far as all parts were read: behind the row where one of
 * them stopped, another may have items that nobody has looked at.
 */
function nearest(direction: FeedSpan['direction'], rows: ScannedRow[]): FoundPositions {
  const sign = direction === 'before' ? -1 : 1
  const order = (a: Position, b: Position) => sign * comparePositions(a, b)
  const stops = rows.flatMap((row) => (row.is_last ? positionOf(row) : [])).toSorted(order)
  const rest = stops[0] ?? null
  const positions = rows.flatMap((row) => (row.passes ? positionOf(row) : [])).toSorted(order)
  return {
    positions: rest ? positions.filter((position) => order(position, rest) <= 0) : positions,
    rest,
  }
}

function positionOf({ rank, time, id }: ScannedRow): Position {
  if (time === null) return positionOfEvent(id)
  return { at: rank === ranks.message ? time : endOfSecond(time), rank, id }
}

/** Milliseconds by which an item may arrive after later ones: its transaction was open, or its clock behind. */
const lateness = 60_000

/** The cursor at the end of a feed (decision 79). Items of the future do not move it. */
function latestSeen(actor: Actor, newest: Position | undefined, from?: Position): Position {
  const now = actor.at * 1000
  const seen = Math.min(newest?.at ?? now, now) - lateness
  return beginningOf(Math.max(seen, Math.min(from?.at ?? 0, now - lateness), 0))
}

interface Beside {
  kind: 'note' | 'task'
  id: number
  time: number
}

/** Keys by time: the latest notes, and the tasks that are due first. */
function keysBeside(rows: Beside[], kind: Beside['kind'], most: number): string[] {
  const ofKind = rows
    .filter((row) => row.kind === kind)
    .toSorted((a, b) => a.time - b.time || a.id - b.id)
  const nearest = kind === 'note' ? ofKind.slice(-most) : ofKind.slice(0, most)
  return nearest.map(({ id }) => `${kind} ${id}`)
}

const kindOfRank = ['event', 'note', 'task', 'message'] as const
const keyOf = ({ rank, id }: Position): string => `${kindOfRank[rank]} ${id}`

/** An item as JSON text, and its place. */
interface Shown extends Position {
  text: string
}

/** Items of a feed by their keys. What is gone, or not of the feed, is left out. */
async function showItems(
  kontor: Kontor,
  actor: Actor,
  base: string,
  { scope, records, chats }: Feed,
  keys: readonly string[],
): Promise<Map<string, Shown>> {
  const idsOf = (kind: string) => [
    ...new Set(
      keys.filter((key) => key.startsWith(`${kind} `)).map((key) => key.slice(kind.length + 1)),
    ),
  ]
  const numbersOf = (kind: string) => idsOf(kind).map(Number).filter(Number.isSafeInteger)
  const ofLog = { types: scope.singulars, ids: scope.ids }
  const ofTasks = numbersOf('task')
  const [notes, tasks, events, messages] = await Promise.all([
    readFeedNotes(kontor, actor, base, scope, numbersOf('note')),
    ofTasks.length === 0
      ? []
      : kontor.database.rows<TaskItem>(tasksOfRecords(actor, base, scope, ofTasks)),
    readFeedEvents(kontor.database, actor, base, ofLog, idsOf('event')),
    readFeedMessages(kontor, actor, base, [...chats.keys()], numbersOf('message')),
  ])
  const recordOf = (type: EntityType, id: number) => records.get(`${type} ${id}`)!
  return new Map<string, Shown>([
    ...notes.flatMap((note) => {
      if (note.note_type === queries.purchaseNote) return []
      const { id, note_type, created_by, json } = note
      const entity = recordOf(note.entity_type, note.entity_id)
      const position = { at: endOfSecond(note.created_at), rank: ranks.note, id: String(id) }
      const kind = note_type === 'call_in' || note_type === 'call_out' ? 'call' : 'note'
      const may_edit = entity.may_edit && note.isWritten
      return [shown(position, kind, entity, { created_by, may_edit }, `"note":${json}`)]
    }),
    ...tasks.map((task) => {
      const { id, created_by, may_edit, shown_at, json } = task
      const position = { at: endOfSecond(shown_at), rank: ranks.task, id: String(id) }
      const entity = recordOf(task.entity_type, task.entity_id)
      return shown(position, 'task', entity, { created_by, may_edit }, `"task":${json}`)
    }),
    ...events.map(({ id, entity_type, entity_id, created_by, linked, purchase, json }) => {
      const entity = recordOf(plural(entity_type)!, entity_id)
      const more = { created_by, may_edit: false }
      const named = linked ? `,"linked":${JSON.stringify(linked)}` : ''
      const bought = purchase ? `,"purchase":${JSON.stringify(purchase)}` : ''
      return shown(positionOfEvent(id), 'change', entity, more, `"event":${json}${named}${bought}`)
    }),
    ...messages.map(({ id, chat_id, msec_timestamp, created_by, json }) => {
      const position = { at: msec_timestamp, rank: ranks.message, id: String(id) }
      const text = `"message":{"chat_id":${chat_id},${json.slice(1)}`
      return shown(position, 'message', chats.get(chat_id)!, { created_by, may_edit: false }, text)
    }),
  ])
}

interface TaskItem {
  id: number
  entity_type: EntityType
  entity_id: number
  created_by: number
  shown_at: number
  may_edit: boolean
  json: string
}

function shown(
  position: Position,
  kind: string,
  { type, id, name }: Pick<FeedRecord, 'type' | 'id' | 'name'>,
  more: { created_by: number; may_edit: boolean },
  text: string,
): [string, Shown] {
  const key = keyOf(position)
  const members = JSON.stringify({
    key,
    kind,
    at: position.at,
    entity: { type, id, name },
    ...more,
  })
  return [key, { ...position, text: `${members.slice(0, -1)},${text}}` }]
}

const keysInOrder = (items: ReadonlyMap<string, Shown>): string[] =>
  [...items].toSorted(([, a], [, b]) => comparePositions(a, b)).map(([key]) => key)

const inOrder = (items: ReadonlyMap<string, Shown>, keys: readonly string[]): string[] =>
  keys.flatMap((key) => items.get(key)?.text ?? [])

interface Answer {
  items: string[]
  before: string | null
  after: string | null
  pinned?: string[]
  planned?: string[]
}

function answer({ items, before, after, pinned, planned }: Answer): string {
  const beside =
    pinned && planned ? `,"pinned":[${pinned.join()}],"planned":[${planned.join()}]` : ''
  return `{"items":[${items.join()}],"before":${JSON.stringify(before)},"after":${JSON.stringify(after)}${beside}}`
}
