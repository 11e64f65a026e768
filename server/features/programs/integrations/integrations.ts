// Integrations. An integration belongs to the account that created it; an installation admits it to
// an account. Ending an installation is final: it revokes all codes and grants, removes its
// webhooks and disconnects its channels, so a new installation does not bring them back.
import type { Reader, Tx } from '../../../database/connect.ts'
import { keptOfIntegration } from '../../../access/call-log.ts'
import { forgetAccess } from '../../../access/remembered.ts'
import { mostFaults } from '../../../http/faults.ts'
import { badRequest, forbidden, invalidFor, notFound } from '../../../http/problem.ts'
import type { Fault } from '../../../http/problem.ts'
import { isUuid } from '../../../http/types.ts'
import { randomText } from '../../../secrets.ts'
import type { Secrets } from '../../../secrets.ts'
import { stored } from './drafts.ts'
import type { HookNotice } from './hook.ts'
import * as queries from './queries.ts'
import type { Integration, SeenIntegration, ShownIntegration, IntegrationOwner } from './queries.ts'
import type {
  ChangedIntegration,
  Grant,
  Installation,
  IntegrationCall,
  ListedIntegration,
  NewIntegration,
} from './schema.ts'

export { readScopes } from './drafts.ts'
export { callUninstallHooks } from './hook.ts'
export type { Integration, ShownIntegration as Shown } from './queries.ts'
export type { NewIntegration } from './schema.ts'

/** At most this many integrations of one account. */
const most = 250

/** The credentials of an integration; the secret is in clear text. */
export interface Credentials {
  client_id: string
  client_secret: string
  redirect_uri: string
}

/** Creates an integration of an account and installs it there. */
export async function createIntegration(
  tx: Tx,
  secrets: Secrets,
  owner: IntegrationOwner,
  draft: NewIntegration,
): Promise<Credentials> {
  const client_secret = randomText(64)
  const row = stored(
    { ...draft, scopes: draft.scopes ?? ['crm', 'notifications'] },
    draft.is_public ?? false,
  )
  const made = await tx.row<{ client_id: string }>(
    queries.insertIntegration(owner, row, secrets.encrypt(client_secret), most),
  )
  if (!made) throw badRequest(`An account has at most ${most} integrations`)
  await tx.rows(queries.install(owner, made.client_id, draft.manages_people ?? false))
  await forgetAccess(tx)
  return { client_id: made.client_id, client_secret, redirect_uri: draft.redirect_uri }
}

/** Changes an integration of the account. Existing grants keep their scopes. */
export async function changeIntegration(
  tx: Tx,
  owner: IntegrationOwner,
  client_id: string,
  change: ChangedIntegration,
): Promise<void> {
  const { redirect_uri, is_public } = await ownIntegration(tx, owner, client_id)
  // A redirect address that a private integration may have may be refused for a public one.
  const row = stored({ redirect_uri, ...change }, change.is_public ?? is_public)
  await tx.list(queries.updateIntegration(owner, client_id, row))
  // In its own account the same people decide both; another account decides for itself.
  if (change.manages_people !== undefined)
    await tx.rows(queries.updateManagingPeople(owner, client_id, change.manages_people))
  await forgetAccess(tx)
}

/** Gives an integration of the account a new secret; the old one is invalid at once. */
export async function rotateSecret(
  tx: Tx,
  secrets: Secrets,
  owner: IntegrationOwner,
  client_id: string,
): Promise<Credentials> {
  const { redirect_uri } = await ownIntegration(tx, owner, client_id)
  const client_secret = randomText(64)
  await tx.rows(queries.updateSecret(owner, client_id, secrets.encrypt(client_secret)))
  return { client_id, client_secret, redirect_uri }
}

/**
 * Deletes an integration of the account and ends all its installations; answers the hooks to call.
 */
export async function deleteIntegration(
  tx: Tx,
  secrets: Secrets,
  owner: IntegrationOwner,
  client_id: string,
): Promise<HookNotice[]> {
  const integration = await ownIntegration(tx, owner, client_id)
  const ended = await end(tx, integration, undefined, owner.at)
  await tx.rows(queries.removeIntegration(owner, client_id))
  return noticesOf(secrets, integration, ended)
}

/**
 * Installs an own or a public integration in the account, with the settings of the account. It manages
 * people and roles only where that is said.
 */
