// A record as a flat list of members that are changed one by one: its own columns, and each custom
// field under `field 12`. The overlay, the marks and the news of a card know members only.
import type { RecordCard } from '../../../server/features/application/cards/schema.ts'
import type { Tag } from '../../crm/tags.ts'
import type { Values } from '../../crm/fields/field.ts'

export type { RecordCard }

export interface Members {
  id: number
  name?: string
  responsible_user_id?: number
  tags?: readonly Tag[]
  price?: number
  pipeline_id?: number
  status_id?: number
  loss_reason_id?: number | null
  closed_at?: number | null
  /** The name of the source. */
  source?: string | null
  next_price?: number
  next_date?: number
  periodicity?: number
  ltv?: number
  purchases_count?: number
  average_check?: number
  segments?: readonly number[]
  created_at?: number
  created_by?: number
  updated_at?: number
  updated_by?: number
  [field: `field ${number}`]: Values
}

export type MemberName = keyof Members

export const fieldKey = (id: number): `field ${number}` => `field ${id}`

const columns = [
  'name',
  'responsible_user_id',
  'price',
  'pipeline_id',
  'status_id',
  'loss_reason_id',
  'closed_at',
  'next_price',
  'next_date',
  'periodicity',
  'ltv',
  'purchases_count',
  'average_check',
  'created_at',
  'created_by',
  'updated_at',
  'updated_by',
] as const

/** The members of an answer. */
export function membersOf({ record }: Pick<RecordCard, 'record'>): Members {
  const all = record as unknown as Record<string, unknown> & {
    id: number
    custom_fields_values: { field_id: number; values: Values }[] | null
    _embedded: {
      tags?: Tag[]
      segments?: { id: number }[]
      source?: { name: string } | null
    }
  }
  const { tags = [], segments, source } = all._embedded
  return {
    id: all.id,
    ...(Object.fromEntries(
      columns.filter((name) => name in all).map((name) => [name, all[name]]),
    ) as Partial<Members>),
    tags,
    ...(segments && { segments: segments.map(({ id }) => id) }),
    ...(source !== undefined && { source: source?.name ?? null }),
    ...Object.fromEntries(
      (all.custom_fields_values ?? []).map(({ field_id, values }) => [fieldKey(field_id), values]),
    ),
  }
}

const textOf = (value: unknown): string => JSON.stringify(value ?? null)

/** The members whose values differ. */
export function changedMembers(before: Members, after: Members): MemberName[] {
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]) as Set<MemberName>
  return [...keys].filter(
    (key) => before[key] !== after[key] && textOf(before[key]) !== textOf(after[key]),
  )
}

/** `after` with the objects of `before` where they say the same, so that nothing is drawn anew. */
export function withKeptObjects(before: Members | undefined, after: Members): Members {
  if (!before) return after
  return Object.fromEntries(
    (Object.entries(after) as [MemberName, unknown][]).map(([key, value]) => [
      key,
      textOf(before[key]) === textOf(value) ? before[key] : value,
    ]),
  ) as unknown as Members
}
