// Deleted things are removed from records in the background. Runs in a database of its own, where
// only the test cleans up.
import sql, { raw } from 'sql-template-tag'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { newAccount } from '../../test/account.ts'
import { allKinds } from '../../test/records.ts'
import { scratchDatabase } from '../../test/scratch.ts'
import type { Scratch } from '../../test/scratch.ts'
import type { Database, Tx } from '../database/connect.ts'
import { createAccount } from '../features/people/accounts/accounts.ts'
import { serverItself } from '../access/user-access.ts'
import type { RecordType } from './description.ts'
import { fieldsChanged, fieldsOf } from './fields/definitions.ts'
import { cleanUp, cleanUpLater } from './clean-ups.ts'
import type { Leftover } from './clean-ups.ts'
import { gramForm } from './search/text.ts'

type Values = Record<number, unknown[]> | null

let scratch: Scratch | undefined
let [mine, other] = [0, 0]

beforeEach(async () => {
  scratch ??= await scratchDatabase()
  const subdomain = () => `test-${Math.random().toString(36).slice(2)}`
  const add = () =>
    db().transaction((tx) => createAccount(tx, 0, { subdomain: subdomain(), name: 'An account' }))
  ;[mine, other] = [await add(), await add()]
})
afterAll(() => scratch?.drop())

const db = () => scratch!.database

const mark = (field: number) =>
  `\u{e00a}${String(field).replaceAll(/\d/g, (digit) => String.fromCodePoint(0xe000 + Number(digit)))}\u{e00b}`

/** Adds records with these values and answers their ids. */
async function add(
  kind: RecordType,
  values: Values[],
  { account = mine, is_deleted = false, loss = null as number | null } = {},
) {
  const own = {
    leads: sql`insert into leads (price, pipeline_id, status_id, loss_reason_id, account_id, `,
    contacts: sql`insert into contacts (first_name, last_name, account_id, `,
    companies: sql`insert into companies (account_id, `,
    customers: sql`insert into customers (next_date, status_id, account_id, `,
  }[kind]
  const first = {
    leads: sql`0, 1, 143, ${loss}::bigint,`,
    contacts: sql`'', '',`,
    companies: sql``,
    customers: sql`5, 1,`,
  }[kind]
  const made = await db().list<{ id: number }>(sql`
    ${own} name, responsible_user_id, group_id, created_by, updated_by, created_at, updated_at, is_deleted, custom_fields_values)
    select ${first} ${account}::bigint, 'A record', 1, 0, 1, 1, 5, 5, ${is_deleted}::boolean,
           nullif(value, 'null'::jsonb)
      from jsonb_array_elements(${JSON.stringify(values)}::jsonb) value returning id`)
  return made.map(({ id }) => id)
}

const valuesOf = async (kind: RecordType, ids: number[]) =>
  (
    await db().list<{ custom_fields_values: Values }>(
      sql`select custom_fields_values from ${raw(kind)} where id = any(${ids}::bigint[]) and updated_at = 5 order by id`,
    )
  ).map((row) => row.custom_fields_values)

const addText = (kind: RecordType, id: number, text: string) =>
  db().list(
    sql`insert into record_texts values (${mine}, ${kind}, ${id}, ${text}, ${gramForm(text)})`,
  )
const textOf = async (kind: RecordType, id: number) => {
  const [row] = await db().list<{ text: string; grams: string }>(
    sql`select text, grams from record_texts where entity_type = ${kind} and entity_id = ${id}`,
  )
  expect(row!.grams).toBe(gramForm(row!.text))
  return row!.text
}

const index = (
  table: 'field_numbers' | 'field_texts',
  rows: [account: number, field: number, kind: string, value: string][],
) =>
  db().list(sql`
    insert into ${raw(table)} (account_id, field_id, entity_type, value, entity_id)
    select (row ->> 0)::bigint, (row ->> 1)::bigint, row ->> 2, (row ->> 3)::${raw(table === 'field_numbers' ? 'numeric' : 'text')}, place
      from json_array_elements(${JSON.stringify(rows)}::json) with ordinality each(row, place)`)
const indexed = async (table: 'field_numbers' | 'field_texts') =>
  (
    await db().list<{ row: string }>(sql`
      select concat_ws(' ', field_id, entity_type, value) as row from ${raw(table)} where account_id = ${mine} order by 1`)
  ).map(({ row }) => row)

