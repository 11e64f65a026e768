import sql, { empty } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import { selfLink } from '../../../http/self-link.ts'
import type { Actor } from '../../../access/actor.ts'
import type { Service } from './schema.ts'

/** A row of the table `sources`: what the verbs compare and write. */
export interface SourceRow {
  id: number
  name: string
  external_id: string
  pipeline_id: number
  is_default: boolean
  origin_code: string | null
  services: Service[]
}

/**
 * Matches the sources of an integration. All tokens made on the server itself share one set of
 * sources.
 */
const isOwn = ({ accountId, clientId }: Actor) =>
  // "is not distinct from" would keep PostgreSQL from using the index.
  sql`source.account_id = ${accountId} and ${clientId === null ? sql`source.client_id is null` : sql`source.client_id = ${clientId}::uuid`}`

/** The pipeline of a source's leads: its own, or the main one if that was deleted. */
const pipeline = sql`
  coalesce((select there.id from pipelines there where there.account_id = source.account_id and there.id = source.pipeline_id),
           (select main.id from pipelines main where main.account_id = source.account_id and main.is_main)) as pipeline_id`

/** The integration's sources, all or those with these ids. */
export const sourceList = (
  actor: Actor,
  base: string,
  { ids, names }: { ids?: number[]; names?: string[] } = {},
) => sql`
  select source.id, source.name, source.external_id, ${pipeline}, source.is_default as "default", source.origin_code, source.services,
         ${selfLink(sql`${`${base}/api/v4/sources/`}::text || source.id`)} as _links
    from sources source
   where ${isOwn(actor)} and source.deleted_at is null
     ${ids ? sql`and source.id = any(${ids}::bigint[])` : empty}
     ${names ? sql`and source.external_id = any(${names}::text[])` : empty}
   order by source.id`

/** The sources of all integrations of the account: leads name them to everybody who sees a lead. */
export const sourceSummaries = ({ accountId }: Actor) => sql`
  select source.id, source.name, ${pipeline} from sources source
   where source.account_id = ${accountId} and source.deleted_at is null order by source.id`

/** Locks the integration's sources, 100 at most, in the order of ids. */
export const lockSources = (actor: Actor) => sql`
  select source.id, source.name, source.external_id, source.pipeline_id, source.is_default, source.origin_code, source.services
    from sources source
   where ${isOwn(actor)} and source.deleted_at is null order by source.id for no key update`

/** Adds sources; a deleted one returns under its old id. */
export const insertSources = (actor: Actor, rows: Omit<SourceRow, 'id'>[]) => sql`
  insert into sources (account_id, client_id, name, external_id, pipeline_id, is_default, origin_code, services)
  select ${actor.accountId}::bigint, ${actor.clientId}::uuid, draft.*
    from json_to_recordset(${JSON.stringify(rows)}::json)
      as draft(name text, external_id text, pipeline_id bigint, is_default boolean, origin_code text, services jsonb)
  on conflict on constraint sources_external_id do update
     set (name, pipeline_id, is_default, origin_code, services, deleted_at)
       = (excluded.name, excluded.pipeline_id, excluded.is_default, excluded.origin_code, excluded.services, null)
  returning id, external_id`

/** Writes locked sources. */
export const updateSources = (actor: Actor, rows: SourceRow[]) => sql`
  update sources source
     set (name, pipeline_id, is_default, origin_code, services)
       = (draft.name, draft.pipeline_id, draft.is_default, draft.origin_code, draft.services)
    from json_to_recordset(${JSON.stringify(rows)}::json)
      as draft(id bigint, name text, pipeline_id bigint, is_default boolean, origin_code text, services jsonb)
   where source.account_id = ${actor.accountId} and source.id = draft.id`

export const removeSources = (actor: Actor, ids: number[]) => sql`
  update sources set deleted_at = ${actor.at}, is_default = false
   where account_id = ${actor.accountId} and id = any(${ids}::bigint[])`

/** The sources with these external ids, and the pipelines of their leads. */
export const sourcesOf = (actor: Actor, names: string[]) => sql`
  select source.id, source.external_id, ${pipeline}
    from sources source
   where ${isOwn(actor)} and source.external_id = any(${names}::text[]) and source.deleted_at is null`

export const keepSources = (actor: Actor, names: string[]) => sql`
  select from sources source
   where ${isOwn(actor)} and source.external_id = any(${names}::text[]) and source.deleted_at is null order by source.id for share`

/** The source of a row of leads named `record` as JSON text, of any integration, deleted or not. */
export const sourceOfRecord: Sql = sql`
  coalesce((select row_to_json(shown)::text
              from sources source, lateral (select source.id, source.name) shown
             where source.account_id = record.account_id and source.id = record.source_id), 'null')`
