// The headers of a table: a press sorts by the column; its menu sorts, filters, hides, freezes and moves it; its edge
// makes it wider.
import { combine } from '@atlaskit/pragmatic-drag-and-drop/combine'
import { draggable, dropTargetForElements } from '@atlaskit/pragmatic-drag-and-drop/element/adapter'
import { ActionIcon, Checkbox, Menu } from '@mantine/core'
import {
  ArrowDown,
  ArrowLeft,
  ArrowRight,
  ArrowUp,
  ChevronDown,
  EyeOff,
  Filter,
  Group,
  Pin,
  PinOff,
} from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { PlacedColumn } from './context.ts'
import { useTableContext, useTableSelection } from './context.ts'
import { makesGroups } from './grouped.ts'
import type { TableLayout } from './layout.ts'
import styles from './rows.module.css'

export interface TableSort {
  column: string
  direction: 'asc' | 'desc'
}

/** Pixels by which the keys make a column wider or narrower. */
const step = 24

export function TableHeader({
  layout,
  sort,
  setSort,
  filterBy,
}: {
  layout: TableLayout
  sort: TableSort
  setSort: (sort: TableSort) => void
  /** Opens the filter of a column. */
  filterBy: (parameter: string) => void
}) {
  const words = useTranslations('rows')
  const { columns, store, selection } = useTableContext()
  const isAll = useTableSelection((state) => state.isAll && state.left.size === 0)
  const isSome = useTableSelection((state) => state.isAll || state.selected.size > 0)
  const loaded = () =>
    Array.from({ length: Math.min(store.length(), 1000) }, (_, index) => store.idAt(index)).filter(
      (id) => id !== undefined,
    )
  const head = (column: PlacedColumn, at: number) => (
    <Head
      key={column.name}
      column={column}
      at={at}
      layout={layout}
      sort={sort}
      setSort={setSort}
      filterBy={filterBy}
    />
  )
  const placed = columns.map((column, at) => ({ column, at }))
  return (
    <div role="row" aria-rowindex={1} className={styles.header}>
      <div role="columnheader" aria-colindex={1} className={styles.box}>
        <Checkbox
          checked={isAll || isSome}
          indeterminate={!isAll && isSome}
          aria-label={words('selectAll')}
          onChange={({ target }) => {
            if (target.checked && !isSome) selection.select(loaded(), true)
            else selection.selectNone()
          }}
        />
      </div>
      {placed.map(({ column, at }) => head(column, at))}
    </div>
  )
}

