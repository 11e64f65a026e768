// Signals between processes, outside every transaction: a NOTIFY inside each write halved the write
// rate. One connection per process listens and notifies, so a process recognises its own
// notifications and skips them (its listeners were called at once). Signals of other processes are
// lost while the connection is down, so a listener gets '' ("anything may have happened") whenever
// its channel begins to be listened to. Signals of this process wait for the new connection.
import type { Client } from 'pg'
import type { Database } from '../database/connect.ts'

export interface Signals {
  /**
   * Signals every process, this one at once. Never throws and never waits, so it can follow a
   * commit. Without a payload, each channel sends at most one signal every 20 ms. A payload is sent
   * as it is; one of 8,000 bytes or more as ''.
   */
  notify(channel: string, payload?: string): void
  /**
   * Calls `listener` with each payload; '' means that anything may have happened. The listener must
   * not throw. Returns a function that removes it.
   */
  on(channel: string, listener: Listener): () => void
  /** Whether this process receives the signals of the others right now. */
  connected(): boolean
  /** Sends the waiting signals, if the database can be reached, and ends. */
  close(): Promise<void>
}

type Listener = (payload: string) => void

/** The channel for growth of the journal. */
export const newsChannel = 'kontor_news'

const coalesceMs = 20
/** PostgreSQL refuses longer payloads (NOTIFY, notes). Bytes. */
const longestPayload = 7999
/** If more signals wait for a connection, they shrink to one '' per channel. */
const maxBuffered = 1000
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
      // It follows every 'error', and comes alone when the server closes the connection in order.
      fresh.on('end', () => {
        if (client !== fresh) return
        client = undefined
        if (!closing) connecting = connect(firstRetryMs)
      })
      // A NOTIFY is a commit, and what a crash of the database loses of it needs no disk: after one,
      // every listener gets ''.
      const { rows } = await fresh.query<{ pid: number }>(
        "select pg_backend_pid() as pid, set_config('synchronous_commit', 'off', false)",
      )
      fresh.on('notification', ({ processId, channel, payload = '' }) => {
        if (processId !== rows[0]!.pid) deliver(channel, payload)
      })
      client = fresh
      listening = new Set()
      pump()
    } catch {
      // The database cannot be reached. Listeners get '' once it is back.
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

  /** The only function that queries the connection, one statement at a time. */
  async function empty(): Promise<void> {
    pumping = true
    for (;;) {
      const on = client
      const channel = [...listeners.keys()].find((each) => !listening.has(each))
      if (!on || (channel === undefined && waiting.length === 0)) break
      try {
        if (channel === undefined) await sendWaiting(on)
        else await listen(on, channel)
      } catch {
        // A failed statement is tried on the next connection, or on this one once there is more to
        // do.
        if (on === client) break
      }
    }
    // No await since the last check, so no signal is missed: a later one calls pump() again.
    pumping = false
  }

  async function listen(on: Client, channel: string): Promise<void> {
    await on.query(`listen ${on.escapeIdentifier(channel)}`)
    if (on !== client) return
    listening.add(channel)
    deliver(channel, '')
  }

  async function sendWaiting(on: Client): Promise<void> {
    const sending = waiting
    waiting = []
    try {
      await on.query(
        'select pg_notify(channel, payload) from unnest($1::text[], $2::text[]) word (channel, payload)',
        [sending.map(([channel]) => channel), sending.map(([, payload]) => payload)],
      )
    } catch (error) {
      waiting = [...sending, ...waiting]
      throw error
    }
  }

  function queue(channel: string, payload: string): void {
    waiting.push([channel, payload])
    if (waiting.length > maxBuffered)
      waiting = [...new Set(waiting.map(([each]) => each))].map((each) => [each, ''])
    pump()
  }

  /** Sends the first '' at once, and those of the next 20 ms together at their end. */
  function queueEmpty(channel: string): void {
    const pause = pauses.get(channel)
    if (pause) {
      pause.again = true
      return
    }
    queue(channel, '')
    const timer = setTimeout(() => {
      const again = pauses.get(channel)?.again
      pauses.delete(channel)
      if (again) queueEmpty(channel)
    }, coalesceMs)
    pauses.set(channel, { again: false, timer })
  }

  function deliver(channel: string, payload: string): void {
    for (const listener of listeners.get(channel) ?? []) listener(payload)
  }

  return {
    notify(channel, payload = '') {
      if (closing) return
      deliver(channel, payload)
      if (payload && Buffer.byteLength(payload) <= longestPayload) queue(channel, payload)
      else queueEmpty(channel)
    },
    on(channel, listener) {
      const forChannel = listeners.get(channel) ?? new Set()
      listeners.set(channel, forChannel.add(listener))
      pump()
      return () => forChannel.delete(listener)
    },
    connected: () =>
      client !== undefined && [...listeners.keys()].every((channel) => listening.has(channel)),
    async close() {
      closing = true
      clearTimeout(retry)
      for (const [channel, { again, timer }] of pauses) {
        clearTimeout(timer)
        if (again) queue(channel, '')
      }
      await connecting
      await pumped
      await client?.end()
    },
  }
}
