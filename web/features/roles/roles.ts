import { queryOptions } from '@tanstack/react-query'
import type { NewRole, Role, RoleChange } from '../../../server/features/people/roles/schema.ts'
import { ask, askPage } from '../../data/api.ts'

export type { Role }

/** All roles with their users. */
export const rolesQuery = queryOptions({
  queryKey: ['roles'],
  queryFn: async ({ signal }): Promise<Role[]> => {
    const roles: Role[] = []
    for (let next: string | undefined = '/api/v4/roles?limit=250&with=users'; next;) {
      const page: Awaited<ReturnType<typeof askPage<Role>>> = await askPage(next, 'roles', {
        signal,
      })
      roles.push(...page.items)
      next = page.next
    }
    return roles
  },
})

export const roleQuery = (id: string) =>
  queryOptions({
    queryKey: ['roles', id],
    queryFn: ({ signal }) => ask<Role>(`/api/v4/roles/${id}?with=users`, { signal }),
  })

export const createRole = async (role: NewRole): Promise<Role> => {
  const { _embedded } = await ask<{ _embedded: { roles: Role[] } }>('/api/v4/roles', {
    method: 'POST',
    body: [role],
  })
  return _embedded.roles[0]!
}

export const changeRole = (id: number, change: RoleChange): Promise<Role> =>
  ask(`/api/v4/roles/${id}`, { method: 'PATCH', body: change })

export const deleteRole = (id: number): Promise<void> =>
  ask(`/api/v4/roles/${id}`, { method: 'DELETE' })
