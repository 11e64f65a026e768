import { queryOptions } from '@tanstack/react-query'
import type { Group } from '../../../server/features/people/groups/schema.ts'
import { ask, askList } from '../../data/api.ts'

export type { Group }

export const groupsQuery = queryOptions({
  queryKey: ['groups'],
  queryFn: ({ signal }) => askList<Group>('/web/v1/groups', 'groups', { signal }),
})

export const createGroup = (name: string): Promise<Group> =>
  ask('/web/v1/groups', { method: 'POST', body: { name } })

export const renameGroup = (id: number, name: string): Promise<Group> =>
  ask(`/web/v1/groups/${id}`, { method: 'PATCH', body: { name } })

export const deleteGroup = (id: number): Promise<void> =>
  ask(`/web/v1/groups/${id}`, { method: 'DELETE' })
