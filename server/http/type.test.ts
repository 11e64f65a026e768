import { Type as TypeBox } from 'typebox'
import { expect, test } from 'vitest'
import { Type } from './type.ts'

type Builder = typeof Type

const schemas: [string, (type: Builder) => object][] = [
  ['a text', (type) => type.String()],
  ['a text with bounds', (type) => type.String({ minLength: 1, maxLength: 5 })],
  ['a number', (type) => type.Number({ minimum: 0 })],
  ['an integer', (type) => type.Integer({ maximum: 9, 'x-cut': true })],
  ['a boolean', (type) => type.Boolean({ default: false })],
  ['null', (type) => type.Null()],
  ['anything', (type) => type.Unknown({ description: 'anything' })],
  ['a list', (type) => type.Array(type.String(), { maxItems: 3 })],
  ['literals', (type) => type.Union([type.Literal('a'), type.Literal(1), type.Literal(true)])],
  ['a choice', (type) => type.Enum(['a', 'b'], { description: 'one of two' })],
  ['any keys', (type) => type.Record(type.String(), type.Null(), { minProperties: 1 })],
  ['keys of a form', (type) => type.Record(type.String({ pattern: '^[a-z]$' }), type.Integer())],
  ['no required key', (type) => type.Object({ a: type.Optional(type.Null()) })],
  ['some required keys', mixed],
  ['no required keys any more', (type) => type.Partial(mixed(type), { description: 'a part' })],
  ['parts of another', (type) => type.Object({ c: type.Null(), ...mixed(type).properties })],
]

function mixed(type: Builder) {
  const text = type.String({ description: 'twice' })
  return type.Object({ a: text, b: type.Optional(text) }, { additionalProperties: false })
}

test.each(schemas)('%s is what TypeBox makes of it', (_name, make) => {
  expect(JSON.stringify(make(Type))).toBe(JSON.stringify(make(TypeBox)))
})

test('an optional property is a copy, and both builders know it', () => {
  const text = Type.String()
  const optional = Type.Optional(text)
  expect([text, optional].map((each) => Type.IsOptional(each))).toEqual([false, true])
  expect([text, optional].map((each) => TypeBox.IsOptional(each))).toEqual([false, true])
  expect(Type.IsOptional(TypeBox.Optional(TypeBox.Null()))).toBe(true)
})
