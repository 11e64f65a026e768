import { queryOptions } from '@tanstack/react-query'
import type {
  ManagedTaskType,
  NewTaskType,
  TaskTypeChange,
} from '../../../server/features/definitions/task-types/schema.ts'
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
