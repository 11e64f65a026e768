// The skeleton of what Kontor sends to others. An engine on it (webhooks, callbacks of channels) reads what
// is due, attempts it, and writes the end with the time of the next attempt.
//
//   hold     the process takes shards (shards.ts), and the engine sends for those alone
//   look     the engine reads what is due into its lanes or its queue
//   attempt  as many at once as there is room for, in the process and for each account or channel
//   keep     ends of attempts collect, and the engine writes them together, as long as the process runs;
//            an end that fails holds up no other
//
// The database knows what is due, memory knows what is under way. A process that dies leaves its items
// due, and the next one repeats their attempts; so does an end that cannot be kept at a stop. An engine
// leaves out the items whose ends are not kept yet.
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Logger } from 'pino'
import { follow } from '../changes/follow.ts'
import { newLatch } from '../changes/latch.ts'
import type { Signals } from '../changes/signals.ts'
import { Busy, ConnectionLost } from '../database/connect.ts'
import type { Database } from '../database/connect.ts'
import type { Kontor } from '../kontor.ts'
import { openShards } from './shards.ts'
import type { Spread } from './shards.ts'

/** Milliseconds between two looks at what is due without a signal, and the least between two steps. */
const [pollMs, restMs] = [1000, 5]
/** Milliseconds after a failure of the database; doubled up to the last for an end that fails again. */
const [retryMs, lastRetryMs] = [500, 30_000]
/** Milliseconds before ends are kept again whose rows others hold, and how often that is tried at a stop. */
const [lockedMs, mostAtStop] = [50, 40]

/** An item whose attempt has ended, and how. */
export interface Ended<Item, End> {
  item: Item
  end: End
}

/** The items of a sender: when each is due, how it is attempted, and how its end is kept. */
export interface Engine<Item, End> {
  /** The group of an item, such as its account or chat channel. The attempts of a group at once are bounded. */
  groupOf(item: Item): string
  /** Reads what is due, as far as there is room. `isTime`: a signal or the clock asks, and not only free room. */
  look(isTime: boolean): Promise<void>
  /** Begins the items that may go out now: all, or those that waited for `ended`, which has just freed its place. */
  send(ended?: Item): void
  /** Attempts to send an item. Must not throw: its place would stay taken. Undefined: the engine attempts it again by itself. */
  attempt(item: Item): Promise<End | undefined>
  /**
   * Keeps ends of attempts in the database. It may get an end that it has kept already, and then changes nothing.
   * Answers the items whose rows somebody else holds; their ends are tried again soon. Where it throws, all ends are
   * tried again, together or in halves.
   */
  keep(ended: Ended<Item, End>[]): Promise<Item[]>
  /** The end of an item cannot be kept for now. The keeping is tried again, the attempt is not. */
  refused?(item: Item): void
  /** Called after every look, so it bounds its own work. */
  upkeep?(): Promise<void>
  /** Awaited before a shard is given up: the engine waits here until the attempts of the shard have ended and are kept. */
  release?(shard: number): Promise<void>
  /** The process has no shard any more: its connection was lost, or it stops. */
  lost?(): void
  /** The item in the log. */
  logged(item: Item): object
}

interface Circumstances<Item, End> {
  database: Database
  signals: Signals
  log: Pick<Logger, 'error'>
  /** The items as a plural noun, for the log and the connection. */
  name: string
  /** The channel on which a process says that something new is due. */
  channel: string
  spread: Spread
  /** Attempts of one process at once, and those of one group among them. */
  maxConcurrent: number
  mostOfGroup: number
  /** Milliseconds in which ended attempts collect, and how many are kept together. */
  keeping: { collectMs: number; most: number }
  engine: Engine<Item, End>
}

