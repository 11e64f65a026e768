// The elements of a catalog as far as somebody has read them, the newest first: pages from the first one on, changes
// that are on their way to the server, and those of others. A cell shows a change at once.
import type { CatalogElement } from '../../crm/catalogs.ts'
import type { Values } from '../../crm/fields/field.ts'
import { ask, askPage } from '../../data/api.ts'
import type { Slice } from '../../data/api.ts'
import { ChangeOvertaken, isOvertaken } from '../../data/conflicts.ts'
import { sendPatiently } from '../../data/writes.ts'
import type { ElementColumn } from './columns.ts'

export interface ElementState {
  /** Of the first page. */
  kind: 'loading' | 'ready' | 'failed'
  error?: unknown
  /** As they are shown, with changes that are on their way. */
  items: readonly CatalogElement[]
  /** Of the page after the last item. */
  more: 'none' | 'idle' | 'loading' | 'failed'
}

export interface ElementStore {
  catalogId: number
  state(): ElementState
  watch(watcher: () => void): () => void
  /** Asks for the first page, once more after a failure. */
  load(): Promise<void>
  /** Asks for the next page; nothing while one is under way. */
  loadMore(): Promise<void>
  /** Reads elements that somebody has added or changed; all that are shown for `all`. */
  refresh(ids: readonly number[] | 'all'): Promise<void>
  /** Puts an element that was added here above the others. */
  add(element: CatalogElement): void
  /**
   * Saves a cell whose edit began from `base`. Throws the refusal, or that others have changed the same meanwhile.
   */
  save(id: number, column: ElementColumn, base: Values, values: Values): Promise<void>
  /** An element as it is shown. */
  find(id: number): CatalogElement | undefined
}

interface Pending {
  id: number
  column: ElementColumn
  values: Values
}

/** Elements of a page, and of a request that names them. */
const pageSize = 100

/** `text`: the words that all elements have; empty for all. */
export function makeElementStore(catalogId: number, text: string): ElementStore {
  const path = `/api/v4/catalogs/${catalogId}/elements`
  const words = text === '' ? '' : `&query=${encodeURIComponent(text)}`
  const first = `${path}?limit=${pageSize}&order[id]=desc${words}`
  const watchers = new Set<() => void>()
  /** As the server has them. */
  let stored: readonly CatalogElement[] = []
  let pending: readonly Pending[] = []
  let next: string | undefined
  let state: ElementState = { kind: 'loading', items: [], more: 'none' }
  /** The last write of each element: the next one waits for it. */
  const turns = new Map<number, Promise<unknown>>()

  const put = (change: Partial<ElementState> = {}) => {
    state = { ...state, ...change, items: shown() }
    for (const watcher of watchers) watcher()
  }
  /** An element without a change stays the same object, so that its row is not drawn anew. */
  const shown = () =>
    pending.length === 0
      ? stored
      : stored.map((element) =>
          pending
            .filter(({ id }) => id === element.id)
            .reduce((now, { column, values }) => column.with(now, values), element),
        )
  const ordered = (elements: readonly CatalogElement[]) =>
    [...new Map(elements.map((element) => [element.id, element])).values()].toSorted(
      (one, other) => other.id - one.id,
    )
  const take = ({ items, next: following }: Slice<CatalogElement>, former: typeof stored) => {
    stored = ordered([...former, ...items])
    next = following
    put({ kind: 'ready', more: following === undefined ? 'none' : 'idle' })
  }
  const named = async (ids: readonly number[], of: string) =>
    ids.length === 0
      ? []
      : (
          await askPage<CatalogElement>(
            `${path}?limit=${pageSize}${of}&${ids.map((id) => `filter[id][]=${id}`).join('&')}`,
            'elements',
          )
        ).items

  async function refreshSome(ids: readonly number[]): Promise<void> {
    const known = new Set(stored.map(({ id }) => id))
    const isKnown = (id: number) => known.has(id)
    const [present, added] = await Promise.all([
      // Whoever looks at an element keeps it there, also where it has no longer the words of the search.
      named(ids.filter(isKnown), ''),
      named(
        ids.filter((id) => !isKnown(id)),
        words,
      ),
    ])
    const now = new Map(present.map((element) => [element.id, element]))
    const last = stored.at(-1)?.id ?? 0
    // Below the last element that is shown, an element is one of the next page.
    const above = added.filter(({ id }) => next === undefined || id > last)
    const asked = new Set(ids)
    stored = ordered([
      ...stored.flatMap((element) =>
        asked.has(element.id) ? (now.get(element.id) ?? []) : element,
      ),
      ...above,
    ])
    put()
  }

  async function send({ id, column, values }: Pending, base: Values): Promise<void> {
    const isLate = async () => {
      const element = await ask<CatalogElement>(`${path}/${id}`)
      if (isOvertaken(base, column.read(element), values)) {
        stored = stored.map((each) => (each.id === id ? element : each))
        throw new ChangeOvertaken()
      }
      return false
    }
    const written = await sendPatiently(async (key) => {
      await isLate()
      return ask<CatalogElement>(`${path}/${id}`, {
        method: 'PATCH',
        body: column.body!(values),
        key,
      })
    })
    stored = stored.map((each) => (each.id === id ? written! : each))
  }

  return {
    catalogId,
    state: () => state,
    watch(watcher) {
      watchers.add(watcher)
      return () => watchers.delete(watcher)
    },
    async load() {
      put({ kind: 'loading', error: undefined })
      try {
        take(await askPage<CatalogElement>(first, 'elements'), [])
      } catch (error) {
        put({ kind: 'failed', error })
      }
    },
    async loadMore() {
      if (next === undefined || state.more === 'loading') return
      put({ more: 'loading' })
      try {
        take(await askPage<CatalogElement>(next, 'elements'), stored)
      } catch (error) {
        put({ more: 'failed', error })
      }
    },
    async refresh(ids) {
      if (state.kind !== 'ready') return
      if (ids === 'all') {
        const { items } = await askPage<CatalogElement>(first, 'elements')
        const all = [...new Set([...stored, ...items].map(({ id }) => id))]
        return this.refresh(all)
      }
      for (let from = 0; from < ids.length; from += pageSize)
        await refreshSome(ids.slice(from, from + pageSize))
    },
    add(element) {
      stored = ordered([element, ...stored])
      put()
    },
    async save(id, column, base, values) {
      const own: Pending = { id, column, values }
      pending = [...pending, own]
      put()
      const turn = (turns.get(id) ?? Promise.resolve())
        .catch(() => undefined)
        .then(() => send(own, base))
      turns.set(id, turn)
      try {
        await turn
      } finally {
        pending = pending.filter((each) => each !== own)
        put()
      }
    },
    find: (id) => state.items.find((element) => element.id === id),
  }
}
