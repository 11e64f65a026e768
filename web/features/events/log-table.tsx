// The event log as a table in a window over its rows: the focus is on the table, and a cell has its mark.
import { ActionIcon } from '@mantine/core'
import { ListFilter } from 'lucide-react'
import {
  memo,
  useCallback,
  useEffect,
  useId,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import type { KeyboardEvent, ReactNode, Ref } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import { Virtualizer } from 'virtua'
import type { VirtualizerHandle } from 'virtua'
import type { RecordType } from '../../../server/records/description.ts'
import { nameOfUser, useBootstrap } from '../../crm/bootstrap.ts'
import { ChangeValues, recordTypeOf } from '../../crm/event-values.tsx'
import { RecordLink } from '../../crm/record-link.tsx'
import styles from './log.module.css'
import type { LogItem, LogState } from './log-store.ts'

export const logColumns = ['time', 'person', 'type', 'record', 'change'] as const
export type LogColumn = (typeof logColumns)[number]

export interface LogTableHandle {
  focus(): void
  /** Scrolls to the newest event. */
  toTop(): void
  /** Filters by the cell that has the mark. */
  filterBy(): void
}

/** From so many rows before the last one on, the next page is asked for. */
const rowsBefore = 30
/** Rows of the keys Page Up and Page Down. */
const pageRows = 10

interface Place {
  row: number
  column: number
}

type OpenRecord = (type: RecordType, id: number) => void

export function LogTable({
  ref,
  filter,
  state: { items, more },
  titleOf,
  open,
  filterBy,
  canFilterBy,
  loadMore,
}: {
  ref: Ref<LogTableHandle>
  /** Of the events that are shown. Another one begins at the top, or at the event with the mark. */
  filter: string
  state: Pick<LogState, 'items' | 'more'>
  /** The title of a type of events. */
  titleOf: (type: string) => string
  open: OpenRecord
  filterBy: (column: LogColumn, item: LogItem) => void
  canFilterBy: (column: LogColumn, item: LogItem) => boolean
  loadMore: () => void
}) {
  const words = useTranslations('events')
  const id = useId()
  const box = useRef<HTMLDivElement>(null)
  const list = useRef<VirtualizerHandle>(null)
  const [mark, setMark] = useState<{ id: string; column: number }>()
  // An event keeps the mark when newer ones come above it.
  const marked = mark === undefined ? -1 : items.findIndex(({ event }) => event.id === mark.id)
  const present: Place = { row: Math.max(marked, 0), column: mark?.column ?? 0 }
  const item = items[present.row]

  const look = useCallback(() => {
    const handle = list.current
    if (!handle || more !== 'idle') return
    const last = handle.findItemIndex(handle.scrollOffset + handle.viewportSize)
    if (last >= items.length - rowsBefore) loadMore()
  }, [items, more, loadMore])
  useEffect(look, [look])

  /** Brings a row on screen, and not under the head, which covers the top. */
  const reveal = (at: number) => {
    const [handle, scrolled] = [list.current, box.current]
    if (!handle || !scrolled) return
    const top = handle.getItemOffset(at)
    if (top < scrolled.scrollTop) scrolled.scrollTop = top
    else handle.scrollToIndex(at, { align: 'nearest' })
  }
  useLayoutEffect(() => {
    if (marked >= 0) reveal(marked)
    else if (box.current) box.current.scrollTop = 0
    // A row that is revealed once may be scrolled away.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [filter])
  const to = ({ row, column }: Place) => {
    const at = Math.max(0, Math.min(items.length - 1, row))
    const next = items[at]
    if (!next) return
    setMark({
      id: next.event.id,
      column: Math.max(0, Math.min(logColumns.length - 1, column)),
    })
    reveal(at)
  }
  const filterByMark = () => {
    const column = logColumns[present.column]!
    if (item && canFilterBy(column, item)) filterBy(column, item)
  }
  useImperativeHandle(ref, () => ({
    focus: () => box.current?.focus(),
    toTop: () => box.current?.scrollTo({ top: 0 }),
    filterBy: filterByMark,
  }))
  const openRecord = ({ event, linked, task }: LogItem, column: LogColumn) => {
    if (column === 'change' && linked && linked.type !== 'elements')
      return open(linked.type, linked.id)
    const type = recordTypeOf(event.entity_type)
    if (type) open(type, event.entity_id)
    else if (task?.record) open(task.record.type, task.record.id)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const { key, ctrlKey, metaKey, altKey, shiftKey, target, currentTarget } = event
    if (event.defaultPrevented || target !== currentTarget || altKey || shiftKey) return
    const isMod = ctrlKey || metaKey
    const { row, column } = present
    const moves: Record<string, Place> = {
      ArrowUp: { row: isMod ? 0 : row - 1, column },
      ArrowDown: { row: isMod ? items.length - 1 : row + 1, column },
      ArrowLeft: { row, column: isMod ? 0 : column - 1 },
      ArrowRight: { row, column: isMod ? logColumns.length - 1 : column + 1 },
      Home: { row: isMod ? 0 : row, column: 0 },
      End: { row: isMod ? items.length - 1 : row, column: logColumns.length - 1 },
      PageUp: { row: row - pageRows, column },
      PageDown: { row: row + pageRows, column },
    }
    const place = moves[key]
    if (place) to(place)
    else if (key === 'Enter' && item && !isMod) openRecord(item, logColumns[column]!)
    else return
    event.preventDefault()
  }

  return (
    <div
      ref={box}
      className={styles.table}
      role="grid"
      aria-label={words('table')}
      aria-busy={more === 'loading' || undefined}
      aria-rowcount={more === 'none' ? items.length + 1 : -1}
      aria-activedescendant={item && `${id}-${item.event.id}-${present.column}`}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onFocus={({ target, currentTarget }) => {
        // A pointer marks the cell that it presses, and may have done so already.
        if (target !== currentTarget || !target.matches(':focus-visible')) return
        setMark((now) =>
          now && items.some(({ event }) => event.id === now.id)
            ? now
            : items[0] && { id: items[0].event.id, column: 0 },
        )
      }}
    >
      <div className={styles.header} role="row" aria-rowindex={1}>
        {logColumns.map((column) => (
          <div key={column} role="columnheader" className={styles.head} data-column={column}>
            {words(`columns.${column}`)}
          </div>
        ))}
      </div>
      <Virtualizer
        ref={list}
        scrollRef={box}
        data={items}
        startMargin={headerHeight}
        bufferSize={400}
        // The cell with the mark is named by its id.
        keepMounted={[present.row]}
        onScroll={look}
      >
        {(each, index) => (
          <LogRow
            key={each.event.id}
            id={id}
            item={each}
            index={index}
            column={mark?.id === each.event.id ? mark.column : undefined}
            title={titleOf(each.event.type)}
            open={open}
            mark={(column) => {
              setMark({ id: each.event.id, column })
              box.current?.focus({ preventScroll: true })
            }}
            filterBy={filterBy}
            canFilterBy={canFilterBy}
          />
        )}
      </Virtualizer>
    </div>
  )
}

/** Pixels, as in log.module.css. */
const headerHeight = 34

const LogRow = memo(
  function LogRow({
    id,
    item,
    index,
    column: marked,
    title,
    open,
    mark,
    filterBy,
    canFilterBy,
  }: {
    /** Of the table. */
    id: string
    item: LogItem
    index: number
    /** Of the cell with the mark. */
    column: number | undefined
    title: string
    open: OpenRecord
    mark: (column: number) => void
    filterBy: (column: LogColumn, item: LogItem) => void
    canFilterBy: (column: LogColumn, item: LogItem) => boolean
  }) {
    const words = useTranslations('events')
    const { event, linked, purchase } = item
    const contents: Record<LogColumn, ReactNode> = {
      time: <Time at={event.created_at} />,
      person: <Person id={event.created_by} />,
      type: title,
      record: <OfEvent item={item} open={open} />,
      change: (
        <ChangeValues
          item={{ event, ...(linked && { linked }), ...(purchase && { purchase }) }}
          open={open}
          tabIndex={-1}
        />
      ),
    }
    return (
      <div className={styles.row} role="row" aria-rowindex={index + 2} data-event={event.id}>
        {logColumns.map((column, place) => (
          // The table has the keys.
          <div
            key={column}
            id={`${id}-${event.id}-${place}`}
            role="gridcell"
            tabIndex={-1}
            className={styles.cell}
            data-column={column}
            data-focus={place === marked || undefined}
            onClick={() => mark(place)}
            onKeyDown={undefined}
          >
            <span className={styles.content}>{contents[column]}</span>
            {place === marked && canFilterBy(column, item) && (
              <ActionIcon
                size={24}
                tabIndex={-1}
                className={styles.filter}
                aria-label={words('filterByThis')}
                title={`${words('filterByThis')}  F`}
                onClick={() => filterBy(column, item)}
              >
                <ListFilter size={14} />
              </ActionIcon>
            )}
          </div>
        ))}
      </div>
    )
  },
  (one, other) =>
    one.item === other.item &&
    one.index === other.index &&
    one.column === other.column &&
    one.title === other.title &&
    one.open === other.open &&
    one.filterBy === other.filterBy &&
    one.canFilterBy === other.canFilterBy,
)

function Time({ at }: { at: number }) {
  const format = useFormatter()
  const date = new Date(at * 1000)
  return (
    <time
      className={styles.time}
      dateTime={date.toISOString()}
      title={format.dateTime(date, { dateStyle: 'full', timeStyle: 'medium' })}
    >
      {format.dateTime(date, { dateStyle: 'short', timeStyle: 'medium' })}
    </time>
  )
}

/** Who did it. A robot is the system, and a user who is gone has a number. */
function Person({ id }: { id: number }) {
  const words = useTranslations('events')
  const vocabulary = useBootstrap()
  return (
    <bdi>
      {id === 0 ? words('system') : (nameOfUser(vocabulary, id) ?? words('numbered', { id }))}
    </bdi>
  )
}

/** The record, the task or the element that an event stands on. */
function OfEvent({ item: { event, task }, open }: { item: LogItem; open: OpenRecord }) {
  const words = useTranslations('events')
  const type = recordTypeOf(event.entity_type)
  const { entity } = event._embedded
  if (type)
    return (
      <>
        <span className={styles.kind}>{words(`entities.${event.entity_type as 'lead'}`)}</span>{' '}
        <RecordLink
          type={type}
          id={event.entity_id}
          open={open}
          tabIndex={-1}
          className={styles.reference}
        >
          <bdi>{entity.name || words('numbered', { id: event.entity_id })}</bdi>
        </RecordLink>
      </>
    )
  if (event.entity_type === 'task') {
    const text = <bdi>{task?.text || words('numbered', { id: event.entity_id })}</bdi>
    return (
      <>
        <span className={styles.kind}>{words('entities.task')}</span>{' '}
        {task?.record ? (
          <RecordLink {...task.record} open={open} tabIndex={-1} className={styles.reference}>
            {text}
          </RecordLink>
        ) : (
          text
        )}
      </>
    )
  }
  return (
    <>
      {entity.catalog?.name && <span className={styles.kind}>{entity.catalog.name}</span>}{' '}
      <bdi>{entity.name || words('numbered', { id: event.entity_id })}</bdi>
    </>
  )
}
