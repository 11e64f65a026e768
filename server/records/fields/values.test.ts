// The values of custom fields: requests, stored and shown values, and their news.
import { beforeAll, describe, expect, test } from 'vitest'
import { newAccount } from '../../../test/account.ts'
import type { TestAccount } from '../../../test/account.ts'
import {
  addEveryType,
  addField,
  addFields,
  chosen,
  fill,
  firstFields,
  moveTo,
  readFilled,
  shownAs,
  valueOf,
} from '../../../test/fields.ts'
import { faultsOf, listen, plainly } from '../../../test/leads.ts'
import {
  addRecord,
  addRecords,
  allKinds,
  kinds,
  pathOf,
  readRecord,
} from '../../../test/records.ts'
import { singular } from '../../entity-types.ts'
import type { Field } from './definitions.ts'
import type { FieldType } from './types.ts'
import { valueNews } from './values.ts'

const path = '/api/v4/leads'
const uuid = '0b4bbd38-94ca-4f75-a02c-c8d6bc1e4e0a'

// The values that each type takes and reads (interface: Values by type).
describe('types', () => {
  let account: TestAccount
  let fields: Record<FieldType, Field>

  beforeAll(async () => {
    account = await newAccount()
    fields = await addEveryType(account, 'leads')
  })

  const uuids = {
    file_uuid: '0b4bbd38-94ca-4f75-a02c-c8d6bc1e4e0a',
    version_uuid: 'c0a80101-94ca-4f75-a02c-c8d6bc1e4e0B',
  }

  const company = { name: 'Bakery & Sons', entity_type: 2, address: null, vat_id: '77', kpp: '' }

  /** The value of one item, and of what is read. */
  const plain: [FieldType, sent: unknown, read: unknown][] = [
    ['text', 'Some text', 'Some text'],
    ['text', ' "quoted" \\ <b>жир</b> 😀\n', ' "quoted" \\ <b>жир</b> 😀\n'],
    ['text', 5, '5'],
    ['text', -0.5, '-0.5'],
    ['text', Number.MAX_SAFE_INTEGER, '9007199254740991'],
    ['text', true, 'true'],
    ['textarea', 'Two\nlines', 'Two\nlines'],
    ['streetaddress', 'Main street 1', 'Main street 1'],
    ['url', 'no check of what it is', 'no check of what it is'],
    ['tracking_data', 'google', 'google'],
    ['numeric', 12, '12'],
    ['numeric', '12', '12'],
    ['numeric', ' 012.50 ', '12.5'],
    ['numeric', '-0.0', '0'],
    ['numeric', -0.5, '-0.5'],
    ['numeric', 0.1 + 0.2, '0.3'],
    ['numeric', 1e-7, '0.0000001'],
    ['numeric', '12345678901234567890.0123456789', '12345678901234567890.0123456789'],
    ['monetary', 99.9, '99.9'],
    ['monetary', '100.00', '100'],
    ['checkbox', true, true],
    ['checkbox', false, false],
    ['checkbox', 1, true],
    ['checkbox', 0, false],
    ['date', 1_735_689_600, 1_735_689_600],
    ['date', 1_735_689_601, 1_735_689_600],
    ['date', '1735775999', 1_735_689_600],
    ['date', '2025-01-01T23:59:59Z', 1_735_689_600],
    ['date', '2025-01-01T00:30:00+03:00', 1_735_603_200],
    ['birthday', '1961-05-17T12:00:00-04:00', -272_246_400],
    ['birthday', -1, -86_400],
    ['birthday', -62_135_596_800, -62_135_596_800],
    ['date_time', 0, 0],
    ['date_time', '-5', -5],
    ['date_time', '2026-12-31t23:59:59.999z', 1_798_761_599],
    ['date_time', '1969-12-31T23:59:59.5Z', -1],
    ['date_time', 253_402_300_799, 253_402_300_799],
    ['legal_entity', { name: 'Bakery' }, { name: 'Bakery' }],
    ['legal_entity', { ...company, vat_id: 77 }, company],
    ['file', uuids, uuids],
    [
      'file',
      { ...uuids, file_name: 'a.pdf', file_size: '12' },
      { ...uuids, file_name: 'a.pdf', file_size: 12 },
    ],
  ]

  test.each(plain)('a %s of %j is read as %j', async (type, value, read) => {
    const sent = valueOf(fields[type], { value, enum_id: null, enum_code: null })
    const created = await addRecord(account.api, 'leads', { custom_fields_values: [sent] })
    const changed = await addRecord(account.api, 'leads')
    await fill(account.api, 'leads', changed, sent)
    const shown = [shownAs(fields[type], { value: read })]
    expect(await readFilled(account.api, 'leads', created)).toEqual(shown)
    expect(await readFilled(account.api, 'leads', changed)).toEqual(shown)
  })

  test.each([
    ['text', 256],
    ['url', 2048],
    ['streetaddress', 2048],
    ['tracking_data', 2048],
    ['textarea', 65_535],
  ] as const)(
    'a %s takes %i characters, of which some are two units of UTF-16',
    async (type, longest) => {
      const value = `x${'😀'.repeat(longest - 1)}`
      const id = await addRecord(account.api, 'leads', {
        custom_fields_values: [valueOf(fields[type], { value })],
      })
      expect(await readFilled(account.api, 'leads', id)).toEqual([shownAs(fields[type], { value })])
    },
  )

  /** How the second of three choices may be named. */
  const named: [name: string, item: (of: Field) => object][] = [
    ['its id', ({ enums }) => ({ enum_id: enums[1]!.id })],
    ['its id as text', ({ enums }) => ({ enum_id: String(enums[1]!.id) })],
    ['its code', () => ({ enum_code: 'south' })],
    ['its text', () => ({ value: 'South' })],
    [
      'its text, nothing in the others',
      () => ({ value: 'South', enum_id: null, enum_code: '', enum: null }),
    ],
    ['the older name of its id', ({ enums }) => ({ enum: enums[1]!.id })],
    ['the older name of its id, as text', ({ enums }) => ({ enum: String(enums[1]!.id) })],
    ['the older name of its code', () => ({ enum: 'south' })],
    [
      'its id, which is stronger than code and text',
      ({ enums }) => ({ enum_id: enums[1]!.id, enum_code: 'no', value: 'North' }),
    ],
    ['its code, which is stronger than the text', () => ({ enum_code: 'south', value: 'North' })],
    ['what was read', ({ enums }) => chosen(enums[1]!)],
  ]

  describe.each(['select', 'radiobutton', 'multiselect'] as const)(
    'a choice of a %s is named by',
    (type) => {
      test.each(named)('%s', async (_, item) => {
        const id = await addRecord(account.api, 'leads', {
          custom_fields_values: [valueOf(fields[type], item(fields[type]))],
        })
        expect(await readFilled(account.api, 'leads', id)).toEqual([
          shownAs(fields[type], chosen(fields[type].enums[1]!)),
        ])
      })
    },
  )

  test('a choice whose text is a number is named by the number', async () => {
    const [field] = await addFields(account, 'leads', [{ type: 'select', enums: ['5', '6'] }])
    const id = await addRecord(account.api, 'leads', {
      custom_fields_values: [valueOf(field!, { value: 6 })],
    })
    expect(await readFilled(account.api, 'leads', id)).toEqual([
      shownAs(field!, chosen(field!.enums[1]!)),
    ])
  })

  test('several choices stay in the order in which they were sent, each once', async () => {
    const [north, , east] = fields.multiselect.enums
    const sent = valueOf(
      fields.multiselect,
      { value: 'East' },
      { enum_id: north!.id },
      { enum_id: east!.id },
    )
    const id = await addRecord(account.api, 'leads', { custom_fields_values: [sent] })
    expect(await readFilled(account.api, 'leads', id)).toEqual([
      shownAs(fields.multiselect, chosen(east!), chosen(north!)),
    ])
  })

  test('an address has each part once, the last that is sent; the first part where none is named', async () => {
    const items = [
      { value: 'Main street 1' },
      { value: 'Rome', enum_code: 'city' },
      { value: 'Paris', enum_id: 3 },
    ]
    const id = await addRecord(account.api, 'leads', {
      custom_fields_values: [valueOf(fields.smart_address, ...items)],
    })
    const street = { value: 'Main street 1', enum_id: 1, enum_code: 'address_line_1' }
    const shown = shownAs(fields.smart_address, street, {
      value: 'Paris',
      enum_id: 3,
      enum_code: 'city',
    })
    expect(await readFilled(account.api, 'leads', id)).toEqual([shown])
  })

  test('the parts of a chained list, and several legal entities, are read in their order', async () => {
    const chain = [5, 4, 3, 2, 1].map((part) => ({
      catalog_id: part,
      catalog_element_id: part + 10,
    }))
    const entities = [{ value: { name: 'One' } }, { value: { name: 'Two', external_uid: 'x' } }]
    const sent = [valueOf(fields.chained_list, ...chain), valueOf(fields.legal_entity, ...entities)]
    const id = await addRecord(account.api, 'leads', { custom_fields_values: sent })
    const shown = [
      shownAs(fields.legal_entity, ...entities),
      shownAs(fields.chained_list, ...chain),
    ]
    expect(await readFilled(account.api, 'leads', id)).toEqual(shown)
  })

  test('the parts of a chained list may stand by the id of their catalog', async () => {
    const part = (catalog_id: number) => ({ catalog_id, catalog_element_id: catalog_id + 10 })
    const shown = [shownAs(fields.chained_list, part(7), part(900_719_925_474))]
    const sent: object[] = [
      { 900719925474: part(900_719_925_474), 7: part(7) },
      { 7: { catalog_element_id: 17 }, 900719925474: { catalog_element_id: '900719925484' } },
      // A list as PHP writes it.
      { 0: part(7), 1: part(900_719_925_474) },
    ]
    for (const values of sent) {
      const id = await addRecord(account.api, 'leads', {
        custom_fields_values: [{ field_id: fields.chained_list.id, values }],
      })
      expect(await readFilled(account.api, 'leads', id)).toEqual(shown)
      const single = { 7: { catalog_element_id: 1 } }
      await account.api.patch(`/api/v4/leads/${id}`, {
        custom_fields_values: [{ field_id: fields.chained_list.id, values: single }],
      })
      expect(await readFilled(account.api, 'leads', id)).toEqual([
        shownAs(fields.chained_list, { catalog_id: 7, catalog_element_id: 1 }),
      ])
    }
  })

  test.for<[string, object, string[]]>([
    ['a part without an element', { 7: {} }, ['FieldMissing values.7.catalog_element_id']],
    [
      'a part of another catalog',
      { 7: { catalog_id: 8, catalog_element_id: 1 } },
      ['NotSupportedChoice values.7.catalog_id'],
    ],
    ['a key that is no id', { x: { catalog_element_id: 1 } }, ['FieldNotExpected values.x']],
    [
      'an id that is too high',
      { '9999999999999999': { catalog_element_id: 1 } },
      ['TooHigh values.9999999999999999.catalog_id'],
    ],
    [
      'six parts',
      Object.fromEntries([1, 2, 3, 4, 5, 6].map((id) => [id, { catalog_element_id: 1 }])),
      ['TooMany values'],
    ],
    ['a part that is no object', { 7: 8 }, ['InvalidType values.7']],
  ])('an object of %s is no chained list', async ([, values, faults]) => {
    const custom_fields_values = [{ field_id: fields.chained_list.id, values }]
    const refused = await account.api.post('/api/v4/leads', [{ custom_fields_values }])
    expect([refused.status, faultsOf(refused)]).toEqual([
      400,
      { 0: faults.map((fault) => fault.replace(' ', ' custom_fields_values.0.')) },
    ])
  })

  test('fields of other types take no object by id', async () => {
    const values = { 7: { value: 'x' } }
    const custom_fields_values = [{ field_id: fields.text.id, values }]
    const refused = await account.api.post('/api/v4/leads', [{ custom_fields_values }])
    expect([refused.status, faultsOf(refused)]).toEqual([
      400,
      { 0: ['InvalidType custom_fields_values.0.values'] },
    ])
  })

  test('filled fields are read in the order of their sort, whatever the order in which they were filled', async () => {
    const drafts = [3, 1, 2].map((sort) => ({ type: 'text' as const, sort }))
    const [third, first, second] = await addFields(account, 'leads', drafts)
    const id = await addRecord(account.api, 'leads', {
      custom_fields_values: [valueOf(second!, { value: 'b' })],
    })
    await fill(
      account.api,
      'leads',
      id,
      valueOf(third!, { value: 'c' }),
      valueOf(first!, { value: 'a' }),
    )
    const shown = [
      shownAs(first!, { value: 'a' }),
      shownAs(second!, { value: 'b' }),
      shownAs(third!, { value: 'c' }),
    ]
    expect(await readFilled(account.api, 'leads', id)).toEqual(shown)
    const { body } = await account.api.get(`/api/v4/leads?filter[id]=${id}`)
    expect(body._embedded.leads[0].custom_fields_values).toEqual(shown)
  })

  test.each([
    ['Europe/Berlin', '2026-03-29T12:00:00Z', '2026-03-28T23:00:00Z'],
    ['Europe/Berlin', '2026-07-01T22:30:00Z', '2026-07-01T22:00:00Z'],
    ['America/New_York', '1961-05-17T02:00:00Z', '1961-05-16T04:00:00Z'],
    ['Asia/Kolkata', '2026-01-01T00:00:00+00:00', '2025-12-31T18:30:00Z'],
  ])('in an account in %s the day of %s is read as %s', async (timezone, value, read) => {
    const there = await newAccount()
    const days = await addEveryType(there, 'contacts')
    await moveTo(there, timezone)
    const at = Date.parse(value) / 1000
    const sent = [
      valueOf(days.date, { value }),
      valueOf(days.birthday, { value: at }),
      valueOf(days.date_time, { value }),
    ]
    const id = await addRecord(there.api, 'contacts', { custom_fields_values: sent })
    const day = { value: Date.parse(read) / 1000 }
    const shown = [
      shownAs(days.date, day),
      shownAs(days.birthday, day),
      shownAs(days.date_time, { value: at }),
    ]
    expect(await readFilled(there.api, 'contacts', id)).toEqual(shown)
  })
})

