// The settings of the account, which administrators change on the pages. Two of them never overwrite each other
// silently: a change names the values that its page showed (docs/decisions/0104-account-settings.md).
import { isDeepStrictEqual } from 'node:util'
import { lockAccount } from '../../../../access/account.ts'
import type { Actor } from '../../../../access/actor.ts'
import type { Config } from '../../../../config.ts'
import type { Reader, Tx } from '../../../../database/connect.ts'
import { faultAt, invalidFor, invalidValue, Problem } from '../../../../http/problem.ts'
import { currencyCodes } from '../../../definitions/currencies/currencies.ts'
import { checkTimezone, setAccount, symbolOf } from '../accounts.ts'
import { accountSettings, updateSettings } from './queries.ts'
import type { SettingsRow } from './queries.ts'
import { weekdays } from './schema.ts'
import type { SettingsOfAccount, AccountSettingsChange, WorkingHours } from './schema.ts'

type Retention = Pick<Config, 'binDays' | 'eventDays'>

/** The settings of the account; `config` says how long the server keeps things. */
export async function readAccountSettings(
  reader: Reader,
  actor: Actor,
  { binDays, eventDays }: Retention,
): Promise<SettingsOfAccount> {
  const { subdomain: _, ...settings } = await readRow(reader, actor)
  return { ...settings, bin_days: binDays, event_days: eventDays }
}

/**
 * Changes what is sent and answers all settings. Throws 409 where a member has another value than `before` says, and a
 * 400 problem for an unknown currency or time zone, for spans of working time that overlap, and for a late chat that is
 * not after its warning.
 */
export async function changeAccountSettings(
  tx: Tx,
  actor: Actor,
  { before, ...change }: AccountSettingsChange,
  config: Retention,
): Promise<SettingsOfAccount> {
  await tx.rows(lockAccount(actor))
  const row = await readRow(tx, actor)
  if (before && isOvertaken(row, before))
    throw changedMeanwhile('Somebody has changed this meanwhile')
  const next: SettingsRow = {
    ...row,
    ...change,
    name: change.name?.trim() ?? row.name,
    working_hours: { ...row.working_hours, ...change.working_hours },
  }
  await check(tx, row, next)
  next.currency_symbol =
    next.currency === row.currency ? row.currency_symbol : symbolOf(next.currency)
  await setAccount(tx, actor.at, row.subdomain, {
    ...(next.name !== row.name && { name: next.name }),
    ...(next.timezone !== row.timezone && { timezone: next.timezone }),
  })
  if (!isDeepStrictEqual(next, row)) await tx.rows(updateSettings(actor, next))
  return readAccountSettings(tx, actor, config)
}

/** 409, which the page answers by a question. */
export function changedMeanwhile(detail: string): Problem {
  const code = 'Changed'
  return new Problem(409, detail, { extra: { code } })
}

async function readRow(reader: Reader, actor: Actor): Promise<SettingsRow> {
  const row = (await reader.row<SettingsRow>(accountSettings(actor)))!
  const hours = row.working_hours as Partial<WorkingHours>
  const filled = weekdays.map((day) => [day, hours[day] ?? []])
  return { ...row, working_hours: Object.fromEntries(filled) as WorkingHours }
}

/** Whether a value is another one than the page of the caller showed. */
function isOvertaken(
  row: SettingsRow,
  { working_hours = {}, ...before }: NonNullable<AccountSettingsChange['before']>,
): boolean {
  const differs = (now: object, shown: object) =>
    Object.entries(shown).some(
      ([name, value]) => !isDeepStrictEqual(now[name as keyof typeof now], value),
    )
  return differs(row, before) || differs(row.working_hours, working_hours)
}

async function check(reader: Reader, row: SettingsRow, next: SettingsRow): Promise<void> {
  const { currency, timezone, chat_warn_minutes: warn, chat_late_minutes: late } = next
  if (currency !== row.currency && !currencyCodes.includes(currency))
    throw invalidValue('NotSupportedChoice', 'currency', 'There is no such currency.')
  if (timezone !== row.timezone)
    await checkTimezone(reader, timezone).catch((error: Error) => {
      throw invalidValue('NotSupportedChoice', 'timezone', `${error.message}.`)
    })
  if (warn !== null && late !== null && warn >= late) {
    const detail = 'A chat is late after its warning: this should be more minutes.'
    throw invalidFor(faultAt('chat_late_minutes', 'TooLow', detail, warn + 1))
  }
  for (const day of weekdays)
    if (!isInOrder(next.working_hours[day]))
      throw invalidValue(
        'InvalidValue',
        `working_hours.${day}`,
        'The spans of a day should follow each other and not overlap.',
      )
}

/** Whether each span ends after it begins, and does not begin before the one before has ended. */
const isInOrder = (spans: WorkingHours[keyof WorkingHours]): boolean =>
  spans.every(({ from, to }, index) => from < to && from >= (spans[index - 1]?.to ?? 0))
