// The cost of many links: a company with 100,000 leads, and a page of 249 more with 600 each.
import sql, { raw } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { admin, plansOn, read } from '../../../test/plans.ts'
import type { Plan, Plans } from '../../../test/plans.ts'
import { scratchDatabase } from '../../../test/scratch.ts'
import type { Scratch } from '../../../test/scratch.ts'
import { companies } from '../companies/companies.ts'
import { contacts } from '../contacts/contacts.ts'
import type { Actor } from '../../access/actor.ts'
import type { RightLevel } from '../../access/rights.ts'
import type { PagePosition } from '../../http/paging.ts'
import { embed } from '../../records/lists/embed.ts'
import type { BareRecord } from '../../records/lists/embed.ts'
import type { RecordDescription } from '../../records/description.ts'
import { oneRecord } from '../../records/lists/select.ts'
import { recordList } from '../../records/lists/pages.ts'
import { noFields } from '../../records/fields/definitions.ts'
import { listRequestOf } from '../../records/lists/find.ts'
import { linkList, mainEntity } from './link-list.ts'
import type { LinkQuery } from './link-list.ts'
import type { Link } from './plan.ts'
import {
  flagLinks,
  insertLinks,
  linksOfHolders,
  lockByIds,
  removeLinks,
  touchRecords,
} from './queries.ts'

let scratch: Scratch
let { explain, explainNamed, judge } = {} as Plans

beforeAll(async () => {
  scratch = await scratchDatabase()
  const { database } = scratch
  const columns = sql`account_id, id, name, responsible_user_id, group_id, created_by, updated_by, created_at, updated_at, is_deleted`
  const own = { leads: sql`, 5, 1, 1`, contacts: sql`, '', ''`, companies: sql`` }
  const ownColumns = {
    leads: sql`, price, pipeline_id, status_id`,
    contacts: sql`, first_name, last_name`,
    companies: sql``,
  }
  await database.transaction(async (tx) => {
    for (const [kind, count] of [
      ['leads', 100_000],
      ['contacts', 100_000],
      ['companies', 1000],
    ] as const)
      await tx.list(sql`
        insert into ${raw(kind)} (${columns}${ownColumns[kind]})
        select 1, n, 'Name', case when n > 99960 then 99 else n % 20 + 1 end, n % 5, 1, 1, 0, 0, n % 50 = 0 ${own[kind]}
          from generate_series(1, ${count}::int) n`)
    // The leads of company 1, of each of 2 to 250, and contacts of leads: 1 to 4 of each, the first
    // the main one.
    await tx.list(sql`
      insert into links (account_id, from_type, from_id, to_type, to_id, is_main)
      select 1, either.*
        from (select 'companies' as one, 1 as one_id, 'leads' as other, n as other_id, false as is_main from generate_series(1, 100000) n
              union all
              select 'companies', company, 'leads', company * 300 + n, false
                from generate_series(2, 250) company, generate_series(1, 600) n
              union all
              select 'leads', lead, 'contacts', (lead * 7 + n) % 100000 + 1, n = 1
                from generate_series(1, 100000) lead, generate_series(1, 4) n where n <= lead % 4 + 1) link,
             lateral (values (one, one_id, other, other_id, is_main), (other, other_id, one, one_id, is_main)) either
      on conflict do nothing`)
  })
  for (const table of ['leads', 'contacts', 'companies', 'links'])
    await database.list(sql`vacuum analyze ${raw(table)}`)
  ;({ explain, explainNamed, judge } = await plansOn(database))
}, 120_000)
afterAll(() => scratch.drop())

const base = 'http://kontor'
const page: PagePosition = { after: undefined, offset: 0, limit: 251 }
const seeing = (view: RightLevel): Actor => ({
  ...admin,
  isAdmin: false,
  rights: { ...admin.rights, leads: { ...admin.rights.leads, view } },
})
const large = { type: 'companies', ids: [1] } as const
const many = {
  type: 'companies',
  ids: Array.from({ length: 250 }, (_, place) => place + 1),
} as const
const records = /^leads|contacts|companies$/

test.for<[string, LinkQuery, PagePosition]>([
  ['the first page of a company with 100,000 leads', { ...large, ids: [1] }, page],
  ['a page in the middle', { ...large, ids: [1] }, { ...page, after: { key: '1c', id: 50_000 } }],
  ['its last page', { ...large, ids: [1] }, { ...page, after: { key: '1c', id: 99_900 } }],
  [
    'what stands behind another kind',
    { ...large, ids: [1] },
    { ...page, after: { key: '1a', id: 50_000 } },
  ],
  ['one of its links', { ...large, ids: [1], to: { type: 'leads', ids: [77_777] } }, page],
])('%s reads its own rows and no others', async ([, query, seek]) => {
  const steps = await explain(linkList(admin, query, seek))
  judge(steps, 251)
  // One link in fifty is with a lead in the bin.
  expect(read(steps, /links/)).toBeLessThanOrEqual(251 * 1.1)
  expect(read(steps, records)).toBeLessThanOrEqual(251 * 1.1 + 1)
})

