import sql, { join, raw } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Actor, Writer } from '../../../access/actor.ts'
import type { RecordType } from '../../../records/description.ts'
import type { SentLinkType } from '../../../records/schema.ts'
import { mayViewElement } from '../../../access/catalog-rights.ts'
import { may } from '../../../access/record-rights.ts'
import { rowByKey } from '../../../database/by-key.ts'
import { tableOf } from '../../../entity-types.ts'
import type { ElementLink } from './element-plan.ts'
import type { Link } from './plan.ts'
import type { Pair, RecordRef } from '../../../records/link-rules.ts'

/** A locked record. */
export interface LockedRow {
  id: number
  is_deleted: boolean
  viewed: boolean
  edited: boolean
  /** Whether it is a lead that waits with an unsorted item. */
  waits: boolean
}

/**
 * Locks records in the order of their ids, also those in the bin; `viewed` and `edited` say what
 * the actor may do.
 */
export const lockByIds = (actor: Actor, type: RecordType, ids: number[]): Sql => sql`
  select record.id, record.is_deleted, ${may(actor, type, 'view')} as viewed, ${may(actor, type, 'edit')} as edited,
         ${type === 'leads' ? sql`record.unsorted_id is not null` : sql`false`} as waits
    from ${raw(type)} record
   where record.account_id = ${actor.accountId} and record.id = any(${ids}::bigint[])
   order by record.id
     for no key update`

/** A link of a holder of one type with a record of another, in the order of creation. */
export interface LinkedRow {
  holder_id: number
  held_type: RecordType
  held_id: number
  is_main: boolean
}

export const linksOfHolders = (
  actor: Actor,
  type: RecordType,
  lists: { id: number; linked: RecordType }[],
): Sql => sql`
  select link.from_id as holder_id, link.to_type as held_type, link.to_id as held_id, link.is_main
    from unnest(${lists.map(({ id }) => id)}::bigint[], ${lists.map(({ linked }) => linked)}::text[]) as list(id, linked),
         lateral (select * from links
                   where account_id = ${actor.accountId} and from_type = ${type} and from_id = list.id
                     and to_type = list.linked offset 0) link
   order by link.id`

/** Adds links at both ends; their own ids keep the order of the links. */
export const insertLinks = (actor: Actor, links: Link[]): Sql => sql`
  with ends as materialized (select * from ${bothEnds(links)}),
  ${join(
    typesIn(links).map((type) => {
      const ids = sql`select from_id from ends where from_type = ${type}`
      return sql`${raw(`marked_${type}`)} as (${markLinked(actor, type, ids)})`
    }),
  )}
  insert into links (account_id, from_type, from_id, to_type, to_id, is_main)
  select ${actor.accountId}::bigint, from_type, from_id, to_type, to_id, is_main from ends order by place
  on conflict do nothing`

const typesIn = (links: Pair[]): RecordType[] => [
  ...new Set(links.flatMap(({ holder, linked }) => [holder.type, linked.type])),
]

/**
 * Marks records as linked, so that lists look for their links. Every statement that gives links to a
 * record which may never have had any has this as a part.
 */
export const markLinked = ({ accountId }: Actor, type: RecordType, ids: Sql): Sql => sql`
  update ${tableOf(type)} record set may_have_links = true
   where record.account_id = ${accountId} and record.id in (${ids}) and not record.may_have_links`

export const removeLinks = (actor: Actor, links: Pair[]): Sql => sql`
  delete from links using ${bothEnds(links)}
   where ${areThese(actor)}`

export const flagLinks = (actor: Actor, links: Link[]): Sql => sql`
  update links set is_main = these.is_main from ${bothEnds(links)}
   where ${areThese(actor)}`

const areThese = ({ accountId }: Actor) => sql`
  links.account_id = ${accountId} and links.from_type = these.from_type and links.from_id = these.from_id
       and links.to_type = these.to_type and links.to_id = these.to_id`

function bothEnds(links: (Pair & { is_main?: boolean })[]): Sql {
  const row = (index: number, from: RecordRef, to: RecordRef, is_main = false) => ({
    place: index,
    from_type: from.type,
    from_id: from.id,
    to_type: to.type,
    to_id: to.id,
    is_main,
  })
  const rows = links.flatMap(({ holder, linked, is_main }, index) => [
    row(2 * index, holder, linked, is_main),
    row(2 * index + 1, linked, holder, is_main),
  ])
  return sql`json_to_recordset(${JSON.stringify(rows)}::json)
    as these(place int, from_type text, from_id bigint, to_type text, to_id bigint, is_main boolean)`
}

/** The previous fields of a touched record, and its new time of change. */
export interface TouchedRow {
  id: number
  updated_at: number
  updated_by: number
  touched_at: number
}

/**
 * Touches locked records, each in the name of its own user; answers the previous values of the
 * touched fields. A record in the bin is left unchanged, since its fields show who deleted it and
 * when.
 */
export const touchRecords = (
  writer: Writer,
  type: RecordType,
  touched: { id: number; by: number }[],
): Sql => sql`
  update ${raw(type)} record set updated_at = greatest(${writer.at}::bigint, record.created_at), updated_by = touched.by
    from json_to_recordset(${JSON.stringify(touched)}::json) as touched(id bigint, by bigint), ${raw(type)} old
   where record.account_id = ${writer.accountId} and record.id = touched.id and not record.is_deleted
     and old.account_id = record.account_id and old.id = record.id
  returning old.id, old.updated_at, old.updated_by, record.updated_at as touched_at`

