// How news is read. The order of news is the order of changes per record: a journal id is drawn while the record's lock is held, from a
// sequence that hands out single numbers, so the ids of a record grow with its changes, and whoever sees a change sees the earlier ones
// of that record too. Across records ids say little: a slow transaction draws 5 and commits after 9 was read. So a follower takes all
// visible rows that it has not handled, in id order, and remembers which it has: everything up to `low_water`, and the set `handled`
// above it. What is left are gaps, of transactions still open or rolled back, and reading looks only into those.
//
// low_water moves by marks. A mark (id, xid) is the sequence's last id, read first, and then the number of the transaction that writes
// the position: whoever got a number later draws ids above `id` (a transaction has its number before it draws; the column default sees
// to that). Once a snapshot's xmin has passed `xid`, every transaction that could draw an id up to `id` has ended and is in the
// snapshot: when its rows are handled, low_water is `id`. The snapshot's own xmax would not do as a mark: it is one past the highest
// number that has ended, and transactions that are open already may have that number or a higher one. A long transaction, even a foreign
// one, therefore delays nobody's news; it only keeps low_water, and with it `handled`, from shrinking.
//
// Several processes run the same follower, one holds it: the one with the advisory lock, on a connection of its own, so that its death
// frees the lock. Who takes it begins a new epoch, and a position is only written in its own epoch and in the transaction of what was
// handled: a holder that lost its lock without noticing rolls back. The others try each second; waiting inside pg_advisory_lock would
// hold a snapshot, and with it every VACUUM, for as long as the wait lasts.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Database, Tx } from '../database/connect.ts'
import {
  beginEpoch,
  isWorthWriting,
  lastDrawn,
  moveBy,
  Overtaken,
  readNews,
  register,
  writePosition,
  type JournalRow,
  type Move,
} from './position.ts'
import { newLatch } from './latch.ts'
import { openLock, type Lock } from './lock.ts'
import { newsChannel, type Signals } from './signals.ts'

export type { JournalRow as Change }

export interface Follower {
  /** Its place in the journal is kept under this name. */
  name: string
  /**
   * Handles changes, in id order, in the transaction that also moves the position: what it writes with `tx` happens exactly once, any
   * effect elsewhere at least once (Change.id is the stable id). Throwing repeats these changes later; nothing is skipped.
   */
  handle(tx: Tx, changes: JournalRow[]): Promise<void>
  /** Most changes given at once (500). */
  batch?: number
}

export interface FollowOptions {
  /** Wakes the follower when the journal grows; without it, it only polls. */
  signals?: Signals
  /** Seconds between looks at the journal when nobody wakes it (1). */
  pollSeconds?: number
  /** Where a follower that nobody knows yet begins: at the oldest change in the journal, or with the changes to come (now). */
  from?: 'start' | 'now'
  log: Pick<Logger, 'info' | 'error'>
}

export interface Following {
  /** Fulfilled once the follower has a place: changes made from then on are told, by this process or another. Or once stopped. */
  ready: Promise<void>
  /** Fulfilled once this process holds the follower for the first time, or has stopped. */
  held: Promise<void>
  /** Looks at the journal now. */
  wake(): void
  /** Lets the running batch end, then gives the follower to another process. */
  stop(): Promise<void>
}

const firstRetryMs = 100
const lastRetryMs = 10_000
/** In this many quiet looks, at most one writes the position for the sake of low_water alone. */
const quietLooks = 10

export function follow(
  database: Database,
  follower: Follower,
  { signals, pollSeconds = 1, from = 'now', log }: FollowOptions,
): Following {
  const { name, batch = 500 } = follower
  const ready = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  const news = newLatch()
  const silence = signals?.on(newsChannel, news.open)
  const stop = new AbortController()
  let failures = 0
  let complaint = ''
  const ended = run()

  async function run(): Promise<void> {
    while (!stop.signal.aborted) {
      try {
        await register(database, name, from)
        ready.resolve()
        await hold()
      } catch (error) {
        await failed(error)
      }
    }
  }

  /** Ends when stopped, when the lock is lost, or when another epoch has begun. */
  async function hold(): Promise<void> {
    const lock = await openLock(database, `kontor follower ${name}`, news.open)
    try {
      while (!stop.signal.aborted && !(await lock.take())) await pause(pollSeconds * 1000)
      if (stop.signal.aborted) return
      const epoch = await beginEpoch(database, name)
      held.resolve()
      log.info({ follower: name, epoch }, 'following the journal')
      await read(epoch, lock)
    } finally {
      await lock.end()
    }
  }

  async function read(epoch: number, lock: Lock): Promise<void> {
    let low = -1
    let quiet = 0
    while (!stop.signal.aborted && !lock.lost()) {
      try {
        const drawn = await lastDrawn(database)
        // Nothing was drawn since everything was settled: this one number is all that an idle follower asks for.
        const reading = drawn === low ? undefined : await readNews(database, name, epoch, batch)
        if (reading) {
          const move = moveBy(reading, drawn, batch)
          quiet = move.changes.length > 0 ? 0 : quiet + 1
          if (move.changes.length > 0 || (quiet >= quietLooks && isWorthWriting(move, reading))) {
            await database.transaction((tx) => tell(tx, epoch, lock, move))
            quiet = 0
            low = move.low
          } else low = reading.low_water
        }
        if (failures > 0) log.info({ follower: name }, 'following the journal again')
        failures = 0
        if (reading?.changes.length !== batch) await news.opened(pollSeconds * 1000)
      } catch (error) {
        if (error instanceof Overtaken) return
        await failed(error)
      }
    }
  }

  async function tell(tx: Tx, epoch: number, lock: Lock, move: Move): Promise<void> {
    if (move.changes.length > 0) await follower.handle(tx, move.changes)
    if (lock.lost()) throw new Overtaken()
    await writePosition(tx, name, epoch, move)
  }

  /** Says what is wrong once per message, then waits, longer each time; only stopping ends the wait early. */
  async function failed(error: unknown): Promise<void> {
    const message = String(error)
    if (failures === 0 || message !== complaint)
      log.error({ follower: name, err: error }, 'a follower fails and tries again')
    complaint = message
    await pause(Math.min(firstRetryMs * 2 ** failures++, lastRetryMs))
  }

  async function pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: stop.signal }).catch(() => undefined)
  }

  return {
    ready: ready.promise,
    held: held.promise,
    wake: news.open,
    async stop() {
      stop.abort()
      silence?.()
      news.open()
      await ended
      ready.resolve()
      held.resolve()
    },
  }
}
