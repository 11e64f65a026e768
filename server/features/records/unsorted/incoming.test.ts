// The entity data of the version-2 intake becomes drafts of version 4, whatever form it comes in.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { newFaults } from '../../../http/batch.ts'
import { formatNested, formBounds, parseNested } from '../../../http/nested.ts'
import type { Tellable } from '../../../http/nested.ts'
import type { Enum, Field, Fields } from '../../../records/fields/definitions.ts'
import { readValues } from '../../../records/fields/sent.ts'
import { addressParts, fieldTypeFacts, fieldTypes } from '../../../records/fields/types.ts'
import type { FieldType } from '../../../records/fields/types.ts'
import type { SentRecord } from '../../../records/schema.ts'
import { readIncoming } from './incoming.ts'
import type { PartType } from './schema.ts'

const enumsOf = (from: number, names: string[]): Enum[] =>
  names.map((value, index) => ({ id: from + index, value, sort: index, code: value.toUpperCase() }))
const labels = enumsOf(501, ['Work', 'Mob', 'Home', 'Other'])
/** One has the text and the code that look like the id of another. */
const choices = enumsOf(125, ['Red', 'Green', '125 %', '126'])

const types = ['leads', 'contacts', 'companies'] as const
const withChoices = new Set<FieldType>(['select', 'multiselect', 'radiobutton'])

/** The types that the entities of an item may have: their own, and those of predefined fields. */
const typesOn = (type: PartType): FieldType[] => [
  'multitext',
  ...(Object.keys(fieldTypes) as FieldType[]).filter((each) =>
    fieldTypes[each].on.some((on) => on === type),
  ),
]

const fieldsOn = (type: PartType): Fields => {
  const list = typesOn(type).map((each, index): Field => ({
    id: 1001 + index,
    name: each,
    type: each,
    code: each === 'multitext' ? 'PHONE' : each.toUpperCase(),
    isRequired: false,
    enums: withChoices.has(each)
      ? choices
      : each === 'multitext'
        ? labels
        : each === 'smart_address'
          ? addressParts
          : [],
  }))
  return {
    version: 1,
    timezone: 'Europe/Berlin',
    storedTimezone: 'Europe/Berlin',
    list,
    byId: new Map(list.map((field) => [field.id, field])),
    byCode: new Map(list.map((field) => [field.code!, field])),
    gone: [],
  }
}
const fields = {
  leads: fieldsOn('leads'),
  contacts: fieldsOn('contacts'),
  companies: fieldsOn('companies'),
}
const field = (type: FieldType, on: PartType = 'contacts') =>
  fields[on].list.find((each) => each.type === type)!

const asForm = (given: object) =>
  parseNested(formatNested({ given: given as Tellable }), formBounds)['given'] ?? []

/** The values of a draft as they are stored; throws for values that version 4 refuses. */
function keptOf(type: PartType, draft: SentRecord) {
  const faults = newFaults()
  const item = { index: 0, request_id: '0', value: draft }
  const kept = readValues(fields[type], faults, item, draft.custom_fields_values)
  faults.throwIfAny()
  return Object.fromEntries([...kept].filter(([, values]) => values.length > 0))
}

const read = (given: unknown) => {
  const { faults, ...rest } = readIncoming(given, fields)
  expect(faults).toEqual([])
  return rest
}
const faultsOf = (given: unknown) =>
  readIncoming(given, fields).faults.map(({ code, path }) => `${code} ${path}`)

