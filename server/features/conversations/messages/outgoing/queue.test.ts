// The queues of chats while callbacks are inserted and end at once: none is left asleep, and those of
// a chat go out in their order.
import sql from 'sql-template-tag'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { atSomeMoment } from '../../../../../test/moments.ts'
import { scratchDatabase } from '../../../../../test/scratch.ts'
import type { Scratch } from '../../../../../test/scratch.ts'
import type { Tx } from '../../../../database/connect.ts'
import { finishCallbacks } from './delivery.ts'
import { callbackOfMessage, insertCallbacks, lockQueues, putOff, takeCallbacks } from './queries.ts'
import type { DueCallback, NewCallback } from './queries.ts'

const account_id = 1
const channelOf = (chat: number) => `00000000-0000-4000-8000-00000000000${chat % 2}`
let scratch: Scratch

beforeAll(async () => {
  scratch = await scratchDatabase()
  await scratch.database.list(sql`
    insert into accounts (id, subdomain, name, created_at, updated_at) values (${account_id}, 'queues', 'Queues', 0, 0)`)
  for (const chat of [0, 1])
    await scratch.database.list(sql`
      insert into channels (account_id, id, name, bot_name, secret, created_by, created_at, updated_at)
      values (${account_id}, ${channelOf(chat)}::uuid, 'Line', 'Line', '', 0, 0, 0)`)
})
afterAll(() => scratch.drop())

const work = <T>(verb: (tx: Tx) => Promise<T>) => scratch.database.transaction(verb)

let messages = 0
const callbackIn = (chat_id: number): NewCallback => ({
  account_id,
  chat_id,
  channel_id: channelOf(chat_id),
  message_id: ++messages,
})
const insert = (tx: Tx, callbacks: NewCallback[]) => tx.rows(insertCallbacks(callbacks, 0))

const take = (at = 1, until = 10, underWay = new Map<string, number>(), known: number[] = []) => {
  const room = { most: 256, mostOfChannel: 16, underWay, known }
  return work((tx) => tx.rows<DueCallback>(takeCallbacks(at, until, room)))
}
const messagesOf = (callbacks: DueCallback[]) => callbacks.map(({ message_id }) => message_id)

/** The chats with callbacks whose queue is not at their first one. */
const asleep = () =>
  scratch.database.list(sql`
    select chat_id, first.id, queue.callback_id
      from (select account_id, chat_id, min(id) as id from chat_callbacks group by account_id, chat_id) first
      full join chat_queues queue using (account_id, chat_id)
     where queue.callback_id is distinct from first.id`)