const later = (...what: Leftover[]) =>
  db().transaction((tx) => cleanUpLater(tx, serverItself(mine, 0), ...what))
const waiting = async () =>
  (
    await db().list<{ done_to: number }>(
      sql`select done_to from cleanups where account_id = ${mine} order by id`,
    )
  ).map(({ done_to }) => done_to)
/**
 * Cleans up, and stops after a number of transactions; waiting for other transactions checks for a
 * stop any number of times.
 */
function cleanSome(times: number): Promise<boolean> {
  let left = times
  const transaction: Database['transaction'] = (work) => {
    left--
    return db().transaction(work)
  }
  return cleanUp({ ...db(), transaction }, () => left <= 0)
}

const otherThan = (kind: RecordType) => (kind === 'contacts' ? 'leads' : 'contacts')

test.each(allKinds)('the values of a deleted field of %s go, no others do', async (kind) => {
  const values: Values[] = [{ 7: ['a'] }, { 7: ['a'], 8: ['b'] }, { 8: ['b'] }, null, { 77: ['c'] }]
  const [ids, elsewhere] = [await add(kind, values), await add(otherThan(kind), values)]
  const binned = await add(kind, values, { is_deleted: true })
  const theirs = await add(kind, values, { account: other })
  await index('field_texts', [
    [mine, 7, kind, 'a'],
    [mine, 7, kind, 'b'],
    [mine, 7, otherThan(kind), 'a'],
    [mine, 8, kind, 'b'],
    [other, 7, kind, 'a'],
  ])
  await index('field_numbers', [
    [mine, 7, kind, '1'],
    [mine, 8, kind, '1.5'],
    [other, 7, kind, '1'],
  ])
  await later({ entity_type: kind, field_id: 7 })
  expect(await cleanUp(db())).toBe(true)

  const clean = [null, { 8: ['b'] }, { 8: ['b'] }, null, { 77: ['c'] }]
  expect(await valuesOf(kind, ids)).toEqual(clean)
  expect(await valuesOf(kind, binned)).toEqual(clean)
  expect(await valuesOf(otherThan(kind), elsewhere)).toEqual(values)
  expect(await valuesOf(kind, theirs)).toEqual(values)
  expect(await indexed('field_texts')).toEqual([`7 ${otherThan(kind)} a`, `8 ${kind} b`])
  expect(await indexed('field_numbers')).toEqual([`8 ${kind} 1.5`])
  const [{ count }] = (await db().list<{ count: number }>(sql`
    select (select count(*) from field_texts where account_id = ${other}) + (select count(*) from field_numbers where account_id = ${other}) as count`)) as [
    { count: number },
  ]
  expect(count).toBe(2)
  expect(await waiting()).toEqual([])
  const recorded = await db().list(
    sql`select from journal where account_id = ${mine} union all select from events where account_id = ${mine}`,
  )
  expect(recorded).toEqual([])
})

test('a field that is gone is forgotten when its values are', async () => {
  const gone = async () => (await fieldsOf(db(), mine, 'contacts')).gone
  await db().transaction((tx) => fieldsChanged(tx, mine))
  await later({ entity_type: 'leads', field_id: 7 })
  expect(await gone()).toEqual([7])
  expect(await cleanUp(db())).toBe(true)
  expect(await gone()).toEqual([])

  const version = (await fieldsOf(db(), mine, 'leads')).version
  await later(
    { entity_type: 'leads', field_id: 8, enum_ids: [1] },
    { entity_type: 'leads', loss_reason_id: 9 },
  )
  expect(await cleanUp(db())).toBe(true)
  expect((await fieldsOf(db(), mine, 'leads')).version).toBe(version)
})

test('choices that were removed go, and the field with the last of them', async () => {
  const values: Values[] = [
    { 7: [61] },
    { 7: [61, 62, 63] },
    { 7: [62], 8: [61] },
    { 8: [61] },
    { 7: [61, 63], 8: [1] },
    null,
  ]
  const ids = await add('companies', values)
  await index('field_numbers', [
    [mine, 7, 'companies', '61'],
    [mine, 7, 'companies', '62'],
    [mine, 7, 'companies', '63'],
    [mine, 7, 'leads', '61'],
    [mine, 8, 'companies', '61'],
  ])
  await index('field_texts', [[mine, 7, 'companies', 'x']])
  await later({ entity_type: 'companies', field_id: 7, enum_ids: [61, 63] })
  expect(await cleanUp(db())).toBe(true)
  expect(await valuesOf('companies', ids)).toEqual([
    null,
    { 7: [62] },
    { 7: [62], 8: [61] },
    { 8: [61] },
    { 8: [1] },
    null,
  ])
  expect(await indexed('field_numbers')).toEqual(['7 companies 62', '7 leads 61', '8 companies 61'])
  expect(await indexed('field_texts')).toEqual(['7 companies x'])
})

