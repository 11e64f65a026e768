import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { firstFault } from './json-fault.ts'
import { parseJson } from './json.ts'
import { Problem } from './problem.ts'

const levels = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)

describe('a JSON body', () => {
  test.each([
    ['nothing', '', undefined],
    ['white space', ' \r\n', undefined],
    ['a value', '{"a":[1,"x",null,true]}', { a: [1, 'x', null, true] }],
    ['a byte order mark', '\u{feff}[1]', [1]],
    ['escapes of real characters', String.raw`"\u0416\ud83d\ude00\n"`, 'Ж😀\n'],
    ['a text that speaks of U+0000', String.raw`"\\u0000"`, String.raw`\u0000`],
    ['32 levels', levels(32), JSON.parse(levels(32))],
  ])('that holds %s is read', (_, text, value) => {
    expect(parseJson(text)).toEqual(value)
  })

  test.each([
    ['a missing value', '{"a":1,\n "b":}', 'Invalid JSON at line 2, column 6'],
    ['a comma too much', '[1,]', 'Invalid JSON at line 1, column 4'],
    ['an early end', '[1,', 'Invalid JSON at line 1, column 4'],
    ['single quotes', "{'a':1}", 'Invalid JSON at line 1, column 2'],
    ['raw U+0000', '"a\0"', 'Invalid JSON at line 1, column 3'],
    [
      '33 levels',
      levels(33),
      `The body is nested deeper than 32 levels, at ${Array(32).fill(0).join('.')}`,
    ],
    ['U+0000', String.raw`[{"name":"a\u0000"}]`, 'U+0000 is in a text, at 0.name'],
    ['U+0000 in a key', String.raw`{"a":{"b\u0000":1}}`, 'U+0000 is in a text, at a.b\u{fffd}'],
    ['a lone surrogate', String.raw`{"a":["x","\ud83d"]}`, 'A lone surrogate is in a text, at a.1'],
    ['a raw lone surrogate', '"\udc00"', 'A lone surrogate is in a text'],
    ['a number beyond all bounds', '{"price":1e999}', 'A number is too large, at price'],
    ['__proto__', '{"a":{"__proto__":{"x":1}}}', '"__proto__" is no key, at a'],
    ['__proto__ in disguise', String.raw`{"\u005f_proto__":1}`, '"__proto__" is no key'],
  ])('that holds %s is refused', (_, text, detail) => {
    expect(() => parseJson(text)).toThrow(new Problem(400, detail))
  })

  test('means what JSON.parse says, or is refused with 400', () => {
    fc.assert(
      fc.property(damagedJson, (text) => {
        let value: unknown
        try {
          value = parseJson(text)
        } catch (error) {
          expect(error).toBeInstanceOf(Problem)
          expect((error as Problem).status).toBe(400)
          return
        }
        expect(value).toEqual(text.trim() === '' ? undefined : JSON.parse(text))
      }),
      { numRuns: 500 },
    )
  })
})

describe('the place where JSON is broken', () => {
  test('is the one V8 names, when it names one', () => {
    fc.assert(
      fc.property(damagedJson, (text) => {
        try {
          JSON.parse(text)
        } catch (error) {
          const { message } = error as Error
          const position = message.includes('Unexpected end')
            ? text.length
            : / at position (\d+)/.exec(message)?.[1]
          if (position !== undefined) expect(firstFault(text)).toBe(Number(position))
        }
      }),
      { numRuns: 500 },
    )
  })

  test.each([
    ['[1,}', 3],
    ['{"a":1,"b"}', 10],
    ['nulx', 3],
    ['[tru]', 4],
    ['x', 0],
    [']', 0],
    ['[1}', 2],
  ])('in %s is %i, where V8 names none', (text, position) => {
    expect(firstFault(text)).toBe(position)
  })
})

/** JSON texts, most of them with a piece cut out or inserted. */
const damagedJson = fc
  .tuple(
    fc.json(),
    fc.nat(),
    fc.nat(3),
    fc.string({ unit: fc.constantFrom(...Array.from('{}[]",:\\u0e1-. x\n')), maxLength: 3 }),
  )
  .map(
    ([text, at, cut, put]) =>
      text.slice(0, at % (text.length + 1)) + put + text.slice((at % (text.length + 1)) + cut),
  )
