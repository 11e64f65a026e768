import type { FastifyRequest } from 'fastify'
import { writeHandler } from '../../../access/write-handler.ts'
import { forbidIntegrations } from '../../../access/actor.ts'
import type { Actor } from '../../../access/actor.ts'
import { one, oneNew } from '../../../http/body.ts'
import {
  CompleteList,
  hal,
  halAnswer,
  IdParams,
  nothing,
  sendCompleteList,
  sendHal,
} from '../../../http/hal.ts'
import { formatNested } from '../../../http/nested.ts'
import { notFound } from '../../../http/problem.ts'
import { Type } from '../../../http/type.ts'
import type { App, Kontor } from '../../../kontor.ts'
import { healthOf, noAttempts } from './deliveries/log.ts'
import type { Health } from './deliveries/log.ts'
import * as shapes from './schema.ts'
import { endSignatures, renewWebhookSecret, signaturesOf } from './signatures.ts'
import type { SignatureState } from './signatures.ts'
import {
  addSubscriptions,
  changeWebhook,
  listWebhooks,
  removeSubscriptions,
  subscribe,
  unsubscribe,
} from './webhooks.ts'
import type { StoredWebhook } from './webhooks.ts'
import { writtenByAdministrators } from '../../../outgoing/door.ts'

const path = '/api/v4/webhooks'
const earlier = '/api/v2/webhooks'
const settingsPath = '/web/v1/webhooks'
const tags = ['webhooks']

export function webhookRoutes(app: App, kontor: Kontor): void {
  const { database, door } = kontor
  const admins = { access: 'admin' as const }
  const forms = { ...admins, takesForms: 'nested' as const }

  app.get(
    path,
    {
      config: admins,
      schema: {
        summary: 'List webhooks',
        tags,
        querystring: shapes.WebhookQuery,
        response: {
          200: hal(
            'All webhooks, sorted by `sort`',
            CompleteList('webhooks', shapes.ListedWebhook),
          ),
          204: nothing,
        },
      },
    },
    async ({ actor, base, query: { filter } }, reply) => {
      const webhooks = await listWebhooks(database, actor, { destination: filter?.destination })
      const listed = webhooks.map((webhook) => ({
        ...shown(base, webhook),
        settings: Object.fromEntries(webhook.settings.map((name) => [name, 1])),
      }))
      return sendCompleteList(reply, 'webhooks', listed)
    },
  )

  app.post(
    path,
    {
      config: admins,
      schema: {
        summary: 'Subscribe an address to events, or replace the events of a subscribed one',
        tags,
        body: oneNew(shapes.NewWebhook, { shown: shapes.ShownNewWebhook }),
        response: { 200: hal('The webhook', shapes.Webhook) },
      },
    },
    writeHandler(database, async (tx, { actor, base, body }) =>
      halAnswer(
        shown(
          base,
          await subscribe(
            tx,
            actor,
            body,
            await door.permit(writtenByAdministrators(actor.accountId)),
          ),
        ),
      ),
    ),
  )

  app.delete(
    path,
    {
      config: admins,
      schema: {
        summary: 'End the webhook of an address',
        tags,
        body: one(shapes.WebhookAddress),
        response: { 204: Type.Null({ description: 'The address hears of nothing more' }) },
      },
    },
    async ({ actor, body: { destination } }, reply) => {
      await database.transaction((tx) => unsubscribe(tx, actor, destination))
      return reply.code(204).send()
    },
  )

  app.get(
    earlier,
    {
      config: admins,
      schema: {
        summary: 'List webhooks (version 2)',
        tags,
        response: { 200: hal('All webhooks', shapes.SubscriptionList), 204: nothing },
      },
    },
    async (request, reply) => {
      const webhooks = await listWebhooks(database, request.actor)
      if (webhooks.length === 0 && request.actor.emptyList !== 200) return reply.code(204).send()
      const items = webhooks.map(({ id, destination, is_disabled, settings }) => ({
        id,
        url: destination,
        disabled: is_disabled,
        events: settings,
      }))
      return sendHal(reply, itemsBody(request, items))
    },
  )

  app.post(
    `${earlier}/subscribe`,
    {
      config: forms,
      schema: {
        summary: 'Add events to addresses (version 2)',
        tags,
        body: one(shapes.NewSubscriptions, { shown: shapes.ShownNewSubscriptions }),
        response: { 200: hal('The outcome of each item', shapes.SubscriptionOutcomes) },
      },
    },
    writeHandler(database, async (tx, request) => {
      const { actor, body } = request
      const permit = await door.permit(writtenByAdministrators(actor.accountId))
      const items = await addSubscriptions(tx, actor, body.subscribe, permit)
      return halAnswer(itemsBody(request, items))
    }),
  )

  app.post(
    `${earlier}/unsubscribe`,
    {
      config: forms,
      schema: {
        summary: 'Take events from addresses (version 2)',
        tags,
        body: one(shapes.EndedSubscriptions, { shown: shapes.ShownEndedSubscriptions }),
        response: { 200: hal('The outcome of each item', shapes.SubscriptionOutcomes) },
      },
    },
    writeHandler(database, async (tx, request) => {
      const { actor, body } = request
      return halAnswer(itemsBody(request, await removeSubscriptions(tx, actor, body.unsubscribe)))
    }),
  )

  // For people: a program cannot enable its own webhook.
  const people = { config: admins, onRequest: forbidIntegrations }

  app.get(
    settingsPath,
    {
      ...people,
      schema: {
        summary: 'List webhooks with their state and the form of their deliveries',
        tags,
        response: {
          200: hal(
            'All webhooks, sorted by `sort`',
            CompleteList('webhooks', shapes.WebhookSettings),
          ),
          204: nothing,
        },
      },
    },
    async ({ actor, base }, reply) => {
      const webhooks = await listWebhooks(database, actor)
      const states = await statesOf(actor)
      const all = webhooks.map((webhook) => withState(base, webhook, states))
      return sendCompleteList(reply, 'webhooks', all)
    },
  )

  app.get(
    `${settingsPath}/:id`,
    {
      ...people,
      schema: {
        summary: 'Read a webhook',
        tags,
        params: IdParams,
        response: { 200: hal('The webhook', shapes.WebhookSettings) },
      },
    },
    async ({ actor, base, params }, reply) => {
      const [webhook] = await listWebhooks(database, actor, params)
      if (!webhook) throw notFound()
      return sendHal(reply, withState(base, webhook, await statesOf(actor, params)))
    },
  )

  app.patch(
    `${settingsPath}/:id`,
    {
      ...people,
      schema: {
        summary: 'Change the form of deliveries, or enable a disabled webhook',
        tags,
        params: IdParams,
        body: one(shapes.WebhookChange),
        response: { 200: hal('The webhook', shapes.WebhookSettings) },
      },
    },
    async ({ actor, base, body, params }, reply) => {
      const [webhook] = await database.transaction(async (tx) => {
        await changeWebhook(tx, actor, params.id, body)
        return listWebhooks(tx, actor, params)
      })
      return sendHal(reply, withState(base, webhook!, await statesOf(actor, params)))
    },
  )

  app.post(
    `${settingsPath}/:id/secret`,
    {
      ...people,
      schema: {
        summary: 'Sign the deliveries of a webhook, or renew the secret that signs them',
        tags,
        params: IdParams,
        body: one(Type.Optional(shapes.SecretRenewal)),
        response: { 200: hal('The new secret, which is shown this once', shapes.WebhookSecret) },
      },
    },
    // Not kept under an Idempotency-Key: the answer holds the secret.
    async ({ actor, base, body: { overlap = shapes.usualOverlap }, params }, reply) => {
      const { id } = params
      const [secret, states] = await database.transaction(async (tx) => [
        await renewWebhookSecret(tx, actor, kontor, id, overlap),
        await signaturesOf(tx, actor, params),
      ])
      const _links = { self: { href: `${base}${settingsPath}/${id}` } }
      return sendHal(reply, { id, secret, signature: states.get(id), _links })
    },
  )

  app.delete(
    `${settingsPath}/:id/secret`,
    {
      ...people,
      schema: {
        summary: 'Sign the deliveries of a webhook no more',
        tags,
        params: IdParams,
        response: { 204: Type.Null({ description: 'All secrets of the webhook are gone' }) },
      },
    },
    async ({ actor, params }, reply) => {
      await database.transaction((tx) => endSignatures(tx, actor, kontor, params.id))
      return reply.code(204).send()
    },
  )

  async function statesOf(actor: Actor, which: { id?: number } = {}): Promise<States> {
    const health = await healthOf(database, actor, which)
    return { health, signatures: await signaturesOf(database, actor, which) }
  }
}

