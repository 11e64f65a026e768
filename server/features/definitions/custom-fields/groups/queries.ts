import sql, { empty } from 'sql-template-tag'
import type { Actor } from '../../../../access/actor.ts'
import type { FieldOwner } from '../../../../entity-types.ts'
import type { FieldScope } from '../scopes.ts'

export interface FieldGroupRow {
  id: string
  name: string
  sort: number
  is_predefined: boolean
  fields: number[]
}

/**
 * The groups of an entity type, all or those with these ids. A field without a group is in the
 * default group.
 */
export const fieldGroupList = (actor: Actor, type: FieldOwner, ids?: string[]) => sql`
  select tab.id, tab.name, tab.sort, tab.is_predefined,
         coalesce((select json_agg(field.id order by field.sort, field.id) from custom_fields field
                    where field.account_id = ${actor.accountId} and field.entity_type = ${type}
                      and coalesce(field.group_id, 'default') = tab.id), '[]') as fields
    from custom_field_groups tab
   where tab.account_id = ${actor.accountId} and tab.entity_type = ${type} ${ids ? sql`and tab.id = any(${ids}::text[])` : empty}
   order by tab.sort, tab.id`

/** Answers the ids in the order of the drafts. */
export const insertFieldGroups = (
  actor: Actor,
  { holder, type }: FieldScope,
  drafts: { name: string; sort: number }[],
) => sql`
  insert into custom_field_groups (account_id, entity_type, id, name, sort)
  select ${actor.accountId}::bigint, ${type}::text, ${holder}::text || '_' || nextval('custom_field_groups_id'), name, sort
    from json_to_recordset(${JSON.stringify(drafts)}::json) as draft(name text, sort int)
  returning id`

export const updateFieldGroup = (
  actor: Actor,
  type: FieldOwner,
  { id, name, sort }: FieldGroupRow,
) => sql`
  update custom_field_groups set name = ${name}, sort = ${sort}
   where account_id = ${actor.accountId} and entity_type = ${type} and id = ${id}`

export const moveFields = (
  actor: Actor,
  type: FieldOwner,
  group: string | null,
  ids: number[],
) => sql`
  update custom_fields set group_id = ${group}
   where account_id = ${actor.accountId} and entity_type = ${type} and id = any(${ids}::bigint[])
  returning id`

export const removeFieldGroup = (actor: Actor, type: FieldOwner, id: string) => sql`
  delete from custom_field_groups where account_id = ${actor.accountId} and entity_type = ${type} and id = ${id}`
