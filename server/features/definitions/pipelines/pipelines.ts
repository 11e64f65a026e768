// Pipelines of an account: at least one, at most fifty, one of them the main one, which has the
// sort 1. Won and lost repeat in every pipeline; any other status belongs to one, so its id alone
// says where a lead is. First the verbs, then what leads, rights and sources need of pipelines.
import { isDeepStrictEqual } from 'node:util'
import sql from 'sql-template-tag'
import type { Database, Reader, Tx } from '../../../database/connect.ts'
import { lockAccount } from '../../../access/account.ts'
import type { Actor } from '../../../access/actor.ts'
import { forgetAccess } from '../../../access/remembered.ts'
import type { PipelineStatus } from '../../../access/rights.ts'
import type { Batch } from '../../../http/batch.ts'
import { badRequest, unavailable } from '../../../http/problem.ts'
import type { Fault } from '../../../http/problem.ts'
import { highestSort } from '../../../http/types.ts'
import { draftPipeline, embeddedFaults, statusesOf } from './drafts.ts'
import type { PipelineDraft } from './drafts.ts'
import {
  forgetDuplicatePipeline,
  insertPipelineRows,
  insertPipelineStatuses,
  lockAllPipelines,
  lockPipelines,
  lockPipelinesAround,
  makeMain,
  moveSources,
  pipelineRows,
  removePipeline,
  stageRows,
  startAgain,
  unsortedStatusList,
  updatePipeline,
} from './queries.ts'
import type { PipelineRow } from './queries.ts'
import {
  checkPipelineCount,
  checkStatusCount,
  forgetStatuses,
  hasLeads,
  noPipeline,
} from './steps.ts'
import type { NewPipeline, PipelineChange } from './schema.ts'
import { descriptionRows, writeDescriptions } from './statuses/descriptions.ts'
import { countLeads, deletionChunk, lockLeads, moveBinned, statusRows } from './statuses/queries.ts'
import type { StatusRow } from './statuses/queries.ts'
import { isClosed, isOrdinary, won } from './statuses/schema.ts'

export type { PipelineDraft } from './drafts.ts'
export { pipelineSummaries } from './queries.ts'
export { isClosed, lost, won } from './statuses/schema.ts'
export {
  checkRemoval,
  lockLeadsToMove,
  moveBinnedLeads,
  moveBinnedLeadsBack,
  putBackStatus,
  takeOutStatus,
} from './statuses/removal/removal.ts'
export type { TakenOut } from './statuses/removal/removal.ts'

/**
 * Creates pipelines with their statuses; answers the ids in the order of the batch. If several are
 * sent as the main one, the last becomes it. Too many pipelines or statuses: 422.
 */
export async function createPipelines(
  tx: Tx,
  actor: Actor,
  { items, faults }: Batch<NewPipeline>,
): Promise<number[]> {
  for (const item of items) for (const fault of embeddedFaults(item.value)) faults.add(item, fault)
  faults.throwIfAny()
  await tx.rows(lockAccount(actor))
  const known = await tx.rows<PipelineRow>(pipelineRows(actor))
  checkPipelineCount(known.length + items.length)
  const next = Math.max(...known.map(({ sort }) => sort)) + 1
  const drafts = items.map(({ value }, index) =>
    draftPipeline(value, Math.min(next + index, highestSort)),
  )
  for (const { statuses } of drafts) checkStatusCount(statuses.length)

  const inserted = await insertPipelines(tx, actor.accountId, drafts)
  const ids = inserted.map(({ id }) => id)
  const main = ids[items.findLastIndex(({ value }) => value.is_main)]
  if (main !== undefined) await promote(tx, actor, main)
  const descriptions = drafts.flatMap(({ statuses }, index) => {
    const { id: pipeline_id, ordinary } = inserted[index]!
    return statuses.flatMap((status, n) =>
      descriptionRows({ pipeline_id, status_id: ordinary[n]! }, status.descriptions),
    )
  })
  await writeDescriptions(tx, actor, descriptions)
  await forgetAccess(tx)
  return ids
}

/**
 * Changes a pipeline. The main one stays the main one until another becomes it.
 * Unknown: 404, nothing to change: 400.
 */
