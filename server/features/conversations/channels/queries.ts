import sql, { empty } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Actor } from '../../../access/actor.ts'
import { connectionColumns } from '../../../access/channels.ts'
import type { HookVersion } from '../../../access/channels.ts'

/** The settings of a channel, as stored. */
export interface ChannelSettings {
  name: string
  bot_name: string
  hook_v1: string | null
  hook_v2: string | null
  client_id: string | null
  allowed_accounts: string[]
  is_avatar_required: boolean
}

export interface StoredChannel extends ChannelSettings {
  id: string
  code: string
  bot_id: string
  created_by: number
  created_at: number
  updated_at: number
}

type Account = Pick<Actor, 'accountId'>

const columns = sql`
  id, code, name, bot_id, bot_name, hook_v1, hook_v2, client_id, to_json(allowed_accounts) as allowed_accounts,
  is_avatar_required, created_by, created_at, updated_at`

/** The channels that the account owns, oldest first, or one of them. */
export const channelList = ({ accountId }: Account, id?: string): Sql => sql`
  select ${columns} from channels
   where account_id = ${accountId} ${id === undefined ? empty : sql`and id = ${id}`} and deleted_at is null
   order by created_at, number`

export const countChannels = ({ accountId }: Account): Sql => sql`
  select count(*) as total from channels where account_id = ${accountId} and deleted_at is null`

export const insertChannel = (
  { accountId, userId, at }: Actor,
  draft: ChannelSettings,
  secret: Buffer,
): Sql => sql`
  insert into channels (account_id, name, bot_name, hook_v1, hook_v2, client_id, allowed_accounts, is_avatar_required, secret,
                        created_by, created_at, updated_at)
  values (${accountId}, ${draft.name}, ${draft.bot_name}, ${draft.hook_v1}, ${draft.hook_v2}, ${draft.client_id},
          ${draft.allowed_accounts}, ${draft.is_avatar_required}, ${secret}, ${userId}, ${at}, ${at})
  returning ${columns}`

/** Makes others wait who change the channel or connect an account to it. */
export const lockChannel = ({ accountId }: Account, id: string): Sql => sql`
  select ${columns} from channels
   where account_id = ${accountId} and id = ${id} and deleted_at is null for no key update`

export const updateChannel = (
  { accountId, at }: Pick<Actor, 'accountId' | 'at'>,
  id: string,
  settings: ChannelSettings,
): Sql => sql`
  update channels
     set name = ${settings.name}, bot_name = ${settings.bot_name}, hook_v1 = ${settings.hook_v1}, hook_v2 = ${settings.hook_v2},
         client_id = ${settings.client_id}, allowed_accounts = ${settings.allowed_accounts},
         is_avatar_required = ${settings.is_avatar_required}, updated_at = greatest(${at}::bigint, created_at)
   where account_id = ${accountId} and id = ${id} returning ${columns}`

/** Changes nothing where the account owns no such channel. */
export const updateChannelSecret = (
  { accountId, at }: Pick<Actor, 'accountId' | 'at'>,
  id: string,
  secret: Buffer,
): Sql => sql`
  update channels set secret = ${secret}, updated_at = greatest(${at}::bigint, created_at)
   where account_id = ${accountId} and id = ${id} and deleted_at is null returning id`

export const secretOfChannel = ({ accountId }: Account, id: string): Sql => sql`
  select secret from channels where account_id = ${accountId} and id = ${id} and deleted_at is null`

/** The row stays, without what is secret. */
export const removeChannel = (
  { accountId, at }: Pick<Actor, 'accountId' | 'at'>,
  id: string,
): Sql => sql`
  update channels
     set deleted_at = ${at}, updated_at = greatest(${at}::bigint, created_at), secret = '', hook_v1 = null, hook_v2 = null
   where account_id = ${accountId} and id = ${id}`

/**
 * Ends the connections of a channel to accounts that it may no longer be connected to: all, once it
 * is deleted.
 */
export const endForbiddenConnections = (id: string, at: number): Sql => sql`
  update channel_connections connection set disconnected_at = ${at}, updated_at = ${at}
    from channels channel, accounts account
   where connection.channel_id = ${id} and connection.disconnected_at is null
     and channel.id = connection.channel_id and account.id = connection.account_id
     and (channel.deleted_at is not null
          or not (account.id = channel.account_id or account.amojo_id = any(channel.allowed_accounts))
          or channel.client_id is not null and not exists (
               select from installations installed
                where installed.account_id = account.id and installed.client_id = channel.client_id and installed.is_enabled))`

/** A row that lists a connection. */
export interface ListedConnection {
  id: string
  code: string
  channel_name: string
  amojo_id: string
  title: string
  hook_api_version: HookVersion
  is_time_window_disabled: boolean
  has_hook: boolean
  connected_at: number
  disconnected_at: number | null
  last_error: string | null
  last_error_at: number | null
}

