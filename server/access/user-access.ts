// The access of a user: identity, group and rights in force. These pieces belong to a statement
// with a row of `users` named `person`, which looks for a caller with a token or a session, or for
// the user an administrator acts as.
import { randomUUID } from 'node:crypto'
import sql from 'sql-template-tag'
import { fullRights, normalise, noRights, withUnsorted } from './rights.ts'
import type { PipelineStatus, Rights } from './rights.ts'
import type { Actor } from './actor.ts'

export interface UserAccess {
  user_id: number
  group_id: number
  is_admin: boolean
  is_free: boolean
  /** The rights of the role where the user has one, else those of the user. */
  rights: Rights
  /** The statuses of unsorted leads; null for an administrator, who bypasses rights. */
  unsorted: PipelineStatus[] | null
  /** The users of the group; null unless a user of the account is moving between groups. */
  group_members: number[] | null
}

export const roleOfPerson = sql`
  left join roles role on role.account_id = person.account_id and role.id = person.role_id`

/** All but the members of the group. */
export const userAccessAlone = sql`
  person.id as user_id, person.group_id, person.is_admin, person.is_free,
  coalesce(role.rights, person.rights) as rights,
  case when not person.is_admin then
    (select json_agg(json_build_object('pipeline_id', status.pipeline_id, 'status_id', status.id)
                     order by status.id)
       from statuses status
      where status.account_id = person.account_id and status.type = 1) end as unsorted`

export const userAccess = sql`
  ${userAccessAlone},
  case when exists (select from users moving
                     where moving.account_id = person.account_id
                       and moving.group_move is not null) then
    (select json_agg(member.id) from users member
      where member.account_id = person.account_id
        and member.group_id = person.group_id) end as group_members`

/** The fields of an actor that come from its user. */
export function actorOf({
  user_id,
  group_id,
  is_admin,
  is_free,
  rights,
  unsorted,
  group_members,
}: UserAccess) {
  return {
    userId: user_id,
    groupId: group_id,
    ...(group_members && { groupMembers: group_members }),
    isAdmin: is_admin,
    rights: rightsInForce({ is_admin, is_free, rights }, unsorted ?? []),
  }
}

/** An administrator has all rights and a free user none; their stored rights do not count. */
export function rightsInForce(
  { is_admin, is_free, rights }: Pick<UserAccess, 'is_admin' | 'is_free' | 'rights'>,
  unsorted: readonly PipelineStatus[],
): Rights {
  if (is_admin) return fullRights
  return withUnsorted(is_free ? noRights : normalise(rights), unsorted)
}

/** The actor of a command and of background work: the system, user 0. */
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
