// The pipelines of an account: at least one and at most fifty, one of them the main one. It has the sort 1; others keep what they are given.
import type { Tx } from '../../database/connect.ts'
import { lockAccount } from '../../access/account.ts'
import { forgetAccess } from '../../access/remembered.ts'
import type { Actor } from '../../access/actor.ts'
import type { Batch } from '../../http/batch.ts'
import { badRequest, Problem } from '../../http/problem.ts'
import type { Fault } from '../../http/problem.ts'
import { highestSort } from '../../http/types.ts'
import { descriptionFaults, descriptionRows, writeDescriptions } from './descriptions.ts'
import { insertPipelines, lost, won } from './pipelines.ts'
import type { PipelineRows } from './pipelines.ts'
import { closePipelines, makeMain, pipelineRows, statusesOf, updatePipeline } from './queries.ts'
import type { PipelineRow } from './queries.ts'
import type { EmbeddedStatus, PipelineChange, PipelineDraft } from './schema.ts'
import { colorFaults, mayHave, noPipeline, paletteColor, tooManyStatuses } from './statuses.ts'

/** Pipelines of an account (entities reference, Limits). */
const most = 50

/** Adds pipelines; answers their ids in the order of the question. Of several that are to be the main one it is the last. Too many: 422. */
export async function createPipelines(
  tx: Tx,
  actor: Actor,
  { items, faults }: Batch<PipelineDraft>,
): Promise<number[]> {
  for (const item of items) for (const fault of statusFaults(item.value)) faults.add(item, fault)
  faults.throwIfAny()
  await tx.rows(lockAccount(actor))
  const known = await tx.rows<PipelineRow>(pipelineRows(actor))
  if (known.length + items.length > most)
    throw new Problem(422, `An account has at most ${most} pipelines`)
  const ordinary = items.map(({ value }) => ordinaryOf(value))
  if (!ordinary.every(({ length }) => mayHave(length))) throw tooManyStatuses()

  const last = Math.max(...known.map(({ sort }) => sort))
  const drafts = items.map(({ value }, place) =>
    draftOf(value, ordinary[place]!, Math.min(last + 1 + place, highestSort)),
  )
  const ids = await insertPipelines(tx, actor.accountId, drafts)
  const main = ids[items.findLastIndex(({ value }) => value.is_main)]
  if (main !== undefined) await promote(tx, actor, main)
  await describe(tx, actor, ids, ordinary)
  await forgetAccess(tx)
  return ids
}

/** Changes a pipeline. The main one stays so until another becomes it, and keeps its sort. Unknown: 404, nothing to change: 400. */
export async function changePipeline(
  tx: Tx,
  actor: Actor,
  id: number,
  change: PipelineChange,
): Promise<void> {
  const { name, sort, is_main, is_unsorted_on } = change
  await tx.rows(lockAccount(actor))
  const find = async () =>
    (await tx.rows<PipelineRow>(pipelineRows(actor))).find((row) => row.id === id)
  const before = await find()
  if (!before) throw noPipeline()
  if (
    name === undefined &&
    sort === undefined &&
    is_main === undefined &&
    is_unsorted_on === undefined
  )
    throw badRequest('Say what to change: name, sort, is_main or is_unsorted_on')
  if (is_main && !before.is_main) await promote(tx, actor, id)
  const row = is_main ? (await find())! : before
  const place = row.is_main ? row.sort : (sort ?? row.sort)
  await tx.rows(updatePipeline(actor, id, name?.trim() ?? row.name, place, is_unsorted_on ?? null))
  await forgetAccess(tx)
}

/** Makes a pipeline the main one. A lead that is on its way to the main pipeline finds either, but whole. */
export async function promote(tx: Tx, actor: Actor, id: number): Promise<void> {
  await tx.rows(closePipelines(actor))
  await tx.rows(makeMain(actor, id))
}

/** The ordinary statuses of a draft, in the order of their sort; those without one come as they are sent, after the others. */
function ordinaryOf({ _embedded }: PipelineDraft): EmbeddedStatus[] {
  const sent = (_embedded?.statuses ?? []).filter((status) => systemOf(status) === undefined)
  return sent.toSorted((one, other) => (one.sort ?? highestSort) - (other.sort ?? highestSort))
}

/** Which of the statuses that every pipeline has is meant, if one is. */
function systemOf({ id, type }: EmbeddedStatus): 'unsorted' | 'won' | 'lost' | undefined {
  if (id === won) return 'won'
  if (id === lost) return 'lost'
  return type === 1 ? 'unsorted' : undefined
}

function draftOf(
  { name, sort, is_unsorted_on, _embedded }: PipelineDraft,
  ordinary: EmbeddedStatus[],
  next: number,
): PipelineRows {
  const named = (_embedded?.statuses ?? []).flatMap((status) => {
    const system = systemOf(status)
    return system === undefined ? [] : [[system, status.name.trim()] as const]
  })
  const statuses = ordinary.map((status) => ({
    name: status.name.trim(),
    color: paletteColor(status.color),
  }))
  return {
    name: name.trim(),
    is_main: false,
    sort: sort ?? next,
    ...(is_unsorted_on !== undefined && { is_unsorted_on }),
    statuses:
      statuses.length > 0
        ? statuses
        : [
            {
              name: 'Initial contact',
              color: '#99ccff',
            },
          ],
    names: Object.fromEntries(named),
  }
}

function statusFaults({ _embedded }: PipelineDraft): Fault[] {
  const sent = _embedded?.statuses ?? []
  const systems = sent.map(systemOf)
  return sent.flatMap((status, place): Fault[] => {
    const at = `_embedded.statuses.${place}`
    const system = systems[place]
    if (system === undefined)
      return [
        ...colorFaults(status.color, `${at}.color`),
        ...descriptionFaults(status.descriptions, `${at}.descriptions`),
      ]
    const isRepeated = systems.indexOf(system) < place
    return isRepeated
      ? [{ code: 'NotUnique', path: `${at}.id`, detail: `The status ${system} is there twice.` }]
      : []
  })
}

async function describe(
  tx: Tx,
  actor: Actor,
  pipelines: number[],
  drafts: EmbeddedStatus[][],
): Promise<void> {
  if (!drafts.flat().some(({ descriptions }) => descriptions?.length)) return
  const made = await tx.rows<{ id: number; pipeline_id: number }>(statusesOf(actor, pipelines))
  const rows = pipelines.flatMap((pipeline_id, place) => {
    const ids = made.filter((status) => status.pipeline_id === pipeline_id).map(({ id }) => id)
    return drafts[place]!.flatMap(({ descriptions }, n) =>
      descriptionRows({ pipeline_id, status_id: ids[n]! }, descriptions),
    )
  })
  await writeDescriptions(tx, actor, rows)
}
