import sql, { empty, join, raw } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import { singular } from '../../entity-types.ts'
import { selfLink } from '../../http/self-link.ts'
import {
  catalogsByLinks,
  isLinked,
  mayViewAllElements,
  mayViewCatalog,
} from '../../access/catalog-rights.ts'
import { may, mayAll, mayNone } from '../../access/record-rights.ts'
import { mayViewAllTasks, mayViewTask } from '../../access/task-rights.ts'
import type { Actor } from '../../access/actor.ts'
import type { PagePosition } from '../../http/paging.ts'

/** The columns of an event without its values (show.ts). */
const shape = (base: string) => sql`
  event.id, event.type, event.entity_id, event.entity_type, event.created_by, event.created_at, event.account_id,
  ${selfLink(sql`${`${base}/api/v4/events/`}::text || event.id`)} as _links,
  ('{"entity":{"id":' || event.entity_id || ',"_links":' || ${entityLink(base)} || '}}')::json as _embedded`

const entityLink = (base: string) =>
  selfLink(sql`${`${base}/api/v4/`}::text
    || case when event.entity_type = 'company' then 'companies'
            when starts_with(event.entity_type, 'catalog_') then 'catalogs/' || substr(event.entity_type, 9) || '/elements'
            else event.entity_type || 's' end || '/' || event.entity_id`)

const types = ['leads', 'contacts', 'companies', 'customers'] as const

/**
 * Conditions of which each event that the actor may view meets one (specification, Events: returned
 * data depends on the rights). Each partly visible type has its own, so that PostgreSQL may start
 * from its few records. `catalogs` are those of which a limited actor may view all elements: named
 * by their ids, they are no guess to PostgreSQL.
 */
function visible(actor: Actor, catalogs: readonly number[]): Sql[] {
  const open = types.filter((type) => mayAll(actor, type, 'view'))
  if (mayViewAllTasks(actor) && mayViewAllElements(actor)) return [sql`true`]
  const limited = types.filter((type) => !open.includes(type) && !mayNone(actor, type, 'view'))
  const byLinks = catalogsByLinks(actor).map((id) => `catalog_${id}`)
  // Types are listed, because excluding some could not use an index.
  const openTypes = [
    ...open.map((type) => singular[type]),
    ...(mayViewAllTasks(actor) ? ['task'] : []),
    ...catalogs.map((id) => `catalog_${id}`),
  ]
  return [
    ...(openTypes.length > 0 ? [sql`event.entity_type = any(${openTypes}::text[])`] : []),
    ...limited.map(
      (type) => sql`event.entity_type = ${singular[type]} and exists (
        select from ${raw(type)} record
         where record.account_id = event.account_id and record.id = event.entity_id and ${may(actor, type, 'view')})`,
    ),
    ...(mayViewAllTasks(actor)
      ? []
      : [
          sql`event.entity_type = 'task' and (
        select ${mayViewTask(actor, 'shown')} from tasks record
         where record.account_id = event.account_id and record.id = event.entity_id)`,
        ]),
    ...(byLinks.length > 0
      ? [
          sql`event.entity_type = any(${byLinks}::text[]) and ${isLinked(actor, sql`event.entity_id`)}`,
        ]
      : []),
  ]
}

/**
 * A page of the event log, newest first. It finds the rows first and renders them afterwards, like
 * the list of leads.
 */
export function eventList(
  actor: Actor,
  base: string,
  { after, offset, limit }: PagePosition,
  catalogs: readonly number[] = [],
): Sql {
  const found = visible(actor, catalogs).map(
    (condition) => sql`(
      select event.* from events event
       where event.account_id = ${actor.accountId} and ${condition} ${after ? sql`and event.id < ${after.id}` : empty}
       order by event.id desc limit ${offset + limit})`,
  )
  return sql`
    select row_to_json(shown)::text as json, event.value_after::text, event.value_before::text, event.id as key, event.id
      from (select event.* from (${found.length ? join(found, ' union all ') : sql`select * from events where false`}) event
             order by event.id desc limit ${limit} offset ${offset}) event,
           lateral (select ${shape(base)}) shown`
}

export function oneEvent(
  actor: Actor,
  base: string,
  id: string,
  catalogs: readonly number[] = [],
): Sql {
  const conditions = visible(actor, catalogs)
  return sql`
    select row_to_json(shown)::text as json, event.value_after::text, event.value_before::text
      from events event, lateral (select ${shape(base)}) shown
     where event.account_id = ${actor.accountId} and event.id = ${id}
       and (${conditions.length ? join(conditions, ' or ') : sql`false`})`
}

export interface FieldsAndLanguage {
  language: string
  fields: { id: number; name: string }[]
}

/**
 * The caller's language, and the custom fields of the account without those of catalogs that the
 * caller may not view. Contacts and companies share the ids of phone and e-mail.
 */
export const fieldsAndLanguage = (actor: Actor): Sql => sql`
  select language, coalesce((
           select json_agg(json_build_object('id', field.id, 'name', field.name) order by field.id)
             from (select distinct on (id) id, name from custom_fields
                    where account_id = ${actor.accountId}
                      and case when starts_with(entity_type, 'catalogs:')
                               then ${mayViewCatalog(actor, sql`substr(entity_type, 10)::bigint`)} else true end
                    order by id, entity_type) field), '[]') as fields
    from users where account_id = ${actor.accountId} and id = ${actor.userId}`
