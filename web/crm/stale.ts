// What news make stale on the page: the queries of each noun, in one table, the card of a changed record, and
// the vocabulary.
import type { QueryClient } from '@tanstack/react-query'
import type { News } from '../data/live.ts'
import { followNews } from '../data/news.ts'
import { hearOfVocabulary, needUsers } from './vocabulary.ts'

/** Where elements of catalogs are used. */
const uses = ['elements', 'uses']

/** Keys begin with the noun of the feature, so that one line covers all queries of it. */
const staleOn: Record<string, string[][]> = {
  // One of them tells that a webhook was switched off.
  notification: [['notifications'], ['counters'], ['webhooks']],
  leads: [['leads'], ['search'], uses],
  contacts: [['contacts'], ['search'], uses, ['duplicates'], ['merges']],
  companies: [['companies'], ['search'], uses, ['duplicates'], ['merges']],
  customers: [['customers'], ['purchases'], ['search'], uses],
  catalog_elements: [['elements']],
  tasks: [['tasks'], ['counters']],
  unsorted_items: [['unsorted'], ['counters']],
  messages: [['chats'], ['counters']],
  chats: [['chats'], ['counters']],
  views: [['views']],
  job: [['jobs']],
  talks: [['chats'], ['counters']],
}

/** Keeps all that `client` has asked for fresh. */
export const followChanges = (client: QueryClient): (() => void) =>
  followNews(client, staleOn, (news) => {
    markCard(client, news)
    if (news.name === 'vocabulary') {
      void hearOfVocabulary(client, news.data['kinds'] as string[])
      return true
    }
    needUsers(client, [Number(news.data['created_by'] ?? news.data['user_id'] ?? 0)])
    return false
  })

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
