// The user on whose behalf the background works, later than the request that asked for it, and the
// users of an account with their rights of this moment.
import sql from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Reader } from '../database/connect.ts'
import type { Actor } from './actor.ts'
import { actorOf, roleOfPerson, userAccess, userAccessAlone } from './user-access.ts'
import type { UserAccess } from './user-access.ts'

interface AccessOfUser extends UserAccess {
  subdomain: string
  is_unpaid: boolean
}

/**
 * The actor with the user's rights of this moment; undefined where the user is no longer active.
 * `requestId` is that of the request that asked.
 */
export async function actorOnBehalf(
  reader: Reader,
  caller: Pick<Actor, 'accountId' | 'userId' | 'at' | 'requestId'>,
): Promise<Actor | undefined> {
  const found = await reader.row<AccessOfUser>(
    accessesOf(caller, userAccess, sql`person.id = ${caller.userId}`),
  )
  return found && onBehalf(caller, found)
}

/** The active users of the caller's account as actors, to say what each of them may do. */
export async function activeActors(
  reader: Reader,
  caller: Pick<Actor, 'accountId' | 'at' | 'requestId'>,
): Promise<Actor[]> {
  const found = await reader.rows<AccessOfUser>(accessesOf(caller, userAccessAlone, sql`true`))
  const groups = await reader.rows<{ id: number; members: number[] }>(sql`
    select group_id as id, json_agg(id) as members from users
     where account_id = ${caller.accountId}
       and exists (select from users moving where moving.account_id = ${caller.accountId} and moving.group_move is not null)
     group by group_id`)
  const membersOf = new Map(groups.map(({ id, members }) => [id, members]))
  return found.map((each) =>
    onBehalf(caller, { ...each, group_members: membersOf.get(each.group_id) ?? null }),
  )
}

const accessesOf = ({ accountId }: Pick<Actor, 'accountId'>, columns: Sql, which: Sql): Sql => sql`
  select account.subdomain, account.is_unpaid, ${columns}
    from users person
    join accounts account on account.id = person.account_id
    ${roleOfPerson}
   where person.account_id = ${accountId} and ${which} and person.is_active`

const onBehalf = (
  { accountId, at, requestId }: Pick<Actor, 'accountId' | 'at' | 'requestId'>,
  found: AccessOfUser,
): Actor => ({
  accountId,
  subdomain: found.subdomain,
  ...actorOf(found),
  clientId: null,
  scopes: ['crm'],
  emptyList: 200,
  isUnpaid: found.is_unpaid,
  at,
  requestId,
  surface: 'web',
})
