import { queryOptions } from '@tanstack/react-query'
import type { Profile, ProfileChange } from '../../../server/features/people/profile/schema.ts'
import { ask } from '../../data/api.ts'

export type { Profile }

const path = '/web/v1/profile'

/** The own name, phone number and language. */
export const profileQuery = queryOptions({
  queryKey: ['profile'],
  queryFn: ({ signal }) => ask<Profile>(path, { signal }),
})

export const changeProfile = (body: ProfileChange) => ask<Profile>(path, { method: 'PATCH', body })