// Each fault has its code and path, and a refused batch changes nothing.
describe('faults of values', () => {
  let account: TestAccount
  let fields: Record<FieldType, Field>

  beforeAll(async () => {
    account = await newAccount()
    fields = await addEveryType(account, 'leads')
  })

  const refusedOf = async (...custom_fields_values: unknown[]) => {
    const answer = await account.api.post(path, [{ custom_fields_values }])
    expect(answer.status).toBe(400)
    // Written once more as a change, it is refused for the same reasons.
    const changed = await fill(
      account.api,
      'leads',
      await addRecord(account.api, 'leads'),
      ...(custom_fields_values as object[]),
    )
    expect(faultsOf(changed)).toEqual(faultsOf(answer))
    return faultsOf(answer)[0]
  }

  const texts = ['text', 'textarea', 'url', 'streetaddress', 'tracking_data'] as const
  const numbers = ['numeric', 'monetary'] as const
  const times = ['date', 'birthday', 'date_time'] as const
  const choices = ['select', 'radiobutton', 'multiselect'] as const

  /** One item of `values`, and the fault with its path below the item. */
  const wrong: [types: readonly FieldType[], item: object, fault: string][] = [
    [texts, { value: {} }, 'InvalidType value'],
    [texts, { value: ['x'] }, 'InvalidType value'],
    [texts, { value: 9_007_199_254_740_992 }, 'InvalidType value'],
    [texts, { value: 'x'.repeat(65_536) }, 'TooLong value'],
    [['date_time'], { value: '2026-12-31' }, 'InvalidFormat value'],
    [['text'], { value: 'ж'.repeat(257) }, 'TooLong value'],
    [['text'], { value: '😀'.repeat(257) }, 'TooLong value'],
    [texts, { value: 'x', enum_id: 1 }, 'FieldNotExpected enum_id'],
    [texts, { value: 'x', enum_code: 'WORK' }, 'FieldNotExpected enum_code'],
    [texts, { value: 'x', enum: 'WORK' }, 'FieldNotExpected enum'],
    [texts, { value: 'x', catalog_id: 1 }, 'FieldNotExpected catalog_id'],
    [texts, { value: 'x', name: 'y' }, 'FieldNotExpected name'],
    [numbers, { value: true }, 'InvalidType value'],
    [numbers, { value: { value: 1 } }, 'InvalidType value'],
    ...[
      'x',
      '1,5',
      '1.',
      '.5',
      '+1',
      '1e3',
      '0x10',
      '--1',
      '1 000',
      ' ',
      '1'.repeat(21),
      `0.${'1'.repeat(11)}`,
      '0'.repeat(65),
    ].map((value): [readonly FieldType[], object, string] => [
      numbers,
      { value },
      'InvalidFormat value',
    ]),
    [numbers, { value: 9_007_199_254_740_992 }, 'InvalidFormat value'],
    [numbers, { value: 1e300 }, 'InvalidFormat value'],
    [['checkbox'], { value: 'true' }, 'InvalidType value'],
    [['checkbox'], { value: '1' }, 'InvalidType value'],
    [['checkbox'], { value: 2 }, 'InvalidType value'],
    [times, { value: true }, 'InvalidType value'],
    [times, { value: { at: 0 } }, 'InvalidType value'],
    ...[
      'tomorrow',
      '31.12.2026',
      '2026-02-29',
      '2026-12-31T23:59:59',
      '2026-12-31 23:59:59Z',
      '2026-02-30T00:00:00Z',
    ].map((value): [readonly FieldType[], object, string] => [
      times,
      { value },
      'InvalidFormat value',
    ]),
    ...[
      '2026-04-31T00:00:00Z',
      '2026-12-31T24:00:00Z',
      '2026-12-31T12:60:00Z',
      '2026-12-31T12:00:00+24:00',
      '1.5',
      '9'.repeat(30),
    ].map((value): [readonly FieldType[], object, string] => [
      times,
      { value },
      'InvalidFormat value',
    ]),
    [times, { value: 1.5 }, 'InvalidFormat value'],
    [times, { value: 253_402_300_800 }, 'InvalidFormat value'],
    [times, { value: -62_135_596_801 }, 'InvalidFormat value'],
    [choices, { value: 'Nowhere' }, 'NotSupportedChoice value'],
    [choices, { value: 'north' }, 'NotSupportedChoice value'],
    [choices, { value: 5 }, 'NotSupportedChoice value'],
    [choices, { value: true }, 'InvalidType value'],
    [choices, { value: ['North'] }, 'InvalidType value'],
    [choices, { enum_id: 1 }, 'NotSupportedChoice enum_id'],
    [choices, { value: 'North', enum_id: 1 }, 'NotSupportedChoice enum_id'],
    [choices, { enum_code: 'SOUTH' }, 'NotSupportedChoice enum_code'],
    [choices, { enum: 'x' }, 'NotSupportedChoice enum'],
    [choices, { enum: 1 }, 'NotSupportedChoice enum'],
    [choices, { enum_id: 0 }, 'TooLow enum_id'],
    [choices, { enum_code: '__proto__' }, 'NotSupportedChoice enum_code'],
    [choices, { value: 'constructor' }, 'NotSupportedChoice value'],
    [choices, { catalog_element_id: 1 }, 'FieldNotExpected catalog_element_id'],
    [['smart_address'], { value: 'Rome', enum_code: 'planet' }, 'NotSupportedChoice enum_code'],
    [['smart_address'], { value: 'Rome', enum_id: 7 }, 'NotSupportedChoice enum_id'],
    [['smart_address'], { value: {} }, 'InvalidType value'],
    [['smart_address'], { value: 'x'.repeat(257) }, 'TooLong value'],
    [['legal_entity', 'file'], { value: 'x' }, 'InvalidType value'],
    [['legal_entity', 'file'], { value: [{}] }, 'InvalidType value'],
    [['legal_entity'], { value: {} }, 'FieldMissing value.name'],
    [['legal_entity'], { value: { name: '' } }, 'NotBlank value.name'],
    [['legal_entity'], { value: { name: ' ' } }, 'NotBlank value.name'],
    [
      ['legal_entity'],
      { value: { name: 'x', entity_type: 3 } },
      'NotSupportedChoice value.entity_type',
    ],
    [['legal_entity'], { value: { name: 'x', address: {} } }, 'InvalidType value.address'],
    [['legal_entity'], { value: { name: 'x', planet: 'y' } }, 'FieldNotExpected value.planet'],
    [
      ['legal_entity'],
      { value: { name: 'x', constructor: 'y' } },
      'FieldNotExpected value.constructor',
    ],
    [['legal_entity'], { value: { name: 'x'.repeat(1025) } }, 'TooLong value.name'],
    [['legal_entity'], { value: { name: 'x' }, enum_id: 1 }, 'FieldNotExpected enum_id'],
    [
      ['file'],
      { value: { file_uuid: uuid, version_uuid: 'x' } },
      'InvalidFormat value.version_uuid',
    ],
    [
      ['file'],
      { value: { file_uuid: uuid, version_uuid: uuid, file_size: -1 } },
      'TooLow value.file_size',
    ],
    [['chained_list'], { catalog_id: 1 }, 'FieldMissing catalog_element_id'],
    [
      ['chained_list'],
      { catalog_id: 1, catalog_element_id: null },
      'NotNullable catalog_element_id',
    ],
    [
      ['chained_list'],
      { catalog_id: 1, catalog_element_id: 2, value: 'x' },
      'FieldNotExpected value',
    ],
  ]

  const title = (item: object) => JSON.stringify(item).slice(0, 80)

  const cases = wrong.flatMap(([types, item, fault]) =>
    types.map((type) => ({ type, item, fault, shown: title(item) })),
  )

  test.each(cases)('a $type is not $shown: $fault', async ({ type, item, fault }) => {
    const [code, where] = fault.split(' ')
    expect(await refusedOf(valueOf(fields[type], item))).toEqual([
      `${code} custom_fields_values.0.values.0.${where}`,
    ])
  })

  describe('several values', () => {
    const single =
      'text numeric monetary checkbox select radiobutton date birthday date_time url textarea streetaddress tracking_data file'

    test.each(single.split(' ') as FieldType[])('are too many for a %s', async (type) => {
      expect(await refusedOf(valueOf(fields[type], { value: null }, { value: null }))).toEqual([
        'TooMany custom_fields_values.0.values',
      ])
    })

    test('are 5 in a chained list and 250 elsewhere', async () => {
      const link = { catalog_id: 1, catalog_element_id: 1 }
      const many = (count: number, item: object) => Array.from({ length: count }, () => item)
      expect(await refusedOf(valueOf(fields.chained_list, ...many(6, link)))).toEqual([
        'TooMany custom_fields_values.0.values',
      ])
      expect(
        await refusedOf(valueOf(fields.multiselect, ...many(251, { value: 'North' }))),
      ).toEqual(['TooMany custom_fields_values.0.values'])
    })

    test('are told apart by their places', async () => {
      const { multiselect, legal_entity, text } = fields
      const faults = await refusedOf(
        valueOf(multiselect, { value: 'North' }, { value: 'x' }, { enum_id: 5 }),
        valueOf(text, { value: 'fine' }),
        valueOf(legal_entity, { value: { name: 'x' } }, { value: { kpp: {} } }),
      )
      expect(faults).toEqual([
        'NotSupportedChoice custom_fields_values.0.values.1.value',
        'NotSupportedChoice custom_fields_values.0.values.2.enum_id',
        'FieldMissing custom_fields_values.2.values.1.value.name',
        'InvalidType custom_fields_values.2.values.1.value.kpp',
      ])
    })
  })
})

