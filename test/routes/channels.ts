// The requests to the routes of channels. Nobody in the columns has the secret of a channel: a token opens nothing of the chat protocol.
import sql from 'sql-template-tag'
import { serverItself } from '../../server/access/standing.ts'
import { connectAccount, createChannel } from '../../server/features/channels/channels.ts'
import type { TestAccount } from '../account.ts'
import type { Cast } from './cast.ts'
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
async function addChannel({ account, mark }: Cast): Promise<string> {
  const { database, now, secrets } = account.kontor
  const account_id = await amojoOf(account)
  return database.transaction(async (tx) => {
    await tx.rows(sql`delete from channel_connections where account_id = ${account.id}`)
    await tx.rows(
      sql`delete from channels where account_id = ${account.id} and not exists (select from chats where channel_id = channels.id)`,
    )
    const actor = serverItself(account.id, now())
    const draft = { name: `Line ${mark}`, hook_v1: `https://example.com/${mark}/:scope_id` }
    const { id } = await createChannel(tx, secrets, actor, draft, 'none')
    await connectAccount(tx, now(), { id, ownerId: account.id }, { account_id })
    return id
  })
}

const one =
  (tail = '', body?: object): Prepare =>
  async (cast) => ({ path: `${path}/${await addChannel(cast)}${tail}`, body })

async function protocol(cast: Cast, tail: string) {
  const channel = await addChannel(cast)
  return { path: `${chat}/${channel}/${tail}`, body: { account_id: await amojoOf(cast.account) } }
}

export const channelRequests: Record<string, Prepare> = {
  [`GET ${path}`]: async (cast, column) => {
    const holds = await addChannel(cast)
    if (column === 'alien') await cast.alien.api.post(path, { name: 'Theirs' })
    return { list: { of: 'channels', holds } }
  },
  [`POST ${path}`]: () => ({ body: { name: 'A line' } }),
  [`GET ${path}/{id}`]: one(),
  [`PATCH ${path}/{id}`]: one('', { name: 'Taken' }),
  [`DELETE ${path}/{id}`]: one(),
  [`POST ${path}/{id}/secret`]: one('/secret'),
  [`GET ${path}/{id}/connections`]: async (cast) => {
    const channel = await addChannel(cast)
    return {
      path: `${path}/${channel}/connections`,
      list: { of: 'connections', holds: `${channel}_${await amojoOf(cast.account)}` },
    }
  },
  ['GET /web/v1/channel-connections']: async (cast) => {
    const channel = await addChannel(cast)
    const holds = `${channel}_${await amojoOf(cast.account)}`
    return { list: { of: 'connections', holds } }
  },
  [`POST ${chat}/{channel_id}/connect`]: (cast) => protocol(cast, 'connect'),
  [`DELETE ${chat}/{channel_id}/disconnect`]: (cast) => protocol(cast, 'disconnect'),
}
