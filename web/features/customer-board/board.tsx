// The board of customers: a column for each status, moved by the mouse, by keys and by the menu of a card.
import { autoScrollForElements } from '@atlaskit/pragmatic-drag-and-drop-auto-scroll/element'
import { monitorForElements } from '@atlaskit/pragmatic-drag-and-drop/element/adapter'
import type { DragLocationHistory } from '@atlaskit/pragmatic-drag-and-drop/types'
import { Menu, VisuallyHidden } from '@mantine/core'
import { ArrowRightLeft, ExternalLink, ShoppingBag } from 'lucide-react'
import { useEffect, useLayoutEffect, useRef, useSyncExternalStore } from 'react'
import type { MouseEvent, ReactNode } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import { Failure } from '../../ui/states.tsx'
import { CustomerColumn } from './column.tsx'
import { focusCustomer, useColumn, useCustomerBoard, useHand } from './context.ts'
import type { StatusColumn } from './context.ts'
import styles from './customer-board.module.css'
import { CustomerDialogs } from './dialogs.tsx'
import { useCustomerKeyDown } from './keys.ts'
import { useCustomerTexts } from './texts.ts'

/** `purchase` draws the form of a new purchase; `empty` stands over a board that a filter has emptied. */
export function CustomerBoardView({
  open,
  prefetch,
  purchase,
  empty,
}: {
  open: (id: number) => void
  /** The pointer or the focus rests on a card, which may be opened next. */
  prefetch: (id: number) => void
  purchase: (props: { id: number; done: () => void; close: () => void }) => ReactNode
  empty?: ReactNode
}) {
  const { store, hand, statuses, frame, isPhone } = useCustomerBoard()
  const words = useTranslations('customerBoard')
  const root = useRef<HTMLDivElement>(null)
  const isDragging = useHand(({ drag }) => drag !== undefined)
  const chosen = useHand(({ statusId }) => statusId)
  const onKeyDown = useCustomerKeyDown(open)
  const rest = useRest(prefetch)
  useDragging(root)
  const failure = useFailure()
  const shown = statuses.find(({ id }) => id === chosen) ?? statuses[0]

  useLayoutEffect(() => {
    const box = root.current
    if (box) box.scrollLeft = store.scroll.get('board') ?? 0
  }, [store])

  if (failure !== undefined)
    return <Failure error={failure} retry={() => store.load(statuses.map(({ id }) => id))} />

  const onClick = (event: MouseEvent) => {
    const target = event.target as HTMLElement
    const element = target.closest<HTMLElement>('[data-customer]')
    const id = Number(element?.dataset['customer'] ?? 0)
    const card = store.cards.shown(id)
    if (!card) return
    // A link in a new tab is the browser's.
    if (event.ctrlKey || event.metaKey || event.shiftKey) return
    hand.set({ focus: { statusId: card.status_id, id } })
    event.preventDefault()
    if (target.closest('[data-act]')) {
      const { left, bottom } = target.getBoundingClientRect()
      return hand.set({ menu: { id, x: left, y: bottom } })
    }
    open(id)
  }
  const idAt = (target: EventTarget) =>
    Number(
      (target as HTMLElement).closest<HTMLElement>('[data-customer]')?.dataset['customer'] ?? 0,
    )

  return (
    <div
      className={`${frame['board']} ${styles.board}`}
      onKeyDown={onKeyDown}
      data-dragging={isDragging || undefined}
    >
      {isPhone && shown && <Switcher shown={shown} />}
      <div
        ref={root}
        className={frame['columns']}
        data-columns
        onClick={onClick}
        onContextMenu={(event) => {
          const id = idAt(event.target)
          if (id <= 0) return
          event.preventDefault()
          // The keys of the menu are for the card that it lies over.
          const statusId = store.cards.shown(id)?.status_id
          hand.set({
            menu: { id, x: event.clientX, y: event.clientY },
            ...(statusId !== undefined && { focus: { statusId, id } }),
          })
        }}
        onPointerOver={({ target }) => rest(idAt(target))}
        onFocus={({ target }) => {
          const id = Number((target as HTMLElement).dataset['customer'] ?? 0)
          rest(id)
          const statusId = store.cards.shown(id)?.status_id
          if (statusId !== undefined && hand.get().focus?.id !== id)
            hand.set({ focus: { statusId, id } })
        }}
        onScroll={({ currentTarget, target }) => {
          if (target === currentTarget) store.scroll.set('board', currentTarget.scrollLeft)
        }}
      >
        {(isPhone ? statuses.filter((each) => each === shown) : statuses).map((each) => (
          <CustomerColumn key={each.id} status={each} />
        ))}
      </div>
      {empty}
      <CardMenuOfCustomer open={open} />
      <CustomerDialogs purchase={purchase} />
      <VisuallyHidden>
        <LiveRegion />
        <p id="board-keys">{words('keysHint')}</p>
      </VisuallyHidden>
    </div>
  )
}

