// The filter line of the web application: addresses become chips and back, and requests of the
// interface. Nothing that an address holds is lost.
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseNested } from '../../server/http/nested.ts'
import { endsOfSpan, pastSpans } from '../../web/features/filter/dates.ts'
import {
  chipsOf,
  isOfFilter,
  parametersOf,
  queryStringOf,
  searchOfChips,
  withChip,
} from '../../web/features/filter/filter.ts'
import type { Chip, FilterForm } from '../../web/features/filter/filter.ts'
import { comparisons, proposals } from '../../web/features/filter/suggest.ts'
import { pairsOf, parseSearch, stringifySearch } from '../../web/data/search.ts'

const field = (id: number) => `filter[custom_fields_values][${id}]`
const forms = new Map<string, FilterForm>([
  ['query', 'words'],
  ['filter[statuses]', 'stages'],
  ['filter[responsible_user_id]', 'users'],
  ['filter[price]', 'number'],
  ['filter[closest_task_at]', 'task'],
  ['filter[next_date]', 'due'],
  ['filter[created_at]', 'time'],
  ['filter[name]', 'texts'],
  ['filter[value_after][value]', 'text'],
  ['filter[value_after][customers_statuses]', 'statuses'],
  ['filter[type]', 'names'],
  ['filter[id]', 'ids'],
  [field(1), 'texts'],
  [field(2), 'numbers'],
  [field(3), 'choices'],
  [field(4), 'flag'],
  [field(5), 'day'],
])
const asker = {
  me: 7,
  timeZone: 'Europe/Berlin',
  dayZone: 'Europe/Berlin',
  weekStartsOn: 1,
  now: Date.UTC(2026, 10, 23, 12) / 1000,
}

const id = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }).map(String)
// The name of a span is a text as any other.
const text = fc.oneof(
  fc.string({ minLength: 1, maxLength: 12, unit: 'grapheme' }),
  fc.constantFrom(...pastSpans),
)
const number = fc.integer({ min: -1e15 + 1, max: 1e15 - 1 }).map(String)
const moment = fc.integer({ min: 1, max: 253_402_300_799 }).map(String)
const day = fc
  .record({ d: fc.integer({ min: 1, max: 31 }), m: fc.integer({ min: 1, max: 12 }) })
  .map(({ d, m }) => `${d}.${m}.2026`)
const span = fc.constantFrom(...pastSpans)

const several = (value: fc.Arbitrary<string>) =>
  fc.uniqueArray(value, { minLength: 1, maxLength: 4 }).map((values) => ({ values }))
const one = (value: fc.Arbitrary<string>) => value.map((each) => ({ values: [each] }))
const range = (end: fc.Arbitrary<string>) =>
  fc
    .record({ from: end, to: end }, { requiredKeys: [] })
    .filter((ends) => Object.keys(ends).length > 0)
    .map((ends) => ({ values: [], ...ends }))

/** The values that the interface takes, by form. */
const values: Record<FilterForm, fc.Arbitrary<Omit<Chip, 'name'>>> = {
  words: one(text),
  text: one(text),
  texts: several(text),
  ids: several(id),
  users: several(fc.oneof(id, fc.constantFrom('me', '0'))),
  choices: several(id),
  stages: several(fc.tuple(id, id).map((ids) => ids.join(':'))),
  statuses: several(id),
  names: several(fc.stringMatching(/^[a-z\d][a-z_\d]{0,20}$/)),
  flag: one(fc.constantFrom('0', '1')),
  number: fc.oneof(one(number), range(number)),
  numbers: fc.oneof(several(number), range(number)),
  time: fc.oneof(one(span), range(moment)),
  task: fc.oneof(one(fc.constantFrom('0', 'overdue', 'tomorrow')), range(moment)),
  due: fc.oneof(one(fc.constantFrom('overdue', 'this_month')), range(moment)),
  day: fc.oneof(one(span), several(day), range(day)),
}
const chips = fc
  .uniqueArray(fc.constantFrom(...forms), { selector: ([name]) => name })
  .chain((some) =>
    fc.tuple(...some.map(([name, form]) => values[form].map((each): Chip => ({ name, ...each })))),
  )

