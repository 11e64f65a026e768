import sql, { empty } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Actor } from '../../../access/actor.ts'
import type { PagePosition } from '../../../http/paging.ts'
import type { ListedIntegration } from './schema.ts'

/**
 * The account, the user and the time of an action: an actor, or the command line on behalf of a
 * user.
 */
export type IntegrationOwner = Pick<Actor, 'accountId' | 'userId' | 'at'>

/** Columns as stored. */
export interface StoredIntegration {
  name?: string
  description?: string
  redirect_uri?: string
  scopes?: readonly string[]
  is_public?: boolean
  empty_list?: 200 | 204 | null
  forgiving_refresh?: boolean
  uninstall_hook?: string | null
  manages_people?: boolean
  origins?: readonly string[]
  logo?: Buffer | null
  logo_type?: string | null
}

/** Inserts nothing if the account has as many integrations as allowed. */
export const insertIntegration = (
  { accountId, userId, at }: IntegrationOwner,
  draft: StoredIntegration,
  secret: Buffer,
  most: number,
) => sql`
  insert into integrations (account_id, name, description, redirect_uri, secret, scopes, is_public, empty_list, forgiving_refresh,
                            uninstall_hook, manages_people, origins, logo, logo_type, created_by, created_at, updated_at)
  select ${accountId}::bigint, ${draft.name}::text, ${draft.description ?? ''}::text, ${draft.redirect_uri}::text, ${secret}::bytea,
         ${draft.scopes}::text[], ${draft.is_public ?? false}::boolean, ${draft.empty_list ?? null}::smallint,
         ${draft.forgiving_refresh ?? false}::boolean, ${draft.uninstall_hook ?? null}::text,
         ${draft.manages_people ?? false}::boolean, ${draft.origins ?? []}::text[],
         ${draft.logo ?? null}::bytea,
         ${draft.logo_type ?? null}::text, ${userId}::bigint, ${at}::bigint, ${at}::bigint
   where (select count(*) from integrations where account_id = ${accountId} and deleted_at is null) < ${most}
  returning client_id`

/** Each set of columns makes another statement text: run it with `list`. */
export const updateIntegration = (
  { accountId, at }: IntegrationOwner,
  client_id: string,
  change: StoredIntegration,
) => sql`
  update integrations set updated_at = greatest(${at}::bigint, created_at)${Object.entries(
    change,
  ).reduce<Sql>(
    (set, [column, value]) => sql`${set}, ${columns[column as keyof StoredIntegration]} = ${value}`,
    empty,
  )}
   where account_id = ${accountId} and client_id = ${client_id} and deleted_at is null returning client_id`

const columns: Record<keyof StoredIntegration, Sql> = {
  name: sql`name`,
  description: sql`description`,
  redirect_uri: sql`redirect_uri`,
  scopes: sql`scopes`,
  is_public: sql`is_public`,
  empty_list: sql`empty_list`,
  forgiving_refresh: sql`forgiving_refresh`,
  uninstall_hook: sql`uninstall_hook`,
  manages_people: sql`manages_people`,
  origins: sql`origins`,
  logo: sql`logo`,
  logo_type: sql`logo_type`,
}

export const updateSecret = (
  { accountId, at }: IntegrationOwner,
  client_id: string,
  secret: Buffer,
) => sql`
  update integrations set secret = ${secret}, updated_at = greatest(${at}::bigint, created_at)
   where account_id = ${accountId} and client_id = ${client_id} and deleted_at is null returning client_id`

/** The remaining row names the integration of old grants; the secret and the logo are deleted. */
export const removeIntegration = ({ accountId, at }: IntegrationOwner, client_id: string) => sql`
  update integrations set deleted_at = ${at}, updated_at = greatest(${at}::bigint, created_at), secret = '', logo = null, logo_type = null, uninstall_hook = null, origins = '{}'
   where account_id = ${accountId} and client_id = ${client_id} and deleted_at is null`

/**
 * The credentials and settings of an integration. It is found by its id alone, because its secret
 * authenticates it.
 */
export interface Integration {
  account_id: number
  client_id: string
  redirect_uri: string
  secret: Buffer
  scopes: string[]
  forgiving_refresh: boolean
  is_public: boolean
  uninstall_hook: string | null
}

const working = sql`account_id, client_id, redirect_uri, secret, scopes, forgiving_refresh, is_public, uninstall_hook`

