// The items of the feed in a window over them: the oldest on top, opened at the newest. Items that come
// above or below, and items that change their height, leave what is on screen where it is.
import { Button } from '@mantine/core'
import { ArrowDown } from 'lucide-react'
import {
  useCallback,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import type { KeyboardEvent, Ref } from 'react'
import { Virtualizer } from 'virtua'
import type { VirtualizerHandle } from 'virtua'
import { useFormatter, useNow, useTranslations } from 'use-intl'
import styles from './feed.module.css'
import { FoldView } from './change-item.tsx'
import { ItemView } from './item.tsx'
import { useFeed } from './context.ts'
import type { FeedState } from './store.ts'
import { rowsOf } from './rows.ts'
import type { FeedLine } from './rows.ts'

/**
 * Pixels from the top in which older items are asked for, while the user reads upward: so many that
 * their answer comes first, since nothing can give way above the first item. And at the end, where
 * most users stay.
 */
const [olderWithin, olderWithinAtEnd] = [2400, 900]
/** Pixels from the end that count as the end. */
const endWithin = 32
/** Milliseconds for which the day of the first item stays on screen after scrolling. */
const dayMs = 1500

export interface ListHandle {
  toEnd(): void
  /** The first item that came while the list was scrolled up, else the end. */
  toUnread(): void
}

/** Answers a function that names the day of a moment in milliseconds: "today", "12 November". */
function useDayName(): (at: number) => string {
  const words = useTranslations('feed')
  const format = useFormatter()
  const now = useNow({ updateInterval: 60_000 })
  const key = (at: Date) => format.dateTime(at, { dateStyle: 'short' })
  const [today, yesterday] = [key(now), key(new Date(now.getTime() - 86_400_000))]
  const year = format.dateTime(now, { year: 'numeric' })
  return (at) => {
    const date = new Date(at)
    if (key(date) === today) return words('today')
    if (key(date) === yesterday) return words('yesterday')
    const isThisYear = format.dateTime(date, { year: 'numeric' }) === year
    return format.dateTime(date, {
      day: 'numeric',
      month: 'long',
      ...(!isThisYear && { year: 'numeric' }),
    })
  }
}

export function FeedList({ state, ref }: { state: FeedState; ref: Ref<ListHandle> }) {
  const words = useTranslations('feed')
  const ui = useTranslations('ui')
  const format = useFormatter()
  const dayName = useDayName()
  const { store } = useFeed()
  const box = useRef<HTMLDivElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const list = useRef<VirtualizerHandle>(null)
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set())
  const [day, setDay] = useState<number>()
  const [unseen, setUnseen] = useState({ count: 0, first: '' })
  const { items, isComplete, arrived, older } = state
  const rows = useMemo(
    () =>
      rowsOf(items, {
        dayOf: (at) => format.dateTime(new Date(at), { dateStyle: 'short' }),
        isComplete,
      }),
    [items, isComplete, format],
  )
  const isShifted = useIsShifted(rows)
  const anchor = useAnchor({ box, content, list, rows })

  const look = useCallback(() => {
    const handle = list.current
    if (!handle || !box.current) return
    const isAtEnd = anchor.note()
    if (isAtEnd) setUnseen((before) => (before.count === 0 ? before : { count: 0, first: '' }))
    const within = isAtEnd ? olderWithinAtEnd : olderWithin
    if (handle.scrollOffset < within && older === 'idle') void store.loadOlder()
  }, [anchor, older, store])
  useEffect(look, [look, rows])
  const scroll = useCallback(() => {
    look()
    const handle = list.current
    const first = handle && rows[handle.findItemIndex(handle.scrollOffset + 8)]
    const isShown = first && first.kind !== 'day' && !anchor.isAtEnd()
    setDay(isShown ? atOf(first) : undefined)
  }, [look, anchor, rows])
  useEffect(() => {
    if (day === undefined) return undefined
    const timer = setTimeout(() => setDay(undefined), dayMs)
    return () => clearTimeout(timer)
  })

  useEffect(
    () =>
      store.look(() =>
        [...(box.current?.querySelectorAll<HTMLElement>('[data-key]') ?? [])].map(
          ({ dataset }) => dataset['key']!,
        ),
      ),
    [store],
  )

  const seen = useRef(arrived)
  useEffect(() => {
    if (seen.current === arrived) return
    seen.current = arrived
    if (anchor.isAtEnd() || arrived.length === 0) return
    setUnseen(({ count, first }) => ({
      count: count + arrived.length,
      first: first || arrived[0]!.key,
    }))
  }, [arrived, anchor])

  const toEnd = useCallback(() => {
    anchor.toEnd()
    list.current?.scrollToIndex(rows.length - 1, { align: 'end' })
  }, [anchor, rows])
  useImperativeHandle(ref, () => ({
    toEnd,
    toUnread() {
      const index = rows.findIndex((row) => keysOf(row).includes(unseen.first))
      if (index < 0) toEnd()
      else list.current?.scrollToIndex(index, { align: 'start' })
    },
  }))

  const toggle = useCallback((keys: readonly string[], isOpen: boolean) => {
    setOpened((before) => {
      const next = new Set(before)
      for (const key of keys) {
        if (isOpen) next.add(key)
        else next.delete(key)
      }
      return next
    })
  }, [])

  const total = isComplete ? items.length : -1
  let position = 0
  const tops = rows.map((row) => {
    const own = position + 1
    position += keysOf(row).length
    return own
  })
  return (
    <div className={styles.listFrame}>
      <div className={styles.over} aria-hidden={older === 'failed' ? undefined : true}>
        {older === 'failed' ? (
          <Button size="compact-xs" variant="default" onClick={() => void store.loadOlder()}>
            {words('olderFailed')} {ui('retry')}
          </Button>
        ) : (
          day !== undefined && <span className={styles.day}>{dayName(day)}</span>
        )}
      </div>
      <div
        ref={box}
        className={styles.list}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls by keys
        tabIndex={0}
        role="feed"
        aria-label={words('feed')}
        aria-busy={older === 'loading'}
        // The event of this scrolling comes later: a row that grows before would undo it.
        onKeyDown={(event) => moveFocus(event) && look()}
        onWheel={({ deltaY }) => deltaY < 0 && anchor.pull()}
        onTouchMove={anchor.pull}
      >
        <div ref={content} className={styles.content}>
          <Virtualizer
            ref={list}
            scrollRef={box}
            data={rows}
            shift={isShifted}
            bufferSize={600}
            onScroll={scroll}
            onResize={anchor.restore}
          >
            {(row, index) => (
              <div key={row.key} className={styles.row} data-row={row.key}>
                {row.kind === 'day' ? (
                  <div className={styles.dayRow}>
                    <span className={styles.day}>{dayName(row.at)}</span>
                  </div>
                ) : row.kind === 'item' ? (
                  <ItemView item={row.item} index={tops[index]!} total={total} />
                ) : (
                  <FoldView
                    items={row.items}
                    index={tops[index]!}
                    total={total}
                    isOpen={row.items.some(({ key }) => opened.has(key))}
                    toggle={toggle}
                  />
                )}
              </div>
            )}
          </Virtualizer>
        </div>
      </div>
      {unseen.count > 0 && (
        <button type="button" className={styles.pill} onClick={toEnd}>
          <ArrowDown size={14} aria-hidden />
          {words('newItems', { count: unseen.count })}
        </button>
      )}
    </div>
  )
}

