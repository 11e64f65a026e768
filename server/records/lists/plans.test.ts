// Every list finds its rows with an index that begins with the account, for every filter and order.
// Proved by the plans that PostgreSQL makes for the statements of the lists, on an account of
// 100,000 leads beside a smaller one.
import sql, { raw } from 'sql-template-tag'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { scratchDatabase } from '../../../test/scratch.ts'
import type { Scratch } from '../../../test/scratch.ts'
import { admin, all, between, first, plansOn, read } from '../../../test/plans.ts'
import type { Plans } from '../../../test/plans.ts'
import { ensureEventPartitions } from '../../changes/partitions.ts'
import { eventList, oneEvent } from '../../features/events/queries.ts'
import { leads } from '../../features/leads/leads.ts'
import type { LeadFilter } from '../../features/leads/schema.ts'
import { tagList } from '../../features/tags/queries.ts'
import type { RecordDescription } from '../description.ts'
import { noFields } from '../fields/definitions.ts'
import { listRequestOf } from './find.ts'
import { recordList } from './pages.ts'
import { oneRecord } from './select.ts'
import { lockRows } from '../writing/statements.ts'
import { tagsNamed, tagsWithIds } from '../tags.ts'
import type { RecordQuery } from '../schema.ts'
import type { TagQuery } from '../../features/tags/routes.ts'
import { fullRights } from '../../access/rights.ts'
import type { Actor } from '../../access/actor.ts'
import type { PagePosition } from '../../http/paging.ts'

let scratch: Scratch
let { count, explain, judge } = {} as Plans

// Rare values are at the end of the table, where a scan in the order of ids finds them last.
beforeAll(async () => {
  scratch = await scratchDatabase()
  const { database } = scratch
  await ensureEventPartitions(database, new Date())
  await database.transaction(async (tx) => {
    await tx.list(sql`
      insert into accounts (id, subdomain, name, created_at, updated_at)
      values (1, 'large', 'Large', 0, 0), (2, 'other', 'Other', 0, 0)`)
    await tx.list(sql`
      insert into tags (account_id, id, entity_type, name)
      select account, n + 100000 * account, (array['leads', 'contacts', 'companies', 'customers'])[n % 4 + 1], 'Tag ' || n
        from generate_series(1, 2) account, generate_series(1, 10000) n`)
    await tx.list(sql`
      insert into leads (account_id, id, name, price, responsible_user_id, group_id, pipeline_id, status_id, created_by, updated_by,
                         created_at, updated_at, closed_at, tag_ids)
      select account, n * 10 + account, 'Lead ' || n % 50000, n % 10000,
             case when n > 99960 then 99 else n % 20 + 1 end, case when n > 99960 then 9 else n % 5 end,
             case when n > 99900 then 3 when n % 10 = 0 then 2 else 1 end,
             case when n > 99970 then 55 when n % 5 = 0 then 142 when n % 5 = 1 then 143 else 50 + n % 4 end,
             case when n > 99960 then 99 else n % 20 + 1 end, case when n > 99960 then 99 else n % 20 + 1 end,
             1700000000 + n * 60, 1700000000 + n * 7919::bigint % 100000 * 60,
             case when n % 5 < 2 then 1700000000 + n * 60 end, array[100000 + n % 1000 * 4]
        from generate_series(1, 2) account, generate_series(1, 100000) n
       where account = 1 or n <= 20000`)
    await tx.list(sql`
      insert into events (account_id, id, type, entity_type, entity_id, created_by, created_at, value_before, value_after)
      select account, ulid_time((extract(epoch from now()) * 1000)::bigint + n) || lpad(to_hex(n), 16, '0'), 'lead_added', 'lead',
             n * 10 + account, 1, 1700000000, '[]', '[]'
        from generate_series(1, 2) account, generate_series(1, 100000) n
       where account = 1 or n <= 20000`)
  })
  for (const table of ['leads', 'tags', 'events'])
    await database.list(sql`vacuum analyze ${raw(table)}`)
  ;({ count, explain, judge } = await plansOn(database))
})
afterAll(() => scratch.drop())

