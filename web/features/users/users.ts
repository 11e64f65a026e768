import { queryOptions } from '@tanstack/react-query'
import type { ResetLink as ResetLinkSchema } from '../../../server/features/passwords/schema.ts'
import type { User, UserChange } from '../../../server/features/users/schema.ts'
import type { Static } from 'typebox'
import { ask, askPage } from '../../api.ts'

export type { User, UserChange }
export type ResetLink = Static<typeof ResetLinkSchema>

/** All users of the account, the deactivated ones too. */
export const usersQuery = queryOptions({
  queryKey: ['users'],
  queryFn: async ({ signal }): Promise<User[]> => {
    const users: User[] = []
    for (let next: string | undefined = '/api/v4/users?limit=250'; next;) {
      const page: Awaited<ReturnType<typeof askPage<User>>> = await askPage(next, 'users', {
        signal,
      })
      users.push(...page.items)
      next = page.next
    }
    return users
  },
})

export const userQuery = (id: string) =>
  queryOptions({
    queryKey: ['users', id],
    queryFn: ({ signal }) => ask<User>(`/api/v4/users/${id}`, { signal }),
  })

export const changeUser = (id: number, change: UserChange): Promise<User> =>
  ask(`/web/v1/users/${id}`, { method: 'PATCH', body: change })

export const switchUser = (id: number, isActive: boolean): Promise<void> =>
  ask(`/api/v4/users/${isActive ? 'activate' : 'deactivate'}`, { method: 'POST', body: [{ id }] })

export const makeResetLink = (id: number): Promise<ResetLink> =>
  ask(`/web/v1/users/${id}/reset-link`, { method: 'POST' })

export const removeSecondFactor = (id: number): Promise<void> =>
  ask(`/web/v1/users/${id}/second-factor`, { method: 'DELETE' })
