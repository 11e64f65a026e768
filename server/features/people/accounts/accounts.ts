import sql from 'sql-template-tag'
import type { Reader, Tx } from '../../../database/connect.ts'
import { forgetAccess } from '../../../access/remembered.ts'
import type { Actor } from '../../../access/actor.ts'
import { serverItself } from '../../../access/user-access.ts'
import { recordTypes } from '../../../records/description.ts'
import { fieldsChanged, fieldsOf } from '../../../records/fields/definitions.ts'
import { withWrittenDays } from '../../../records/fields/filter.ts'
import { createPipeline, firstPipeline } from '../../definitions/pipelines/pipelines.ts'
import type { PipelineDraft } from '../../definitions/pipelines/pipelines.ts'
import { refreshCustomersLater } from '../../definitions/segment-refresh/segment-refresh.ts'
import { listTaskTypes } from '../../definitions/task-types/task-types.ts'
import { rewriteSearches } from '../views/views.ts'
import {
  accountOf,
  anyAccount,
  giveFirstCustomerStatuses,
  giveFirstFields,
  groupsOfAccount,
  insertAccount,
  insertFirstGroup,
  isZoneOfDatabase,
  lockBySubdomain,
  namesOfAccounts,
  setName,
  setPaid,
  setTimezone,
} from './queries.ts'
import type { AccountRow } from './queries.ts'
import type { Account, AccountGroup, accountWith } from './schema.ts'
import { entityNames } from './words.ts'

export { accountSummary, endOfDay } from './queries.ts'

/** The channel on which browsers hear that an account has another time zone: its id. */
export const accountsChannel = 'kontor_accounts'

/** The version of the account structure, shown with `with=version`. */
const structureVersion = 1

/** The values that a new account is given. */
export interface AccountDraft {
  subdomain: string
  name: string
  /** By default English, UTC, US dollars, and the usual names. */
  language?: string
  timezone?: string
  /** A code of ISO 4217. */
  currency?: string
  /** The name of the group that every account has. */
  group?: string
  pipeline?: PipelineDraft
}

/**
 * Opens an account with its first pipeline, custom fields and statuses of customers; answers its
 * id. `subdomain` takes letters, digits and hyphens and is unique on the server (taken: 400 problem). Throws a one-line
 * Error for a text that is no subdomain.
 */
export async function createAccount(tx: Tx, at: number, draft: AccountDraft): Promise<number> {
  const { currency = 'USD', group = 'Sales department', pipeline = firstPipeline } = draft
  if (!/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(draft.subdomain))
    throw new Error(
      `"${draft.subdomain}" is no subdomain: 1 to 63 small letters, digits and hyphens, like "sales-north"`,
    )
  const preset = { language: 'en', timezone: 'UTC', currency, currency_symbol: symbolOf(currency) }
  const { id } = (await tx.row<{ id: number }>(insertAccount({ ...preset, ...draft, at })))!
  await tx.rows(insertFirstGroup(id, group))
  await createPipeline(tx, id, pipeline)
  await tx.rows(giveFirstFields(id))
  await tx.rows(giveFirstCustomerStatuses(id))
  return id
}

/** The sign of a currency, such as €; its code where it has none. */
export function symbolOf(currency: string): string {
  const format = { style: 'currency', currency, currencyDisplay: 'narrowSymbol' } as const
  const parts = new Intl.NumberFormat('en', format).formatToParts(0)
  return parts.find(({ type }) => type === 'currency')!.value
}

/** The settings of an account that a command changes. */
interface AccountChange {
  name?: string | undefined
  isUnpaid?: boolean | undefined
  /** A name that `checkTimezone` has let pass. */
  timezone?: string | undefined
}

/**
 * Renames an account, marks it paid or unpaid, or moves it to another time zone; answers whether the
 * subdomain has an account.
 */
export async function setAccount(
  tx: Tx,
  at: number,
  subdomain: string,
  { name, isUnpaid, timezone }: AccountChange,
): Promise<boolean> {
  const found = [
    timezone === undefined ? undefined : await moveTo(tx, at, subdomain, timezone),
    name === undefined ? undefined : await tx.row(setName(subdomain, name, at)),
    isUnpaid === undefined ? undefined : await tx.row(setPaid(subdomain, isUnpaid, at)),
  ]
  await forgetAccess(tx)
  return found.some(Boolean)
}

/**
 * Changes the time zone of an account (decision 91). Stored days stay as they are: only the filters
 * that name them by moments of the old zone are rewritten. Customers stand in statuses and segments
 * by the days of the new zone, and browsers show all they have anew.
 */
