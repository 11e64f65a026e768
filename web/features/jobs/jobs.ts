// Changes of many records at once, which the server makes in the background. A job goes on whatever the
// page does; each page of the user shows it.
import { queryOptions } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type { Aggregate } from '../../../server/features/application/board/schema.ts'
import type * as shapes from '../../../server/features/application/jobs/schema.ts'
import { ask } from '../../data/api.ts'

export type Job = shapes.Job
/** The records of which many are changed at once. */
export type JobType = shapes.BulkRequest['entity_type']
/** Exactly one of its members. */
export type BulkAction = shapes.BulkRequest['action']

/** Milliseconds between two requests about a running job, where news were lost. */
const pauseMs = 2000

export const isRunning = ({ state }: Job): boolean => state === 'waiting' || state === 'running'

/** The jobs of the user, the latest first. */
export const jobsQuery = queryOptions({
  queryKey: ['jobs'],
  queryFn: async ({ signal }) =>
    (await ask<Static<typeof shapes.Jobs>>('/web/v1/jobs', { signal })).jobs,
  refetchInterval: ({ state: { data } }) => (data?.some(isRunning) ? pauseMs : false),
  staleTime: 0,
})

/** How many leads a board's filter finds; `filter` is a query string of `GET /api/v4/leads`. */
export const aggregateQuery = (filter: string) =>
  queryOptions({
    queryKey: ['leads', 'aggregate', filter],
    queryFn: ({ signal }) =>
      ask<Static<typeof Aggregate>>(`/web/v1/aggregate?entity=leads&${filter}`, { signal }),
    staleTime: 0,
  })

/** Records that a job is for: by their ids, or by the filter that finds them, without some of them. */
export type JobTarget = { entity_type: JobType } & (
  | { ids: readonly number[] }
  | { filter: string; except?: readonly number[] }
)

/** Begins a job. */
export const startJob = (target: JobTarget, action: BulkAction) =>
  ask<Job>('/web/v1/bulk', { method: 'POST', body: { ...target, action } })

export const cancelJob = (id: number) => ask<Job>(`/web/v1/jobs/${id}/cancel`, { method: 'POST' })

/** Begins a job that takes another one back. */
export const undoJob = (id: number) => ask<Job>(`/web/v1/jobs/${id}/undo`, { method: 'POST' })

/** Minutes for which a job that has ended is shown. */
const shownMinutes = 10
const key = 'kontor-closed-jobs'

/** The jobs that the user has closed, for as long as the tab lives. */
export const closedJobs = {
  read: (): number[] => JSON.parse(sessionStorage.getItem(key) ?? '[]') as number[],
  add: (id: number) =>
    sessionStorage.setItem(key, JSON.stringify([...closedJobs.read().slice(-50), id])),
}

/** The jobs that a page shows: running ones, and those that ended a moment ago. */
export const shownJobs = (jobs: readonly Job[], closed: readonly number[], now: number): Job[] =>
  jobs.filter(
    (job) =>
      isRunning(job) ||
      (!closed.includes(job.id) &&
        job.undone_by === null &&
        now - (job.finished_at ?? now) < shownMinutes * 60),
  )
