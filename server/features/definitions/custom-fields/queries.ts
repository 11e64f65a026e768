import sql, { empty, raw } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Enum } from '../../../records/fields/definitions.ts'
import type { FieldType } from '../../../records/fields/types.ts'
import { comesAfter, orderedBy, orderingOf } from '../../../records/lists/schema.ts'
import type { Actor } from '../../../access/actor.ts'
import type { PipelineStatus } from '../../../access/rights.ts'
import type { PagePosition } from '../../../http/paging.ts'
import type { EntityType, FieldOwner } from '../../../entity-types.ts'
import type { FieldQuery } from './schema.ts'

/** A choice of a list; a new one has no id yet. */
export interface Choice extends Omit<Enum, 'id'> {
  id: number | null
}

/** A category of a tree; a new one has no id yet. */
export interface Category {
  id: number | null
  /** Null: on the first level. */
  parent_id: number | null
  value: string
  sort: number
  /** The position in the list of a parent that has no id yet. */
  parentPlace?: number
}

interface Chain {
  title: string
  catalog_id: number
  parent_catalog_id: number | null
}

export interface FieldRow {
  id: number
  name: string
  type: FieldType
  code: string | null
  sort: number
  group_id: string | null
  is_api_only: boolean
  is_visible: boolean
  is_required: boolean
  is_predefined: boolean
  is_deletable: boolean
  remind: string | null
  currency: string | null
  tracking_callback: string | null
  chained_lists: Chain[] | null
  enums: Choice[] | null
  nested: Category[] | null
  search_in: string | null
  required_statuses: PipelineStatus[]
  hidden_statuses: PipelineStatus[]
}

/** The columns that verbs write, with their types. */
const columns = {
  name: 'text',
  type: 'text',
  code: 'text',
  sort: 'int',
  group_id: 'text',
  is_api_only: 'boolean',
  is_visible: 'boolean',
  is_required: 'boolean',
  remind: 'text',
  currency: 'text',
  tracking_callback: 'text',
  chained_lists: 'jsonb',
  enums: 'jsonb',
  nested: 'jsonb',
  search_in: 'text',
  required_statuses: 'jsonb',
  hidden_statuses: 'jsonb',
}
const names = raw(Object.keys(columns).join(', '))
const typed = Object.entries(columns).map(([name, type]) => `${name} ${type}`)
const whole = raw(`id, is_predefined, is_deletable, ${Object.keys(columns).join(', ')}`)

const matching = (actor: Actor, type: FieldOwner, { filter }: FieldQuery): Sql => sql`
  account_id = ${actor.accountId} and entity_type = ${type} ${filter?.id ? sql`and id = any(${filter.id}::bigint[])` : empty}
  ${filter?.type ? sql`and type = any(${filter.type}::text[])` : empty}`

/** An entity type has at most 1,000 fields, which the primary key finds. */
export function fieldList(
  actor: Actor,
  type: FieldOwner,
  query: FieldQuery,
  { after, offset, limit }: PagePosition,
): Sql {
  const ordering = orderingOf(query.order)
  return sql`
    select ${whole} from custom_fields record
     where ${matching(actor, type, query)} ${comesAfter(ordering, after)}
     ${orderedBy(ordering)} limit ${limit} offset ${offset}`
}

/** The choices with their colors, which the web application shows; few fields have any. */
const coloredEnums = raw(`
  case when enum_colors = '{}' then enums
       else (select jsonb_agg(case when enum_colors ? (choice ->> 'id')
                                   then choice || jsonb_build_object('color', enum_colors -> (choice ->> 'id'))
                                   else choice end order by place)
               from jsonb_array_elements(enums) with ordinality as each(choice, place)) end`)

/** The fields of an entity type with what forms and lists need of them. */
export const fieldSummaries = ({ accountId }: Actor, type: EntityType): Sql => sql`
  select id, name, type, code, sort, group_id, is_api_only, is_deletable, currency, ${coloredEnums} as enums, chained_lists,
         required_statuses, hidden_statuses
    from custom_fields where account_id = ${accountId} and entity_type = ${type} order by sort, id`

export const fieldGroupSummaries = ({ accountId }: Actor, type: EntityType): Sql => sql`
  select id, name, sort from custom_field_groups
   where account_id = ${accountId} and entity_type = ${type} order by sort, id`

export const countFields = (actor: Actor, type: FieldOwner, query: FieldQuery) => sql`
  select count(*) as total from custom_fields record where ${matching(actor, type, query)}`

export const fieldsById = (actor: Actor, type: FieldOwner, ids: number[]) => sql`
  select ${whole} from custom_fields
   where account_id = ${actor.accountId} and entity_type = ${type} and id = any(${ids}::bigint[])`

/** The state that new and changed fields are checked against. */
export const codesAndSorts = (actor: Actor, type: FieldOwner) => sql`
  select id, code, sort, coalesce(jsonb_array_length(coalesce(enums, nested)), 0) as choices from custom_fields where account_id = ${actor.accountId} and entity_type = ${type}`

export const groupIds = (actor: Actor, type: FieldOwner) => sql`
  select id from custom_field_groups where account_id = ${actor.accountId} and entity_type = ${type}`

export const enumIds = (count: number) => sql`
  select nextval('custom_field_enums_id') as id from generate_series(1, ${count}::int)`

/** Answers the fields in the order of the rows. */
export const insertFields = (actor: Actor, type: FieldOwner, rows: FieldRow[]) => sql`
  insert into custom_fields (account_id, entity_type, ${names})
  select ${actor.accountId}::bigint, ${type}::text, ${names}
    from json_to_recordset(${JSON.stringify(rows)}::json) as draft(${raw(typed.join(', '))})
  returning ${whole}`

/** Codes may be swapped within one batch, but the unique index checks each row as it is written. */
export const releaseCodes = (actor: Actor, type: FieldOwner, ids: number[]) => sql`
  update custom_fields set code = null
   where account_id = ${actor.accountId} and entity_type = ${type} and id = any(${ids}::bigint[])`

export const updateFields = (actor: Actor, type: FieldOwner, rows: FieldRow[]) => sql`
  update custom_fields field
     set ${raw(
       Object.keys(columns)
         .map((name) => `${name} = draft.${name}`)
         .join(', '),
     )}
    from json_to_recordset(${JSON.stringify(rows)}::json) as draft(id bigint, ${raw(typed.join(', '))})
   where field.account_id = ${actor.accountId} and field.entity_type = ${type} and field.id = draft.id`

/** PHONE and EMAIL have the same ids for contacts and companies (interface: Custom field). */
export const renameTwins = (actor: Actor, type: FieldOwner, rows: FieldRow[]) => sql`
  update custom_fields field set name = draft.name
    from json_to_recordset(${JSON.stringify(rows)}::json) as draft(id bigint, name text)
   where field.account_id = ${actor.accountId} and field.entity_type <> ${type} and field.id = draft.id`

export const removeField = (actor: Actor, type: FieldOwner, id: number) => sql`
  delete from custom_fields where account_id = ${actor.accountId} and entity_type = ${type} and id = ${id}`
