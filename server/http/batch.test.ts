import { Ajv } from 'ajv'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { newFaults, readBatch, readOne } from './batch.ts'
import { Problem } from './problem.ts'
import type { Fault, ItemFaults } from './problem.ts'
import { strict } from './shape.ts'
import { Type } from './type.ts'
import { Id, Price, Text } from './types.ts'
import { compile } from './validate.ts'

const Lead = Type.Object({
  name: Text(9),
  price: Type.Optional(Price),
  status_id: Type.Optional(Id),
})
const lead = compile(Lead)

describe('a batch', () => {
  test('keeps its order, and calls items by their request_id or their position', () => {
    const { items, faults } = readBatch(
      [
        { name: 'a', request_id: 'x' },
        { name: 'b', price: '7.5' },
        { name: 'c', request_id: 5 },
      ],
      lead,
      250,
    )
    expect(items).toEqual([
      { index: 0, request_id: 'x', value: { name: 'a' } },
      { index: 1, request_id: '1', value: { name: 'b', price: 7 } },
      { index: 2, request_id: '5', value: { name: 'c' } },
    ])
    expect(() => faults.throwIfAny()).not.toThrow()
  })

  test('may be a single object', () => {
    expect(readBatch({ name: 'a' }, lead, 250).items).toEqual([
      { index: 0, request_id: '0', value: { name: 'a' } },
    ])
  })

  test('keeps request_id where the schema names it', () => {
    const named = compile(Type.Object({ request_id: Type.Optional(Text(255)) }))
    expect(readBatch([{ request_id: 'x' }], named, 250).items).toEqual([
      { index: 0, request_id: 'x', value: { request_id: 'x' } },
    ])
  })

  test('lists every bad item and keeps the good ones', () => {
    const { items, faults } = readBatch(
      [{ name: 'a' }, { name: 1, request_id: 'x', color: 1 }, 5, { name: 'd' }, { status_id: 0 }],
      lead,
      250,
    )
    expect(items.map(({ index }) => index)).toEqual([0, 3])
    expect(listed(() => faults.throwIfAny())).toEqual([
      'x color FieldNotExpected',
      'x name InvalidType',
      '2  InvalidType',
      '4 name FieldMissing',
      '4 status_id TooLow',
    ])
  })

  test.each<[string, unknown, string[]]>([
    ['nothing', undefined, ['0  InvalidType']],
    ['null', null, ['0  InvalidType']],
    ['text', 'x', ['0  InvalidType']],
    ['no items', [], ['0  TooFew']],
    ['no items, as PHP may write them', {}, ['0  TooFew']],
    ['too many items', Array.from({ length: 4 }, () => ({ name: 'a' })), ['0  TooMany']],
  ])('of %s is refused', (_, body, faults) => {
    expect(listed(() => readBatch(body, lead, 3))).toEqual(faults)
  })

  test.each<[string, unknown, string, string[]]>([
    ['null: not sent', null, '0', []],
    ['empty: echoed', '', '', []],
    ['255 characters: echoed', 'x'.repeat(255), 'x'.repeat(255), []],
    ['256 characters', 'x'.repeat(256), '0', ['0 request_id TooLong']],
    ['a boolean', true, '0', ['0 request_id InvalidType']],
    ['an object', {}, '0', ['0 request_id InvalidType']],
  ])('item may be called %s', (_, request_id, name, faults) => {
    const batch = readBatch([{ name: 'a', request_id }], lead, 3)
    expect(batch.items.map((item) => item.request_id)).toEqual(faults.length ? [] : [name])
    expect(listed(() => batch.faults.throwIfAny())).toEqual(faults)
  })

  test('of a form may have gaps between its indices', () => {
    const { items } = readBatch({ 3: { name: 'b' }, 1: { name: 'a' } }, compile(Lead, 'text'), 250)
    expect(items.map(({ index, value }) => `${index} ${value.name}`)).toEqual(['0 a', '1 b'])
  })

  test('of any JSON whatever is read or refused item by item, and nothing else is ever thrown', () => {
    const isLead = new Ajv({ strict: false }).compile(strict(Lead))
    const member = fc.oneof(
      fc.constantFrom<unknown>('a', '5', 5, 5.5, 0, null, 'x'.repeat(10), 2 ** 60),
      fc.jsonValue(),
    )
    const item = fc.record(
      { name: member, price: member, status_id: member, request_id: member },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(
        fc.oneof(fc.jsonValue(), fc.array(fc.oneof(item, fc.jsonValue()), { maxLength: 6 })),
        (body) => {
          const list = Array.isArray(body) ? body : [body]
          let bad: ItemFaults[] = []
          try {
            const { items, faults } = readBatch(body, lead, 5)
            for (const [index] of list.entries())
              expect(faults.has({ index, request_id: '' })).toBe(
                !items.some((each) => each.index === index),
              )
            for (const { value } of items) expect(isLead(value)).toBe(true)
            faults.throwIfAny()
            expect(items).toHaveLength(list.length)
          } catch (error) {
            expect(error).toBeInstanceOf(Problem)
            bad = (error as Problem).body()['validation-errors']!
            expect(bad.length).toBeGreaterThan(0)
          }
          for (const { errors } of bad) expect(errors.length).toBeGreaterThan(0)
        },
      ),
    )
  })
})

