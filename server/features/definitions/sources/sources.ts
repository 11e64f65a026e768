// Sources: where leads come from. An integration defines its sources (a number, a page, a form) and
// names one in a lead. No other integration sees them. A deleted source stays stored for its leads,
// and because its external id restores it.
import type { Reader, Tx } from '../../../database/connect.ts'
import { lockAccount } from '../../../access/account.ts'
import type { Actor } from '../../../access/actor.ts'
import type { Batch, Item } from '../../../http/batch.ts'
import { Problem, badRequest, faultAt, notFound } from '../../../http/problem.ts'
import type { Fault } from '../../../http/problem.ts'
import { stagesAround } from '../pipelines/pipelines.ts'
import type { Stages } from '../pipelines/pipelines.ts'
import {
  insertSources,
  keepSources,
  lockSources,
  removeSources,
  sourceList,
  sourcesOf,
  updateSources,
} from './queries.ts'
import type { SourceRow } from './queries.ts'
import type {
  NewSource,
  SentService,
  Service,
  Source,
  SourceChange,
  SourceReference,
} from './schema.ts'

export { sourceSummaries, sourceOfRecord } from './queries.ts'

/** At most this many sources of an integration that are not deleted. */
const most = 100

/** Creates sources; one answer per item, in request order. More than 100 in all: 400. */
export async function createSources(
  tx: Tx,
  actor: Actor,
  base: string,
  { items, faults }: Batch<NewSource>,
) {
  const { sources, stages } = await lockNamed(tx, actor, items)
  const taken = new Set(sources.map(({ external_id }) => external_id))
  for (const item of items) {
    for (const fault of faultsIn(stages, item.value)) faults.add(item, fault)
    const { external_id } = item.value
    if (taken.has(external_id)) faults.add(item, notUnique(external_id))
    taken.add(external_id)
  }
  faults.throwIfAny()
  if (sources.length + items.length > most)
    throw badRequest(`An integration has at most ${most} sources`)
  const chosen = items.findLastIndex(({ value }) => value.default)
  if (chosen >= 0) await tx.rows(updateSources(actor, withoutDefault(sources)))
  const rows = items.map(({ value }, index) => ({
    name: value.name.trim(),
    external_id: value.external_id,
    pipeline_id: value.pipeline_id ?? stages.main,
    is_default: index === chosen,
    origin_code: value.origin_code ?? null,
    services: whole(value.services),
  }))
  const made = await tx.rows<{ id: number; external_id: string }>(insertSources(actor, rows))
  const ids = new Map(made.map(({ id, external_id }) => [external_id, id]))
  const written = items.map(({ value, request_id }) => ({
    id: ids.get(value.external_id)!,
    request_id,
  }))
  return answer(tx, actor, base, written)
}

/**
 * Changes sources; one answer per item, in request order. An unknown id is a fault of its item, or
 * a 404 problem.
 */
export async function changeSources(
  tx: Tx,
  actor: Actor,
  base: string,
  { items, faults }: Batch<SourceChange>,
  missing: 'fault' | 'notFound' = 'fault',
) {
  const { sources, stages } = await lockNamed(tx, actor, items)
  const before = new Map(sources.map((source) => [source.id, source]))
  let after = before
  for (const item of items) {
    const { id, ...sent } = item.value
    const source = before.get(id)
    if (!source && missing === 'notFound') throw notFound()
    if (!source) {
      faults.add(item, noSuch(id))
      continue
    }
    for (const fault of faultsIn(stages, sent)) faults.add(item, fault)
    if (sent.external_id !== undefined && sent.external_id !== source.external_id)
      faults.add(item, immutable)
    if (sent.default)
      after = new Map(withoutDefault([...after.values()]).map((each) => [each.id, each]))
    after = new Map(after).set(id, changed(after.get(id)!, sent))
  }
  faults.throwIfAny()
  const moved = [...after.values()].filter((source) => source !== before.get(source.id))
  await tx.rows(updateSources(actor, moved))
  const written = items.map(({ value: { id }, request_id }) => ({ id, request_id }))
  return answer(tx, actor, base, written)
}

/**
 * Deletes all these sources or none. Unknown ids: a 400 problem that lists them in its `errors`
 * (interface: Problems).
 */
