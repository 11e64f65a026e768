// Checks the conditions of a segment: each field of a customer takes members of its own, and tags
// and custom fields must exist.
import type { Actor } from '../../access/actor.ts'
import type { Reader } from '../../database/connect.ts'
import { mostFaults } from '../../http/faults.ts'
import type { Fault } from '../../http/problem.ts'
import { choicesOf, fieldsOf, noFields } from '../../records/fields/definitions.ts'
import type { Fields } from '../../records/fields/definitions.ts'
import type { Complain } from '../../records/fields/scalars.ts'
import { fieldTypeFacts } from '../../records/fields/types.ts'
import { tagsWithIds } from '../../records/tags.ts'
import { isDayField } from './schema.ts'
import type { SegmentCondition, SegmentConditions } from './schema.ts'

/** The most days from a date that a condition names: 273 years. */
const mostDays = 100_000

/** The faults of conditions, under their paths. */
export async function conditionFaults(
  reader: Reader,
  actor: Actor,
  conditions: SegmentConditions,
): Promise<Fault[]> {
  const all = Object.values(conditions).flat(2)
  const named = [...new Set(all.flatMap(({ tag_id }) => tag_id ?? []))]
  const tags =
    named.length === 0
      ? []
      : await reader.rows<{ id: number }>(tagsWithIds(actor, 'customers', named))
  const known: Known = {
    tags: new Set(tags.map(({ id }) => id)),
    fields: all.some(({ field_id }) => field_id !== undefined)
      ? await fieldsOf(reader, actor.accountId, 'customers')
      : noFields,
  }
  const faults: Fault[] = []
  for (const key of ['entry_conditions', 'exit_conditions'] as const)
    for (const [group, each] of conditions[key].entries())
      for (const [place, condition] of each.entries())
        check(known, condition, (path, code, detail) => {
          faults.push({ code, path: `${key}.${group}.${place}.${path}`, detail })
        })
  return faults.slice(0, mostFaults)
}

interface Known {
  tags: ReadonlySet<number>
  fields: Fields
}

function check(known: Known, condition: SegmentCondition, complain: Complain): void {
  const { field } = condition
  const takes = membersOf(known, condition, complain)
  if (!takes) return
  for (const key of ['from', 'to', 'tag_id', 'field_id', 'enum_ids'] as const)
    if (condition[key] !== undefined && !takes.includes(key))
      complain(key, 'FieldNotExpected', `A condition on this ${field} has no ${key}.`)
  const isRange = takes.includes('from')
  if (isRange) checkRange(condition, complain)
  else
    for (const key of takes)
      if (condition[key] === undefined)
        complain(key, 'FieldMissing', `A condition on this ${field} needs it.`)
}

type Member = Exclude<keyof SegmentCondition, 'field'>

/** The members that a condition takes; undefined where that cannot be told, which is a fault. */
function membersOf(
  { tags, fields }: Known,
  { field, tag_id, field_id, enum_ids = [] }: SegmentCondition,
  complain: Complain,
): Member[] | undefined {
  if (field === 'tag') {
    if (tag_id !== undefined && !tags.has(tag_id))
      complain('tag_id', 'NotSupportedChoice', `There is no tag ${tag_id} of customers.`)
    return ['tag_id']
  }
  if (field !== 'custom_field') return ['from', 'to']
  if (field_id === undefined) {
    complain('field_id', 'FieldMissing', 'A condition on this custom_field needs it.')
    return undefined
  }
  const known = fields.byId.get(field_id)
  const behaviour = known && fieldTypeFacts(known.type).behaviour
  if (behaviour === 'number') return ['field_id', 'from', 'to']
  if (known && behaviour === 'choice') {
    for (const [place, id] of enum_ids.entries())
      if (!choicesOf(known).byId.has(id))
        complain(
          `enum_ids.${place}`,
          'NotSupportedChoice',
          `The field ${field_id} has no such choice: ${id}`,
        )
    return ['field_id', 'enum_ids']
  }
  complain(
    'field_id',
    'NotSupportedChoice',
    known
      ? `Fields of the type ${known.type} take no conditions.`
      : `There is no custom field ${field_id} of customers.`,
  )
  return undefined
}

/** Only the values of custom fields have fractions. */
function checkRange({ field, from, to }: SegmentCondition, complain: Complain): void {
  if (from === undefined && to === undefined)
    complain('from', 'FieldMissing', 'A condition on a number needs from, to, or both.')
  for (const [key, value] of Object.entries({ from, to })) {
    if (value === undefined) continue
    if (field !== 'custom_field' && !Number.isInteger(value))
      complain(key, 'InvalidType', 'This value should be of type integer.')
    if (isDayField(field) && Math.abs(value) > mostDays)
      complain(
        key,
        value < 0 ? 'TooLow' : 'TooHigh',
        `This value should be between -${mostDays} and ${mostDays}.`,
      )
  }
  if (from !== undefined && to !== undefined && from > to)
    complain('to', 'TooLow', 'This value should not be less than from.')
}
