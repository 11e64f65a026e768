// The customers of an account by their statuses, each in the order of the next purchase. The state of the server is kept
// apart from the user's own moves (web/data/overlay.ts), and what is shown is computed from both: a refused move leaves
// nothing behind. News of others move cards at once; windows and sums are asked for anew behind them.
import type { Static } from 'typebox'
import type {
  NamedRows,
  Row,
  RowSummary,
  RowWindow,
} from '../../../server/features/application/rows/schema.ts'
import { ask } from '../../data/api.ts'
import type { News } from '../../data/live.ts'
import { makeOverlay } from '../../data/overlay.ts'
import type { Operation, Overlay } from '../../data/overlay.ts'

type Own =
  | 'status_id'
  | 'next_price'
  | 'next_date'
  | 'periodicity'
  | 'ltv'
  | 'purchases_count'
  | 'average_check'
  | 'last_purchase_at'

/** A customer on the board. */
export type CustomerCard = Row & { [Name in Own]-?: NonNullable<Row[Name]> | PossiblyNull<Name> }
type PossiblyNull<Name> = Name extends 'last_purchase_at' ? null : never

/** The ids of a column by their places; undefined where a card is not loaded. */
export type CustomerOrder = readonly (number | undefined)[]

export interface StatusTotals {
  count: number
  /** Of the expected amounts. */
  sum: number
  isMore: boolean
  /** Whether the server has counted, and whether it has added up. */
  isKnown: boolean
  hasSum: boolean
}

interface Part {
  order: CustomerOrder
  totals: StatusTotals
  shownOrder: CustomerOrder
  shownTotals: StatusTotals
  /** The places that are on screen. */
  from: number
  to: number
  underWay: Map<number, AbortController>
  isReady: boolean
  error: unknown
  watchers: Set<() => void>
}

export interface CustomerStore {
  /** The parameters `query` and `filter[…]` of the customers that are shown, as a query string. */
  filter: string
  cards: Pick<Overlay<CustomerCard>, 'shown' | 'snapshot' | 'watch' | 'operations'>
  order(statusId: number): CustomerOrder
  totals(statusId: number): StatusTotals
  isReady(statusId: number): boolean
  /** Why the last window of the column did not come. */
  error(statusId: number): unknown
  /** Calls `watcher` when the order, the totals or the state of a column change. */
  watch(statusId: number, watcher: () => void): () => void
  /** Asks for these columns; what is shown stays until the answers. */
  load(statusIds: readonly number[]): void
  /** Says which places of a column are on screen. */
  show(statusId: number, from: number, to: number): void
  retry(statusId: number): void
  hear(news: News): void
  /** While a card is in hand, nothing moves under it. */
  hold(isHeld: boolean): void
  /** Asks for cards anew, of this filter; answers them when they are shown. */
  refetch(ids: readonly number[]): Promise<ReadonlyMap<number, CustomerCard>>
  /** Customers as they are now, also those that the filter does not find any more. */
  present(ids: readonly number[]): Promise<ReadonlyMap<number, CustomerCard>>
  begin(id: number, change: Partial<CustomerCard>): Operation<CustomerCard>
  confirm(operation: Operation<CustomerCard>): void
  drop(operation: Operation<CustomerCard>): void
  /** The user who changed a customer last, as the news told. */
  lastChangedBy(id: number): number | undefined
  /** How far the columns and the board are scrolled, in pixels. */
  scroll: Map<number | 'board', number>
}

const windowSize = 100
/** A column is shown up to this card; a filter finds those behind it. */
const mostInColumn = 10_000
/** Requests for changed cards are this far apart, in milliseconds, and name at most so many. */
const pauseMs = 100
const mostNamed = 250
/** Sums follow the news this seldom, in milliseconds. */
const totalsMs = 800
/** News in a second from which on the columns are asked for as a whole. */
const mostNews = 100
const noTotals: StatusTotals = { count: 0, sum: 0, isMore: false, isKnown: false, hasSum: false }
const noOrder: CustomerOrder = []
const path = '/web/v1/rows/customers'

