import sql from 'sql-template-tag'
import { serverItself } from '../access/user-access.ts'
import type { Reader } from '../database/connect.ts'
import {
  createChannel,
  deleteChannel,
  listChannels,
  renewChannelSecret,
} from '../features/conversations/channels/channels.ts'
import { chatPrefix } from '../http/chat.ts'
import { invalidFor, notFound } from '../http/problem.ts'
import type { Kontor } from '../kontor.ts'
import { findAccount } from './whom.ts'
import { writtenByAdministrators } from '../outgoing/door.ts'

export interface ChannelSettingsOfCommand {
  account?: string
}

export interface NewChannelOfCommand extends ChannelSettingsOfCommand {
  name: string
  hookV1?: string
  hookV2?: string
  bot?: string
  clientId?: string
  allow?: string
  avatar?: boolean
}

/**
 * `kontor channel create`: a channel of the account, with its secret, which is shown this once. Unlike
 * an administrator, the operator of the server may allow other accounts without their consent.
 */
export async function channelCreate(
  kontor: Kontor,
  { account: subdomain, name, hookV1, hookV2, bot, clientId, allow, avatar }: NewChannelOfCommand,
) {
  const { database, door, now, secrets, url } = kontor
  // The other commands of channels need no shape, and a shape is half of what this one loads.
  const { NewChannel } = await import('../features/conversations/channels/schema.ts')
  const { compile } = await import('../http/validate.ts')
  const account = await findAccount(database, subdomain)
  const allowed_accounts = await amojoIdsOf(database, allow)
  const { value: draft, faults } = compile(NewChannel)({
    name,
    ...(hookV1 !== undefined && { hook_v1: hookV1 }),
    ...(hookV2 !== undefined && { hook_v2: hookV2 }),
    ...(bot !== undefined && { bot_name: bot }),
    ...(clientId !== undefined && { client_id: clientId }),
    ...(avatar === false && { is_avatar_required: false }),
    allowed_accounts,
  })
  if (faults.length > 0) throw invalidFor(...faults)
  const actor = serverItself(account.id, now())
  const permit = await door.permit(writtenByAdministrators(account.id))
  const made = await database.transaction((tx) => createChannel(tx, secrets, actor, draft, permit))
  const [account_id] = await amojoIdsOf(database, account.subdomain)
  return {
    id: made.id,
    account: account.subdomain,
    account_id,
    name: made.name,
    code: made.code,
    secret: made.secret,
    bot_id: made.bot_id,
    scope_base: `${made.id}_`,
    address: `${url}${chatPrefix}/${made.id}`,
  }
}

/** `kontor channel list`: the channels of the account, without their secrets. */
export async function channelListCommand(
  { database }: Kontor,
  { account: subdomain }: ChannelSettingsOfCommand,
) {
  const { id: accountId } = await findAccount(database, subdomain)
  return (await listChannels(database, { accountId })).map(
    ({ id, code, name, hook_v1, hook_v2 }) => ({ id, code, name, hook_v1, hook_v2 }),
  )
}

/** `kontor channel rotate`: a new secret; the old one is refused from now on. */
export async function channelRotate(
  { database, now, secrets }: Kontor,
  id: string,
  { account: subdomain }: ChannelSettingsOfCommand,
) {
  const { id: accountId } = await findAccount(database, subdomain)
  const channelId = knownForm(id)
  const secret = await database.transaction((tx) =>
    renewChannelSecret(tx, secrets, { accountId, at: now() }, channelId),
  )
  return { id: channelId, secret }
}

/** `kontor channel delete`: ends a channel with all its connections. */
export async function channelDelete(
  { database, now }: Kontor,
  id: string,
  { account: subdomain }: ChannelSettingsOfCommand,
) {
  const { id: accountId } = await findAccount(database, subdomain)
  const channelId = knownForm(id)
  await database.transaction((tx) => deleteChannel(tx, { accountId, at: now() }, channelId))
  return { id: channelId, is_deleted: true }
}

function knownForm(id: string): string {
  if (/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(id)) return id.toLowerCase()
  throw notFound(`"${id}" is no channel; "kontor channel list" shows their ids`)
}

/** The ids in the chat service of the accounts with these subdomains, with commas between. */
async function amojoIdsOf(reader: Reader, list = ''): Promise<string[]> {
  const subdomains = list.split(',').flatMap((each) => each.trim() || [])
  const ids: string[] = []
  for (const subdomain of subdomains) {
    const { id } = await findAccount(reader, subdomain)
    const row = await reader.row<{ amojo_id: string }>(
      sql`select amojo_id from accounts where id = ${id}`,
    )
    ids.push(row!.amojo_id)
  }
  return ids
}
