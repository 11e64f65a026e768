import sql from 'sql-template-tag'
import type { Actor } from '../../../../access/actor.ts'
import type { SettingsOfAccount } from './schema.ts'

export interface SettingsRow extends Omit<SettingsOfAccount, 'bin_days' | 'event_days'> {
  subdomain: string
}

export const accountSettings = (actor: Actor) => sql`
  select subdomain, name, currency, currency_symbol, timezone, language, week_starts_on, is_task_result_required,
         chat_warn_minutes, chat_late_minutes, working_hours, logo, updated_by
    from accounts where id = ${actor.accountId}`

export const updateSettings = (actor: Actor, row: SettingsRow) => sql`
  update accounts
     set currency = ${row.currency}, currency_symbol = ${row.currency_symbol}, language = ${row.language},
         week_starts_on = ${row.week_starts_on}, is_task_result_required = ${row.is_task_result_required},
         chat_warn_minutes = ${row.chat_warn_minutes}, chat_late_minutes = ${row.chat_late_minutes},
         working_hours = ${JSON.stringify(row.working_hours)}::jsonb, updated_by = ${actor.userId},
         updated_at = greatest(${actor.at}::bigint, created_at)
   where id = ${actor.accountId}`
