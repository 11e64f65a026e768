// Which segments rules put a customer in: tables of single cases, and any rules over a run of days.
// `FUZZ_SEED` changes the cases, `FUZZ_RUNS` their number.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { dayOf, midnight } from '../../../records/fields/days.ts'
import { segmentsOf } from './conditions.ts'
import type { SegmentFacts, SegmentRule } from './conditions.ts'
import type { SegmentCondition } from './schema.ts'

const timezone = 'Europe/Berlin'
/** Noon of 10 January 2026 in Berlin. */
const now = 1_768_042_800
const today = dayOf(timezone, now)
/** Noon so many days after today. */
const noon = (days: number) => midnight(timezone, today + days) + 43_200

const facts: SegmentFacts = {
  next_date: noon(5),
  next_price: 100,
  ltv: 999,
  purchases_count: 2,
  last_purchase_at: noon(-10),
  created_at: noon(-30),
  tag_ids: [7],
  custom_fields_values: { 1: [11, 12], 2: ['2.5'] },
  segment_ids: [],
  segment_ids_by_hand: [],
}

const rule = (
  entry: SegmentCondition[][],
  exit: SegmentCondition[][] = [],
  id = 1,
): SegmentRule => ({ id, entry, exit })

const answer = (rules: SegmentRule[], more: Partial<SegmentFacts> = {}, at = now) =>
  segmentsOf(rules, { ...facts, ...more }, timezone, at)

const isIn = (condition: SegmentCondition, more: Partial<SegmentFacts> = {}) =>
  answer([rule([[condition]])], more).segment_ids.includes(1)

describe('a condition', () => {
  test.each<[SegmentCondition, boolean, Partial<SegmentFacts>?]>([
    [{ field: 'ltv', from: 999 }, true],
    [{ field: 'ltv', from: 1000 }, false],
    [{ field: 'ltv', to: 999 }, true],
    [{ field: 'ltv', to: 998 }, false],
    [{ field: 'ltv', from: 900, to: 1000 }, true],
    [{ field: 'purchases_count', from: 2, to: 2 }, true],
    [{ field: 'purchases_count', from: 3 }, false],
    [{ field: 'average_check', from: 499, to: 499 }, true],
    [{ field: 'average_check', to: 0 }, true, { ltv: 0, purchases_count: 0 }],
    [{ field: 'average_check', from: 1 }, false, { ltv: 0, purchases_count: 0 }],
    [{ field: 'next_price', from: 100, to: 100 }, true],
    [{ field: 'days_since_purchase', from: 10, to: 10 }, true],
    [{ field: 'days_since_purchase', from: 11 }, false],
    [{ field: 'days_since_purchase', to: 9 }, false],
    [{ field: 'days_since_purchase', to: 100 }, false, { last_purchase_at: null }],
    [{ field: 'days_since_purchase', from: 0 }, false, { last_purchase_at: null }],
    [{ field: 'days_to_next_date', from: 5, to: 5 }, true],
    [{ field: 'days_to_next_date', from: -3, to: -3 }, true, { next_date: noon(-3) }],
    [{ field: 'days_to_next_date', to: -1 }, false, { next_date: noon(0) }],
    [{ field: 'days_since_creation', from: 30, to: 30 }, true],
    [{ field: 'tag', tag_id: 7 }, true],
    [{ field: 'tag', tag_id: 8 }, false],
    [{ field: 'custom_field', field_id: 1, enum_ids: [12, 13] }, true],
    [{ field: 'custom_field', field_id: 1, enum_ids: [13] }, false],
    [{ field: 'custom_field', field_id: 2, from: 2.5, to: 2.5 }, true],
    [{ field: 'custom_field', field_id: 2, to: 2.4 }, false],
    [{ field: 'custom_field', field_id: 3, to: 1 }, false],
    [{ field: 'custom_field', field_id: 3, from: 0 }, false, { custom_fields_values: null }],
  ])('%j: %s', (condition, expected, more) => {
    expect(isIn(condition, more)).toBe(expected)
  })

  test('counts days from midnight to midnight of the time zone', () => {
    const bought = { last_purchase_at: midnight(timezone, today) - 1 }
    expect(isIn({ field: 'days_since_purchase', from: 1, to: 1 }, bought)).toBe(true)
    // In UTC it was bought on the same day, an hour before its end.
    const yesterday = [rule([[{ field: 'days_since_purchase', from: 1 }]])]
    const early = midnight(timezone, today) + 1
    expect(segmentsOf(yesterday, { ...facts, ...bought }, 'UTC', early).segment_ids).toEqual([])
    expect(segmentsOf(yesterday, { ...facts, ...bought }, timezone, early).segment_ids).toEqual([1])
  })
})