// A field is named by id or code, its values are a list of a given form, and one bad item refuses
// the batch.
describe('fields by id and code', () => {
  let account: TestAccount
  let fields: Record<FieldType, Field>

  beforeAll(async () => {
    account = await newAccount()
    fields = await addEveryType(account, 'leads')
  })

  const post = (...custom_fields_values: unknown[]) =>
    account.api.post(path, [{ custom_fields_values }])

  test('a field is named by an id or a code of its kind of record', async () => {
    const values = [{ value: 'x' }]
    const elsewhere = await addField(account, 'contacts', { type: 'text', code: 'ELSEWHERE' })
    const stranger = await addField(await newAccount(), 'leads', { type: 'text', code: 'STRANGER' })
    const named = [
      { field_id: elsewhere.id },
      { field_id: stranger.id },
      { field_code: 'ELSEWHERE' },
      { field_code: 'STRANGER' },
    ]
    const nameless = [
      {},
      { field_id: null, field_code: null },
      { field_code: '' },
      { field_code: 'constructor' },
    ]
    const refused = await post(...[...named, ...nameless].map((name) => ({ ...name, values })))
    expect(faultsOf(refused)[0]).toEqual([
      'NotSupportedChoice custom_fields_values.0.field_id',
      'NotSupportedChoice custom_fields_values.1.field_id',
      'NotSupportedChoice custom_fields_values.2.field_code',
      'NotSupportedChoice custom_fields_values.3.field_code',
      'FieldMissing custom_fields_values.4.field_id',
      'FieldMissing custom_fields_values.5.field_id',
      'NotSupportedChoice custom_fields_values.6.field_code',
      'NotSupportedChoice custom_fields_values.7.field_code',
    ])
  })

  test('one bad value refuses a batch, every bad one is listed, and nothing has happened', async () => {
    const good = valueOf(fields.text, { value: 'before' })
    const [one, other] = [
      await addRecord(account.api, 'leads', { custom_fields_values: [good] }),
      await addRecord(account.api, 'leads'),
    ]
    const newsSince = await listen(account)
    const changed = [valueOf(fields.text, { value: 'after' })]
    const answer = await account.api.patch(path, [
      { id: one, name: 'New', custom_fields_values: changed },
      {
        id: other,
        custom_fields_values: [valueOf(fields.numeric, { value: 'x' })],
        request_id: 'r',
      },
      { id: one, custom_fields_values: [valueOf(fields.select, { value: 'x' })] },
    ])
    expect([answer.status, faultsOf(answer)]).toEqual([
      400,
      {
        r: ['InvalidFormat custom_fields_values.0.values.0.value'],
        2: ['NotSupportedChoice custom_fields_values.0.values.0.value'],
      },
    ])
    expect(await readFilled(account.api, 'leads', one)).toEqual([
      shownAs(fields.text, { value: 'before' }),
    ])
    expect(await newsSince()).toEqual({ journal: [], events: [] })
    expect(
      (
        await account.api.post(path, [
          { custom_fields_values: changed },
          { custom_fields_values: [{}] },
        ])
      ).status,
    ).toBe(400)
    expect(await newsSince()).toEqual({ journal: [], events: [] })
  })

  test('a field that is named by both counts by its id, and by its code in whatever order', async () => {
    const field = await addField(account, 'leads', { type: 'text', code: 'CODE' })
    const named = [
      { field_id: field.id, field_code: 'OTHER' },
      { field_code: 'CODE', field_id: null },
      { field_code: 'CODE' },
    ]
    for (const name of named) {
      const id = await addRecord(account.api, 'leads', {
        custom_fields_values: [{ ...name, values: [{ value: 'x' }] }],
      })
      expect(await readFilled(account.api, 'leads', id)).toEqual([shownAs(field, { value: 'x' })])
    }
  })

  test('a field that is named twice counts as it is named last', async () => {
    const sent = [valueOf(fields.text, { value: 'one' }), valueOf(fields.text, { value: 'two' })]
    const id = await addRecord(account.api, 'leads', { custom_fields_values: sent })
    expect(await readFilled(account.api, 'leads', id)).toEqual([
      shownAs(fields.text, { value: 'two' }),
    ])
  })

  test('of a field that is named twice nothing but the last is read', async () => {
    const field = await addField(account, 'leads', { type: 'numeric', code: 'TWICE' })
    const bad = { field_code: 'TWICE', values: [{ value: 'x' }] }
    const id = await addRecord(account.api, 'leads', {
      custom_fields_values: [bad, bad, valueOf(field, { value: 5 })],
    })
    expect(await readFilled(account.api, 'leads', id)).toEqual([shownAs(field, { value: '5' })])
    const refused = await post(valueOf(field, { value: 5 }), bad)
    expect(faultsOf(refused)[0]).toEqual(['InvalidFormat custom_fields_values.1.values.0.value'])
  })

  test('what is no list of fields with values is refused and named', async () => {
    const item = (custom_fields_values: unknown) => ({ custom_fields_values })
    const { text } = fields
    const refused = await account.api.post(path, [
      ...[
        'x',
        { field_id: text.id, values: [] },
        [5],
        [{ field_id: text.id }],
        [{ field_id: text.id, values: 'x' }],
      ].map(item),
      ...[
        [{ field_id: text.id, values: ['x'] }],
        [{ field_id: 'x', values: [] }],
        [{ field_id: 1.5, values: [] }],
      ].map(item),
      item([{ field_id: text.id, values: [], planet: 1 }]),
      item([{ field_id: text.id, values: [{ value: 'x', planet: 1 }] }]),
      item(Array.from({ length: 251 }, () => valueOf(text))),
    ])
    expect([refused.status, faultsOf(refused)]).toEqual([
      400,
      {
        0: ['InvalidType custom_fields_values'],
        1: ['InvalidType custom_fields_values'],
        2: ['InvalidType custom_fields_values.0'],
        3: ['FieldMissing custom_fields_values.0.values'],
        4: ['InvalidType custom_fields_values.0.values'],
        5: ['InvalidType custom_fields_values.0.values.0'],
        6: ['InvalidType custom_fields_values.0.field_id'],
        7: ['InvalidType custom_fields_values.0.field_id'],
        8: ['FieldNotExpected custom_fields_values.0.planet'],
        9: ['FieldNotExpected custom_fields_values.0.values.0.planet'],
        10: ['TooMany custom_fields_values'],
      },
    ])
  })

  test('read-only names and types of fields are taken back and do nothing, whatever they hold', async () => {
    const sent = {
      ...valueOf(fields.text, { value: 'x' }),
      field_name: { deep: [null] },
      field_type: 'numeric',
    }
    const id = await addRecord(account.api, 'leads', { custom_fields_values: [sent] })
    expect(await readFilled(account.api, 'leads', id)).toEqual([
      shownAs(fields.text, { value: 'x' }),
    ])
  })
})

