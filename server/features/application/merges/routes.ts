// These routes are private to the web application.
import { forbidIntegrations } from '../../../access/actor.ts'
import { one } from '../../../http/body.ts'
import { IdParams, json, sendJson } from '../../../http/hal.ts'
import type { App, Kontor } from '../../../kontor.ts'
import {
  countDuplicates,
  findDuplicatesOf,
  listOpenMerges,
  mergeRecords,
  previewMerge,
  undoMerge,
} from './merges.ts'
import * as shapes from './schema.ts'

const path = '/web/v1/merges'

export function mergeRoutes(app: App, { database }: Kontor): void {
  const people = { config: { access: 'user' }, onRequest: forbidIntegrations } as const

  app.get(
    '/web/v1/duplicates/:type/:id',
    {
      ...people,
      schema: {
        summary: 'List the records that share a phone or an e-mail with one',
        params: shapes.DuplicatesParams,
        response: { 200: json('The duplicates', shapes.Duplicates) },
      },
    },
    async ({ actor, params: { type, id } }, reply) =>
      sendJson(reply, await findDuplicatesOf(database, actor, type, id)),
  )

  app.get(
    '/web/v1/duplicates/:type',
    {
      ...people,
      schema: {
        summary: 'Count the records that share a phone or an e-mail with each of several',
        params: shapes.DuplicateCountsParams,
        querystring: shapes.DuplicateCountsQuery,
        response: { 200: json('The counts', shapes.DuplicateCounts) },
      },
    },
    async ({ actor, params: { type }, query: { ids } }, reply) =>
      sendJson(reply, { records: await countDuplicates(database, actor, type, ids) }),
  )

  app.get(
    path,
    {
      ...people,
      schema: {
        summary: 'List the merges of a record that can be undone',
        querystring: shapes.MergesQuery,
        response: { 200: json('The merges, the latest first', shapes.OpenMerges) },
      },
    },
    async ({ actor, query }, reply) =>
      sendJson(reply, { merges: await listOpenMerges(database, actor, query) }),
  )

  app.get(
    `${path}/preview`,
    {
      ...people,
      schema: {
        summary: 'Count what a merge would move',
        querystring: shapes.PreviewQuery,
        response: { 200: json('The counts', shapes.Preview) },
      },
    },
    async ({ actor, query }, reply) => sendJson(reply, await previewMerge(database, actor, query)),
  )

  app.post(
    path,
    {
      ...people,
      schema: {
        summary: 'Merge two records',
        body: one(shapes.NewMerge),
        response: { 201: json('The merge', shapes.Merge) },
      },
    },
    async ({ actor, body }, reply) => {
      const merge = await database.transaction((tx) => mergeRecords(tx, actor, body))
      return sendJson(reply.code(201), merge)
    },
  )

  app.post(
    `${path}/:id/undo`,
    {
      ...people,
      schema: {
        summary: 'Undo a merge',
        params: IdParams,
        response: { 200: json('The merge', shapes.Merge) },
      },
    },
    async ({ actor, params: { id } }, reply) => {
      const merge = await database.transaction((tx) => undoMerge(tx, actor, id))
      return sendJson(reply, merge)
    },
  )
}
