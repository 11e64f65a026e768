import sql, { empty } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Actor } from '../../../access/actor.ts'
import type { PagePosition } from '../../../http/paging.ts'
import { fieldsVersion } from '../../../records/fields/definitions.ts'
import type { Condition } from '../../../records/lists/conditions.ts'
import type { KeptValues } from '../../../records/fields/values.ts'
import type { SegmentConditions } from './schema.ts'

/** A segment as verbs compare and write it. */
export interface SegmentRow {
  id: number
  name: string
  color: string
  available_products_price_types: number[]
  custom_fields_values: KeptValues
  created_at: number
  updated_at: number
}

/** A segment as lists read it. */
export interface SegmentLine extends SegmentRow {
  customers_count: number
  fields_version: number
}

const columns = sql`
  segment.id, segment.name, segment.color,
  to_json(segment.available_products_price_types) as available_products_price_types,
  segment.custom_fields_values, segment.created_at, segment.updated_at`

/** Of a segment there are as many counts as transactions ever changed it at once. */
const shown = ({ accountId }: Actor) => sql`
  select ${columns}, ${fieldsVersion(accountId)} as fields_version,
         coalesce((select sum(count.customers)::bigint from segment_counts count
                    where count.account_id = segment.account_id and count.segment_id = segment.id), 0) as customers_count
    from segments segment where segment.account_id = ${accountId}`

/** A page of the segments of the account: 100 at most. */
export const segmentList = (actor: Actor, { after, offset, limit }: PagePosition): Sql => sql`
  ${shown(actor)} ${after ? sql`and segment.id > ${after.id}` : empty}
   order by segment.id limit ${limit} offset ${offset}`

export const segmentSummaries = ({ accountId }: Actor): Sql => sql`
  select id, name, color from segments where account_id = ${accountId} order by id`

/** Customers that are in all of these segments. */
export const inSegments = (ids: readonly number[] | undefined): Condition[] =>
  ids ? [{ passes: sql`record.segment_ids @> ${ids}::bigint[]`, streams: [] }] : []

export const oneSegment = (actor: Actor, id: number): Sql =>
  sql`${shown(actor)} and segment.id = ${id}`

export const countSegments = (actor: Actor): Sql =>
  sql`select count(*) as total from segments where account_id = ${actor.accountId}`

export const segmentRow = (actor: Actor, id: number): Sql => sql`
  select ${columns} from segments segment where segment.account_id = ${actor.accountId} and segment.id = ${id}`

/** Those of the ids that are segments, as customers embed them; `ids` is an array as PostgreSQL writes it. */
export const linkedSegments = (actor: Actor, base: string, ids: string): Sql => sql`
  select id, '{"id":' || id || ',"_links":{"self":{"href":"' || ${`${base}/api/v4/customers/segments/`}::text || id || '"}}}' as json
    from segments where account_id = ${actor.accountId} and id = any(${ids}::bigint[])`

/** The state that the segments of customers are checked against. */
export const segmentIds = (actor: Actor): Sql =>
  sql`select id from segments where account_id = ${actor.accountId}`

export const insertSegment = (actor: Actor, row: Omit<SegmentRow, 'id'>): Sql => sql`
  insert into segments (account_id, name, color, available_products_price_types, custom_fields_values, created_at, updated_at)
  values (${actor.accountId}, ${row.name}, ${row.color}, ${row.available_products_price_types}::bigint[],
          ${jsonOf(row.custom_fields_values)}::jsonb, ${row.created_at}, ${row.updated_at})
  returning id`

export const updateSegment = (actor: Actor, row: SegmentRow): Sql => sql`
  update segments set name = ${row.name}, color = ${row.color},
         available_products_price_types = ${row.available_products_price_types}::bigint[],
         custom_fields_values = ${jsonOf(row.custom_fields_values)}::jsonb, updated_at = ${row.updated_at}
   where account_id = ${actor.accountId} and id = ${row.id}`

export const removeSegment = (actor: Actor, id: number): Sql => sql`
  with counts as (delete from segment_counts where account_id = ${actor.accountId} and segment_id = ${id})
  delete from segments where account_id = ${actor.accountId} and id = ${id} returning id`

export const conditionsOf = (actor: Actor, id: number): Sql => sql`
  select entry_conditions, exit_conditions from segments where account_id = ${actor.accountId} and id = ${id}`

export const updateConditions = (
  actor: Actor,
  id: number,
  { entry_conditions, exit_conditions }: SegmentConditions,
): Sql => sql`
  update segments set entry_conditions = ${JSON.stringify(entry_conditions)}::jsonb,
                      exit_conditions = ${JSON.stringify(exit_conditions)}::jsonb
   where account_id = ${actor.accountId} and id = ${id} returning id`

export const countConditions = ({ accountId }: Actor): Sql => sql`
  select count(*) as count from segments, jsonb_path_query(entry_conditions || exit_conditions, '$[*][*]')
   where account_id = ${accountId}`

/** The rules of the account, in the order of the segments. */
export const segmentRuleRows = ({ accountId }: Pick<Actor, 'accountId'>): Sql => sql`
  select id, entry_conditions as entry, exit_conditions as exit from segments
   where account_id = ${accountId} and entry_conditions <> '[]' order by id`

/** Adds numbers of customers to the counts of segments, and waits for no other transaction. */
export const addToCounts = (actor: Actor, segments: number[], numbers: number[]): Sql => sql`
  with change as materialized (
    select segment_id, customers,
           (select count.slot from segment_counts count
             where count.account_id = ${actor.accountId} and count.segment_id = change.segment_id
             limit 1 for no key update skip locked) as slot
      from unnest(${segments}::bigint[], ${numbers}::bigint[]) as change(segment_id, customers)
  ), added as (
    insert into segment_counts (account_id, segment_id, customers)
    select ${actor.accountId}::bigint, segment_id, customers from change where slot is null
  )
  update segment_counts count set customers = count.customers + change.customers from change
   where count.account_id = ${actor.accountId} and count.segment_id = change.segment_id and count.slot = change.slot`

const jsonOf = (values: KeptValues) => (values === null ? null : JSON.stringify(values))
