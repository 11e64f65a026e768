// The routes that every kind of record has, in the order list, one, create, change, delete, restore.
import { Type } from 'typebox'
import type { TSchema } from 'typebox'
import type { Actor } from '../access/actor.ts'
import type { Batch } from '../http/batch.ts'
import { batch, change } from '../http/body.ts'
import type { Body } from '../http/body.ts'
import {
  AddedAnswer,
  ChangedAnswer,
  hal,
  IdParams,
  nothing,
  OneChangedAnswer,
  Page,
  sendBatch,
  sendOneChanged,
  sendRecord,
} from '../http/hal.ts'
import { sendPage } from '../http/paging.ts'
import type { App, Kontor } from '../kontor.ts'
import { embed } from './lists/embed.ts'
import type { BareRecord } from './lists/embed.ts'
import type { RecordDescription } from './description.ts'
import { singular } from '../entity-types.ts'
import type { RecordRow } from './statements.ts'
import { findRecords } from './lists/find.ts'
import { oneRecord } from './statements.ts'
import { requireRight } from '../access/record-rights.ts'
import { Binned, wantedBy, WithQuery } from './schema.ts'
import type { Identified, RecordQuery, Sent } from './schema.ts'
import { changeRecords, createRecords, deleteRecord, restoreRecord } from './writing/write.ts'

/** The shapes of a kind: as it is read, as it is asked for, and as it is written. */
export interface Shapes {
  record: TSchema & { properties: Record<string, TSchema> }
  query: TSchema
  draft: TSchema
  change: TSchema
  oneChange: TSchema
  /** Where the list is found besides its own path. */
  listedAt?: string[]
}

export function recordRoutes<Row extends RecordRow, Draft extends Sent, Context>(
  app: App,
  { database }: Kontor,
  kind: RecordDescription<Row, Draft, Context>,
  shapes: Shapes,
): void {
  const { type } = kind
  const path = `/api/v4/${type}`
  const drafts = batch(shapes.draft) as Body<Batch<Draft>>
  const changes = batch(shapes.change) as Body<Batch<Identified<Draft>>>
  const ofOne = change(shapes.change, { shown: shapes.oneChange }) as typeof changes
  const config = { access: 'user' as const }
  const about = (summary: string) => ({ summary, tags: [type] })
  const one = async (actor: Actor, base: string, id: number, asked?: string) => {
    const wanted = wantedBy(asked)
    const found = await database.row<BareRecord | (BareRecord & { json: null })>(
      oneRecord(kind, actor, base, id, wanted),
    )
    return found?.json ? (await embed(database, actor, base, kind, wanted, [found]))[0] : found
  }

  for (const listed of [path, ...(shapes.listedAt ?? [])]) {
    app.get(
      listed,
      {
        config,
        schema: {
          ...about(`List ${type}`),
          querystring: shapes.query,
          response: {
            200: hal(
              `A page of ${type}`,
              Page(type, Type.Union([shapes.record, Binned(shapes.record.properties)])),
            ),
            204: nothing,
          },
        },
      },
      ({ actor, base, query }, reply) => {
        requireRight(actor, type, 'view')
        const asked = query as RecordQuery
        const wanted = wantedBy(asked.with)
        return sendPage(reply, { collection: type }, async (seek) => {
          const lines = await findRecords(database, actor, base, kind, asked, seek)
          return wanted.has('only_deleted')
            ? lines
            : embed(database, actor, base, kind, wanted, lines)
        })
      },
    )
  }

  app.get(
    `${path}/:id`,
    {
      config,
      schema: {
        ...about(`Read a ${singular[type]}`),
        params: IdParams,
        querystring: WithQuery,
        response: { 200: hal(`The ${singular[type]}`, shapes.record), 204: nothing },
      },
    },
    async ({ actor, base, params, query }, reply) => {
      requireRight(actor, type, 'view')
      return sendRecord(reply, await one(actor, base, params.id, query.with))
    },
  )

  app.post(
    path,
    {
      config,
      schema: {
        ...about(`Create ${type}`),
        body: drafts,
        response: { 200: hal('Their ids, in the order of the request', AddedAnswer(type)) },
      },
    },
    async ({ actor, body }, reply) =>
      sendBatch(
        reply,
        type,
        await database.transaction((tx) => createRecords(tx, actor, kind, body)),
      ),
  )

  app.patch(
    path,
    {
      config,
      schema: {
        ...about(`Change ${type}`),
        body: changes,
        response: { 200: hal('They, in the order of the request', ChangedAnswer(type)) },
      },
    },
    async ({ actor, body }, reply) =>
      sendBatch(
        reply,
        type,
        await database.transaction((tx) => changeRecords(tx, actor, kind, body)),
      ),
  )

  app.patch(
    `${path}/:id`,
    {
      config,
      schema: {
        ...about(`Change a ${singular[type]}`),
        params: IdParams,
        body: ofOne,
        response: { 200: hal(`The ${singular[type]}`, OneChangedAnswer(type)) },
      },
    },
    async ({ actor, body }, reply) =>
      sendOneChanged(
        reply,
        type,
        await database.transaction((tx) => changeRecords(tx, actor, kind, body, 'notFound')),
      ),
  )

  app.delete(
    `${path}/:id`,
    {
      config,
      schema: {
        ...about(`Put a ${singular[type]} into the bin`),
        params: IdParams,
        response: { 204: Type.Null({ description: 'It is in the bin' }) },
      },
    },
    async ({ actor, params: { id } }, reply) => {
      await database.transaction((tx) => deleteRecord(tx, actor, kind, id))
      return reply.code(204).send()
    },
  )

  app.post(
    `${path}/:id/restore`,
    {
      config,
      schema: {
        ...about(`Take a ${singular[type]} out of the bin`),
        params: IdParams,
        response: { 200: hal(`The ${singular[type]}`, shapes.record) },
      },
    },
    async ({ actor, base, params: { id } }, reply) => {
      await database.transaction((tx) => restoreRecord(tx, actor, kind, id))
      return sendRecord(reply, await one(actor, base, id))
    },
  )
}
