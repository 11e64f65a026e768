// Private to the web application.
import { forbidIntegrations } from '../../../access/actor.ts'
import { one } from '../../../http/body.ts'
import { IdParams, json, sendJson } from '../../../http/hal.ts'
import type { App, Kontor } from '../../../kontor.ts'
import { handOver, readResponsibilities } from './handovers.ts'
import { Responsibilities, HandoverStep, NewHandover } from './schema.ts'

const path = '/web/v1/users/:id/handover'

export function handoverRoutes(app: App, { database }: Kontor): void {
  const admins = { config: { access: 'admin' as const }, onRequest: forbidIntegrations }

  app.get(
    path,
    {
      ...admins,
      schema: {
        summary: 'Count what a user is responsible for',
        params: IdParams,
        response: { 200: json('The numbers', Responsibilities) },
      },
    },
    async ({ actor, params }, reply) =>
      sendJson(reply, await readResponsibilities(database, actor, params.id)),
  )

  app.post(
    path,
    {
      ...admins,
      schema: {
        summary: 'Hand the next records of a user over to another',
        params: IdParams,
        body: one(NewHandover, { unknownKeys: 'reject' }),
        response: { 200: json('What was handed over', HandoverStep) },
      },
    },
    async ({ actor, body, params }, reply) =>
      sendJson(
        reply,
        await database.transaction((tx) => handOver(tx, actor, params.id, body.to_user_id)),
      ),
  )
}