/** Waits until a statement waits for a lock. */
const blocked = () =>
  expect
    .poll(async () => {
      const waiting = sql`
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      return (await scratch.database.rows(waiting)).length
    })
    .toBe(1)

/** Ends a callback; whether it had not ended before. */
const finishCallback = async (tx: Tx, callback: DueCallback, nowMs: number) =>
  (await finishCallbacks(tx, account_id, [callback], nowMs)).has(callback.id)

/** Does two things at once: the second begins before the first commits, and has to wait for it. */
async function overlapping<T>(first: (tx: Tx) => Promise<T>, second: (tx: Tx) => Promise<unknown>) {
  const gate = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const one = work(async (tx) => {
    await first(tx)
    begun.resolve()
    await gate.promise
  })
  await begun.promise
  const two = work(second)
  await blocked()
  gate.resolve()
  await Promise.all([one, two])
}

test.each<['insert' | 'end', number]>([
  ['insert', 11],
  ['end', 12],
])(
  'where the %s comes first, the other waits, and no callback is left asleep',
  async (which, chat) => {
    const [former, later] = [callbackIn(chat), callbackIn(chat)]
    await work((tx) => insert(tx, [former]))
    const [taken] = await take()
    expect(taken).toMatchObject(former)
    const inserted = (tx: Tx) => insert(tx, [later])
    const ended = async (tx: Tx) => expect(await finishCallback(tx, taken!, 5)).toBe(true)
    if (which === 'insert') await overlapping(inserted, ended)
    else await overlapping(ended, inserted)
    expect(await asleep()).toEqual([])
    const [next] = await take(5)
    expect(next).toMatchObject({ ...later, attempts: 0 })
    await work((tx) => finishCallback(tx, next!, 5))
    expect(await scratch.database.rows(sql`select from chat_queues`)).toEqual([])
  },
)

test('only the first callback of a chat is due, with its attempts, and the next one has none', async () => {
  const [one, two, elsewhere] = [callbackIn(21), callbackIn(21), callbackIn(23)]
  await work((tx) => insert(tx, [one, elsewhere, two, one]))
  const [first, other] = await take()
  expect([first, other]).toMatchObject([one, elsewhere])
  expect(await take()).toEqual([])
  await work((tx) => tx.rows(putOff(account_id, [{ ...first!, attempts: 3, due_at: 7 }])))
  expect(await take(6)).toEqual([])
  expect(await take(7)).toMatchObject([{ ...one, attempts: 3 }])
  const waiting = await scratch.database.row<DueCallback>(
    callbackOfMessage({ accountId: account_id, at: 0 }, two.message_id),
  )
  await work((tx) => finishCallback(tx, waiting!, 8))
  expect(await asleep()).toEqual([])
  await work((tx) => insert(tx, [two]))
  await work((tx) => finishCallback(tx, first!, 8))
  expect(await work((tx) => finishCallback(tx, first!, 9))).toBe(false)
  // The end of a callback that has ended puts nothing off.
  await work((tx) => tx.rows(putOff(account_id, [{ ...first!, due_at: 1000 }])))
  const [last] = await take(8)
  expect(last).toMatchObject({ ...two, attempts: 0 })
  for (const callback of [last!, other!]) await work((tx) => finishCallback(tx, callback, 9))
  expect(await scratch.database.rows(sql`select from chat_queues`)).toEqual([])
})

test('a channel gets its share, those in hand are passed over, and a locked queue delays no other', async () => {
  const chats = Array.from({ length: 40 }, (_, n) => 100 + n)
  const callbacks = chats.map(callbackIn)
  await work((tx) => insert(tx, callbacks))
  const [even, odd] = [channelOf(0), channelOf(1)]
  const known = (await take(1, 1)).filter(({ channel_id }) => channel_id === even)
  expect(known).toHaveLength(16)
  const room = new Map([
    [even, 14],
    [odd, 16],
  ])
  const taken = await take(
    1,
    1,
    room,
    known.map(({ id }) => id),
  )
  const free = callbacks.filter(({ channel_id }) => channel_id === even).slice(16, 18)
  expect(messagesOf(taken)).toEqual(free.map(({ message_id }) => message_id))
  await work(async (tx) => {
    await tx.rows(sql`select from chat_queues where chat_id = 100 for update`)
    expect(messagesOf(await take(1, 1)).length).toBe(31)
  })
  await work((tx) => tx.rows(sql`delete from chat_queues`))
  await work((tx) => tx.rows(sql`delete from chat_callbacks`))
})

// One follower inserts, several senders take, repeat and end, and users send messages again, in few
// chats, until nothing waits any more.
test('many at once leave nothing asleep, and a chat goes out in its order', async () => {
  const chats = [31, 32, 33]
  const rounds = 120
  const sent = new Map(chats.map((chat) => [chat, [] as number[]]))
  const renewed: NewCallback[] = []
  const writing = new AbortController()
  let at = 0
  const random = seeded(20_260_724)

  async function follower() {
    for (let round = 0; round < rounds; round++) {
      const fresh = Array.from({ length: 1 + random(4) }, () => callbackIn(chats[random(3)]!))
      const again = renewed.splice(0)
      await work(async (tx) => {
        await insert(tx, [...again, ...fresh])
        await pause()
      })
    }
    writing.abort()
  }
  async function sender() {
    while (!writing.signal.aborted) {
      const due = await take(++at, at + 1_000_000)
      await endAll(due)
    }
  }
  /** One by one, or together, as the sender does. */
  const endAll = (due: DueCallback[]) =>
    random(2) === 0 ? end(due) : Promise.all(due.map((callback) => end([callback])))
  async function end(callbacks: DueCallback[]) {
    const { later = [], over = [] } = Object.groupBy(callbacks, () =>
      random(5) === 0 ? 'later' : 'over',
    )
    if (later.length > 0)
      await work(async (tx) => {
        const chatIds = later.map(({ chat_id }) => chat_id)
        await tx.rows(lockQueues(account_id, chatIds))
        await pause()
        const attempted = later.map((each) => ({ ...each, attempts: each.attempts + 1 }))
        await tx.rows(
          putOff(
            account_id,
            attempted.map((each) => ({ ...each, due_at: ++at })),
          ),
        )
      })
    if (over.length > 0)
      await work(async (tx) => {
        const ended = await finishCallbacks(tx, account_id, over, ++at)
        for (const { id, chat_id } of over) if (ended.has(id)) sent.get(chat_id)!.push(id)
        await pause()
      })
  }
  async function user() {
    while (!writing.signal.aborted) {
      const message = 1 + random(messages)
      await work(async (tx) => {
        const former = await tx.row<DueCallback>(
          callbackOfMessage({ accountId: account_id, at: 0 }, message),
        )
        if (former && (await finishCallback(tx, former, ++at)))
          renewed.push({ ...former, channel_id: channelOf(former.chat_id), message_id: message })
        await pause()
      })
    }
  }
  const pause = () => atSomeMoment(4, () => random(1000) / 1000)

  await Promise.all([follower(), sender(), sender(), user()])
  await work((tx) => insert(tx, renewed.splice(0)))
  for (let due = await take(++at, at); due.length > 0; due = await take(++at, at)) await endAll(due)
  expect(await asleep()).toEqual([])
  expect(await scratch.database.rows(sql`select from chat_callbacks`)).toEqual([])
  expect(await scratch.database.rows(sql`select from chat_queues`)).toEqual([])
  for (const ids of sent.values()) {
    expect(ids.length).toBeGreaterThan(10)
    expect(ids).toEqual(ids.toSorted((one, two) => one - two))
  }
})

/** Whole numbers below a bound, the same for the same seed (mulberry32). */
function seeded(seed: number) {
  let state = seed
  return (below: number) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}
