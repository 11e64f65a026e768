// The tags of a type of records, as administrators manage them: by their names, a page at a time.
import { infiniteQueryOptions } from '@tanstack/react-query'
import type { Job } from '../../../server/features/application/jobs/schema.ts'
import type {
  ManagedTag,
  ManagedTags,
  NewTag,
} from '../../../server/features/definitions/tags/schema.ts'
import type { Tag } from '../../crm/tags.ts'
import type { RecordType } from '../../../server/records/description.ts'
import { ask, askList, Problem } from '../../data/api.ts'

export type { ManagedTag }

/** The types of records that have tags, as their pages follow each other. */
export const taggedTypes = ['leads', 'contacts', 'companies', 'customers'] as const

/** `text`: part of their names. News of tags make it stale (crm/vocabulary.ts). */
export const managedTagsQuery = (type: RecordType, text: string) =>
  infiniteQueryOptions({
    queryKey: ['tags', type, 'managed', text],
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) => {
      const query = new URLSearchParams({
        ...(text !== '' && { query: text }),
        ...(pageParam !== '' && { after: pageParam }),
      }).toString()
      return ask<ManagedTags>(`/web/v1/tags/${type}${query && `?${query}`}`, { signal })
    },
    getNextPageParam: ({ _embedded: { tags }, has_more }) =>
      has_more ? tags.at(-1)?.name : undefined,
  })

const found = async (type: RecordType, filter: Record<string, string>): Promise<Tag | undefined> =>
  (await askList<Tag>(`/api/v4/${type}/tags?${new URLSearchParams(filter).toString()}`, 'tags')).at(
    0,
  )

/** A tag as it is now; undefined: it is deleted. */
export const presentTag = (type: RecordType, id: number) =>
  found(type, { 'filter[id]': String(id) })

/** The server answers a name that exists with its tag; whoever makes one is told that there is one. */
export async function createTag(type: RecordType, draft: NewTag): Promise<unknown> {
  if (await found(type, { 'filter[name]': draft.name.trim() }))
    throw new Problem(400, 'Bad Request', 'Another tag has this name.', {
      faults: [{ code: 'NotUnique', path: 'name', detail: 'Another tag has this name.' }],
    })
  return ask(`/api/v4/${type}/tags`, { method: 'POST', body: [draft] })
}

export const changeTag = (
  type: RecordType,
  id: number,
  change: Partial<NewTag>,
): Promise<unknown> => ask(`/api/v4/${type}/tags/${id}`, { method: 'PATCH', body: change })

/** Writes down the job that gives its records another tag and then deletes it. */
export const mergeTag = (id: number, into: number): Promise<Job> =>
  ask('/web/v1/definition-jobs', { method: 'POST', body: { merge_tag: { tag_id: id, into } } })

/** Writes down the job that takes it off its records and then deletes it. */
export const dropTag = (id: number): Promise<Job> =>
  ask('/web/v1/definition-jobs', { method: 'POST', body: { delete_tag: { tag_id: id } } })
