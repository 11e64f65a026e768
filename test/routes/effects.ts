// A request is sent, and the rows that it wrote are read, column by column: a test compares them with those of
// the same request with another member in its body.
import sql, { join, raw } from 'sql-template-tag'
import { vi } from 'vitest'
import type { Database } from '../../server/database/connect.ts'
import type { TestAccount } from '../account.ts'
import { isGoing, tablesOfAccounts } from '../account-data.ts'
import type { RawAnswer } from '../raw.ts'

type Row = Record<string, unknown>

export interface Effect {
  status: number
  text: string
  /** The rows that were written, by table. */
  rows: Record<string, Row[]>
  /** How many rows more, or fewer, each table has. */
  more: Record<string, number>
}

/** Tables that background work on customers writes, later than the answer. */
const later = new Set(['customer_reevaluations', 'segment_counts'])

/**
 * Lets a database note every row of an account that is written from now on, as it was and as it is. To
 * look for the written rows in all tables instead would take half of a walk.
 */
export async function noteWrites(database: Database): Promise<void> {
  const names = await tablesOfAccounts(database)
  await database.rows(sql`
    create unlogged table written (
      id bigint generated always as identity primary key,
      name text not null, account_id bigint not null, was jsonb, became jsonb)`)
  await database.rows(sql`
    create function note_write() returns trigger language plpgsql as $$
    begin
      insert into written (name, account_id, was, became)
        values (tg_argv[0], coalesce(new.account_id, old.account_id),
                to_jsonb(old) - 'account_id', to_jsonb(new) - 'account_id');
      return null;
    end $$`)
  for (const name of names.filter((each) => !later.has(each)))
    await database.rows(sql`
      create trigger note_write after insert or update or delete on ${raw(name)}
        for each row execute function note_write(${raw(name)})`)
}

interface Write {
  name: string
  /** The row as it was, and as it became, as text. */
  was: string | null
  became: string | null
}

/** Asks once the background rests, and reads what the account's tables have from it. */
export async function effectOf(
  { id, kontor: { database } }: TestAccount,
  ask: () => Promise<RawAnswer>,
): Promise<Effect> {
  const last = await vi.waitUntil(
    async () => {
      const { is_going, written } = (await database.row<{ is_going: boolean; written: number }>(
        sql`select ${isGoing(id)} as is_going, (select coalesce(max(id), 0) from written) as written`,
      ))!
      return !is_going && { written }
    },
    { timeout: 60_000, interval: 5 },
  )
  const { status, text } = await ask()
  const writes = await database.rows<Write>(sql`
    select name, was::text, became::text from written
     where id > ${last.written} and account_id = ${id} order by id`)
  const rows: Record<string, Row[]> = {}
  const more: Record<string, number> = {}
  for (const [name, its] of Map.groupBy(writes, ({ name }) => name)) {
    const left = new Set<string>()
    for (const { was, became } of its) {
      if (was !== null) left.delete(was)
      if (became !== null) left.add(became)
    }
    if (left.size > 0) rows[name] = [...left].map((row) => JSON.parse(row) as Row)
    const added = its.filter(({ was }) => was === null).length
    const removed = its.filter(({ became }) => became === null).length
    if (added !== removed) more[name] = added - removed
  }
  return { status, text, rows, more }
}

/** Tables whose rows an account has room for few of. */
const scarce =
  'sources pipelines statuses customer_statuses catalogs custom_fields custom_field_groups segments loss_reasons webhooks roles'.split(
    ' ',
  )

export type Rooms = Record<string, string[]>

/** The rows that those tables have now. */
export const roomsOf = async ({ id, kontor: { database } }: TestAccount): Promise<Rooms> =>
  (await database.row<Rooms>(
    sql`select ${join(scarce.map((name) => sql`(select coalesce(json_agg(id::text), '[]') from ${raw(name)} where account_id = ${id}) as ${raw(name)}`))}`,
  ))!

