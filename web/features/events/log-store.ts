// The event log as far as somebody has read it: pages from the newest event on, and the events that
// have come since, which wait until they are wanted. What came late stands where it belongs.
import type { LoggedEvent, LogPage } from '../../../server/features/activity/events/schema.ts'
import { ask } from '../../data/api.ts'
import type { Change } from '../../crm/logged.ts'

export type LogItem = Omit<LoggedEvent, 'event'> & { event: Change }

export interface LogState {
  /** Of the first page. */
  kind: 'loading' | 'ready' | 'failed'
  error?: unknown
  /** The newest first. */
  items: readonly LogItem[]
  /** Of the page after the last item; none where the log ends. */
  more: 'none' | 'idle' | 'loading' | 'failed'
  /** Events that are not shown yet. */
  fresh: { count: number; isMore: boolean }
}

export interface LogStore {
  state(): LogState
  watch(watcher: () => void): () => void
  /** Asks for the first page, once more after a failure. */
  load(): Promise<void>
  /** Asks for the next page; nothing while one is under way. */
  loadMore(): Promise<void>
  /** Looks for newer events. One look at a time is the caller's part (live.ts). */
  look(): Promise<void>
  /** Shows the newer events that were found. */
  showFresh(): void
}

type Page = Pick<LogPage, 'has_more'> & { _embedded: { events: LogItem[] } }
type Ask = (address: string) => Promise<Page>

const nothingFresh = { count: 0, isMore: false }

/** `filter`: parameters of the interface as a query string, without `?`. */
export function makeLog(filter: string, askPage: Ask = (address) => ask<Page>(address)): LogStore {
  const watchers = new Set<() => void>()
  /** The events that `state.fresh` counts. */
  let found: LogItem[] = []
  let state: LogState = { kind: 'loading', items: [], more: 'none', fresh: nothingFresh }
  const put = (change: Partial<LogState>) => {
    state = { ...state, ...change }
    for (const watcher of watchers) watcher()
  }
  const page = (after?: string) =>
    askPage(
      `/web/v1/events?${[filter, after === undefined ? '' : `after=${after}`].filter(Boolean).join('&')}`,
    )
  const shown = (items: readonly LogItem[], others: readonly LogItem[]) =>
    [...new Map([...items, ...others].map((item) => [item.event.id, item])).values()].toSorted(
      (one, other) => (one.event.id < other.event.id ? 1 : -1),
    )
  const moreOf = ({ has_more }: Page) => (has_more ? 'idle' : 'none')
  return {
    state: () => state,
    watch(watcher) {
      watchers.add(watcher)
      return () => watchers.delete(watcher)
    },
    async load() {
      put({ kind: 'loading', error: undefined })
      try {
        const first = await page()
        put({ kind: 'ready', items: first._embedded.events, more: moreOf(first) })
      } catch (error) {
        put({ kind: 'failed', error })
      }
    },
    async loadMore() {
      const last = state.items.at(-1)
      if (!last || (state.more !== 'idle' && state.more !== 'failed')) return
      put({ more: 'loading' })
      try {
        const next = await page(last.event.id)
        // The list may have begun anew meanwhile.
        if (state.items.at(-1) !== last) return
        put({ items: shown(state.items, next._embedded.events), more: moreOf(next) })
      } catch (error) {
        if (state.items.at(-1) === last) put({ more: 'failed', error })
      }
    },
    async look() {
      if (state.kind !== 'ready') return
      const first = await page()
      const known = new Set(state.items.map(({ event }) => event.id))
      const oldest = state.items.at(-1)?.event.id
      const { events } = first._embedded
      const fresh = events.filter(
        ({ event }) =>
          // Below the last item that is shown, an event is one of the next page.
          !known.has(event.id) && (state.more === 'none' || event.id > oldest!),
      )
      found = fresh
      const isMore = first.has_more && fresh.length === events.length
      put({ fresh: { count: fresh.length, isMore } })
    },
    showFresh() {
      // With a gap between them and what is shown, the list begins anew.
      if (state.fresh.isMore) put({ items: found, more: 'idle', fresh: nothingFresh })
      else put({ items: shown(found, state.items), fresh: nothingFresh })
      found = []
    },
  }
}
