// Steps that the verbs of pipelines and of their statuses share.
import type { Tx } from '../../../database/connect.ts'
import { fieldsChanged } from '../../../records/fields/definitions.ts'
import type { Actor } from '../../../access/actor.ts'
import { notFound, Problem } from '../../../http/problem.ts'
import { forgetInFields, forgetInRights } from './queries.ts'
import { someLeads } from './statuses/queries.ts'
import type { PipelineOrStatus } from './statuses/queries.ts'

/** Pipelines of an account (interface: Limits). */
const mostPipelines = 50
/** Statuses of a pipeline, with the three that each has (interface: Limits). */
const mostStatuses = 100

export const noPipeline = () => notFound('Pipeline not found')

/** Too many pipelines: 422. */
export function checkPipelineCount(count: number): void {
  if (count > mostPipelines)
    throw new Problem(422, `An account has at most ${mostPipelines} pipelines`)
}

/** A pipeline has three statuses besides the ordinary ones. Too many: 422. */
export function checkStatusCount(ordinary: number): void {
  if (ordinary + 3 > mostStatuses)
    throw new Problem(
      422,
      `A pipeline has at most ${mostStatuses} statuses, those of every pipeline included`,
    )
}

/**
 * Whether leads are left, in the bin or not. The number of moved leads cannot answer this: a lead
 * may have been purged meanwhile.
 */
export async function hasLeads(tx: Tx, actor: Actor, within: PipelineOrStatus): Promise<boolean> {
  return (await tx.row<{ some: boolean }>(someLeads(actor, within)))!.some
}

/**
 * Removes what is deleted from rights and custom fields. Verbs that write such names lock the
 * pipelines or the account first, so that none is added later.
 */
export async function forgetStatuses(
  tx: Tx,
  actor: Actor,
  deleted: PipelineOrStatus,
): Promise<void> {
  await tx.rows(forgetInRights(actor, 'roles', deleted))
  await tx.rows(forgetInRights(actor, 'users', deleted))
  const fields = await tx.rows(forgetInFields(actor, deleted))
  if (fields.length > 0) await fieldsChanged(tx, actor.accountId)
}
