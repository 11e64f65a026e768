import { writeHandler } from '../../../../access/write-handler.ts'
import { batch } from '../../../../http/body.ts'
import { completeListBody, hal, halAnswer, nothing } from '../../../../http/hal.ts'
import { sendPage } from '../../../../http/paging.ts'
import type { PageRow } from '../../../../http/paging.ts'
import type { App, Kontor } from '../../../../kontor.ts'
import { bindChats } from '../binding.ts'
import { findViewed } from '../viewed.ts'
import type { ChatWay } from '../viewed.ts'
import { contactChatPage } from './queries.ts'
import * as shapes from './schema.ts'

const path = '/api/v4/contacts/chats'
const about = (summary: string) => ({ summary, tags: ['talks'] })

export function contactChatRoutes(app: App, { database }: Kontor): void {
  app.get(
    path,
    {
      config: { access: 'user' },
      schema: {
        ...about('List the chats of contacts'),
        querystring: shapes.ContactChatQuery,
        response: { 200: hal('A page of chats', shapes.ContactChatPage), 204: nothing },
      },
    },
    ({ actor, query }, reply) =>
      sendPage(reply, { collection: 'chats', usual: 250, countMember: '_total_items' }, (seek) => {
        const list = (way: ChatWay) =>
          database.list<PageRow>(contactChatPage(actor, query, seek, way))
        const isNamed = query.contact_id !== undefined || query.chat_id !== undefined
        return isNamed ? list({ kind: 'walk' }) : findViewed(actor, seek, list)
      }),
  )

  app.post(
    path,
    {
      config: { access: 'admin' },
      schema: {
        ...about('Bind chats to contacts'),
        body: batch(shapes.NewContactChat),
        response: { 200: hal('The chats, in request order', shapes.BoundChats) },
      },
    },
    writeHandler(database, async (tx, { actor, body }) =>
      halAnswer(completeListBody('chats', await bindChats(tx, actor, body))),
    ),
  )
}