export const integrationById = (client_id: string) => sql`
  select ${working} from integrations where client_id = ${client_id} and deleted_at is null`

export const firstIntegrationOf = (accountId: number) => sql`
  select ${working} from integrations
   where account_id = ${accountId} and deleted_at is null order by created_at, client_id limit 1`

export const lockIntegrationRow = ({ accountId }: IntegrationOwner, client_id: string) => sql`
  select ${working} from integrations
   where account_id = ${accountId} and client_id = ${client_id} and deleted_at is null for update`

/** An integration as shown to a user who is asked to grant it access. */
export interface ShownIntegration {
  account_id: number
  client_id: string
  name: string
  description: string
  redirect_uri: string
  scopes: string[]
  is_public: boolean
  manages_people: boolean
  logo: string | null
}

const logoText = sql`'data:' || logo_type || ';base64,' || translate(encode(logo, 'base64'), E'\\n', '') as logo`

export const integrationShown = (client_id: string) => sql`
  select account_id, client_id, name, description, redirect_uri, scopes, is_public, manages_people, ${logoText}
    from integrations where client_id = ${client_id} and deleted_at is null`

export interface SeenIntegration extends ListedIntegration {
  logo: string | null
}

const seen = ({ accountId }: Seer) => sql`
  made.client_id, made.name, made.description, made.redirect_uri, made.scopes, made.is_public, made.empty_list,
  made.forgiving_refresh, case when made.account_id = ${accountId} then made.uninstall_hook end as uninstall_hook, made.origins,
  made.logo is not null as has_logo, made.account_id = ${accountId} as is_own,
  made.manages_people, coalesce(installed.is_enabled, false) as is_enabled,
  coalesce(installed.is_enabled and installed.manages_people, false) as may_manage_people,
  (select count(*) from users person
    where person.account_id = ${accountId} and person.made_by = made.client_id and person.is_active) as people,
  coalesce((select json_agg(pipeline.id order by pipeline.id) from pipelines pipeline
             where pipeline.account_id = ${accountId} and pipeline.id = any(installed.duplicate_pipelines)), '[]') as duplicate_pipelines,
  used.grants, used.last_used_at,
  made.created_by, made.created_at, made.updated_at`

type Seer = Pick<IntegrationOwner, 'accountId' | 'at'>

/** How often an integration `made` is granted in the account, and when it was used last. */
const used = ({ accountId, at }: Seer) => sql`
  cross join lateral (
    select count(*) as grants, max(used_at) as last_used_at
      from grants given left join grant_uses on grant_uses.account_id = given.account_id and grant_id = given.id
     where given.account_id = ${accountId} and given.client_id = made.client_id and given.revoked_at is null
       and (given.expires_at is null or given.expires_at > ${at})) used`

/** The integrations created or installed in the account. */
export const integrationList = (seer: Seer, most: number) => sql`
  select ${seen(seer)}
    from integrations made
    left join installations installed on installed.account_id = ${seer.accountId} and installed.client_id = made.client_id
    ${used(seer)}
   where made.deleted_at is null
     and made.client_id in (select client_id from integrations where account_id = ${seer.accountId}
                            union select client_id from installations where account_id = ${seer.accountId} and is_enabled)
   order by made.created_at, made.client_id limit ${most}`

/** An integration that the account created, installed or could install. */
export const integrationSeen = (seer: Seer, client_id: string) => sql`
  select ${seen(seer)}, ${logoText}
    from integrations made
    left join installations installed on installed.account_id = ${seer.accountId} and installed.client_id = made.client_id
    ${used(seer)}
   where made.client_id = ${client_id} and made.deleted_at is null
     and (made.account_id = ${seer.accountId} or made.is_public or installed.is_enabled)`

export const install = (
  { accountId, userId, at }: IntegrationOwner,
  client_id: string,
  managesPeople: boolean,
) => sql`
  insert into installations (account_id, client_id, manages_people, created_by, created_at)
  values (${accountId}, ${client_id}, ${managesPeople}, ${userId}, ${at})
  on conflict (account_id, client_id) do update
     set is_enabled = true, manages_people = excluded.manages_people, created_by = excluded.created_by, created_at = excluded.created_at
   where not installations.is_enabled`

/** Lets an integration manage people and roles in an account, or lets it no more. Not installed: no row. */
export const updateManagingPeople = (
  { accountId }: Pick<IntegrationOwner, 'accountId'>,
  client_id: string,
  managesPeople: boolean,
) => sql`
  update installations set manages_people = ${managesPeople}
   where account_id = ${accountId} and client_id = ${client_id} and is_enabled returning client_id`

