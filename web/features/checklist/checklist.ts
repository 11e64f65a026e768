import { queryOptions } from '@tanstack/react-query'
import type { Checklist } from '../../../server/features/application/checklist/schema.ts'
import { ask } from '../../data/api.ts'

export type { Checklist }

/** Which first steps are done. Asked anew on each visit: they are done on other screens. */
export const checklistQuery = queryOptions({
  queryKey: ['checklist'],
  queryFn: ({ signal }) => ask<Checklist>('/web/v1/checklist', { signal }),
  staleTime: 0,
})

/** The steps in their order, with the page of settings where each is done. */
export const checklistSteps = [
  ['pipeline', 'pipelines'],
  ['fields', 'fields'],
  ['invite', 'users'],
  ['role', 'roles'],
  ['factor', 'security'],
  ['program', 'integrations'],
  ['webhook', 'webhooks'],
] as const
export type StepPage = (typeof checklistSteps)[number][1]
