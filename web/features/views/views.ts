import { queryOptions, useQuery } from '@tanstack/react-query'
import { Building2, CircleUser, Kanban, List, UserRound } from 'lucide-react'
import type { LucideIcon } from 'lucide-react'
import type { Static } from 'typebox'
import type * as shapes from '../../../server/features/people/views/schema.ts'
import { ask } from '../../data/api.ts'
import { parseSearch, stringifySearch } from '../../data/search.ts'
import type { SearchParams } from '../../data/search.ts'
import { bootstrapAtStart, useHasCustomers, useMayView } from '../../crm/bootstrap.ts'

export type View = shapes.View
export type ViewedScreen = shapes.ViewedScreen

const path = '/web/v1/views'

/** The own views and the shared ones, by name. */
export const viewsQuery = queryOptions({
  queryKey: ['views'],
  queryFn: async ({ signal }) => (await ask<Static<typeof shapes.Views>>(path, { signal })).views,
  initialData: () => bootstrapAtStart()?.views,
})

export const addView = (body: shapes.NewView) => ask<View>(path, { method: 'POST', body })

export const changeView = (id: number, body: shapes.ViewChange) =>
  ask<View>(`${path}/${id}`, { method: 'PATCH', body })

export const deleteView = (id: number) => ask(`${path}/${id}`, { method: 'DELETE' })

export const pinView = (id: number, isPinned: boolean) =>
  ask(`${path}/${id}/pin`, { method: isPinned ? 'PUT' : 'DELETE' })

/** A query string in one form, whatever the order of its parameters. */
export const canonical = (search: string): string =>
  stringifySearch(
    Object.fromEntries(
      Object.entries(parseSearch(search)).toSorted(([a], [b]) => (a < b ? -1 : 1)),
    ),
  )

/** The views that a screen offers. Leads are a board and a list: each offers the views of both. */
export const viewsOf = (
  views: readonly View[],
  screen: ViewedScreen,
  pipelineId: number | null,
): View[] =>
  views.filter((view) =>
    screen === 'board' && view.screen === 'board'
      ? view.pipeline_id === null || view.pipeline_id === pipelineId
      : viewedTypes[view.screen] === viewedTypes[screen],
  )

/** The records that a screen shows. */
export const viewedTypes = {
  board: 'leads',
  leads: 'leads',
  contacts: 'contacts',
  companies: 'companies',
  customers: 'customers',
} as const satisfies Record<ViewedScreen, string>

export const screenIcons: Record<ViewedScreen, LucideIcon> = {
  board: Kanban,
  leads: List,
  contacts: UserRound,
  companies: Building2,
  customers: CircleUser,
}

/** The address of a view. */
export function addressOfView({ id, screen, pipeline_id, search }: View): {
  to: string
  search: SearchParams
} {
  const board = pipeline_id === null ? '/leads' : `/leads/p/${pipeline_id}`
  const lists = {
    leads: '/leads/list',
    contacts: '/contacts',
    companies: '/companies',
    customers: '/customers',
  }
  return {
    to: screen === 'board' ? board : lists[screen],
    search: { ...parseSearch(search), view: String(id) },
  }
}

/** The views of records that the user may view. */
export function useViewsOfRights(): View[] {
  const { data = [] } = useQuery(viewsQuery)
  const mayView = {
    leads: useMayView('leads'),
    contacts: useMayView('contacts'),
    companies: useMayView('companies'),
    customers: useHasCustomers(),
  }
  return data.filter(({ screen }) => mayView[viewedTypes[screen]])
}

/** The views that the user has pinned to the navigation, as they were pinned. */
export const pinnedViews = (views: readonly View[]): View[] =>
  views
    .filter(({ pinned_at }) => pinned_at !== null)
    .toSorted((a, b) => a.pinned_at! - b.pinned_at! || a.id - b.id)
