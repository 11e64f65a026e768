// What a list is asked for, one condition for each filter, for the search and for the rights of the caller: a condition on a row named `record`,
// and what is known about finding the rows that pass it without looking at others.
import sql, { join, raw } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Actor } from '../../access/actor.ts'
import type { EntityType } from '../../entity-types.ts'
import type { NumberRange, TimeRange } from './schema.ts'
import { may, mayAll, mayInOrder } from '../../access/record-rights.ts'
import type { Walk } from '../search/search.ts'

export interface Condition {
  /** Whether a row named `record` passes. */
  passes: Sql
  /** Finds the ids of all that pass, without rights (column `id`; deleted ones and repetitions may be among them). Unsaid: by `passes`. */
  ids?: Sql
  /** The columns in whose order an index gives what passes, each followed by the id. */
  streams: readonly string[]
  /** How many pass, where that is known. */
  count?: number
  /** Ways to what passes in the order of ids, where many do. */
  walks?: readonly Walk[]
  /** Whether it is what the caller may view. */
  isRight?: boolean
  /** Whether asking a row means looking up others. */
  isCostly?: boolean
  /** Whether nothing finds what passes but looking at each record. */
  hasNoIndex?: boolean
}

/** One of several ids, users or the like; null: none. */
export function oneOf(
  column: string,
  values: readonly number[] | undefined,
  streams: readonly string[] = ['id'],
): Condition[] {
  if (!values) return []
  // One value is compared with `=`: an index that ends in the id then gives its rows in order, which `any` keeps PostgreSQL from seeing.
  if (values.length === 1) return [{ passes: sql`record.${raw(column)} = ${values[0]}`, streams }]
  return [{ passes: sql`record.${raw(column)} = any(${values}::bigint[])`, streams: [] }]
}

/** Exactly one of the names, whatever their case. */
export function named(names: readonly string[] | undefined): Condition[] {
  if (!names) return []
  const [one, ...others] = names.map((name) => sql`lower(${name}::text collate kontor)`)
  const name = sql`lower(record.name collate kontor)`
  return others.length === 0
    ? [{ passes: sql`${name} = ${one!}`, streams: ['id'] }]
    : [{ passes: sql`${name} in (${join([one!, ...others])})`, streams: [] }]
}

/** Between two ends, which belong to it; one number alone is exactly that, or where it begins. */
export function within(
  column: string,
  range: NumberRange | TimeRange | undefined,
  single: 'exact' | 'from',
): Condition[] {
  if (range === undefined) return []
  const at = sql`record.${raw(column)}`
  if (typeof range === 'number')
    return single === 'exact'
      ? [{ passes: sql`${at} = ${range}`, streams: ['id'] }]
      : [{ passes: sql`${at} >= ${range}`, streams: [column] }]
  const ends = endsOf(at, range)
  return ends ? [{ passes: ends, streams: [column] }] : []
}

/** The condition that a value lies between ends, undefined where neither is said. */
export function endsOf(
  value: Sql,
  { from, to }: { from?: number | string; to?: number | string },
): Sql | undefined {
  const ends = [
    ...(from === undefined ? [] : [sql`${value} >= ${from}`]),
    ...(to === undefined ? [] : [sql`${value} <= ${to}`]),
  ]
  return ends.length > 0 ? join(ends, ' and ') : undefined
}

/** A time, or 0 for records without one (specification, filter[closest_task_at]). */
export function withinOrNone(column: string, range: TimeRange | undefined): Condition[] {
  // PostgreSQL does not see that an index has what is null in the order of what follows.
  return range === 0
    ? [{ passes: sql`record.${raw(column)} is null`, streams: [] }]
    : within(column, range, 'from')
}

/** What the actor may view; none where that is everything. */
export function viewed(actor: Actor, type: EntityType): Condition[] {
  if (mayAll(actor, type, 'view')) return []
  return [
    {
      passes: may(actor, type, 'view'),
      streams: mayInOrder(actor, type, 'view') ? ['id'] : [],
      isRight: true,
    },
  ]
}

/** All conditions together. */
export const allOf = (conditions: readonly Condition[]): Sql =>
  conditions.length > 0
    ? join(
        conditions.map(({ passes }) => sql`(${passes})`),
        ' and ',
      )
    : sql`true`
