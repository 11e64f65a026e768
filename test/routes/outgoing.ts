// The requests to the routes of messages that leave. Nobody in the columns has the secret of a channel: a token opens nothing of the chat
// protocol. No sender runs, so messages stay as they are.
import sql from 'sql-template-tag'
import { serverItself } from '../../server/access/user-access.ts'
import {
  connectAccount,
  createChannel,
} from '../../server/features/conversations/channels/channels.ts'
import { sendMessage } from '../../server/features/conversations/messages/outgoing/outgoing.ts'
import { addTestChat } from '../outgoing.ts'
import { newPermit } from '../../server/outgoing/guarded.ts'
import type { Column } from '../routes.ts'
import { responsibleFor } from './fixture.ts'
import type { RouteFixture } from './fixture.ts'
import type { Prepare } from './requests.ts'
import * as seed from './seed.ts'

/** The channel that messages leave through. */
async function channelOf(fixture: RouteFixture): Promise<{ id: string; amojoId: string }> {
  const { account } = fixture
  const { database, now, secrets } = account.kontor
  const actor = serverItself(account.id, now())
  const name = `Chats ${fixture.mark}`
  const known = await database.row<{ id: string }>(
    sql`select id from channels where account_id = ${account.id} and name = ${name} and deleted_at is null`,
  )
  const { id } =
    known ??
    (await database.transaction((tx) =>
      createChannel(tx, secrets, actor, { name }, newPermit('none')),
    ))
  const { amojo_id: amojoId } = (await database.row<{ amojo_id: string }>(
    sql`select amojo_id from accounts where id = ${account.id}`,
  ))!
  const body = { account_id: amojoId, hook_api_version: 'v2' } as const
  await database.transaction((tx) => connectAccount(tx, now(), { id, ownerId: account.id }, body))
  return { id, amojoId }
}

const addChat = async (fixture: RouteFixture, column: Column) =>
  addTestChat(fixture.account, await channelOf(fixture), {
    responsible: responsibleFor(fixture, column).id,
  })

/** A message that could not be delivered. */
async function addFailed(fixture: RouteFixture, column: Column) {
  const { database, now } = fixture.account.kontor
  const chat = await addChat(fixture, column)
  return database.transaction(async (tx) => {
    const actor = serverItself(fixture.account.id, now())
    const sent = await sendMessage(tx, fixture.account.kontor, actor, chat.id, {
      text: `Text ${fixture.mark}`,
    })
    await tx.rows(
      sql`update messages set status = 'error', error_code = 903 where id = ${sent.id} and account_id = ${fixture.account.id}`,
    )
    return sent
  })
}

const body = { text: 'Taken' }

/** A message to a chat that belongs to a lead. */
export const ofLead: Prepare = async (fixture) => {
  const lead = await seed.addRecord(fixture, 'leads', fixture.outsider)
  const chat = await addTestChat(fixture.account, await channelOf(fixture), { lead })
  return { path: `/web/v1/chats/${chat.id}/messages`, body }
}

export const outgoingRequests: Record<string, Prepare> = {
  'GET /web/v1/chats/openings': async (fixture, column) => {
    await channelOf(fixture)
    const contact = await seed.addRecord(fixture, 'contacts', responsibleFor(fixture, column))
    const phone = { field_code: 'PHONE', values: [{ value: '+15550100' }] }
    await fixture.account.api.patch(`/api/v4/contacts/${contact}`, {
      custom_fields_values: [phone],
    })
    return { query: `?contacts=${contact}`, list: { of: 'openings', holds: contact } }
  },
  'POST /web/v1/chats': async (fixture, column) => {
    const { id: channel_id } = await channelOf(fixture)
    const contact_id = await seed.addRecord(fixture, 'contacts', responsibleFor(fixture, column))
    return { body: { channel_id, contact_id, phone: '+15550100' } }
  },
  'POST /web/v1/chats/{id}/messages': async (fixture, column) => ({
    path: `/web/v1/chats/${(await addChat(fixture, column)).id}/messages`,
    body,
  }),
  'POST /web/v1/messages/{id}/send-again': async (fixture, column) => ({
    path: `/web/v1/messages/${(await addFailed(fixture, column)).id}/send-again`,
  }),
  'POST /api/v4/talks/{id}/send_message': async (fixture, column) => ({
    path: `/api/v4/talks/${(await addFailed(fixture, column)).talk_id}/send_message`,
    body,
  }),
  'POST /v2/origin/custom/{scope_id}/{msgid}/delivery_status': async (fixture, column) => {
    const { id, amojoId } = await channelOf(fixture)
    const { uid } = await addFailed(fixture, column)
    return {
      path: `/v2/origin/custom/${id}_${amojoId}/${uid}/delivery_status`,
      body: { delivery_status: 1 },
    }
  },
}
