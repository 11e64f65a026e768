// The links of a record in answers. A column of its line names the linked records; their JSON, which
// says no more than ids, is made by this process.
import sql, { empty, raw } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Actor } from '../../access/actor.ts'
import { mayViewCatalog } from '../../access/catalog-rights.ts'
import { may } from '../../access/record-rights.ts'
import type { RecordType } from '../description.ts'
import { hasMain } from '../link-rules.ts'
import type { LinkEnd } from '../link-rules.ts'

/**
 * The most links to one entity type that a record embeds: the first by id, before rights are
 * checked. A company may have 100,000 leads. The list of links has all of them, page by page.
 */
const mostEmbedded = 500

/** A column of a row named `record` with its links to one type, which `linksText` reads. */
export function linkColumn(actor: Actor, base: string, from: RecordType, to: LinkEnd): Sql {
  return to === 'catalog_elements' ? elementsOf(actor, base, from) : linkedIds(actor, from, to)
}

/** The JSON of the links that `linkColumn` answered, separated by commas. */
export function linksText(
  base: string,
  from: RecordType,
  to: LinkEnd,
  column: string | null,
): string {
  if (to === 'catalog_elements') return column ?? ''
  if (column === null || column === '{}') return ''
  const isMarked = hasMain(from, to)
  let all = ''
  for (const link of column.slice(1, -1).split(',')) {
    const isMain = isMarked && link.endsWith(mainMark)
    const id = isMain ? link.slice(0, -mainMark.length) : link
    const main = isMarked ? `,"is_main":${isMain}` : ''
    all += `${all === '' ? '' : ','}{"id":${id}${main},"_links":{"self":{"href":"${base}/api/v4/${to}/${id}"}}}`
  }
  return all
}

/** Follows the id of the main contact. */
const mainMark = '!'

/**
 * The ids of the linked records as an array, null where the record has never had links
 * (docs/decisions/0085-records-without-links.md). Records in the bin and records that the actor
 * may not view are left out. Each is looked up by its key: PostgreSQL does not know how few there
 * are.
 */
function linkedIds(actor: Actor, from: RecordType, to: RecordType): Sql {
  const { accountId } = actor
  const mark = hasMain(from, to)
    ? sql` || case when link.is_main then ${mainMark} else '' end`
    : empty
  // No index has the ids of all leads outside the bin. Where accounts are small on average, a plan for all
  // values would walk another one, which has them in an order of its own.
  const byKey =
    to === 'leads'
      ? sql`(select * from leads record where record.account_id = ${accountId} and record.id = link.to_id offset 0)`
      : raw(to)
  return sql`
    case when record.may_have_links then array(select link.to_id${mark}
            from (select link.to_id, link.is_main from links link
                   where link.account_id = ${accountId} and link.from_type = ${from} and link.from_id = record.id and link.to_type = ${to}
                   order by link.to_id limit ${raw(String(mostEmbedded))}) link,
                 lateral (select from ${byKey} record
                           where record.account_id = ${accountId} and record.id = link.to_id and not record.is_deleted
                             and ${may(actor, to, 'view')} offset 0) shown
           order by link.to_id) end`
}

/**
 * Selects the elements of catalogs that records have, 500 at most of each. The actor may view the
 * records, so of a catalog with the level L these elements are linked ones.
 */
function elementsOf(actor: Actor, base: string, from: RecordType): Sql {
  return sql`
    (select string_agg('{"id":' || link.element_id || ',"metadata":' || ${elementMetadata} || ',"_links":{"self":{"href":"'
                       || ${`${base}/api/v4/catalogs/`}::text || link.catalog_id || '/elements/' || link.element_id || '"}}}',
                       ',' order by link.element_id)
       from element_links link
      where link.account_id = ${actor.accountId} and link.entity_type = ${from} and link.entity_id = record.id
        and ${mayViewCatalog(actor, sql`link.catalog_id`)})`
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
