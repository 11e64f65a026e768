// The bench's large account on a small scale. Its generator bypasses the verbs, but must write the
// same rows as they do.
import sql from 'sql-template-tag'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fillLarge } from '../bench/large.ts'
import { openLargeAccount } from '../bench/large/account.ts'
import type { LargeAccount } from '../bench/large/account.ts'
import { rareName } from '../bench/large/records.ts'
import { markers } from '../bench/large/words.ts'
import { readConfig } from '../server/config.ts'
import { openKontor } from '../server/open.ts'
import { scratchDatabase } from './scratch.ts'
import type { Scratch } from './scratch.ts'

let scratch: Scratch
let account: LargeAccount
let before: object[]

const indexes = () =>
  scratch.database.list(
    sql`select indexname, indexdef from pg_indexes where schemaname = 'public' order by indexname`,
  )
const count = async (from: ReturnType<typeof sql>) =>
  (await scratch.database.list<{ count: number }>(sql`select count(*) as count from ${from}`))[0]!
    .count

beforeAll(async () => {
  scratch = await scratchDatabase()
  const config = readConfig({ DATABASE_URL: scratch.url, KONTOR_SECRET_KEY: 'the key of the test' })
  const { kontor, close } = await openKontor(config, 'test', () => undefined)
  before = await indexes()
  account = await kontor.database.transaction((tx) => openLargeAccount(tx, kontor, 2000))
  await fillLarge(scratch.url, account, () => undefined)
  await close()
})
afterAll(() => scratch.drop())

test('all indexes are there again', async () => {
  expect(await indexes()).toEqual(before)
})

test('there are as many records, notes and events as leads ask for', async () => {
  expect(await count(sql`leads`)).toBe(2000)
  expect(await count(sql`contacts`)).toBe(1000)
  expect(await count(sql`companies`)).toBe(100)
  expect(await count(sql`record_texts`)).toBe(3100)
  expect(await count(sql`events`)).toBe(10_000)
  expect(await count(sql`notes where note_type = 'entity_added'`)).toBe(3100)
  expect(await count(sql`notes where note_type <> 'entity_added'`)).toBe(400)
})

test('every value that can be compared has its row, and no row is without a value', async () => {
  const kept = sql`
    (select record.id, field.id as field_id, value from leads record, jsonb_each(custom_fields_values) held (key, list),
            jsonb_array_elements(list) value, custom_fields field
      where field.entity_type = 'leads' and field.id = key::bigint and field.type not in ('smart_address', 'legal_entity')) kept`
  const rows = sql`
    (select entity_id, field_id, value::text from field_numbers where entity_type = 'leads'
      union all select entity_id, field_id, value from field_texts where entity_type = 'leads') rows`
  expect(await count(kept)).toBeGreaterThan(20_000)
  expect(await count(rows)).toBe(await count(kept))
  const asText = sql`lower(case kept.value when 'true' then '1' when 'false' then '0' else kept.value #>> '{}' end collate kontor)`
  const isSame = sql`rows.entity_id = kept.id and rows.field_id = kept.field_id and rows.value = ${asText}`
  expect(await count(sql`${rows} join ${kept} on ${isSame}`)).toBe(await count(kept))
})

test('links are the same from both ends', async () => {
  expect(await count(sql`links`)).toBeGreaterThan(6000)
  expect(
    await count(sql`links link where not exists (
      select from links other where (other.from_type, other.from_id) = (link.to_type, link.to_id)
         and (other.to_type, other.to_id) = (link.from_type, link.from_id) and other.is_main = link.is_main)`),
  ).toBe(0)
})

test('what is rare is in fifty records, none of them in the bin', async () => {
  const { rare, people, fields } = account
  const { pipeline_id, status_id } = rare.status
  const rarities = [
    sql`name = ${rareName}`,
    sql`name like ${`% ${markers.leads} %`}`,
    sql`(pipeline_id, status_id) = (${pipeline_id}::bigint, ${status_id}::bigint)`,
    sql`pipeline_id = ${rare.pipeline.id}`,
    sql`responsible_user_id = ${people.rare}`,
    sql`created_by = ${people.rare}`,
    sql`custom_fields_values -> ${String(fields.leads['Channel']!.id)} @> ${String(fields.leads['Channel']!.enums[7])}::jsonb`,
    sql`responsible_user_id = ${people.sellers[0]} and custom_fields_values -> ${String(fields.leads['Region']!.id)}
          @> ${String(fields.leads['Region']!.enums[0])}::jsonb`,
  ]
  for (const rarity of rarities)
    expect(await count(sql`leads where not is_deleted and ${rarity}`)).toBe(50)
  expect(await count(sql`leads where is_deleted`)).toBeGreaterThan(10)
})
