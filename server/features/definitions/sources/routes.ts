import { writeHandler } from '../../../access/write-handler.ts'
import { batch, change } from '../../../http/body.ts'
import {
  hal,
  IdParams,
  nothing,
  sendRecord,
  sendCompleteList,
  completeListBody,
  CompleteList,
  CompleteListQuery,
  Written,
  halAnswer,
} from '../../../http/hal.ts'
import { Type } from '../../../http/type.ts'
import { Filter, Filters, Names, severalTexts } from '../../../records/lists/schema.ts'
import type { App, Kontor } from '../../../kontor.ts'
import { NewSource, OneSourceChange, Source, SourceChange, SourceReference } from './schema.ts'
import {
  changeSources,
  createSources,
  deleteSource,
  deleteSources,
  listSources,
} from './sources.ts'

/** Sources of one request at most (interface: Limits). */
const most = 50

const path = '/api/v4/sources'
const tags = ['sources']
const config = { access: 'admin' as const }

const SourceQuery = Type.Object(
  {
    ...CompleteListQuery.properties,
    filter: Type.Optional(
      Filters({ external_id: Filter(Names, severalTexts('external_id', 'text')) }),
    ),
  },
  { additionalProperties: true },
)

const WrittenList = CompleteList('sources', Written(Source))

export function sourceRoutes(app: App, { database }: Kontor): void {
  app.get(
    path,
    {
      config,
      schema: {
        summary: "List the integration's sources",
        tags,
        querystring: SourceQuery,
        response: {
          200: hal('All sources of the integration', CompleteList('sources', Source)),
          204: nothing,
        },
      },
    },
    async ({ actor, base, query: { filter } }, reply) =>
      sendCompleteList(
        reply,
        'sources',
        await listSources(database, actor, base, { names: filter?.external_id }),
      ),
  )

  app.get(
    `${path}/:id`,
    {
      config,
      schema: {
        summary: 'Read a source',
        tags,
        params: IdParams,
        response: { 200: hal('The source', Source) },
      },
    },
    async ({ actor, base, params: { id } }, reply) => {
      const [source] = await listSources(database, actor, base, { ids: [id] })
      return sendRecord(reply, source && { json: JSON.stringify(source) }, 'always 404')
    },
  )

  app.post(
    path,
    {
      config,
      schema: {
        summary: 'Create sources',
        tags,
        body: batch(NewSource, most),
        response: { 200: hal('The created sources, in request order', WrittenList) },
      },
    },
    writeHandler(database, async (tx, { actor, base, body }) => {
      const sources = await createSources(tx, actor, base, body)
      return halAnswer(completeListBody('sources', sources, base + path))
    }),
  )

  app.patch(
    path,
    {
      config,
      schema: {
        summary: 'Change sources',
        tags,
        body: batch(SourceChange, most),
        response: { 200: hal('The changed sources, in request order', WrittenList) },
      },
    },
    writeHandler(database, async (tx, { actor, base, body }) => {
      const sources = await changeSources(tx, actor, base, body)
      return halAnswer(completeListBody('sources', sources, base + path))
    }),
  )

  app.patch(
    `${path}/:id`,
    {
      config,
      schema: {
        summary: 'Change a source',
        tags,
        params: IdParams,
        body: change(SourceChange, { shown: OneSourceChange }),
        response: { 200: hal('The source', Source) },
      },
    },
    writeHandler(database, async (tx, { actor, base, body }) => {
      const [changed] = await changeSources(tx, actor, base, body, 'notFound')
      const { request_id: _, ...source } = changed!
      return halAnswer(source)
    }),
  )

  app.delete(
    path,
    {
      config,
      schema: {
        summary: 'Delete sources',
        tags,
        body: batch(SourceReference, most),
        response: {
          204: Type.Null({ description: 'The sources are deleted; their leads still show them' }),
        },
      },
    },
    async ({ actor, body }, reply) => {
      await database.transaction((tx) => deleteSources(tx, actor, body))
      return reply.code(204).send()
    },
  )

  app.delete(
    `${path}/:id`,
    {
      config,
      schema: {
        summary: 'Delete a source',
        tags,
        params: IdParams,
        response: {
          204: Type.Null({ description: 'The source is deleted; its leads still show it' }),
        },
      },
    },
    async ({ actor, params: { id } }, reply) => {
      await database.transaction((tx) => deleteSource(tx, actor, id))
      return reply.code(204).send()
    },
  )
}