export async function enableIntegration(
  tx: Tx,
  owner: IntegrationOwner,
  client_id: string,
  settings: Installation = {},
): Promise<void> {
  if (!(await seeIntegration(tx, owner, client_id))) throw notFound()
  // Pipelines are locked before the installation, in the same order as in the deletion of a
  // pipeline.
  await tx.rows(queries.keepPipelines(owner, settings.duplicate_pipelines ?? []))
  await tx.rows(queries.install(owner, client_id, false))
  if (settings.manages_people !== undefined)
    await tx.rows(queries.updateManagingPeople(owner, client_id, settings.manages_people))
  await forgetAccess(tx)
  if (settings.duplicate_pipelines)
    await setDuplicatePipelines(tx, owner, client_id, settings.duplicate_pipelines)
}

/**
 * Lets an integration manage people and roles in the account, or lets it no more. Not enabled: 403.
 */
export async function letManagePeople(
  tx: Tx,
  owner: IntegrationOwner,
  client_id: string,
  manages_people: boolean,
): Promise<void> {
  const seen = await seeIntegration(tx, owner, client_id)
  if (!seen) throw notFound()
  if (seen.is_own) return changeIntegration(tx, owner, client_id, { manages_people })
  if (!(await tx.row(queries.updateManagingPeople(owner, client_id, manages_people))))
    throw notEnabled()
  await forgetAccess(tx)
}

/**
 * Sets the pipelines in which the integration's complex creation looks for duplicates; none: it
 * does not look. Unknown pipeline: 400. Not installed: 403.
 */
export async function setDuplicatePipelines(
  tx: Tx,
  owner: IntegrationOwner,
  client_id: string,
  ids: number[],
): Promise<void> {
  const known = new Set(
    (await tx.rows<{ id: number }>(queries.keepPipelines(owner, ids))).map(({ id }) => id),
  )
  const errors = ids.flatMap((id, index): Fault[] => {
    const detail = `There is no pipeline ${id}.`
    return known.has(id)
      ? []
      : [{ code: 'NotSupportedChoice', path: `duplicate_pipelines.${index}`, detail }]
  })
  if (errors.length > 0) throw invalidFor(...errors.slice(0, mostFaults))
  if (await tx.row(queries.updateDuplicatePipelines(owner, client_id, [...new Set(ids)]))) return
  if (!(await seeIntegration(tx, owner, client_id))) throw notFound()
  throw notEnabled()
}

/**
 * Ends an integration in the account with all its tokens, on every process at once; answers the
 * hooks to call.
 */
export async function disableIntegration(
  tx: Tx,
  secrets: Secrets,
  owner: IntegrationOwner,
  client_id: string,
): Promise<HookNotice[]> {
  const integration = await findIntegration(tx, client_id)
  if (!integration || !(await seeIntegration(tx, owner, client_id))) throw notFound()
  return noticesOf(secrets, integration, await end(tx, integration, owner.accountId, owner.at))
}

/** Revokes one grant with all its tokens. */
export async function revokeGrant(
  tx: Tx,
  owner: IntegrationOwner,
  client_id: string,
  id: number,
): Promise<void> {
  if (!(await tx.row(queries.endGrant(owner, client_id, id)))) throw notFound()
  await forgetAccess(tx)
}

/** The grants in force, newest first, 250 at most. */
export function listGrants(
  reader: Reader,
  owner: Pick<IntegrationOwner, 'accountId' | 'at'>,
  client_id: string,
): Promise<Grant[]> {
  return reader.rows<Grant>(queries.grantsOf(owner, client_id, { limit: most }))
}

/**
 * The scopes of an installed integration, whose installation is locked until the transaction ends.
 * Not installed: a 403 problem.
 */
export async function lockIntegration(
  tx: Tx,
  accountId: number,
  client_id: string,
): Promise<Integration> {
  const installation = await tx.row(queries.lockInstallation(accountId, client_id))
  const integration = installation && (await findIntegration(tx, client_id))
  if (integration) return integration
  if (!(await seeIntegration(tx, { accountId, at: 0 }, client_id))) throw notFound()
  throw notEnabled()
}

