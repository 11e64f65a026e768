// The requests to the routes of channels. Nobody in the columns has the secret of a channel: a token opens nothing of the chat protocol.
import sql, { raw as named } from 'sql-template-tag'
import { serverItself } from '../../server/access/user-access.ts'
import {
  connectAccount,
  createChannel,
} from '../../server/features/conversations/channels/channels.ts'
import { newPermit } from '../../server/outgoing/guarded.ts'
import type { TestAccount } from '../account.ts'
import { hmac } from '../channels.ts'
import { raw } from '../raw.ts'
import type { RouteFixture } from './fixture.ts'
import type { Prepare } from './requests.ts'

const path = '/web/v1/channels'
const chat = '/v2/origin/custom'

async function amojoOf({ id, kontor }: TestAccount): Promise<string> {
  const found = await kontor.database.row<{ amojo_id: string }>(
    sql`select amojo_id from accounts where id = ${id}`,
  )
  return found!.amojo_id
}

/** Adds a channel of the account, which the account is connected to; a former one gives way. */
async function addChannel({ account, mark }: RouteFixture): Promise<string> {
  const { database, now, secrets } = account.kontor
  const account_id = await amojoOf(account)
  return database.transaction(async (tx) => {
    for (const table of [
      'chat_callbacks',
      'chat_queues',
      'messages',
      'talks',
      'chats',
      'chat_clients',
      'channel_connections',
    ])
      await tx.rows(sql`delete from ${named(table)} where account_id = ${account.id}`)
    await tx.rows(sql`delete from channels where account_id = ${account.id}`)
    const actor = serverItself(account.id, now())
    const draft = { name: `Line ${mark}`, hook_v1: `https://example.com/${mark}/:scope_id` }
    const { id } = await createChannel(tx, secrets, actor, draft, newPermit('none'))
    await connectAccount(tx, now(), { id, ownerId: account.id }, { account_id })
    return id
  })
}

const one =
  (tail = '', body?: object): Prepare =>
  async (fixture) => ({ path: `${path}/${await addChannel(fixture)}${tail}`, body })

async function protocol(fixture: RouteFixture, tail: string) {
  const channel = await addChannel(fixture)
  return {
    path: `${chat}/${channel}/${tail}`,
    body: { account_id: await amojoOf(fixture.account) },
  }
}

const inScope =
  (tail: string, body?: object): Prepare =>
  async (fixture) => {
    const channel = await addChannel(fixture)
    return { path: `${chat}/${channel}_${await amojoOf(fixture.account)}${tail}`, body }
  }

const user = { id: 'client', name: 'Client' }
const message = {
  timestamp: 1_700_000_000,
  msgid: 'message',
  conversation_id: 'conversation',
  sender: { ...user, avatar: 'https://example.com/a.png' },
  message: { type: 'text', text: 'Hello' },
}

let count = 0

/** A message that the program of a new channel signs. `change` gets the id of the bot. */
export async function signedMessage(fixture: RouteFixture, change: (bot: string) => object) {
  const made = await fixture.account.api.post(path, { name: 'Signed' })
  const { id, secret, bot_id } = made.body
  const account_id = await amojoOf(fixture.account)
  const sign = (body: string) => ({ 'x-signature': hmac(secret, body) })
  const connection = JSON.stringify({ account_id })
  await raw(fixture.account.kontor, {
    method: 'POST',
    path: `${chat}/${id}/connect`,
    headers: { 'content-type': 'application/json', ...sign(connection) },
    body: connection,
  })
  const payload = { ...message, msgid: `message-${++count}`, ...change(bot_id) }
  const body = JSON.stringify({ event_type: 'new_message', payload })
  return { path: `${chat}/${id}_${account_id}`, body, headers: sign(body) }
}

/** A publication, which is taken by its signature, whoever sends it. */
export const publication =
  (change: (bot: string) => object): Prepare =>
  async (fixture) => ({ ...(await signedMessage(fixture, change)), status: 200 })

export const channelRequests: Record<string, Prepare> = {
  [`GET ${path}`]: async (fixture, column) => {
    const holds = await addChannel(fixture)
    if (column === 'alien') await fixture.alien.api.post(path, { name: 'Theirs' })
    return { list: { of: 'channels', holds } }
  },
  [`POST ${path}`]: () => ({ body: { name: 'A line' } }),
  [`GET ${path}/{id}`]: one(),
  [`PATCH ${path}/{id}`]: one('', { name: 'Taken' }),
  [`DELETE ${path}/{id}`]: one(),
  [`POST ${path}/{id}/secret`]: one('/secret'),
  [`POST ${path}/{id}/try`]: async (fixture) => {
    const channel = await addChannel(fixture)
    const account_id = await amojoOf(fixture.account)
    const tried = { method: 'POST', path: `${chat}/${channel}/connect`, body: { account_id } }
    return { path: `${path}/${channel}/try`, body: tried }
  },
  [`POST ${path}/{id}/signature`]: one('/signature', { method: 'POST', path: chat, body: '{}' }),
  [`GET ${path}/{id}/calls`]: async (fixture) => {
    const channel = await addChannel(fixture)
    const call = await fixture.account.kontor.database.transaction((tx) =>
      tx.row<{ id: number }>(sql`
        insert into channel_calls (account_id, channel_id, is_incoming, method, path, status, milliseconds, called_at)
        values (${fixture.account.id}, ${channel}, true, 'POST', '/', 200, 1, 1) returning id`),
    )
    return { path: `${path}/${channel}/calls`, list: { of: 'calls', holds: call!.id } }
  },
  [`GET ${path}/{id}/connections`]: async (fixture) => {
    const channel = await addChannel(fixture)
    return {
      path: `${path}/${channel}/connections`,
      list: { of: 'connections', holds: `${channel}_${await amojoOf(fixture.account)}` },
    }
  },
  ['GET /web/v1/channel-connections']: async (fixture) => {
    const channel = await addChannel(fixture)
    const holds = `${channel}_${await amojoOf(fixture.account)}`
    return { list: { of: 'connections', holds } }
  },
  [`POST ${chat}/{channel_id}/connect`]: (fixture) => protocol(fixture, 'connect'),
  [`DELETE ${chat}/{channel_id}/disconnect`]: (fixture) => protocol(fixture, 'disconnect'),
  [`POST ${chat}/{scope_id}`]: inScope('', { event_type: 'new_message', payload: message }),
  [`POST ${chat}/{scope_id}/chats`]: inScope('/chats', { conversation_id: 'one', user }),
  [`GET ${chat}/{scope_id}/chats/{conversation_ref_id}/history`]: inScope(
    '/chats/11111111-2222-4333-8444-555555555555/history',
  ),
  [`POST ${chat}/{scope_id}/typing`]: inScope('/typing', { conversation_id: 'one', sender: user }),
  [`POST ${chat}/{scope_id}/react`]: inScope('/react', { msgid: 'one', user, type: 'unreact' }),
}
