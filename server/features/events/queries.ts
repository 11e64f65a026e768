import sql, { empty, join, raw } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import { singular } from '../../entities/kinds.ts'
import { selfLink } from '../../entities/links.ts'
import { letterOf, may, mayAll } from '../../entities/rights.ts'
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

/**
 * Whether the actor may view the record that an event is about (specification, Events: returned data depends on the rights). What is no
 * lead, contact or company follows the right to view leads.
 */
function visible(actor: Actor): Sql {
  const types = ['leads', 'contacts', 'companies'] as const
  if (types.every((type) => mayAll(actor, type, 'view'))) return empty
  // A look at one record by its key. As `exists` it became a hash of all leads, made for every page.
  const seen = types.map((type) =>
    mayAll(actor, type, 'view')
      ? sql`when ${singular[type]} then true`
      : sql`when ${singular[type]} then (
          select ${may(actor, type, 'view')} from ${raw(type)} record
           where record.account_id = event.account_id and record.id = event.entity_id)`,
  )
  return sql`and case event.entity_type ${join(seen, ' ')} else ${letterOf(actor, 'leads', 'view') === 'A'}::boolean end`
}

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