/** A value of each type, several where it takes several, as they are sent. */
type OfRecords = Exclude<
  FieldType,
  'category' | 'items' | 'linked_entity' | 'payer' | 'price' | 'supplier'
>
const some: Record<OfRecords, object[]> = {
  text: [{ value: 'Text' }],
  numeric: [{ value: '012.50' }],
  checkbox: [{ value: false }],
  select: [{ value: 'South' }],
  multiselect: [{ value: 'East' }, { enum_code: 'south' }],
  date: [{ value: '2026-12-31T15:00:00+03:00' }],
  url: [{ value: 'https://example.com' }],
  multitext: [
    { value: 'b@example.com', enum_code: 'PRIV' },
    { value: 'a@example.com' },
    { value: 'a@example.com' },
  ],
  textarea: [{ value: 'Two\nlines' }],
  radiobutton: [{ value: 'North' }],
  streetaddress: [{ value: ' Main street ' }],
  smart_address: [
    { value: 'Rome', enum_code: 'city' },
    { value: '123', enum_id: 5 },
  ],
  birthday: [{ value: -1_000_000_001 }],
  legal_entity: [
    { value: { vat_id: '1', name: 'x', kpp: null, entity_type: 1, bank_account_number: '' } },
    { value: { name: 'y' } },
  ],
  date_time: [{ value: 1_798_761_599 }],
  tracking_data: [{ value: 'google' }],
  monetary: [{ value: 0.1 + 0.2 }],
  chained_list: [
    { catalog_id: 2, catalog_element_id: 1 },
    { catalog_element_id: 3, catalog_id: 4 },
  ],
  file: [{ value: { file_name: 'a.pdf', version_uuid: uuid, file_uuid: uuid, file_size: 5 } }],
}

