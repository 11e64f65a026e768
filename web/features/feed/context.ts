// Shared by the parts of a feed: its store, the words of the account, and its actions.
import type { RecordType } from '../../../server/records/description.ts'
import { createContext, useContext } from 'react'
import type { FeedActions } from './actions.tsx'
import type { FeedStore } from './store.ts'
import type { FeedVocabulary } from './rows.ts'

export interface FeedContext {
  type: RecordType
  id: number
  /** Of the record. */
  name: string
  store: FeedStore
  vocabulary: FeedVocabulary
  actions: FeedActions
  isReadOnly: boolean
  /** Opens the card of another record. */
  open: (type: RecordType, id: number) => void
}

const Context = createContext<FeedContext | undefined>(undefined)
export const FeedProvider = Context.Provider

export function useFeed(): FeedContext {
  const context = useContext(Context)
  if (!context) throw new Error('a part of the feed stands outside of it')
  return context
}
