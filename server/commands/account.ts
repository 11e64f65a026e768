import { checkTimezone, createAccount, setAccount } from '../features/people/accounts/accounts.ts'
import type { Kontor } from '../kontor.ts'
import { filled } from './whom.ts'

export interface AccountSettings {
  name?: string
  timezone?: string
  unpaid?: boolean
  paid?: boolean
}

/** `kontor account create`: an account with its first pipeline and no users. */
export async function accountCreate(
  { database, now }: Kontor,
  subdomain: string,
  { name, timezone = 'UTC' }: AccountSettings,
) {
  const draft = { subdomain, name: filled('--name', name ?? subdomain), timezone }
  await checkTimezone(database, timezone)
  const id = await database.transaction((tx) => createAccount(tx, now(), draft))
  return { id, ...draft }
}

/** `kontor account set`: renames an account, marks it paid or unpaid, or changes its time zone. */
export async function accountSet(
  { database, now }: Kontor,
  subdomain: string,
  { name, timezone, unpaid, paid }: AccountSettings,
) {
  if (name === undefined && timezone === undefined && !unpaid && !paid)
    throw new Error('nothing to set; say --name, --timezone, --unpaid or --paid')
  if (name !== undefined) filled('--name', name)
  if (timezone !== undefined) await checkTimezone(database, timezone)
  const isUnpaid = unpaid ? true : paid ? false : undefined
  const found = await database.transaction((tx) =>
    setAccount(tx, now(), subdomain, { name, isUnpaid, timezone }),
  )
  if (!found) throw new Error(`there is no account "${subdomain}"`)
  return {
    subdomain,
    ...(name !== undefined && { name }),
    ...(timezone !== undefined && { timezone }),
    ...(isUnpaid !== undefined && { is_unpaid: isUnpaid }),
  }
}