describe.each([
  ['JSON', (given: object): unknown => given],
  ['a form', asForm],
])('from %s', (_, sent) => {
  test.each<[string, type: PartType, given: object, draft: object]>([
    ['a name', 'leads', { name: 'Call back' }, { name: 'Call back' }],
    [
      'both parts of a name',
      'contacts',
      { first_name: 'A', last_name: 'B' },
      { first_name: 'A', last_name: 'B' },
    ],
    ['a price', 'leads', { price: 1500 }, { price: 1500 }],
    ['a fraction, which is cut off', 'leads', { price: '1500.9' }, { price: 1500 }],
    ['a price as sale', 'leads', { sale: 1500 }, { price: 1500 }],
    ['two names of the price', 'leads', { sale: 1, price: 2 }, { price: 2 }],
    ['an empty price beside a sale', 'leads', { sale: 1, price: '' }, { price: 1 }],
    ['created_at', 'contacts', { created_at: 1_700_000_000 }, { created_at: 1_700_000_000 }],
    ['date_create', 'contacts', { date_create: 1_700_000_000 }, { created_at: 1_700_000_000 }],
    ['a responsible user', 'companies', { responsible_user_id: 7 }, { responsible_user_id: 7 }],
    [
      'a status and a pipeline, left out',
      'leads',
      { name: 'a', status_id: 1, pipeline_id: 2 },
      { name: 'a' },
    ],
    [
      'empty texts',
      'leads',
      { name: '', price: '', sale: '', created_at: '', responsible_user_id: '', tags: '' },
      {},
    ],
    ['an id, left out', 'contacts', { id: 5, name: 'a', account_id: 1 }, { name: 'a' }],
    ['a name for the batch, left out', 'contacts', { name: 'a', request_id: 'x' }, { name: 'a' }],
    [
      'tags as a text',
      'leads',
      { tags: 'site, callback,,' },
      { _embedded: { tags: [{ name: 'site' }, { name: 'callback' }] } },
    ],
    [
      'tags as a list',
      'leads',
      { tags: ['site', 'a,b', ''] },
      { _embedded: { tags: [{ name: 'site' }, { name: 'a,b' }] } },
    ],
    [
      'tags as objects',
      'leads',
      { tags: [{ id: 3 }, { name: 'b' }] },
      { _embedded: { tags: [{ id: 3 }, { name: 'b' }] } },
    ],
    [
      'tags of version 4',
      'leads',
      { _embedded: { tags: [{ name: 'b' }] } },
      { _embedded: { tags: [{ name: 'b' }] } },
    ],
  ])('%s', (_name, type, given, draft) => {
    expect(read(sent({ [type]: [given] }))[type]).toEqual([draft])
  })

  const sample = (type: FieldType, on: PartType, values: unknown) => ({
    [on]: [{ custom_fields: [{ id: field(type, on).id, values }] }],
  })

  const uuids = {
    file_uuid: '0b4bbd38-94ca-4f75-a02c-c8d6bc1e4e0a',
    version_uuid: 'c0a80101-94ca-4f75-a02c-c8d6bc1e4e0b',
  }
  test.each<[string, FieldType, on: PartType, values: unknown, kept: unknown[]]>([
    ['plain ids', 'multiselect', 'leads', [125, 126], [125, 126]],
    ['a plain id', 'select', 'leads', [127], [127]],
    ['a plain text', 'radiobutton', 'leads', ['Green'], [126]],
    ['a text that is another choice’s id', 'select', 'leads', [{ value: '126' }], [128]],
    ['an id as value', 'select', 'leads', [{ value: 125 }], [125]],
    ['a text and an enum', 'select', 'leads', [{ value: 'Red', enum: 126 }], [126]],
    ['an id that is another choice’s code', 'select', 'leads', [{ enum: '126' }], [126]],
    ['a code', 'select', 'leads', [{ enum: 'RED' }], [125]],
    ['an enum id of version 4', 'select', 'leads', [{ enum_id: 126 }], [126]],
    ['an enum code of version 4', 'select', 'leads', [{ enum_code: 'RED' }], [125]],
    [
      'a phone with a code',
      'multitext',
      'contacts',
      [{ value: '+49 30', enum: 'MOB' }],
      [['+49 30', 502]],
    ],
    [
      'a phone with an id',
      'multitext',
      'contacts',
      [{ value: '+49 30', enum: 503 }],
      [['+49 30', 503]],
    ],
    ['a phone alone', 'multitext', 'contacts', [{ value: '+49 30' }], [['+49 30', 501]]],
    ['a plain phone', 'multitext', 'contacts', ['+49 30'], [['+49 30', 501]]],
    [
      'a phone with an empty enum',
      'multitext',
      'contacts',
      [{ value: '1', enum: '' }],
      [['1', 501]],
    ],
    [
      'several phones',
      'multitext',
      'companies',
      [
        { value: '1', enum: 'WORK' },
        { value: '2', enum: 'HOME' },
      ],
      [
        ['1', 501],
        ['2', 503],
      ],
    ],
    [
      'an address',
      'smart_address',
      'contacts',
      [
        { value: 'Main street 1', subtype: 'address_line_1' },
        { value: 'Berlin', subtype: 'city' },
        { value: '10115', subtype: 'zip' },
        { value: 'DE', subtype: 'country' },
      ],
      [
        ['Main street 1', 1],
        ['Berlin', 3],
        ['10115', 5],
        ['DE', 6],
      ],
    ],
    [
      'an address part by number',
      'smart_address',
      'contacts',
      [{ value: 'Berlin', subtype: 3 }],
      [['Berlin', 3]],
    ],
    ['a checked box', 'checkbox', 'leads', [{ value: true }], [true]],
    ['a checked box as 1', 'checkbox', 'leads', [{ value: 1 }], [true]],
    ['an unchecked box as 0', 'checkbox', 'leads', [{ value: '0' }], [false]],
    ['a plain box', 'checkbox', 'leads', ['true'], [true]],
    ['a plain number', 'numeric', 'leads', [12.5], ['12.5']],
    ['money', 'monetary', 'leads', [{ value: '100.50' }], ['100.5']],
    ['a plain text', 'text', 'leads', ['a'], ['a']],
    ['a text', 'textarea', 'leads', [{ value: '<b>a</b>\nb' }], ['<b>a</b>\nb']],
    ['a day', 'date', 'leads', [{ value: 1_767_222_000 }], [1_767_222_000]],
    [
      'a day with its zone',
      'birthday',
      'contacts',
      [{ value: '1990-05-01T00:00:00+02:00' }],
      [641_512_800],
    ],
    ['a moment', 'date_time', 'leads', [{ value: 1_700_000_001 }], [1_700_000_001]],
    [
      'an organisation',
      'legal_entity',
      'companies',
      [{ value: { name: 'Bakery', entity_type: 2, vat_id: 77 } }],
      [{ name: 'Bakery', entity_type: 2, vat_id: '77' }],
    ],
    [
      'a file',
      'file',
      'contacts',
      [{ value: { ...uuids, file_size: 12 } }],
      [{ ...uuids, file_size: 12 }],
    ],
    [
      'a chain',
      'chained_list',
      'leads',
      [{ catalog_id: 1, catalog_element_id: 2 }],
      [{ catalog_id: 1, catalog_element_id: 2 }],
    ],
    [
      'a chain by catalog',
      'chained_list',
      'leads',
      { 1: { catalog_element_id: 2 }, 5: { catalog_element_id: 6 } },
      [
        { catalog_id: 1, catalog_element_id: 2 },
        { catalog_id: 5, catalog_element_id: 6 },
      ],
    ],
    ['a tracking mark', 'tracking_data', 'leads', ['google'], ['google']],
    ['empty texts', 'text', 'leads', [{ value: '' }], []],
    ['an empty choice', 'select', 'leads', [''], []],
    ['no values', 'text', 'leads', [], []],
  ])('%s for a field', (_name, type, on, values, kept) => {
    const [draft] = read(sent(sample(type, on, values)))[on]
    const expected = Object.entries(keptOf(on, draft ?? {}))
    expect(expected).toEqual(
      kept.length > 0 ? [[String(field(type, on).id), kept.map((each) => each)]] : [],
    )
  })

  test('a field by its code, and in the form of version 4', () => {
    const { id } = field('text')
    const all = [
      { custom_fields: [{ code: 'TEXT', values: ['a'] }] },
      {
        custom_fields: [{ id, code: '', name: 'text', is_system: true, values: [{ value: 'a' }] }],
      },
      { custom_fields_values: [{ field_code: 'TEXT', values: [{ value: 'a' }] }] },
      { custom_fields_values: [{ field_id: id, values: [{ value: 'a' }] }] },
    ]
    const { contacts } = read(sent({ contacts: all }))
    expect(contacts.map((draft) => keptOf('contacts', draft))).toEqual(
      all.map(() => ({ [id]: ['a'] })),
    )
  })

  test('notes, each for its type of entity', () => {
    const notes = [
      { note_type: 4, element_type: 1, text: 'contact' },
      { note_type: '4', element_type: '2', text: 'lead' },
      { note_type: 'common', element_type: 'contacts', text: 'named' },
      { note_type: 10, text: 'call' },
      { note_type: 103, element_type: '', text: 'sms' },
      { note_type: 'sms_in', element_type: 3, text: 'no company here' },
      { note_type: 777, text: 'unknown' },
      { note_type: '__proto__', text: 5 },
      { text: 'bare' },
      { note_type: 4, text: ' ' },
    ]
    const given = { leads: [{ notes }], contacts: [{ name: 'Ann' }] }
    expect(read(sent(given)).notes).toEqual([
      { type: 'contacts', note_type: 'common', text: 'contact' },
      { type: 'leads', note_type: 'common', text: 'lead' },
      { type: 'contacts', note_type: 'common', text: 'named' },
      { type: 'leads', note_type: 'call_in', text: 'call' },
      { type: 'leads', note_type: 'sms_out', text: 'sms' },
      { type: 'leads', note_type: 'sms_in', text: 'no company here' },
      { type: 'leads', note_type: 'common', text: 'unknown' },
      { type: 'leads', note_type: 'common', text: '5' },
      { type: 'leads', note_type: 'common', text: 'bare' },
    ])
    const contact = {
      contacts: [
        {
          notes: [
            { element_type: 2, text: 'a' },
            { element_type: 3, text: 'b' },
          ],
        },
      ],
    }
    expect(read(sent(contact)).notes).toMatchObject([{ type: 'leads' }, { type: 'contacts' }])
  })

  test('a company that contacts name, unless companies are sent', () => {
    const contacts = [
      { name: 'Ann', company_name: 'Acme ' },
      { company_name: 'Acme' },
      { company_name: '' },
    ]
    expect(read(sent({ contacts }))).toMatchObject({
      contacts: [{ name: 'Ann' }, {}, {}],
      companies: [{ name: 'Acme' }],
    })
    expect(read(sent({ contacts, companies: [{ name: 'Other' }] })).companies).toEqual([
      { name: 'Other' },
    ])
  })

  test('several entities of each type, and none', () => {
    const given = {
      leads: [{ name: 'a' }, { name: 'b' }],
      contacts: [{ name: 'c' }, { name: 'd' }],
    }
    expect(read(sent(given))).toEqual({ ...given, companies: [], notes: [] })
    expect(read(sent({ leads: [{ name: '' }] }))).toMatchObject({ contacts: [], companies: [] })
  })

  const wrong = (type: FieldType, ...values: unknown[]) =>
    sample(type, type === 'birthday' ? 'contacts' : 'leads', values)
  const at = 'incoming_entities.leads.0.custom_fields.0'
  test.each<[string, object, string[]]>([
    [
      'an unknown field',
      { leads: [{ custom_fields: [{ id: 9, values: ['a'] }] }] },
      [`NotSupportedChoice ${at}.id`],
    ],
    [
      'an unknown code',
      { leads: [{ custom_fields: [{ code: 'NO', values: ['a'] }] }] },
      [`NotSupportedChoice ${at}.code`],
    ],
    [
      'a field without a name',
      { leads: [{ custom_fields: [{ values: ['a'] }] }] },
      [`FieldMissing ${at}.id`],
    ],
    ['an unknown choice', wrong('select', 9), [`NotSupportedChoice ${at}.values.0`]],
    [
      'the second unknown choice',
      wrong('multiselect', 125, 'Blue'),
      [`NotSupportedChoice ${at}.values.1`],
    ],
    [
      'an unknown text',
      wrong('select', { value: 'Blue' }),
      [`NotSupportedChoice ${at}.values.0.value`],
    ],
    [
      'an unknown enum',
      wrong('select', { value: 'Red', enum: 9 }),
      [`NotSupportedChoice ${at}.values.0.enum`],
    ],
    [
      'an unknown label',
      wrong('multitext', { value: '1', enum: 'FAX' }),
      [`NotSupportedChoice ${at}.values.0.enum`],
    ],
    [
      'an unknown part',
      wrong('smart_address', { value: '1', subtype: 'moon' }),
      [`NotSupportedChoice ${at}.values.0.subtype`],
    ],
    ['two values of one', wrong('text', 'a', 'b'), [`TooMany ${at}.values`]],
    ['words for a number', wrong('numeric', 'many'), [`InvalidFormat ${at}.values.0`]],
    [
      'words for a box',
      wrong('checkbox', { value: 'maybe' }),
      [`InvalidType ${at}.values.0.value`],
    ],
    [
      '30 February',
      wrong('date', { value: '2026-02-30T00:00:00Z' }),
      [`InvalidFormat ${at}.values.0.value`],
    ],
    [
      'an enum of a text',
      wrong('text', { value: 'a', enum: 'WORK' }),
      [`FieldNotExpected ${at}.values.0.enum`],
    ],
    [
      'an unknown key of a value',
      wrong('text', { value: 'a', size: 1 }),
      [`FieldNotExpected ${at}.values.0.size`],
    ],
    [
      'a file without its id',
      wrong('file', { value: { file_name: 'a' } }),
      [`FieldMissing ${at}.values.0.value.file_uuid`],
    ],
    ['a long text', wrong('text', 'a'.repeat(257)), [`TooLong ${at}.values.0`]],
    [
      'values that are no list',
      { leads: [{ custom_fields: [{ id: 1002, values: 'a' }] }] },
      [`InvalidType ${at}.values`],
    ],
    [
      'a list as a value',
      { leads: [{ custom_fields: [{ id: 1002, values: [['a']] }] }] },
      [`InvalidType ${at}.values.0`],
    ],
    [
      'words for a price',
      { leads: [{ sale: 'much' }] },
      ['InvalidType incoming_entities.leads.0.sale'],
    ],
    [
      'words for a time',
      { contacts: [{ date_create: 'today' }] },
      ['InvalidType incoming_entities.contacts.0.date_create'],
    ],
    [
      'a long name',
      { leads: [{ name: 'a' }, { name: 'a'.repeat(256) }] },
      ['TooLong incoming_entities.leads.1.name'],
    ],
    [
      'a long tag',
      { leads: [{ tags: `a,${'b'.repeat(256)}` }] },
      ['TooLong incoming_entities.leads.0.tags'],
    ],
    [
      'a long tag of a list',
      { leads: [{ tags: ['a', 'b'.repeat(256)] }] },
      ['TooLong incoming_entities.leads.0.tags.1'],
    ],
    [
      'many tags',
      { leads: [{ tags: Array.from({ length: 101 }, (_, id) => id).join(',') }] },
      ['TooMany incoming_entities.leads.0.tags'],
    ],
    [
      'a price of a contact',
      { contacts: [{ price: 1 }] },
      ['FieldNotExpected incoming_entities.contacts.0.price'],
    ],
    [
      'a company name of a lead',
      { leads: [{ company_name: 'a' }] },
      ['FieldNotExpected incoming_entities.leads.0.company_name'],
    ],
    [
      'a link',
      { leads: [{ _embedded: { contacts: [{ id: 1 }] } }] },
      ['FieldNotExpected incoming_entities.leads.0._embedded.contacts'],
    ],
    [
      'an unknown key',
      { leads: [{ shoe: 1 }] },
      ['FieldNotExpected incoming_entities.leads.0.shoe'],
    ],
    [
      'an unknown type',
      { customers: [{ name: 'a' }] },
      ['FieldNotExpected incoming_entities.customers'],
    ],
    ['an entity that is no object', { leads: ['a'] }, ['InvalidType incoming_entities.leads.0']],
    [
      'entities that are no list',
      { leads: { name: 'a' } },
      ['InvalidType incoming_entities.leads'],
    ],
    [
      'many entities',
      { contacts: Array.from({ length: 11 }, () => ({ name: 'a' })) },
      ['TooMany incoming_entities.contacts'],
    ],
    [
      'many notes',
      {
        leads: [{ notes: Array.from({ length: 60 }, () => ({ text: 'a' })) }],
        contacts: [{ notes: Array.from({ length: 41 }, () => ({ text: 'a' })) }],
      },
      ['TooMany incoming_entities.contacts.0.notes'],
    ],
    [
      'a note of nothing',
      { leads: [{ notes: [{ note_type: 4 }] }] },
      ['FieldMissing incoming_entities.leads.0.notes.0.text'],
    ],
    [
      'a long note',
      { leads: [{ notes: [{ text: 'a'.repeat(65_536) }] }] },
      ['TooLong incoming_entities.leads.0.notes.0.text'],
    ],
    [
      'a note of a customer',
      { leads: [{ notes: [{ text: 'a', element_type: 12 }] }] },
      ['NotSupportedChoice incoming_entities.leads.0.notes.0.element_type'],
    ],
    [
      'a long name of a company',
      { contacts: [{ company_name: 'a'.repeat(256) }] },
      ['TooLong incoming_entities.contacts.0.company_name'],
    ],
    [
      'a company name that is no text',
      { contacts: [{ company_name: ['a'] }] },
      ['InvalidType incoming_entities.contacts.0.company_name'],
    ],
    [
      'values too long together',
      wrong(
        'legal_entity',
        ...Array.from({ length: 60 }, () => ({
          value: Object.fromEntries(
            ['name', 'address', 'real_address', 'director', 'vat_id'].map((key) => [
              key,
              'a'.repeat(1024),
            ]),
          ),
        })),
      ),
      ['TooLong incoming_entities.leads.0.custom_fields'],
    ],
  ])('refuses %s', (_name, given, faults) => {
    expect(faultsOf(sent(given))).toEqual(faults)
  })

  test('lists at most 20 faults', () => {
    const custom_fields = Array.from({ length: 30 }, (_, index) => ({
      id: 5000 + index,
      values: ['a'],
    }))
    expect(faultsOf(sent({ leads: [{ custom_fields }] }))).toHaveLength(20)
  })

  test('every draft of version 4, written in any form of version 2, is read back', () => {
    const type = fc.constantFrom(...types)
    const written = type.chain((each) => draft(each).map((one) => ({ type: each, ...one })))
    fc.assert(
      fc.property(written, ({ type: on, expected, given }) => {
        const [answer = {}] = read(sent({ [on]: [given] }))[on]
        const { custom_fields_values: _values, _embedded, ...rest } = answer
        const { values, tags, ...shown } = expected
        expect(rest).toEqual(shown)
        expect(_embedded?.tags ?? []).toEqual(tags)
        expect(keptOf(on, answer)).toEqual(keptOf(on, { custom_fields_values: values }))
      }),
      { numRuns: 300 },
    )
  })
})

