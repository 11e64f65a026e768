import sql from 'sql-template-tag'
import type { Actor } from '../../../access/actor.ts'

/** A user whose second factor is meant. */
export type FactorOwner = Pick<Actor, 'accountId' | 'userId'>

/** A second factor with its encrypted secret. */
export interface FactorRow {
  secret: Buffer
  confirmed_at: number | null
}

export const factorOf = ({ accountId, userId }: FactorOwner) => sql`
  select secret, confirmed_at from second_factors where account_id = ${accountId} and user_id = ${userId}`

export const stateOfFactor = ({ accountId, userId }: FactorOwner) => sql`
  select factor.confirmed_at,
         (select count(*) from recovery_codes code
           where code.account_id = factor.account_id and code.user_id = factor.user_id) as recovery_codes
    from second_factors factor
   where factor.account_id = ${accountId} and factor.user_id = ${userId} and factor.confirmed_at is not null`

export const namesForFactor = ({ accountId, userId }: FactorOwner) => sql`
  select person.email, account.name as account_name
    from users person join accounts account on account.id = person.account_id
   where person.account_id = ${accountId} and person.id = ${userId}`

/** Replaces one that was begun, and answers nothing where one is confirmed. */
export const beginFactor = ({ accountId, userId }: FactorOwner, secret: Buffer, at: number) => sql`
  insert into second_factors (account_id, user_id, secret, created_at)
  values (${accountId}, ${userId}, ${secret}, ${at})
  on conflict (account_id, user_id) do update
     set secret = excluded.secret, created_at = excluded.created_at, last_step = 0
   where second_factors.confirmed_at is null
  returning user_id`

/** Answers nothing where it was confirmed or begun anew meanwhile. */
export const confirmFactor = (
  { accountId, userId }: FactorOwner,
  { secret, step, at }: { secret: Buffer; step: number; at: number },
) => sql`
  update second_factors set confirmed_at = ${at}, last_step = ${step}
   where account_id = ${accountId} and user_id = ${userId} and secret = ${secret} and confirmed_at is null
  returning user_id`

/** Uses the code of a step up, and those before it. Answers nothing where it was used already. */
export const takeStep = ({ accountId, userId }: FactorOwner, step: number) => sql`
  update second_factors set last_step = ${step}
   where account_id = ${accountId} and user_id = ${userId} and confirmed_at is not null and last_step < ${step}
  returning user_id`

export const takeRecoveryCode = ({ accountId, userId }: FactorOwner, hash: Buffer) => sql`
  delete from recovery_codes
   where account_id = ${accountId} and user_id = ${userId} and hash = ${hash}
  returning user_id`

/** Makes others wait who change the factor; answers nothing unless it is confirmed. */
export const lockFactor = ({ accountId, userId }: FactorOwner) => sql`
  select user_id from second_factors
   where account_id = ${accountId} and user_id = ${userId} and confirmed_at is not null for no key update`

export const removeRecoveryCodes = ({ accountId, userId }: FactorOwner) => sql`
  delete from recovery_codes where account_id = ${accountId} and user_id = ${userId}`

export const insertRecoveryCodes = ({ accountId, userId }: FactorOwner, hashes: Buffer[]) => sql`
  insert into recovery_codes (account_id, user_id, hash)
  select ${accountId}::bigint, ${userId}::bigint, hash from unnest(${hashes}::bytea[]) hash`

/** The recovery codes go with it. */
export const removeFactor = ({ accountId, userId }: FactorOwner) => sql`
  delete from second_factors
   where account_id = ${accountId} and user_id = ${userId} and confirmed_at is not null
  returning user_id`
