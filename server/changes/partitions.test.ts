import sql from 'sql-template-tag'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { scratchDatabase, type Scratch } from '../../test/scratch.ts'
import { ensureEventPartitions } from './partitions.ts'

let scratch: Scratch

beforeEach(async () => {
  scratch = await scratchDatabase()
})

afterEach(() => scratch.drop())

test('the current month and three more are made, once', async () => {
  const now = new Date('2026-11-30T23:59:59Z')
  expect(await ensureEventPartitions(scratch.database, now)).toEqual([
    'events_2026_11',
    'events_2026_12',
    'events_2027_01',
    'events_2027_02',
  ])
  expect(await ensureEventPartitions(scratch.database, now)).toEqual([])
  expect(await ensureEventPartitions(scratch.database, new Date('2026-12-01T00:00:00Z'))).toEqual([
    'events_2027_03',
  ])
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
  const made = ['events_2026_11', 'events_2027_01', 'events_2027_02']
  expect(await ensureEventPartitions(scratch.database, new Date('2026-11-10T00:00:00Z'))).toEqual(
    made,
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
  expect(made.flat().toSorted()).toEqual([
    'events_2026_11',
    'events_2026_12',
    'events_2027_01',
    'events_2027_02',
  ])
})

test(
  'a long reader is not disturbed: the months are made another day',
  { timeout: 20_000 },
  async () => {
    const now = new Date('2026-11-10T00:00:00Z')
    await scratch.database.transaction(async (tx) => {
      await tx.rows(sql`select from events`)
      expect(await ensureEventPartitions(scratch.another(), now)).toEqual([])
      await partitionOf('2026-11-10T00:00:00Z')
    })
    expect(await ensureEventPartitions(scratch.database, now)).toHaveLength(3)
  },
)

/** Writes an event of that time and answers the name of its partition. */
async function partitionOf(time: string, digit = '0'): Promise<string> {
  const row = await scratch.database.row<{ name: string }>(sql`
    insert into events (account_id, id, type, entity_type, entity_id, created_by, created_at, value_before, value_after)
    values (1, ulid_time(${Date.parse(time)}) || repeat(${digit}, 16), 'lead_added', 'lead', 1, 0, 0, '[]', '[]')
    returning tableoid::regclass::text as name`)
  return row!.name
}
