import { one } from '../../../../http/body.ts'
import {
  hal,
  IdParams,
  nothing,
  Page,
  sendAnswer,
  sendHal,
  sendRecord,
  recordAnswer,
} from '../../../../http/hal.ts'
import type { Answer } from '../../../../http/hal.ts'
import type { Tx } from '../../../../database/connect.ts'
import type { Actor } from '../../../../access/actor.ts'
import { sendPage } from '../../../../http/paging.ts'
import type { App, Kontor } from '../../../../kontor.ts'
import { closeChat } from '../talks/talks.ts'
import { countInbox, findChats, readChat, unreadChat } from './inbox.ts'
import { oneInboxChat } from './queries.ts'
import * as shapes from './schema.ts'

const path = '/web/v1/chats'
const itsPath = `${path}/:id`
const config = { access: 'user' } as const

export function inboxRoutes(app: App, { database }: Kontor): void {
  app.get(
    path,
    {
      config,
      schema: {
        summary: 'List chats',
        querystring: shapes.InboxQuery,
        response: { 200: hal('A page of chats', Page('chats', shapes.InboxChat)), 204: nothing },
      },
    },
    ({ actor, base, query }, reply) =>
      sendPage(reply, { collection: 'chats' }, (seek) =>
        findChats(database, actor, base, query, seek),
      ),
  )

  app.get(
    `${path}/counts`,
    {
      config,
      schema: {
        summary: 'Count open chats',
        response: { 200: hal('The numbers by tab', shapes.InboxCounts) },
      },
    },
    async ({ actor }, reply) => sendHal(reply, await countInbox(database, actor)),
  )

  const chat = { 200: hal('The chat', shapes.InboxChat) }

  app.get(
    itsPath,
    { config, schema: { summary: 'Read a chat', params: IdParams, response: chat } },
    async ({ actor, base, params: { id } }, reply) =>
      sendRecord(reply, await database.row(oneInboxChat(actor, base, id)), 'always 404'),
  )

  app.post(
    `${itsPath}/read`,
    {
      config,
      schema: {
        summary: 'Mark the messages of a chat as read',
        params: IdParams,
        body: one(shapes.ReadMark),
        response: chat,
      },
    },
    async ({ actor, base, body, params: { id } }, reply) => {
      const answer = await database.transaction(async (tx) => {
        await readChat(tx, actor, id, body)
        return chatAnswer(tx, actor, base, id)
      })
      return sendAnswer(reply, answer)
    },
  )

  app.post(
    `${itsPath}/unread`,
    {
      config,
      schema: { summary: 'Mark a chat as unread', params: IdParams, response: chat },
    },
    async ({ actor, base, params: { id } }, reply) => {
      const answer = await database.transaction(async (tx) => {
        await unreadChat(tx, actor, id)
        return chatAnswer(tx, actor, base, id)
      })
      return sendAnswer(reply, answer)
    },
  )

  app.post(
    `${itsPath}/close`,
    {
      config,
      schema: { summary: 'Close the talk of a chat', params: IdParams, response: chat },
    },
    async ({ actor, base, params: { id } }, reply) => {
      const answer = await database.transaction(async (tx) => {
        await closeChat(tx, actor, id)
        return chatAnswer(tx, actor, base, id)
      })
      return sendAnswer(reply, answer)
    },
  )
}

const chatAnswer = async (tx: Tx, actor: Actor, base: string, id: number): Promise<Answer> =>
  recordAnswer(await tx.row<{ json: string | null }>(oneInboxChat(actor, base, id)))
