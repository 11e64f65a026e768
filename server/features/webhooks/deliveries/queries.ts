import sql from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { JournalRow } from '../../../changes/position.ts'
import { mostInvalid, windowMs } from './schedule.ts'

/** A subscription as its deliveries need it. */
export interface Subscription {
  account_id: number
  id: number
  settings: string[]
  is_disabled: boolean
  format: 'form' | 'json'
  deletion_form: 'id' | 'list'
  after_journal_id: number
}

/** The subscriptions of accounts, in the order of their ids. */
export const subscriptionsOf = (accountIds: number[]): Sql => sql`
  select account_id, id, settings, is_disabled, format, deletion_form, after_journal_id
    from webhooks where account_id = any(${accountIds}::bigint[]) order by account_id, id`

/** The facts of an account that bodies name. */
export interface NamedAccount {
  id: number
  subdomain: string
  timezone: string
  /** Whether it answers at the public address of the server. */
  is_first: boolean
}

export const accountsNamed = (ids: number[]): Sql => sql`
  select id, subdomain, timezone, id = (select min(id) from accounts) as is_first from accounts where id = any(${ids}::bigint[])`

export interface NewDelivery {
  account_id: number
  webhook_id: number
  /** The place of its body in the list of bodies. */
  body: number
  event: string
  records: string[]
  is_held: boolean
}

/** Inserts bodies, and deliveries in the order of the list. */
export const insertDeliveries = (
  bodies: { account_id: number; id: number; format: 'form' | 'json'; body: string }[],
  deliveries: NewDelivery[],
  nowMs: number,
): Sql => sql`
  with body as (
    insert into delivery_bodies (account_id, id, format, body, created_at)
    select account_id, id, format, body, ${nowMs}::bigint
      from json_to_recordset(${JSON.stringify(bodies)}::json) as body(account_id bigint, id bigint, format text, body text)
  )
  insert into deliveries (account_id, webhook_id, body_id, event, records, created_at, due_at, state)
  select account_id, webhook_id, body, event, records, ${nowMs}::bigint, case when not is_held then 0 end,
         case when is_held then 'held' else 'waiting' end
    from json_to_recordset(${JSON.stringify(deliveries)}::json)
         as delivery(account_id bigint, webhook_id bigint, body bigint, event text, records text[], is_held boolean)`

export const drawBodyIds = (count: number): Sql => sql`
  select nextval('delivery_bodies_id') as id from generate_series(1, ${count}::int)`

export const keepUnbuilt = (
  changes: { change: JournalRow; error: string }[],
  nowMs: number,
): Sql => sql`
  insert into unbuilt_notices (account_id, journal_id, change, error, created_at)
  select (change ->> 'account_id')::bigint, (change ->> 'id')::bigint, change, error, ${nowMs}::bigint
    from json_to_recordset(${JSON.stringify(changes)}::json) as unbuilt(change json, error text)
      on conflict do nothing`

export const mostCounted = 10_000
/** The number of changes that are set aside on this server, up to `mostCounted`. */
export const countUnbuilt: Sql = sql`
  select count(*) from (select from unbuilt_notices limit ${mostCounted}::int) found`

/** A subscription with something to send. */
export interface DueSubscription extends SigningSecrets {
  account_id: number
  id: number
  destination: string
}

/** How a subscription signs. */
export interface SigningSecrets {
  /** Encrypted, as base64, the newest first; empty: attempts are not signed. */
  sealed_secrets: string[]
}

/** The secrets of a row of `webhooks` that sign at this time. */
const sealedSecrets = (nowMs: number): Sql => sql`
  array(select encode(secret, 'base64') from webhook_secrets
         where webhook_secrets.account_id = webhooks.account_id and webhook_id = webhooks.id
           and (ends_at is null or ends_at > ${nowMs}::bigint / 1000)
         order by webhook_secrets.id desc) as sealed_secrets`

