import { queryOptions } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type * as shapes from '../../../server/features/people/views/schema.ts'
import { ask } from '../../data/api.ts'
import { parseSearch, stringifySearch } from '../../data/search.ts'
import { bootstrapAtStart } from '../../crm/bootstrap.ts'

export type View = shapes.View

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

/** A query string in one form, whatever the order of its parameters. */
export const canonical = (search: string): string =>
  stringifySearch(
    Object.fromEntries(
      Object.entries(parseSearch(search)).toSorted(([a], [b]) => (a < b ? -1 : 1)),
    ),
  )

/** The views of a pipeline's board. */
export const viewsOf = (views: readonly View[], pipelineId: number): View[] =>
  views.filter(({ pipeline_id }) => pipeline_id === null || pipeline_id === pipelineId)
