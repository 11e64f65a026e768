import sql from 'sql-template-tag'
import type { Tx } from '../database/connect.ts'
import type { Actor } from '../access/actor.ts'
import type { Faults, ItemName } from '../http/batch.ts'

/** The groups of those of the ids that belong to active users of the account. */
export async function groupsOfActiveUsers(
  tx: Tx,
  actor: Actor,
  ids: number[],
): Promise<Map<number, number>> {
  const rows = await tx.rows<{ id: number; group_id: number }>(
    sql`select id, group_id from users where account_id = ${actor.accountId} and id = any(${ids}::bigint[]) and is_active`,
  )
  return new Map(rows.map(({ id, group_id }) => [id, group_id]))
}

/** The users that an item names. */
export interface NamedPeople {
  responsible_user_id?: number
  created_by?: number
  updated_by?: number
}

/** The groups of the active users among those that a batch names, and of the actor. */
export function groupsOfNamed(
  tx: Tx,
  actor: Actor,
  items: { value: NamedPeople }[],
): Promise<Map<number, number>> {
  const named = items.flatMap(({ value }) => [
    value.responsible_user_id,
    value.created_by,
    value.updated_by,
  ])
  const ids = [actor.userId, ...named.flatMap((id) => id ?? [])]
  return groupsOfActiveUsers(tx, actor, [...new Set(ids)])
}

/**
 * Refuses inactive and unknown users. Authors may also be 0, the system, and so may the responsible
 * user, who is then the caller or the one before (decision 30). `groups` are those of the active
 * users.
 */
export function checkPeople(
  groups: ReadonlyMap<number, number>,
  faults: Faults,
  item: ItemName,
  sent: NamedPeople,
): void {
  for (const path of ['responsible_user_id', 'created_by', 'updated_by'] as const) {
    const id = sent[path]
    if (id === undefined || id === 0 || groups.has(id)) continue
    faults.add(item, { code: 'NotSupportedChoice', path, detail: `There is no active user ${id}.` })
  }
}