describe('a rule', () => {
  const yes: SegmentCondition = { field: 'ltv', from: 0 }
  const no: SegmentCondition = { field: 'ltv', to: -1 }

  test.each<[string, SegmentRule, Partial<SegmentFacts>, number[]]>([
    ['holds where one group holds', rule([[no], [yes]]), {}, [1]],
    ['holds where all of a group hold', rule([[yes, no], [no]]), {}, []],
    ['without exit conditions ends with its entry', rule([[no]]), { segment_ids: [1] }, []],
    ['with exit conditions stays until they hold', rule([[no]], [[no]]), { segment_ids: [1] }, [1]],
    ['with exit conditions needs its entry first', rule([[no]], [[no]]), {}, []],
    [
      'ends where exit conditions hold, which win',
      rule([[yes]], [[yes]]),
      { segment_ids: [1] },
      [],
    ],
    ['does not begin where exit conditions hold', rule([[yes]], [[yes]]), {}, []],
    ['without entry conditions adds nobody', rule([], [[yes]]), {}, []],
    ['without entry conditions removes nobody', rule([], [[yes]]), { segment_ids: [1] }, [1]],
    [
      'removes nobody who was put in by hand',
      rule([[no]], [[yes]]),
      { segment_ids: [1], segment_ids_by_hand: [1] },
      [1],
    ],
    ['leaves other segments alone', rule([[yes]], [], 5), { segment_ids: [2, 9] }, [2, 5, 9]],
  ])('%s', (_, each, more, expected) => {
    expect(answer([each], more)).toEqual({ segment_ids: expected, due_at: null })
  })
})

describe('the next moment', () => {
  const due = (each: SegmentRule, more: Partial<SegmentFacts> = {}) => {
    const { due_at } = answer([each], more)
    return due_at === null ? null : dayOf(timezone, due_at) - today
  }

  test.each<[string, SegmentRule, Partial<SegmentFacts>, number | null]>([
    ['the day a range begins', rule([[{ field: 'days_since_purchase', from: 12 }]]), {}, 2],
    ['the day after it ends', rule([[{ field: 'days_since_purchase', to: 12 }]]), {}, 3],
    ['of a date to come, its begin', rule([[{ field: 'days_to_next_date', to: 2 }]]), {}, 3],
    ['of a date to come, its end', rule([[{ field: 'days_to_next_date', from: 2 }]]), {}, 4],
    ['none where the range is over', rule([[{ field: 'days_since_creation', to: 9 }]]), {}, null],
    [
      'none without a purchase',
      rule([[{ field: 'days_since_purchase', from: 12 }]]),
      { last_purchase_at: null },
      null,
    ],
    [
      'none where another condition of the group never holds',
      rule([
        [
          { field: 'days_since_purchase', from: 12 },
          { field: 'ltv', to: 1 },
        ],
      ]),
      {},
      null,
    ],
    [
      'none for who was put in by hand',
      rule([[{ field: 'days_since_purchase', to: 12 }]]),
      { segment_ids: [1], segment_ids_by_hand: [1] },
      null,
    ],
    [
      'that of the exit',
      rule([[{ field: 'ltv', from: 0 }]], [[{ field: 'days_since_creation', from: 40 }]]),
      {},
      10,
    ],
  ])('is %s', (_, each, more, expected) => {
    expect(due(each, more)).toBe(expected)
  })

  test('is the earliest of several rules, and the start of a day', () => {
    const rules = [20, 13, 16].map((from, index) =>
      rule([[{ field: 'days_since_purchase', from }]], [], index + 1),
    )
    expect(answer(rules)).toEqual({ segment_ids: [], due_at: midnight(timezone, today + 3) })
  })
})

const days = fc.integer({ min: -40, max: 40 })
const ends = fc
  .tuple(fc.option(days, { nil: undefined }), days)
  .map(([from, to]) => (from === undefined ? { to } : from > to ? { from } : { from, to }))
