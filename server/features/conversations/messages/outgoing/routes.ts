import type { FastifyRequest } from 'fastify'
import { writeHandler } from '../../../../access/write-handler.ts'
import { one } from '../../../../http/body.ts'
import { chatPrefix } from '../../../../http/chat.ts'
import {
  CompleteList,
  hal,
  halAnswer,
  IdParams,
  json,
  nothing,
  sendCompleteList,
  sendHal,
  sendJson,
} from '../../../../http/hal.ts'
import { Type } from '../../../../http/type.ts'
import type { App, Kontor } from '../../../../kontor.ts'
import * as verbs from './outgoing.ts'
import * as shapes from './schema.ts'
import type { OutgoingMessage } from './schema.ts'

const chatsPath = '/web/v1/chats'
const strictly = { unknownKeys: 'reject' } as const

export function outgoingRoutes(app: App, kontor: Kontor): void {
  const { database } = kontor
  const users = { config: { access: 'user' } } as const

  app.get(
    `${chatsPath}/openings`,
    {
      ...users,
      schema: {
        summary: 'List with whom, and in which channels, the user may begin a chat',
        querystring: shapes.OpeningQuery,
        response: {
          200: hal('The ways', CompleteList('openings', shapes.ChatOpening)),
          204: nothing,
        },
      },
    },
    async ({ actor, query }, reply) => {
      const contactIds = query.contacts.split(',').map(Number)
      const openings = await verbs.listOpenings(database, actor, contactIds)
      return sendCompleteList(reply, 'openings', openings)
    },
  )

  app.post(
    chatsPath,
    {
      ...users,
      schema: {
        summary: 'Begin a chat with a contact',
        body: one(shapes.ChatDraft, strictly),
        response: {
          200: hal('The chat that the contact has already', shapes.StartedChat),
          201: hal('The new chat', shapes.StartedChat),
        },
      },
    },
    async ({ actor, base, body }, reply) => {
      const { chat, isNew } = await database.transaction((tx) => verbs.startChat(tx, actor, body))
      const _links = { self: { href: `${base}${chatsPath}/${chat.id}` } }
      return sendHal(reply.code(isNew ? 201 : 200), { ...chat, _links })
    },
  )

  app.post(
    `${chatsPath}/:id/messages`,
    {
      ...users,
      schema: {
        summary: 'Write a message into a chat',
        params: IdParams,
        body: one(shapes.MessageDraft, { ...strictly, check: shapes.faultsOfDraft }),
        response: { 201: hal('The message, which is being sent', shapes.OutgoingMessage) },
      },
    },
    writeHandler(database, async (tx, request) => {
      const { actor, body, params } = request
      const sent = await verbs.sendMessage(tx, kontor, actor, params.id, body)
      return halAnswer(shown(request, sent), 201)
    }),
  )

  app.post(
    '/web/v1/messages/:id/send-again',
    {
      ...users,
      schema: {
        summary: 'Send a message again whose delivery failed',
        params: IdParams,
        response: { 200: hal('The message, which is being sent', shapes.OutgoingMessage) },
      },
    },
    async (request, reply) => {
      const { actor, params } = request
      const sent = await database.transaction((tx) => verbs.sendAgain(tx, kontor, actor, params.id))
      return sendHal(reply, shown(request, sent))
    },
  )

  app.post(
    '/api/v4/talks/:id/send_message',
    {
      ...users,
      schema: {
        summary: 'Write a message into the chat of a talk',
        tags: ['chats'],
        params: IdParams,
        body: one(shapes.TalkMessage),
        response: { 202: hal('The message is being sent', shapes.SentToTalk) },
      },
    },
    writeHandler(database, async (tx, { actor, body, params: { id } }) => {
      const { uid } = await verbs.sendToTalk(tx, kontor, actor, id, body)
      return halAnswer({ id: uid }, 202)
    }),
  )

  app.post(
    `${chatPrefix}/:scope_id/:msgid/delivery_status`,
    {
      config: { access: 'channel' },
      schema: {
        summary: 'Say whether a message was delivered or read',
        tags: ['chats'],
        params: shapes.DeliveryStatusPath,
        body: one(shapes.DeliveryStatus, { isStrict: true }),
        response: {
          200: json('It is noted, or is no step forwards', Type.Object({})),
        },
      },
    },
    async ({ actor, connection, body, params: { msgid } }, reply) => {
      await database.transaction((tx) => verbs.noteDelivery(tx, actor, connection, msgid, body))
      return sendJson(reply, {})
    },
  )
}

function shown({ base }: Pick<FastifyRequest, 'base'>, message: OutgoingMessage) {
  const _links = { self: { href: `${base}/web/v1/messages/${message.id}` } }
  return { ...message, _links }
}
