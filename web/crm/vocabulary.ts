// The vocabulary of the account that the page was loaded with grows old: stages, fields, people, rights and
// tags change. The live stream tells of it, and all that is shown by the vocabulary is asked for anew. So is
// the vocabulary where something shows a user whom it does not have.
import type { QueryClient } from '@tanstack/react-query'
import type { Bootstrap } from '../../server/features/application/bootstrap/schema.ts'

const queryKey = ['bootstrap']
/** Milliseconds within which the page is drawn by a new vocabulary. */
const drawnMs = 50

/** Waits until no act of the user is under way: what it deletes leaves the page with it. */
function actsEnded(client: QueryClient): Promise<void> {
  return new Promise((ended) => {
    const look = () => {
      if (client.isMutating() > 0) return
      end()
      ended()
    }
    const end = client.getMutationCache().subscribe(look)
    look()
  })
}

/** Queries that show more of a kind than the vocabulary has. */
const shownBy: Record<string, string[]> = {
  people: ['users', 'roles', 'groups', 'profile', 'invitations', 'non-viewers'],
  stages: ['pipelines'],
  catalogs: ['catalogs', 'elements'],
  loss_reasons: ['loss-reasons'],
  task_types: ['task-types'],
  chat_templates: ['chat-templates'],
  account: ['account-settings'],
  customer_statuses: ['customer-statuses'],
  fields: ['fields'],
  tags: ['tags'],
  new_tags: ['tags'],
}

/**
 * Asks for the vocabulary anew, and where it has changed for all that is shown by it: names, columns, and
 * what the rights of now let the user see. New tags change nothing that is shown already. `kinds` names what
 * has changed; `all` stands for what nobody knows.
 */
export async function hearOfVocabulary(
  client: QueryClient,
  kinds: readonly string[],
): Promise<void> {
  const version = () => client.getQueryData<Bootstrap>(queryKey)?.version
  const before = version()
  await client.refetchQueries({ queryKey })
  const isShownAnew = version() !== before && kinds.some((kind) => kind !== 'new_tags')
  // What the new vocabulary takes from the page is gone then, and asks for nothing any more.
  await new Promise((drawn) => setTimeout(drawn, drawnMs))
  await actsEnded(client)
  const nouns = kinds.flatMap((kind) => shownBy[kind] ?? [])
  await client.invalidateQueries({
    predicate: ({ queryKey: [noun] }) =>
      noun !== queryKey[0] && (isShownAnew || nouns.includes(String(noun))),
  })
}

/** The users who were asked for: one whom the account does not have is asked for once. */
const requested = new Set<number>()

/** Asks for the vocabulary anew where it lacks one of these users. 0 is the system. */
export function needUsers(client: QueryClient, ids: readonly number[]): void {
  const users = client.getQueryData<Bootstrap>(queryKey)?.users
  const strange = ids.filter(
    (id) => id > 0 && !requested.has(id) && !users?.some((user) => user.id === id),
  )
  if (!users || strange.length === 0) return
  for (const id of strange) requested.add(id)
  void client.invalidateQueries({ queryKey })
}
