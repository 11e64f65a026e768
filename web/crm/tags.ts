// Tags to choose from: the first of the account come with the page, and the server finds the others
// as somebody types.
import { skipToken, useQuery } from '@tanstack/react-query'
import type { Bootstrap } from '../../server/features/application/bootstrap/schema.ts'
import type { RecordType } from '../../server/records/description.ts'
import { askList } from '../data/api.ts'
import { useTyped } from '../ui/waiting.tsx'

export type Tag = Bootstrap['tags'][RecordType][number]

/** Milliseconds without a key after which the server is asked. */
const pauseMs = 120

/** The tags of a type of records whose names hold what is typed, 50 at most; none for no text. */
export function useFoundTags(
  type: RecordType,
  typed: string,
): { tags: readonly Tag[]; isFetching: boolean; error: unknown } {
  const text = typed.trim()
  const searched = useTyped(text, pauseMs)
  const { data, isFetching, error } = useQuery({
    queryKey: ['tags', type, searched],
    queryFn:
      searched === ''
        ? skipToken
        : ({ signal }) => {
            const query = new URLSearchParams({ query: searched, limit: '50' }).toString()
            return askList<Tag>(`/api/v4/${type}/tags?${query}`, 'tags', { signal })
          },
    placeholderData: (before) => before,
  })
  if (text === '') return { tags: [], isFetching: false, error: null }
  return { tags: data ?? [], isFetching: isFetching || searched !== text, error }
}
