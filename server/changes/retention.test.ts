import sql from 'sql-template-tag'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { scratchDatabase, type Scratch } from '../../test/scratch.ts'
import { dropReadJournal } from './retention.ts'

const now = new Date('2026-11-10T12:00:00Z')
const day = 86_400
const today = now.getTime() / 1000

let scratch: Scratch

beforeEach(async () => {
  scratch = await scratchDatabase()
})

afterEach(() => scratch.drop())

test('old news that every follower has passed goes', async () => {
  await writeNews(10, today - 4 * day)
  await writeFollower('fast', 10)
  await writeFollower('slow', 6)
  expect(await dropReadJournal(scratch.database, 3, now)).toBe(6)
  expect(await left()).toEqual([7, 8, 9, 10])
  expect(await dropReadJournal(scratch.database, 3, now)).toBe(0)
})

test('young news stays, though told', async () => {
  await writeNews(3, today - 3 * day - 1)
  await writeNews(3, today - 3 * day)
  await writeFollower('fast', 6)
  expect(await dropReadJournal(scratch.database, 3, now)).toBe(3)
  expect(await left()).toEqual([4, 5, 6])
})

test('without followers only age counts', async () => {
  await writeNews(3, today - 4 * day)
  await writeNews(1, today)
  expect(await dropReadJournal(scratch.database, 3, now)).toBe(3)
  expect(await left()).toEqual([4])
})

test('more than a chunk goes, and an empty journal is no matter', async () => {
  expect(await dropReadJournal(scratch.database, 3, now)).toBe(0)
  await writeNews(12_345, today - 4 * day)
  await writeNews(1, today)
  expect(await dropReadJournal(scratch.database, 3, now)).toBe(12_345)
  expect(await left()).toEqual([12_346])
})

async function writeNews(count: number, createdAt: number): Promise<void> {
  await scratch.database.rows(sql`
    insert into journal (account_id, entity_type, entity_id, actions, created_by, created_at)
    select 1, 'leads', n, '{add}', 0, ${createdAt}::bigint from generate_series(1, ${count}::int) n`)
}

async function writeFollower(name: string, low: number): Promise<void> {
  await scratch.database.rows(sql`
    insert into followers (name, low_water, system_identifier, updated_at) values (${name}, ${low}::bigint, '', 0)`)
}

async function left(): Promise<number[]> {
  const rows = await scratch.database.rows<{ id: number }>(sql`select id from journal order by id`)
  return rows.map(({ id }) => id)
}