const atOf = (row: FeedLine): number =>
  row.kind === 'day' ? row.at : row.kind === 'item' ? row.item.at : row.items[0]!.at

const keysOf = (row: FeedLine): string[] =>
  row.kind === 'day' ? [] : row.kind === 'item' ? [row.item.key] : row.items.map(({ key }) => key)

/** Whether these rows have others above those that were there before. */
function useIsShifted(rows: readonly FeedLine[]): boolean {
  const before = useRef<{ rows: readonly FeedLine[]; isShifted: boolean }>({
    rows,
    isShifted: false,
  })
  if (before.current.rows !== rows) {
    const first = before.current.rows.find(({ kind }) => kind !== 'day')
    const key = first && keysOf(first).at(-1)!
    const index = key === undefined ? -1 : rows.findIndex((row) => keysOf(row).includes(key))
    const formerIndex = before.current.rows.indexOf(first!)
    before.current = { rows, isShifted: index > formerIndex }
  }
  return before.current.isShifted
}

interface Anchor {
  restore(): void
  /** Remembers what is on screen; answers whether it is the end. */
  note(): boolean
  isAtEnd(): boolean
  toEnd(): void
  /** The user scrolls away from the end. */
  pull(): void
}

/**
 * Keeps a row on screen, or the end, in its place when heights change. It is the first one that the
 * user has seen: rows above it that are drawn for the first time grow upward.
 */
