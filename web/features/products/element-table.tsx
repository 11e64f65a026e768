// The elements of a catalog as a table in a window over its rows: the focus is on the table, and a cell has its mark.
import { ActionIcon } from '@mantine/core'
import { Check, Network } from 'lucide-react'
import { memo, useCallback, useEffect, useId, useImperativeHandle, useRef, useState } from 'react'
import type { KeyboardEvent, ReactNode, Ref } from 'react'
import { useTranslations } from 'use-intl'
import { Virtualizer } from 'virtua'
import type { VirtualizerHandle } from 'virtua'
import type { CatalogElement } from '../../crm/catalogs.ts'
import { linkOf } from '../../crm/fields/labelled.ts'
import { plainText } from '../../crm/fields/field.ts'
import { useValueTexts } from '../../crm/fields/texts.ts'
import { fieldKinds } from '../../crm/fields/types.ts'
import { readEdit } from '../../data/kept-edits.ts'
import { CellEdit, recordOfElement } from './cell-edit.tsx'
import type { CellEnd, SaveElement } from './cell-edit.tsx'
import type { ElementColumn } from './columns.ts'
import type { ElementState } from './element-store.ts'
import { FileEdit } from './file-edit.tsx'
import styles from './products.module.css'

export interface ElementTableHandle {
  focus(): void
  move(rows: number, columns: number): void
  edit(): void
  /** Gives an element the mark and brings it on screen. */
  show(id: number): void
}

/** From so many rows before the last one on, the next page is asked for. */
const rowsBefore = 30
/** Rows of the keys Page Up and Page Down. */
const pageRows = 10

interface Place {
  row: number
  column: number
}

