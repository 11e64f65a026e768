import { queryOptions } from '@tanstack/react-query'
import type { ResetLink as ResetLinkSchema } from '../../../server/features/people/passwords/schema.ts'
import type {
  Responsibilities,
  HandoverStep,
} from '../../../server/features/people/handovers/schema.ts'
import type { Proof } from '../../../server/features/people/second-factor/schema.ts'
import type { User, UserChange, UserSignIn } from '../../../server/features/people/users/schema.ts'
import type { Static } from 'typebox'
import { ask, askList, askPage } from '../../data/api.ts'

export type { HandoverStep, Responsibilities, User, UserChange, UserSignIn }
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

/** When the users were last here, and who has a second factor, by the id of the user. */
export const signInsQuery = queryOptions({
  queryKey: ['users', 'sign-ins'],
  queryFn: async ({ signal }) => {
    const all = await askList<UserSignIn>('/web/v1/users/sign-ins', 'sign_ins', { signal })
    return new Map(all.map((each) => [each.id, each]))
  },
})

/** The records that a user is responsible for, by number; counted anew for each request. */
export const responsibilitiesQuery = (id: number) =>
  queryOptions({
    queryKey: ['users', String(id), 'responsibilities'],
    queryFn: ({ signal }) => ask<Responsibilities>(`/web/v1/users/${id}/handover`, { signal }),
    staleTime: 0,
  })

/** Hands the next records of a user over; to be repeated until it is done. */
export const handOver = (id: number, to_user_id: number): Promise<HandoverStep> =>
  ask(`/web/v1/users/${id}/handover`, { method: 'POST', body: { to_user_id } })

export const changeUser = (id: number, change: UserChange): Promise<User> =>
  ask(`/web/v1/users/${id}`, { method: 'PATCH', body: change })

export const switchUser = (id: number, isActive: boolean): Promise<void> =>
  ask(`/api/v4/users/${isActive ? 'activate' : 'deactivate'}`, { method: 'POST', body: [{ id }] })

export const makeResetLink = (id: number, body: Proof): Promise<ResetLink> =>
  ask(`/web/v1/users/${id}/reset-link`, { method: 'POST', body })

export const removeSecondFactor = (id: number, body: Proof): Promise<void> =>
  ask(`/web/v1/users/${id}/second-factor`, { method: 'DELETE', body })