test('lists of a form may have gaps', () => {
  const text =
    'given[leads][3][name]=b&given[leads][1][name]=a&given[leads][3][tags][2]=x&given[leads][3][tags][7]=y' +
    '&given[leads][1][custom_fields][4][code]=SELECT&given[leads][1][custom_fields][4][values][9]=125'
  const { leads } = read(parseNested(text, formBounds)['given'])
  expect(leads.map(({ name, _embedded }) => [name, _embedded?.tags])).toEqual([
    ['a', undefined],
    ['b', [{ name: 'x' }, { name: 'y' }]],
  ])
  expect(faultsOf(parseNested('g[leads][3][price]=x&g[leads][5]=y', formBounds)['g'])).toEqual([
    'InvalidType incoming_entities.leads.3.price',
    'InvalidType incoming_entities.leads.5',
  ])
})

test.each([
  ['nothing', undefined, ['FieldMissing incoming_entities']],
  ['a text', 'a', ['InvalidType incoming_entities']],
  ['null', null, ['InvalidType incoming_entities']],
  ['a list', [{ name: 'a' }], ['InvalidType incoming_entities']],
  ['an empty list, as PHP writes an empty object', [], []],
  ['lists that are null', { leads: null, contacts: '' }, []],
  ['a number as a list', { leads: 1 }, ['InvalidType incoming_entities.leads']],
  [
    'a boolean as a choice',
    { leads: [{ custom_fields: [{ code: 'SELECT', values: [true] }] }] },
    ['InvalidType incoming_entities.leads.0.custom_fields.0.values.0'],
  ],
  [
    'an empty field',
    { leads: [{ custom_fields: [null] }] },
    ['NotNullable incoming_entities.leads.0.custom_fields.0'],
  ],
  [
    'fields that are a text',
    { leads: [{ custom_fields: 'a' }] },
    ['InvalidType incoming_entities.leads.0.custom_fields'],
  ],
])('%s in place of the entities', (_, given, faults) => {
  expect(faultsOf(given)).toEqual(faults)
})

