// Channels of online chats. An account owns a channel and registers it; the program of the channel
// connects accounts to it, with requests that it signs (access/channels.ts). A connection has a
// scope, under which the program sends everything else. Conversations are a feature of their own.
import type { Static } from 'typebox'
import { lockAccount } from '../../../access/account.ts'
import type { Actor } from '../../../access/actor.ts'
import { keptOfChannel } from '../../../access/call-log.ts'
import {
  canonicalSignature,
  chatSignature,
  coveredBy,
  newChannelSecret,
} from '../../../access/channel-signature.ts'
import { connectionOf, scopeMarker, scopeOf } from '../../../access/channels.ts'
import type { CallingChannel, ChannelConnection, ConnectionRow } from '../../../access/channels.ts'
import type { Reader, Tx } from '../../../database/connect.ts'
import type { Permit } from '../../../outgoing/guarded.ts'
import { chatPrefix } from '../../../http/chat.ts'
import { Problem, invalidFor, notFound, paymentRequired } from '../../../http/problem.ts'
import type { Fault } from '../../../http/problem.ts'
import type { Secrets } from '../../../secrets.ts'
import { keepInstallation, seeIntegration } from '../../programs/integrations/integrations.ts'
import { destinationFault } from '../../programs/webhooks/webhooks.ts'
import * as queries from './queries.ts'
import type { ChannelSettings, ListedConnection, StoredChannel } from './queries.ts'
import type {
  SignatureRequest,
  ChannelCall,
  ChannelChange,
  ChannelSignature,
  ConnectBody,
  Connected,
  ConnectionState,
  NewChannel,
  TriedRequest,
} from './schema.ts'

export type { ChannelConnection } from '../../../access/channels.ts'
export type { StoredChannel } from './queries.ts'

/** Channels of an account at most. */
const most = 100
/** Connections that a list shows at most: a channel reaches 251 accounts, and some have left. */
const mostListed = 1000

/** The channels that the account owns, oldest first, or the one with an id. */
export function listChannels(
  reader: Reader,
  actor: Pick<Actor, 'accountId'>,
  id?: string,
): Promise<StoredChannel[]> {
  return reader.list<StoredChannel>(queries.channelList(actor, id))
}

/** Makes a channel, and answers it with its secret. The 101st: 422. */
export async function createChannel(
  tx: Tx,
  secrets: Secrets,
  actor: Actor,
  draft: NewChannel,
  permit: Permit,
): Promise<StoredChannel & { secret: string }> {
  const settings = settingsOf(draft, {
    name: draft.name,
    bot_name: draft.name,
    hook_v1: null,
    hook_v2: null,
    client_id: null,
    allowed_accounts: [],
    is_avatar_required: true,
  })
  await tx.rows(lockAccount(actor))
  await refuseFaults(tx, actor, settings, undefined, permit)
  const { total } = (await tx.row<{ total: number }>(queries.countChannels(actor)))!
  if (total >= most) throw new Problem(422, `An account has at most ${most} channels`)
  const secret = newChannelSecret()
  const sealed = secrets.encrypt(secret)
  const made = await tx.row<StoredChannel>(queries.insertChannel(actor, settings, sealed))
  return { ...made!, secret }
}

/**
 * Changes a channel of the account, and ends its connections to accounts that it no longer allows.
 * Unknown: 404.
 */
export async function changeChannel(
  tx: Tx,
  actor: Actor,
  id: string,
  change: ChannelChange,
  permit: Permit,
): Promise<StoredChannel> {
  const before = await lockOwn(tx, actor, id)
  const settings = settingsOf(change, before)
  await refuseFaults(tx, actor, settings, before, permit)
  const after = await tx.row<StoredChannel>(queries.updateChannel(actor, id, settings))
  await tx.rows(queries.endForbiddenConnections(id, actor.at))
  return after!
}

