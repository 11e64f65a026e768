// Custom fields for tests of lists, and days of an account's time zone.
import sql from 'sql-template-tag'
import type { Field } from '../../server/records/fields/definitions.ts'
import type { FieldType } from '../../server/records/fields/types.ts'
import type { RecordType } from '../../server/records/description.ts'
import type { TestAccount } from '../account.ts'
import { addFields as defineFields, firstFields } from '../fields.ts'

const listTypes = ['select', 'multiselect', 'radiobutton'] as const
const fieldTypesOf: Record<RecordType, FieldType[]> = {
  leads: [
    ...([
      'text',
      'numeric',
      'checkbox',
      ...listTypes,
      'date',
      'url',
      'textarea',
      'streetaddress',
    ] as const),
    ...([
      'birthday',
      'date_time',
      'monetary',
      'tracking_data',
      'smart_address',
      'legal_entity',
      'chained_list',
      'file',
    ] as const),
  ],
  contacts: [
    'text',
    'numeric',
    'checkbox',
    ...listTypes,
    'date',
    'birthday',
    'date_time',
    'textarea',
    'smart_address',
  ],
  companies: ['text', 'numeric', 'monetary', 'multiselect', 'url'],
  customers: [
    'text',
    'numeric',
    'checkbox',
    ...listTypes,
    'date',
    'date_time',
    'monetary',
    'streetaddress',
  ],
}

/** One field of each of these types, after the predefined ones. Lists have the choices North, South and East. */
export async function addFields(
  account: TestAccount,
  kind: RecordType,
  types = fieldTypesOf[kind],
): Promise<Field[]> {
  const first = await firstFields(account, kind)
  const isList = (type: FieldType) => listTypes.some((each) => each === type)
  const drafts = types.map((type) => ({
    type,
    name: `A ${type}`,
    enums: isList(type) ? ['North', 'South', 'East'] : [],
  }))
  return [...first, ...(await defineFields(account, kind, drafts))]
}

/** The first and the last moment of days, which PostgreSQL knows, too. */
export async function daysIn({ kontor }: TestAccount, timezone: string, days: readonly string[]) {
  const found = await kontor.database.rows<{ day: string; first: number; last: number }>(sql`
    select day, extract(epoch from to_date(day, 'DD.MM.YYYY')::timestamp at time zone ${timezone})::bigint as first,
           extract(epoch from (to_date(day, 'DD.MM.YYYY') + 1)::timestamp at time zone ${timezone})::bigint - 1 as last
      from unnest(${days}::text[]) day`)
  return new Map(found.map(({ day, first, last }) => [day, [first, last] as const]))
}
