import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type {
  SearchAnswer,
  SearchedType,
} from '../../../server/features/application/search/schema.ts'
import { ask } from '../../data/api.ts'

/**
 * The records that answer `text` (words, a number or a phone), a few of each type; by default of all. `isSimilar`:
 * also names with one wrong letter, for a list that says so.
 */
export const searchQuery = (
  text: string,
  types?: readonly SearchedType[],
  { isSimilar = false } = {},
) =>
  queryOptions({
    queryKey: ['search', text, types, isSimilar],
    queryFn: ({ signal }) => {
      const of = `${types ? `&types=${types.join(',')}` : ''}${isSimilar ? '&similar=true' : ''}`
      return ask<SearchAnswer>(`/web/v1/search?limit=5${of}&q=${encodeURIComponent(text)}`, {
        signal,
      })
    },
    enabled: text !== '',
    // The answers to a shorter text stay until those of the longer one are there.
    placeholderData: keepPreviousData,
    staleTime: 10_000,
  })
