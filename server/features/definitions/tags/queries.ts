import sql, { empty, raw } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import { rowsByKey, unguessed } from '../../../database/by-key.ts'
import { selfLink } from '../../../http/self-link.ts'
import { containing } from '../../../records/lists/schema.ts'
import { tableOf } from '../../../entity-types.ts'
import type { EntityType } from '../../../entity-types.ts'
import type { Tag } from '../../../records/tags.ts'
import type { Actor } from '../../../access/actor.ts'
import type { PagePosition } from '../../../http/paging.ts'
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
            from ${taken(actor, type, filter)} tag
           where account_id = ${actor.accountId} and entity_type = ${type}
             ${query ? sql`and lower(name collate kontor) like lower(${containing(query)}::text collate kontor)` : empty}
             ${filter?.id && filter.name !== undefined ? sql`and id = any(${filter.id}::bigint[])` : empty}
             ${after ? sql`and id > ${after.id}` : empty}
           order by id limit ${limit} offset ${offset}) tag`

/** The tags that a filter leaves: each id, and the name, is looked up by itself. */
const taken = (
  actor: Actor,
  type: EntityType,
  { id, name }: NonNullable<TagQuery['filter']> = {},
): Sql =>
  name !== undefined
    ? sql`(select * from tags
            where account_id = ${actor.accountId} and entity_type = ${type}
              and lower(name collate kontor) = lower(${name.trim()}::text collate kontor) offset 0)`
    : id
      ? rowsByKey('tags', actor.accountId, [...new Set(id)])
      : sql`tags`

/** The latest records whose tags count as used, and the most tags of a type in the list of summaries. */
const [latestRecords, mostSummaries] = [500, 100]

/**
 * The tags that the latest records have most, and then the newest tags, by name. Counting the tags
 * of all records would read all of them.
 */
export const tagSummaries = ({ accountId }: Actor, type: EntityType): Sql => sql`
  select tag.id, tag.name, tag.color
    from (select named.id
            from (select unnest(record.tag_ids) as id, 1 as uses
                    from (select tag_ids from ${tableOf(type)}
                           where account_id = ${accountId} order by id desc limit ${raw(String(latestRecords))}) record
                  union all
                  (select id, 0 from tags
                    where account_id = ${accountId} and entity_type = ${type}
                    order by id desc limit ${raw(String(mostSummaries))})) named
           group by named.id order by sum(named.uses) desc, named.id desc limit ${raw(String(mostSummaries))}) used
    join tags tag on tag.account_id = ${accountId} and tag.id = used.id
   order by lower(tag.name collate kontor), tag.id`

/** Locks tags in the order of their ids. */
export const lockTags = (actor: Actor, type: EntityType, ids: number[]) => sql`
  select id, name, color from tags
   where account_id = ${actor.accountId} and id = any(${ids}::bigint[]) and ${unguessed(sql`entity_type = ${type}`)}
   order by id for no key update`

/**
 * The ids of those tags that cannot have their new name: a tag outside the list has it, or one
 * before them in the list.
 */
export const tagsOfTakenNames = (actor: Actor, type: EntityType, tags: Tag[]) => {
  const ids = tags.map(({ id }) => id)
  const names = tags.map(({ name }) => name)
  return sql`
  with draft as materialized (
    select id, place, lower(name collate kontor) as name
      from unnest(${ids}::bigint[], ${names}::text[]) with ordinality draft(id, name, place)
  )
  select id from draft
   where exists (select from (select id from tags
                               where account_id = ${actor.accountId} and entity_type = ${type}
                                 and lower(name collate kontor) = draft.name offset 0) tag
                  where tag.id <> all(${ids}::bigint[]))
      or exists (select from draft other where other.name = draft.name and other.place < draft.place)`
}

/**
 * Frees the names of locked tags, so that two tags may exchange theirs. No tag can be named like
 * this: it is longer than names are.
 */
export const releaseNames = (actor: Actor, tags: Tag[]) => sql`
  update tags set name = repeat('-', 256) || id
   where account_id = ${actor.accountId} and id = any(${tags.map(({ id }) => id)}::bigint[])`

/** Writes locked tags. */
export const updateTags = (actor: Actor, tags: Tag[]) => sql`
  update tags tag set name = draft.name, color = draft.color
    from json_to_recordset(${JSON.stringify(tags)}::json) as draft(id bigint, name text, color text)
   where tag.account_id = ${actor.accountId} and tag.id = draft.id`

/** Answers the tag if one was deleted. */
export const removeTag = (actor: Actor, type: EntityType, id: number) => sql`
  delete from tags
   where account_id = ${actor.accountId} and entity_type = ${type} and id = ${id} returning id, name, color`

/** Those of these tags that exist, of whichever type. */
export const tagsOfAccount = ({ accountId }: Actor, ids: number[]) => sql`
  select id, entity_type, name, color from tags where account_id = ${accountId} and id = any(${ids}::bigint[])`

/** Brings a tag back under its id. */
export const insertTakenTag = (actor: Actor, type: EntityType, { id, name, color }: Tag) => sql`
  insert into tags (account_id, id, entity_type, name, color)
  values (${actor.accountId}, ${id}, ${type}, ${name}, ${color})`

/** The name of a segment whose conditions name a tag. */
export const segmentsAskingFor = ({ accountId }: Actor, tag: number) => sql`
  select name from segments
   where account_id = ${accountId}
     and jsonb_path_exists(entry_conditions || exit_conditions, '$[*][*] ? (@.tag_id == $tag)', jsonb_build_object('tag', ${tag}::bigint))
   order by id limit 1`

/**
 * Tags of a type by their names, those after a name, as they are managed. The records of each, in the bin or
 * not, are counted up to one more than `most`: an index has them.
 */
export const managedTagList = (
  { accountId }: Actor,
  type: EntityType,
  { query, after, limit }: { query?: string; after?: string; limit: number },
  most: number,
) => sql`
  select tag.id, tag.name, tag.color,
         (select count(*) from (select from record_tags kept
                   where kept.account_id = ${accountId} and kept.entity_type = ${type} and kept.tag_id = tag.id
                   limit ${most + 1}::int) counted) as used
    from (select id, name, color from tags
           where account_id = ${accountId} and entity_type = ${type}
             ${query ? sql`and lower(name collate kontor) like lower(${containing(query)}::text collate kontor)` : empty}
             ${after === undefined ? empty : sql`and lower(name collate kontor) > lower(${after}::text collate kontor)`}
           order by lower(name collate kontor) limit ${limit}::int) tag
   order by lower(tag.name collate kontor)`
