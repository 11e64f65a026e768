// Every list of notes finds its rows by an index, for every filter and order. Proved by the plans
// of the statements, on 20,000 leads with 100,000 notes beside a smaller account.
import sql, { raw } from 'sql-template-tag'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { admin, all, between, first, plansOn, read } from '../../../test/plans.ts'
import type { Plans } from '../../../test/plans.ts'
import { scratchDatabase } from '../../../test/scratch.ts'
import type { Scratch } from '../../../test/scratch.ts'
import type { Actor } from '../../access/actor.ts'
import { fullRights } from '../../access/rights.ts'
import { lockParents, lockParentsOf, noteList, notesAbout, oneNote, oneParent } from './queries.ts'
import type { NoteQuery } from './schema.ts'

let scratch: Scratch
let { count, explain, explainNamed, judge } = {} as Plans

// Note n of an account is about lead n % 20000; there are as many system notes as leads. Rare
// values are at the end.
beforeAll(async () => {
  scratch = await scratchDatabase()
  const { database } = scratch
  await database.transaction(async (tx) => {
    await tx.list(sql`
      insert into accounts (id, subdomain, name, created_at, updated_at)
      values (1, 'large', 'Large', 0, 0), (2, 'other', 'Other', 0, 0)`)
    await tx.list(sql`
      insert into leads (account_id, id, name, price, responsible_user_id, group_id, pipeline_id, status_id, created_by, updated_by,
                         created_at, updated_at)
      select account, n * 10 + account, 'Lead', 0, case when n > 19990 then 99 else n % 20 + 1 end,
             case when n > 19990 then 9 else n % 5 end, 1, 50, 1, 1, n, n
        from generate_series(1, 2) account, generate_series(1, 20000) n where account = 1 or n <= 5000`)
    await tx.list(sql`
      insert into notes (account_id, id, entity_type, entity_id, note_type, params, responsible_user_id, group_id,
                         created_by, updated_by, created_at, updated_at)
      select account, n * 10 + account, case n % 10 when 0 then 'contacts' else 'leads' end, (n % 20000 + 1) * 10 + account,
             case when n > 120000 then 'entity_added' when n > 119950 then 'geolocation' when n % 4 = 0 then 'call_in' else 'common' end,
             '{"text": "x"}', 1, 0, 1, 1, 1700000000 + n * 60, 1700000000 + n * 7919::bigint % 140000 * 60
        from generate_series(1, 2) account, generate_series(1, 140000) n where account = 1 or n <= 20000`)
  })
  for (const table of ['leads', 'notes']) await database.list(sql`vacuum analyze ${raw(table)}`)
  ;({ count, explain, explainNamed, judge } = await plansOn(database))
})
afterAll(() => scratch.drop())

const seeing = (view: 'G' | 'M' | 'D', who: Partial<Actor> = {}): Actor => ({
  ...admin,
  isAdmin: false,
  rights: { ...fullRights, leads: { ...fullRights.leads, view, edit: view } },
  ...who,
})
const base = 'http://kontor'
const list = (actor: Actor, query: NoteQuery, seek = first, entityId?: number) =>
  noteList(actor, base, 'leads', query, seek, entityId)

const late = 1_708_390_000

test.for<[string, NoteQuery['filter']]>([
  ['nothing', {}],
  ['id', { id: [1_000_011] }],
  ['several ids', { id: [11, 1_000_011, 21] }],
  ['a record', { entity_id: [5001] }],
  ['several records', { entity_id: [5001, 15_001, 25_001] }],
  ['500 records', { entity_id: Array.from({ length: 500 }, (_, place) => 50_001 + place * 10) }],
  [
    '500 records, twice',
    { entity_id: Array.from({ length: 1000 }, (_, place) => 50_001 + (place % 500) * 10) },
  ],
  [
    '500 records without notes',
    { entity_id: Array.from({ length: 500 }, (_, place) => 11 + place * 100) },
  ],
  ['a rare type', { note_type: ['geolocation'] }],
  ['a common type', { note_type: ['common'] }],
  ['several types', { note_type: ['geolocation', 'sms_in'] }],
  ['several types, one of them common', { note_type: ['geolocation', 'call_in'] }],
  ['a type that none has', { note_type: ['chat'] }],
  ['a late change', { updated_at: late }],
  ['a range of changes', { updated_at: { from: late, to: late + 6000 } }],
  ['a record and a type', { entity_id: [5001], note_type: ['call_in'] }],
  ['a late change and a type', { updated_at: late, note_type: ['common'] }],
])('notes are found by %s', async ([, filter]) => {
  const matching = await count(list(admin, { filter }, all))
  const steps = await explain(list(admin, { filter }))
  judge(steps, matching)
  expect(read(steps, /notes/)).toBeLessThanOrEqual(matching + between)
  expect(read(steps, /leads/)).toBeLessThanOrEqual(matching + between)
})

