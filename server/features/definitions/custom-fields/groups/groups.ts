// Groups of custom fields. Every entity type and every catalog has the default group, which holds the fields without
// a group. Leads have another predefined group for tracking data.
import type { Reader, Tx } from '../../../../database/connect.ts'
import { fieldsChanged } from '../../../../records/fields/definitions.ts'
import type { Actor } from '../../../../access/actor.ts'
import type { Batch } from '../../../../http/batch.ts'
import { mostFaults } from '../../../../http/faults.ts'
import { Problem, badRequest, faultAt, invalidFor, notFound } from '../../../../http/problem.ts'
import type { FieldScope } from '../scopes.ts'
import {
  fieldGroupList,
  insertFieldGroups,
  moveFields,
  removeFieldGroup,
  updateFieldGroup,
} from './queries.ts'
import type { FieldGroupRow } from './queries.ts'
import type { FieldGroup, FieldGroupChange, NewFieldGroup } from './schema.ts'

/** Groups of one entity type at most: their list is answered whole. */
const mostGroups = 100

/** The groups of an entity type by `sort`, or the one with an id. */
export async function readFieldGroups(
  reader: Reader,
  actor: Actor,
  base: string,
  { path, holder, type }: FieldScope,
  id?: string,
) {
  const rows = await reader.list<FieldGroupRow>(
    fieldGroupList(actor, type, id === undefined ? undefined : [id]),
  )
  return rows.map((row): FieldGroup => ({
    ...row,
    type: row.id === 'statistic' ? 'linked_group' : 'custom_field_group',
    entity_type: holder,
    _links: { self: { href: `${base}/api/v4/${path}/custom_fields/groups/${row.id}` } },
  }))
}

/** Creates groups and answers them in request order. More than allowed for the entity type: 422. */
export async function createFieldGroups(
  tx: Tx,
  actor: Actor,
  base: string,
  scope: FieldScope,
  { items, faults }: Batch<NewFieldGroup>,
) {
  await fieldsChanged(tx, actor.accountId)
  faults.throwIfAny()
  const known = await tx.list<FieldGroupRow>(fieldGroupList(actor, scope.type))
  if (known.length + items.length > mostGroups)
    throw new Problem(
      422,
      `There can be ${mostGroups} groups of custom fields of ${scope.path}, and there are ${known.length}`,
    )
  const drafts = items.map(({ value: { name, sort } }) => ({ name: name.trim(), sort }))
  const ids = (await tx.rows<{ id: string }>(insertFieldGroups(actor, scope, drafts))).map(
    ({ id }) => id,
  )
  const groups = new Map(
    (await readFieldGroups(tx, actor, base, scope)).map((group) => [group.id, group]),
  )
  return items.map(({ request_id }, index) => ({ ...groups.get(ids[index]!)!, request_id }))
}

/** Changes a group. Unknown: 404, nothing to change: 400. */
export async function changeFieldGroup(
  tx: Tx,
  actor: Actor,
  base: string,
  scope: FieldScope,
  id: string,
  { name, sort, fields }: FieldGroupChange,
): Promise<FieldGroup> {
  if (name === undefined && sort === undefined && fields === undefined)
    throw badRequest('Say what to change: name, sort or fields')
  await fieldsChanged(tx, actor.accountId)
  const [row] = await tx.list<FieldGroupRow>(fieldGroupList(actor, scope.type, [id]))
  if (!row) throw notFound()
  await tx.rows(
    updateFieldGroup(actor, scope.type, {
      ...row,
      name: name?.trim() ?? row.name,
      sort: sort ?? row.sort,
    }),
  )
  if (fields) await fill(tx, actor, scope, id, fields)
  return (await readFieldGroups(tx, actor, base, scope, id))[0]!
}

async function fill(
  tx: Tx,
  actor: Actor,
  { path, type }: FieldScope,
  id: string,
  fields: number[],
): Promise<void> {
  const moved = await tx.rows<{ id: number }>(
    moveFields(actor, type, id === 'default' ? null : id, fields),
  )
  const there = new Set(moved.map((field) => field.id))
  const errors = fields.flatMap((field, index) =>
    there.has(field)
      ? []
      : faultAt(
          `fields.${index}`,
          'NotSupportedChoice',
          `There is no custom field ${field} of ${path}.`,
        ),
  )
  if (errors.length > 0) throw invalidFor(...errors.slice(0, mostFaults))
}

/** Deletes a group; its fields move to the default group. Unknown: 404, predefined: 400. */
export async function deleteFieldGroup(
  tx: Tx,
  actor: Actor,
  { type }: FieldScope,
  id: string,
): Promise<void> {
  await fieldsChanged(tx, actor.accountId)
  const [row] = await tx.list<FieldGroupRow>(fieldGroupList(actor, type, [id]))
  if (!row) throw notFound()
  if (row.is_predefined) throw badRequest('A predefined group cannot be deleted')
  await tx.rows(moveFields(actor, type, null, row.fields))
  await tx.rows(removeFieldGroup(actor, type, id))
}
