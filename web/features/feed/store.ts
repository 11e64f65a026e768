// The timeline of one record in the browser: pages from the newest upward, news of it as they happen,
// and what the user writes, which is shown at once. What is shown is what the server told, with the
// changes of the user over it; a refused change goes away again.
//
// Answers overtake each other. Therefore every request takes a number of the clock first: of each
// item, of the head and of the end, an answer to an older request than the last one is not taken.
import type { RecordType } from '../../../server/records/description.ts'
import { ask } from '../../data/api.ts'
import type { News } from '../../data/live.ts'
import { askBeforeLeaving } from '../../data/unload.ts'
import { inOrderOfDue } from './rows.ts'
import { wordOf } from '../../crm/logged.ts'
import type { FeedFilter, NoteItem, TaskItem, FeedPage, FeedItem } from './rows.ts'
import { forgetUnsent, keepUnsent, readUnsent, watchUnsent } from './unsent.ts'
import type { Unsent } from './unsent.ts'

export interface FeedView {
  type: RecordType
  id: number
  filter: FeedFilter
  /** Words that the texts hold; empty for all. */
  query: string
  /** Leaves out linked records. */
  isOnly: boolean
}

export interface FeedState {
  kind: 'loading' | 'failed' | 'ready'
  error?: unknown
  /** The oldest first, with what is being sent at the end. */
  items: FeedItem[]
  pinned: NoteItem[]
  planned: TaskItem[]
  /** Whether there are no older items. */
  isComplete: boolean
  older: 'idle' | 'loading' | 'failed'
  /** The latest items that came by themselves. */
  arrived: readonly FeedItem[]
}

/** Changes an item at once; null takes it away. */
export type Patch = ((item: FeedItem) => FeedItem) | null

export interface FeedStore {
  search: FeedView
  state(): FeedState
  watch(watcher: () => void): () => void
  load(): Promise<void>
  /** The page before the oldest item. */
  loadOlder(): Promise<void>
  hear(news: News): void
  /** Asks for what is new, and for items that may have changed. */
  refresh(keys?: readonly string[]): Promise<void>
  /** Names the items on screen, which the store asks for anew where news name no item. */
  look(keysOnScreen: () => readonly string[]): void
  /** Shows a change until it is dropped. Answers how to drop it. */
  patch(key: string, patch: Patch): () => void
  /**
   * Shows items while they are sent, one after the other. One that failed stays, also when the page
   * is left, and is sent again or taken away.
   */
  send(batch: readonly Unsent[]): Promise<void>
  sendAgain(key: string): void
  takeAway(key: string): void
}

/** The items of the first page, and of each older one. */
const [firstPage, page] = [30, 50]
/** Milliseconds between two requests at least; and where news may be about other records. */
const [pauseMs, farMs] = [100, 1000]
/** Pages without an item that are looked through before the user is asked whether to go on. */
const mostEmptyPages = 20
/** The most keys of one request. */
const mostKeys = 50

export function feedPath(
  { type, id, filter, query, isOnly }: FeedView,
  more: Record<string, string> = {},
): string {
  const search = new URLSearchParams({
    ...(filter !== 'all' && { kinds: filter }),
    ...(query !== '' && { query }),
    ...(isOnly && { only: 'true' }),
    ...more,
  })
  return `/web/v1/timeline/${type}/${id}?${search}`
}

/** An item on its way to the server. */
interface Entry extends Unsent {
  /** The keys that the server gave. */
  keys: string[]
  /** The time of the clock at which it gave them. */
  answered?: number
  isKept: boolean
}

/** Items of a record that are written and not sent yet; they outlive the filters and the card. */
interface Outbox {
  entries: Entry[]
  watchers: Set<() => void>
}

let clock = 0
const outboxes = new Map<string, Outbox>()

/** An item that this browser keeps waits for the user, so the page may be left. */
const isAtRisk = ({ item, keys, isKept }: Entry) =>
  keys.length === 0 && (item.sending?.state === 'sending' || !isKept)
askBeforeLeaving(() => [...outboxes.values()].some(({ entries }) => entries.some(isAtRisk)))
watchUnsent(() => {
  for (const [record, outbox] of outboxes) followKept(record, outbox)
})

