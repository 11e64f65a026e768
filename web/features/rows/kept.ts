// Lists that were looked at: going back shows them at once, with their scroll and selection, and asks the server
// behind that.
import { askBeforeLeaving } from '../../data/unload.ts'
import { textOfKey } from './rows.ts'
import type { RowsKey } from './rows.ts'
import { makeTableSelection } from './selection.ts'
import type { TableSelection } from './selection.ts'
import { makeRowStore } from './store.ts'
import type { RowStore } from './store.ts'
import { makeRowWriter } from './writes.ts'
import type { RowWriter } from './writes.ts'

export interface KeptList {
  store: RowStore
  selection: TableSelection
  writer: RowWriter
}

const mostKept = 4
const kept = new Map<string, KeptList>()

askBeforeLeaving(() => [...kept.values()].some(({ writer }) => writer.unkept() > 0))

/** The list of a key, the same one until others have taken its place. */
export function listOfKey(key: RowsKey, userId: number): KeptList {
  const name = textOfKey(key)
  const present = kept.get(name)
  const list = present ?? fresh(key, userId)
  kept.delete(name)
  kept.set(name, list)
  // A list whose changes are under way stays until the server has answered them.
  for (const [old, { writer }] of [...kept].slice(0, -mostKept))
    if (writer.waiting() === 0) kept.delete(old)
  return list
}

function fresh(key: RowsKey, userId: number): KeptList {
  const store = makeRowStore(key, userId)
  return { store, selection: makeTableSelection(), writer: makeRowWriter(store) }
}
