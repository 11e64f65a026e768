// The values of fields as a card types them, shows them and compares them.
import { expect, test } from 'vitest'
import { changedMembers, membersOf, withKeptObjects } from '../../web/features/card/record.ts'
import type { Draft, Field, FieldType, Values } from '../../web/crm/fields/field.ts'
import { linkOf } from '../../web/crm/fields/labelled.ts'
import { draftOf, valuesOf } from '../../web/crm/fields/types.ts'
import { readTypedNumber, typedNumber } from '../../web/ui/number.ts'

const numbers = {
  read: (typed: string) => readTypedNumber(typed, 'en'),
  typed: (number: string) => typedNumber(number, 'en'),
}
const zones = { account: 'Europe/Riga', user: 'America/New_York' }
const enums = [
  { id: 5, value: 'Courier', code: 'courier' },
  { id: 6, value: 'Post', code: null },
]
const field = (type: FieldType, rest: Partial<Field> = {}): Field => ({
  id: 1,
  name: 'Field',
  type,
  code: null,
  currency: null,
  enums: null,
  chained_lists: null,
  ...rest,
})

/** The draft that an editor begins with, and the values that it saves unchanged. */
test.each<[string, Field, Values, Draft]>([
  ['a text', field('text'), [{ value: 'Pump' }], 'Pump'],
  ['a number', field('numeric'), [{ value: '12.5' }], '12.5'],
  ['money', field('monetary', { currency: 'EUR' }), [{ value: '54000' }], '54000'],
  // Midnight in Riga is still the day before in New York.
  ['a day', field('date'), [{ value: 1_767_218_400 }], '2026-01-01'],
  ['a birthday before 1970', field('birthday'), [{ value: -99_630_000 }], '1966-11-05'],
  ['a moment', field('date_time'), [{ value: 1_767_218_400 }], '2025-12-31T17:00'],
  [
    'a choice',
    field('select', { enums }),
    [{ value: 'Courier', enum_id: 5, enum_code: 'courier' }],
    '5',
  ],
  [
    'choices',
    field('multiselect', { enums }),
    [
      { value: 'Courier', enum_id: 5, enum_code: 'courier' },
      { value: 'Post', enum_id: 6, enum_code: null },
    ],
    ['5', '6'],
  ],
  [
    'phones',
    field('multitext', { code: 'PHONE', enums }),
    [{ value: '+371 2', enum_id: 6 }],
    [{ value: '+371 2', enum_id: 6 }],
  ],
  [
    'a legal entity',
    field('legal_entity'),
    [{ value: { name: 'Acme', oked: '1' } }],
    [{ name: 'Acme', oked: '1' }],
  ],
  [
    'a chain of catalogs',
    field('chained_list'),
    [{ catalog_id: 1, catalog_element_id: 2 }],
    [{ catalog_id: 1, catalog_element_id: 2 }],
  ],
])('%s is typed and saved as it was', (_name, of, values, draft) => {
  expect(draftOf(of, values, { zones, numbers })).toEqual(draft)
  expect(valuesOf(of, draft, { zones, numbers })).toEqual(values)
})

test('an address has a line for each of its parts, and keeps the filled ones', () => {
  const address = field('smart_address')
  const draft = draftOf(address, [{ value: 'Riga', enum_id: 3 }], { zones, numbers })
  expect(draft).toHaveLength(6)
  expect(valuesOf(address, draft, { zones, numbers })).toEqual([{ value: 'Riga', enum_id: 3 }])
})

test.each<[string, Field, Draft]>([
  ['spaces', field('text'), '  '],
  ['no choice', field('select', { enums }), ''],
  ['no choices', field('multiselect', { enums }), []],
  ['phones without digits', field('multitext', { enums }), [{ value: ' ', enum_id: 5 }]],
  ['an entity without anything', field('legal_entity'), [{ name: '' }]],
])('%s empty a field', (_name, of, draft) => {
  expect(valuesOf(of, draft, { zones, numbers })).toBeNull()
})

test('what is no number and no date is said', () => {
  expect(valuesOf(field('numeric'), 'ten', { zones, numbers })).toEqual({ fault: 'noNumber' })
  expect(valuesOf(field('date'), '2026-13-45', { zones, numbers })).toBe('date')
  expect(valuesOf(field('date'), '0002-05-06', { zones, numbers })).toBe('date')
})

test.each([
  ['multitext', 'PHONE', '+7 (900) 111-22-33', 'tel:+79001112233'],
  ['multitext', 'PHONE', 'ask Jana', undefined],
  ['multitext', 'EMAIL', 'jana@example.com', 'mailto:jana@example.com'],
  ['multitext', 'EMAIL', 'jana', undefined],
  ['url', null, 'https://example.com/a', 'https://example.com/a'],
  ['url', null, 'example.com/a?b', 'https://example.com/a?b'],
  ['url', null, 'javascript:alert(1)', undefined],
  ['url', null, 'not a page', undefined],
  ['text', null, 'https://example.com', undefined],
])('a value of %s %s, %j, leads to %j', (type, code, value, to) => {
  expect(linkOf(type, code, value)).toBe(to)
})

test('a record is its members, and a change names the ones that differ', () => {
  const record = (price: number, text: string | undefined) =>
    membersOf({
      record: {
        id: 7,
        name: 'Pump',
        price,
        custom_fields_values:
          text === undefined ? null : [{ field_id: 3, values: [{ value: text }] }],
        _embedded: { tags: [{ id: 1, name: 'vip', color: null }], source: null },
      } as never,
    })
  const [before, after] = [record(1, 'a'), record(2, undefined)]
  expect(before).toEqual({
    id: 7,
    name: 'Pump',
    price: 1,
    tags: [{ id: 1, name: 'vip', color: null }],
    source: null,
    'field 3': [{ value: 'a' }],
  })
  expect(changedMembers(before, after).toSorted()).toEqual(['field 3', 'price'])
  expect(withKeptObjects(before, after).tags).toBe(before.tags)
  expect(withKeptObjects(before, record(1, 'b'))['field 3']).toEqual([{ value: 'b' }])
})
