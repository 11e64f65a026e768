import { queryOptions } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type { Group, GroupList } from '../../../server/features/groups/schema.ts'
import { ask } from '../../api.ts'

export type { Group }

export const groupsQuery = queryOptions({
  queryKey: ['groups'],
  queryFn: async ({ signal }) => {
    const { _embedded } = await ask<Static<typeof GroupList>>('/web/v1/groups', { signal })
    return _embedded.groups
  },
})

export const createGroup = (name: string): Promise<Group> =>
  ask('/web/v1/groups', { method: 'POST', body: { name } })

export const renameGroup = (id: number, name: string): Promise<Group> =>
  ask(`/web/v1/groups/${id}`, { method: 'PATCH', body: { name } })

export const deleteGroup = (id: number): Promise<void> =>
  ask(`/web/v1/groups/${id}`, { method: 'DELETE' })
