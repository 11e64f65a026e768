import sql from 'sql-template-tag'
import type { Change } from '../changes/record.ts'

/** The tags of a row named `record` as JSON text, `{id, name, color}` in the order they were attached. */
export const tagsOf = sql`
  case when record.tag_ids = '{}' then '[]'
       else (select (json_agg(row_to_json(shown) order by attached.place))::text
               from unnest(record.tag_ids) with ordinality as attached(id, place)
               join tags tag on tag.account_id = record.account_id and tag.id = attached.id,
                    lateral (select tag.id, tag.name, tag.color) shown)
  end`

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
