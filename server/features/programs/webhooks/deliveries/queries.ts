import sql from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { JournalRow } from '../../../../changes/position.ts'
import { mostInvalid, failureWindowMs } from './schedule.ts'

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

/** A subscription as its deliveries need it. */
export interface Subscription {
  account_id: number
  id: number
  settings: string[]
  is_disabled: boolean
  format: 'form' | 'json'
  deletion_form: 'id' | 'list'
  after_journal_id: number
  account: NamedAccount
}

/** The subscriptions of accounts, in the order of their ids, each with its account. */
export const subscriptionsOf = (accountIds: number[]): Sql => sql`
  select account_id, id, settings, is_disabled, format, deletion_form, after_journal_id, account
    from webhooks join (select id as account_id, row_to_json(named) as account from (${accountsNamed(accountIds)}) named) its using (account_id)
   where account_id = any(${accountIds}::bigint[]) order by account_id, id`

/**
 * Subscriptions that were found off, as they are once no other transaction changes them. None is
 * enabled before this transaction has ended.
 */
export const lockSubscriptions = (webhooks: { account_id: number; id: number }[]): Sql => sql`
  select account_id, id, is_disabled from webhooks
   where (account_id, id) in (select account_id, id from json_to_recordset(${JSON.stringify(webhooks)}::json) as held(account_id bigint, id bigint))
   order by account_id, id for share`

export interface NewDelivery {
  account_id: number
  webhook_id: number
  /** The place of its body in the list of bodies. */
  body: number
  event: string
  records: string[]
  is_held: boolean
}

/** A delivery as it was written: the next first attempt of its subscription. */
export interface WrittenDelivery {
  /** Its place in the list. */
  place: number
  id: number
}

/**
 * Inserts bodies, and deliveries in the order of the list. Answers those that are due at once, in the
 * order of their ids.
 */
export const insertDeliveries = (
  bodies: { account_id: number; format: 'form' | 'json'; body: string }[],
  deliveries: NewDelivery[],
  nowMs: number,
): Sql => sql`
  with drawn as materialized (
    select place, nextval('delivery_bodies_id') as id, account_id, format, body
      from rows from (json_to_recordset(${JSON.stringify(bodies)}::json) as (account_id bigint, format text, body text))
           with ordinality as body(account_id, format, body, place)
  ), body as (
    insert into delivery_bodies (account_id, id, format, body, created_at)
    select account_id, id, format, body, ${nowMs}::bigint from drawn
  ), delivery as materialized (
    select nextval('deliveries_id') as id, place, account_id, webhook_id, body, event, records, is_held
      from rows from (json_to_recordset(${JSON.stringify(deliveries)}::json)
                      as (account_id bigint, webhook_id bigint, body bigint, event text, records text[], is_held boolean))
           with ordinality as delivery(account_id, webhook_id, body, event, records, is_held, place)
  ), written as (
    insert into deliveries (account_id, id, webhook_id, body_id, event, records, created_at, due_at, state)
    select delivery.account_id, delivery.id, webhook_id, drawn.id, event, records, ${nowMs}::bigint, case when not is_held then 0 end,
           case when is_held then 'held' else 'waiting' end
      from delivery join drawn on drawn.place = delivery.body + 1
  )
  select place - 1 as place, id from delivery where not is_held order by id`

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

/**
 * The subscriptions with waiting deliveries, each with the time of the earliest. It steps through the
 * index from one to the next, so subscriptions without any cost nothing.
 */
const pendingSubscriptions = sql`pending (account_id, webhook_id, due_at) as (
    (select account_id, webhook_id, due_at from deliveries where due_at is not null
      order by account_id, webhook_id, due_at, id limit 1)
    union all
    select later.* from pending, lateral (
      select account_id, webhook_id, due_at from deliveries
       where due_at is not null and (account_id, webhook_id) > (pending.account_id, pending.webhook_id)
       order by account_id, webhook_id, due_at, id limit 1) later
  )`

/** A subscription that may send. */
export interface SendingSubscription extends SigningSecrets {
  account_id: number
  id: number
  destination: string
  /** Whether a delivery is due, known to its lane or not. */
  is_due: boolean
}

