// The statement of a card: the record as a bare line, and its links with what a card shows of each.
// Every list is a bounded read: a company may have 100,000 leads.
import sql, { empty, raw } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Actor } from '../../../access/actor.ts'
import { mayViewCatalog } from '../../../access/catalog-rights.ts'
import { may, mayNone } from '../../../access/record-rights.ts'
import { tableOf } from '../../../entity-types.ts'
import type { RecordDescription, RecordType } from '../../../records/description.ts'
import { fieldsVersion } from '../../../records/fields/definitions.ts'
import { linkedTypes } from '../../../records/link-rules.ts'
import { lineColumns } from '../../../records/lists/select.ts'
import { lost, won } from '../../definitions/pipelines/pipelines.ts'
import { mostOnCard } from './schema.ts'

/** The links to one type that are looked at: the newest, before rights are checked. */
const mostTried = 500

/** The first cell of a card, as JSON. */
export interface CardBase {
  may_edit: boolean
  may_delete: boolean
  is_deleted: boolean
  updated_at: number
  updated_by: number
  fields_version: number
  entered_at: number | null
}

/** The lists of a card in the order of their cells. */
export const cardLists = ['leads', 'contacts', 'companies', 'customers', 'elements'] as const

/**
 * One record with its links, also from the bin; no row where the actor may not view it. The cells
 * are `CardBase`, the lists of `cardLists`, and those of `linesOf`.
 */
export function oneCard(
  description: RecordDescription,
  actor: Actor,
  base: string,
  id: number,
  wanted: ReadonlySet<string>,
): Sql {
  const { type } = description
  const has = (to: RecordType) => linkedTypes(type).includes(to)
  const list = (to: RecordType) => (has(to) ? linkedRecords(actor, type, to) : sql`null`)
  return sql`
    select json_build_object('may_edit', ${may(actor, type, 'edit')}, 'may_delete', ${may(actor, type, 'delete')},
                             'is_deleted', record.is_deleted, 'updated_at', record.updated_at, 'updated_by', record.updated_by,
                             'fields_version', ${fieldsVersion(actor.accountId)}, 'entered_at', ${type === 'leads' ? sql`record.entered_at` : sql`null`}),
           ${list('leads')}, ${list('contacts')}, ${list('companies')}, ${list('customers')}, ${linkedElements(actor, type)},
           ${lineColumns(description, actor, base, wanted)}
      ${viewed(actor, type, id)}`
}

/** The record, if the actor may view it. */
const viewed = (actor: Actor, type: RecordType, id: number): Sql => sql`
  from ${tableOf(type)} record
 where ${may(actor, type, 'view')} and record.account_id = ${actor.accountId} and record.id = ${id}`

/** The columns that decide who may view a record; no row where the actor may not. */
export const recordForRights = (actor: Actor, type: RecordType, id: number): Sql => sql`
  select record.responsible_user_id, record.group_id ${type === 'leads' ? sql`, record.pipeline_id, record.status_id` : empty}
  ${viewed(actor, type, id)}`

/** A row where the record is there, whoever may view it. */
export const anyRecord = ({ accountId }: Actor, type: RecordType, id: number): Sql => sql`
  select true as is_there from ${tableOf(type)} record where record.account_id = ${accountId} and record.id = ${id}`

/** The value of a field of the type file of one record, as it is kept; no row for none. */
export const fileValue = (actor: Actor, type: RecordType, id: number, fieldId: number): Sql => sql`
  select value ->> 'file_uuid' as file_uuid, value ->> 'version_uuid' as version_uuid
    from ${tableOf(type)} record, jsonb_array_elements(record.custom_fields_values -> ${String(fieldId)}::text) value
   where record.account_id = ${actor.accountId} and record.id = ${id} and ${may(actor, type, 'view')}
     and exists (select from custom_fields field
                  where field.account_id = ${actor.accountId} and field.entity_type = ${type} and field.id = ${fieldId} and field.type = 'file')`

