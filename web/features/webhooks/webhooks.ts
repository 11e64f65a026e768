import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type * as logged from '../../../server/features/programs/webhooks/deliveries/schema.ts'
import type * as shapes from '../../../server/features/programs/webhooks/schema.ts'
import { ask, askList, askPage } from '../../data/api.ts'

export type Webhook = Static<typeof shapes.WebhookSettings>
export type EventName = Webhook['settings'][number]
export type Delivery = Static<typeof logged.Delivery>
export type DeliveryState = Delivery['state']
export type DeliveryWithBody = Static<typeof logged.DeliveryWithBody>

/** Webhooks of an account that may be active at once. */
export const mostActive = 100
/** Invalid answers within two hours; one more disables a webhook. */
export const mostInvalid = 100

const path = '/web/v1/webhooks'
const publicPath = '/api/v4/webhooks'

export const webhooksQuery = queryOptions({
  queryKey: ['webhooks'],
  queryFn: ({ signal }) => askList<Webhook>(path, 'webhooks', { signal }),
})

export const webhookQuery = (id: number) =>
  queryOptions({
    queryKey: ['webhooks', id],
    queryFn: ({ signal }) => ask<Webhook>(`${path}/${id}`, { signal }),
  })

/** The deliveries of a webhook, the newest first; all of them without `states`. */
export const deliveriesQuery = (id: number, states: readonly DeliveryState[]) =>
  infiniteQueryOptions({
    queryKey: ['webhooks', id, 'deliveries', states],
    queryFn: ({ pageParam, signal }) => askPage<Delivery>(pageParam, 'deliveries', { signal }),
    initialPageParam: `${path}/${id}/deliveries?${new URLSearchParams({
      limit: '50',
      ...(states.length > 0 && { 'filter[state]': states.join(',') }),
    })}`,
    getNextPageParam: ({ next }) => next,
    select: ({ pages }) => pages.flatMap(({ items }) => items),
  })

export const deliveryQuery = (id: number, delivery: number) =>
  queryOptions({
    queryKey: ['webhooks', id, 'delivery', delivery],
    queryFn: ({ signal }) =>
      ask<DeliveryWithBody>(`${path}/${id}/deliveries/${delivery}`, { signal }),
  })

/** Subscribes an address, or replaces the events of a subscribed one. */
export const subscribe = (destination: string, settings: EventName[]) =>
  ask<Static<typeof shapes.Webhook>>(publicPath, {
    method: 'POST',
    body: { destination, settings },
  })

export const unsubscribe = (destination: string) =>
  ask(publicPath, { method: 'DELETE', body: { destination } })

export const changeWebhook = (id: number, body: shapes.WebhookChange) =>
  ask<Webhook>(`${path}/${id}`, { method: 'PATCH', body })

/** Signs with a new secret; for `overlap` seconds former secrets sign too. */
export const renewSigningSecret = (id: number, overlap: number) =>
  ask<Static<typeof shapes.WebhookSecret>>(`${path}/${id}/secret`, {
    method: 'POST',
    body: { overlap },
  })

export const endSignatures = (id: number) => ask(`${path}/${id}/secret`, { method: 'DELETE' })

export const replayDelivery = (id: number, delivery: number) =>
  ask<DeliveryWithBody>(`${path}/${id}/deliveries/${delivery}/replay`, { method: 'POST' })

/** Sends all deliveries that never arrived once more. */
export const replayAll = (id: number) =>
  ask<Static<typeof logged.Replayed>>(`${path}/${id}/deliveries/replay`, {
    method: 'POST',
    body: {},
  })

/** Sends a test notice, and waits for the answer of the receiver. */
export const testWebhook = (id: number) =>
  ask<DeliveryWithBody>(`${path}/${id}/test`, { method: 'POST' })
