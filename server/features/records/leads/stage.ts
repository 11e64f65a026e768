// The stage of a lead (interface: Stage of a lead).
import type { Actor } from '../../../access/actor.ts'
import type { Tx } from '../../../database/connect.ts'
import type { Batch, Item } from '../../../http/batch.ts'
import { lockLossReasons } from '../../definitions/loss-reasons/loss-reasons.ts'
import { lockMovingTargets, lockTargetPipelines } from '../../definitions/pipelines/pipelines.ts'
import { lockSourcesByName, sourcesNamed } from '../../definitions/sources/sources.ts'
import type { LeadContext } from './leads.ts'
import type { LeadDraft, LeadRow } from './schema.ts'

type Stage = Pick<LeadRow, 'pipeline_id' | 'status_id'>
type Context = Pick<LeadContext, 'stages' | 'faults'>

/**
 * Locks what the stages of a batch name until the transaction ends, before any record: the pipelines
 * that leads are placed in, the sources that place new ones, and the reasons of lost ones. All
 * pipelines are locked at once, as in a deletion. The main one is locked only where a lead goes there.
 */
export async function lockLeadStages(
  tx: Tx,
  actor: Actor,
  batch: Batch<LeadDraft>,
  use: 'create' | 'change',
): Promise<void> {
  const sent = batch.items.map(({ value }) => value)
  await lockPipelinesAndSources(tx, actor, sent, use)
  await lockLossReasons(tx, actor, lossReasonsOf(sent))
}

async function lockPipelinesAndSources(
  tx: Tx,
  actor: Actor,
  sent: LeadDraft[],
  use: 'create' | 'change',
): Promise<void> {
  const names = use === 'create' ? sourceNamesOf(sent) : []
  if (names.length === 0) return lockTargetPipelines(tx, actor, sent, use)
  const find = async () => {
    const sources = await sourcesNamed(tx, actor, names)
    return sent.map((draft) => {
      if (draft.pipeline_id !== undefined || draft.status_id !== undefined) return draft
      return { pipeline_id: sources.get(sourceNameOf(draft) ?? '')?.pipeline_id }
    })
  }
  await lockMovingTargets(tx, actor, await find(), use, async () => {
    await lockSourcesByName(tx, actor, names)
    return find()
  })
}

/**
 * The external id of the source that a draft names. A change may hold any value there, since the
 * key is read only.
 */
export function sourceNameOf({ _embedded }: LeadDraft): string | undefined {
  const external_id: unknown = _embedded?.source?.external_id
  return typeof external_id === 'string' ? external_id : undefined
}

/** Whether a batch of new leads names sources, which say where leads go, or reasons of lost ones. */
export function namesSourcesOrReasons({ items }: Batch<LeadDraft>): boolean {
  const sent = items.map(({ value }) => value)
  return sourceNamesOf(sent).length > 0 || lossReasonsOf(sent).length > 0
}

const lossReasonsOf = (drafts: LeadDraft[]): number[] =>
  drafts.flatMap(({ loss_reason_id }) => loss_reason_id ?? [])

export function sourceNamesOf(drafts: LeadDraft[]): string[] {
  return drafts.flatMap((draft) => sourceNameOf(draft) ?? [])
}

/**
 * The stage of a new lead; `usual` is the pipeline of its source, for a lead that names no stage.
 */
export function newStage(
  { stages, faults }: Context,
  item: Item<LeadDraft>,
  usual = stages.main,
): Stage {
  const { pipeline_id, status_id } = item.value
  const pipelineOfStatus = status_id === undefined ? usual : stages.pipelineOf(status_id)
  const pipeline = pipeline_id ?? pipelineOfStatus ?? stages.main
  return checkStage({ stages, faults }, item, pipeline, status_id ?? stages.first(pipeline))
}

/** The sent status decides, then the sent pipeline; won and lost are in every pipeline. */
export function changedStage(
  { stages, faults }: Context,
  item: Item<LeadDraft>,
  row: LeadRow,
): Stage {
  const { pipeline_id = row.pipeline_id, status_id = row.status_id } = item.value
  if (pipeline_id === row.pipeline_id && status_id === row.status_id)
    return { pipeline_id, status_id }
  if (pipeline_id === row.pipeline_id) {
    const pipeline = stages.pipelineOf(status_id) ?? pipeline_id
    return checkStage({ stages, faults }, item, pipeline, status_id)
  }
  const stays = status_id === row.status_id && !stages.has(pipeline_id, status_id)
  const status = stays ? stages.first(pipeline_id) : status_id
  return checkStage({ stages, faults }, item, pipeline_id, status)
}

function checkStage(
  { stages, faults }: Context,
  item: Item<unknown>,
  pipeline_id: number,
  status_id: number | undefined,
): Stage {
  const fault = (path: string, detail: string) =>
    faults.add(item, { code: 'NotSupportedChoice', path, detail })
  if (status_id === undefined || stages.first(pipeline_id) === undefined)
    fault('pipeline_id', `There is no pipeline ${pipeline_id}.`)
  else if (!stages.has(pipeline_id, status_id))
    fault('status_id', `Pipeline ${pipeline_id} has no status ${status_id}.`)
  else if (stages.isUnsorted(status_id))
    fault('status_id', 'A lead cannot be put into the unsorted status.')
  return { pipeline_id, status_id: status_id ?? 0 }
}