/** The columns of a linked record on a card, and the order of the list, of a row named `record`. */
function shownOf(actor: Actor, type: RecordType): { columns: Sql; order: Sql } {
  const newest = sql`shown.id desc`
  switch (type) {
    case 'leads':
      return {
        columns: sql`record.price, record.pipeline_id, record.status_id, record.responsible_user_id, false as is_deleted`,
        order: sql`shown.status_id in (${won}, ${lost}), ${newest}`,
      }
    case 'contacts':
      return {
        columns: sql`link.is_main, ${reachedAt(actor, type)}, record.responsible_user_id, ${may(actor, type, 'edit')} as may_edit`,
        order: sql`shown.is_main desc, ${newest}`,
      }
    case 'companies':
      return {
        columns: sql`${reachedAt(actor, type)}, ${may(actor, type, 'edit')} as may_edit`,
        order: newest,
      }
    case 'customers':
      return { columns: sql`record.ltv, record.next_date, record.purchases_count`, order: newest }
  }
}

/** The stored phones and e-mails. */
function reachedAt({ accountId }: Actor, type: RecordType): Sql {
  const values = (code: string) => sql`
    record.custom_fields_values -> (select field.id::text from custom_fields field
                                     where field.account_id = ${accountId} and field.entity_type = ${type} and field.code = ${code} limit 1)`
  return sql`${values('PHONE')} as phones, ${values('EMAIL')} as emails`
}

/** A page of the records of one type that the row named `record` is linked with, as JSON. */
function linkedRecords(actor: Actor, from: RecordType, to: RecordType): Sql {
  const { accountId } = actor
  if (mayNone(actor, to, 'view')) return sql`null`
  const { columns, order } = shownOf(actor, to)
  return sql`
    (select json_build_object('tried', max(shown.tried), 'items', json_agg(to_jsonb(shown) - 'tried' order by ${order}) filter (where shown.id is not null))
       from (select shown.*, count(*) over () as tried
               from (select link.to_id, link.is_main from links link
                      where link.account_id = ${accountId} and link.from_type = ${from} and link.from_id = record.id and link.to_type = ${to}
                      order by link.to_id desc limit ${raw(String(mostTried))}) link
               left join lateral (select record.id, record.name, ${columns} from ${tableOf(to)} record
                                   where record.account_id = ${accountId} and record.id = link.to_id and not record.is_deleted
                                     ${to === 'leads' ? sql`and record.unsorted_id is null` : empty}
                                     and ${may(actor, to, 'view')} offset 0) shown on true
              order by shown.id is null, ${order} limit ${raw(String(mostOnCard + 1))}) shown)`
}

/**
 * A page of the elements of the row named `record`, 500 at most of each record. The actor may view
 * the record, so of a catalog with the level L these elements are linked ones.
 */
function linkedElements(actor: Actor, from: RecordType): Sql {
  const { accountId } = actor
  return sql`
    (select json_build_object('tried', 0, 'items', json_agg(to_jsonb(shown) - 'place' order by shown.place))
       from (select link.id as place, element.id, element.catalog_id, element.name, link.quantity,
                    (element.custom_fields_values -> price.id::text ->> 0)::numeric as price,
                    case when price.id = link.price_id then link.price_id end as price_id,
                    coalesce(prices.list, '[]') as prices
               from (select link.* from element_links link
                      where link.account_id = ${accountId} and link.entity_type = ${from} and link.entity_id = record.id
                        and ${mayViewCatalog(actor, sql`link.catalog_id`)}
                      order by link.id limit ${raw(String(mostOnCard + 1))}) link
               join catalog_elements element on element.account_id = ${accountId} and element.id = link.element_id
               left join lateral (select field.id from custom_fields field
                                   where field.account_id = ${accountId} and field.entity_type = 'catalogs:' || link.catalog_id
                                     and field.type = 'price'
                                   order by field.id is not distinct from link.price_id desc, field.sort, field.id limit 1) price on true
               left join lateral (select json_agg(json_build_object('price_id', field.id, 'name', field.name,
                                                                    'price', (element.custom_fields_values -> field.id::text ->> 0)::numeric)
                                                  order by field.sort, field.id) as list
                                    from custom_fields field
                                   where field.account_id = ${accountId} and field.entity_type = 'catalogs:' || link.catalog_id
                                     and field.type = 'price' and element.custom_fields_values -> field.id::text is not null) prices on true) shown)`
}

/** Whether the links that were looked at may not be all. */
export const isCut = (tried: number | null): boolean => tried === mostTried
