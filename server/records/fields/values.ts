// Stored values of custom fields: lists as described in types.ts, by field id. This file answers
// whether they changed, the events of a change, the index rows for filters, and the lines for text
// search.
import type { NewEvent } from '../../changes/record.ts'
import { faultAt } from '../../http/problem.ts'
import type { Fault } from '../../http/problem.ts'
import { shownDay } from './days.ts'
import type { DayZones } from './days.ts'
import { choicesOf } from './definitions.ts'
import type { Field, Fields } from './definitions.ts'
import { phoneNumbersOf } from './phones.ts'
import { withoutMarks } from '../search/text.ts'
import { fieldTypeFacts } from './types.ts'

export type Kept =
  | string
  | number
  | boolean
  | [text: string, enum_id: number]
  | { [key: string]: unknown }

/** The column `custom_fields_values` of a record; null where no field is filled. */
export type KeptValues = Readonly<Record<string, readonly Kept[]>> | null

/**
 * The values after a change of some fields; an empty list clears a field. Answers the same object
 * where nothing changes.
 */
export function mergeValues(
  fields: Fields,
  before: KeptValues,
  sent: ReadonlyMap<number, Kept[]>,
): KeptValues {
  const changed = [...sent].filter(
    ([id, values]) => !sameValues(shownOf(fields.byId.get(id)!, before?.[id] ?? []), values),
  )
  if (changed.length === 0) return before
  const after: Record<string, readonly Kept[]> = { ...before }
  for (const [id, values] of changed) {
    if (values.length > 0) after[id] = values
    else delete after[id]
  }
  return Object.keys(after).length > 0 ? after : null
}

/** The most characters of JSON that all values of one record may have. */
const heaviest = 262_144

/** A fault for values that are too long together; undefined otherwise. */
export function tooHeavy(values: KeptValues): Fault | undefined {
  if (JSON.stringify(values).length <= heaviest) return undefined
  const detail = `The values of a record are too long. All together should have ${heaviest} characters or less.`
  return faultAt('custom_fields_values', 'TooLong', detail, heaviest)
}

/**
 * The values without deleted choices, which stay on a record until the clean-up reaches it. They
 * are never shown, so leaving them out of a body is no change.
 */
export function shownOf(field: Field, values: readonly Kept[]): readonly Kept[] {
  if (fieldTypeFacts(field.type).behaviour !== 'choice') return values
  const { byId } = choicesOf(field)
  return values.filter((id) => byId.has(id as number))
}

function sameValues(one: readonly Kept[], other: readonly Kept[]): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

/**
 * The events of a record whose values changed, one for each field. Answers name it after the field
 * (interface: Values of events).
 */
export function valueNews(fields: Fields, before: KeptValues, after: KeptValues): NewEvent[] {
  return fields.list.flatMap((field) => {
    const [was, is] = [before?.[field.id] ?? [], after?.[field.id] ?? []]
    if (was === is || sameValues(shownOf(field, was), shownOf(field, is))) return []
    return {
      type: 'custom_field_value_changed',
      value_before: eventValues(fields, field, was),
      value_after: eventValues(fields, field, is),
    }
  })
}

/** The most characters of one value in an event, and the most values on either side of it. */
const [longestText, mostValues] = [2000, 250]

function eventValues(zones: DayZones, field: Field, values: readonly Kept[]): object[] {
  return values.slice(0, mostValues).flatMap((kept) => {
    const { behaviour, number: field_type } = fieldTypeFacts(field.type)
    const enum_id =
      behaviour === 'choice'
        ? (kept as number)
        : behaviour === 'labelled'
          ? (kept as [string, number])[1]
          : null
    const text =
      behaviour === 'day'
        ? String(shownDay(zones, kept as number))
        : textOf(field, kept)?.slice(0, longestText).toWellFormed()
    return text === undefined
      ? []
      : [{ custom_field_value: { field_id: field.id, field_type, enum_id, text } }]
  })
}

