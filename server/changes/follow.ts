// Reads the journal for a follower. Per record, journal ids grow with its changes, because an id is
// drawn while the record is locked. Across records they may be committed in any order. So a
// follower handles all visible rows that it has not handled, in id order, and keeps which ones: all
// up to `low_water`, and the set `handled` above it. One process at a time runs a follower, by an
// advisory lock. Marks, epochs and the reasons: decision 4.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Sql } from 'sql-template-tag'
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

export interface Follower {
  /** The follower's position in the journal is kept under this name. */
  name: string
  /**
   * Handles changes in id order, in the transaction that also moves the position. Its writes with
   * `tx` happen exactly once, any other effect at least once (JournalRow.id is stable). After
   * a throw the same changes are handled again later; none is skipped.
   */
  handle(tx: Tx, changes: JournalRow[]): Promise<void>
  /**
   * Called each time this process takes the follower over, before the changes. All that other
   * processes have written in its name is committed by then.
   */
  begin?(): void
  /** The most changes in one call (500). */
  batch?: number
  /**
   * A condition in SQL on a journal row named `news`, all by default. Other changes are passed by
   * unread.
   */
  concerns?: Sql
}

export interface FollowOptions {
  /** Wakes the follower when the journal grows. Without it the follower only polls. */
  signals?: Signals
  /** Seconds between two reads of the journal without a signal (1). */
  pollSeconds?: number
  /**
   * Where a new follower begins: at the oldest change in the journal, or with the next changes
   * (now).
   */
  from?: 'start' | 'now'
  log: Pick<Logger, 'info' | 'error'>
}

export interface Following {
  /**
   * Fulfilled once the follower has a position, or has stopped. This or another process handles all
   * later changes.
   */
  ready: Promise<void>
  /** Fulfilled once this process first holds the follower, or has stopped. */
  whenLocked: Promise<void>
  /** Reads the journal now. */
  wake(): void
  /** Lets the running batch end, then leaves the follower to another process. */
  stop(): Promise<void>
}

const firstRetryMs = 100
const lastRetryMs = 10_000
/** Of this many reads without changes, at most one writes the position, only to move low_water. */
const quietLooks = 10
/**
 * Milliseconds before the next read after one that found only changes to pass by. Otherwise each write
 * of an account without webhooks would cost a transaction of each follower.
 */
const passingMs = 25

export function follow(
  database: Database,
  follower: Follower,
  { signals, pollSeconds = 1, from = 'now', log }: FollowOptions,
): Following {
  const { name, batch = 500, concerns } = follower
  const ready = Promise.withResolvers<void>()
  const whenLocked = Promise.withResolvers<void>()
  const news = newLatch()
  const unsubscribe = signals?.on(newsChannel, news.open)
  const stop = new AbortController()
  let failures = 0
  let lastMessage = ''
  const ended = run()

  async function run(): Promise<void> {
    while (!stop.signal.aborted) {
      try {
        await register(database, name, from)
        ready.resolve()
        await lockCursor()
      } catch (error) {
        await failed(error)
      }
    }
  }

  /** Ends when stopped, when the lock is lost, or when another process has begun an epoch. */
  async function lockCursor(): Promise<void> {
    const lock = await openLock(database, `kontor follower ${name}`, news.open)
    try {
      while (!stop.signal.aborted && !(await lock.take())) await pause(pollSeconds * 1000)
      if (stop.signal.aborted) return
      const epoch = await beginEpoch(database, name)
      follower.begin?.()
      whenLocked.resolve()
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
        let isPassing = false
        const drawn = await lastDrawn(database)
        // An idle follower reads only this number: no id was drawn since all were handled.
        const reading =
          drawn === low ? undefined : await readNews(database, name, epoch, batch, concerns)
        if (reading) {
          const move = moveBy(reading, drawn, batch)
          quiet = move.changes.length > 0 ? 0 : quiet + 1
          if (move.changes.length > 0 || (quiet >= quietLooks && isWorthWriting(move, reading))) {
            isPassing = !move.changes.some(isWhole)
            // Changes that are passed by once more do no harm.
            const options = { isDurable: !isPassing }
            await database.transaction((tx) => handleAndMove(tx, epoch, lock, move), options)
            quiet = 0
            low = move.low
          } else low = reading.low_water
        }
        if (failures > 0) log.info({ follower: name }, 'following the journal again')
        failures = 0
        if (reading?.changes.length === batch) continue
        if (isPassing) await pause(passingMs)
        await news.opened(pollSeconds * 1000)
      } catch (error) {
        if (error instanceof Overtaken) return
        await failed(error)
      }
    }
  }

  async function handleAndMove(tx: Tx, epoch: number, lock: Lock, move: Move): Promise<void> {
    const changes = move.changes.filter(isWhole)
    if (changes.length > 0) await follower.handle(tx, changes)
    if (lock.lost()) throw new Overtaken()
    await writePosition(tx, name, epoch, move)
  }

  /**
   * Logs each new message once, then waits, longer each time. Only stopping ends the wait early.
   */
  async function failed(error: unknown): Promise<void> {
    const message = String(error)
    if (failures === 0 || message !== lastMessage)
      log.error({ follower: name, err: error }, 'a follower fails and tries again')
    lastMessage = message
    await pause(Math.min(firstRetryMs * 2 ** failures++, lastRetryMs))
  }

  async function pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: stop.signal }).catch(() => undefined)
  }

  return {
    ready: ready.promise,
    whenLocked: whenLocked.promise,
    wake: news.open,
    async stop() {
      stop.abort()
      unsubscribe?.()
      news.open()
      await ended
      ready.resolve()
      whenLocked.resolve()
    },
  }
}

/** A change that is passed by has its id only. */
const isWhole = (change: JournalRow): boolean => 'account_id' in change