/** Why nothing could be loaded; undefined while a column is there, or on its way. */
function useFailure(): unknown {
  const { store, statuses } = useCustomerBoard()
  return useSyncExternalStore(
    (watcher) => {
      const stops = statuses.map(({ id }) => store.watch(id, watcher))
      return () => stops.forEach((stop) => stop())
    },
    () =>
      statuses.every(({ id }) => store.error(id) !== undefined && !store.isReady(id))
        ? store.error(statuses[0]?.id ?? 0)
        : undefined,
  )
}

function LiveRegion() {
  const said = useHand((state) => state.said)
  return (
    <div role="status" aria-live="polite" data-live>
      {said}
    </div>
  )
}

/** The statuses of a board on a phone, which shows one of them. */
function Switcher({ shown }: { shown: StatusColumn }) {
  const words = useTranslations('customerBoard')
  const { statuses, frame } = useCustomerBoard()
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    list.current
      ?.querySelector('[aria-pressed="true"]')
      ?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [shown])
  return (
    <div ref={list} className={frame['switcher']} role="group" aria-label={words('statuses')}>
      {statuses.map((each) => (
        <Choice key={each.id} status={each} isChosen={each === shown} />
      ))}
    </div>
  )
}

function Choice({ status, isChosen }: { status: StatusColumn; isChosen: boolean }) {
  const format = useFormatter()
  const { hand } = useCustomerBoard()
  const { count, isMore, isKnown } = useColumn(status.id, (store) => store.totals(status.id))
  return (
    <button
      type="button"
      aria-pressed={isChosen}
      style={{ '--stage': status.color } as React.CSSProperties}
      onClick={() => hand.set({ statusId: status.id })}
    >
      {status.name}
      <span>
        {isKnown && format.number(count)}
        {isMore && '+'}
      </span>
    </button>
  )
}

/** One menu for all cards, at the place where it was asked for. */
function CardMenuOfCustomer({ open }: { open: (id: number) => void }) {
  const words = useTranslations('customerBoard')
  const board = useTranslations('board')
  const texts = useCustomerTexts()
  const { hand, store, actions, frame } = useCustomerBoard()
  const menu = useHand((state) => state.menu)
  const card = menu && store.cards.shown(menu.id)
  if (!menu || !card) return undefined
  return (
    <Menu
      opened
      width={220}
      position="bottom-start"
      onClose={() => {
        hand.set({ menu: undefined })
        focusCustomer({ statusId: card.status_id, id: card.id })
      }}
    >
      <Menu.Target>
        <button
          type="button"
          tabIndex={-1}
          aria-label={board('cardMenu', { name: texts.title(card) })}
          className={frame['menuPlace']}
          style={{ left: menu.x, top: menu.y }}
        />
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<ExternalLink size={15} />} onClick={() => open(menu.id)}>
          {board('open')}
        </Menu.Item>
        {card.may_edit && (
          <>
            <Menu.Item
              leftSection={<ShoppingBag size={15} />}
              rightSection="B"
              onClick={() => actions.addPurchase(menu.id)}
            >
              {words('addPurchase')}
            </Menu.Item>
            <Menu.Item
              leftSection={<ArrowRightLeft size={15} />}
              rightSection="M"
              onClick={() => actions.chooseStatus(menu.id)}
            >
              {board('moveTo')}
            </Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}

/** The status that the pointer is over. */
const overIn = ({ current }: DragLocationHistory): number | undefined =>
  (current.dropTargets[0]?.data as { customerStatusId?: number } | undefined)?.customerStatusId

/** Follows the card that the mouse drags, from the start to the drop. */
function useDragging(root: React.RefObject<HTMLElement | null>): void {
  const { store, hand, actions, isPhone } = useCustomerBoard()
  useEffect(() => {
    if (!root.current) return undefined
    // A phone shows one column, and has nothing to scroll.
    const stopScrolling = isPhone ? undefined : autoScrollForElements({ element: root.current })
    const stop = monitorForElements({
      canMonitor: ({ source }) => 'customerId' in source.data,
      onDragStart({ source }) {
        store.hold(true)
        const id = Number(source.data['customerId'])
        hand.set({ drag: { id, by: 'pointer', over: undefined }, menu: undefined })
      },
      onDropTargetChange({ location }) {
        const { drag } = hand.get()
        if (drag) hand.set({ drag: { ...drag, over: overIn(location) } })
      },
      onDrop({ location }) {
        const { drag } = hand.get()
        const over = overIn(location)
        hand.set({ drag: undefined })
        if (drag && over !== undefined) actions.move(drag.id, over)
        store.hold(false)
      },
    })
    return () => {
      stop()
      stopScrolling?.()
      // Who leaves the board with a card in hand puts it back.
      hand.set({ drag: undefined })
      store.hold(false)
    }
  }, [root, store, hand, actions, isPhone])
}

/** Milliseconds that the pointer or the focus rests on a card until it is near. */
const restMs = 60

/** Tells of the card that the pointer or the focus stays on. */
function useRest(prefetch: (id: number) => void): (id: number) => void {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const at = useRef(0)
  useEffect(() => () => clearTimeout(timer.current), [])
  return (id) => {
    if (id === at.current) return
    clearTimeout(timer.current)
    at.current = id
    if (id > 0) timer.current = setTimeout(() => prefetch(id), restMs)
  }
}
