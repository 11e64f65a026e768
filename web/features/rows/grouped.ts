// A list in groups: a heading for each value of a column, and under it the rows that have it. Each group on screen is a
// list of its own (store.ts), and all lie over the same records, so a row that goes from one group to another keeps the
// user's changes. Groups that were on screen are kept until a record of the type changes: then they are asked for anew.
import { Problem } from '../../data/api.ts'
import type { FieldType } from '../../crm/fields/field.ts'
import type { News } from '../../data/live.ts'
import { makeOverlay } from '../../data/overlay.ts'
import type { RowColumn } from './columns.ts'
import { askAllNamed, askGroups } from './rows.ts'
import type { Row, RowsKey } from './rows.ts'
import { makeRowStore } from './store.ts'
import type { RowCount, GroupHeading, RowsState, RowStore } from './store.ts'

const groupingTypes: ReadonlySet<FieldType> = new Set(['select', 'radiobutton', 'checkbox'])

/** Whether a column makes groups: a record has one of some values. The server says the same (rows/columns.ts). */
export const makesGroups = ({ kind, name, fieldId, field }: RowColumn): boolean =>
  kind === 'user' ||
  kind === 'stage' ||
  name === 'pipeline_id' ||
  (fieldId !== undefined && groupingTypes.has(field.type))

/** Lists of groups that are kept besides those on screen. */
const mostLists = 12
/** The groups are counted anew this long after a change, in milliseconds. */
const countMs = 700

interface Place extends GroupHeading {
  /** The position of the heading. */
  start: number
  /** Rows under it. */
  length: number
}

/** `userId`: of the user. */
export function makeGroupedStore(key: RowsKey & { by: string }, userId: number): RowStore {
  const rows = makeOverlay<Row>()
  const watchers = new Set<() => void>()
  /** By the value of the group, in the order in which they were on screen last. */
  const lists = new Map<string, RowStore>()
  let onScreen = new Set<string>()
  let counted: { value: string; count: number }[] = []
  const closed = new Set<string>()
  let state: RowsState = { kind: 'loading' }
  let error: unknown
  let total: RowCount = { count: 0, isMore: true, isKnown: false }
  let areMore = false
  let version = 0
  let places: Place[] = []
  let isHeld = false
  let isCountWanted = false
  let timer: ReturnType<typeof setTimeout> | undefined
  let asked = 0

  function place(): void {
    let start = 0
    places = counted.map(({ value, count }) => {
      const isOpen = !closed.has(value)
      const listed = lists.get(value)?.count()
      const length = isOpen
        ? listed?.isKnown && !listed.isMore
          ? lists.get(value)!.length()
          : count
        : 0
      const own = { value, count: listed?.isKnown ? listed.count : count, isOpen, start, length }
      start += 1 + length
      return own
    })
  }

  function notify(): void {
    place()
    version++
    for (const watcher of watchers) watcher()
  }

  /** The group that a position is in. */
  function placeAt(index: number): Place | undefined {
    let [low, high] = [0, places.length - 1]
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if (places[middle]!.start <= index) low = middle
      else high = middle - 1
    }
    const found = places[low]
    return found && index >= found.start && index <= found.start + found.length ? found : undefined
  }

  function listOf({ value, count }: { value: string; count: number }): RowStore {
    const known = lists.get(value)
    const list = known ?? makeRowStore({ ...key, value }, userId, rows)
    lists.delete(value)
    lists.set(value, list)
    if (!known) {
      list.setCount(count, false)
      list.watch(notify)
      list.hold(isHeld)
    }
    return list
  }

  async function count(): Promise<void> {
    isCountWanted = false
    const asOf = ++asked
    try {
      const answer = await askGroups(key, key.by)
      // One that was asked for later has come before.
      if (asOf < asked) return
      counted = answer.groups
      areMore = answer.are_more
      total = { count: answer.count, isMore: answer.is_more, isKnown: true }
      state = { kind: 'ready' }
      error = undefined
    } catch (problem) {
      if (state.kind !== 'ready') state = { kind: 'failed', error: problem }
      else if (problem instanceof Problem) error = problem
    }
    notify()
  }

  function wantCount(): void {
    isCountWanted = true
    if (isHeld) return
    timer ??= setTimeout(() => {
      timer = undefined
      if (!isHeld) void count()
    }, countMs)
  }

  const shownLists = () => [...lists].flatMap(([value, list]) => (onScreen.has(value) ? list : []))

  function forgetResting(): void {
    for (const value of lists.keys()) if (!onScreen.has(value)) lists.delete(value)
  }

  function hear(news: News): void {
    const isOwn = news.name === 'reset' || news.data['entity_type'] === key.type
    if (isOwn) {
      forgetResting()
      wantCount()
    }
    for (const list of shownLists()) list.hear(news)
  }

  return {
    key,
    rows,
    top: 0,
    state: () => state,
    count: () => total,
    length: () => {
      const last = places.at(-1)
      return last ? last.start + 1 + last.length : 0
    },
    isCut: () => areMore,
    idAt(index) {
      const found = placeAt(index)
      return found && index > found.start
        ? lists.get(found.value)?.idAt(index - found.start - 1)
        : undefined
    },
    indexOf(id) {
      for (const { value, start, isOpen } of places) {
        const at = isOpen ? (lists.get(value)?.indexOf(id) ?? -1) : -1
        if (at >= 0) return start + 1 + at
      }
      return -1
    },
    groupAt(index) {
      const found = placeAt(index)
      return found?.start === index ? found : undefined
    },
    toggle(value) {
      if (!closed.delete(value)) closed.add(value)
      notify()
    },
    rowsBefore: (index) => index - places.filter(({ start }) => start < index).length,
    error: () =>
      error ??
      shownLists()
        .find((list) => list.error() !== undefined)
        ?.error(),
    version: () => version,
    watch(watcher) {
      watchers.add(watcher)
      return () => watchers.delete(watcher)
    },
    onShift: () => () => undefined,
    load: count,
    show(first, last) {
      const now = new Set<string>()
      for (const { value, count: size, isOpen, start, length } of places) {
        const [from, to] = [Math.max(0, first - start - 1), Math.min(length, last - start - 1)]
        if (!isOpen || to <= from) continue
        now.add(value)
        listOf({ value, count: size }).show(from, to)
      }
      onScreen = now
      for (const value of [...lists.keys()].slice(0, -mostLists))
        if (!now.has(value)) lists.delete(value)
    },
    retry() {
      error = undefined
      if (state.kind === 'failed') state = { kind: 'loading' }
      for (const list of shownLists()) if (list.error() !== undefined) list.retry()
      notify()
      void count()
    },
    // The groups tell it.
    setCount: () => undefined,
    hear,
    hold(isNow) {
      isHeld = isNow
      for (const list of lists.values()) list.hold(isNow)
      if (!isNow && isCountWanted) wantCount()
    },
    async refetch(ids) {
      const asOf = rows.tick()
      const found = await askAllNamed(key, ids)
      for (const id of ids) {
        const row = found.get(id)
        if (row) rows.put(row, asOf)
        else rows.remove(id, asOf)
      }
      for (const list of shownLists()) list.wantOrder()
      wantCount()
    },
    present: (ids) => askAllNamed({ ...key, filter: '' }, ids),
    wantOrder() {
      forgetResting()
      for (const list of shownLists()) list.wantOrder()
      wantCount()
    },
    begin: (id, change) => rows.begin(id, change),
    confirm(operations) {
      for (const operation of operations) rows.confirm(operation)
    },
    drop(operations) {
      for (const operation of operations) rows.drop(operation)
    },
  }
}
