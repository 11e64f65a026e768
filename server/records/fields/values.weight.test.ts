// The limit on the size of all values of one record, and how much of a value an event shows.
import { beforeAll, expect, test } from 'vitest'
import { newAccount } from '../../../test/account.ts'
import type { TestAccount } from '../../../test/account.ts'
import { addEveryType, addFields, fill, readFilled, valueOf } from '../../../test/fields.ts'
import { faultsOf, listen } from '../../../test/leads.ts'
import { addRecord } from '../../../test/records.ts'
import type { Field } from './definitions.ts'
import { valueNews } from './values.ts'

const heaviest = 262_144
const tooLong = ['TooLong custom_fields_values']

let account: TestAccount
let texts: Field[]
beforeAll(async () => {
  account = await newAccount()
  texts = await addFields(
    account,
    'leads',
    Array.from({ length: 5 }, () => ({ type: 'textarea' as const })),
  )
})

/** Stored values of the first fields with this total size. */
function weighing(weight: number, { letter = 'x', width = 1, count = 5 } = {}) {
  const few = texts.slice(0, count)
  let left = weight - JSON.stringify(Object.fromEntries(few.map(({ id }) => [id, ['']]))).length
  return few.map((field) => {
    const length = Math.min(60_000, Math.floor(left / width))
    left -= length * width
    return valueOf(field, { value: letter.repeat(length) })
  })
}

test('values of a record take 262,144 characters of JSON, and not one more', async () => {
  const id = await addRecord(account.api, 'leads', { custom_fields_values: weighing(heaviest) })
  expect(await readFilled(account.api, 'leads', id)).toHaveLength(5)
  const refused = await account.api.post('/api/v4/leads', [
    { name: 'Light' },
    { custom_fields_values: weighing(heaviest + 1) },
    { custom_fields_values: weighing(heaviest + 2, { letter: '"', width: 2, count: 3 }) },
  ])
  expect([refused.status, faultsOf(refused)]).toEqual([400, { 1: tooLong, 2: tooLong }])
})

test('what is there counts, what the change takes away does not', async () => {
  const id = await addRecord(account.api, 'leads', {
    custom_fields_values: weighing(200_000, { count: 4 }),
  })
  const last = valueOf(texts[4]!, { value: 'y'.repeat(62_145) })
  const before = await readFilled(account.api, 'leads', id)
  expect(faultsOf(await fill(account.api, 'leads', id, last))).toEqual({ 0: tooLong })
  expect(await readFilled(account.api, 'leads', id)).toEqual(before)
  expect((await fill(account.api, 'leads', id, valueOf(texts[0]!), last)).status).toBe(200)
  const one = (custom_fields_values: object[]) => ({ id, custom_fields_values })
  const twice = [one([valueOf(texts[1]!)]), one(weighing(240_000, { count: 4 }))]
  expect(faultsOf(await account.api.patch('/api/v4/leads', twice))).toEqual({ 1: tooLong })
})

test('an event tells the first 2,000 characters of a text and cuts no letter in two', async () => {
  const id = await addRecord(account.api, 'leads')
  const newsSince = await listen(account)
  await fill(
    account.api,
    'leads',
    id,
    valueOf(texts[0]!, { value: `${'x'.repeat(1999)}\u{1f600}${'y'.repeat(9000)}` }),
  )
  await fill(account.api, 'leads', id, valueOf(texts[0]!, { value: 'z'.repeat(2000) }))
  const { events } = await newsSince()
  const textsIn = (side: unknown) =>
    (side as { custom_field_value: { text: string } }[]).map((each) => each.custom_field_value.text)
  const cut = [`${'x'.repeat(1999)}\ufffd`]
  expect(events.map((event) => [event['value_before'], event['value_after']].map(textsIn))).toEqual(
    [...[0, 1].map(() => [[], cut]), ...[0, 1].map(() => [cut, ['z'.repeat(2000)]])],
  )
})

test('an event tells 250 values on a side at most', async () => {
  const { multitext } = await addEveryType(account, 'contacts')
  const fields = {
    version: 1,
    timezone: 'UTC',
    list: [multitext],
    byId: new Map(),
    byCode: new Map(),
    gone: [],
  }
  const values = Array.from({ length: 300 }, (_, place): [string, number] => [
    `${place}`,
    multitext.enums[0]!.id,
  ])
  const [event] = valueNews(
    fields,
    { [multitext.id]: values },
    { [multitext.id]: values.toReversed() },
  )
  expect([event!.value_before, event!.value_after].map((side) => side.length)).toEqual([250, 250])
})