/** How one subscription signs now. */
export const signingOf = (accountId: number, webhookId: number, nowMs: number): Sql => sql`
  select ${sealedSecrets(nowMs)} from webhooks where account_id = ${accountId} and id = ${webhookId}`

/** The subscriptions of these shards that have something to send now. */
export const dueSubscriptions = (shards: number[], shardCount: number, nowMs: number): Sql => sql`
  select account_id, id, destination, ${sealedSecrets(nowMs)} from webhooks
   where not is_disabled and id % ${shardCount}::int = any(${shards}::bigint[])
     and exists (select from deliveries
                  where deliveries.account_id = webhooks.account_id and deliveries.webhook_id = webhooks.id and due_at <= ${nowMs}::bigint)`

export interface DueDelivery {
  account_id: number
  webhook_id: number
  id: number
  attempts: number
  replayed_after: number | null
  event: string
  records: string[]
  format: 'form' | 'json'
  body: string
}

/** What lanes lack: their next first attempts and retries, each in order, besides those they know. */
export const dueDeliveries = (
  lanes: { account_id: number; webhook_id: number; known: number[]; room: number }[],
  nowMs: number,
): Sql => sql`
  select due.*, body.format, body.body
    from json_to_recordset(${JSON.stringify(lanes)}::json) as lane(account_id bigint, webhook_id bigint, known bigint[], room int),
         lateral (
           (select account_id, webhook_id, id, attempts, replayed_after, event, records, body_id from deliveries
             where account_id = lane.account_id and webhook_id = lane.webhook_id and due_at = 0 and id <> all(lane.known)
             order by due_at, id limit lane.room)
           union all
           (select account_id, webhook_id, id, attempts, replayed_after, event, records, body_id from deliveries
             where account_id = lane.account_id and webhook_id = lane.webhook_id and due_at > 0 and due_at <= ${nowMs}::bigint and id <> all(lane.known)
             order by due_at, id limit lane.room)) due
    join delivery_bodies body on body.account_id = due.account_id and body.id = due.body_id
   order by due.id`

/** The deliveries that are due now, and for how many milliseconds the latest of them waits. */
export const overdue = (nowMs: number): Sql => sql`
  select count(*), coalesce(max(${nowMs}::bigint - greatest(due_at, deliveries.created_at)), 0) as age
    from deliveries join webhooks on webhooks.account_id = deliveries.account_id and webhooks.id = webhook_id and not is_disabled
   where due_at <= ${nowMs}::bigint`

export interface LateDeliveries {
  /** Subscriptions, of all accounts. */
  destinations: number
  /** Seconds that the oldest of their deliveries has waited. */
  age: number
}

/** The subscriptions whose oldest first attempt waits for more than so many seconds. */
export const lateDeliveries = (nowMs: number, seconds: number): Sql => sql`
  select count(*) as destinations, coalesce(max(${nowMs}::bigint - oldest.created_at), 0) / 1000 as age
    from webhooks, lateral (
      select deliveries.created_at from deliveries
       where deliveries.account_id = webhooks.account_id and webhook_id = webhooks.id and due_at = 0
       order by due_at, deliveries.id limit 1) oldest
   where not is_disabled and oldest.created_at < ${nowMs}::bigint - ${seconds}::bigint * 1000`

/** A finished attempt, and what follows it. */
export interface FinishedAttempt {
  account_id: number
  webhook_id: number
  delivery_id: number
  number: number
  status: number
  error: string | null
  milliseconds: number
  ended_at: number
  is_counted: boolean
  due_at: number | null
  state: 'waiting' | 'delivered' | 'failed'
}

/**
 * Keeps attempts. One that was finished before, under the same number, changes nothing; one that ends
 * after its subscription was switched off is the last.
 */
