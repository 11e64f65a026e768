// Checks PostgreSQL's plans: no scan of a whole table, only indexes that begin with the account, no
// sort of more rows than match.
import pg from 'pg'
import type { Sql } from 'sql-template-tag'
import sql, { raw } from 'sql-template-tag'
import { expect } from 'vitest'
import { planningModes } from '../server/database/connect.ts'
import type { Database, Reader } from '../server/database/connect.ts'
import type { PagePosition } from '../server/http/paging.ts'

export interface Plan {
  'Node Type': string
  'Index Name'?: string
  'Index Cond'?: string
  'Relation Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Shared Hit Blocks'?: number
  'Rows Removed by Filter'?: number
  Plans?: Plan[]
}

export interface Plans {
  /** Runs a statement. Answers the steps of its plan. */
  explain(statement: Sql): Promise<Plan[]>
  /** The steps of a named statement once PostgreSQL plans it without its values. Runs nothing. */
  explainNamed(statement: Sql): Promise<Plan[]>
  /** Runs a statement with the plan that serves all values. Answers its steps. */
  explainPrepared(statement: Sql): Promise<Plan[]>
  /** Checks the steps of a statement with this many matching rows. */
  judge(steps: Plan[], matching: number): void
  /**
   * The database as a reader that keeps the plans of its lists. Texts of pages come for the first time,
   * or are prepared.
   */
  watched(pages?: 'first' | 'prepared'): { reader: Reader; steps: Plan[] }
  /** The number of rows that a statement finds. */
  count(statement: Sql): Promise<number>
}

export async function plansOn(database: Database): Promise<Plans> {
  const indexes = await database.list<{ name: string }>(sql`
    select indexrelid::regclass::text as name
      from pg_index join pg_attribute on attrelid = indrelid and attnum = indkey[0] where attname = 'account_id'`)
  const byAccount = new Set(indexes.map(({ name }) => name))
  const steps = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(steps)]
  type Row = { 'QUERY PLAN': [{ Plan: Plan }] }
  const explain = async (statement: Sql) => {
    const [row] = await database.list<Row>(
      sql`explain (analyze, timing off, format json) ${statement}`,
    )
    return steps(row!['QUERY PLAN'][0].Plan)
  }
  // A transaction has a connection of the pool: a new one would load the catalog for each statement.
  let count = 0
  const explainPrepared = ({ text, values }: Sql) =>
    database.transaction(async (tx) => {
      const name = `asked_${++count}`
      await tx.list(raw(planningModes.once.replace('set ', 'set local ')))
      await tx.list(raw(`prepare ${name} as ${text}`))
      const given = values.map(literal).join(', ')
      const [row] = await tx.list<Row>(
        raw(`explain (analyze, timing off, format json) execute ${name}${given && ` (${given})`}`),
      )
      await tx.list(raw(`deallocate ${name}`))
      return steps(row!['QUERY PLAN'][0].Plan)
    })
  return {
    explain,
    explainPrepared,
    watched(pages = 'first') {
      const taken: Plan[] = []
      const list: Reader['list'] = async (statement) => {
        taken.push(...(await explain(statement)))
        return database.list(statement)
      }
      const rows: Reader['rows'] = async (statement) => {
        taken.push(...(await explain(statement)))
        return database.rows(statement)
      }
      const page: Reader['page'] = async (statement) => {
        taken.push(...(await (pages === 'first' ? explain : explainPrepared)(statement)))
        return database.list(statement)
      }
      const cells: Reader['cells'] = async (way, statement) => {
        const explained = way === 'page' && pages === 'prepared' ? explainPrepared : explain
        taken.push(...(await explained(statement)))
        return database.cells('list', statement)
      }
      return { reader: { ...database, list, rows, page, cells }, steps: taken }
    },
    async explainNamed({ text }) {
      const [row] = await database.list<Row>(raw(`explain (generic_plan, format json) ${text}`))
      return steps(row!['QUERY PLAN'][0].Plan)
    },
    judge(taken, matching) {
      // The account's row names the definitions of custom fields in force. Common trigrams are those of
      // all accounts, and rare ones are looked up in all. The ids that elements name are drawn for all
      // accounts from one sequence, so that each is one account's.
      const isOfAll = ({ 'Relation Name': table, 'Index Name': index, 'Index Cond': cond }: Plan) =>
        table === 'accounts' ||
        (index ?? table)?.startsWith('common_trigrams') ||
        index === 'catalog_elements_naming' ||
        cond?.startsWith('(grams ~~ COALESCE((rarest') ||
        cond?.startsWith('((grams ~~ COALESCE((rarest')
      for (const step of taken.filter((each) => !isOfAll(each))) {
        const type = step['Node Type']
        // A sequential scan of an empty month of the event log is faster than its index.
        if (type === 'Seq Scan')
          expect({ table: step['Relation Name'], read: readBy(step) }).toMatchObject({ read: 0 })
        if (step['Index Name'] !== undefined) {
          expect(byAccount).toContain(step['Index Name'])
          expect(step['Index Cond']).toContain('account_id = ')
        }
        if (type.endsWith('Sort')) expect(rowsOf(step.Plans![0]!)).toBeLessThanOrEqual(matching)
      }
    },
    async count(statement) {
      const [row] = await database.list<{ count: number }>(
        sql`select count(*) from (${statement}) found`,
      )
      return row!.count
    },
  }
}

/** A value as SQL; PostgreSQL finds its type by the prepared statement. */
function literal(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (Array.isArray(value)) {
    const members = value.map((each) => JSON.stringify(String(each)))
    return pg.escapeLiteral(`{${members.join(',')}}`)
  }
  return pg.escapeLiteral(typeof value === 'string' ? value : JSON.stringify(value))
}

const rowsOf = (plan: Plan) => Math.round(plan['Actual Rows'] * plan['Actual Loops'])
const readBy = (plan: Plan) =>
  Math.round((plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops'])

/** The number of rows that the scans of these tables read. */
export const read = (steps: Plan[], ...tables: RegExp[]) =>
  steps
    .filter(
      (step) =>
        step['Node Type'].endsWith('Scan') &&
        tables.some((table) => table.test(step['Relation Name'] ?? '')),
    )
    .reduce((sum, step) => sum + readBy(step), 0)

export const first: PagePosition = { after: undefined, offset: 0, limit: 51 }
export const all: PagePosition = { after: undefined, offset: 0, limit: 1_000_000 }
/**
 * The rows that a page may read beside those that match, because they lie between them in the order
 * of ids.
 */
export const between = 1500
