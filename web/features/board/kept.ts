// Boards that were looked at: going back shows them at once, with their scroll, focus and selection,
// and asks the server behind that.
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