test('keys that mean something to JavaScript are only keys', () => {
  const hostile = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}'
  const parse = (): object => JSON.parse(hostile)
  const within = (each: object) => ({
    leads: [
      {
        ...each,
        custom_fields: [{ code: 'TEXT', ...each, values: [{ ...each }] }],
        notes: [each],
        tags: [each],
      },
    ],
  })
  for (const each of [parse(), asForm(parse()) as object]) {
    for (const given of [each, within(each), { leads: [each] }, { leads: [{ _embedded: each }] }]) {
      expect(readIncoming(given, fields).faults.length).toBeGreaterThan(0)
      expect(readIncoming(given, fields, 'ignore').notes).toEqual([])
      expect(({} as { polluted?: number }).polluted).toBe(undefined)
    }
  }
})

test('unknown keys are left out where the configuration says so', () => {
  const given = {
    leads: [
      {
        name: 'a',
        shoe: 1,
        notes: [{ text: 'n', size: 2 }],
        custom_fields: [{ code: 'TEXT', shoe: 1, values: [{ value: 'x', enum: 'WORK', size: 3 }] }],
      },
    ],
    customers: [],
  }
  const { faults, leads, notes } = readIncoming(given, fields, 'ignore')
  expect(faults).toEqual([])
  expect(notes).toHaveLength(1)
  expect(leads).toEqual([
    {
      name: 'a',
      custom_fields_values: [{ field_code: 'TEXT', values: [{ value: 'x', enum: 'WORK' }] }],
    },
  ])
})

