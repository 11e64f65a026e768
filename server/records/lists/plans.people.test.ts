// The plans for contacts and companies, for the bin of every entity type, for the links of a page
// and for the purge, on an account of 100,000 contacts and as many companies beside a smaller one.
import sql, { raw } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { admin, all, between, first, plansOn, read } from '../../../test/plans.ts'
import type { Plan, Plans } from '../../../test/plans.ts'
import { kinds } from '../../../test/records.ts'
import { scratchDatabase } from '../../../test/scratch.ts'
import type { Scratch } from '../../../test/scratch.ts'
import { companies } from '../../features/companies/companies.ts'
import { contacts } from '../../features/contacts/contacts.ts'
import { leads } from '../../features/leads/leads.ts'
import type { Actor } from '../../access/actor.ts'
import type { RightLevel } from '../../access/rights.ts'
import type { PagePosition } from '../../http/paging.ts'
import { embed } from './embed.ts'
import type { BareRecord } from './embed.ts'
import type { RecordDescription, RecordType } from '../description.ts'
import { purgeOldest } from '../purge.ts'
import { noFields } from '../fields/definitions.ts'
import { listRequestOf } from './find.ts'
import { recordList } from './pages.ts'
import { oneRecord } from './select.ts'
import { lockRows } from '../writing/statements.ts'
import type { RecordQuery } from '../schema.ts'

const of = { leads, contacts, companies } as unknown as Record<RecordType, RecordDescription>
let scratch: Scratch
let { count, explain, explainNamed, judge } = {} as Plans

// One record in fifty lies in the bin; rare values are at the end of the table. Contacts, companies
// and leads of the same number are linked.
beforeAll(async () => {
  scratch = await scratchDatabase()
  const { database } = scratch
  const columns = sql`account_id, id, name, responsible_user_id, group_id, created_by, updated_by, created_at, updated_at, is_deleted`
  const person = raw('case when n > 99960 then 99 else n % 20 + 1 end')
  const values = sql`
    account, n * 10 + account, 'Name ' || n % 50000, ${person}, case when n > 99960 then 9 else n % 5 end, ${person}, ${person},
    1700000000 + n * 60, 1700000000 + n * 7919::bigint % 100000 * 60, n % 50 = 0
      from generate_series(1, 2) account, generate_series(1, 100000) n where account = 1 or n <= 20000`
  const own = { leads: sql`, 5, 1, 1`, contacts: sql`, '', ''`, companies: sql`` }
  const ownColumns = {
    leads: sql`, price, pipeline_id, status_id`,
    contacts: sql`, first_name, last_name`,
    companies: sql``,
  }
  await database.transaction(async (tx) => {
    for (const kind of ['leads', ...kinds] as const)
      await tx.list(sql`
        insert into ${raw(kind)} (${columns}${ownColumns[kind]})
        select each.*${own[kind]} from (select ${values}) each`)
    await tx.list(sql`
      insert into links (account_id, from_type, from_id, to_type, to_id)
      select account, one, n * 10 + account, other, n * 10 + account
        from generate_series(1, 2) account, generate_series(1, 50000) n,
             unnest(array['leads', 'contacts', 'companies']) one, unnest(array['leads', 'contacts', 'companies']) other
       where one <> other and (account = 1 or n <= 5000)`)
  })
  for (const table of ['leads', 'contacts', 'companies', 'links'])
    await database.list(sql`vacuum analyze ${raw(table)}`)
  ;({ count, explain, explainNamed, judge } = await plansOn(database))
})
afterAll(() => scratch.drop())

const base = 'http://kontor'
const middle: PagePosition = { after: { key: 1_703_000_000, id: 500_001 }, offset: 0, limit: 51 }
const seeing = (kind: RecordType, view: RightLevel): Actor => ({
  ...admin,
  isAdmin: false,
  rights: { ...admin.rights, [kind]: { ...admin.rights[kind], view } },
})

