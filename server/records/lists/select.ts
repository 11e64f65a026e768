// The select lists of records: the columns of every entity type, and those that `with` adds.
import sql, { empty, join, raw } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Actor } from '../../access/actor.ts'
import { may } from '../../access/record-rights.ts'
import { tableOf } from '../../entity-types.ts'
import { selfLink } from '../../http/self-link.ts'
import type { RecordDescription, RecordType } from '../description.ts'
import { fieldsVersion } from '../fields/definitions.ts'

/** One record as a bare line; its text is null where the actor may not view it. */
export function oneRecord(
  description: RecordDescription,
  actor: Actor,
  base: string,
  id: number,
  wanted: ReadonlySet<string> = new Set(),
): Sql {
  const { type, listed } = description
  const extras = extrasOf(description, actor, base, wanted)
  return sql`
    select case when found.visible then row_to_json(found.shown)::text end as json, found.tag_ids, found.id, found.id as key
           , found.values, found.fields_version ${listed ? sql`, found.listed` : empty} ${extras === empty ? empty : sql`, found.extras`}
      from (select ${may(actor, type, 'view')} as visible, shown, array_to_string(record.tag_ids, ',') as tag_ids, record.id
                   ${valuesOf(actor)} ${listedOf(description)} ${extras}
              from ${tableOf(type)} record, lateral (select ${description.selected(actor, base, wanted)}) shown
             where record.account_id = ${actor.accountId} and record.id = ${id} and not record.is_deleted) found`
}

/** These records as bare lines, for the user who has just written them. */
export function writtenRecords(
  description: RecordDescription,
  actor: Actor,
  base: string,
  ids: number[],
): Sql {
  const nothing = new Set<string>()
  return sql`
    select row_to_json(shown)::text as json, array_to_string(record.tag_ids, ',') as tag_ids, record.id as key, record.id
           ${valuesOf(actor)} ${listedOf(description)} ${extrasOf(description, actor, base, nothing)}
      from ${tableOf(description.type)} record, lateral (select ${description.selected(actor, base, nothing)}) shown
     where record.account_id = ${actor.accountId} and record.id = any(${ids}::bigint[])`
}

/**
 * The stored values of custom fields, and the version of the field definitions that render them.
 */
export function valuesOf({ accountId }: Actor): Sql {
  return sql`, record.custom_fields_values as values, ${fieldsVersion(accountId)} as fields_version`
}

/** The ids of the member that a column lists, separated by commas. */
export function listedOf({ listed }: RecordDescription): Sql {
  return listed ? sql`, array_to_string(record.${raw(listed.column)}, ',') as listed` : empty
}

/** The members that `with` adds, as JSON text: `,"source":{…}`. */
export function extrasOf(
  { extras = {} }: RecordDescription,
  actor: Actor,
  base: string,
  wanted: ReadonlySet<string>,
): Sql {
  const names = Object.keys(extras).filter((name) => wanted.has(name))
  if (names.length === 0) return empty
  return sql`, ${join(
    names.map((name) => sql`${raw(`',"${name}":'`)} || ${extras[name]!(actor, base)}`),
    ' || ',
  )} as extras`
}

/**
 * The group of the responsible user, correct from the moment the user moves. The user's row is read
 * only while a user of the account is moving (docs/decisions/0014-moving-between-groups.md).
 */
export function groupShown({ accountId }: Actor): Sql {
  return sql`
    case when exists (select from users moving where moving.account_id = ${accountId} and moving.group_move is not null)
         then coalesce((select person.group_id from users person
                         where person.account_id = record.account_id and person.id = record.responsible_user_id), record.group_id)
         else record.group_id end as group_id`
}

/** `_links` of a row named `record`. */
export function recordLink(type: RecordType, base: string): Sql {
  return selfLink(sql`${`${base}/api/v4/${type}/`}::text || record.id`)
}