/** A draft of version 4 and one of the forms in which version 2 sends it. */
function draft(on: PartType) {
  const some = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined })
  const list = fields[on].list
  const tag = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
    .map((name) => `t${name.replaceAll(',', ';')}`.trim())
  return fc
    .record({
      name: some(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 50 })),
      price: some(fc.nat()),
      isSale: fc.boolean(),
      created_at: some(fc.nat({ max: 2_000_000_000 })),
      isCreate: fc.boolean(),
      responsible_user_id: some(fc.nat()),
      tags: fc.array(tag, { maxLength: 4 }),
      tagForm: fc.constantFrom('text', 'list', 'objects'),
      values: fc.tuple(...list.map((each) => some(valuesFor(each)))),
    })
    .map(
      ({
        name,
        price,
        isSale,
        created_at,
        isCreate,
        responsible_user_id,
        tags,
        tagForm,
        values,
      }) => {
        const chosen = values.flatMap((pairs, index) =>
          pairs ? [{ field: list[index]!, pairs }] : [],
        )
        const base = {
          ...(name !== undefined && { name }),
          ...(responsible_user_id !== undefined && { responsible_user_id }),
        }
        const priced = on === 'leads' && price !== undefined
        const named = tags.map((each) => ({ name: each }))
        return {
          expected: {
            ...base,
            ...(priced && { price }),
            ...(created_at !== undefined && { created_at }),
            tags: named,
            values: chosen.map(({ field: { id }, pairs }) => ({
              field_id: id,
              values: pairs.map(([v4]) => v4),
            })),
          },
          given: {
            ...base,
            ...(priced && { [isSale ? 'sale' : 'price']: price }),
            ...(created_at !== undefined && {
              [isCreate ? 'date_create' : 'created_at']: created_at,
            }),
            tags: tagForm === 'text' ? tags.join(',') : tagForm === 'list' ? tags : named,
            custom_fields: chosen.map(({ field: { id }, pairs }) => ({
              id,
              values: pairs.map(([, v2]) => v2),
            })),
          },
        }
      },
    )
}

