// How events are shown.
import sql, { join, raw } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Actor } from '../../../access/actor.ts'
import { entityTypes, singular } from '../../../entity-types.ts'
import { compactJson } from '../../../http/compact.ts'
import type { PageRow } from '../../../http/paging.ts'
import { selfLink } from '../../../http/self-link.ts'
import type { EventWith } from './schema.ts'

/** An event without its values, and the values, all as JSON texts. */
export interface EventLine extends PageRow {
  value_after: string
  value_before: string
}

/** The event as JSON text. */
export function eventText({ json, value_after, value_before }: EventLine): string {
  return `${json.slice(0, -1)},"value_after":${compactJson(value_after)},"value_before":${compactJson(value_before)}}`
}

export interface Showing {
  /** The public address of the account. */
  base: string
  wanted: ReadonlySet<EventWith>
  /** Whether changed fields have their general type, not that of the field. */
  isGeneral: boolean
  /** Whether what the event names is told too (queries.ts). */
  isTold?: boolean
}

/** The columns of an event line, selected from a row named `event`. */
export function eventColumns({ accountId }: Actor, { base, wanted, isGeneral }: Showing): Sql {
  return sql`
    (select row_to_json(shown)::text from (select
       event.id, ${isGeneral ? sql`event.type` : typeOfField} as type, event.entity_id, event.entity_type,
       event.created_by, event.created_at, event.account_id,
       ${selfLink(sql`${`${base}/api/v4/events/`}::text || event.id`)} as _links,
       ('{"entity":{"id":' || event.entity_id || ${names(accountId, wanted)} || ',"_links":' || ${entityLink(base)} || '}}')::json as _embedded
     ) shown) as json,
    ${wanted.has('note') ? valueWithNote(accountId) : sql`event.value_after::text`} as value_after,
    event.value_before::text`
}

/** The log stores the general type of a changed field, and its id in the values. */
const typeOfField = sql`
  case when event.type = 'custom_field_value_changed' then coalesce(
         'custom_field_' || (coalesce(event.value_after -> 0, event.value_before -> 0) -> 'custom_field_value' ->> 'field_id')
                         || '_value_changed', event.type)
       else event.type end`

const entityLink = (base: string) =>
  selfLink(sql`${`${base}/api/v4/`}::text
    || case when event.entity_type = 'company' then 'companies'
            when starts_with(event.entity_type, 'catalog_') then 'catalogs/' || substr(event.entity_type, 9) || '/elements'
            else event.entity_type || 's' end || '/' || event.entity_id`)

/** The members with names, as a text of JSON. A record that is gone has null. */
function names(accountId: number, wanted: ReadonlySet<EventWith>): Sql {
  const nameIn = (table: string, id: Sql) => sql`coalesce((
    select to_json(named.name)::text from ${raw(table)} named where named.account_id = ${accountId} and named.id = ${id}), 'null')`
  const entityId = sql`event.entity_id`
  const catalogId = sql`substr(event.entity_type, 9)`
  const ofRecords = entityTypes
    .filter((type) => wanted.has(`${singular[type]}_name`))
    .map(
      (type) =>
        sql`when event.entity_type = ${singular[type]} then ',"name":' || ${nameIn(type, entityId)}`,
    )
  const ofElements = [
    ...(wanted.has('catalog_element_name')
      ? [sql`',"name":' || ${nameIn('catalog_elements', entityId)}`]
      : []),
    ...(wanted.has('catalog_name')
      ? [
          sql`',"catalog":{"id":' || ${catalogId} || ',"name":' || ${nameIn('catalogs', sql`${catalogId}::bigint`)} || '}'`,
        ]
      : []),
  ]
  const cases = [
    ...ofRecords,
    ...(ofElements.length > 0
      ? [sql`when starts_with(event.entity_type, 'catalog_') then ${join(ofElements, ' || ')}`]
      : []),
  ]
  return cases.length > 0 ? sql`case ${join(cases, ' ')} else '' end` : sql`''`
}

/** The value after, with the type, the time and the params of the note that it names. */
const valueWithNote = (accountId: number) => sql`coalesce((
    select json_build_array(json_build_object('note', json_build_object(
             'id', note.id, 'note_type', note.note_type, 'created_at', note.created_at, 'params', note.params)))
      from notes note
     where note.account_id = ${accountId} and note.id = (event.value_after -> 0 -> 'note' ->> 'id')::bigint)::text,
    event.value_after::text)`
