// Groups of users. Every account has the built-in group, 0, which cannot be deleted. A user without
// another group is in it.
import { randomUUID } from 'node:crypto'
import sql from 'sql-template-tag'
import type { Tx } from '../../../database/connect.ts'
import type { Actor } from '../../../access/actor.ts'
import { badRequest, notFound } from '../../../http/problem.ts'
import { emptyGroup } from '../users/users.ts'
import type { Group, GroupDraft } from './schema.ts'

/** All groups, the built-in group first. */
export const groupList = (actor: Actor) => sql`
  select "group".id, "group".name, "group".uuid,
         (select count(*) from users person
           where person.account_id = "group".account_id and person.group_id = "group".id) as users
    from groups "group" where "group".account_id = ${actor.accountId} order by "group".id`

export const groupSummaries = ({ accountId }: Actor) => sql`
  select id, name from groups where account_id = ${accountId} order by id`

/** Each read of the account reads all its groups; a real account has about a dozen. */
const most = 1000

export async function createGroup(tx: Tx, actor: Actor, { name }: GroupDraft): Promise<Group> {
  const known = await tx.rows<Group>(groupList(actor))
  if (known.length >= most) throw badRequest(`An account has at most ${most} groups`)
  const made = await tx.row<{ id: number; name: string; uuid: string }>(sql`
    insert into groups (account_id, name, uuid) values (${actor.accountId}, ${name.trim()}, ${randomUUID()})
    returning id, name, uuid`)
  return { ...made!, users: 0 }
}

/** Renames a group. Unknown: 404. */
export async function renameGroup(
  tx: Tx,
  actor: Actor,
  id: number,
  { name }: GroupDraft,
): Promise<Group> {
  const found = await tx.row(sql`
    update groups set name = ${name.trim()} where account_id = ${actor.accountId} and id = ${id} returning id`)
  if (!found) throw notFound()
  return (await tx.rows<Group>(groupList(actor))).find((group) => group.id === id)!
}

/** Deletes a group; its users move to the built-in group. Unknown: 404, the built-in group: 400. */
export async function deleteGroup(tx: Tx, actor: Actor, id: number): Promise<void> {
  if (id === 0) throw badRequest('The built-in group cannot be deleted')
  await emptyGroup(tx, actor, id)
  const found = await tx.row(
    sql`delete from groups where account_id = ${actor.accountId} and id = ${id} returning id`,
  )
  if (!found) throw notFound()
}
