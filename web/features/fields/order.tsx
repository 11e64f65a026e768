// Lists whose members people put in order: by drag at the handle, by Alt with an arrow, and by the
// menu of the member, which fingers use.
import { draggable, dropTargetForElements } from '@atlaskit/pragmatic-drag-and-drop/element/adapter'
import { GripVertical } from 'lucide-react'
import { createContext, use, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import type { KeyboardEvent, ReactNode } from 'react'
import styles from './order.module.css'

type Key = number | string

interface Order {
  /** What of the page may be dropped here. */
  name: string
  drop: (key: Key, list: string, before: Key | null) => void
  step: (key: Key, by: 1 | -1) => void
  /** The member that keys have moved, which keeps the focus; one for all lists that exchange members. */
  moved: { current: Key | undefined }
}

const OrderContext = createContext<Order | undefined>(undefined)

/**
 * Members in an order. `drop` is told the list and the member that is next, or null for the end;
 * `step` moves by one with the keys.
 */
export function Orderable({ name, drop, step, moved, children }: Order & { children: ReactNode }) {
  const latest = useRef({ drop, step })
  latest.current = { drop, step }
  const order = useMemo(
    (): Order => ({
      name,
      moved,
      drop: (...args) => latest.current.drop(...args),
      step(key, by) {
        moved.current = key
        latest.current.step(key, by)
      },
    }),
    [name, moved],
  )
  return <OrderContext value={order}>{children}</OrderContext>
}

/**
 * A member. Its handle is for the mouse; keys work wherever in it the focus is, and leave the focus at
 * its element `data-name`.
 */
export function OrderedRow({
  id,
  list,
  next,
  className,
  children,
}: {
  id: Key
  /** The list that the member stands in. */
  list: string
  /** The member behind it. */
  next: Key | null
  className?: string | undefined
  children: ReactNode
}) {
  const { name, drop, step, moved } = use(OrderContext)!
  const row = useRef<HTMLLIElement>(null)
  const handle = useRef<HTMLSpanElement>(null)
  const [edge, setEdge] = useState<'above' | 'below'>()
  useEffect(() => {
    const element = row.current!
    const isAbove = ({ clientY }: { clientY: number }) => {
      const { top, height } = element.getBoundingClientRect()
      return clientY < top + height / 2
    }
    const stopDrag = draggable({
      element,
      dragHandle: handle.current!,
      getInitialData: () => ({ [name]: id }),
    })
    const stopDrop = dropTargetForElements({
      element,
      canDrop: ({ source }) => name in source.data && source.data[name] !== id,
      onDrag: ({ location }) => setEdge(isAbove(location.current.input) ? 'above' : 'below'),
      onDragLeave: () => setEdge(undefined),
      onDrop({ source, location }) {
        setEdge(undefined)
        if (location.current.dropTargets[0]?.element !== element) return
        const key = source.data[name] as Key
        const before = isAbove(location.current.input) ? id : next
        if (before !== key) drop(key, list, before)
      },
    })
    return () => {
      stopDrag()
      stopDrop()
    }
  }, [name, id, list, next, drop])
  // A browser takes the focus from what is moved in the page.
  useLayoutEffect(() => {
    const { activeElement } = document
    if (moved.current !== id || (activeElement && activeElement !== document.body)) return
    row.current?.querySelector<HTMLElement>('[data-name]')?.focus()
  }, [id, list, next, moved])
  const press = (event: KeyboardEvent<HTMLLIElement>) => {
    const by = { ArrowUp: -1 as const, ArrowDown: 1 as const }[event.key]
    if (!event.altKey || !by || event.ctrlKey || event.metaKey || event.defaultPrevented) return
    event.preventDefault()
    step(id, by)
  }
  return (
    // The keys belong to the controls in the row.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <li ref={row} className={className} data-ordered data-edge={edge} onKeyDown={press}>
      <span ref={handle} className={styles.handle} aria-hidden data-handle>
        <GripVertical size={16} />
      </span>
      {children}
    </li>
  )
}

/** A place for members of a list that has none. */
export function EmptyOrder({ list, children }: { list: string; children: ReactNode }) {
  const { name, drop } = use(OrderContext)!
  const element = useRef<HTMLParagraphElement>(null)
  const [isOver, setOver] = useState(false)
  useEffect(
    () =>
      dropTargetForElements({
        element: element.current!,
        canDrop: ({ source }) => name in source.data,
        onDragEnter: () => setOver(true),
        onDragLeave: () => setOver(false),
        onDrop({ source }) {
          setOver(false)
          drop(source.data[name] as Key, list, null)
        },
      }),
    [name, list, drop],
  )
  return (
    <p ref={element} className={styles.empty} data-over={isOver || undefined}>
      {children}
    </p>
  )
}