/** Gives a channel a new secret and answers it. The old one ends at the commit. Unknown: 404. */
export async function renewChannelSecret(
  tx: Tx,
  secrets: Secrets,
  actor: Pick<Actor, 'accountId' | 'at'>,
  id: string,
): Promise<string> {
  const secret = newChannelSecret()
  const sealed = secrets.encrypt(secret)
  if (!(await tx.row(queries.updateChannelSecret(actor, id, sealed)))) throw notFound()
  return secret
}

/** Deletes a channel with all its connections. Unknown: 404. */
export async function deleteChannel(
  tx: Tx,
  actor: Pick<Actor, 'accountId' | 'at'>,
  id: string,
): Promise<void> {
  await lockOwn(tx, actor, id)
  await tx.rows(queries.removeChannel(actor, id))
  await tx.rows(queries.endForbiddenConnections(id, actor.at))
}

/** The connections of a channel of the account, in all accounts. Unknown channel: 404. */
export async function listConnectionsOfChannel(
  reader: Reader,
  actor: Pick<Actor, 'accountId'>,
  id: string,
): Promise<ConnectionState[]> {
  if ((await listChannels(reader, actor, id)).length === 0) throw notFound()
  const statement = queries.connectionsOfChannel(actor, id, mostListed)
  return (await reader.rows<ListedConnection>(statement)).map(stateOf)
}

/** The channels that are or were connected to the account, those of other owners included. */
export async function listConnections(
  reader: Reader,
  actor: Pick<Actor, 'accountId'>,
): Promise<ConnectionState[]> {
  const statement = queries.connectionsOfAccount(actor, mostListed)
  return (await reader.rows<ListedConnection>(statement)).map(stateOf)
}

/**
 * Connects an account to the channel that calls, or changes the connection: what is left out has its
 * default again. An account that is unknown or not allowed, or in which the integration of the
 * channel is not enabled: 404.
 */
export async function connectAccount(
  tx: Tx,
  at: number,
  channel: CallingChannel,
  { account_id: amojoId, ...wish }: ConnectBody,
): Promise<Connected> {
  const { account, name, clientId } = await lockAllowed(tx, channel, amojoId)
  if (clientId !== null && !(await keepInstallation(tx, account.id, clientId))) throw notAllowed()
  if (account.is_unpaid) throw paymentRequired()
  const made = {
    title: wish.title ?? name,
    hook_api_version: wish.hook_api_version ?? 'v1',
    is_time_window_disabled: wish.is_time_window_disabled ?? false,
  }
  await tx.rows(queries.upsertConnection({ accountId: account.id, at }, channel.id, made))
  const account_id = amojoId.toLowerCase()
  return { account_id, scope_id: scopeOf(channel.id, account_id), ...made }
}

/** Ends the connection of an account to the channel that calls; one that has ended stays so. */
export async function disconnectAccount(
  tx: Tx,
  at: number,
  channel: CallingChannel,
  amojoId: string,
): Promise<void> {
  const account = await tx.row<ChatAccount>(queries.accountOfAmojo(amojoId))
  const ended =
    account && (await tx.row(queries.endConnection({ accountId: account.id, at }, channel.id)))
  if (!ended) await lockAllowed(tx, channel, amojoId)
}

/** The connections in force of an account. */
export async function connectionsOf(
  reader: Reader,
  actor: Pick<Actor, 'accountId'>,
): Promise<ChannelConnection[]> {
  return (await reader.list<ConnectionRow>(queries.connectionsInForce(actor))).map(connectionOf)
}

/** The connection in force of an account with a channel; undefined if there is none. */
export async function findConnection(
  reader: Reader,
  actor: Pick<Actor, 'accountId'>,
  channelId: string,
): Promise<ChannelConnection | undefined> {
  const found = await reader.list<ConnectionRow>(queries.connectionsInForce(actor, channelId))
  return found.map(connectionOf)[0]
}

