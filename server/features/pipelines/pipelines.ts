// Pipelines and their statuses. Won (142) and lost (143) repeat in every pipeline; every other status belongs to one, so its id alone
// says where a lead is. A pipeline's first status of type 1 holds unsorted leads.
import { isDeepStrictEqual } from 'node:util'
import sql from 'sql-template-tag'
import type { Reader, Tx } from '../../database/connect.ts'
import type { PipelineStatus } from '../../access/rights.ts'
import type { Actor } from '../../access/actor.ts'
import type { Fault } from '../../http/problem.ts'

export const won = 142
export const lost = 143

export function isClosed(status_id: number): boolean {
  return status_id === won || status_id === lost
}

interface Stage {
  pipeline_id: number
  is_main: boolean
  id: number
  type: number
}

/** The stages that a batch of leads may go to. */
export interface Stages {
  /** The main pipeline of the account. */
  main: number
  /** The first ordinary status of a pipeline, undefined where there is no such pipeline. */
  first(pipeline_id: number): number | undefined
  /** The pipeline of a status that belongs to one; undefined for unknown ones and for won and lost. */
  pipelineOf(status_id: number): number | undefined
  has(pipeline_id: number, status_id: number): boolean
  isUnsorted(status_id: number): boolean
}

/**
 * Keeps pipelines and their statuses from being deleted until the transaction ends. Whoever writes down that something is in a pipeline
 * does this first, before leads are locked, and reads what there is in a statement after it: a statement that has waited for a deletion
 * still sees what there was before.
 */
export async function holdPipelines(tx: Tx, actor: Actor, ids: number[]): Promise<void> {
  await tx.rows(sql`
    select id from pipelines where account_id = ${actor.accountId} and id = any(${ids}::bigint[]) order by id for key share`)
}

/**
 * Holds, as `holdPipelines`, the pipelines that a batch of leads may be placed in, in one statement by id; none where no lead moves.
 * `again` says anew where leads go, once the pipelines are held. Should that, or which pipeline is the main one, have changed meanwhile, all
 * are let go first: held on to, they would be out of order with those that are waited for next.
 */
export async function holdPlaces(
  tx: Tx,
  actor: Actor,
  places: Partial<PipelineStatus>[],
  use: 'create' | 'change',
  again?: () => Promise<Partial<PipelineStatus>[]>,
): Promise<void> {
  let sent = wantedBy(places, use)
  for (let attempt = 0; attempt < 10; attempt++) {
    if (!sent.needsMain && sent.pipelines.length === 0 && sent.statuses.length === 0) return
    const mayChange = sent.needsMain || again !== undefined
    if (mayChange) await tx.rows(sql`savepoint places`)
    const held = await tx.rows<{ is_main: boolean }>(lockPlaces(actor, sent))
    if (!mayChange) return
    const still = again ? wantedBy(await again(), use) : sent
    const isHeld =
      isDeepStrictEqual(still, sent) && (!sent.needsMain || held.some(({ is_main }) => is_main))
    await tx.rows(isHeld ? sql`release savepoint places` : sql`rollback to savepoint places`)
    if (isHeld) return
    sent = still
  }
  throw new Error(`the pipelines of account ${actor.accountId} do not come to rest`)
}

function wantedBy(sent: Partial<PipelineStatus>[], use: 'create' | 'change') {
  return {
    pipelines: sent.flatMap(({ pipeline_id }) => pipeline_id ?? []),
    // Won and lost are where the lead is, and a pipeline with a lead in it stays.
    statuses: sent.flatMap(({ status_id }) =>
      status_id === undefined || isClosed(status_id) ? [] : status_id,
    ),
    needsMain:
      use === 'create' &&
      sent.some(
        ({ pipeline_id, status_id = won }) => pipeline_id === undefined && isClosed(status_id),
      ),
  }
}

const lockPlaces = (
  actor: Actor,
  { pipelines, statuses, needsMain }: ReturnType<typeof wantedBy>,
) => sql`
  select id, is_main from pipelines
   where account_id = ${actor.accountId}
     and (id = any(${pipelines}::bigint[]) or (${needsMain}::boolean and is_main) or id in (
           select pipeline_id from statuses where account_id = ${actor.accountId} and id = any(${statuses}::bigint[])))
   order by id for key share`

