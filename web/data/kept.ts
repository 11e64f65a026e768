// Values that this browser keeps for the signed-in user, until sign-out or until another user signs in.
// What several tabs add to is a collection (kept-entries.ts).
import { useSyncExternalStore } from 'react'
import { startData } from './start.ts'

const all = 'kontor:'
const session = startData()?.session
const own = `${all}${session?.account.id}:${session?.user.id}:`
const watchers = new Set<() => void>()
/** Parsed texts, so that one text is one object to React. */
const parsed = new Map<string, { text: string; value: unknown }>()

/** The value kept under `name`; undefined without it. */
export function readKept(name: string): unknown {
  const text = storage()?.getItem(own + name)
  if (text === undefined || text === null) {
    parsed.delete(name)
    return undefined
  }
  const before = parsed.get(name)
  if (before?.text === text) return before.value
  const value: unknown = JSON.parse(text)
  parsed.set(name, { text, value })
  return value
}

/** False where the browser keeps nothing, or has no room. */
export function keep(name: string, value: unknown): boolean {
  const from = storage()
  try {
    from?.setItem(own + name, JSON.stringify(value))
  } catch {
    return false
  }
  for (const watcher of watchers) watcher()
  return from !== undefined
}

export function forgetKept(name: string): void {
  storage()?.removeItem(own + name)
  parsed.delete(name)
  for (const watcher of watchers) watcher()
}

/** The names that begin with `prefix`, in no order. */
export const keptNames = (prefix: string): string[] =>
  storedKeys().flatMap((key) => (key.startsWith(own + prefix) ? key.slice(own.length) : []))

/** The value kept under `name`, also when another tab changes it. */
export const useKept = (name: string): unknown => useSyncExternalStore(watch, () => readKept(name))

/** What `read` makes of kept values, also when another tab changes them; one object while it stays. */
export const useKeptValue = <Value>(read: () => Value): Value => useSyncExternalStore(watch, read)

/** Calls `watcher` when another tab changes a value whose name fits. Answers the function that stops it. */
export function onKept(fits: (name: string) => boolean, watcher: () => void): () => void {
  const hear = ({ key }: StorageEvent) =>
    key?.startsWith(own) && fits(key.slice(own.length)) && watcher()
  addEventListener('storage', hear)
  return () => removeEventListener('storage', hear)
}

/** Removes all that is kept: of every user, or of all but the present one. */
export function forgetAllKept(which: 'all' | 'others'): void {
  for (const key of storedKeys())
    if (key.startsWith(all) && (which === 'all' || !key.startsWith(own))) storage()?.removeItem(key)
  parsed.clear()
}

function watch(watcher: () => void): () => void {
  watchers.add(watcher)
  addEventListener('storage', watcher)
  return () => {
    watchers.delete(watcher)
    removeEventListener('storage', watcher)
  }
}

function storedKeys(): string[] {
  const from = storage()
  return from ? Array.from({ length: from.length }, (_, index) => from.key(index) ?? '') : []
}

/** A browser that refuses cookies refuses this too. */
function storage(): Storage | undefined {
  try {
    return localStorage
  } catch {
    return undefined
  }
}
