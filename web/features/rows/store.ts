// A list of records as a table shows it: pages of its order, as far as they were looked at, and the records over which
// the user's own changes lie (web/data/overlay.ts). A change of one record draws its row and no other. News of others
// change rows in place; where they may change the order, the pages on screen are asked for anew, and what is on screen
// stays where it is.
import { isPassing, Problem } from '../../data/api.ts'
import type { News } from '../../data/live.ts'
import { makeOverlay } from '../../data/overlay.ts'
import type { Operation, Overlay } from '../../data/overlay.ts'
import { askAllNamed, askWindow, mostNamed } from './rows.ts'
import type { Row, RowsKey, Window } from './rows.ts'

export type RowsState = { kind: 'loading' } | { kind: 'ready' } | { kind: 'failed'; error: unknown }

export interface RowCount {
  count: number
  isMore: boolean
  /** Whether the server has counted. */
  isKnown: boolean
}

/** A heading over the rows that have one value of a column. */
export interface GroupHeading {
  /** As the server names it; empty for records without a value. */
  value: string
  count: number
  isOpen: boolean
}

export interface RowStore {
  key: RowsKey
  rows: Pick<Overlay<Row>, 'shown' | 'snapshot' | 'watch' | 'operations'>
  state(): RowsState
  count(): RowCount
  /** The rows that the scrollbar covers. */
  length(): number
  /** The list goes on behind the last row that is shown. */
  isCut(): boolean
  idAt(index: number): number | undefined
  /** The position of a row among those that were looked at; -1 where it is not there. */
  indexOf(id: number): number
  /** The heading at a position of a list in groups; undefined for a row. */
  groupAt(index: number): GroupHeading | undefined
  /** Opens a group, or closes it. */
  toggle(value: string): void
  /** How many rows are before a position; headings are none. */
  rowsBefore(index: number): number
  /** Why the last page did not come. */
  error(): unknown
  /** Calls `watcher` when the order, the number or the state changes. */
  watch(watcher: () => void): () => void
  /** Counts the changes that `watch` tells. */
  version(): number
  /** Hears by how many rows what is on screen has moved. */
  onShift(listener: (rows: number) => void): () => void
  load(): Promise<void>
  /** Says which rows are on screen, and asks for those that are missing. */
  show(from: number, to: number): void
  retry(): void
  /** Takes the number of the footer, where the pages do not tell it. */
  setCount(count: number, isMore: boolean): void
  hear(news: News): void
  /** While a cell is edited, the order stays as it is. */
  hold(isHeld: boolean): void
  refetch(ids: readonly number[]): Promise<void>
  /** Records as they are now, also those that the filter does not find any more. */
  present(ids: readonly number[]): Promise<ReadonlyMap<number, Row>>
  /** Asks for the pages on screen anew, soon. */
  wantOrder(): void
  begin(id: number, change: Partial<Row> | null): Operation<Row>
  confirm(operations: readonly Operation<Row>[]): void
  drop(operations: readonly Operation<Row>[]): void
  /** The first pixel on screen, kept for who comes back. */
  top: number
}

export const pageSize = 100
/** Pages that are kept besides those on screen. */
const mostPages = 40
/** Requests for changed rows are this far apart, in milliseconds. */
const pauseMs = 100
/** Where rows fly past, those on screen are asked for after this pause, in milliseconds. */
const passingMs = 60
/** The order is asked for anew this seldom, in milliseconds. */
const orderMs = 1000
/** News in a second from which on only the order is asked for. */
const mostNews = 100

interface Page {
  ids: number[]
  /** The request that it answers. */
  asOf: number
  /** When it was last on screen. */
  usedAt: number
}

