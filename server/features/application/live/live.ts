// Sends changes to browsers. One tail of the journal per process serves all of them and runs while
// any browser listens. A message says that a record changed, not how: the browser fetches it with
// its own rights. A browser gets changes of a record that its user may view now or could view
// before, so it learns when a record leaves its view. The id of a message is the low-water mark of
// the journal: a browser that returns with it gets everything since, some of it twice.
//
// A message also says that there are new notifications for the user, or that the user has read some
// elsewhere. It has no id and is not repeated: a browser asks for their number whenever it has
// connected. So is the message that the client of a chat types, that somebody is at the card of a
// record, that saved views or the vocabulary have changed, and that a job of the user has gone on.
import type { Logger } from 'pino'
import sql from 'sql-template-tag'
import type { EntityDeclaration, JournalAction } from '../../../changes/entity.ts'
import { tail } from '../../../changes/tail.ts'
import type { Tail } from '../../../changes/tail.ts'
import type { JournalRow } from '../../../changes/position.ts'
import type { Actor } from '../../../access/actor.ts'
import type { EntityType } from '../../../entity-types.ts'
import type { Kontor } from '../../../kontor.ts'
import { accountsChannel } from '../../people/accounts/accounts.ts'
import { hearsOfJob, jobsChannel } from '../jobs/jobs.ts'
import type { JobSignal } from '../jobs/jobs.ts'
import { typingChannel } from '../../conversations/messages/messages.ts'
import type { TypingSignal } from '../../conversations/messages/messages.ts'
import { isNotified, notificationsChannel } from '../../activity/notifications/notifications.ts'
import { presenceChannel, shownPresence } from '../presence/presence.ts'
import type { PresenceSignal } from '../presence/presence.ts'
import { seesViewsOf, viewsChannel } from '../../people/views/views.ts'
import { followVocabulary } from './vocabulary.ts'
import { journalBounds, journalSince, storedRecords } from './queries.ts'
import type { RecordBehind } from './queries.ts'

/** A browser that listens, as one user. */
export interface Listener {
  actor: Actor
  /** Sends a message. Answers false if the listener was too slow and was disconnected. */
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

/**
 * A cursor for a browser that reads the account in the same statement: the position that a follower
 * has written. All changes up to it were visible then; later ones, and some earlier ones, are sent.
 */
export const streamCursor = sql`coalesce((select max(low_water) from followers), 0)`

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
  /** Sends a message to the listeners that it is for, in all accounts. */
  function sendTo(text: string, isFor: (actor: Actor) => boolean): void {
    for (const listener of [...accounts.values()].flatMap((each) => [...each]))
      if (isFor(listener.actor) && !listener.write(text)) leave(listener)
  }

  const vocabulary = followVocabulary(signals, (account, kinds) =>
    sendTo(
      eventText('vocabulary', { kinds }),
      (actor) => actor.clientId === null && (account ?? actor.accountId) === actor.accountId,
    ),
  )
  const subscriptions = [
    vocabulary.end,
    signals.on(notificationsChannel, (payload) =>
      sendTo(eventText('notification', {}), (actor) => isNotified(actor, payload)),
    ),
    signals.on(viewsChannel, (payload) =>
      sendTo(eventText('views', {}), (actor) => seesViewsOf(actor, payload)),
    ),
    // Days are shown by the zone of the account, whatever query they came with.
    signals.on(accountsChannel, (payload) =>
      sendTo(eventText('reset', {}), ({ accountId }) => payload === String(accountId)),
    ),
    signals.on(jobsChannel, (payload) => {
      if (payload === '') return sendTo(eventText('job', {}), ({ clientId }) => clientId === null)
      const signal = JSON.parse(payload) as JobSignal
      sendTo(eventText('job', { id: signal.id }), (actor) => hearsOfJob(actor, signal))
    }),
    signals.on(typingChannel, (payload) => {
      if (payload !== '') void sendTyping(JSON.parse(payload) as TypingSignal)
    }),
    signals.on(presenceChannel, (payload) => {
      if (payload !== '') sendPresence(JSON.parse(payload) as PresenceSignal)
    }),
  ]

  /** Browsers that may see the chat learn that its client types. Nobody misses it who was away. */
  async function sendTyping(signal: TypingSignal): Promise<void> {
    const { account_id, chat_id, until } = signal
    const listeners = [...(accounts.get(account_id) ?? [])]
    if (listeners.length === 0) return
    const change = { entity_type: 'chats', account_id, before: null, after: signal } as const
    try {
      const isLimited = listeners.some(({ actor }) => !actor.isAdmin)
      const behind = await readRecordsBehind(isLimited ? [change] : [])
      const text = eventText('typing', { chat_id, until })
      for (const listener of listeners)
        if (isHeardBy(listener.actor, change, behind) && !listener.write(text)) leave(listener)
    } catch (error) {
      log.error({ err: error }, 'browsers were not told that a client types')
    }
  }

  /** Browsers that may view the record learn who is at its card. */
  function sendPresence(signal: PresenceSignal): void {
    const { account_id, entity_type, record } = signal
    const { isHeardBy: mayHear } = entities.get(entity_type)!.news
    const text = eventText('presence', shownPresence(signal))
    for (const listener of accounts.get(account_id) ?? [])
      if (mayHear(listener.actor, record) && !listener.write(text)) leave(listener)
  }

  function isForBrowsers({ entity_type, actions }: Heard): boolean {
    const actionsShown = entities.get(entity_type)?.news.browser ?? []
    return actions.some((action) => actionsShown.includes(action as JournalAction))
  }

  function formatted(change: Heard, low: number): string {
    const shown = entities.get(change.entity_type)!.news.shown?.(change.after ?? {}, change.before)
    return format(change, shown, low)
  }