export function ElementTable({
  ref,
  name,
  columns,
  state: { items, more },
  mayEdit,
  opened,
  save,
  onMark,
  toggleUses,
  loadMore,
}: {
  ref: Ref<ElementTableHandle>
  /** Of the catalog. */
  name: string
  columns: readonly ElementColumn[]
  state: Pick<ElementState, 'items' | 'more'>
  mayEdit: boolean
  /** The element whose uses are shown. */
  opened: number | undefined
  save: SaveElement
  onMark: (id: number) => void
  /** Shows where an element is used, or hides that. */
  toggleUses: (id: number) => void
  loadMore: () => void
}) {
  const id = useId()
  const box = useRef<HTMLDivElement>(null)
  const list = useRef<VirtualizerHandle>(null)
  const [mark, setMark] = useState<{ id: number; column: number }>()
  const [edited, setEdited] = useState<{ id: number; name: string }>()
  // An element keeps the mark when newer ones come above it.
  const marked = mark === undefined ? -1 : items.findIndex((element) => element.id === mark.id)
  const lastColumn = columns.length - 1
  const present: Place = {
    row: Math.max(marked, 0),
    column: Math.min(mark?.column ?? 0, lastColumn),
  }
  const item = items[present.row]

  const look = useCallback(() => {
    const handle = list.current
    if (!handle || more !== 'idle') return
    const last = handle.findItemIndex(handle.scrollOffset + handle.viewportSize)
    if (last >= items.length - rowsBefore) loadMore()
  }, [items, more, loadMore])
  useEffect(look, [look])

  /** Brings a cell on screen, and not under the head and the names, which cover two edges. */
  const reveal = (at: number, column: number) => {
    const [handle, scrolled] = [list.current, box.current]
    if (!handle || !scrolled) return
    const top = handle.getItemOffset(at)
    if (top < scrolled.scrollTop) scrolled.scrollTop = top
    else handle.scrollToIndex(at, { align: 'nearest' })
    const head = scrolled.querySelectorAll<HTMLElement>('[role=columnheader]')
    const [first, own] = [head[0], head[column]]
    if (!first || !own || column === 0) return
    const [left, right] = [own.offsetLeft, own.offsetLeft + own.offsetWidth]
    if (left < scrolled.scrollLeft + first.offsetWidth)
      scrolled.scrollLeft = left - first.offsetWidth
    else if (right > scrolled.scrollLeft + scrolled.clientWidth)
      scrolled.scrollLeft = right - scrolled.clientWidth
  }
  const to = ({ row, column }: Place) => {
    const at = Math.max(0, Math.min(items.length - 1, row))
    const next = items[at]
    if (!next) return
    const place = Math.max(0, Math.min(lastColumn, column))
    setMark({ id: next.id, column: place })
    onMark(next.id)
    reveal(at, place)
  }
  const canEdit = (column: ElementColumn | undefined): column is ElementColumn =>
    mayEdit && column?.body !== undefined
  const edit = (place: Place = present) => {
    const [element, column] = [items[place.row], columns[place.column]]
    if (!element || !canEdit(column)) return
    to(place)
    if (!fieldKinds[column.field.type].isFlag)
      return setEdited({ id: element.id, name: column.name })
    const base = column.read(element)
    const isSet = base?.[0]?.value === true
    void save(element, column, base, [{ value: !isSet }])
  }
  const end = (step: CellEnd) => {
    setEdited(undefined)
    const { row, column } = present
    const places: Record<Exclude<CellEnd, 'gone'>, Place> = {
      stay: present,
      down: { row: row + 1, column },
      up: { row: row - 1, column },
      right: { row, column: column + 1 },
      left: { row, column: column - 1 },
    }
    if (step === 'gone') return
    to(places[step])
    box.current?.focus({ preventScroll: true })
  }
  useImperativeHandle(ref, () => ({
    focus: () => box.current?.focus(),
    move(rows, over) {
      box.current?.focus()
      to({ row: present.row + rows, column: present.column + over })
    },
    edit: () => edit(),
    show(wanted) {
      const at = items.findIndex((element) => element.id === wanted)
      if (at >= 0) to({ row: at, column: 0 })
    },
  }))
  const onKeyDown = (event: KeyboardEvent) => {
    const { key, ctrlKey, metaKey, altKey, shiftKey, target, currentTarget } = event
    if (event.defaultPrevented || target !== currentTarget || altKey || shiftKey) return
    const isMod = ctrlKey || metaKey
    const { row, column } = present
    const moves: Record<string, Place> = {
      ArrowUp: { row: isMod ? 0 : row - 1, column },
      ArrowDown: { row: isMod ? items.length - 1 : row + 1, column },
      ArrowLeft: { row, column: isMod ? 0 : column - 1 },
      ArrowRight: { row, column: isMod ? lastColumn : column + 1 },
      Home: { row: isMod ? 0 : row, column: 0 },
      End: { row: isMod ? items.length - 1 : row, column: lastColumn },
      PageUp: { row: row - pageRows, column },
      PageDown: { row: row + pageRows, column },
    }
    const place = moves[key]
    if (place) to(place)
    else if ((key === 'Enter' && !isMod) || key === 'F2') edit()
    else if (key === ' ' && item) toggleUses(item.id)
    else return
    event.preventDefault()
  }

  return (
    <div
      ref={box}
      className={styles.table}
      role="grid"
      aria-label={name}
      aria-busy={more === 'loading' || undefined}
      aria-rowcount={more === 'none' ? items.length + 1 : -1}
      aria-colcount={columns.length}
      aria-readonly={!mayEdit}
      aria-activedescendant={item && `${id}-${item.id}-${present.column}`}
      tabIndex={0}
      style={{ '--columns': lastColumn } as React.CSSProperties}
      onKeyDown={onKeyDown}
      onFocus={({ target, currentTarget }) => {
        // A pointer marks the cell that it presses, and may have done so already.
        if (target !== currentTarget || !target.matches(':focus-visible')) return
        if (marked < 0 && items[0]) {
          setMark({ id: items[0].id, column: 0 })
          onMark(items[0].id)
        }
      }}
    >
      <div className={styles.header} role="row" aria-rowindex={1}>
        {columns.map(({ name: key, label, isNumber }) => (
          <div
            key={key}
            role="columnheader"
            className={styles.head}
            data-number={isNumber || undefined}
            title={label}
          >
            <span>{label}</span>
          </div>
        ))}
      </div>
      <Virtualizer
        ref={list}
        scrollRef={box}
        data={items}
        startMargin={headerHeight}
        bufferSize={400}
        // The cell with the mark is named by its id, and an editor keeps what is typed.
        keepMounted={[present.row]}
        onScroll={look}
      >
        {(each, index) => (
          <ElementRow
            key={each.id}
            id={id}
            element={each}
            index={index}
            columns={columns}
            mayEdit={mayEdit}
            marked={mark?.id === each.id ? present.column : undefined}
            edited={edited?.id === each.id ? edited.name : undefined}
            isOpened={opened === each.id}
            press={(column) => {
              // A second press on the cell with the mark edits it, as a double press does.
              const isMarked = mark?.id === each.id && present.column === column
              setMark({ id: each.id, column })
              onMark(each.id)
              if (isMarked) edit({ row: index, column })
              else box.current?.focus({ preventScroll: true })
            }}
            toggleUses={toggleUses}
            save={save}
            end={end}
          />
        )}
      </Virtualizer>
    </div>
  )
}