const condition: fc.Arbitrary<SegmentCondition> = fc.oneof(
  fc
    .tuple(
      fc.constantFrom('days_since_purchase', 'days_to_next_date', 'days_since_creation' as const),
      ends,
    )
    .map(([field, range]) => ({ field, ...range })),
  ends.map((range) => ({ field: 'ltv' as const, ...range })),
  fc.constantFrom(7, 8).map((tag_id) => ({ field: 'tag' as const, tag_id })),
)
const alternatives = (minLength: number) =>
  fc.array(fc.array(condition, { minLength: 1, maxLength: 3 }), { minLength, maxLength: 3 })
const anyRules = fc
  .array(fc.record({ entry: alternatives(0), exit: alternatives(0) }), { maxLength: 4 })
  .map((list) => list.map((each, index) => ({ ...each, id: index + 1 })))
const moment = fc.integer({ min: -40 * 24, max: 40 * 24 }).map((hours) => now + hours * 3600)
const ids = fc.uniqueArray(fc.integer({ min: 1, max: 6 }), { maxLength: 4 })
const anyFacts = fc
  .record({
    next_date: moment,
    last_purchase_at: fc.option(moment),
    created_at: moment,
    ltv: days,
    segment_ids: ids.map((list) => list.toSorted((one, other) => one - other)),
    isByHand: fc.func(fc.boolean()),
  })
  .map(({ isByHand, ...more }) => ({
    ...facts,
    ...more,
    segment_ids_by_hand: more.segment_ids.filter((id) => isByHand(id)),
  }))

/** The segments by the rules of one day, computed in another way, without a look ahead. */
function plainly(rules: SegmentRule[], customer: SegmentFacts, zone: string, at: number): number[] {
  const day = dayOf(zone, at)
  const value = ({ field }: SegmentCondition) => {
    if (field === 'ltv') return customer.ltv
    if (field === 'days_to_next_date') return dayOf(zone, customer.next_date) - day
    const since = field === 'days_since_creation' ? customer.created_at : customer.last_purchase_at
    return since === null ? Number.NaN : day - dayOf(zone, since)
  }
  const hold = (groups: SegmentCondition[][]) =>
    groups.filter(
      (group) =>
        group.filter((each) =>
          each.field === 'tag'
            ? !customer.tag_ids.includes(each.tag_id!)
            : !(value(each) >= (each.from ?? -1e9) && value(each) <= (each.to ?? 1e9)),
        ).length === 0,
    ).length > 0
  return [1, 2, 3, 4, 5, 6].filter((id) => {
    const was = customer.segment_ids.includes(id)
    const each = rules.find((one) => one.id === id)
    if (!each || each.entry.length === 0 || customer.segment_ids_by_hand.includes(id)) return was
    if (hold(each.exit)) return false
    if (hold(each.entry)) return true
    return each.exit.length > 0 && was
  })
}

test('any customer is where a plain reading puts it, at any time until the moment that is said', () => {
  const zones = fc.constantFrom('Europe/Berlin', 'America/Santiago', 'Asia/Kathmandu', 'UTC')
  // Clocks change in Berlin on day 78, and in Santiago at midnight of day 85.
  const begin = fc.integer({ min: 0, max: 100 * 24 }).map((hours) => now + hours * 3600)
  fc.assert(
    fc.property(anyRules, anyFacts, zones, begin, (rules, customer, zone, at) => {
      const { segment_ids, due_at } = segmentsOf(rules, customer, zone, at)
      expect(segment_ids).toEqual(plainly(rules, customer, zone, at))
      const evaluated = { ...customer, segment_ids }
      const end = due_at ?? at + 90 * 86_400
      for (let hour = at; hour < end; hour += 5 * 3600)
        expect(plainly(rules, evaluated, zone, hour)).toEqual(segment_ids)
      if (due_at === null) return
      expect(due_at).toBeGreaterThan(at)
      expect(due_at).toBe(midnight(zone, dayOf(zone, due_at)))
      expect(plainly(rules, evaluated, zone, due_at - 1)).toEqual(segment_ids)
      expect(plainly(rules, evaluated, zone, due_at)).not.toEqual(segment_ids)
    }),
    {
      seed: Number(process.env['FUZZ_SEED'] ?? 20_261_122),
      numRuns: 5 * Number(process.env['FUZZ_RUNS'] ?? 40),
    },
  )
})