/** Elements with the flag of their catalogs, and whether the actor may view them. */
export const someElements = (actor: Actor, ids: number[]): Sql => sql`
  select element.id, element.catalog_id, ${mayViewElement(actor)} as viewed, not catalog.can_link_multiple as only
    from catalog_elements element
    join catalogs catalog on catalog.account_id = ${actor.accountId} and catalog.id = element.catalog_id
   where element.account_id = ${actor.accountId} and element.id = any(${ids}::bigint[])`

/** Locks elements that are linked to one lead or customer at most. */
export const lockElementsOfOne = (actor: Actor, ids: number[]): Sql => sql`
  select element.id from catalog_elements element
   where element.account_id = ${actor.accountId} and element.id = any(${ids}::bigint[])
   order by element.id
     for no key update`

/** The first two leads or customers of each element: the one it may have, or more from before. */
export const ownersOfElements = ({ accountId }: Actor, ids: number[]): Sql => sql`
  select named.id as element_id, owner.type, owner.id
    from unnest(${ids}::bigint[]) as named(id),
         lateral (select link.entity_type as type, link.entity_id as id from element_links link
                   where link.account_id = ${accountId} and link.element_id = named.id
                     and link.entity_type in ('leads', 'customers') limit 2) owner`

/** How many elements each record has. */
export const countElements = ({ accountId }: Actor, records: RecordRef[]): Sql => sql`
  select record.type, record.id, counted.count
    from ${refs(records)} as record(type, id),
         lateral (select count(*) from element_links link
                   where link.account_id = ${accountId} and link.entity_type = record.type and link.entity_id = record.id) counted`

export interface ElementLinkRow extends Omit<ElementLink, 'record'> {
  entity_type: RecordType
  entity_id: number
}

/** Those of the named elements that their records have. */
export const elementLinksAmong = (
  { accountId }: Actor,
  named: { record: RecordRef; id: number }[],
): Sql => sql`
  select link.entity_type, link.entity_id, link.element_id, link.catalog_id, link.quantity::float8 as quantity, link.price_id
    from unnest(${named.map(({ record }) => record.type)}::text[], ${named.map(({ record }) => record.id)}::bigint[],
                ${named.map(({ id }) => id)}::bigint[]) as named(type, record_id, id),
         lateral (select * from element_links
                   where account_id = ${accountId} and entity_type = named.type and entity_id = named.record_id
                     and element_id = named.id offset 0) link`

export const insertElementLinks = ({ accountId }: Actor, links: ElementLink[]): Sql => sql`
  insert into element_links (account_id, entity_type, entity_id, element_id, catalog_id, quantity, price_id)
  select ${accountId}::bigint, entity_type, entity_id, element_id, catalog_id, quantity, price_id from ${elementRows(links)}`

export const removeElementLinks = ({ accountId }: Actor, links: ElementLink[]): Sql => sql`
  delete from element_links link using ${elementRows(links)}
   where ${isElementRow(accountId)}`

export const changeElementLinks = ({ accountId }: Actor, links: ElementLink[]): Sql => sql`
  update element_links link set quantity = these.quantity, price_id = these.price_id from ${elementRows(links)}
   where ${isElementRow(accountId)}`

const isElementRow = (accountId: number) => sql`
  link.account_id = ${accountId} and link.entity_type = these.entity_type and link.entity_id = these.entity_id
       and link.element_id = these.element_id`

function elementRows(links: ElementLink[]): Sql {
  const rows = links.map(({ record: { type, id }, ...link }) => ({
    entity_type: type,
    entity_id: id,
    ...link,
  }))
  return sql`json_to_recordset(${JSON.stringify(rows)}::json)
    as these(entity_type text, entity_id bigint, element_id bigint, catalog_id bigint, quantity numeric, price_id bigint)`
}

const refs = (records: RecordRef[]) =>
  sql`unnest(${records.map(({ type }) => type)}::text[], ${records.map(({ id }) => id)}::bigint[])`

/** A record or element that a change names. */
export interface NamedLink {
  place: number
  id: number
  to: SentLinkType
  to_id: number
}

/** A stored link that a change names. */
export interface StoredLink {
  place: number
  is_main: boolean
  quantity: number | null
  price_id: number | null
}

/** Those of the named links that are stored, and whose other end the actor may view. */
export function sentAndStored(actor: Actor, type: RecordType, named: NamedLink[]): Sql {
  const types = [...new Set(named.map(({ to }) => to))]
  const parts = types.map((to) =>
    to === 'catalog_elements'
      ? sql`
    select named.place, false as is_main, link.quantity::float8 as quantity, link.price_id
      from named
      join element_links link on link.account_id = ${actor.accountId} and link.entity_type = ${type}
                             and link.entity_id = named.id and link.element_id = named.to_id
      join catalog_elements element on element.account_id = ${actor.accountId} and element.id = named.to_id
     where named.type = ${to} and ${mayViewElement(actor)}`
      : sql`
    select named.place, link.is_main, null::float8 as quantity, null::bigint as price_id
      from named
      join links link on link.account_id = ${actor.accountId} and link.from_type = ${type} and link.from_id = named.id
                     and link.to_type = ${to} and link.to_id = named.to_id
     cross join lateral ${rowByKey(to, actor.accountId, sql`named.to_id`)} record
     where named.type = ${to} and ${may(actor, to, 'view')}`,
  )
  const rows = named.map(({ to, ...rest }) => ({ ...rest, type: to }))
  return sql`
    with named as materialized (
      select * from json_to_recordset(${JSON.stringify(rows)}::json) as named(place int, id bigint, type text, to_id bigint)
    ) ${join(parts, ' union all ')}`
}
