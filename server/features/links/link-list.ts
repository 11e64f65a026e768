// Lists of links, ordered by the id of the main entity, the linked type and the linked id. They are
// read along the key of the table up to the end of the page, however many links there are.
import sql, { empty, join, raw } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Actor } from '../../access/actor.ts'
import type { Cursor, PagePosition } from '../../http/paging.ts'
import { badRequest } from '../../http/problem.ts'
import type { RecordType } from '../../records/description.ts'
import { may } from '../../access/record-rights.ts'
import { linkedTypes } from '../../records/link-rules.ts'

/** The links of some records of one type. */
export interface LinkQuery {
  type: RecordType
  ids: number[]
  /** Only links with these records. */
  to?: { type: string; ids: number[] }
}

/**
 * A page of the links of records that the actor may view, with records that the actor may view.
 * `key` is the id of the main entity and a letter for the linked type. Links with a record in the
 * bin, at either end, are left out.
 */
export function linkList(
  actor: Actor,
  { type, ids, to }: LinkQuery,
  { after, offset, limit }: PagePosition,
): Sql {
  const kinds = linkedTypes(type).map((kind, place) => ({ kind, rank: ranks[place]! }))
  const wanted = to ? kinds.filter(({ kind }) => kind === to.type) : kinds
  const from = after && linkPositionOf(after)
  if (wanted.length === 0) return sql`select null as json, null as key, null as id where false`
  // A single id is passed as a value: PostgreSQL then knows whether it has many links.
  const main = ids.length === 1 ? sql`${ids[0]}::bigint` : sql`main.id`
  const parts = wanted.map(
    ({ kind, rank }) => sql`(
      select ${rank}::text as rank, link.to_id, ${kind}::text as to_type,
             ${kind === 'contacts' ? sql`'{"main_contact":' || link.is_main || '}'` : sql`'null'`} as metadata
        from links link
        join ${raw(kind)} record on record.account_id = ${actor.accountId} and record.id = link.to_id and not record.is_deleted
                                and ${may(actor, kind, 'view')}
       where link.account_id = ${actor.accountId} and link.from_type = ${type} and link.from_id = ${main} and link.to_type = ${kind}
         ${to ? sql`and link.to_id = any(${to.ids}::bigint[])` : empty} ${from ? comesAfter(from, rank) : empty}
       order by link.to_id limit ${offset + limit})`,
  )
  return sql`
    select '{"entity_id":' || main.id || ',"entity_type":"' || ${type}::text || '","to_entity_id":' || link.to_id
           || ',"to_entity_type":"' || link.to_type || '","metadata":' || link.metadata || '}' as json,
           main.id || link.rank as key, link.to_id as id
      from (select record.id from ${raw(type)} record
             where record.account_id = ${actor.accountId} and record.id = any(${ids}::bigint[]) and not record.is_deleted
               and ${may(actor, type, 'view')} ${from ? sql`and record.id >= ${from.mainId}` : empty}
             order by record.id) main,
           lateral (select part.* from (${join(parts, ' union all ')}) part order by part.rank, part.to_id limit ${offset + limit}) link
     order by main.id, link.rank, link.to_id limit ${limit} offset ${offset}`
}

/** Whether the actor may view a record; no row where it does not exist. A named statement. */
export const mainEntity = (actor: Actor, type: RecordType, id: number): Sql => sql`
  select ${may(actor, type, 'view')} as viewed from ${raw(type)} record
   where record.account_id = ${actor.accountId} and record.id = ${id} and not record.is_deleted`

/** The letters of the linked types in keys, in the order of `linkedTypes`. */
const ranks = ['a', 'b', 'c', 'd', 'e']

interface LinkPosition {
  mainId: number
  rank: string
  toId: number
}

function linkPositionOf({ key, id }: Cursor): LinkPosition {
  const [, mainId, rank] = /^(\d{1,16})([a-e])$/.exec(String(key)) ?? []
  const place = { mainId: Number(mainId), rank: rank ?? '', toId: Number(id) }
  if (!rank || !Number.isSafeInteger(place.mainId) || !Number.isSafeInteger(place.toId))
    throw badRequest('The parameter after is not one that a link to a next page holds')
  return place
}

/**
 * The links of one type after a position: all of later main entities, and of the same one the later
 * types and ids.
 */
function comesAfter({ mainId, rank: last, toId }: LinkPosition, rank: string): Sql {
  if (rank > last) return empty
  if (rank < last) return sql`and main.id > ${mainId}`
  return sql`and link.to_id > case when main.id = ${mainId} then ${toId}::bigint else 0 end`
}