/** A stored value as text; undefined for a deleted choice. */
function textOf(field: Field, kept: Kept): string | undefined {
  switch (fieldTypeFacts(field.type).behaviour) {
    case 'choice':
      return choicesOf(field).byId.get(kept as number)?.value
    case 'labelled':
      return (kept as [string, number])[0]
    case 'flag':
      return kept ? '1' : '0'
    case 'object': {
      const { name, file_name } = kept as { name?: string; file_name?: string | null }
      return name ?? file_name ?? JSON.stringify(kept)
    }
    default:
      return `${kept as string | number}`
  }
}

/** The rows of `field_numbers` and `field_texts` by which lists filter, without duplicates. */
export interface Keys {
  numbers: { field_id: number; value: number | string }[]
  texts: { field_id: number; value: string }[]
}

export function keysOf(fields: Fields, values: KeptValues): Keys {
  const keys: Keys = { numbers: [], texts: [] }
  for (const [id, list] of Object.entries(values ?? {})) {
    const field = fields.byId.get(Number(id))
    if (!field) continue
    const { behaviour } = fieldTypeFacts(field.type)
    const rows = [...new Set(list.flatMap((kept) => keyOf(field, kept) ?? []))]
    if (behaviour === 'text' || behaviour === 'labelled' || field.type === 'file')
      keys.texts.push(...rows.map((value) => ({ field_id: field.id, value: String(value) })))
    else keys.numbers.push(...rows.map((value) => ({ field_id: field.id, value })))
  }
  return keys
}

function keyOf(field: Field, kept: Kept): string | number | string[] | undefined {
  switch (fieldTypeFacts(field.type).behaviour) {
    case 'text':
      return kept as string
    case 'labelled':
      return field.type === 'multitext'
        ? phonesOrText(field, (kept as [string, number])[0])
        : undefined
    case 'flag':
      return kept ? 1 : 0
    case 'object':
      // No list is filtered by files. The row says that a file is referred to (files.ts).
      return field.type === 'file' ? fileOf(kept) : undefined
    default:
      return kept as string | number
  }
}

/** The uid of the file that a value of the type file names. */
export const fileOf = (kept: Kept): string =>
  (kept as { file_uuid: string }).file_uuid.toLowerCase()

/**
 * A phone is found by the digits of its numbers, in any notation; a text without digits is found as
 * it is. Text fields may have the code PHONE too.
 */
export function phonesOrText({ type, code }: Pick<Field, 'type' | 'code'>, text: string): string[] {
  const numbers = type === 'multitext' && code === 'PHONE' ? phoneNumbersOf(text) : []
  return numbers.length > 0 ? numbers.map(({ digits }) => digits) : [text]
}

/** The characters of one value that text search covers; the rest of a longer text is not found. */
const searched = 2000

/**
 * The lines that text search covers besides the name: texts, e-mails, and phones with a further line
 * for the digits of each number. Each line begins with the mark of its field, which identifies the lines of a
 * deleted field.
 */
export function searchLines(fields: Fields, values: KeptValues): string[] {
  return Object.entries(values ?? {}).flatMap(([id, list]) => {
    const field = fields.byId.get(Number(id))
    const behaviour = field && fieldTypeFacts(field.type).behaviour
    if (behaviour !== 'text' && behaviour !== 'labelled') return []
    const texts = list.map((kept) =>
      withoutMarks(textOf(field!, kept)!.slice(0, searched).toWellFormed().replaceAll('\n', ' ')),
    )
    const isPhone = behaviour === 'labelled' && field!.code === 'PHONE'
    const numbers = isPhone ? texts.flatMap(phoneNumbersOf) : []
    const digits = numbers.map((number) => number.digits)
    return [...new Set([...texts, ...digits])].map((text) => `${markOf(field!.id)}${text}`)
  })
}

/** The last character of each mark. */
export const markEnd = '\uE00B'

/** The mark of a field in search lines: its id, in characters that are removed from texts. */
export function markOf(id: number): string {
  const digits = String(id).replaceAll(/\d/g, (digit) =>
    String.fromCharCode(0xe000 + Number(digit)),
  )
  return `\uE00A${digits}${markEnd}`
}
