// Removed keys are found by the whole key, however many records have the field.
import sql from 'sql-template-tag'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { admin, plansOn } from '../../../test/plans.ts'
import type { Plans } from '../../../test/plans.ts'
import { scratchDatabase } from '../../../test/scratch.ts'
import type { Scratch } from '../../../test/scratch.ts'
import { changeKeys, removeKeys, textKey } from './field-index.ts'

let scratch: Scratch
let plans: Plans

beforeAll(async () => {
  scratch = await scratchDatabase()
  plans = await plansOn(scratch.database)
  const client = await scratch.database.connection()
  for (const [table, value] of [
    ['field_numbers', 'n % 10'],
    ['field_texts', `'text ' || n % 10`],
  ])
    await client.query(`
      insert into ${table} (account_id, field_id, entity_type, value, entity_id)
      select 1 + n % 2, 1 + n % 3, 'leads', ${value}, n from generate_series(1, 100000) n`)
  await client.query(
    `insert into record_texts select 1 + n % 2, 'leads', n, 'text ' || n, 'text ' || n from generate_series(1, 100000) n`,
  )
  await client.query('vacuum analyze')
  await client.end()
})

afterAll(() => scratch.drop())

const number = { field_id: 1, value: 5 }
const text = { field_id: 1, value: 'Text 5' }
const keys = { numbers: [number], texts: [text] }

test.each([
  [
    'changed',
    changeKeys(admin, 'leads', [{ id: 3, added: keys, removed: keys, staying: [text], text: 'x' }]),
  ],
  ['removed', removeKeys(admin, 'leads', [{ id: 3, ...keys }])],
])('where they are %s', async (_, statement) => {
  const steps = await plans.explainNamed(statement)
  const tables = ['field_numbers', 'field_texts']
  const scans = steps.filter(
    (step) => step['Node Type'].endsWith('Scan') && tables.includes(step['Relation Name'] ?? ''),
  )
  expect(scans.map((step) => step['Relation Name'] ?? '').toSorted()).toEqual(tables)
  for (const { 'Index Cond': condition } of scans)
    for (const column of ['account_id', 'field_id', 'entity_type', 'value', 'entity_id'])
      expect(condition).toContain(`${column} = `)
  // The partitions of other entity types are empty here and are pruned when the statement runs.
  const isOther = /^record_texts_of_(?!leads)/
  const seq = steps.filter(
    (step) => step['Node Type'] === 'Seq Scan' && !isOther.test(step['Relation Name'] ?? ''),
  )
  expect(seq).toEqual([])
})

test('a text is looked up in the order of the index', async () => {
  const steps = await plans.explainNamed(sql`
    select from field_texts where account_id = 1 and field_id = 1 and entity_type = 'leads' and value = ${textKey(sql`${'Text 5'}::text`)}`)
  expect(steps.map((step) => step['Index Cond']).join('')).toContain('value = ')
})
