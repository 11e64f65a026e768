import sql, { empty } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Actor } from '../../../../access/actor.ts'
import type { ChatTemplateChange, NewChatTemplate } from './schema.ts'

/** A template as it is shown. */
export interface TemplateRow extends Omit<NewChatTemplate, 'group_ids'> {
  id: number
  /** Null: for everybody. */
  group_ids: number[] | null
  created_by: number
  created_at: number
  updated_at: number
}

/** The templates that the caller may use in their order, or one of them. Groups that are gone are not named. */
export const templateList = ({ accountId, isAdmin, groupId }: Actor, id?: number): Sql => sql`
  select id, name, content,
         case when group_ids is not null
              then to_json(array(select "group".id from groups "group"
                          where "group".account_id = ${accountId} and "group".id = any(template.group_ids) order by "group".id))
              end as group_ids,
         created_by, created_at, updated_at
    from chat_templates template
   where account_id = ${accountId} ${id === undefined ? empty : sql`and id = ${id}`}
     and (${isAdmin}::boolean or group_ids is null or ${groupId}::bigint = any(group_ids))
   order by sort, id`

export const countTemplates = ({ accountId }: Actor): Sql => sql`
  select count(*) as total, coalesce(max(sort), 0) as last from chat_templates where account_id = ${accountId}`

export const templateOrder = ({ accountId }: Actor): Sql => sql`
  select id from chat_templates where account_id = ${accountId} order by sort, id`

/** Gives the templates the order of their ids in the list. */
export const sortTemplates = ({ accountId }: Actor, ids: number[]): Sql => sql`
  update chat_templates template set sort = placed.place
    from unnest(${ids}::bigint[]) with ordinality placed (id, place)
   where template.account_id = ${accountId} and template.id = placed.id and template.sort <> placed.place`

/** Answers the id. */
export const insertTemplate = (
  { accountId, userId, at }: Actor,
  { name, content, group_ids = null }: NewChatTemplate,
  sort: number,
): Sql => sql`
  insert into chat_templates (account_id, name, content, group_ids, sort, created_by, created_at, updated_at)
  values (${accountId}, ${name.trim()}, ${content}, ${group_ids}::bigint[], ${sort}::int, ${userId}, ${at}, ${at})
  returning id`

/** Answers nothing where the account has no such template. A value that stays the same changes nothing. */
export function updateTemplate(
  { accountId, at }: Actor,
  id: number,
  { name, content, group_ids }: ChatTemplateChange,
): Sql {
  const after = {
    name: sql`coalesce(${name?.trim() ?? null}, name)`,
    content: sql`coalesce(${content ?? null}, content)`,
    group_ids: group_ids === undefined ? sql`group_ids` : sql`${group_ids}::bigint[]`,
  }
  return sql`
  update chat_templates
     set name = ${after.name}, content = ${after.content}, group_ids = ${after.group_ids},
         updated_at = case when (name, content, group_ids) is distinct from (${after.name}, ${after.content}, ${after.group_ids})
                           then greatest(${at}::bigint, created_at) else updated_at end
   where account_id = ${accountId} and id = ${id} returning id`
}

export const removeTemplate = ({ accountId }: Actor, id: number): Sql => sql`
  delete from chat_templates where account_id = ${accountId} and id = ${id} returning id`
