// The values of fields as a card types them, shows them and compares them.
import { expect, test } from 'vitest'
import { changedMembers, membersOf, withKeptObjects } from '../../web/features/card/record.ts'
import type { Draft, Field, FieldType, Values } from '../../web/crm/fields/field.ts'
import { linkOf } from '../../web/crm/fields/labelled.ts'
import {
  copiedText,
  draftOf,
  fieldKinds,
  pastedDraft,
  valuesOf,
} from '../../web/crm/fields/types.ts'
import { momentAt } from '../../web/ui/day.ts'
import { readTypedNumber, typedNumber } from '../../web/ui/number.ts'

const numbers = {
  read: (typed: string) => readTypedNumber(typed, 'en'),
  typed: (number: string) => typedNumber(number, 'en'),
}
const zones = { account: 'Europe/Riga', user: 'America/New_York' }
const means = { zones, numbers, isMonthFirst: false }
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
  expect(draftOf(of, values, means)).toEqual(draft)
  expect(valuesOf(of, draft, means)).toEqual(values)
})

const at = (zone: 'account' | 'user', clock: string) => momentAt(clock, zones[zone])

/** Of every type: values, the text that the clipboard gets, and what it makes of texts that people and spreadsheets write. */
const clipboard: Record<
  FieldType,
  { of: Field; values: Values; text: string; pasted?: [text: string, values: Values | 'nothing'][] }
> = {
  text: {
    of: field('text'),
    values: [{ value: 'Pump' }],
    text: 'Pump',
    pasted: [
      ['two\r\nlines\r\n', [{ value: 'two lines' }]],
      [' \n', null],
    ],
  },
  url: { of: field('url'), values: [{ value: 'kontor.example' }], text: 'kontor.example' },
  textarea: {
    of: field('textarea'),
    values: [{ value: 'two\nlines' }],
    text: 'two\nlines',
    pasted: [['two\r\nlines', [{ value: 'two\nlines' }]]],
  },
  streetaddress: { of: field('streetaddress'), values: [{ value: 'Elm 1' }], text: 'Elm 1' },
  tracking_data: { of: field('tracking_data'), values: [{ value: 'mail' }], text: 'mail' },
  numeric: {
    of: field('numeric'),
    values: [{ value: '1234.5' }],
    text: '1234.5',
    pasted: [
      ['1,234.50', [{ value: '1234.5' }]],
      ['', null],
    ],
  },
  monetary: {
    of: field('monetary', { currency: 'EUR' }),
    values: [{ value: '54000' }],
    text: '54000',
    pasted: [
      ['54,000.00', [{ value: '54000' }]],
      ['12\n345', 'nothing'],
      ['12\t345', 'nothing'],
    ],
  },
  price: { of: field('price'), values: [{ value: '7' }], text: '7' },
  checkbox: {
    of: field('checkbox'),
    values: [{ value: true }],
    text: 'TRUE',
    pasted: [
      ['нет', null],
      ['Sí', [{ value: true }]],
      ['perhaps', 'nothing'],
    ],
  },
  select: {
    of: field('select', { enums }),
    values: [{ value: 'Courier', enum_id: 5, enum_code: 'courier' }],
    text: 'Courier',
    pasted: [
      ['post\n', [{ value: 'Post', enum_id: 6, enum_code: null }]],
      ['Pigeon', 'nothing'],
      ['', null],
    ],
  },
  radiobutton: {
    of: field('radiobutton', { enums }),
    values: [{ value: 'Post', enum_id: 6, enum_code: null }],
    text: 'Post',
  },
  multiselect: {
    of: field('multiselect', { enums }),
    values: [
      { value: 'Courier', enum_id: 5, enum_code: 'courier' },
      { value: 'Post', enum_id: 6, enum_code: null },
    ],
    text: 'Courier\nPost',
    pasted: [
      [
        'post; courier',
        [
          { value: 'Courier', enum_id: 5, enum_code: 'courier' },
          { value: 'Post', enum_id: 6, enum_code: null },
        ],
      ],
      ['Post, Pigeon', 'nothing'],
      ['', null],
    ],
  },
  category: {
    of: field('category', { enums }),
    values: [{ value: 'Post', enum_id: 6, enum_code: null }],
    text: 'Post',
  },
  date: {
    of: field('date'),
    values: [{ value: at('account', '2026-12-31T00:00') }],
    text: '2026-12-31',
    pasted: [
      ['31.12.2026', [{ value: at('account', '2026-12-31T00:00') }]],
      ['12/11/2026', [{ value: at('account', '2026-11-12T00:00') }]],
      ['2026-12-31 00:00:00', [{ value: at('account', '2026-12-31T00:00') }]],
      ['31.02.2026', 'nothing'],
      ['31.12.2026-05.01.2027', 'nothing'],
      ['soon', 'nothing'],
      ['', null],
    ],
  },
  birthday: {
    of: field('birthday'),
    values: [{ value: at('account', '1966-11-05T00:00') }],
    text: '1966-11-05',
  },
  date_time: {
    of: field('date_time'),
    values: [{ value: at('user', '2026-12-31T15:05') }],
    text: '2026-12-31 15:05',
    pasted: [
      ['31/12/2026 3:05 PM', [{ value: at('user', '2026-12-31T15:05') }]],
      ['31.12.2026', [{ value: at('user', '2026-12-31T00:00') }]],
      ['31.12.2026 25:00', 'nothing'],
    ],
  },
  multitext: {
    of: field('multitext', { code: 'PHONE', enums }),
    values: [
      { value: '+371 2', enum_id: 5 },
      { value: '+371 3', enum_id: 5 },
    ],
    text: '+371 2\n+371 3',
  },
  smart_address: {
    of: field('smart_address'),
    values: [
      { value: 'Elm 1', enum_id: 1 },
      { value: 'Riga', enum_id: 3 },
    ],
    text: 'Elm 1\n\nRiga',
    pasted: [['1\n2\n3\n4\n5\n6\n7', 'nothing']],
  },
  legal_entity: {
    of: field('legal_entity'),
    values: [{ value: { name: 'Acme', address: 'Elm 1' } }, { value: { name: 'Bolt' } }],
    text: 'Acme\n-\n-\nElm 1\n\nBolt',
  },
  chained_list: {
    of: field('chained_list'),
    values: [{ catalog_id: 1, catalog_element_id: 2 }],
    text: '',
    pasted: [['2', 'nothing']],
  },
  file: {
    of: field('file'),
    values: [{ value: { file_uuid: 'x', file_name: 'plan.pdf' } }],
    text: 'plan.pdf',
    pasted: [['plan.pdf', 'nothing']],
  },
  items: {
    of: field('items'),
    values: [{ value: { name: 'Pump' } }],
    text: 'Pump',
    pasted: [['Pump', 'nothing']],
  },
  payer: { of: field('payer'), values: [{ value: { name: 'Acme' } }], text: 'Acme' },
  supplier: { of: field('supplier'), values: [{ value: { name: 'Acme' } }], text: 'Acme' },
  linked_entity: {
    of: field('linked_entity'),
    values: [{ value: { name: 'Acme' } }],
    text: 'Acme',
  },
}

