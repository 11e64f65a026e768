// The answer of a filtered list, worked out the plain way: every record as its API shows it is looked at, one by one, by the rules of the
// interface (interface: Filtered lists; Filter forms). Shares nothing with the server but the shape of a query.
import type { RecordType } from '../../server/records/description.ts'
import { rightsOf } from '../records.ts'
import type { RightLevel } from '../../server/access/rights.ts'
import type { Nested, NestedValue } from '../../server/http/nested.ts'

/** A record as its API shows it, and what only tests know of it. */
export interface Known {
  id: number
  name: string
  responsible_user_id: number
  group_id: number
  closest_task_at: number | null
  custom_fields_values:
    | {
        field_id: number
        field_code: string | null
        field_type: string
        values: { value?: unknown; enum_id?: number }[]
      }[]
    | null
  /** The ids of its tags. */
  tags: number[]
  /** The ids of what it is linked to. */
  linked: Partial<Record<RecordType, number[]>>
  isDeleted: boolean
  [column: string]: unknown
}

export interface Viewer {
  id: number
  group_id: number
  /** The letters of `view`; an administrator has A everywhere. */
  view: Record<ReturnType<typeof rightsOf>, RightLevel>
  opened?: Stage
  closed?: Stage
}
export interface Stage {
  pipeline_id: number
  status_id: number
}

export interface Dataset {
  records: Record<RecordType, Known[]>
  /** The type of each custom field. */
  types: ReadonlyMap<number, string>
  /** The first and the last moment of days in the account's time zone, by day.month.year. */
  days: ReadonlyMap<string, readonly [first: number, last: number]>
}

/** The ids of the whole list, in its order. */
export function listOf(
  dataset: Dataset,
  kind: RecordType,
  viewer: Viewer,
  query: Nested,
): number[] {
  const { filter = {}, order = {}, with: wanted = '' } = query
  const isBin = (wanted as string).split(',').includes('only_deleted')
  const [[column, direction] = ['id', 'asc']] = Object.entries(order as Record<string, string>)
  const number = (record: Known, key: string) => record[key] as number
  return dataset.records[kind]
    .filter((record) => record.isDeleted === isBin && sees(viewer, kind, record))
    .filter((record) =>
      Object.entries(filter as Nested).every(([name, wanted]) =>
        passes(dataset, record, name, wanted),
      ),
    )
    .filter((record) => isFound(dataset, kind, viewer, record, (query['query'] ?? '') as string))
    .toSorted(
      (a, b) =>
        (direction === 'asc' ? 1 : -1) * (number(a, column) - number(b, column) || a.id - b.id),
    )
    .map(({ id }) => id)
}

function sees(
  { id, group_id, view, opened, closed }: Viewer,
  kind: RecordType,
  record: Known,
): boolean {
  const isAt = (stage?: Stage) =>
    kind === 'leads' &&
    stage?.pipeline_id === record['pipeline_id'] &&
    stage?.status_id === record['status_id']
  if (isAt(opened)) return true
  if (isAt(closed)) return false
  return {
    A: true,
    G: record.group_id === group_id,
    M: record.responsible_user_id === id,
    L: false,
    D: false,
  }[view[rightsOf(kind)]]
}

function passes(dataset: Dataset, record: Known, name: string, wanted: NestedValue): boolean {
  const own = record[name] as number | null
  switch (name) {
    case 'name':
      return each(wanted).some((text) => small(text) === small(record.name))
    case 'statuses':
      return Object.values(wanted as Nested[]).some(
        (stage) =>
          Number(stage['pipeline_id']) === record['pipeline_id'] &&
          Number(stage['status_id']) === record['status_id'],
      )
    case 'price':
      return typeof wanted === 'string' ? own === Number(wanted) : isWithin(own, wanted)
    case 'next_price':
      return isRange(wanted)
        ? isWithin(own, wanted)
        : each(wanted).some((text) => text.split(',').some((number) => Number(number) === own))
    case 'date': {
      const { type, ...ends } = wanted as Record<string, string>
      return isWithin(record[type === 'create' ? 'created_at' : 'updated_at'] as number, ends)
    }
    case 'next_date':
    case 'closest_task_at':
    case 'created_at':
    case 'updated_at':
    case 'closed_at':
      if (name === 'closest_task_at' && wanted === '0') return own === null
      return isWithin(own, typeof wanted === 'string' ? { from: wanted } : wanted)
    case 'tags':
      return each(wanted).some((text) => record.tags.includes(Number(text)))
    case 'custom_fields_values':
      return Object.entries(wanted as Nested).every(([id, value]) =>
        hasValue(dataset, record, Number(id), value),
      )
    default:
      return each(wanted).some((text) => Number(text) === own)
  }
}

