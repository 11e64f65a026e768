import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatNested, parseNested, parseQuery, repeatsOf } from './nested.ts'
import type { Nested } from './nested.ts'
import { Problem } from './problem.ts'

describe('a query string or form body', () => {
  test.each<[string, string, Nested]>([
    ['nothing', '', {}],
    ['one pair', 'a=1', { a: '1' }],
    ['empty pairs between', '&&a=1&&b=2&', { a: '1', b: '2' }],
    ['a name without a value', 'a&b=', { a: '', b: '' }],
    ['an equals sign in a value', 'a=b=c', { a: 'b=c' }],
    ['plus and percent', 'a+b=c+d%20e%2B', { 'a b': 'c d e+' }],
    ['UTF-8', 'name=%D0%98%D0%B2%D0%B0%D0%BD', { name: 'Иван' }],
    ['a later value', 'a=1&a=2', { a: '2' }],
    ['appended values', 'a[]=1&a[]=2', { a: ['1', '2'] }],
    ['encoded brackets', 'a%5B%5D=1', { a: ['1'] }],
    ['named members', 'a[b][c]=x&a[b][d]=y', { a: { b: { c: 'x', d: 'y' } } }],
    ['indices in any order', 'a[1]=y&a[0]=x', { a: ['x', 'y'] }],
    ['indices with gaps', 'a[1]=x&a[3]=y', { a: { 1: 'x', 3: 'y' } }],
    ['an index and appended ones', 'a[5]=x&a[]=y', { a: { 5: 'x', 6: 'y' } }],
    ['an index with a leading zero', 'a[00]=x', { a: { '00': 'x' } }],
    [
      'an index too large to count from',
      'a[99999999999999999999]=x&a[]=y',
      { a: { '99999999999999999999': 'x', 0: 'y' } },
    ],
    ['each append a new item', 'a[][b]=1&a[][c]=2', { a: [{ b: '1' }, { c: '2' }] }],
    [
      'a list of objects',
      'filter[statuses][0][pipeline_id]=1&filter[statuses][0][status_id]=142',
      { filter: { statuses: [{ pipeline_id: '1', status_id: '142' }] } },
    ],
    ['text, then members', 'a=1&a[b]=2', { a: { b: '2' } }],
    ['members, then text', 'a[b]=2&a=1', { a: '1' }],
    [
      'keys that mean something to JavaScript',
      'constructor[prototype][x]=1',
      { constructor: { prototype: { x: '1' } } },
    ],
  ])('reads %s', (_, text, value) => {
    expect(parseNested(text)).toEqual(value)
  })

  test.each([
    ['a stray percent sign', 'a=100%', /percent sign/],
    ['half an encoded byte', 'a=%4', /percent sign/],
    ['bytes that are no UTF-8', 'a=%FF', /percent sign/],
    ['an encoded surrogate', 'a=%ED%A0%80', /percent sign/],
    ['U+0000', 'a=x%00', /U\+0000/],
    ['U+0000 in a name', '%00=x', /U\+0000/],
    ['a lone surrogate', 'a=\ud800', /lone surrogate/],
    ['no name', '=1', /no name/],
    ['no name before brackets', '[a]=1', /no name/],
    ['a bracket left open', 'a[b=1', /do not match/],
    ['a bracket never opened', 'a]=1', /do not match/],
    ['text between brackets', 'a[b]c[d]=1', /do not match/],
    ['text after brackets', 'a[b]c=1', /do not match/],
    ['brackets in brackets', 'a[b[c]]=1', /do not match/],
    ['a bracket before the first pair', 'a][b]=1', /do not match/],
    ['nine levels', 'a[b][c][d][e][f][g][h][i]=1', /deeper than 8/],
    ['2001 pairs', 'a&'.repeat(2001), /More than 2000/],
    ['a name of 513 characters', `${'a'.repeat(513)}=1`, /longer than 512/],
  ])('refuses %s', (_, text, detail) => {
    expect(() => parseNested(text)).toThrow(Problem)
    expect(() => parseNested(text)).toThrow(detail)
  })

  test('has bounds that the caller may move', () => {
    expect(parseNested('a[b][c][d][e][f][g][h][i]=1', { depth: 9 })).toHaveProperty(
      'a.b.c.d.e.f.g.h.i',
      '1',
    )
    expect(() => parseNested('a=1&b=2', { pairs: 1 })).toThrow('More than 1 parameters')
  })

  test('never touches a prototype', () => {
    const parsed = parseNested('__proto__[polluted]=1&a[__proto__][polluted]=1&a[constructor]=1')
    expect(Object.keys(parsed)).toEqual(['__proto__', 'a'])
    expect(Object.getPrototypeOf(parsed)).toBeNull()
    expect(Object.getPrototypeOf(parsed['a'])).toBeNull()
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })

  test('costs twice as much when it is twice as long', () => {
    const forms = [
      'a=x&',
      'a[]=x&',
      'a[b][c]=x&',
      'a=1&a[b]=2&',
      'a[%D0%98]=+&',
      '&',
      'a[2]=&a[]=1&',
    ]
    for (const form of forms) {
      const steps = (times: number) => counted(() => parseNested(form.repeat(times)))
      expect(steps(1000)).toBeLessThanOrEqual(2 * steps(500) + 10)
      const asQuery = (times: number) => counted(() => parseQuery(form.repeat(times)))
      expect(asQuery(600)).toBeLessThanOrEqual(2 * asQuery(300) + 10)
    }
  })

  test('whatever it holds, is read or refused with 400', () => {
    const rough = fc.string({
      unit: fc.constantFrom(...Array.from('ab0[]=&%+4F\0é\ud800')),
      maxLength: 60,
    })
    fc.assert(
      fc.property(fc.oneof(rough, fc.string({ unit: 'binary' })), (text) => {
        try {
          parseNested(text)
        } catch (error) {
          expect(error).toBeInstanceOf(Problem)
          expect((error as Problem).status).toBe(400)
        }
      }),
      { numRuns: 500 },
    )
  })
})