export async function changePipeline(
  tx: Tx,
  actor: Actor,
  id: number,
  { name, sort, is_main, is_unsorted_on }: PipelineChange,
): Promise<void> {
  await tx.rows(lockAccount(actor))
  const pipelines = await tx.rows<PipelineRow>(pipelineRows(actor))
  const pipeline = pipelines.find((each) => each.id === id)
  if (!pipeline) throw noPipeline()
  if ([name, sort, is_main, is_unsorted_on].every((value) => value === undefined))
    throw badRequest('Say what to change: name, sort, is_main or is_unsorted_on')

  if (is_main && !pipeline.is_main) await promote(tx, actor, id)
  await tx.rows(
    updatePipeline(actor, id, name?.trim() ?? null, sort ?? null, is_unsorted_on ?? null),
  )
  await forgetAccess(tx)
}

/**
 * Deletes a pipeline without leads; its leads in the bin move to the main pipeline. If it is the
 * main one, the next becomes it. Unknown: 404; the last pipeline, or one with leads: 400.
 */
export async function deletePipeline(database: Database, actor: Actor, id: number): Promise<void> {
  nextMain(await database.rows<PipelineRow>(pipelineRows(actor)), id)
  const leads = await countUpToChunk(database, actor, id)
  if (leads > 0) throw inUse(leads)
  // From now on, a lead that is put there blocks the deletion, but leads in the bin do not.
  let isBinEmpty = false
  while (!isBinEmpty)
    isBinEmpty = await database.transaction(async (tx) => {
      const main = nextMain(await tx.rows<PipelineRow>(pipelineRows(actor)), id)
      await tx.rows(lockPipelines(actor, [main.id]))
      return moveBin(tx, actor, id, main.id)
    })
  let isDeleted = false
  while (!isDeleted)
    isDeleted = await database.transaction(async (tx) => {
      await tx.rows(lockAccount(actor))
      await tx.rows(lockAllPipelines(actor))
      const main = nextMain(await tx.rows<PipelineRow>(pipelineRows(actor)), id)
      await moveBin(tx, actor, id, main.id)
      if (await hasLeads(tx, actor, { pipeline_id: id })) return false
      if (!main.is_main) await promote(tx, actor, main.id)
      await forgetStatuses(tx, actor, { pipeline_id: id })
      await tx.rows(moveSources(actor, id, main.id))
      await tx.rows(forgetDuplicatePipeline(actor, id))
      await tx.rows(removePipeline(actor, id))
      await forgetAccess(tx)
      return true
    })
}

/** Makes a pipeline the main one. No lead is on its way to the main pipeline meanwhile. */
export async function promote(tx: Tx, actor: Actor, id: number): Promise<void> {
  await tx.rows(lockAllPipelines(actor))
  await tx.rows(makeMain(actor, id))
}

/** The main pipeline once this one is deleted. */
function nextMain(pipelines: PipelineRow[], id: number): PipelineRow {
  if (!pipelines.some((pipeline) => pipeline.id === id)) throw noPipeline()
  const next = pipelines.find((pipeline) => pipeline.id !== id)
  if (!next) throw badRequest('An account needs a pipeline, the last one cannot be deleted')
  return next
}

/** Moves a chunk of leads out of the bin of a pipeline; answers whether none may be left. */
async function moveBin(tx: Tx, actor: Actor, from: number, to: number): Promise<boolean> {
  const leads = await tx.rows<{ id: number; is_deleted: boolean }>(
    lockLeads(actor, { pipeline_id: from }, 0, deletionChunk),
  )
  if (leads.some(({ is_deleted }) => !is_deleted))
    throw inUse(await countUpToChunk(tx, actor, from))
  const status = (await tx.rows<StatusRow>(statusRows(actor, to))).find(isOrdinary)
  // The pipeline that was to be the main one was deleted before it could be locked.
  if (!status) return false
  const ids = leads.map(({ id }) => id)
  if (ids.length > 0)
    await tx.rows(moveBinned(actor, ids, { pipeline_id: to, status_id: status.id }))
  return leads.length < deletionChunk
}

