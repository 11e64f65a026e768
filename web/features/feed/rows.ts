// The shape of a feed, and its items as the rows of the feed: days, single items, and changes of
// one person that came together.
import type { Static } from 'typebox'
import type { Bootstrap } from '../../../server/features/application/bootstrap/schema.ts'
import type { ThreadMessage } from '../../../server/features/conversations/messages/thread/schema.ts'
import type { Note as NoteShape, NoteFile } from '../../../server/features/activity/notes/schema.ts'
import type { Task as TaskShape } from '../../../server/features/activity/tasks/schema.ts'
import type { FeedItem as ItemShape } from '../../../server/features/application/feed/schema.ts'
import type { Change } from '../../crm/logged.ts'

/** The words of the account that the feed needs. */
export type FeedVocabulary = Pick<
  Bootstrap,
  'me' | 'account' | 'users' | 'pipelines' | 'task_types' | 'customer_statuses' | 'custom_fields'
>

export type Note = Static<typeof NoteShape> & {
  params: Record<string, unknown>
  file?: Static<typeof NoteFile> | null
}
export type Task = Static<typeof TaskShape>
export type Message = Static<typeof ThreadMessage> & { chat_id?: number }
interface Common {
  /** `note 12`, `task 4`, `event 01h…`, `message 9`; of an item that is being sent, `new 1`. */
  key: string
  /** Milliseconds since 1970. */
  at: number
  entity: { type: string; id: number; name: string | null }
  created_by: number
  may_edit: boolean
  /** Only of what was written here and is not yet known to the server. */
  sending?: { state: 'sending' | 'failed'; error?: unknown }
}
export type NoteItem = Common & { kind: 'note' | 'call'; note: Note }
export type TaskItem = Common & { kind: 'task'; task: Task }
export type ChangeItem = Common &
  Pick<ItemShape, 'linked' | 'purchase'> & { kind: 'change'; event: Change }
export type MessageItem = Common & { kind: 'message'; message: Message }
export type FeedItem = NoteItem | TaskItem | ChangeItem | MessageItem

export interface FeedPage {
  /** The oldest first. */
  items: FeedItem[]
  before: string | null
  after: string | null
  pinned?: NoteItem[]
  planned?: TaskItem[]
}

export const filters = ['all', 'messages', 'notes', 'tasks', 'calls', 'changes'] as const
export type FeedFilter = (typeof filters)[number]

export type FeedLine =
  | { kind: 'day'; key: string; at: number }
  | { kind: 'item'; key: string; item: FeedItem }
  | { kind: 'fold'; key: string; items: ChangeItem[] }

/** Changes further apart than this are lines of their own, in milliseconds. */
const together = 5 * 60_000

/**
 * The rows of items, the oldest first. `dayOf` names the day of a moment. Unless the items are
 * complete, the first has no day above it, so that older items change no row.
 */
export function rowsOf(
  items: readonly FeedItem[],
  { dayOf, isComplete }: { dayOf: (at: number) => string; isComplete: boolean },
): FeedLine[] {
  const rows: FeedLine[] = []
  let day = isComplete || !items[0] ? undefined : dayOf(items[0].at)
  for (const item of items) {
    const own = dayOf(item.at)
    if (own !== day) rows.push({ kind: 'day', key: `day ${own}`, at: item.at })
    day = own
    const last = rows.at(-1)
    const before = last?.kind === 'fold' ? last.items : last?.kind === 'item' ? [last.item] : []
    if (!isFolded(before.at(-1), item)) {
      rows.push({ kind: 'item', key: item.key, item })
      continue
    }
    // Older changes may join it later, and newer ones do so more often.
    const folded = [...before, item] as ChangeItem[]
    rows[rows.length - 1] = { kind: 'fold', key: `fold ${folded[0]!.key}`, items: folded }
  }
  return rows
}

const isFolded = (before: FeedItem | undefined, item: FeedItem): boolean =>
  before?.kind === 'change' &&
  item.kind === 'change' &&
  before.created_by === item.created_by &&
  before.entity.type === item.entity.type &&
  before.entity.id === item.entity.id &&
  item.at - before.at <= together

/** The changes that a folded line names; of equals, the last. */
const importance = [
  'lead_status_changed',
  'customer_status_changed',
  'entity_merged',
  'lead_added',
  'contact_added',
  'company_added',
  'customer_added',
  'transaction_added',
  'entity_responsible_changed',
  'sale_field_changed',
]

/** The change that stands for several. */
export function leadingChange(items: readonly ChangeItem[]): ChangeItem {
  const rank = ({ event: { type } }: ChangeItem) => {
    const at = importance.indexOf(type)
    return at < 0 ? importance.length : at
  }
  return items.reduce((first, item) => (rank(item) <= rank(first) ? item : first))
}

/** Open tasks, those that are due first on top. */
export const inOrderOfDue = (items: readonly TaskItem[]): TaskItem[] =>
  items.toSorted(
    (one, other) =>
      one.task.complete_till - other.task.complete_till || one.task.id - other.task.id,
  )

/** A part of a text; a link only where it begins with http or https, or names a mailbox. */
export interface TextPart {
  text: string
  href?: string
}

const linkPattern =
  /https?:\/\/[^\s<>"'`]+|(?<![\w.])[\w.+-]{1,64}@(?:[a-z\d-]{1,63}\.){1,8}[a-z]{2,24}(?![\w-])/giu

/** The parts of a text between its links. Everything stays text. */
export function textParts(text: string): TextPart[] {
  const parts: TextPart[] = []
  let from = 0
  for (const { 0: found, index } of text.matchAll(linkPattern)) {
    const isAddress = /^https?:/i.test(found)
    // Signs that end the sentence around an address rather than the address.
    const address = isAddress ? withoutTail(found) : found
    if (isAddress && URL.parse(address) === null) continue
    if (index > from) parts.push({ text: text.slice(from, index) })
    parts.push({ text: address, href: isAddress ? address : `mailto:${address}` })
    from = index + address.length
  }
  if (from < text.length) parts.push({ text: text.slice(from) })
  return parts
}

function withoutTail(address: string): string {
  const bare = address.replace(/[.,;:!?…»”’\]}]+$/u, '')
  if (!bare.endsWith(')') || bare.split('(').length > bare.split(')').length - 1) return bare
  return withoutTail(bare.slice(0, -1))
}

/** The users that a text may mention: `@Full Name`. The longest name wins where one begins another. */
export function mentionsIn<User extends { name: string }>(
  text: string,
  users: readonly User[],
): { user: User; from: number; to: number }[] {
  if (!text.includes('@')) return []
  const byLength = users.toSorted((one, other) => other.name.length - one.name.length)
  const found = []
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    const isBegin = at === 0 || !/[\p{L}\p{N}_]/u.test(text[at - 1]!)
    const user =
      isBegin &&
      byLength.find(
        ({ name }) =>
          name !== '' &&
          text.startsWith(name, at + 1) &&
          !/[\p{L}\p{N}_]/u.test(text[at + 1 + name.length] ?? ' '),
      )
    if (user) found.push({ user, from: at, to: at + 1 + user.name.length })
  }
  return found
}