export const keepAttempts = (attempts: FinishedAttempt[]): Sql => sql`
  with attempt as (
    select * from json_to_recordset(${JSON.stringify(attempts)}::json)
      as attempt(account_id bigint, webhook_id bigint, delivery_id bigint, number int, status int, error text, milliseconds int,
                 ended_at bigint, is_counted boolean, due_at bigint, state text)
  ), moved as (
    update deliveries
       set attempts = attempt.number, due_at = case when deliveries.due_at is not null then attempt.due_at end,
           state = case when deliveries.due_at is null and attempt.state = 'waiting' then 'ended' else attempt.state end
      from attempt
     where deliveries.account_id = attempt.account_id and deliveries.id = attempt.delivery_id and deliveries.attempts = attempt.number - 1
    returning deliveries.account_id, deliveries.id
  )
  insert into delivery_attempts (account_id, delivery_id, number, webhook_id, status, error, milliseconds, ended_at, is_counted)
  select account_id, delivery_id, number, webhook_id, status, error, milliseconds, ended_at, is_counted from attempt
   where exists (select from deliveries where deliveries.account_id = attempt.account_id and deliveries.id = attempt.delivery_id)
      on conflict do nothing`

/**
 * The invalid answers of `webhook` within the window, up to one more than switch it off, counted
 * since it was last enabled. `enabled_at` is a whole second, which has passed by the next one.
 */
export const invalidAnswers = (nowMs: number): Sql => sql`
  select count(*) from (
    select from delivery_attempts
     where account_id = webhook.account_id and webhook_id = webhook.id and is_counted and not status between 100 and 299
       and ended_at > ${nowMs}::bigint - ${windowMs}::bigint and ended_at >= case enabled_at when 0 then 0 else (enabled_at + 1) * 1000 end
     order by ended_at desc limit ${mostInvalid + 1}) found`

export interface InvalidCount {
  account_id: number
  id: number
  destination: string
  count: number
  /** The last warning of the window; 0: none. */
  warned: number
}

/** The invalid answers of subscriptions, and at how many administrators were last warned. */
export const countInvalid = (
  webhooks: { account_id: number; id: number }[],
  nowMs: number,
): Sql => sql`
  select webhook.account_id, webhook.id, destination, invalid.count,
         case when warned_at > ${nowMs}::bigint - ${windowMs}::bigint then warned else 0 end as warned
    from json_to_recordset(${JSON.stringify(webhooks)}::json) as asked(account_id bigint, id bigint)
    join webhooks webhook using (account_id, id),
         lateral (${invalidAnswers(nowMs)}) invalid
   where not webhook.is_disabled`

export const keepWarnings = (
  webhooks: { account_id: number; id: number; warned: number }[],
  nowMs: number,
): Sql => sql`
  update webhooks set warned = given.warned, warned_at = ${nowMs}::bigint
    from json_to_recordset(${JSON.stringify(webhooks)}::json) as given(account_id bigint, id bigint, warned int)
   where webhooks.account_id = given.account_id and webhooks.id = given.id`

/** Switches subscriptions off. */
export const switchOff = (
  webhooks: { account_id: number; id: number }[],
  nowMs: number,
): Sql => sql`
  update webhooks set is_disabled = true, disabled_at = ${nowMs}::bigint / 1000
    from json_to_recordset(${JSON.stringify(webhooks)}::json) as asked(account_id bigint, id bigint)
   where webhooks.account_id = asked.account_id and webhooks.id = asked.id and not is_disabled`

/** Ends the retries of subscriptions that are off, and holds their first attempts: 1,000 of each. */
export const endDeliveriesOfDisabled = (shards: number[], shardCount: number): Sql => sql`
  update deliveries set due_at = null, state = case attempts when 0 then 'held' else 'ended' end
    from webhooks, lateral (
      select account_id, id from deliveries
       where account_id = webhooks.account_id and webhook_id = webhooks.id and due_at is not null order by due_at, id limit 1000) late
   where webhooks.is_disabled and webhooks.id % ${shardCount}::int = any(${shards}::bigint[])
     and deliveries.account_id = late.account_id and deliveries.id = late.id
  returning deliveries.id`