/** Reads the stages around the pipelines and statuses that a batch names; the main pipeline is always among them. */
export async function stagesAround(
  tx: Tx,
  actor: Actor,
  pipelines: number[],
  statuses: number[],
): Promise<Stages> {
  const rows = await tx.rows<Stage>(sql`
    select pipeline.id as pipeline_id, pipeline.is_main, status.id, status.type
      from pipelines pipeline
      join statuses status on status.account_id = pipeline.account_id and status.pipeline_id = pipeline.id
     where pipeline.account_id = ${actor.accountId}
       and (pipeline.is_main or pipeline.id = any(${pipelines}::bigint[]) or pipeline.id in (
             select pipeline_id from statuses
              where account_id = ${actor.accountId} and id = any(${statuses}::bigint[]) and id not in (${won}, ${lost})))
     order by pipeline.id, status.sort`)
  return {
    main: rows.find(({ is_main }) => is_main)!.pipeline_id,
    first: (pipeline_id) =>
      rows.find((stage) => stage.pipeline_id === pipeline_id && stage.type === 0)?.id,
    pipelineOf: (status_id) =>
      isClosed(status_id) ? undefined : rows.find(({ id }) => id === status_id)?.pipeline_id,
    has: (pipeline_id, status_id) =>
      rows.some((stage) => stage.pipeline_id === pipeline_id && stage.id === status_id),
    isUnsorted: (status_id) => rows.some(({ id, type }) => id === status_id && type === 1),
  }
}

/** Where unsorted leads are, one status in each pipeline. */
export function unsortedStatuses(reader: Reader, actor: Actor): Promise<PipelineStatus[]> {
  return reader.rows<PipelineStatus>(sql`
    select pipeline_id, id as status_id from statuses where account_id = ${actor.accountId} and type = 1 order by id`)
}

/**
 * What is wrong with a list of statuses that rights name: those that are not there, and those that are named twice. Those that are there
 * stay until the transaction ends.
 */
export async function statusFaults(
  tx: Tx,
  actor: Actor,
  path: string,
  named: PipelineStatus[],
): Promise<Fault[]> {
  if (named.length === 0) return []
  const pipelines = [...new Set(named.map(({ pipeline_id }) => pipeline_id))]
  await holdPipelines(tx, actor, pipelines)
  const stages = await stagesAround(tx, actor, pipelines, [])
  const seen = new Set<string>()
  return named.flatMap(({ pipeline_id, status_id }, place): Fault[] => {
    const key = `${pipeline_id} ${status_id}`
    const at = `${path}.${place}.status_id`
    if (!stages.has(pipeline_id, status_id))
      return [
        {
          code: 'NotSupportedChoice',
          path: at,
          detail: `Pipeline ${pipeline_id} has no status ${status_id}.`,
        },
      ]
    if (seen.has(key))
      return [{ code: 'NotUnique', path: at, detail: 'This status is named twice.' }]
    seen.add(key)
    return []
  })
}

export interface PipelineRows {
  name: string
  is_main: boolean
  sort: number
  is_unsorted_on?: boolean
  /** The ordinary statuses, in order. */
  statuses: { name: string; color: string }[]
  /** What the statuses that every pipeline has are called, where not as usual. */
  names?: { unsorted?: string | undefined; won?: string | undefined; lost?: string | undefined }
}

/** Adds a pipeline, as `insertPipelines`, and answers its id. */
export async function createPipeline(
  tx: Tx,
  accountId: number,
  draft: PipelineRows,
): Promise<number> {
  return (await insertPipelines(tx, accountId, [draft]))[0]!
}

/**
 * Adds pipelines with their ordinary statuses between the unsorted one and won and lost; answers the ids in the order of the drafts
 * (entities reference, 5.3).
 */
export async function insertPipelines(
  tx: Tx,
  accountId: number,
  drafts: PipelineRows[],
): Promise<number[]> {
  const rows = drafts.map(({ name, sort, is_main, is_unsorted_on = true }) => ({
    name,
    sort,
    is_main,
    is_unsorted_on,
  }))
  const made = await tx.rows<{ id: number }>(sql`
    insert into pipelines (account_id, name, sort, is_main, is_unsorted_on)
    select ${accountId}::bigint, name, sort, is_main, is_unsorted_on
      from json_to_recordset(${JSON.stringify(rows)}::json)
        as draft(name text, sort int, is_main boolean, is_unsorted_on boolean)
    returning id`)
  const ids = made.map(({ id }) => id)
  const statuses = drafts.flatMap((draft, place) =>
    statusesOf(draft).map((status) => ({ ...status, pipeline_id: ids[place] })),
  )
  await tx.rows(sql`
    insert into statuses (account_id, id, pipeline_id, name, sort, color, type)
    select ${accountId}::bigint, coalesce(id, nextval('statuses_id')), pipeline_id, name, sort, color, type
      from json_to_recordset(${JSON.stringify(statuses)}::json)
        as status(id bigint, pipeline_id bigint, name text, sort int, color text, type smallint)`)
  return ids
}

function statusesOf({ statuses, names = {} }: PipelineRows) {
  return [
    { name: names.unsorted ?? 'Incoming leads', color: '#c1c1c1', sort: 10, type: 1, id: null },
    ...statuses.map(({ name, color }, place) => ({
      name,
      color,
      sort: 20 + 10 * place,
      type: 0,
      id: null,
    })),
    { name: names.won ?? 'Closed - won', color: '#CCFF66', sort: 10_000, type: 0, id: won },
    { name: names.lost ?? 'Closed - lost', color: '#D5D8DB', sort: 11_000, type: 0, id: lost },
  ]
}

/** The pipeline a fresh account starts with. */
export const firstPipeline: PipelineRows = {
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
