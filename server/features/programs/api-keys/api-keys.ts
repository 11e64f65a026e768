// The API keys of users, for older programs that send `login` and `api_key` to the version-2
// methods (access/api-keys.ts). A key is shown when it is made; the database has its hash. Like
// tokens and secrets, keys stand in no journal and no event log: neither may tell programs of them.
import type { Actor } from '../../../access/actor.ts'
import { newApiKey } from '../../../access/api-keys.ts'
import { forgetAccess } from '../../../access/remembered.ts'
import type { Reader, Tx } from '../../../database/connect.ts'
import type { PagePosition } from '../../../http/paging.ts'
import { notFound, Problem, unauthorized } from '../../../http/problem.ts'
import { hash } from '../../../secrets.ts'
import * as queries from './queries.ts'
import type { ApiKeyRow } from './queries.ts'

export type { ApiKeyRow } from './queries.ts'

/** Keys of one user at most. */
const most = 20

type Account = Pick<Actor, 'accountId'>

/** A page of the keys of the account; with a user, only the keys of that user. */
export function listApiKeys(
  reader: Reader,
  actor: Account,
  seek: PagePosition,
  userId?: number,
): Promise<ApiKeyRow[]> {
  return reader.rows<ApiKeyRow>(queries.apiKeyPage(actor, userId, seek))
}

/** Makes a key for a user, and answers it with the key itself. The 21st key: 422. */
export async function createApiKey(
  tx: Tx,
  actor: Pick<Actor, 'accountId' | 'at'>,
  userId: number,
  draft: { name: string },
): Promise<ApiKeyRow & { api_key: string }> {
  const user = await tx.row<{ login: string }>(queries.lockUser(actor, userId))
  // The user was deactivated after the request was let in.
  if (!user) throw unauthorized()
  const { total } = (await tx.row<{ total: number }>(queries.countApiKeys(actor, userId)))!
  if (total >= most) throw new Problem(422, `A user has at most ${most} API keys`)
  const api_key = newApiKey(actor.accountId)
  const row = { user_id: userId, name: draft.name.trim(), hash: hash(api_key) }
  const { id } = (await tx.row<{ id: number }>(queries.insertApiKey(actor, row)))!
  const { user_id, name } = row
  const { login } = user
  return { id, name, user_id, login, created_at: actor.at, last_used_at: null, api_key }
}

/**
 * Deletes a key of the account; with a user, only a key of that user. No process lets it in any
 * more. Unknown: 404.
 */
export async function deleteApiKey(
  tx: Tx,
  actor: Account,
  id: number,
  userId?: number,
): Promise<void> {
  if (!(await tx.row(queries.removeApiKey(actor, id, userId)))) throw notFound()
  await forgetAccess(tx)
}
