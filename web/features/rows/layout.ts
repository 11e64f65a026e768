// Which columns a table shows, in which order, how wide, and which of them stay while the others scroll. The browser
// keeps it for the user. An address may name the columns instead, so that a view brings its own; what is changed then
// is changed in the address.
import {
  columnOrderingFeature,
  columnPinningFeature,
  columnResizingFeature,
  columnSizingFeature,
  columnVisibilityFeature,
  createColumnHelper,
  tableFeatures,
  useTable,
} from '@tanstack/react-table'
import type { Updater } from '@tanstack/react-table'
import { useMemo, useSyncExternalStore } from 'react'
import { useBrowserChoice } from '../../data/browser-choice.ts'
import { useIsNarrow } from '../../ui/narrow.ts'
import type { RowColumn } from './columns.ts'
import type { PlacedColumn } from './context.ts'
import type { Row } from './rows.ts'

interface KeptLayout {
  /** All columns that were ever placed, in their order. */
  order: string[]
  /** The columns that are shown; undefined: the usual ones. */
  shown?: string[]
  /** Pixels. */
  sizes: Record<string, number>
  /** How many of the first columns stay while the others scroll. */
  frozen: number
}

export interface TableLayout {
  columns: readonly PlacedColumn[]
  /** All columns in their order, shown or not. */
  all: readonly (RowColumn & { isShown: boolean })[]
  frozen: number
  /** Begins to resize a column with the pointer. */
  resize: (name: string) => (event: unknown) => void
  isResizing: boolean
  setSize: (name: string, size: number) => void
  show: (name: string, isShown: boolean) => void
  /** Puts a column before another one; at the end where that is undefined. */
  place: (name: string, before: string | undefined) => void
  freeze: (count: number) => void
  reset: () => void
}

const features = tableFeatures({
  columnOrderingFeature,
  columnVisibilityFeature,
  columnSizingFeature,
  columnResizingFeature,
  columnPinningFeature,
})
const helper = createColumnHelper<typeof features, Row>()
/** The table has the columns only: its rows are those on screen. */
const noRows: Row[] = []

export const [leastSize, mostSize] = [60, 800]
/** Of the width of a phone, that of the name. */
const nameShare = 0.45

const applied = <Value>(updater: Updater<Value>, value: Value): Value =>
  typeof updater === 'function' ? (updater as (old: Value) => Value)(value) : updater

function onResize(listener: () => void): () => void {
  addEventListener('resize', listener)
  return () => removeEventListener('resize', listener)
}

/**
 * `fromAddress`: the columns that the address names. `setAddress` names others there; undefined: it names none any
 * more.
 */
export function useTableLayout(
  /** The list, whose choice the browser keeps. */
  list: string,
  userId: number,
  columns: readonly RowColumn[],
  fromAddress: readonly string[] | undefined,
  setAddress: (names: string[] | undefined) => void,
): TableLayout {
  const [kept, setKept] = useBrowserChoice<KeptLayout>(`rows.${userId}.${list}`, {
    order: [],
    sizes: {},
    frozen: 1,
  })
  const byName = useMemo(() => new Map(columns.map((column) => [column.name, column])), [columns])
  const shown =
    fromAddress ?? kept.shown ?? columns.flatMap(({ isUsual, name }) => (isUsual ? name : []))
  const order = useMemo(() => {
    const placed = [...(fromAddress ?? []), ...kept.order].filter((name) => byName.has(name))
    return [...new Set([...placed, ...columns.map(({ name }) => name)])]
  }, [fromAddress, kept.order, byName, columns])
  // The name stands first, whatever else is shown.
  const visible = order.filter((name) => shown.includes(name) || byName.get(name)?.kind === 'name')
  const isNarrow = useIsNarrow()
  const room = useSyncExternalStore(onResize, () => (isNarrow ? innerWidth : Infinity))
  const definitions = useMemo(() => {
    // On a phone the name, which stays, leaves room for what scrolls.
    const mostOfName = Math.max(leastSize, room * nameShare)
    return columns.map(({ name, kind, width }) =>
      helper.display({
        id: name,
        size: kind === 'name' ? Math.round(Math.min(width, mostOfName)) : width,
        minSize: leastSize,
        maxSize: mostSize,
      }),
    )
  }, [columns, room])
  const table = useTable({
    features,
    columns: definitions,
    data: noRows,
    columnResizeMode: 'onChange',
    state: {
      columnOrder: order,
      columnVisibility: Object.fromEntries(order.map((name) => [name, visible.includes(name)])),
      columnSizing: kept.sizes,
      columnPinning: { start: visible.slice(0, kept.frozen), end: [] },
    },
    onColumnSizingChange: (updater) => {
      setKept({ ...kept, sizes: applied(updater, kept.sizes) })
    },
  })
  const headers = table.getHeaderGroups()[0]?.headers ?? []
  const placed = headers.map((header, index): PlacedColumn => {
    const { column } = header
    const isFrozen = index < kept.frozen
    return {
      ...byName.get(column.id)!,
      size: column.getSize(),
      start: column.getStart(isFrozen ? 'start' : 'center'),
      isFrozen,
    }
  })
  const keep = (change: Pick<KeptLayout, 'sizes'> | Pick<KeptLayout, 'frozen'>) =>
    setKept({ ...kept, ...change })
  const choose = (nextOrder: string[], nextShown: string[]) =>
    fromAddress
      ? setAddress(nextOrder.filter((name) => nextShown.includes(name)))
      : setKept({ ...kept, order: nextOrder, shown: nextShown })
  return {
    columns: placed,
    all: order.map((name) => ({ ...byName.get(name)!, isShown: visible.includes(name) })),
    frozen: Math.min(kept.frozen, placed.length),
    resize: (name) =>
      headers.find(({ column }) => column.id === name)?.getResizeHandler() ?? (() => undefined),
    isResizing: headers.some(({ column }) => column.getIsResizing()),
    setSize: (name, size) =>
      keep({ sizes: { ...kept.sizes, [name]: Math.min(mostSize, Math.max(leastSize, size)) } }),
    show: (name, isShown) =>
      choose(order, isShown ? [...visible, name] : visible.filter((each) => each !== name)),
    place(name, before) {
      const others = order.filter((each) => each !== name)
      const at = before === undefined ? others.length : others.indexOf(before)
      choose(others.toSpliced(at, 0, name), visible)
    },
    freeze: (frozen) => keep({ frozen }),
    reset() {
      setKept({ order: [], sizes: {}, frozen: 1 })
      if (fromAddress) setAddress(undefined)
    },
  }
}
