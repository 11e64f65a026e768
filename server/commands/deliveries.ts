// Deliveries of webhooks at the command line: replays, tests, and changes that could not be told.
import { serverItself } from '../access/user-access.ts'
import {
  replayDelivery,
  replayRange,
  seeDelivery,
  testWebhook,
} from '../features/programs/webhooks/deliveries/log.ts'
import { undelivered } from '../features/programs/webhooks/deliveries/schema.ts'
import type { Replay } from '../features/programs/webhooks/deliveries/schema.ts'
import { listUnbuilt, replayUnbuilt } from '../features/programs/webhooks/deliveries/unbuilt.ts'
import { openDeliveryAttempts } from '../outgoing/attempt.ts'
import { notFound } from '../http/problem.ts'
import { latestTime } from '../http/types.ts'
import type { Kontor } from '../kontor.ts'
import { isId, webhookId } from './webhooks.ts'
import type { WebhookWishes } from './webhooks.ts'
import { findAccount } from './whom.ts'

export interface ReplayWishes extends WebhookWishes {
  since?: string
  until?: string
  state?: string
  unbuilt?: true
}

/**
 * `kontor webhook replay`: sends one delivery of a webhook once more, those of a range of time, or
 * the notices of the account that could not be built. The sender of the server makes the attempts.
 */
export async function webhookReplay(
  kontor: Kontor,
  id: string | undefined,
  delivery: string | undefined,
  { account: subdomain, unbuilt, ...range }: ReplayWishes,
) {
  const { database, signals, now } = kontor
  const actor = serverItself((await findAccount(database, subdomain)).id, now())
  const isOfRange = Object.keys(range).some((name) => rangeOptions.includes(name))
  if (unbuilt) {
    if (id !== undefined || isOfRange)
      throw new Error('--unbuilt is about all webhooks and all times; leave the others out')
    // Only this one needs the declarations of all entity types.
    const { entities } = await import('../entities.ts')
    return replayUnbuilt(kontor, entities, actor)
  }
  if (id === undefined)
    throw new Error('name a webhook, or say --unbuilt; "kontor webhook list" shows them')
  const webhook = webhookId(id)
  if (delivery === undefined) {
    const replayed = await replayRange(database, actor, signals, webhook, rangeOf(range))
    return { id: webhook, replayed }
  }
  if (isOfRange)
    throw new Error('one delivery has no range; leave --since, --until and --state out')
  if (!isId(delivery)) throw notFound(`"${delivery}" is no delivery`)
  await database.transaction((tx) => replayDelivery(tx, actor, signals, webhook, Number(delivery)))
  return { id: webhook, delivery_id: Number(delivery), state: 'waiting' }
}

/** `kontor webhook test`: sends a test notice, and answers what became of it. */
export async function webhookTest(
  kontor: Kontor,
  id: string,
  { account: subdomain }: WebhookWishes,
) {
  const { database, now } = kontor
  const actor = serverItself((await findAccount(database, subdomain)).id, now())
  const webhook = webhookId(id)
  const attempts = openDeliveryAttempts()
  const delivery = await testWebhook(database, actor, attempts, kontor, webhook).finally(() =>
    attempts.close(),
  )
  const { state, attempts: made } = await seeDelivery(database, actor, webhook, delivery)
  const { status, error, duration } = made[0]!
  return { id: webhook, delivery_id: delivery, state, status, error, duration }
}

/** Changes that one answer shows. */
const mostShown = 250

/** `kontor webhook unbuilt`: the latest changes whose notices could not be built, and why. */
export async function webhookUnbuilt({ database }: Kontor, { account: subdomain }: WebhookWishes) {
  const { id: accountId } = await findAccount(database, subdomain)
  const page = { after: undefined, offset: 0, limit: mostShown }
  return listUnbuilt(database, { accountId }, page)
}

const rangeOptions = ['since', 'until', 'state']

function rangeOf({ since, until, state }: Pick<ReplayWishes, 'since' | 'until' | 'state'>): Replay {
  return {
    ...(since !== undefined && { from: timeOf(since) }),
    ...(until !== undefined && { to: timeOf(until) }),
    ...(state !== undefined && { state: statesOf(state) }),
  }
}

/** A time as Unix seconds. A time of the day needs a zone: the server's own would be a guess. */
function timeOf(text: string): number {
  const isDate = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d)?(Z|[+-]\d\d:\d\d))?$/.test(text)
  const time = isDate
    ? Math.floor(Date.parse(text) / 1000)
    : /^\d{1,12}$/.test(text)
      ? Number(text)
      : NaN
  if (time >= 0 && time <= latestTime) return time
  throw new Error(
    `"${text}" is no time; write it as 2026-01-31, 2026-01-31T09:30Z or in Unix seconds`,
  )
}

function statesOf(text: string): NonNullable<Replay['state']> {
  const known = ['delivered', ...undelivered] as const
  return text.split(',').map((each) => {
    const state = known.find((name) => name === each.trim())
    if (state) return state
    throw new Error(`"${each}" is no state; there are ${known.join(', ')}`)
  })
}