/** Counts no further than a chunk: a pipeline may hold millions of leads. */
async function countUpToChunk(reader: Reader, actor: Actor, id: number): Promise<number> {
  const count = countLeads(actor, id, deletionChunk + 1)
  return (await reader.row<{ total: number }>(count))!.total
}

function inUse(total: number): Error {
  const some = total === 1 ? '1 lead' : `${total} leads`
  const leads = total > deletionChunk ? `more than ${deletionChunk} leads` : some
  return badRequest(`This pipeline holds ${leads}, it cannot be deleted`)
}

/**
 * Locks the pipelines that leads are put into, so that no stage is deleted meanwhile (decision 19).
 * One statement: those that read the stages may travel behind it, and see them as they are once it
 * has waited. If another pipeline has become the main one meanwhile, the transaction runs again.
 */
export async function lockTargetPipelines(
  tx: Tx,
  actor: Actor,
  leads: Partial<PipelineStatus>[],
  use: 'create' | 'change',
): Promise<void> {
  const { pipelines, statuses, needsMain } = targetsOf(leads, use)
  if (!needsMain && pipelines.length === 0 && statuses.length === 0) return
  const locked = await tx.rows<{ is_main: boolean }>(
    lockPipelinesAround(actor, pipelines, statuses, needsMain),
  )
  if (needsMain && !locked.some(({ is_main }) => is_main)) await tx.rows(startAgain)
}

/**
 * Locks the pipelines of leads as `lockTargetPipelines` does, where these depend on what may change
 * until then. `reread` answers where the leads go once the pipelines are locked; if that is
 * elsewhere, all are released and locked anew, in the order of their ids.
 */
export async function lockMovingTargets(
  tx: Tx,
  actor: Actor,
  leads: Partial<PipelineStatus>[],
  use: 'create' | 'change',
  reread: () => Promise<Partial<PipelineStatus>[]>,
): Promise<void> {
  let targets = targetsOf(leads, use)
  for (let attempt = 0; attempt < 10; attempt++) {
    const { pipelines, statuses, needsMain } = targets
    if (!needsMain && pipelines.length === 0 && statuses.length === 0) return
    await tx.rows(sql`savepoint targets`)
    const locked = await tx.rows<{ is_main: boolean }>(
      lockPipelinesAround(actor, pipelines, statuses, needsMain),
    )
    const current = targetsOf(await reread(), use)
    const isLocked =
      isDeepStrictEqual(current, targets) && (!needsMain || locked.some(({ is_main }) => is_main))
    await tx.rows(isLocked ? sql`release savepoint targets` : sql`rollback to savepoint targets`)
    if (isLocked) return
    targets = current
  }
  throw unavailable('The pipelines of these leads are being changed all the time, try again')
}

/** Won and lost name no pipeline: the lead stays in its own, and a pipeline with leads is kept. */
function targetsOf(leads: Partial<PipelineStatus>[], use: 'create' | 'change') {
  return {
    pipelines: leads.flatMap(({ pipeline_id }) => pipeline_id ?? []),
    statuses: leads.flatMap(({ status_id }) =>
      status_id === undefined || isClosed(status_id) ? [] : status_id,
    ),
    needsMain:
      use === 'create' &&
      leads.some(
        ({ pipeline_id, status_id = won }) => pipeline_id === undefined && isClosed(status_id),
      ),
  }
}

/** The stages that a batch of leads may go to. */
export interface Stages {
  /** The main pipeline of the account. */
  main: number
  /** The first ordinary status of a pipeline, undefined where there is no such pipeline. */
  first(pipeline_id: number): number | undefined
  /** The pipeline of a status; undefined for unknown statuses and for won and lost. */
  pipelineOf(status_id: number): number | undefined
  has(pipeline_id: number, status_id: number): boolean
  isUnsorted(status_id: number): boolean
  /** The status of unsorted leads, undefined where the pipeline takes none. */
  unsorted(pipeline_id: number): number | undefined
}

