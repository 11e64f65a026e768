import sql, { empty } from 'sql-template-tag'
import { selfLink } from '../../http/self-link.ts'
import { containing } from '../../records/lists/schema.ts'
import type { EntityType } from '../../entity-types.ts'
import type { Actor } from '../../access/actor.ts'
import type { PagePosition } from '../../http/paging.ts'
import type { TagQuery } from './routes.ts'

/** A page of tags. A tag has no address of its own: its link is the list filtered by its id. */
export const tagList = (
  actor: Actor,
  base: string,
  type: EntityType,
  { query, filter }: TagQuery,
  { after, offset, limit }: PagePosition,
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
