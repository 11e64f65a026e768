import { forbidIntegrations } from '../../../access/actor.ts'
import { writeHandler } from '../../../access/write-handler.ts'
import { change, one, oneNew } from '../../../http/body.ts'
import {
  CountedPage,
  hal,
  halAnswer,
  IdParams,
  nothing,
  recordAnswer,
  sendHal,
  sendRecord,
  Written,
} from '../../../http/hal.ts'
import { sendPage } from '../../../http/paging.ts'
import { Type } from '../../../http/type.ts'
import type { App, Kontor } from '../../../kontor.ts'
import { countSegments, segmentList } from './queries.ts'
import type { SegmentLine } from './queries.ts'
import { NewSegment, Segment, SegmentChange, SegmentConditions, SegmentQuery } from './schema.ts'
import {
  changeSegment,
  createSegment,
  deleteSegment,
  findSegment,
  readConditions,
  requireSegments,
  segmentTexts,
  setConditions,
} from './segments.ts'

const path = '/api/v4/customers/segments'
const tags = ['customers']

export function segmentRoutes(app: App, { database }: Kontor): void {
  const reading = { access: 'user' as const }
  const writing = { access: 'admin' as const }

  app.get(
    path,
    {
      config: reading,
      schema: {
        summary: 'List the segments of customers',
        tags,
        querystring: SegmentQuery,
        response: {
          200: hal('A page of segments, sorted by id', CountedPage('segments', Segment)),
          204: nothing,
        },
      },
    },
    async ({ actor, base }, reply) => {
      await requireSegments(database, actor)
      const total = async () => (await database.row<{ total: number }>(countSegments(actor)))!.total
      return sendPage(reply, { collection: 'segments', total }, async (seek) => {
        const lines = await database.list<SegmentLine>(segmentList(actor, seek))
        const texts = await segmentTexts(database, actor, base, lines)
        return lines.map(({ id }, index) => ({ key: id, id, json: texts[index]! }))
      })
    },
  )

  app.get(
    `${path}/:id`,
    {
      config: reading,
      schema: {
        summary: 'Read a segment of customers',
        tags,
        params: IdParams,
        response: { 200: hal('The segment', Segment) },
      },
    },
    async ({ actor, base, params: { id } }, reply) => {
      await requireSegments(database, actor)
      const json = await findSegment(database, actor, base, id)
      return sendRecord(reply, json === undefined ? undefined : { json }, 'always 404')
    },
  )

  app.post(
    path,
    {
      config: writing,
      schema: {
        summary: 'Create a segment of customers',
        tags,
        body: oneNew(NewSegment),
        response: { 200: hal('The created segment', Segment) },
      },
    },
    writeHandler(database, async (tx, { actor, base, body }) => {
      const id = await createSegment(tx, actor, body)
      return recordAnswer({ json: (await findSegment(tx, actor, base, id))! })
    }),
  )

  app.patch(
    `${path}/:id`,
    {
      config: writing,
      schema: {
        summary: 'Change a segment of customers',
        tags,
        params: IdParams,
        body: change(SegmentChange),
        response: { 200: hal('The segment', Written(Segment)) },
      },
    },
    writeHandler(database, async (tx, { actor, base, body, params: { id } }) => {
      await changeSegment(tx, actor, id, body)
      const { request_id } = body.items[0]!
      const json = (await findSegment(tx, actor, base, id))!
      return halAnswer(`${json.slice(0, -1)},"request_id":${JSON.stringify(request_id)}}`)
    }),
  )

  app.delete(
    `${path}/:id`,
    {
      config: writing,
      schema: {
        summary: 'Delete a segment of customers',
        tags,
        params: IdParams,
        response: {
          204: Type.Null({
            description: 'The segment is deleted; its customers are in it no more',
          }),
        },
      },
    },
    async ({ actor, params: { id } }, reply) => {
      await database.transaction((tx) => deleteSegment(tx, actor, id))
      return reply.code(204).send()
    },
  )

  conditionRoutes(app, database)
}

/** Private to the web application: the public interface has no conditions. */
function conditionRoutes(app: App, database: Kontor['database']): void {
  const admins = { config: { access: 'admin' }, onRequest: forbidIntegrations } as const
  const conditions = '/web/v1/customers/segments/:id/conditions'
  const params = IdParams
  const response = { 200: hal('The conditions of the segment', SegmentConditions) }

  app.get(
    conditions,
    { ...admins, schema: { params, response } },
    async ({ actor, params: { id } }, reply) =>
      sendHal(reply, await readConditions(database, actor, id)),
  )

  app.put(
    conditions,
    { ...admins, schema: { params, body: one(SegmentConditions), response } },
    async ({ actor, body, params: { id } }, reply) => {
      await database.transaction((tx) => setConditions(tx, actor, id, body))
      return sendHal(reply, body)
    },
  )
}
