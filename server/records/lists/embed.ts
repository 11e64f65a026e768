// Completes the records of a page with the values of custom fields, the tags and the linked
// records. A page is first read as bare lines and completed here with one look-up for the whole page.
// Subselects for each record took more of the database's time than everything else
// (docs/decisions/0011-embedded-tags.md).
import sql, { join, raw } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Reader } from '../../database/connect.ts'
import type { Actor } from '../../access/actor.ts'
import type { PageRow } from '../../http/paging.ts'
import { fieldsOf } from '../fields/definitions.ts'
import { valuesText } from '../fields/show.ts'
import type { KeptValues } from '../fields/values.ts'
import type { RecordDescription, RecordType } from '../description.ts'
import { hasFew, hasMain } from '../link-rules.ts'
import type { LinkEnd } from '../link-rules.ts'
import { mayViewCatalog } from '../../access/catalog-rights.ts'
import { may } from '../../access/record-rights.ts'

/**
 * A record without its embedded parts. `tag_ids` holds the ids of its tags, separated by commas.
 */
export interface BareRecord extends PageRow {
  tag_ids: string
  /**
   * The stored values of custom fields, and the version of the field definitions that render them.
   */
  values: KeptValues
  fields_version: number
  /** The ids of the member that a column lists, in the form of `tag_ids`. */
  listed?: string
  /** Further embedded members of this entity type, as JSON text: `,"source":{…}`. */
  extras?: string
}

/** Values of `with` that are accepted but always embed an empty list. */
export function nothingYet(...names: string[]): NonNullable<RecordDescription['extras']> {
  return Object.fromEntries(names.map((name) => [name, () => sql`'[]'`]))
}

/** Completes the records of a page; `wanted` holds the values of `with`. */
export async function embed(
  reader: Reader,
  actor: Actor,
  base: string,
  description: RecordDescription,
  wanted: ReadonlySet<string>,
  lines: BareRecord[],
): Promise<PageRow[]> {
  const types = [
    ...description.embeds.always,
    ...description.embeds.wanted.filter((type) => wanted.has(type)),
  ]
  const texts = await lookUp(reader, [
    ...tagTexts(actor, lines),
    ...listedTexts(actor, base, description, lines),
    ...linkTexts(actor, base, description, types, lines),
  ])
  const fields = lines.some(({ values }) => values)
    ? await fieldsOf(reader, actor.accountId, description.type, lines[0]!.fields_version)
    : undefined
  const member = description.listed?.member
  return lines.map(({ key, id, json, tag_ids, values, listed: ids = '', extras = '' }) => {
    const attached = textsOf(texts, 'tag', tag_ids)
    const further = member === undefined ? '' : `,"${member}":[${textsOf(texts, 'listed', ids)}]`
    const linked = types.map((type) => `,"${type}":[${texts.get(`${id} ${type}`) ?? ''}]`).join('')
    const filled = fields ? valuesText(fields, values) : 'null'
    const embedded = `{"tags":[${attached}]${further}${linked}${extras}}`
    return {
      key,
      id,
      json: `${json.slice(0, -1)},"custom_fields_values":${filled},"_embedded":${embedded}}`,
    }
  })
}

/** Reads the JSON texts of all parts by their places, in one statement. */
async function lookUp(reader: Reader, parts: Sql[]): Promise<ReadonlyMap<string, string>> {
  if (parts.length === 0) return new Map()
  const rows = await reader.page<{ place: string; json: string }>(join(parts, ' union all '))
  return new Map(rows.map(({ place, json }) => [place, json]))
}

/** The texts of ids that are separated by commas; ids without a text are those of deleted things. */
function textsOf(texts: ReadonlyMap<string, string>, kind: string, ids: string): string {
  if (ids === '') return ''
  return ids
    .split(',')
    .flatMap((id) => texts.get(`${kind} ${id}`) ?? [])
    .join(',')
}

/** Selects the tags of a page as JSON texts; the place of a tag is `tag 12`. */
function tagTexts(actor: Actor, lines: BareRecord[]): Sql[] {
  const ids = distinctIds(lines.map(({ tag_ids }) => tag_ids))
  if (ids === '{}') return []
  return [
    sql`
    select 'tag ' || tag.id as place, row_to_json(tag)::text as json
      from (select id, name, color from tags where account_id = ${actor.accountId} and id = any(${ids}::bigint[])) tag`,
  ]
}

/** Selects the things that a column of a page's records lists, as JSON texts by `listed 12`. */
function listedTexts(
  actor: Actor,
  base: string,
  { listed }: RecordDescription,
  lines: BareRecord[],
): Sql[] {
  const ids = distinctIds(lines.map((line) => line.listed ?? ''))
  if (!listed || ids === '{}') return []
  return [
    sql`select 'listed ' || thing.id as place, thing.json from (${listed.existing(actor, base, ids)}) thing`,
  ]
}

