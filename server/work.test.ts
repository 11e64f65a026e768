import sql from 'sql-template-tag'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { scratchDatabase } from '../test/scratch.ts'
import type { Scratch } from '../test/scratch.ts'
import { readConfig } from './config.ts'
import type { Kontor } from './kontor.ts'
import { hourlyUpkeep } from './work.ts'

let scratch: Scratch
beforeAll(async () => {
  scratch = await scratchDatabase()
})
afterAll(() => scratch.drop())

test('a task of the upkeep that fails is logged, and the others are done', async () => {
  const { database } = scratch
  await database.transaction(async (tx) => {
    await tx.rows(sql`drop table journal cascade`)
    await tx.rows(sql`insert into accounts (id, subdomain, name, created_at, updated_at)
      values (1, 'one', 'One', 0, 0)`)
    await tx.rows(sql`insert into idempotency_keys (account_id, hash, request_hash, created_at, status, body)
      values (1, 'old', '', 1000, 204, ''), (1, 'young', '', 1001, 204, '')`)
    await tx.rows(sql`insert into merges (account_id, entity_type, into_id, from_id, before, after, links, elements,
        notes, tasks, chats, talks, messages, created_by, created_at, undo_until, undone_at, undone_by)
      select 1, 'contacts', 1, from_id, '{"name":"x"}', '{}', '[]', '[]', '{}', '{}', '{}', '{}', '{}', 0, created_at, 0, 0, 0
        from (values (2, -30 * 86400), (3, 1000)) merged (from_id, created_at)`)
  })
  const logged: unknown[] = []
  const kontor = { database, config: readConfig({}), now: () => 1000 + 86_400 } as Kontor
  await hourlyUpkeep(kontor, { error: (about: unknown) => void logged.push(about) })
  expect(logged).toMatchObject([{ task: 'drop passed journal rows', err: { code: '42P01' } }])
  const left = await database.rows<{ hash: Buffer }>(sql`select hash from idempotency_keys`)
  expect(left.map(({ hash }) => String(hash))).toEqual(['young'])
  expect(
    await database.rows(sql`select from_id, before::text as before from merges order by from_id`),
  ).toEqual([
    { from_id: 2, before: '{}' },
    { from_id: 3, before: '{"name":"x"}' },
  ])
})