/** The health and the signatures of webhooks, by id. */
interface States {
  health: Map<number, Health>
  signatures: Map<number, SignatureState>
}

/** A webhook as version 4 shows it, linked to its list: the interface has no address for one. */
function shown(base: string, webhook: StoredWebhook) {
  const { id, destination, created_at, updated_at, account_id, created_by, sort } = webhook
  const search = formatNested({ filter: { destination } })
  return {
    id,
    destination,
    created_at,
    updated_at,
    account_id,
    created_by,
    sort,
    disabled: webhook.is_disabled,
    settings: webhook.settings,
    _links: { self: { href: `${base}${path}?${search}` } },
  }
}

function withState(base: string, webhook: StoredWebhook, { health: all, signatures }: States) {
  const health = all.get(webhook.id) ?? noAttempts
  const signature = signatures.get(webhook.id) ?? null
  const { disabled_at, disabled_by, format, deletion_form, client_id } = webhook
  const _links = { self: { href: `${base}${settingsPath}/${webhook.id}` } }
  return {
    ...shown(base, webhook),
    disabled_at,
    disabled_by,
    health,
    signature,
    format,
    deletion_form,
    client_id,
    _links,
  }
}

/** A body of version 2, whose links name the method too. */
function itemsBody({ base, method, url }: FastifyRequest, items: object[]) {
  const requestedMethod = method === 'HEAD' ? 'get' : method.toLowerCase()
  const self = { href: `${base}${url.split('?', 1)[0]!}`, method: requestedMethod }
  return { _links: { self }, _embedded: { items } }
}
