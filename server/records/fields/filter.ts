// Filters by custom fields (interface: Filtered lists): `filter[custom_fields_values][<field
// id>][]=<value>`, repeated for several values, or `[from]` and `[to]`. The type of the field
// defines the form of a value.
import type { Static } from 'typebox'
import sql, { join } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Actor } from '../../access/actor.ts'
import { faultAt, invalidFor, invalidValue } from '../../http/problem.ts'
import type { PlainCode, Problem } from '../../http/problem.ts'
import type { EntityType } from '../../entity-types.ts'
import { Type } from '../../http/type.ts'
import { latestTime } from '../../http/types.ts'
import { endsOf } from '../lists/conditions.ts'
import type { Condition } from '../lists/conditions.ts'
import { dayOfText, midnight, midnightBefore, storedDay } from './days.ts'
import type { Field, Fields } from './definitions.ts'
import { textKey } from './field-index.ts'
import { dateText, dayNamed, earliestTime } from './scalars.ts'
import { fieldTypeFacts } from './types.ts'
import { phonesOrText } from './values.ts'

const Range = Type.Object(
  { from: Type.Optional(Type.String()), to: Type.Optional(Type.String()) },
  { additionalProperties: false },
)

/** The most values of one filter. */
const mostValues = 250

export const FieldFilters = Type.Object(
  {},
  {
    patternProperties: {
      '^\\d{1,16}$': Type.Union([
        Type.Array(Type.String(), { minItems: 1, maxItems: mostValues }),
        Range,
      ]),
    },
    additionalProperties: false,
    maxProperties: 20,
    description:
      'filter[custom_fields_values][<field id>][]=<value>, once for each of several (ids, numbers and dates may be separated by commas), or [from]=<value> and [to]=<value> after the field id for numbers and dates; a value is a text, a number, the id of a choice, 1 or 0 for a checkbox, Unix seconds, day.month.year or year-month-day for dates',
  },
)
export type FieldFilters = Record<string, Static<typeof Range> | string[]>

/**
 * One condition for each field in the filter. Throws a 400 problem that names the accepted forms
 * for a value that does not fit the field.
 */
export function fieldConditions(
  actor: Actor,
  type: EntityType,
  fields: Fields,
  filters: FieldFilters = {},
): Condition[] {
  return Object.entries(filters).flatMap(([id, filter]) => {
    const field = fields.byId.get(Number(id))
    if (!field)
      throw refused(id, 'NotSupportedChoice', `There is no custom field ${id} of ${type}.`)
    const { behaviour } = fieldTypeFacts(field.type)
    if (behaviour === 'object' || (behaviour === 'labelled' && field.type !== 'multitext'))
      throw refused(
        id,
        'NotSupportedChoice',
        `There is no filter by fields of the type ${field.type}.`,
      )
    return Array.isArray(filter)
      ? [oneOf(actor, type, fields, field, separated(field, filter))]
      : between(actor, type, fields, field, filter)
  })
}

/** A comma separates ids, numbers and dates. In a text it is a part of the text. */
function separated(field: Field, texts: string[]): string[] {
  if (!isSeparable(field)) return texts
  const values = texts.flatMap((text) => text.split(','))
  if (values.length <= mostValues) return values
  const detail = `This collection should contain ${mostValues} elements or less.`
  throw invalidFor(faultAt(pathOf(field.id), 'TooMany', `${detail} ${formsOf(field)}`, mostValues))
}

const isSeparable = ({ type }: Field) =>
  ['number', 'choice', 'day', 'moment'].includes(fieldTypeFacts(type).behaviour)

