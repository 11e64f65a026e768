// Judges a statement by the plan that PostgreSQL makes and runs: the rows it reads of each table, in each state of
// what PostgreSQL knows.
import type { Actor } from '../../server/access/actor.ts'
import type { PagePosition } from '../../server/http/paging.ts'
import { noFields } from '../../server/records/fields/definitions.ts'
import { bounds, findRecords, listRequestOf } from '../../server/records/lists/find.ts'
import type { TakenWay } from '../lists/ways.ts'
import { within } from '../lists/ways.ts'
import type { Plan } from '../plans.ts'
import { first, read } from '../plans.ts'
import { unknown } from './accounts.ts'
import type { LeadQuery, PlanCase } from './fixture.ts'
import { base, of, plans, ways } from './fixture.ts'
import type { Sql } from 'sql-template-tag'
import { expect } from 'vitest'

/** Whether there is something to judge in a request. */
export const isJudged = ({ ask, find, named, namedBy }: PlanCase): boolean =>
  [ask, find, named, namedBy].some((each) => each !== undefined)

export async function judgeCase(planCase: PlanCase, state: State = 'analyzed'): Promise<void> {
  const { ask, find, plan, named, namedBy } = planCase
  if (ask) await judgeRun(planCase, ask(), state)
  if (find) await judgeFind(planCase, find, state)
  if (!named && !namedBy) return
  const steps = await plans.explainNamed((plan ?? ask)!())
  const scanned = steps.flatMap((step) =>
    step['Node Type'] === 'Seq Scan' ? (step['Relation Name'] ?? '') : [],
  )
  if (named) expect(scanned.filter((table) => named.test(table))).toEqual([])
  const indexes = new Set(steps.flatMap((step) => step['Index Name'] ?? []))
  if (namedBy) expect([...indexes].filter((name) => !isKey.test(name)).toSorted()).toEqual(namedBy)
}

/** The keys, and the indexes that have one row of an account and an id, too. */
const isKey = /^(leads_(pkey|listed)|transactions_(pkey|in_order|of_customer))$/

async function judgeRun(planCase: PlanCase, statement: Sql, state: State): Promise<void> {
  const matching = await matchingOf(planCase)
  judgeSteps(planCase, matching, await plans.explain(statement), state)
  if (planCase.isPrepared)
    judgeSteps(planCase, matching, await plans.explainPrepared(statement), state)
}

async function judgeFind(
  planCase: PlanCase,
  find: NonNullable<PlanCase['find']>,
  state: State,
): Promise<void> {
  for (const matching of pagesIn(state)) {
    const { reader, steps } = plans.watched(matching)
    await find(reader)
    judgeSteps(planCase, await matchingOf(planCase), steps, state)
  }
}

const matchingOf = async ({ matching = 0 }: PlanCase): Promise<number> =>
  typeof matching === 'number' ? matching : plans.count(matching())

function judgeSteps(planCase: PlanCase, matching: number, steps: Plan[], state: State): void {
  const { reads = [], exactly = [], by, along } = planCase
  plans.judge(steps, matching)
  for (const [tables, bound] of [...reads, ...exactly]) {
    const most = typeof bound === 'number' ? bound : bound(matching)
    const rows = read(steps, tables)
    expect({ tables, most, rows }).toEqual({ tables, most, rows: Math.min(rows, most) })
  }
  // Without statistics, more indexes at once may leave fewer rows to be read.
  for (const [tables, rows] of state === 'analyzed' ? exactly : [])
    expect({ tables, rows: read(steps, tables) }).toEqual({ tables, rows })
  // A step that was planned and never taken, or that sorts nothing, says nothing.
  const taken = steps.filter((step) => step['Actual Loops'] > 0)
  const index = along ?? by
  if (index) expect(taken.flatMap((step) => step['Index Name'] ?? [])).toContain(index)
  const sorts = taken.filter((step) => step['Node Type'].includes('Sort') && rowsOf(step) > 0)
  if (along) expect(sorts).toEqual([])
}

// Lists by all ways that find.ts takes. The bounds of its steps are a tenth of the usual ones:
// the table is far larger than all of them.

export const lowBounds = { smallSet: 200, windowRows: 200, costlyWindowRows: 60, mediumSet: 5000 }

export const listPages: [name: string, seek: PagePosition][] = [
  ['the first page', first],
  ['one in the middle', { after: { key: 1_703_000_000, id: 500_001 }, offset: 0, limit: 51 }],
  ['the second, that nobody led to', { ...first, offset: 51 }],
]

/** Whether the text of a page comes for the first time, or is prepared for all values. */
export const pagesRead = ['first', 'prepared'] as const

/** What PostgreSQL knows of the tables. */
export type State = 'analyzed' | (typeof unknown)[number]

/** Without statistics, a plan for the values at hand is the one for all values. */
export const pagesIn = (state: State) => (state === 'analyzed' ? pagesRead : pagesRead.slice(1))

/** Rows of tables and indexes that a way may look at. */
export function most(
  way: TakenWay,
  query: LeadQuery,
  actor: Actor,
  seek: PagePosition,
  state: State,
): number {
  const { custom_fields_values: fields = {}, ...filter } = query.filter ?? {}
  const conditions =
    listRequestOf(of.leads, actor, { ...query, filter }, noFields).conditions.length +
    Object.keys(fields).length
  const usual = mostOf(way, conditions, actor, seek)
  // A span with two ends is read whole where PostgreSQL does not know that it has many rows.
  return state === 'analyzed' ? usual : Math.max(usual, bounds.smallSet)
}

export function mostOf(
  way: TakenWay,
  conditions: number,
  actor: Actor,
  { offset, limit }: PagePosition,
): number {
  const { smallSet, windowRows, mediumSet } = lowBounds
  // Rows with a link and a linked record each, rows that do not pass the right beside, and the
  // versions of the fields and of the tags.
  const direct = 4 * (offset + limit) + 2
  // A row that is looked up has an id, itself, a text and links with theirs.
  const looked = (rows: number) => conditions * (rows + 1) + 4 * (rows + limit)
  switch (way) {
    case 'direct':
      return actor.rights.status_rights ? 20 * direct : direct
    case 'lookUp':
      return direct + looked(smallSet)
    case 'window':
      return direct + looked(smallSet) + 5 * windowRows
    default:
      return direct + looked(smallSet) + 5 * windowRows + looked(mediumSet)
  }
}

export async function planOf(
  query: LeadQuery,
  actor: Actor,
  seek: PagePosition,
  matching: (typeof pagesRead)[number],
): Promise<{ way: TakenWay; steps: Plan[] }> {
  const { reader, steps } = plans.watched(matching)
  await within(lowBounds, () => findRecords(reader, actor, base, of.leads, query, seek))
  return { way: ways.last(), steps }
}

export const rowsOf = (step: Plan) => Math.round(step['Actual Rows'] * step['Actual Loops'])
