import sql, { empty } from 'sql-template-tag'
import type { Actor } from '../../../access/actor.ts'
import type { EventName } from './event-names.ts'

export interface StoredWebhook {
  id: number
  account_id: number
  destination: string
  settings: EventName[]
  sort: number
  is_disabled: boolean
  disabled_at: number | null
  disabled_by: number | null
  format: 'form' | 'json'
  deletion_form: 'id' | 'list'
  client_id: string | null
  created_by: number
  created_at: number
  updated_at: number
}

/** The webhooks of the account by `sort`: all, the one with an address, or the one with an id. */
export const webhookList = (
  actor: Pick<Actor, 'accountId'>,
  { destination, id }: { destination?: string | undefined; id?: number | undefined } = {},
) => sql`
  select id, account_id, destination, settings, sort, is_disabled, disabled_at, disabled_by, format, deletion_form, client_id,
         created_by, created_at, updated_at
    from webhooks
   where account_id = ${actor.accountId}
     ${destination === undefined ? empty : sql`and destination = ${destination}`}
     ${id === undefined ? empty : sql`and id = ${id}`}
   order by sort, id`

/** `after`: the last journal id drawn; the webhooks hear of later changes only. */
export const insertWebhooks = (
  actor: Actor,
  after: number,
  drafts: Pick<StoredWebhook, 'destination' | 'settings' | 'sort'>[],
) => sql`
  insert into webhooks (account_id, destination, settings, sort, after_journal_id, client_id, created_by, created_at, updated_at)
  select ${actor.accountId}::bigint, destination, settings, sort, ${after}::bigint, ${actor.clientId}::uuid, ${actor.userId}::bigint,
         ${actor.at}::bigint, ${actor.at}::bigint
    from json_to_recordset(${JSON.stringify(drafts)}::json) as draft(destination text, settings text[], sort int)`

export const updateWebhooks = (
  actor: Actor,
  rows: (Pick<StoredWebhook, 'settings' | 'sort' | 'client_id'> & { id: number | null })[],
) => sql`
  update webhooks webhook
     set settings = draft.settings, sort = draft.sort, client_id = draft.client_id,
         updated_at = greatest(${actor.at}::bigint, webhook.created_at)
    from json_to_recordset(${JSON.stringify(rows)}::json) as draft(id bigint, settings text[], sort int, client_id uuid)
   where webhook.account_id = ${actor.accountId} and webhook.id = draft.id`

export const updateWebhookForm = (
  actor: Actor,
  id: number,
  { sort, format, deletion_form }: Pick<StoredWebhook, 'sort' | 'format' | 'deletion_form'>,
) => sql`
  update webhooks set sort = ${sort}, format = ${format}, deletion_form = ${deletion_form},
         updated_at = greatest(${actor.at}::bigint, created_at)
   where account_id = ${actor.accountId} and id = ${id}`

export const enableDisabled = (actor: Actor, id: number) => sql`
  update webhooks set is_disabled = false, disabled_at = null, disabled_by = null, enabled_at = ${actor.at}, warned = 0,
         updated_at = greatest(${actor.at}::bigint, created_at)
   where account_id = ${actor.accountId} and id = ${id}`

export const disableByHand = (actor: Actor, id: number) => sql`
  update webhooks set is_disabled = true, disabled_at = ${actor.at}, disabled_by = ${actor.userId},
         updated_at = greatest(${actor.at}::bigint, created_at)
   where account_id = ${actor.accountId} and id = ${id} and not is_disabled`

export const removeWebhooks = (actor: Actor, ids: number[]) => sql`
  delete from webhooks where account_id = ${actor.accountId} and id = any(${ids}::bigint[])`
