// Asks again for what a piece of news makes stale. A query that nobody looks at is asked again when it is next
// shown.
import type { QueryClient } from '@tanstack/react-query'
import { isPassing } from './api.ts'
import type { News } from './live.ts'
import { onNews, onReturn } from './live.ts'

/** The keys of queries that are stale, by the name of the news or by the entity type of a change. */
export type StaleOn = Readonly<Record<string, string[][]>>

/** The keys that are stale after `news`; `all` after a cut that was too long to catch up. */
function staleKeys(staleOn: StaleOn, { name, data }: News): string[][] | 'all' {
  if (name === 'reset') return 'all'
  if (name === 'change') return staleOn[String(data['entity_type'])] ?? []
  return staleOn[name] ?? []
}

/** Queries are asked anew this far apart, in milliseconds, however much news comes. */
const pauseMs = 250

/**
 * Keeps the queries of `client` fresh. News that come together are handled together; `hear` hears each at once, and
 * answers whether nothing else follows.
 */
export function followNews(
  client: QueryClient,
  staleOn: StaleOn,
  hear: (news: News) => boolean,
): () => void {
  let waiting: News[] = []
  let lastAt = -pauseMs
  return onNews((news) => {
    if (hear(news)) return
    waiting.push(news)
    if (waiting.length > 1) return
    setTimeout(
      () => {
        lastAt = performance.now()
        const keys = waiting.map((each) => staleKeys(staleOn, each))
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
