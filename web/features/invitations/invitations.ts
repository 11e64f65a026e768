import { queryOptions } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type {
  Invitation,
  NewInvitation,
  ShownInvitation,
} from '../../../server/features/invitations/schema.ts'
import { ask, askList } from '../../api.ts'

export type { Invitation }

export const invitationsQuery = queryOptions({
  queryKey: ['invitations'],
  queryFn: ({ signal }) => askList<Invitation>('/web/v1/invitations', 'invitations', { signal }),
})

/** Invites somebody, in place of an earlier invitation of the e-mail. */
export const invite = (body: NewInvitation): Promise<Static<typeof ShownInvitation>> =>
  ask('/web/v1/invitations', { method: 'POST', body })

export const revokeInvitation = (id: number): Promise<void> =>
  ask(`/web/v1/invitations/${id}`, { method: 'DELETE' })
