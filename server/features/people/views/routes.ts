// These routes are private to the web application.
import { forbidIntegrations } from '../../../access/actor.ts'
import { one } from '../../../http/body.ts'
import { IdParams, json, sendJson } from '../../../http/hal.ts'
import { Type } from '../../../http/type.ts'
import type { App, Kontor } from '../../../kontor.ts'
import { NewView, View, ViewChange, Views } from './schema.ts'
import { changeView, createView, deleteView, listViews, pinView, unpinView } from './views.ts'

const path = '/web/v1/views'

export function viewRoutes(app: App, { database, signals }: Kontor): void {
  const people = { config: { access: 'user' }, onRequest: forbidIntegrations } as const

  app.get(
    path,
    {
      ...people,
      schema: {
        summary: 'List the saved views of the user and the shared ones',
        response: { 200: json('The views, by name', Views) },
      },
    },
    async ({ actor }, reply) => sendJson(reply, { views: await listViews(database, actor) }),
  )

  app.post(
    path,
    {
      ...people,
      schema: {
        summary: 'Save a view',
        body: one(NewView),
        response: { 201: json('The view', View) },
      },
    },
    async ({ actor, body }, reply) => {
      const view = await database.transaction((tx) => createView(tx, signals, actor, body))
      return sendJson(reply.code(201), view)
    },
  )

  app.patch(
    `${path}/:id`,
    {
      ...people,
      schema: {
        summary: 'Change a saved view',
        params: IdParams,
        body: one(ViewChange),
        response: { 200: json('The view', View) },
      },
    },
    async ({ actor, body, params: { id } }, reply) => {
      const work = await database.transaction((tx) => changeView(tx, signals, actor, id, body))
      return sendJson(reply, work)
    },
  )

  app.delete(
    `${path}/:id`,
    {
      ...people,
      schema: {
        summary: 'Delete a saved view',
        params: IdParams,
        response: { 204: Type.Null({ description: 'The view is deleted' }) },
      },
    },
    async ({ actor, params: { id } }, reply) => {
      await database.transaction((tx) => deleteView(tx, signals, actor, id))
      return reply.code(204).send()
    },
  )

  const pin = `${path}/:id/pin`

  app.put(
    pin,
    {
      ...people,
      schema: {
        summary: 'Pin a saved view to the navigation of the user',
        params: IdParams,
        response: { 200: json('The view', View) },
      },
    },
    async ({ actor, params: { id } }, reply) => {
      const view = await database.transaction((tx) => pinView(tx, signals, actor, id))
      return sendJson(reply, view)
    },
  )

  app.delete(
    pin,
    {
      ...people,
      schema: {
        summary: 'Take a saved view off the navigation of the user',
        params: IdParams,
        response: { 204: Type.Null({ description: 'The view is not pinned' }) },
      },
    },
    async ({ actor, params: { id } }, reply) => {
      await database.transaction((tx) => unpinView(tx, signals, actor, id))
      return reply.code(204).send()
    },
  )
}
