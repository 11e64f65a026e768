import { queryOptions } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type * as shapes from '../../../server/features/conversations/channels/schema.ts'
import { ask, askList } from '../../data/api.ts'

export type Channel = Static<typeof shapes.Channel>
export type ShownChannel = Static<typeof shapes.ShownChannel>
export type ShownConnection = shapes.ConnectionState
export type ChannelCall = shapes.ChannelCall
export type ChannelSignature = Static<typeof shapes.ChannelSignature>
export type TriedAnswer = Static<typeof shapes.TriedAnswer>

const path = '/web/v1/channels'

export const ownChannelsQuery = queryOptions({
  queryKey: ['channels'],
  queryFn: ({ signal }) => askList<Channel>(path, 'channels', { signal }),
})

export const channelQuery = (id: string) =>
  queryOptions({
    queryKey: ['channels', id],
    queryFn: ({ signal }) => ask<Channel>(`${path}/${id}`, { signal }),
  })

/** The accounts that a channel is or was connected to. */
export const connectionsQuery = (id: string) =>
  queryOptions({
    queryKey: ['channels', id, 'connections'],
    queryFn: ({ signal }) =>
      askList<ShownConnection>(`${path}/${id}/connections`, 'connections', { signal }),
  })

/** The latest requests between a channel and its program, the newest first. */
export const channelCallsQuery = (id: string) =>
  queryOptions({
    queryKey: ['channels', id, 'calls'],
    queryFn: ({ signal }) => askList<ChannelCall>(`${path}/${id}/calls`, 'calls', { signal }),
  })

/** The connections of this account, to own channels and to those of other accounts. */
export const accountConnectionsQuery = queryOptions({
  queryKey: ['channels', 'connections'],
  queryFn: ({ signal }) =>
    askList<ShownConnection>('/web/v1/channel-connections', 'connections', { signal }),
})

/** The answer holds the secret, which is not shown again. */
export const createChannel = (body: shapes.NewChannel) =>
  ask<ShownChannel>(path, { method: 'POST', body })

export const changeChannel = (id: string, body: shapes.ChannelChange) =>
  ask<Channel>(`${path}/${id}`, { method: 'PATCH', body })

export const deleteChannel = (id: string) => ask(`${path}/${id}`, { method: 'DELETE' })

/** The former secret ends at once. */
export const renewChannelSecret = (id: string) =>
  ask<Static<typeof shapes.ChannelSecret>>(`${path}/${id}/secret`, { method: 'POST' })

/** Sends a request as the program of the channel would, signed by the server. */
export const tryRequest = (id: string, body: shapes.TriedRequest) =>
  ask<TriedAnswer>(`${path}/${id}/try`, { method: 'POST', body })

/** The signatures of a request; the server works them out, so the secret is not needed here. */
export const signRequest = (id: string, body: shapes.SignatureRequest) =>
  ask<ChannelSignature>(`${path}/${id}/signature`, { method: 'POST', body })