test('a deleted loss reason goes off leads', async () => {
  const ids = [
    ...(await add('leads', [null], { loss: 3 })),
    ...(await add('leads', [null], { loss: 4 })),
    ...(await add('leads', [null])),
  ]
  const theirs = await add('leads', [null], { account: other, loss: 3 })
  await later({ entity_type: 'leads', loss_reason_id: 3 })
  expect(await cleanUp(db())).toBe(true)
  const rows = await db().list<{ reason: number | null }>(
    sql`select loss_reason_id as reason from leads where id = any(${[...ids, ...theirs]}::bigint[]) order by id`,
  )
  expect(rows.map(({ reason }) => reason)).toEqual([null, 4, null, 3])
})

/** Adds records with these tags, and answers their ids. */
async function addTagged(
  kind: RecordType,
  tags: number[][],
  options: { account?: number; is_deleted?: boolean } = {},
): Promise<number[]> {
  const ids = await add(
    kind,
    tags.map(() => null),
    options,
  )
  await db().list(sql`
    update ${raw(kind)} record set tag_ids = array(select json_array_elements_text(tags)::bigint)
      from unnest(${ids}::bigint[], ${tags.map((each) => JSON.stringify(each))}::json[]) tagged(id, tags)
     where record.id = tagged.id`)
  return ids
}

const tagsOf = async (kind: RecordType, ids: number[]) =>
  (
    await db().list<{ tags: number[] }>(
      sql`select to_json(tag_ids) as tags from ${raw(kind)} where id = any(${ids}::bigint[]) and updated_at = 5 order by id`,
    )
  ).map(({ tags }) => tags)

test.each(allKinds)('a deleted tag of %s goes, no other does', async (kind) => {
  const tags = [[7], [8, 7, 77], [], [8]]
  const ids = await addTagged(kind, tags)
  const binned = await addTagged(kind, tags, { is_deleted: true })
  const elsewhere = await addTagged(otherThan(kind), tags)
  const theirs = await addTagged(kind, tags, { account: other })
  await later({ entity_type: kind, tag_id: 7 })
  expect(await cleanUp(db())).toBe(true)
  const clean = [[], [8, 77], [], [8]]
  expect(await tagsOf(kind, ids)).toEqual(clean)
  expect(await tagsOf(kind, binned)).toEqual(clean)
  expect(await tagsOf(otherThan(kind), elsewhere)).toEqual(tags)
  expect(await tagsOf(kind, theirs)).toEqual(tags)
  expect(await waiting()).toEqual([])
})

test('several deleted tags go one after the other, each from where it was stopped', async () => {
  const ids = await addTagged(
    'companies',
    Array.from({ length: 2500 }, () => [7, 8, 9]),
  )
  await later({ entity_type: 'companies', tag_id: 7 }, { entity_type: 'companies', tag_id: 9 })
  const dirty = async () => (await tagsOf('companies', ids)).flat().length
  const seen = new Set<number>()
  for (let stops = 0; (await waiting()).length > 0; stops++) {
    expect(stops).toBeLessThan(20)
    await cleanSome(1 + stops)
    seen.add(await dirty())
  }
  expect(seen.size).toBeGreaterThan(2)
  expect(await tagsOf('companies', ids)).toEqual(ids.map(() => [8]))
})

const [seven, eight, seventy] = [mark(7), mark(8), mark(77)]

