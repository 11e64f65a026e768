// Roles: rights that several users share. A user with a role has exactly the rights of the role,
// and a change of the role applies to its users at once.
import type { Reader, Tx } from '../../../database/connect.ts'
import { normalise, withUnsorted } from '../../../access/rights.ts'
import type { RightsDraft } from '../../../access/rights.ts'
import { forgetAccess } from '../../../access/remembered.ts'
import type { Actor } from '../../../access/actor.ts'
import type { Batch } from '../../../http/batch.ts'
import { badRequest, invalidFor, notFound } from '../../../http/problem.ts'
import { statusFaults, unsortedStatuses } from '../../definitions/pipelines/pipelines.ts'
import { lockPeople, releaseFromRole, usersOfRoles } from '../users/users.ts'
import { insertRoles, oneRole, removeRole, roleList, updateRole } from './queries.ts'
import type { RoleRow } from './queries.ts'
import type { NewRole, Role, RoleChange } from './schema.ts'

export { roleSummaries } from './queries.ts'

/** Creates roles; one answer per item, in request order. */
export async function createRoles(
  tx: Tx,
  actor: Actor,
  base: string,
  { items, faults }: Batch<NewRole>,
) {
  for (const item of items)
    for (const fault of await statusFaults(
      tx,
      actor,
      'rights.status_rights',
      item.value.rights.status_rights ?? [],
    ))
      faults.add(item, fault)
  faults.throwIfAny()
  const rows = items.map(({ value }) => ({
    name: value.name.trim(),
    rights: normalise(value.rights),
  }))
  const made = await tx.rows<RoleRow>(insertRoles(actor, rows))
  const roles = await showRoles(tx, actor, base, made)
  return items.map(({ request_id }, index) => ({ ...roles[index]!, request_id }))
}

/** Changes a role and so the rights of its users. Unknown: 404, nothing to change: 400. */
export async function changeRole(
  tx: Tx,
  actor: Actor,
  id: number,
  { name, rights }: RoleChange,
): Promise<void> {
  if (name === undefined && rights === undefined)
    throw badRequest('Say what to change: name or rights')
  // A user who loses the role meanwhile keeps its rights from before or after this change, never
  // older ones.
  await lockPeople(tx, actor)
  const role = await tx.row<RoleRow>(oneRole(actor, id, 'for no key update'))
  if (!role) throw notFound()
  const errors = await statusFaults(tx, actor, 'rights.status_rights', rights?.status_rights ?? [])
  if (errors.length > 0) throw invalidFor(...errors)
  const merged: RightsDraft = { ...role.rights, ...rights }
  await tx.rows(
    updateRole(actor, { id, name: name?.trim() ?? role.name, rights: normalise(merged) }),
  )
  await forgetAccess(tx)
}

/** Deletes a role; its users keep the rights as their own. Unknown: 404. */
export async function deleteRole(tx: Tx, actor: Actor, id: number): Promise<void> {
  await releaseFromRole(tx, actor, id)
  if (!(await tx.row(removeRole(actor, id)))) throw notFound()
}

/** All roles of the account as stored, for commands. */
export function listRoles(reader: Reader, actor: Actor): Promise<RoleRow[]> {
  return reader.rows<RoleRow>(roleList(actor, { after: undefined, offset: 0, limit: 10_000 }))
}

/** Roles as the interface shows them; `with=users` embeds their users. */
export async function showRoles(
  reader: Reader,
  actor: Actor,
  base: string,
  rows: RoleRow[],
  wanted: ReadonlySet<'users'> = new Set(),
): Promise<Role[]> {
  if (rows.length === 0) return []
  const unsorted = await unsortedStatuses(reader, actor)
  const ids = rows.map(({ id }) => id)
  const users = wanted.has('users') ? await usersOfRoles(reader, actor, base, ids) : undefined
  return rows.map(({ id, name, rights }) => ({
    id,
    name,
    rights: withUnsorted(normalise(rights), unsorted),
    _links: { self: { href: `${base}/api/v4/roles/${id}` } },
    ...(users && { _embedded: { users: users.filter((user) => user.rights.role_id === id) } }),
  }))
}
