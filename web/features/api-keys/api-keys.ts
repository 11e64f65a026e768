import { infiniteQueryOptions } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type * as shapes from '../../../server/features/programs/api-keys/schema.ts'
import type { Proof } from '../../../server/features/people/second-factor/schema.ts'
import { ask, askPage } from '../../data/api.ts'

export type ApiKey = Static<typeof shapes.ApiKey>

/** The keys of the user, or of all users of the account. */
export type KeyOwner = 'own' | 'all'

const paths: Record<KeyOwner, string> = {
  own: '/web/v1/api-keys',
  all: '/web/v1/account/api-keys',
}

export const apiKeysQuery = (owner: KeyOwner) =>
  infiniteQueryOptions({
    queryKey: ['api-keys', owner],
    queryFn: ({ pageParam, signal }) => askPage<ApiKey>(pageParam, 'api_keys', { signal }),
    initialPageParam: paths[owner],
    getNextPageParam: ({ next }) => next,
    select: ({ pages }) => pages.flatMap(({ items }) => items),
  })

/** The answer holds the key, which is not shown again. */
export const createApiKey = (body: shapes.NewApiKey & Proof) =>
  ask<Static<typeof shapes.ShownApiKey>>(paths.own, { method: 'POST', body })

export const deleteApiKey = (owner: KeyOwner, id: number) =>
  ask(`${paths[owner]}/${id}`, { method: 'DELETE' })
