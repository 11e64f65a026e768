import type { NewTask } from '../../server/features/activity/tasks/schema.ts'
import { ask } from '../data/api.ts'

/** Creates a task, once for all calls with one `key` and one draft. */
export const addTask = (draft: NewTask, key: string): Promise<void> =>
  ask('/api/v4/tasks', { method: 'POST', body: [draft], key })