const seeing = (view: 'G' | 'M' | 'D', who: Partial<Actor> = {}): Actor => ({
  ...admin,
  isAdmin: false,
  rights: { ...fullRights, leads: { ...fullRights.leads, view } },
  ...who,
})
const base = 'http://kontor'
const kind = leads as unknown as RecordDescription
type LeadQuery = RecordQuery & { filter?: LeadFilter }
const leadList = (actor: Actor, base: string, query: LeadQuery, seek: PagePosition) =>
  recordList(kind, actor, base, listRequestOf(kind, actor, query, noFields), seek)
const rareStage = { pipeline_id: 3, status_id: 55 }

test.for<[string, LeadQuery['filter']]>([
  ['nothing', {}],
  ['id', { id: [500_001] }],
  ['several ids', { id: [11, 500_001, 12] }],
  ['name', { name: ['lead 5'] }],
  ['several names', { name: ['LEAD 5', 'lead 77', 'nobody'] }],
  ['price', { price: 500 }],
  ['a range of prices', { price: { from: 500, to: 510 } }],
  ['a wide range of prices', { price: { from: 500 } }],
  ['a rare status', { statuses: [rareStage] }],
  ['several statuses', { statuses: [rareStage, { pipeline_id: 3, status_id: 143 }] }],
  ['statuses of several pipelines', { statuses: [rareStage, { pipeline_id: 2, status_id: 999 }] }],
  ['a common status', { statuses: [{ pipeline_id: 1, status_id: 142 }] }],
  ['a rare pipeline', { pipeline_id: [3] }],
  ['a common pipeline', { pipeline_id: [1] }],
  ['several pipelines', { pipeline_id: [3, 2] }],
  ['a responsible user of few', { responsible_user_id: [99] }],
  ['a responsible user of many', { responsible_user_id: [5] }],
  ['several responsible users', { responsible_user_id: [5, 99] }],
  ['an author of few', { created_by: [99] }],
  ['several authors', { created_by: [98, 99] }],
  ['a last author of few', { updated_by: [99] }],
  ['several last authors', { updated_by: [98, 99] }],
  ['late creation', { created_at: { from: 1_705_990_000 } }],
  ['late change', { updated_at: 1_705_990_000 }],
  ['late closing', { closed_at: { from: 1_705_990_000 } }],
  ['two filters', { responsible_user_id: [99], price: { from: 9000 } }],
  ['what nobody has', { responsible_user_id: [98] }],
])('leads are found by %s', async ([, filter]) => {
  const matching = await count(leadList(admin, base, { filter }, all))
  const steps = await explain(leadList(admin, base, { filter }, first))
  judge(steps, matching)
  expect(read(steps, /leads/)).toBeLessThanOrEqual(matching + between)
})

const day = { from: 1_703_000_000, to: 1_703_086_400 }

test.for<[string, LeadQuery]>([
  ['a day of creation', { filter: { created_at: day }, order: { created_at: 'asc' } }],
  [
    'the later half by creation',
    { filter: { created_at: day.from }, order: { created_at: 'desc' } },
  ],
  ['a day of change', { filter: { updated_at: day }, order: { updated_at: 'asc' } }],
  [
    'the later half by change',
    { filter: { updated_at: { from: day.from } }, order: { updated_at: 'desc' } },
  ],
])(
  '%s is read along its index where the order is the same, a page at a time',
  async ([, query]) => {
    const steps = await explain(leadList(admin, base, query, first))
    judge(steps, 0)
    expect(read(steps, /leads/)).toBe(51)
  },
)

// PostgreSQL assumes that matching rows are spread evenly over the ids. The leads of a span of time
// lie together, so that the first page of a long span may read all older leads; later pages seek
// from its end.
test.for<[string, LeadQuery['filter']]>([
  ['a day of creation', { created_at: day }],
  ['the later half by creation', { created_at: day.from }],
  ['a day of change', { updated_at: day }],
  ['a day of closing', { closed_at: day }],
])('%s in the order of ids is found by an index, too', async ([, filter]) => {
  const matching = await count(leadList(admin, base, { filter }, all))
  judge(await explain(leadList(admin, base, { filter }, first)), matching)
})

test.for(['G', 'M', 'D'] as const)(
  'leads are found that the right %s shows, in every order',
  async (view) => {
    const matching = await count(leadList(seeing(view), base, {}, all))
    for (const order of [
      undefined,
      { id: 'desc' },
      { created_at: 'desc' },
      { updated_at: 'asc' },
    ] as const) {
      const steps = await explain(leadList(seeing(view), base, { order }, first))
      judge(steps, matching)
      expect(read(steps, /leads/)).toBeLessThanOrEqual(matching)
    }
  },
)

