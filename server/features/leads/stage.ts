// Where a lead goes (entities reference, Status and pipeline rules).
import type { Tx } from '../../database/connect.ts'
import type { Shared } from '../../entities/kind.ts'
import type { Actor } from '../../http/access.ts'
import type { Item } from '../../http/batch.ts'
import { holdPipelines } from '../pipelines/pipelines.ts'
import { sourcesNamed } from '../sources/sources.ts'
import type { LeadContext } from './leads.ts'
import type { LeadDraft, LeadRow } from './schema.ts'

type Stage = Pick<LeadRow, 'pipeline_id' | 'status_id'>
type Context = Pick<LeadContext, 'stages'> & Pick<Shared, 'faults'>

/**
 * The sources that new leads come from, with pipelines that stay until the transaction ends. A source whose pipeline goes, or is changed,
 * while it is waited for leads elsewhere, so it is read again.
 */
export async function sourcesHeld(tx: Tx, actor: Actor, names: string[]) {
  const held = new Set<number>()
  for (;;) {
    const sources = await sourcesNamed(tx, actor, names)
    const more = [...sources.values()].map(({ pipeline_id }) => pipeline_id).filter((id) => !held.has(id))
    if (more.length === 0) return sources
    await holdPipelines(tx, actor, more)
    for (const id of more) held.add(id)
  }
}

/** `sources`: the pipeline of the source that the lead came from, for one that says no place of its own. */
export function placeNew({ stages, faults }: Context, item: Item<LeadDraft>, sources = stages.main): Stage {
  const { pipeline_id, status_id } = item.value
  const pipeline = pipeline_id ?? (status_id === undefined ? sources : (stages.pipelineOf(status_id) ?? stages.main))
  return checkStage({ stages, faults }, item, pipeline, status_id ?? stages.first(pipeline))
}

/** The sent status decides, then the sent pipeline; won and lost are in every pipeline. */
export function placeChanged({ stages, faults }: Context, item: Item<LeadDraft>, row: LeadRow): Stage {
  const { pipeline_id = row.pipeline_id, status_id = row.status_id } = item.value
  if (pipeline_id === row.pipeline_id && status_id === row.status_id) return { pipeline_id, status_id }
  if (pipeline_id === row.pipeline_id)
    return checkStage({ stages, faults }, item, stages.pipelineOf(status_id) ?? pipeline_id, status_id)
  const stays = status_id === row.status_id && !stages.has(pipeline_id, status_id)
  return checkStage({ stages, faults }, item, pipeline_id, stays ? stages.first(pipeline_id) : status_id)
}

function checkStage(
  { stages, faults }: Context,
  item: Item<unknown>,
  pipeline_id: number,
  status_id: number | undefined,
): Stage {
  const fault = (path: string, detail: string) => faults.add(item, { code: 'NotSupportedChoice', path, detail })
  if (status_id === undefined || stages.first(pipeline_id) === undefined)
    fault('pipeline_id', `There is no pipeline ${pipeline_id}.`)
  else if (!stages.has(pipeline_id, status_id)) fault('status_id', `Pipeline ${pipeline_id} has no status ${status_id}.`)
  else if (stages.isUnsorted(status_id)) fault('status_id', 'A lead cannot be put into the unsorted status.')
  return { pipeline_id, status_id: status_id ?? 0 }
}