async function moveTo(tx: Tx, at: number, subdomain: string, timezone: string): Promise<boolean> {
  const account = await tx.row<{ id: number; timezone: string }>(lockBySubdomain(subdomain))
  if (!account || account.timezone === timezone) return account !== undefined
  const { id } = account
  const fieldsOfViews = await Promise.all(recordTypes.map((type) => fieldsOf(tx, id, type)))
  await rewriteSearches(tx, id, (search) =>
    fieldsOfViews.reduce((text, fields) => withWrittenDays(fields, text), search),
  )
  await tx.rows(setTimezone(id, timezone, at))
  await fieldsChanged(tx, id)
  await refreshCustomersLater(tx, serverItself(id, at))
  await tx.rows(sql`select pg_notify(${accountsChannel}, ${String(id)})`)
  return true
}

/** Throws a one-line Error for a name that JavaScript or PostgreSQL does not know as a time zone. */
export async function checkTimezone(reader: Reader, name: string): Promise<void> {
  if (isTimezone(name) && (await reader.row(isZoneOfDatabase(name)))) return
  throw new Error(`"${name}" is no time zone: take an IANA name like "Europe/Berlin"`)
}

/** The time zone that this process runs in; UTC where PostgreSQL does not know it. */
export async function zoneOfServer(reader: Reader): Promise<string> {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions()
  return (await reader.row(isZoneOfDatabase(timeZone))) ? timeZone : 'UTC'
}

export function isTimezone(name: string): boolean {
  // PostgreSQL reads offsets such as +02 the other way round.
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: name }).format()
    return true
  } catch {
    return false
  }
}

/** Whether the server has no account yet. */
export async function isSetupNeeded(reader: Reader): Promise<boolean> {
  return (await reader.row(anyAccount)) === undefined
}

/**
 * The name of the account that an address names, or of the server's only account. Undefined where
 * the address could mean several.
 */
export async function accountNameAt(
  reader: Reader,
  subdomain: string | undefined,
): Promise<string | undefined> {
  const named = await reader.rows<{ name: string }>(namesOfAccounts(subdomain))
  return named.length === 1 ? named[0]!.name : undefined
}

/** The account, with the data that `with` asks for. */
export async function readAccount(
  reader: Reader,
  actor: Actor,
  base: string,
  names: ReturnType<typeof accountWith.wanted>,
): Promise<Account> {
  const row = (await reader.row<AccountRow>(accountOf(actor)))!
  const { uuid, amojo_id, timezone, ...account } = row
  const _embedded = {
    ...(names.has('amojo_rights') && {
      amojo_rights: { can_direct: true, can_create_groups: true },
    }),
    ...(names.has('users_groups') && {
      users_groups: await reader.rows<AccountGroup>(groupsOfAccount(actor)),
    }),
    ...(names.has('task_types') && {
      task_types: await listTaskTypes(reader, actor),
    }),
    ...(names.has('datetime_settings') && {
      datetime_settings: datetimeSettings(timezone, actor.at),
    }),
  }
  return {
    ...account,
    current_user_id: actor.userId,
    mobile_feature_version: 0,
    is_helpbot_enabled: false,
    is_technical_account: false,
    ...(names.has('amojo_id') && { amojo_id }),
    ...(names.has('uuid') && { uuid }),
    ...(names.has('version') && { version: structureVersion }),
    ...(names.has('drive_url') && { drive_url: base }),
    ...(names.has('is_api_filter_enabled') && { is_api_filter_enabled: true }),
    ...(names.has('entity_names') && { entity_names: entityNames }),
    ...(names.has('invoices_settings') && {
      invoices_settings: { lang: null, invoices_catalog_id: null },
    }),
    _links: { self: { href: `${base}/api/v4/account` } },
    ...(Object.keys(_embedded).length > 0 && { _embedded }),
  }
}

function datetimeSettings(timezone: string, at: number) {
  const offset = new Intl.DateTimeFormat('en', { timeZone: timezone, timeZoneName: 'longOffset' })
    .formatToParts(new Date(at * 1000))
    .find(({ type }) => type === 'timeZoneName')!.value
  return {
    date_pattern: 'd.m.Y H:i',
    short_date_pattern: 'd.m.Y',
    short_time_pattern: 'H:i',
    date_format: 'd.m.Y',
    time_format: 'H:i:s',
    timezone,
    timezone_offset: offset.replace('GMT', '') || '+00:00',
  }
}