export function makeCustomerStore(filter: string): CustomerStore {
  const cards = makeOverlay<CustomerCard>()
  const parts = new Map<number, Part>()
  const changedBy = new Map<number, number>()
  const scroll = new Map<number | 'board', number>()
  const queryOf = (...words: string[]) => [...words, filter].filter(Boolean).join('&')
  const ofStatus = (statusId: number) => `by=status_id&value=${statusId}`

  const partOf = (statusId: number): Part => {
    const part = parts.get(statusId) ?? {
      order: noOrder,
      totals: noTotals,
      shownOrder: noOrder,
      shownTotals: noTotals,
      from: 0,
      to: 0,
      underWay: new Map<number, AbortController>(),
      isReady: false,
      error: undefined,
      watchers: new Set<() => void>(),
    }
    parts.set(statusId, part)
    return part
  }

  const notify = ({ watchers }: Part) => {
    for (const watcher of watchers) watcher()
  }

  /** Computes what is shown from the state of the server and the user's moves. */
  function recompute(): void {
    const moved = cards.changedIds().map((id) => ({
      id,
      snapshot: cards.snapshot(id),
      shown: cards.shown(id),
    }))
    for (const [statusId, part] of parts) {
      let { order, totals } = part
      for (const { id, snapshot, shown } of moved) {
        const was = snapshot?.status_id === statusId ? snapshot : undefined
        const is = shown?.status_id === statusId ? shown : undefined
        if (was) totals = added(totals, -1, -was.next_price)
        if (is) totals = added(totals, 1, is.next_price)
        if ((!was && !is) || (was && is && compare(was, is) === 0)) continue
        order = without(order, id)
        if (is) order = order.toSpliced(placeIn(order, is).index, 0, id)
      }
      if (isSameOrder(part.shownOrder, order) && isSameTotals(part.shownTotals, totals)) continue
      if (!isSameOrder(part.shownOrder, order)) part.shownOrder = order
      part.shownTotals = totals
      notify(part)
    }
  }

  /** The place of a card in an order. `isCertain` is false beside places that are not loaded. */
  function placeIn(
    order: CustomerOrder,
    card: CustomerCard,
  ): { index: number; isCertain: boolean } {
    let index = 0
    for (const [at, id] of order.entries()) {
      const other = id === undefined ? undefined : (cards.shown(id) ?? cards.snapshot(id))
      if (!other || other.id === card.id) continue
      if (compare(other, card) > 0) break
      index = at + 1
    }
    return { index, isCertain: order[index] !== undefined || index === order.length }
  }

  /** Takes a customer as the server has told it, and moves it in the orders. */
  function take(id: number, card: CustomerCard | undefined, asOf: number): void {
    const before = cards.snapshot(id)
    if (!(card ? cards.put(card, asOf) : cards.remove(id, asOf))) return
    const from = before && parts.get(before.status_id)
    const to = card && parts.get(card.status_id)
    if (before && from) {
      from.order = without(from.order, id)
      from.totals = added(from.totals, -1, -before.next_price)
    }
    if (card && to) {
      const { index, isCertain } = placeIn(to.order, card)
      // Beside places that are not loaded, a card that was not known may have been counted there.
      if (before || isCertain) {
        to.order = to.order.toSpliced(index, 0, id)
        to.totals = added(to.totals, 1, card.next_price)
      }
    }
    // A card that was not known may have been counted in any column that is not loaded as a whole.
    if (!before) for (const [id, { order }] of parts) if (order.includes(undefined)) wantTotals(id)
    if (before?.status_id === card?.status_id) return
    for (const each of [before, card]) if (each) wantTotals(each.status_id)
  }

  let isHeld = false
  let later: (() => void)[] = []
  /** Answers that come while a card is in hand wait for its release. */
  const apply = (change: () => void) => {
    if (isHeld) later.push(change)
    else {
      change()
      recompute()
    }
  }

  function takeWindow(
    statusId: number,
    offset: number,
    { rows, count }: Static<typeof RowWindow>,
    asOf: number,
  ): void {
    const part = partOf(statusId)
    for (const row of rows as CustomerCard[]) {
      const before = cards.snapshot(row.id)
      if (before && before.status_id !== statusId) take(row.id, row, asOf)
      else cards.put(row, asOf)
    }
    const ids = rows.map(({ id }) => id).filter((id) => cards.snapshot(id)?.status_id === statusId)
    const own = new Set(ids)
    const order = part.order.map((id) => (own.has(id ?? 0) ? undefined : id))
    while (order.length < offset) order.push(undefined)
    order.splice(offset, rows.length, ...ids)
    const loaded = order.findLastIndex((id) => id !== undefined) + 1
    const isEnd = rows.length < windowSize
    // Behind the last card there is nothing to count.
    const counted = part.totals.isKnown ? Math.min(part.totals.count, offset) : offset
    const known = count ?? (isEnd ? counted : null)
    if (known !== null) part.totals = { ...part.totals, count: known, isMore: false, isKnown: true }
    // Behind a full window there may always be one more, until all are counted.
    const { isKnown, isMore } = part.totals
    const further = isEnd ? offset + rows.length : loaded + windowSize
    const length = isKnown && !isMore ? part.totals.count : Math.max(part.totals.count, further)
    part.order = withLength(order, Math.min(Math.max(length, loaded), mostInColumn))
    part.isReady = true
    part.error = undefined
    if (!addUp(part)) wantTotals(statusId)
    // Its state may have changed where its order has not.
    notify(part)
  }

  /** Adds up a column whose cards are all loaded. Answers whether it is one. */
  function addUp(part: Part): boolean {
    const { count, isKnown, isMore } = part.totals
    if (!isKnown || isMore || part.order.length !== count || part.order.includes(undefined))
      return false
    const sum = part.order.reduce((all: number, id) => all + cards.snapshot(id!)!.next_price, 0)
    part.totals = { ...part.totals, sum, hasSum: true }
    return true
  }

  async function askWindow(statusId: number, offset: number): Promise<void> {
    const part = partOf(statusId)
    const stop = new AbortController()
    part.underWay.set(offset, stop)
    const asOf = cards.tick()
    try {
      const window = `offset=${offset}&limit=${windowSize}`
      const query = queryOf('order=next_date&direction=asc', ofStatus(statusId), window)
      const answer = await ask<Static<typeof RowWindow>>(`${path}?${query}`, {
        signal: stop.signal,
      })
      apply(() => takeWindow(statusId, offset, answer, asOf))
    } catch (error) {
      if (stop.signal.aborted) return
      part.error = error
      notify(part)
    } finally {
      if (part.underWay.get(offset) === stop) part.underWay.delete(offset)
    }
  }

  function askMissing(statusId: number): void {
    const part = partOf(statusId)
    if (part.error !== undefined) return
    const { from, to, order, underWay } = part
    const [first, end] = [from - windowSize / 4, to + windowSize / 4]
    for (const [offset, stop] of underWay)
      if (offset + windowSize < first || offset > end) {
        stop.abort()
        underWay.delete(offset)
      }
    for (let at = Math.max(0, first); at < Math.min(end, order.length); at++) {
      const offset = at - (at % windowSize)
      if (order[at] === undefined && !underWay.has(offset)) void askWindow(statusId, offset)
    }
  }

  /** The places on screen anew; others are asked for when they are next shown. */
  function askAnew(statusId: number): void {
    const part = partOf(statusId)
    part.error = undefined
    for (const stop of part.underWay.values()) stop.abort()
    part.underWay.clear()
    const [first, end] = [part.from - (part.from % windowSize), Math.max(part.to, part.from + 1)]
    part.order = part.order.map((id, at) => (at >= first && at < end + windowSize ? id : undefined))
    for (let offset = first; offset < end; offset += windowSize) void askWindow(statusId, offset)
    recompute()
  }

  const wantedTotals = new Set<number>()
  let totalsTimer: ReturnType<typeof setTimeout> | undefined
  let totalsAt = -totalsMs

  function wantTotals(statusId: number): void {
    wantedTotals.add(statusId)
    totalsTimer ??= setTimeout(
      () => {
        totalsTimer = undefined
        totalsAt = performance.now()
        const all = [...wantedTotals]
        wantedTotals.clear()
        for (const each of all) void askTotals(each)
      },
      Math.max(16, totalsAt + totalsMs - performance.now()),
    )
  }

  async function askTotals(statusId: number): Promise<void> {
    const asOf = cards.tick()
    try {
      const query = queryOf('columns=next_price', ofStatus(statusId))
      const { count, is_more: isMore, columns } = await ask<RowSummary>(`${path}/summary?${query}`)
      // A count that crosses a write of the user may be of before or after it.
      if (cards.changedIds().length > 0 || lastWrite > asOf) return wantTotals(statusId)
      const sum = columns['next_price']?.sum ?? 0
      apply(() => {
        const part = partOf(statusId)
        part.totals = { count, sum, isMore, isKnown: true, hasSum: true }
        const loaded = part.order.findLastIndex((id) => id !== undefined) + 1
        const length = isMore ? Math.max(count, loaded + windowSize) : Math.max(count, loaded)
        part.order = withLength(part.order, Math.min(length, mostInColumn))
        notify(part)
      })
    } catch {
      // The next news asks again.
    }
  }

  let lastWrite = 0
  let news: number[] = []
  const changedIds = new Set<number>()
  let cardsTimer: ReturnType<typeof setTimeout> | undefined
  let cardsAt = -pauseMs

  function wantCards(ids: Iterable<number>): void {
    for (const id of ids) changedIds.add(id)
    if (changedIds.size === 0) return
    cardsTimer ??= setTimeout(
      () => {
        cardsTimer = undefined
        cardsAt = performance.now()
        const some = [...changedIds].slice(0, mostNamed)
        for (const id of some) changedIds.delete(id)
        // A cut connection ends with news of all that was missed.
        refetch(some).catch(() => undefined)
        wantCards([])
      },
      Math.max(16, cardsAt + pauseMs - performance.now()),
    )
  }

  async function askNamed(query: string): Promise<Map<number, CustomerCard>> {
    const { rows } = await ask<Static<typeof NamedRows>>(`${path}/named?${query}`)
    return new Map((rows as CustomerCard[]).map((row) => [row.id, row]))
  }

  async function refetch(ids: readonly number[]): Promise<ReadonlyMap<number, CustomerCard>> {
    const asOf = cards.tick()
    const found = await askNamed(queryOf(`ids=${ids.join(',')}`))
    apply(() => {
      for (const id of ids) take(id, found.get(id), asOf)
    })
    return found
  }

  let allTimer: ReturnType<typeof setTimeout> | undefined

  function wantAll(waitMs: number): void {
    allTimer ??= setTimeout(() => {
      allTimer = undefined
      for (const [statusId, { isReady, error }] of parts)
        if (isReady || error !== undefined) {
          askAnew(statusId)
          wantTotals(statusId)
        }
    }, waitMs)
  }

  const onScreen = () =>
    [...parts.values()].flatMap(({ shownOrder, from, to }) =>
      shownOrder.slice(Math.max(0, from), to).filter((id) => id !== undefined),
    )

  function hear({ name, data }: News): void {
    if (name === 'reset') return wantAll(0)
    if (name !== 'change') return
    const id = Number(data['entity_id'])
    if (data['entity_type'] === 'customers') {
      const now = performance.now()
      news = [...news.filter((at) => at > now - 1000), now]
      if (news.length > mostNews) return wantAll(1000)
      changedBy.set(id, Number(data['created_by']))
      return wantCards([id])
    }
    if (data['entity_type'] !== 'tasks') return
    // A task tells its record, unless it has gone to another one.
    const { record_type: type, record_id: record, has_moved: hasMoved } = data
    if (type === undefined || hasMoved) return wantCards(onScreen())
    if (type === 'customers' && cards.shown(Number(record))) wantCards([Number(record)])
  }

  return {
    filter,
    cards,
    scroll,
    order: (statusId) => parts.get(statusId)?.shownOrder ?? noOrder,
    totals: (statusId) => parts.get(statusId)?.shownTotals ?? noTotals,
    isReady: (statusId) => parts.get(statusId)?.isReady ?? false,
    error: (statusId) => parts.get(statusId)?.error,
    watch(statusId, watcher) {
      const { watchers } = partOf(statusId)
      watchers.add(watcher)
      return () => watchers.delete(watcher)
    },
    load(statusIds) {
      for (const statusId of statusIds) {
        askAnew(statusId)
        if (partOf(statusId).isReady) wantTotals(statusId)
      }
    },
    show(statusId, from, to) {
      const part = partOf(statusId)
      part.from = from
      part.to = to
      askMissing(statusId)
    },
    retry(statusId) {
      askAnew(statusId)
      notify(partOf(statusId))
    },
    hear,
    hold(isNow) {
      isHeld = isNow
      if (isNow) return
      const changes = later
      later = []
      for (const change of changes) change()
      recompute()
    },
    refetch,
    present: (ids) => askNamed(`ids=${ids.join(',')}`),
    begin(id, change) {
      lastWrite = cards.tick()
      const operation = cards.begin(id, change)
      recompute()
      return operation
    },
    confirm(operation) {
      cards.confirm(operation)
      lastWrite = cards.tick()
    },
    drop(operation) {
      cards.drop(operation)
      recompute()
    },
    lastChangedBy: (id) => changedBy.get(id),
  }
}

