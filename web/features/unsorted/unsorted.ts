// Requests that wait for a decision: the items of the unsorted column. An accepted item is gone at
// once; a declined one waits for a change of mind, because the server takes none back.
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import type { SearchAnswer } from '../../../server/features/application/search/schema.ts'
import type {
  ItemCard,
  ItemCategory,
  ItemCounts,
} from '../../../server/features/records/unsorted/schema.ts'
import { ask, askPage } from '../../data/api.ts'
import { doLater } from '../../ui/later.ts'
import type { LateAct } from '../../ui/later.ts'

export type { ItemCategory }
export type WaitingItem = Omit<ItemCard, 'metadata'> & { metadata: Metadata }

/** The members of a call, of a form and of a chat. */
interface Metadata {
  from?: string | null
  phone?: string | null
  duration?: number | null
  link?: string | null
  call_responsible?: string | null
  form_name?: string | null
  last_message_text?: string | null
  client?: { name: string; avatar: string | null }
}

/** In the order of the chips. */
export const shownCategories = ['sip', 'forms', 'chats', 'mail'] as const
const path = '/api/v4/leads/unsorted'

export const countsQuery = (pipelineId: number) =>
  queryOptions({
    queryKey: ['unsorted', 'counts', pipelineId],
    queryFn: async ({ signal }) =>
      (await ask<ItemCounts>(`/web/v1/unsorted/counts?pipeline_id=${pipelineId}`, { signal }))
        .unsorted,
  })

/** The waiting items of a pipeline, the newest first; of one category, or of all. */
export const itemsQuery = (pipelineId: number, category: ItemCategory | undefined) =>
  infiniteQueryOptions({
    queryKey: ['unsorted', 'items', pipelineId, category],
    queryFn: ({ pageParam, signal }) => askPage<WaitingItem>(pageParam, 'unsorted', { signal }),
    initialPageParam: `/web/v1/unsorted?${new URLSearchParams({
      limit: '25',
      'filter[pipeline_id]': String(pipelineId),
      'order[created_at]': 'desc',
      ...(category && { 'filter[category]': category }),
    })}`,
    getNextPageParam: ({ next }) => next,
    select: ({ pages }) => pages.flatMap(({ items }) => items),
  })

/** Leads for the link of a chat. */
export const leadsNamedQuery = (text: string) =>
  queryOptions({
    queryKey: ['search', 'leads', text],
    queryFn: async ({ signal }) =>
      (
        await ask<SearchAnswer>(
          `/web/v1/search?types=leads&limit=10&q=${encodeURIComponent(text)}`,
          { signal },
        )
      ).leads?.items ?? [],
    enabled: text !== '',
    staleTime: 10_000,
  })

/** Makes the records of an item, with the lead in a stage; answers the id of the lead. */
export async function acceptItem(uid: string, statusId: number): Promise<number | undefined> {
  const { _embedded } = await ask<{ _embedded: { leads: { id: number }[] } }>(
    `${path}/${uid}/accept`,
    { method: 'POST', body: { status_id: statusId } },
  )
  return _embedded.leads[0]?.id
}

export const linkItem = (uid: string, leadId: number) =>
  ask(`${path}/${uid}/link`, {
    method: 'POST',
    body: { link: { entity_id: leadId, entity_type: 'leads' } },
  })

/** The address of the recording of a call. */
export const recordingOf = (uid: string) => `/web/v1/recordings/unsorted/${uid}`

/** Items that are decided here, or about to be; the list leaves them out. */
let hidden: ReadonlySet<string> = new Set()
const watchers = new Set<() => void>()
/** The functions that send declines which still wait, by the items. */
const waiting = new Map<string, () => void>()

function hide(uid: string, isHidden: boolean): void {
  const next = new Set(hidden)
  if (isHidden) next.add(uid)
  else next.delete(uid)
  hidden = next
  for (const watcher of watchers) watcher()
}

export const useHidden = (): ReadonlySet<string> =>
  useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher)
      return () => watchers.delete(watcher)
    },
    () => hidden,
  )

export const hideItem = (uid: string) => hide(uid, true)
export const showItem = (uid: string) => hide(uid, false)

/** Declines an item after a while; `takenBack` and `failed` hear that it is there again, and why the server refused it. */
export function declineLater(
  uid: string,
  late: Pick<LateAct, 'text' | 'delayMs' | 'offerUndo'>,
  { takenBack, failed }: { takenBack: () => void; failed: (error: unknown) => void },
): void {
  hide(uid, true)
  const run = () => {
    waiting.delete(uid)
    const request = { method: 'DELETE', body: {} } as const
    void ask(`${path}/${uid}/decline`, request).catch((error: unknown) => {
      showItem(uid)
      failed(error)
    })
  }
  const takeBack = () => {
    waiting.delete(uid)
    showItem(uid)
    takenBack()
  }
  const now = doLater({ ...late, run, takeBack })
  if (late.delayMs > 0) waiting.set(uid, now)
}

/** Sends all declines that wait: the screen is left. */
export function sendDeclines(): void {
  for (const now of waiting.values()) now()
}
