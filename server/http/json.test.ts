import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { firstFault } from './json-fault.ts'
import { parseJson, parseJsonInSteps } from './json.ts'
import { Problem } from './problem.ts'
import { scanStructure } from './structure.ts'
import type { StepSizes } from './structure.ts'
import { finish } from './turns.ts'

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

describe('a JSON body that is read in steps', () => {
  const outcome = (parse: () => unknown) => {
    try {
      return { value: parse() }
    } catch (error) {
      expect(error).toBeInstanceOf(Problem)
      return { refused: (error as Problem).message }
    }
  }

  /** The bytes of a body, and the commas that are noted while they arrive in three chunks. */
  const scanned = (text: string, sizes?: StepSizes) => {
    const bytes = Buffer.from(text)
    const scan = scanStructure(1e6, sizes)
    const [first, second] = [bytes.length >> 2, bytes.length >> 1]
    for (const [from, to] of [
      [0, first],
      [first, second],
      [second, bytes.length],
    ] as const)
      scan.take(bytes.subarray(from, to))
    return [bytes, scan.outline()] as const
  }
  const read = (text: string, sizes?: StepSizes) =>
    finish(parseJsonInSteps(...scanned(text, sizes)))

  test('is read like one that is read at once, or refused with the same words', () => {
    fc.assert(
      fc.property(damagedJson, fc.nat(6), fc.nat(9), (text, step, member) => {
        expect(outcome(() => read(text, { step, member }))).toEqual(outcome(() => parseJson(text)))
      }),
      { numRuns: 1000 },
    )
  })

  test.each([
    ['a list', '[1,{"a":[1,2,3]},"x,]",[]]'],
    ['an object', String.raw`{"a":{"b":[1,{"c":2}]}, "d"," : [[1,2],[3,4]] ,"2":0,"1":{}}`],
    ['texts that end in backslashes', String.raw`["\","\"",{"\":[[],[]]}]`],
    ['a key twice', '{"a":[1,2,3],"b":1,"a":{"c":[4,5]}}'],
    ['nothing in it', ' [ ] '],
    ['32 levels', levels(32)],
    ['two lists and nothing between them', '[[1,2,3] [4,5,6]]'],
    ['two lists one after the other', '[1,2],[3,4]'],
    ['a digit before a list', '[1[2,3,4]]'],
    ['a word behind a list', '{"a":[1,2,3]x,"b":1}'],
    ['brackets that do not match at its end', '{"a":[[1,2,3],[4,5,6]}'],
    ['a bracket too much', '[[1,2,3],[4,5,6]]]'],
    ['letters of several bytes', '{"имя":["Жук","😀",{"a":[1,2,3]}],"б":[1,2,}'],
    ['a letter before it', 'x[[1,2,3],[4]]'],
    ['a byte order mark', '\u{feff} [1,2,{"a":3}]'],
    ['two byte order marks', '\u{feff}\u{feff}[1,2,3]'],
    ['a byte order mark behind it', '[1,2,3]\u{feff}'],
    ['U+0000 in a text', String.raw`{"a":[[1,2],{"b":[0,"\u0000"]}]}`],
    ['U+0000 in the key of a large member', String.raw`[0,{"\u0000":[1,2,[3,4]]}]`],
    ['__proto__ as the key of a large member', '[0,{"__proto__":[1,2,[3,4]]}]'],
    ['U+0000 in a later item', String.raw`[0,1,2,3,"\u0000"]`],
    ['__proto__ as a key', '[0,{"a":[0,1],"__proto__":{"x":1}}]'],
    ['a flaw before broken JSON', String.raw`["\u0000",[1,2,],3]`],
    ['a comma at its end', '[[1,2],[3,4],]'],
    ['a comma at its beginning', '{,"a":[1,2]}'],
    ['two commas', '[[1,2],,3]'],
    ['the wrong bracket', '{"a":[1,2],"b":[3,4]]'],
    ['the wrong bracket inside', '[[[1,2}],[3,4]]'],
    ['no end', '[{"a":[1,2],"b":'],
    ['a text without an end', String.raw`[[1,2],"a"`],
    ['more behind it', '[[1,2],[3,4]]\n ]'],
    ['two values without a comma', '[[1,2] [3,4,5]]'],
    ['a large member behind a word', '[1 [2,3,[4,5]]]'],
    ['a large member behind no key', '{1:[2,3,[4,5]]}'],
    ['a large member without a key', '{ {"a":[1,2]}}'],
    ['a large member behind a key without a colon', '{"a" [2,3,[4,5]]}'],
  ])('and holds %s is no different', (_, text) => {
    for (const step of [0, 1, 3, 2000])
      for (const member of [0, 1, 4])
        expect(outcome(() => read(text, { step, member }))).toEqual(outcome(() => parseJson(text)))
  })

  test('is parsed between the commas that were noted while its bytes arrived', () => {
    const leads = Array.from({ length: 100 }, (_, n) => ({ name: `Сделка ${n}`, tags: [1, 2, 3] }))
    const sizes = { step: 20, member: 40 }
    const [bytes, outline] = scanned(JSON.stringify(leads), sizes)
    const cuts = [0, ...outline!.commas, bytes.length - 1]
    const parts = cuts
      .slice(1)
      .map((end, n) => JSON.parse(`[${bytes.toString('utf8', cuts[n]! + 1, end)}]`) as unknown[])
    expect(parts.flat()).toEqual(leads)
    expect(parts.length).toBeGreaterThan(20)
    expect(finish(parseJsonInSteps(bytes, outline))).toEqual(leads)
    expect([...parseJsonInSteps(bytes, outline)]).toHaveLength(parts.length + 1)
  })

  test('never takes more than some thousand characters at a time', () => {
    const keys = (n: number) =>
      Object.fromEntries(Array.from({ length: 900 }, (__, m) => [`${n}_${m}`, m]))
    const items = Array.from({ length: 100 }, (__, n) => keys(n))
    const wrapped = JSON.stringify({ request: { add: items } })
    expect([...parseJsonInSteps(...scanned(wrapped))].length).toBeGreaterThan(40)
    expect(read(wrapped)).toEqual({ request: { add: items } })
  })

  test('is looked at once, however deep its large members are', () => {
    const zeros = `[${'0,'.repeat(10_000)}0]`
    const deep = `${'['.repeat(30)}${' '.repeat(100_000)}${zeros}${']'.repeat(30)}`
    const [bytes, outline] = scanned(deep)
    const bytesRead = vi.spyOn(bytes, 'toString')
    let value = finish(parseJsonInSteps(bytes, outline))
    const ranges = bytesRead.mock.calls.map(([, from = 0, to = 0]) => to - from)
    expect(ranges.reduce((sum, length) => sum + length)).toBeLessThanOrEqual(bytes.length)
    for (let level = 0; level < 30; level++) value = (value as unknown[])[0]
    expect(value).toEqual(JSON.parse(zeros))
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
