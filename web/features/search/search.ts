import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { SearchAnswer } from '../../../server/features/search/schema.ts'
import { ask } from '../../api.ts'

/** The records that answer `text` (words, a number or a phone), a few of each type. */
export const searchQuery = (text: string) =>
  queryOptions({
    queryKey: ['search', text],
    queryFn: ({ signal }) =>
      ask<SearchAnswer>(`/web/v1/search?limit=5&q=${encodeURIComponent(text)}`, { signal }),
    enabled: text !== '',
    // The answers to a shorter text stay until those of the longer one are there.
    placeholderData: keepPreviousData,
    staleTime: 10_000,
  })