/** Changes nothing if the integration is not installed in the account. */
export const updateDuplicatePipelines = (
  { accountId }: Pick<IntegrationOwner, 'accountId'>,
  client_id: string,
  ids: number[],
) => sql`
  update installations set duplicate_pipelines = ${ids}::bigint[]
   where account_id = ${accountId} and client_id = ${client_id} and is_enabled returning client_id`

/**
 * The existing ones of these pipelines; none of them can be deleted before this transaction ends.
 */
export const keepPipelines = (
  { accountId }: Pick<IntegrationOwner, 'accountId'>,
  ids: number[],
) => sql`
  select id from pipelines where account_id = ${accountId} and id = any(${ids}::bigint[]) order by id for key share`

/**
 * Locks an installation until the transaction ends, so that no grant made under it can outlive it.
 */
export const lockInstallation = (accountId: number, client_id: string) => sql`
  select from installations where account_id = ${accountId} and client_id = ${client_id} and is_enabled for share`

/** Ends the installations of one account or of all; answers those that were enabled. */
export const disable = (client_id: string, accountId: number | undefined) => sql`
  update installations set is_enabled = false
   where client_id = ${client_id} and is_enabled and (${accountId ?? null}::bigint is null or account_id = ${accountId ?? null})
  returning account_id`

export const endCodes = (accountIds: number[], client_id: string, at: number) => sql`
  update authorization_codes set used_at = ${at}
   where account_id = any(${accountIds}::bigint[]) and client_id = ${client_id} and used_at is null`

export const endGrants = (accountIds: number[], client_id: string, at: number) => sql`
  update grants set revoked_at = ${at}
   where account_id = any(${accountIds}::bigint[]) and client_id = ${client_id} and revoked_at is null`

/** A program that is no longer in the account must not go on hearing of it. */
export const endWebhooks = (accountIds: number[], client_id: string) => sql`
  delete from webhooks where account_id = any(${accountIds}::bigint[]) and client_id = ${client_id}`

/** The channels of a program leave the account with it. */
export const endConnections = (accountIds: number[], client_id: string, at: number) => sql`
  update channel_connections set disconnected_at = ${at}, updated_at = ${at}
   where account_id = any(${accountIds}::bigint[]) and disconnected_at is null
     and channel_id in (select id from channels where client_id = ${client_id})`

export const endGrant = ({ accountId, at }: IntegrationOwner, client_id: string, id: number) => sql`
  update grants set revoked_at = ${at}
   where account_id = ${accountId} and id = ${id} and client_id = ${client_id} and revoked_at is null returning id`

/** The grants in force, newest first. */
export const grantsOf = (
  { accountId, at }: Pick<IntegrationOwner, 'accountId' | 'at'>,
  client_id: string,
  { after, offset = 0, limit }: Partial<PagePosition> & { limit: number },
) => sql`
  select given.id, given.user_id, person.name as user_name, person.is_admin as is_full_access, given.scopes, given.created_at,
         given.expires_at, used_at as last_used_at
    from grants given
    left join grant_uses on grant_uses.account_id = given.account_id and grant_id = given.id
    join users person on person.account_id = given.account_id and person.id = given.user_id
   where given.account_id = ${accountId} and given.client_id = ${client_id} and given.revoked_at is null
     and (given.expires_at is null or given.expires_at > ${at}) ${after ? sql`and given.id < ${after.id}` : empty}
   order by given.id desc limit ${limit} offset ${offset}`

export const grantPage = (
  owner: Pick<IntegrationOwner, 'accountId' | 'at'>,
  client_id: string,
  seek: PagePosition,
) => sql`
  select id, id as key, row_to_json(given)::text as json from (${grantsOf(owner, client_id, seek)}) given order by id desc`

/** The latest calls of an integration, the newest first. */
export const callsOf = (
  { accountId }: Pick<IntegrationOwner, 'accountId'>,
  client_id: string,
  most: number,
) => sql`
  select call.id, user_id, person.name as user_name, method, path, status, fault, milliseconds,
         count(*) over (partition by called_at / 1000) as rate, called_at / 1000 as called_at
    from integration_calls call
    join users person on person.account_id = call.account_id and person.id = user_id
   where call.account_id = ${accountId} and client_id = ${client_id}
   order by call.id desc limit ${most}`
