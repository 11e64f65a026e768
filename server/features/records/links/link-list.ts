// Lists of links, ordered by the id of the main entity, the linked type and the linked id. They are
// read along the key of the table up to the end of the page, however many links there are.
import sql, { empty, join, raw } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Actor } from '../../../access/actor.ts'
import type { Cursor, PagePosition } from '../../../http/paging.ts'
import { badRequest } from '../../../http/problem.ts'
import type { RecordType } from '../../../records/description.ts'
import { mayUseElements, mayViewCatalog, mayViewElement } from '../../../access/catalog-rights.ts'
import { may, mayAll } from '../../../access/record-rights.ts'
import { rowByKey } from '../../../database/by-key.ts'
import { linkedTypes } from '../../../records/link-rules.ts'
import type { LinkEnd } from '../../../records/link-rules.ts'
import { elementMetadata } from '../../../records/lists/links.ts'

/** The links of some records of one type, or of elements. */
export interface LinkQuery {
  type: LinkEnd
  ids: number[]
  /** Only links with records and elements of this type, with these ids, and of these catalogs. */
  to?: Partial<Record<'ids' | 'catalogs', number[] | undefined>> & { type?: string | undefined }
}

/**
 * A page of the links of records that the actor may view, with records and elements that the actor
 * may view. `key` is the id of the main entity and a letter for the linked type. Links with a record
 * in the bin, at either end, are left out.
 */
export function linkList(
  actor: Actor,
  { type, ids, to = {} }: LinkQuery,
  { after, offset, limit }: PagePosition,
  few: ReadonlySet<LinkEnd> = new Set(),
): Sql {
  const wanted = linkedTypes(type)
    .map((kind, index) => ({ kind, rank: ranks[index]! }))
    .filter(({ kind }) => (to.type ?? kind) === kind)
    .filter(({ kind }) => to.catalogs === undefined || kind === 'catalog_elements')
  const from = after && linkPositionOf(after)
  if (wanted.length === 0) return sql`select null as json, null as key, null as id where false`
  // A single id is passed as a value: PostgreSQL then knows whether it has many links.
  const main = ids.length === 1 ? sql`${ids[0]}::bigint` : sql`main.id`
  const parts = wanted.map(({ kind, rank }) => {
    const { id, metadata, links } = linksBetween(actor, type, main, kind, few.has(kind))
    return sql`(
      select ${rank}::text as rank, ${id} as to_id, ${kind}::text as to_type, ${metadata} as metadata
        ${links} ${to.ids ? sql`and ${id} = any(${to.ids}::bigint[])` : empty}
             ${to.catalogs ? sql`and link.catalog_id = any(${to.catalogs}::bigint[])` : empty}
             ${from ? comesAfter(from, rank, kind === 'catalog_elements' ? [id] : [id, sql`record.id`], ids) : empty}
       order by ${id} limit ${offset + limit})`
  })
  return sql`
    select '{"entity_id":' || main.id || ',"entity_type":"' || ${type}::text || '","to_entity_id":' || link.to_id
           || ',"to_entity_type":"' || link.to_type || '","metadata":' || link.metadata || '}' as json,
           main.id || link.rank as key, link.to_id as id
      from (${mainsOf(actor, type, ids, from?.mainId ?? 0)}) main,
           lateral (select part.* from (${join(parts, ' union all ')}) part order by part.rank, part.to_id limit ${offset + limit}) link
     order by main.id, link.rank, link.to_id limit ${limit} offset ${offset}`
}

/** The main entities of a list that the actor may view, from an id on. */
function mainsOf(actor: Actor, type: LinkEnd, ids: number[], from: number): Sql {
  const isElement = type === 'catalog_elements'
  const row = raw(isElement ? 'element' : 'record')
  const viewed = isElement
    ? mayViewElement(actor)
    : sql`not record.is_deleted and ${may(actor, type, 'view')}`
  return sql`select ${row}.id from ${raw(type)} ${row}
             where ${row}.account_id = ${actor.accountId} and ${row}.id = any(${ids}::bigint[]) and ${row}.id >= ${from}
               and ${viewed}
             order by ${row}.id`
}

