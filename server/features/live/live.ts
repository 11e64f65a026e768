// Sends changes to browsers. One tail of the journal per process serves all of them and runs while
// any browser listens. A message says that a record changed, not how: the browser fetches it with
// its own rights. A browser gets changes of a record that its user may view now or could view
// before, so it learns when a record leaves its view. The id of a message is the low-water mark of
// the journal: a browser that returns with it gets everything since, some of it twice.
import type { Logger } from 'pino'
import type { EntityDeclaration, JournalAction } from '../../changes/entity.ts'
import { tail } from '../../changes/tail.ts'
import type { Tail } from '../../changes/tail.ts'
import type { JournalRow } from '../../changes/position.ts'
import type { Actor } from '../../access/actor.ts'
import type { Kontor } from '../../kontor.ts'
import { journalBounds, journalSince } from './queries.ts'

/**
 * Sends a message to a listener. Answers false if the listener was too slow and was disconnected.
 */
export interface Listener {
  actor: Actor
  write(text: string): boolean
}

export interface Live {
  /**
   * Adds a listener. It first gets the changes since `cursor` (the id of its last message), or
   * `reset` if that is too long ago. Returns the function that removes it.
   */
  listen(listener: Listener, cursor: number | undefined): Promise<() => void>
  listeners(): number
  close(): Promise<void>
}

/** A returning listener gets at most this many missed changes; beyond that, it gets `reset`. */
const mostMissed = 5000
/**
 * The journal holds the changes of all accounts. At most this many ids are searched for those of
 * one.
 */
const furthest = 100 * mostMissed

export function openLive(
  { database, signals }: Kontor,
  entities: ReadonlyMap<string, EntityDeclaration>,
  log: Pick<Logger, 'error'>,
): Live {
  const accounts = new Map<number, Set<Listener>>()
  let following: Tail | undefined

  function isForBrowsers({ entity_type, actions }: Heard): boolean {
    const actionsShown = entities.get(entity_type)?.news.browser ?? []
    return actions.some((action) => actionsShown.includes(action as JournalAction))
  }

  /**
   * Checks the rights for the row after the change and before it, so that a browser learns that a
   * record has left its view.
   */
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

  /** Users who may view everything share one text, made once. */
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
    // Old rows leave the journal, and an older database may be restored. Then nobody knows which
    // changes were missed.
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

/**
 * The columns of a journal row that browsers get, or that decide who may see the change. Notes are
 * left out: browsers fetch them. So is the request.
 */
type Heard = Omit<JournalRow, 'note' | 'request_id' | 'surface'>

function format(
  { entity_type, entity_id, actions, created_by, created_at }: Heard,
  low: number,
): string {
  return `event: change\nid: ${low}\ndata: ${JSON.stringify({ entity_type, entity_id, actions, created_by, created_at })}\n\n`
}