const everything = (fields: Record<FieldType, Field>) =>
  Object.values(fields).map((field) => valueOf(field, ...some[field.type as OfRecords]))

// A field that is not mentioned stays, one that is mentioned is replaced as a whole, and what was
// read can be sent back.
describe.each(allKinds)('changes of values of %s', (kind) => {
  test('that were read can be sent back, alone and in a batch, and nothing has happened', async () => {
    const account = await newAccount()
    const { api } = account
    const sent = everything(await addEveryType(account, kind))
    const ids = await addRecords(api, kind, [
      { custom_fields_values: sent },
      { custom_fields_values: sent.toReversed() },
      {},
    ])
    const read = () => Promise.all(ids.map((id) => readRecord(api, kind, id)))
    const before = await read()
    expect(before[0].custom_fields_values).toHaveLength(sent.length)
    expect(before[1].custom_fields_values).toEqual(before[0].custom_fields_values)
    expect(before[2].custom_fields_values).toBeNull()
    const newsSince = await listen(account)
    account.clock.ahead += 3600
    for (const record of before) {
      const { status, body } = await api.patch(`${pathOf(kind)}/${record.id}`, record)
      expect([status, body.updated_at]).toEqual([200, record.updated_at])
    }
    expect((await api.patch(pathOf(kind), [...before, ...before])).status).toBe(200)
    // The values as they were sent at first are the same values.
    expect((await fill(api, kind, ids[0]!, ...sent)).body.updated_at).toBe(before[0].updated_at)
    expect(await read()).toEqual(before)
    expect(await newsSince()).toEqual({ journal: [], events: [] })
  })

  test('keep what is not mentioned; what is mentioned is replaced as a whole', async () => {
    const account = await newAccount()
    const { api } = account
    const [text, number, list] = await addFields(account, kind, [
      { type: 'text' },
      { type: 'numeric' },
      { type: 'multiselect', enums: ['a', 'b', 'c'] },
    ])
    const [a, b, c] = list!.enums.map(chosen)
    const custom_fields_values = [
      valueOf(text!, { value: 'x' }),
      valueOf(list!, { value: 'a' }, { value: 'b' }),
    ]
    const [id, untouched] = await addRecords(api, kind, [
      { custom_fields_values },
      { custom_fields_values },
    ])
    await fill(api, kind, id!, valueOf(number!, { value: 5 }))
    const x = shownAs(text!, { value: 'x' })
    const five = shownAs(number!, { value: '5' })
    expect(await readFilled(api, kind, id!)).toEqual([x, five, shownAs(list!, a!, b!)])
    await fill(api, kind, id!, valueOf(list!, { value: 'c' }))
    expect(await readFilled(api, kind, id!)).toEqual([x, five, shownAs(list!, c!)])
    await fill(api, kind, id!, valueOf(text!, { value: 'y' }), {
      ...valueOf(number!),
      values: null,
    })
    expect(await readFilled(api, kind, id!)).toEqual([
      shownAs(text!, { value: 'y' }),
      shownAs(list!, c!),
    ])
    expect(await readFilled(api, kind, untouched!)).toEqual([x, shownAs(list!, a!, b!)])
  })

  test('null or no list of fields changes nothing', async () => {
    const account = await newAccount()
    const [text] = await addFields(account, kind, [{ type: 'text' }])
    const id = await addRecord(account.api, kind, {
      custom_fields_values: [valueOf(text!, { value: 'x' })],
    })
    const newsSince = await listen(account)
    for (const custom_fields_values of [null, []])
      expect(
        (await account.api.patch(`${pathOf(kind)}/${id}`, { custom_fields_values })).status,
      ).toBe(200)
    expect(await readFilled(account.api, kind, id)).toEqual([shownAs(text!, { value: 'x' })])
    expect(await newsSince()).toEqual({ journal: [], events: [] })
  })

  test('a batch changes each record by its own values, two items for one record one after the other', async () => {
    const account = await newAccount()
    const { api } = account
    const [text, number] = await addFields(account, kind, [
      { type: 'text', code: 'NOTE' },
      { type: 'numeric' },
    ])
    const [one, other] = await addRecords(api, kind, [
      {},
      { custom_fields_values: [valueOf(text!, { value: 'x' })] },
    ])
    const { status } = await api.patch(pathOf(kind), [
      { id: one, custom_fields_values: [{ field_code: 'NOTE', values: [{ value: 'first' }] }] },
      { id: other, custom_fields_values: [valueOf(text!)] },
      {
        id: one,
        custom_fields_values: [valueOf(text!, { value: 'second' }), valueOf(number!, { value: 1 })],
      },
      { id: one, custom_fields_values: [valueOf(number!, { value: 2 })] },
    ])
    expect(status).toBe(200)
    expect(await readFilled(api, kind, one!)).toEqual([
      shownAs(text!, { value: 'second' }),
      shownAs(number!, { value: '2' }),
    ])
    expect(await readFilled(api, kind, other!)).toBeNull()
  })
})

