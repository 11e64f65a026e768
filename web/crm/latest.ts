import { queryOptions } from '@tanstack/react-query'
import { ask } from '../data/api.ts'
import type { Entity } from './records.ts'

/** The leads that changed last. */
export const latestQuery = queryOptions({
  queryKey: ['leads', 'latest'],
  queryFn: async ({ signal }) => {
    const path = '/api/v4/leads?limit=15&order[updated_at]=desc'
    const { _embedded } = await ask<{ _embedded: { leads: Entity[] } }>(path, { signal })
    return _embedded.leads
  },
})
