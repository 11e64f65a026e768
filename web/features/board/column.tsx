import { autoScrollForElements } from '@atlaskit/pragmatic-drag-and-drop-auto-scroll/element'
import { combine } from '@atlaskit/pragmatic-drag-and-drop/combine'
import { dropTargetForElements } from '@atlaskit/pragmatic-drag-and-drop/element/adapter'
import { ActionIcon, Button, Menu } from '@mantine/core'
import { Plus } from 'lucide-react'
import {
  memo,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import { Virtualizer } from 'virtua'
import type { VirtualizerHandle } from 'virtua'
import { useFormatter, useTranslations } from 'use-intl'
import { ProblemText } from '../../ui/states.tsx'
import { BoardCard, Placeholder } from './card.tsx'
import { useCardTexts } from './card-texts.ts'
import styles from './board.module.css'
import { ColumnWidth } from './column-width.tsx'
import { isFocusLost } from '../../ui/focus.ts'
import { columnHandles, focusNow } from './focus.ts'
import { shiftOf } from './order.ts'
import type { CardOrder } from './order.ts'
import { QuickAdd } from './quick-add.tsx'
import { useSelection, useBoard } from './context.ts'
import type { Stage } from './context.ts'
import { sorts } from './sort.ts'
import type { StageTotals } from './store.ts'

/** The space below each card, in pixels. */
const gap = 6

/** A stage of the board with its cards. */
export const BoardColumn = memo(function BoardColumn({
  stage,
  setSort,
}: {
  stage: Stage
  setSort: (sort: (typeof sorts)[number]) => void
}) {
  const { store, collapsed, collapse, selection, isPhone } = useBoard()
  const element = useRef<HTMLElement>(null)
  const [isReceiving, setReceiving] = useState(false)
  const isOver = useSelection(({ drag }) => drag?.over === stage.id) || isReceiving
  const isCollapsed = collapsed.has(stage.id) && !isPhone
  useEffect(() => {
    if (!element.current) return
    return dropTargetForElements({
      element: element.current,
      getData: () => ({ statusId: stage.id }),
      // A request that waits; cards are told by what is in hand.
      onDragEnter: ({ source }) => setReceiving('unsortedUid' in source.data),
      onDragLeave: () => setReceiving(false),
      onDrop: () => setReceiving(false),
    })
  }, [stage.id, isCollapsed])
  const totals = useSyncExternalStore(
    (watcher) => store.watchTotals(stage.id, watcher),
    () => store.totals(stage.id),
  )
  const shared = {
    ref: element,
    className: styles.column,
    'data-column': stage.id,
    'data-over': isOver || undefined,
    style: { '--stage': stage.color } as React.CSSProperties,
  }
  const name = useColumnName(stage, totals)
  if (isCollapsed)
    return (
      <section {...shared} data-collapsed aria-label={stage.name}>
        <button
          type="button"
          className={styles.strip}
          data-head={stage.id}
          tabIndex={-1}
          aria-expanded={false}
          aria-label={name}
          onClick={() => collapse(stage.id, false)}
          onFocus={() => selection.set({ focus: { statusId: stage.id, id: undefined } })}
        >
          <b>{totals.isKnown && totals.count}</b>
          <span>{stage.name}</span>
        </button>
      </section>
    )
  return (
    <section {...shared} aria-label={stage.name}>
      <ColumnHeader stage={stage} totals={totals} name={name} setSort={setSort} />
      {!isPhone && <ColumnWidth statusId={stage.id} />}
      <QuickAdd statusId={stage.id} />
      <Cards stage={stage} />
    </section>
  )
})

/** "Offer, 31 leads, 1 204 000 €". */
function useColumnName(stage: Stage, { count, sum, isMore, isKnown }: StageTotals): string {
  const words = useTranslations('board')
  const texts = useCardTexts()
  if (!isKnown) return stage.name
  return words(isMore ? 'columnNameMore' : 'columnName', {
    stage: stage.name,
    count,
    sum: texts.money(sum),
  })
}

function ColumnHeader({
  stage,
  totals,
  name,
  setSort,
}: {
  stage: Stage
  totals: StageTotals
  name: string
  setSort: (sort: (typeof sorts)[number]) => void
}) {
  const words = useTranslations('board')
  const format = useFormatter()
  const texts = useCardTexts()
  const { store, selection, collapse, vocabulary, isPhone } = useBoard()
  const isTabStop = useSelection(
    ({ focus }) => focus?.statusId === stage.id && focus.id === undefined,
  )
  const { sort } = store.search
  const mayAdd = vocabulary.me.is_admin || vocabulary.me.rights.leads.add !== 'D'
  const loaded = () => store.order(stage.id).filter((id) => id !== undefined && id > 0) as number[]
  return (
    <header className={styles.head}>
      <Menu position="bottom-start" width={220}>
        <Menu.Target>
          <button
            type="button"
            className={styles.headButton}
            data-head={stage.id}
            tabIndex={isTabStop ? 0 : -1}
            aria-label={name}
            onFocus={() => selection.set({ focus: { statusId: stage.id, id: undefined } })}
          >
            <span className={styles.headLine}>
              <h2>{stage.name}</h2>
              {totals.isKnown && (
                <span className={styles.count}>
                  {format.number(totals.count)}
                  {totals.isMore && '+'}
                </span>
              )}
            </span>
            <span className={styles.sum}>
              {totals.isKnown ? texts.money(totals.sum) : '\u00A0'}
              {totals.isMore && '+'}
            </span>
          </button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>{words('sort')}</Menu.Label>
          {sorts.map((each) => (
            <Menu.RadioItem
              key={each}
              value={each}
              checked={each === sort}
              closeMenuOnClick
              onChange={() => setSort(each)}
            >
              {words(`sorts.${each}`)}
            </Menu.RadioItem>
          ))}
          <Menu.Divider />
          <Menu.Item
            disabled={totals.count === 0}
            onClick={() => {
              selection.select(loaded(), true)
              selection.say(words('selected', { count: selection.get().selected.size }))
            }}
          >
            {words('selectStage')}
          </Menu.Item>
          <Menu.Item
            disabled={totals.count === 0}
            onClick={() => {
              const ids = loaded()
              selection.select(ids, true)
              selection.set({ dialog: { kind: 'task', ids } })
            }}
          >
            {words('taskForStage')}
          </Menu.Item>
          {!isPhone && (
            <Menu.Item onClick={() => collapse(stage.id, true)} rightSection="⇧ C">
              {words('collapse')}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      {mayAdd && (
        <ActionIcon
          size={24}
          tabIndex={-1}
          aria-label={words('addTo', { stage: stage.name })}
          onClick={() => selection.set({ adding: stage.id })}
        >
          <Plus size={16} />
        </ActionIcon>
      )}
    </header>
  )
}

function Cards({ stage }: { stage: Stage }) {
  const words = useTranslations('board')
  const { store, selection, cardHeight } = useBoard()
  const size = cardHeight + gap
  const order = useSyncExternalStore(
    (watcher) => store.watchOrder(stage.id, watcher),
    () => store.order(stage.id),
  )
  const error = useSyncExternalStore(
    (watcher) => store.watchOrder(stage.id, watcher),
    () => store.error(stage.id),
  )
  const isReady = useSyncExternalStore(store.watchBoard, () => store.state().kind === 'ready')
  const scroller = useRef<HTMLDivElement>(null)
  const list = useRef<VirtualizerHandle>(null)
  const tabStop = useSelection(({ focus }) =>
    focus === undefined ? undefined : focus.statusId === stage.id ? focus.id : null,
  )
  const dragged = useSelection(({ drag }) => drag?.ids)
  useAnchor(scroller, order, size)
  useFollow(stage.id, order)

  const report = useCallback(() => {
    const box = scroller.current
    if (!box) return
    store.scroll.set(stage.id, box.scrollTop)
    const first = Math.floor(box.scrollTop / size)
    const number = Math.ceil(box.clientHeight / size) + 1
    store.show(stage.id, first, first + number, number * 2)
  }, [store, stage.id, size])

  useLayoutEffect(() => {
    const box = scroller.current!
    box.scrollTop = store.scroll.get(stage.id) ?? 0
    columnHandles.set(stage.id, {
      scrollTo(index) {
        const [top, bottom] = [index * size, (index + 1) * size]
        if (top < box.scrollTop) box.scrollTop = top
        else if (bottom > box.scrollTop + box.clientHeight)
          box.scrollTop = bottom - box.clientHeight + gap
      },
      indexAt: (y) => Math.round((y + box.scrollTop) / size),
      yOf: (index) => index * size - box.scrollTop,
    })
    const stop = combine(autoScrollForElements({ element: box }), () =>
      columnHandles.delete(stage.id),
    )
    const watcher = new ResizeObserver(report)
    watcher.observe(box)
    return () => {
      watcher.disconnect()
      stop()
    }
  }, [store, stage.id, size, report])

  // A place that became unknown is asked for when it is on screen.
  useEffect(report, [report, order, isReady])

  const kept = [...(dragged ?? []), ...(tabStop ? [tabStop] : [])]
    .map((id) => order.indexOf(id))
    .filter((index) => index >= 0)
  const firstId = order.find((id) => id !== undefined)
  const stop = tabStop === undefined ? firstStop(selection, store, firstId) : tabStop
  return (
    <>
      {error !== undefined && (
        <div className={styles.fault} role="alert">
          <ProblemText error={error} />
          <Button variant="default" size="xs" onClick={() => store.retry(stage.id)}>
            {words('retry')}
          </Button>
        </div>
      )}
      <div ref={scroller} className={styles.cards} tabIndex={-1}>
        {!isReady && (
          <div className={styles.skeletons} role="status" aria-label={words('loading')}>
            {[0, 1, 2, 3, 4].map((each) => (
              <Placeholder key={each} />
            ))}
          </div>
        )}
        {isReady && order.length === 0 && <p className={styles.hint}>{words('emptyStage')}</p>}
        {isReady && order.length > 0 && (
          <div role="list" aria-label={stage.name} aria-busy={order.includes(undefined)}>
            <Virtualizer
              ref={list}
              scrollRef={scroller}
              data={order}
              itemSize={size}
              bufferSize={size * 2}
              keepMounted={kept}
              onScroll={report}
            >
              {(id, index) =>
                id === undefined ? (
                  <div key={`at${index}`} className={styles.item}>
                    <Placeholder />
                  </div>
                ) : (
                  <div key={id} className={styles.item}>
                    <BoardCard
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

/** Before anything is focused, the first card of the board can be reached with the tab key. */
function firstStop(
  selection: ReturnType<typeof useBoard>['selection'],
  store: ReturnType<typeof useBoard>['store'],
  firstId: number | undefined,
): number | undefined {
  if (selection.get().focus !== undefined) return undefined
  const column = store
    .board()
    ?.columns.find(({ status_id }) => store.order(status_id).some((id) => id !== undefined))
  if (!column || firstId === undefined) return undefined
  return store.order(column.status_id).includes(firstId) ? firstId : undefined
}

/** Cards that come and go above keep those on screen where they are. */
function useAnchor(
  scroller: React.RefObject<HTMLDivElement | null>,
  order: CardOrder,
  size: number,
): void {
  const before = useRef(order)
  useLayoutEffect(() => {
    const box = scroller.current
    const old = before.current
    before.current = order
    if (!box || old === order || box.scrollTop === 0) return
    const first = Math.floor(box.scrollTop / size)
    const shift = shiftOf(old, order, first, first + 7)
    if (shift !== 0) box.scrollTop += shift * size
  }, [scroller, order, size])
}

/** The focus follows a card to its new place, and goes to a neighbour of one that is gone. */
function useFollow(statusId: number, order: CardOrder): void {
  const { selection, store, vocabulary } = useBoard()
  const before = useRef(order)
  useLayoutEffect(() => {
    const old = before.current
    before.current = order
    const { focus } = selection.get()
    if (old === order || focus?.statusId !== statusId || focus.id === undefined) return
    if (order.includes(focus.id)) return
    const index = old.indexOf(focus.id)
    if (index < 0) return
    const now = store.cards.shown(focus.id)
    const isElsewhere =
      now !== undefined &&
      now.status_id !== statusId &&
      vocabulary.columns.some(({ id }) => id === now.status_id)
    // The board stays where it is when somebody else moves the card.
    const isOwn = store.cards.operations(focus.id).length > 0
    const hadFocus = isFocusLost() || document.activeElement?.closest('[data-card]') !== null
    const next = isElsewhere
      ? { statusId: now.status_id, id: focus.id }
      : {
          statusId,
          id: order[Math.min(index, order.length - 1)] ?? order.findLast((id) => id !== undefined),
        }
    selection.set({ focus: next })
    if (hadFocus) focusNow(next.statusId, next.id, { isShown: isOwn })
  }, [selection, store, statusId, order, vocabulary])
}
