import sql from 'sql-template-tag'
import type { Actor } from '../../../access/actor.ts'
import type { PreferencesChange, ProfileChange } from './schema.ts'

export const profileOf = (actor: Actor) => sql`
  select id, name, email, phone_number, language as lang from users
   where account_id = ${actor.accountId} and id = ${actor.userId}`

/** Undefined leaves the column unchanged; a phone number can be removed. */
export const updateProfile = (actor: Actor, { name, phone_number, lang }: ProfileChange) => sql`
  update users
     set name = coalesce(${name ?? null}, name), language = coalesce(${lang ?? null}, language),
         phone_number = case when ${phone_number === undefined} then phone_number else ${phone_number ?? null}::text end,
         updated_at = greatest(${actor.at}::bigint, created_at)
   where account_id = ${actor.accountId} and id = ${actor.userId}`

export const preferencesOf = (actor: Actor) => sql`
  select settings from preferences where account_id = ${actor.accountId} and user_id = ${actor.userId}`

/** Keeps the settings that the change does not name. */
export const putPreferences = (actor: Actor, change: PreferencesChange) => sql`
  insert into preferences (account_id, user_id, settings)
  values (${actor.accountId}, ${actor.userId}, ${JSON.stringify(change)}::jsonb)
  on conflict (account_id, user_id) do update set settings = preferences.settings || excluded.settings
  returning settings`
