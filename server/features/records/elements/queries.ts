import sql, { empty, raw } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import { mayUseElements } from '../../../access/catalog-rights.ts'
import type { Actor } from '../../../access/actor.ts'
import type { Action } from '../../../access/rights.ts'
import { fieldsOfCatalog } from '../../../entity-types.ts'
import type { PagePosition } from '../../../http/paging.ts'
import { selfLink } from '../../../http/self-link.ts'
import { fieldsVersion } from '../../../records/fields/definitions.ts'
import type { KeptValues } from '../../../records/fields/values.ts'
import { comesAfter, orderedBy, orderingOf } from '../../../records/lists/schema.ts'
import { answers, byTrigrams } from '../../../records/search/terms.ts'
import type { SearchTerms } from '../../../records/search/terms.ts'
import { elementWith } from './schema.ts'
import type { ElementQuery } from './schema.ts'

/** The columns that verbs compare and write, with their types. */
const columns = {
  name: 'text',
  created_by: 'bigint',
  updated_by: 'bigint',
  created_at: 'bigint',
  updated_at: 'bigint',
  currency_id: 'bigint',
  custom_fields_values: 'jsonb',
}
const names = Object.keys(columns)
const typed = Object.entries(columns).map(([name, type]) => `${name} ${type}`)

export interface ElementRow {
  id: number
  catalog_id: number
  name: string
  created_by: number
  updated_by: number
  created_at: number
  updated_at: number
  currency_id: number | null
  custom_fields_values: KeptValues
}

/** An element without its values, which show.ts adds. */
export interface ElementLine {
  id: number
  json: string
  values: KeptValues
  fields_version: number
}

/** The search text of an element. */
export interface ElementText {
  text: string
  grams: string
}

const shape = (base: string, wanted: ReadonlySet<string>) => sql`
  element.id, element.name, element.created_by, element.updated_by, element.created_at, element.updated_at,
  false as is_deleted, element.catalog_id, element.account_id, element.currency_id,
  ${wanted.has('invoice_link') ? sql`null as invoice_link,` : empty}
  ${selfLink(sql`${`${base}/api/v4/catalogs/`}::text || element.catalog_id || '/elements/' || element.id`)} as _links`

const line = (actor: Actor) => sql`
  element.id, element.custom_fields_values as values, ${fieldsVersion(actor.accountId)} as fields_version`

/** How a list searches: by the ids of the few texts that match, or by the text of each element. */
export type Search = { ids: number[] } | { terms: SearchTerms; gone: readonly number[] }

/** A page of the elements of a catalog that the actor may view. */
export function elementList(
  actor: Actor,
  base: string,
  catalogId: number,
  { filter, id, order, with: names }: ElementQuery,
  search: Search | undefined,
  { after, offset, limit }: PagePosition,
): Sql {
  const ordering = orderingOf(order)
  const lists = [filter?.id, id, search && 'ids' in search ? search.ids : undefined]
  const among = lists.filter((ids) => ids !== undefined)
  const ids = (among[0] ?? []).filter((each) => among.every((others) => others.includes(each)))
  return sql`
    select row_to_json(shown)::text as json, ${line(actor)}
      from (select element.* from catalog_elements element
             where element.account_id = ${actor.accountId} and element.catalog_id = ${catalogId}
               and ${mayUseElements(actor, catalogId, 'view')}
               ${among.length > 0 ? sql`and element.id = any(${ids}::bigint[])` : empty}
               ${search && 'terms' in search ? sql`and ${contains(actor, catalogId, search)}` : empty}
               ${comesAfter(ordering, after, 'element')}
             ${orderedBy(ordering, 'element')} limit ${limit} offset ${offset}) element,
           lateral (select ${shape(base, elementWith.wanted(names))}) shown
     ${orderedBy(ordering, 'element')}`
}

const contains = (
  { accountId }: Actor,
  catalogId: number,
  { terms, gone }: { terms: SearchTerms; gone: readonly number[] },
) => sql`
  exists (select from (select text, grams from record_texts_of_catalogs found
                        where found.account_id = ${accountId} and found.entity_type = ${fieldsOfCatalog(catalogId)}
                          and found.entity_id = element.id offset 0) found
           where ${answers(terms, gone)})`

/**
 * The elements whose texts match a search, by the index of trigrams; `most` at most. Beside the catalog,
 * PostgreSQL would read all texts of it where it lacks statistics.
 */
export const matchingElements = (
  { accountId }: Actor,
  catalogId: number,
  terms: SearchTerms,
  gone: readonly number[],
  most: number,
) => sql`
  select found.entity_id as id
    from (select entity_type, entity_id from record_texts_of_catalogs found
           where found.account_id = ${accountId} and ${answers(terms, gone, byTrigrams)} offset 0) found
   where found.entity_type = ${fieldsOfCatalog(catalogId)} limit ${most}`

/** One element; its text is null where the actor may not view it. */
export const oneElement = (
  actor: Actor,
  base: string,
  catalogId: number,
  id: number,
  wanted: ReadonlySet<string>,
) => sql`
  select case when ${mayUseElements(actor, catalogId, 'view')} then row_to_json(shown)::text end as json, ${line(actor)}
    from catalog_elements element, lateral (select ${shape(base, wanted)}) shown
   where element.account_id = ${actor.accountId} and element.catalog_id = ${catalogId} and element.id = ${id}`

/** Elements that a verb has written, for its answer. */
export const writtenElements = (
  actor: Actor,
  base: string,
  catalogId: number,
  ids: number[],
) => sql`
  select row_to_json(shown)::text as json, ${line(actor)}
    from catalog_elements element, lateral (select ${shape(base, new Set())}) shown
   where element.account_id = ${actor.accountId} and element.catalog_id = ${catalogId} and element.id = any(${ids}::bigint[])`