test.each([
  [
    'a line between others',
    `name\n${eight}x\n${seven}a\n${seventy}c`,
    `name\n${eight}x\n${seventy}c`,
  ],
  ['the last line', `name\n${eight}x\n${seven}a`, `name\n${eight}x`],
  ['all but the name', `name\n${seven}a`, 'name'],
  [
    'several lines, apart and together',
    `name\n${seven}a\n${seven}b\n${eight}x\n${seven}c`,
    `name\n${eight}x`,
  ],
  ['an empty text', `name\n${seven}\n${eight}x`, `name\n${eight}x`],
  ['the first line after no name', `\n${seven}a\n${seven}b\n${eight}x`, `\n${eight}x`],
  ['the only line', `\n${seven}a`, ''],
  ['nothing, where only a longer id begins like it', `name\n${seventy}a`, `name\n${seventy}a`],
  ['nothing of a name of several lines', `anna\nann\na\n${seven}a`, 'anna\nann\na'],
])('of a text to be searched goes %s', async (_, text, clean) => {
  const [id, another] = (await add('contacts', [{ 7: ['a'], 8: ['x'] }, { 7: ['a'] }])) as [
    number,
    number,
  ]
  await addText('contacts', id, text)
  await addText('contacts', another, `other\n${seven}a`)
  await later({ entity_type: 'contacts', field_id: 7 })
  expect(await cleanUp(db())).toBe(true)
  expect([await textOf('contacts', id), await textOf('contacts', another)]).toEqual([
    clean,
    'other',
  ])
})

test('stopped anywhere, it is gone on with where it was', async () => {
  const ids = await add(
    'leads',
    Array.from({ length: 2500 }, () => ({ 7: ['a'], 8: ['b'] })),
  )
  await index(
    'field_texts',
    Array.from({ length: 12_000 }, (_, index) => [mine, 7, 'leads', `v${index}`]),
  )
  await later({ entity_type: 'leads', field_id: 7 })
  const dirty = async () => (await valuesOf('leads', ids)).filter((values) => 7 in values!).length
  const seen: number[][] = []
  for (let stops = 0; (await waiting()).length > 0; stops++) {
    expect(stops).toBeLessThan(20)
    await cleanSome(1 + stops)
    seen.push([await dirty(), (await indexed('field_texts')).length])
  }
  expect(new Set(seen.map(String)).size).toBeGreaterThan(3)
  expect(seen.map(([records]) => records)).toContain(1500)
  expect(seen.at(-1)).toEqual([0, 0])
  expect(await valuesOf('leads', ids)).toEqual(ids.map(() => ({ 8: ['b'] })))
})

test('several processes at once do it once', async () => {
  const ids = await add(
    'leads',
    Array.from({ length: 1200 }, () => ({ 7: [61, 62] })),
  )
  await later({ entity_type: 'leads', field_id: 7, enum_ids: [61] })
  await Promise.all(
    [db(), scratch!.another(), scratch!.another()].map((database) => cleanUp(database)),
  )
  await cleanUp(db())
  expect(await waiting()).toEqual([])
  expect(await valuesOf('leads', ids)).toEqual(ids.map(() => ({ 7: [62] })))
})

/** A transaction that has done `work` and stays open until it is released. */
async function open(work: (tx: Tx) => Promise<unknown> = () => Promise.resolve()) {
  const [begun, letGo] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const ended = db().transaction(async (tx) => {
    await work(tx)
    begun.resolve()
    await letGo.promise
  })
  await Promise.race([begun.promise, ended])
  return async () => {
    letGo.resolve()
    await ended
  }
}

/** Starts a clean-up that older transactions delay, and lets it look for their end three times. */
async function beginDelayed() {
  let looks = 0
  const cleaned = cleanUp(db(), () => {
    looks++
    return false
  })
  await expect.poll(() => looks).toBeGreaterThan(2)
  return { cleaned }
}

/**
 * Starts a clean-up that an older transaction delays; `work` starts another transaction that does
 * not delay it.
 */
async function beginBefore(work: (tx: Tx) => Promise<unknown>) {
  const endOlder = await open()
  const { cleaned } = await beginDelayed()
  const end = await open(work)
  await endOlder()
  return { cleaned, end }
}

test('a transaction that began before is waited for, for it may write by what was there', async () => {
  const [id] = await add('contacts', [{ 7: ['a'], 8: ['b'] }])
  const end = await open((tx) => tx.list(sql`select from custom_fields`))
  await later({ entity_type: 'contacts', field_id: 7 })
  const { cleaned } = await beginDelayed()
  expect(await valuesOf('contacts', [id!])).toEqual([{ 7: ['a'], 8: ['b'] }])
  await end()
  expect(await cleaned).toBe(true)
  expect(await valuesOf('contacts', [id!])).toEqual([{ 8: ['b'] }])
})

