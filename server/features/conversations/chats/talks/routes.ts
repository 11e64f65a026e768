import { writeHandler } from '../../../../access/write-handler.ts'
import { one } from '../../../../http/body.ts'
import { hal, IdParams, nothing, Page, sendRecord } from '../../../../http/hal.ts'
import { sendPage } from '../../../../http/paging.ts'
import { Type } from '../../../../http/type.ts'
import type { App, Kontor } from '../../../../kontor.ts'
import { shownTalk } from './queries.ts'
import * as shapes from './schema.ts'
import { closeTalk, findTalks } from './talks.ts'

const path = '/api/v4/talks'
const config = { access: 'user' } as const
const about = (summary: string) => ({ summary, tags: ['talks'] })

export function talkRoutes(app: App, { database }: Kontor): void {
  app.get(
    path,
    {
      config,
      schema: {
        ...about('List talks'),
        querystring: shapes.TalkQuery,
        response: { 200: hal('A page of talks', Page('talks', shapes.Talk)), 204: nothing },
      },
    },
    ({ actor, base, query: { filter = {} } }, reply) =>
      sendPage(reply, { collection: 'talks' }, (seek) =>
        findTalks(database, actor, base, filter, seek),
      ),
  )

  app.get(
    `${path}/:id`,
    {
      config,
      schema: {
        ...about('Read a talk'),
        params: IdParams,
        response: { 200: hal('The talk', shapes.Talk) },
      },
    },
    async ({ actor, base, params: { id } }, reply) =>
      sendRecord(reply, await database.row(shownTalk(actor, base, id)), 'always 404'),
  )

  app.post(
    `${path}/:id/close`,
    {
      config,
      schema: {
        ...about('Close a talk'),
        params: IdParams,
        body: one(shapes.TalkClosing),
        response: { 202: Type.Null({ description: 'The talk is closed' }) },
      },
    },
    writeHandler(database, async (tx, { actor, params: { id } }) => {
      await closeTalk(tx, actor, id)
      return { status: 202, type: null, text: '' }
    }),
  )
}
