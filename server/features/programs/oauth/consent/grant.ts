import type { Reader, Tx } from '../../../../database/connect.ts'
import { forbidden } from '../../../../http/problem.ts'
import { enableIntegration, lockIntegration } from '../../integrations/integrations.ts'
import type { Shown } from '../../integrations/integrations.ts'
import { accountsOfSession } from '../../../people/sessions/sessions.ts'
import type { SignedInAccount } from '../../../people/sessions/sessions.ts'
import { issueCode } from '../oauth.ts'
import { accountsThatEnabled } from '../queries.ts'

/**
 * The accounts that a session is signed in to; only the one that the address names, if it names
 * one.
 */
export async function signedInAt(
  reader: Reader,
  token: string | undefined,
  subdomain: string | undefined,
  at: number,
): Promise<SignedInAccount[]> {
  const accounts = token === undefined ? [] : await accountsOfSession(reader, token, at)
  return accounts.filter((account) => subdomain === undefined || account.subdomain === subdomain)
}

/**
 * The accounts, of these, to which the user may grant access. An administrator may wherever the
 * integration can be installed: in its own account, or in any if it is public. Other users may
 * where an administrator has installed it.
 */
export async function grantable(
  reader: Reader,
  integration: Shown,
  accounts: SignedInAccount[],
): Promise<SignedInAccount[]> {
  const enabled = await reader.rows<{ account_id: number }>(
    accountsThatEnabled(
      accounts.map(({ account_id }) => account_id),
      integration.client_id,
    ),
  )
  const isEnabled = new Set(enabled.map(({ account_id }) => account_id))
  return accounts.filter(
    ({ account_id, is_admin }) =>
      isEnabled.has(account_id) ||
      (is_admin && (integration.is_public || integration.account_id === account_id)),
  )
}

/**
 * Grants an integration access to one of these accounts and answers a code for it. Throws a 403
 * problem if the user may not.
 */
export async function grantAccess(
  tx: Tx,
  integration: Shown,
  accounts: SignedInAccount[],
  { accountId, at }: { accountId: number; at: number },
): Promise<{ code: string; account: SignedInAccount }> {
  const account = (await grantable(tx, integration, accounts)).find(
    ({ account_id }) => account_id === accountId,
  )
  if (!account) throw forbidden('You may not let this integration into that account')
  const { user_id: userId, is_admin } = account
  const { client_id: clientId, manages_people, scopes } = integration
  // The window has shown that it asks to manage people and roles.
  const settings = manages_people ? { manages_people } : {}
  if (is_admin) await enableIntegration(tx, { accountId, userId, at }, clientId, settings)
  await lockIntegration(tx, accountId, clientId)
  return { code: await issueCode(tx, { accountId, clientId, userId, scopes, at }), account }
}