function oneOf(
  { accountId }: Actor,
  type: EntityType,
  fields: Fields,
  field: Field,
  texts: string[],
): Condition {
  const kept = sql`(record.custom_fields_values -> ${String(field.id)})`
  const { behaviour } = fieldTypeFacts(field.type)
  if (behaviour === 'text' || field.type === 'multitext') {
    const values = texts.flatMap((text) => phonesOrText(field, text))
    const one = behaviour === 'text' ? sql`(${kept} ->> 0)` : sql`(kept #>> '{0}')`
    const whole = sql`lower(${one} collate kontor)`
    const isAny = sql`${whole} in (select lower(each collate kontor) from unnest(${values}::text[]) each)`
    const keys = join(values.map((value) => textKey(sql`${value}::text`)))
    const rows = sql`
         from field_texts key
         where key.account_id = ${accountId} and key.field_id = ${field.id} and key.entity_type = ${type} and key.value in (${keys})`
    return {
      passes:
        behaviour === 'text'
          ? isAny
          : // The numbers of a phone stand in the index only.
            field.code === 'PHONE'
            ? sql`exists (select ${rows} and key.entity_id = record.id)`
            : sql`exists (select from jsonb_array_elements(${kept}) kept where ${isAny})`,
      ids: sql`
        select key.entity_id as id ${rows}`,
      streams: values.length === 1 ? ['id'] : [],
    }
  }
  if (behaviour === 'moment') {
    // A day means any moment of that day.
    const anyOf = (value: Sql) =>
      join(
        texts.map((text) => {
          const [from, to] = (['from', 'to'] as const).map((end) =>
            numberOf(fields, field, text, end, ''),
          )
          return sql`(${endsOf(value, { from: from!, to: to! })!})`
        }),
        ' or ',
      )
    const passes = anyOf(sql`(${kept} ->> 0)::numeric`)
    return {
      passes,
      ids: numbered(accountId, type, field, sql`(${anyOf(sql`key.value`)})`),
      streams: [],
    }
  }
  const numbers = texts.map((text) => numberOf(fields, field, text))
  if (behaviour === 'flag') return flagged(accountId, type, field, kept, numbers)
  const passes =
    behaviour === 'choice'
      ? sql`${kept} @> any(${numbers}::jsonb[])`
      : sql`(${kept} ->> 0)::numeric = any(${numbers}::numeric[])`
  const isOne = numbers.length === 1
  const key = isOne
    ? sql`key.value = ${numbers[0]}::numeric`
    : sql`key.value = any(${numbers}::numeric[])`
  return { passes, ids: numbered(accountId, type, field, key), streams: isOne ? ['id'] : [] }
}

/**
 * A checkbox without a value counts as not checked. Most records may lack one, so that only the
 * records themselves can be tested.
 */
function flagged(
  accountId: number,
  type: EntityType,
  field: Field,
  kept: Sql,
  numbers: string[],
): Condition {
  const isChecked = sql`coalesce((${kept} ->> 0)::boolean, false)`
  if (numbers.every((number) => number === '1'))
    return {
      passes: isChecked,
      ids: numbered(accountId, type, field, sql`key.value = 1`),
      streams: ['id'],
    }
  return {
    passes: numbers.includes('1') ? sql`true` : sql`not ${isChecked}`,
    streams: [],
    hasNoIndex: true,
  }
}

function between(
  { accountId }: Actor,
  type: EntityType,
  fields: Fields,
  field: Field,
  range: Static<typeof Range>,
): Condition[] {
  const { behaviour } = fieldTypeFacts(field.type)
  if (behaviour !== 'number' && behaviour !== 'day' && behaviour !== 'moment')
    throw refused(
      field.id,
      'NotSupportedChoice',
      `A field of the type ${field.type} has no range. ${formsOf(field)}`,
    )
  const ends = {
    ...(range.from !== undefined && { from: numberOf(fields, field, range.from, 'from') }),
    ...(range.to !== undefined && { to: numberOf(fields, field, range.to, 'to') }),
  }
  const passes = endsOf(
    sql`(record.custom_fields_values -> ${String(field.id)} ->> 0)::numeric`,
    ends,
  )
  if (!passes) return []
  return [
    { passes, ids: numbered(accountId, type, field, endsOf(sql`key.value`, ends)!), streams: [] },
  ]
}

const numbered = (accountId: number, type: EntityType, field: Field, condition: Sql) => sql`
  select key.entity_id as id from field_numbers key
   where key.account_id = ${accountId} and key.field_id = ${field.id} and key.entity_type = ${type} and ${condition}`