/** Pairs of one value in version 4 and in version 2. */
type Pair = [v4: object, v2: unknown]

function valuesFor(one: Field): fc.Arbitrary<Pair[]> {
  const { most } = fieldTypeFacts(one.type)
  const pair = pairFor(one)
  return most === 1
    ? pair.map((each) => [each])
    : fc.array(pair, { minLength: 1, maxLength: Math.min(most, 5) })
}

function pairFor({ type, enums }: Field): fc.Arbitrary<Pair> {
  const { behaviour } = fieldTypeFacts(type)
  const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
  const scalar = (value: fc.Arbitrary<unknown>): fc.Arbitrary<Pair> =>
    fc
      .tuple(value, fc.boolean())
      .map(([each, isPlain]) => [{ value: each }, isPlain ? each : { value: each }])
  const choice = fc.constantFrom(...(enums.length > 0 ? enums : choices))
  switch (behaviour) {
    case 'choice':
      return fc
        .tuple(choice, fc.nat({ max: 4 }))
        .map(([{ id, value, code }, form]) => [
          { enum_id: id },
          [
            id,
            { value: id < 126 ? id : value },
            { value, enum: id },
            /^\d/.test(code!) ? { enum_code: code } : { enum: code },
            { value, enum_code: code },
          ][form],
        ])
    case 'labelled':
      return fc.tuple(text, choice, fc.boolean()).map(([value, { id, code }, isId]) => [
        { value, enum_id: id },
        { value, [type === 'smart_address' ? 'subtype' : 'enum']: isId ? id : code },
      ])
    case 'flag':
      return scalar(fc.boolean())
    case 'number':
      return scalar(fc.integer({ min: -1_000_000, max: 1_000_000 }).map((cents) => cents / 100))
    case 'day':
    case 'moment':
      return scalar(
        fc.oneof(
          fc.integer({ min: -2_000_000_000, max: 4_000_000_000 }),
          fc.nat({ max: 2_000_000_000 }).map((at) => new Date(at * 1000).toISOString()),
        ),
      )
    case 'object':
      return objectFor(type)
    default:
      return scalar(fc.oneof(text, fc.nat()))
  }
}

function objectFor(type: FieldType): fc.Arbitrary<Pair> {
  const id = fc.integer({ min: 1, max: 1000 })
  if (type === 'chained_list')
    return fc.record({ catalog_id: id, catalog_element_id: id }).map((each) => [each, each])
  const object =
    type === 'file'
      ? fc.record(
          { file_uuid: fc.uuid(), version_uuid: fc.uuid(), file_size: fc.nat() },
          { requiredKeys: ['file_uuid', 'version_uuid'] },
        )
      : fc.record(
          {
            name: fc.string({ minLength: 1, maxLength: 20 }).map((name) => `n${name}`),
            entity_type: fc.constantFrom(1, 2),
            vat_id: fc.oneof(fc.string({ maxLength: 9 }), fc.nat()),
            kpp: fc.constant(''),
          },
          { requiredKeys: ['name'] },
        )
  return object.map((value) => [{ value }, { value }])
}
