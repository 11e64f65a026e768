import sql, { empty } from 'sql-template-tag'
import { selfLink } from '../../entities/links.ts'
import { containing } from '../../entities/lists.ts'
import type { EntityType } from '../../entities/kinds.ts'
import type { Actor } from '../../http/access.ts'
import type { Seek } from '../../http/paging.ts'
import type { TagQuery } from './routes.ts'

/** A page of tags. A tag has no address of its own; its link leads to the list that holds just it. */
export const tagList = (
  actor: Actor,
  base: string,
  type: EntityType,
  { query, filter }: TagQuery,
  { after, offset, limit }: Seek,
) => sql`
  select row_to_json(tag)::text as json, tag.id as key, tag.id
    from (select id, name, color,
                 ${selfLink(sql`${`${base}/api/v4/${type}/tags?filter%5Bid%5D=`}::text || id`)} as _links
            from tags
           where account_id = ${actor.accountId} and entity_type = ${type}
             ${query ? sql`and lower(name collate kontor) like lower(${containing(query)}::text collate kontor)` : empty}
             ${filter?.id ? sql`and id = any(${filter.id}::bigint[])` : empty}
             ${filter?.name === undefined ? empty : sql`and lower(name collate kontor) = lower(${filter.name.trim()}::text collate kontor)`}
             ${after ? sql`and id > ${after.id}` : empty}
           order by id limit ${limit} offset ${offset}) tag`

/**
 * Adds the names that are new; answers nothing. Ids follow the order of the names, but rows are written in alphabetical order: the unique
 * index decides between two callers with one new name, and in one order they cannot wait for each other.
 */
export const insertTags = (actor: Actor, type: EntityType, names: string[], colors: (string | null)[]) => sql`
  insert into tags (account_id, id, entity_type, name, color)
  select ${actor.accountId}::bigint, id, ${type}, name, color
    from (select nextval('tags_id') as id, name, color from unnest(${names}::text[], ${colors}::text[]) as given(name, color)) draft
   order by lower(name collate kontor), id
  on conflict (account_id, entity_type, lower(name collate kontor)) do nothing`

/** The tag of each name that has one, in the order of the names; `wanted` is the name as it was asked for. */
export const tagsByName = (actor: Actor, type: EntityType, names: string[]) => sql`
  select tag.id, tag.name, tag.color, wanted.name as wanted
    from unnest(${names}::text[]) with ordinality as wanted(name, place)
    join tags tag on tag.account_id = ${actor.accountId} and tag.entity_type = ${type}
                 and lower(tag.name collate kontor) = lower(wanted.name collate kontor)
   order by place`

export const tagsById = (actor: Actor, type: EntityType, ids: number[]) => sql`
  select id, name, color from tags
   where account_id = ${actor.accountId} and entity_type = ${type} and id = any(${ids}::bigint[])`
