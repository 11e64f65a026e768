// The segments of customers with the number of customers in each.
import { queryOptions } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type * as shapes from '../../../server/features/records/segments/schema.ts'
import { ask, askList, Problem } from '../../data/api.ts'

export type Segment = Static<typeof shapes.Segment>

/** The most segments that a list of customers names. */
export const mostChosen = 3

/** In the order of their ids. News of customers make it stale. */
export const segmentsQuery = queryOptions({
  queryKey: ['customers', 'segments'],
  queryFn: ({ signal }) =>
    askList<Segment>('/api/v4/customers/segments?limit=250', 'segments', { signal }),
})

const path = '/api/v4/customers/segments'

/** As a form fills it in; `color`: hexadecimal digits. */
export interface SegmentDraft extends Record<string, unknown> {
  name: string
  color: string
}

/** A segment as it is now; undefined: it is deleted. */
export const presentSegment = (id: number): Promise<Segment | undefined> =>
  ask<Segment>(`${path}/${id}`).catch((error: unknown) => {
    if (error instanceof Problem && error.status === 404) return undefined
    throw error
  })

/** `key`: calls with one key create one segment. */
export const createSegment = (draft: SegmentDraft, key: string): Promise<unknown> =>
  ask(path, { method: 'POST', body: draft, key })

export const editSegment = (id: number, change: Partial<SegmentDraft>): Promise<unknown> =>
  ask(`${path}/${id}`, { method: 'PATCH', body: change })

export const dropSegment = (id: number): Promise<unknown> =>
  ask(`${path}/${id}`, { method: 'DELETE' })

/** The ids that an address names; those that are no ids are left out. */
export const segmentsIn = (text: unknown): number[] =>
  typeof text === 'string'
    ? [...new Set(text.split(',').filter((id) => /^[1-9]\d{0,14}$/.test(id)))]
        .map(Number)
        .slice(0, mostChosen)
    : []

/** All parts of two or more of the chosen ones, the smaller ones first. */
export function partsOfChosen<Value>(chosen: readonly Value[]): Value[][] {
  const parts = chosen.reduce<Value[][]>(
    (all, each) => [...all, ...all.map((part) => [...part, each])],
    [[]],
  )
  return parts.filter(({ length }) => length > 1).toSorted((a, b) => a.length - b.length)
}
