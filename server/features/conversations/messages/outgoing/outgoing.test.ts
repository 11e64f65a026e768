// From the account to the channel: messages that users and programs write, their callbacks, and what
// the channel says of them.
import pino from 'pino'
import sql, { raw } from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { newAccount } from '../../../../../test/account.ts'
import type { TestAccount, TestUser } from '../../../../../test/account.ts'
import { rowsOf } from '../../../../../test/account-data.ts'
import { chatPath, connect, hmac, sendSigned } from '../../../../../test/channels.ts'
import { personOf, published } from '../../../../../test/chats.ts'
import { client } from '../../../../../test/client.ts'
import type { Client } from '../../../../../test/client.ts'
import { newPair } from '../../../../../test/oauth.ts'
import { addIncoming, addLine, addTestChat } from '../../../../../test/outgoing.ts'
import type { TestChat, TestLine } from '../../../../../test/outgoing.ts'
import { openReceiver } from '../../../../../test/receiver.ts'
import type { Behaviour, Receiver } from '../../../../../test/receiver.ts'
import { addRecord } from '../../../../../test/records.ts'
import { scratchDatabase } from '../../../../../test/scratch.ts'
import type { Scratch } from '../../../../../test/scratch.ts'
import { entities } from '../../../../entities.ts'
import { follow } from '../../../../changes/follow.ts'
import { openDeliveryAttempts } from '../../../../outgoing/attempt.ts'
import type { Kontor } from '../../../../kontor.ts'
import { setAccount } from '../../../people/accounts/accounts.ts'
import { startDeliveries } from '../../../programs/webhooks/deliveries/deliveries.ts'
import { callbackFollower } from './follower.ts'
import { startCallbacks } from './start.ts'
import type { Sending } from '../../../../outgoing/sender.ts'
import { openCallbackSender } from './engine.ts'

const timeoutMs = 1500
const denied = { view: 'D', edit: 'D', add: 'D', delete: 'D', export: 'D' } as const
const nothing = { leads: denied, contacts: denied, companies: denied }
let scratch: Scratch
let account: TestAccount
let receiver: Receiver
let callbacks: Sending
/** The clock of the senders, which stands still until a test moves it. */
let at = Date.now()
const nowMs = () => at

beforeAll(async () => {
  scratch = await scratchDatabase()
  receiver = await openReceiver()
  account = await newAccount({
    databaseUrl: scratch.url,
    privateHooks: 'loopback',
    rateLimitScope: 0,
    rateLimitAddress: 0,
  })
  callbacks = start()
  await callbacks.ready
})
afterAll(async () => {
  await callbacks.stop()
  await receiver.close()
  await scratch.drop()
})

const log = pino({ level: 'silent' })
const start = () => startCallbacks(account.kontor, log, { nowMs, timeoutMs })

let paths = 0
interface Hooked extends TestLine {
  path: string
}

/** A channel with an address of its own at the receiver, which the account is connected to. */
async function line({
  version = 'v2',
  in: whose = account,
  url = receiver.url,
}: { version?: 'v1' | 'v2'; in?: TestAccount; url?: string } = {}): Promise<Hooked> {
  const path = `/line/${++paths}`
  const channel = await addLine(whose, { version, [`hook_${version}`]: url + path })
  return { ...channel, path }
}

const arrived = ({ path }: Pick<Hooked, 'path'>) =>
  receiver.arrivals.filter((each) => each.path === path)
const bodies = (channel: Pick<Hooked, 'path'>) =>
  arrived(channel).map(({ body }) => JSON.parse(body))
const textsOf = (channel: Hooked) => bodies(channel).map(({ message }) => message.message.text)
const heard = (channel: Hooked, count: number) =>
  expect.poll(() => arrived(channel).length, { timeout: 10_000 }).toBe(count)

async function write(chat: { id: number }, text: string, api: Client = account.api) {
  const answer = await api.post(`/web/v1/chats/${chat.id}/messages`, { text })
  expect(answer.status).toBe(201)
  return answer.body
}

interface State {
  status: string
  error_code: number | null
  error: string | null
}

/** The state of a message as it is stored. */
async function stateOf(id: number): Promise<State> {
  const found = await scratch.database.row<State>(
    sql`select status, error_code, error from messages where id = ${id}`,
  )
  return found!
}
const becomes = (id: number, status: string) =>
  expect.poll(async () => (await stateOf(id)).status, { timeout: 10_000 }).toBe(status)
const waiting = async ({ id }: { id: number }) =>
  (await scratch.database.rows(sql`select from chat_callbacks where chat_id = ${id}`)).length

/** The rows of the account once no message is on its way any more. */
async function rowsAtRest() {
  const leaving = sql`select from messages where account_id = ${account.id} and status = 'sending'`
  await expect
    .poll(async () => (await scratch.database.rows(leaving)).length, { timeout: 10_000 })
    .toBe(0)
  return rowsOf(account)
}

/** Lets time pass until what waits for so many seconds is due. */
function pass(seconds: number) {
  at += seconds * 1000
  callbacks.wake()
}
/** A later message of another channel has been sent: whatever was due before it has gone out. */
async function dueHasGone() {
  const { id } = await write(await addTestChat(account, await line()), 'Later')
  await becomes(id, 'sent')
}

/** Waits until so many failed attempts of the first callback of a chat are kept. */
const putOff = ({ id }: { id: number }, attempts: number) => {
  const kept = sql`select attempts from chat_queues where chat_id = ${id}`
  return expect.poll(() => scratch.database.list(kept)).toEqual([{ attempts }])
}

const reportStatus = (
  { scope, secret }: Pick<TestLine, 'scope' | 'secret'>,
  uid: string,
  body: object,
  whose = account,
) => sendSigned(whose, secret, 'POST', `${chatPath}/${scope}/${uid}/delivery_status`, body)

const journalOf = (type: string, id: number) =>
  scratch.database.rows<{ actions: string[]; before: object | null }>(
    sql`select actions, before from journal where entity_type = ${type} and entity_id = ${id} order by id`,
  )

