// What browsers hear of changes. One tail of the journal per process, running while somebody listens, feeds them all. A browser hears
// that a record changed, not how: it asks again, with its own rights. It hears of a record only if its user may view it, now or
// before the change (so that it learns that a record has left its sight). Each message carries the journal's low-water mark as its id: whoever
// comes back with that id hears everything since, some of it twice.
import type { Logger } from 'pino'
import type { EntityDeclaration, JournalAction } from '../../changes/entity.ts'
import { tail } from '../../changes/tail.ts'
import type { Tail } from '../../changes/tail.ts'
import type { JournalRow } from '../../changes/position.ts'
import type { Actor } from '../../access/actor.ts'
import type { Kontor } from '../../kontor.ts'
import { journalBounds, journalSince } from './queries.ts'

/** Where a listener's messages go. Answers false when it is too slow and was let go. */
export interface Listener {
  actor: Actor
  write(text: string): boolean
}

export interface Live {
  /**
   * Adds a listener; first it hears what happened since `cursor` (the id of the last message it has), or `reset` when that is too long
   * ago. Returns what ends it.
   */
  listen(listener: Listener, cursor: number | undefined): Promise<() => void>
  listeners(): number
  close(): Promise<void>
}

/** Changes that a returning listener is told one by one; after more, it is told to start anew. */
const mostMissed = 5000
/** The journal holds the changes of all accounts; no further back than this many ids is it searched for those of one. */
const furthest = 100 * mostMissed

export function openLive(
  { database, signals }: Kontor,
  entities: ReadonlyMap<string, EntityDeclaration>,
  log: Pick<Logger, 'error'>,
): Live {
  const accounts = new Map<number, Set<Listener>>()
  let following: Tail | undefined

  function isForBrowsers({ entity_type, actions }: Heard): boolean {
    const told = entities.get(entity_type)?.news.browser ?? []
    return actions.some((action) => told.includes(action as JournalAction))
  }

  /** By the row as it became, and as it was: a browser learns that a record has left its sight. */
  function isHeardBy(actor: Actor, { entity_type, before, after }: Heard): boolean {
    const { news } = entities.get(entity_type)!
    return news.isHeardBy(actor, after ?? {}) || news.isHeardBy(actor, { ...after, ...before })
  }

  function deliver(changes: JournalRow[]): void {
    for (const [accountId, news] of Map.groupBy(changes, ({ account_id }) => account_id)) {
      const listeners = accounts.get(accountId)
      if (listeners)
        for (const [listener, text] of messages(listeners, news))
          if (text && !listener.write(text)) leave(listener)
    }
  }

  /** Who may view everything hears the same text, made once. */
  function* messages(listeners: Set<Listener>, news: JournalRow[]): Generator<[Listener, string]> {
    const lines = news
      .filter(isForBrowsers)
      .map((change) => ({ change, text: format(change, following!.low()) }))
    const everything = lines.map(({ text }) => text).join('')
    for (const listener of listeners)
      yield [
        listener,
        listener.actor.isAdmin
          ? everything
          : lines
              .filter(({ change }) => isHeardBy(listener.actor, change))
              .map(({ text }) => text)
              .join(''),
      ]
  }

  function leave(listener: Listener): void {
    const listeners = accounts.get(listener.actor.accountId)
    listeners?.delete(listener)
    if (listeners?.size === 0) accounts.delete(listener.actor.accountId)
    if (accounts.size > 0 || !following) return
    void following.stop()
    following = undefined
  }

  async function missed(actor: Actor, cursor: number, low: number): Promise<string> {
    const { oldest, drawn } = (await database.row<{ oldest: number | null; drawn: number }>(
      journalBounds,
    ))!
    // Told news leaves the journal after days, and an older database may be put back: then nobody knows what was missed.
    const isUnknown = cursor > drawn || (oldest ?? drawn + 1) > cursor + 1
    const isFar = isUnknown || low - cursor > furthest
    const changes = isFar
      ? []
      : await database.list<Heard>(journalSince(actor, cursor, mostMissed + 1))
    return isFar || changes.length > mostMissed
      ? `event: reset\nid: ${low}\ndata: {}\n\n`
      : changes
          .filter((change) => isForBrowsers(change) && isHeardBy(actor, change))
          .map((change) => format(change, cursor))
          .join('')
  }

  return {
    async listen(listener, cursor) {
      const { accountId } = listener.actor
      if (!accounts.has(accountId)) accounts.set(accountId, new Set())
      accounts.get(accountId)!.add(listener)
      following ??= tail(database, signals, log, deliver)
      const current = following
      try {
        await current.ready
        const low = current.low()
        const text = cursor === undefined ? '' : await missed(listener.actor, cursor, low)
        listener.write(`event: ready\nid: ${cursor ?? low}\ndata: {}\n\n${text}`)
      } catch (error) {
        leave(listener)
        throw error
      }
      return () => leave(listener)
    },
    listeners: () => [...accounts.values()].reduce((sum, { size }) => sum + size, 0),
    async close() {
      accounts.clear()
      await following?.stop()
      following = undefined
    },
  }
}

/** What of a change browsers are told of, or that decides whether they are. The note of a change they ask for themselves. */
type Heard = Omit<JournalRow, 'note'>

function format(
  { entity_type, entity_id, actions, created_by, created_at }: Heard,
  low: number,
): string {
  return `event: change\nid: ${low}\ndata: ${JSON.stringify({ entity_type, entity_id, actions, created_by, created_at })}\n\n`
}
