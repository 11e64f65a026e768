// The values of records that lose a choice of a field, or a tag.
import type { KeptValues } from '../../../records/fields/values.ts'
import type { Columns } from './queries.ts'
import type { ReplacedOption, ReplacedTag } from './schema.ts'

/** The choices of a field that a record has, as its columns say. */
export const keptChoices = ({ custom_fields_values }: Columns, field: number): number[] =>
  ((custom_fields_values as KeptValues)?.[field] ?? []) as number[]

/** The choices of a record after the change, in their order; none comes twice. */
export const withoutOption = (
  values: readonly number[],
  { enum_id, into_id }: ReplacedOption,
): number[] => [
  ...new Set(values.flatMap((id) => (id === enum_id ? (into_id === null ? [] : [into_id]) : [id]))),
]

/** The tags of a record after the change, in their order; none comes twice. */
export const withoutTag = (tags: readonly number[], { tag_id, into_id }: ReplacedTag): number[] => [
  ...new Set(tags.flatMap((id) => (id === tag_id ? (into_id ?? []) : id))),
]
