// Wake-ups between processes, outside every transaction: a NOTIFY inside each write halved the write rate. One connection per process
// both listens and notifies, so that a process knows its own notifications and skips them (its listeners were called at once). What
// the others say while the connection is down is lost, so a listener hears '' ("anything may have happened") once whenever its channel
// begins to be listened to: the first time and after each loss. What this process says meanwhile waits for the new connection.
import type { Client } from 'pg'
import type { Database } from '../database/connect.ts'

export interface Signals {
  /**
   * Tells every process, this one at once. Never throws, never waits: made to be called after a commit. Without a payload at most one
   * per channel goes out every 20 ms; a payload goes out as it is (of 8,000 bytes or more: as '').
   */
  notify(channel: string, payload?: string): void
  /** Calls `listener`, which must not throw, with each payload; '' means that anything may have happened. Returns what ends it. */
  on(channel: string, listener: Listener): () => void
  /** Whether this process hears the others right now. */
  connected(): boolean
  /** Says what is still waiting, if the database is there, and ends. */
  close(): Promise<void>
}

type Listener = (payload: string) => void

/** The channel that says that the journal grew. */
export const newsChannel = 'kontor_news'

const coalesceMs = 20
/** PostgreSQL refuses longer payloads (NOTIFY, notes). */
const longestPayload = 7999
/** More words than this waiting for a connection shrink to one '' per channel. */
const mostWaiting = 1000
const firstRetryMs = 100
const lastRetryMs = 5000

export function openSignals(database: Database): Signals {
  const listeners = new Map<string, Set<Listener>>()
  const pauses = new Map<string, { again: boolean; timer: NodeJS.Timeout }>()
  let waiting: [channel: string, payload: string][] = []
  let client: Client | undefined
  let listening = new Set<string>()
  let closing = false
  let retry: NodeJS.Timeout | undefined
  let pumping = false
  let pumped: Promise<void> | undefined
  let connecting = connect(firstRetryMs)

  async function connect(retryMs: number): Promise<void> {
    try {
      const fresh = await database.connection()
      // 'end' follows every 'error', and comes alone when the server closes in peace.
      fresh.on('error', () => undefined)
      fresh.on('end', () => {
        if (client !== fresh) return
        client = undefined
        if (!closing) connecting = connect(firstRetryMs)
      })
      const { rows } = await fresh.query<{ pid: number }>('select pg_backend_pid() as pid')
      fresh.on('notification', ({ processId, channel, payload = '' }) => {
        if (processId !== rows[0]!.pid) hear(channel, payload)
      })
      client = fresh
      listening = new Set()
      pump()
    } catch {
      // The database is away. Listeners hear '' once it is back.
      if (!closing)
        retry = setTimeout(
          () => (connecting = connect(Math.min(retryMs * 2, lastRetryMs))),
          retryMs,
        )
    }
  }

  function pump(): void {
    if (!pumping) pumped = empty()
  }

  /** The only place that queries the connection, one statement at a time. */
  async function empty(): Promise<void> {
    pumping = true
    for (;;) {
      const on = client
      const channel = [...listeners.keys()].find((each) => !listening.has(each))
      if (!on || (channel === undefined && waiting.length === 0)) break
      try {
        if (channel === undefined) await send(on)
        else await listen(on, channel)
      } catch {
        // What failed is tried on the next connection; on this one, when there is something more to do.
        if (on === client) break
      }
    }
    // In the same breath as the last look: what comes now starts anew.
    pumping = false
  }

  async function listen(on: Client, channel: string): Promise<void> {
    await on.query(`listen ${on.escapeIdentifier(channel)}`)
    if (on !== client) return
    listening.add(channel)
    hear(channel, '')
  }

  async function send(on: Client): Promise<void> {
    const words = waiting
    waiting = []
    try {
      await on.query(
        'select pg_notify(channel, payload) from unnest($1::text[], $2::text[]) word (channel, payload)',
        [words.map(([channel]) => channel), words.map(([, payload]) => payload)],
      )
    } catch (error) {
      waiting = [...words, ...waiting]
      throw error
    }
  }

  function say(channel: string, payload: string): void {
    waiting.push([channel, payload])
    if (waiting.length > mostWaiting)
      waiting = [...new Set(waiting.map(([each]) => each))].map((each) => [each, ''])
    pump()
  }

  /** The first goes out at once, those of the next 20 ms together at their end. */
  function sayEmpty(channel: string): void {
    const pause = pauses.get(channel)
    if (pause) {
      pause.again = true
      return
    }
    say(channel, '')
    const timer = setTimeout(() => {
      const again = pauses.get(channel)?.again
      pauses.delete(channel)
      if (again) sayEmpty(channel)
    }, coalesceMs)
    pauses.set(channel, { again: false, timer })
  }

  function hear(channel: string, payload: string): void {
    for (const listener of listeners.get(channel) ?? []) listener(payload)
  }

  return {
    notify(channel, payload = '') {
      if (closing) return
      hear(channel, payload)
      if (payload && Buffer.byteLength(payload) <= longestPayload) say(channel, payload)
      else sayEmpty(channel)
    },
    on(channel, listener) {
      const here = listeners.get(channel) ?? new Set()
      listeners.set(channel, here.add(listener))
      pump()
      return () => here.delete(listener)
    },
    connected: () =>
      client !== undefined && [...listeners.keys()].every((channel) => listening.has(channel)),
    async close() {
      closing = true
      clearTimeout(retry)
      for (const [channel, { again, timer }] of pauses) {
        clearTimeout(timer)
        if (again) say(channel, '')
      }
      await connecting
      await pumped
      await client?.end()
    },
  }
}
