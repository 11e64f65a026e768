import sql, { raw } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Actor } from '../../../access/actor.ts'
import type { ViewedScreen } from './schema.ts'

/** A row of the table `views`. */
export interface ViewRow {
  id: number
  user_id: number
  name: string
  screen: ViewedScreen
  pipeline_id: number | null
  search: string
  is_shared: boolean
  created_at: number
  updated_at: number
  /** When the actor pinned it; null: the actor has not. */
  pinned_at: number | null
}

const columns = raw(
  'id, user_id, name, screen, pipeline_id, search, is_shared, created_at, updated_at',
)

/** When the actor pinned a row of `views`. */
const pinnedAt = ({ accountId, userId }: Actor) => sql`
  (select pinned_at from pinned_views
    where account_id = ${accountId} and user_id = ${userId} and view_id = views.id) as pinned_at`

/** The actor's views and the shared ones, by name, as they are shown. */
export const viewSummaries = (actor: Actor): Sql => sql`
  select id, name, screen, pipeline_id, search, is_shared, user_id, user_id = ${actor.userId} as is_own,
         user_id = ${actor.userId} or ${actor.isAdmin} as may_change, ${pinnedAt(actor)}, created_at, updated_at
    from views where account_id = ${actor.accountId} and (is_shared or user_id = ${actor.userId})
   order by lower(name collate kontor), id`

/** A view that the actor sees. */
export const oneView = (actor: Actor, id: number): Sql => sql`
  select ${columns}, ${pinnedAt(actor)} from views
   where account_id = ${actor.accountId} and id = ${id} and (is_shared or user_id = ${actor.userId})`

export const countOwnViews = ({ accountId, userId }: Actor): Sql => sql`
  select count(*)::int as count from views where account_id = ${accountId} and user_id = ${userId}`

export const isPipeline = ({ accountId }: Actor, id: number): Sql => sql`
  select id from pipelines where account_id = ${accountId} and id = ${id}`

export const insertView = (
  actor: Actor,
  row: Omit<ViewRow, 'id' | 'user_id' | 'created_at' | 'pinned_at'>,
) => sql`
  insert into views (account_id, user_id, name, screen, pipeline_id, search, is_shared, created_at, updated_at)
  values (${actor.accountId}, ${actor.userId}, ${row.name}, ${row.screen}, ${row.pipeline_id}, ${row.search},
          ${row.is_shared}, ${row.updated_at}, ${row.updated_at})
  returning ${columns}, null as pinned_at`

/** Changes a view. Answers it, and nothing if it was deleted meanwhile. */
export const updateView = (actor: Actor, row: ViewRow) => sql`
  update views
     set (name, screen, pipeline_id, search, is_shared, updated_at)
       = (${row.name}, ${row.screen}, ${row.pipeline_id}::bigint, ${row.search}, ${row.is_shared}::boolean,
          greatest(created_at, ${row.updated_at}::bigint))
   where account_id = ${actor.accountId} and id = ${row.id}
  returning ${columns}, ${pinnedAt(actor)}`

export const removeView = ({ accountId }: Actor, id: number) => sql`
  delete from views where account_id = ${accountId} and id = ${id} returning id`

/** The views that the actor has pinned and still sees. */
export const countPins = ({ accountId, userId }: Actor): Sql => sql`
  select count(*)::int as count
    from pinned_views pin join views on views.account_id = pin.account_id and views.id = pin.view_id
   where pin.account_id = ${accountId} and pin.user_id = ${userId} and (is_shared or views.user_id = ${userId})`

export const insertPin = ({ accountId, userId, at }: Actor, id: number) => sql`
  insert into pinned_views (account_id, user_id, view_id, pinned_at) values (${accountId}, ${userId}, ${id}, ${at})`

export const removePin = ({ accountId, userId }: Actor, id: number) => sql`
  delete from pinned_views where account_id = ${accountId} and user_id = ${userId} and view_id = ${id}
  returning view_id`

/** The views of an account after an id that filter by custom fields. */
export const viewsByFields = (accountId: number, after: number, most: number) => sql`
  select id, search from views
   where account_id = ${accountId} and id > ${after} and search like '%custom_fields_values%'
   order by id limit ${most}`

export const setSearches = (accountId: number, changed: Pick<ViewRow, 'id' | 'search'>[]) => sql`
  update views set search = changed.search
    from json_to_recordset(${JSON.stringify(changed)}::json) as changed(id bigint, search text)
   where views.account_id = ${accountId} and views.id = changed.id`
