// The vocabulary of the account that the page was loaded with grows old: colleagues come later. It is
// asked for anew where something shows a user whom it does not have.
import type { QueryClient } from '@tanstack/react-query'
import type { Bootstrap } from '../server/features/bootstrap/schema.ts'

const queryKey = ['bootstrap']
/** A list of people to choose from may be so old, in milliseconds. */
const oldMs = 60_000

/** The users who were asked for: one whom the account does not have is asked for once. */
const asked = new Set<number>()

/** Asks for the vocabulary anew where it lacks one of these users. 0 is the system. */
export function needUsers(client: QueryClient, ids: readonly number[]): void {
  const users = client.getQueryData<Bootstrap>(queryKey)?.users
  const strange = ids.filter(
    (id) => id > 0 && !asked.has(id) && !users?.some((user) => user.id === id),
  )
  if (!users || strange.length === 0) return
  for (const id of strange) asked.add(id)
  void client.invalidateQueries({ queryKey })
}

/** Asks for the vocabulary anew where it is old, before somebody chooses from it. */
export function freshenVocabulary(client: QueryClient): void {
  const { dataUpdatedAt = 0 } = client.getQueryState(queryKey) ?? {}
  if (dataUpdatedAt < Date.now() - oldMs) void client.invalidateQueries({ queryKey })
}
