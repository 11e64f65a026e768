// What records show besides their own columns: the values of custom fields, their tags, and the records they are linked to. A page is
// shown bare first, with what its kind alone embeds, and completed here, with one look-up of tags and one of links for the whole page: as
// subselects per record they took more of the database's time than all the rest (docs/decisions/0011-embedded-tags.md).
import sql, { join, raw } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Reader } from '../../database/connect.ts'
import type { Actor } from '../../access/actor.ts'
import type { PageRow } from '../../http/paging.ts'
import { fieldsOf } from '../fields/definitions.ts'
import { valuesText } from '../fields/show.ts'
import type { KeptValues } from '../fields/values.ts'
import type { RecordDescription, RecordType } from '../description.ts'
import { hasFew } from '../link-rules.ts'
import { may } from '../../access/record-rights.ts'

/** A line of a page whose record lacks what it embeds; the ids of its tags have commas between them. */
export interface BareRecord extends PageRow {
  tag_ids: string
  /** The kept values of custom fields, and the version of the definitions they are shown by. */
  values: KeptValues
  fields_version: number
  /** What its kind embeds besides, as the members of a JSON object: `,"source":{…}`. */
  extras?: string
}

/** What records can be asked to embed of which there is none in any account: customers and elements of catalogs follow. */
export function nothingYet(...names: string[]): NonNullable<RecordDescription['extras']> {
  return Object.fromEntries(names.map((name) => [name, () => sql`'[]'`]))
}

/** Completes the records of a page; `wanted` holds the values of `with`. */
export async function embed(
  reader: Reader,
  actor: Actor,
  base: string,
  kind: RecordDescription,
  wanted: ReadonlySet<string>,
  lines: BareRecord[],
): Promise<PageRow[]> {
  const types = [...kind.embeds.always, ...kind.embeds.wanted.filter((type) => wanted.has(type))]
  const tags = await tagTexts(reader, actor, lines)
  const links = await linkTexts(reader, actor, base, kind, types, lines)
  const fields = lines.some(({ values }) => values)
    ? await fieldsOf(reader, actor.accountId, kind.type, lines[0]!.fields_version)
    : undefined
  return lines.map(({ key, id, json, tag_ids, values, extras = '' }) => {
    const attached = tag_ids === '' ? [] : tag_ids.split(',').flatMap((tag) => tags.get(tag) ?? [])
    const linked = types.map((type) => `,"${type}":[${links.get(`${id} ${type}`) ?? ''}]`).join('')
    const filled = fields ? valuesText(fields, values) : 'null'
    const embedded = `{"tags":[${attached.join(',')}]${linked}${extras}}`
    return {
      key,
      id,
      json: `${json.slice(0, -1)},"custom_fields_values":${filled},"_embedded":${embedded}}`,
    }
  })
}

/** The tags of a page as JSON texts, by id. */
async function tagTexts(
  reader: Reader,
  actor: Actor,
  lines: BareRecord[],
): Promise<Map<string, string>> {
  const ids = [
    ...new Set(lines.flatMap(({ tag_ids }) => (tag_ids === '' ? [] : tag_ids.split(',')))),
  ]
  if (ids.length === 0) return new Map()
  const found = await reader.rows<{ id: number; json: string }>(sql`
    select tag.id, row_to_json(tag)::text as json
      from (select id, name, color from tags
             where account_id = ${actor.accountId} and id = any(${`{${ids.join(',')}}`}::bigint[])) tag`)
  return new Map(found.map(({ id, json }) => [String(id), json]))
}

/** The records that those of a page are linked to, as JSON texts with commas between them, by id and kind. */
async function linkTexts(
  reader: Reader,
  actor: Actor,
  base: string,
  kind: RecordDescription,
  types: RecordType[],
  lines: BareRecord[],
): Promise<Map<string, string>> {
  if (types.length === 0 || lines.length === 0) return new Map()
  const found = await reader.rows<{ place: string; json: string }>(
    sql`${join(
      types.map((type) => linksTo(actor, base, kind.type, lines, type)),
      ' union all ',
    )}`,
  )
  return new Map(found.map(({ place, json }) => [place, json]))
}

/**
 * Links of a kind that one record embeds at most, the first by their ids, seen or not: a company may have 100,000 leads, which took half a
 * second and now takes 2 ms, and a page may hold 250 such companies (0.6 s). All links are in the list of links, page by page.
 */
const mostEmbedded = 500

/** `{id, _links}`, contacts of leads with `is_main`. What lies in the bin or out of the actor's sight is left out. */
function linksTo(
  actor: Actor,
  base: string,
  from: RecordType,
  lines: BareRecord[],
  to: RecordType,
): Sql {
  const main = to === 'contacts' && from === 'leads' ? sql`|| ',"is_main":' || link.is_main` : sql``
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
 * The first links of each record, named `link`; no others are read. Where there can be only a few they are found with one list of ids, which
 * takes half the time of a look-up for each record.
 */
function firstLinks(actor: Actor, from: RecordType, lines: BareRecord[], to: RecordType): Sql {
  const ids = `{${lines.map(({ id }) => id).join(',')}}`
  const links = (these: Sql) => sql`
    select link.from_id, link.to_id, link.is_main from links link
     where link.account_id = ${actor.accountId} and link.from_type = ${from} and link.from_id ${these} and link.to_type = ${to}`
  const first = (id: Sql) =>
    sql`(${links(sql`= ${id}`)} order by link.to_id limit ${mostEmbedded}) link`
  // One id is compared with `=`: PostgreSQL takes an unknown list for ten and plans it anew each time, five times the look-up itself.
  if (lines.length === 1) return first(sql`${lines[0]!.id}`)
  if (hasFew(from, to)) return sql`(${links(sql`= any(${ids}::bigint[])`)}) link`
  return sql`unnest(${ids}::bigint[]) line(id), lateral ${first(sql`line.id`)}`
}
