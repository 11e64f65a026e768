// Chat channels as callers. They have no token: each request is signed with the secret of its
// channel, over the bytes of its body. So a request is let in once its body has arrived, and before
// anything reads that body. Nothing is remembered of a channel: a replaced secret ends at its
// commit. docs/decisions/0052-channels.md has the reasons.
import type { FastifyRequest } from 'fastify'
import sql from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import { badRequest, notFound, paymentRequired, Problem } from '../http/problem.ts'
import { readQuery } from '../http/query.ts'
import { spending } from '../http/receive.ts'
import type { Kontor } from '../kontor.ts'
import { isBodyless, isSignature, newChannelSecret, signatureFault } from './channel-signature.ts'
import type { Limits } from './limits.ts'
import { serverItself } from './user-access.ts'

/** The channel that signed a request, and the account that owns it. */
export interface CallingChannel {
  id: string
  ownerId: number
}

export type HookVersion = 'v1' | 'v2'

/** An account that a channel is connected to. */
export interface ChannelConnection {
  /** `<channel id>_<account id>`, both UUIDs. */
  scope_id: string
  channelId: string
  /** `kontor.ext.<n>`, the origin of its conversations. */
  code: string
  channelName: string
  bot: { id: string; name: string }
  /** The integration that owns the channel, whose sources its chats may name. */
  clientId: string | null
  accountId: number
  /** The account that owns the channel, whose administrators wrote its addresses. */
  ownerId: number
  /** The account in the chat service. */
  amojoId: string
  title: string
  hook_api_version: HookVersion
  is_time_window_disabled: boolean
  /** The address of callbacks, with the scope in it; null: the channel has none for this version. */
  hook: string | null
  isAvatarRequired: boolean
  /** The secret of the channel, encrypted. */
  secret: Buffer
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set on routes with `access: 'channel'`. */
    channel: CallingChannel
    /** Set on those whose path names a scope; `actor` is then the system in that account. */
    connection: ChannelConnection
  }
}

/**
 * Makes the function that lets the request of a channel in. It throws a 403 problem where there is
 * no signature, and has the rest judged by the bytes of the body: wrong signature: 403; unknown
 * channel, or a scope that is not connected: 404; no body: 400.
 */
export function openChannels(
  kontor: Kontor,
  limits: Pick<Limits, 'countAddress' | 'countScope'>,
): (request: FastifyRequest) => void {
  const { database, now } = kontor
  /** A secret for channels that do not exist: refusing them must take as long as the others. */
  let nobodys: Buffer | undefined

  async function judge(request: FastifyRequest, body: Buffer): Promise<void> {
    const { id: requestId, ip, method, routeOptions } = request
    const named = namesOf(request)
    const { secrets } = kontor
    nobodys ??= secrets.encrypt(newChannelSecret())
    database.forbidQueue()
    const found = await database.row<ChannelAccess>(callingChannel(named))
    const secret = secrets.decrypt(found?.secret ?? nobodys)
    const at = now()
    const fault = spending(request, () => signatureFault(secret, signedBy(request, body), at))
    // Only refused requests count for their address: a stranger there must not stop a channel.
    if (!found || fault !== undefined) limits.countAddress(ip)
    if (!found) throw notFound('There is no such channel')
    if (fault !== undefined) throw wrongSignature(fault)
    limits.countScope(named.scope ?? found.id, found.connected_id ?? undefined)
    request.channel = { id: found.id, ownerId: found.owner_id }
    if (named.scope !== undefined) {
      if (!isConnected(found)) throw notFound('The account is not connected to this channel')
      const { subdomain, is_unpaid: isUnpaid } = found
      const isPaid = routeOptions.config.isPaid ?? !isBodyless(method)
      if (isPaid && isUnpaid) throw paymentRequired()
      const itself = serverItself(found.connected_id, at)
      request.actor = { ...itself, subdomain, isUnpaid, requestId, surface: 'channel' }
      request.connection = connectionOf(found)
    }
    if (body.length === 0 && !isBodyless(method)) throw badRequest('The body is empty')
    readQuery(request)
  }

  return (request) => {
    const { channelId } = namesOf(request)
    // A caller without a signature learns nothing of channels, and costs no statement.
    if (!isSignature(headerOf(request, 'x-signature'))) {
      limits.countAddress(request.ip)
      if (channelId !== null) request.namedChannel = channelId
      throw wrongSignature('X-Signature is missing, or is no HMAC-SHA1 in hexadecimal digits')
    }
    if (channelId !== null) request.namedChannel = channelId
    request.judgeBytes = (bytes) => judge(request, bytes)
  }
}

