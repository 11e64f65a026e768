import sql from 'sql-template-tag'
import type { Actor } from '../../../access/actor.ts'

export interface AccountRow {
  id: number
  name: string
  subdomain: string
  uuid: string
  amojo_id: string
  country: string
  currency: string
  currency_symbol: string | null
  timezone: string
  customers_mode: string
  is_unsorted_on: boolean
  is_loss_reason_enabled: boolean
  contact_name_display_order: number
  created_by: number
  updated_by: number
  created_at: number
  updated_at: number
}

export const accountOf = (actor: Actor) => sql`
  select id, name, subdomain, uuid, amojo_id, country, currency, currency_symbol, timezone, customers_mode, is_unsorted_on,
         is_loss_reason_enabled, contact_name_display_order, created_by, updated_by, created_at, updated_at
    from accounts where id = ${actor.accountId}`

export const anyAccount = sql`select from accounts limit 1`

/** The names of the account with a subdomain, or of the first two accounts without one. */
export const namesOfAccounts = (subdomain: string | undefined) => sql`
  select name from accounts where ${subdomain ?? null}::text is null or subdomain = ${subdomain ?? null}
   order by id limit 2`

/** The built-in group first. */
export const groupsOfAccount = (actor: Actor) => sql`
  select id, name, uuid from groups where account_id = ${actor.accountId} order by id`

/** The account as the shell of the web application shows it. */
export const accountSummary = ({ accountId }: Pick<Actor, 'accountId'>) => sql`
  select id, name, subdomain, language, country, currency, currency_symbol, timezone, customers_mode, is_unsorted_on,
         is_loss_reason_enabled, contact_name_display_order, week_starts_on, is_task_result_required, chat_warn_minutes,
         chat_late_minutes, logo
    from accounts where id = ${accountId}`

/** The next midnight in the zone of the account, in Unix seconds. */
export const endOfDay = ({ accountId, at }: Pick<Actor, 'accountId' | 'at'>) => sql`
  (select extract(epoch from (date_trunc('day', to_timestamp(${at}) at time zone timezone) + interval '1 day') at time zone timezone)
     from accounts where id = ${accountId})`

export const insertAccount = (draft: {
  subdomain: string
  name: string
  language: string
  timezone: string
  currency: string
  currency_symbol: string
  at: number
}) => sql`
  insert into accounts (subdomain, name, language, timezone, currency, currency_symbol, created_at, updated_at)
  values (${draft.subdomain}, ${draft.name}, ${draft.language}, ${draft.timezone}, ${draft.currency}, ${draft.currency_symbol},
          ${draft.at}, ${draft.at}) returning id`

export const insertFirstGroup = (accountId: number, name: string) => sql`
  insert into groups (account_id, id, name) values (${accountId}, 0, ${name})`

/** The predefined custom fields and their groups. */
export const giveFirstFields = (accountId: number) => sql`select give_first_fields(${accountId})`

/** The statuses of customers that every account has, and one ordinary one. */
export const giveFirstCustomerStatuses = (accountId: number) =>
  sql`select give_first_customer_statuses(${accountId})`

export const setPaid = (subdomain: string, isUnpaid: boolean, at: number) => sql`
  update accounts set is_unpaid = ${isUnpaid}, updated_at = greatest(${at}::bigint, created_at) where subdomain = ${subdomain} returning id`

/** The account of a subdomain; nothing of it that `lockAccount` guards changes until the end. */
export const lockBySubdomain = (subdomain: string) =>
  sql`select id, timezone from accounts where subdomain = ${subdomain} for no key update`

export const setTimezone = (accountId: number, timezone: string, at: number) => sql`
  update accounts set timezone = ${timezone}, updated_at = greatest(${at}::bigint, created_at) where id = ${accountId}`

/** Statements use the names of PostgreSQL's zones. */
export const isZoneOfDatabase = (name: string) =>
  sql`select from pg_timezone_names where name = ${name}`

export const setName = (subdomain: string, name: string, at: number) => sql`
  update accounts set name = ${name}, updated_at = greatest(${at}::bigint, created_at) where subdomain = ${subdomain} returning id`
