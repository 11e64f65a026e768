import { part } from '../../data/rest.ts'
import { useComingField } from '../../ui/focus.ts'
import { autoScrollForElements } from '@atlaskit/pragmatic-drag-and-drop-auto-scroll/element'
import { monitorForElements } from '@atlaskit/pragmatic-drag-and-drop/element/adapter'
import type { DragLocationHistory } from '@atlaskit/pragmatic-drag-and-drop/types'
import { VisuallyHidden } from '@mantine/core'
import { useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react'
import type { CSSProperties, MouseEvent, PointerEvent, ReactNode, TouchEvent } from 'react'
import { useTranslations } from 'use-intl'
import { Failure } from '../../ui/states.tsx'
import { warn } from '../../ui/toasts.ts'
import { targets } from './acts.ts'
import type { CardAct } from './acts.ts'
import styles from './board.module.css'
import type { Drag } from './selection.ts'
import { CardMenu } from './card-menu.tsx'
import { BoardColumn } from './column.tsx'
import type { Dialogs as BoardDialogs } from './dialogs.tsx'
import { DropBar } from './drop-bar.tsx'
import { extendTo, focusAgain, useKeyDown } from './keys.ts'
import { useSelection, useBoard } from './context.ts'
import type { BoardSort } from '../../../server/features/application/board/schema.ts'
import { SelectionBar } from './selection-bar.tsx'
import { StageSwitcher } from './stage-switcher.tsx'

/** Milliseconds after which the dialogs are fetched, when the cards are there. */
const idleMs = 1500

/** How long a finger rests on a card until its menu opens, and how far it may slide meanwhile. */
const [longPressMs, longPressPixels] = [450, 10]

/**
 * The columns of a pipeline and all that is done with their cards. `before` are columns of the
 * screen's own at the left (requests that wait), `empty` replaces a board without any lead.
 */
export function BoardView({
  open,
  prefetch,
  setSort,
  before,
  offers,
  all,
  empty,
}: {
  open: (id: number) => void
  /** The pointer or the focus rests on a card, which may be opened next. */
  prefetch: (id: number) => void
  setSort: (sort: BoardSort) => void
  before?: { title: string; column: ReactNode } | undefined
  /** Ways from the selected cards to all that the filter finds. */
  offers?: ReactNode
  /** The acts on all that the filter finds. */
  all?: ReactNode
  empty?: ReactNode
}) {
  const board = useBoard()
  const { store, selection, vocabulary, isPhone, columnWidth } = board
  const words = useTranslations('board')
  const root = useRef<HTMLDivElement>(null)
  const state = useSyncExternalStore(store.watchBoard, store.state)
  const onKeyDown = useKeyDown(open)
  const isDragging = useSelection(({ drag }) => drag !== undefined)
  const Dialogs = useDialogs()
  const chosen = useSelection(({ stage }) => stage)
  const press = useLongPress()
  const hover = useHover(prefetch)
  useDragging(root)

  // A phone shows one stage at a time.
  const stage = vocabulary.columns.find(({ id }) => id === chosen) ?? vocabulary.columns[0]
  const isBeforeShown = isPhone && before !== undefined && chosen === 0
  const columns = isPhone
    ? vocabulary.columns.filter((each) => each === stage && !isBeforeShown)
    : vocabulary.columns

  useLayoutEffect(() => {
    const box = root.current
    if (box) box.scrollLeft = store.scroll.get('board') ?? 0
  }, [store])

  useLayoutEffect(() => {
    const { focus } = selection.get()
    // Back from a record: the card that was opened has the focus again.
    if (state.kind === 'ready' && focus) focusAgain(board)
    // Only when the board is there for the first time.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [state.kind])

  if (state.kind === 'failed')
    return <Failure error={state.error} retry={() => void store.load()} />

  const onClick = (event: MouseEvent) => {
    const target = event.target as HTMLElement
    const element = target.closest<HTMLElement>('[data-card]')
    if (!element) return
    if (press.wasLong()) return event.preventDefault()
    const id = Number(element.dataset['card'])
    if (id < 0) return
    const act = target.closest<HTMLElement>('[data-act]')?.dataset['act']
    const statusId = store.cards.shown(id)?.status_id
    if (statusId !== undefined) selection.set({ focus: { statusId, id } })
    if (act === 'menu') {
      const { left, bottom } = target.getBoundingClientRect()
      return selection.set({ menu: { id, x: left, y: bottom } })
    }
    const isSelected = selection.get().selected.has(id)
    if (event.shiftKey) {
      event.preventDefault()
      return extendTo(board, id)
    }
    if (act === 'select') return selection.select([id], !isSelected)
    const isLink = target.closest('a') !== null
    if (event.ctrlKey || event.metaKey) {
      if (isLink) return
      return selection.select([id], !isSelected)
    }
    // A card is opened wherever it is clicked.
    event.preventDefault()
    open(id)
  }

  return (
    <div className={styles.board} onKeyDown={onKeyDown} data-dragging={isDragging || undefined}>
      {isPhone && (
        <StageSwitcher stage={isBeforeShown ? undefined : stage} before={before?.title} />
      )}
      <div
        ref={root}
        className={styles.columns}
        data-columns
        style={{ '--column-width': `${columnWidth}px` } as CSSProperties}
        onClick={onClick}
        onContextMenu={(event) => {
          const element = (event.target as HTMLElement).closest<HTMLElement>('[data-card]')
          const id = Number(element?.dataset['card'] ?? 0)
          if (id <= 0) return
          event.preventDefault()
          selection.set({ menu: { id, x: event.clientX, y: event.clientY } })
        }}
        onPointerOver={hover}
        onFocus={(event) => {
          hover(event)
          const id = Number((event.target as HTMLElement).dataset['card'] ?? 0)
          const statusId = id > 0 ? store.cards.shown(id)?.status_id : undefined
          if (statusId !== undefined && selection.get().focus?.id !== id)
            selection.set({ focus: { statusId, id } })
        }}
        onScroll={({ currentTarget, target }) => {
          if (target === currentTarget) store.scroll.set('board', currentTarget.scrollLeft)
        }}
        {...press.handlers}
      >
        {(!isPhone || isBeforeShown) && before?.column}
        {columns.map((each) => (
          <BoardColumn key={each.id} stage={each} setSort={setSort} />
        ))}
      </div>
      {empty}
      <DropBar />
      <SelectionBar>{offers}</SelectionBar>
      {all}
      <CardMenu open={open} />
      {Dialogs && <Dialogs />}
      <VisuallyHidden>
        <LiveRegion />
        <p id="board-keys">{words('keysHint')}</p>
      </VisuallyHidden>
    </div>
  )
}

function LiveRegion() {
  const said = useSelection((state) => state.said)
  return (
    <div role="status" aria-live="polite" data-live>
      {said}
    </div>
  )
}

/** The stage, or the act of a target, that the pointer is over. */
function overIn({ current }: DragLocationHistory): Drag['over'] {
  const { statusId, act } = (current.dropTargets[0]?.data ?? {}) as {
    statusId?: number
    act?: CardAct['name']
  }
  return statusId ?? act
}

/** Follows the cards that the mouse drags, from the start to the drop. */
function useDragging(root: React.RefObject<HTMLElement | null>): void {
  const board = useBoard()
  const { store, selection, actions, isPhone } = board
  // A drag is heard to its end by who heard it begin.
  const latest = useRef(board)
  latest.current = board
  useEffect(() => {
    if (!root.current) return
    // A phone shows one column, and has nothing to scroll.
    const stopScrolling = isPhone ? undefined : autoScrollForElements({ element: root.current })
    const stop = monitorForElements({
      canMonitor: ({ source }) => 'cardId' in source.data,
      onDragStart({ source }) {
        const ids = actions.chosen(Number(source.data['cardId']))
        const from = new Map(ids.map((id) => [id, store.cards.shown(id)?.status_id ?? 0]))
        store.hold(ids)
        selection.set({ drag: { ids, by: 'pointer', from, over: undefined }, menu: undefined })
      },
      onDropTargetChange({ location }) {
        const { drag } = selection.get()
        if (drag) selection.set({ drag: { ...drag, over: overIn(location) } })
      },
      onDrop({ location }) {
        const { drag } = selection.get()
        const over = overIn(location)
        if (drag && typeof over === 'number')
          actions.move(drag.ids, { pipelineId: store.search.pipelineId, statusId: over })
        else if (drag) targets.find(({ name }) => name === over)?.run(latest.current, drag.ids)
        selection.set({ drag: undefined })
        store.release()
      },
    })
    return () => {
      stop()
      stopScrolling?.()
    }
  }, [root, store, selection, actions, isPhone])
}

/** Milliseconds that the pointer or the focus rests on a card until it is near. */
const restMs = 60

/** Tells of the card that the pointer or the focus stays on. */
function useHover(prefetch: (id: number) => void): (event: { target: EventTarget }) => void {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const at = useRef(0)
  useEffect(() => () => clearTimeout(timer.current), [])
  return ({ target }) => {
    const id = Number((target as HTMLElement).closest<HTMLElement>('[data-card]')?.dataset['card'])
    if (id === at.current) return
    clearTimeout(timer.current)
    at.current = id
    if (id > 0) timer.current = setTimeout(() => prefetch(id), restMs)
  }
}

/** A finger that rests on a card opens its menu, as the right button of a mouse does. */
function useLongPress() {
  const { selection } = useBoard()
  const state = useRef({ timer: 0, x: 0, y: 0, isLong: false })
  const end = () => clearTimeout(state.current.timer)
  return {
    wasLong: () => state.current.isLong,
    handlers: {
      onPointerDown({ pointerType, clientX: x, clientY: y, target }: PointerEvent) {
        end()
        state.current.isLong = false
        const element = (target as HTMLElement).closest<HTMLElement>('[data-card]')
        const id = Number(element?.dataset['card'] ?? 0)
        if (pointerType !== 'touch' || id <= 0) return
        const timer = window.setTimeout(() => {
          state.current.isLong = true
          selection.set({ menu: { id, x, y } })
        }, longPressMs)
        state.current = { timer, x, y, isLong: false }
      },
      onPointerMove({ clientX, clientY }: PointerEvent) {
        const { x, y } = state.current
        if (Math.hypot(clientX - x, clientY - y) > longPressPixels) end()
      },
      // The mouse that a browser makes of a finger would close the menu when the finger is lifted.
      onTouchEnd(event: TouchEvent) {
        if (state.current.isLong) event.preventDefault()
      },
      onPointerUp: end,
      onPointerCancel: end,
    },
  }
}

const fetchDialogs = () => import('./dialogs.tsx')
const fetchDialogsNow = part('dialogs of the board', fetchDialogs)

/** The dialogs, fetched when nobody waits for anything, or when one is asked for; undefined until then. */
function useDialogs(): typeof BoardDialogs | undefined {
  const words = useTranslations('ui')
  const { selection } = useBoard()
  const isRead = useSelection(({ dialog }) => dialog !== undefined)
  const [Dialogs, setDialogs] = useState<typeof BoardDialogs>()
  useEffect(() => {
    if (Dialogs) return undefined
    const fetchThem = async () => {
      // Undefined where the server does not answer (main.tsx); the next request fetches them anew.
      const loaded = await (isRead ? fetchDialogsNow() : fetchDialogs()).catch(() => undefined)
      if (loaded) return setDialogs(() => loaded.Dialogs)
      if (!isRead) return undefined
      selection.set({ dialog: undefined })
      warn(words('noConnection'))
      return undefined
    }
    if (isRead) return void fetchThem()
    const timer = setTimeout(() => void fetchThem(), idleMs)
    return () => clearTimeout(timer)
  }, [Dialogs, isRead, selection, words])
  useComingField(isRead && !Dialogs)
  return Dialogs
}
