// A status or a pipeline goes, and nothing that was in it is lost. Leads are moved first, a thousand in a transaction, while everybody goes
// on working: they may come into the status as fast as they leave it. The last transaction closes the pipelines (`for update`): whoever
// places a lead holds the pipeline (`for key share`, `holdPlaces`) before he looks at its statuses, so those under way are waited for, and
// those that come wait and find the status gone. What came meanwhile is moved then, and the status is deleted in the same transaction.
//
// Leads go as if the caller had changed them, with news. Leads in the bin go silently, and stay as old as they are: the purge goes by their
// age. A lead on its way into the bin or out of it is seen as one of both, so all are looked for at one moment and locked.
import type { Database, Reader, Tx } from '../../database/connect.ts'
import { lockAccount } from '../../access/account.ts'
import { forgetAccess } from '../../access/remembered.ts'
import type { Actor } from '../../access/actor.ts'
import { newFaults } from '../../http/batch.ts'
import { badRequest, invalid } from '../../http/problem.ts'
import type { Problem } from '../../http/problem.ts'
import { changeLeads } from '../leads/leads.ts'
import { promote } from './arranging.ts'
import { forgetPipeline, forgetPlaces } from './forgetting.ts'
import type { Gone } from './forgetting.ts'
import { closePipelines, pipelineRows, statusRows } from './queries.ts'
import type { PipelineRow, StatusRow } from './queries.ts'
import { holdPipelines } from './pipelines.ts'
import {
  countLeads,
  lockLeads,
  moveBinned,
  removePipeline,
  removeStatus,
  someLeads,
} from './removing-queries.ts'
import { isOrdinary, noPipeline, noStatus, renumber } from './statuses.ts'

/** Leads of one transaction, about 200 ms. */
const chunk = 1000

/**
 * Deletes a status once its leads are in the first ordinary status of the pipeline, or in the status `move_to` of it. Unknown: 404; a status that
 * every pipeline has, the last ordinary one, or a `move_to` that leads cannot move to: 400.
 */
export async function deleteStatus(
  database: Database,
  actor: Actor,
  gone: Required<Gone>,
  move_to?: number,
): Promise<void> {
  const { pipeline_id } = gone
  for (let after: number | undefined = 0; after !== undefined;) {
    const from: number = after
    after = await database.transaction(async (tx) => {
      await holdPipelines(tx, actor, [pipeline_id])
      return moveOn(tx, actor, gone, from, await successorOf(tx, actor, gone, move_to))
    })
  }
  for (let isGone = false; !isGone;)
    isGone = await database.transaction(async (tx) => {
      await tx.rows(lockAccount(actor))
      await tx.rows(closePipelines(actor))
      await moveOn(tx, actor, gone, 0, await successorOf(tx, actor, gone, move_to))
      if (await holdsAny(tx, actor, gone)) return false
      await tx.rows(removeStatus(actor, gone))
      await renumber(tx, actor, pipeline_id)
      await forgetPlaces(tx, actor, gone)
      await forgetAccess(tx)
      return true
    })
}

/** Where the leads of a status go when it goes. */
async function successorOf(
  tx: Tx,
  actor: Actor,
  { pipeline_id, status_id }: Required<Gone>,
  move_to?: number,
): Promise<number> {
  const statuses = await tx.rows<StatusRow>(statusRows(actor, pipeline_id))
  if (statuses.length === 0) throw noPipeline()
  const status = statuses.find(({ id }) => id === status_id)
  if (!status) throw noStatus()
  if (!isOrdinary(status)) throw badRequest('Every pipeline has this status, it cannot be deleted')
  const others = statuses.filter(({ id, type }) => id !== status_id && type === 0)
  const first = others.find(isOrdinary)
  if (!first)
    throw badRequest('A pipeline needs an ordinary status, the last one cannot be deleted')
  const detail = `Leads of this status cannot move to status ${move_to}.`
  if (move_to !== undefined && !others.some(({ id }) => id === move_to))
    throw invalid([
      { request_id: '0', errors: [{ code: 'NotSupportedChoice', path: 'move_to', detail }] },
    ])
  return move_to ?? first.id
}

interface Found {
  id: number
  is_deleted: boolean
}