/** `userId`: of the user, whose own changes leave the order as it is. */
export function makeRowStore(
  key: RowsKey,
  userId: number,
  rows: Overlay<Row> = makeOverlay<Row>(),
): RowStore {
  /** A row that leaves its group is still one of the list. */
  const { value: group, ...whole } = key
  const watchers = new Set<() => void>()
  const shiftListeners = new Set<(rows: number) => void>()
  let pages = new Map<number, Page>()
  const underWay = new Map<number, AbortController>()
  let state: RowsState = { kind: 'loading' }
  let count: RowCount = { count: 0, isMore: true, isKnown: false }
  /** The last page told the number, which is newer than what the footer knows. */
  let isTold = false
  let reach: number | null = null
  /** The rows of which the answers have told. */
  let end = 0
  let error: unknown
  let version = 0
  let clock = 0
  let [from, to] = [0, 0]
  let isHeld = false
  let isOrderWanted = false
  /** The pages on screen are on their way. */
  let isOrdering = false
  let orderTimer: ReturnType<typeof setTimeout> | undefined
  let orderAt = -orderMs
  let news: number[] = []

  function notify(): void {
    version++
    for (const watcher of watchers) watcher()
  }

  function length(): number {
    const known = count.isKnown && !count.isMore ? count.count : Math.max(end, count.count)
    return Math.min(known, reach ?? Infinity)
  }

  const idAt = (index: number) => pages.get(Math.floor(index / pageSize))?.ids[index % pageSize]

  function indexOf(id: number): number {
    for (const [number, { ids }] of pages) {
      const at = ids.indexOf(id)
      if (at >= 0) return number * pageSize + at
    }
    return -1
  }

  const pagesOnScreen = (): number[] => {
    const [first, last] = [
      Math.floor(from / pageSize),
      Math.floor(Math.max(from, to - 1) / pageSize),
    ]
    return Array.from({ length: last - first + 1 }, (_, index) => first + index)
  }

  function takePage(number: number, answer: Window, asOf: number): void {
    // A page that was asked for later has come before.
    if ((pages.get(number)?.asOf ?? -1) > asOf) return
    for (const row of answer.rows) rows.put(row, asOf)
    pages.set(number, { ids: answer.rows.map(({ id }) => id), asOf, usedAt: ++clock })
    reach = answer.reach
    isTold = answer.count !== null
    const offset = number * pageSize
    if (answer.count !== null) count = { count: answer.count, isMore: false, isKnown: true }
    else if (!count.isKnown)
      // There may always be one more page.
      count = { count: 0, isMore: true, isKnown: false }
    const isFull = answer.rows.length === pageSize
    end = Math.max(
      end,
      offset + answer.rows.length + (isFull && answer.count === null ? pageSize : 0),
    )
    if (!isFull && answer.count === null) end = offset + answer.rows.length
  }

  /** Forgets pages that were on screen longest ago, and their rows. */
  function forgetOld(): void {
    const onScreen = new Set(pagesOnScreen())
    const old = [...pages]
      .filter(([number]) => !onScreen.has(number))
      .toSorted(([, one], [, other]) => one.usedAt - other.usedAt)
      .slice(0, Math.max(0, pages.size - mostPages))
    for (const [number, { ids }] of old) {
      pages.delete(number)
      for (const id of ids) rows.forget(id)
    }
  }

  const limitOf = (number: number) =>
    reach === null ? pageSize : Math.max(1, Math.min(pageSize, reach - number * pageSize))

  async function askPage(number: number): Promise<void> {
    const stop = new AbortController()
    underWay.set(number, stop)
    const asOf = rows.tick()
    try {
      const answer = await askWindow(key, number * pageSize, limitOf(number), stop.signal)
      takePage(number, answer, asOf)
      error = undefined
      state = { kind: 'ready' }
      forgetOld()
    } catch (problem) {
      if (stop.signal.aborted) return
      if (state.kind === 'ready' && isPassing(problem)) error = problem
      else if (pages.size === 0) state = { kind: 'failed', error: problem }
      else error = problem
    } finally {
      if (underWay.get(number) === stop) underWay.delete(number)
    }
    notify()
  }

  let passingTimer: ReturnType<typeof setTimeout> | undefined

  function askMissing(): void {
    if (isOrdering || error !== undefined || state.kind === 'failed') return
    const wanted = new Set(pagesOnScreen())
    for (const [number, stop] of underWay)
      if (!wanted.has(number)) {
        stop.abort()
        underWay.delete(number)
        // It was passed before it came, and so may the next one be.
        passingTimer ??= setTimeout(() => {
          passingTimer = undefined
          askMissing()
        }, passingMs)
      }
    if (passingTimer !== undefined) return
    for (const number of wanted) {
      const page = pages.get(number)
      if (page) page.usedAt = ++clock
      else if (!underWay.has(number) && number * pageSize < Math.max(1, length()))
        void askPage(number)
    }
  }

  function wantOrder(): void {
    isOrderWanted = true
    if (isHeld) return
    orderTimer ??= setTimeout(
      () => {
        orderTimer = undefined
        void askOrder()
      },
      Math.max(150, orderAt + orderMs - performance.now()),
    )
  }

  /** The pages on screen anew; others are asked for when they are next shown. */
  async function askOrder(): Promise<void> {
    if (isHeld) {
      isOrderWanted = true
      return
    }
    isOrderWanted = false
    isOrdering = true
    orderAt = performance.now()
    for (const stop of underWay.values()) stop.abort()
    underWay.clear()
    const numbers = pagesOnScreen()
    const first = Array.from({ length: Math.max(1, to - from) }, (_, index) => from + index)
      .map((index) => ({ index, id: idAt(index) }))
      .filter(({ id }) => id !== undefined)
    const asOf = rows.tick()
    try {
      const answers = await Promise.all(
        numbers.map(
          async (number) =>
            [number, await askWindow(key, number * pageSize, limitOf(number))] as const,
        ),
      )
      const before = pages
      pages = new Map()
      end = 0
      count = { ...count, isKnown: count.isKnown && !count.isMore }
      for (const [number, answer] of answers) takePage(number, answer, asOf)
      for (const { ids } of before.values())
        for (const id of ids) if (indexOf(id) < 0) rows.forget(id)
      // One row may have moved by itself; the middle of all says how far the others did.
      const shifts = first
        .map(({ index, id }) => ({ index, now: indexOf(id!) }))
        .filter((row) => row.now >= 0)
        .map((row) => row.now - row.index)
        .toSorted((a, b) => a - b)
      const shift = from > 0 ? (shifts[Math.floor(shifts.length / 2)] ?? 0) : 0
      state = { kind: 'ready' }
      error = undefined
      notify()
      if (shift !== 0) for (const listener of shiftListeners) listener(shift)
    } catch (problem) {
      if (state.kind !== 'ready') {
        state = { kind: 'failed', error: problem }
        notify()
      } else if (problem instanceof Problem && !isPassing(problem)) {
        error = problem
        notify()
      }
      // A cut connection ends with news of all that was missed.
    }
    isOrdering = false
    if (isOrderWanted) wantOrder()
    askMissing()
  }

  const changed = new Set<number>()
  let namedTimer: ReturnType<typeof setTimeout> | undefined
  let namedAt = -pauseMs

  function wantRows(ids: Iterable<number>): void {
    for (const id of ids) if (id > 0) changed.add(id)
    if (changed.size === 0) return
    namedTimer ??= setTimeout(
      () => {
        namedTimer = undefined
        namedAt = performance.now()
        const some = [...changed].slice(0, mostNamed)
        for (const id of some) changed.delete(id)
        // A cut connection ends with news of all that was missed.
        refetch(some).catch(() => undefined)
        wantRows([])
      },
      Math.max(16, namedAt + pauseMs - performance.now()),
    )
  }

  async function refetch(ids: readonly number[]): Promise<void> {
    const asOf = rows.tick()
    const found = await askAllNamed(whole, ids)
    for (const id of ids) {
      const row = found.get(id)
      if (row) rows.put(row, asOf)
      else if (rows.remove(id, asOf)) wantOrder()
    }
  }

  const onScreen = (): number[] =>
    Array.from({ length: Math.max(0, to - from) }, (_, index) => idAt(from + index)).filter(
      (id) => id !== undefined,
    )

  function hear({ name, data }: News): void {
    if (name === 'reset') return wantOrder()
    if (name !== 'change') return
    const type = String(data['entity_type'])
    const id = Number(data['entity_id'])
    if (type === key.type) {
      const now = performance.now()
      news = [...news.filter((at) => at > now - 1000), now]
      const actions = (data['actions'] ?? []) as string[]
      const isKnown = indexOf(id) >= 0
      if (news.length > mostNews || !isKnown) return wantOrder()
      wantRows([id])
      const isOrdered =
        group !== undefined || (key.order !== 'id' && Number(data['created_by']) !== userId)
      if (isOrdered || actions.includes('delete') || actions.includes('restore')) wantOrder()
    } else if (isShown(type)) wantRows(onScreen())
  }

  /** Whether rows may show what news of another type are about. */
  const isShown = (type: string) =>
    (type === 'contacts' && key.extras.includes('contact')) ||
    (type === 'companies' && key.extras.includes('company')) ||
    (type === 'leads' && key.extras.includes('leads')) ||
    type === 'tasks'

  return {
    key,
    rows,
    top: 0,
    state: () => state,
    count: () => count,
    length,
    isCut: () =>
      reach !== null && (count.isMore ? end > reach || count.count > reach : count.count > reach),
    idAt,
    indexOf,
    groupAt: () => undefined,
    toggle: () => undefined,
    rowsBefore: (index) => index,
    error: () => error,
    version: () => version,
    watch(watcher) {
      watchers.add(watcher)
      return () => watchers.delete(watcher)
    },
    onShift(listener) {
      shiftListeners.add(listener)
      return () => shiftListeners.delete(listener)
    },
    async load() {
      // The table has asked for what it shows.
      if (state.kind === 'ready' || underWay.size === 0) await askOrder()
    },
    show(first, last) {
      // A list that has become shorter, or is another one, ends before.
      from = Math.min(first, Math.max(0, length() - 1))
      to = Math.max(from, last)
      askMissing()
    },
    retry() {
      error = undefined
      if (state.kind === 'failed') state = { kind: 'loading' }
      notify()
      if (state.kind === 'loading') void askOrder()
      else askMissing()
    },
    setCount(number, isMore) {
      if (isTold || (count.isKnown && !count.isMore && isMore)) return
      if (count.count === number && count.isMore === isMore && count.isKnown) return
      count = { count: number, isMore, isKnown: true }
      notify()
    },
    hear,
    hold(isNow) {
      isHeld = isNow
      if (!isNow && isOrderWanted) wantOrder()
    },
    refetch,
    present: (ids) => askAllNamed({ ...whole, filter: '' }, ids),
    wantOrder,
    begin: (id, change) => rows.begin(id, change),
    confirm(operations) {
      for (const operation of operations) rows.confirm(operation)
    },
    drop(operations) {
      for (const operation of operations) rows.drop(operation)
    },
  }
}
