import * as verbs from '../features/programs/integrations/integrations.ts'
import type { ChangedIntegration } from '../features/programs/integrations/schema.ts'
import { notFound } from '../http/problem.ts'
import { isUuid } from '../http/types.ts'
import type { Kontor } from '../kontor.ts'
import type { NamedUserSettings } from './people.ts'
import { findAccount, findUser } from './whom.ts'

export interface IntegrationSettings extends NamedUserSettings {
  name?: string
  description?: string
  redirectUri?: string
  /** Separated by commas. */
  scopes?: string
  public?: boolean
  emptyList?: '200' | '204' | 'server'
  forgivingRefresh?: boolean
  managePeople?: boolean
  /** An address, or "none". */
  uninstallHook?: string
  /** Origins of pages, separated by commas. Empty means none. */
  origins?: string
  /** Ids of pipelines, separated by commas. Empty means none. */
  duplicatePipelines?: string
}

/** `kontor integration list`: the integrations that the account made or installed. */
export async function listIntegrationsCommand(
  { database, now }: Kontor,
  { account: subdomain }: NamedUserSettings,
) {
  const { id: accountId } = await findAccount(database, subdomain)
  const list = await verbs.listIntegrations(database, { accountId, at: now() })
  return list.map(({ client_id, name, redirect_uri, scopes, is_own, is_enabled }) => ({
    client_id,
    is_enabled: is_enabled ? 'enabled' : 'disabled',
    is_own: is_own ? 'own' : 'of another account',
    scopes: scopes.join(','),
    redirect_uri,
    name,
  }))
}

/** `kontor integration create`: makes an integration of the account and installs it there. */
export async function integrationCreate(
  kontor: Kontor,
  name: string,
  settings: IntegrationSettings & { redirectUri: string },
) {
  const actor = await actorOf(kontor, settings)
  const draft = { ...draftOf(settings), name, redirect_uri: settings.redirectUri }
  return kontor.database.transaction((tx) =>
    verbs.createIntegration(tx, kontor.secrets, actor, draft),
  )
}

/**
 * `kontor integration set`: changes an integration of the account, or the account's settings of an
 * installed one.
 */
export async function integrationSet(
  kontor: Kontor,
  client_id: string,
  settings: IntegrationSettings,
) {
  const { manages_people, ...draft } = draftOf(settings)
  const duplicates =
    settings.duplicatePipelines === undefined ? undefined : readIds(settings.duplicatePipelines)
  if (Object.keys(draft).length === 0 && !duplicates && manages_people === undefined)
    throw new Error('nothing to set; "kontor integration set --help" lists the options')
  const actor = await actorOf(kontor, settings)
  await kontor.database.transaction(async (tx) => {
    if (Object.keys(draft).length > 0)
      await verbs.changeIntegration(tx, actor, known(client_id), draft)
    if (manages_people !== undefined)
      await verbs.letManagePeople(tx, actor, known(client_id), manages_people)
    if (duplicates) await verbs.setDuplicatePipelines(tx, actor, known(client_id), duplicates)
  })
  return {
    client_id,
    ...draft,
    ...(manages_people !== undefined && { manages_people }),
    ...(duplicates && { duplicate_pipelines: duplicates }),
  }
}

/** `kontor integration rotate`: sets a new secret. The old one is refused at once. */
export async function integrationRotate(
  kontor: Kontor,
  client_id: string,
  settings: NamedUserSettings,
) {
  const actor = await actorOf(kontor, settings)
  return kontor.database.transaction((tx) =>
    verbs.rotateSecret(tx, kontor.secrets, actor, known(client_id)),
  )
}

/** `kontor integration enable`: installs an integration in the account. */
export async function integrationEnable(
  kontor: Kontor,
  client_id: string,
  settings: NamedUserSettings,
) {
  const actor = await actorOf(kontor, settings)
  await kontor.database.transaction((tx) => verbs.enableIntegration(tx, actor, known(client_id)))
  return { client_id, is_enabled: true }
}

/**
 * `kontor integration disable`: ends an integration in the account with all its tokens, and calls
 * its uninstall hook.
 */
export async function integrationDisable(
  kontor: Kontor,
  client_id: string,
  settings: NamedUserSettings,
) {
  const actor = await actorOf(kontor, settings)
  const notices = await kontor.database.transaction((tx) =>
    verbs.disableIntegration(tx, kontor.secrets, actor, known(client_id)),
  )
  await verbs.callUninstallHooks(kontor, notices)
  return { client_id, is_enabled: false }
}

/** `kontor integration grants`: the permissions in force, newest first. */
export async function integrationGrants(
  kontor: Kontor,
  client_id: string,
  settings: NamedUserSettings,
) {
  return verbs.listGrants(kontor.database, await actorOf(kontor, settings), known(client_id))
}

/** `kontor integration revoke`: revokes one permission with all its tokens. */
export async function integrationRevoke(
  kontor: Kontor,
  client_id: string,
  grant: string,
  settings: NamedUserSettings,
) {
  const actor = await actorOf(kontor, settings)
  if (!/^[1-9]\d{0,14}$/.test(grant))
    throw new Error(`"${grant}" is no grant; "kontor integration grants" lists them`)
  await kontor.database.transaction((tx) =>
    verbs.revokeGrant(tx, actor, known(client_id), Number(grant)),
  )
  return { client_id, id: Number(grant), is_revoked: true }
}

async function actorOf(
  { database, now }: Kontor,
  { account: subdomain, user: email }: NamedUserSettings,
) {
  const account = await findAccount(database, subdomain)
  const user = await findUser(database, account.id, email)
  return { accountId: account.id, userId: user.id, at: now() }
}

function known(client_id: string): string {
  if (!isUuid(client_id))
    throw notFound(`"${client_id}" is no client_id; "kontor integration list" shows them`)
  return client_id
}

function wordsIn(text: string): string[] {
  return text.split(',').flatMap((each) => each.trim() || [])
}

function readIds(text: string): number[] {
  return text.split(',').flatMap((each) => {
    const id = each.trim()
    if (id === '' && text.trim() === '') return []
    if (!/^[1-9]\d{0,14}$/.test(id))
      throw new Error(`"${id}" is no id of a pipeline; ids have commas between`)
    return Number(id)
  })
}

function draftOf({
  name,
  description,
  redirectUri,
  scopes,
  emptyList,
  uninstallHook,
  ...settings
}: IntegrationSettings): ChangedIntegration {
  return {
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(redirectUri !== undefined && { redirect_uri: redirectUri }),
    ...(scopes !== undefined && { scopes: verbs.readScopes(scopes) }),
    ...(settings.public !== undefined && { is_public: settings.public }),
    ...(emptyList && {
      empty_list: emptyList === 'server' ? null : (Number(emptyList) as 200 | 204),
    }),
    ...(settings.forgivingRefresh !== undefined && {
      forgiving_refresh: settings.forgivingRefresh,
    }),
    ...(settings.managePeople !== undefined && { manages_people: settings.managePeople }),
    ...(settings.origins !== undefined && { origins: wordsIn(settings.origins) }),
    ...(uninstallHook !== undefined && {
      uninstall_hook: uninstallHook === 'none' ? null : uninstallHook,
    }),
  }
}
