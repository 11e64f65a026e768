// The proposals of the filter line for a text: comparisons, filters and choices by their names, spans of
// days, and the words themselves. Pure, so that a table tests it.
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
): Proposal[] {
  const typed = text.trim()
  if (typed === '')
    return [
      ...presets.map((preset): Proposal => ({ kind: 'preset', preset })),
      ...fields
        .filter(({ form }) => form !== 'words')
        .map((field): Proposal => ({ kind: 'field', field })),
    ]
  const numbers = comparison(typed)
  const compared = numbers
    ? fields
        .filter(({ form }) => form === 'number' || form === 'numbers')
        .map((field): Proposal => ({ kind: 'chip', field, chip: { name: field.name, ...numbers } }))
    : []
  const isNumber = /^[1-9]\d{0,14}$/.test(typed)
  const ids = isNumber
    ? fields
        .filter(({ name }) => name === 'filter[id]')
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
  if (form === 'task')
    return [...coming, ['0', taskless] as [string, string]]
      .filter(([, label]) => begins(label, typed))
      .map(([span]) => of(span))
  return []
}

/** Whether a word of a label begins with the text; "st" begins Stage. */
export const begins = (label: string, typed: string): boolean => {
  const [own, wanted] = [label.toLocaleLowerCase(), typed.toLocaleLowerCase()]
  return own.startsWith(wanted) || own.split(/[\s:,.()–-]+/).some((word) => word.startsWith(wanted))
}

/** `> 1000`, `<= 5 000`, `= 7`, `1000-5000`, `2k`. Both ends are included. */
export function comparison(typed: string): Omit<Chip, 'name'> | undefined {
  const [, low, high] = /^([\d\s.,]+[kк]?)\s*(?:-|–|\.\.)\s*([\d\s.,]+[kк]?)$/i.exec(typed) ?? []
  if (low !== undefined && high !== undefined) {
    const [from, to] = [numberOf(low), numberOf(high)]
    return from === undefined || to === undefined ? undefined : { values: [], from, to }
  }
  const [, sign, digits] = /^(>=?|<=?|=)?\s*(-?[\d\s.,]+[kк]?)$/i.exec(typed) ?? []
  const number = digits === undefined ? undefined : numberOf(digits)
  if (number === undefined) return undefined
  if (sign?.startsWith('>')) return { values: [], from: number }
  if (sign?.startsWith('<')) return { values: [], to: number }
  return { values: [number] }
}

function numberOf(text: string): string | undefined {
  const [, digits = '', thousands] = /^(.*?)([kк])?$/i.exec(text.replaceAll(/\s/g, '')) ?? []
  // A point or a comma before three digits divides thousands; otherwise it begins a fraction.
  const plain = digits.replaceAll(/[.,](?=\d{3}(?:\D|$))/g, '').replace(',', '.')
  const number = Number(plain) * (thousands ? 1000 : 1)
  return plain === '' || !Number.isFinite(number) ? undefined : String(Math.trunc(number))
}
