import { forbidIntegrations } from '../../../access/actor.ts'
import { callLogOf } from '../../../access/call-log.ts'
import { one } from '../../../http/body.ts'
import { chatPrefix } from '../../../http/chat.ts'
import {
  CompleteList,
  hal,
  json,
  nothing,
  sendCompleteList,
  sendHal,
  sendJson,
} from '../../../http/hal.ts'
import { notFound } from '../../../http/problem.ts'
import { Type } from '../../../http/type.ts'
import type { App, Kontor } from '../../../kontor.ts'
import * as verbs from './channels.ts'
import type { StoredChannel } from './channels.ts'
import * as shapes from './schema.ts'
import { writtenByAdministrators } from '../../../outgoing/door.ts'

const path = '/web/v1/channels'
const itsPath = `${path}/:id`
const chats = ['chats']
const strictly = { unknownKeys: 'reject' } as const

export function channelRoutes(app: App, kontor: Kontor): void {
  const { database, door, secrets } = kontor
  // For people: an integration must not register a way into the account, nor read its secret.
  const admins = { config: { access: 'admin' }, onRequest: forbidIntegrations } as const
  // Access can be ended in an unpaid account, too.
  const endings = { ...admins, config: { ...admins.config, isPaid: false } } as const
  const params = shapes.ChannelParams

  app.get(
    path,
    {
      ...admins,
      schema: {
        response: {
          200: hal('The channels of the account', CompleteList('channels', shapes.Channel)),
          204: nothing,
        },
      },
    },
    async ({ actor, base }, reply) => {
      const channels = await verbs.listChannels(database, actor)
      return sendCompleteList(
        reply,
        'channels',
        channels.map((each) => shown(base, each)),
      )
    },
  )

  app.get(
    itsPath,
    { ...admins, schema: { params, response: { 200: hal('The channel', shapes.Channel) } } },
    async ({ actor, base, params: { id } }, reply) => {
      const [channel] = await verbs.listChannels(database, actor, id)
      if (!channel) throw notFound()
      return sendHal(reply, shown(base, channel))
    },
  )

  app.post(
    path,
    {
      ...admins,
      schema: {
        body: one(shapes.NewChannel, strictly),
        response: { 201: hal('The new channel, with its secret', shapes.ShownChannel) },
      },
    },
    async ({ actor, base, body }, reply) => {
      const permit = await door.permit(writtenByAdministrators(actor.accountId))
      const { secret, ...made } = await database.transaction((tx) =>
        verbs.createChannel(tx, secrets, actor, body, permit),
      )
      return sendHal(reply.code(201), { ...shown(base, made), secret })
    },
  )

  app.patch(
    itsPath,
    {
      ...admins,
      schema: {
        params,
        body: one(shapes.ChannelChange, strictly),
        response: { 200: hal('The channel', shapes.Channel) },
      },
    },
    async ({ actor, base, body, params: { id } }, reply) => {
      const permit = await door.permit(writtenByAdministrators(actor.accountId))
      const changed = await database.transaction((tx) =>
        verbs.changeChannel(tx, actor, id, body, permit),
      )
      return sendHal(reply, shown(base, changed))
    },
  )

  app.post(
    `${itsPath}/secret`,
    {
      ...endings,
      schema: {
        params,
        response: { 200: hal('The new secret; the old one has ended', shapes.ChannelSecret) },
      },
    },
    async ({ actor, base, params: { id } }, reply) => {
      const secret = await database.transaction((tx) =>
        verbs.renewChannelSecret(tx, secrets, actor, id),
      )
      return sendHal(reply, { id, secret, _links: { self: { href: `${base}${path}/${id}` } } })
    },
  )

  app.delete(
    itsPath,
    {
      ...endings,
      schema: {
        params,
        response: { 204: Type.Null({ description: 'The channel and its connections are gone' }) },
      },
    },
    async ({ actor, params: { id } }, reply) => {
      await database.transaction((tx) => verbs.deleteChannel(tx, actor, id))
      return reply.code(204).send()
    },
  )

  app.post(
    `${itsPath}/try`,
    {
      ...admins,
      schema: {
        summary: 'Send a request as the program of the channel',
        params,
        body: one(shapes.TriedRequest, strictly),
        response: { 200: hal('The answer that the program would get', shapes.TriedAnswer) },
      },
    },
    async ({ actor, body, params: { id } }, reply) => {
      const signed = await verbs.signTrial(database, secrets, actor, id, body, kontor.now())
      const { statusCode: status, payload } = await app.inject(signed)
      return sendHal(reply, { status, body: payload === '' ? null : JSON.parse(payload) })
    },
  )

  app.post(
    `${itsPath}/signature`,
    {
      ...admins,
      schema: {
        summary: 'Sign a request with the secret of the channel',
        params,
        body: one(shapes.SignatureRequest, strictly),
        response: { 200: hal('The signatures', shapes.ChannelSignature) },
      },
    },
    async ({ actor, body, params: { id } }, reply) =>
      sendHal(reply, await verbs.signaturesOfRequest(database, secrets, actor, id, body)),
  )

  app.get(
    `${itsPath}/calls`,
    {
      ...admins,
      schema: {
        params,
        response: {
          200: hal(
            'The latest requests in both directions, the newest first',
            CompleteList('calls', shapes.ChannelCall),
          ),
          204: nothing,
        },
      },
    },
    async ({ actor, params: { id } }, reply) => {
      await callLogOf(kontor).write()
      return sendCompleteList(reply, 'calls', await verbs.listChannelCalls(database, actor, id))
    },
  )

  const connections = {
    200: hal('The connections', CompleteList('connections', shapes.ConnectionState)),
    204: nothing,
  }

  app.get(
    `${itsPath}/connections`,
    { ...admins, schema: { params, response: connections } },
    async ({ actor, params: { id } }, reply) =>
      sendCompleteList(
        reply,
        'connections',
        await verbs.listConnectionsOfChannel(database, actor, id),
      ),
  )

  app.get(
    '/web/v1/channel-connections',
    { ...admins, schema: { response: connections } },
    async ({ actor }, reply) =>
      sendCompleteList(reply, 'connections', await verbs.listConnections(database, actor)),
  )

  const channels = { config: { access: 'channel' } } as const

  app.post(
    `${chatPrefix}/:channel_id/connect`,
    {
      ...channels,
      schema: {
        summary: 'Connect an account to a channel, or change the connection',
        tags: chats,
        params: shapes.ChannelPath,
        body: one(shapes.ConnectBody, { isStrict: true }),
        response: { 200: json('The connection', shapes.Connected) },
      },
    },
    async ({ channel, body }, reply) => {
      const at = kontor.now()
      const made = await database.transaction((tx) => verbs.connectAccount(tx, at, channel, body))
      return sendJson(reply, made)
    },
  )

  app.delete(
    `${chatPrefix}/:channel_id/disconnect`,
    {
      ...channels,
      schema: {
        summary: 'Disconnect an account from a channel',
        tags: chats,
        params: shapes.ChannelPath,
        body: one(shapes.DisconnectBody, { isStrict: true }),
        response: { 200: json('The account is not connected', Type.Object({})) },
      },
    },
    async ({ channel, body: { account_id } }, reply) => {
      const at = kontor.now()
      await database.transaction((tx) => verbs.disconnectAccount(tx, at, channel, account_id))
      return sendJson(reply, {})
    },
  )
}

function shown(base: string, channel: StoredChannel) {
  return { ...channel, _links: { self: { href: `${base}${path}/${channel.id}` } } }
}