const middle = { after: { key: 1_704_000_000, id: 600_011 }, offset: 0, limit: 51 }

test.for<NonNullable<NoteQuery['order']>>([
  { id: 'asc' },
  { id: 'desc' },
  { updated_at: 'asc' },
  { updated_at: 'desc' },
])('in the order %j the first page and one in the middle read just their rows', async (order) => {
  for (const seek of [first, middle]) {
    const steps = await explain(list(admin, { order }, seek))
    judge(steps, 0)
    expect(read(steps, /notes/)).toBe(51)
    expect(read(steps, /leads/)).toBeLessThanOrEqual(51)
  }
})

test.for<NonNullable<NoteQuery['order']>>([{ updated_at: 'asc' }, { updated_at: 'desc' }])(
  'the later half of changes in the order %j is read along its index',
  async (order) => {
    const steps = await explain(list(admin, { filter: { updated_at: 1_704_000_000 }, order }))
    judge(steps, 0)
    expect(read(steps, /notes/)).toBe(51)
  },
)

test.for<[string, Actor]>([
  ['10 of 20,000 leads', seeing('M')],
  ['the 10 leads of a group', seeing('G')],
  ['the 10 leads of the users of a group', seeing('G', { groupMembers: [99, 98] })],
  ['a twentieth of all leads', seeing('M', { userId: 5 })],
  ['no lead', seeing('D')],
  ['no lead of his own', seeing('M', { userId: 1000 })],
])('the notes that a user sees who sees %s are found, in every order', async ([, actor]) => {
  const matching = await count(list(actor, {}, all))
  for (const query of [
    {},
    { order: { id: 'desc' } },
    { order: { updated_at: 'desc' } },
    { filter: { note_type: ['common'] } },
    { filter: { updated_at: 1_704_000_000 } },
  ] as const) {
    const steps = await explain(list(actor, query as NoteQuery))
    judge(steps, matching)
    expect(read(steps, /notes/, /leads/)).toBeLessThanOrEqual(2 * matching + 2 * between)
  }
})

test('the notes of one record are read with it, in every order and for everybody', async () => {
  for (const actor of [admin, seeing('M'), seeing('G')]) {
    for (const order of [undefined, { id: 'desc' }, { updated_at: 'desc' }] as const) {
      const steps = await explain(list(actor, { order }, first, 199_991))
      judge(steps, 6)
      expect(read(steps, /notes/)).toBeLessThanOrEqual(6)
      expect(read(steps, /leads/)).toBeLessThanOrEqual(6)
    }
  }
})

test('a page that nobody led to is a walk along the index, and only its own rows are shown', async () => {
  const steps = await explain(list(admin, {}, { after: undefined, offset: 50_000, limit: 51 }))
  judge(steps, 0)
  expect(read(steps, /notes/)).toBe(50_051)
  expect(read(steps, /users/)).toBeLessThanOrEqual(51)
})

test('one note, its record and the notes of a batch are found by their keys, also without looking at the values', async () => {
  const ids = [11, 1_000_011]
  for (const [statement, most] of [
    [oneNote(admin, base, 'leads', 1_000_011), 1],
    [oneNote(seeing('M'), base, 'leads', 1_000_011, 199_991), 1],
    [oneParent(seeing('G'), 'leads', 199_991, 'edit'), 1],
    [lockParents(seeing('G'), 'leads', ids), 2],
    [lockParentsOf(seeing('G'), 'leads', ids), 2],
    [notesAbout(admin, 'leads', [21, 199_991], ids), 2],
  ] as const) {
    const steps = await explain(statement)
    judge(steps, 2)
    expect(read(steps, /notes/)).toBeLessThanOrEqual(most)
    expect(read(steps, /leads/)).toBeLessThanOrEqual(most)
    const scanned = (await explainNamed(statement)).filter(
      (step) => step['Node Type'] === 'Seq Scan',
    )
    expect(scanned.map((step) => step['Relation Name'])).not.toContain('leads')
    expect(scanned.map((step) => step['Relation Name'])).not.toContain('notes')
  }
})
