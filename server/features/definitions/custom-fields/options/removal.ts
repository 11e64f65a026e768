// How a choice that records have leaves its field, and comes back: by a job, which gives the records
// another choice or none before (docs/decisions/0102-jobs-of-definitions.md).
import type { Actor } from '../../../../access/actor.ts'
import type { Reader, Tx } from '../../../../database/connect.ts'
import { entityTypes } from '../../../../entity-types.ts'
import type { EntityType } from '../../../../entity-types.ts'
import { badRequest, invalidValue, notFound, Problem } from '../../../../http/problem.ts'
import { cancelChoiceCleanUp } from '../../../../records/clean-ups.ts'
import { fieldsChanged, holdChoices } from '../../../../records/fields/definitions.ts'
import { refreshSegmentsLater } from '../../segment-refresh/segment-refresh.ts'
import { ownersOfField } from '../managed/queries.ts'
import { movedBefore, sortedAnew } from '../managed/order.ts'
import { choiceById, choicesOfField, nameKey, readChoices, writeChoices } from './options.ts'
import type { ChoicesRow } from './options.ts'
import { mostEnums } from './schema.ts'

/** A choice that leaves, and the one that its records get; null: none. */
export interface LeavingOption {
  /** The records that have the field. */
  entity_type: EntityType
  field_id: number
  enum_id: number
  into_id: number | null
}

/** A choice as `putBackOption` brings it back. */
export interface OptionTaken {
  option: ChoicesRow['enums'][number]
  color: string | null
  /** The choices that stood behind it, the nearest first. */
  followers: number[]
}

/**
 * The names of a choice and of the one that its records get, and whose records these are. The field
 * or a choice is unknown: 404; both are the same, or the last choice of a field: 400; a field without
 * choices of its own, or one of segments or catalogs: 400.
 */
export async function checkOptionRemoval(
  reader: Reader,
  actor: Actor,
  { field_id, enum_id, into_id }: Omit<LeavingOption, 'entity_type'>,
): Promise<{ entity_type: EntityType; name: string; into: string }> {
  if (enum_id === into_id)
    throw invalidValue('NotSupportedChoice', 'into', 'This is the same choice.')
  const owners = await reader.rows<{ entity_type: string }>(ownersOfField(actor, field_id))
  const [entity_type] = entityTypes.filter((type) =>
    owners.some((owner) => owner.entity_type === type),
  )
  if (!entity_type && owners.length > 0)
    throw badRequest('A choice of segments or elements is deleted once none of them has it')
  if (!entity_type) throw notFound()
  const row = await readChoices(reader, actor, entity_type, field_id)
  const { value: name } = choiceById(row, enum_id)
  if (row.enums.length === 1) throw badRequest('The last choice of a field stays')
  return { entity_type, name, into: into_id === null ? '' : choiceById(row, into_id).value }
}

/**
 * Nobody stores values of the fields of the type, or changes definitions, before the transaction
 * ends. Comes before all other locks.
 */
export async function holdOptions(tx: Tx, actor: Actor, type: EntityType): Promise<void> {
  await fieldsChanged(tx, actor.accountId)
  // The evaluation of customers locks its row before customers: here nobody of them is locked yet.
  if (type === 'customers') await refreshSegmentsLater(tx, actor)
  await tx.rows(holdChoices(actor.accountId, type))
}

/** Throws 404 where a choice that leaves, or the one that its records get, is gone. */
export async function requireOptions(
  reader: Reader,
  actor: Actor,
  { entity_type, field_id, enum_id, into_id }: LeavingOption,
): Promise<void> {
  const { enums } = await fieldOfOption(reader, actor, entity_type, field_id)
  for (const wanted of [enum_id, ...(into_id === null ? [] : [into_id])])
    if (!enums.some(({ id }) => id === wanted)) throw notFound('The choice does not exist any more')
}

/** Whether a choice is there. */
export async function isOption(
  reader: Reader,
  actor: Actor,
  { entity_type, field_id, enum_id }: LeavingOption,
): Promise<boolean> {
  const row = await choicesOfField(reader, actor, entity_type, field_id)
  return row?.enums.some(({ id }) => id === enum_id) ?? false
}

/** Deletes a choice that no record has; answers all that `putBackOption` needs. */
export async function takeOutOption(
  tx: Tx,
  actor: Actor,
  { entity_type, field_id, enum_id }: LeavingOption,
): Promise<OptionTaken> {
  const row = await readChoices(tx, actor, entity_type, field_id)
  const option = choiceById(row, enum_id)
  if (row.enums.length === 1) throw badRequest('The last choice of a field stays')
  const others = row.enums.filter((each) => each !== option)
  await writeChoices(tx, actor, { type: entity_type }, { ...row, enums: others })
  return {
    option,
    color: row.enum_colors[enum_id] ?? null,
    followers: row.enums.slice(row.enums.indexOf(option) + 1).map(({ id }) => id),
  }
}

/**
 * Brings a choice back under its id, before the first of those that stood behind it; one that is
 * there stays. The field is gone: 404, its name or its code is another one's now: 400, too many
 * choices: 422.
 */
export async function putBackOption(
  tx: Tx,
  actor: Actor,
  { entity_type, field_id, enum_id }: LeavingOption,
  { option, color, followers }: OptionTaken,
): Promise<void> {
  await fieldsChanged(tx, actor.accountId)
  const row = await fieldOfOption(tx, actor, entity_type, field_id)
  const { enums } = row
  if (enums.some(({ id }) => id === enum_id)) return
  if (enums.length >= mostEnums) throw new Problem(422, `A field has at most ${mostEnums} choices`)
  if (enums.some(({ value }) => nameKey(value) === nameKey(option.value)))
    throw badRequest(`Another choice of the field is called ${option.value} now`)
  if (option.code !== null && enums.some(({ code }) => code === option.code))
    throw badRequest(`Another choice of the field has the code ${option.code} now`)
  // A deletion by the interface has the records cleaned, which are to have the choice again.
  await cancelChoiceCleanUp(tx, actor, field_id, enum_id)
  const next = followers.find((follower) => enums.some(({ id }) => id === follower))
  const all = movedBefore(enums, option, next ?? null)!
  await writeChoices(
    tx,
    actor,
    { type: entity_type },
    {
      ...row,
      enums: sortedAnew(all),
      enum_colors: color === null ? row.enum_colors : { ...row.enum_colors, [enum_id]: color },
    },
  )
  if (entity_type === 'customers') await refreshSegmentsLater(tx, actor)
}

/** Throws 404 where the field is gone. */
async function fieldOfOption(
  reader: Reader,
  actor: Actor,
  type: EntityType,
  id: number,
): Promise<ChoicesRow> {
  const row = await choicesOfField(reader, actor, type, id)
  if (!row) throw notFound('The field does not exist any more')
  return row
}
