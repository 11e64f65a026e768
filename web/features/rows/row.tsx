// A row of a table: the box that selects it, the frozen columns, and the columns on screen.
import { Checkbox } from '@mantine/core'
import { memo, useSyncExternalStore } from 'react'
import { useTranslations } from 'use-intl'
import { fieldKinds } from '../../crm/fields/types.ts'
import { CellContent, useRowTitle } from './cell.tsx'
import { useRow, useTableContext, useTableSelection } from './context.ts'
import type { PlacedColumn } from './context.ts'
import { CellEditor } from './editor.tsx'
import type { CellStep } from './editor.tsx'
import type { Row } from './rows.ts'
import { isSelected, marksOf } from './selection.ts'
import styles from './rows.module.css'

/** The columns that a row draws: the frozen ones, and of the others those from `first` to `last`. */
export interface DrawnColumns {
  first: number
  last: number
  /** Pixels of the columns before the first. */
  skipped: number
}

export const cellId = (row: number, column: number): string => `cell-${row}-${column}`

export const TableRow = memo(function TableRow({
  index,
  id,
  top,
  drawn,
  onStep,
}: {
  index: number
  id: number
  /** Pixels from the beginning of the box. */
  top: number
  drawn: DrawnColumns
  onStep: (step: CellStep) => void
}) {
  const { columns, selection } = useTableContext()
  const row = useRow(id)
  const marks = useSyncExternalStore(selection.watch, () => marksOf(selection.get(), index))
  const isChosen = useTableSelection((state) => isSelected(state, id))
  const edited = useTableSelection(({ editing }) =>
    editing?.id === id ? editing.column : undefined,
  )
  if (!row) return <WaitingRow index={index} top={top} />
  const [from, to, focus] = marks.split(/[-:]/).map(Number)
  const shown = [
    ...columns.flatMap((column, at) => (column.isFrozen ? [{ column, at }] : [])),
    ...columns.flatMap((column, at) =>
      !column.isFrozen && at >= drawn.first && at <= drawn.last ? [{ column, at }] : [],
    ),
  ]
  const frozen = shown.filter(({ column }) => column.isFrozen)
  const rest = shown.filter(({ column }) => !column.isFrozen)
  const cell = ({ column, at }: { column: PlacedColumn; at: number }) => (
    <TableCell
      key={column.name}
      row={row}
      index={index}
      at={at}
      column={column}
      isInBlock={marks !== '' && at >= from! && at <= to!}
      isFocused={focus === at}
      isEdited={edited === column.name}
      onStep={onStep}
    />
  )
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isChosen}
      className={styles.row}
      style={{ transform: `translateY(${top}px)` }}
      data-row={id}
      data-selected={isChosen || undefined}
      data-edited={edited !== undefined || undefined}
    >
      <RowBox row={row} index={index} isChosen={isChosen} />
      {frozen.map(cell)}
      {drawn.skipped > 0 && <div className={styles.skipped} style={{ width: drawn.skipped }} />}
      {rest.map(cell)}
    </div>
  )
})

/**
 * In the place of a row that is on its way. It has one element, which moves on to other rows: where rows fly past, drawing
 * their cells would take longer than a frame.
 */
export function WaitingRow({ index, top }: { index: number; top: number }) {
  const { boxSize } = useTableContext()
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-busy
      className={styles.row}
      style={{ transform: `translateY(${top}px)` }}
      data-busy
    >
      <div
        role="gridcell"
        aria-colindex={2}
        className={styles.waiting}
        style={{ left: boxSize + 8 }}
      />
    </div>
  )
}

function RowBox({ row, index, isChosen }: { row: Row; index: number; isChosen: boolean }) {
  const words = useTranslations('rows')
  const { store, selection } = useTableContext()
  const title = useRowTitle()
  return (
    <div role="gridcell" aria-colindex={1} className={styles.box} data-box>
      <Checkbox
        tabIndex={-1}
        checked={isChosen}
        aria-label={words('selectRow', { name: title(row) })}
        onChange={() => undefined}
        onClick={(event) => {
          const { lastSelected } = selection.get()
          const before = lastSelected === undefined ? -1 : store.indexOf(lastSelected)
          if (event.shiftKey && before >= 0) {
            const [from, to] = [Math.min(before, index), Math.max(before, index)]
            const ids = Array.from({ length: to - from + 1 }, (_, at) => store.idAt(from + at))
            return selection.select(
              ids.filter((id) => id !== undefined),
              !isChosen,
            )
          }
          selection.select([row.id], !isChosen)
        }}
      />
    </div>
  )
}

const TableCell = memo(function TableCell({
  row,
  index,
  at,
  column,
  isInBlock,
  isFocused,
  isEdited,
  onStep,
}: {
  row: Row
  index: number
  at: number
  column: PlacedColumn
  isInBlock: boolean
  isFocused: boolean
  isEdited: boolean
  onStep: (step: CellStep) => void
}) {
  const { boxSize } = useTableContext()
  const isNumber = column.summed === 'amount' || column.summed === 'number'
  const isFlag = fieldKinds[column.field.type].isFlag === true
  return (
    <div
      role="gridcell"
      id={cellId(index, at)}
      aria-colindex={at + 2}
      aria-readonly={!column.write || !row.may_edit || undefined}
      aria-selected={isInBlock}
      className={styles.cell}
      style={{
        width: column.size,
        ...(column.isFrozen && { left: boxSize + column.start }),
      }}
      data-cell={`${index} ${at}`}
      data-column={column.name}
      data-frozen={column.isFrozen || undefined}
      data-block={isInBlock || undefined}
      data-focus={isFocused || undefined}
      data-number={isNumber || undefined}
      data-flag={isFlag || undefined}
      data-edited={isEdited || undefined}
    >
      {isEdited && column.write ? (
        <CellEditor row={row} column={column} onEnd={onStep} />
      ) : (
        <CellContent row={row} column={column} />
      )}
    </div>
  )
})
