// The settings of the clock of customers, for the web application.
import { forbidIntegrations } from '../../../../access/actor.ts'
import { one } from '../../../../http/body.ts'
import { hal, IdParams, sendHal } from '../../../../http/hal.ts'
import type { App, Kontor } from '../../../../kontor.ts'
import { CustomerStatus } from '../statuses/schema.ts'
import { setStatusLength } from '../statuses/statuses.ts'
import { StatusLength } from './schema.ts'

export function customerClockRoutes(app: App, kontor: Kontor): void {
  const { database } = kontor

  app.patch(
    '/web/v1/customers/statuses/:id',
    {
      config: { access: 'admin' },
      onRequest: forbidIntegrations,
      schema: {
        summary: 'Change the length of a status of customers',
        tags: ['customers'],
        params: IdParams,
        body: one(StatusLength),
        response: { 200: hal('The status', CustomerStatus) },
      },
    },
    async ({ actor, base, body, params: { id } }, reply) => {
      const status = await database.transaction((tx) =>
        setStatusLength(tx, actor, base, id, body.days),
      )
      return sendHal(reply, status)
    },
  )
}