export async function deleteSources(
  tx: Tx,
  actor: Actor,
  { items, faults }: Batch<SourceReference>,
): Promise<void> {
  faults.throwIfAny()
  const there = new Set((await tx.rows<SourceRow>(lockSources(actor))).map(({ id }) => id))
  const errors = items
    .filter(({ value }) => !there.has(value.id))
    .map(({ request_id, value }) => ({ request_id, errors: noSuch(value.id) }))
  if (errors.length > 0) throw new Problem(400, 'Invalid request items', { extra: { errors } })
  const ids = items.map(({ value }) => value.id)
  await tx.rows(removeSources(actor, ids))
}

/** Deletes a source. Unknown: 404. */
export async function deleteSource(tx: Tx, actor: Actor, id: number): Promise<void> {
  const there = await tx.rows<SourceRow>(lockSources(actor))
  if (!there.some((source) => source.id === id)) throw notFound()
  await tx.rows(removeSources(actor, [id]))
}

/** The integration's sources by id, all or those with these ids. */
export function listSources(
  reader: Reader,
  actor: Actor,
  base: string,
  which: { ids?: number[]; names?: string[] } = {},
) {
  return reader.rows<Source>(sourceList(actor, base, which))
}

/** The integration's sources with these external ids, and the pipelines of their leads. */
export async function sourcesNamed(tx: Tx, actor: Actor, names: string[]) {
  if (names.length === 0) return new Map<string, { id: number; pipeline_id: number }>()
  const rows = await tx.rows<Pick<SourceRow, 'id' | 'external_id' | 'pipeline_id'>>(
    sourcesOf(actor, [...new Set(names)]),
  )
  return new Map(rows.map(({ external_id, ...source }) => [external_id, source]))
}

/**
 * Locks the integration's sources with these external ids until the transaction ends. Lock the
 * pipelines of their leads first.
 */
export async function lockSourcesByName(tx: Tx, actor: Actor, names: string[]): Promise<void> {
  if (names.length > 0) await tx.rows(keepSources(actor, [...new Set(names)]))
}

/**
 * Reads everything that a batch is checked against. No other transaction adds or changes sources
 * meanwhile.
 */
async function lockNamed(tx: Tx, actor: Actor, items: Item<Partial<NewSource>>[]) {
  // No other source is added or becomes the default until this transaction ends.
  await tx.rows(lockAccount(actor))
  const sources = await tx.rows<SourceRow>(lockSources(actor))
  const pipelines = items.flatMap(({ value }) => value.pipeline_id ?? [])
  return { sources, stages: await stagesAround(tx, actor, [...new Set(pipelines)], []) }
}

function faultsIn(stages: Stages, { pipeline_id }: Partial<NewSource>): Fault[] {
  const faults: Fault[] = []
  if (pipeline_id !== undefined && stages.first(pipeline_id) === undefined)
    faults.push({
      code: 'NotSupportedChoice',
      path: 'pipeline_id',
      detail: `There is no pipeline ${pipeline_id}.`,
    })
  return faults
}

function notUnique(external_id: string): Fault {
  return {
    code: 'NotUnique',
    path: 'external_id',
    detail: `There is a source ${JSON.stringify(external_id)} already.`,
  }
}

function noSuch(id: number): Fault {
  return { code: 'EntityNotFound', path: 'id', detail: `There is no source ${id}.` }
}

const immutable = faultAt(
  'external_id',
  'FieldNotExpected',
  'The external id of a source stays as it is.',
)

function changed(
  source: SourceRow,
  { name, pipeline_id, default: is_default, origin_code, services }: Partial<NewSource>,
) {
  return {
    ...source,
    name: name?.trim() ?? source.name,
    pipeline_id: pipeline_id ?? source.pipeline_id,
    is_default: is_default ?? source.is_default,
    origin_code: origin_code === undefined ? source.origin_code : origin_code,
    services: services === undefined ? source.services : whole(services),
  }
}

function withoutDefault(sources: SourceRow[]): SourceRow[] {
  return sources.map((source) => (source.is_default ? { ...source, is_default: false } : source))
}

/** Properties of a service that are not sent are off, or null. */
function whole(services: SentService[] | null = null): Service[] {
  return (services ?? []).map(({ type, params, pages }) => ({
    type,
    params: {
      waba: params?.waba ?? false,
      is_supports_list_message: params?.is_supports_list_message ?? false,
    },
    pages: pages ?? [],
  }))
}

async function answer(
  tx: Tx,
  actor: Actor,
  base: string,
  written: { id: number; request_id: string }[],
) {
  const ids = [...new Set(written.map(({ id }) => id))]
  const sources = new Map(
    (await listSources(tx, actor, base, { ids })).map((source) => [source.id, source]),
  )
  return written.map(({ id, request_id }) => ({ ...sources.get(id)!, request_id }))
}