  /**
   * Checks the rights for the row after the change and before it, so that a browser learns that a
   * record has left its view.
   */
  function isHeardBy(actor: Actor, change: Looked, behind: RecordsBehind): boolean {
    const { news } = entities.get(change.entity_type)!
    return rowsOf(change).some((row) => {
      const refs = news.recordsBehind?.(row) ?? []
      const keys = refs.map(({ type, id }) => keyOf(change.account_id, type, id))
      const key = keys.find((each) => behind.has(each))
      return news.isHeardBy(actor, row, key === undefined ? undefined : behind.get(key))
    })
  }

  /** The records behind changes, such as those of tasks; one statement, and mostly none. */
  async function readRecordsBehind(changes: Looked[]): Promise<RecordsBehind> {
    const refs = changes.flatMap((change) => {
      const { news } = entities.get(change.entity_type)!
      const { account_id } = change
      return rowsOf(change).flatMap((row) =>
        (news.recordsBehind?.(row) ?? []).map((ref) => ({ account_id, ...ref })),
      )
    })
    if (refs.length === 0) return new Map()
    const rows = await database.rows<RecordBehind>(storedRecords(refs))
    return new Map(rows.map((row) => [keyOf(row.account_id, row.entity_type, row.id), row]))
  }

  async function deliver(changes: JournalRow[]): Promise<void> {
    const low = following?.low() ?? 0
    const isLimited = (accountId: number) =>
      [...(accounts.get(accountId) ?? [])].some(({ actor }) => !actor.isAdmin)
    const shown = changes.filter(isForBrowsers)
    const behind = await readRecordsBehind(shown.filter((change) => isLimited(change.account_id)))
    for (const [accountId, news] of Map.groupBy(shown, ({ account_id }) => account_id)) {
      const listeners = accounts.get(accountId)
      if (listeners)
        for (const [listener, text] of messages(listeners, news, behind, low))
          if (text && !listener.write(text)) leave(listener)
    }
  }

  /** Users who may view everything share one text, made once. */
  function* messages(
    listeners: Set<Listener>,
    news: JournalRow[],
    behind: RecordsBehind,
    low: number,
  ): Generator<[Listener, string]> {
    const lines = news.map((change) => ({ change, text: formatted(change, low) }))
    const everything = lines.map(({ text }) => text).join('')
    for (const listener of listeners)
      yield [
        listener,
        listener.actor.isAdmin
          ? everything
          : lines
              .filter(({ change }) => isHeardBy(listener.actor, change, behind))
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
    if (isFar || changes.length > mostMissed) return `event: reset\nid: ${low}\ndata: {}\n\n`
    const shown = changes.filter(isForBrowsers)
    const behind = await readRecordsBehind(actor.isAdmin ? [] : shown)
    return shown
      .filter((change) => isHeardBy(actor, change, behind))
      .map((change) => formatted(change, cursor))
      .join('')
  }

  return {
    async listen(listener, cursor) {
      const { accountId } = listener.actor
      // What happens while the missed changes are read comes after them.
      let queued: string[] | undefined = []
      const hearing: Listener = {
        get actor() {
          return listener.actor
        },
        write: (text) => (queued ? queued.push(text) > 0 : listener.write(text)),
      }
      if (!accounts.has(accountId)) accounts.set(accountId, new Set())
      accounts.get(accountId)!.add(hearing)
      following ??= tail(database, signals, log, deliver)
      const current = following
      try {
        await current.ready
        const low = current.low()
        const changes = cursor === undefined ? '' : await missed(listener.actor, cursor, low)
        const { clientId } = listener.actor
        const isOld = clientId === null && vocabulary.hasJustChanged(accountId)
        const text = changes + (isOld ? eventText('vocabulary', { kinds: ['all'] }) : '')
        listener.write(`event: ready\nid: ${cursor ?? low}\ndata: {}\n\n${text}${queued.join('')}`)
        queued = undefined
      } catch (error) {
        leave(hearing)
        throw error
      }
      return () => leave(hearing)
    },
    listeners: () => [...accounts.values()].reduce((sum, { size }) => sum + size, 0),
    async close() {
      for (const unsubscribe of subscriptions) unsubscribe()
      accounts.clear()
      await following?.stop()
      following = undefined
    },
  }
}

/** A message without an id, which is not repeated. */
const eventText = (event: string, data: object) =>
  `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`

/**
 * The columns of a journal row that browsers get, or that decide who may see the change. Of a note that is
 * the id: browsers fetch the rest. The request is left out.
 */
type Heard = Omit<JournalRow, 'request_id' | 'surface'>

/** The columns that decide who may hear of a change. */
type Looked = Pick<Heard, 'entity_type' | 'account_id' | 'before' | 'after'>

/** The rows of the entity after the change and before it. */
const rowsOf = ({ before, after }: Looked) => [after ?? {}, { ...after, ...before }]

/** Records that decide who may hear of the changes of others, by account, type and id. */
type RecordsBehind = ReadonlyMap<string, RecordBehind>
const keyOf = (accountId: number, type: EntityType, id: number) => `${accountId} ${type} ${id}`

function format(
  { entity_type, entity_id, actions, created_by, created_at, note }: Heard,
  shown: object | undefined,
  low: number,
): string {
  const isOfNote = actions.includes('note') || actions.includes('update_note')
  const about = isOfNote && note ? { note_id: (note as { id: number }).id } : {}
  const data = { entity_type, entity_id, actions, created_by, created_at, ...about, ...shown }
  return `event: change\nid: ${low}\ndata: ${JSON.stringify(data)}\n\n`
}
