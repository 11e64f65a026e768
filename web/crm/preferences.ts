import { queryOptions, useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import type { Preferences, PreferencesChange } from '../../server/features/people/profile/schema.ts'
import { ask } from '../data/api.ts'
import { startData } from '../data/start.ts'
import { announceChanged } from '../data/tabs.ts'

export type { Preferences, PreferencesChange }

const path = '/web/v1/preferences'

/** The preferences as the server wrote them into the page; undefined in development. */
export const preferencesAtStart = () => startData()?.preferences as Preferences | undefined

/** How the user likes the application. */
export const preferencesQuery = queryOptions({
  queryKey: ['preferences'],
  queryFn: ({ signal }) => ask<Preferences>(path, { signal }),
  initialData: preferencesAtStart,
  staleTime: Infinity,
})

export const usePreferences = (): Preferences => useSuspenseQuery(preferencesQuery).data

/** Milliseconds in which an act that the server does not take back can be taken back; 0: there are none. */
export const useUndoMs = (): number => usePreferences().delayed_action_seconds * 1000

/** Changes preferences: at once on the page, and back where the server refuses. */
export function useChangePreferences() {
  const client = useQueryClient()
  const apply = (change: PreferencesChange = {}) =>
    client.setQueryData(preferencesQuery.queryKey, (now) => now && { ...now, ...change })
  return useMutation({
    // One after the other: of two changes of a preference the later one stays.
    scope: { id: 'preferences' },
    mutationFn: (body: PreferencesChange) => ask<Preferences>(path, { method: 'PATCH', body }),
    onMutate: (change): PreferencesChange => {
      const now = client.getQueryData(preferencesQuery.queryKey)
      apply(change)
      return Object.fromEntries(
        Object.entries(now ?? {}).filter(([name]) => Object.hasOwn(change, name)),
      )
    },
    onSuccess: () => announceChanged('preferences'),
    onError: (_error, _change, before) => apply(before),
  })
}
