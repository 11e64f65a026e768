import { dropTargetForElements } from '@atlaskit/pragmatic-drag-and-drop/element/adapter'
import { Button, Popover } from '@mantine/core'
import { CircleSlash, Clock, Hourglass, Layers, ShoppingBag } from 'lucide-react'
import type { LucideIcon } from 'lucide-react'
import { memo, useCallback, useEffect, useLayoutEffect, useRef } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import { Virtualizer } from 'virtua'
import { isFocusLost } from '../../ui/focus.ts'
import { ProblemText } from '../../ui/states.tsx'
import { CustomerOnBoard, CustomerPlaceholder } from './card.tsx'
import {
  customerColumns,
  focusCustomer,
  statusTypes,
  typeOfStatus,
  useColumn,
  useCustomerBoard,
  useHand,
} from './context.ts'
import type { StatusColumn } from './context.ts'
import styles from './customer-board.module.css'
import type { CustomerOrder } from './store.ts'
import { useCustomerTexts } from './texts.ts'

/** The space below each card, in pixels. */
const gap = 6

const icons: Record<(typeof statusTypes)[number], LucideIcon> = {
  ordinary: Layers,
  expected: Clock,
  overdue: Hourglass,
  closed: CircleSlash,
  recent: ShoppingBag,
}

/** A status with its customers. */
export const CustomerColumn = memo(function CustomerColumn({ status }: { status: StatusColumn }) {
  const { frame } = useCustomerBoard()
  const element = useRef<HTMLElement>(null)
  const isOver = useHand(({ drag }) => drag?.over === status.id)
  useEffect(() => {
    if (!element.current) return undefined
    return dropTargetForElements({
      element: element.current,
      getData: () => ({ customerStatusId: status.id }),
      canDrop: ({ source }) => 'customerId' in source.data,
    })
  }, [status.id])
  return (
    <section
      ref={element}
      className={`${frame['column']} ${styles.column}`}
      data-column={status.id}
      data-over={isOver || undefined}
      style={{ '--stage': status.color } as React.CSSProperties}
      aria-label={status.name}
    >
      <Head status={status} />
      <Cards status={status} />
    </section>
  )
})

function Head({ status }: { status: StatusColumn }) {
  const words = useTranslations('customerBoard')
  const format = useFormatter()
  const texts = useCustomerTexts()
  const { frame, hand } = useCustomerBoard()
  const { count, sum, isMore, isKnown, hasSum } = useColumn(status.id, (store) =>
    store.totals(status.id),
  )
  const isTabStop = useHand(({ focus }) => focus?.statusId === status.id && focus.id === undefined)
  const type = typeOfStatus(status)
  const Icon = icons[type]
  const more = isMore ? '+' : ''
  return (
    <header className={frame['head']}>
      <Popover position="bottom-start" width={240} withinPortal>
        <Popover.Target>
          <button
            type="button"
            className={frame['headButton']}
            data-head={status.id}
            tabIndex={isTabStop ? 0 : -1}
            aria-label={
              isKnown && hasSum
                ? words(isMore ? 'columnNameMore' : 'columnName', {
                    status: status.name,
                    count,
                    sum: texts.money(sum),
                  })
                : status.name
            }
            onFocus={() => hand.set({ focus: { statusId: status.id, id: undefined } })}
          >
            <span className={frame['headLine']}>
              <Icon size={13} className={styles.type} aria-hidden />
              <h2>{status.name}</h2>
              {isKnown && (
                <span className={frame['count']}>
                  {format.number(count)}
                  {more}
                </span>
              )}
            </span>
            <span className={frame['sum']}>
              {isKnown && hasSum ? `${texts.money(sum)}${more}` : '\u00A0'}
            </span>
          </button>
        </Popover.Target>
        <Popover.Dropdown className={styles.rule}>{words(`rules.${type}`)}</Popover.Dropdown>
      </Popover>
    </header>
  )
}

