import { createAccount, setAccount } from '../features/accounts/accounts.ts'
import type { Kontor } from '../kontor.ts'
import { filled } from './whom.ts'

export interface AccountSettings {
  name?: string
  unpaid?: boolean
  paid?: boolean
}

/** `kontor account create`: an account with its first pipeline and no users. */
export async function accountCreate(
  { database, now }: Kontor,
  subdomain: string,
  { name }: AccountSettings,
) {
  const draft = { subdomain, name: filled('--name', name ?? subdomain) }
  const id = await database.transaction((tx) => createAccount(tx, now(), draft))
  return { id, ...draft }
}

/** `kontor account set`: renames an account, or marks it paid or unpaid. */
export async function accountSet(
  { database, now }: Kontor,
  subdomain: string,
  { name, unpaid, paid }: AccountSettings,
) {
  if (name === undefined && !unpaid && !paid)
    throw new Error('nothing to set; say --name, --unpaid or --paid')
  if (name !== undefined) filled('--name', name)
  const isUnpaid = unpaid ? true : paid ? false : undefined
  const found = await database.transaction((tx) =>
    setAccount(tx, now(), subdomain, { name, isUnpaid }),
  )
  if (!found) throw new Error(`there is no account "${subdomain}"`)
  return {
    subdomain,
    ...(name !== undefined && { name }),
    ...(isUnpaid !== undefined && { is_unpaid: isUnpaid }),
  }
}