/** Reads the stages of the main pipeline and of those that a batch names or names statuses of. */
export async function stagesAround(
  tx: Tx,
  actor: Actor,
  pipelines: number[],
  statuses: number[],
): Promise<Stages> {
  const stages = await tx.rows<{
    pipeline_id: number
    is_main: boolean
    is_unsorted_on: boolean
    id: number
    type: number
  }>(stageRows(actor, pipelines, statuses))
  return {
    main: stages.find(({ is_main }) => is_main)!.pipeline_id,
    first: (pipeline_id) =>
      stages.find((stage) => stage.pipeline_id === pipeline_id && stage.type === 0)?.id,
    pipelineOf: (status_id) =>
      isClosed(status_id) ? undefined : stages.find(({ id }) => id === status_id)?.pipeline_id,
    has: (pipeline_id, status_id) =>
      stages.some((stage) => stage.pipeline_id === pipeline_id && stage.id === status_id),
    isUnsorted: (status_id) => stages.some(({ id, type }) => id === status_id && type === 1),
    unsorted: (pipeline_id) =>
      stages.find(
        (stage) => stage.pipeline_id === pipeline_id && stage.type === 1 && stage.is_unsorted_on,
      )?.id,
  }
}

/** The statuses of unsorted leads, one in each pipeline. */
export function unsortedStatuses(reader: Reader, actor: Actor): Promise<PipelineStatus[]> {
  return reader.rows<PipelineStatus>(unsortedStatusList(actor))
}

/**
 * The faults of a list of statuses that rights name: unknown ones, and those that are named twice.
 * Known ones are locked until the transaction ends.
 */
export async function statusFaults(
  tx: Tx,
  actor: Actor,
  path: string,
  named: PipelineStatus[],
): Promise<Fault[]> {
  if (named.length === 0) return []
  const pipelines = [...new Set(named.map(({ pipeline_id }) => pipeline_id))]
  await tx.rows(lockPipelines(actor, pipelines))
  const stages = await stagesAround(tx, actor, pipelines, [])
  const seen = new Set<string>()
  return named.flatMap(({ pipeline_id, status_id }, index): Fault[] => {
    const key = `${pipeline_id} ${status_id}`
    const at = `${path}.${index}.status_id`
    if (!stages.has(pipeline_id, status_id)) {
      const detail = `Pipeline ${pipeline_id} has no status ${status_id}.`
      return [{ code: 'NotSupportedChoice', path: at, detail }]
    }
    if (seen.has(key))
      return [{ code: 'NotUnique', path: at, detail: 'This status is named twice.' }]
    seen.add(key)
    return []
  })
}

/** The pipeline that a fresh account starts with. */
export const firstPipeline: PipelineDraft = {
  name: 'Pipeline',
  is_main: true,
  sort: 1,
  statuses: [
    { name: 'Initial contact', color: '#99ccff' },
    { name: 'Discussions', color: '#ffff99' },
    { name: 'Decision making', color: '#ffcc66' },
    { name: 'Contract discussion', color: '#ffcccc' },
  ],
}

/** Creates a pipeline of an account that nobody uses yet, without locks; answers its id. */
export async function createPipeline(
  tx: Tx,
  accountId: number,
  draft: PipelineDraft,
): Promise<number> {
  return (await insertPipelines(tx, accountId, [draft]))[0]!.id
}

/** Answers the ids of the pipelines and of their ordinary statuses, in the order of the drafts. */
export async function insertPipelines(
  tx: Tx,
  accountId: number,
  drafts: PipelineDraft[],
): Promise<{ id: number; ordinary: number[] }[]> {
  const rows = drafts.map(({ name, sort, is_main, is_unsorted_on = true }) => ({
    name,
    sort,
    is_main,
    is_unsorted_on,
  }))
  const pipelines = await tx.rows<{ id: number }>(insertPipelineRows(accountId, rows))
  const statuses = await tx.rows<{ pipeline_id: number; id: number; type: number }>(
    insertPipelineStatuses(
      accountId,
      drafts.flatMap((draft, index) =>
        statusesOf(draft).map((status) => ({ ...status, pipeline_id: pipelines[index]!.id })),
      ),
    ),
  )
  return pipelines.map(({ id }) => ({
    id,
    ordinary: statuses
      .filter((status) => status.pipeline_id === id && isOrdinary(status))
      .map((status) => status.id),
  }))
}