/** No day is longer than this, wherever clocks change. */
const longestDay = 30 * 3600

/**
 * A value of a filter, or one end of a range, as the stored number. `at` is the position that the
 * client wrote it at, below the field.
 */
function numberOf(
  fields: Fields,
  field: Field,
  text: string,
  end?: 'from' | 'to',
  at = end === undefined ? '' : `[${end}]`,
): string {
  const { behaviour } = fieldTypeFacts(field.type)
  const wrong = () => refused(field.id, 'InvalidFormat', formsOf(field), at)
  switch (behaviour) {
    case 'number':
      if (/^-?\d{1,20}(?:\.\d{1,10})?$/.test(text)) return text
      throw wrong()
    case 'flag':
      if (text === '1' || text === '0') return text
      throw wrong()
    case 'choice': {
      const id = /^\d{1,16}$/.test(text) ? Number(text) : undefined
      if (field.enums.some((each) => each.id === id)) return String(id)
      const missing = `The field ${field.id} has no choice ${text.slice(0, 100).toWellFormed()}.`
      throw refused(field.id, 'NotSupportedChoice', `${missing} ${formsOf(field)}`)
    }
    case 'day': {
      const day = dayOfText(text) ?? dayNamed(fields.timezone, text)
      if (day === undefined) throw wrong()
      return String(storedDay(fields, day))
    }
    case 'moment': {
      const day = dayOfText(text)
      const begins = day === undefined ? undefined : midnight(fields.timezone, day)
      if (begins !== undefined)
        return String(
          end === 'to' ? midnightBefore(fields.timezone, begins + longestDay) - 1 : begins,
        )
      if (/^-?\d{1,12}$/.test(text) && Number(text) >= earliestTime && Number(text) <= latestTime)
        return String(Number(text))
      throw wrong()
    }
    default:
      throw wrong()
  }
}

/**
 * A query string with the days of its filters by custom fields as day.month.year, which name the
 * same days whatever zone reads them. Any other text stays.
 */
export function withWrittenDays(fields: Fields, search: string): string {
  return search
    .split('&')
    .map((pair) => {
      const [name = '', value = ''] = [...new URLSearchParams(pair)][0] ?? []
      const id = /^filter\[custom_fields_values\]\[(\d+)\]/.exec(name)?.[1]
      const field = fields.byId.get(Number(id))
      if (!field || fieldTypeFacts(field.type).behaviour !== 'day') return pair
      const texts = value.split(',').map((text) => {
        const day = dayOfText(text) === undefined ? dayNamed(fields.timezone, text) : undefined
        return day === undefined ? text : dateText(day).split('-').toReversed().join('.')
      })
      return texts.join() === value ? pair : `${pair.slice(0, pair.indexOf('='))}=${texts.join()}`
    })
    .join('&')
}

/** The forms that a filter by this field takes. */
function formsOf(field: Field): string {
  const { id, type } = field
  const parameter = `filter[custom_fields_values][${id}]`
  const value = {
    text: '<text>',
    number: '<number>',
    flag: '<1 or 0>',
    day: '<Unix seconds, day.month.year or year-month-day>',
    moment: '<Unix seconds, day.month.year or year-month-day>',
    choice: '<id of a choice>',
    labelled: '<text>',
    object: '',
  }[fieldTypeFacts(type).behaviour]
  const hasRange = ['number', 'day', 'moment'].includes(fieldTypeFacts(type).behaviour)
  const several = isSeparable(field) ? ', several separated by commas' : ''
  return `It takes ${parameter}[]=${value}${several}${hasRange ? `, or ${parameter}[from]=${value} and ${parameter}[to]=${value}` : ''}.`
}

const pathOf = (id: number | string) => `filter[custom_fields_values][${id}]`

function refused(id: number | string, code: PlainCode, detail: string, at = ''): Problem {
  return invalidValue(code, `${pathOf(id)}${at}`, detail)
}