test.each(Object.entries(clipboard))(
  '%s is copied and pasted',
  (_type, { of, values, text, pasted = [] }) => {
    const read = (typed: string, writing = means) => {
      const draft = pastedDraft(of, typed, writing)
      return draft === undefined ? 'nothing' : valuesOf(of, draft, means)
    }
    expect(copiedText(of, values, means)).toBe(text)
    // A type that takes anything takes the text that it copies.
    if (fieldKinds[of.type].pasted) expect(read(text)).toEqual(values)
    expect(pasted.map(([typed]) => read(typed))).toEqual(pasted.map(([, meant]) => meant))
  },
)

test('a pasted name of two choices means none, unless one is the same to the letter', () => {
  const people = [
    { id: 1, value: 'Ann' },
    { id: 2, value: 'ann' },
    { id: 3, value: 'Bob' },
    { id: 4, value: 'Bob' },
  ]
  const draft = (text: string) => pastedDraft(field('select', { enums: people }), text, means)
  expect(['ann', 'Ann', 'ANN', 'Bob'].map(draft)).toEqual(['2', '1', undefined, undefined])
})

test('what a pasted text does not say stays: labels of phones, members without a line in the form', () => {
  const phones = field('multitext', { code: 'PHONE', enums })
  const known = [{ value: '+371 2', enum_id: 6 }]
  expect(pastedDraft(phones, '+371 2\n+371 9', means, known)).toEqual([
    { value: '+371 2', enum_id: 6 },
    { value: '+371 9', enum_id: 5 },
  ])
  const entity = [{ value: { name: 'Acme', oked: '1' } }]
  expect(pastedDraft(field('legal_entity'), 'Bolt', means, entity)).toMatchObject([
    { name: 'Bolt', oked: '1' },
  ])
})

test('a pasted day is read as the user writes days', () => {
  const draft = (text: string) => pastedDraft(field('date'), text, { ...means, isMonthFirst: true })
  expect(draft('11/12/2026')).toBe('2026-11-12')
  expect(draft('11.12.2026')).toBe('2026-12-11')
})

test('an address has a line for each of its parts, and keeps the filled ones', () => {
  const address = field('smart_address')
  const draft = draftOf(address, [{ value: 'Riga', enum_id: 3 }], means)
  expect(draft).toHaveLength(6)
  expect(valuesOf(address, draft, means)).toEqual([{ value: 'Riga', enum_id: 3 }])
})

test.each<[string, Field, Draft]>([
  ['spaces', field('text'), '  '],
  ['no choice', field('select', { enums }), ''],
  ['no choices', field('multiselect', { enums }), []],
  ['phones without digits', field('multitext', { enums }), [{ value: ' ', enum_id: 5 }]],
  ['an entity without anything', field('legal_entity'), [{ name: '' }]],
])('%s empty a field', (_name, of, draft) => {
  expect(valuesOf(of, draft, means)).toBeNull()
})

test('what is no number and no date is said', () => {
  expect(valuesOf(field('numeric'), 'ten', means)).toEqual({ fault: 'noNumber' })
  expect(valuesOf(field('date'), '2026-13-45', means)).toBe('date')
  expect(valuesOf(field('date'), '0002-05-06', means)).toBe('date')
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
