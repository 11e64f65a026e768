import sql, { empty, join } from 'sql-template-tag'
import { bothSides } from '../../records/writing/common.ts'
import type { RecordDescription, Shared } from '../../records/description.ts'
import { nothingYet } from '../../records/lists/embed.ts'
import { oneOf, within } from '../../records/lists/conditions.ts'
import type { Condition } from '../../records/lists/conditions.ts'
import { groupShown, recordLink } from '../../records/statements.ts'
import { changeRecords, createRecords } from '../../records/writing/write.ts'
import type { Identified } from '../../records/schema.ts'
import type { Tx } from '../../database/connect.ts'
import type { Actor } from '../../access/actor.ts'
import type { Batch, Item } from '../../http/batch.ts'
import { lossReasonsAmong, reasonOfRecord, reasonsOfRecord } from '../loss-reasons/loss-reasons.ts'
import { isClosed, lost, stagesAround } from '../pipelines/pipelines.ts'
import type { Stages } from '../pipelines/pipelines.ts'
import { sourceOfRecord, sourcesNamed } from '../sources/sources.ts'
import { Lead } from './schema.ts'
import type { LeadDraft, LeadFilter, LeadRow } from './schema.ts'
import { holdStages, placeChanged, placeNew, sourceNamed, sourcesIn } from './stage.ts'

/** What working out leads needs besides what all records need. */
export interface LeadContext {
  stages: Stages
  /** The loss reasons that there are, among those that are sent or kept. */
  reasons: ReadonlySet<number>
  /** The integration's sources that are sent, by their external ids. */
  sources: ReadonlyMap<string, { id: number; pipeline_id: number }>
}

/** Leads: a price, and a place in a pipeline (specification, Lead). */
export const leads: RecordDescription<LeadRow, LeadDraft, LeadContext> = {
  type: 'leads',
  columns: {
    price: 'bigint',
    pipeline_id: 'bigint',
    status_id: 'bigint',
    loss_reason_id: 'bigint',
    source_id: 'bigint',
    closed_at: 'bigint',
  },
  keys: Lead.required,

  shape: (actor, base, wanted) => sql`
    record.id, record.name, record.price, record.responsible_user_id, ${groupShown(actor)}, record.status_id, record.pipeline_id,
    ${reasonOfRecord} as loss_reason_id, record.source_id, record.created_by, record.updated_by, record.created_at, record.updated_at,
    record.closed_at, record.closest_task_at, record.is_deleted, null as score, record.account_id,
    null as labor_cost, ${wanted.has('is_price_modified_by_robot') ? sql`false as is_price_modified_by_robot,` : empty}
    ${recordLink('leads', base)} as _links`,

  embeds: { always: ['companies'], wanted: ['contacts'] },

  extras: {
    ...nothingYet('catalog_elements'),
    loss_reason: (_actor, base) => reasonsOfRecord(base),
    source: () => sourceOfRecord,
  },

  filters: ({ price, statuses, pipeline_id, closed_at }: LeadFilter) => [
    ...within('price', price, 'exact'),
    ...inStatus(statuses),
    // The index of a pipeline goes on with the status.
    ...oneOf('pipeline_id', pipeline_id, []),
    ...within('closed_at', closed_at, 'from'),
  ],

  untitled: (id) => `Lead #${id}`,

  reserve: holdStages,

  async prepare(tx, actor, drafts, before) {
    const rows = [...before.values()]
    const sources = await sourcesNamed(tx, actor, before.size > 0 ? [] : sourcesIn(drafts))
    const pipelines = [...drafts, ...rows, ...sources.values()].flatMap(
      ({ pipeline_id }) => pipeline_id ?? [],
    )
    const statuses = drafts.flatMap(({ status_id }) => status_id ?? [])
    const stages = await stagesAround(tx, actor, pipelines, statuses)
    const held = [...drafts, ...rows].flatMap(({ loss_reason_id }) => loss_reason_id ?? [])
    const reasons = await lossReasonsAmong(tx, actor, held)
    // What is kept of a reason that was deleted is nothing already, to the world and to what follows here.
    for (const row of rows)
      if (row.loss_reason_id !== null && !reasons.has(row.loss_reason_id))
        before.set(row.id, { ...row, loss_reason_id: null })
    return { stages, reasons, sources }
  },

  draft(actor, context, item) {
    const { price = 0, closed_at } = item.value
    const source = sourceOf(context, item)
    const stage = placeNew(context, item, source?.pipeline_id)
    return {
      price,
      ...stage,
      source_id: source?.id ?? null,
      loss_reason_id: reasonFor(context, item, item.request_id, item.value, stage.status_id, null),
      closed_at: isClosed(stage.status_id) ? (closed_at ?? actor.at) : null,
    }
  },

  change(actor, context, item, row, sent) {
    const stage = placeChanged(context, item, row)
    // Entering won or lost closes the lead anew, from the other one too.
    const closed_at =
      sent.closed_at ?? (stage.status_id === row.status_id ? row.closed_at : actor.at)
    return {
      ...(sent.name?.trim() === '' && { name: leads.untitled!(row.id) }),
      price: sent.price ?? row.price,
      ...stage,
      source_id: row.source_id,
      loss_reason_id: reasonFor(context, item, row.id, sent, stage.status_id, row.loss_reason_id),
      closed_at: isClosed(stage.status_id) ? closed_at : null,
    }
  },

  news(fields, before, after) {
    const hasMoved = fields.has('status_id') || fields.has('pipeline_id')
    const price = ({ price: sale }: LeadRow) => ({ sale_field_value: { sale } })
    const stage = ({ status_id: id, pipeline_id }: LeadRow) => ({
      lead_status: { id, pipeline_id },
    })
    return {
      actions: hasMoved ? ['status'] : [],
      events: [
        ...(fields.has('price') ? [bothSides('sale_field_changed', before, after, price)] : []),
        ...(hasMoved ? [bothSides('lead_status_changed', before, after, stage)] : []),
      ],
    }
  },
}

