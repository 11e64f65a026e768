// Reads the journal without a stored position, for listeners of this process only, such as its
// browsers. Order and completeness are those of follow.ts; the position is in memory and begins
// with the next changes.
import sql from 'sql-template-tag'
import type { Logger } from 'pino'
import type { Database } from '../database/connect.ts'
import { newLatch } from './latch.ts'
import { lastDrawn, moveBy, newsInGaps, snapshotXmin } from './position.ts'
import type { JournalRow, Mark } from './position.ts'
import { newsChannel, type Signals } from './signals.ts'

export interface Tail {
  /** Fulfilled once the tail has a position: later changes are passed on. */
  ready: Promise<void>
  /** Every change up to this id was passed on. A change that was not may have any higher id. */
  low(): number
  stop(): Promise<void>
}

interface Snapshot {
  xmin: number
  changes: JournalRow[]
}

const batch = 1000
const retryMs = 1000

/**
 * Passes changes to `notify` in id order, at most every `pauseMs` milliseconds. Where
 * `notify` throws or the database cannot be reached, the tail waits and passes the changes on later.
 */
export function tail(
  database: Database,
  signals: Signals,
  log: Pick<Logger, 'error'>,
  notify: (changes: JournalRow[]) => Promise<void> | void,
  { pauseMs = 50, pollMs = 1000 } = {},
): Tail {
  const ready = Promise.withResolvers<void>()
  const news = newLatch()
  const unsubscribe = signals.on(newsChannel, news.open)
  const stop = new AbortController()
  let low = -1
  let handled = new Set<number>()
  let marks: Mark[] = []
  const ended = run()

  async function run(): Promise<void> {
    while (!stop.signal.aborted) {
      try {
        if (low < 0) {
          low = await lastDrawn(database)
          ready.resolve()
        }
        const isFull = await readNew()
        if (isFull || stop.signal.aborted) continue
        await news.opened(pollMs)
        // Collects changes of the same moment: each browser gets one message instead of many.
        if (!stop.signal.aborted) await new Promise((resolve) => setTimeout(resolve, pauseMs))
      } catch (error) {
        log.error({ err: error }, 'a reader of the journal fails and tries again')
        if (!stop.signal.aborted) await new Promise((resolve) => setTimeout(resolve, retryMs))
      }
    }
  }

  /** Passes on the new changes. Answers whether more may be waiting. */
  async function readNew(): Promise<boolean> {
    const drawn = await lastDrawn(database)
    if (drawn === low) return false
    const reading = (await database.row<Snapshot>(sql`
      select ${snapshotXmin} as xmin, (${newsInGaps(sql`${low}::bigint`, sql`${ranges(handled)}::int8multirange`, batch)}) as changes`))!
    const move = moveBy({ low_water: low, marks, ...reading }, drawn, batch)
    if (reading.changes.length > 0) await notify(reading.changes)
    for (const { id } of reading.changes) handled.add(id)
    low = move.low
    handled = new Set([...handled].filter((id) => id > low))
    marks = move.marks
    if (drawn > Math.max(low, marks.at(-1)?.id ?? 0))
      marks.push({ id: drawn, xid: await ownTransaction() })
    return reading.changes.length === batch
  }

  /**
   * A transaction number taken now. Transactions with later numbers draw ids above those drawn
   * before.
   */
  async function ownTransaction(): Promise<number> {
    return (await database.row<{ xid: number }>(
      sql`select pg_current_xact_id()::text::bigint as xid`,
    ))!.xid
  }

  return {
    ready: ready.promise,
    low: () => low,
    async stop() {
      stop.abort()
      unsubscribe()
      news.open()
      ready.resolve()
      await ended
    },
  }
}

/** Ids in the text form of int8multirange. */
function ranges(ids: ReadonlySet<number>): string {
  const parts: [number, number][] = []
  for (const id of [...ids].toSorted((a, b) => a - b)) {
    const last = parts.at(-1)
    if (last && last[1] === id) last[1] = id + 1
    else parts.push([id, id + 1])
  }
  return `{${parts.map(([from, to]) => `[${from},${to})`).join(',')}}`
}