describe('a field is cleared', () => {
  const ways: [string, { values: object[] | null }][] = [
    ['null instead of values', { values: null }],
    ['no values', { values: [] }],
    ['a value of null', { values: [{ value: null }] }],
    ['an empty text', { values: [{ value: '' }] }],
    ['nothing in the value', { values: [{}] }],
  ]
  test.each(ways)(
    'by %s, whatever its type; cleared once more nothing happens',
    async (_, cleared) => {
      const account = await newAccount()
      const { api } = account
      const fields = await addEveryType(account, 'leads')
      // A link of a chain has no value: it is there or not.
      const chain = cleared.values?.length ? [] : [fields.chained_list]
      const others = Object.values(fields).filter(({ type }) => type !== 'chained_list')
      const id = await addRecord(api, 'leads', { custom_fields_values: everything(fields) })
      const clear = [...others, ...chain].map(({ id }) => ({ field_id: id, ...cleared }))
      expect((await fill(api, 'leads', id, ...clear)).status).toBe(200)
      const left = chain.length === 0 ? [shownAs(fields.chained_list, ...some.chained_list)] : null
      expect(await readFilled(api, 'leads', id)).toEqual(left)
      const newsSince = await listen(account)
      expect((await fill(api, 'leads', id, ...clear)).status).toBe(200)
      expect(await newsSince()).toEqual({ journal: [], events: [] })
    },
  )

  test('by spaces where it holds text; a new record without anything filled has null', async () => {
    const account = await newAccount()
    const [position] = await firstFields(account, 'contacts')
    const blank = valueOf(position!, { value: ' \n ' })
    const id = await addRecord(account.api, 'contacts', { custom_fields_values: [blank] })
    expect(await readFilled(account.api, 'contacts', id)).toBeNull()
    await fill(account.api, 'contacts', id, valueOf(position!, { value: 'Boss' }))
    await fill(account.api, 'contacts', id, blank)
    expect(await readFilled(account.api, 'contacts', id)).toBeNull()
  })
})

// Contacts and companies have these fields from the beginning, with a kind for each value
// (interface: Predefined fields).
describe.each(kinds)('phones and e-mails of %s', (kind) => {
  async function start() {
    const account = await newAccount()
    const fields = await firstFields(account, kind)
    const byCode = (code: string) => fields.find((field) => field.code === code)!
    return { ...account, account, phone: byCode('PHONE'), email: byCode('EMAIL') }
  }
  const labelled = ({ enums }: Field, value: string, code: string) => {
    const { id } = enums.find((each) => each.code === code)!
    return { value, enum_id: id, enum_code: code }
  }

  test('have both, with the same ids and kinds whichever they are', async () => {
    const { account, phone, email } = await start()
    const [others] = kinds.filter((each) => each !== kind)
    const known = (await firstFields(account, others!)).filter(({ type }) => type === 'multitext')
    expect(known).toEqual([phone, email])
    expect(phone.enums.map(({ code, sort }) => [code, sort])).toEqual([
      ['WORK', 2],
      ['WORKDD', 4],
      ['MOB', 6],
      ['FAX', 8],
      ['HOME', 10],
      ['OTHER', 12],
    ])
    expect(email.enums.map(({ code }) => code)).toEqual(['WORK', 'PRIV', 'OTHER'])
  })

  test('take several, by the code of the field and of the kind; WORK where none is said', async () => {
    const { api, phone, email } = await start()
    const mobile = phone.enums.find(({ code }) => code === 'MOB')!.id
    const id = await addRecord(api, kind, {
      custom_fields_values: [
        { field_code: 'EMAIL', values: [{ value: 'a@example.com', enum: 'PRIV' }] },
        {
          field_code: 'PHONE',
          values: [
            { value: '+1 555 0100', enum_code: 'MOB' },
            { value: 15_550_101 },
            { value: '+15550102', enum_id: mobile, enum_code: 'WORK' },
            { value: '+15550103', enum_id: null, enum_code: null, enum: '' },
            { value: '' },
            { value: null, enum_code: 'HOME' },
          ],
        },
      ],
    })
    expect(await readFilled(api, kind, id)).toEqual([
      shownAs(
        phone,
        labelled(phone, '+1 555 0100', 'MOB'),
        labelled(phone, '15550101', 'WORK'),
        labelled(phone, '+15550102', 'MOB'),
        labelled(phone, '+15550103', 'WORK'),
      ),
      shownAs(email, labelled(email, 'a@example.com', 'PRIV')),
    ])
    // They are replaced as a whole, and the same number in another order or kind is a change.
    await fill(api, kind, id, valueOf(phone, { value: '+1 555 0100', enum_code: 'HOME' }), {
      field_code: 'EMAIL',
      values: null,
    })
    expect(await readFilled(api, kind, id)).toEqual([
      shownAs(phone, labelled(phone, '+1 555 0100', 'HOME')),
    ])
  })

  test('refuse kinds of another field, and texts that are too long or none', async () => {
    const { api, phone, email } = await start()
    const value = 'a@example.com'
    const refused = await api.post(pathOf(kind), [
      {
        custom_fields_values: [
          valueOf(email, { value, enum_code: 'MOB' }, { value, enum_id: phone.enums[0]!.id }),
        ],
      },
      {
        custom_fields_values: [
          valueOf(email, { value, enum: 'work' }, { value: 'x'.repeat(257) }, { value: {} }),
        ],
      },
      {
        custom_fields_values: [
          valueOf(email, { value, catalog_id: 1 }),
          { field_code: 'email', values: [{ value }] },
        ],
      },
    ])
    const at = 'custom_fields_values.0.values'
    expect([refused.status, faultsOf(refused)]).toEqual([
      400,
      {
        0: [`NotSupportedChoice ${at}.0.enum_code`, `NotSupportedChoice ${at}.1.enum_id`],
        1: [
          `NotSupportedChoice ${at}.0.enum`,
          `TooLong ${at}.1.value`,
          `InvalidType ${at}.2.value`,
        ],
        2: [
          `FieldNotExpected ${at}.0.catalog_id`,
          'NotSupportedChoice custom_fields_values.1.field_code',
        ],
      },
    ])
  })
})

test('leads have no phone', async () => {
  const account = await newAccount()
  const [, phone] = await firstFields(account, 'contacts')
  const refused = await account.api.post('/api/v4/leads', [
    {
      custom_fields_values: [
        valueOf(phone!, { value: '1' }),
        { field_code: 'PHONE', values: [{ value: '1' }] },
      ],
    },
  ])
  expect(faultsOf(refused)[0]).toEqual([
    'NotSupportedChoice custom_fields_values.0.field_id',
    'NotSupportedChoice custom_fields_values.1.field_code',
  ])
})