export interface Sender<Item> {
  /** Something new may be due: the next look has `isTime`. */
  wake(): void
  /** Room has come free: looks again, without `isTime` unless the clock asks too. */
  goOn(): void
  /** The shards of this process. */
  held(): number[]
  /** How many attempts may begin now, of the group or of all; none where the number is below 1. */
  room(group?: string): number
  /** The attempts of each group that are under way. */
  underWay: ReadonlyMap<string, number>
  /** Begins an attempt; the caller has asked `room`. */
  begin(item: Item): void
  isStopped(): boolean
  /** Waits, until it is stopped at the latest. */
  pause(ms: number): Promise<void>
  /** Waits for the attempts under way, and keeps their ends where the database takes them. */
  stop(): Promise<void>
}

export function openSender<Item, End>({
  database,
  signals,
  log,
  name,
  channel,
  spread,
  maxConcurrent,
  mostOfGroup,
  keeping,
  engine,
}: Circumstances<Item, End>): Sender<Item> {
  const latch = newLatch()
  const stop = new AbortController()
  const underWay = new Map<string, number>()
  let total = 0
  /** Ended attempts that are not kept, without those that failed by themselves. */
  let unkept = 0
  /** When the engine asks next what is due. */
  let lookAt = 0
  let finished: Ended<Item, End>[] = []
  let keeper: Promise<void> | undefined
  /** Milliseconds that ends have waited last after their own failure. */
  const waits = new WeakMap<Ended<Item, End>, number>()
  const unsubscribe = signals.on(channel, wake)
  const shards = openShards({
    database,
    log,
    name,
    spread,
    gained: wake,
    release: async (shard) => engine.release?.(shard),
    lost: () => engine.lost?.(),
  })
  // The loop begins one turn later, because the engine refers to the sender that is answered here.
  const ended = Promise.resolve().then(run)

  function wake(): void {
    lookAt = 0
    latch.open()
  }

  async function run(): Promise<void> {
    while (!stop.signal.aborted) {
      const began = performance.now()
      try {
        const isTime = began >= lookAt
        if (isTime) lookAt = began + pollMs
        if (shards.held().length > 0) {
          await engine.look(isTime)
          engine.send()
          await engine.upkeep?.()
        }
        await latch.opened(Math.max(0, lookAt - performance.now()))
        await pause(began + restMs - performance.now())
      } catch (error) {
        lookAt = 0
        log.error({ err: error }, `looking for ${name} that are due failed`)
        await pause(retryMs)
      }
    }
  }

  /** Attempts under way and ends that are not kept are `2 * maxConcurrent` at most, so a slow database slows the sending. */
  function room(group?: string): number {
    const left = Math.min(maxConcurrent, 2 * maxConcurrent - unkept) - total
    return group === undefined ? left : Math.min(left, mostOfGroup - (underWay.get(group) ?? 0))
  }

  async function attempt(item: Item): Promise<void> {
    const group = engine.groupOf(item)
    total++
    underWay.set(group, (underWay.get(group) ?? 0) + 1)
    const end = await engine.attempt(item)
    const wasFull = room(group) <= 0
    total--
    const left = underWay.get(group)! - 1
    if (left === 0) underWay.delete(group)
    else underWay.set(group, left)
    if (end !== undefined) finish({ item, end })
    engine.send(wasFull ? undefined : item)
  }

  function finish(each: Ended<Item, End>): void {
    finished.push(each)
    unkept++
    keeper ??= keep()
  }

  /** Keeps ended attempts until none is left. */
  async function keep(): Promise<void> {
    let atStop = 0
    while (finished.length > 0) {
      await sleep(keeping.collectMs)
      const batch = finished.splice(0, keeping.most)
      const { locked, waiting } = await keepAll(batch)
      unkept -= batch.length - locked.length - waiting.length
      finished = [...waiting, ...finished, ...locked]
      latch.open()
      if (waiting.length > 0) {
        // The items are due again later, and their attempts are repeated.
        if (stop.signal.aborted) break
        await pause(retryMs)
      } else if (locked.length === finished.length && locked.length > 0) {
        if (stop.signal.aborted && ++atStop > mostAtStop) break
        await sleep(lockedMs)
      }
    }
    keeper = undefined
  }

  /** Answers the ends whose rows others hold, and those that wait for the database. One that fails by itself holds up no other. */
  async function keepAll(batch: Ended<Item, End>[]): Promise<Unkept<Item, End>> {
    try {
      const locked = new Set(await engine.keep(batch))
      return { locked: batch.filter(({ item }) => locked.has(item)), waiting: [] }
    } catch (error) {
      if (isAway(error)) {
        log.error({ err: error }, `the ends of attempts wait for the database: ${name}`)
        return { locked: [], waiting: batch }
      }
      if (batch.length === 1) {
        void refuse(batch[0]!, error)
        return { locked: [], waiting: [] }
      }
      const half = Math.ceil(batch.length / 2)
      const first = await keepAll(batch.slice(0, half))
      const rest = batch.slice(half)
      const second = first.waiting.length > 0 ? { locked: [], waiting: rest } : await keepAll(rest)
      return {
        locked: [...first.locked, ...second.locked],
        waiting: [...first.waiting, ...second.waiting],
      }
    }
  }

  async function refuse(each: Ended<Item, End>, error: unknown): Promise<void> {
    log.error({ err: error, ...engine.logged(each.item) }, 'the end of an attempt is not kept yet')
    engine.refused?.(each.item)
    const waitMs = Math.min(2 * (waits.get(each) ?? retryMs / 2), lastRetryMs)
    waits.set(each, waitMs)
    await pause(waitMs)
    if (!stop.signal.aborted) finish(each)
  }

  async function pause(ms: number): Promise<void> {
    if (ms > 0) await sleep(ms, undefined, { signal: stop.signal }).catch(() => undefined)
  }

  return {
    wake,
    goOn: latch.open,
    held: shards.held,
    room,
    underWay,
    begin: (item) => void attempt(item),
    isStopped: () => stop.signal.aborted,
    pause,
    async stop() {
      stop.abort()
      unsubscribe()
      latch.open()
      await ended
      while (underWay.size > 0) await sleep(10)
      await keeper
      await shards.stop()
    },
  }
}

