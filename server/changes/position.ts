// The position of a follower in the journal: the statements behind follow.ts (decision 4).
import sql from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import pg from 'pg'
import type { Surface } from '../access/actor.ts'
import type { Database, Reader, Tx } from '../database/connect.ts'

/** A journal row: one change of one record. */
export interface JournalRow {
  id: number
  account_id: number
  entity_type: string
  entity_id: number
  actions: string[]
  /** The changed fields with their old values; null on creation. */
  before: object | null
  /** The whole record after the change. */
  after: object | null
  /**
   * The note that was added or changed, after the change; null if the change is not about a note.
   */
  note: object | null
  created_by: number
  /** Unix seconds. */
  created_at: number
  /** The request that made the change, as X-Request-Id says it; null for rows of before 0004. */
  request_id: string | null
  /** The surface that the request came through. */
  surface: Surface | null
}

/** A transaction that may still draw a journal id up to `id` has a number of at most `xid`. */
export interface Mark {
  id: number
  xid: number
}

/** The rows that one snapshot shows to a follower. */
export interface Reading {
  low_water: number
  marks: Mark[]
  /** Every transaction below this number has ended, and this reading holds what it committed. */
  xmin: number
  /** The lowest visible journal rows that are not handled, by id. */
  changes: JournalRow[]
}

/** Thrown once another process has begun an epoch: this one no longer holds the follower. */
export class Overtaken extends Error {
  override name = 'Overtaken'
}

/** The position after a reading. */
export interface Move {
  low: number
  marks: Mark[]
  drawn: number
  changes: JournalRow[]
}

/**
 * A position gets a mark each time the journal has grown. Beyond this many, every second one is
 * dropped.
 */
const mostMarks = 16

/** The last id drawn from the journal's sequence, committed or not; 0 before the first. */
export async function lastDrawn(database: Reader): Promise<number> {
  const drawn = await database.row<{ id: number }>(
    sql`select case when is_called then last_value else 0 end as id from journal_id`,
  )
  return drawn!.id
}

/** Gives a new follower its position. Leaves that of a known one alone. */
export async function register(
  database: Database,
  name: string,
  from: 'start' | 'now',
): Promise<void> {
  const low = from === 'now' ? await lastDrawn(database) : 0
  await database.transaction((tx) =>
    tx.rows(sql`
      insert into followers (name, low_water, system_identifier, updated_at)
      values (${name}, ${low}, '', extract(epoch from now())::bigint) on conflict do nothing`),
  )
}

/**
 * Starts a new epoch: the process that held the follower before can no longer write its position.
 * Marks hold transaction numbers, which mean nothing in another cluster (after a logical restore):
 * there they are dropped, and low_water waits for new ones.
 */
export async function beginEpoch(database: Database, name: string): Promise<number> {
  const cluster = await clusterOf(database)
  const [begun] = await database.transaction((tx) =>
    tx.rows<{ epoch: number }>(sql`
      update followers set epoch = epoch + 1, marks = case when system_identifier = ${cluster} then marks else '[]' end,
             system_identifier = ${cluster}, updated_at = extract(epoch from now())::bigint
       where name = ${name} returning epoch`),
  )
  if (!begun) throw new Error(`the follower ${name} has lost its place`)
  return begun.epoch
}

/**
 * Managed services may forbid pg_control_system. The server's start time changes at least as often,
 * and a lost mark only costs time.
 */
async function clusterOf(database: Database): Promise<string> {
  try {
    const known = await database.row<{ id: string }>(
      sql`select system_identifier::text as id from pg_control_system()`,
    )
    return known!.id
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || error.code !== '42501') throw error
    const started = await database.row<{ at: string }>(
      sql`select 'started ' || pg_postmaster_start_time()::text as at`,
    )
    return started!.at
  }
}

/**
 * One statement, so one snapshot. Reads only the gaps, by the journal's key: the bounds of a gap
 * are index conditions, also for the last, open one (coalesce). Throws Overtaken.
 */
