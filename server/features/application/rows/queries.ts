import sql, { empty, join, raw } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Actor } from '../../../access/actor.ts'
import { may } from '../../../access/record-rights.ts'
import { sumsOf } from '../../../changes/kept-sums.ts'
import { rowByKey } from '../../../database/by-key.ts'
import type { PagePosition } from '../../../http/paging.ts'
import { fieldsVersion } from '../../../records/fields/definitions.ts'
import type { Field } from '../../../records/fields/definitions.ts'
import { allOf } from '../../../records/lists/conditions.ts'
import type { ListRequest } from '../../../records/lists/find.ts'
import { matchingRows } from '../../../records/lists/pages.ts'
import type { Way } from '../../../records/lists/pages.ts'
import { tagsVersion } from '../../../records/lists/tag-texts.ts'
import { reasonOfRecord } from '../../definitions/loss-reasons/loss-reasons.ts'
import { averageCheck } from '../../records/customers/customers.ts'
import { linkedLeadCounts, linkedName } from '../../records/links/links.ts'
import { leadTotals } from '../board/board.ts'
import type { ListColumn } from './columns.ts'
import type { RowExtra, RowType } from './schema.ts'

/** A row as the statements answer it. */
export interface StoredRow {
  id: number
  name: string
  responsible_user_id: number
  created_by: number
  updated_by: number
  created_at: number
  updated_at: number
  closest_task_at: number | null
  tag_ids: number[]
  /** The stored values of the requested fields, by id. */
  kept: Record<string, unknown[]> | null
  may_edit: boolean
  may_delete: boolean
  fields_version: number
  tags_version: number
  price?: number
  pipeline_id?: number
  status_id?: number
  closed_at?: number | null
  loss_reason_id?: number | null
  next_price?: number
  next_date?: number
  periodicity?: number
  ltv?: number
  purchases_count?: number
  average_check?: number
  last_purchase_at?: number | null
  segment_ids?: number[]
  contact?: { id: number; name: string } | null
  company?: { id: number; name: string } | null
  leads?: { open: number; total: number; is_more: boolean }
}

/** What rows show besides the members of the record. */
export interface RowParts {
  extras: readonly RowExtra[]
  fieldIds: readonly number[]
}

/** The row named `record` as JSON. */
function rowText(actor: Actor, type: RowType, { extras, fieldIds }: RowParts): Sql {
  const kept =
    fieldIds.length === 0
      ? sql`null::jsonb`
      : sql`(select jsonb_object_agg(value.key, value.value) from jsonb_each(record.custom_fields_values) value
              where value.key = any(${fieldIds.map(String)}::text[]))`
  const ofType =
    type === 'leads'
      ? sql`, record.price, record.pipeline_id, record.status_id, record.closed_at, ${reasonOfRecord} as loss_reason_id`
      : type === 'customers'
        ? sql`, record.next_price, record.next_date, record.periodicity, record.status_id, record.ltv, record.purchases_count,
              record.last_purchase_at, ${averageCheck} as average_check, to_json(record.segment_ids) as segment_ids`
        : empty
  const isOfPeople = type === 'leads' || type === 'customers'
  const linked: Record<RowExtra, Sql> = {
    contact: isOfPeople ? sql`, ${linkedName(actor, type, 'contacts')} as contact` : empty,
    company:
      type === 'companies' ? empty : sql`, ${linkedName(actor, type, 'companies')} as company`,
    leads: isOfPeople ? empty : sql`, ${linkedLeadCounts(actor, type)} as leads`,
  }
  return sql`
    (select row_to_json(shown) from (
       select record.id, record.name, record.responsible_user_id, record.created_by, record.updated_by, record.created_at,
              record.updated_at, record.closest_task_at, to_json(record.tag_ids) as tag_ids, ${kept} as kept,
              ${may(actor, type, 'edit')} as may_edit, ${may(actor, type, 'delete')} as may_delete,
              ${fieldsVersion(actor.accountId)} as fields_version, ${tagsVersion(actor.accountId)} as tags_version
              ${ofType}${join(
                [empty, ...new Set(extras)].map((extra) =>
                  typeof extra === 'string' ? linked[extra] : extra,
                ),
                '',
              )}) shown)`
}

/** The rows of a window of a list. */
export const listedRows = (
  actor: Actor,
  type: RowType,
  parts: RowParts,
  request: ListRequest,
  seek: PagePosition,
  way: Way = { kind: 'plain' },
): Sql => sql`
  select ${rowText(actor, type, parts)} as row from (${matchingRows(type, actor, request, seek, way)}) record`

/** Those of these records that a list shows. */
export const namedRows = (
  actor: Actor,
  type: RowType,
  parts: RowParts,
  { conditions, inBin, always }: ListRequest,
  ids: readonly number[],
): Sql => sql`
  select ${rowText(actor, type, parts)} as row from ${raw(type)} record
   where record.account_id = ${actor.accountId} and record.id = any(${ids}::bigint[]) and record.is_deleted = ${inBin}
     ${always ? sql`and ${always}` : empty} and ${allOf(conditions)}`

