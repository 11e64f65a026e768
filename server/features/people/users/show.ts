import type { Reader } from '../../../database/connect.ts'
import type { PipelineStatus } from '../../../access/rights.ts'
import type { Actor } from '../../../access/actor.ts'
import { rightsInForce } from '../../../access/user-access.ts'
import { unsortedStatuses } from '../../definitions/pipelines/pipelines.ts'
import type { UserRow } from './queries.ts'
import type { User, UserWanted } from './schema.ts'

/** Users as the interface shows them; `wanted` holds the values of `with`. */
export async function showUsers(
  reader: Reader,
  actor: Actor,
  base: string,
  rows: UserRow[],
  wanted: UserWanted = new Set(),
): Promise<User[]> {
  const unsorted = rows.length > 0 ? await unsortedStatuses(reader, actor) : []
  return rows.map((row) => shown(row, unsorted, base, wanted))
}

function shown(row: UserRow, unsorted: PipelineStatus[], base: string, wanted: UserWanted): User {
  const {
    id,
    name,
    email,
    lang,
    is_admin,
    is_free,
    is_active,
    group_id,
    group_name,
    role_id,
    role_name,
  } = row
  const link = (path: string) => ({ self: { href: `${base}/api/v4/${path}` } })
  const roles =
    role_id === null ? [] : [{ id: role_id, name: role_name!, _links: link(`roles/${role_id}`) }]
  const _embedded = {
    ...(wanted.has('role') && { roles }),
    ...(wanted.has('group') && { groups: [{ id: group_id, name: group_name }] }),
  }
  return {
    id,
    name,
    email,
    lang,
    rights: {
      ...rightsInForce(row, unsorted),
      is_admin,
      is_free,
      is_active,
      group_id,
      role_id,
    },
    ...(wanted.has('uuid') && { uuid: row.uuid }),
    ...(wanted.has('amojo_id') && { amojo_id: row.amojo_id }),
    ...(wanted.has('user_rank') && { user_rank: row.user_rank }),
    ...(wanted.has('phone_number') && { phone_number: row.phone_number }),
    _links: link(`users/${id}`),
    ...(Object.keys(_embedded).length > 0 && { _embedded }),
  }
}
