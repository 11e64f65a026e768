// Shared by the parts of a table: its store, its columns, the selection, and the acts on cells.
import { createContext, useContext, useSyncExternalStore } from 'react'
import type { RecordType } from '../../../server/records/description.ts'
import type { Zones } from '../../crm/fields/field.ts'
import type { Numbers } from '../../ui/number-field.tsx'
import type { TableActions } from './actions.ts'
import type { RowColumn, RowsVocabulary } from './columns.ts'
import type { RowDuplicateCount, RowDuplicates } from './row-duplicates.ts'
import type { Row } from './rows.ts'
import type { TableSelection } from './selection.ts'
import type { RowStore } from './store.ts'
import type { RowWriter } from './writes.ts'

/** A column where it stands in the table. */
export interface PlacedColumn extends RowColumn {
  /** In pixels; `start` from the first column that scrolls, or of frozen ones from the edge. */
  size: number
  start: number
  isFrozen: boolean
}

export interface TableContext {
  store: RowStore
  selection: TableSelection
  writer: RowWriter
  vocabulary: RowsVocabulary
  /** The column that makes groups of the list; undefined where it has none. */
  groupColumn: RowColumn | undefined
  /** Makes groups by a column; undefined: none. */
  groupBy: (name: string | undefined) => void
  /** Those that are shown, in their order. */
  columns: readonly PlacedColumn[]
  actions: TableActions
  zones: Zones
  numbersOf: (column: RowColumn) => Numbers
  isMonthFirst: boolean
  /** Pixels. */
  rowHeight: number
  /** The width of the boxes that select rows, in pixels. */
  boxSize: number
  /** Rows that fill the screen. */
  pageRows: () => number
  /** Brings a cell on screen. */
  reveal: (row: number, column?: number) => void
  /** Shows the panel with a look at the row with the focus, or takes it away. */
  togglePeek: () => void
  /** Of records that are merged; undefined for others. */
  duplicates: RowDuplicates | undefined
  /** Compares a record with its duplicates; undefined where the user may not merge. */
  compare: ((id: number) => void) | undefined
  /** Opens the card of a record. */
  open: (id: number) => void
  /** Fetches the card of a record that is about to be opened. */
  prefetch: (id: number) => void
  /** Opens the card of a linked record. */
  openLinked: (type: RecordType, id: number) => void
}

const Context = createContext<TableContext | undefined>(undefined)
export const TableProvider = Context.Provider

export function useTableContext(): TableContext {
  const table = useContext(Context)
  if (!table) throw new Error('a part of a table stands outside of it')
  return table
}

/** A part of the selection. */
export function useTableSelection<Value>(
  select: (state: ReturnType<TableSelection['get']>) => Value,
): Value {
  const { selection } = useTableContext()
  return useSyncExternalStore(selection.watch, () => select(selection.get()))
}

/** A record as its row shows it; undefined while it is on its way. */
export function useRow(id: number | undefined): Row | undefined {
  const { rows } = useTableContext().store
  return useSyncExternalStore(
    (watcher) => (id === undefined ? () => undefined : rows.watch(id, watcher)),
    () => (id === undefined ? undefined : rows.shown(id)),
  )
}

const unwatched = () => () => undefined

/** The number of the duplicates of a record; undefined where it has none. */
export function useDuplicateCount(id: number): RowDuplicateCount | undefined {
  const { duplicates } = useTableContext()
  return useSyncExternalStore(duplicates?.watch ?? unwatched, () => duplicates?.of(id))
}
