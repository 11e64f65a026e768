// The cost of loss reasons and sources on a page of leads, and how the verbs find them: proved by
// the plans that PostgreSQL makes and runs.
import { randomUUID } from 'node:crypto'
import sql, { raw } from 'sql-template-tag'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { admin, plansOn, read } from '../../../test/plans.ts'
import type { Plans } from '../../../test/plans.ts'
import { scratchDatabase } from '../../../test/scratch.ts'
import type { Scratch } from '../../../test/scratch.ts'
import type { RecordDescription } from '../../records/description.ts'
import { noFields } from '../../records/fields/definitions.ts'
import { listRequestOf } from '../../records/lists/find.ts'
import { recordList } from '../../records/lists/pages.ts'
import { oneRecord } from '../../records/lists/select.ts'
import { keepLossReasons, lossReasonList } from '../loss-reasons/queries.ts'
import { lockSources, sourceList, sourcesOf } from '../sources/queries.ts'
import { leads } from './leads.ts'

let scratch: Scratch
let { explain, judge } = {} as Plans
const clientId = randomUUID()

// Two accounts with 500 reasons, and 20 integrations with 100 sources each. Leads up to 10,000 are
// open, the others lost.
beforeAll(async () => {
  scratch = await scratchDatabase()
  const { database } = scratch
  await database.transaction(async (tx) => {
    await tx.list(sql`
      insert into accounts (id, subdomain, name, created_at, updated_at)
      values (1, 'large', 'Large', 0, 0), (2, 'other', 'Other', 0, 0)`)
    await tx.list(sql`
      insert into integrations (account_id, client_id, name, redirect_uri, secret, scopes, created_by, created_at, updated_at)
      select 1, case n when 1 then ${clientId}::uuid else gen_random_uuid() end, 'One', '', '', '{}', 1, 0, 0
        from generate_series(1, 20) n`)
    await tx.list(sql`
      insert into sources (account_id, client_id, name, external_id, pipeline_id)
      select account_id, client_id, 'Source ' || n, 'place ' || n, 1 from integrations, generate_series(1, 100) n`)
    await tx.list(sql`
      insert into sources (account_id, name, external_id, pipeline_id)
      select account, 'Source ' || n, 'place ' || n, 1 from generate_series(1, 2) account, generate_series(1, 100) n`)
    await tx.list(sql`
      insert into loss_reasons (account_id, name, sort, created_at, updated_at)
      select account, 'Reason ' || n, n, 0, 0 from generate_series(1, 2) account, generate_series(1, 500) n`)
    await tx.list(sql`
      insert into leads (account_id, id, name, price, responsible_user_id, group_id, pipeline_id, status_id, created_by, updated_by,
                         created_at, updated_at, loss_reason_id, source_id)
      select 1, n, 'Lead ' || n, 1, 1, 0, 1, case when n <= 10000 then 50 else 143 end, 1, 1, 0, 0,
             case when n > 10000 then 1001 + n % 500 end, case when n > 10000 then 1001 + n % 2000 end
        from generate_series(1, 20000) n`)
  })
  for (const table of ['leads', 'loss_reasons', 'sources'])
    await database.list(sql`vacuum analyze ${raw(table)}`)
  ;({ explain, judge } = await plansOn(database))
})
afterAll(() => scratch.drop())

const base = 'http://kontor'
const kind = leads as unknown as RecordDescription
const page = (id: number, names?: string) =>
  recordList(kind, admin, base, listRequestOf(kind, admin, { with: names }, noFields), {
    after: { key: id, id },
    offset: 0,
    limit: 51,
  })

test('a page looks up the reasons and sources of its own leads by their keys, and of open leads none', async () => {
  for (const [statement, reasons, sources] of [
    [page(1000), 0, 0],
    [page(11_000), 51, 0],
    [page(11_000, 'loss_reason'), 102, 0],
    [page(11_000, 'loss_reason,source'), 102, 51],
    [oneRecord(kind, admin, base, 11_000, new Set(['loss_reason', 'source'])), 2, 1],
  ] as const) {
    const steps = await explain(statement)
    judge(steps, 0)
    expect([read(steps, /loss_reasons/), read(steps, /sources/)]).toEqual([reasons, sources])
  }
})

test('verbs find reasons and sources by their keys, and lists what belongs to the caller', async () => {
  for (const [statement, most] of [
    [keepLossReasons(admin, [1001, 1002]), 2],
    [lossReasonList(admin, base, [1001]), 1],
    [sourcesOf({ ...admin, clientId }, ['place 7', 'place 9']), 2],
    [sourcesOf(admin, ['place 7']), 1],
    [sourceList({ ...admin, clientId }, base, { ids: [1001] }), 1],
    [sourceList({ ...admin, clientId }, base), 100],
    [sourceList(admin, base, { names: ['place 7'] }), 1],
    [lockSources({ ...admin, clientId }), 100],
    [lockSources(admin), 100],
  ] as const) {
    const steps = await explain(statement)
    judge(steps, 100)
    expect(read(steps, /loss_reasons/, /sources/)).toBeLessThanOrEqual(most)
  }
})
