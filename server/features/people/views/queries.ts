import sql, { raw } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Actor } from '../../../access/actor.ts'

/** A row of the table `views`. */
export interface ViewRow {
  id: number
  user_id: number
  name: string
  screen: 'board'
  pipeline_id: number | null
  search: string
  is_shared: boolean
  created_at: number
  updated_at: number
}

const columns = raw(
  'id, user_id, name, screen, pipeline_id, search, is_shared, created_at, updated_at',
)

/** The actor's views and the shared ones, by name, as they are shown. */
export const viewSummaries = (actor: Actor): Sql => sql`
  select id, name, screen, pipeline_id, search, is_shared, user_id, user_id = ${actor.userId} as is_own,
         user_id = ${actor.userId} or ${actor.isAdmin} as may_change, created_at, updated_at
    from views where account_id = ${actor.accountId} and (is_shared or user_id = ${actor.userId})
   order by lower(name collate kontor), id`

/** A view that the actor sees. */
export const oneView = (actor: Actor, id: number): Sql => sql`
  select ${columns} from views
   where account_id = ${actor.accountId} and id = ${id} and (is_shared or user_id = ${actor.userId})`

export const countOwnViews = ({ accountId, userId }: Actor): Sql => sql`
  select count(*)::int as count from views where account_id = ${accountId} and user_id = ${userId}`

export const isPipeline = ({ accountId }: Actor, id: number): Sql => sql`
  select id from pipelines where account_id = ${accountId} and id = ${id}`

export const insertView = (
  actor: Actor,
  row: Omit<ViewRow, 'id' | 'user_id' | 'created_at'>,
) => sql`
  insert into views (account_id, user_id, name, screen, pipeline_id, search, is_shared, created_at, updated_at)
  values (${actor.accountId}, ${actor.userId}, ${row.name}, ${row.screen}, ${row.pipeline_id}, ${row.search},
          ${row.is_shared}, ${row.updated_at}, ${row.updated_at})
  returning ${columns}`

/** Changes a view. Answers it, and nothing if it was deleted meanwhile. */
export const updateView = ({ accountId }: Actor, row: ViewRow) => sql`
  update views
     set (name, screen, pipeline_id, search, is_shared, updated_at)
       = (${row.name}, ${row.screen}, ${row.pipeline_id}::bigint, ${row.search}, ${row.is_shared}::boolean,
          greatest(created_at, ${row.updated_at}::bigint))
   where account_id = ${accountId} and id = ${row.id}
  returning ${columns}`

export const removeView = ({ accountId }: Actor, id: number) => sql`
  delete from views where account_id = ${accountId} and id = ${id} returning id`

/** The views of an account after an id that filter by custom fields. */
export const viewsByFields = (accountId: number, after: number, most: number) => sql`
  select id, search from views
   where account_id = ${accountId} and id > ${after} and search like '%custom_fields_values%'
   order by id limit ${most}`

export const setSearches = (accountId: number, changed: Pick<ViewRow, 'id' | 'search'>[]) => sql`
  update views set search = changed.search
    from json_to_recordset(${JSON.stringify(changed)}::json) as changed(id bigint, search text)
   where views.account_id = ${accountId} and views.id = changed.id`