/** Whether the integration is enabled in the account, which stays so until the transaction ends. */
export async function keepInstallation(
  tx: Tx,
  accountId: number,
  client_id: string,
): Promise<boolean> {
  return (await tx.row(queries.lockInstallation(accountId, client_id))) !== undefined
}

const notEnabled = () => forbidden('The integration is not enabled in this account')

/** An integration of any account by its id, which must be a UUID. */
export function findIntegration(
  reader: Reader,
  client_id: string,
): Promise<Integration | undefined> {
  return reader.row<Integration>(queries.integrationById(client_id))
}

/** An integration as the window shows it; `client_id` may be any text. */
export async function showIntegration(
  reader: Reader,
  client_id: string,
): Promise<ShownIntegration | undefined> {
  return isUuid(client_id)
    ? reader.row<ShownIntegration>(queries.integrationShown(client_id))
    : undefined
}

/** The oldest integration of an account, with its secret; undefined if it has none. */
export async function firstIntegration(
  reader: Reader,
  secrets: Secrets,
  accountId: number,
): Promise<Credentials | undefined> {
  const found = await reader.row<Integration>(queries.firstIntegrationOf(accountId))
  if (!found) return undefined
  const { client_id, redirect_uri, secret } = found
  return { client_id, client_secret: secrets.decrypt(secret), redirect_uri }
}

/** The integrations that an account created or installed, oldest first. */
export function listIntegrations(
  reader: Reader,
  owner: Pick<IntegrationOwner, 'accountId' | 'at'>,
): Promise<ListedIntegration[]> {
  return reader.rows<ListedIntegration>(queries.integrationList(owner, 2 * most))
}

/** An integration that the account created, installed or could install. */
export function seeIntegration(
  reader: Reader,
  owner: Pick<IntegrationOwner, 'accountId' | 'at'>,
  client_id: string,
): Promise<SeenIntegration | undefined> {
  return reader.row<SeenIntegration>(queries.integrationSeen(owner, client_id))
}

/** The secret of an integration that the account created. Of another account: 403; unknown: 404. */
export async function readSecret(
  reader: Reader,
  secrets: Secrets,
  owner: IntegrationOwner,
  client_id: string,
): Promise<string> {
  const seen = await seeIntegration(reader, owner, client_id)
  if (!seen) throw notFound()
  if (!seen.is_own) throw forbidden('Only the account that made an integration sees its secret')
  return secrets.decrypt((await findIntegration(reader, client_id))!.secret)
}

/** The latest calls of an integration in the account, the newest first. */
export function listCalls(
  reader: Reader,
  owner: Pick<IntegrationOwner, 'accountId'>,
  client_id: string,
): Promise<IntegrationCall[]> {
  return reader.rows<IntegrationCall>(queries.callsOf(owner, client_id, keptOfIntegration))
}

async function ownIntegration(
  tx: Tx,
  owner: IntegrationOwner,
  client_id: string,
): Promise<Integration> {
  const found = await tx.row<Integration>(queries.lockIntegrationRow(owner, client_id))
  if (found) return found
  if (await seeIntegration(tx, owner, client_id))
    throw forbidden('Only the account that made an integration may change it')
  throw notFound()
}

/** Ends the installations in one account or in all; answers the accounts that had one. */
async function end(
  tx: Tx,
  { client_id }: Integration,
  accountId: number | undefined,
  at: number,
): Promise<number[]> {
  const disabled = await tx.rows<{ account_id: number }>(queries.disable(client_id, accountId))
  const accountIds = disabled.map(({ account_id }) => account_id)
  // Codes first: this waits for an exchange that holds one, so the next statement finds its grant.
  await tx.rows(queries.endCodes(accountIds, client_id, at))
  await tx.rows(queries.endGrants(accountIds, client_id, at))
  await tx.rows(queries.endWebhooks(accountIds, client_id))
  await tx.rows(queries.endConnections(accountIds, client_id, at))
  await forgetAccess(tx)
  return accountIds
}

function noticesOf(
  secrets: Secrets,
  { account_id: owner_id, client_id, uninstall_hook, secret }: Integration,
  accountIds: number[],
): HookNotice[] {
  if (uninstall_hook === null) return []
  return accountIds.map((account_id) => ({
    url: uninstall_hook,
    owner_id,
    account_id,
    client_id,
    client_secret: secrets.decrypt(secret),
  }))
}
