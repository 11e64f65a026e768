import type { Reader, Tx } from '../../../database/connect.ts'
import { forbidden } from '../../../http/problem.ts'
import { enableIntegration, holdIntegration } from '../../integrations/integrations.ts'
import type { Shown } from '../../integrations/integrations.ts'
import { accountsOfSession } from '../../sessions/sessions.ts'
import type { Place } from '../../sessions/sessions.ts'
import { issueCode } from '../oauth.ts'
import { accountsThatEnabled } from '../queries.ts'

/** Where a person is signed in; the account that the address names, where it names one. */
export async function signedInAt(
  reader: Reader,
  token: string | undefined,
  subdomain: string | undefined,
  at: number,
): Promise<Place[]> {
  const places = token === undefined ? [] : await accountsOfSession(reader, token, at)
  return places.filter((place) => subdomain === undefined || place.subdomain === subdomain)
}

/**
 * Where of these places the person may let the integration in: administrators wherever it may be installed (its own account, or any
 * when it is public), others only where an administrator has done so.
 */
export async function grantable(
  reader: Reader,
  integration: Shown,
  places: Place[],
): Promise<Place[]> {
  const enabled = await reader.rows<{ account_id: number }>(
    accountsThatEnabled(
      places.map(({ account_id }) => account_id),
      integration.client_id,
    ),
  )
  const isEnabled = new Set(enabled.map(({ account_id }) => account_id))
  return places.filter(
    ({ account_id, is_admin }) =>
      isEnabled.has(account_id) ||
      (is_admin && (integration.is_public || integration.account_id === account_id)),
  )
}

/** Lets an integration into one of the places and answers a code for it; 403 problem where the person may not. */
export async function grantAccess(
  tx: Tx,
  integration: Shown,
  places: Place[],
  { accountId, at }: { accountId: number; at: number },
): Promise<{ code: string; place: Place }> {
  const place = (await grantable(tx, integration, places)).find(
    ({ account_id }) => account_id === accountId,
  )
  if (!place) throw forbidden('You may not let this integration into that account')
  const { user_id: userId, is_admin } = place
  const { client_id: clientId, scopes } = integration
  if (is_admin) await enableIntegration(tx, { accountId, userId, at }, clientId)
  await holdIntegration(tx, accountId, clientId)
  return { code: await issueCode(tx, { accountId, clientId, userId, scopes, at }), place }
}
