// The values of fields as the interface has them, and as drafts that are typed. Pure functions, by
// the type of the field (server/records/fields/types.ts).
import { clockAt, momentAt } from '../../ui/day.ts'
import type { NumberFault, NumberReading } from '../../ui/number.ts'

/** A value of a field in an answer, and in a body. */
export interface Value {
  value?: unknown
  enum_id?: number
  enum_code?: string | null
  catalog_id?: number
  catalog_element_id?: number
}

/** The values of a field; null where it is empty. */
export type Values = readonly Value[] | null

export interface Choice {
  id: number
  value: string
  code?: string | null
  color?: string
}

/** A field by its type as the interface names it; the fixed members of a record are fields here too. */
export interface Field {
  id: number
  name: string
  type: string
  code: string | null
  currency: string | null
  enums: readonly Choice[] | null
  chained_lists:
    | readonly { title: string; catalog_id: number; parent_catalog_id: number | null }[]
    | null
}

export interface Labelled {
  value: string
  enum_id: number | undefined
}

export const isNumber = (type: string): boolean => ['numeric', 'monetary', 'price'].includes(type)
/** A number with a currency. */
export const isAmount = (type: string): boolean => type === 'monetary' || type === 'price'
export const isDay = (type: string): boolean => type === 'date' || type === 'birthday'
export const isChoice = (type: string): boolean => type === 'select' || type === 'radiobutton'

/** The parts of an address in their order, with the ids that every address field has. */
export const addressParts = [
  [1, 'line1'],
  [2, 'line2'],
  [3, 'city'],
  [4, 'state'],
  [5, 'zip'],
  [6, 'country'],
] as const

/** The members of a legal entity that its form asks, in their order. */
export const legalParts = [
  'name',
  'vat_id',
  'tax_registration_reason_code',
  'address',
  'real_address',
  'director',
  'bank_account_number',
  'bank_code',
] as const

/** A draft by the type of the field: a text, ids of choices, labelled texts, or objects. */
export type Draft = string | readonly string[] | readonly Labelled[] | readonly object[]

export interface Zones {
  /** Days begin at midnight here. */
  account: string
  user: string
}

/** How numbers of the field are typed: in the language of the user, and as the field takes them. */
export interface NumberForm {
  read: (typed: string) => NumberReading
  typed: (number: string) => string
}

/** The draft that an editor of the field begins with. */
export function draftOf(
  { type, enums }: Field,
  values: Values,
  zones: Zones,
  numbers: NumberForm,
): Draft {
  const [first] = values ?? []
  if (type === 'multitext')
    return values === null
      ? [{ value: '', enum_id: enums?.[0]?.id }]
      : values.map(({ value, enum_id }) => ({ value: String(value), enum_id }))
  if (type === 'smart_address')
    return addressParts.map(([id]) => ({
      value: textOf(values?.find(({ enum_id }) => enum_id === id)?.value),
      enum_id: id,
    }))
  if (type === 'legal_entity') return values?.map(({ value }) => value as object) ?? [{ name: '' }]
  if (type === 'file') return first ? [first.value as object] : []
  if (type === 'chained_list') return values ?? []
  if (type === 'multiselect') return (values ?? []).map(({ enum_id }) => String(enum_id))
  if (isChoice(type)) return first?.enum_id === undefined ? '' : String(first.enum_id)
  if (!first) return ''
  if (isDay(type)) return clockAt(Number(first.value), zones.account).slice(0, 10)
  if (type === 'date_time') return clockAt(Number(first.value), zones.user)
  return isNumber(type) ? numbers.typed(textOf(first.value)) : textOf(first.value)
}

/** The values of a draft; the fault of a number, or `date`, where it is none. */
export function valuesOf(
  field: Field,
  draft: Draft,
  zones: Zones,
  numbers: NumberForm,
): Values | NumberFault | 'date' {
  const { type, enums } = field
  if (typeof draft === 'string') {
    const text = draft.trim()
    if (text === '') return null
    if (isNumber(type)) {
      const reading = numbers.read(text)
      return 'fault' in reading ? reading : [{ value: reading.number }]
    }
    if (isDay(type) || type === 'date_time') {
      const clock = isDay(type) ? `${text}T00:00` : text
      // While a year is typed it is one of the first centuries.
      if (!/^[1-9]\d{3}-/.test(clock) || Number.isNaN(Date.parse(`${clock}Z`))) return 'date'
      return [{ value: momentAt(clock, isDay(type) ? zones.account : zones.user) }]
    }
    if (isChoice(type)) return chosen(enums, [text])
    return [{ value: type === 'textarea' ? draft : text }]
  }
  if (type === 'multiselect') return chosen(enums, draft as readonly string[])
  if (type === 'multitext' || type === 'smart_address')
    return orNull(
      (draft as readonly Labelled[])
        .filter(({ value }) => value.trim() !== '')
        .map(({ value, enum_id }) => ({
          value: value.trim(),
          ...(enum_id !== undefined && { enum_id }),
        })),
    )
  if (type === 'chained_list') return orNull(draft as readonly Value[])
  return orNull(
    (draft as readonly Record<string, unknown>[])
      .map((value) => ({ value: withoutEmpty(value) }))
      .filter(({ value }) => Object.keys(value).length > 0),
  )
}

const orNull = (values: readonly Value[]): Values => (values.length === 0 ? null : values)

const chosen = (enums: Field['enums'], ids: readonly string[]): Values =>
  orNull(
    (enums ?? [])
      .filter(({ id }) => ids.includes(String(id)))
      .map(({ id, value, code = null }) => ({ value, enum_id: id, enum_code: code })),
  )

const withoutEmpty = (object: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(object).filter(
      ([, value]) => value !== null && value !== undefined && value !== '',
    ),
  )

/** A plain value as a text. */
export const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : ''

/** Whether two states of a field are the same to a reader. */
export const isSame = (one: unknown, other: unknown): boolean =>
  one === other || JSON.stringify(one ?? null) === JSON.stringify(other ?? null)

/** Where a value leads: a phone, an e-mail or a page. Undefined for texts that lead nowhere. */
export function linkOf(type: string, code: string | null, value: unknown): string | undefined {
  const text = textOf(value).trim()
  if (type === 'url') {
    if (/^https?:\/\//i.test(text)) return text
    return /^[\w-]+(?:\.[\w-]+)+(?:[/?#]|$)/.test(text) ? `https://${text}` : undefined
  }
  if (type !== 'multitext') return undefined
  if (code === 'EMAIL') return /^[^\s@]+@[^\s@]+$/.test(text) ? `mailto:${text}` : undefined
  const number = text.replaceAll(/[^\d+]/g, '')
  return code === 'PHONE' && number.length > 2 ? `tel:${number}` : undefined
}
