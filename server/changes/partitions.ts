// The monthly partitions of the event log. Each is created as a table and then attached: "create
// table ... partition of" would lock the whole log, attaching locks only events_rest. A month whose
// events are already in events_rest stays there. A month that cannot be attached now, because
// events_rest is being read, is tried the next day.
import pg from 'pg'
import sql, { raw } from 'sql-template-tag'
import type { Database, Tx } from '../database/connect.ts'

/** Partitions are made for the current month and this many more. */
const monthsAhead = 3
/** PostgreSQL, appendix A. */
const lockNotAvailable = '55P03'
const checkViolation = '23514'

/**
 * Makes the missing partitions of `events` around `now`; months are those of UTC. Returns the names
 * of those it made.
 */
export async function ensureEventPartitions(database: Database, now: Date): Promise<string[]> {
  const made: string[] = []
  for (const month of await missingMonths(database, now)) {
    try {
      if (await database.transaction((tx) => makeMonth(tx, month))) made.push(month.name)
    } catch (error) {
      const code = error instanceof pg.DatabaseError ? error.code : undefined
      if (code === lockNotAvailable) break
      // Events of that month have reached events_rest meanwhile.
      if (code !== checkViolation) throw error
    }
  }
  return made
}

interface Month {
  name: string
  /** The lowest id of the month; `high` is that of the next. */
  low: string
  high: string
}

function missingMonths(database: Database, now: Date): Promise<Month[]> {
  const starts = Array.from({ length: monthsAhead + 2 }, (_, i) =>
    Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + i),
  )
  const months = starts.slice(0, -1).map((start, i) => ({
    name: `events_${new Date(start).toISOString().slice(0, 7).replace('-', '_')}`,
    start,
    end: starts[i + 1],
  }))
  return database.rows<Month>(sql`
    select name, rpad(ulid_time(start), 26, '0') as low, rpad(ulid_time("end"), 26, '0') as high
      from json_to_recordset(${JSON.stringify(months)}::json) month (name text, start bigint, "end" bigint)
     where to_regclass(name) is null
     order by start`)
}

/** One process at a time. The second one finds the month made. */
async function makeMonth(tx: Tx, { name, low, high }: Month): Promise<boolean> {
  await tx.rows(sql`select set_config('lock_timeout', '1s', true)`)
  await tx.rows(sql`select pg_advisory_xact_lock(hashtextextended('kontor event partitions', 0))`)
  const state = await tx.row<{ isThere: boolean; isInRest: boolean }>(sql`
    select to_regclass(${name}) is not null as "isThere",
           exists (select from events_rest where id >= ${low} and id < ${high}) as "isInRest"`)
  if (state!.isThere || state!.isInRest) return false
  // Definitions take no parameters. Names and bounds are the server's own: letters, digits and
  // underscores.
  await tx.list(sql`create table ${raw(name)} (like events including defaults)`)
  await tx.list(
    sql`alter table events attach partition ${raw(name)} for values from (${raw(`'${low}'`)}) to (${raw(`'${high}'`)})`,
  )
  return true
}
