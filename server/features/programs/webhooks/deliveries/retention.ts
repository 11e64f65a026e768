// Drops old deliveries with their attempts and bodies. A delivery that waits for an attempt stays,
// unless its webhook was removed: then nobody sends it or sees it, and an hour's age is enough.
import sql from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Database, Tx } from '../../../../database/connect.ts'

/** Rows per transaction: few enough to take milliseconds. */
const chunk = 1000
/** The age, in milliseconds since their creation, from which deliveries of a removed webhook go. */
const removalMs = 3_600_000

/**
 * Drops deliveries, bodies and unbuilt notices older than `days`, and secrets that no longer sign. Each walk begins at the oldest id of
 * a webhook and ends at the first chunk that holds a younger row. `now` is in Unix seconds.
 */
export async function dropOldDeliveries(
  database: Database,
  days: number,
  now: number,
): Promise<void> {
  const before = (now - days * 86_400) * 1000
  let webhook = { account_id: 0, webhook_id: 0 }
  for (;;) {
    const next = await database.row<Webhook>(nextWebhook(webhook))
    if (!next) break
    const limit = next.is_removed ? now * 1000 - removalMs : before
    await walk(database, (after) => dropDeliveries(next, after, limit))
    webhook = next
  }
  let account_id = 0
  for (;;) {
    const next = await database.row<{ account_id: number }>(nextAccount(account_id))
    if (!next) break
    ;({ account_id } = next)
    await walk(database, (after) => dropBodies(next.account_id, after, before))
  }
  await walk(database, () => dropUnbuilt(before))
  await database.transaction((tx) => tx.rows(dropEndedSecrets(now)))
}

interface Step {
  /** Rows that were looked at, the last id of them, and whether one was young. */
  count: number
  last: number
  is_young: boolean
}

async function walk(database: Database, statement: (after: number) => Sql): Promise<void> {
  let after = 0
  for (;;) {
    const step = (await database.transaction((tx: Tx) => tx.row<Step>(statement(after))))!
    if (step.count < chunk || step.is_young) return
    after = step.last
  }
}

interface Webhook {
  account_id: number
  webhook_id: number
  is_removed: boolean
}

/** The next webhook with deliveries, by account and id. */
export const nextWebhook = (after: { account_id: number; webhook_id: number }) => sql`
  select account_id, webhook_id,
         not exists (select from webhooks where webhooks.account_id = deliveries.account_id and webhooks.id = webhook_id) as is_removed
    from deliveries
   where (account_id, webhook_id) > (${after.account_id}::bigint, ${after.webhook_id}::bigint)
   order by account_id, webhook_id limit 1`

/** The next account with bodies. */
export const nextAccount = (after: number) => sql`
  select account_id from delivery_bodies where account_id > ${after} order by account_id limit 1`

/** Drops those of a webhook among the next `chunk` after an id, with their attempts. */
export const dropDeliveries = (
  { account_id, webhook_id, is_removed }: Webhook,
  after: number,
  before: number,
) => sql`
  with looked as materialized (
    select id, created_at from deliveries
     where account_id = ${account_id} and webhook_id = ${webhook_id} and id > ${after}
     order by id limit ${chunk}
  ), dropped as (
    delete from deliveries
     where account_id = ${account_id} and id in (select id from looked where created_at < ${before}::bigint)
       and (due_at is null or ${is_removed}::boolean)
    returning id
  ), attempts as (
    delete from delivery_attempts where account_id = ${account_id} and delivery_id in (select id from dropped)
  )
  select count(*) as count, coalesce(max(id), 0) as last, coalesce(bool_or(created_at >= ${before}::bigint), false) as is_young from looked`

/** A body is as old as its deliveries. It stays as long as any of them, which may have ended since. */
export const dropBodies = (account_id: number, after: number, before: number) => sql`
  with looked as materialized (
    select id, created_at from delivery_bodies where account_id = ${account_id} and id > ${after} order by id limit ${chunk}
  ), dropped as (
    delete from delivery_bodies body
     where account_id = ${account_id} and id in (select id from looked where created_at < ${before}::bigint)
       and not exists (select from deliveries where deliveries.account_id = body.account_id and deliveries.body_id = body.id)
  )
  select count(*) as count, coalesce(max(id), 0) as last, coalesce(bool_or(created_at >= ${before}::bigint), false) as is_young from looked`

/** Few rows, if any. */
const dropUnbuilt = (before: number) => sql`
  with dropped as (
    delete from unbuilt_notices
     where (account_id, journal_id) in (select account_id, journal_id from unbuilt_notices where created_at < ${before}::bigint limit ${chunk})
    returning journal_id
  )
  select count(*) as count, 0 as last, false as is_young from dropped`

/** A webhook has a few secrets at most, and most have none. */
const dropEndedSecrets = (now: number) => sql`
  delete from webhook_secrets where ends_at <= ${now}`
