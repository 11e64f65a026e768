import sql from 'sql-template-tag'
import type { Change } from '../changes/record.ts'
import type { Reader } from '../database/connect.ts'
import type { Actor } from '../http/access.ts'
import type { Line } from '../http/paging.ts'

/** The tags of a row named `record` as JSON text, `{id, name, color}` in the order they were attached. For single records: see `embedTags`. */
export const tagsOf = sql`
  case when record.tag_ids = '{}' then '[]'
       else (select coalesce((json_agg(row_to_json(shown) order by attached.place))::text, '[]')
               from unnest(record.tag_ids) with ordinality as attached(id, place)
               join tags tag on tag.account_id = record.account_id and tag.id = attached.id,
                    lateral (select tag.id, tag.name, tag.color) shown)
  end`

/** A line of a page whose record lacks what it embeds; the ids of its tags have commas between them. */
export interface BareLine extends Line {
  tag_ids: string
}

/**
 * Completes the records of a page: `embed` puts the tags, as JSON text, into a record. Tags are looked up once for a page, because as a
 * subselect per record they took more of the database's time than all the rest (docs/decisions/0011-embedded-tags.md).
 */
export async function embedTags(
  reader: Reader,
  actor: Actor,
  lines: BareLine[],
  embed: (json: string, tags: string) => string,
): Promise<Line[]> {
  const attached = lines.map(({ tag_ids }) => (tag_ids === '' ? [] : tag_ids.split(',')))
  const ids = [...new Set(attached.flat())]
  const found = ids.length === 0 ? [] : await reader.rows<{ id: number; json: string }>(shownTags(actor, ids))
  const texts = new Map(found.map(({ id, json }) => [String(id), json]))
  return lines.map(({ key, id, json }, place) => {
    const tags = attached[place]!.flatMap((tag) => texts.get(tag) ?? [])
    return { key, id, json: embed(json, `[${tags.join(',')}]`) }
  })
}

const shownTags = (actor: Actor, ids: string[]) => sql`
  select tag.id, row_to_json(tag)::text as json
    from (select id, name, color from tags
           where account_id = ${actor.accountId} and id = any(${`{${ids.join(',')}}`}::bigint[])) tag`

/** The events of a record whose tags were replaced (specification, entity_tag_added and entity_tag_deleted). */
export function tagNews(before: number[], after: number[], name: (id: number) => string): Change['events'] {
  const items = (ids: number[]) => ids.map((id) => ({ tag: { name: name(id) } }))
  const added = items(after.filter((id) => !before.includes(id)))
  const deleted = items(before.filter((id) => !after.includes(id)))
  return [
    ...(added.length ? [{ type: 'entity_tag_added', value_before: [], value_after: added }] : []),
    ...(deleted.length ? [{ type: 'entity_tag_deleted', value_before: deleted, value_after: [] }] : []),
  ]
}
