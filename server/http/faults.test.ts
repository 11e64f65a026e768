import type { TSchema } from 'typebox'
import { describe, expect, test } from 'vitest'
import { Type } from './type.ts'
import { Id, Name, Nullable, SafeInteger, Text, Timestamp } from './types.ts'
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

describe('a fault names its code', () => {
  test.each<[string, TSchema, unknown, string, string]>([
    ['InvalidType', Type.Object({ a: Id }), { a: [] }, 'a', 'This value should be of type int.'],
    ['InvalidType', Id, 0.5, '', 'This value should be of type int.'],
    [
      'FieldMissing',
      Type.Object({ a: Type.Object({ b: Id }) }),
      { a: {} },
      'a.b',
      'This field is missing.',
    ],
    ['FieldNotExpected', Type.Object({}), { 'x/y~z': 1 }, 'x/y~z', 'This field was not expected.'],
    ['NotNullable', Text(3), null, '', 'This value should not be null.'],
    ['NotNullable', Choice, null, '', 'This value should not be null.'],
    ['NotBlank', Name(3), '', '', 'This value should not be blank.'],
    ['NotBlank', Name(3), ' \u00a0\n', '', 'This value should not be blank.'],
    ['NotBlank', Type.String({ minLength: 1 }), '', '', 'This value should not be blank.'],
    [
      'TooShort',
      Type.String({ minLength: 2 }),
      'a',
      '',
      'This value is too short. It should have 2 characters or more.',
    ],
    [
      'TooLong',
      Text(2),
      '😀😀😀',
      '',
      'This value is too long. It should have 2 characters or less.',
    ],
    ['TooLow', Id, 0, '', 'This value should be 1 or more.'],
    ['TooHigh', Timestamp, 253_402_300_800, '', 'This value should be 253402300799 or less.'],
    ['TooHigh', Type.Integer(), 2 ** 53, '', 'This value should be 9007199254740991 or less.'],
    ['TooLow', Type.Integer(), -(2 ** 53), '', 'This value should be -9007199254740991 or more.'],
    [
      'TooFew',
      Type.Array(Id, { minItems: 1 }),
      [],
      '',
      'This collection should contain 1 element or more.',
    ],
    [
      'TooMany',
      Type.Array(Id, { maxItems: 1 }),
      [1, 2],
      '',
      'This collection should contain 1 element or less.',
    ],
    [
      'NotSupportedChoice',
      Choice,
      'up',
      '',
      'The value you selected is not a valid choice. Allowed: "asc", "desc".',
    ],
    [
      'NotSupportedChoice',
      Type.Literal('x'),
      'y',
      '',
      'The value you selected is not a valid choice. Allowed: "x".',
    ],
    [
      'NotSupportedChoice',
      Type.Enum(['a', 'b']),
      'c',
      '',
      'The value you selected is not a valid choice. Allowed: "a", "b".',
    ],
    [
      'InvalidFormat',
      Type.String({ pattern: '^a' }),
      'b',
      '',
      'This value is not in the expected format.',
    ],
    ['InvalidFormat', Type.String({ format: 'uuid' }), 'b', '', 'This value is not a valid uuid.'],
    [
      'InvalidUrl',
      Type.String({ format: 'uri' }),
      'javascript:1',
      '',
      'This value is not a valid URL.',
    ],
    ['TooLow', Nullable(Id), 0, '', 'This value should be 1 or more.'],
    ['InvalidType', Nullable(Id), 'x', '', 'This value should be of type int.'],
    [
      'TooHigh',
      Type.Object({ price: Range }),
      { price: { to: 2 ** 60 } },
      'price.to',
      'This value should be 9007199254740991 or less.',
    ],
    ['InvalidType', Range, 'x', '', 'This value should be an object of from, to or of type int.'],
    [
      'TooLow',
      Shapes,
      { kind: 'call', duration: -1 },
      'duration',
      'This value should be 0 or more.',
    ],
    [
      'InvalidType',
      Shapes,
      { kind: 'fax' },
      '',
      'This value should be an object of kind, duration or an object of kind, text.',
    ],
    [
      'TooLong',
      Nullable(Type.Array(Nullable(Text(1)))),
      ['a', null, 'bc'],
      '2',
      'This value is too long. It should have 1 character or less.',
    ],
  ])('%s', (code, schema, value, path, detail) => {
    // The sentence of a bound names it first.
    const [limit] = code.startsWith('Too') ? /-?\d+/.exec(detail)! : []
    expect(compile(schema)(value).faults).toEqual([
      { code, path, detail, ...(limit !== undefined && { limit: Number(limit) }) },
    ])
  })

  test('once per path, for every path, up to 20', () => {
    const check = compile(
      Type.Object({ a: Id, b: Type.String({ minLength: 5, pattern: '^x' }), list: Type.Array(Id) }),
    )
    expect(
      check({ b: 'y', list: ['x', 1, null] }).faults.map(({ code, path }) => `${path} ${code}`),
    ).toEqual(['a FieldMissing', 'b TooShort', 'list.0 InvalidType', 'list.2 NotNullable'])
    expect(check({ a: 1, b: 'xxxxx', list: Array(100).fill(null) }).faults).toHaveLength(20)
  })

  test('and of a value with thousands of parts only the first, so that a large body stays cheap', () => {
    expect(compile(Type.Array(Id))(Array(3000).fill(null)).faults).toHaveLength(1)
  })

  test('with the path in brackets where the value came as text', () => {
    const check = compile(Type.Object({ filter: Type.Object({ price: Range }) }), 'text')
    expect(check({ filter: { price: { from: 'x' } } }).faults).toEqual([
      {
        code: 'InvalidType',
        path: 'filter[price][from]',
        detail: 'This value should be of type int.',
      },
    ])
  })
})
