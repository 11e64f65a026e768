import sql, { empty } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Actor } from '../../../../access/actor.ts'
import type { ChatTemplateChange, NewChatTemplate } from './schema.ts'

/** A row of `chat_templates`. */
export interface TemplateRow extends NewChatTemplate {
  id: number
  created_by: number
  created_at: number
  updated_at: number
}

const columns = sql`id, name, content, created_by, created_at, updated_at`

/** The templates of the account by name, or one of them. */
export const templateList = ({ accountId }: Actor, id?: number): Sql => sql`
  select ${columns} from chat_templates
   where account_id = ${accountId} ${id === undefined ? empty : sql`and id = ${id}`}
   order by lower(name collate kontor), id`

export const countTemplates = ({ accountId }: Actor): Sql => sql`
  select count(*) as total from chat_templates where account_id = ${accountId}`

export const insertTemplate = (
  { accountId, userId, at }: Actor,
  { name, content }: NewChatTemplate,
): Sql => sql`
  insert into chat_templates (account_id, name, content, created_by, created_at, updated_at)
  values (${accountId}, ${name.trim()}, ${content}, ${userId}, ${at}, ${at})
  returning ${columns}`

/** Answers nothing where the account has no such template. A value that stays the same changes nothing. */
export const updateTemplate = (
  { accountId, at }: Actor,
  id: number,
  { name, content }: ChatTemplateChange,
): Sql => sql`
  update chat_templates template
     set name = coalesce(${name?.trim() ?? null}, name), content = coalesce(${content ?? null}, content),
         updated_at = case when coalesce(${name?.trim() ?? null}, name) = name and coalesce(${content ?? null}, content) = content
                           then updated_at else greatest(${at}::bigint, created_at) end
   where account_id = ${accountId} and id = ${id} returning ${columns}`

export const removeTemplate = ({ accountId }: Actor, id: number): Sql => sql`
  delete from chat_templates where account_id = ${accountId} and id = ${id} returning id`
