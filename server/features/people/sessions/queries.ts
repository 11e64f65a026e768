import sql from 'sql-template-tag'
import type { Actor } from '../../../access/actor.ts'
export type Who = Pick<Actor, 'accountId' | 'userId'>

/** A user whose password is compared at sign-in. */
export interface Candidate {
  account_id: number
  subdomain: string
  user_id: number
  password_hash: string
  has_second_factor: boolean
  /** Whether the user has signed in with this browser before. */
  is_known: boolean
}

/**
 * The users with an e-mail in all accounts, those of the requested account first. No caller is
 * known yet, so no account limits the statement.
 */
export const usersOfEmail = (
  email: string,
  {
    wanted,
    browser,
    at,
    most,
  }: { wanted: string | undefined; browser: Buffer | undefined; at: number; most: number },
) => sql`
  select person.account_id, account.subdomain, person.id as user_id, person.password_hash,
         exists (select from known_browsers known
                  where known.account_id = person.account_id and known.user_id = person.id
                    and known.hash = ${browser ?? null}::bytea and known.expires_at > ${at}) as is_known,
         exists (select from second_factors factor
                  where factor.account_id = person.account_id and factor.user_id = person.id
                    and factor.confirmed_at is not null) as has_second_factor
    from users person
    join accounts account on account.id = person.account_id
   where person.email = ${email} and person.is_active and person.password_hash is not null
   order by account.subdomain is distinct from ${wanted ?? null}, person.account_id
   limit ${most}`

/** Gives a browser a new hash. Everybody who signed in with it stays known. */
export const renameBrowser = (before: Buffer, hash: Buffer, at: number) => sql`
  update known_browsers set hash = ${hash} where hash = ${before} and expires_at > ${at}`

export const insertBrowser = (browser: {
  accountIds: number[]
  userIds: number[]
  hash: Buffer
  expires_at: number
}) => sql`
  insert into known_browsers (account_id, user_id, hash, expires_at)
  select account_id, user_id, ${browser.hash}::bytea, ${browser.expires_at}::bigint
    from unnest(${browser.accountIds}::bigint[], ${browser.userIds}::bigint[]) matched (account_id, user_id)
  on conflict (account_id, user_id, hash) do update set expires_at = excluded.expires_at`

/** Keeps the table small: of each user, only the browsers of the latest sign-ins stay. */
export const removeOldBrowsers = (accountIds: number[], userIds: number[], most: number) => sql`
  delete from known_browsers browser
   using (select account_id, user_id, hash,
                 row_number() over (partition by account_id, user_id order by expires_at desc, hash) as place
            from known_browsers
            join unnest(${accountIds}::bigint[], ${userIds}::bigint[]) matched (account_id, user_id)
                 using (account_id, user_id)) ranked
   where ranked.place > ${most} and browser.account_id = ranked.account_id
     and browser.user_id = ranked.user_id and browser.hash = ranked.hash`

export const insertSession = (session: {
  accountIds: number[]
  userIds: number[]
  chosen: number
  hash: Buffer
  at: number
  expires_at: number
  browser: string | null
  address: string
}) => sql`
  insert into sessions (account_id, hash, user_id, is_chosen, created_at, expires_at, browser, address)
  select account_id, ${session.hash}::bytea, user_id, account_id = ${session.chosen}, ${session.at}::bigint, ${session.expires_at}::bigint,
         ${session.browser}::text, ${session.address}::text
    from unnest(${session.accountIds}::bigint[], ${session.userIds}::bigint[]) matched (account_id, user_id)`

/**
 * Keeps the table small: deletes the expired sessions of users, and all but so many of the latest of
 * each. Answers whether one of them was good.
 */
export const removeOldSessions = (
  accountIds: number[],
  userIds: number[],
  at: number,
  most: number,
) => sql`
  with old as (
    select session.account_id, session.hash,
           row_number() over (partition by session.account_id, session.user_id order by session.created_at desc, session.id desc) as place
      from sessions session
      join unnest(${accountIds}::bigint[], ${userIds}::bigint[]) matched (account_id, user_id)
        on session.account_id = matched.account_id and session.user_id = matched.user_id),
  gone as (
    delete from sessions session using old
     where session.account_id = old.account_id and session.hash = old.hash
       and (session.expires_at <= ${at} or old.place > ${most})
    returning session.expires_at)
  select exists (select from gone where expires_at > ${at}) as answer`

export const deleteSession = (hash: Buffer) =>
  sql`delete from sessions where hash = ${hash} returning account_id`

/** The sessions of a user in this account, the latest first. */
export const sessionsOf = (actor: Who & { at: number }, current: Buffer | undefined) => sql`
  select id, created_at, coalesce(last_used_at, created_at) as last_used_at, browser, address,
         hash is not distinct from ${current ?? null}::bytea as is_current
    from sessions
   where account_id = ${actor.accountId} and user_id = ${actor.userId} and expires_at > ${actor.at}
   order by last_used_at desc, id desc limit 250`

/** Ends the session of a browser, in every account. Answers nothing where the user has no such one. */
export const deleteSessionById = (actor: Who, id: number) => sql`
  delete from sessions
   where hash = (select hash from sessions
                  where account_id = ${actor.accountId} and user_id = ${actor.userId} and id = ${id})
  returning account_id`

/** All sessions of the browsers in which the user is signed in, in every account. */
export const deleteSessionsOf = (actor: Who) => sql`
  delete from sessions
   where hash in (select hash from sessions where account_id = ${actor.accountId} and user_id = ${actor.userId})
  returning account_id`

export const userOf = (actor: Who) => sql`
  select id, name, email, language, group_id, is_admin from users where account_id = ${actor.accountId} and id = ${actor.userId}`

export const accountOfSession = (actor: Who) => sql`
  select id, name, subdomain from accounts where id = ${actor.accountId}`

/** An account that a session is signed in to, with its user there. */
export interface SignedInAccount {
  account_id: number
  account_name: string
  subdomain: string
  /** Whether the account answers at the bare address. */
  is_first: boolean
  is_chosen: boolean
  user_id: number
  user_name: string
  email: string
  is_admin: boolean
}

export const signedInAccounts = (hash: Buffer, at: number) => sql`
  select account.id as account_id, account.name as account_name, account.subdomain, session.is_chosen,
         account.id = (select id from accounts order by id limit 1) as is_first,
         person.id as user_id, person.name as user_name, person.email, person.is_admin
    from sessions session
    join accounts account on account.id = session.account_id
    join users person on person.account_id = session.account_id and person.id = session.user_id
   where session.hash = ${hash} and session.expires_at > ${at} and person.is_active
   order by account.id`
