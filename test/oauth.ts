import { decodeJwt } from 'jose'
import type { Credentials } from '../server/features/programs/integrations/integrations.ts'
import type { TestAccount } from './account.ts'
import { client } from './client.ts'
import type { Answer } from './client.ts'

export interface Pair {
  access_token: string
  refresh_token: string
}

type Fields = Record<string, unknown>

/**
 * Sends a code, or other fields, to the token endpoint as the account's integration, or as another.
 */
export function exchange(
  account: TestAccount,
  fields: Fields,
  integration: Credentials = account.integration,
): Promise<Answer> {
  const grant = {
    grant_type: fields['refresh_token'] === undefined ? 'authorization_code' : 'refresh_token',
  }
  return client(account.kontor).post('/oauth2/access_token', {
    ...grant,
    ...integration,
    ...fields,
  })
}

/** A new pair of tokens. */
export async function newPair(
  account: TestAccount,
  integration = account.integration,
): Promise<Pair> {
  return pairIn(await exchange(account, { code: await account.code(integration) }, integration))
}

export function refresh(
  account: TestAccount,
  { refresh_token }: Pair,
  integration = account.integration,
): Promise<Answer> {
  return exchange(account, { refresh_token }, integration)
}

/** The pair of tokens in an answer. Throws if there is none. */
export function pairIn({ status, body }: Answer): Pair {
  if (status !== 200)
    throw new Error(`the token endpoint answered ${status}: ${JSON.stringify(body)}`)
  return body as Pair
}

/** The status of a read with this access token. */
export async function statusWith({ kontor }: TestAccount, { access_token }: Pair): Promise<number> {
  return (await client(kontor, access_token).get('/api/v4/account')).status
}

/** The permission that issued an access token. */
export function grantOf({ access_token }: Pair): number {
  return decodeJwt<{ grant_id: number }>(access_token).grant_id
}