// The longest request about values, and the answers to hostile bodies.
describe('bounds of a request', () => {
  let account: TestAccount
  let fields: Record<FieldType, Field>

  beforeAll(async () => {
    account = await newAccount()
    fields = await addEveryType(account, 'leads')
  })

  describe('hostile bodies', () => {
    const body = (value: string, field = fields.text) =>
      `[{"custom_fields_values":[{"field_id":${field.id},"values":[{"value":${value}}]}]}]`

    test.each([
      ['__proto__ in a value', () => body('{"name":"x","__proto__":{"y":1}}', fields.legal_entity)],
      ['U+0000 in a text', () => body(String.raw`"a\u0000b"`)],
      ['U+0000 in an object', () => body(String.raw`{"name":"a\u0000b"}`, fields.legal_entity)],
      ['a lone surrogate', () => body(String.raw`"\ud800"`)],
      ['a number without end', () => body('1e999', fields.numeric)],
      [
        'bottomless objects',
        () => body(`${'{"name":'.repeat(5000)}1${'}'.repeat(5000)}`, fields.legal_entity),
      ],
      [
        'objects as deep as may be',
        () => body(`${'{"name":'.repeat(25)}1${'}'.repeat(25)}`, fields.legal_entity),
      ],
      ['a number of a million zeros', () => body(`"${'0'.repeat(1_000_000)}x"`, fields.numeric)],
      ['a time of a million digits', () => body(`"${'1'.repeat(1_000_000)}"`, fields.date)],
      ['a choice of a million letters', () => body(`"${'😀'.repeat(250_000)}"`, fields.select)],
    ] as const)('%s gets 400', async (_, text) => {
      expect((await account.api.post(path, text())).status).toBe(400)
    })

    test('thousands of bad values are told by some', async () => {
      const bad = valueOf(
        fields.multiselect,
        ...Array.from({ length: 250 }, (_, index) => ({ enum_id: index + 1 })),
      )
      const refused = await account.api.post(
        path,
        Array.from({ length: 250 }, () => ({
          custom_fields_values: [bad],
        })),
      )
      const faults = Object.values(faultsOf(refused))
      expect([refused.status, faults.length, faults[0]!.length]).toEqual([400, 250, 20])
    })
  })

  test('250 leads with 20 values each are one request, and are read as one page', async () => {
    const many = await addFields(
      account,
      'leads',
      Array.from({ length: 20 }, (_, index) => ({
        type: index % 2 === 0 ? ('text' as const) : ('numeric' as const),
      })),
    )
    const draft = (lead: number) => ({
      custom_fields_values: many.map((field, index) =>
        valueOf(field, { value: lead * 100 + index }),
      ),
    })
    const ids = await addRecords(
      account.api,
      'leads',
      Array.from({ length: 250 }, (_, lead) => draft(lead)),
    )
    const { body } = await account.api.get(`${path}?limit=250&order[id]=desc`)
    expect(body._embedded.leads.map(({ id }: { id: number }) => id)).toEqual(ids.toReversed())
    expect(body._embedded.leads[0].custom_fields_values).toEqual(
      many.map((field, index) => shownAs(field, { value: String(24_900 + index) })),
    )
  })

  test('the longest texts: as many as a body may hold are taken, more are refused by its size', async () => {
    const lead = { custom_fields_values: [valueOf(fields.textarea, { value: 'x'.repeat(65_535) })] }
    expect(
      (
        await account.api.post(
          path,
          Array.from({ length: 60 }, () => lead),
        )
      ).status,
    ).toBe(200)
    expect(
      (
        await account.api.post(
          path,
          Array.from({ length: 250 }, () => lead),
        )
      ).status,
    ).toBe(413)
    const wide = await newAccount({ bodyLimit: 64 * 1024 * 1024 })
    const { textarea } = await addEveryType(wide, 'leads')
    const custom_fields_values = [valueOf(textarea, { value: '\u{1f600}'.repeat(32_000) })]
    const ids = await addRecords(
      wide.api,
      'leads',
      Array.from({ length: 250 }, () => ({ custom_fields_values })),
    )
    const { body } = await wide.api.get(`${path}?limit=250`)
    expect(body._embedded.leads.map(({ id }: { id: number }) => id)).toEqual(ids)
    expect(body._embedded.leads[249].custom_fields_values[0].values[0].value).toHaveLength(64_000)
  })

  describe('with UNKNOWN_KEYS=ignore', () => {
    test('keys that a value does not have are left out, wherever they stand', async () => {
      const stubborn = await newAccount({ unknownKeys: 'ignore' })
      const { text, legal_entity, chained_list, select } = await addEveryType(stubborn, 'leads')
      const link = { catalog_id: 1, catalog_element_id: 2 }
      const id = await addRecord(stubborn.api, 'leads', {
        custom_fields_values: [
          { ...valueOf(text, { value: 'x', enum_code: 'WORK', planet: 1 }), planet: 2 },
          valueOf(select, { value: 'North', catalog_id: 1 }),
          valueOf(legal_entity, { value: { name: 'x', planet: 1 }, enum: 'x' }),
          valueOf(chained_list, { ...link, value: 'x' }),
        ],
      })
      const read = await readFilled(stubborn.api, 'leads', id)
      expect(read.map(({ values }: { values: object[] }) => values)).toEqual([
        [{ value: 'x' }],
        [{ value: 'North', enum_id: select.enums[0]!.id, enum_code: null }],
        [{ value: { name: 'x' } }],
        [link],
      ])
      // Faults of values are still reported.
      expect(
        faultsOf(await fill(stubborn.api, 'leads', id, valueOf(text, { value: {} })))[0],
      ).toHaveLength(1)
    })
  })
})

// All values of one record have a common bound, and an event tells a part of them.
describe('the weight of values', () => {
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

  /** Values of the first fields that weigh so much together, as they are kept. */
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
      (side as { custom_field_value: { text: string } }[]).map(
        (each) => each.custom_field_value.text,
      )
    const cut = [`${'x'.repeat(1999)}\ufffd`]
    expect(
      events.map((event) => [event['value_before'], event['value_after']].map(textsIn)),
    ).toEqual([
      [[], cut],
      [cut, ['z'.repeat(2000)]],
    ])
  })

  test('an event tells 250 values on a side at most', async () => {
    const { multitext } = await addEveryType(account, 'contacts')
    const fields = {
      version: 1,
      timezone: 'UTC',
      storedTimezone: 'UTC',
      list: [multitext],
      byId: new Map(),
      byCode: new Map(),
      gone: [],
    }
    const values = Array.from({ length: 300 }, (_, index): [string, number] => [
      `${index}`,
      multitext.enums[0]!.id,
    ])
    const [event] = valueNews(
      fields,
      { [multitext.id]: values },
      { [multitext.id]: values.toReversed() },
    )
    expect([event!.value_before, event!.value_after].map((side) => side.length)).toEqual([250, 250])
  })
})

