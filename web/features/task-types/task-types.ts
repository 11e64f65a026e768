import { queryOptions } from '@tanstack/react-query'
import type {
  ManagedTaskType,
  NewTaskType,
  TaskTypeChange,
} from '../../../server/features/definitions/task-types/schema.ts'
import type { Job } from '../../../server/features/application/jobs/schema.ts'
import { ask, askList } from '../../data/api.ts'

export type { ManagedTaskType }

const path = '/web/v1/task-types'

export const taskTypesQuery = queryOptions({
  queryKey: ['task-types'],
  queryFn: ({ signal }) => askList<ManagedTaskType>(path, 'task_types', { signal }),
})

export const addTaskType = (draft: NewTaskType): Promise<ManagedTaskType> =>
  ask(path, { method: 'POST', body: draft })

export const redrawTaskType = (id: number, change: TaskTypeChange): Promise<ManagedTaskType> =>
  ask(`${path}/${id}`, { method: 'PATCH', body: change })

export const placeTaskType = (id: number, before: number | null): Promise<void> =>
  ask(`${path}/${id}/move`, { method: 'POST', body: { before } })

export const dropTaskType = (id: number): Promise<void> =>
  ask(`${path}/${id}`, { method: 'DELETE' })

/** Writes down the job that gives its tasks another type and then deletes it. */
export const mergeTaskType = (id: number, into: number): Promise<Job> =>
  ask('/web/v1/definition-jobs', {
    method: 'POST',
    body: { merge_task_type: { task_type_id: id, into } },
  })
