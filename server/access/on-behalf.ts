// The user on whose behalf the background works, later than the request that asked for it.
import sql from 'sql-template-tag'
import type { Reader } from '../database/connect.ts'
import type { Actor } from './actor.ts'
import { actorOf, roleOfPerson, standing } from './standing.ts'
import type { Standing } from './standing.ts'

interface StandingOfUser extends Standing {
  subdomain: string
  is_unpaid: boolean
}

/**
 * The actor with the user's rights of this moment; undefined where the user is no longer active.
 * `requestId` is that of the request that asked.
 */
export async function actorOnBehalf(
  reader: Reader,
  { accountId, userId, at, requestId }: Pick<Actor, 'accountId' | 'userId' | 'at' | 'requestId'>,
): Promise<Actor | undefined> {
  const found = await reader.row<StandingOfUser>(sql`
    select account.subdomain, account.is_unpaid, ${standing}
      from users person
      join accounts account on account.id = person.account_id
      ${roleOfPerson}
     where person.account_id = ${accountId} and person.id = ${userId} and person.is_active`)
  return (
    found && {
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
    }
  )
}
