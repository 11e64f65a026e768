// Reading the journal without keeping a place: for what a process tells only its own listeners, such as the browsers connected to it.
// The order and the way nothing is missed are those of follow.ts; only the position is in memory and begins with the changes to come.
import sql from 'sql-template-tag'
import type { Logger } from 'pino'
import type { Database } from '../database/connect.ts'
import { newLatch } from './latch.ts'
import { lastDrawn, moveBy, newsInGaps, snapshotXmin } from './position.ts'
import type { JournalRow, Mark } from './position.ts'
import { newsChannel, type Signals } from './signals.ts'

export interface Tail {
  /** Fulfilled once changes are heard: those made from then on are told. */
  ready: Promise<void>
  /** Every change up to this id was told; one that is not may have any higher id. */
  low(): number
  stop(): Promise<void>
}

interface Seen {
  xmin: number
  changes: JournalRow[]
}

const batch = 1000
const retryMs = 1000

/**
 * Tells changes as they appear, in id order, at most every `pauseMs` milliseconds. `tell` must not throw. When the database is out of
 * reach the tail waits for it; what happened meanwhile is told then.
 */
export function tail(
  database: Database,
  signals: Signals,
  log: Pick<Logger, 'error'>,
  tell: (changes: JournalRow[]) => void,
  { pauseMs = 50, pollMs = 1000 } = {},
): Tail {
  const ready = Promise.withResolvers<void>()
  const news = newLatch()
  const silence = signals.on(newsChannel, news.open)
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
        const isFull = await look()
        if (isFull || stop.signal.aborted) continue
        await news.opened(pollMs)
        // What changes at the same time is told together: one message to each browser instead of many.
        if (!stop.signal.aborted) await new Promise((resolve) => setTimeout(resolve, pauseMs))
      } catch (error) {
        log.error({ err: error }, 'the live stream cannot read the journal')
        if (!stop.signal.aborted) await new Promise((resolve) => setTimeout(resolve, retryMs))
      }
    }
  }

  /** Tells what is new. Answers whether there may be more at once. */
  async function look(): Promise<boolean> {
    const drawn = await lastDrawn(database)
    if (drawn === low) return false
    const seen = (await database.row<Seen>(sql`
      select ${snapshotXmin} as xmin, (${newsInGaps(sql`${low}::bigint`, sql`${ranges(handled)}::int8multirange`, batch)}) as changes`))!
    const move = moveBy({ low_water: low, marks, ...seen }, drawn, batch)
    if (seen.changes.length > 0) tell(seen.changes)
    for (const { id } of seen.changes) handled.add(id)
    low = move.low
    handled = new Set([...handled].filter((id) => id > low))
    marks = move.marks
    if (drawn > Math.max(low, marks.at(-1)?.id ?? 0))
      marks.push({ id: drawn, xid: await ownTransaction() })
    return seen.changes.length === batch
  }

  /** A transaction number that is taken now: whoever takes a later one draws ids above what was drawn before. */
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
      silence()
      news.open()
      ready.resolve()
      await ended
    },
  }
}

/** Ids as a text for int8multirange. */
function ranges(ids: ReadonlySet<number>): string {
  const parts: [number, number][] = []
  for (const id of [...ids].toSorted((a, b) => a - b)) {
    const last = parts.at(-1)
    if (last && last[1] === id) last[1] = id + 1
    else parts.push([id, id + 1])
  }
  return `{${parts.map(([from, to]) => `[${from},${to})`).join(',')}}`
}
