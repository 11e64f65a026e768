// A board as it is shown: the cards of an overlay, and for each column its order and its totals. The
// server's state is kept apart from the user's operations, and what is shown is computed from both,
// so a refused move leaves nothing behind. Cards, orders and totals are watched one by one: a change
// of one card draws that card and no other.
import type {
  Board,
  BoardSort,
  Card,
  Column,
  ColumnTotals,
} from '../../../server/features/application/board/schema.ts'
import { ask } from '../../data/api.ts'
import { isOvertaken } from '../../data/conflicts.ts'
import type { News } from '../../data/live.ts'
import { makeOverlay } from '../../data/overlay.ts'
import type { Operation, Overlay } from '../../data/overlay.ts'
import { missingWindows, indexIn, withLength, without, withWindow } from './order.ts'
import type { CardOrder } from './order.ts'
import { comparisonOf } from './sort.ts'

export type { Card }

/** Which board: the parameters of its requests. */
export interface BoardKey {
  pipelineId: number
  sort: BoardSort
  /** Won and lost are columns too. */
  isClosedShown: boolean
  /** The field that cards show beside the price. */
  fieldId: number | undefined
  /** The parameters `query` and `filter[…]` of `GET /api/v4/leads`, as a query string. */
  filter: string
}

export interface StageTotals {
  count: number
  sum: number
  isMore: boolean
  /** Whether the server has counted. */
  isKnown: boolean
}

interface Part {
  /** As the server last told. */
  totals: StageTotals
  order: CardOrder
  /** As it is shown. */
  shownTotals: StageTotals
  shownOrder: CardOrder
  /** The places that are on screen. */
  from: number
  to: number
  /** The requests for windows that are under way, by their offset. */
  underWay: Map<number, { limit: number; stop: AbortController }>
  error: unknown
}

export type BoardState =
  | { kind: 'loading' }
  | { kind: 'ready' }
  | { kind: 'failed'; error: unknown }

export interface Store {
  search: BoardKey
  cards: Pick<Overlay<Card>, 'shown' | 'snapshot' | 'watch' | 'operations'>
  state(): BoardState
  totals(statusId: number): StageTotals
  order(statusId: number): CardOrder
  /** Why the last window of the column did not come. */
  error(statusId: number): unknown
  board(): Board | undefined
  watchBoard(watcher: () => void): () => void
  watchTotals(statusId: number, watcher: () => void): () => void
  watchOrder(statusId: number, watcher: () => void): () => void
  /** Asks for the board; what is shown stays until the answer. */
  load(): Promise<void>
  /** Says which places of a column are on screen and which are wanted around them. */
  show(statusId: number, from: number, to: number, ahead: number): void
  retry(statusId: number): void
  hear(news: News): void
  /** Changes of these cards by others wait until `release`. */
  hold(ids: readonly number[]): void
  release(): void
  /** The newest state of a held card that the server has told. */
  newest(id: number): Card | undefined
  /** Asks for cards anew; answers when they are shown. */
  refetch(ids: readonly number[]): Promise<void>
  begin(id: number, change: Partial<Card> | null): Operation<Card>
  confirm(operations: readonly Operation<Card>[]): void
  drop(operations: readonly Operation<Card>[]): void
  /** The user who changed a record last, as the news told. */
  lastChangedBy(id: number): number | undefined
  onConflict(listener: (conflict: Conflict) => void): () => void
  /** How far the columns and the board are scrolled, in pixels. */
  scroll: Map<number | 'board', number>
}

/** Somebody else changed what the user was changing. */
export interface Conflict {
  id: number
  by: number | undefined
  theirs: Card
  operation: Operation<Card>
}

const windowSize = 50
/** A column is shown up to this card; a filter finds those behind it. */
const mostInColumn = 10_000
/** Requests for changed cards are this far apart, in milliseconds, and name at most so many. */
const pauseMs = 100
const mostCards = 250
/** News in a second from which on the board is asked as a whole. */
const mostNews = 200
/** The most news whose cards are looked for one by one. */
const mostRules = 100
const totalsPauseMs = 400
/** Cards show more than the lead. */
const isShownByCards = (type: string) =>
  ['tasks', 'messages', 'chats', 'talks', 'contacts', 'companies'].includes(type)
const noTotals: StageTotals = { count: 0, sum: 0, isMore: false, isKnown: false }
const noOrder: CardOrder = []

