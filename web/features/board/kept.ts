// Boards that were looked at: going back shows them at once, with their scroll, focus and selection,
// and asks the server behind that. And the choices that the browser keeps for a user.
import { useCallback, useState } from 'react'
import { askBeforeLeaving } from '../../data/unload.ts'
import { makeSelection } from './selection.ts'
import type { BoardSelection } from './selection.ts'
import { makeStore, queryOf } from './store.ts'
import type { BoardKey, Store } from './store.ts'
import { makeWriter } from './writes.ts'
import type { BoardWriter } from './writes.ts'

interface Kept {
  store: Store
  selection: BoardSelection
  writer: BoardWriter
}

const mostKept = 4
const kept = new Map<string, Kept>()

askBeforeLeaving(() => [...kept.values()].some(({ writer }) => writer.unkept() > 0))

/** The board of a search, the same one until others have taken its place. */
export function boardOf(search: BoardKey): Kept {
  const key = queryOf(search)
  const store = makeStore(search)
  const board = kept.get(key) ?? { store, selection: makeSelection(), writer: makeWriter(store) }
  kept.delete(key)
  kept.set(key, board)
  // A board whose changes are under way stays until the server has answered them.
  for (const [old, { writer }] of [...kept].slice(0, -mostKept))
    if (writer.waiting() === 0) kept.delete(old)
  return board
}

/** A choice of a user, kept by this browser. */
export function useBrowserChoice<Value>(
  name: string,
  initial: Value,
): [Value, (value: Value) => void] {
  const [value, setValue] = useState(() => readBrowserChoice(name, initial))
  const keep = useCallback(
    (next: Value) => {
      setValue(next)
      writeBrowserChoice(name, next)
    },
    [name],
  )
  return [value, keep]
}

/** The kept value; `initial` where there is nothing, or no place to keep. */
export function readBrowserChoice<Value>(name: string, initial: Value): Value {
  try {
    const text = localStorage.getItem(`kontor.${name}`)
    return text === null ? initial : (JSON.parse(text) as Value)
  } catch {
    return initial
  }
}

export function writeBrowserChoice(name: string, value: unknown): void {
  try {
    localStorage.setItem(`kontor.${name}`, JSON.stringify(value))
  } catch {
    // A browser may keep nothing; then the choice lasts as long as the page.
  }
}
