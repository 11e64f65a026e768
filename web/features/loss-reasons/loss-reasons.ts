import { queryOptions } from '@tanstack/react-query'
import type {
  DrawnLossReason,
  DrawnLossReasonChange,
  ManagedLossReason,
} from '../../../server/features/definitions/loss-reasons/schema.ts'
import type { Job } from '../../../server/features/application/jobs/schema.ts'
import { ask, askList } from '../../data/api.ts'

export type { ManagedLossReason }

const path = '/web/v1/loss-reasons'

export const lossReasonsQuery = queryOptions({
  queryKey: ['loss-reasons'],
  queryFn: ({ signal }) => askList<ManagedLossReason>(path, 'loss_reasons', { signal }),
})

export const createLossReason = (draft: DrawnLossReason): Promise<ManagedLossReason> =>
  ask(path, { method: 'POST', body: draft })

export const redrawLossReason = (
  id: number,
  change: DrawnLossReasonChange,
): Promise<ManagedLossReason> => ask(`${path}/${id}`, { method: 'PATCH', body: change })

export const placeLossReason = (id: number, before: number | null): Promise<void> =>
  ask(`${path}/${id}/move`, { method: 'POST', body: { before } })

export const removeReason = (id: number): Promise<void> =>
  ask(`${path}/${id}`, { method: 'DELETE' })

/** Writes down the job that gives its leads another reason and then deletes it. */
export const mergeLossReason = (id: number, into: number): Promise<Job> =>
  ask('/web/v1/definition-jobs', {
    method: 'POST',
    body: { merge_loss_reason: { loss_reason_id: id, into } },
  })
