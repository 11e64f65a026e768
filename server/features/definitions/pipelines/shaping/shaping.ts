// Changes of pipelines that only the pages make: a pipeline is archived or copied, a stage
// grows stale after some days, or changes its place by naming the one that follows.
import type { Tx } from '../../../../database/connect.ts'
import { lockAccount } from '../../../../access/account.ts'
import type { Actor } from '../../../../access/actor.ts'
import { forgetAccess } from '../../../../access/remembered.ts'
import type { PipelineStatus } from '../../../../access/rights.ts'
import { badRequest, invalidValue, notFound, Problem } from '../../../../http/problem.ts'
import { highestSort } from '../../../../http/types.ts'
import { fieldsChanged } from '../../../../records/fields/definitions.ts'
import { insertPipelines } from '../pipelines.ts'
import { pipelineRows } from '../queries.ts'
import type { PipelineRow } from '../queries.ts'
import { statusRows, updateStatuses } from '../statuses/queries.ts'
import type { StatusRow } from '../statuses/queries.ts'
import { isClosed, isOrdinary, lost, won } from '../statuses/schema.ts'
import { renumbered, sortAt } from '../statuses/statuses.ts'
import { checkPipelineCount, noPipeline } from '../steps.ts'
import {
  copyDescriptions,
  copyInFields,
  copyStaleness,
  pipelineToCopy,
  setArchived,
  setStaleness,
} from './queries.ts'
import type { CopiedStage } from './queries.ts'
import type { StageChange, StageMove } from './schema.ts'

/** Stages that a field requires or hides (interface: Custom field). */
const mostStagesOfField = 100

/**
 * Archives a pipeline, or brings it back. Pages offer an archived one no more; its leads stay, and
 * programs bring new ones as before. Unknown: 404; the main pipeline: 400.
 */
export async function archivePipeline(
  tx: Tx,
  actor: Actor,
  id: number,
  isArchived: boolean,
): Promise<void> {
  await tx.rows(lockAccount(actor))
  const pipelines = await tx.rows<PipelineRow>(pipelineRows(actor))
  if (!pipelines.some((pipeline) => pipeline.id === id)) throw noPipeline()
  const isSet = await tx.row(setArchived(actor, id, isArchived))
  if (!isSet && isArchived) throw badRequest('The main pipeline cannot be archived')
  await forgetAccess(tx)
}

/**
 * Copies a pipeline with its stages, their descriptions and days, and the fields that these require
 * or hide; not the exceptions of rights for them. Answers the id. Unknown: 404; an account full of pipelines, or a field that too many stages name: 422.
 */
export async function copyPipeline(
  tx: Tx,
  actor: Actor,
  id: number,
  name: string,
): Promise<number> {
  await tx.rows(lockAccount(actor))
  const pipelines = await tx.rows<PipelineRow>(pipelineRows(actor))
  const original = await tx.row<{ is_unsorted_on: boolean }>(pipelineToCopy(actor, id))
  if (!original) throw noPipeline()
  checkPipelineCount(pipelines.length + 1)
  const statuses = await tx.rows<StatusRow>(statusRows(actor, id))
  const nameOf = (isWanted: (status: StatusRow) => boolean) => statuses.find(isWanted)!.name
  const [copy] = await insertPipelines(tx, actor.accountId, [
    {
      name: name.trim(),
      is_main: false,
      is_unsorted_on: original.is_unsorted_on,
      sort: Math.min(Math.max(...pipelines.map(({ sort }) => sort)) + 1, highestSort),
      statuses: statuses
        .filter(isOrdinary)
        .map((status) => ({ name: status.name, color: status.color })),
      names: {
        unsorted: nameOf(({ type }) => type === 1),
        won: nameOf((status) => status.id === won),
        lost: nameOf((status) => status.id === lost),
      },
    },
  ])
  const copies = [...copy!.ordinary]
  const stages = statuses.flatMap((status): CopiedStage[] => {
    if (!isOrdinary(status) && !isClosed(status.id)) return []
    const to_status = isOrdinary(status) ? copies.shift()! : status.id
    return [{ from_pipeline: id, from_status: status.id, to_pipeline: copy!.id, to_status }]
  })
  await tx.rows(copyStaleness(actor, stages))
  await tx.rows(copyDescriptions(actor, stages))
  const fields = await tx.rows<{ stages: number }>(copyInFields(actor, stages))
  if (fields.some((field) => field.stages > mostStagesOfField))
    throw new Problem(
      422,
      `A field is required or hidden in at most ${mostStagesOfField} stages, and the copy would bring more`,
    )
  if (fields.length > 0) await fieldsChanged(tx, actor.accountId)
  await forgetAccess(tx)
  return copy!.id
}

/** Says after how many days a lead of a stage is stale. Unknown: 404; a stage that every pipeline has: 400. */
export async function changeStage(
  tx: Tx,
  actor: Actor,
  stage: PipelineStatus,
  { stale_after_days }: StageChange,
): Promise<void> {
  await tx.rows(lockAccount(actor))
  await ordinaryStage(tx, actor, stage)
  await tx.rows(setStaleness(actor, stage, stale_after_days))
}

/** Puts a stage before another one of its pipeline, or last. Errors as `changeStage`; unknown `before`: 400. */
export async function moveStage(
  tx: Tx,
  actor: Actor,
  stage: PipelineStatus,
  { before }: StageMove,
): Promise<void> {
  await tx.rows(lockAccount(actor))
  const { moved, others } = await ordinaryStage(tx, actor, stage)
  const index = before === null ? others.length : others.findIndex(({ id }) => id === before)
  if (index < 0)
    throw invalidValue('NotSupportedChoice', 'before', `The stage cannot stand before ${before}.`)
  const inOrder = others.toSpliced(index, 0, moved)
  const rows = renumbered(inOrder, (each) => sortAt(inOrder.indexOf(each)))
  if (rows.length > 0) await tx.rows(updateStatuses(actor, stage.pipeline_id, rows))
  await forgetAccess(tx)
}

/** A stage that can be changed, and the other ones in their order. */
async function ordinaryStage(tx: Tx, actor: Actor, { pipeline_id, status_id }: PipelineStatus) {
  const statuses = await tx.rows<StatusRow>(statusRows(actor, pipeline_id))
  if (statuses.length === 0) throw noPipeline()
  const moved = statuses.find(({ id }) => id === status_id)
  if (!moved) throw notFound('Status not found')
  if (!isOrdinary(moved)) throw badRequest('Every pipeline has this status, only its name changes')
  return { moved, others: statuses.filter((each) => isOrdinary(each) && each !== moved) }
}
