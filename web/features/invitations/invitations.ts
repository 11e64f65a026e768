import { queryOptions } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type {
  Invitation,
  Invitations,
  NewInvitation,
  ShownInvitation,
} from '../../../server/features/invitations/schema.ts'
import { ask } from '../../api.ts'

export type { Invitation }

export const invitationsQuery = queryOptions({
  queryKey: ['invitations'],
  queryFn: async ({ signal }) => {
    const { _embedded } = await ask<Static<typeof Invitations>>('/web/v1/invitations', { signal })
    return _embedded.invitations
  },
})

/** Invites somebody, in place of an earlier invitation of the e-mail. */
export const invite = (body: NewInvitation): Promise<Static<typeof ShownInvitation>> =>
  ask('/web/v1/invitations', { method: 'POST', body })

export const revokeInvitation = (id: number): Promise<void> =>
  ask(`/web/v1/invitations/${id}`, { method: 'DELETE' })
