// The sender beside what it reads. No follower runs: the tests write deliveries as a follower does,
// and choose what the sender reads before it is offered.
import pino from 'pino'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newAccount } from '../../../../../test/account.ts'
import type { TestAccount } from '../../../../../test/account.ts'
import { openReceiver } from '../../../../../test/receiver.ts'
import type { Receiver } from '../../../../../test/receiver.ts'
import { scratchDatabase } from '../../../../../test/scratch.ts'
import type { Scratch } from '../../../../../test/scratch.ts'
import { serverItself } from '../../../../access/user-access.ts'
import type { Tx } from '../../../../database/connect.ts'
import { openDeliveryAttempts } from '../../../../outgoing/attempt.ts'
import type { DeliveryAttempts } from '../../../../outgoing/attempt.ts'
import { renewWebhookSecret } from '../signatures.ts'
import { writeDeliveries } from './follower.ts'
import type { DueDelivery } from './queries.ts'
import { openDeliverySender } from './engine.ts'
import type { DeliverySender } from './engine.ts'

let scratch: Scratch
let account: TestAccount
let receiver: Receiver
let attempts: DeliveryAttempts
let sender: DeliverySender

beforeAll(async () => {
  scratch = await scratchDatabase()
  receiver = await openReceiver()
  account = await newAccount({ databaseUrl: scratch.url, privateHooks: 'loopback' })
  attempts = openDeliveryAttempts({ timeoutMs: 10_000 })
  const { database, door, signals, secrets } = account.kontor
  const log = pino({ level: 'silent' })
  const count = () => undefined
  sender = openDeliverySender({
    database,
    signals,
    attempts,
    door,
    secrets,
    log,
    nowMs: Date.now,
    count,
  })
})
afterAll(async () => {
  await sender.stop()
  await attempts.close()
  await receiver.close()
  await scratch.drop()
})

interface Hook {
  id: number
  path: string
}

let paths = 0
async function subscribe(): Promise<Hook> {
  const path = `/hook/${++paths}`
  const destination = receiver.url + path
  const made = await account.api.post('/api/v4/webhooks', { destination, settings: ['add_lead'] })
  expect(made.status).toBe(200)
  return { id: made.body.id, path }
}

/** Writes a delivery for each record. */
const writeIn = (tx: Tx, hook: Hook, ...records: string[]): Promise<DueDelivery[]> =>
  writeDeliveries(
    tx,
    records.map((record) => ({
      account_id: account.id,
      webhook_id: hook.id,
      body: { format: 'form', text: `its=${encodeURIComponent(record)}` },
      event: 'update_lead',
      records: [record],
      is_held: false,
    })),
    Date.now(),
  )
const write = (hook: Hook, ...records: string[]) =>
  scratch.database.transaction((tx) => writeIn(tx, hook, ...records))

const arrived = ({ path }: Hook) =>
  receiver.arrivals
    .filter((each) => each.path === path)
    .map(({ headers }) => Number(headers['x-kontor-delivery']))
const heard = (hook: Hook, count: number) =>
  expect.poll(() => arrived(hook).length, { timeout: 10_000 }).toBe(count)
const kept = (count: number, { id }: Hook) =>
  expect
    .poll(() =>
      scratch.database.rows(
        sql`select from deliveries where webhook_id = ${id} and state = 'delivered'`,
      ),
    )
    .toHaveLength(count)

/** Subscribes an address, and sends it a delivery, so that its lane is open. */
async function openLane(): Promise<{ hook: Hook; first: number }> {
  const hook = await subscribe()
  const [first] = await write(hook, 'leads 1')
  sender.wake()
  await kept(1, hook)
  return { hook, first: first!.id }
}

test('a delivery that is read and sent before its offer comes is sent once', async () => {
  const { hook, first } = await openLane()
  const early = await write(hook, 'leads 1')
  sender.doubt()
  await kept(2, hook)
  sender.offer(early)
  const next = await write(hook, 'leads 1')
  sender.offer(next)
  await kept(3, hook)
  expect(arrived(hook)).toEqual([first, early[0]!.id, next[0]!.id])
})

test('a delivery whose offer comes while its attempt is under way is sent once', async () => {
  const { hook, first } = await openLane()
  const answer = Promise.withResolvers<void>()
  receiver.behave(hook.path, { until: answer.promise }, {})
  const early = await write(hook, 'leads 1')
  sender.doubt()
  await heard(hook, 2)
  sender.offer(early)
  const next = await write(hook, 'leads 1')
  sender.offer(next)
  answer.resolve()
  await kept(3, hook)
  expect(arrived(hook)).toEqual([first, early[0]!.id, next[0]!.id])
})

test('a delivery whose id was drawn before one that is sent already goes out at its offer, before later ones', async () => {
  const { hook, first } = await openLane()
  let replayed: DueDelivery[] = []
  const late = await scratch.database.transaction(async (tx) => {
    const drawn = await writeIn(tx, hook, 'leads 2')
    replayed = await write(hook, 'leads 1')
    sender.doubt()
    await kept(2, hook)
    return drawn
  })
  expect(late[0]!.id).toBeLessThan(replayed[0]!.id)
  sender.offer(late)
  const next = await write(hook, 'leads 2')
  sender.offer(next)
  await kept(4, hook)
  expect(arrived(hook)).toEqual([first, replayed[0]!.id, late[0]!.id, next[0]!.id])
})

test('a delivery that is offered right after the first secret was made leaves signed', async () => {
  const { hook } = await openLane()
  const written = await write(hook, 'leads 1')
  const { kontor, id } = account
  const actor = serverItself(id, kontor.now())
  await scratch.database.transaction((tx) => renewWebhookSecret(tx, actor, kontor, hook.id, 0))
  sender.offer(written)
  await kept(2, hook)
  const [, arrival] = receiver.arrivals.filter(({ path }) => path === hook.path)
  expect(arrival!.headers).toHaveProperty('webhook-signature')
})

test('a subscription goes on when the database refuses the ends of many of its attempts', async () => {
  const hook = await subscribe()
  const change = (text: ReturnType<typeof sql>) =>
    scratch.database.transaction((tx) => tx.rows(text))
  await change(sql`alter table delivery_attempts add constraint no_teapot check (status <> 418)`)
  receiver.behave(hook.path, { status: 418 })
  const records = Array.from({ length: 150 }, (_, index) => `leads ${index}`)
  const written = await write(hook, ...records)
  sender.wake()
  await heard(hook, 150)
  receiver.behave(hook.path, {})
  const [last] = await write(hook, 'leads 1')
  sender.doubt()
  await kept(1, hook)
  const ids = [...written, last!].map(({ id }) => id)
  expect(arrived(hook).toSorted((one, other) => one - other)).toEqual(ids)
  await change(sql`alter table delivery_attempts drop constraint no_teapot`)
})
