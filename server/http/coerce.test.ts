import type { TSchema } from 'typebox'
import { describe, expect, test } from 'vitest'
import { Quantity } from '../records/schema.ts'
import { parseNested, parseQuery } from './nested.ts'
import { Type } from './type.ts'
import { CommaList, Id, LooseText, Name, Nullable, Price, SafeInteger, Text } from './types.ts'
import type { Mode } from './coerce.ts'
import { compile } from './validate.ts'

const Range = Type.Union([
  Type.Object({ from: Type.Optional(SafeInteger), to: Type.Optional(SafeInteger) }),
  SafeInteger,
])

const Choice = Type.Union([Type.Literal('asc'), Type.Literal('desc')])

const Shapes = Type.Union([
  Type.Object({ kind: Type.Literal('call'), duration: Type.Integer({ minimum: 0 }) }),
  Type.Object({ kind: Type.Literal('text'), text: Name(5) }),
])

describe('in a form', () => {
  const Names = Type.Object({ list: Type.Array(Type.Object({ name: Text(5) })) })
  const ById = Type.Object({ list: Type.Record(Type.String(), Text(5)) })
  const Either = Type.Object({ list: Type.Union([ById.properties.list, Type.Array(Text(5))]) })
  const names = (...all: string[]) => ({ list: all.map((name) => ({ name })) })

  test.each<[form: string, TSchema, unknown]>([
    ['list[0][name]=a&list[1][name]=b', Names, names('a', 'b')],
    ['list[0][name]=a&list[2][name]=b', Names, names('a', 'b')],
    ['list[7][name]=b&list[3][name]=a', Names, names('a', 'b')],
    ['list[10][name]=c&list[9][name]=b&list[2][name]=a', Names, names('a', 'b', 'c')],
    ['list[5][name]=a', Names, names('a')],
    ['list[1][name]=a&list[x][name]=b', Names, fails('InvalidType')],
    ['list[name]=a', Names, fails('InvalidType')],
    ['list[7]=b&list[3]=a', ById, { list: { 3: 'a', 7: 'b' } }],
    ['list[7]=b&list[3]=a', Either, { list: ['a', 'b'] }],
  ])('%s', (form, schema, expected) => {
    const { value, faults } = compile(schema)(parseNested(form))
    expect(faults.length > 0 ? fails(faults[0]!.code) : value).toEqual(expected)
  })

  test('indices with gaps are no list in JSON', () => {
    const { faults } = compile(Names)({ list: { 0: { name: 'a' }, 2: { name: 'b' } } })
    expect(faults.map(({ code }) => code)).toEqual(['InvalidType'])
  })
})

