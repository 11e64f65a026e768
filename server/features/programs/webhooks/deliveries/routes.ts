import type { FastifyReply, FastifyRequest } from 'fastify'
import { forbidIntegrations } from '../../../../access/actor.ts'
import type { Entities } from '../../../../changes/entity.ts'
import { openDeliveryAttempts } from '../../../../outgoing/attempt.ts'
import type { DeliveryAttempts } from '../../../../outgoing/attempt.ts'
import { one } from '../../../../http/body.ts'
import { hal, IdParams, nothing, Page, sendHal, sendRecord } from '../../../../http/hal.ts'
import { sendPage } from '../../../../http/paging.ts'
import type { App, Kontor } from '../../../../kontor.ts'
import { replayDelivery, replayRange, seeDelivery, seeWebhook, testWebhook } from './log.ts'
import { deliveryPage } from './log-queries.ts'
import type { LoggedDelivery } from './log-queries.ts'
import * as shapes from './schema.ts'
import { listUnbuilt, replayUnbuilt } from './unbuilt.ts'

const webhookPath = '/web/v1/webhooks/:id'
const path = `${webhookPath}/deliveries`
const unbuiltPath = '/web/v1/webhooks/unbuilt'
const tags = ['webhooks']

export function deliveryRoutes(app: App, kontor: Kontor, entities: Entities): void {
  const { database, signals } = kontor
  const people = { config: { access: 'admin' as const }, onRequest: forbidIntegrations }
  let attempts: DeliveryAttempts | undefined
  app.addHook('onClose', () => attempts?.close())

  app.get(
    path,
    {
      ...people,
      schema: {
        summary: 'List the deliveries of a webhook with their attempts',
        tags,
        params: IdParams,
        querystring: shapes.DeliveryQuery,
        response: {
          200: hal('A page of deliveries, the newest first', Page('deliveries', shapes.Delivery)),
          204: nothing,
        },
      },
    },
    async ({ actor, base, params: { id }, query: { filter = {} } }, reply) => {
      await seeWebhook(database, actor, id)
      return sendPage(reply, { collection: 'deliveries' }, async (seek) => {
        const way = Object.keys(filter).length === 0 ? 'page' : 'list'
        const found = await database[way]<LoggedDelivery>(deliveryPage(actor, id, filter, seek))
        return found.map((each) => ({ key: each.id, id: each.id, json: textOf(base, each) }))
      })
    },
  )

  app.get(
    `${path}/:delivery_id`,
    {
      ...people,
      schema: {
        summary: 'Read a delivery with its body',
        tags,
        params: shapes.DeliveryParams,
        response: { 200: hal('The delivery', shapes.DeliveryWithBody) },
      },
    },
    async (request, reply) => sendDelivery(request, reply, request.params.delivery_id),
  )

  app.post(
    `${path}/:delivery_id/replay`,
    {
      ...people,
      schema: {
        summary: 'Send a delivery once more',
        tags,
        params: shapes.DeliveryParams,
        response: { 200: hal('The delivery, which waits for an attempt', shapes.DeliveryWithBody) },
      },
    },
    async (request, reply) => {
      const { actor, params } = request
      await database.transaction((tx) =>
        replayDelivery(tx, actor, signals, params.id, params.delivery_id),
      )
      return sendDelivery(request, reply, params.delivery_id)
    },
  )

  app.post(
    `${path}/replay`,
    {
      ...people,
      schema: {
        summary: 'Send the deliveries of a range of time once more',
        tags,
        params: IdParams,
        body: one(shapes.Replay),
        response: { 200: hal('The number of deliveries that wait now', shapes.Replayed) },
      },
    },
    async ({ actor, base, body, params: { id } }, reply) => {
      const replayed = await replayRange(database, actor, signals, id, body)
      const href = `${base}${path.replace(':id', String(id))}`
      return sendHal(reply, { replayed, _links: { self: { href } } })
    },
  )

  app.post(
    `${webhookPath}/test`,
    {
      ...people,
      schema: {
        summary: 'Send a test notice, and wait for the answer',
        tags,
        params: IdParams,
        response: { 200: hal('The delivery with its attempt', shapes.DeliveryWithBody) },
      },
    },
    async (request, reply) => {
      const { actor, params } = request
      attempts ??= openDeliveryAttempts()
      const delivery = await testWebhook(database, actor, attempts, kontor, params.id)
      return sendDelivery(request, reply, delivery)
    },
  )

  app.get(
    unbuiltPath,
    {
      ...people,
      schema: {
        summary: 'List the changes whose notices could not be built',
        tags,
        querystring: shapes.UnbuiltQuery,
        response: {
          200: hal('A page of changes, the newest first', Page('unbuilt', shapes.UnbuiltNotice)),
          204: nothing,
        },
      },
    },
    ({ actor, base }, reply) =>
      sendPage(reply, { collection: 'unbuilt' }, async (seek) => {
        const found = await listUnbuilt(database, actor, seek)
        const _links = { self: { href: base + unbuiltPath } }
        return found.map((each) => ({
          key: each.id,
          id: each.id,
          json: JSON.stringify({ ...each, _links }),
        }))
      }),
  )

  app.post(
    `${unbuiltPath}/replay`,
    {
      ...people,
      schema: {
        summary: 'Build the notices that could not be built once more, and send them',
        tags,
        response: { 200: hal('What became of the changes', shapes.UnbuiltReplayed) },
      },
    },
    async ({ actor, base }, reply) => {
      const outcome = await replayUnbuilt(kontor, entities, actor)
      return sendHal(reply, { ...outcome, _links: { self: { href: base + unbuiltPath } } })
    },
  )

  async function sendDelivery(
    { actor, base, params }: Pick<FastifyRequest, 'actor' | 'base'> & { params: { id: number } },
    reply: FastifyReply,
    id: number,
  ) {
    const delivery = await seeDelivery(database, actor, params.id, id)
    return sendRecord(reply, { json: textOf(base, delivery) }, 'always 404')
  }
}

function textOf(base: string, delivery: LoggedDelivery): string {
  const href = `${base}${path.replace(':id', String(delivery.webhook_id))}/${delivery.id}`
  return JSON.stringify({ ...delivery, _links: { self: { href } } })
}
