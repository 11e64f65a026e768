// What the rights of a user come to right now. Whoever is let in, by a token, a session or on behalf of somebody, is asked for with these
// pieces of a statement that has a row of `users` named `person`.
import { randomUUID } from 'node:crypto'
import sql from 'sql-template-tag'
import { fullRights, normalise, noRights, withUnsorted } from './rights.ts'
import type { PipelineStatus, Rights } from './rights.ts'
import type { Actor } from './actor.ts'

export interface Standing {
  user_id: number
  group_id: number
  is_admin: boolean
  is_free: boolean
  /** Of the role, for users that have one. */
  rights: Rights
  /** The statuses of unsorted leads; null for administrators, who see them anyway. */
  unsorted: PipelineStatus[] | null
  /** The users of the group, while a user of the account is on the move between groups. */
  group_members: number[] | null
}

/** To be joined to `person`. */
export const roleOfPerson = sql`left join roles role on role.account_id = person.account_id and role.id = person.role_id`

export const standing = sql`
  person.id as user_id, person.group_id, person.is_admin, person.is_free, coalesce(role.rights, person.rights) as rights,
  case when not person.is_admin then
    (select json_agg(json_build_object('pipeline_id', status.pipeline_id, 'status_id', status.id) order by status.id)
       from statuses status where status.account_id = person.account_id and status.type = 1) end as unsorted,
  case when exists (select from users moving where moving.account_id = person.account_id and moving.group_move is not null) then
    (select json_agg(member.id) from users member
      where member.account_id = person.account_id and member.group_id = person.group_id) end as group_members`

/** What an actor has from its user. */
export function actorOf({
  user_id,
  group_id,
  is_admin,
  is_free,
  rights,
  unsorted,
  group_members,
}: Standing) {
  return {
    userId: user_id,
    groupId: group_id,
    ...(group_members && { groupMembers: group_members }),
    isAdmin: is_admin,
    rights: rightsInForce({ is_admin, is_free, rights }, unsorted ?? []),
  }
}

/** Administrators may do everything, free users nothing, whatever is kept about them. */
export function rightsInForce(
  { is_admin, is_free, rights }: Pick<Standing, 'is_admin' | 'is_free' | 'rights'>,
  unsorted: readonly PipelineStatus[],
): Rights {
  if (is_admin) return fullRights
  return withUnsorted(is_free ? noRights : normalise(rights), unsorted)
}

/** Who acts when the server itself does, at a command: the system, user 0. */
export function serverItself(accountId: number, at: number): Actor {
  return {
    accountId,
    at,
    subdomain: '',
    userId: 0,
    groupId: 0,
    isAdmin: true,
    rights: fullRights,
    clientId: null,
    scopes: ['crm'],
    emptyList: 200,
    isUnpaid: false,
    requestId: randomUUID(),
    surface: 'server',
  }
}
