// The log of deliveries, and what administrators do with it: replay, and test. A replay sends the
// same bytes under the same delivery id, with the whole schedule of attempts. Replays and tests do
// not count against a webhook. Replays go out beside new notices, in the order of their ids.
import type { Actor } from '../../../../access/actor.ts'
import type { Signals } from '../../../../changes/signals.ts'
import type { Database, Reader, Tx } from '../../../../database/connect.ts'
import type { DeliveryAttempts } from '../../../../outgoing/attempt.ts'
import { accountAddress } from '../../../../http/addresses.ts'
import { notFound, Problem } from '../../../../http/problem.ts'
import type { Kontor } from '../../../../kontor.ts'
import { testBodyOf } from '../notices.ts'
import { webhookList } from '../queries.ts'
import type { StoredWebhook } from '../queries.ts'
import * as queries from './log-queries.ts'
import { accountsNamed, signingOf } from './queries.ts'
import type { NamedAccount, SigningSecrets } from './queries.ts'
import { isValid } from './schedule.ts'
import { undelivered } from './schema.ts'
import type { Replay } from './schema.ts'
import { deliveriesChannel, headersOf, secretsInForce, unseal } from './engine.ts'
import { writtenByAdministrators } from '../../../../outgoing/door.ts'

/** A webhook of the account. Unknown: 404. */
export async function seeWebhook(reader: Reader, actor: Actor, id: number): Promise<StoredWebhook> {
  const webhook = await reader.row<StoredWebhook>(webhookList(actor, { id }))
  if (!webhook) throw notFound()
  return webhook
}

/** A delivery with its attempts and its body. Unknown: 404. */
export async function seeDelivery(
  reader: Reader,
  actor: Actor,
  webhookId: number,
  id: number,
): Promise<queries.LoggedDelivery> {
  const delivery = await reader.row<queries.LoggedDelivery>(
    queries.oneDelivery(actor, webhookId, id),
  )
  if (!delivery) throw notFound()
  return delivery
}

/** Sends a delivery once more. Unknown: 404. Still under way, or of a disabled webhook: 422. */
export async function replayDelivery(
  tx: Tx,
  actor: Actor,
  signals: Signals,
  webhookId: number,
  id: number,
): Promise<void> {
  await seeActive(tx, actor, webhookId)
  await seeDelivery(tx, actor, webhookId, id)
  const replayed = await tx.rows(queries.replay(actor, webhookId, [id]))
  if (replayed.length === 0) throw new Problem(422, 'The delivery waits for its next attempt')
  wake(tx, signals)
}

/** Deliveries per transaction. */
const chunk = 5000

/**
 * Sends the deliveries of a range once more, and answers their number. Those that wait for an attempt
 * are none of it. Unknown webhook: 404. Disabled: 422.
 */
export async function replayRange(
  database: Database,
  actor: Actor,
  signals: Signals,
  webhookId: number,
  { state = [...undelivered], from, to = actor.at }: Replay,
): Promise<number> {
  let [replayed, after] = [0, 0]
  for (;;) {
    const ids = await database.transaction(async (tx) => {
      await seeActive(tx, actor, webhookId)
      const range = queries.replayable(actor, webhookId, state, { from, to }, after, chunk)
      const found = (await tx.list<{ id: number }>(range)).map(({ id }) => id)
      replayed += (await tx.rows(queries.replay(actor, webhookId, found))).length
      wake(tx, signals)
      return found
    })
    if (ids.length < chunk) return replayed
    after = ids.at(-1)!
  }
}

/**
 * Sends a test notice, also to a disabled webhook, and answers the id of its delivery once the attempt
 * has ended. Unknown webhook: 404.
 */
export async function testWebhook(
  database: Database,
  actor: Actor,
  attempts: DeliveryAttempts,
  kontor: Pick<Kontor, 'url' | 'secrets' | 'door'>,
  webhookId: number,
): Promise<number> {
  const { destination, format } = await seeWebhook(database, actor, webhookId)
  const account = (await database.row<NamedAccount>(accountsNamed([actor.accountId])))!
  const drawn = await database.row<{ id: number; body_id: number }>(queries.drawDeliveryIds)
  const { id, body_id } = drawn!
  const body = testBodyOf({ ...account, url: accountAddress(kontor, account) }, actor.at, format)
  const nowMs = actor.at * 1000
  const signing = await database.row<SigningSecrets>(signingOf(actor.accountId, webhookId))
  if (!signing) throw notFound()
  const secrets = secretsInForce(signing, nowMs).map((sealed) => unseal(kontor.secrets, sealed))
  const headers = headersOf(secrets, { id, format, body }, nowMs)
  const permit = await kontor.door.permit(writtenByAdministrators(actor.accountId))
  const {
    status,
    error,
    answer = null,
    milliseconds,
  } = await attempts.attempt(destination, permit, headers, body)
  const test = {
    id,
    body_id,
    webhook_id: webhookId,
    format,
    body,
    status,
    error,
    answer,
    milliseconds,
    state: isValid(status) ? ('delivered' as const) : ('failed' as const),
    ended_at: nowMs,
  }
  await database.transaction((tx) => tx.rows(queries.insertTest(actor, test)))
  return id
}

export interface Health {
  invalid_answers: number
  latest_status: number | null
  latest_error: string | null
  latest_answer: string | null
  latest_attempt_at: number | null
}

export const noAttempts: Health = {
  invalid_answers: 0,
  latest_status: null,
  latest_error: null,
  latest_answer: null,
  latest_attempt_at: null,
}

/** The health of all webhooks of the account, or of one, by id. */
export async function healthOf(
  reader: Reader,
  actor: Actor,
  which: { id?: number } = {},
): Promise<Map<number, Health>> {
  const rows = await reader.list<Health & { id: number }>(queries.health(actor, which))
  return new Map(rows.map(({ id, ...health }) => [id, health]))
}

/** A webhook that sends. Disabled: 422. */
async function seeActive(reader: Reader, actor: Actor, id: number): Promise<void> {
  const { is_disabled } = await seeWebhook(reader, actor, id)
  if (is_disabled) throw new Problem(422, 'The webhook is disabled. Enable it first')
}

const wake = (tx: Tx, signals: Signals) => tx.afterCommit(() => signals.notify(deliveriesChannel))
