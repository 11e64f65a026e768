// The settings of the account, each changed by itself. A change says which value it replaces, so that the server can
// refuse it where another administrator was faster.
import { queryOptions } from '@tanstack/react-query'
import type {
  SettingsOfAccount,
  AccountSettingsChange,
  Weekday,
  WorkingSpan,
} from '../../../server/features/people/accounts/settings/schema.ts'
import { ask } from '../../data/api.ts'

export type { SettingsOfAccount, Weekday }

const path = '/web/v1/account-settings'
const logoPath = '/web/v1/account-logo'

export const accountSettingsQuery = queryOptions({
  queryKey: ['account-settings'],
  queryFn: ({ signal }) => ask<SettingsOfAccount>(path, { signal }),
})

/** The days of the week by the number that JavaScript gives them. */
export const dayNumbers: Record<Weekday, number> = {
  sunday: 0,
  monday: 1,
  tuesday: 2,
  wednesday: 3,
  thursday: 4,
  friday: 5,
  saturday: 6,
}
export const weekdayNames = Object.keys(dayNumbers) as Weekday[]

/** A span while it is typed: null where the time is missing. */
export type TypedSpan = { [End in keyof WorkingSpan]: number | null }

/** The settings that can be changed; each day of the working hours is one. */
export interface AccountValues
  extends
    Pick<
      SettingsOfAccount,
      | 'name'
      | 'currency'
      | 'timezone'
      | 'language'
      | 'week_starts_on'
      | 'is_task_result_required'
      | 'chat_warn_minutes'
      | 'chat_late_minutes'
    >,
    Record<Weekday, TypedSpan[]> {}

export type AccountValueName = keyof AccountValues

export const valuesOfAccount = ({
  working_hours,
  ...settings
}: SettingsOfAccount): AccountValues => ({
  ...settings,
  ...working_hours,
})

const isDay = (name: string): name is Weekday => Object.hasOwn(dayNumbers, name)

/** The values as the body of a change has them. */
function membersOf(values: Partial<AccountValues>): NonNullable<AccountSettingsChange['before']> {
  const entries = Object.entries(values)
  const days = entries.filter(([name]) => isDay(name))
  return {
    ...Object.fromEntries(entries.filter(([name]) => !isDay(name))),
    ...(days.length > 0 && { working_hours: Object.fromEntries(days) }),
  }
}

/** Changes settings that have the values `before`. Throws a Problem 409 where one has another one by now. */
export const sendAccountChange = (
  change: Partial<AccountValues>,
  before: Partial<AccountValues>,
): Promise<SettingsOfAccount> =>
  ask(path, { method: 'PATCH', body: { ...membersOf(change), before: membersOf(before) } })

/** The address of the logo of the account; the version makes it another one after a change. */
export const logoAddress = (version: string): string => `${logoPath}?v=${version}`

/** Gives the account another logo, a data URL, or none. `before`: the version that the page showed. */
export const changeAccountLogo = (
  content: string | null,
  before: string | null,
): Promise<unknown> =>
  content === null
    ? ask(`${logoPath}${before === null ? '' : `?before=${before}`}`, { method: 'DELETE' })
    : ask(logoPath, { method: 'PUT', body: { content, before } })