export const queryOf = ({ pipelineId, sort, isClosedShown, fieldId, filter }: BoardKey): string =>
  [
    `pipeline_id=${pipelineId}`,
    `sort=${sort}`,
    ...(isClosedShown ? ['closed=true'] : []),
    ...(fieldId === undefined ? [] : [`field_id=${fieldId}`]),
    ...(filter === '' ? [] : [filter]),
  ].join('&')

export function makeStore(search: BoardKey): Store {
  const query = queryOf(search)
  const cards = makeOverlay<Card>()
  const parts = new Map<number, Part>()
  const watchers = { board: new Set<() => void>(), totals: watchersByKey(), order: watchersByKey() }
  const conflictListeners = new Set<(conflict: Conflict) => void>()
  const changedBy = new Map<number, number>()
  const scroll = new Map<number | 'board', number>()
  let board: Board | undefined
  let state: BoardState = { kind: 'loading' }
  let compare = comparisonOf(search.sort, 0)
  let dragged = new Set<number>()
  let waiting = new Map<number, { card: Card | undefined; asOf: number }>()
  /** The windows that came while a card in hand belonged elsewhere; they are asked for anew at the release. */
  const behind = new Set<string>()
  const nameOf = (statusId: number, offset: number) => `${statusId} ${offset}`

  const partOf = (statusId: number): Part => {
    const part = parts.get(statusId) ?? {
      totals: noTotals,
      order: noOrder,
      shownTotals: noTotals,
      shownOrder: noOrder,
      from: 0,
      to: 0,
      underWay: new Map(),
      error: undefined,
    }
    parts.set(statusId, part)
    return part
  }

  function become(next: BoardState): void {
    state = next
    for (const watcher of watchers.board) watcher()
  }

  /** Computes what is shown from the server's state and the operations, and tells who watches. */
  function recompute(): void {
    const changed = cards.changedIds().map((id) => ({
      id,
      snapshot: cards.snapshot(id),
      shown: cards.shown(id),
    }))
    for (const [statusId, part] of parts) {
      let order = part.order
      let { count, sum } = part.totals
      for (const { id, snapshot, shown } of changed) {
        const wasHere = snapshot && isAt(snapshot, statusId)
        const isHere = shown && isAt(shown, statusId)
        if (wasHere) {
          count--
          sum -= snapshot.price
        }
        if (isHere) {
          count++
          sum += shown.price
        }
        if (!wasHere && !isHere) continue
        if (wasHere && isHere && compare(snapshot, shown) === 0) continue
        order = without(order, id)
        if (isHere) order = order.toSpliced(indexOfCard(order, shown).index, 0, id)
      }
      if (!isSameTotals(part.shownTotals, { ...part.totals, count, sum })) {
        part.shownTotals = { ...part.totals, count, sum }
        watchers.totals.notify(statusId)
      }
      if (!isSameOrder(part.shownOrder, order)) {
        part.shownOrder = order
        watchers.order.notify(statusId)
      }
    }
  }

  const isAt = (card: Card, statusId: number) =>
    card.status_id === statusId && card.pipeline_id === search.pipelineId

  const indexOfCard = (order: CardOrder, card: Card) =>
    indexIn(order, (id) => {
      const other = cards.shown(id) ?? cards.snapshot(id)
      return other !== undefined && other.id !== card.id && compare(other, card) < 0
    })

  /** Takes the state of a record that the server told, and moves it in the server's orders. */
  function take(id: number, card: Card | undefined, asOf: number): void {
    const before = cards.snapshot(id)
    for (const operation of cards.operations(id))
      if (card && before && isConflict(operation, before, card))
        for (const listener of conflictListeners)
          listener({ id, by: changedBy.get(id), theirs: card, operation })
    if (!(card ? cards.put(card, asOf) : cards.remove(id, asOf))) return
    const [from, to] = [before && parts.get(before.status_id), card && parts.get(card.status_id)]
    if (before && from && isAt(before, before.status_id)) {
      if (card && from === to && compare(before, card) === 0) {
        from.totals = { ...from.totals, sum: from.totals.sum + card.price - before.price }
        return
      }
      from.order = without(from.order, id)
      from.totals = added(from.totals, -1, -before.price)
    }
    if (!card || !to || !isAt(card, card.status_id)) return
    const { index, isCertain } = indexOfCard(to.order, card)
    // Beside places that are not loaded, a card that was not known may have been counted there.
    if (!before && !isCertain) return
    to.order = to.order.toSpliced(index, 0, id)
    to.totals = added(to.totals, 1, card.price)
  }

  /** Changes of a card that is in hand wait for its release, from whichever answer they come. */
  function putOff(id: number, card: Card | undefined, asOf: number): void {
    if ((waiting.get(id)?.asOf ?? -1) < asOf) waiting.set(id, { card, asOf })
  }

  /** A card of a window: its place is known, so only its members are taken. */
  function takeWindow({ status_id, cards: list, ...totals }: Column, offset: number, asOf: number) {
    const part = partOf(status_id)
    for (const card of list) {
      const before = cards.snapshot(card.id)
      if (dragged.has(card.id)) putOff(card.id, card, asOf)
      else if (before && before.status_id !== status_id) take(card.id, card, asOf)
      else cards.put(card, asOf)
    }
    const ids = list.map(({ id }) => id).filter((id) => isOf(cards.snapshot(id), status_id))
    const inHand = [...part.order.entries()].filter(
      ([, id]) => id !== undefined && dragged.has(id) && !ids.includes(id),
    )
    // Until the release it is one place off from what the server counts.
    if (inHand.length > 0 || ids.length < list.length) behind.add(nameOf(status_id, offset))
    wantCards(inHand.map(([, id]) => id!))
    part.order = withWindow(part.order, offset, ids)
    for (const [at, id] of inHand) part.order = without(part.order, id!).toSpliced(at, 0, id)
    takeTotals(status_id, totals)
    // The column ends where a window ends early.
    if (list.length < windowSize && offset > 0 && part.totals.isMore)
      part.order = withLength(part.order, offset + list.length)
  }

  const isOf = (card: Card | undefined, statusId: number) => card?.status_id === statusId

  /** Totals count a card that is in hand where it is shown. */
  function takeTotals(
    statusId: number,
    { count, sum, is_more }: Omit<ColumnTotals, 'status_id'>,
  ): void {
    const part = partOf(statusId)
    part.totals = { count, sum, isMore: is_more, isKnown: true }
    for (const [id, { card }] of waiting) {
      const before = cards.snapshot(id)
      if (before && isAt(before, statusId)) part.totals = added(part.totals, 1, before.price)
      if (card && isAt(card, statusId)) part.totals = added(part.totals, -1, -card.price)
    }
    ;({ count } = part.totals)
    const loaded = part.order.findLastIndex((id) => id !== undefined) + 1
    // Behind a number that is a lower bound there may always be one more window.
    const length = is_more ? Math.max(count, loaded + windowSize) : Math.max(count, loaded)
    part.order = withLength(part.order, Math.min(length, mostInColumn))
  }

  async function load(): Promise<void> {
    const asOf = cards.tick()
    try {
      const answer = await ask<Board>(`/web/v1/board?${query}`)
      board = answer
      compare = comparisonOf(search.sort, answer.today_ends_at)
      for (const card of answer.columns.flatMap((column) => column.cards))
        if (dragged.has(card.id)) putOff(card.id, card, asOf)
      for (const column of answer.columns) {
        const part = partOf(column.status_id)
        // Cards on screen stay until their windows come, unless the column has become shorter; others are
        // asked for when they are shown.
        const end = column.is_more ? Infinity : column.count
        part.order = part.order.map((id, at) =>
          (at >= part.from && at < Math.min(part.to, end)) || (id !== undefined && dragged.has(id))
            ? id
            : undefined,
        )
        stopWindows(part)
        part.error = undefined
        takeWindow(column, 0, asOf)
        const { from, to } = part
        if (to > column.cards.length) askWindows(column.status_id, from, to)
      }
      recompute()
      become({ kind: 'ready' })
    } catch (error) {
      if (state.kind !== 'ready') become({ kind: 'failed', error })
    }
  }

  function stopWindows(part: Part): void {
    for (const { stop } of part.underWay.values()) stop.abort()
    part.underWay.clear()
  }

  function askWindows(statusId: number, from: number, to: number): void {
    const part = partOf(statusId)
    for (const { offset, limit } of missingWindows(part.order, from, to, windowSize))
      if (!part.underWay.has(offset) && !behind.has(nameOf(statusId, offset)))
        void askWindow(statusId, offset, limit)
  }

  async function askWindow(statusId: number, offset: number, limit: number): Promise<void> {
    const part = partOf(statusId)
    const stop = new AbortController()
    const entry = { limit, stop }
    part.underWay.set(offset, entry)
    const asOf = cards.tick()
    try {
      const answer = await ask<Column>(
        `/web/v1/board/column?${query}&status_id=${statusId}&offset=${offset}&limit=${limit}`,
        { signal: stop.signal },
      )
      part.error = undefined
      takeWindow(answer, offset, asOf)
      recompute()
      watchers.order.notify(statusId)
    } catch (error) {
      if (stop.signal.aborted) return
      part.error = error
      watchers.order.notify(statusId)
    } finally {
      if (part.underWay.get(offset) === entry) part.underWay.delete(offset)
    }
  }

  function show(statusId: number, from: number, to: number, ahead: number): void {
    const part = partOf(statusId)
    const isDown = from >= part.from
    part.from = from
    part.to = to
    if (part.error !== undefined) return
    const first = isDown ? from : from - ahead
    const last = isDown ? to + ahead : to
    for (const [offset, { limit, stop }] of part.underWay)
      if (offset + limit < first - ahead || offset > last + ahead) {
        stop.abort()
        part.underWay.delete(offset)
      }
    askWindows(statusId, first, last)
  }

  // Totals are asked for after news, once for many; an answer that crosses an own write is asked again.
  let isTotalsWanted = false
  let totalsTimer: ReturnType<typeof setTimeout> | undefined

  function wantTotals(): void {
    isTotalsWanted = true
    totalsTimer ??= setTimeout(() => void askTotals(), totalsPauseMs)
  }

  async function askTotals(): Promise<void> {
    isTotalsWanted = false
    const writes = cards.tick()
    try {
      const { columns } = await ask<{ columns: ColumnTotals[] }>(`/web/v1/board/totals?${query}`)
      if (cards.changedIds().length > 0 || lastWrite > writes) isTotalsWanted = true
      else {
        for (const { status_id, ...totals } of columns) takeTotals(status_id, totals)
        recompute()
      }
    } catch {
      // The next news asks again.
    }
    totalsTimer = undefined
    if (isTotalsWanted) wantTotals()
  }

  let lastWrite = 0
  let news: number[] = []
  const changedIds = new Set<number>()
  let cardsTimer: ReturnType<typeof setTimeout> | undefined
  let lastRequestAt = 0
  let staleTimer: ReturnType<typeof setTimeout> | undefined

  function wantCards(ids: Iterable<number>): void {
    // A lead that is being added has no id of the server yet.
    for (const id of ids) if (id > 0) changedIds.add(id)
    if (changedIds.size === 0) return
    const wait = Math.max(16, lastRequestAt + pauseMs - performance.now())
    cardsTimer ??= setTimeout(() => void askCards(), wait)
  }

  async function askCards(): Promise<void> {
    lastRequestAt = performance.now()
    cardsTimer = undefined
    const ids = [...changedIds].slice(0, mostCards)
    for (const id of ids) changedIds.delete(id)
    wantCards([])
    try {
      await refetch(ids)
    } catch {
      // A cut connection ends with news of all that was missed.
    }
  }

  async function refetch(ids: readonly number[]): Promise<void> {
    if (ids.length === 0) return
    const asOf = cards.tick()
    const answer = await ask<{ cards: Card[] }>(`/web/v1/board/cards?${query}&ids=${ids.join(',')}`)
    const found = new Map(answer.cards.map((card) => [card.id, card]))
    for (const id of ids) {
      if (dragged.has(id)) putOff(id, found.get(id), asOf)
      else take(id, found.get(id), asOf)
    }
    recompute()
    wantTotals()
  }

  /** Everything on screen anew, once for many reasons. */
  function wantAll(waitMs: number): void {
    staleTimer ??= setTimeout(() => {
      staleTimer = undefined
      void load()
    }, waitMs)
  }

  function hear({ name, data }: News): void {
    if (name === 'reset') return wantAll(0)
    if (name !== 'change') return
    const type = String(data['entity_type'])
    const now = performance.now()
    if (type === 'leads') {
      news = [...news.filter((at) => at > now - 1000), now]
      if (news.length > mostNews) return wantAll(1000)
      changedBy.set(Number(data['entity_id']), Number(data['created_by']))
      return wantCards([Number(data['entity_id'])])
    }
    if (isShownByCards(type)) wantOnScreen(showing({ type, ...data }))
  }

  /**
   * Whether a card may show what some news are about: names of contacts and companies, tasks and unread messages.
   * Messages do not tell which cards count them: those of all chats with all contacts of a lead do.
   */
  function showing(news: Record<string, unknown>): (id: number) => boolean {
    const { type, entity_id, actions, record_type, record_id, has_moved } = news
    const linked = type === 'contacts' ? 'contact' : type === 'companies' ? 'company' : undefined
    // A restored record comes back to cards that have not shown it.
    if (linked && !(actions as string[]).includes('restore'))
      return (id) => cards.shown(id)?.[linked]?.id === entity_id
    if (type === 'tasks' && record_type !== undefined && !has_moved)
      return (id) => record_type === 'leads' && record_id === id
    return () => true
  }

  let onScreenTimer: ReturnType<typeof setTimeout> | undefined

  /** The rules by which cards on screen are asked for next. */
  let wanted: ((id: number) => boolean)[] = []

  function wantOnScreen(isWanted: (id: number) => boolean): void {
    // Many news are one request for all.
    wanted = wanted.length < mostRules ? [...wanted, isWanted] : [() => true]
    onScreenTimer ??= setTimeout(() => {
      onScreenTimer = undefined
      const rules = wanted
      wanted = []
      wantCards(
        [...parts.values()].flatMap(({ shownOrder, from, to }) =>
          shownOrder
            .slice(Math.max(0, from), to)
            .filter((id) => id !== undefined && rules.some((rule) => rule(id))),
        ) as number[],
      )
    }, 500)
  }

  return {
    search,
    cards,
    scroll,
    state: () => state,
    board: () => board,
    totals: (statusId) => parts.get(statusId)?.shownTotals ?? noTotals,
    order: (statusId) => parts.get(statusId)?.shownOrder ?? noOrder,
    error: (statusId) => parts.get(statusId)?.error,
    watchBoard: (watcher) => {
      watchers.board.add(watcher)
      return () => watchers.board.delete(watcher)
    },
    watchTotals: watchers.totals.watch,
    watchOrder: watchers.order.watch,
    load,
    show,
    retry(statusId) {
      const part = partOf(statusId)
      part.error = undefined
      watchers.order.notify(statusId)
      show(statusId, part.from, part.to, 0)
    },
    hear,
    hold(ids) {
      dragged = new Set(ids)
    },
    release() {
      dragged = new Set()
      const answered = waiting
      waiting = new Map()
      for (const [id, { card, asOf }] of answered) take(id, card, asOf)
      recompute()
      if (behind.size > 0) wantAll(0)
      else if (answered.size > 0) wantTotals()
      behind.clear()
    },
    newest: (id) => (waiting.has(id) ? waiting.get(id)!.card : cards.snapshot(id)),
    refetch,
    begin(id, change) {
      lastWrite = cards.tick()
      const operation = cards.begin(id, change)
      recompute()
      return operation
    },
    confirm(operations) {
      for (const operation of operations) cards.confirm(operation)
      lastWrite = cards.tick()
      wantTotals()
    },
    drop(operations) {
      for (const operation of operations) cards.drop(operation)
      recompute()
      wantTotals()
    },
    lastChangedBy: (id) => changedBy.get(id),
    onConflict(listener) {
      conflictListeners.add(listener)
      return () => conflictListeners.delete(listener)
    },
  }
}

/** Another value than both the one that the user saw and the one that the user wants. */
function isConflict({ change, base }: Operation<Card>, before: Card, theirs: Card): boolean {
  if (!change || !base || change.status_id === undefined) return false
  return (
    isOvertaken(base.status_id, theirs.status_id, change.status_id) &&
    theirs.status_id !== before.status_id
  )
}

const added = (totals: StageTotals, count: number, sum: number): StageTotals => ({
  ...totals,
  count: Math.max(0, totals.count + count),
  sum: totals.sum + sum,
})

const isSameTotals = (one: StageTotals, other: StageTotals) =>
  one.count === other.count &&
  one.sum === other.sum &&
  one.isMore === other.isMore &&
  one.isKnown === other.isKnown

const isSameOrder = (one: CardOrder, other: CardOrder) =>
  one === other || (one.length === other.length && one.every((id, at) => id === other[at]))

function watchersByKey() {
  const all = new Map<number, Set<() => void>>()
  return {
    notify: (key: number) => {
      for (const watcher of all.get(key) ?? []) watcher()
    },
    watch: (key: number, watcher: () => void) => {
      const own = all.get(key) ?? new Set()
      all.set(key, own.add(watcher))
      return () => {
        own.delete(watcher)
      }
    },
  }
}
