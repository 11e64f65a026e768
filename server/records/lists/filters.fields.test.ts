// Invalid filters by custom fields, for each type of field.
import { beforeAll, expect, test } from 'vitest'
import { newAccount } from '../../../test/account.ts'
import type { TestAccount } from '../../../test/account.ts'
import { addFields } from '../../../test/lists/fields.ts'
import { detailsOf } from '../../../test/lists/refused.ts'
import { pathOf } from '../../../test/records.ts'
import type { Field } from '../fields/definitions.ts'

let account: TestAccount
let fields: Record<string, Field>
beforeAll(async () => {
  account = await newAccount()
  await addFields(account, 'contacts')
  fields = Object.fromEntries(
    (await addFields(account, 'leads')).map((field) => [field.type, field]),
  )
})

const text = 'It takes filter[custom_fields_values][#][]=<text>.'
const number =
  'It takes filter[custom_fields_values][#][]=<number>, or filter[custom_fields_values][#][from]=<number> and filter[custom_fields_values][#][to]=<number>.'
const day = '[from]=<Unix seconds or day.month.year>'
const choice = '[]=<id of a choice>.'
test.for<[type: string, asked: string, code: string, at: string, forms: string]>([
  ...[
    '',
    'x',
    '1e5',
    '0x1',
    '+1',
    '.5',
    '1.',
    '1,5',
    ' 1',
    'NaN',
    'Infinity',
    '1'.repeat(21),
    `1.${'1'.repeat(11)}`,
  ].map(
    (value) =>
      ['numeric', `[]=${encodeURIComponent(value)}`, 'InvalidFormat', '', number] as [
        string,
        string,
        string,
        string,
        string,
      ],
  ),
  ['numeric', '[from]=x', 'InvalidFormat', '[from]', number],
  ['monetary', '[from]=1&[to]=', 'InvalidFormat', '[to]', number],
  ['checkbox', '=true', 'InvalidFormat', '', '[]=<1 or 0>.'],
  ['checkbox', '=', 'InvalidFormat', '', '[]=<1 or 0>.'],
  ['checkbox', '[from]=1', 'NotSupportedChoice', '', '[]=<1 or 0>.'],
  ['select', '=North', 'NotSupportedChoice', '', choice],
  ['select', '=', 'NotSupportedChoice', '', choice],
  ['multiselect', '=-1', 'NotSupportedChoice', '', choice],
  ['radiobutton', '=999999999', 'NotSupportedChoice', '', choice],
  ['radiobutton', '=1e3', 'NotSupportedChoice', '', choice],
  ['select', '[to]=5', 'NotSupportedChoice', '', choice],
  ['date', '=yesterday', 'InvalidFormat', '', day],
  ['date', '=', 'InvalidFormat', '', day],
  ['date', '[from]=31.02.2026', 'InvalidFormat', '[from]', day],
  ['date', '[from]=1.13.2026', 'InvalidFormat', '[from]', day],
  ['date', '[to]=2026-01-01', 'InvalidFormat', '[to]', day],
  ['birthday', '=9999999999999999', 'InvalidFormat', '', day],
  ['birthday', '[to]=-62135596801', 'InvalidFormat', '[to]', day],
  ['date_time', '=253402300800', 'InvalidFormat', '', day],
  ['date_time', '[from]=1.5', 'InvalidFormat', '[from]', day],
  [
    'smart_address',
    '[from]=1',
    'NotSupportedChoice',
    '',
    'no filter by fields of the type smart_address',
  ],
  ['text', '[from]=a', 'NotSupportedChoice', '', text],
  ['url', '[to]=a', 'NotSupportedChoice', '', text],
  [
    'smart_address',
    '=a',
    'NotSupportedChoice',
    '',
    'no filter by fields of the type smart_address',
  ],
  ['legal_entity', '=a', 'NotSupportedChoice', '', 'no filter by fields of the type legal_entity'],
  [
    'legal_entity',
    '[from]=1',
    'NotSupportedChoice',
    '',
    'no filter by fields of the type legal_entity',
  ],
  ['chained_list', '=1', 'NotSupportedChoice', '', 'no filter by fields of the type chained_list'],
  ['file', '=1', 'NotSupportedChoice', '', 'no filter by fields of the type file'],
])('a field of the type %s is not filtered by %s', async ([type, asked, code, at, forms]) => {
  const parameter = `filter[custom_fields_values][${fields[type]!.id}]`
  const answer = await account.api.get(
    `/api/v4/leads?${asked
      .split('&')
      .map((each) => `${parameter}${each}`)
      .join('&')}`,
  )
  expect(answer.status).toBe(400)
  expect(detailsOf(answer)).toEqual([
    { code, path: `${parameter}${at}`, detail: expect.any(String) },
  ])
  expect(detailsOf(answer)[0]!.detail).toContain(forms.replaceAll('#', String(fields[type]!.id)))
})

test('a field that is not there, or of another kind or account, is refused', async () => {
  const theirs = (await addFields(await newAccount(), 'leads', ['text'])).at(-1)!
  for (const id of [fields['text']!.id, theirs.id, 0, 999_999_999, 9_999_999_999_999_999n]) {
    const answer = await account.api.get(
      `${pathOf('companies')}?filter[custom_fields_values][${id}]=x`,
    )
    expect([answer.status, detailsOf(answer)]).toEqual([
      400,
      [
        {
          code: 'NotSupportedChoice',
          path: `filter[custom_fields_values][${id}]`,
          detail: `There is no custom field ${id} of companies.`,
        },
      ],
    ])
  }
})
