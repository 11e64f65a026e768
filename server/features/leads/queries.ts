import sql, { empty, join } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import { comesAfter, isNamed, isOneOf, isWithin, orderedBy, orderingOf } from '../../entities/lists.ts'
import { selfLink } from '../../entities/links.ts'
import { may } from '../../entities/rights.ts'
import { tagsOf } from '../../entities/tags.ts'
import type { Actor } from '../../http/access.ts'
import type { Seek } from '../../http/paging.ts'
import { raw } from 'sql-template-tag'
import type { LeadQuery, LeadRow } from './schema.ts'

/** A lead as the interface shows it, without what it embeds, made of a row named `record`. `base` begins its links. */
const shape = (base: string) => sql`
  record.id, record.name, record.price, record.responsible_user_id, record.group_id, record.status_id, record.pipeline_id,
  record.loss_reason_id, record.source_id, record.created_by, record.updated_by, record.created_at, record.updated_at,
  record.closed_at, record.closest_task_at, record.is_deleted, record.custom_fields_values, null as score, record.account_id,
  null as labor_cost,
  ${selfLink(sql`${`${base}/api/v4/leads/`}::text || record.id`)} as _links`

/** Puts what a lead embeds into its JSON text. */
export const embedInLead = (json: string, tags: string) => `${json.slice(0, -1)},"_embedded":{"tags":${tags},"companies":[]}}`

/**
 * A page of the leads that the actor may view, as bare lines. The rows are found first and shown then, so that a row that is skipped costs
 * no more than that.
 */
export function leadList(actor: Actor, base: string, { filter = {}, order }: LeadQuery, { after, offset, limit }: Seek): Sql {
  const ordering = orderingOf(order)
  return sql`
    select row_to_json(lead)::text as json, array_to_string(record.tag_ids, ',') as tag_ids,
           lead.${raw(ordering.column)} as key, lead.id
      from (select record.*
              from leads record
             where record.account_id = ${actor.accountId} and not record.is_deleted and ${may(actor, 'leads', 'view')}
               ${isOneOf('id', filter.id)} ${isNamed(filter.name)} ${isWithin('price', filter.price, 'exact')}
               ${isInStatus(filter.statuses)} ${isOneOf('pipeline_id', filter.pipeline_id)}
               ${isOneOf('responsible_user_id', filter.responsible_user_id)}
               ${isOneOf('created_by', filter.created_by)} ${isOneOf('updated_by', filter.updated_by)}
               ${isWithin('created_at', filter.created_at, 'from')} ${isWithin('updated_at', filter.updated_at, 'from')}
               ${isWithin('closed_at', filter.closed_at, 'from')} ${comesAfter(ordering, after)}
             ${orderedBy(ordering)} limit ${limit} offset ${offset}) record,
           lateral (select ${shape(base)}) lead`
}

function isInStatus(statuses: { pipeline_id: number; status_id: number }[] | undefined): Sql {
  if (!statuses) return empty
  const pairs = statuses.map(({ pipeline_id, status_id }) => sql`(${pipeline_id}::bigint, ${status_id}::bigint)`)
  return sql`and (record.pipeline_id, record.status_id) in (${join(pairs)})`
}

/** One lead without what it embeds, and its tags; no text where the actor may not view it. */
export const oneLead = (actor: Actor, base: string, id: number) => sql`
  select case when lead.visible then row_to_json(lead.shown)::text end as json, lead.tags
    from (select ${may(actor, 'leads', 'view')} as visible, shown, ${tagsOf} as tags
            from leads record, lateral (select ${shape(base)}) shown
           where record.account_id = ${actor.accountId} and record.id = ${id} and not record.is_deleted) lead`

/** Adds leads; answers their ids in the order of the rows. A lead without a name is named after its id. */
export const insertLeads = (actor: Actor, rows: Omit<LeadRow, 'id'>[]) => sql`
  insert into leads (account_id, id, name, price, responsible_user_id, group_id, pipeline_id, status_id, loss_reason_id,
                     created_by, updated_by, created_at, updated_at, closed_at, tag_ids)
  select ${actor.accountId}::bigint, id, case name when '' then 'Lead #' || id else name end, price, responsible_user_id, group_id,
         pipeline_id, status_id, loss_reason_id, created_by, updated_by, created_at, updated_at, closed_at, tag_ids
    from (select nextval('leads_id') as id, draft.*
            from json_to_recordset(${JSON.stringify(rows)}::json)
              as draft(name text, price bigint, responsible_user_id bigint, group_id bigint, pipeline_id bigint, status_id bigint,
                       loss_reason_id bigint, created_by bigint, updated_by bigint, created_at bigint, updated_at bigint,
                       closed_at bigint, tag_ids bigint[])) draft
  returning id`

/** Locks leads in the order of their ids and says which of them the actor may edit. */
export const lockLeads = (actor: Actor, ids: number[]) => sql`
  select record.id, record.name, record.price, record.responsible_user_id, record.group_id, record.pipeline_id, record.status_id,
         record.loss_reason_id, record.created_by, record.updated_by, record.created_at, record.updated_at, record.closed_at,
         to_json(record.tag_ids) as tag_ids, ${may(actor, 'leads', 'edit')} as allowed
    from leads record
   where record.account_id = ${actor.accountId} and record.id = any(${ids}::bigint[]) and not record.is_deleted
   order by record.id
     for no key update`

/** Writes leads that are locked. */
export const updateLeads = (actor: Actor, rows: LeadRow[]) => sql`
  update leads
     set (name, price, responsible_user_id, group_id, pipeline_id, status_id, loss_reason_id, created_by, updated_by, created_at,
          updated_at, closed_at, tag_ids)
       = (draft.name, draft.price, draft.responsible_user_id, draft.group_id, draft.pipeline_id, draft.status_id,
          draft.loss_reason_id, draft.created_by, draft.updated_by, draft.created_at, draft.updated_at, draft.closed_at,
          draft.tag_ids)
    from json_to_recordset(${JSON.stringify(rows)}::json)
      as draft(id bigint, name text, price bigint, responsible_user_id bigint, group_id bigint, pipeline_id bigint,
               status_id bigint, loss_reason_id bigint, created_by bigint, updated_by bigint, created_at bigint, updated_at bigint,
               closed_at bigint, tag_ids bigint[])
   where leads.account_id = ${actor.accountId} and leads.id = draft.id`