describe('a single object', () => {
  test('is read', () => {
    expect(readOne({ name: 'a', price: '5', request_id: 'x' }, lead)).toEqual({
      name: 'a',
      price: 5,
    })
  })

  test.each<[string, unknown, string[]]>([
    ['nothing', undefined, ['0  InvalidType']],
    ['null', null, ['0  NotNullable']],
    ['an array', [{ name: 'a' }], ['0  InvalidType']],
    [
      'faults',
      { name: null, prize: 1, request_id: 'x' },
      ['x prize FieldNotExpected', 'x name NotNullable'],
    ],
  ])('that is %s is refused', (_, body, faults) => {
    expect(listed(() => readOne(body, lead))).toEqual(faults)
  })
})

describe('what verbs add', () => {
  const unknown: Fault = {
    code: 'NotSupportedChoice',
    path: 'status_id',
    detail: 'The value you selected is not a valid choice.',
  }

  test('joins what was wrong before, in the order of the batch, once per path', () => {
    const { items, faults } = readBatch(
      [{ name: 'a' }, { name: 1 }, { name: 'c', request_id: 'x' }],
      lead,
      250,
    )
    for (const item of [...items.toReversed(), ...items]) faults.add(item, unknown)
    expect(faults.has(items[0]!)).toBe(true)
    expect(listed(() => faults.throwIfAny())).toEqual([
      '0 status_id NotSupportedChoice',
      '1 name InvalidType',
      'x status_id NotSupportedChoice',
    ])
  })

  test('says where there may be more faults than are listed', () => {
    const detail = (body: unknown, max = 500) => {
      try {
        readBatch(body, lead, max).faults.throwIfAny()
        return ''
      } catch (error) {
        return (error as Problem).message
      }
    }
    const faulty = (items: number, keys: number) =>
      Array.from({ length: items }, () =>
        Object.fromEntries(Array.from({ length: keys }, (_, n) => [`k${n}`, 0])),
      )
    expect(detail(faulty(25, 5))).toBe('Request validation failed')
    expect(detail(faulty(26, 5))).toMatch(/; there may be more faults than are listed$/)
    expect(detail(faulty(1, 40))).toMatch(/more faults/)
  })

  test('stops looking for all faults of an item after 1,000 errors, and at all after 250 items', () => {
    let [checked, explained] = [0, 0]
    const counting = Object.assign(
      (value: unknown, first?: 'first') => {
        checked++
        if (first === undefined) explained++
        return lead(value, first)
      },
      { schema: lead.schema, mode: lead.mode, unknownKeys: lead.unknownKeys },
    ) as typeof lead
    const item = Object.fromEntries(Array.from({ length: 400 }, (_, n) => [`k${n}`, 0]))
    const { faults } = readBatch(Array(300).fill(item), counting, 500)
    expect([checked, explained]).toEqual([250, 3])
    expect(() => faults.throwIfAny()).toThrow('there may be more faults')
  })

  test('tells verbs when an item is full', () => {
    const faults = newFaults()
    for (let index = 0; index < 26; index++)
      faults.add({ index, request_id: '' }, { ...unknown, path: 'first' })
    expect(faults.isFull({ index: 24, request_id: '' })).toBe(false)
    expect(faults.isFull({ index: 25, request_id: '' })).toBe(true)
    expect(faults.isFull({ index: 26, request_id: '' })).toBe(false)
    for (let path = 0; path < 19; path++)
      faults.add({ index: 0, request_id: '' }, { ...unknown, path: String(path) })
    expect(faults.isFull({ index: 0, request_id: '' })).toBe(true)
  })

  test('stops at 20 faults of an item, one of those after the 25th, and 250 items', () => {
    const faults = newFaults()
    for (let index = 0; index < 300; index++) {
      for (let path = 0; path < 30; path++)
        faults.add({ index, request_id: String(index) }, { ...unknown, path: String(path) })
    }
    expect(listed(() => faults.throwIfAny())).toHaveLength(25 * 20 + 225)
    expect(faults.has({ index: 299, request_id: '299' })).toBe(true)
  })
})

/** The faults that `work` throws, as `<request_id> <path> <code>`. */
function listed(work: () => unknown): string[] {
  try {
    work()
    return []
  } catch (error) {
    expect(error).toBeInstanceOf(Problem)
    const items = (error as Problem).body()['validation-errors']!
    return items.flatMap(({ request_id, errors }) =>
      errors.map(({ path, code }) => `${request_id} ${path} ${code}`),
    )
  }
}