const listed = sql`
  channel.id, channel.code, channel.name as channel_name, account.amojo_id, connection.title, connection.hook_api_version,
  connection.is_time_window_disabled,
  case connection.hook_api_version when 'v1' then channel.hook_v1 else channel.hook_v2 end is not null as has_hook,
  connection.connected_at, connection.disconnected_at, connection.last_error, connection.last_error_at`

/**
 * The channel and the account of a connection, each found by its id: left to itself, PostgreSQL
 * sometimes reads a table of some thousand rows for a hundred of them.
 */
const channelOfConnection = sql`
  cross join lateral (select * from channels where id = connection.channel_id offset 0) channel`
const accountOfConnection = sql`
  cross join lateral (select * from accounts where id = connection.account_id offset 0) account`

/** The connections of a channel that the account owns, in all accounts. */
export const connectionsOfChannel = ({ accountId }: Account, id: string, most: number): Sql => sql`
  select ${listed}
    from channels channel
    join channel_connections connection on connection.channel_id = channel.id
    ${accountOfConnection}
   where channel.account_id = ${accountId} and channel.id = ${id} and channel.deleted_at is null
   order by connection.account_id limit ${most}`

/** The channels that are, or were, connected to the account, those of other owners too. */
export const connectionsOfAccount = ({ accountId }: Account, most: number): Sql => sql`
  select ${listed}
    from channel_connections connection
    ${channelOfConnection}
    ${accountOfConnection}
   where connection.account_id = ${accountId}
   order by connection.channel_id limit ${most}`

/** The connections in force of the account, or the one with a channel. */
export const connectionsInForce = ({ accountId }: Account, channelId?: string): Sql => sql`
  select ${connectionColumns}
    from channel_connections connection
    ${channelOfConnection}
    ${accountOfConnection}
   where connection.account_id = ${accountId} and connection.disconnected_at is null and channel.deleted_at is null
     ${channelId === undefined ? empty : sql`and connection.channel_id = ${channelId}`}
   order by connection.channel_id`

/** An account by its id in the chat service. A channel that signed its request asks. */
export const accountOfAmojo = (amojoId: string): Sql => sql`
  select id, is_unpaid from accounts where amojo_id = ${amojoId}`

/**
 * The channel, and whether its owner lets it be connected to the account. It does not change before
 * this transaction ends.
 */
export const lockCallingChannel = (id: string, accountId: number, amojoId: string): Sql => sql`
  select channel.name, channel.client_id,
         (channel.account_id = ${accountId} or ${amojoId}::uuid = any(channel.allowed_accounts)) as is_allowed
    from channels channel where channel.id = ${id} and channel.deleted_at is null for share`

/** A repeat changes the settings, and keeps the time since when the account is connected. */
export const upsertConnection = (
  { accountId, at }: Pick<Actor, 'accountId' | 'at'>,
  channelId: string,
  made: { title: string; hook_api_version: HookVersion; is_time_window_disabled: boolean },
): Sql => sql`
  insert into channel_connections as known (account_id, channel_id, title, hook_api_version, is_time_window_disabled,
                                            connected_at, updated_at)
  values (${accountId}, ${channelId}, ${made.title}, ${made.hook_api_version}, ${made.is_time_window_disabled}, ${at}, ${at})
  on conflict (account_id, channel_id) do update
     set title = excluded.title, hook_api_version = excluded.hook_api_version,
         is_time_window_disabled = excluded.is_time_window_disabled,
         connected_at = case when known.disconnected_at is null then known.connected_at else excluded.connected_at end,
         disconnected_at = null,
         last_error = case when known.disconnected_at is null then known.last_error end,
         last_error_at = case when known.disconnected_at is null then known.last_error_at end,
         updated_at = excluded.updated_at`

export const endConnection = (
  { accountId, at }: Pick<Actor, 'accountId' | 'at'>,
  channelId: string,
): Sql => sql`
  update channel_connections set disconnected_at = coalesce(disconnected_at, ${at}), updated_at = ${at}
   where account_id = ${accountId} and channel_id = ${channelId} returning account_id`

export const updateConnectionErrors = (
  { accountId, at }: Pick<Actor, 'accountId' | 'at'>,
  errors: ReadonlyMap<string, string | null>,
): Sql => sql`
  update channel_connections connection
     set last_error = noted.error, last_error_at = case when noted.error is not null then ${at}::bigint end
    from unnest(${[...errors.keys()]}::uuid[], ${[...errors.values()]}::text[]) as noted(channel_id, error)
   where connection.account_id = ${accountId} and connection.channel_id = any(${[...errors.keys()]}::uuid[])
     and connection.channel_id = noted.channel_id and (noted.error is not null or connection.last_error is not null)`

/** The latest calls between a channel and its program, the newest first. */
export const callsOfChannel = (
  { accountId }: Pick<Actor, 'accountId'>,
  id: string,
  most: number,
) => sql`
  select id, is_incoming, method, path, status, fault, milliseconds, called_at / 1000 as called_at
    from channel_calls
   where account_id = ${accountId} and channel_id = ${id}
   order by id desc limit ${most}`
