// The order of a column: the ids of its cards by place, `undefined` where a card is not loaded. Pure
// functions; none changes its argument.

export type CardOrder = readonly (number | undefined)[]

/** The order with the ids of a window at its places; an id has one place. */
export function withWindow(order: CardOrder, offset: number, ids: readonly number[]): CardOrder {
  const own = new Set(ids)
  const next = order.map((id) => (id !== undefined && own.has(id) ? undefined : id))
  while (next.length < offset) next.push(undefined)
  next.splice(offset, ids.length, ...ids)
  return next
}

/** The order with `length` places: unknown ones come and go at the end. */
export function withLength(order: CardOrder, length: number): CardOrder {
  if (order.length === length) return order
  if (order.length > length) return order.slice(0, length)
  return [...order, ...Array.from({ length: length - order.length }, () => undefined)]
}

export const without = (order: CardOrder, id: number): CardOrder => {
  const index = order.indexOf(id)
  return index < 0 ? order : order.toSpliced(index, 1)
}

/**
 * The place of a card by `isBefore`, which says of a loaded card whether it comes before. `isCertain`
 * is false beside places that are not loaded: the card may be among them.
 */
export function indexIn(
  order: CardOrder,
  isBefore: (id: number) => boolean,
): { index: number; isCertain: boolean } {
  let index = 0
  for (const [at, id] of order.entries()) {
    if (id === undefined) continue
    if (!isBefore(id)) break
    index = at + 1
  }
  return { index, isCertain: order[index] !== undefined || index === order.length }
}

/** The windows of `size` that hold the unknown places from `from` up to `to`. */
export function missingWindows(
  order: CardOrder,
  from: number,
  to: number,
  size: number,
): { offset: number; limit: number }[] {
  const windows = new Map<number, { offset: number; limit: number }>()
  for (let at = Math.max(0, from); at < Math.min(to, order.length); at++) {
    if (order[at] !== undefined) continue
    const offset = at - (at % size)
    windows.set(offset, { offset, limit: size })
  }
  return [...windows.values()]
}

/**
 * How many places the cards that one reads have moved: the middle one of their moves, since one of
 * them may have moved by itself.
 */
export function shiftOf(before: CardOrder, after: CardOrder, from: number, to: number): number {
  const moves: number[] = []
  for (let at = Math.max(0, from); at < Math.min(to, before.length); at++) {
    const id = before[at]
    const index = id === undefined ? -1 : after.indexOf(id)
    if (index >= 0) moves.push(index - at)
  }
  return moves.toSorted((one, other) => one - other)[moves.length >> 1] ?? 0
}
