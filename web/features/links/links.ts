// The writes and requests of links. Linking follows the public interface; several links of one kind
// replace each other only where a record has one company at most.
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { RecordCard } from '../../../server/features/application/cards/schema.ts'
import type { SearchAnswer } from '../../../server/features/application/search/schema.ts'
import type { RecordType } from '../../../server/records/description.ts'
import { ask, askList, askPage } from '../../data/api.ts'
import type { Slice } from '../../data/api.ts'
import { elementPrices } from '../../crm/catalogs.ts'
import type { CatalogElement } from '../../crm/catalogs.ts'

export type Lists = Pick<RecordCard, 'leads' | 'contacts' | 'companies' | 'customers' | 'elements'>
export type ListName = keyof Lists
export type ItemOfList<Name extends ListName> = Lists[Name]['items'][number]

export interface LinkedRecord {
  type: RecordType
  id: number
}

/** The other end of a link, and what the link says of it. */
export interface LinkTarget {
  to_entity_type: RecordType | 'catalog_elements'
  to_entity_id: number
  metadata?: {
    is_main?: boolean
    catalog_id?: number
    quantity?: number
    price_id?: number | null
  }
}

export const link = ({ type, id }: LinkedRecord, target: LinkTarget): Promise<unknown> =>
  ask(`/api/v4/${type}/${id}/link`, { method: 'POST', body: [target] })

export const unlink = ({ type, id }: LinkedRecord, target: LinkTarget): Promise<unknown> =>
  ask(`/api/v4/${type}/${id}/unlink`, { method: 'POST', body: [target] })

/** Changes a contact or a company: its name, and its first phone and e-mail. */
export const changeReachable = (
  { type, id }: LinkedRecord,
  change: { name: string; custom_fields_values: object[] },
): Promise<unknown> => ask(`/api/v4/${type}/${id}`, { method: 'PATCH', body: change })

/** The records of a type that answer `text`: words, a number or a phone. */
export const foundQuery = (type: RecordType, text: string) =>
  queryOptions({
    queryKey: ['search', 'links', type, text],
    queryFn: ({ signal }) =>
      ask<SearchAnswer>(`/web/v1/search?limit=8&types=${type}&q=${encodeURIComponent(text)}`, {
        signal,
      }),
    enabled: text !== '',
    // The answers to a shorter text stay until those of the longer one are there.
    placeholderData: keepPreviousData,
    staleTime: 10_000,
  })

/** The contacts among these that have chats. */
export const chattingQuery = (contactIds: readonly number[]) =>
  queryOptions({
    queryKey: ['chats', 'of', ...contactIds],
    queryFn: async ({ signal }) => {
      const chats = await askList<{ contact_id: number }>(
        `/api/v4/contacts/chats?limit=250&contact_id=${contactIds.join()}`,
        'chats',
        { signal },
      )
      return new Set(chats.map(({ contact_id }) => contact_id))
    },
    enabled: contactIds.length > 0,
    placeholderData: keepPreviousData,
  })

/** A linked record or element in the list of all. */
export interface Named {
  id: number
  name: string
}

/** All links of a record to one type, page by page, with the names of the other ends. */
export const allLinkedQuery = ({ type, id }: LinkedRecord, to: LinkTarget['to_entity_type']) =>
  infiniteQueryOptions({
    queryKey: [type, id, 'linked', to],
    initialPageParam: `/api/v4/${type}/${id}/links?filter[to_entity_type]=${to}&limit=100`,
    queryFn: async ({ pageParam, signal }): Promise<Slice<Named>> => {
      const { items, next } = await askPage<{
        to_entity_id: number
        metadata: { catalog_id?: number } | null
      }>(pageParam, 'links', { signal })
      const names =
        to === 'catalog_elements'
          ? await namesOfElements(items, signal)
          : await namesOf(
              `/api/v4/${to}`,
              to,
              items.map((each) => each.to_entity_id),
              signal,
            )
      return {
        items: items.flatMap((each) => names.get(each.to_entity_id) ?? []),
        next,
      }
    },
    getNextPageParam: ({ next }) => next,
  })

async function namesOf(
  path: string,
  collection: string,
  ids: readonly number[],
  signal: AbortSignal,
): Promise<ReadonlyMap<number, Named>> {
  if (ids.length === 0) return new Map()
  const query = `limit=250&filter[id]=${ids.join()}`
  const found = await askList<Named>(`${path}?${query}`, collection, { signal })
  return new Map(found.map((each) => [each.id, { id: each.id, name: each.name }]))
}

async function namesOfElements(
  links: readonly { to_entity_id: number; metadata: { catalog_id?: number } | null }[],
  signal: AbortSignal,
): Promise<ReadonlyMap<number, Named>> {
  const byCatalog = Map.groupBy(links, ({ metadata }) => metadata?.catalog_id ?? 0)
  const found = await Promise.all(
    [...byCatalog].map(([catalog, some]) =>
      namesOf(
        `/api/v4/catalogs/${catalog}/elements`,
        'elements',
        some.map((each) => each.to_entity_id),
        signal,
      ),
    ),
  )
  return new Map(found.flatMap((each) => [...each]))
}

/** An element that was found, as a card lists it: at its first price. */
export function elementItem(element: CatalogElement): ItemOfList<'elements'> {
  const { id, catalog_id, name } = element
  const prices = elementPrices(element)
  const price = prices[0]?.price ?? null
  return { id, catalog_id, name, quantity: 1, price, price_id: null, prices }
}
