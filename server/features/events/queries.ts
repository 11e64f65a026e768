import sql, { empty } from 'sql-template-tag'
import { selfLink } from '../../entities/links.ts'
import { letterOf, may } from '../../entities/rights.ts'
import type { Actor } from '../../http/access.ts'
import type { Seek } from '../../http/paging.ts'

const shape = (base: string) => sql`
  event.id, event.type, event.entity_id, event.entity_type, event.created_by, event.created_at, event.value_after,
  event.value_before, event.account_id,
  ${selfLink(sql`${`${base}/api/v4/events/`}::text || event.id`)} as _links,
  ('{"entity":{"id":' || event.entity_id || ',"_links":' || ${entityLink(base)} || '}}')::json as _embedded`

const entityLink = (base: string) =>
  selfLink(sql`${`${base}/api/v4/`}::text
    || case event.entity_type when 'company' then 'companies' else event.entity_type || 's' end || '/' || event.entity_id`)

/** Whether the actor may view the record that an event is about (specification, Events: returned data depends on the rights). */
const visible = (actor: Actor) =>
  letterOf(actor, 'leads', 'view') === 'A'
    ? empty
    : sql`and event.entity_type = 'lead' and exists (
            select from leads record
             where record.account_id = event.account_id and record.id = event.entity_id and ${may(actor, 'leads', 'view')})`

/** A page of the event log, newest first. The rows are found first and shown then, as in the list of leads. */
export const eventList = (actor: Actor, base: string, { after, offset, limit }: Seek) => sql`
  select row_to_json(shown)::text as json, shown.id as key, shown.id
    from (select event.* from events event
           where event.account_id = ${actor.accountId} ${visible(actor)} ${after ? sql`and event.id < ${after.id}` : empty}
           order by event.id desc limit ${limit} offset ${offset}) event,
         lateral (select ${shape(base)}) shown`

export const oneEvent = (actor: Actor, base: string, id: string) => sql`
  select row_to_json(shown)::text as json
    from (select ${shape(base)} from events event
           where event.account_id = ${actor.accountId} and event.id = ${id} ${visible(actor)}) shown`
