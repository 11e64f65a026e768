// Which segments the rules of an account put a customer in: pure functions of the rules, the
// customer and the time. A customer enters a segment where its entry conditions hold, and leaves it
// where its exit conditions hold, which win; without exit conditions it leaves where the entry
// conditions no longer hold. Between two changes of a customer the answer changes only as a day
// begins, so the next such day says when to ask again.
import { dayOf, midnight } from '../../../records/fields/days.ts'
import type { KeptValues } from '../../../records/fields/values.ts'
import { isDayField } from './schema.ts'
import type { DayField, SegmentCondition } from './schema.ts'

export interface SegmentRule {
  id: number
  entry: SegmentCondition[][]
  exit: SegmentCondition[][]
}

/** The columns of a customer that rules look at. */
export interface SegmentFacts {
  next_date: number
  next_price: number
  ltv: number
  purchases_count: number
  /** null: none. */
  last_purchase_at: number | null
  created_at: number
  tag_ids: readonly number[]
  custom_fields_values: KeptValues
  segment_ids: readonly number[]
  segment_ids_by_hand: readonly number[]
}

interface SegmentsDue {
  /** In the order of the ids. */
  segment_ids: number[]
  /** The next moment at which the passing of time alone may change them; null: none. */
  due_at: number | null
}

/** Memberships by hand, and segments without entry conditions, stay as they are. */
export function segmentsOf(
  rules: readonly SegmentRule[],
  facts: SegmentFacts,
  timezone: string,
  now: number,
): SegmentsDue {
  const members = new Set(facts.segment_ids)
  const byHand = new Set(facts.segment_ids_by_hand)
  const dates = datesOf(facts, timezone)
  const today = dayOf(timezone, now)
  let due: number | undefined
  for (const rule of rules) {
    if (rule.entry.length === 0 || byHand.has(rule.id)) continue
    const isMember = staysOrEnters(rule, facts, dates, today, members.has(rule.id))
    if (isMember) members.add(rule.id)
    else members.delete(rule.id)
    for (const day of turningDays(rule, dates, today))
      if (due !== undefined && day >= due) break
      else if (staysOrEnters(rule, facts, dates, day, isMember) !== isMember) due = day
  }
  return {
    segment_ids: [...members].toSorted((one, other) => one - other),
    due_at: due === undefined ? null : midnight(timezone, due),
  }
}

/** Whether a customer is in the segment once the rule was applied on this day. */
function staysOrEnters(
  { entry, exit }: SegmentRule,
  facts: SegmentFacts,
  dates: Dates,
  day: number,
  isMember: boolean,
): boolean {
  const hold = (alternatives: SegmentCondition[][]) =>
    alternatives.some((all) => all.every((each) => holds(each, facts, dates, day)))
  if (hold(exit)) return false
  return hold(entry) || (isMember && exit.length > 0)
}

/** The day from which a condition counts, as days since 1970; undefined: the customer has none. */
type Dates = (field: DayField) => number | undefined

function datesOf(facts: SegmentFacts, timezone: string): Dates {
  const moments: Record<DayField, number | null> = {
    days_since_purchase: facts.last_purchase_at,
    days_to_next_date: facts.next_date,
    days_since_creation: facts.created_at,
  }
  const known = new Map<DayField, number | undefined>()
  return (field) => {
    if (!known.has(field)) {
      const at = moments[field]
      known.set(field, at === null ? undefined : dayOf(timezone, at))
    }
    return known.get(field)
  }
}

function holds(
  condition: SegmentCondition,
  facts: SegmentFacts,
  dates: Dates,
  day: number,
): boolean {
  const { field } = condition
  if (isDayField(field)) {
    const date = dates(field)
    if (date === undefined) return false
    return isWithin(condition, field === 'days_to_next_date' ? date - day : day - date)
  }
  switch (field) {
    case 'tag':
      return facts.tag_ids.includes(condition.tag_id!)
    case 'custom_field':
      return holdsForValue(condition, facts.custom_fields_values)
    case 'average_check':
      return isWithin(
        condition,
        facts.purchases_count === 0 ? 0 : Math.trunc(facts.ltv / facts.purchases_count),
      )
    default:
      return isWithin(condition, facts[field])
  }
}

/** A choice is stored by its id, a number as text (records/fields/types.ts). */
function holdsForValue(condition: SegmentCondition, values: KeptValues): boolean {
  const kept = values?.[condition.field_id!] ?? []
  const { enum_ids } = condition
  return kept.some((value) =>
    enum_ids ? enum_ids.includes(value as number) : isWithin(condition, Number(value)),
  )
}

function isWithin({ from, to }: SegmentCondition, value: number): boolean {
  return (from === undefined || value >= from) && (to === undefined || value <= to)
}

/** The days after today on which some condition of the rule may begin or cease to hold, in order. */
function turningDays({ entry, exit }: SegmentRule, dates: Dates, today: number): number[] {
  const days = [...entry, ...exit].flat().flatMap(({ field, from, to }) => {
    if (!isDayField(field)) return []
    const date = dates(field)
    if (date === undefined) return []
    const ends =
      field === 'days_to_next_date'
        ? [
            to === undefined ? undefined : date - to,
            from === undefined ? undefined : date - from + 1,
          ]
        : [
            from === undefined ? undefined : date + from,
            to === undefined ? undefined : date + to + 1,
          ]
    return ends.flatMap((day) => (day !== undefined && day > today ? day : []))
  })
  return [...new Set(days)].toSorted((one, other) => one - other)
}
