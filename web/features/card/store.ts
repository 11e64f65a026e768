// One record as its card shows it: the server's snapshot with the user's own changes over it
// (web/data/overlay.ts), member by member. Members are watched one by one, so a change by others draws its
// field and no other.
import type { RecordType } from '../../../server/records/description.ts'
import { notifyManager, queryOptions, useQueryClient } from '@tanstack/react-query'
import type { QueryClient } from '@tanstack/react-query'
import { useEffect, useSyncExternalStore } from 'react'
import { ask, isPassing, Problem } from '../../data/api.ts'
import { onNews } from '../../data/live.ts'
import { makeOverlay } from '../../data/overlay.ts'
import { makeChangeSender, recordChange } from '../../crm/changes.ts'
import { sendPatiently } from '../../data/writes.ts'
import { changedMembers, membersOf, withKeptObjects } from './record.ts'
import type { MemberName, Members, RecordCard } from './record.ts'

export interface CardStore {
  type: RecordType
  id: number
  /** The number of a request; asked before it is sent. */
  tick(): number
  /** Takes the answer to request `asOf`. */
  take(answer: Pick<RecordCard, 'record'>, asked: number): void
  hasAnswer(): boolean
  /** Shows what another screen knows of the record until the first answer. */
  seed(members: Members): void
  /** A member as it is shown; undefined before the first answer. */
  shown<Key extends MemberName>(key: Key): Members[Key] | undefined
  /** A member as the server has it. */
  known<Key extends MemberName>(key: Key): Members[Key] | undefined
  watch(watcher: () => void): () => void
  /**
   * Shows a change and sends `body`, after the changes before it. Throws the refusal, or that others have
   * changed the same while the connection was cut.
   */
  save(change: Partial<Members>, body: object): Promise<void>
  /** Whether the user changed the member and no answer has shown it yet. */
  isAwaited(key: MemberName): boolean
  /** Whether somebody else has just changed the member. */
  isFresh(key: MemberName): boolean
  /** The user who changed the record last, as the news told. */
  changedBy: number | undefined
  /** The user who changed the record last, or one of those that its card shows. */
  changedAround: number | undefined
  /** Asks the server anew, once for many reasons. */
  want: () => void
  /** Asks anew, and ends when the card shows an answer to a request of after the call, or is shown no more. */
  reread: () => Promise<void>
  /** The changes that the server has not answered. */
  waiting(): number
  /** Whether a card shows the store, or changes wait in it. */
  isInUse(): boolean
}

/** The highlight of a member that somebody else changed stays so long. */
const freshMs = 1600
/** A request that somebody waits for is asked again so long after it got no answer. */
const retryMs = 3000
/** Questions for a card are this far apart. */
const pauseMs = 100
/** Stores that are kept for cards that come back. */
const mostStores = 20

const stores = new Map<string, CardStore>()

/** The store of a record, the same one while it is in use and until many others were opened. */
export function cardStoreOf(type: RecordType, id: number): CardStore {
  const key = `${type} ${id}`
  const store = stores.get(key) ?? makeCardStore(type, id)
  stores.delete(key)
  stores.set(key, store)
  for (const [old, each] of [...stores].slice(0, -mostStores))
    if (!each.isInUse()) stores.delete(old)
  return store
}

/** While no card shows the store. */
const unfollowed: Pick<CardStore, 'want' | 'reread'> = {
  want: () => undefined,
  reread: () => Promise.resolve(),
}

export function makeCardStore(type: RecordType, id: number): CardStore {
  const overlay = makeOverlay<Members>()
  const watchers = new Set<() => void>()
  const fresh = new Map<MemberName, ReturnType<typeof setTimeout>>()
  const send = makeChangeSender()
  let isSeed = false
  let waiting = 0
  const notify = () => {
    for (const watcher of watchers) watcher()
  }

  const changedByUser = () =>
    overlay.operations(id).flatMap(({ change }) => Object.keys(change ?? {}))

  function mark(key: MemberName): void {
    clearTimeout(fresh.get(key))
    const end = () => {
      fresh.delete(key)
      notify()
    }
    fresh.set(key, setTimeout(end, freshMs))
  }

  /** What others did while the connection was cut; the news of it may come later. */
  async function readAnew(): Promise<void> {
    const asOf = overlay.tick()
    try {
      store.take(await ask<RecordCard>(`/web/v1/cards/${type}/${id}`), asOf)
    } catch {
      // The next attempt of the write asks again.
    }
  }

  const store: CardStore = {
    type,
    id,
    changedBy: undefined,
    changedAround: undefined,
    ...unfollowed,
    tick: overlay.tick,
    take(answer, asOf) {
      const before = overlay.snapshot(id)
      const shown = overlay.shown(id)
      const own = new Set(changedByUser())
      if (!overlay.put(withKeptObjects(before, membersOf(answer)), asOf)) return
      const now = overlay.shown(id)
      if (shown && now && !isSeed)
        for (const key of changedMembers(shown, now)) if (!own.has(key)) mark(key)
      isSeed = false
      if (overlay.snapshot(id) !== before || own.size > 0) notify()
    },
    hasAnswer: () => overlay.snapshot(id) !== undefined && !isSeed,
    seed(members) {
      if (overlay.snapshot(id) !== undefined) return
      isSeed = true
      overlay.put(members, 0)
    },
    shown: (key) => overlay.shown(id)?.[key],
    known: (key) => overlay.snapshot(id)?.[key],
    watch(watcher) {
      watchers.add(watcher)
      return () => watchers.delete(watcher)
    },
    async save(change, body) {
      const changes = [recordChange(id, overlay.shown(id), change)]
      const operation = overlay.begin(id, change)
      waiting++
      notify()
      try {
        await send({ path: `/api/v4/${type}/${id}`, body, type, changes }, async () => {
          await readAnew()
          return () => overlay.snapshot(id) ?? {}
        })
        overlay.confirm(operation)
      } catch (error) {
        overlay.drop(operation)
        throw error
      } finally {
        waiting--
        notify()
        store.want()
      }
    },
    isAwaited: (key) => changedByUser().includes(key),
    isFresh: (key) => fresh.has(key),
    waiting: () => waiting,
    isInUse: () => waiting > 0 || watchers.size > 0,
  }
  return store
}