export async function readNews(
  database: Reader,
  name: string,
  epoch: number,
  batch: number,
  concerns?: Sql,
): Promise<Reading> {
  const reading = await database.row<Reading>(newsAfter(name, epoch, batch, concerns))
  if (!reading) throw new Overtaken()
  return reading
}

export const newsAfter = (name: string, epoch: number, batch: number, concerns?: Sql) => sql`
  select low_water, marks, ${snapshotXmin} as xmin, (${newsInGaps(sql`low_water`, sql`handled`, batch, concerns)}) as changes
    from followers where name = ${name} and epoch = ${epoch}`

export const snapshotXmin = sql`pg_snapshot_xmin(pg_current_snapshot())::text::bigint`

/**
 * The lowest visible journal rows above `low` whose ids are not in `handled`, as one JSON array in
 * id order. Rows that do not meet `concerns` stand there with their ids only.
 */
export function newsInGaps(low: Sql, handled: Sql, batch: number, concerns?: Sql): Sql {
  const row = concerns
    ? sql`case when ${concerns} then row_to_json(news) else json_build_object('id', news.id) end`
    : sql`news`
  return sql`
           select coalesce(json_agg(${row} order by news.id), '[]')
             from (select found.*
                     from unnest(int8multirange(int8range(${low} + 1, null)) - ${handled}) gap
                    cross join lateral (
                      select id, account_id, entity_type, entity_id, actions, before, after, note, created_by, created_at, request_id, surface
                        from journal
                       where id >= lower(gap) and id < coalesce(upper(gap), 9223372036854775807)
                       order by id limit ${batch}::int) found
                    order by found.id limit ${batch}::int) news`
}

/**
 * The position once the changes of a reading are handled. low_water moves to the newest mark below
 * the snapshot, but not past the last change of a full batch. `drawn` is the sequence before the
 * reading.
 */
export function moveBy(
  { low_water, marks, xmin, changes }: Reading,
  drawn: number,
  batch: number,
): Move {
  const passed = marks.findLast(({ xid }) => xid < xmin)?.id ?? 0
  const end = changes.length < batch ? Infinity : changes.at(-1)!.id
  const low = Math.max(low_water, Math.min(passed, end))
  const left = marks.filter(({ id }) => id > low)
  // The oldest mark always stays, or low_water would wait for ever newer ones.
  return {
    low,
    marks: left.length < mostMarks ? left : left.filter((_, index) => index % 2 === 0),
    drawn,
    changes,
  }
}

/** Whether a move without changes raises low_water or adds a mark. */
export function isWorthWriting(move: Move, { low_water }: Reading): boolean {
  return move.low > low_water || isWorthMark(move)
}

function isWorthMark({ drawn, low, marks }: Move): boolean {
  return drawn > Math.max(low, marks.at(-1)?.id ?? 0)
}

/**
 * Writes the move, and the ids of its changes as handled. If `drawn` is new, it becomes a mark with
 * this transaction's number, which is taken after `drawn` was read. Throws Overtaken.
 */
export async function writePosition(
  tx: Tx,
  name: string,
  epoch: number,
  move: Move,
): Promise<void> {
  const { low, marks, drawn, changes } = move
  const written = await tx.row(sql`
    update followers
       set low_water = ${low}::bigint,
           handled = (handled + (select coalesce(range_agg(int8range(id, id, '[]')), '{}')
                                   from unnest(${changes.map(({ id }) => id)}::bigint[]) id))
                     * int8multirange(int8range(${low}::bigint + 1, null)),
           marks = ${JSON.stringify(marks)}::jsonb || case when ${isWorthMark(move)}::boolean
                     then jsonb_build_array(jsonb_build_object('id', ${drawn}::bigint, 'xid', pg_current_xact_id()::text::bigint))
                     else '[]' end,
           updated_at = extract(epoch from now())::bigint
     where name = ${name} and epoch = ${epoch} returning epoch`)
  if (!written) throw new Overtaken()
}
