// A deletion finds leads by the indexes of statuses, however many leads the account has and however
// old its statistics are.
import sql from 'sql-template-tag'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { admin, plansOn, read } from '../../../../test/plans.ts'
import type { Plans } from '../../../../test/plans.ts'
import { scratchDatabase } from '../../../../test/scratch.ts'
import type { Scratch } from '../../../../test/scratch.ts'
import { countLeads, lockLeads, someLeads } from './queries.ts'

let scratch: Scratch
let { explain, explainNamed, judge } = {} as Plans

const fewest = { pipeline_id: 2, status_id: 60 }
const emptied = { pipeline_id: 1, status_id: 50 }

// Two accounts. In the larger one, two thirds of the leads are in one status, a few in another
// pipeline, and one in a hundred in the bin.
beforeAll(async () => {
  scratch = await scratchDatabase()
  const { database } = scratch
  await database.list(sql`
    insert into leads (account_id, id, name, price, responsible_user_id, group_id, pipeline_id, status_id, created_by, updated_by,
                       created_at, updated_at, is_deleted)
    select account, n * 10 + account, 'Lead ' || n, 0, 1, 0, case when n > 59900 then 2 else 1 end,
           case when n > 59900 then 60 when n % 3 = 0 then 51 else 50 end, 1, 1, 0, 0, n % 100 = 7
      from generate_series(1, 2) account, generate_series(1, 60000) n
     where account = 1 or n <= 10000`)
  await database.list(sql`vacuum analyze leads`)
  ;({ explain, explainNamed, judge } = await plansOn(database))
})
afterAll(() => scratch.drop())

const statements = {
  'the leads of a status': (gone = fewest) => lockLeads(admin, gone, 0, 1000),
  'the next leads of a status': (gone = fewest) => lockLeads(admin, gone, 300_000, 1000),
  'the leads of a pipeline': (gone = fewest) =>
    lockLeads(admin, { pipeline_id: gone.pipeline_id }, 0, 1000),
  'whether any is left': (gone = fewest) => someLeads(admin, gone),
  'how many are in a pipeline': (gone = fewest) => countLeads(admin, gone.pipeline_id, 1001),
}

test.for(Object.entries(statements))('%s', async ([, statement]) => {
  for (const gone of [fewest, emptied]) {
    const steps = await explain(statement(gone))
    judge(steps, 2000)
    expect(read(steps, /leads/)).toBeLessThanOrEqual(4004)
  }
  const named = await explainNamed(statement())
  const indexes = new Set(named.flatMap((step) => step['Index Name'] ?? []))
  expect(
    [...indexes]
      .toSorted((one, other) => one.localeCompare(other))
      .filter((name) => name !== 'leads_pkey'),
  ).toEqual(
    statement === statements['how many are in a pipeline']
      ? ['leads_by_status']
      : ['leads_by_status', 'leads_in_bin_by_status'],
  )
})

test('a status that was emptied a moment ago is not looked for all over the account', async () => {
  await scratch.database.list(
    sql`update leads set status_id = 51 where account_id = 1 and status_id = 50`,
  )
  for (const [name, statement] of Object.entries(statements).filter(
    ([name]) => !name.includes('pipeline'),
  )) {
    const steps = await explain(statement(emptied))
    expect([name, read(steps, /leads/)]).toEqual([name, 0])
    judge(steps, 0)
  }
})