/** The links of a main entity with one type: the column of the other end, and its metadata. */
function linksBetween(
  actor: Actor,
  type: LinkEnd,
  main: Sql,
  kind: LinkEnd,
  isOfFew: boolean,
): { id: Sql; metadata: Sql; links: Sql } {
  if (type === 'catalog_elements' && kind !== 'catalog_elements')
    return {
      id: sql`link.entity_id`,
      metadata: elementMetadata,
      links: shown(actor, type, main, kind, 'entity_id', isOfFew),
    }
  // The actor may view the record, so with the level L its elements are linked ones.
  if (kind === 'catalog_elements')
    return {
      id: sql`link.element_id`,
      metadata: elementMetadata,
      links: sql`
        from element_links link
       where link.account_id = ${actor.accountId} and link.entity_type = ${type} and link.entity_id = ${main}
         and ${mayViewCatalog(actor, sql`link.catalog_id`)}`,
    }
  return {
    id: sql`link.to_id`,
    metadata: kind === 'contacts' ? sql`'{"main_contact":' || link.is_main || '}'` : sql`'null'`,
    links: shown(actor, type, main, kind, 'to_id', isOfFew),
  }
}

/** The links of a main entity with the records of a type that the actor may view; `other` is their column. */
function shown(
  actor: Actor,
  type: LinkEnd,
  main: Sql,
  kind: RecordType,
  other: 'to_id' | 'entity_id',
  isOfFew: boolean,
): Sql {
  const id = raw(`link.${other}`)
  const { accountId } = actor
  const links = linksTo(actor, type, main, kind)
  const isShown = sql`not record.is_deleted and ${may(actor, kind, 'view')}`
  if (mayAll(actor, kind, 'view'))
    return sql`
        from ${raw(kind)} record, ${links} and record.account_id = ${accountId} and record.id = ${id} and ${isShown}`
  return isOfFew
    ? sql`
        from ${raw(kind)} record, lateral (select link.* from ${links} and ${id} = record.id offset 0) link
       where record.account_id = ${accountId} and ${isShown}`
    : sql`
        from lateral (select link.* from ${links}) link, lateral ${rowByKey(kind, accountId, sql`${id}`)} record where ${isShown}`
}

/** The links of a main entity with records of one type, as a statement goes on behind `from`. */
export const linksTo = ({ accountId }: Actor, type: LinkEnd, main: Sql, kind: RecordType): Sql =>
  type === 'catalog_elements'
    ? sql`element_links link where link.account_id = ${accountId} and link.element_id = ${main} and link.entity_type = ${kind}`
    : sql`links link where link.account_id = ${accountId} and link.from_type = ${type} and link.from_id = ${main} and link.to_type = ${kind}`

/** Whether the actor may view a record; no row where it does not exist. A named statement. */
export const mainEntity = (actor: Actor, type: RecordType, id: number): Sql => sql`
  select ${may(actor, type, 'view')} as viewed from ${raw(type)} record
   where record.account_id = ${actor.accountId} and record.id = ${id} and not record.is_deleted`

/** Whether the actor may view an element; no row where the catalog does not have it. */
export const mainElement = (actor: Actor, catalogId: number, id: number): Sql => sql`
  select ${mayUseElements(actor, catalogId, 'view')} as viewed from catalog_elements element
   where element.account_id = ${actor.accountId} and element.catalog_id = ${catalogId} and element.id = ${id}`

/** The letters of the linked types in keys, in the order of `linkedTypes`. */
const ranks = ['a', 'b', 'c', 'd', 'e']

interface LinkPosition {
  mainId: number
  rank: string
  toId: number
}

function linkPositionOf({ key, id }: Cursor): LinkPosition {
  const [, mainId, rank] = /^(\d{1,16})([a-e])$/.exec(String(key)) ?? []
  const position = { mainId: Number(mainId), rank: rank ?? '', toId: Number(id) }
  if (!rank || !Number.isSafeInteger(position.mainId) || !Number.isSafeInteger(position.toId))
    throw badRequest('The parameter after is not one that a link to a next page holds')
  return position
}

/**
 * The links of one type after a position: all of later main entities, and of the same one the later
 * types and ids. For a single main entity the id is a value, of the link and of its record, so that
 * PostgreSQL begins to read both there.
 */
function comesAfter(
  { mainId, rank: last, toId }: LinkPosition,
  rank: string,
  columns: Sql[],
  ids: number[],
): Sql {
  const isLaterMain = ids.length === 1 && ids[0]! > mainId
  if (rank > last || isLaterMain) return empty
  if (rank < last) return sql`and main.id > ${mainId}`
  if (ids.length === 1)
    return join(
      columns.map((id) => sql`and ${id} > ${toId}`),
      ' ',
    )
  return sql`and ${columns[0]} > case when main.id = ${mainId} then ${toId}::bigint else 0 end`
}