describe('in a JSON body', () => {
  test.each<[string, TSchema, unknown, unknown]>([
    ['numeric text is an integer', SafeInteger, '-5', -5],
    ['a long numeric text too', Id, '9007199254740991', 9007199254740991],
    ['text in front of digits is no integer', SafeInteger, ' 1', fails('InvalidType')],
    ['empty text is no integer', SafeInteger, '', fails('InvalidType')],
    ['an exponent is no integer', SafeInteger, '1e3', fails('InvalidType')],
    ['hexadecimal is no integer', SafeInteger, '0x1', fails('InvalidType')],
    ['a boolean is no integer', SafeInteger, true, fails('InvalidType')],
    ['null is no integer', SafeInteger, null, fails('NotNullable')],
    ['null stays null', Nullable(Id), null, null],
    ['numeric text may be nullable', Nullable(Id), '7', 7],
    ['1 is true', Type.Boolean(), 1, true],
    ['0 is false', Type.Boolean(), 0, false],
    ['-0 is 0', SafeInteger, '-0', 0],
    ['"1" is no boolean', Type.Boolean(), '1', fails('InvalidType')],
    ['2 is no boolean', Type.Boolean(), 2, fails('InvalidType')],
    ['null is no boolean', Type.Boolean(), null, fails('NotNullable')],
    ['null stays null beside a boolean', Nullable(Type.Boolean()), null, null],
    ['a price is cut', Price, 99.99, 99],
    ['a price in text is cut', Price, '99.99', 99],
    ['a price below zero is cut towards zero, then judged', Price, -0.5, 0],
    ['numeric text is no number', Type.Number(), '1.5', fails('InvalidType')],
    ['words are no quantity', Quantity, 'many', fails('InvalidType')],
    ['an empty text is no quantity', Quantity, '', fails('InvalidType')],
    ['a number keeps its decimals', Type.Number(), 1 / 3, 1 / 3],
    ['a quantity is rounded', Quantity, 2 / 3, 0.666667],
    ['a quantity in text is rounded', Quantity, '0.6666666', 0.666667],
    ['a quantity is rounded by its decimal digits', Quantity, 1.0000015, 1.000002],
    ['a great quantity keeps six decimals', Quantity, '999999998.1234564', 999_999_998.123456],
    ['a quantity is rounded before it is judged', Quantity, 999_999_999.0000001, 999_999_999],
    ['a quantity that rounds to nothing', Quantity, 4e-7, fails('TooLow')],
    ['a quantity beyond all numbers', Quantity, 1e300, fails('TooHigh')],
    ['other integers are not cut', SafeInteger, 99.99, fails('InvalidType')],
    ['a number is no text', Text(5), 5, fails('InvalidType')],
    ['a number is a phone', LooseText(20), 79_001_234_567, '79001234567'],
    ['a boolean is loose text', LooseText(20), true, 'true'],
    ['a number that lost digits is no phone', LooseText(20), 2 ** 53, fails('InvalidType')],
    ['null is no phone', LooseText(20), null, fails('NotNullable')],
    ['one value is no list', Type.Array(Id), 5, fails('InvalidType')],
    ['an empty object is an empty list', Type.Array(Id), {}, []],
    ['an object that is not empty is no list', Type.Array(Id), { a: 1 }, fails('InvalidType')],
    ['an empty object in a list', Type.Array(Type.Array(Id)), [{}], [[]]],
    ['an empty object too small a list', Type.Array(Id, { minItems: 1 }), {}, fails('TooFew')],
    ['an empty object or nothing', Nullable(Type.Array(Id)), {}, []],
    ['an empty object that keeps what it holds', Type.Record(Type.String(), Id), {}, {}],
    [
      'an empty object beside a list',
      Type.Union([Type.Array(Id), Type.Record(Type.String(), Id)]),
      {},
      {},
    ],
    [
      'an empty object where no object may be empty',
      Type.Union([Type.Array(Id), Type.Record(Type.String(), Id, { minProperties: 1 })]),
      {},
      [],
    ],
    ['an empty object as anything', Type.Union([Type.Array(Id), Type.Unknown()]), {}, {}],
    ['the items of a list convert', Type.Array(Id), ['1', 2], [1, 2]],
    ['the members of a record convert', Type.Record(Type.String(), Id), { a: '1' }, { a: 1 }],
    ['what fits a union as it is stays', Type.Union([SafeInteger, Text(5)]), '12', '12'],
    ['what fits no alternative is converted', Range, { from: '1' }, { from: 1 }],
    ['a literal number converts', Type.Literal(5), '5', 5],
    ['anything stays what it is', Type.Unknown(), { a: ['1'] }, { a: ['1'] }],
    [
      'alternatives are told apart by what is in them',
      Shapes,
      { kind: 'call', duration: '5' },
      { kind: 'call', duration: 5 },
    ],
  ])('%s', (_, schema, value, expected) => {
    expect(outcome(schema, 'json', value)).toEqual(expected)
  })
})

describe('in strict JSON nothing is converted', () => {
  test.each<[string, TSchema, unknown, unknown]>([
    ['numeric text', SafeInteger, '5', fails('InvalidType')],
    ['a bit', Type.Boolean(), 1, fails('InvalidType')],
    ['a fraction', Price, 5.5, fails('InvalidType')],
    ['a number in text', Quantity, '5.5', fails('InvalidType')],
    ['a long fraction', Quantity, 2 / 3, 2 / 3],
    ['a number as text', LooseText(9), 5, fails('InvalidType')],
    ['an object as a list', Type.Array(Id), { 0: 5 }, fails('InvalidType')],
    ['an empty list as an object', Type.Object({}), [], fails('InvalidType')],
    ['an empty object as a list', Type.Array(Id), {}, fails('InvalidType')],
    ['a name of an item', Type.Array(Shapes), [{ request_id: 'x', kind: 'text', text: 'a' }], null],
    ['a list in a union', Type.Union([Type.Array(Id), Type.Null()]), { 0: 5 }, null],
    ['null', Type.Object({ id: Id }), { id: null }, fails('NotNullable')],
    ['what fits', Type.Object({ ids: Type.Array(Id) }), { ids: [1] }, { ids: [1] }],
  ])('%s', (_, schema, value, expected) => {
    const found = outcome(schema, 'strict', value)
    if (expected === null) expect(found).toHaveProperty('fails')
    else expect(found).toEqual(expected)
  })

  test('and unknown keys are left out where the server is set so', () => {
    const schema = Type.Object({ id: Id }, { additionalProperties: false })
    const given = { mode: 'strict', unknownKeys: 'ignore' } as const
    expect(compile(schema, given)({ id: 1, x: 2 })).toEqual({ value: { id: 1 }, faults: [] })
  })
})