/** The order of the server: by the next date, then by the id. */
const compare = (one: CustomerCard, other: CustomerCard): number =>
  one.next_date - other.next_date || one.id - other.id

const added = (totals: StatusTotals, count: number, sum: number): StatusTotals => ({
  ...totals,
  count: Math.max(0, totals.count + count),
  sum: totals.sum + sum,
})

const without = (order: CustomerOrder, id: number): CustomerOrder => {
  const index = order.indexOf(id)
  return index < 0 ? order : order.toSpliced(index, 1)
}

function withLength(order: CustomerOrder, length: number): CustomerOrder {
  if (order.length >= length) return order.slice(0, length)
  return [...order, ...Array.from({ length: length - order.length }, () => undefined)]
}

const isSameOrder = (one: CustomerOrder, other: CustomerOrder) =>
  one === other || (one.length === other.length && one.every((id, at) => id === other[at]))

const isSameTotals = (one: StatusTotals, other: StatusTotals) =>
  one.count === other.count &&
  one.sum === other.sum &&
  one.isMore === other.isMore &&
  one.isKnown === other.isKnown &&
  one.hasSum === other.hasSum

const mostKept = 4
const kept = new Map<string, CustomerStore>()

/** The board of a filter, the same one until others have taken its place: going back shows it at once. */
export function customerStoreOf(filter: string): CustomerStore {
  const store = kept.get(filter) ?? makeCustomerStore(filter)
  kept.delete(filter)
  kept.set(filter, store)
  for (const old of [...kept.keys()].slice(0, -mostKept)) kept.delete(old)
  return store
}
