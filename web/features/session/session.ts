import { queryOptions, useSuspenseQuery } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type { Session as SessionShape } from '../../../server/features/people/sessions/schema.ts'
import { ask, endWithoutReads } from '../../data/api.ts'
import { forgetAllKept } from '../../data/kept.ts'
import { startData } from '../../data/start.ts'
import { leaveAll } from '../../data/tabs.ts'

export type Session = Static<typeof SessionShape>

/** The user, the account, and the other accounts of this browser's session. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: ({ signal }) => ask<Session>('/web/v1/session', { signal }),
  initialData: () => startData()?.session as Session | undefined,
  staleTime: Infinity,
})

export const useSession = (): Session => useSuspenseQuery(sessionQuery).data

/** Signs out of this browser and shows the sign-in. Throws a Problem, and then nothing has changed. */
export async function signOut(): Promise<void> {
  await endWithoutReads(() => ask('/web/v1/session', { method: 'DELETE' }))
  endHere()
}

/** After the end of the session: this browser keeps nothing, and all its tabs show the sign-in. */
export function endHere(): void {
  forgetAllKept('all')
  leaveAll()
}