/** Notes why the latest callbacks to channels failed, by the channel; null: the latest one did not. */
export async function noteConnectionErrors(
  tx: Tx,
  actor: Pick<Actor, 'accountId' | 'at'>,
  errors: ReadonlyMap<string, string | null>,
): Promise<void> {
  await tx.rows(queries.updateConnectionErrors(actor, errors))
}

/** The headers of a callback with this body, signed with the secret of the channel. */
export function signed(
  secrets: Secrets,
  { secret }: Pick<ChannelConnection, 'secret'>,
  body: string | Buffer,
): Record<string, string> {
  return {
    'content-type': 'application/json',
    'x-signature': chatSignature(secrets.decrypt(secret), body),
  }
}

/**
 * A request as the program of a channel that the account owns would sign it: its owner tries the
 * protocol without the secret. Unknown channel, or a path that is not below its own: 404.
 */
export async function signTrial(
  reader: Reader,
  secrets: Secrets,
  actor: Pick<Actor, 'accountId'>,
  id: string,
  { method, path: sent, body }: TriedRequest,
  at: number,
) {
  // The path is read as the server will read it: dots in it must not lead to other methods.
  const { pathname, search } = new URL(sent, 'http://localhost')
  const own = new RegExp(`^${chatPrefix}/${id}(_[\\da-f-]{36})?(/|$)`, 'i')
  const found = await reader.row<{ secret: Buffer }>(queries.secretOfChannel(actor, id))
  if (!found || !own.test(pathname)) throw notFound()
  const secret = secrets.decrypt(found.secret)
  const payload = body === undefined ? '' : JSON.stringify(body)
  const named = { 'content-type': 'application/json', date: new Date(at * 1000).toUTCString() }
  const signature = canonicalSignature(secret, { method, path: pathname, body: payload, ...named })
  return {
    method,
    url: pathname + search,
    headers: { ...named, ...signature },
    ...(body !== undefined && { payload }),
  }
}

/**
 * The signatures of a request with the secret of a channel that the account owns: a program whose
 * signature is refused compares with them. Unknown: 404.
 */
export async function signaturesOfRequest(
  reader: Reader,
  secrets: Secrets,
  actor: Pick<Actor, 'accountId' | 'at'>,
  id: string,
  request: SignatureRequest,
): Promise<Static<typeof ChannelSignature>> {
  const found = await reader.row<{ secret: Buffer }>(queries.secretOfChannel(actor, id))
  if (!found) throw notFound()
  const secret = secrets.decrypt(found.secret)
  const { method, path, body = '', content_type = 'application/json' } = request
  const date = request.date ?? new Date(actor.at * 1000).toUTCString()
  const { contentMd5, lines } = coveredBy({
    method,
    path,
    body,
    'content-type': content_type,
    date,
  })
  return {
    of_body: chatSignature(secret, body),
    of_request: chatSignature(secret, lines),
    content_md5: contentMd5,
    date,
    canonical: lines,
  }
}

/** The latest requests between a channel that the account owns and its program. Unknown: 404. */
export async function listChannelCalls(
  reader: Reader,
  actor: Pick<Actor, 'accountId'>,
  id: string,
): Promise<ChannelCall[]> {
  if ((await listChannels(reader, actor, id)).length === 0) throw notFound()
  return reader.rows<ChannelCall>(queries.callsOfChannel(actor, id, keptOfChannel))
}

interface ChatAccount {
  id: number
  is_unpaid: boolean
}

/** One answer, so that a channel learns of no account but its own. */
const notAllowed = () => notFound('There is no such account, or the channel may not reach it')

async function lockAllowed(tx: Tx, channel: CallingChannel, amojoId: string) {
  const account = await tx.row<ChatAccount>(queries.accountOfAmojo(amojoId))
  if (!account) throw notAllowed()
  const locked = await tx.row<{ name: string; client_id: string | null; is_allowed: boolean }>(
    queries.lockCallingChannel(channel.id, account.id, amojoId),
  )
  if (!locked?.is_allowed) throw notAllowed()
  return { account, name: locked.name, clientId: locked.client_id }
}