function Cards({ status }: { status: StatusColumn }) {
  const words = useTranslations('customerBoard')
  const board = useTranslations('board')
  const { store, cardHeight, frame, statuses, hand } = useCustomerBoard()
  const size = cardHeight + gap
  const order = useColumn(status.id, () => store.order(status.id))
  const error = useColumn(status.id, () => store.error(status.id))
  const isReady = useColumn(status.id, () => store.isReady(status.id))
  const scroller = useRef<HTMLDivElement>(null)
  const tabStop = useHand(({ focus }) =>
    focus === undefined ? undefined : focus.statusId === status.id ? focus.id : null,
  )
  const dragged = useHand(({ drag }) => drag?.id)
  useAnchor(scroller, order, size)
  useFollow(status.id, order)

  const report = useCallback(() => {
    const box = scroller.current
    if (!box) return
    store.scroll.set(status.id, box.scrollTop)
    const first = Math.floor(box.scrollTop / size)
    store.show(status.id, first, first + Math.ceil(box.clientHeight / size) + 1)
  }, [store, status.id, size])

  useLayoutEffect(() => {
    const box = scroller.current!
    box.scrollTop = store.scroll.get(status.id) ?? 0
    customerColumns.set(status.id, {
      scrollTo(index) {
        const [top, bottom] = [index * size, (index + 1) * size]
        if (top < box.scrollTop) box.scrollTop = top
        else if (bottom > box.scrollTop + box.clientHeight)
          box.scrollTop = bottom - box.clientHeight + gap
      },
      indexAt: (y) => Math.round((y + box.scrollTop) / size),
      yOf: (index) => index * size - box.scrollTop,
    })
    const watcher = new ResizeObserver(report)
    watcher.observe(box)
    return () => {
      watcher.disconnect()
      customerColumns.delete(status.id)
    }
  }, [store, status.id, size, report])

  // A place that became unknown is asked for when it is on screen.
  useEffect(report, [report, order, isReady])

  const kept = [dragged, tabStop ?? undefined]
    .map((id) => (id === undefined ? -1 : order.indexOf(id)))
    .filter((index) => index >= 0)
  const first = statuses.find(({ id }) => store.order(id).length > 0)
  const stop =
    hand.get().focus === undefined && first?.id === status.id
      ? order.find((id) => id !== undefined)
      : tabStop
  return (
    <>
      {error !== undefined && (
        <div className={frame['fault']} role="alert">
          <ProblemText error={error} />
          <Button variant="default" size="xs" onClick={() => store.retry(status.id)}>
            {board('retry')}
          </Button>
        </div>
      )}
      <div ref={scroller} className={frame['cards']} tabIndex={-1}>
        {!isReady && error === undefined && (
          <div className={frame['skeletons']} role="status" aria-label={board('loading')}>
            {[0, 1, 2, 3, 4].map((each) => (
              <CustomerPlaceholder key={each} />
            ))}
          </div>
        )}
        {isReady && order.length === 0 && (
          <p className={frame['hint']}>{words(`rules.${typeOfStatus(status)}`)}</p>
        )}
        {isReady && order.length > 0 && (
          <div role="list" aria-label={status.name} aria-busy={order.includes(undefined)}>
            <Virtualizer
              scrollRef={scroller}
              data={order}
              itemSize={size}
              bufferSize={size * 2}
              keepMounted={kept}
              onScroll={report}
            >
              {(id, index) =>
                id === undefined ? (
                  <div key={`at${index}`} className={frame['item']}>
                    <CustomerPlaceholder />
                  </div>
                ) : (
                  <div key={id} className={frame['item']}>
                    <CustomerOnBoard
                      id={id}
                      index={index}
                      length={order.length}
                      isTabStop={id === stop}
                    />
                  </div>
                )
              }
            </Virtualizer>
          </div>
        )}
      </div>
    </>
  )
}

/** Cards that come and go above keep those on screen where they are. */
function useAnchor(
  scroller: React.RefObject<HTMLDivElement | null>,
  order: CustomerOrder,
  size: number,
): void {
  const before = useRef(order)
  useLayoutEffect(() => {
    const box = scroller.current
    const old = before.current
    before.current = order
    if (!box || old === order || box.scrollTop === 0) return
    const first = Math.floor(box.scrollTop / size)
    // One card may have moved by itself; the middle of all says how far the others did.
    const shifts = old
      .slice(first, first + 7)
      .map((id, at) => (id === undefined ? -1 : order.indexOf(id)) - first - at)
      .filter((shift, at) => shift + first + at >= 0)
      .toSorted((one, other) => one - other)
    const shift = shifts[shifts.length >> 1] ?? 0
    if (shift !== 0) box.scrollTop += shift * size
  }, [scroller, order, size])
}

/** The focus follows a card to its new place, and goes to a neighbour of one that is gone. */
function useFollow(statusId: number, order: CustomerOrder): void {
  const { hand, store, statuses } = useCustomerBoard()
  const before = useRef(order)
  useLayoutEffect(() => {
    const old = before.current
    before.current = order
    const { focus } = hand.get()
    if (old === order || focus?.statusId !== statusId || focus.id === undefined) return
    if (order.includes(focus.id)) return
    const index = old.indexOf(focus.id)
    if (index < 0) return
    const now = store.cards.shown(focus.id)
    const isElsewhere =
      now !== undefined &&
      now.status_id !== statusId &&
      statuses.some(({ id }) => id === now.status_id)
    const hadFocus = isFocusLost() || document.activeElement?.closest('[data-customer]') !== null
    const next = isElsewhere
      ? { statusId: now.status_id, id: focus.id }
      : {
          statusId,
          id: order[Math.min(index, order.length - 1)] ?? order.findLast((id) => id !== undefined),
        }
    hand.set({ focus: next })
    if (hadFocus) focusCustomer(next)
  }, [hand, store, statusId, order, statuses])
}