const outboxKey = ({ type, id }: FeedView) => `${type} ${id}`

function outboxOf(search: FeedView): Outbox {
  const record = outboxKey(search)
  const known = outboxes.get(record)
  if (known) return known
  const outbox = { entries: readUnsent(record).map(failedEntry), watchers: new Set<() => void>() }
  outboxes.set(record, outbox)
  return outbox
}

const failedEntry = ({ item, writing }: Unsent): Entry => ({
  item: { ...item, sending: { state: 'failed' } },
  writing,
  keys: [],
  isKept: true,
})

/** Another tab has sent or discarded an item, or could not send one. */
function followKept(record: string, outbox: Outbox): void {
  const kept = readUnsent(record)
  const isThere = (some: readonly Unsent[], { item }: Unsent) =>
    some.some((each) => each.item.key === item.key)
  const own = outbox.entries.filter(
    (entry) => entry.item.sending?.state === 'sending' || !entry.isKept || isThere(kept, entry),
  )
  outbox.entries = [...own, ...kept.filter((each) => !isThere(own, each)).map(failedEntry)]
  for (const watcher of outbox.watchers) watcher()
}

/** The keys of what a write has added. */
function keysOf(kind: FeedItem['kind'], answer: Added): string[] {
  if ('id' in answer) return [`message ${answer.id}`]
  const [noun, added] =
    kind === 'task'
      ? (['task', answer._embedded.tasks] as const)
      : (['note', answer._embedded.notes] as const)
  return (added ?? []).map(({ id }) => `${noun} ${id}`)
}

type Added = { id: number } | { _embedded: { notes?: { id: number }[]; tasks?: { id: number }[] } }