async function lockOwn(
  tx: Tx,
  actor: Pick<Actor, 'accountId'>,
  id: string,
): Promise<StoredChannel> {
  const locked = await tx.row<StoredChannel>(queries.lockChannel(actor, id))
  if (!locked) throw notFound()
  return locked
}

function settingsOf(wish: ChannelChange, before: ChannelSettings): ChannelSettings {
  const {
    name = before.name,
    bot_name = before.bot_name,
    hook_v1 = before.hook_v1,
    hook_v2 = before.hook_v2,
    client_id = before.client_id,
    allowed_accounts = before.allowed_accounts,
    is_avatar_required = before.is_avatar_required,
  } = wish
  const accounts = [...new Set(allowed_accounts.map((each) => each.toLowerCase()))]
  return {
    name,
    bot_name,
    hook_v1,
    hook_v2,
    client_id,
    allowed_accounts: accounts,
    is_avatar_required,
  }
}

async function refuseFaults(
  tx: Tx,
  actor: Actor,
  settings: ChannelSettings,
  before: ChannelSettings | undefined,
  permit: Permit,
): Promise<void> {
  const errors = [
    ...hookFaults('hook_v1', settings.hook_v1, before?.hook_v1, permit),
    ...hookFaults('hook_v2', settings.hook_v2, before?.hook_v2, permit),
    ...(await integrationFaults(tx, actor, settings, before)),
    ...consentFaults(actor, settings, before),
  ]
  if (errors.length > 0) throw invalidFor(...errors)
}

/** A scope as long as any other, for the check of an address. */
const someScope = scopeOf(
  '00000000-0000-4000-8000-000000000000',
  '00000000-0000-4000-8000-000000000000',
)

/** An address that stays may have been allowed before, and is checked again at each callback. */
function hookFaults(
  path: string,
  hook: string | null,
  before: string | null | undefined,
  permit: Permit,
): Fault[] {
  if (hook === null || hook === before) return []
  const detail = /^https?:\/\/[^/?#]*:scope_id/i.test(hook)
    ? 'The marker :scope_id must stand after the host.'
    : destinationFault(hook.replaceAll(scopeMarker, someScope), permit)
  return detail === undefined ? [] : [{ code: 'InvalidValue', path, detail }]
}

async function integrationFaults(
  tx: Tx,
  actor: Actor,
  { client_id }: ChannelSettings,
  before: ChannelSettings | undefined,
): Promise<Fault[]> {
  if (client_id === null || client_id === before?.client_id) return []
  if ((await seeIntegration(tx, actor, client_id))?.is_own) return []
  const detail = 'This is no integration of the account.'
  return [{ code: 'NotSupportedChoice', path: 'client_id', detail }]
}

/**
 * Another account consents to a channel by enabling its integration. Without one, only the operator
 * of the server, who answers for all accounts, adds others.
 */
function consentFaults(
  { surface }: Actor,
  { client_id, allowed_accounts }: ChannelSettings,
  before: ChannelSettings | undefined,
): Fault[] {
  if (client_id !== null || surface === 'server') return []
  const known = new Set(before?.client_id === null ? before.allowed_accounts : [])
  if (allowed_accounts.every((each) => known.has(each))) return []
  const detail = 'Other accounts can be allowed only with an integration, which they enable.'
  return [{ code: 'InvalidValue', path: 'allowed_accounts', detail }]
}

function stateOf({ id, amojo_id, disconnected_at, ...row }: ListedConnection): ConnectionState {
  return {
    scope_id: scopeOf(id, amojo_id),
    channel_id: id,
    account_id: amojo_id,
    ...row,
    is_connected: disconnected_at === null,
    disconnected_at,
  }
}