/** Pixels, as in products.module.css. */
const headerHeight = 34

const ElementRow = memo(
  function ElementRow({
    id,
    element,
    index,
    columns,
    mayEdit,
    marked,
    edited,
    isOpened,
    press,
    toggleUses,
    save,
    end,
  }: {
    /** Of the table. */
    id: string
    element: CatalogElement
    index: number
    columns: readonly ElementColumn[]
    mayEdit: boolean
    /** Of the cell with the mark. */
    marked: number | undefined
    /** Of the column in edit. */
    edited: string | undefined
    isOpened: boolean
    press: (column: number) => void
    toggleUses: (id: number) => void
    save: SaveElement
    end: (step: CellEnd) => void
  }) {
    const words = useTranslations('products')
    return (
      <div
        role="row"
        aria-rowindex={index + 2}
        className={styles.row}
        data-element={element.id}
        data-opened={isOpened || undefined}
        data-edited={edited !== undefined || undefined}
      >
        {columns.map((column, at) => {
          const isEdited = edited === column.name
          return (
            // The table takes the keys.
            // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
            <div
              key={column.name}
              id={`${id}-${element.id}-${at}`}
              role="gridcell"
              tabIndex={-1}
              aria-colindex={at + 1}
              aria-readonly={!mayEdit || !column.body}
              className={styles.cell}
              data-column={column.name}
              data-focus={marked === at || undefined}
              data-number={column.isNumber || undefined}
              data-left={hasDraft(element.id, column.name) || undefined}
              onClick={(event) => {
                if (!isEdited && !(event.target as Element).closest('a, button')) press(at)
              }}
            >
              {isEdited ? (
                column.field.type === 'file' ? (
                  <FileEdit element={element} column={column} save={save} onEnd={end} />
                ) : (
                  <CellEdit element={element} column={column} save={save} onEnd={end} />
                )
              ) : (
                <span className={styles.content}>
                  <CellValue element={element} column={column} />
                </span>
              )}
              {at === 0 && !isEdited && (
                <ActionIcon
                  size={24}
                  tabIndex={-1}
                  className={styles.uses}
                  aria-label={words('usesOf', { name: element.name })}
                  aria-expanded={isOpened}
                  title={`${words('uses')}  ${words('space')}`}
                  onClick={() => toggleUses(element.id)}
                >
                  <Network size={14} />
                </ActionIcon>
              )}
            </div>
          )
        })}
      </div>
    )
  },
  (one, other) =>
    one.element === other.element &&
    one.index === other.index &&
    one.columns === other.columns &&
    one.mayEdit === other.mayEdit &&
    one.marked === other.marked &&
    one.edited === other.edited &&
    one.isOpened === other.isOpened &&
    // What a cell does depends on where the mark is, and an editor on the row that it ends in.
    one.marked === undefined,
)

/** Whether a change of the cell was left unsaved in this browser. */
const hasDraft = (id: number, column: string): boolean =>
  readEdit(recordOfElement(id), column) !== undefined

function CellValue({
  element,
  column: { field, read },
}: {
  element: CatalogElement
  column: ElementColumn
}): ReactNode {
  const words = useTranslations('ui')
  const card = useTranslations('card')
  const texts = useValueTexts()
  const values = read(element)
  if (values === null) return undefined
  if (field.type === 'file')
    return (
      <a
        href={`/web/v1/catalogs/${element.catalog_id}/elements/${element.id}/files/${field.id}`}
        tabIndex={-1}
        target="_blank"
        rel="noreferrer"
      >
        <bdi>{texts.all(field, values) || card('files.unnamed')}</bdi>
      </a>
    )
  const { isFlag, hasLinks } = fieldKinds[field.type]
  if (isFlag)
    return values[0]?.value === true ? (
      <Check size={15} role="img" aria-label={words('yes')} />
    ) : undefined
  if (!hasLinks) return <bdi>{texts.all(field, values)}</bdi>
  return values.map(({ value }, index) => {
    const text = plainText(value)
    const to = linkOf(field.type, field.code, text)
    return to === undefined ? (
      <bdi key={index}>{text}</bdi>
    ) : (
      <a key={index} href={to} tabIndex={-1} target="_blank" rel="noreferrer">
        <bdi>{text}</bdi>
      </a>
    )
  })
}
