// Counts in SQL of its own how many records match a request, to check Kontor's answers.
import type { LargeAccount, Type } from '../large/account.ts'
import type { KeptField } from '../large/kept.ts'
import { searchForm } from '../../server/records/search/text.ts'
import type { ListSearch } from './parts.ts'

/** The statement that counts the matches, and its parameters. */
export function countOf(
  account: LargeAccount,
  type: Type,
  { filter = {}, query }: ListSearch,
): { text: string; values: unknown[] } {
  const values: unknown[] = [account.id]
  const given = (value: unknown) => `$${values.push(value)}`
  const conditions = Object.entries(filter).flatMap(([name, value]) => {
    if (name === 'custom_fields_values')
      return Object.entries(value as object).map(([id, wanted]) =>
        hasValue(fieldOf(account, type, Number(id)), type, wanted, given),
      )
    if (name === 'statuses') {
      const stages = value as { pipeline_id: number; status_id: number }[]
      const pairs = stages.map(
        ({ pipeline_id, status_id }) =>
          `(${given(pipeline_id)}::bigint, ${given(status_id)}::bigint)`,
      )
      return `(pipeline_id, status_id) in (${pairs.join(', ')})`
    }
    if (name === 'closest_task_at' && value === 0) return 'closest_task_at is null'
    const isTime = name.endsWith('_at')
    return compared(
      name === 'name' ? 'lower(name collate kontor)' : name,
      name === 'name' ? 'text' : 'bigint',
      value,
      given,
      isTime,
    )
  })
  if (query !== undefined) conditions.push(`id in (${found(type, query, given)})`)
  const where = ['account_id = $1', 'not is_deleted', ...conditions].join(' and ')
  return { text: `select count(*)::int as count from ${type} record where ${where}`, values }
}

type Given = (value: unknown) => string

/**
 * The ids that a search finds: each word is somewhere in the text, for leads also in that of a
 * linked contact or company.
 */
function found(type: Type, query: string, given: Given): string {
  const words = query.split(' ').map((word) => `strpos(found.text, ${given(searchForm(word))}) > 0`)
  const texts = (from: Type, more = '') => `
    record_texts found ${more} where found.account_id = $1 and found.entity_type = '${from}' and ${words.join(' and ')}`
  const linked = (other: Type) => `
    select to_id from ${texts(
      other,
      `join links on links.account_id = $1 and from_type = '${other}' and from_id = entity_id and to_type = 'leads'
       join ${other} other on other.account_id = $1 and other.id = entity_id and not other.is_deleted`,
    )}`
  const others = type === 'leads' ? [linked('contacts'), linked('companies')] : []
  return [`select entity_id from ${texts(type)}`, ...others].join(' union all ')
}

function fieldOf({ fields }: LargeAccount, type: Type, id: number): KeptField {
  return Object.values(fields[type]).find((field) => field.id === id)!
}

function hasValue(
  { id, type: fieldType }: KeptField,
  type: Type,
  wanted: unknown,
  given: Given,
): string {
  const isText = [
    'text',
    'url',
    'textarea',
    'streetaddress',
    'tracking_data',
    'multitext',
  ].includes(fieldType)
  const rows = (condition: string) =>
    `id in (select entity_id from ${isText ? 'field_texts' : 'field_numbers'}
             where account_id = $1 and field_id = ${given(id)} and entity_type = '${type}' and ${condition})`
  // An empty checkbox counts as not set.
  if (fieldType === 'checkbox' && String(wanted) === '0') return `not ${rows('value = 1')}`
  return rows(compared('value', isText ? 'text' : 'numeric', wanted, given))
}

function compared(
  column: string,
  type: string,
  wanted: unknown,
  given: Given,
  isFrom = false,
): string {
  const value = (one: unknown) => given(typeof one === 'string' ? plain(one) : one)
  if (wanted !== null && typeof wanted === 'object' && !Array.isArray(wanted)) {
    const { from, to } = wanted as { from?: unknown; to?: unknown }
    const ends = [
      from !== undefined && `${column} >= ${value(from)}`,
      to !== undefined && `${column} <= ${value(to)}`,
    ]
    return ends.filter(Boolean).join(' and ')
  }
  if (isFrom) return `${column} >= ${value(wanted)}`
  return `${column} = any(${given([wanted].flat().map((one) => (typeof one === 'string' ? plain(one) : one)))}::${type}[])`
}

/** The text in small letters; for day.month.year the beginning of that day. */
function plain(text: string): string | number {
  const [, day, month, year] = /^(\d\d)\.(\d\d)\.(\d{4})$/.exec(text) ?? []
  return year === undefined
    ? text.toLowerCase()
    : Date.UTC(Number(year), Number(month) - 1, Number(day)) / 1000
}