function Head({
  column,
  at,
  layout,
  sort,
  setSort,
  filterBy,
}: {
  column: PlacedColumn
  at: number
  layout: TableLayout
  sort: TableSort
  setSort: (sort: TableSort) => void
  filterBy: (parameter: string) => void
}) {
  const words = useTranslations('rows')
  const { columns, boxSize, groupColumn, groupBy } = useTableContext()
  const element = useRef<HTMLDivElement>(null)
  const [over, setOver] = useState<'before' | 'after'>()
  const isSort = sort.column === column.name
  const { name, label } = column
  const isFirst = column.kind === 'name'
  const latest = useRef(layout)
  latest.current = layout
  useEffect(() => {
    const { current } = element
    if (!current) return
    const side = (x: number) => {
      const { left, width } = current.getBoundingClientRect()
      return x < left + width / 2 ? ('before' as const) : ('after' as const)
    }
    return combine(
      draggable({
        element: current,
        canDrag: ({ input }) =>
          !isFirst &&
          document.elementFromPoint(input.clientX, input.clientY)?.closest('[data-edge]') === null,
        getInitialData: () => ({ column: name }),
      }),
      dropTargetForElements({
        element: current,
        canDrop: ({ source }) => 'column' in source.data && source.data['column'] !== name,
        onDrag: ({ location, source }) =>
          'column' in source.data && setOver(side(location.current.input.clientX)),
        onDragLeave: () => setOver(undefined),
        onDrop({ location, source }) {
          setOver(undefined)
          const { all } = latest.current
          const shown = all.filter(({ isShown }) => isShown)
          const own = shown.findIndex((each) => each.name === name)
          const before =
            side(location.current.input.clientX) === 'before' && !isFirst
              ? name
              : shown[own + 1]?.name
          if (before !== source.data['column'])
            latest.current.place(String(source.data['column']), before)
        },
      }),
    )
  }, [name, isFirst])
  const sortBy = (direction: 'asc' | 'desc') => setSort({ column: name, direction })
  const shown = columns.map((each) => each.name)
  return (
    <div
      ref={element}
      role="columnheader"
      aria-colindex={at + 2}
      aria-sort={isSort ? (sort.direction === 'asc' ? 'ascending' : 'descending') : 'none'}
      className={styles.head}
      style={{ width: column.size, ...(column.isFrozen && { left: boxSize + column.start }) }}
      data-frozen={column.isFrozen || undefined}
      data-over={over}
      data-head={name}
      // A browser leaves what is seen in part where it is.
      onFocus={({ currentTarget }) =>
        currentTarget.scrollIntoView({ block: 'nearest', inline: 'nearest' })
      }
    >
      <button
        type="button"
        className={styles.headName}
        title={label}
        disabled={!column.isSorted}
        onClick={() => sortBy(isSort && sort.direction === 'asc' ? 'desc' : 'asc')}
      >
        <span>{label}</span>
        {isSort &&
          (sort.direction === 'asc' ? (
            <ArrowUp size={13} aria-hidden />
          ) : (
            <ArrowDown size={13} aria-hidden />
          ))}
      </button>
      <Menu position="bottom-start" width={230}>
        <Menu.Target>
          <ActionIcon
            size={24}
            className={styles.headMenu}
            aria-label={words('columnMenu', { column: label })}
          >
            <ChevronDown size={13} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {column.isSorted && (
            <>
              <Menu.Item
                leftSection={<ArrowUp size={14} aria-hidden />}
                onClick={() => sortBy('asc')}
              >
                {words('sortUp')}
              </Menu.Item>
              <Menu.Item
                leftSection={<ArrowDown size={14} aria-hidden />}
                onClick={() => sortBy('desc')}
              >
                {words('sortDown')}
              </Menu.Item>
            </>
          )}
          {column.filter !== undefined && (
            <Menu.Item
              leftSection={<Filter size={14} aria-hidden />}
              onClick={() => filterBy(column.filter!)}
            >
              {words('filterBy')}
            </Menu.Item>
          )}
          {makesGroups(column) && (
            <Menu.Item
              leftSection={<Group size={14} aria-hidden />}
              onClick={() => groupBy(groupColumn?.name === name ? undefined : name)}
            >
              {words(groupColumn?.name === name ? 'ungroup' : 'groupBy')}
            </Menu.Item>
          )}
          <Menu.Divider />
          {!isFirst && (
            <>
              <Menu.Item
                leftSection={<ArrowLeft size={14} aria-hidden />}
                disabled={at < 2}
                onClick={() => layout.place(name, shown[at - 1])}
              >
                {words('moveLeft')}
              </Menu.Item>
              <Menu.Item
                leftSection={<ArrowRight size={14} aria-hidden />}
                disabled={at === shown.length - 1}
                onClick={() => layout.place(name, shown[at + 2])}
              >
                {words('moveRight')}
              </Menu.Item>
            </>
          )}
          <Menu.Item
            leftSection={
              column.isFrozen ? <PinOff size={14} aria-hidden /> : <Pin size={14} aria-hidden />
            }
            onClick={() => layout.freeze(column.isFrozen ? at : at + 1)}
          >
            {words(column.isFrozen ? 'unfreeze' : 'freeze')}
          </Menu.Item>
          <Menu.Item
            closeMenuOnClick={false}
            onClick={() => layout.setSize(name, column.size + step)}
          >
            {words('wider')}
          </Menu.Item>
          <Menu.Item
            closeMenuOnClick={false}
            onClick={() => layout.setSize(name, column.size - step)}
          >
            {words('narrower')}
          </Menu.Item>
          {!isFirst && (
            <Menu.Item
              leftSection={<EyeOff size={14} aria-hidden />}
              onClick={() => layout.show(name, false)}
            >
              {words('hide')}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      <div
        className={styles.edge}
        data-edge
        aria-hidden
        onMouseDown={(event) => layout.resize(name)(event)}
        onTouchStart={(event) => layout.resize(name)(event)}
      />
    </div>
  )
}
