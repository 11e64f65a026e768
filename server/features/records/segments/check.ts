// Checks the conditions of a segment: each field of a customer takes members of its own, and tags
// and custom fields must exist.
import { isDeepStrictEqual } from 'node:util'
import type { Actor } from '../../../access/actor.ts'
import type { Reader } from '../../../database/connect.ts'
import { mostFaults } from '../../../http/faults.ts'
import { faultAt } from '../../../http/problem.ts'
import type { Fault } from '../../../http/problem.ts'
import { choicesOf, fieldsOf, noFields } from '../../../records/fields/definitions.ts'
import type { Fields } from '../../../records/fields/definitions.ts'
import type { Complain } from '../../../records/fields/scalars.ts'
import { fieldTypeFacts } from '../../../records/fields/types.ts'
import { tagsWithIds } from '../../../records/tags.ts'
import type { SegmentRule } from './conditions.ts'
import { isDayField } from './schema.ts'
import type { SegmentCondition, SegmentConditions } from './schema.ts'

/** The most days from a date that a condition names: 273 years. */
const mostDays = 100_000

/**
 * The faults of conditions, under their paths. A condition of `before` may stay, also where its tag
 * or field was deleted.
 */
export async function conditionFaults(
  reader: Reader,
  actor: Actor,
  conditions: SegmentConditions,
  before: SegmentConditions,
): Promise<Fault[]> {
  const known = await knownOf(reader, actor, Object.values(conditions).flat(2))
  const stored = Object.values(before).flat(2)
  const faults: Fault[] = []
  for (const key of ['entry_conditions', 'exit_conditions'] as const)
    for (const [group, each] of conditions[key].entries())
      for (const [index, condition] of each.entries())
        if (!stored.some((one) => isDeepStrictEqual(one, condition)))
          check(known, condition, (path, ...said) => {
            faults.push(faultAt(`${key}.${group}.${index}.${path}`, ...said))
          })
  return faults.slice(0, mostFaults)
}

interface Known {
  tags: ReadonlySet<number>
  fields: Fields
}

/** The tags and fields that conditions name, as far as they exist. */
async function knownOf(reader: Reader, actor: Actor, all: SegmentCondition[]): Promise<Known> {
  const named = [...new Set(all.flatMap(({ tag_id }) => tag_id ?? []))]
  const tags =
    named.length === 0
      ? []
      : await reader.rows<{ id: number }>(tagsWithIds(actor, 'customers', named))
  return {
    tags: new Set(tags.map(({ id }) => id)),
    fields: all.some(({ field_id }) => field_id !== undefined)
      ? await fieldsOf(reader, actor.accountId, 'customers')
      : noFields,
  }
}

/** No customer has this tag. */
const never: SegmentCondition = { field: 'tag', tag_id: 0 }

/**
 * The rules as far as their tags, fields and choices exist: conditions on deleted ones hold for no
 * customer, also while customers still have them.
 */
export async function livingRules(
  reader: Reader,
  actor: Actor,
  rules: SegmentRule[],
): Promise<SegmentRule[]> {
  const all = rules.flatMap(({ entry, exit }) => [...entry, ...exit].flat())
  if (!all.some(({ tag_id, field_id }) => tag_id ?? field_id)) return rules
  const { tags, fields } = await knownOf(reader, actor, all)
  const living = (condition: SegmentCondition): SegmentCondition => {
    const { tag_id, field_id, enum_ids } = condition
    if (tag_id !== undefined) return tags.has(tag_id) ? condition : never
    if (field_id === undefined) return condition
    const field = fields.byId.get(field_id)
    if (!field || !enum_ids) return field ? condition : never
    return { ...condition, enum_ids: enum_ids.filter((id) => choicesOf(field).byId.has(id)) }
  }
  const groups = (conditions: SegmentCondition[][]) => conditions.map((all) => all.map(living))
  return rules.map(({ id, entry, exit }) => ({ id, entry: groups(entry), exit: groups(exit) }))
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
    for (const [index, id] of enum_ids.entries())
      if (!choicesOf(known).byId.has(id))
        complain(
          `enum_ids.${index}`,
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
        value < 0 ? -mostDays : mostDays,
      )
  }
  if (from !== undefined && to !== undefined && from > to)
    complain('to', 'TooLow', 'This value should not be less than from.', from)
}