/** Adds elements with their search texts; answers their ids in the order of the rows. */
export const insertElements = (
  actor: Actor,
  catalogId: number,
  rows: (Omit<ElementRow, 'id' | 'catalog_id'> & ElementText)[],
) => sql`
  with draft as materialized (
    select nextval('catalog_elements_id') as id, draft.*
      from json_to_recordset(${JSON.stringify(rows)}::json) as draft(${raw(typed.join(', '))}, text text, grams text)
  ), searched as (
    insert into record_texts (account_id, entity_type, entity_id, text, grams)
    select ${actor.accountId}::bigint, ${fieldsOfCatalog(catalogId)}, id, text, grams from draft
  ), added as (
    insert into catalog_elements (account_id, id, catalog_id, ${raw(names.join(', '))})
    select ${actor.accountId}::bigint, id, ${catalogId}::bigint, ${raw(names.join(', '))} from draft
    returning id
  )
  select id from added order by id`

/** Locks elements in the order of their ids; `allowed` says whether the actor may do the action. */
export const lockElements = (actor: Actor, catalogId: number, ids: number[], action: Action) => sql`
  select element.id, element.catalog_id, ${raw(names.map((name) => `element.${name}`).join(', '))},
         ${mayUseElements(actor, catalogId, action)} as allowed
    from catalog_elements element
   where element.account_id = ${actor.accountId} and element.catalog_id = ${catalogId} and element.id = any(${ids}::bigint[])
   order by element.id
     for no key update of element`

const lockedWhere = ({ accountId }: Actor, which: Sql, most: Sql = empty) => sql`
  select element.id, element.catalog_id, ${raw(names.map((name) => `element.${name}`).join(', '))}
    from catalog_elements element
   where element.account_id = ${accountId} and ${which}
   order by element.id ${most}
     for no key update of element`

/** Locks elements of any catalog in the order of their ids. */
export const lockElementsById = (actor: Actor, ids: number[]): Sql =>
  lockedWhere(actor, sql`element.id = any(${ids}::bigint[])`)

/** Locks elements that name a record by its id, one of any type. The condition is written as the index has it. */
export const lockNaming = (actor: Actor, id: number, most: number): Sql =>
  lockedWhere(
    actor,
    sql`element.custom_fields_values @? '$.*[*].entity_id'
     and jsonb_path_query_array(element.custom_fields_values, '$.*[*].entity_id') @> to_jsonb(${id}::bigint)`,
    sql`limit ${most}`,
  )

/** Writes elements that are locked, and the search texts that changed. */
export const updateElements = (
  actor: Actor,
  catalogId: number,
  rows: ElementRow[],
  texts: (ElementText & { id: number })[],
) => sql`
  with searched as (
    insert into record_texts (account_id, entity_type, entity_id, text, grams)
    select ${actor.accountId}::bigint, ${fieldsOfCatalog(catalogId)}, id, text, grams
      from json_to_recordset(${JSON.stringify(texts)}::json) as searched(id bigint, text text, grams text)
    on conflict (account_id, entity_type, entity_id) do update set text = excluded.text, grams = excluded.grams
  )
  update catalog_elements element
     set (${raw(names.join(', '))}) = (${raw(names.map((name) => `draft.${name}`).join(', '))})
    from json_to_recordset(${JSON.stringify(rows)}::json) as draft(id bigint, ${raw(typed.join(', '))})
   where element.account_id = ${actor.accountId} and element.catalog_id = ${catalogId} and element.id = draft.id`

/** A file that a field of an element names. */
export interface ElementFile {
  element_id: number
  field_id: number
  uid: string
}

/**
 * Writes which files elements name from now on, and which no more, where the upkeep of files looks
 * (server/records/fields/files.ts: isNamed). Lists of elements have no filter by them.
 */
export const nameFiles = (
  { accountId }: Actor,
  catalogId: number,
  named: ElementFile[],
  left: ElementFile[],
): Sql => sql`
  with unnamed as (
    delete from field_texts gone
     using json_to_recordset(${JSON.stringify(left)}::json) as file(element_id bigint, field_id bigint, uid text)
     where gone.account_id = ${accountId} and gone.field_id = file.field_id and gone.value = file.uid
       and gone.entity_type = ${fieldsOfCatalog(catalogId)} and gone.entity_id = file.element_id
  )
  insert into field_texts (account_id, field_id, entity_type, value, entity_id)
  select ${accountId}::bigint, field_id, ${fieldsOfCatalog(catalogId)}, uid, element_id
    from json_to_recordset(${JSON.stringify(named)}::json) as file(element_id bigint, field_id bigint, uid text)
  on conflict do nothing`

/** The file that a field of an element names; no row where the actor may not view it. */
export const fileOfElement = (
  actor: Actor,
  catalogId: number,
  id: number,
  fieldId: number,
): Sql => sql`
  select value ->> 'file_uuid' as file_uuid, value ->> 'version_uuid' as version_uuid
    from catalog_elements element, jsonb_array_elements(element.custom_fields_values -> ${String(fieldId)}::text) value
   where element.account_id = ${actor.accountId} and element.catalog_id = ${catalogId} and element.id = ${id}
     and ${mayUseElements(actor, catalogId, 'view')}
     and exists (select from custom_fields field
                  where field.account_id = ${actor.accountId} and field.entity_type = ${fieldsOfCatalog(catalogId)}
                    and field.id = ${fieldId} and field.type = 'file')`
