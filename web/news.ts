// Which queries a piece of news makes stale: one table. A query that nobody looks at is asked again
// when it is next shown.
import type { QueryClient } from '@tanstack/react-query'
import { isPassing } from './api.ts'
import type { News } from './live.ts'
import { onNews, onReturn } from './live.ts'
import { hearOfVocabulary, needUsers } from './vocabulary.ts'

/** Keys begin with the noun of the feature, so that one line covers all queries of it. */
const staleOn: Record<string, string[][]> = {
  // One of them tells that a webhook was switched off.
  notification: [['notifications'], ['counters'], ['webhooks']],
  leads: [['leads'], ['search']],
  contacts: [['contacts'], ['search'], ['duplicates'], ['merges']],
  companies: [['companies'], ['search'], ['duplicates'], ['merges']],
  customers: [['customers'], ['purchases'], ['search']],
  tasks: [['tasks'], ['counters']],
  unsorted_items: [['unsorted'], ['counters']],
  messages: [['chats'], ['counters']],
  chats: [['chats'], ['counters']],
  views: [['views']],
  job: [['jobs']],
  talks: [['chats'], ['counters']],
}

/** The keys that are stale after `news`; `all` after a cut that was too long to catch up. */
function staleKeys({ name, data }: News): string[][] | 'all' {
  if (name === 'reset') return 'all'
  if (name === 'change') return staleOn[String(data['entity_type'])] ?? []
  return staleOn[name] ?? []
}

/** Queries are asked anew this far apart, in milliseconds, however much news comes. */
const pauseMs = 250

/** Keeps the queries of `client` fresh. News that come together are handled together. */
export function followNews(client: QueryClient): () => void {
  let waiting: News[] = []
  let lastAt = -pauseMs
  return onNews((news) => {
    markCard(client, news)
    if (news.name === 'vocabulary')
      return void hearOfVocabulary(client, news.data['kinds'] as string[])
    needUsers(client, [Number(news.data['created_by'] ?? news.data['user_id'] ?? 0)])
    waiting.push(news)
    if (waiting.length > 1) return
    setTimeout(
      () => {
        lastAt = performance.now()
        const keys = waiting.map(staleKeys)
        waiting = []
        if (keys.includes('all')) return void client.invalidateQueries()
        const distinct = new Map(
          keys.flatMap((each) => each as string[][]).map((key) => [key.join(), key]),
        )
        for (const queryKey of distinct.values()) void client.invalidateQueries({ queryKey })
      },
      Math.max(16, lastAt + pauseMs - performance.now()),
    )
  })
}

/** Parts of the screen that could not be loaded load by themselves once the server is back. */
export const askAgainOnReturn = (client: QueryClient): (() => void) =>
  onReturn(
    () =>
      void client.refetchQueries({
        type: 'active',
        predicate: ({ state }) => isPassing(state.error),
      }),
  )

/**
 * The card of a changed record is asked anew when it is next shown; an open card follows by itself. Who may not
 * view the record is asked anew at once where it is shown.
 */
function markCard(client: QueryClient, { name, data }: News): void {
  if (name !== 'change') return
  const record = [String(data['entity_type']), Number(data['entity_id'])]
  void client.invalidateQueries({ queryKey: ['cards', ...record], refetchType: 'none' })
  void client.invalidateQueries({ queryKey: ['non-viewers', ...record] })
}