describe('a message', () => {
  test('leaves as a signed callback of version 2, and is sent once the channel has answered', async () => {
    const channel = await line()
    const chat = await addTestChat(account, channel)
    const incoming = await addIncoming(account, chat, { text: 'When?' })
    const answer = await account.api.post(`/web/v1/chats/${chat.id}/messages`, {
      text: 'Ready at 5 — готово',
      reply_to: incoming.id,
      template_id: 1,
    })
    expect(answer.status).toBe(201)
    const sent = answer.body
    expect(sent).toEqual({
      id: expect.any(Number),
      uid: expect.stringMatching(/^[\da-f-]{36}$/),
      chat_id: chat.id,
      talk_id: expect.any(Number),
      is_outgoing: true,
      user_id: account.admin.id,
      contact_id: chat.contactId,
      entity_type: null,
      entity_id: null,
      type: 'text',
      text: 'Ready at 5 — готово',
      content: {},
      file_id: null,
      reply_to: incoming.id,
      msec_timestamp: expect.any(Number),
      status: 'sending',
      error_code: null,
      error: null,
      created_at: expect.any(Number),
      updated_at: expect.any(Number),
      _links: { self: { href: `${account.kontor.url}/web/v1/messages/${sent.id}` } },
    })
    await heard(channel, 1)
    const [{ method, headers, body }] = arrived(channel) as [ReturnType<typeof arrived>[0]]
    expect([method, headers['content-type'], headers['x-signature']]).toEqual([
      'POST',
      'application/json',
      hmac(channel.secret, Buffer.from(body)),
    ])
    expect(body).toBe(JSON.stringify(JSON.parse(body)))
    const { amojo_id, name } = (await scratch.database.row<{ amojo_id: string; name: string }>(
      sql`select amojo_id, name from users where id = ${account.admin.id}`,
    ))!
    const received = JSON.parse(body)
    const outside = { id: chat.client.uid, client_id: chat.client.id, name: chat.client.name }
    expect(received).toEqual({
      account_id: channel.amojoId,
      time: expect.any(Number),
      message: {
        receiver: { ...outside, phone: '+15550100', email: '' },
        sender: { id: amojo_id, name },
        conversation: { id: chat.uid, client_id: chat.conversationId },
        timestamp: Math.floor(sent.msec_timestamp / 1000),
        msec_timestamp: sent.msec_timestamp,
        message: {
          id: sent.uid,
          type: 'text',
          text: 'Ready at 5 — готово',
          media: '',
          thumbnail: '',
          file_name: '',
          file_size: 0,
          tag: '',
          reply_to: {
            message: expect.objectContaining({ id: incoming.uid, text: 'When?', sender: outside }),
          },
        },
      },
    })
    await becomes(sent.id, 'sent')
    expect(await waiting(chat)).toBe(0)
    expect(await journalOf('messages', sent.id)).toEqual([
      { actions: ['send'], before: null },
      { actions: ['update'], before: { status: 'sending' } },
    ])
  })

  test('leaves as a callback of version 1 where the account is connected so', async () => {
    const channel = await line({ version: 'v1' })
    const chat = await addTestChat(account, channel)
    const { msec_timestamp } = await write(chat, 'Hello')
    await heard(channel, 1)
    const [{ headers, body }] = arrived(channel) as [ReturnType<typeof arrived>[0]]
    expect(headers['x-signature']).toBe(hmac(channel.secret, body))
    expect(JSON.parse(body)).toEqual({
      receiver: chat.client.id,
      conversation_id: chat.conversationId,
      type: 'text',
      text: 'Hello',
      media: '',
      thumbnail: '',
      file_name: '',
      file_size: 0,
      msec_timestamp,
    })
  })

  test('opens a talk, leaves nothing unread, and stands behind those before it', async () => {
    const channel = await line()
    const chat = await addTestChat(account, channel)
    const soon = await addIncoming(account, chat, { ago: -5 })
    const one = await write(chat, 'One')
    const two = await write(chat, 'Two')
    expect([one.msec_timestamp, two.msec_timestamp]).toEqual([soon.msec + 1, soon.msec + 2])
    expect(two.talk_id).toBe(one.talk_id)
    const stored = await scratch.database.row(
      sql`select unread, waiting_since, last_message_id, is_visible, talk_id from chats where id = ${chat.id}`,
    )
    expect(stored).toEqual({
      unread: 0,
      waiting_since: null,
      last_message_id: two.id,
      is_visible: true,
      talk_id: one.talk_id,
    })
    await addIncoming(account, chat, { ago: -86_400 })
    const three = await write(chat, 'Three')
    expect(Math.abs(three.msec_timestamp - Date.now())).toBeLessThan(60_000)
  })

  test.each([
    {},
    { text: '' },
    { text: ' ' },
    { text: 'x'.repeat(20_001) },
    { text: 'x', reply_to: 1 },
    { text: 'x', reply_to: '1a' },
    { text: 'x', user_id: 1 },
    { text: 5 },
  ])('is not written from %j', async (draft) => {
    const chat = await addTestChat(account, await line())
    const before = await rowsAtRest()
    const answer = await account.api.post(`/web/v1/chats/${chat.id}/messages`, draft)
    expect(answer.status).toBe(400)
    expect(await rowsOf(account)).toEqual(before)
  })

  test('answers no message of another chat, and 20,000 characters are not too many', async () => {
    const channel = await line()
    const [chat, next] = [await addTestChat(account, channel), await addTestChat(account, channel)]
    const { id: reply_to } = await addIncoming(account, next)
    const path = `/web/v1/chats/${chat.id}/messages`
    expect((await account.api.post(path, { text: 'x', reply_to })).status).toBe(400)
    await write(chat, '👍'.repeat(20_000))
  })

  test('is written by those who may edit the contact, in a connected and paid account', async () => {
    const channel = await line()
    const mine = await account.addUser({
      rights: { contacts: { view: 'M', edit: 'M', add: 'A', delete: 'D', export: 'D' } },
    })
    const reader = await account.addUser({
      rights: { contacts: { view: 'A', edit: 'D', add: 'D', delete: 'D', export: 'D' } },
    })
    const own = await addTestChat(account, channel, { responsible: mine.id })
    const foreign = await addTestChat(account, channel)
    const other = await newAccount({
      databaseUrl: scratch.url,
      privateHooks: 'loopback',
      rateLimitScope: 0,
      rateLimitAddress: 0,
    })
    const theirs = await addTestChat(other, await line({ in: other }))
    const post = async (api: Client, { id }: { id: number }) =>
      (await api.post(`/web/v1/chats/${id}/messages`, { text: 'x' })).status
    expect(await post(mine.api, own)).toBe(201)
    expect(await post(mine.api, foreign)).toBe(403)
    expect(await post(reader.api, own)).toBe(403)
    expect(await post(other.api, own)).toBe(404)
    expect(await post(account.api, { id: 1 })).toBe(404)
    const { database, now } = account.kontor
    await database.transaction((tx) => setAccount(tx, now(), other.subdomain, { isUnpaid: true }))
    // The token is remembered until word of the change arrives.
    await expect.poll(() => post(other.api, theirs)).toBe(402)
    const body = { account_id: channel.amojoId }
    await sendSigned(
      account,
      channel.secret,
      'DELETE',
      `${chatPath}/${channel.id}/disconnect`,
      body,
    )
    const before = await rowsAtRest()
    expect(await post(account.api, own)).toBe(422)
    expect(await rowsOf(account)).toEqual(before)
  })

  test('is told to webhooks once, and to the event log and the browsers of those who may know', async () => {
    const channel = await line()
    const lead = await addRecord(account.api, 'leads', { name: 'A deal' })
    const chat = await addTestChat(account, channel, { lead })
    const bare = await addTestChat(account, channel)
    const stranger = await account.addUser({ rights: nothing })
    const deliveries = startDeliveries(account.kontor, entities, log)
    await deliveries.ready
    onTestFinished(() => deliveries.stop())
    const path = `/hook/${++paths}`
    const destination = receiver.url + path
    const settings = ['add_outgoing_message', 'add_message']
    const hook = await account.api.post('/api/v4/webhooks', { destination, settings })
    const [ofAdmin, ofStranger] = [await browser(account.admin), await browser(stranger)]
    const sent = await write(chat, 'Hello')
    await becomes(sent.id, 'sent')
    expect((await reportStatus(channel, sent.uid, { delivery_status: 2 })).status).toBe(200)
    const second = await write(bare, 'To the contact')
    await becomes(second.id, 'sent')
    const third = await write(bare, 'And one more')
    await becomes(third.id, 'sent')
    await expect.poll(() => arrived({ path }).length, { timeout: 10_000 }).toBe(3)
    const notices = arrived({ path }).map(({ body }) => new URLSearchParams(body))
    expect(notices.map((each) => each.get('outgoing_message[add][0][id]'))).toEqual([
      sent.uid,
      second.uid,
      third.uid,
    ])
    expect(notices[0]!.get('outgoing_message[add][0][author][user_id]')).toBe(
      String(account.admin.id),
    )
    const events = await account.api.get('/api/v4/events?filter[type]=outgoing_chat_message')
    const found = events.body._embedded.events.filter(({ value_after }: { value_after: object }) =>
      [sent.uid, second.uid].some((uid) => JSON.stringify(value_after).includes(uid)),
    )
    const after = ({ uid }: { uid: string }) => [{ message: { id: uid } }]
    expect(found).toHaveLength(2)
    expect(found).toContainEqual(
      expect.objectContaining({ entity_type: 'lead', entity_id: lead, value_after: after(sent) }),
    )
    expect(found).toContainEqual(
      expect.objectContaining({
        entity_type: 'contact',
        entity_id: bare.contactId,
        value_after: after(second),
      }),
    )
    await expect
      .poll(() => ofAdmin().filter((each) => each.startsWith('messages')))
      .toEqual([
        'messages send',
        'messages update',
        'messages update',
        'messages send',
        'messages update',
        'messages send',
        'messages update',
      ])
    expect(ofStranger()).toEqual([])
    await account.api.delete('/api/v4/webhooks', { destination: hook.body.destination })
  })

  async function browser({ token }: TestUser) {
    const stop = new AbortController()
    onTestFinished(() => stop.abort())
    const response = await fetch(`${account.kontor.url}/web/v1/stream`, {
      headers: { authorization: `Bearer ${token}` },
      signal: stop.signal,
    })
    let text = ''
    const reading = (async () => {
      for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) text += chunk
    })()
    reading.catch(() => undefined)
    await expect.poll(() => text).toContain('event: ready')
    return () =>
      [...text.matchAll(/data: (\{.*"entity_type".*\})\n/g)]
        .map(([, data]) => JSON.parse(data!) as { entity_type: string; actions: string[] })
        .map(({ entity_type, actions }) => `${entity_type} ${actions.join(' ')}`)
  }
})