/** Ends of a batch that are not kept yet. */
interface Unkept<Item, End> {
  locked: Ended<Item, End>[]
  waiting: Ended<Item, End>[]
}

/**
 * Whether the database is away, overloaded, read-only or without its tables, or asks to repeat: another end
 * would fare no better (classes 08, 40, 42, 53, 57, 58; PostgreSQL, appendix A).
 */
export const isAway = (error: unknown): boolean =>
  error instanceof ConnectionLost ||
  error instanceof Busy ||
  (error instanceof pg.DatabaseError && /^(?:08|25006|40|42|53|57|58)/.test(error.code ?? ''))

/** The pool of an engine. Its follower and its shards hold a connection each beside it. */
const connections = 3

export interface Sending {
  /** Fulfilled once later changes are followed, by this or another process. */
  ready: Promise<void>
  /** Looks at once; without this call a look comes every second. */
  wake(): void
  /** Waits for the attempts under way. */
  stop(): Promise<void>
}

/**
 * Starts an engine: a follower that plans what is sent, and its sender, on connections of their own. The
 * follower reads the journal from its start, or from where it was. `close` ends the way out, once nothing is
 * on it.
 */
export function startSending(
  { database: shared, signals }: Pick<Kontor, 'database' | 'signals'>,
  log: Pick<Logger, 'info' | 'warn' | 'error'>,
  open: (database: Database) => {
    follower: Parameters<typeof follow>[1]
    sender: Pick<Sender<never>, 'wake' | 'stop'>
    close: () => Promise<void>
  },
): Sending {
  const database = shared.apart(connections)
  const { follower, sender, close } = open(database)
  const following = follow(database, follower, { signals, from: 'start', log })
  return {
    ready: following.ready,
    wake: sender.wake,
    async stop() {
      await following.stop()
      await sender.stop()
      await close()
      await database.close()
    },
  }
}