test('the few links that a limited user may see among 100,000 are found by the records that he sees', async () => {
  const steps = await explain(linkList(seeing('M'), { ...large, ids: [1] }, page))
  judge(steps, 251)
  expect(read(steps, /links/, records)).toBeLessThanOrEqual(200)
})

test.for<[string, PagePosition]>([
  ['the first page', page],
  ['a page in the middle', { ...page, after: { key: '100c', id: 30_100 } }],
])('%s of the links of 250 companies stops where the page ends', async ([, seek]) => {
  const steps = await explain(linkList(admin, { ...many, ids: [...many.ids] }, seek))
  expect(steps.map((step) => step['Node Type'])).not.toContain('Seq Scan')
  expect(read(steps, /links/)).toBeLessThanOrEqual(2 * 251 * 1.1)
})

test('a page of 250 companies embeds the first 500 leads of each and reads no more of them, also as a named statement', async () => {
  const kind = companies as unknown as RecordDescription
  const taken: Plan[][] = []
  const named: Plan[][] = []
  const rows = async <Row extends object>(statement: Sql): Promise<Row[]> => {
    taken.push(await explain(statement))
    named.push(await explainNamed(statement))
    return scratch.database.list<Row>(statement)
  }
  const reader = { ...scratch.database, rows }
  const leadsOf = ({ json }: { json: string }) => json.match(/\/leads\/\d+"/g)?.length ?? 0
  const lines = await scratch.database.list<BareRecord>(
    recordList(kind, admin, base, listRequestOf(kind, admin, {}, noFields), {
      ...page,
      limit: 250,
    }),
  )
  const whole = await embed(reader, admin, base, kind, new Set(['leads']), lines)
  // One lead in fifty is in the bin.
  expect(leadsOf(whole[0]!)).toBe(490)
  expect(leadsOf(whole[1]!)).toBe(490)
  const one = await scratch.database.list<BareRecord>(oneRecord(kind, admin, base, 1))
  expect(leadsOf((await embed(reader, admin, base, kind, new Set(['leads']), one))[0]!)).toBe(490)
  expect(taken).toHaveLength(2)
  for (const [place, most] of [250 * 500, 500].entries()) {
    expect(read(taken[place]!, /links/)).toBeLessThanOrEqual(most)
    for (const steps of [taken[place]!, named[place]!]) {
      const scan = steps.find((step) => step['Relation Name'] === 'links')!
      expect([scan['Index Name'], scan['Index Cond']]).toEqual([
        'links_pkey',
        expect.stringContaining('from_id = '),
      ])
    }
  }
})

test('contacts and their main ones are embedded by one look-up, too', async () => {
  const kind = contacts as unknown as RecordDescription
  const lines = await scratch.database.list<BareRecord>(
    recordList(kind, admin, base, listRequestOf(kind, admin, {}, noFields), {
      ...page,
      limit: 250,
    }),
  )
  const rows = async <Row extends object>(statement: Sql): Promise<Row[]> => {
    const steps = await explain(statement)
    expect(read(steps, /links/)).toBeLessThanOrEqual(250 * 5)
    return scratch.database.list<Row>(statement)
  }
  await embed({ ...scratch.database, rows }, admin, base, kind, new Set(['leads']), lines)
})

test('verbs read the links of the holders, and write links by their keys', async () => {
  const ids = Array.from({ length: 250 }, (_, place) => place * 400 + 1)
  const lists = ids.flatMap((id) => [
    { id, held: 'contacts' as const },
    { id, held: 'companies' as const },
  ])
  const links = ids.map((id): Link => ({
    holder: { type: 'leads', id },
    held: { type: 'contacts', id },
    is_main: true,
  }))
  const touched = ids.map((id) => ({ id, by: 1 }))
  const held = await explain(linksOfHolders(admin, 'leads', lists))
  judge(held, 250 * 10)
  expect(read(held, /links/)).toBeLessThanOrEqual(250 * 10)
  judge(await explain(lockByIds(seeing('M'), 'leads', ids)), 250)
  judge(await explain(mainEntity(seeing('M'), 'companies', 1)), 1)
  for (const statement of [
    linksOfHolders(admin, 'leads', lists),
    insertLinks(admin, links),
    removeLinks(admin, links),
    flagLinks(admin, links),
    lockByIds(seeing('M'), 'leads', ids),
    touchRecords(admin, 'leads', touched),
  ]) {
    const steps = await explainNamed(statement)
    expect(steps.map((step) => step['Node Type'])).not.toContain('Seq Scan')
  }
})
