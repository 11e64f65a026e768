// The table of a list: the rows and columns on screen out of all of them. The table itself has the focus, and names the
// cell that the keys are for: a row that scrolls away takes no focus with it.
import { Button } from '@mantine/core'
import {
  useCallback,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import type { ClipboardEvent, MouseEvent, ReactNode, Ref } from 'react'
import { useTranslations } from 'use-intl'
import { fieldKinds } from '../../crm/fields/types.ts'
import { isFocusLost } from '../../ui/focus.ts'
import { Failure, ProblemText } from '../../ui/states.tsx'
import { useTableContext } from './context.ts'
import { followRows } from './selection.ts'
import type { RowStore } from './store.ts'
import type { PlacedColumn } from './context.ts'
import type { CellStep } from './editor.tsx'
import { GroupRow } from './group-row.tsx'
import { TableFooter } from './footer.tsx'
import { TableHeader } from './header.tsx'
import type { TableSort } from './header.tsx'
import { useTableKeys } from './keys.ts'
import type { TableLayout } from './layout.ts'
import { cellId, TableRow, WaitingRow } from './row.tsx'
import type { DrawnColumns } from './row.tsx'
import { afterScroll, spaceOf, stateAt, topOf } from './scroll.ts'
import type { ScrollState } from './scroll.ts'
import styles from './rows.module.css'

/** The rows beyond the screen follow a jump after so many milliseconds: those on screen come first. */
const afterJumpMs = 300
/** Rows and pixels that are drawn beyond the screen. */
const [moreRows, morePixels] = [8, 200]
/** No screen shows so many rows. */
const mostDrawn = 512
/** Milliseconds for which rows are on screen before more of them is asked for. */
const restMs = 400
/** Of the header and the footer, in pixels. */
const frameHeight = 34 + 34

export interface TableHandle {
  /** Brings a cell on screen. */
  reveal: (row: number, column?: number) => void
  pageRows: () => number
  focus: () => void
  /** Edits the cell with the focus. */
  edit: () => void
}

interface Drawn extends DrawnColumns {
  from: number
  to: number
  offset: number
}

const nothingDrawn: Drawn = { from: 0, to: 0, offset: 0, first: 0, last: -1, skipped: 0 }

export function Table({
  ref,
  layout,
  sort,
  setSort,
  filterBy,
  empty,
}: {
  ref: Ref<TableHandle>
  layout: TableLayout
  sort: TableSort
  setSort: (sort: TableSort) => void
  filterBy: (parameter: string) => void
  /** In the place of the rows where the list has none. */
  empty: ReactNode
}) {
  const words = useTranslations('rows')
  const { store, selection, columns, rowHeight, boxSize, actions, duplicates } = useTableContext()
  useSyncExternalStore(store.watch, store.version)
  const box = useRef<HTMLDivElement>(null)
  const scroll = useRef<ScrollState>({ scrollTop: 0, offset: 0 })
  /** The list whose scroll the box has. */
  const shownStore = useRef<RowStore>(undefined)
  const [drawn, setDrawn] = useState<Drawn>(nothingDrawn)
  const latest = useRef(drawn)
  const length = store.length()
  const space = spaceOf(length * rowHeight)
  const state = store.state()
  const focus = useSyncExternalStore(selection.watch, () => selection.get().focus)
  const said = useSyncExternalStore(selection.watch, () => selection.get().said)
  const frozenSize = columns
    .filter(({ isFrozen }) => isFrozen)
    .reduce((sum, { size }) => sum + size, boxSize)
  const rest = columns.filter(({ isFrozen }) => !isFrozen)
  const totalSize = rest.reduce((sum, { size }) => sum + size, frozenSize)

  /** The rows beyond the screen are drawn later, where a jump led to others. */
  const fuller = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(fuller.current), [])
  /** Draws the rows and columns on screen, if they are others than before. */
  const draw = useCallback(
    (isWhole = false) => {
      const element = box.current
      if (!element) return
      const view = Math.max(0, element.clientHeight - frameHeight)
      // Another list begins where it was left, once its rows are known.
      if (shownStore.current !== store) {
        const isKnown = store.length() > 0
        scroll.current = stateAt(isKnown ? store.top : 0, spaceOf(store.length() * rowHeight), view)
        element.scrollTop = scroll.current.scrollTop
        if (isKnown) shownStore.current = store
      }
      const top = topOf(scroll.current)
      if (shownStore.current === store) store.top = top
      const first = Math.floor(top / rowHeight)
      const last = Math.ceil((top + view) / rowHeight)
      store.show(first, Math.min(last + 1, Math.max(1, store.length())))
      const next: Drawn = {
        from: Math.max(0, first - moreRows),
        to: Math.min(store.length(), last + moreRows),
        offset: scroll.current.offset,
        ...columnsOnScreen(
          columns,
          element.scrollLeft - morePixels,
          element.clientWidth + 2 * morePixels - frozenSize,
        ),
      }
      const before = latest.current
      const onScreen = { from: first, to: Math.min(store.length(), last) }
      const isJump = next.to <= before.from || next.from >= before.to
      // A jump scrolls the box, and is heard of again.
      const isWaiting =
        fuller.current !== undefined && before.from === onScreen.from && before.to === onScreen.to
      const hasMore = next.from < onScreen.from || next.to > onScreen.to
      if (!isWaiting || isWhole) {
        clearTimeout(fuller.current)
        fuller.current = undefined
      }
      if (!isWhole && hasMore && (isJump || isWaiting)) {
        Object.assign(next, onScreen)
        fuller.current ??= setTimeout(() => draw(true), afterJumpMs)
      }
      if ((Object.keys(next) as (keyof Drawn)[]).every((key) => before[key] === next[key])) return
      latest.current = next
      setDrawn(next)
    },
    [store, columns, rowHeight, frozenSize],
  )

  const onScroll = () => {
    const element = box.current!
    const view = element.clientHeight - frameHeight
    const next = afterScroll(scroll.current, element.scrollTop, space, view)
    scroll.current = next
    if (next.scrollTop !== element.scrollTop) element.scrollTop = next.scrollTop
    draw()
  }

  const scrollTo = useCallback(
    (top: number) => {
      const element = box.current
      if (!element) return
      const all = spaceOf(store.length() * rowHeight)
      scroll.current = stateAt(top, all, element.clientHeight - frameHeight)
      element.scrollTop = scroll.current.scrollTop
      draw()
    },
    [store, rowHeight, draw],
  )

  useLayoutEffect(() => {
    const element = box.current
    if (!element) return undefined
    const watcher = new ResizeObserver(() => draw())
    watcher.observe(element)
    return () => watcher.disconnect()
  }, [draw, state.kind])
  // Also where the number of rows has changed.
  useLayoutEffect(() => draw(), [draw, length])
  useEffect(
    () => store.onShift((rows) => scrollTo(topOf(scroll.current) + rows * rowHeight)),
    [store, rowHeight, scrollTo],
  )
  useEffect(() => followRows(store, selection), [store, selection])
  const drawnIds = duplicates
    ? Array.from({ length: drawn.to - drawn.from }, (_, at) => store.idAt(drawn.from + at) ?? '')
        .filter((id) => id !== '')
        .join()
    : ''
  useEffect(() => {
    if (drawnIds === '') return undefined
    const timer = setTimeout(() => duplicates?.show(drawnIds.split(',').map(Number)), restMs)
    return () => clearTimeout(timer)
  }, [duplicates, drawnIds])

  const pageRows = () =>
    Math.max(1, Math.floor(((box.current?.clientHeight ?? 0) - frameHeight) / rowHeight) - 1)
  const reveal = (row: number, column?: number) => {
    const element = box.current
    if (!element) return
    const view = element.clientHeight - frameHeight
    const top = topOf(scroll.current)
    const at = row * rowHeight
    if (at < top) scrollTo(at)
    else if (at + rowHeight > top + view) scrollTo(at + rowHeight - view)
    const shown = column === undefined ? undefined : columns[column]
    if (!shown || shown.isFrozen) return
    const width = element.clientWidth - frozenSize
    if (shown.start < element.scrollLeft) element.scrollLeft = shown.start
    else if (shown.start + shown.size > element.scrollLeft + width)
      element.scrollLeft = shown.start + shown.size - width
  }
  const focusTable = () => box.current?.focus({ preventScroll: true })
  const { onKeyDown, move } = useTableKeys({ reveal, pageRows })

  const onStep = useCallback(
    (step: CellStep) => {
      selection.set({ editing: undefined })
      if (step !== 'stay') move(step)
      // A click elsewhere has its own place.
      if (isFocusLost() || box.current?.contains(document.activeElement)) focusTable()
    },
    // `move` reads what is present.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
    [selection],
  )

  const cellAt = (target: EventTarget): { row: number; column: number } | undefined => {
    const [row, column] =
      (target as HTMLElement)
        .closest<HTMLElement>('[data-cell]')
        ?.dataset['cell']?.split(' ')
        .map(Number) ?? []
    return row === undefined || column === undefined ? undefined : { row, column }
  }
  /** The cell that had the focus before the press. */
  const pressed = useRef<{ row: number; column: number }>(undefined)
  const onMouseDown = (event: MouseEvent) => {
    pressed.current = selection.get().focus
    const cell = cellAt(event.target)
    const target = event.target as HTMLElement
    if (target.closest('[data-box], [data-mark]')) {
      // The keys go on in the table.
      event.preventDefault()
      return focusTable()
    }
    if (!cell || event.button !== 0 || target.closest('a, button, input, textarea, [data-portal]'))
      return
    if (selection.get().editing) return
    event.preventDefault()
    focusTable()
    const { anchor, focus: before } = selection.get()
    selection.set({ focus: cell, anchor: event.shiftKey ? (anchor ?? before ?? cell) : cell })
    const extend = ({ clientX, clientY }: globalThis.MouseEvent) => {
      const over = document.elementFromPoint(clientX, clientY)
      const to = over && cellAt(over)
      if (to) selection.set({ focus: to })
    }
    const stop = () => removeEventListener('mousemove', extend)
    addEventListener('mousemove', extend)
    addEventListener('mouseup', stop, { once: true })
  }
  const edit = (cell: { row: number; column: number }) => {
    const group = store.groupAt(cell.row)
    if (group) {
      selection.set({ focus: cell, anchor: cell })
      return store.toggle(group.value)
    }
    const column = columns[cell.column]
    const id = store.idAt(cell.row)
    const row = id === undefined ? undefined : store.rows.shown(id)
    if (!column || !row) return
    const refused = actions.refusal(row, column)
    if (refused !== undefined) return selection.say(refused)
    selection.set({ focus: cell, anchor: cell })
    if (fieldKinds[column.field.type].isFlag) {
      const isSet = column.read(row)?.[0]?.value === true
      void actions.save(
        [{ id: row.id, column, values: [{ value: !isSet }] }],
        words('changed', { column: column.label }),
      )
      return
    }
    selection.set({ editing: { id: row.id, column: column.name } })
  }
  useImperativeHandle(ref, () => ({
    reveal,
    pageRows,
    focus: focusTable,
    edit() {
      const cell = selection.get().focus
      focusTable()
      if (cell) edit(cell)
    },
  }))
  const isEditing = () => selection.get().editing !== undefined
  const onCopy = (event: ClipboardEvent) => {
    if (isEditing() || getSelection()?.isCollapsed === false) return
    const text = actions.copy()
    if (text === '' && !selection.get().focus) return
    event.clipboardData.setData('text/plain', text)
    event.preventDefault()
    selection.say(words('copied'))
  }
  const onPaste = (event: ClipboardEvent) => {
    if (isEditing() || !selection.get().focus) return
    event.preventDefault()
    actions.paste(event.clipboardData.getData('text/plain'))
  }
  const error = store.error()
  const isEmpty = state.kind === 'ready' && length === 0 && !store.isCut()
  if (state.kind === 'failed')
    return (
      <div className={styles.failed}>
        <Failure error={state.error} retry={store.retry} />
      </div>
    )
  const numbers = Array.from(
    { length: Math.max(0, Math.min(drawn.to, length) - drawn.from) },
    (_, index) => drawn.from + index,
  )
  const skeletons = state.kind === 'loading' ? Array.from({ length: 12 }, (_, index) => index) : []
  return (
    <>
      {error !== undefined && (
        <div className={styles.problem} role="alert">
          <ProblemText error={error} />
          <Button variant="default" size="xs" onClick={store.retry}>
            {words('retry')}
          </Button>
        </div>
      )}
      <div
        ref={box}
        className={styles.table}
        role="grid"
        tabIndex={0}
        aria-label={words(
          store.key.bin ? `bin.titles.${store.key.type}` : `titles.${store.key.type}`,
        )}
        aria-rowcount={length + 2}
        aria-colcount={columns.length + 1}
        aria-multiselectable
        aria-busy={state.kind === 'loading' || undefined}
        aria-activedescendant={
          focus && focus.row >= drawn.from && focus.row < drawn.to
            ? cellId(focus.row, focus.column)
            : undefined
        }
        style={
          {
            '--row-height': `${rowHeight}px`,
            '--frozen': `${frozenSize}px`,
          } as React.CSSProperties
        }
        onScroll={onScroll}
        onKeyDown={(event) => onKeyDown(event, edit)}
        onMouseDown={onMouseDown}
        onClick={({ target, nativeEvent }) => {
          // A finger edits the cell that it has chosen before.
          const isTouch =
            (nativeEvent as unknown as { pointerType?: string }).pointerType === 'touch'
          const cell = cellAt(target)
          const { current } = pressed
          if (!isTouch || !cell || (target as HTMLElement).closest('a, button, input')) return
          if (current?.row === cell.row && current.column === cell.column) edit(cell)
        }}
        onDoubleClick={({ target }) => {
          const cell = cellAt(target)
          if (cell && !(target as HTMLElement).closest('a, button, input')) edit(cell)
        }}
        onCopy={onCopy}
        onPaste={onPaste}
        onFocus={({ target, currentTarget }) => {
          if (target === currentTarget && !selection.get().focus && store.length() > 0)
            selection.set({ focus: { row: 0, column: 0 }, anchor: undefined })
        }}
        data-table
      >
        <div className={styles.sheet} style={{ width: totalSize }}>
          <TableHeader layout={layout} sort={sort} setSort={setSort} filterBy={filterBy} />
          <div
            role="rowgroup"
            className={styles.body}
            style={{ height: isEmpty ? 0 : Math.max(space.height, rowHeight) }}
          >
            {state.kind === 'loading'
              ? skeletons.map((index) => (
                  <WaitingRow key={index} index={index} top={index * rowHeight} />
                ))
              : numbers.map((index) => {
                  const id = store.idAt(index)
                  const top = index * rowHeight - drawn.offset
                  const group = store.groupAt(index)
                  if (group)
                    return (
                      <GroupRow
                        key={`group ${group.value}`}
                        index={index}
                        group={group}
                        top={top}
                      />
                    )
                  return id === undefined ? (
                    <WaitingRow key={`waiting${index % mostDrawn}`} index={index} top={top} />
                  ) : (
                    <TableRow
                      // A row that goes to another group is in both for a moment.
                      key={store.key.by === undefined ? id : `${index} ${id}`}
                      index={index}
                      id={id}
                      top={top}
                      drawn={drawn}
                      onStep={onStep}
                    />
                  )
                })}
          </div>
          {!isEmpty && <TableFooter />}
        </div>
        {isEmpty && <div className={styles.empty}>{empty}</div>}
      </div>
      {store.isCut() && drawn.to >= length && (
        <div className={styles.cut} role="note">
          {words('cut', { count: length })}
        </div>
      )}
      <div role="status" className={styles.said}>
        {said !== '' && <span key={said}>{said}</span>}
      </div>
    </>
  )
}

/** The columns of those that scroll which stand within `width` pixels from `left`. */
function columnsOnScreen(
  columns: readonly PlacedColumn[],
  left: number,
  width: number,
): DrawnColumns {
  const first = columns.findIndex((column) => !column.isFrozen && column.start + column.size > left)
  const last = columns.findLastIndex((column) => !column.isFrozen && column.start < left + width)
  return first < 0
    ? { first: 0, last: -1, skipped: 0 }
    : { first, last, skipped: columns[first]!.start }
}