/** Creates leads, as `createRecords`. */
export const createLeads = (tx: Tx, actor: Actor, batch: Batch<LeadDraft>) =>
  createRecords(tx, actor, leads, batch)

/** Changes leads, as `changeRecords`. */
export const changeLeads = (tx: Tx, actor: Actor, batch: Batch<Identified<LeadDraft>>) =>
  changeRecords(tx, actor, leads, batch)

/**
 * The loss reason of a lead in a status: one has to exist, and only lost leads have one, so that a lead that leaves that status leaves its
 * reason behind (decision: reopened lead). `about` is what the client calls the lead.
 */
function reasonFor(
  { reasons, faults }: LeadContext & Shared,
  item: Item<unknown>,
  about: string | number,
  { loss_reason_id: sent }: LeadDraft,
  status_id: number,
  kept: number | null,
): number | null {
  if (sent && !reasons.has(sent))
    faults.add(item, {
      code: 'NotSupportedChoice',
      path: 'loss_reason_id',
      detail: `There is no loss reason ${sent}.`,
    })
  else if (sent && status_id !== lost)
    faults.refuse(
      about,
      `A loss reason is for a lead that is lost, in status ${lost}, and this one is in status ${status_id}.`,
    )
  if (status_id !== lost) return null
  return sent === undefined ? kept : sent
}

/** The integration's source that a new lead names. */
function sourceOf({ sources, faults }: LeadContext & Shared, item: Item<LeadDraft>) {
  const external_id = sourceNamed(item.value)
  if (external_id === undefined) return undefined
  const source = sources.get(external_id)
  const path = '_embedded.source.external_id'
  const detail = `This integration has no source ${JSON.stringify(external_id)}.`
  if (!source) faults.add(item, { code: 'NotSupportedChoice', path, detail })
  return source
}

function inStatus(statuses: LeadFilter['statuses']): Condition[] {
  if (!statuses) return []
  const places = statuses.map(
    ({ pipeline_id, status_id }) =>
      sql`record.pipeline_id = ${pipeline_id} and record.status_id = ${status_id}`,
  )
  return [{ passes: join(places, ' or '), streams: places.length === 1 ? ['id'] : [] }]
}