/** Takes away all other rows of those tables. */
export async function makeRoom(
  { id, kontor: { database } }: TestAccount,
  rooms: Rooms,
): Promise<void> {
  await database.transaction(async (tx) => {
    // Won and lost have the same ids in every pipeline.
    await tx.rows(
      sql`delete from statuses where account_id = ${id} and pipeline_id::text <> all(${rooms['pipelines']})`,
    )
    for (const name of scarce.toReversed())
      await tx.rows(
        sql`delete from ${raw(name)} where account_id = ${id} and id::text <> all(${rooms[name]})`,
      )
    await tx.rows(sql`
      update pipelines set is_main = true
       where account_id = ${id} and id = (select min(id) from pipelines where account_id = ${id})
         and not exists (select from pipelines where account_id = ${id} and is_main)`)
  })
}

/** Makes all ids from now on greater than this one, and answers it. */
export async function lowestId({ kontor: { database } }: TestAccount): Promise<number> {
  const found = await database.rows<{ name: string; last: number }>(sql`
    select schemaname || '.' || sequencename as name, coalesce(last_value, 0) as last from pg_sequences
     where schemaname = 'public' and data_type::text = 'bigint'`)
  const lowest = (Math.floor(Math.max(...found.map(({ last }) => last)) / 100_000) + 1) * 100_000
  for (const { name } of found)
    await database.rows(sql`select setval(${name}::regclass, ${lowest})`)
  return lowest
}

/** A place in a row or in an answer, and its value there: `leads.price=7`. */
export type Fact = string

export const pathOf = (fact: Fact): string => fact.slice(0, fact.indexOf('='))

/**
 * The facts of an effect, comparable with those of the same request about other things: ids above
 * `lowest` and times about now are alike, and texts of the request that differ in each (`alias`) are
 * as in the first.
 */
export function factsOf(
  { rows, more, text }: Effect,
  lowest: number,
  alias: ReadonlyMap<string, string>,
): Set<Fact> {
  const facts = new Set<Fact>()
  const add = (member: string, value: unknown): Fact[] => {
    const its = leavesOf(value, member).map(([at, leaf]) => {
      const key = at.slice(at.lastIndexOf('.') + 1)
      const name = key === '*' ? (/\.(\w+)(?:\.\*)+$/.exec(at)?.[1] ?? key) : key
      return `${at}=${JSON.stringify(plain(leaf, name, lowest, alias))}`
    })
    for (const fact of its) facts.add(fact)
    return its
  }
  for (const [table, its] of Object.entries(rows))
    for (const row of its) facts.add(`${table}.*=${add(table, row).join(' ')}`)
  for (const [table, count] of Object.entries(more)) facts.add(`${table}=${count} rows`)
  add('answer', text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : text)
  return facts
}

/** The leaves of a value with their places; numbered keys are `*`. */
export function leavesOf(value: unknown, at = ''): [string, unknown][] {
  if (typeof value !== 'object' || value === null) return [[at, value]]
  return Object.entries(value).flatMap(([key, each]) =>
    leavesOf(each, `${at}.${/^\d+$/.test(key) ? '*' : key}`),
  )
}

const idKey = /(?:^|_)(?:id|ids|uid|uuid|href|hash|secret|token|code|key)$/

function plain(
  value: unknown,
  key: string,
  lowest: number,
  alias: ReadonlyMap<string, string>,
): unknown {
  const first = alias.get(JSON.stringify(value))
  if (first !== undefined) return first
  if (typeof value === 'number') {
    const seconds = value > 1e12 ? value / 1000 : value
    if (Math.abs(seconds - Date.now() / 1000) < 3600) return 'now'
    return value >= lowest && idKey.test(key) ? 'new' : value
  }
  if (typeof value !== 'string') return value
  const isNew = (digits: string) => Number(digits) >= lowest
  if (idKey.test(key) && (/^\d+$/.test(value) ? isNew(value) : /^[\w-]{20,}$/.test(value)))
    return 'new'
  return value
    .replace(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|\d{4}-\d\d-\d\d[T ][\d:.+-]+/g, 'new')
    .replace(/\d{6,10}/g, (digits) => (isNew(digits) ? 'new' : digits))
}