describe('a callback', () => {
  test('goes out in the order of its chat, which waits for repeats, and others go on', async () => {
    const channel = await line()
    const [chat, next] = [await addTestChat(account, channel), await addTestChat(account, channel)]
    receiver.behave(channel.path, { status: 503 }, { status: 429 }, {})
    const one = await write(chat, 'One')
    await heard(channel, 1)
    await write(chat, 'Two')
    await write(chat, 'Three')
    await putOff(chat, 1)
    await dueHasGone()
    expect(textsOf(channel)).toEqual(['One'])
    pass(4)
    await dueHasGone()
    expect(textsOf(channel)).toEqual(['One'])
    pass(2)
    await heard(channel, 2)
    await expect
      .poll(async () => (await connectionOf(channel)).last_error)
      .toBe('The channel is busy: it answered with status 429')
    await putOff(chat, 2)
    await write(next, 'Elsewhere')
    await heard(channel, 3)
    pass(26)
    await dueHasGone()
    expect(textsOf(channel)).toEqual(['One', 'One', 'Elsewhere'])
    expect(await stateOf(one.id)).toMatchObject({ status: 'sending' })
    pass(6)
    await heard(channel, 6)
    expect(textsOf(channel)).toEqual(['One', 'One', 'Elsewhere', 'One', 'Two', 'Three'])
    const ids = bodies(channel).map(({ message }) => message.message.id)
    expect([ids[1], ids[3]]).toEqual([ids[0], ids[0]])
    await becomes(one.id, 'sent')
    expect((await connectionOf(channel)).last_error).toBeNull()
  })

  async function connectionOf({ scope }: TestLine) {
    const { body } = await account.api.get('/web/v1/channel-connections')
    return body._embedded.connections.find(
      ({ scope_id }: { scope_id: string }) => scope_id === scope,
    )
  }

  test('that cannot arrive is repeated four times, and then shown as an error', async () => {
    const gone = await openReceiver()
    await gone.close()
    const channel = await line({ url: gone.url })
    const chat = await addTestChat(account, channel)
    const { id } = await write(chat, 'One')
    const later = await write(chat, 'Two')
    const attemptsOf = async (message: number) =>
      (
        await scratch.database.row<{ attempts: number }>(
          sql`select queue.attempts from chat_callbacks callback join chat_queues queue on callback_id = callback.id where message_id = ${message}`,
        )
      )?.attempts ?? 'ended'
    for (const [made, seconds] of [5, 30, 120, 600].entries()) {
      await expect.poll(() => attemptsOf(id), { timeout: 10_000 }).toBe(made + 1)
      expect(await stateOf(id)).toMatchObject({ status: 'sending' })
      pass(seconds + 1)
    }
    await becomes(id, 'error')
    expect(await stateOf(id)).toEqual({
      status: 'error',
      error_code: 902,
      error: 'The channel cannot be reached (it refuses connections)',
    })
    // The next time is counted from the end of the attempt, so the clock is moved only then.
    await expect.poll(() => attemptsOf(later.id), { timeout: 10_000 }).toBe(1)
    expect(await stateOf(later.id)).toMatchObject({ status: 'sending' })
    const fresh = await openReceiver({ port: gone.port })
    pass(6)
    await becomes(later.id, 'sent')
    expect(fresh.arrivals).toHaveLength(1)
    await fresh.close()
  })

  test.each<[string, Behaviour, string]>([
    ['500', { status: 500 }, 'The channel answered with status 500, not with 200'],
    ['404', { status: 404 }, 'The channel answered with status 404, not with 200'],
    ['204', { status: 204 }, 'The channel answered with status 204, not with 200'],
    [
      'a redirect',
      { status: 302, headers: { location: '/elsewhere' } },
      'The channel answered with status 302, not with 200',
    ],
    ['silence', { instead: 'silence' }, 'The channel did not answer in 1.5 seconds'],
    ['a reset', { instead: 'reset' }, 'The connection to the channel broke before it answered'],
    ['a close', { instead: 'close' }, 'The connection to the channel broke before it answered'],
  ])(
    'that is answered with %s is not repeated: the message shows it',
    async (_what, how, error) => {
      const channel = await line()
      const chat = await addTestChat(account, channel)
      receiver.behave(channel.path, how, {})
      const failed = await write(chat, 'One')
      const later = await write(chat, 'Two')
      await becomes(failed.id, 'error')
      expect(await stateOf(failed.id)).toEqual({ status: 'error', error_code: 903, error })
      await becomes(later.id, 'sent')
      pass(1000)
      await dueHasGone()
      expect(textsOf(channel)).toEqual(['One', 'Two'])
      expect(receiver.arrivals.filter(({ path }) => path === '/elsewhere')).toEqual([])
    },
  )

  test('of a busy channel goes out again when the channel has asked for it', async () => {
    const channel = await line()
    receiver.behave(channel.path, { status: 503, headers: { 'retry-after': '60' } }, {})
    const chat = await addTestChat(account, channel)
    const { id } = await write(chat, 'One')
    await putOff(chat, 1)
    pass(40)
    await dueHasGone()
    expect(arrived(channel)).toHaveLength(1)
    pass(25)
    await becomes(id, 'sent')
  })

  test('that is answered with hints first is judged by the status after them', async () => {
    const channel = await line()
    receiver.behave(channel.path, { before: [100, 103], status: 200 })
    const { id } = await write(await addTestChat(account, channel), 'One')
    await becomes(id, 'sent')
  })

  test('uses no connection again that the channel may just close', async () => {
    const channel = await line()
    const chat = await addTestChat(account, channel)
    receiver.behave(channel.path, {}, { instead: 'reset' }, {})
    const [one, two] = [await write(chat, 'One'), await write(chat, 'Two')]
    await becomes(one.id, 'sent')
    await becomes(two.id, 'error')
    expect(new Set(arrived(channel).map(({ connection }) => connection)).size).toBe(2)
  })

  test('of a channel that was disconnected, deleted or has no address fails at once', async () => {
    const [off, deleted, bare] = [await line(), await line(), await addLine(account)]
    const { path } = off
    receiver.behave(path, { status: 503 })
    receiver.behave(deleted.path, { status: 503 })
    const chats = [await addTestChat(account, off), await addTestChat(account, deleted)] as const
    const sent = [await write(chats[0], 'One'), await write(chats[1], 'One')]
    for (const chat of chats) await putOff(chat, 1)
    const { id, secret, amojoId: account_id } = off
    await sendSigned(account, secret, 'DELETE', `${chatPath}/${id}/disconnect`, { account_id })
    await account.api.delete(`/web/v1/channels/${deleted.id}`)
    pass(6)
    for (const { id } of sent) {
      await becomes(id, 'error')
      expect(await stateOf(id)).toMatchObject({
        error_code: 902,
        error: 'The account is not connected to the channel',
      })
    }
    const { id: third } = await write(await addTestChat(account, bare), 'One')
    await becomes(third, 'error')
    expect(await stateOf(third)).toMatchObject({
      error_code: 902,
      error: 'The channel has no address for callbacks of version v2',
    })
    expect([arrived(off).length, arrived(deleted).length]).toEqual([1, 1])
  })

  test('of version 1 cannot begin a chat', async () => {
    const channel = await line()
    const chat = await addTestChat(account, channel)
    await scratch.database.transaction((tx) =>
      tx.rows(sql`update chats set conversation_id = null where id = ${chat.id}`),
    )
    receiver.behave(channel.path, { status: 503 })
    const { id } = await write(chat, 'One')
    await putOff(chat, 1)
    await account.api.patch(`/web/v1/channels/${channel.id}`, { hook_v1: receiver.url })
    await connect(account, channel, { account_id: channel.amojoId, hook_api_version: 'v1' })
    pass(6)
    await becomes(id, 'error')
    expect(await stateOf(id)).toMatchObject({ error_code: 904 })
  })

  test('is shown to the owner of the channel, answered or not, without the query of its address', async () => {
    const channel = await line()
    await account.api.patch(`/web/v1/channels/${channel.id}`, {
      hook_v2: `${receiver.url}${channel.path}?key=secret`,
    })
    receiver.behave(channel.path, { status: 404 })
    const chat = await addTestChat(account, channel)
    const { id } = await write(chat, 'One')
    await becomes(id, 'error')
    const { calls } = (await account.api.get(`/web/v1/channels/${channel.id}/calls`)).body._embedded
    expect(calls.filter((call: { is_incoming: boolean }) => !call.is_incoming)).toMatchObject([
      { method: 'POST', path: receiver.url + channel.path, status: 404, fault: null },
    ])
  })

  test('is not sent again once the channel has told of its message', async () => {
    const channel = await line()
    const chat = await addTestChat(account, channel)
    receiver.behave(channel.path, { status: 503 }, {})
    const { id, uid } = await write(chat, 'One')
    await putOff(chat, 1)
    await reportStatus(channel, uid, { delivery_status: 1 })
    pass(6)
    await expect.poll(() => waiting(chat)).toBe(0)
    expect([arrived(channel).length, (await stateOf(id)).status]).toEqual([1, 'delivered'])
  })

  test('does not set a message back that the channel tells of before it answers', async () => {
    const channel = await line()
    const chat = await addTestChat(account, channel)
    const gate = Promise.withResolvers<void>()
    receiver.behave(channel.path, { until: gate.promise, status: 500 }, {})
    const { id, uid } = await write(chat, 'One')
    await heard(channel, 1)
    expect((await reportStatus(channel, uid, { delivery_status: 2 })).status).toBe(200)
    gate.resolve()
    await expect.poll(() => waiting(chat)).toBe(0)
    expect(await stateOf(id)).toMatchObject({ status: 'read', error_code: null })
  })

  test('of a slow channel does not hold up those of others, of another account say', async () => {
    const other = await newAccount({
      databaseUrl: scratch.url,
      privateHooks: 'loopback',
      rateLimitScope: 0,
      rateLimitAddress: 0,
    })
    const [slow, quick] = [await line(), await line({ in: other })]
    const gate = Promise.withResolvers<void>()
    receiver.behave(slow.path, { until: gate.promise })
    const chats: TestChat[] = []
    for (let n = 0; n < 18; n++) chats.push(await addTestChat(account, slow))
    for (const chat of chats) await write(chat, 'Slow')
    await heard(slow, 16)
    const { id } = await write(await addTestChat(other, quick), 'Quick', other.api)
    await becomes(id, 'sent')
    expect(arrived(slow)).toHaveLength(16)
    expect(bodies(quick)[0].account_id).toBe(quick.amojoId)
    gate.resolve()
    await heard(slow, 18)
  })

  test('that cannot be signed holds up its own channel only, and goes out later', async () => {
    const channel = await line()
    const broken = await addTestChat(account, channel)
    const secret = await scratch.database.row<{ secret: Buffer }>(
      sql`select secret from channels where id = ${channel.id}`,
    )
    const seal = (bytes: Buffer) =>
      scratch.database.transaction((tx) =>
        tx.rows(sql`update channels set secret = ${bytes} where id = ${channel.id}`),
      )
    await seal(Buffer.from('no secret'))
    const { id } = await write(broken, 'One')
    const due = sql`select due_at from chat_queues where chat_id = ${broken.id}`
    await expect.poll(() => scratch.database.list(due)).toEqual([{ due_at: nowMs() + 5000 }])
    await dueHasGone()
    expect([arrived(channel).length, (await stateOf(id)).status]).toEqual([0, 'sending'])
    await seal(secret!.secret)
    pass(6)
    await becomes(id, 'sent')
    expect(textsOf(channel)).toEqual(['One'])
  })

  test('whose end the database refuses holds up its own chat only, and is not sent twice', async () => {
    const channel = await line()
    const [broken, next] = [
      await addTestChat(account, channel),
      await addTestChat(account, channel),
    ]
    const alter = (change: string) =>
      scratch.database.transaction((tx) => tx.rows(raw(`alter table messages ${change}`)))
    const gate = Promise.withResolvers<void>()
    receiver.behave(channel.path, { until: gate.promise }, {})
    const { id } = await write(broken, 'One')
    await heard(channel, 1)
    await alter(`add constraint broken check (id <> ${id} or status <> 'sent') not valid`)
    gate.resolve()
    const other = await write(next, 'Two')
    await becomes(other.id, 'sent')
    pass(60)
    await dueHasGone()
    expect((await stateOf(id)).status).toBe('sending')
    await alter('drop constraint broken')
    await becomes(id, 'sent')
    expect(textsOf(channel)).toEqual(['One', 'Two'])
  })

  test.each([
    ['chat', sql`id`, 'no key update'],
    ['queue', sql`chat_id`, 'update'],
  ] as const)(
    'whose %s somebody holds is kept later, and those of other chats and accounts at once',
    async (what, key, strength) => {
      const elsewhere = await newAccount({ databaseUrl: scratch.url, privateHooks: 'loopback' })
      const [channel, foreign] = [await line(), await line({ in: elsewhere })]
      const chats = [await addTestChat(account, channel), await addTestChat(account, channel)]
      const theirs = await addTestChat(elsewhere, foreign)
      const gate = Promise.withResolvers<void>()
      for (const { path } of [channel, channel, foreign])
        receiver.behave(path, { until: gate.promise })
      const written = [
        await write(chats[0]!, 'One'),
        await write(chats[1]!, 'Two'),
        await write(theirs, 'Three', elsewhere.api),
      ]
      await heard(channel, 2)
      await heard(foreign, 1)
      const lockHeld = Promise.withResolvers<void>()
      const released = Promise.withResolvers<void>()
      const holding = scratch.database.transaction(async (tx) => {
        const table = what === 'chat' ? 'chats' : 'chat_queues'
        await tx.rows(
          sql`select from ${raw(table)} where ${key} = ${chats[0]!.id} for ${raw(strength)}`,
        )
        lockHeld.resolve()
        await released.promise
      })
      await lockHeld.promise
      gate.resolve()
      await becomes(written[1]!.id, 'sent')
      await becomes(written[2]!.id, 'sent')
      expect((await stateOf(written[0]!.id)).status).toBe('sending')
      released.resolve()
      await holding
      await becomes(written[0]!.id, 'sent')
      expect(new Set(textsOf(channel))).toEqual(new Set(['One', 'Two']))
      expect(arrived(channel)).toHaveLength(2)
    },
  )

  test('in flight as its process died goes out again with the same id, by another process', async () => {
    await callbacks.stop()
    const channel = await line()
    const chat = await addTestChat(account, channel)
    const other = await addTestChat(account, channel)
    receiver.behave(channel.path, { instead: 'silence' }, {})
    const { id, uid } = await write(chat, 'One')
    const dying = scratch.another()
    const first = dyingProcess({ ...account.kontor, database: dying })
    await heard(channel, 1)
    callbacks = start()
    await callbacks.ready
    expect(arrived(channel)).toHaveLength(1)
    first.die()
    const later = await write(other, 'Two')
    await becomes(later.id, 'sent')
    expect(textsOf(channel)).toEqual(['One', 'Two'])
    pass(10)
    await becomes(id, 'sent')
    expect(bodies(channel).map(({ message }) => message.message.id)).toEqual([uid, later.uid, uid])
    await first.end()
  })

  /** A process whose connections break while its attempts wait for their answers. */
  function dyingProcess({ database, door, signals, secrets }: Kontor) {
    const attempts = openDeliveryAttempts({ timeoutMs: 60_000, isOnce: true })
    const clients: { end(): Promise<void> }[] = []
    let isDead = false
    const dead = () => new Promise<never>(() => undefined)
    const mortal = {
      ...database,
      transaction: ((work, options) =>
        isDead ? dead() : database.transaction(work, options)) as typeof database.transaction,
      connection: async () => {
        if (isDead) return dead()
        const made = await database.connection()
        clients.push(made)
        return made
      },
    }
    const sender = openCallbackSender({
      database: mortal,
      signals,
      attempts,
      door,
      timeoutMs,
      secrets,
      log,
      nowMs,
      count: () => undefined,
      note: () => undefined,
    })
    const follower = callbackFollower({ nowMs, written: sender.wake })
    const following = follow(mortal, follower, { signals, from: 'start', log })
    return {
      die() {
        isDead = true
        for (const each of clients) void each.end()
      },
      async end() {
        void sender.stop()
        void following.stop()
        await attempts.close()
      },
    }
  }
})

