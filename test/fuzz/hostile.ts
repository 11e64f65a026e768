// Values that only a hostile client would send, and how they get into a body.
import fc from 'fast-check'

export type Values = fc.Arbitrary<unknown>

/** Stands in a body as it is: what JavaScript could not hold, such as the number `1e999`. It has no quotes. */
export class Literal {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** JSON with literals as they are. */
export function jsonOf(value: unknown): string {
  const marked = (_: string, each: unknown) =>
    each instanceof Literal ? `literal ${each.text}` : each
  return (JSON.stringify(value, marked) ?? 'null').replaceAll(/"literal ([^"]+)"/g, '$1')
}

const nasty = [
  '',
  ' ',
  '0',
  '-0',
  '1e5',
  'null',
  'NaN',
  '\0',
  'a\0b',
  '\ud800',
  'a\udfff',
  '‮',
  '﻿',
  '😀',
  'İ',
  'ﬀ',
  "'; drop table leads; --",
  '<script>alert(1)</script>',
  '%00',
  '%s%n',
  '../../etc/passwd',
  '${7*7}',
  '{{7*7}}',
  '\\',
  '"',
  '__proto__',
  'constructor',
  'toString',
  'x'.repeat(255),
  'x'.repeat(256),
  'ж'.repeat(7e4),
]
const numbers = [
  0,
  -0,
  -1,
  1,
  142,
  143,
  0.5,
  -0.5,
  2 ** 31,
  -(2 ** 31) - 1,
  2 ** 53 - 1,
  2 ** 53,
  2 ** 63,
  -(2 ** 63),
  1e308,
  5e-324,
  ...['1e999', '-1e999', '9'.repeat(400), '1.0000000000000000001', '1E400'].map(
    (text) => new Literal(text),
  ),
]

function nested(levels: number, inner: unknown): unknown {
  return levels === 0
    ? inner
    : levels % 2
      ? [nested(levels - 1, inner)]
      : { a: nested(levels - 1, inner) }
}

/** Keys that objects have of their own, as own keys. */
export const prototypes = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'then',
  'toJSON',
  'length',
  '',
].map((key) => Object.fromEntries([[key, { admin: true }]]))

export const anything: Values = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom<unknown>(
      ...nasty,
      ...numbers,
      null,
      true,
      false,
      [],
      {},
      [[]],
      [null],
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom<unknown>(
      ...prototypes,
      nested(6, 1),
      nested(40, 'deep'),
      new Literal('['.repeat(5000) + ']'.repeat(5000)),
    ),
  },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(300, 20_000)
      .map((length) => Array.from({ length }, (_, index) => ({ id: index }))),
  },
)

const hostileText: fc.Arbitrary<unknown> = fc.constantFrom<unknown>(...nasty)
const hostileNumber: fc.Arbitrary<unknown> = fc.constantFrom<unknown>(...numbers)

/** Values with one thing in them spoiled, half of the time by another of its own type: what else is wrong would hide it. */
export function spoiled(values: Values): Values {
  return fc
    .tuple(values, fc.nat(), fc.boolean(), hostileText, hostileNumber, anything)
    .map(([value, path, isAlike, ...bad]) => {
      const spoil = (leaf: unknown): unknown => {
        const [text, number, other] = bad
        if (!isAlike) return other
        return typeof leaf === 'string' ? text : typeof leaf === 'number' ? number : other
      }
      const count = leaves(value)
      let left = count === 0 ? -1 : path % count
      return replaced(value, (leaf) => (left-- === 0 ? spoil(leaf) : leaf))
    })
}

const isWhole = (value: unknown) =>
  typeof value !== 'object' || value === null || value instanceof Literal

function leaves(value: unknown): number {
  if (isWhole(value)) return 1
  return Object.values(value as object).reduce<number>((sum, each) => sum + leaves(each), 0)
}

function replaced(value: unknown, by: (leaf: unknown) => unknown): unknown {
  if (isWhole(value)) return by(value)
  if (Array.isArray(value)) return value.map((each) => replaced(each, by))
  return Object.fromEntries(
    Object.entries(value as object).map(([key, each]) => [key, replaced(each, by)]),
  )
}