test('while another process is at it, it is left for later', async () => {
  const ids = await add('leads', [{ 7: ['a'] }])
  await later({ entity_type: 'leads', field_id: 7 })
  const { cleaned, end } = await beginBefore((tx) =>
    tx.list(sql`select from cleanups where account_id = ${mine} for update`),
  )
  expect(await cleaned).toBe(false)
  expect(await valuesOf('leads', ids)).toEqual([{ 7: ['a'] }])
  await end()
  expect(await cleanUp(db())).toBe(true)
  expect(await valuesOf('leads', ids)).toEqual([null])
})

test.each<[string, Partial<Leftover>, Values, Values]>([
  ['a field goes', { field_id: 7 }, { 7: [61], 8: ['new'] }, { 8: ['new'] }],
  [
    'a choice goes',
    { field_id: 7, enum_ids: [61] },
    { 7: [61, 62], 8: ['new'] },
    { 7: [62], 8: ['new'] },
  ],
  [
    'a choice goes that nobody has any more',
    { field_id: 7, enum_ids: [61] },
    { 8: ['new'] },
    { 8: ['new'] },
  ],
])('a record that is written while %s keeps what was written', async (_, what, written, clean) => {
  const ids = await add('leads', [{ 7: [61], 8: ['b'] }, { 7: [61] }])
  await later({ entity_type: 'leads', ...what } as Leftover)
  const { cleaned, end } = await beginBefore((tx) =>
    tx.list(
      sql`update leads set custom_fields_values = ${JSON.stringify(written)}::jsonb where id = ${ids[0]}`,
    ),
  )
  const locked = async () =>
    (
      await db().list(
        sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
    ).length
  await expect.poll(locked).toBe(1)
  await end()
  expect(await cleaned).toBe(true)
  expect(await valuesOf('leads', ids)).toEqual([clean, null])
})

test('each step takes no more than a chunk along the keys', async () => {
  const steps = await scratch!.database.transaction(async (tx) => {
    // A table of a few rows is read whole, whatever indexes it has.
    await tx.list(sql`set local enable_seqscan = off`)
    await tx.list(sql`set local enable_bitmapscan = off`)
    return tx.list<{ 'QUERY PLAN': string }>(sql`
    explain select ctid from field_texts
     where account_id = ${mine} and field_id = 7 and entity_type = 'leads' and (value, entity_id) > ('a', 1)
     order by value, entity_id limit 5000`)
  })
  const plan = steps.map((step) => step['QUERY PLAN']).join('\n')
  expect(plan).toContain('field_texts_pkey')
  expect(plan).not.toContain('Sort')
})

test('a running server cleans up by itself', async () => {
  const { api, id, kontor } = await newAccount()
  const made = await api.post('/api/v4/leads/custom_fields', [
    { name: 'Text', type: 'text' },
    { name: 'List', type: 'multiselect', enums: [{ value: 'a' }, { value: 'b' }] },
  ])
  const [text, list] = made.body._embedded.custom_fields
  const [a, b] = list.enums
  const lead = (await api.post('/api/v4/leads', [{ name: 'A lead' }])).body._embedded.leads[0].id
  const before = (await api.get(`/api/v4/leads/${lead}`)).body
  const values = { [text.id]: ['x'], [list.id]: [a.id, b.id] }
  await kontor.database.list(sql`
    update leads set custom_fields_values = ${JSON.stringify(values)}::jsonb where account_id = ${id} and id = ${lead}`)
  const stored = async () =>
    (
      await kontor.database.list<{ stored: Values }>(
        sql`select custom_fields_values as stored from leads where account_id = ${id} and id = ${lead}`,
      )
    )[0]!.stored
  await api.patch(`/api/v4/leads/custom_fields/${list.id}`, { enums: [b] })
  await expect.poll(stored, { timeout: 20_000 }).toEqual({ [text.id]: ['x'], [list.id]: [b.id] })
  expect((await api.delete(`/api/v4/leads/custom_fields/${text.id}`)).status).toBe(204)
  await expect.poll(stored, { timeout: 20_000 }).toEqual({ [list.id]: [b.id] })
  expect((await api.delete(`/api/v4/leads/custom_fields/${list.id}`)).status).toBe(204)
  await expect.poll(stored, { timeout: 20_000 }).toBeNull()
  expect((await api.get(`/api/v4/leads/${lead}`)).body).toEqual(before)
  const left = () => kontor.database.list(sql`select from cleanups where account_id = ${id}`)
  await expect.poll(left, { timeout: 20_000 }).toEqual([])
})