const each = (wanted: NestedValue): string[] =>
  typeof wanted === 'string' ? [wanted] : (Object.values(wanted) as string[])

const isRange = (wanted: NestedValue) =>
  typeof wanted === 'object' && ('from' in wanted || 'to' in wanted)

function isWithin(
  value: number | null,
  range: NestedValue,
  read: (text: string, end: 0 | 1) => number = Number,
): boolean {
  const { from, to } = range as Record<string, string>
  return (
    value !== null &&
    (from === undefined || value >= read(from, 0)) &&
    (to === undefined || value <= read(to, 1))
  )
}

function hasValue(
  { types, days }: Dataset,
  record: Known,
  id: number,
  wanted: NestedValue,
): boolean {
  const type = types.get(id)!
  const field = record.custom_fields_values?.find(({ field_id }) => field_id === id)
  const values = field?.values ?? []
  /** A moment names the day that it is in. */
  const dayOf = (text: string) =>
    days.get(text)?.[0] ??
    [...days.values()].find(([first, last]) => first <= Number(text) && Number(text) <= last)?.[0]
  const time = (text: string, end: 0 | 1) =>
    (type === 'date_time' ? days.get(text)?.[end] : dayOf(text)) ?? Number(text)
  const only = values.length > 0 ? Number(values[0]!.value) : null
  if (isRange(wanted))
    return isWithin(only, wanted, type === 'numeric' || type === 'monetary' ? undefined : time)
  return each(wanted).some((text) => {
    switch (type) {
      case 'numeric':
      case 'monetary':
        return only === Number(text)
      case 'checkbox':
        return (values[0]?.value === true) === (text === '1')
      case 'select':
      case 'multiselect':
      case 'radiobutton':
        return values.some(({ enum_id }) => enum_id === Number(text))
      case 'date':
      case 'birthday':
        return only === dayOf(text)
      case 'date_time':
        return isWithin(only, { from: text, to: text }, time)
      default: {
        const written = (value: unknown) =>
          field?.field_code === 'PHONE' ? digits(String(value)) || String(value) : String(value)
        return values.some(
          ({ value }) =>
            small(written(value)) ===
            small(field!.field_code === 'PHONE' ? digits(text) || text : text),
        )
      }
    }
  })
}

const searchable = new Set([
  'text',
  'url',
  'textarea',
  'streetaddress',
  'tracking_data',
  'multitext',
  'smart_address',
])

function isFound(
  { records }: Dataset,
  kind: RecordType,
  viewer: Viewer,
  record: Known,
  query: string,
): boolean {
  const words = query.split(/\s+/).filter(Boolean)
  if (words.length === 0) return true
  const phone = /^[+\d\s()./-]+$/.test(query) && digits(query).length >= 5 ? [[digits(query)]] : []
  const matches = (one: Known) => {
    const lines = linesOf(one)
    return [words, ...phone].some((all) =>
      all.every((word) => lines.some((line) => line.includes(plain(word)))),
    )
  }
  if (matches(record)) return true
  if (kind !== 'leads') return false
  return (['contacts', 'companies'] as const).some((other) =>
    records[other].some(
      (one) =>
        !one.isDeleted &&
        sees(viewer, other, one) &&
        record.linked[other]?.includes(one.id) &&
        matches(one),
    ),
  )
}

function linesOf(record: Known): string[] {
  const texts = (record.custom_fields_values ?? []).flatMap(({ field_code, field_type, values }) =>
    searchable.has(field_type)
      ? values.flatMap(({ value }) => [
          String(value),
          ...(field_code === 'PHONE' ? [digits(String(value))] : []),
        ])
      : [],
  )
  const {
    name,
    first_name = '',
    last_name = '',
  } = record as Known & { first_name?: string; last_name?: string }
  return [name, first_name, last_name, ...texts].map(plain)
}

const digits = (text: string) => text.replaceAll(/\D/g, '')

/** In small letters, each letter for itself. */
const small = (text: string) =>
  text.replaceAll(/\p{L}/gu, (letter) => String.fromCodePoint(letter.toLowerCase().codePointAt(0)!))

/** Without case and accents, as one searches. */
const plain = (text: string) =>
  small(text.normalize('NFKD').replaceAll(/\p{Mn}/gu, ''))
    .replaceAll('ß', 'ss')
    .replaceAll('ı', 'i')
    .replaceAll('ς', 'σ')
