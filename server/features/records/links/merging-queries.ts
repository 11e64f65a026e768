import sql from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Actor } from '../../../access/actor.ts'
import type { RecordType } from '../../../records/description.ts'
import { markLinked } from './queries.ts'
import type { RecordRef } from '../../../records/link-rules.ts'
import type { MergedPair } from './merging.ts'

/** A link of one of the two records of a merge, with the ids of its two rows. */
export interface LinkOfRecord extends RecordRef {
  of: 'into' | 'from'
  is_main: boolean
  /** The row from the record to the other, and the row back. */
  outward: number
  inward: number
}

/** A link as it was, and whether it went over; otherwise it was lost, as the survivor had it too. */
export interface KeptLink extends LinkOfRecord {
  is_moved: boolean
}

/** An element of the record that was merged away. */
export interface KeptElement {
  id: number
  element_id: number
  catalog_id: number
  quantity: string
  price_id: number | null
  is_moved: boolean
}

/** The records that a merge links anew, and the company that a surviving contact may leave. */
export const neighbours = (
  { accountId }: Actor,
  { type, into, from }: MergedPair,
  most: number,
): Sql => sql`
  (select to_type as type, to_id as id from links
    where account_id = ${accountId} and from_type = ${type} and from_id = ${from} limit ${most})
  union
  (select to_type as type, to_id as id from links
    where account_id = ${accountId} and from_type = ${type} and from_id = ${into}
      and to_type = 'companies')`

const ends = sql`
  link.to_type as type, link.to_id as id, link.is_main, link.id as outward, back.id as inward`

const backOf = sql`
  join links back on back.account_id = link.account_id and back.from_type = link.to_type and back.from_id = link.to_id
                 and back.to_type = link.from_type and back.to_id = link.from_id`

/** The links of `from`, and those of `into` to the same records and to companies, in the order of creation. */
export const linksOfPair = ({ accountId }: Actor, { type, into, from }: MergedPair): Sql => sql`
  with own as materialized (
    select 'from' as of, ${ends} from links link ${backOf}
     where link.account_id = ${accountId} and link.from_type = ${type} and link.from_id = ${from}
  )
  select * from own
  union all
  select 'into', ${ends} from links link ${backOf}
   where link.account_id = ${accountId} and link.from_type = ${type} and link.from_id = ${into}
     and (link.to_type = 'companies' or (link.to_type, link.to_id) in (select type, id from own))
   order by outward`

/** Those of the links of `into` that lead to these records. */
export const linksAmong = (
  { accountId }: Actor,
  { type, into }: MergedPair,
  refs: RecordRef[],
): Sql => sql`
  select 'into' as of, ${ends}
    from ${named(refs)}
    join links link on link.account_id = ${accountId} and link.from_type = ${type} and link.from_id = ${into}
                   and link.to_type = named.type and link.to_id = named.id
    ${backOf}`

/** Moves both ends of links from one record to another of its type, in place. */
export const moveEnds = (
  actor: Actor,
  { type, into, from }: MergedPair,
  refs: RecordRef[],
): Sql => sql`
  with named as materialized (select * from ${named(refs)}),
  marked as (${markLinked(actor, type, sql`${into}::bigint`)}), outward as (
    update links set from_id = ${into} from named
     where links.account_id = ${actor.accountId} and links.from_type = ${type} and links.from_id = ${from}
       and links.to_type = named.type and links.to_id = named.id
  )
  update links set to_id = ${into} from named
   where links.account_id = ${actor.accountId} and links.from_type = named.type and links.from_id = named.id
     and links.to_type = ${type} and links.to_id = ${from}`

/** Adds links again, under the ids that they had. */
export const insertKept = (actor: Actor, pair: MergedPair, links: KeptLink[]): Sql => {
  const rows = links.map(({ of, ...link }) => ({ ...link, own: pair[of] }))
  return sql`
  insert into links (account_id, from_type, from_id, to_type, to_id, is_main, id)
  select ${actor.accountId}::bigint, ends.*
    from json_to_recordset(${JSON.stringify(rows)}::json)
           as kept(own bigint, type text, id bigint, is_main boolean, outward bigint, inward bigint),
         lateral (values (${pair.type}::text, own, type, id, is_main, outward), (type, id, ${pair.type}::text, own, is_main, inward))
           ends(from_type, from_id, to_type, to_id, is_main, id)
  on conflict do nothing`
}

const named = (refs: RecordRef[]) =>
  sql`unnest(${refs.map(({ type }) => type)}::text[], ${refs.map(({ id }) => id)}::bigint[]) as named(type, id)`

/** Moves elements to the survivor; one that it has keeps the terms that it has there. Answers them as they were. */
export const moveElements = ({ accountId }: Actor, { type, into, from }: MergedPair): Sql => sql`
  with theirs as materialized (
    select own.*, exists (select from element_links other
                           where other.account_id = ${accountId} and other.entity_type = ${type} and other.entity_id = ${into}
                             and other.element_id = own.element_id) as is_shared
      from element_links own
     where own.account_id = ${accountId} and own.entity_type = ${type} and own.entity_id = ${from}
  ), gone as (
    delete from element_links using theirs
     where element_links.account_id = ${accountId} and element_links.entity_type = ${type} and element_links.entity_id = ${from}
       and element_links.element_id = theirs.element_id and theirs.is_shared
  ), moved as (
    update element_links set entity_id = ${into} from theirs
     where element_links.account_id = ${accountId} and element_links.entity_type = ${type} and element_links.entity_id = ${from}
       and element_links.element_id = theirs.element_id and not theirs.is_shared
  )
  select id, element_id, catalog_id, quantity::text as quantity, price_id, not is_shared as is_moved from theirs order by id`

/** Puts elements back that still exist, and takes from the survivor those that it got. Answers them. */
export const moveElementsBack = (
  { accountId }: Actor,
  { type, into, from }: MergedPair,
  elements: KeptElement[],
): Sql => sql`
  with kept as materialized (
    select kept.* from json_to_recordset(${JSON.stringify(elements)}::json)
      as kept(id bigint, element_id bigint, catalog_id bigint, quantity numeric, price_id bigint, is_moved boolean)
     where exists (select from catalog_elements element where element.account_id = ${accountId} and element.id = kept.element_id)
  ), back as (
    update element_links set entity_id = ${from}, quantity = kept.quantity, price_id = kept.price_id from kept
     where element_links.account_id = ${accountId} and element_links.entity_type = ${type} and element_links.entity_id = ${into}
       and element_links.element_id = kept.element_id and kept.is_moved
    returning element_links.element_id
  ), returned as (
    insert into element_links (account_id, entity_type, entity_id, element_id, catalog_id, quantity, price_id, id)
    select ${accountId}::bigint, ${type}, ${from}::bigint, element_id, catalog_id, quantity, price_id, id from kept
     where element_id not in (select element_id from back)
  )
  select id, element_id, catalog_id, quantity::text as quantity, price_id,
         element_id in (select element_id from back) as is_moved
    from kept order by id`

export const elementCount = ({ accountId }: Actor, type: RecordType, id: number): Sql => sql`
  select count(*)::int as count from element_links
   where account_id = ${accountId} and entity_type = ${type} and entity_id = ${id}`
