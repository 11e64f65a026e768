import sql, { join } from 'sql-template-tag'
import { bothSides } from '../../entities/common.ts'
import type { Kind, Shared } from '../../entities/kind.ts'
import { oneOf, within } from '../../entities/sieves.ts'
import type { Sieve } from '../../entities/sieves.ts'
import { groupShown, recordLink } from '../../entities/records.ts'
import { changeRecords, createRecords } from '../../entities/write.ts'
import type { Identified } from '../../entities/schema.ts'
import type { Tx } from '../../database/connect.ts'
import type { Actor } from '../../http/access.ts'
import type { Batch, Item } from '../../http/batch.ts'
import { isClosed, stagesAround } from '../pipelines/pipelines.ts'
import type { Stages } from '../pipelines/pipelines.ts'
import { Lead } from './schema.ts'
import type { LeadDraft, LeadFilter, LeadRow } from './schema.ts'
import { placeChanged, placeNew } from './stage.ts'

/** What working out leads needs besides what all records need. */
export interface LeadContext {
  stages: Stages
}

/** Leads: a price, and a place in a pipeline (specification, Lead). */
export const leads: Kind<LeadRow, LeadDraft, LeadContext> = {
  type: 'leads',
  columns: { price: 'bigint', pipeline_id: 'bigint', status_id: 'bigint', loss_reason_id: 'bigint', closed_at: 'bigint' },
  keys: Object.keys(Lead.properties),

  shape: (actor, base) => sql`
    record.id, record.name, record.price, record.responsible_user_id, ${groupShown(actor)}, record.status_id, record.pipeline_id,
    record.loss_reason_id, record.source_id, record.created_by, record.updated_by, record.created_at, record.updated_at,
    record.closed_at, record.closest_task_at, record.is_deleted, null as score, record.account_id,
    null as labor_cost, ${recordLink('leads', base)} as _links`,

  embeds: { always: ['companies'], wanted: ['contacts'] },

  filters: ({ price, statuses, pipeline_id, closed_at }: LeadFilter) => [
    ...within('price', price, 'exact'),
    ...inStatus(statuses),
    // The index of a pipeline goes on with the status.
    ...oneOf('pipeline_id', pipeline_id, []),
    ...within('closed_at', closed_at, 'from'),
  ],

  untitled: (id) => `Lead #${id}`,

  async prepare(tx, actor, drafts, before) {
    const pipelines = [
      ...drafts.flatMap(({ pipeline_id }) => pipeline_id ?? []),
      ...[...before.values()].map(({ pipeline_id }) => pipeline_id),
    ]
    return {
      stages: await stagesAround(
        tx,
        actor,
        pipelines,
        drafts.flatMap(({ status_id }) => status_id ?? []),
      ),
    }
  },

  draft(actor, context, item) {
    const { price = 0, closed_at } = item.value
    checkLossReason(context, item, item.value)
    const stage = placeNew(context, item)
    return { price, ...stage, loss_reason_id: null, closed_at: isClosed(stage.status_id) ? (closed_at ?? actor.at) : null }
  },

  change(actor, context, item, row, sent) {
    checkLossReason(context, item, sent)
    const stage = placeChanged(context, item, row)
    // Entering won or lost closes the lead anew, from the other one too.
    const closed_at = sent.closed_at ?? (stage.status_id === row.status_id ? row.closed_at : actor.at)
    return {
      ...(sent.name?.trim() === '' && { name: leads.untitled!(row.id) }),
      price: sent.price ?? row.price,
      ...stage,
      // A lead that leaves a status leaves its reason behind (decision: reopened lead).
      loss_reason_id: stage.status_id === row.status_id && sent.loss_reason_id !== null ? row.loss_reason_id : null,
      closed_at: isClosed(stage.status_id) ? closed_at : null,
    }
  },

  news(fields, before, after) {
    const hasMoved = fields.has('status_id') || fields.has('pipeline_id')
    const price = ({ price: sale }: LeadRow) => ({ sale_field_value: { sale } })
    const stage = ({ status_id: id, pipeline_id }: LeadRow) => ({ lead_status: { id, pipeline_id } })
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
export const createLeads = (tx: Tx, actor: Actor, batch: Batch<LeadDraft>) => createRecords(tx, actor, leads, batch)

/** Changes leads, as `changeRecords`. */
export const changeLeads = (tx: Tx, actor: Actor, batch: Batch<Identified<LeadDraft>>) => changeRecords(tx, actor, leads, batch)

/** A loss reason has to exist before a lead can hold it. */
function checkLossReason({ faults }: Shared, item: Item<unknown>, { loss_reason_id }: LeadDraft): void {
  if (!loss_reason_id) return
  faults.add(item, { code: 'NotSupportedChoice', path: 'loss_reason_id', detail: `There is no loss reason ${loss_reason_id}.` })
}

function inStatus(statuses: LeadFilter['statuses']): Sieve[] {
  if (!statuses) return []
  const places = statuses.map(
    ({ pipeline_id, status_id }) => sql`record.pipeline_id = ${pipeline_id} and record.status_id = ${status_id}`,
  )
  return [{ passes: join(places, ' or '), streams: places.length === 1 ? ['id'] : [] }]
}
