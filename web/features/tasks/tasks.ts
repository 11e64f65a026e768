import type { NewTask } from '../../../server/features/tasks/schema.ts'
import { ask } from '../../api.ts'

/** Creates a task. */
export const addTask = (draft: NewTask): Promise<void> =>
  ask('/api/v4/tasks', { method: 'POST', body: [draft] })
