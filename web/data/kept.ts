// Values that this browser keeps for the signed-in user, until sign-out or until another user signs in.
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
  if (text === undefined || text === null) return undefined
  const before = parsed.get(name)
  if (before?.text === text) return before.value
  const value: unknown = JSON.parse(text)
  parsed.set(name, { text, value })
  return value
}

export function keep(name: string, value: unknown): void {
  try {
    storage()?.setItem(own + name, JSON.stringify(value))
  } catch {
    // The storage of the browser is full: nothing that the user needs depends on it.
  }
  for (const watcher of watchers) watcher()
}

/** The value kept under `name`, also when another tab changes it. */
export const useKept = (name: string): unknown => useSyncExternalStore(watch, () => readKept(name))

/** Calls `watcher` when another tab changes the value. Answers the function that stops it. */
export function onKept(name: string, watcher: () => void): () => void {
  const hear = ({ key }: StorageEvent) => key === own + name && watcher()
  addEventListener('storage', hear)
  return () => removeEventListener('storage', hear)
}

/** Removes what is kept: of all users, or of all but the present one. */
export function forgetKept(which: 'all' | 'others'): void {
  for (const key of Object.keys(storage() ?? {}))
    if (key.startsWith(all) && (which === 'all' || !key.startsWith(own))) storage()?.removeItem(key)
}

function watch(watcher: () => void): () => void {
  watchers.add(watcher)
  addEventListener('storage', watcher)
  return () => {
    watchers.delete(watcher)
    removeEventListener('storage', watcher)
  }
}

/** A browser that refuses cookies refuses this too. */
function storage(): Storage | undefined {
  try {
    return localStorage
  } catch {
    return undefined
  }
}