describe('the address of a filter', () => {
  test('holds every chip, and nothing else', () => {
    fc.assert(
      fc.property(chips, (some) => {
        const address = stringifySearch(searchOfChips(some, forms))
        expect(chipsOf(parseSearch(address), forms)).toEqual(some)
      }),
    )
  })

  test('loses nothing that is unknown or wrong', () => {
    const name = fc.oneof(
      fc
        .constantFrom(...forms.keys())
        .chain((known) =>
          fc.constantFrom(known, `${known}[]`, `${known}[from]`, `${known}[0]`, `${known}[x]`),
        ),
      fc.constantFrom('filter[tags]', 'filter', 'filter[price', `${field(99)}[]`),
      fc.constantFrom('filter[statuses][0][pipeline_id]', 'filter[statuses][0][status_id]'),
    )
    const pairs = fc.array(fc.tuple(name, fc.oneof(text, id, day, fc.constant('1,2'))), {
      maxLength: 8,
    })
    fc.assert(
      fc.property(pairs, (some) => {
        const search = parseSearch(
          some
            .map(([key, value]) => `${encodeURIComponent(key)}=${encodeURIComponent(value)}`)
            .join('&'),
        )
        const read = chipsOf(search, forms)
        for (const shown of [read, chipsOf(searchOfChips(read, forms), forms)]) {
          // Known values may stand in a shorter form.
          const listed = shown.flatMap(({ values: all, from, to }) => [
            ...all.flatMap((each) => [each, ...each.split(':')]),
            ...[from, to].filter((end) => end !== undefined),
          ])
          for (const [, value] of pairsOf(search))
            expect(
              listed.includes(value) || value.split(',').every((each) => listed.includes(each)),
            ).toBe(true)
        }
      }),
    )
  })

  test.each([
    ['filter[price]=5', [{ name: 'filter[price]', values: ['5'] }]],
    ['filter[price][from]=5', [{ name: 'filter[price]', values: [], from: '5' }]],
    [
      'filter[created_at]=1700000000',
      [{ name: 'filter[created_at]', values: [], from: '1700000000' }],
    ],
    ['filter[closest_task_at]=0', [{ name: 'filter[closest_task_at]', values: ['0'] }]],
    [
      'filter[responsible_user_id][]=me&filter[responsible_user_id][]=2',
      [{ name: 'filter[responsible_user_id]', values: ['me', '2'] }],
    ],
    [
      'filter[statuses][0][pipeline_id]=1&filter[statuses][0][status_id]=142',
      [{ name: 'filter[statuses]', values: ['1:142'] }],
    ],
    ['query=a+b&view=3&sort=name', [{ name: 'query', values: ['a b'] }]],
    ['filter[tags]=vip', [{ name: 'filter[tags]', values: ['vip'], isUnknown: true }]],
    ['filter[price]=cheap', [{ name: 'filter[price]', values: ['cheap'], isUnknown: true }]],
  ])('%s', (address, expected) => {
    expect(chipsOf(parseSearch(address), forms)).toEqual(expected)
  })

  test('leaves the other parameters of a screen alone', () => {
    expect(['sort', 'view', 'filters', 'queryx'].filter(isOfFilter)).toEqual([])
    expect(parseSearch(stringifySearch({ a: 'x y&=#', b: ['1', '[2]'], c: undefined }))).toEqual({
      a: 'x y&=#',
      b: ['1', '[2]'],
    })
  })
})

describe('the request of a filter', () => {
  const requested = (address: string) =>
    parseNested(queryStringOf(parametersOf(chipsOf(parseSearch(address), forms), forms, asker)))

  test.each([
    ['filter[responsible_user_id]=me,9', { filter: { responsible_user_id: '7,9' } }],
    [
      'filter[statuses]=1:2,1:142',
      {
        filter: {
          statuses: [
            { pipeline_id: '1', status_id: '2' },
            { pipeline_id: '1', status_id: '142' },
          ],
        },
      },
    ],
    ['filter[name][]=a,b&filter[name][]=c', { filter: { name: ['a,b', 'c'] } }],
    [`${field(3)}[]=4,5`, { filter: { custom_fields_values: { 3: ['4', '5'] } } }],
    [
      `${field(5)}=today`,
      { filter: { custom_fields_values: { 5: { from: '23.11.2026', to: '23.11.2026' } } } },
    ],
    [
      'filter[created_at]=today',
      { filter: { created_at: { from: '1795388400', to: '1795474799' } } },
    ],
    ['filter[tags]=vip&query=x', { query: 'x' }],
  ])('%s', (address, expected) => {
    expect(JSON.parse(JSON.stringify(requested(address)))).toEqual(expected)
  })
})

