import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { SearchAnswer, SearchedType } from '../../../server/features/search/schema.ts'
import { ask } from '../../api.ts'

/** The records that answer `text` (words, a number or a phone), a few of each type; by default of all. */
export const searchQuery = (text: string, types?: readonly SearchedType[]) =>
  queryOptions({
    queryKey: ['search', text, types],
    queryFn: ({ signal }) => {
      const of = types ? `&types=${types.join(',')}` : ''
      return ask<SearchAnswer>(`/web/v1/search?limit=5${of}&q=${encodeURIComponent(text)}`, {
        signal,
      })
    },
    enabled: text !== '',
    // The answers to a shorter text stay until those of the longer one are there.
    placeholderData: keepPreviousData,
    staleTime: 10_000,
  })
