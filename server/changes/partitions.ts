// The monthly partitions of the event log and of its keys. Each is created as a table and then attached: "create
// table ... partition of" would lock the whole log, attaching locks only events_rest. A month whose
// events are already in events_rest stays there. A month that cannot be attached now, because
// events_rest is being read, is tried the next day.
import pg from 'pg'
import sql, { raw } from 'sql-template-tag'
import type { Database, Tx } from '../database/connect.ts'
import { keysOfEvent } from './event-keys.ts'

/** Partitions are made for the current month and this many more. */
const monthsAhead = 3
/** Rows per transaction: few enough to take milliseconds. */
const chunk = 1000
/** PostgreSQL, appendix A. */
const lockNotAvailable = '55P03'
const checkViolation = '23514'

/** The partitioned tables, and their columns with the id of an event. */
const logs = [
  { table: 'events', id: 'id' },
  { table: 'event_keys', id: 'event_id' },
] as const
type Log = (typeof logs)[number]

/** When autovacuum comes to a table: those that 0053_autovacuum.sql gives to all. */
export const tableSettings =
  'autovacuum_vacuum_scale_factor = 0.1, autovacuum_vacuum_insert_scale_factor = 0.1, autovacuum_analyze_scale_factor = 0.05'

/**
 * Makes the missing partitions of the log around `now`; months are those of UTC. Returns the names
 * of those it made.
 */
export async function ensureEventPartitions(database: Database, now: Date): Promise<string[]> {
  const made: string[] = []
  const missing = await missingMonths(database, now)
  for (const log of logs)
    for (const month of missing.filter(({ table }) => table === log.table)) {
      try {
        if (await database.transaction((tx) => makeMonth(tx, log, month))) made.push(month.name)
      } catch (error) {
        const code = codeOf(error)
        if (code === lockNotAvailable) break
        // Events of that month have reached the partition for the rest meanwhile.
        if (code !== checkViolation) throw error
      }
    }
  return made
}

/**
 * Drops the months of the log that ended more than `days` ago, and single events of that age that no
 * month holds. 0 days keep all. Returns the names of the dropped partitions.
 */
export async function dropOldEvents(
  database: Database,
  days: number,
  now: Date,
): Promise<string[]> {
  if (days === 0) return []
  const before = now.getTime() - days * 86_400_000
  if (before <= 0) return []
  const dropped: string[] = []
  for (const { name } of await pastMonths(database, before)) {
    try {
      await database.transaction(async (tx) => {
        await beImpatient(tx)
        await tx.list(sql`drop table if exists ${raw(name)}`)
      })
      dropped.push(name)
    } catch (error) {
      // Somebody reads the log for long. The next hour tries again.
      if (codeOf(error) !== lockNotAvailable) throw error
    }
  }
  await emptyRest(database, before)
  return dropped
}

interface Month {
  table: Log['table']
  name: string
  /** The lowest id of the month; `high` is that of the next. */
  low: string
  high: string
}

/** Of all logs, by one statement: every command asks, and hardly ever finds one. */
function missingMonths(database: Database, now: Date): Promise<Month[]> {
  const starts = Array.from({ length: monthsAhead + 2 }, (_, i) =>
    Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + i),
  )
  const months = logs.flatMap(({ table }) =>
    starts.slice(0, -1).map((start, i) => ({
      table,
      name: `${table}_${new Date(start).toISOString().slice(0, 7).replace('-', '_')}`,
      start,
      end: starts[i + 1],
    })),
  )
  return database.rows<Month>(sql`
    select "table", name, rpad(ulid_time(start), 26, '0') as low, rpad(ulid_time("end"), 26, '0') as high
      from json_to_recordset(${JSON.stringify(months)}::json) month ("table" text, name text, start bigint, "end" bigint)
     where to_regclass(name) is null
     order by start`)
}

/** One process at a time. The second one finds the month made. */
async function makeMonth(tx: Tx, { table, id }: Log, { name, low, high }: Month): Promise<boolean> {
  await beImpatient(tx)
  await tx.rows(sql`select pg_advisory_xact_lock(hashtextextended('kontor event partitions', 0))`)
  const state = await tx.row<{ isThere: boolean; isInRest: boolean }>(sql`
    select to_regclass(${name}) is not null as "isThere",
           exists (select from ${raw(table)}_rest where ${raw(id)} >= ${low} and ${raw(id)} < ${high}) as "isInRest"`)
  if (state!.isThere || state!.isInRest) return false
  // Definitions take no parameters. Names and bounds are the server's own: letters, digits and
  // underscores.
  await tx.list(
    sql`create table ${raw(name)} (like ${raw(table)} including defaults) with (${raw(tableSettings)})`,
  )
  await tx.list(
    sql`alter table ${raw(table)} attach partition ${raw(name)} for values from (${raw(`'${low}'`)}) to (${raw(`'${high}'`)})`,
  )
  return true
}

/** The partitions of months that ended before a time (milliseconds), the oldest first. */
const pastMonths = (database: Database, before: number) =>
  database.rows<{ name: string }>(sql`
    select part.inhrelid::regclass::text as name
      from pg_inherits part join pg_class class on class.oid = part.inhrelid
     where part.inhparent in ('events'::regclass, 'event_keys'::regclass) and class.relname ~ '_[0-9]{4}_[0-9]{2}$'
       and to_date(right(class.relname, 7), 'YYYY_MM') + interval '1 month' <= to_timestamp(${before / 1000}::float8) at time zone 'UTC'
     order by right(class.relname, 7), 1`)

interface OldEvent {
  account_id: number
  id: string
  type: string
  value_before: object[]
  value_after: object[]
}

/** Deletes the events before a time (milliseconds) that no month holds, with their keys. */
async function emptyRest(database: Database, before: number): Promise<void> {
  let deleted: number
  do {
    deleted = await database.transaction(async (tx) => {
      const old = await tx.rows<OldEvent>(sql`
        select old.* from accounts, lateral (
          select account_id, id, type, value_before, value_after from events_rest
           where account_id = accounts.id and id < ulid_time(${before}::bigint) order by id limit ${chunk}) old
         limit ${chunk}`)
      const keys = old.flatMap((event) =>
        keysOfEvent(event).map((key) => ({
          account_id: event.account_id,
          key,
          event_id: event.id,
        })),
      )
      await tx.rows(sql`
        delete from event_keys using json_to_recordset(${JSON.stringify(keys)}::json) as old(account_id bigint, key text, event_id text)
         where event_keys.account_id = old.account_id and event_keys.key = old.key and event_keys.event_id = old.event_id`)
      await tx.rows(sql`
        delete from events_rest using unnest(${old.map(({ account_id }) => account_id)}::bigint[], ${old.map(({ id }) => id)}::text[]) old(account_id, id)
         where events_rest.account_id = old.account_id and events_rest.id = old.id`)
      return old.length
    })
  } while (deleted === chunk)
}

/** A definition that cannot have its lock soon gives way, so that requests do not queue behind it. */
const beImpatient = (tx: Tx) => tx.rows(sql`select set_config('lock_timeout', '1s', true)`)

const codeOf = (error: unknown) => (error instanceof pg.DatabaseError ? error.code : undefined)
