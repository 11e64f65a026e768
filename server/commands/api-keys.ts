import { createApiKey, deleteApiKey, listApiKeys } from '../features/programs/api-keys/api-keys.ts'
import { notFound } from '../http/problem.ts'
import type { Kontor } from '../kontor.ts'
import type { NamedUserSettings } from './people.ts'
import { filled, findAccount, findUser } from './whom.ts'

/** `kontor api-key create`: a key for a user, shown this once. */
export async function apiKeyCreate(
  { database, now }: Kontor,
  {
    account: subdomain,
    user: email,
    name = 'kontor api-key create',
  }: NamedUserSettings & {
    name?: string
  },
) {
  const account = await findAccount(database, subdomain)
  const user = await findUser(database, account.id, email)
  const actor = { accountId: account.id, at: now() }
  const draft = { name: filled('--name', name) }
  const made = await database.transaction((tx) => createApiKey(tx, actor, user.id, draft))
  const { id, login, api_key } = made
  return { id, account: account.subdomain, name: made.name, login, api_key }
}

/** `kontor api-key list`: the keys of all users of the account, or of one. */
export async function apiKeyList(
  { database }: Kontor,
  { account: subdomain, user: email }: NamedUserSettings,
) {
  const { id: accountId } = await findAccount(database, subdomain)
  const user = email === undefined ? undefined : await findUser(database, accountId, email)
  const seek = { after: undefined, offset: 0, limit: 10_000 }
  const keys = await listApiKeys(database, { accountId }, seek, user?.id)
  return keys.map(({ id, login, name, created_at, last_used_at }) => ({
    id,
    login,
    name,
    created_at,
    last_used_at,
  }))
}

/** `kontor api-key delete`: ends a key of the account. */
export async function apiKeyDelete(
  { database }: Kontor,
  id: string,
  { account: subdomain }: NamedUserSettings,
) {
  const { id: accountId } = await findAccount(database, subdomain)
  if (!/^[1-9]\d{0,14}$/.test(id))
    throw notFound(`"${id}" is no API key; "kontor api-key list" shows their ids`)
  await database.transaction((tx) => deleteApiKey(tx, { accountId }, Number(id)))
  return { id: Number(id), is_deleted: true }
}
