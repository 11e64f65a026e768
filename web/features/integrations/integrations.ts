import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type * as shapes from '../../../server/features/integrations/schema.ts'
import { ask, askList, askPage } from '../../api.ts'

export type ListedIntegration = Static<typeof shapes.ListedIntegration>
export type Integration = Static<typeof shapes.OneIntegration>
export type Code = Static<typeof shapes.Code>
export type Token = Static<typeof shapes.Token>
export type Grant = Static<typeof shapes.Grant>

/** The scopes, in the order in which they are shown. */
export const scopes = [
  'crm',
  'files',
  'files_delete',
  'notifications',
  'push_notifications',
] as const satisfies ListedIntegration['scopes']

const path = '/web/v1/integrations'

export const integrationsQuery = queryOptions({
  queryKey: ['integrations'],
  queryFn: ({ signal }) => askList<ListedIntegration>(path, 'integrations', { signal }),
})

export const integrationQuery = (id: string) =>
  queryOptions({
    queryKey: ['integrations', id],
    queryFn: ({ signal }) => ask<Integration>(`${path}/${id}`, { signal }),
  })

/** The users who have allowed the integration to act. */
export const grantsQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: ['integrations', id, 'grants'],
    queryFn: ({ pageParam, signal }) => askPage<Grant>(pageParam, 'grants', { signal }),
    initialPageParam: `${path}/${id}/grants`,
    getNextPageParam: ({ next }) => next,
    select: ({ pages }) => pages.flatMap(({ items }) => items),
  })

export const createIntegration = (body: shapes.NewIntegration) =>
  ask<Integration>(path, { method: 'POST', body })

export const changeIntegration = (id: string, body: Static<typeof shapes.ChangedIntegration>) =>
  ask<Integration>(`${path}/${id}`, { method: 'PATCH', body })

export const deleteIntegration = (id: string) => ask(`${path}/${id}`, { method: 'DELETE' })

/** The former secret ends at once. */
export const rotateSecret = (id: string) =>
  ask<Static<typeof shapes.Secret>>(`${path}/${id}/secret`, { method: 'POST' })

export const enableIntegration = (id: string) =>
  ask<Integration>(`${path}/${id}/installation`, { method: 'PUT', body: {} })

/** All tokens of the integration in this account are void at once. */
export const disableIntegration = (id: string) =>
  ask(`${path}/${id}/installation`, { method: 'DELETE' })

/** An authorization code, which serves for twenty minutes and once. */
export const makeCode = (id: string) => ask<Code>(`${path}/${id}/code`, { method: 'POST' })

export const makeToken = (id: string, days: number) =>
  ask<Token>(`${path}/${id}/token`, { method: 'POST', body: { days } })

export const revokeGrant = (id: string, grant: number) =>
  ask(`${path}/${id}/grants/${grant}`, { method: 'DELETE' })