/** Each id of several lists once, as an array of PostgreSQL. */
function distinctIds(lists: string[]): string {
  const ids = new Set(lists.flatMap((list) => (list === '' ? [] : list.split(','))))
  return `{${[...ids].join(',')}}`
}

const idList = (lines: BareRecord[]) => `{${lines.map(({ id }) => id).join(',')}}`

/**
 * Selects the records and elements linked to those of a page, as JSON texts separated by commas, by id
 * and entity type: `12 contacts`.
 */
function linkTexts(
  actor: Actor,
  base: string,
  description: RecordDescription,
  types: LinkEnd[],
  lines: BareRecord[],
): Sql[] {
  if (lines.length === 0) return []
  return types.map((type) =>
    type === 'catalog_elements'
      ? elementsOf(actor, base, description.type, lines)
      : linksTo(actor, base, description.type, lines, type),
  )
}

/**
 * The most links to one entity type that a record embeds: the first by id, before rights are
 * checked. A company may have 100,000 leads, which took half a second and now takes 2 ms; a page of
 * 250 such companies takes 0.6 s. The list of links has all of them, page by page.
 */
const mostEmbedded = 500

/**
 * Selects `{id, _links}` of the linked records, for contacts of leads and customers with `is_main`. Records in
 * the bin and records that the actor may not view are left out.
 */
function linksTo(
  actor: Actor,
  base: string,
  from: RecordType,
  lines: BareRecord[],
  to: RecordType,
): Sql {
  const main = hasMain(from, to) ? sql`|| ',"is_main":' || link.is_main` : sql``
  return sql`
    select link.from_id || ${` ${to}`}::text as place,
           string_agg('{"id":' || link.to_id ${main} || ',"_links":{"self":{"href":"'
                      || ${`${base}/api/v4/${to}/`}::text || link.to_id || '"}}}', ',' order by link.to_id) as json
      from ${firstLinks(actor, from, lines, to)}
      join ${raw(to)} record on record.account_id = ${actor.accountId} and record.id = link.to_id and not record.is_deleted
                            and ${may(actor, to, 'view')}
     group by link.from_id`
}

/**
 * The first links of each record as a table named `link`; no further links are read. Where a record
 * has only a few, one list of ids finds them in half the time of a look-up for each record.
 */
function firstLinks(actor: Actor, from: RecordType, lines: BareRecord[], to: RecordType): Sql {
  const ids = idList(lines)
  const links = (these: Sql) => sql`
    select link.from_id, link.to_id, link.is_main from links link
     where link.account_id = ${actor.accountId} and link.from_type = ${from} and link.from_id ${these} and link.to_type = ${to}`
  const first = (id: Sql) =>
    sql`(${links(sql`= ${id}`)} order by link.to_id limit ${mostEmbedded}) link`
  // One id is compared with `=`: PostgreSQL assumes ten entries for an unknown list and plans the
  // statement anew each time, which takes five times as long as the look-up.
  if (lines.length === 1) return first(sql`${lines[0]!.id}`)
  if (hasFew(from, to)) return sql`(${links(sql`= any(${ids}::bigint[])`)}) link`
  return sql`unnest(${ids}::bigint[]) line(id), lateral ${first(sql`line.id`)}`
}

/**
 * Selects the elements of catalogs that records have, 500 at most of each. The actor may view the
 * records, so of a catalog with the level L these elements are linked ones.
 */
function elementsOf(actor: Actor, base: string, from: RecordType, lines: BareRecord[]): Sql {
  // One id is compared with `=`, as in `firstLinks`.
  const these = lines.length === 1 ? sql`= ${lines[0]!.id}` : sql`= any(${idList(lines)}::bigint[])`
  return sql`
    select link.entity_id || ' catalog_elements' as place,
           string_agg('{"id":' || link.element_id || ',"metadata":' || ${elementMetadata} || ',"_links":{"self":{"href":"'
                      || ${`${base}/api/v4/catalogs/`}::text || link.catalog_id || '/elements/' || link.element_id || '"}}}',
                      ',' order by link.element_id) as json
      from element_links link
     where link.account_id = ${actor.accountId} and link.entity_type = ${from} and link.entity_id ${these}
       and ${mayViewCatalog(actor, sql`link.catalog_id`)}
     group by link.entity_id`
}

/**
 * The metadata of a row of `element_links` named `link`, as JSON text. A price whose field was
 * deleted is none.
 */
export const elementMetadata = sql`
  '{"quantity":' || link.quantity || ',"catalog_id":' || link.catalog_id || ',"price_id":'
  || coalesce(case when link.price_id is not null
                   then (select field.id::text from custom_fields field
                          where field.account_id = link.account_id and field.entity_type = 'catalogs:' || link.catalog_id
                            and field.id = link.price_id) end, 'null') || '}'`