/** Moves the next leads of a status; answers the id of the last one where more may follow. */
async function moveOn(
  tx: Tx,
  actor: Actor,
  gone: Required<Gone>,
  after: number,
  status_id: number,
): Promise<number | undefined> {
  const found = await tx.rows<Found>(lockLeads(actor, gone, after, chunk))
  const value = { pipeline_id: gone.pipeline_id, status_id }
  const live = found.filter(({ is_deleted }) => !is_deleted)
  const items = live.map(({ id }, index) => ({
    index,
    request_id: String(index),
    value: { id, ...value },
  }))
  if (items.length > 0) await changeLeads(tx, actor, { items, faults: newFaults() })
  const binned = found.filter(({ is_deleted }) => is_deleted).map(({ id }) => id)
  if (binned.length > 0) await tx.rows(moveBinned(actor, binned, value))
  return found.length < chunk ? undefined : found.at(-1)!.id
}

/**
 * Deletes a pipeline without leads; those in the bin go to the main pipeline, won and lost as they are, others to its first ordinary status.
 * When the main pipeline goes, the next becomes it. Unknown: 404; the last pipeline, or one with leads: 400.
 */
export async function deletePipeline(database: Database, actor: Actor, id: number): Promise<void> {
  nextMain(await database.rows<PipelineRow>(pipelineRows(actor)), id)
  const leads = await countIn(database, actor, id)
  if (leads > 0) throw inUse(leads)
  // Should somebody put a lead there from now on, the pipeline stays, without a bin of its own.
  for (let isEmpty = false; !isEmpty;)
    isEmpty = await database.transaction(async (tx) => {
      const next = nextMain(await tx.rows<PipelineRow>(pipelineRows(actor)), id)
      await holdPipelines(tx, actor, [next.id])
      return emptyBin(tx, actor, id, next.id)
    })
  for (let isGone = false; !isGone;)
    isGone = await database.transaction(async (tx) => {
      await tx.rows(lockAccount(actor))
      await tx.rows(closePipelines(actor))
      const pipelines = await tx.rows<PipelineRow>(pipelineRows(actor))
      const next = nextMain(pipelines, id)
      await emptyBin(tx, actor, id, next.id)
      if (await holdsAny(tx, actor, { pipeline_id: id })) return false
      if (!next.is_main) await promote(tx, actor, next.id)
      await forgetPlaces(tx, actor, { pipeline_id: id })
      await forgetPipeline(tx, actor, id, next.id)
      await tx.rows(removePipeline(actor, id))
      await forgetAccess(tx)
      return true
    })
}

/** The main pipeline when another has gone. */
function nextMain(pipelines: PipelineRow[], id: number): PipelineRow {
  if (!pipelines.some((pipeline) => pipeline.id === id)) throw noPipeline()
  const next = pipelines.find((pipeline) => pipeline.id !== id)
  if (!next) throw badRequest('An account needs a pipeline, the last one cannot be deleted')
  return next
}

/** Moves a thousand leads of the pipeline's bin; answers whether there may be no more. */
async function emptyBin(tx: Tx, actor: Actor, pipeline_id: number, to: number): Promise<boolean> {
  const found = await tx.rows<Found>(lockLeads(actor, { pipeline_id }, 0, chunk))
  if (found.some(({ is_deleted }) => !is_deleted))
    throw inUse(await countIn(tx, actor, pipeline_id))
  const statuses = await tx.rows<StatusRow>(statusRows(actor, to))
  // The pipeline that was to be the main one has gone while it was waited for.
  if (statuses.length === 0) return false
  const place = { pipeline_id: to, status_id: statuses.find(isOrdinary)!.id }
  const ids = found.map(({ id }) => id)
  if (ids.length > 0) await tx.rows(moveBinned(actor, ids, place))
  return found.length < chunk
}

/** Whether a lead is left, in the bin or not. Counting those that were locked would not tell: one may have been purged meanwhile. */
async function holdsAny(tx: Tx, actor: Actor, gone: Gone): Promise<boolean> {
  return (await tx.row<{ some: boolean }>(someLeads(actor, gone)))!.some
}

async function countIn(reader: Reader, actor: Actor, id: number): Promise<number> {
  return (await reader.row<{ total: number }>(countLeads(actor, id, chunk + 1)))!.total
}

function inUse(leads: number): Problem {
  const many =
    leads > chunk ? `more than ${chunk} leads` : leads === 1 ? '1 lead' : `${leads} leads`
  return badRequest(`This pipeline holds ${many}, it cannot be deleted`)
}