/** The window of the records that `found` selects, sorted by a value of each, and their number. */
export const sortedRows = (
  actor: Actor,
  type: RowType,
  parts: RowParts,
  found: Sql,
  { key, direction }: { key: Sql; direction: 'asc' | 'desc' },
  { offset, limit }: { offset: number; limit: number },
): Sql => sql`
  with found as materialized (select record.id, ${key} as key from (${found}) record),
  shown as materialized (
    select found.id, row_number() over (order by found.key ${raw(direction)} nulls last, found.id ${raw(direction)}) as place from found
     order by place limit ${limit} offset ${offset})
  select (select count(*) from found) as count, case when shown.id is not null then ${rowText(actor, type, parts)} end as row
    from (select) one left join shown on true left join lateral ${rowByKey(type, actor.accountId, sql`shown.id`)} record on true
   order by shown.place`

/**
 * The window of a list in the order of a custom field of numbers, of the records that have one: the first `most` in
 * that order are tested.
 */
export const rowsByNumber = (
  actor: Actor,
  type: RowType,
  parts: RowParts,
  { conditions, always }: ListRequest,
  { field, direction, most }: { field: Field; direction: 'asc' | 'desc'; most: number },
  { offset, limit }: { offset: number; limit: number },
): Sql => sql`
  select ${rowText(actor, type, parts)} as row
    from (select key.entity_id as id, key.value from field_numbers key
           where key.account_id = ${actor.accountId} and key.field_id = ${field.id} and key.entity_type = ${type}
           order by key.value ${raw(direction)}, key.entity_id ${raw(direction)} limit ${most}) early
   cross join lateral ${rowByKey(type, actor.accountId, sql`early.id`)} record
   where not record.is_deleted ${always ? sql`and ${always}` : empty} and ${allOf(conditions)}
   order by early.value ${raw(direction)}, early.id ${raw(direction)} limit ${limit} offset ${offset}`

/**
 * How many records have a custom field of numbers and pass, among the first `most` in its order, and whether others
 * have one.
 */
export const countByNumber = (
  actor: Actor,
  type: RowType,
  { conditions, always }: ListRequest,
  { field, direction, most }: { field: Field; direction: 'asc' | 'desc'; most: number },
): Sql => sql`
  select count(*) filter (where not record.is_deleted ${always ? sql`and ${always}` : empty} and ${allOf(conditions)})::int as count,
         count(*) = ${most} as is_cut
    from (select key.entity_id as id from field_numbers key
           where key.account_id = ${actor.accountId} and key.field_id = ${field.id} and key.entity_type = ${type}
           order by key.value ${raw(direction)}, key.entity_id ${raw(direction)} limit ${most}) early
   cross join lateral ${rowByKey(type, actor.accountId, sql`early.id`)} record`

/** The number of the records that `found` selects, and the numbers of columns, as one list of JSON. */
export const numbersOf = (found: Sql, columns: readonly ListColumn[]): Sql => {
  const values = columns.map(({ number, key }, index) => {
    const alias = raw(`v${index}`)
    return number
      ? sql`, (${number})::float8 as ${alias}`
      : sql`, ((${key ?? sql`null`}) is not null)::int::float8 as ${alias}`
  })
  const members = columns.map(({ number }, index) => {
    const alias = raw(`record.v${index}`)
    return number
      ? sql`, json_build_object('filled', count(${alias}), 'sum', sum(${alias}), 'average', avg(${alias}),
                                'least', min(${alias}), 'greatest', max(${alias}))`
      : sql`, json_build_object('filled', coalesce(sum(${alias}), 0), 'sum', null, 'average', null, 'least', null, 'greatest', null)`
  })
  return sql`
    select json_build_array(count(*)${join([empty, ...members], '')}) as numbers
      from (select record.id${join([empty, ...values], '')} from (${found}) record) record`
}

/** The groups of the records that `found` selects: their value and number. Each is in the place of one of its records. */
export const groupsOf = (
  actor: Actor,
  type: RowType,
  found: Sql,
  { group, key }: ListColumn,
  groups: number,
): Sql => sql`
  select coalesce(grouped.value, '') as value, grouped.count
    from (select ${group!.text} as value, count(*) as count, min(record.id) as id from (${found}) record group by 1) grouped
   cross join lateral ${rowByKey(type, actor.accountId, sql`grouped.id`)} record
   order by grouped.value is null, ${key ?? sql`grouped.value`}, grouped.value limit ${groups}`

/** The groups of leads by the kept totals, of those that the actor may view. */
export const keptGroups = (
  actor: Actor,
  passes: Sql,
  { group, key }: ListColumn,
  groups: number,
  withUnsorted: boolean,
): Sql => sql`
  select coalesce(record.value, '') as value, record.count
    from (select ${group!.text} as value, sum(record.count)::float8 as count, min(record.account_id) as account_id,
                 min(record.pipeline_id) as pipeline_id, min(record.status_id) as status_id, min(record.responsible_user_id) as responsible_user_id
            from ${sumsOf(leadTotals, actor.accountId)} record
           where ${may(actor, 'leads', 'view')} and (${withUnsorted}::boolean or not record.is_unsorted) and ${passes}
           group by 1 having sum(record.count) > 0) record
   order by record.value is null, ${key ?? sql`record.value`}, record.value limit ${groups}`