describe('a file', () => {
  const png = Buffer.from('\x89PNG\r\n\x1a\n and the rest of a picture', 'latin1')

  async function upload(name: string, type: string, { token }: TestUser = account.admin) {
    const response = await fetch(`${account.kontor.url}/web/v1/files?name=${name}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': type },
      body: png,
    })
    expect(response.status).toBe(201)
    return ((await response.json()) as { id: number }).id
  }

  test('goes out as a picture with an address that the channel may read, and stands in the thread', async () => {
    const channel = await line()
    const chat = await addTestChat(account, channel)
    const path = `/web/v1/chats/${chat.id}/messages`
    const file_id = await upload('a.png', 'image/png')
    const sent = await account.api.post(path, { file_id })
    expect([sent.status, sent.body.type, sent.body.file_id]).toEqual([201, 'picture', file_id])
    await heard(channel, 1)
    const received = bodies(channel)[0].message.message
    expect(received).toMatchObject({
      type: 'picture',
      text: '',
      file_name: 'a.png',
      file_size: png.length,
      thumbnail: received.media,
    })
    const fetched = await fetch(received.media)
    expect(Buffer.from(await fetched.arrayBuffer())).toEqual(png)
    const [shown] = (await account.api.get(path)).body._embedded.messages
    expect(shown).toMatchObject({ type: 'picture', file_name: 'a.png', file_size: png.length })
    expect((await fetch(shown.media)).status).toBe(200)
  })

  test('is the own upload of the user who sends it', async () => {
    const chat = await addTestChat(account, await line())
    const path = `/web/v1/chats/${chat.id}/messages`
    const colleague = await account.addUser({ is_admin: true })
    const file_id = await upload('b.txt', 'text/plain', colleague)
    expect((await account.api.post(path, { file_id })).status).toBe(400)
    expect((await account.api.post(path, { file_id: 9_999_999 })).status).toBe(400)
    expect((await account.api.post(path, {})).status).toBe(400)
    const sent = await colleague.api.post(path, { file_id, text: 'See' })
    expect([sent.status, sent.body.type]).toEqual([201, 'picture'])
  })
})

describe('sending again', () => {
  const path = (id: number) => `/web/v1/messages/${id}/send-again`

  test('while the former attempt waits for its answer sends once more, and ends by the new one', async () => {
    const channel = await line()
    const chat = await addTestChat(account, channel)
    const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    receiver.behave(channel.path, { until: first.promise }, { until: second.promise })
    const { id, uid } = await write(chat, 'Once more')
    await heard(channel, 1)
    const received = { delivery_status: -1, error_code: 903 }
    expect((await reportStatus(channel, uid, received)).status).toBe(200)
    expect((await account.api.post(path(id), {})).body.status).toBe('sending')
    first.resolve()
    await heard(channel, 2)
    expect(await stateOf(id)).toMatchObject({ status: 'sending' })
    second.resolve()
    await becomes(id, 'sent')
    expect(bodies(channel).map(({ message }) => message.message.id)).toEqual([uid, uid])
    expect(await waiting(chat)).toBe(0)
  })

  test('is for messages that failed, and only for those', async () => {
    const channel = await line()
    const chat = await addTestChat(account, channel)
    receiver.behave(channel.path, { status: 500 }, {})
    const { id, uid } = await write(chat, 'One')
    await becomes(id, 'error')
    const again = await account.api.post(path(id), {})
    expect([again.status, again.body.status, again.body.error, again.body.uid]).toEqual([
      200,
      'sending',
      null,
      uid,
    ])
    await becomes(id, 'sent')
    expect(bodies(channel).map(({ message }) => message.message.id)).toEqual([uid, uid])
    expect(await journalOf('messages', id)).toEqual([
      { actions: ['send'], before: null },
      { actions: ['update'], before: { status: 'sending', error_code: null, error: null } },
      {
        actions: ['update'],
        before: {
          status: 'error',
          error_code: 903,
          error: 'The channel answered with status 500, not with 200',
        },
      },
      { actions: ['update'], before: { status: 'sending' } },
    ])
    const before = await rowsAtRest()
    expect((await account.api.post(path(id), {})).status).toBe(422)
    const incoming = await addIncoming(account, chat)
    expect((await account.api.post(path(incoming.id), {})).status).toBe(404)
    expect((await account.api.post(path(1), {})).status).toBe(404)
    expect((await rowsOf(account)).journal).toEqual(before.journal)
  })

  test('needs a right to the contact, a connection, and a message that was written here', async () => {
    const channel = await line()
    const chat = await addTestChat(account, channel)
    receiver.behave(channel.path, { status: 500 })
    const { id } = await write(chat, 'One')
    await becomes(id, 'error')
    const mine = await account.addUser({
      rights: { contacts: { view: 'A', edit: 'M', add: 'A', delete: 'D', export: 'D' } },
    })
    expect((await mine.api.post(path(id), {})).status).toBe(403)
    const mark = (isImported: boolean) =>
      scratch.database.transaction((tx) =>
        tx.rows(sql`update messages set is_imported = ${isImported} where id = ${id}`),
      )
    await mark(true)
    expect((await account.api.post(path(id), {})).status).toBe(422)
    await mark(false)
    await account.api.delete(`/web/v1/channels/${channel.id}`)
    expect((await account.api.post(path(id), {})).status).toBe(422)
    expect((await stateOf(id)).status).toBe('error')
  })
})

describe('what a channel says of a delivery', () => {
  test.each<[string, object[], string[]]>([
    ['delivered, read', [{ delivery_status: 1 }, { delivery_status: 2 }], ['delivered', 'read']],
    ['read, delivered', [{ delivery_status: 2 }, { delivery_status: 1 }], ['read', 'read']],
    ['newer names', [{ status_code: 1 }, { status_code: 2 }], ['delivered', 'read']],
    ['both names', [{ delivery_status: 1, status_code: 2 }], ['delivered']],
    [
      'delivered, error',
      [{ delivery_status: 1 }, { delivery_status: -1, error_code: 901 }],
      ['delivered', 'delivered'],
    ],
    [
      'error, error, delivered',
      [
        { delivery_status: -1, error_code: 905, error: 'Blocked' },
        { delivery_status: -1, error_code: 901 },
        { delivery_status: 1 },
      ],
      ['error', 'error', 'delivered'],
    ],
  ])('%s', async (_what, received, states) => {
    const channel = await line()
    const { id, uid } = await write(await addTestChat(account, channel), 'One')
    await becomes(id, 'sent')
    for (const [index, body] of received.entries()) {
      const answer = await reportStatus(channel, index === 0 ? uid : uid.toUpperCase(), body)
      expect([answer.status, answer.body]).toEqual([200, {}])
      const state = await stateOf(id)
      expect(state.status).toBe(states[index])
      if (state.status === 'error')
        expect(state).toMatchObject({ error_code: 905, error: 'Blocked' })
      else expect(state).toMatchObject({ error_code: null, error: null })
    }
    const changes = new Set(['sent', ...states]).size
    expect((await journalOf('messages', id)).length).toBe(1 + changes)
  })

  test('is checked strictly', async () => {
    const channel = await line()
    const { id, uid } = await write(await addTestChat(account, channel), 'One')
    await becomes(id, 'sent')
    const wrong: object[] = [
      {},
      { delivery_status: 0 },
      { delivery_status: 3 },
      { delivery_status: '1' },
      { delivery_status: -1 },
      { delivery_status: -1, error_code: 900 },
      { delivery_status: -1, error_code: 906 },
      { delivery_status: -1, error_code: 905 },
      { delivery_status: -1, error_code: 905, error: ' ' },
      { delivery_status: 1, msgid: channel.id },
      { delivery_status: 1, msgid: 'x' },
      { delivery_status: 1, more: 1 },
    ]
    for (const body of wrong)
      expect([body, (await reportStatus(channel, uid, body)).status]).toEqual([body, 400])
    expect((await stateOf(id)).status).toBe('sent')
    expect((await reportStatus(channel, uid, { msgid: uid, delivery_status: 1 })).status).toBe(200)
    const standard = await write(await addTestChat(account, channel), 'Two')
    await becomes(standard.id, 'sent')
    await reportStatus(channel, standard.uid, { delivery_status: -1, error_code: 901 })
    expect(await stateOf(standard.id)).toEqual({
      status: 'error',
      error_code: 901,
      error: 'The user has deleted the conversation',
    })
  })

  test('is about outgoing messages of its scope, those included that it published', async () => {
    const other = await newAccount({
      databaseUrl: scratch.url,
      privateHooks: 'loopback',
      rateLimitScope: 0,
      rateLimitAddress: 0,
    })
    const [channel, second, alien] = [await line(), await line(), await line({ in: other })]
    const chat = await addTestChat(account, channel)
    const { id, uid } = await write(chat, 'One')
    await becomes(id, 'sent')
    const incoming = await addIncoming(account, chat)
    const read = { delivery_status: 2 }
    expect((await reportStatus(channel, incoming.uid, read)).status).toBe(404)
    expect((await reportStatus(channel, channel.id, read)).status).toBe(404)
    expect((await reportStatus(channel, 'nothing', read)).status).toBe(404)
    expect((await reportStatus(second, uid, read)).status).toBe(404)
    expect((await reportStatus(alien, uid, read, other)).status).toBe(404)
    expect((await reportStatus({ ...channel, secret: second.secret }, uid, read)).status).toBe(403)
    expect((await stateOf(id)).status).toBe('sent')
    await scratch.database.transaction((tx) =>
      tx.rows(sql`update messages set is_imported = true, user_id = null where id = ${id}`),
    )
    expect((await reportStatus(channel, uid, read)).status).toBe(200)
    expect((await stateOf(id)).status).toBe('read')
  })
})

describe('a chat that a user begins', () => {
  const path = '/web/v1/chats'
  const phones = (value: string) => [{ field_code: 'PHONE', values: [{ value }] }]
  const contact = (draft: object = {}, api = account.api) =>
    addRecord(api, 'contacts', { name: 'Bob', custom_fields_values: phones('+15550199'), ...draft })

  test('reaches the contact by its phone, and is one for each phone', async () => {
    const channel = await line()
    const contact_id = await contact()
    const lead = await addRecord(account.api, 'leads', {
      _embedded: { contacts: [{ id: contact_id }] },
    })
    const incoming = { channel_id: channel.id, contact_id }
    const made = await account.api.post(path, incoming)
    expect([made.status, made.body]).toEqual([
      201,
      {
        id: expect.any(Number),
        chat_id: expect.stringMatching(/^[\da-f-]{36}$/),
        channel_id: channel.id,
        contact_id,
        entity_type: 'leads',
        entity_id: lead,
        _links: { self: { href: `${account.kontor.url}${path}/${made.body.id}` } },
      },
    ])
    expect(await journalOf('chats', made.body.id)).toEqual([{ actions: ['add'], before: null }])
    const again = await account.api.post(path, { ...incoming, phone: '+15550199' })
    expect([again.status, again.body]).toEqual([200, made.body])
    const other = await account.api.post(path, { ...incoming, phone: '+15550200', name: 'At home' })
    expect([other.status, other.body.id === made.body.id]).toEqual([201, false])
    const byMail = await account.api.post(path, { ...incoming, email: 'bob@example.com' })
    expect(byMail.status).toBe(201)
    const visible = () =>
      scratch.database.row<{ is_visible: boolean }>(
        sql`select is_visible from chats where id = ${made.body.id}`,
      )
    expect(await visible()).toEqual({ is_visible: false })
    await write(made.body, 'Hello')
    await heard(channel, 1)
    await write(byMail.body, 'By mail')
    await heard(channel, 2)
    expect(await visible()).toEqual({ is_visible: true })
    expect(bodies(channel)[0].message).toMatchObject({
      receiver: { phone: '+15550199', email: '', client_id: '', name: 'Bob' },
      conversation: { id: made.body.chat_id, client_id: '' },
    })
    expect(bodies(channel)[1].message.receiver).toMatchObject({
      phone: '',
      email: 'bob@example.com',
    })
  })

  test('goes to no lead where the contact has none, or several that are open', async () => {
    const channel = await line()
    const contact_id = await contact()
    const begin = async (phone: string) =>
      (await account.api.post(path, { channel_id: channel.id, contact_id, phone })).body.entity_id
    expect(await begin('1')).toBeNull()
    const _embedded = { contacts: [{ id: contact_id }] }
    const one = await addRecord(account.api, 'leads', { _embedded })
    await addRecord(account.api, 'leads', { _embedded, status_id: 143 })
    expect(await begin('2')).toBe(one)
    await addRecord(account.api, 'leads', { _embedded })
    expect(await begin('3')).toBeNull()
  })

  test('two requests at once begin one chat', async () => {
    const channel = await line()
    const contact_id = await contact()
    const incoming = { channel_id: channel.id, contact_id }
    const answers = await Promise.all([1, 2, 3, 4].map(() => account.api.post(path, incoming)))
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
  })

  test('needs a connection of version 2, a contact to edit, and an address', async () => {
    const [channel, old] = [await line(), await line({ version: 'v1' })]
    const contact_id = await contact()
    const bare = await addRecord(account.api, 'contacts', { name: 'Nobody' })
    const mine = await account.addUser({
      rights: { contacts: { view: 'A', edit: 'M', add: 'A', delete: 'D', export: 'D' } },
    })
    const nowhere = '00000000-0000-4000-8000-000000000000'
    const before = await rowsAtRest()
    const begin = async (draft: object, api = account.api) =>
      (await api.post(path, { channel_id: channel.id, contact_id, ...draft })).status
    expect(await begin({ channel_id: old.id })).toBe(422)
    expect(await begin({ channel_id: nowhere })).toBe(422)
    expect(await begin({ contact_id: bare })).toBe(422)
    expect(await begin({ contact_id: 1 })).toBe(404)
    expect(await begin({}, mine.api)).toBe(403)
    expect(await begin({ channel_id: 'x' })).toBe(400)
    expect(await begin({ phone: '' })).toBe(400)
    expect(await rowsOf(account)).toEqual(before)
  })

  test('is offered where the user may edit the contact and a channel takes it', async () => {
    const here = await newAccount()
    const elsewhere = await newAccount()
    const asks = async (api: TestAccount['api'], ...contacts: number[]) => {
      const answer = await api.get(`${path}/openings?contacts=${contacts.join(',')}`)
      if (answer.status === 204) return []
      expect(answer.status).toBe(200)
      return answer.body._embedded.openings
    }
    const rights = {
      contacts: { view: 'A', edit: 'M', add: 'A', delete: 'D', export: 'D' },
    } as const
    const [user, reader] = [
      await here.addUser({ rights }),
      await here.addUser({ rights: { contacts: { ...rights.contacts, edit: 'D' } } }),
    ]
    const own = await contact({ responsible_user_id: user.id }, here.api)
    const mail = [{ field_code: 'EMAIL', values: [{ value: 'eve@example.com' }] }]
    const eve = await contact(
      { responsible_user_id: user.id, custom_fields_values: mail },
      here.api,
    )
    const others = await contact({}, here.api)
    const bare = await addRecord(here.api, 'contacts', { responsible_user_id: user.id })
    const gone = await contact({ responsible_user_id: user.id }, here.api)
    await here.api.delete(`/api/v4/contacts/${gone}`)
    const all = [own, eve, others, bare, gone]
    expect(await asks(user.api, ...all)).toEqual([])
    await addLine(here, { version: 'v1' })
    expect(await asks(user.api, ...all)).toEqual([])
    const channel = await addLine(here)
    const opening = (contact_id: number) => ({
      channel_id: channel.id,
      title: expect.any(String),
      contact_id,
    })
    expect(await asks(user.api, ...all)).toEqual([opening(own), opening(eve)])
    expect(await asks(here.api, ...all)).toEqual([opening(own), opening(eve), opening(others)])
    expect(await asks(reader.api, ...all)).toEqual([])
    // A contact of another account is none of this one's, and neither is its channel.
    await addLine(elsewhere)
    expect(await asks(elsewhere.api, ...all)).toEqual([])
    // Each of them can begin.
    const begun = await user.api.post(path, { channel_id: channel.id, contact_id: own })
    expect(begun.status).toBe(201)
    expect((await user.api.get(`${path}/openings?contacts=x`)).status).toBe(400)
    expect((await user.api.get(`${path}/openings`)).status).toBe(400)
    const many = Array.from({ length: 51 }, (_, n) => n + 1).join(',')
    expect((await user.api.get(`${path}/openings?contacts=${many}`)).status).toBe(400)
  })
})

describe('beside what the channel publishes', () => {
  const scopeOf = ({ scope, ...channel }: Hooked) => ({
    ...channel,
    account,
    scopeId: scope,
    path: `${chatPath}/${scope}`,
  })
  const chatNamed = async (uid: string) =>
    (await scratch.database.row<{ id: number; entity_id: number | null }>(
      sql`select id, entity_id from chats where uid = ${uid}::uuid`,
    ))!

  test('a client who waits is answered, and the waiting lead gets the event', async () => {
    const channel = await line()
    const sent = await published(scopeOf(channel), {
      conversation_id: 'cv-live',
      msgid: 'm-live',
      sender: personOf('cl-live'),
      text: 'Is it open?',
    })
    const chat = await chatNamed(sent.conversation_id)
    const incoming = await scratch.database.row<{ id: number }>(
      sql`select id from messages where uid = ${sent.msgid}::uuid`,
    )
    const answer = await account.api.post(`/web/v1/chats/${chat.id}/messages`, {
      text: 'Yes',
      reply_to: incoming!.id,
    })
    expect(answer.body).toMatchObject({ entity_type: 'leads', entity_id: chat.entity_id })
    await becomes(answer.body.id, 'sent')
    expect(bodies(channel)[0].message).toMatchObject({
      receiver: { id: sent.sender_id, client_id: 'cl-live' },
      conversation: { id: sent.conversation_id, client_id: 'cv-live' },
      message: { reply_to: { message: { id: sent.msgid, msgid: 'm-live' } } },
    })
    const events = await scratch.database.rows(
      sql`select entity_type, entity_id from events where account_id = ${account.id} and type = 'outgoing_chat_message' and entity_id = ${chat.entity_id}`,
    )
    expect(events).toEqual([{ entity_type: 'lead', entity_id: chat.entity_id }])
  })

  test('a chat that was begun here gets the names of the channel with its first answer', async () => {
    const channel = await line()
    const contact_id = await addRecord(account.api, 'contacts', { name: 'Bob' })
    const begun = await account.api.post('/web/v1/chats', {
      channel_id: channel.id,
      contact_id,
      phone: '+15550177',
    })
    await write(begun.body, 'One')
    await heard(channel, 1)
    await published(scopeOf(channel), {
      conversation_id: 'cv-first',
      conversation_ref_id: begun.body.chat_id,
      sender: personOf('cl-first'),
    })
    await write(begun.body, 'Two')
    await heard(channel, 2)
    const received = bodies(channel).map(({ message }) => [
      message.receiver.id,
      message.receiver.client_id,
      message.conversation.client_id,
      message.receiver.phone,
    ])
    const [[receiver]] = received as [string[]]
    expect(received).toEqual([
      [receiver, '', '', '+15550177'],
      [receiver, 'cl-first', 'cv-first', '+15550177'],
    ])
  })

  test('a message that the channel published gets states, but no callback', async () => {
    const channel = await line()
    const { bot_id } = channel
    const { msgid } = await published(scopeOf(channel), {
      conversation_id: 'cv-bot',
      sender: personOf('bot', { ref_id: bot_id, avatar: undefined }),
      receiver: personOf('cl-bot'),
    })
    expect((await reportStatus(channel, msgid, { delivery_status: 2 })).status).toBe(200)
    const row = await scratch.database.row(
      sql`select status, is_imported from messages where uid = ${msgid}::uuid`,
    )
    expect(row).toEqual({ status: 'read', is_imported: true })
    await dueHasGone()
    expect(arrived(channel)).toEqual([])
  })
})

describe('a message to a talk', () => {
  test('is written by programs with a right to the contact, until the talk is closed', async () => {
    const channel = await line()
    const chat = await addTestChat(account, channel)
    const { talk_id } = await write(chat, 'One')
    const path = `/api/v4/talks/${talk_id}/send_message`
    const app = client(account.kontor, (await newPair(account)).access_token)
    const sent = await app.post(path, { text: 'From a program' })
    expect([sent.status, sent.body]).toEqual([202, { id: expect.stringMatching(/^[\da-f-]{36}$/) }])
    await heard(channel, 2)
    expect(bodies(channel)[1].message.message.id).toBe(sent.body.id)
    const unable = await account.addUser({ rights: nothing })
    expect((await unable.api.post(path, { text: 'x' })).status).toBe(403)
    expect((await app.post('/api/v4/talks/1/send_message', { text: 'x' })).status).toBe(404)
    expect((await app.post(path, { text: '' })).status).toBe(400)
    await scratch.database.transaction(async (tx) => {
      await tx.rows(sql`update talks set closed_at = 1 where id = ${talk_id}`)
      await tx.rows(sql`update chats set talk_id = null where id = ${chat.id}`)
    })
    const before = await rowsAtRest()
    expect((await app.post(path, { text: 'x' })).status).toBe(422)
    expect(await rowsOf(account)).toEqual(before)
  })
})