/** The whole card of a record. Its answer goes to the record's store too. */
export const cardQuery = (type: RecordType, id: number) =>
  queryOptions({
    queryKey: ['cards', type, id],
    queryFn: async ({ signal }): Promise<RecordCard> => {
      const asOf = cardStoreOf(type, id).tick()
      const answer = await ask<RecordCard>(`/web/v1/cards/${type}/${id}`, { signal })
      cardStoreOf(type, id).take(answer, asOf)
      return answer
    },
    // A card that was fetched when the pointer came near is fresh when it opens.
    staleTime: 5000,
    gcTime: 60_000,
  })

/** A member of the record as it is shown. */
export const useMember = <Key extends MemberName>(
  store: CardStore,
  key: Key,
): Members[Key] | undefined => useSyncExternalStore(store.watch, () => store.shown(key))

export const useIsAwaited = (store: CardStore, key: MemberName): boolean =>
  useSyncExternalStore(store.watch, () => store.isAwaited(key))

/** A member of the record as the server has it. */
export const useKnown = <Key extends MemberName>(
  store: CardStore,
  key: Key,
): Members[Key] | undefined => useSyncExternalStore(store.watch, () => store.known(key))

export const useIsFresh = (store: CardStore, key: MemberName): boolean =>
  useSyncExternalStore(store.watch, () => store.isFresh(key))

/**
 * Asks anew when the record or one that it shows changes: at once, then at most every 100 ms, and
 * never while a request is under way.
 */
export function useFollow(store: CardStore, card: RecordCard | undefined): void {
  const client = useQueryClient()
  useEffect(() => {
    const { want, reread, stop } = paced(client, store)
    Object.assign(store, { want, reread })
    const { queryKey } = cardQuery(store.type, store.id)
    const unlisten = onNews(({ name, data }) => {
      if (name !== 'change') return
      const [type, id] = [String(data['entity_type']), Number(data['entity_id'])]
      const isOwn = type === store.type && id === store.id
      if (isOwn) store.changedBy = Number(data['created_by'])
      if (!isOwn && !isLinked(client.getQueryData(queryKey), type, id)) return
      store.changedAround = Number(data['created_by'])
      want()
    })
    return () => {
      unlisten()
      stop()
      Object.assign(store, unfollowed)
    }
  }, [client, store])
  useEffect(() => {
    // The answer is of the cache, and many stores came after that which had it.
    if (card && !store.hasAnswer()) store.take(card, store.tick())
  }, [card, store])
}

function isLinked(card: RecordCard | undefined, type: string, id: number): boolean {
  if (!card) return false
  const { leads, contacts, companies, customers, elements } = card
  const lists = { leads, contacts, companies, customers, catalog_elements: elements }
  return (
    Object.hasOwn(lists, type) &&
    lists[type as keyof typeof lists].items.some((each) => each.id === id)
  )
}

function paced(client: QueryClient, { type, id }: CardStore) {
  let timer: ReturnType<typeof setTimeout> | undefined
  let isAsking = false
  let isWanted = false
  let isStopped = false
  let lastAt = -pauseMs
  /** Those who wait for an answer to the next request. */
  let readers: (() => void)[] = []
  function want(): void {
    isWanted = true
    if (timer !== undefined || isAsking || isStopped) return
    timer = setTimeout(() => void run(), Math.max(0, lastAt + pauseMs - performance.now()))
  }
  async function run(): Promise<void> {
    timer = undefined
    isAsking = true
    isWanted = false
    lastAt = performance.now()
    const served = readers
    readers = []
    const query = { ...cardQuery(type, id), staleTime: 0 }
    try {
      // A request that others have on its way may be one of before.
      if (served.length > 0) await client.cancelQueries({ queryKey: query.queryKey, exact: true })
      await client.fetchQuery(query)
      // After the cards that show the answer.
      for (const reader of served) notifyManager.schedule(reader)
    } catch (error) {
      // The query has the failure, and the next news asks again.
      readers.push(...served)
      if (readers.length > 0 && isPassing(error)) setTimeout(want, retryMs)
    }
    isAsking = false
    if (isWanted) want()
  }
  return {
    want,
    reread: () => {
      const isRead = new Promise<void>((resolve) => readers.push(resolve))
      want()
      return isRead
    },
    stop: () => {
      isStopped = true
      clearTimeout(timer)
      for (const reader of readers.splice(0)) reader()
    },
  }
}

/** Puts the record into the bin; one that is there already stays there. */
export async function removeRecord(type: RecordType, id: number): Promise<void> {
  try {
    await sendPatiently(() => ask(`/api/v4/${type}/${id}`, { method: 'DELETE' }))
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 404) throw error
  }
}

export const restoreRecord = (type: RecordType, id: number): Promise<unknown> =>
  sendPatiently((key) => ask(`/api/v4/${type}/${id}/restore`, { method: 'POST', key }))