describe('in a query string or a form', () => {
  test.each<[string, TSchema, unknown, unknown]>([
    ['text is an integer', Id, '5', 5],
    ['text with a fraction is no integer', Id, '5.5', fails('InvalidType')],
    ['text with a fraction is a price', Price, '5.5', 5],
    ['text is a number', Type.Number(), '5.5', 5.5],
    ['1 and true are true', Type.Array(Type.Boolean()), ['1', 'true'], [true, true]],
    ['0 and false are false', Type.Array(Type.Boolean()), ['0', 'false'], [false, false]],
    ['yes is no boolean', Type.Boolean(), 'yes', fails('InvalidType')],
    ['text stays text', Text(9), '5', '5'],
    ['one value is a list', Type.Array(Id), '5', [5]],
    [
      'one object is a list of objects',
      Type.Array(Type.Object({ id: Id })),
      { id: '5' },
      [{ id: 5 }],
    ],
    ['keys with gaps are an order', Type.Array(Id), { 10: '1', 2: '2' }, [2, 1]],
    ['named keys are no list of ids', Type.Array(Id), { a: '1' }, fails('InvalidType')],
    ['commas part nothing', Type.Array(Text(9)), 'a,b', ['a,b']],
    ['except where they do', CommaList(Text(9)), 'a,b', ['a', 'b']],
    ['nothing between commas', CommaList(Text(9)), '', []],
    ['commas in the members of a list', CommaList(Id), ['1,2', '3'], [1, 2, 3]],
    ['blanks around a comma are no part of a value', CommaList(Id), '1, 2', [1, 2]],
    ['commas in a list with gaps', CommaList(Id), { 5: '3', 1: '1,2' }, [1, 2, 3]],
    ['an empty member stays', CommaList(Text(9)), ['', 'a,'], ['', 'a', '']],
    [
      'a list may be an object with indices for keys',
      Type.Record(Type.String(), Id),
      ['5', '6'],
      { 0: 5, 1: 6 },
    ],
    ['a number where a range may stand', Range, '5', 5],
    ['a range', Range, { from: '1', to: '2' }, { from: 1, to: 2 }],
    ['the first alternative that fits', Type.Union([Id, Text(9)]), '12', 12],
    ['the second', Type.Union([Id, Text(9)]), 'x', 'x'],
    ['a choice of numbers', Type.Enum([1, 2]), '2', 2],
    ['a choice', Choice, 'asc', 'asc'],
  ])('%s', (_, schema, value, expected) => {
    expect(outcome(schema, 'text', value)).toEqual(expected)
  })
})

describe('of a key that repeats', () => {
  const Ids = Type.Object({ a: CommaList(Id) })
  const Words = Type.Object({ a: Type.Array(Text(5)) })
  const One = Type.Object({ a: Text(5) })
  const Either = Type.Object({
    a: Type.Union([Type.Array(Id), Type.Object({ from: Id }, { additionalProperties: false })]),
  })
  const ById = Type.Object({
    a: Type.Record(Type.String({ pattern: '^[0-9]+$' }), Words.properties.a),
  })
  const OneById = Type.Object({ a: Type.Record(Type.String(), Text(5)) })

  test.each<[query: string, TSchema, unknown]>([
    ['a=1&a=2', Ids, { a: [1, 2] }],
    ['a=1,2&a=3', Ids, { a: [1, 2, 3] }],
    ['a=1&a[]=2', Ids, { a: [1, 2] }],
    ['a=1&a[0]=2', Ids, { a: [1, 2] }],
    ['a[]=1&a=2&a[7]=4&a[5]=3', Ids, { a: [1, 2, 3, 4] }],
    ['a=1&a=x', Ids, fails('InvalidType')],
    ['a=x,y&a=z', Words, { a: ['x,y', 'z'] }],
    ['a=x&a=y', One, { a: 'y' }],
    ['a[]=x&a=y', One, { a: 'y' }],
    ['a=1&a=2', Either, { a: [1, 2] }],
    ['a[from]=1&a[from]=2', Either, { a: { from: 2 } }],
    ['a=1&a[from]=2', Either, { a: { from: 2 } }],
    ['a[from]=1&a=2', Either, { a: [2] }],
    ['a[7]=x&a[7]=y&a[8]=z', ById, { a: { 7: ['x', 'y'], 8: ['z'] } }],
    ['a[0]=x&a[0]=y', ById, { a: { 0: ['x', 'y'] } }],
    ['a[7]=x&a[7]=y', OneById, { a: { 7: 'y' } }],
  ])('the query string %s has all values where a list is asked for', (query, schema, expected) => {
    expect(outcome(schema, 'text', parseQuery(query))).toEqual(expected)
  })

  test.each<[form: string, TSchema, unknown]>([
    ['a=1&a=2', Ids, { a: [2] }],
    ['a=1&a[]=2', Ids, { a: [2] }],
    ['a[7]=x&a[7]=y', ById, { a: { 7: ['y'] } }],
  ])('the form %s has the last', (form, schema, expected) => {
    expect(outcome(schema, 'text', parseNested(form))).toEqual(expected)
  })
})

