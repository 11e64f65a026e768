import sql, { empty } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Actor } from '../../../../access/actor.ts'
import type { PagePosition } from '../../../../http/paging.ts'
import { comesAfter, orderedBy, pinnedTo } from '../../../../records/lists/schema.ts'
import type { Pin } from '../../../../records/lists/schema.ts'
import { invalidAnswers } from './queries.ts'
import type { DeliveryFilter } from './schema.ts'
import { undelivered } from './schema.ts'

type Owner = Pick<Actor, 'accountId'>

/** A delivery as the log shows it, but for its link. */
export interface LoggedDelivery {
  id: number
  webhook_id: number
  state: string
  /** In the order of their numbers. `status` 0: no answer. */
  attempts: { number: number; status: number; error: string | null; duration: number }[]
}

/** The columns of `delivery`, with its attempts; with `answer`, a piece of each attempt's object. */
const shown = (answer: Sql) => sql`
  delivery.id, delivery.webhook_id, delivery.event,
  (select coalesce(json_agg(json_build_object('entity_type', split_part(record, ' ', 1), 'entity_id', split_part(record, ' ', 2)::bigint)), '[]')
     from unnest(delivery.records) record) as entities,
  delivery.state, delivery.created_at / 1000 as created_at,
  case delivery.due_at when 0 then delivery.created_at else delivery.due_at end / 1000 as next_attempt_at,
  delivery.replayed_after is not null as is_replayed,
  (select coalesce(json_agg(json_build_object('number', number, 'status', status, 'error', error, 'duration', milliseconds,
                                              'ended_at', ended_at / 1000, 'is_counted', is_counted ${answer}) order by number), '[]')
     from delivery_attempts attempt where attempt.account_id = delivery.account_id and attempt.delivery_id = delivery.id) as attempts`

/** The indexes of undelivered ones and of waiting ones serve where these literal conditions stand. */
const inStates = (states: readonly string[]) => {
  const areUndelivered = states.every((state) => (undelivered as readonly string[]).includes(state))
  return sql`
    and state = any(${states}::text[]) ${areUndelivered ? sql`and state in ('failed', 'ended', 'held')` : empty}
    ${states.every((state) => state === 'waiting') ? sql`and due_at is not null` : empty}`
}

/** Times are whole seconds: a range holds all of its last one. */
const createdIn = ({ from, to }: { from?: number | undefined; to?: number | undefined }) => sql`
  ${from === undefined ? empty : sql`and created_at >= ${from}::bigint * 1000`}
  ${to === undefined ? empty : sql`and created_at < (${to}::bigint + 1) * 1000`}`

/**
 * A page of the deliveries of a webhook, the newest first. Without a filter it has the same plan whatever
 * its values are (docs/decisions/0057-plans.md).
 */
export function deliveryPage(
  { accountId }: Owner,
  webhookId: number,
  { state, created_at }: DeliveryFilter,
  { after, offset, limit }: PagePosition,
): Sql {
  const newestFirst = { column: 'id', direction: 'desc' } as const
  const pin: Pin = { column: 'webhook_id', value: webhookId }
  const delivery = 'delivery'
  return sql`
    select ${shown(empty)}
      from (select * from deliveries delivery
             where account_id = ${accountId} and ${pinnedTo(pin, delivery)} ${comesAfter(newestFirst, after, delivery, pin)}
               ${state ? inStates(state) : empty}
               ${created_at === undefined ? empty : createdIn(typeof created_at === 'number' ? { from: created_at } : created_at)}
             ${orderedBy(newestFirst, delivery, pin)} limit ${limit} offset ${offset}) delivery
     order by id desc`
}

/** One delivery, with its body. */
export const oneDelivery = ({ accountId }: Owner, webhookId: number, id: number): Sql => sql`
  select ${shown(sql`, 'answer', answer`)}, case format when 'json' then 'application/json' else 'application/x-www-form-urlencoded' end as content_type,
         body.body
    from deliveries delivery
    join delivery_bodies body on body.account_id = delivery.account_id and body.id = delivery.body_id
   where delivery.account_id = ${accountId} and delivery.webhook_id = ${webhookId} and delivery.id = ${id}`

/** Makes deliveries due again whose last attempt has ended, and begins their schedule anew. */
export const replay = ({ accountId, at }: Actor, webhookId: number, ids: number[]): Sql => sql`
  update deliveries set state = 'waiting', due_at = ${at}::bigint * 1000, replayed_after = attempts
   where account_id = ${accountId} and webhook_id = ${webhookId} and id = any(${ids}::bigint[]) and due_at is null
  returning id`

/** The next deliveries of a range, the oldest first. Test notices are none of it. */
export const replayable = (
  { accountId }: Owner,
  webhookId: number,
  states: readonly string[],
  range: { from?: number | undefined; to?: number | undefined },
  after: number,
  most: number,
): Sql => sql`
  select id from deliveries
   where account_id = ${accountId} and webhook_id = ${webhookId} and id > ${after} and due_at is null and event <> 'test'
     ${inStates(states)} ${createdIn(range)}
   order by id limit ${most}`

export const drawDeliveryIds = sql`
  select nextval('deliveries_id') as id, nextval('delivery_bodies_id') as body_id`

export interface EndedTest {
  id: number
  body_id: number
  webhook_id: number
  format: 'form' | 'json'
  body: string
  state: 'delivered' | 'failed'
  status: number
  error: string | null
  answer: string | null
  milliseconds: number
  /** Milliseconds since 1970. */
  ended_at: number
}

/** Keeps a test notice with its attempt. */
export const insertTest = ({ accountId }: Owner, test: EndedTest): Sql => sql`
  with test as (
    select ${accountId}::bigint as account_id, test.* from json_to_record(${JSON.stringify(test)}::json)
      as test(id bigint, body_id bigint, webhook_id bigint, format text, body text, state text, status int, error text, answer text, milliseconds int,
              ended_at bigint)
  ), body as (
    insert into delivery_bodies (account_id, id, format, body, created_at) select account_id, body_id, format, body, ended_at from test
  ), delivery as (
    insert into deliveries (account_id, id, webhook_id, body_id, event, records, created_at, attempts, state)
    select account_id, id, webhook_id, body_id, 'test', '{}', ended_at, 1, state from test
  )
  insert into delivery_attempts (account_id, delivery_id, number, webhook_id, status, error, answer, milliseconds, ended_at, is_counted)
  select account_id, id, 1, webhook_id, status, error, answer, milliseconds, ended_at, false from test`

/** The health of the webhooks of the account, or of one. */
export const health = ({ accountId, at }: Actor, { id }: { id?: number } = {}): Sql => sql`
  select id, (${invalidAnswers(at * 1000)}) as invalid_answers, latest.status as latest_status, latest.error as latest_error,
         latest.answer as latest_answer, latest.ended_at / 1000 as latest_attempt_at
    from webhooks webhook
    left join lateral (
      select status, error, left(answer, 300) as answer, ended_at from delivery_attempts attempt
       where attempt.account_id = webhook.account_id and attempt.webhook_id = webhook.id
       order by ended_at desc limit 1) latest on true
   where account_id = ${accountId} ${id === undefined ? empty : sql`and id = ${id}`}`