export function makeFeedStore(search: FeedView): FeedStore {
  const record = outboxKey(search)
  let outbox = outboxOf(search)
  const watchers = new Set<() => void>()
  let loaded: FeedItem[] = []
  let pinned: NoteItem[] = []
  let planned: TaskItem[] = []
  let before: string | null = null
  let after: string | null = null
  /** The requests whose answers were taken last. */
  const asOf = { firstPage: 0, after: 0, items: new Map<string, number>() }
  /** Counts the loads: an older page belongs to the items of one. */
  let generation = 0
  let isLoading = false
  let phase: Pick<FeedState, 'kind' | 'error' | 'older'> = { kind: 'loading', older: 'idle' }
  let arrived: readonly FeedItem[] = []
  let patches: { key: string; patch: Patch }[] = []
  let keysOnScreen: () => readonly string[] = () => []
  let shown: FeedState = fold()

  function fold(): FeedState {
    const changed = <Item extends FeedItem>(items: readonly Item[]): Item[] =>
      items.flatMap((item) => {
        let now: FeedItem | undefined = item
        for (const { key, patch } of patches)
          if (now && key === item.key) now = patch === null ? undefined : patch(now)
        return now ? [now as Item] : []
      })
    const tasks = changed(planned)
    const items = changed(loaded)
    const isOpen = ({ task }: TaskItem) => !task.is_completed
    // A task that is done here goes from the plan to the end of the feed at once.
    const done = tasks.filter(
      (item) => !isOpen(item) && !loaded.some(({ key }) => key === item.key),
    )
    const reopened = items.filter((item): item is TaskItem => item.kind === 'task' && isOpen(item))
    const plan = [...tasks.filter(isOpen), ...reopened]
    const known = [
      ...items.filter((item) => item.kind !== 'task' || !isOpen(item)),
      ...(isShown('tasks') ? done : []),
    ]
    const last = known.at(-1)?.at ?? 0
    return {
      ...phase,
      items: [
        ...known,
        // They stand below what happened since they were written, until the server has them.
        ...outbox.entries
          .filter(({ keys }) => !isLoaded(keys))
          .map(({ item }) => (item.at < last ? { ...item, at: last } : item)),
      ],
      pinned: pinnedOf(changed(pinned), items),
      planned: inOrderOfDue(distinct(plan)),
      isComplete: before === null,
      arrived,
    }
  }

  function isLoaded(keys: readonly string[]): boolean {
    return keys.length > 0 && keys.every((key) => isKnown(key))
  }

  /** Pinned notes, also those whose pin the user has just set or taken. */
  function pinnedOf(known: readonly NoteItem[], items: readonly FeedItem[]): NoteItem[] {
    const notes = items.filter((item): item is NoteItem => 'note' in item)
    const all = distinct([...known, ...notes.filter(({ note }) => note.is_pinned === true)])
    return all.filter(({ note }) => note.is_pinned !== false)
  }

  function isShown(filter: FeedFilter): boolean {
    return search.filter === 'all' || search.filter === filter
  }

  function notify(): void {
    shown = fold()
    for (const watcher of watchers) watcher()
  }

  /**
   * Takes items of an answer into their places; those that are not there yet stand by their time, and
   * of one time in the order of the server. Answers these.
   */
  function take(items: readonly FeedItem[], search: number, isOlder = false): FeedItem[] {
    const current = items.filter(({ key }) => isCurrent(key, search))
    for (const { key } of current) asOf.items.set(key, search)
    const indexes = new Map(loaded.map(({ key }, index) => [key, index]))
    const fresh = current.filter(({ key }) => !indexes.has(key))
    const next = [...loaded]
    for (const item of current) {
      const index = indexes.get(item.key)
      if (index !== undefined) next[index] = item
    }
    const all = isOlder ? [...fresh, ...next] : [...next, ...fresh]
    loaded = all.toSorted((one, other) => one.at - other.at)
    return fresh
  }

  const isCurrent = (key: string, search: number) => (asOf.items.get(key) ?? 0) <= search

  async function load(): Promise<void> {
    const own = ++generation
    isLoading = true
    phase = { kind: phase.kind === 'ready' ? 'ready' : 'loading', older: 'idle' }
    notify()
    try {
      const number = ++clock
      const answer = await ask<FeedPage>(feedPath(search, { limit: String(firstPage) }))
      if (own !== generation) return
      // News that were asked for later stay.
      loaded = loaded.filter(({ key }) => !isCurrent(key, number))
      take(answer.items, number)
      takeFirstPage(answer, number)
      takeEnd(answer, number)
      ;({ before } = answer)
      // A search looks at a bounded number of items at a time.
      for (let pages = 1; loaded.length === 0 && before !== null && pages < mostEmptyPages; pages++)
        if (!(await takeOlder(before, own))) return
      phase = { kind: 'ready', older: 'idle' }
    } catch (error) {
      if (own !== generation) return
      phase = { kind: 'failed', older: 'idle', error }
    }
    isLoading = false
    notify()
  }

  function takeFirstPage(answer: FeedPage, number: number): void {
    if (number < asOf.firstPage) return
    asOf.firstPage = number
    pinned = answer.pinned ?? pinned
    planned = answer.planned ?? planned
  }

  function takeEnd(answer: FeedPage, number: number): void {
    if (number < asOf.after) return
    asOf.after = number
    ;({ after } = answer)
  }

  async function loadOlder(): Promise<void> {
    if (before === null || isLoading || phase.kind !== 'ready' || phase.older === 'loading') return
    const own = generation
    phase = { ...phase, older: 'loading' }
    notify()
    try {
      if (!(await takeOlder(before, own))) return
      phase = { ...phase, older: 'idle' }
    } catch {
      if (own !== generation) return
      phase = { ...phase, older: 'failed' }
    }
    notify()
  }

  /** False where the items have been loaded anew meanwhile. */
  async function takeOlder(from: string, own: number): Promise<boolean> {
    const number = ++clock
    const limit = String(page)
    const answer = await ask<FeedPage>(feedPath(search, { limit, before: from }))
    if (own !== generation) return false
    take(answer.items, number, true)
    ;({ before } = answer)
    return true
  }

  let wanted = { after: false, firstPage: false, keys: new Set<string>() }
  let timer: ReturnType<typeof setTimeout> | undefined
  let dueAt = Infinity
  let requestedAt = -Infinity

  function want(keys: readonly string[], isFirstPage: boolean, waitMs: number): void {
    wanted.after = true
    wanted.firstPage ||= isFirstPage
    for (const key of keys) wanted.keys.add(key)
    const due = Math.max(performance.now() + waitMs, requestedAt + pauseMs)
    if (timer !== undefined && dueAt <= due) return
    clearTimeout(timer)
    dueAt = due
    timer = setTimeout(() => void askWanted(), due - performance.now())
  }

  async function askWanted(): Promise<void> {
    timer = undefined
    dueAt = Infinity
    requestedAt = performance.now()
    const { firstPage, keys } = wanted
    wanted = { after: false, firstPage: false, keys: new Set() }
    // An answer under way may be older than the news; after a failure all is asked for anew.
    if (phase.kind === 'loading') return want([...keys], firstPage, pauseMs)
    if (phase.kind === 'failed') return
    // The answer to what is being sent names its item, which would else be there twice for a moment.
    if (
      outbox.entries.some(({ item, keys: known }) => item.sending?.state === 'sending' && !known[0])
    )
      return want([...keys], firstPage, pauseMs)
    try {
      await fetchNews([...keys], firstPage)
    } catch {
      // A cut connection ends with news of all that was missed.
    }
    requestedAt = performance.now()
  }

  async function fetchNews(keys: readonly string[], isFirstPage: boolean): Promise<void> {
    const parts = Array.from({ length: Math.ceil(keys.length / mostKeys) }, (_, index) =>
      keys.slice(index * mostKeys, (index + 1) * mostKeys),
    )
    const number = ++clock
    const [firstPage, ...named] = await Promise.all([
      isFirstPage ? ask<FeedPage>(feedPath(search, { limit: '1' })) : undefined,
      ...parts.map((some) => ask<FeedPage>(feedPath(search, { keys: some.join(',') }))),
    ])
    const fresh: FeedItem[] = []
    let from = after
    for (let isMore = true; isMore;) {
      const later = ++clock
      const answer = await ask<FeedPage>(
        feedPath(search, { limit: String(page), ...(from && { after: from }) }),
      )
      fresh.push(...take(answer.items, later))
      takeEnd(answer, later)
      isMore = answer.items.length === page && answer.after !== from
      from = answer.after
    }
    if (firstPage) takeFirstPage(firstPage, number)
    const found = new Map(named.flatMap((each) => each.items.map((item) => [item.key, item])))
    const current = new Set(keys.filter((key) => isCurrent(key, number)))
    for (const key of current) asOf.items.set(key, number)
    // An item that is not answered is gone, and one that is new comes with the others.
    loaded = loaded.flatMap((item) =>
      current.has(item.key) ? (found.get(item.key) ?? []) : [item],
    )
    const own = new Set(outbox.entries.flatMap((each) => each.keys))
    const others = fresh.filter(({ key }) => !own.has(key))
    if (others.length > 0) arrived = others
    // What had been sent by then is told now, or it is of a kind that the filter leaves out.
    outbox.entries = outbox.entries.filter(({ answered }) => (answered ?? Infinity) > number)
    notifyAll()
    forget()
  }

  const knownOnScreen = () => keysOnScreen().filter((key) => !key.startsWith('new '))

  function isKnown(key: string): boolean {
    return loaded.some((item) => item.key === key) || planned.some((item) => item.key === key)
  }

  function hear({ name, data }: News): void {
    if (name === 'reset') return want(knownOnScreen(), true, 0)
    if (name !== 'change') return
    const of = (type: unknown, id: unknown) => isOwn(type, id) || isLinked(type, id)
    const { entity_type, entity_id, record_type, record_id, contact_id, chat_id, note_id } = data
    const wait = (type: unknown, id: unknown) => (isOwn(type, id) ? 0 : farMs)
    if (entity_type === 'tasks') {
      const key = `task ${wordOf(entity_id)}`
      if (isKnown(key)) want([key], true, 0)
      else if (of(record_type, record_id)) want([], true, wait(record_type, record_id))
    } else if (entity_type === 'messages') {
      const key = `message ${wordOf(entity_id)}`
      if (isKnown(key)) want([key], false, 0)
      else if (isOwn(record_type, record_id) || isOwn('contacts', contact_id) || isInChat(chat_id))
        want([], false, 0)
      else if (!search.isOnly && (contact_id !== undefined || of(record_type, record_id)))
        want([], false, farMs)
    } else if (of(entity_type, entity_id)) {
      const note = note_id === undefined ? [] : [`note ${wordOf(note_id)}`]
      want(note.filter(isKnown), note.length > 0, wait(entity_type, entity_id))
    }
  }

  const isOwn = (type: unknown, id: unknown) => type === search.type && id === search.id

  /** Whether items of a record may be in this feed: the news do not say which records are linked. */
  const isLinked = (type: unknown, id: unknown) =>
    !search.isOnly &&
    (loaded.some(({ entity }) => entity.id === id && entity.type === type) ||
      (search.type !== 'leads' && (type === 'leads' || type === 'customers')) ||
      (search.type === 'companies' && type === 'contacts'))

  const isInChat = (id: unknown) =>
    loaded.some((item) => item.kind === 'message' && item.message.chat_id === id)

  /** The feed may be shown by another store by now, with another filter. */
  function notifyAll(): void {
    notify()
    for (const each of outbox.watchers) if (each !== notify) each()
  }

  /** Outboxes without anything in them do not pile up with each record that was opened. */
  function forget(): void {
    if (outbox.entries.length === 0 && outbox.watchers.size === 0) outboxes.delete(record)
  }

  function changeEntry(key: string, change: Partial<Entry>): void {
    outbox.entries = outbox.entries.map((each) =>
      each.item.key === key ? { ...each, ...change } : each,
    )
    notifyAll()
  }

  async function transmit({ item, writing }: Unsent): Promise<void> {
    const { key } = item
    const become = (state: 'sending' | 'failed', error?: unknown) =>
      changeEntry(key, {
        item: { ...item, sending: { state, error } },
        isKept: keepUnsent(record, { item, writing }, state === 'sending'),
      })
    become('sending')
    try {
      const { path, ...search } = writing
      const answer = await ask<Added>(path, { method: 'POST', ...search })
      forgetUnsent(record, key)
      changeEntry(key, { keys: keysOf(item.kind, answer), answered: ++clock })
    } catch (error) {
      return become('failed', error)
    }
    // It stays as it is until it is told; the end of a cut brings the news of it once more.
    const isTask = item.kind === 'task'
    await fetchNews([], isTask).catch(() => want([], isTask, farMs))
  }

  return {
    search,
    state: () => shown,
    watch(watcher) {
      watchers.add(watcher)
      outbox = outboxOf(search)
      outbox.watchers.add(notify)
      return () => {
        watchers.delete(watcher)
        if (watchers.size === 0) outbox.watchers.delete(notify)
        forget()
      }
    },
    load,
    loadOlder,
    hear,
    async refresh(keys = []) {
      await fetchNews(keys, true)
    },
    look(get) {
      keysOnScreen = get
    },
    patch(key, patch) {
      const entry = { key, patch }
      patches = [...patches, entry]
      notify()
      return () => {
        patches = patches.filter((each) => each !== entry)
        notify()
      }
    },
    async send(batch) {
      outbox = outboxOf(search)
      const entries = batch.map((each): Entry => ({
        ...each,
        item: { ...each.item, sending: { state: 'sending' } },
        keys: [],
        isKept: keepUnsent(record, each, true),
      }))
      outbox.entries = [...outbox.entries, ...entries]
      notifyAll()
      // In their order; one that fails does not keep back those after it.
      for (const entry of entries) await transmit(entry)
    },
    sendAgain(key) {
      const entry = outbox.entries.find(({ item }) => item.key === key)
      if (entry) void transmit(entry)
    },
    takeAway(key) {
      forgetUnsent(record, key)
      outbox.entries = outbox.entries.filter(({ item }) => item.key !== key)
      notifyAll()
      forget()
    },
  }
}

/** Of items with one key, the first. */
const distinct = <Item extends { key: string }>(items: readonly Item[]): Item[] =>
  [...new Map(items.toReversed().map((item) => [item.key, item])).values()].toReversed()