const middle = { after: { key: 1_703_000_000, id: 500_001 }, offset: 0, limit: 51 }

test.for<[string, NonNullable<LeadQuery['order']>]>([
  ['id upwards', { id: 'asc' }],
  ['id downwards', { id: 'desc' }],
  ['creation upwards', { created_at: 'asc' }],
  ['creation downwards', { created_at: 'desc' }],
  ['change upwards', { updated_at: 'asc' }],
  ['change downwards', { updated_at: 'desc' }],
])(
  'in the order of %s the first page and one in the middle read just their rows',
  async ([, order]) => {
    for (const seek of [first, middle]) {
      const steps = await explain(leadList(admin, base, { order }, seek))
      judge(steps, 0)
      expect(read(steps, /leads/)).toBe(51)
    }
  },
)

test('a page that nobody led to is a walk along the index, and only its own rows are shown', async () => {
  const steps = await explain(
    leadList(admin, base, {}, { after: undefined, offset: 90_000, limit: 51 }),
  )
  judge(steps, 0)
  expect(read(steps, /leads/)).toBe(90_051)
  expect(read(steps, /tags/)).toBeLessThanOrEqual(51)
})

test('a lead is read and locked by its key', async () => {
  for (const statement of [
    oneRecord(kind, admin, base, 500_001),
    oneRecord(kind, seeing('M'), base, 500_001),
    lockRows(kind, seeing('G'), [11, 500_001], 'edit'),
  ]) {
    const steps = await explain(statement)
    judge(steps, 2)
    expect(read(steps, /leads/)).toBeLessThanOrEqual(2)
  }
})

test.for<[string, TagQuery, PagePosition, number]>([
  ['nothing', {}, first, 51],
  ['id', { filter: { id: [100_004] } }, first, 1],
  ['several ids', { filter: { id: [100_004, 100_008] } }, first, 2],
  ['name', { filter: { name: 'TAG 8' } }, first, 1],
  ['the page before', {}, { after: { key: 105_000, id: 105_000 }, offset: 0, limit: 51 }, 51],
  // A part of a name is searched in all tags of the entity type, of which an account has hundreds.
  ['a part of the name', { query: 'tag 99' }, first, 2500],
])('tags are found by %s', async ([, query, seek, most]) => {
  const steps = await explain(tagList(admin, base, 'leads', query, seek))
  judge(steps, 1)
  expect(read(steps, /tags/)).toBeLessThanOrEqual(most)
})

test('the tags of a batch are found by their ids and names', async () => {
  for (const statement of [
    tagsWithIds(admin, 'leads', [100_004, 100_008]),
    tagsNamed(admin, 'leads', ['TAG 8', 'tag 4', 'new']),
  ]) {
    const steps = await explain(statement)
    judge(steps, 3)
    expect(read(steps, /tags/)).toBeLessThanOrEqual(2)
  }
})

test('the first page of events and one in the middle read just their rows, and one event is read by its key', async () => {
  const [event] = await scratch.database.list<{ id: string }>(
    sql`select id from events where account_id = 1 order by id offset 50000 limit 1`,
  )
  const { id } = event!
  for (const seek of [first, { ...first, after: { key: id, id } }]) {
    const steps = await explain(eventList(admin, base, seek))
    judge(steps, 0)
    expect(read(steps, /events/)).toBe(51)
  }
  const steps = await explain(oneEvent(seeing('M'), base, id))
  judge(steps, 1)
  expect(read(steps, /events/, /leads/)).toBeLessThanOrEqual(2)
})

test.for<[string, Actor]>([
  ['the few leads of a group', seeing('G')],
  ['the many leads of a group', seeing('G', { groupId: 1 })],
  ["a user's few own leads", seeing('M')],
  ["a user's many own leads", seeing('M', { userId: 5 })],
  ['no lead', seeing('D')],
])('the events of %s are found', async ([, actor]) => {
  const matching = await count(eventList(actor, base, all))
  const steps = await explain(eventList(actor, base, first))
  judge(steps, matching)
  expect(read(steps, /events/, /leads/)).toBeLessThanOrEqual(2 * matching + 2 * between)
})
