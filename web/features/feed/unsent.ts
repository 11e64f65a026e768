// Items of feeds that the server has not taken yet. This browser keeps each until it is sent or
// discarded, or the user signs out. All tabs keep one list; a tab that sends an item leaves the
// others without it. The key of an item goes with each attempt, so that the server does it once.
import { keep, onKept, readKept } from '../../data/kept.ts'
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

const name = 'unsent'
/** The oldest of more is forgotten. */
const most = 100
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

const all = () => (readKept(name) as Record<string, KeptUnsent[]> | undefined) ?? {}

/** The items of a record that were not sent, without those that another tab sends right now. */
export function readUnsent(record: string): Unsent[] {
  const from = Date.now() - patienceMs
  return (all()[record] ?? [])
    .filter(({ sender, since = 0 }) => sender === undefined || sender === tab || since < from)
    .map(({ item, writing }) => ({ item, writing }))
}

/** Keeps an item before it is sent, or after it could not be. False where the browser keeps nothing. */
export function keepUnsent(record: string, { item, writing }: Unsent, isSending: boolean): boolean {
  const { sending: _, ...bare } = item
  const entry: KeptUnsent = {
    item: bare,
    writing,
    ...(isSending && { sender: tab, since: Date.now() }),
  }
  const own = all()[record] ?? []
  const index = own.findIndex((each) => each.item.key === item.key)
  put(record, index < 0 ? [...own, entry] : own.with(index, entry))
  return (all()[record] ?? []).some((each) => each.item.key === item.key)
}

export function forgetUnsent(record: string, key: string): void {
  const own = all()[record]
  if (own?.some(({ item }) => item.key === key))
    put(
      record,
      own.filter(({ item }) => item.key !== key),
    )
}

/** Calls `watcher` when another tab changes what is kept. Answers the function that stops it. */
export const watchUnsent = (watcher: () => void): (() => void) => onKept(name, watcher)

function put(record: string, entries: KeptUnsent[]): void {
  const { [record]: _, ...others } = all()
  const records = Object.entries({ ...others, ...(entries.length > 0 && { [record]: entries }) })
  let room = most
  const newest = records.toReversed().flatMap(([each, items]) => {
    const kept = room > 0 ? items.slice(-room) : []
    room -= kept.length
    return kept.length > 0 ? [[each, kept] as const] : []
  })
  keep(name, Object.fromEntries(newest.toReversed()))
}
