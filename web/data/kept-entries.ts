// Collections that all tabs of this browser share: drafts, items and writes that were not sent, recent
// records. Each entry stands under a name of its own. A tab that kept a collection as one value would
// write what it read before the entries of another tab reached it, and so lose those, or bring back
// what the other has removed: browsers pass changes from tab to tab with a delay.
import { forgetKept, keep, keptNames, onKept, readKept, useKeptValue } from './kept.ts'
import { isLeaving } from './tabs.ts'

/** An entry as it is kept. `at` orders the entries, in milliseconds since 1970. */
interface KeptEntry<Value> {
  at: number
  value: Value
}

/** What one collection keeps: the oldest entries beyond a bound are forgotten. */
export interface KeptBounds {
  most: number
  /** The characters of all entries together. */
  mostCharacters?: number
  longestMs?: number
}

export interface KeptCollection<Value> {
  /** All entries, the oldest first. */
  entries(): readonly (readonly [key: string, value: Value])[]
  read(key: string): Value | undefined
  /** Keeps an entry as the newest one, or at the time that is given. False where the browser has no room. */
  put(key: string, value: Value, at?: number): boolean
  /** Replaces the value of an entry that stays where it is in the order; a new one is the newest. */
  replace(key: string, value: Value): boolean
  remove(key: string): void
  /** Calls `watcher` when another tab changes an entry. Answers the function that stops it. */
  watch(watcher: () => void): () => void
  /** The entries, also when this or another tab changes them. */
  use(): readonly (readonly [key: string, value: Value])[]
}

/**
 * The keys that stay of entries, the newest first.
 *
 * `entries` gives key, time and number of characters of each.
 */
export function keysWithin(
  entries: readonly { key: string; at: number; length: number }[],
  { most, mostCharacters = Infinity, longestMs = Infinity }: KeptBounds,
  now: number,
): string[] {
  let room = mostCharacters
  return entries
    .toSorted((one, other) => other.at - one.at)
    .filter(({ at }) => at > now - longestMs)
    .slice(0, most)
    .filter(({ length }) => (room -= length) >= 0)
    .map(({ key }) => key)
}

/**
 * The collection `name`. `entriesOf` reads its form of former versions, one value with all entries, the
 * oldest first; it is divided when it is met.
 */
export function keptCollection<Value>(
  name: string,
  bounds: KeptBounds,
  entriesOf: (former: unknown) => Iterable<readonly [key: string, value: Value, at?: number]>,
): KeptCollection<Value> {
  const prefix = `${name}/`
  const nameOf = (key: string) => prefix + key
  let latest = 0
  /** The storage had no room to divide the former value: it is not tried with each reading again. */
  let isWhole = false

  const entryOf = (each: string) => readKept(each) as KeptEntry<Value> | undefined

  const isOld = ({ at }: Pick<KeptEntry<Value>, 'at'>): boolean =>
    at <= Date.now() - (bounds.longestMs ?? Infinity)

  function names(): string[] {
    divide()
    return keptNames(prefix)
  }

  function divide(): void {
    const former = isWhole ? undefined : readKept(name)
    if (former === undefined) return
    // The one value takes the room that its entries need.
    forgetKept(name)
    let at = 0
    const lost = [...entriesOf(former)].filter(([key, value, time]) => {
      at = time ?? at + 1
      return entryOf(nameOf(key)) === undefined && !keep(nameOf(key), { at, value })
    })
    isWhole = lost.length > 0
    if (isWhole) keep(name, former)
  }

  function all(): { key: string; at: number; value: Value }[] {
    const found = names().flatMap((each) => {
      const entry = entryOf(each)
      return entry ? { key: each.slice(prefix.length), ...entry } : []
    })
    return found.filter((entry) => !isOld(entry)).toSorted((one, other) => one.at - other.at)
  }

  function put(key: string, value: Value, at?: number): boolean {
    // After sign-out this browser keeps nothing.
    if (isLeaving()) return false
    divide()
    // Two entries of one millisecond stay in their order.
    latest = Math.max(Date.now(), latest + 1)
    const entry: KeptEntry<Value> = { at: at ?? latest, value }
    const isNew = entryOf(nameOf(key)) === undefined
    const isKept = keep(nameOf(key), entry)
    if (isNew || bounds.mostCharacters !== undefined || !isKept) bound()
    // What went by the bounds may have made room.
    return isKept || keep(nameOf(key), entry)
  }

  function bound(): void {
    const sized = all().map((each) => ({ ...each, length: JSON.stringify(each.value).length }))
    const stay = new Set(keysWithin(sized, bounds, Date.now()))
    for (const each of names()) if (!stay.has(each.slice(prefix.length))) forgetKept(each)
  }

  const collection: KeptCollection<Value> = {
    entries: () => all().map(({ key, value }) => [key, value] as const),
    read(key) {
      divide()
      const entry = entryOf(nameOf(key))
      const isTooOld = entry && isOld(entry)
      return isTooOld ? undefined : entry?.value
    },
    put,
    replace(key, value) {
      divide()
      return put(key, value, entryOf(nameOf(key))?.at)
    },
    remove(key) {
      divide()
      if (entryOf(nameOf(key)) !== undefined) forgetKept(nameOf(key))
    },
    watch: (watcher) => onKept((each) => each === name || each.startsWith(prefix), watcher),
    use: () => useKeptValue(entriesAsBefore),
  }

  let before: { texts: string; entries: readonly (readonly [string, Value])[] } | undefined
  /** The same array until an entry changes, as React wants it. */
  function entriesAsBefore(): readonly (readonly [string, Value])[] {
    const entries = collection.entries()
    const texts = JSON.stringify(entries)
    if (before?.texts !== texts) before = { texts, entries }
    return before.entries
  }

  return collection
}
