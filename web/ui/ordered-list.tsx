// A list whose rows people put in an order: by dragging a handle, by Alt with the arrows from anywhere in a row,
// and by the menu of the handle, which a finger opens too. Each move is sent by itself, one after the other, as
// "this one before that one". Until a move is answered, it is laid over the order that the server has: what
// colleagues move meanwhile stays.
import { combine } from '@atlaskit/pragmatic-drag-and-drop/combine'
import { draggable, dropTargetForElements } from '@atlaskit/pragmatic-drag-and-drop/element/adapter'
import { ActionIcon, Menu, VisuallyHidden } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { ArrowDown, ArrowDownToLine, ArrowUp, ArrowUpToLine, GripVertical } from 'lucide-react'
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'react'
import type { KeyboardEvent, ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import styles from './ordered-list.module.css'
import { useRefusalText } from './states.tsx'
import { warn } from './toasts.ts'

type Key = number | string

interface OrderMove<Id> {
  id: Id
  /** Null: the moved one becomes the last. */
  before: Id | null
}

/** The items after these moves; a move of or before something that is gone does nothing. */
export function withMoves<Item extends { id: Key }>(
  items: readonly Item[],
  moves: readonly OrderMove<Item['id']>[],
): Item[] {
  const placed = [...items]
  for (const { id, before } of moves) {
    const from = placed.findIndex((each) => each.id === id)
    if (from === -1 || id === before) continue
    const [item] = placed.splice(from, 1)
    const to = before === null ? placed.length : placed.findIndex((each) => each.id === before)
    placed.splice(to === -1 ? from : to, 0, item!)
  }
  return placed
}

export function OrderedList<Item extends { id: Key; name: string }>({
  label,
  items,
  above,
  isFixed = false,
  move,
  row,
}: {
  label: string
  items: readonly Item[]
  /** Rows that always come first: each is a FixedRow. */
  above?: ReactNode
  /** The user may not move anything. */
  isFixed?: boolean
  /** Sends a move; ends once `items` has the new order. */
  move: (id: Item['id'], before: Item['id'] | null) => Promise<unknown>
  /** What stands in a row beside its handle. */
  row: (item: Item) => ReactNode
}) {
  const words = useTranslations('ui.order')
  const refusalText = useRefusalText()
  const list = useId()
  const [moves, setMoves] = useState<OrderMove<Item['id']>[]>([])
  const [said, setSaid] = useState('')
  const { mutate } = useMutation({
    scope: { id: list },
    mutationFn: ({ id, before }: OrderMove<Item['id']>) => move(id, before),
    onError: (error) => {
      setSaid('')
      warn(words('failed'), refusalText(error))
    },
    onSettled: (_answer, _error, sent) => setMoves((now) => now.filter((each) => each !== sent)),
  })
  const shown = withMoves(items, moves)
  const place = (id: Item['id'], before: Item['id'] | null) => {
    const wanted: OrderMove<Item['id']> = { id, before }
    const position = withMoves(shown, [wanted]).findIndex((each) => each.id === id)
    if (position === shown.findIndex((each) => each.id === id)) return
    const { name } = shown.find((each) => each.id === id)!
    setMoves((now) => [...now, wanted])
    setSaid(words('moved', { name, position: position + 1, count: shown.length }))
    mutate(wanted)
  }
  const latest = useRef({ shown, place })
  latest.current = { shown, place }
  return (
    <>
      <ul className={styles.list} aria-label={label}>
        {above}
        {shown.map((item, at) =>
          isFixed ? (
            <FixedRow key={item.id}>{row(item)}</FixedRow>
          ) : (
            <MovedRow
              key={item.id}
              list={list}
              id={item.id}
              name={item.name}
              at={at}
              count={shown.length}
              drop={(id, side) => {
                const { shown: now } = latest.current
                const own = now.findIndex((each) => each.id === item.id)
                const before = side === 'before' ? item.id : (now[own + 1]?.id ?? null)
                if (before !== id) latest.current.place(id, before)
              }}
              step={(to) => {
                const { shown: now } = latest.current
                const others = now.filter((each) => each.id !== item.id)
                latest.current.place(item.id, others[Math.max(0, to)]?.id ?? null)
              }}
            >
              {row(item)}
            </MovedRow>
          ),
        )}
      </ul>
      <VisuallyHidden role="status" data-order-said>
        {said}
      </VisuallyHidden>
    </>
  )
}

/** A row without a handle. */
export const FixedRow = ({ children }: { children: ReactNode }) => (
  <li className={styles.item}>
    <span className={styles.fixed} />
    <div className={styles.content}>{children}</div>
  </li>
)

function MovedRow({
  list,
  id,
  name,
  at,
  count,
  drop,
  step,
  children,
}: {
  list: string
  id: Key
  name: string
  at: number
  count: number
  /** Another row of the list was dropped here. */
  drop: (id: Key, side: 'before' | 'after') => void
  /** Moves this row to an index. */
  step: (to: number) => void
  children: ReactNode
}) {
  const words = useTranslations('ui.order')
  const element = useRef<HTMLLIElement>(null)
  const handle = useRef<HTMLButtonElement>(null)
  const [over, setOver] = useState<'before' | 'after'>()
  const [isDragged, setDragged] = useState(false)
  const latest = useRef(drop)
  latest.current = drop
  useEffect(() => {
    if (!element.current || !handle.current) return
    const { current } = element
    const side = (y: number) => {
      const { top, height } = current.getBoundingClientRect()
      return y < top + height / 2 ? ('before' as const) : ('after' as const)
    }
    return combine(
      draggable({
        element: current,
        dragHandle: handle.current,
        getInitialData: () => ({ list, id }),
        onDragStart: () => setDragged(true),
        onDrop: () => setDragged(false),
      }),
      dropTargetForElements({
        element: current,
        canDrop: ({ source }) => source.data['list'] === list && source.data['id'] !== id,
        onDrag: ({ location }) => setOver(side(location.current.input.clientY)),
        onDragLeave: () => setOver(undefined),
        onDrop({ location, source }) {
          setOver(undefined)
          latest.current(source.data['id'] as Key, side(location.current.input.clientY))
        },
      }),
    )
  }, [list, id])
  // A row that the keys move out of sight takes the page along.
  useLayoutEffect(() => {
    if (element.current?.contains(document.activeElement))
      element.current.scrollIntoView({ block: 'nearest' })
  }, [at])
  // The next row takes the focus of one that goes.
  useLayoutEffect(() => {
    const { current } = element
    return () => {
      if (!current?.contains(document.activeElement)) return
      const next = current.nextElementSibling ?? current.previousElementSibling
      next?.querySelector('button')?.focus()
    }
  }, [])
  const byKeys = (event: KeyboardEvent) => {
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key]
    if (!by || !event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return
    // Menus and dialogs of the row are children of it for React only.
    if (!element.current?.contains(event.target as Node)) return
    event.preventDefault()
    step(at + by)
  }
  return (
    // Not a control itself: the keys are those of the controls in it.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <li
      ref={element}
      className={styles.item}
      data-ordered={id}
      data-over={over}
      data-dragged={isDragged || undefined}
      onKeyDown={byKeys}
    >
      <Menu position="bottom-start">
        <Menu.Target>
          <ActionIcon
            ref={handle}
            className={styles.handle}
            aria-label={words('handle', { name })}
            aria-keyshortcuts="Alt+ArrowUp Alt+ArrowDown"
            title={words('hint')}
          >
            <GripVertical size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {(
            [
              ['first', 0, ArrowUpToLine],
              ['up', at - 1, ArrowUp],
              ['down', at + 1, ArrowDown],
              ['last', count - 1, ArrowDownToLine],
            ] as const
          ).map(([text, to, Icon]) => (
            <Menu.Item
              key={text}
              leftSection={<Icon size={14} aria-hidden />}
              disabled={to < 0 || to >= count || to === at}
              onClick={() => step(to)}
            >
              {words(text)}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <div className={styles.content}>{children}</div>
    </li>
  )
}