describe('a query string', () => {
  test.each<[string, string, Nested, Record<string, unknown>]>([
    ['nothing', 'a=1&b[]=2&b[]=3', { a: '1', b: ['2', '3'] }, {}],
    ['texts', 'a=1&a=2&a=3', { a: '3' }, { a: ['1', '2', '3'] }],
    ['a text and a list', 'a=1&a[]=2&a[]=3', { a: ['2', '3'] }, { a: ['1', ['2', '3']] }],
    ['a list and a text', 'a[]=1&a=2&a[]=3', { a: ['3'] }, { a: [['1'], '2', ['3']] }],
    ['a text and members', 'a=1&a[b]=2', { a: { b: '2' } }, { a: ['1', { b: '2' }] }],
  ])('is read like a form, and remembers what repeats: %s', (_, text, value, expected) => {
    const query = parseQuery(text)
    expect(query).toEqual(value)
    expect(Object.fromEntries(repeatsOf(query) ?? [])).toEqual(expected)
    expect(repeatsOf(parseNested(text))).toBeUndefined()
  })

  test('remembers the keys within objects and lists', () => {
    const { a, c } = parseQuery('a[b]=1&a[b]=2&c[0]=3&c[0]=4') as { a: Nested; c: string[] }
    expect([...repeatsOf(a)!]).toEqual([['b', ['1', '2']]])
    expect([c, ...repeatsOf(c)!]).toEqual([['4'], ['0', ['3', '4']]])
  })

  test('has the bounds of a query string', () => {
    expect(() => parseQuery('a=1&'.repeat(2001))).toThrow('More than 2000')
    expect(() => parseQuery('a[b][c][d][e][f][g][h][i]=1')).toThrow('deeper than 8')
  })
})

describe('formatNested', () => {
  test('writes explicit indices, percent-encoded', () => {
    expect(formatNested({ a: ['1', { 'b c': '&' }], d: { e: 'Ж' } })).toBe(
      'a%5B0%5D=1&a%5B1%5D%5Bb%20c%5D=%26&d%5Be%5D=%D0%96',
    )
  })

  test('writes numbers, booleans as 1 and 0, and leaves out what is empty', () => {
    expect(formatNested({ a: 5, b: true, c: false, d: null, e: undefined, f: [], g: {} })).toBe(
      'a=5&b=1&c=0',
    )
  })

  test('is undone by parseNested', () => {
    // No keys that are indices or hold brackets, and no empty members: those have no form of their
    // own.
    const key = fc
      .string({ unit: 'binary', minLength: 1, maxLength: 10 })
      .filter((text) => !/^\d+$|[[\]\0]/.test(text))
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 5 },
        fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\0', '')),
        fc.array(tie('value'), { minLength: 1, maxLength: 4 }),
        fc.dictionary(key, tie('value'), { minKeys: 1, maxKeys: 4 }),
      ),
    }))
    fc.assert(
      fc.property(fc.dictionary(key, value), (nested) => {
        expect(parseNested(formatNested(nested as Nested), { pairs: 100_000 })).toEqual(nested)
      }),
    )
  })
})

/** The number of calls of built-in methods that `work` makes. */
function counted(work: () => void): number {
  let calls = 0
  const wrap = <Key extends string>(
    owner: Record<Key, (...args: never[]) => unknown>,
    name: Key,
  ) => {
    const original = owner[name]
    owner[name] = function (this: unknown, ...args: never[]) {
      calls++
      return original.apply(this, args)
    }
    return () => void (owner[name] = original)
  }
  const undo = [
    wrap(Map.prototype, 'get'),
    wrap(Map.prototype, 'set'),
    wrap(Array.prototype, 'push'),
    wrap(String.prototype, 'slice'),
    wrap(String.prototype, 'indexOf'),
  ]
  work()
  for (const each of undo) each()
  return calls
}
