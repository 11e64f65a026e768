// The proposals of the filter line for a text: comparisons, filters and choices by their names, spans of
// days, and the words themselves. Pure, so that a table tests it.
import { readTypedNumber } from '../../ui/number.ts'
import type { NumberRules } from '../../ui/number.ts'
import { rulesOf } from './fields.ts'
import type { FilterField, Preset } from './fields.ts'
import type { Chip } from './filter.ts'

export type Proposal =
  | { kind: 'preset'; preset: Preset }
  /** Opens the editor of the filter. */
  | { kind: 'field'; field: FilterField }
  | { kind: 'chip'; field: FilterField; chip: Chip }

/** The most proposals of one field. */
const mostOfField = 5
const most = 30

/** Proposals, the first of which Enter takes. `spans` are the names of spans in words. */
export function proposals(
  text: string,
  fields: readonly FilterField[],
  presets: readonly Preset[],
  spans: { past: [string, string][]; coming: [string, string][]; taskless: string },
  language: string,
): Proposal[] {
  const typed = text.trim()
  if (typed === '')
    return [
      ...presets.map((preset): Proposal => ({ kind: 'preset', preset })),
      ...fields
        .filter(({ form }) => form !== 'words')
        .map((field): Proposal => ({ kind: 'field', field })),
    ]
  const compared = fields
    .filter(({ form }) => form === 'number' || form === 'numbers')
    .flatMap((field) =>
      comparisons(typed, language, rulesOf(field)).map((numbers): Proposal => ({
        kind: 'chip',
        field,
        chip: { name: field.name, ...numbers },
      })),
    )
  const isNumber = /^[1-9]\d{0,14}$/.test(typed)
  const ids = isNumber
    ? fields
        .filter(({ name, form }) => name === 'filter[id]' && form === 'ids')
        .map((field): Proposal => ({
          kind: 'chip',
          field,
          chip: { name: field.name, values: [typed] },
        }))
    : []
  const named = fields
    .filter(({ form, label }) => form !== 'words' && begins(label, typed))
    .map((field): Proposal => ({ kind: 'field', field }))
  const ready = presets
    .filter(({ label }) => begins(label, typed))
    .map((preset): Proposal => ({ kind: 'preset', preset }))
  const query = fields.find(({ form }) => form === 'words')
  const words: Proposal[] = query
    ? [{ kind: 'chip', field: query, chip: { name: query.name, values: [typed] } }]
    : []
  const chosen = fields.flatMap((field) => choices(field, typed, spans).slice(0, mostOfField))
  const isOperator = /^[<>=]/.test(typed)
  return [
    ...(isOperator ? compared : []),
    ...named,
    ...(isOperator ? [] : words),
    ...ready,
    ...(isOperator ? [] : [...compared, ...ids]),
    ...chosen,
  ].slice(0, most)
}

/** The choices and the spans of a field that a text names. */
function choices(
  field: FilterField,
  typed: string,
  { past, coming, taskless }: Parameters<typeof proposals>[3],
): Proposal[] {
  const { name, form, options } = field
  const of = (value: string): Proposal => ({ kind: 'chip', field, chip: { name, values: [value] } })
  if (options)
    return options.filter(({ label }) => begins(label, typed)).map(({ value }) => of(value))
  if (form === 'time' || form === 'day')
    return past.filter(([, label]) => begins(label, typed)).map(([span]) => of(span))
  if (form === 'task' || form === 'due')
    return [...coming, ...(form === 'task' ? [['0', taskless] as [string, string]] : [])]
      .filter(([, label]) => begins(label, typed))
      .map(([span]) => of(span))
  return []
}

/** Whether a word of a label begins with the text; "st" begins Stage. */
export const begins = (label: string, typed: string): boolean => {
  const [own, wanted] = [label.toLocaleLowerCase(), typed.toLocaleLowerCase()]
  return own.startsWith(wanted) || own.split(/[\s:,.()–-]+/).some((word) => word.startsWith(wanted))
}

/**
 * `> 1000`, `<= 5 000`, `= 7`, `1000-5000`, `2k`: each meaning that a field may take, one or two of
 * them, or none. Both ends are included.
 */
export function comparisons(
  typed: string,
  language: string,
  rules: NumberRules,
): Omit<Chip, 'name'>[] {
  const [, sign, text = ''] = /^(>=?|<=?|=)?\s*(.*)$/.exec(typed.trim()) ?? []
  // A plus begins a phone.
  if (text.startsWith('+')) return []
  const single = numbersOf(text, language, rules)
  if (sign?.startsWith('>')) return single.map((from) => ({ values: [], from }))
  if (sign?.startsWith('<')) return single.map((to) => ({ values: [], to }))
  if (single.length > 0 || sign !== undefined) return single.map((one) => ({ values: [one] }))
  const [, low = '', high = ''] = /^(.*?\S)\s*(?:-|–|\.\.)\s*(\S.*)$/.exec(text) ?? []
  const [lows, highs] = [numbersOf(low, language, rules), numbersOf(high, language, rules)]
  if (lows.length === 0 || highs.length === 0) return []
  // Two ends that are written the same way are read the same way.
  return (lows.length < highs.length ? highs : lows).map((_, index) => ({
    values: [],
    from: lows[index] ?? lows[0]!,
    to: highs[index] ?? highs[0]!,
  }))
}

/** The numbers that a text may mean, in thousands where it ends in `k`. */
function numbersOf(text: string, language: string, rules: NumberRules): string[] {
  const [, digits = '', thousands] = /^(.*\d)\s*([kк])?$/i.exec(text) ?? [undefined, text]
  if (thousands === undefined) return meaningsOf(text, language, rules)
  const { currency } = rules
  return meaningsOf(digits, language, { currency }).flatMap((number) =>
    meaningsOf(inThousands(number), 'en', rules),
  )
}

function meaningsOf(text: string, language: string, rules: NumberRules): string[] {
  const reading = readTypedNumber(text, language, rules)
  if ('number' in reading) return [reading.number]
  return reading.fault === 'ambiguous' ? reading.readings : []
}

/** A thousand times as much, without the dust of fractions. */
function inThousands(number: string): string {
  const [whole = '', decimals = ''] = number.split('.')
  const padded = decimals.padEnd(3, '0')
  return whole + padded.slice(0, 3) + (padded.length > 3 ? `.${padded.slice(3)}` : '')
}