function useAnchor({
  box,
  content,
  list,
  rows,
}: {
  box: React.RefObject<HTMLDivElement | null>
  content: React.RefObject<HTMLDivElement | null>
  list: React.RefObject<VirtualizerHandle | null>
  rows: readonly FeedLine[]
}): Anchor {
  const anchor = useRef<AnchoredRow | 'end'>('end')
  /** The heights at which the end was last brought on screen. */
  const heights = useRef('')
  /** Where the list was then, and when the user last turned it upward. */
  const endTop = useRef(0)
  const pulledAt = useRef(-Infinity)
  const latest = useRef(rows)
  latest.current = rows
  /** Whether the user, rather than heights that have just been measured, has moved the end away. */
  const isPulled = useCallback(
    ({ scrollTop }: HTMLElement) =>
      scrollTop < endTop.current - 1 && performance.now() - pulledAt.current < pullMs,
    [],
  )
  const restore = useCallback(() => {
    const scroller = box.current
    if (!scroller) return
    if (anchor.current === 'end') {
      // The event of this scrolling comes later, and says what is held then.
      if (isPulled(scroller)) return
      scroller.scrollTop = scroller.scrollHeight
      heights.current = heightsOf(scroller)
      endTop.current = scroller.scrollTop
      return
    }
    const { key, top } = anchor.current
    const row = scroller.querySelector(`[data-row="${CSS.escape(key)}"]`)
    if (!row) return
    const by = row.getBoundingClientRect().top - scroller.getBoundingClientRect().top - top
    if (Math.abs(by) >= 0.5) scroller.scrollTop += by
  }, [box, isPulled])
  useLayoutEffect(restore, [restore, rows])
  useEffect(() => {
    const watcher = new ResizeObserver(restore)
    watcher.observe(box.current!)
    watcher.observe(content.current!)
    return () => watcher.disconnect()
  }, [box, content, restore])
  return useMemo(
    () => ({
      restore,
      note() {
        const [handle, scroller] = [list.current, box.current]
        if (!handle || !scroller) return true
        const { scrollTop, scrollHeight, clientHeight } = scroller
        const isMoved =
          anchor.current === 'end' && heights.current !== heightsOf(scroller) && !isPulled(scroller)
        if (isMoved || scrollHeight - scrollTop - clientHeight < endWithin) {
          anchor.current = 'end'
          if (isMoved) restore()
          return true
        }
        const row = firstSeen(scroller) ?? firstGuessed(scroller, handle, latest.current)
        if (row) anchor.current = row
        return false
      },
      isAtEnd: () => anchor.current === 'end',
      toEnd() {
        anchor.current = 'end'
        restore()
      },
      pull() {
        pulledAt.current = performance.now()
      },
    }),
    [box, isPulled, list, restore],
  )
}

/** The wheel scrolls a list within this time of its turn, also where pages are slow. Milliseconds. */
const pullMs = 500

interface AnchoredRow {
  key: string
  /** Its distance from the top of the list, in pixels. */
  top: number
}

/** The first row that begins on screen, else the one that fills it, among those with a known height. */
function firstSeen(scroller: HTMLElement): AnchoredRow | undefined {
  const { top: from, bottom: to } = scroller.getBoundingClientRect()
  let filling: AnchoredRow | undefined
  for (const row of scroller.querySelectorAll<HTMLElement>('[data-row]')) {
    // The window over the rows hides those that it has not measured yet.
    if (row.parentElement?.style.visibility === 'hidden') continue
    const { top, bottom } = row.getBoundingClientRect()
    if (top >= to) break
    const anchor = { key: row.dataset['row']!, top: top - from }
    if (top >= from) return anchor
    if (bottom > from) filling = anchor
  }
  return filling
}

/** After a leap to where nothing was drawn yet, the first row by the heights that are guessed. */
function firstGuessed(
  { scrollTop }: HTMLElement,
  handle: VirtualizerHandle,
  rows: readonly FeedLine[],
): AnchoredRow | undefined {
  // The window over the rows has not heard yet where it is.
  if (Math.abs(handle.scrollOffset - scrollTop) > 1) return undefined
  const index = handle.findItemIndex(scrollTop)
  const row = rows[index]
  return row && { key: row.key, top: handle.getItemOffset(index) - scrollTop }
}

const heightsOf = ({ scrollHeight, clientHeight }: Element) => `${scrollHeight} ${clientHeight}`

/**
 * Page Up and Page Down go from item to item, as readers of screens expect of a feed. Answers whether
 * the key was one of them.
 */
function moveFocus(event: KeyboardEvent<HTMLElement>): boolean {
  const { key, target, currentTarget } = event
  if (key !== 'PageDown' && key !== 'PageUp') return false
  const article = (target as HTMLElement).closest<HTMLElement>('article')
  if (!article || ['TEXTAREA', 'INPUT'].includes((target as HTMLElement).tagName)) return false
  const articles = [...currentTarget.querySelectorAll<HTMLElement>('article')]
  const next = articles[articles.indexOf(article) + (key === 'PageDown' ? 1 : -1)]
  if (!next) return false
  event.preventDefault()
  next.focus()
  return true
}