test.each<[text: string, expected: unknown]>([
  ['0', 1],
  ['-0', 1],
  ['1', 1],
  ['2', 2],
  ['-1', fails('TooLow')],
  ['', fails('InvalidType')],
])('page %s', (text, expected) => {
  expect(outcome(Type.Integer({ minimum: 1, 'x-page': true }), 'text', text)).toEqual(expected)
})

test.each<[text: string, expected: unknown]>([
  ['asc', 'asc'],
  ['ASC', 'asc'],
  ['Desc', 'desc'],
  ['up', fails('NotSupportedChoice')],
])('order %s', (text, expected) => {
  const schema = Type.Enum(['asc', 'desc'], { 'x-any-case': true })
  expect(outcome(schema, 'text', text)).toEqual(expected)
})

/** The converted value, or the codes of its faults. */
function outcome(schema: TSchema, mode: Mode, value: unknown): unknown {
  const result = compile(schema, mode)(value)
  return result.faults.length ? fails(...result.faults.map(({ code }) => code)) : result.value
}

function fails(...codes: string[]) {
  return { fails: codes }
}

// test/routes/members.test.ts sends every member of every body as null.
describe('null counts as not sent where a member is optional and takes none', () => {
  const inner = Type.Object(
    { id: Id, name: Type.Optional(Text(5)) },
    { additionalProperties: false },
  )
  const schema = Type.Object(
    {
      id: Id,
      name: Type.Optional(Text(5)),
      price: Type.Optional(Nullable(Price)),
      url: Type.Optional(Type.String({ 'x-null-refused': true })),
      sent: Type.Optional(Type.Unknown()),
      list: Type.Optional(Type.Array(Id)),
      items: Type.Optional(Type.Array(inner)),
      either: Type.Optional(Type.Union([Id, inner])),
      _embedded: Type.Optional(Type.Object({ tags: Type.Array(inner) })),
      byName: Type.Optional(Type.Record(Type.String(), Id)),
    },
    { additionalProperties: false },
  )
  const whole = { id: 1, name: 'Ann' }

  test.each<[string, object, unknown]>([
    ['an optional member', { ...whole, name: null }, { id: 1 }],
    ['a required one', { id: null }, fails('NotNullable')],
    ['one that may be null', { ...whole, price: null }, { ...whole, price: null }],
    ['one whose absence means more', { ...whole, url: null }, fails('NotNullable')],
    ['a list', { ...whole, list: null }, whole],
    ['an item of a list', { ...whole, list: [1, null] }, fails('NotNullable')],
    [
      'a member of an item',
      { ...whole, items: [{ id: 1, name: null }] },
      { ...whole, items: [{ id: 1 }] },
    ],
    [
      'a member of an alternative',
      { ...whole, either: { id: 1, name: null } },
      { ...whole, either: { id: 1 } },
    ],
    ['an entry of a record', { ...whole, byName: { a: null } }, fails('NotNullable')],
    ['what is kept as it is', { id: 1, sent: { a: null } }, { id: 1, sent: { a: null } }],
    ['an unknown member', { ...whole, shade: null }, whole],
    ['an unknown member with a value', { ...whole, shade: 1 }, fails('FieldNotExpected')],
    [
      'an unknown member of an item',
      { ...whole, items: [{ id: 1, shade: null }] },
      { ...whole, items: [{ id: 1 }] },
    ],
    ['an empty _embedded', { ...whole, _embedded: {} }, whole],
    ['one that PHP wrote', { ...whole, _embedded: [] }, whole],
    ['one of null', { ...whole, _embedded: null }, whole],
    [
      'an empty one that nobody knows',
      { ...whole, items: [{ id: 1, _embedded: {} }] },
      { ...whole, items: [{ id: 1 }] },
    ],
    [
      'one that holds something',
      { ...whole, _embedded: { shades: [] } },
      fails('FieldMissing', 'FieldNotExpected'),
    ],
  ])('%s', (_, value, expected) => {
    for (const mode of ['json', 'strict'] as const)
      expect(outcome(schema, mode, value)).toEqual(expected)
  })
})

test('of a list that is too long no more is converted than refuses it', () => {
  const check = compile(Type.Array(LooseText(5), { maxItems: 2 }))
  const { value, faults } = check(Array.from({ length: 1000 }, (_, n) => n))
  expect(value).toEqual(['0', '1', '2'])
  expect(faults.map(({ code }) => code)).toEqual(['TooMany'])
})
