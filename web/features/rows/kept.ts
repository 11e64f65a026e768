// Lists that were looked at: going back shows them at once, with their scroll and selection, and asks the server
// behind that.
import { makeGroupedStore } from './grouped.ts'
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

/** The list of a key, the same one until others have taken its place. `userId`: of the user. */
export function listOfKey(key: RowsKey, userId: number): KeptList {
  const name = textOfKey(key)
  const list = kept.get(name) ?? fresh(key, userId)
  kept.delete(name)
  kept.set(name, list)
  // A list whose changes are under way stays until the server has answered them.
  for (const [old, { writer }] of [...kept].slice(0, -mostKept))
    if (writer.waiting() === 0) kept.delete(old)
  return list
}

/** A list that shows other columns of the same rows goes on where that of before is. */
function fresh(key: RowsKey, userId: number): KeptList {
  const { by } = key
  const store =
    by === undefined ? makeRowStore(key, userId) : makeGroupedStore({ ...key, by }, userId)
  const same = [...kept.values()].findLast(({ store: other }) => isSameOrder(other.key, key))
  if (same) store.top = same.store.top
  return {
    store,
    selection: same?.selection ?? makeTableSelection(),
    writer: makeRowWriter(store),
  }
}

const isSameOrder = (one: RowsKey, other: RowsKey): boolean =>
  one.type === other.type &&
  one.order === other.order &&
  one.direction === other.direction &&
  one.filter === other.filter &&
  one.bin === other.bin &&
  one.segments === other.segments &&
  one.by === other.by