test.each([
  ['yesterday', '2026-11-21T23:00:00Z', '2026-11-22T22:59:59Z'],
  ['this_week', '2026-11-22T23:00:00Z', '2026-11-29T22:59:59Z'],
  ['last_month', '2026-09-30T22:00:00Z', '2026-10-31T22:59:59Z'],
  ['last_30_days', '2026-10-24T22:00:00Z', '2026-11-23T22:59:59Z'],
] as const)('%s begins and ends at midnight of the user', (name, from, to) => {
  expect(endsOfSpan(name, asker.timeZone, asker.now, asker.weekStartsOn)).toEqual({
    from: Date.parse(from) / 1000,
    to: Date.parse(to) / 1000,
  })
})

test.each([
  [0, 'this_week', '2026-11-21T23:00:00Z', '2026-11-28T22:59:59Z'],
  [6, 'this_week', '2026-11-20T23:00:00Z', '2026-11-27T22:59:59Z'],
  [0, 'last_week', '2026-11-14T23:00:00Z', '2026-11-21T22:59:59Z'],
] as const)('in weeks that begin on day %i, %s begins there', (day, name, from, to) => {
  expect(endsOfSpan(name, asker.timeZone, asker.now, day)).toEqual({
    from: Date.parse(from) / 1000,
    to: Date.parse(to) / 1000,
  })
})

test('another value of the same filter takes its place', () => {
  const price: Chip = { name: 'filter[price]', values: ['1'] }
  const words: Chip = { name: 'query', values: ['x'] }
  const other = { name: 'filter[price]', values: [], from: '2' }
  expect(withChip([price, words], other)).toEqual([other, words])
  expect(withChip([price, words], { name: 'filter[price]', values: [] })).toEqual([words])
})

test.each([
  ['> 1000', { values: [], from: '1000' }],
  ['<=5 000', { values: [], to: '5000' }],
  ['1k-2.5k', { values: [], from: '1000', to: '2500' }],
  ['0.0015к', { values: ['1.5'] }],
  ['1,500', { values: ['1500'] }],
  ['> $1,234.5', { values: [], from: '1234.5' }],
  ['-5', { values: ['-5'] }],
  ['-5..-2', { values: [], from: '-5', to: '-2' }],
  ['$1.500', { values: ['1.5'] }, { values: ['1500'] }],
  ['> 1.500k', { values: [], from: '1500' }, { values: [], from: '1500000' }],
  ['1.500–2.500', { values: [], from: '1.5', to: '2.5' }, { values: [], from: '1500', to: '2500' }],
  ['1-2.500', { values: [], from: '1', to: '2.5' }, { values: [], from: '1', to: '2500' }],
  ['offer'],
  ['> €5'],
  ['2026-10-11'],
  ['+7 900'],
] as [string, ...Omit<Chip, 'name'>[]][])(
  '%s has its comparisons, or none',
  (typed, ...expected) => {
    expect(comparisons(typed, 'en', { currency: 'USD' })).toEqual(expected)
  },
)

test('a comparison is read in the language, and a price in whole units', () => {
  expect(comparisons('> 1.500', 'pt', {})).toEqual([{ values: [], from: '1500' }])
  expect(comparisons('> 1.500', 'en', { isWhole: true })).toEqual([{ values: [], from: '1500' }])
  expect(comparisons('> 12.5', 'en', { isWhole: true })).toEqual([])
  expect(comparisons('2.5k', 'en', { isWhole: true })).toEqual([{ values: ['2500'] }])
})

test('proposals begin with what Enter should take', () => {
  const fields = [
    { name: 'query', label: 'Search', form: 'words' as const },
    {
      name: 'filter[statuses]',
      label: 'Stage',
      form: 'stages' as const,
      options: [{ value: '1:2', label: 'Offer made' }],
    },
    { name: 'filter[price]', label: 'Price', form: 'number' as const },
  ]
  const spans = { past: [], coming: [], taskless: 'None' }
  const first = (typed: string) => proposals(typed, fields, [], spans, 'en')[0]
  expect(first('st')).toMatchObject({ kind: 'field', field: { label: 'Stage' } })
  expect(first('> 1000')).toMatchObject({ chip: { name: 'filter[price]', from: '1000' } })
  expect(first('ivan')).toMatchObject({ chip: { name: 'query', values: ['ivan'] } })
  expect(proposals('made', fields, [], spans, 'en')[1]).toMatchObject({ chip: { values: ['1:2'] } })
})