/** How a subscription signs. */
export interface SigningSecrets {
  /** The newest first, also such as have ended; empty: attempts are not signed. */
  sealed_secrets: SealedSecret[]
}

export interface SealedSecret {
  /** Encrypted, as base64. */
  sealed: string
  /** Unix seconds; null for the secret in force. */
  ends_at: number | null
}

/** The secrets of a row of `webhooks`, also such as have just ended. */
const sealedSecrets = sql`
  (select coalesce(json_agg(json_build_object('sealed', encode(secret, 'base64'), 'ends_at', ends_at) order by id desc), '[]')
     from webhook_secrets
    where webhook_secrets.account_id = webhooks.account_id and webhook_id = webhooks.id) as sealed_secrets`

/** How one subscription signs. */
export const signingOf = (accountId: number, webhookId: number): Sql => sql`
  select ${sealedSecrets} from webhooks where account_id = ${accountId} and id = ${webhookId}`

/**
 * The subscriptions of these shards that have something to send now, and those of `open` that may
 * still send.
 */
export const sendingSubscriptions = (
  shards: number[],
  shardCount: number,
  open: { account_id: number; id: number }[],
  nowMs: number,
): Sql => sql`
  with recursive ${pendingSubscriptions}, named as (
    select account_id, webhook_id as id, true as is_due from pending
     where due_at <= ${nowMs}::bigint and webhook_id % ${shardCount}::int = any(${shards}::bigint[])
     union all
    select account_id, id, false from json_to_recordset(${JSON.stringify(open)}::json) as open(account_id bigint, id bigint)
  ), sending as (
    select account_id, id, bool_or(is_due) as is_due from named group by account_id, id
  )
  select account_id, id, destination, is_due, ${sealedSecrets}
    from sending join webhooks using (account_id, id) where not is_disabled`

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

/** The next first attempts and retries of lanes, each in order, besides those they know. */
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
  answer: string | null
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
      as attempt(account_id bigint, webhook_id bigint, delivery_id bigint, number int, status int, error text, answer text, milliseconds int,
                 ended_at bigint, is_counted boolean, due_at bigint, state text)
  ), moved as (
    update deliveries
       set attempts = attempt.number, due_at = case when deliveries.due_at is not null then attempt.due_at end,
           state = case when deliveries.due_at is null and attempt.state = 'waiting' then 'ended' else attempt.state end
      from attempt
     where deliveries.account_id = attempt.account_id and deliveries.id = attempt.delivery_id and deliveries.attempts = attempt.number - 1
    returning deliveries.account_id, deliveries.id
  )
  insert into delivery_attempts (account_id, delivery_id, number, webhook_id, status, error, answer, milliseconds, ended_at, is_counted)
  select account_id, delivery_id, number, webhook_id, status, error, answer, milliseconds, ended_at, is_counted from attempt
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
       and ended_at > ${nowMs}::bigint - ${failureWindowMs}::bigint and ended_at >= case enabled_at when 0 then 0 else (enabled_at + 1) * 1000 end
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
         case when warned_at > ${nowMs}::bigint - ${failureWindowMs}::bigint then warned else 0 end as warned
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
  update webhooks set is_disabled = true, disabled_at = ${nowMs}::bigint / 1000, disabled_by = null
    from json_to_recordset(${JSON.stringify(webhooks)}::json) as asked(account_id bigint, id bigint)
   where webhooks.account_id = asked.account_id and webhooks.id = asked.id and not is_disabled`

/** Ends the retries of subscriptions that are off, and holds their first attempts: 1,000 of each. */
export const endDeliveriesOfDisabled = (shards: number[], shardCount: number): Sql => sql`
  with recursive ${pendingSubscriptions}, late as materialized (
    select found.account_id, found.id
      from pending join webhooks on webhooks.account_id = pending.account_id and webhooks.id = webhook_id and is_disabled,
           lateral (select account_id, id from deliveries
                     where account_id = webhooks.account_id and webhook_id = webhooks.id and due_at is not null
                     order by due_at, id limit 1000) found
     where webhook_id % ${shardCount}::int = any(${shards}::bigint[])
  )
  update deliveries set due_at = null, state = case attempts when 0 then 'held' else 'ended' end
    from late where deliveries.account_id = late.account_id and deliveries.id = late.id
  returning deliveries.id`
