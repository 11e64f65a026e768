import { queryOptions } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type {
  Invitation,
  NewInvitations,
  ShownInvitations,
} from '../../../server/features/people/invitations/schema.ts'
import type { Proof } from '../../../server/features/people/second-factor/schema.ts'
import { ask, askList, Problem } from '../../data/api.ts'

export type { Invitation }

export const invitationsQuery = queryOptions({
  queryKey: ['invitations'],
  queryFn: ({ signal }) => askList<Invitation>('/web/v1/invitations', 'invitations', { signal }),
})

export type Shown = Static<typeof ShownInvitations>['_embedded']['invitations'][number]

/**
 * Invites people, each in place of an earlier invitation of the e-mail. A refusal names the e-mail that
 * it is about.
 */
export async function invite(body: NewInvitations & Proof): Promise<Shown[]> {
  try {
    return await askList<Shown>('/web/v1/invitations/several', 'invitations', {
      method: 'POST',
      body,
    })
  } catch (error) {
    throw error instanceof Problem ? naming(error, body.emails) : error
  }
}

function naming({ status, title, message, ...problem }: Problem, emails: string[]): Problem {
  const faults = problem.faults.map((fault) => {
    const [, index] = /^emails\.(\d+)$/.exec(fault.path) ?? []
    const about = emails.length > 1 && index !== undefined ? emails[Number(index)] : undefined
    return about === undefined ? fault : { ...fault, about }
  })
  return new Problem(status, title, message, { ...problem, faults })
}

/** Gives an open invitation another link; the former one is void. */
export const renewInvitation = (id: number, body: Proof): Promise<Shown> =>
  ask(`/web/v1/invitations/${id}/link`, { method: 'POST', body })

export const revokeInvitation = (id: number): Promise<void> =>
  ask(`/web/v1/invitations/${id}`, { method: 'DELETE' })
