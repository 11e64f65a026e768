// The shapes of filters, and the order of a list.
import { Type } from '../../http/type.ts'
import type { Static, TSchema } from 'typebox'
import sql, { empty, raw } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import { CommaList, Id, SafeInteger, Timestamp } from '../../http/types.ts'
import type { Cursor } from '../../http/paging.ts'

/** The most values of one filter. */
const mostFilterValues = 500

/**
 * One id or several: `filter[id]=1`, `filter[id]=1,2`, `filter[id][]=1&filter[id][]=2`
 * (interface: Filter forms).
 */
export const Ids = CommaList(Id, mostFilterValues, 1)

/** User ids; 0 stands for the system. */
export const UserIds = CommaList(
  Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  mostFilterValues,
  1,
)

/** One name or several; a comma is part of a name. */
export const Names = Type.Array(Type.String(), { minItems: 1, maxItems: mostFilterValues })

const strict = { additionalProperties: false }

/**
 * `filter[price][from]=1&filter[price][to]=9`, either end alone, or one number for exactly that
 * value.
 */
export const NumberRange = Type.Union([
  Type.Object({ from: Type.Optional(SafeInteger), to: Type.Optional(SafeInteger) }, strict),
  SafeInteger,
])
export type NumberRange = Static<typeof NumberRange>

/** The same for times in Unix seconds; a single time means from then on. */
export const TimeRange = Type.Union([
  Type.Object({ from: Type.Optional(Timestamp), to: Type.Optional(Timestamp) }, strict),
  Timestamp,
])
export type TimeRange = Static<typeof TimeRange>

/** A filter. `forms` continues the sentence "It takes …" of a problem (http/forms.ts). */
export function Filter<Shape extends TSchema>(shape: Shape, forms: string) {
  return Type.Optional({ ...shape, description: forms })
}

/** Describes a filter by one of several ids or words. */
export const several = (name: string, value: string) =>
  `filter[${name}]=<${value}>, several separated by commas, or filter[${name}][]=<${value}> for each`

/** Describes a filter by one of several texts, which may contain commas. */
export const severalTexts = (name: string, value: string) =>
  `filter[${name}]=<${value}>, or filter[${name}][]=<${value}> for each of several`

/** Describes a filter by a range; `alone` says what a single value means. */
export const range = (name: string, value: string, alone: string) =>
  `filter[${name}][from]=<${value}> and filter[${name}][to]=<${value}>, either one alone, or filter[${name}]=<${value}> ${alone}`

/** Describes a filter by a range of times. */
export const times = (name: string, more = '') =>
  range(name, 'Unix seconds', `for that time and later${more}`)

/**
 * Adds to the description of a filter how programs ask for changes (decision 90). A fault shows the
 * first sentence only.
 */
export const pollingHint = (description: string) =>
  `${description}. To miss nothing, begin ten seconds before the greatest time that you have seen, and expect what you know again`

/** All filters of a list; unknown names are refused. */
export function Filters<Known extends Record<string, TSchema>>(known: Known) {
  const description = `filter[<name>], where the name is one of ${Object.keys(known).join(', ')}`
  return Type.Object(known, { ...strict, description })
}

/** `order[created_at]=desc`: one field, one direction, in any case of letters. */
export function Order<Field extends string>(fields: readonly Field[]) {
  const direction = Type.Optional(Type.Enum(['asc', 'desc'], { 'x-any-case': true }))
  return Type.Object(
    Object.fromEntries(fields.map((field) => [field, direction])) as Record<
      Field,
      typeof direction
    >,
    {
      ...strict,
      minProperties: 1,
      maxProperties: 1,
      description: `order[<field>]=asc or order[<field>]=desc, where the field is one of ${fields.join(', ')}`,
    },
  )
}

/** The order of a list: a column, then the id, both in one direction. */
export interface Ordering {
  column: string
  direction: 'asc' | 'desc'
}

export function orderingOf(
  order: Record<string, 'asc' | 'desc' | undefined> | undefined,
): Ordering {
  const [column, direction] = Object.entries(order ?? {})[0] ?? []
  return { column: column ?? 'id', direction: direction ?? 'asc' }
}

/**
 * A single value of a column, asked for as a range from itself to itself. PostgreSQL expects few rows of a
 * range, and only one index has the order that begins with the column (docs/decisions/0057-plans.md).
 */
export interface Pin {
  column: string
  value: number | string
  /** A test that stands beside the range. */
  beside?: Sql
}

/** The test that a row is one of a pin. */
export function pinnedTo({ column, value, beside }: Pin, row = 'record'): Sql {
  const at = raw(`${row}.${column}`)
  const range = sql`${at} >= ${value} and ${at} <= ${value}`
  return beside ? sql`${beside} and ${range}` : range
}

/** The rows after a cursor in an order; `row` is the name of the row in the statement. */
export function comesAfter(
  { column, direction }: Ordering,
  after: Cursor | undefined,
  row = 'record',
  pin?: Pin,
): Sql {
  if (!after) return empty
  const sign = raw(direction === 'asc' ? '>' : '<')
  if (column === 'id') return sql`and ${raw(row)}.id ${sign} ${after.id}`
  const seek = sql`and (${raw(`${row}.${column}, ${row}.id`)}) ${sign} (${after.key}, ${after.id})`
  // Behind a range, an index is not entered at a place of two columns, but at that of one.
  return pin ? sql`${seek} and ${raw(`${row}.${column}`)} ${sign}= ${after.key}` : seek
}

export function orderedBy({ column, direction }: Ordering, row = 'record', pin?: Pin): Sql {
  const columns = [...(pin ? [pin.column] : []), ...(column === 'id' ? [] : [column]), 'id']
  return sql`order by ${raw(columns.map((each) => `${sortKey(each, row)} ${direction}`).join(', '))}`
}

/** Names are in the order of letters, in any case. */
const sortKey = (column: string, row: string): string =>
  column === 'name' ? `lower(${row}.name collate kontor)` : `${row}.${column}`

/**
 * A `like` pattern for texts that contain this one; `%`, `_` and `\` in the text stand for
 * themselves.
 */
export function containing(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`
}