const wrongSignature = (detail: string) =>
  new Problem(403, detail, { extra: { error_type: 'invalid_signature' } })

const headerOf = ({ headers }: FastifyRequest, name: string): string | undefined => {
  const value = headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}

const signedBy = (request: FastifyRequest, body: Buffer) => ({
  method: request.method,
  path: request.url.split('?', 1)[0]!,
  contentMd5: headerOf(request, 'content-md5'),
  contentType: headerOf(request, 'content-type'),
  date: headerOf(request, 'date'),
  signature: headerOf(request, 'x-signature'),
  body,
})

/** The channel and the account that a path names. Text that is no UUID names nothing. */
interface Named {
  channelId: string | null
  amojoId: string | null
  /** Set if the path is one of a scope. */
  scope?: string
}

const uuid = '[\\da-f]{8}(?:-[\\da-f]{4}){3}-[\\da-f]{12}'
const scopePattern = new RegExp(`^(${uuid})_(${uuid})$`)
const channelPattern = new RegExp(`^${uuid}$`)

function namesOf({ params }: FastifyRequest): Named {
  const { channel_id, scope_id } = params as { channel_id?: string; scope_id?: string }
  if (scope_id === undefined) {
    const id = channel_id!.toLowerCase()
    return { channelId: channelPattern.test(id) ? id : null, amojoId: null }
  }
  const scope = scope_id.toLowerCase()
  const [, channelId = null, amojoId = null] = scopePattern.exec(scope) ?? []
  return { scope, channelId, amojoId }
}

/** The columns of a connection, of rows named `channel`, `account` and `connection`. */
export const connectionColumns = sql`
  channel.id, channel.account_id as owner_id, channel.code, channel.name as channel_name, channel.bot_id, channel.bot_name, channel.client_id,
  channel.is_avatar_required, channel.secret, account.id as connected_id, account.amojo_id, connection.title,
  connection.hook_api_version, connection.is_time_window_disabled,
  case connection.hook_api_version when 'v1' then channel.hook_v1 else channel.hook_v2 end as hook`

/** A connection as its columns have it. */
export interface ConnectionRow {
  id: string
  owner_id: number
  code: string
  channel_name: string
  bot_id: string
  bot_name: string
  client_id: string | null
  is_avatar_required: boolean
  secret: Buffer
  connected_id: number
  amojo_id: string
  title: string
  hook_api_version: HookVersion
  is_time_window_disabled: boolean
  hook: string | null
}

export function connectionOf(row: ConnectionRow): ChannelConnection {
  const scope_id = scopeOf(row.id, row.amojo_id)
  return {
    scope_id,
    channelId: row.id,
    code: row.code,
    channelName: row.channel_name,
    bot: { id: row.bot_id, name: row.bot_name },
    clientId: row.client_id,
    accountId: row.connected_id,
    ownerId: row.owner_id,
    amojoId: row.amojo_id,
    title: row.title,
    hook_api_version: row.hook_api_version,
    is_time_window_disabled: row.is_time_window_disabled,
    hook: row.hook === null ? null : row.hook.replaceAll(scopeMarker, scope_id),
    isAvatarRequired: row.is_avatar_required,
    secret: row.secret,
  }
}

/** Stands for the scope in an address of callbacks. */
export const scopeMarker = ':scope_id'

export const scopeOf = (channelId: string, amojoId: string): string => `${channelId}_${amojoId}`

/** The columns of the connection are null where there is none. */
type ChannelAccess = { [Key in keyof ConnectionRow]: ConnectionRow[Key] | null } & {
  id: string
  secret: Buffer
  owner_id: number
  subdomain: string | null
  is_unpaid: boolean | null
}

const isConnected = (
  row: ChannelAccess,
): row is ChannelAccess & ConnectionRow & { subdomain: string; is_unpaid: boolean } =>
  row.connected_id !== null

/**
 * The channel of a request, with the connection that its path names. It is found by its id in any
 * account: the secret that the request is signed with decides, and before that no account is known.
 */
export const callingChannel = ({ channelId, amojoId }: Omit<Named, 'scope'>): Sql => sql`
  select account.subdomain, account.is_unpaid, ${connectionColumns}
    from channels channel
    left join (channel_connections connection
               join accounts account on account.id = connection.account_id and account.amojo_id = ${amojoId}::uuid)
           on connection.channel_id = channel.id and connection.disconnected_at is null
   where channel.id = ${channelId}::uuid and channel.deleted_at is null`
