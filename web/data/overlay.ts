// A record as the application shows it: the server's snapshot with the user's own operations over
// it, in their order. A snapshot is never overwritten with hopes: an operation that the server
// refuses is dropped, and the snapshot shows again (docs/decisions/0076-overlay-of-operations.md).
//
// Answers overtake each other. Therefore every request to the server takes a number of the clock
// first: an answer to an older request than the last one is not taken, and a confirmed operation
// goes away with the first snapshot that was asked for after its confirmation.

/** A change that the server has not shown yet. */
export interface Operation<Item> {
  readonly id: number
  /** Members with their new values; all members for a record to come back; null to remove it. */
  readonly change: Partial<Item> | null
  /** The shown values that the user changed. */
  readonly base: Item | undefined
}

export interface Overlay<Item> {
  /** The number of a request; asked before it is sent. */
  tick(): number
  /** The record as it is shown; undefined where there is none. The object changes only with it. */
  shown(id: number): Item | undefined
  snapshot(id: number): Item | undefined
  /** Takes the answer to request `asOf`; false where a later one is known. */
  put(item: Item, asOf: number): boolean
  /** Takes the answer to request `asOf` that there is no such record. */
  remove(id: number, asOf: number): boolean
  begin(id: number, change: Partial<Item> | null): Operation<Item>
  /** The server has done it. */
  confirm(operation: Operation<Item>): void
  /** The server has not done it and will not. */
  drop(operation: Operation<Item>): void
  operations(id: number): readonly Operation<Item>[]
  /** The records with operations. */
  changedIds(): number[]
  /** Drops a record that nobody watches and that has no operations. */
  forget(id: number): void
  /** Calls `watcher` when the shown record changes. Answers the function that stops it. */
  watch(id: number, watcher: () => void): () => void
}

interface Kept<Item> {
  snapshot: Item | undefined
  /** The request that the snapshot answers. */
  asOf: number
  operations: { operation: Operation<Item>; confirmedAt: number | undefined }[]
  shown: Item | undefined
}

export function makeOverlay<Item extends { id: number }>(): Overlay<Item> {
  let clock = 0
  const records = new Map<number, Kept<Item>>()
  const watchers = new Map<number, Set<() => void>>()

  const keptOf = (id: number): Kept<Item> => {
    const kept = records.get(id) ?? {
      snapshot: undefined,
      asOf: 0,
      operations: [],
      shown: undefined,
    }
    records.set(id, kept)
    return kept
  }

  function fold(id: number, kept: Kept<Item>): void {
    const before = kept.shown
    kept.shown = kept.operations.reduce<Item | undefined>(
      (item, { operation }) => applied(item, operation.change),
      kept.snapshot,
    )
    if (kept.shown !== before) for (const watcher of watchers.get(id) ?? []) watcher()
  }

  function take(id: number, snapshot: Item | undefined, asOf: number): boolean {
    const kept = keptOf(id)
    if (asOf < kept.asOf) return false
    kept.asOf = asOf
    if (!isSame(kept.snapshot, snapshot)) kept.snapshot = snapshot
    kept.operations = kept.operations.filter(
      ({ confirmedAt }) => confirmedAt === undefined || confirmedAt >= asOf,
    )
    fold(id, kept)
    return true
  }

  return {
    tick: () => ++clock,
    shown: (id) => records.get(id)?.shown,
    snapshot: (id) => records.get(id)?.snapshot,
    put: (item, asOf) => take(item.id, item, asOf),
    remove: (id, asOf) => take(id, undefined, asOf),
    begin(id, change) {
      const kept = keptOf(id)
      const operation = { id, change, base: kept.shown }
      kept.operations.push({ operation, confirmedAt: undefined })
      fold(id, kept)
      return operation
    },
    confirm(operation) {
      const entry = keptOf(operation.id).operations.find((each) => each.operation === operation)
      if (entry) entry.confirmedAt = clock
    },
    drop(operation) {
      const kept = keptOf(operation.id)
      kept.operations = kept.operations.filter((each) => each.operation !== operation)
      fold(operation.id, kept)
    },
    operations: (id) => records.get(id)?.operations.map(({ operation }) => operation) ?? [],
    changedIds: () =>
      [...records].flatMap(([id, { operations }]) => (operations.length > 0 ? [id] : [])),
    forget(id) {
      if (!watchers.has(id) && records.get(id)?.operations.length === 0) records.delete(id)
    },
    watch(id, watcher) {
      const own = watchers.get(id) ?? new Set()
      watchers.set(id, own.add(watcher))
      return () => {
        own.delete(watcher)
        if (own.size === 0 && watchers.get(id) === own) watchers.delete(id)
      }
    },
  }
}

/** A record that is gone comes back only with all its members. */
function applied<Item extends { id: number }>(
  item: Item | undefined,
  change: Partial<Item> | null,
): Item | undefined {
  if (change === null) return undefined
  if (item) return { ...item, ...change }
  return change.id === undefined ? undefined : (change as Item)
}

/** A snapshot that says nothing new keeps its object, so that nothing is drawn anew. */
const isSame = (one: unknown, other: unknown): boolean =>
  one === other || JSON.stringify(one) === JSON.stringify(other)