describe.for(kinds)('%s', (kind) => {
  const list = (actor: Actor, query: RecordQuery, seek = first) =>
    recordList(of[kind], actor, base, listRequestOf(of[kind], actor, query, noFields), seek)
  const table = new RegExp(`^${kind}$`)

  test.for<[string, RecordQuery['filter']]>([
    ['nothing', {}],
    ['several ids', { id: [11, 500_011, 21] }],
    ['name', { name: ['name 5'] }],
    ['several names', { name: ['NAME 5', 'name 77', 'nobody'] }],
    ['a responsible user of few', { responsible_user_id: [99] }],
    ['a responsible user of many', { responsible_user_id: [5] }],
    ['several authors', { created_by: [98, 99] }],
    ['a last author of few', { updated_by: [99] }],
    ['late creation', { created_at: { from: 1_705_990_000 } }],
    ['late change', { updated_at: 1_705_990_000 }],
    ['two filters', { responsible_user_id: [99], updated_at: { from: 1_703_000_000 } }],
    ['what nobody has', { created_by: [98] }],
  ])('are found by %s', async ([, filter]) => {
    const matching = await count(list(admin, { filter }, all))
    const steps = await explain(list(admin, { filter }))
    judge(steps, matching)
    expect(read(steps, table)).toBeLessThanOrEqual(matching + between)
  })

  test.for<[string, RecordQuery['order']]>([
    ['no wish', undefined],
    ['id downwards', { id: 'desc' }],
    ['creation upwards', { created_at: 'asc' }],
    ['creation downwards', { created_at: 'desc' }],
    ['change upwards', { updated_at: 'asc' }],
    ['change downwards', { updated_at: 'desc' }],
  ])(
    'in the order of %s the first page and one in the middle read just their rows',
    async ([, order]) => {
      for (const seek of [first, middle]) {
        const steps = await explain(list(admin, { order }, seek))
        judge(steps, 0)
        expect(read(steps, table)).toBeLessThanOrEqual(51 * 1.1)
      }
    },
  )

  test.for(['G', 'M', 'D'] as const)(
    'are found that the right %s shows, in every order',
    async (view) => {
      const matching = await count(list(seeing(kind, view), {}, all))
      for (const order of [
        undefined,
        { id: 'desc' },
        { created_at: 'desc' },
        { updated_at: 'asc' },
      ] as const) {
        const steps = await explain(list(seeing(kind, view), { order }))
        judge(steps, matching)
        expect(read(steps, table)).toBeLessThanOrEqual(matching * 1.1)
      }
    },
  )

  test('are read and locked by their key', async () => {
    for (const statement of [
      oneRecord(of[kind], seeing(kind, 'M'), base, 500_011),
      lockRows(of[kind], admin, [11, 21], 'edit'),
    ]) {
      const steps = await explain(statement)
      judge(steps, 2)
      expect(read(steps, table)).toBeLessThanOrEqual(2)
    }
  })
})

describe.for(['leads', ...kinds] as const)('the bin of %s', (kind) => {
  const bin = (actor: Actor, query: RecordQuery, seek = first) =>
    recordList(
      of[kind],
      actor,
      base,
      listRequestOf(of[kind], actor, { ...query, with: 'only_deleted' }, noFields),
      seek,
    )

  test.for<[string, RecordQuery]>([
    ['nothing', {}],
    ['id', { filter: { id: [500_001, 1_000_001] } }],
    ['name', { filter: { name: ['name 50'] } }],
    ['the time of deletion', { order: { updated_at: 'desc' } }],
    ['creation', { order: { created_at: 'asc' } }],
  ])('is found by %s', async ([, query]) => {
    const matching = await count(bin(admin, query, all))
    for (const seek of [first, middle]) {
      const steps = await explain(bin(admin, query, seek))
      judge(steps, matching)
      expect(read(steps, /^leads|contacts|companies$/)).toBeLessThanOrEqual(matching)
    }
  })

  test('is a walk along its index', async () => {
    const steps = await explain(bin(admin, {}, middle))
    judge(steps, 0)
    expect(read(steps, /^leads|contacts|companies$/)).toBe(51)
    judge(await explain(bin(seeing(kind, 'M'), {})), await count(bin(seeing(kind, 'M'), {}, all)))
  })
})

test.for(['leads', ...kinds] as const)(
  'the links of a page of %s are one look-up by their keys, also as a named statement',
  async (kind) => {
    const taken: Plan[][] = []
    const named: Plan[][] = []
    const rows = async <Row extends object>(statement: Sql): Promise<Row[]> => {
      taken.push(await explain(statement))
      named.push(await explainNamed(statement))
      return scratch.database.list<Row>(statement)
    }
    const lines = await scratch.database.list<BareRecord>(
      recordList(of[kind], admin, base, listRequestOf(of[kind], admin, {}, noFields), {
        ...first,
        limit: 250,
      }),
    )
    const whole = await embed(
      { ...scratch.database, rows },
      admin,
      base,
      of[kind],
      new Set(['leads', 'contacts']),
      lines,
    )
    expect(whole[0]!.json).toContain('"_embedded":{"tags":[],')
    expect(whole[0]!.json.match(/"_links":\{"self"/g)).toHaveLength(3)
    expect(taken).toHaveLength(1)
    judge(taken[0]!, 500)
    expect(read(taken[0]!, /links/)).toBeLessThanOrEqual(2 * 250)
    expect(read(taken[0]!, /^leads|contacts|companies$/)).toBeLessThanOrEqual(2 * 250)
    expect(named[0]!.map((step) => step['Node Type'])).not.toContain('Seq Scan')
  },
)

test.for(kinds)('the purge of %s reads a chunk of the bin and what hangs on it', async (kind) => {
  const steps = await explain(purgeOldest(1, kind, 1_700_000_000 + 100_000 * 60, 500))
  expect(
    steps.filter((step) => step['Node Type'] === 'Seq Scan' && step['Relation Name'] !== 'notes'),
  ).toEqual([])
  expect(read(steps, new RegExp(`^${kind}$`))).toBeLessThanOrEqual(2 * 500)
  expect(read(steps, /links/)).toBeLessThanOrEqual(2 * 2 * 500)
})
