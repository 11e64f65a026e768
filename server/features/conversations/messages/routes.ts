import { one } from '../../../http/body.ts'
import { chatPrefix } from '../../../http/chat.ts'
import { json, sendJson } from '../../../http/hal.ts'
import { Type } from '../../../http/type.ts'
import type { App, Kontor } from '../../../kontor.ts'
import * as verbs from './messages.ts'
import type { HistoryRow } from './queries.ts'
import * as shapes from './schema.ts'
import type { NewMessage } from './schema.ts'

const scope = `${chatPrefix}/:scope_id`
const tags = ['chats']
/** The most messages of a history at once. */
const mostOfHistory = 50

/** The chat protocol: the methods of channels for a connected account. */
export function messageRoutes(app: App, kontor: Kontor): void {
  const { database, signals } = kontor
  const channels = { config: { access: 'channel' } } as const
  const params = shapes.ScopePath

  app.post(
    scope,
    {
      ...channels,
      schema: {
        summary: 'Publish a message, or edit one',
        tags,
        params,
        body: one(shapes.PublicationBody, { isStrict: true, check: shapes.faultsOfPublication }),
        response: { 200: json('The message, with the ids of Kontor', shapes.PublicationAnswer) },
      },
    },
    async ({ actor, connection, body: { event_type, payload } }, reply) => {
      const new_message = await database.transaction((tx) =>
        event_type === 'new_message'
          ? verbs.publishMessage(tx, actor, connection, payload as NewMessage)
          : verbs.editMessage(tx, actor, connection, payload),
      )
      return sendJson(reply, { new_message })
    },
  )

  app.post(
    `${scope}/chats`,
    {
      ...channels,
      schema: {
        summary: 'Create the chat of a conversation',
        tags,
        params,
        body: one(shapes.NewChatBody, { isStrict: true }),
        response: { 200: json('The chat, new or known', shapes.NewChatAnswer) },
      },
    },
    async ({ actor, connection, body }, reply) =>
      sendJson(
        reply,
        await database.transaction((tx) => verbs.createChat(tx, actor, connection, body)),
      ),
  )

  app.get(
    `${scope}/chats/:conversation_ref_id/history`,
    {
      ...channels,
      schema: {
        summary: 'Read the messages of a chat, newest first',
        tags,
        params: shapes.HistoryPath,
        querystring: shapes.HistoryQuery,
        response: {
          200: json('The messages', shapes.History),
          204: Type.Null({ description: 'The chat has no messages, or there is no such chat' }),
        },
      },
    },
    async ({ connection, params: { conversation_ref_id }, query }, reply) => {
      const { offset = 0, limit = mostOfHistory } = query
      const page = { offset, limit: Math.min(limit, mostOfHistory) }
      const rows = await verbs.readHistory(database, connection, conversation_ref_id, page)
      if (rows.length === 0) return reply.code(204).send()
      return sendJson(reply, { messages: rows.map(historyItem) })
    },
  )

  app.post(
    `${scope}/typing`,
    {
      ...channels,
      schema: {
        summary: 'Tell that the client types',
        tags,
        params,
        body: one(shapes.TypingBody, { isStrict: true }),
        response: { 204: Type.Null({ description: 'Told' }) },
      },
    },
    async ({ connection, body }, reply) => {
      await verbs.announceTyping(database, connection, body, kontor.now() * 1000, signals)
      return reply.code(204).send()
    },
  )

  app.post(
    `${scope}/react`,
    {
      ...channels,
      schema: {
        summary: 'Add or take away a reaction to a message',
        tags,
        params,
        body: one(shapes.ReactionBody, { isStrict: true, check: shapes.faultsOfReaction }),
        response: { 200: json('Done', Type.Object({})) },
      },
    },
    async ({ actor, connection, body }, reply) => {
      await database.transaction((tx) => verbs.reactToMessage(tx, actor, connection, body))
      return sendJson(reply, {})
    },
  )
}

/** A message as its channel reads it back; the client's have no receiver. */
function historyItem({ client, author, is_outgoing, msec_timestamp, ...message }: HistoryRow) {
  const { uid, msgid, type, text, content } = message
  const filled = Object.entries(client).filter(([, value]) => value !== null)
  const person = Object.fromEntries(filled)
  return {
    timestamp: Math.floor(msec_timestamp / 1000),
    msec_timestamp,
    sender: is_outgoing ? author : person,
    ...(is_outgoing && { receiver: person }),
    message: {
      id: uid,
      ...(msgid !== null && { client_id: msgid }),
      type,
      text,
      media: content.media ?? '',
      thumbnail: content.thumbnail ?? '',
      file_name: content.file_name ?? '',
      file_size: content.file_size ?? 0,
      ...(content.media_group_id && { media_group_id: content.media_group_id }),
      ...(content.location && { location: content.location }),
      ...(content.contact && { contact: content.contact }),
    },
  }
}
