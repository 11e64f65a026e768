import sql from 'sql-template-tag'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { scratchDatabase, type Scratch } from '../../test/scratch.ts'
import { stretched } from '../../test/slow.ts'
import { dropOldEvents, ensureEventPartitions, tableSettings } from './partitions.ts'

let scratch: Scratch

beforeEach(async () => {
  scratch = await scratchDatabase()
})

afterEach(() => scratch.drop())

/** The partitions of months, first of the log and then of its keys. */
const partitions = (...months: string[]) =>
  ['events', 'event_keys'].flatMap((table) => months.map((month) => `${table}_${month}`))

test('the current month and three more are made, once', async () => {
  const now = new Date('2026-11-30T23:59:59Z')
  expect(await ensureEventPartitions(scratch.database, now)).toEqual(
    partitions('2026_11', '2026_12', '2027_01', '2027_02'),
  )
  expect(await ensureEventPartitions(scratch.database, now)).toEqual([])
  expect(await ensureEventPartitions(scratch.database, new Date('2026-12-01T00:00:00Z'))).toEqual(
    partitions('2027_03'),
  )
})

test('an event lies in the month of its id', async () => {
  await ensureEventPartitions(scratch.database, new Date('2026-11-10T00:00:00Z'))
  expect(await partitionOf('2026-10-31T23:59:59.999Z')).toBe('events_rest')
  expect(await partitionOf('2026-11-01T00:00:00.000Z')).toBe('events_2026_11')
  expect(await partitionOf('2026-11-30T23:59:59.999Z', 'f')).toBe('events_2026_11')
  expect(await partitionOf('2026-12-01T00:00:00.000Z')).toBe('events_2026_12')
  expect(await partitionOf('2027-03-01T00:00:00.000Z')).toBe('events_rest')
})

test('an id of a month stays unique', async () => {
  await ensureEventPartitions(scratch.database, new Date('2026-11-10T00:00:00Z'))
  await partitionOf('2026-11-05T00:00:00Z')
  await expect(partitionOf('2026-11-05T00:00:00Z')).rejects.toThrow(/duplicate key/)
})

test('a month whose events are in events_rest already stays there, the others are made', async () => {
  await partitionOf('2026-12-24T00:00:00Z')
  expect(await ensureEventPartitions(scratch.database, new Date('2026-11-10T00:00:00Z'))).toEqual(
    partitions('2026_11', '2026_12', '2027_01', '2027_02').filter(
      (name) => !name.endsWith('2026_12'),
    ),
  )
  expect(await ensureEventPartitions(scratch.database, new Date('2026-11-10T00:00:00Z'))).toEqual(
    [],
  )
  expect(await partitionOf('2026-12-25T00:00:00Z')).toBe('events_rest')
})

test('several processes at once make each month once', async () => {
  const now = new Date('2026-11-10T00:00:00Z')
  const made = await Promise.all(
    Array.from({ length: 4 }, () => ensureEventPartitions(scratch.another(), now)),
  )
  expect(made.flat().toSorted()).toEqual(
    partitions('2026_11', '2026_12', '2027_01', '2027_02').toSorted(),
  )
})

test(
  'a long reader is not disturbed: the months are made another day',
  { timeout: stretched(20_000) },
  async () => {
    const now = new Date('2026-11-10T00:00:00Z')
    await scratch.database.transaction(async (tx) => {
      await tx.rows(sql`select from events, event_keys`)
      expect(await ensureEventPartitions(scratch.another(), now)).toEqual([])
      await partitionOf('2026-11-10T00:00:00Z')
    })
    expect(await ensureEventPartitions(scratch.database, now)).toHaveLength(6)
  },
)

test('months that ended long enough ago go as a whole, and single events that no month holds', async () => {
  const { database } = scratch
  await database.rows(sql`
    insert into accounts (id, subdomain, name, created_at, updated_at) values (1, 'log', 'Log', 0, 0)`)
  await ensureEventPartitions(database, new Date('2026-08-10T00:00:00Z'))
  const times = ['2026-07-31T12:00:00Z', '2026-08-31T12:00:00Z', '2026-09-01T12:00:00Z']
  for (const time of times) await partitionOf(time)
  const left = async () => {
    const events = await database.rows<{ id: string }>(sql`select id from events order by id`)
    const keys = await database.rows<{ event_id: string }>(
      sql`select event_id from event_keys order by 1`,
    )
    expect(keys.map(({ event_id }) => event_id)).toEqual(events.map(({ id }) => id))
    return events.length
  }
  const dropped = (time: string, days = 30) => dropOldEvents(database, days, new Date(time))

  expect(await dropped('2027-06-01T00:00:00Z', 0)).toEqual([])
  expect(await dropped('2027-06-01T00:00:00Z', 36_500)).toEqual([])
  expect(await dropped('2026-08-30T11:00:00Z')).toEqual([])
  expect(await left()).toBe(3)
  expect(await dropped('2026-09-29T23:59:59Z')).toEqual([])
  expect(await left()).toBe(2)
  expect(await dropped('2026-10-01T00:00:00Z')).toEqual(['event_keys_2026_08', 'events_2026_08'])
  expect(await left()).toBe(1)
  await database.transaction(async (tx) => {
    await tx.rows(sql`select from events, event_keys`)
    expect(await dropOldEvents(scratch.another(), 30, new Date('2027-01-01T00:00:00Z'))).toEqual([])
  })
  expect(await dropped('2027-01-01T00:00:00Z')).toHaveLength(6)
  expect(await left()).toBe(0)
})

/** Writes an event of that time, with a key, and answers the name of its partition. */
async function partitionOf(time: string, digit = '0'): Promise<string> {
  const id = sql`ulid_time(${Date.parse(time)}) || repeat(${digit}, 16)`
  await scratch.database.rows(sql`
    insert into event_keys (account_id, key, event_id) values (1, 'after sale 1', ${id})`)
  const row = await scratch.database.row<{ name: string }>(sql`
    insert into events (account_id, id, type, entity_type, entity_id, created_by, created_at, value_before, value_after)
    values (1, ${id}, 'sale_field_changed', 'lead', 1, 0, 0, '[]', '[{"sale_field_value":{"sale":1}}]')
    returning tableoid::regclass::text as name`)
  return row!.name
}

test('every table says when autovacuum comes to it, also a month', async () => {
  await ensureEventPartitions(scratch.database, new Date('2026-11-10T00:00:00Z'))
  const others = await scratch.database.rows(sql`
    select relname, reloptions from pg_class
     where relkind = 'r' and relnamespace = 'public'::regnamespace
       and not coalesce(reloptions @> ${tableSettings.replaceAll(' = ', '=').split(', ')}::text[], false)`)
  expect(others).toEqual([])
})
