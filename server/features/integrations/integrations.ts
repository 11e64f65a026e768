import sql from 'sql-template-tag'
import type { Reader, Tx } from '../../database/connect.ts'
import { randomText } from '../../secrets.ts'
import type { Secrets } from '../../secrets.ts'

export interface NewIntegration {
  name: string
  redirect_uri: string
  description?: string
  scopes?: string[]
  /** What empty lists answer to it; undefined: as the server is set. */
  empty_list?: 200 | 204 | undefined
  /** A repeat of a refresh within a minute gets a new pair (decision: refresh token). */
  forgiving_refresh?: boolean | undefined
}

/** What an integration needs to know of itself; the secret in clear text. */
export interface Credentials {
  client_id: string
  client_secret: string
  redirect_uri: string
}

/** Makes an integration of an account and installs it there. Throws an Error in one line for a redirect URI that is no address. */
export async function createIntegration(
  tx: Tx,
  secrets: Secrets,
  { accountId, userId, at }: { accountId: number; userId: number; at: number },
  draft: NewIntegration,
): Promise<Credentials> {
  if (!/^https?:\/\//.test(draft.redirect_uri) || !URL.canParse(draft.redirect_uri))
    throw new Error(`"${draft.redirect_uri}" is no redirect URI: a whole address like https://example.com/oauth`)
  const client_secret = randomText(64)
  const made = await tx.row<{ client_id: string }>(sql`
    insert into integrations (account_id, name, description, redirect_uri, secret, scopes, empty_list, forgiving_refresh,
                              created_by, created_at, updated_at)
    values (${accountId}, ${draft.name}, ${draft.description ?? ''}, ${draft.redirect_uri}, ${secrets.encrypt(client_secret)},
            ${draft.scopes ?? ['crm', 'notifications']}, ${draft.empty_list ?? null}, ${draft.forgiving_refresh ?? false},
            ${userId}, ${at}, ${at})
    returning client_id`)
  const { client_id } = made!
  await tx.rows(sql`
    insert into installations (account_id, client_id, created_by, created_at)
    values (${accountId}, ${client_id}, ${userId}, ${at})`)
  return { client_id, client_secret, redirect_uri: draft.redirect_uri }
}

export interface Integration {
  account_id: number
  client_id: string
  redirect_uri: string
  secret: Buffer
  scopes: string[]
  forgiving_refresh: boolean
}

/** An integration by its id, which must be a UUID, whatever account made it. */
export function findIntegration(reader: Reader, client_id: string): Promise<Integration | undefined> {
  return reader.row<Integration>(sql`
    select account_id, client_id, redirect_uri, secret, scopes, forgiving_refresh from integrations where client_id = ${client_id}`)
}

/** The oldest integration of an account, with its secret; undefined when it has none. */
export async function firstIntegration(reader: Reader, secrets: Secrets, accountId: number): Promise<Credentials | undefined> {
  const found = await reader.row<Integration>(sql`
    select account_id, client_id, redirect_uri, secret, scopes, forgiving_refresh from integrations
     where account_id = ${accountId} order by created_at, client_id limit 1`)
  if (!found) return undefined
  const { client_id, redirect_uri, secret } = found
  return { client_id, client_secret: secrets.decrypt(secret), redirect_uri }
}
