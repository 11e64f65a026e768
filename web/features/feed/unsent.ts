// Items of feeds that the server has not taken yet. This browser keeps each until it is sent or
// discarded, or the user signs out. All tabs show what one keeps; a tab that sends an item leaves the
// others without it. The key of an item goes with each attempt, so that the server does it once.
import { keptCollection } from '../../data/kept-entries.ts'
import { newKey } from '../../data/writes.ts'
import type { FeedItem } from './rows.ts'

/** A write that adds one item. */
export interface UnsentWrite {
  path: string
  body: unknown
  /** The idempotency key of all its attempts. */
  key: string
  surface?: 'card'
}

/** An item that is not sent yet, and its write. */
export interface Unsent {
  item: FeedItem
  writing: UnsentWrite
}

interface KeptUnsent extends Unsent {
  /** The tab that sends it; none after it failed. */
  sender?: string
  /** When that began, in milliseconds since 1970. */
  since?: number
}

const kept = keptCollection<KeptUnsent>('unsent', { most: 100 }, (former) =>
  Object.entries(former as Record<string, KeptUnsent[]>).flatMap(([record, entries]) =>
    entries.map((entry) => [nameOf(record, entry.item.key), entry] as const),
  ),
)

const nameOf = (record: string, key: string): string => `${record} ${key}`

/** Milliseconds after which a tab that sends an item is taken for gone. */
const patienceMs = 30_000

/** This tab, also after it was loaded anew. */
const tab = tabKey()

function tabKey(): string {
  try {
    const known = sessionStorage.getItem('kontor:tab') ?? newKey()
    sessionStorage.setItem('kontor:tab', known)
    return known
  } catch {
    return newKey()
  }
}

/** The items of a record that were not sent, without those that another tab sends right now. */
export function readUnsent(record: string): Unsent[] {
  const from = Date.now() - patienceMs
  return kept
    .entries()
    .filter(([name]) => name.startsWith(`${record} `))
    .map(([, entry]) => entry)
    .filter(({ sender, since = 0 }) => sender === undefined || sender === tab || since < from)
    .map(({ item, writing }) => ({ item, writing }))
}

/** Keeps an item before it is sent, or after it could not be. False where the browser keeps nothing. */
export function keepUnsent(record: string, { item, writing }: Unsent, isSending: boolean): boolean {
  const { sending: _, ...bare } = item
  return kept.replace(nameOf(record, item.key), {
    item: bare,
    writing,
    ...(isSending && { sender: tab, since: Date.now() }),
  })
}

export const forgetUnsent = (record: string, key: string): void => kept.remove(nameOf(record, key))

/** Calls `watcher` when another tab changes what is kept. Answers the function that stops it. */
export const watchUnsent = (watcher: () => void): (() => void) => kept.watch(watcher)