// Each field that changed has its events, in the structure of the interface; all of them are
// one row of the journal.
describe('news of values', () => {
  let account: TestAccount
  let fields: Record<FieldType, Field>

  beforeAll(async () => {
    account = await newAccount()
    fields = await addEveryType(account, 'leads')
  })

  interface LoggedValues {
    enum_id?: number | null
    text: string
  }

  const items = (field: Field, field_type: number, values: LoggedValues[]) =>
    values.map((value) => ({
      custom_field_value: { field_id: field.id, field_type, enum_id: null, ...value },
    }))

  /** The event of a field. */
  const eventOf = (
    field: Field,
    number: number,
    id: number,
    [before, after]: [LoggedValues[], LoggedValues[]],
  ) => ({
    type: `custom_field_${field.id}_value_changed`,
    entity_id: id,
    created_by: account.admin.id,
    value_before: items(field, number, before),
    value_after: items(field, number, after),
  })

  const link = { catalog_id: 7, catalog_element_id: 9 }
  const northId = ({ enums }: Field) => enums[0]!.id

  /** The number of a type, one value and another as they are sent, and as they are told. */
  const types: [
    type: FieldType,
    number: number,
    sent: [object, object],
    told: (field: Field) => [LoggedValues, LoggedValues],
  ][] = [
    ['text', 1, [{ value: 'One' }, { value: 'Two' }], () => [{ text: 'One' }, { text: 'Two' }]],
    ['numeric', 2, [{ value: 1 }, { value: '2.50' }], () => [{ text: '1' }, { text: '2.5' }]],
    ['checkbox', 3, [{ value: true }, { value: false }], () => [{ text: '1' }, { text: '0' }]],
    ...(
      [
        ['select', 4],
        ['multiselect', 5],
        ['radiobutton', 10],
      ] as const
    ).map(([type, number]): (typeof types)[number] => [
      type,
      number,
      [{ value: 'North' }, { enum_code: 'south' }],
      (field) => [
        { enum_id: northId(field), text: 'North' },
        { enum_id: field.enums[1]!.id, text: 'South' },
      ],
    ]),
    ['date', 6, [{ value: 86_399 }, { value: 86_400 }], () => [{ text: '0' }, { text: '86400' }]],
    ['url', 7, [{ value: 'a' }, { value: 'b' }], () => [{ text: 'a' }, { text: 'b' }]],
    ['textarea', 9, [{ value: 'a\nb' }, { value: 'b' }], () => [{ text: 'a\nb' }, { text: 'b' }]],
    ['streetaddress', 11, [{ value: 'a' }, { value: 'b' }], () => [{ text: 'a' }, { text: 'b' }]],
    [
      'smart_address',
      13,
      [
        { value: 'Rome', enum_code: 'city' },
        { value: 'Italy', enum_id: 6 },
      ],
      () => [
        { enum_id: 3, text: 'Rome' },
        { enum_id: 6, text: 'Italy' },
      ],
    ],
    ['birthday', 14, [{ value: -1 }, { value: 0 }], () => [{ text: '-86400' }, { text: '0' }]],
    [
      'legal_entity',
      15,
      [{ value: { name: 'a' } }, { value: { name: 'b', kpp: '1' } }],
      () => [{ text: 'a' }, { text: 'b' }],
    ],
    [
      'date_time',
      19,
      [{ value: -1 }, { value: '1970-01-01T00:00:05Z' }],
      () => [{ text: '-1' }, { text: '5' }],
    ],
    ['tracking_data', 21, [{ value: 'a' }, { value: 'b' }], () => [{ text: 'a' }, { text: 'b' }]],
    ['monetary', 23, [{ value: 0 }, { value: '-0.5' }], () => [{ text: '0' }, { text: '-0.5' }]],
    [
      'chained_list',
      24,
      [link, { ...link, catalog_id: 8 }],
      () => [{ text: JSON.stringify(link) }, { text: JSON.stringify({ ...link, catalog_id: 8 }) }],
    ],
    [
      'file',
      25,
      [
        { value: { file_uuid: uuid, version_uuid: uuid, file_name: 'a.pdf' } },
        { value: { version_uuid: uuid, file_uuid: uuid } },
      ],
      () => [{ text: 'a.pdf' }, { text: JSON.stringify({ file_uuid: uuid, version_uuid: uuid }) }],
    ],
  ]

  test.each(types)(
    'a %s is told as type %i when it is set, changed and cleared, and not when it is the same',
    async (...each) => {
      const [type, number, [one, two], newsOf] = each
      const field = fields[type]
      const [first, second] = newsOf(field)
      const id = await addRecord(account.api, 'leads')
      const news = await listen(account)
      await fill(account.api, 'leads', id, valueOf(field, one))
      await fill(account.api, 'leads', id, valueOf(field, one))
      await fill(account.api, 'leads', id, valueOf(field, two))
      await fill(account.api, 'leads', id, valueOf(field))
      const { events, journal } = await news()
      expect(events.map(plainly)).toEqual([
        eventOf(field, number, id, [[], [first]]),
        eventOf(field, number, id, [[first], [second]]),
        eventOf(field, number, id, [[second], []]),
      ])
      expect(journal.map(({ actions, entity_id }) => [actions, entity_id])).toEqual([
        [['update'], id],
        [['update'], id],
        [['update'], id],
      ])
    },
  )

  test('every type but that of phones is in the table', () => {
    expect([...types.map(([type]) => type), 'multitext'].toSorted()).toEqual(
      Object.keys(fields).concat('multitext').toSorted(),
    )
  })

  test('each value of a field with several is told, phones with their kinds', async () => {
    const [, phone] = await firstFields(account, 'contacts')
    const [work, , mobile] = phone!.enums
    const id = await addRecord(account.api, 'contacts', {
      custom_fields_values: [valueOf(phone!, { value: '1' })],
    })
    const news = await listen(account)
    await fill(
      account.api,
      'contacts',
      id,
      valueOf(phone!, { value: '1', enum_code: 'MOB' }, { value: '2' }),
    )
    const before = [{ enum_id: work!.id, text: '1' }]
    const after = [
      { enum_id: mobile!.id, text: '1' },
      { enum_id: work!.id, text: '2' },
    ]
    expect((await news()).events.map(plainly)).toEqual([eventOf(phone!, 8, id, [before, after])])
  })

  describe.each(allKinds)('%s', (kind) => {
    test('that are created with values are told as created, and nothing else', async () => {
      const [text] = await addFields(account, kind, [{ type: 'text' }])
      const news = await listen(account)
      const id = await addRecord(account.api, kind, {
        custom_fields_values: [valueOf(text!, { value: 'x' })],
      })
      const { events, journal } = await news()
      expect(events.map(({ type }) => type)).toEqual([`${singular[kind]}_added`])
      const after = { id, custom_fields_values: { [text!.id]: ['x'] } }
      expect(journal).toMatchObject([{ actions: ['add'], entity_id: id, before: null, after }])
    })

    test('that change in some fields are one row of the journal with the values before and after, and events in the order of the fields', async () => {
      const [a, b, c] = await addFields(account, kind, [
        { type: 'text' },
        { type: 'text' },
        { type: 'text' },
      ])
      const custom_fields_values = [valueOf(a!, { value: 'a' }), valueOf(b!, { value: 'b' })]
      const id = await addRecord(account.api, kind, { custom_fields_values })
      const news = await listen(account)
      await account.api.patch(pathOf(kind), [
        { id, custom_fields_values: [valueOf(c!, { value: 'c' }), valueOf(b!)] },
        {
          id,
          custom_fields_values: [valueOf(c!, { value: 'C' }), valueOf(a!, { value: 'a' })],
          name: 'New',
        },
      ])
      const { events, journal } = await news()
      expect(events.map(({ type }) => type)).toEqual([
        'name_field_changed',
        ...[b!, c!].map((field) => `custom_field_${field.id}_value_changed`),
      ])
      expect(events.slice(1).map(plainly)).toEqual([
        eventOf(b!, 1, id, [[{ text: 'b' }], []]),
        eventOf(c!, 1, id, [[], [{ text: 'C' }]]),
      ])
      expect(journal).toMatchObject([
        {
          actions: ['update'],
          entity_type: kind,
          entity_id: id,
          created_by: account.admin.id,
          before: {
            custom_fields_values: {
              [a!.id]: ['a'],
              [b!.id]: ['b'],
            },
          },
          after: {
            custom_fields_values: {
              [a!.id]: ['a'],
              [c!.id]: ['C'],
            },
          },
        },
      ])
    })
  })
})
