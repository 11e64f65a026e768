import { infiniteQueryOptions, queryOptions, skipToken } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type * as shapes from '../../../server/features/programs/integrations/schema.ts'
import type { Proof } from '../../../server/features/people/second-factor/schema.ts'
import { ask, askList, askPage } from '../../data/api.ts'

export type ListedIntegration = Static<typeof shapes.ListedIntegration>
export type Integration = Static<typeof shapes.OneIntegration>
export type Code = Static<typeof shapes.Code>
export type Token = Static<typeof shapes.Token>
export type Grant = Static<typeof shapes.Grant>
export type IntegrationCall = shapes.IntegrationCall

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

/** The latest calls of the integration, the newest first. */
export const callsQuery = (id: string) =>
  queryOptions({
    queryKey: ['integrations', id, 'calls'],
    queryFn: ({ signal }) => askList<IntegrationCall>(`${path}/${id}/calls`, 'calls', { signal }),
  })

/** The answer holds the secret, which later asks for the password. */
export const createIntegration = (body: shapes.NewIntegration & Proof) =>
  ask<Static<typeof shapes.MadeIntegration>>(path, { method: 'POST', body })

export const changeIntegration = (id: string, body: Static<typeof shapes.ChangedIntegration>) =>
  ask<Integration>(`${path}/${id}`, { method: 'PATCH', body })

/** `takesPeople`: the users that it has made are deactivated, too. */
export const deleteIntegration = (id: string, takesPeople: boolean) =>
  ask(`${path}/${id}?deactivate_people=${takesPeople}`, { method: 'DELETE' })

/** The secret in force, for a user who proves who it is. */
export const readSecret = (id: string, body: Proof) =>
  ask<Static<typeof shapes.Secret>>(`${path}/${id}/secret/read`, { method: 'POST', body })

/** The former secret ends at once. */
export const rotateSecret = (id: string, body: Proof) =>
  ask<Static<typeof shapes.Secret>>(`${path}/${id}/secret`, { method: 'POST', body })

/**
 * The secret as this page knows it: of an integration that was just made, or once it was asked for.
 * It is never fetched by itself, and forgotten a moment after the page is left.
 */
export const secretQuery = (id: string) =>
  queryOptions<string>({ queryKey: ['integrations', id, 'secret'], queryFn: skipToken })

export const enableIntegration = (id: string) =>
  ask<Integration>(`${path}/${id}/installation`, { method: 'PUT', body: {} })

/** All tokens of the integration in this account are void at once. */
export const disableIntegration = (id: string, takesPeople: boolean) =>
  ask(`${path}/${id}/installation?deactivate_people=${takesPeople}`, { method: 'DELETE' })

/** Lets an integration of another account manage people and roles here, or lets it no more. */
export const letManagePeople = (id: string, manages_people: boolean) =>
  ask<Integration>(`${path}/${id}/installation`, { method: 'PUT', body: { manages_people } })

/** An authorization code, which serves for twenty minutes and once. */
export const makeCode = (id: string) => ask<Code>(`${path}/${id}/code`, { method: 'POST' })

export const makeToken = (id: string, body: Static<typeof shapes.NewToken> & Proof) =>
  ask<Token>(`${path}/${id}/token`, { method: 'POST', body })

export const revokeGrant = (id: string, grant: number) =>
  ask(`${path}/${id}/grants/${grant}`, { method: 'DELETE' })
