// Conversations outlive crashes: two servers on one database are killed at random again and again,
// while programs of channels publish messages, users answer them, and the channels take callbacks.
// In the end each acknowledged message is there once, and has been told wherever it belongs.
import sql from 'sql-template-tag'
import { expect, test, vi } from 'vitest'
import { parseNested } from '../../server/http/nested.ts'
import { client } from '../client.ts'
import { newHome } from '../kontor.ts'
import type { Home } from '../kontor.ts'
import { atSomeMoment } from '../moments.ts'
import { openReceiver } from '../receiver.ts'
import type { Receiver } from '../receiver.ts'
import { scratchDatabase } from '../scratch.ts'
import type { Scratch } from '../scratch.ts'
import { answerAll, newChatLoad, openProgram, publishAll } from './chat-load.ts'
import type { CallbackArrival, ChatLoad } from './chat-load.ts'
import { crashSeconds, killServer, untoldChanges } from './load.ts'

const [programs, writersOfProgram, users] = [2, 3, 3]
const path = '/hook'

vi.setConfig({ testTimeout: 240_000 + crashSeconds * 3000 })

test('conversations are whole, in order and told, whichever processes die', async () => {
  const scratch = await scratchDatabase()
  const receiver = await openReceiver()
  const home = await newHome({
    DATABASE_URL: scratch.url,
    KONTOR_SECRET_KEY: 'the key of the tests',
    ALLOW_PRIVATE_HOOKS: 'loopback',
    RATE_LIMIT_SCOPE: '0',
    LOG_LEVEL: 'error',
  })
  try {
    const { load, kills } = await run(home, scratch, receiver)
    const messages = await messagesIn(scratch)
    const chats = await chatsIn(scratch)
    expectPublished(load, messages)
    expectWritten(load, messages)
    expectChats(load, chats, messages)
    await expectThreads(load, chats, messages)
    expectCallbacks(load, messages, kills)
    const visible = messages.filter(({ is_silent }) => !is_silent)
    expect(await eventsIn(scratch)).toEqual(
      sorted(
        visible.map(({ uid, is_outgoing }) => ({
          type: is_outgoing ? 'outgoing_chat_message' : 'incoming_chat_message',
          uid,
        })),
      ),
    )
    expect(receivedBy(receiver)).toEqual(
      sorted(
        visible.map(({ uid, is_outgoing }) => ({
          type: is_outgoing ? 'outgoing_message' : 'message',
          uid,
        })),
      ),
    )
  } finally {
    await home.close()
    await receiver.close()
    await scratch.drop()
  }
})

/** Crashes servers under the load, and then waits until all that was written is told. */
async function run(home: Home, scratch: Scratch, receiver: Receiver) {
  const servers = [await home.start(), await home.start()]
  await home.run(['account', 'create', 'crash'])
  await home.run(['user', 'create', 'boss@crash.example', '--account', 'crash', '--admin'])
  await home.run(['integration', 'create', '--account', 'crash', '--name', 'Crash'])
  const answered = async (...args: string[]) =>
    JSON.parse((await home.run([...args, '--json'])).stdout)
  const { access_token: token } = await answered('token')
  const subscribed = await client(servers[0]!, token).post('/api/v4/webhooks', {
    destination: receiver.url + path,
    settings: ['add_message', 'add_outgoing_message'],
  })
  expect(subscribed.status).toBe(200)

  const load = newChatLoad({ servers, token })
  const opened = await Promise.all(
    Array.from({ length: programs }, (_, index) =>
      openProgram(load, (hook) =>
        answered('channel', 'create', '--name', `Channel ${index}`, '--hook-v2', hook),
      ),
    ),
  )
  const writing = [
    ...opened.flatMap((program) =>
      Array.from({ length: writersOfProgram }, () => publishAll(load, program)),
    ),
    ...Array.from({ length: users }, (_, writer) => answerAll(load, writer)),
  ]
  const kills: number[] = []
  const end = Date.now() + crashSeconds * 1000
  // A slow machine takes longer to have done something that a crash may hurt.
  const isEnough = () =>
    Date.now() > end &&
    load.published.length > 100 &&
    load.written.length > 20 &&
    load.accepted.size > 0
  async function crash(index: number) {
    // A server that takes long to start lives longer: otherwise it would die before it has answered anything.
    let lifeMs = 2000
    while (!isEnough() && load.failures.length === 0) {
      await atSomeMoment(lifeMs)
      kills.push(Date.now())
      await killServer(servers[index]!)
      const began = performance.now()
      servers[index] = await home.start()
      lifeMs = Math.max(2000, 2 * (performance.now() - began))
    }
  }
  await Promise.all([crash(0), crash(1)])
  load.isOver = true
  await Promise.all(writing)
  // The last messages have to survive, too.
  kills.push(Date.now())
  await Promise.all(servers.map(killServer))
  servers.splice(0, 2, await home.start())
  await expect
    .poll(() => left(scratch), { timeout: 120_000, interval: 200 })
    .toEqual({ callbacks: 0, sending: 0, changes: 0 })
  for (const program of opened) await program.close()
  expect(load.failures).toEqual([])
  return { load, kills }
}

/** Callbacks that wait, messages without an end, and changes that no webhook has heard of. */
async function left(scratch: Scratch) {
  const row = await scratch.database.row<{ callbacks: number; sending: number }>(sql`
    select (select count(*) from chat_callbacks) as callbacks,
           (select count(*) from messages where status = 'sending') as sending`)
  return { ...row!, changes: await untoldChanges(scratch) }
}

interface Message {
  id: number
  uid: string
  chat: string
  conversation: string
  msgid: string | null
  text: string
  is_outgoing: boolean
  is_imported: boolean
  is_silent: boolean
  msec_timestamp: number
  status: string | null
}

/** All messages in the order of the thread. */
const messagesIn = ({ database }: Scratch) =>
  database.list<Message>(sql`
    select message.id, message.uid, chat.uid as chat, conversation_id as conversation, msgid, text, is_outgoing, is_imported, is_silent,
           msec_timestamp, status
      from messages message join chats chat on chat.account_id = message.account_id and chat.id = message.chat_id
     order by msec_timestamp, message.id`)

interface Chat {
  id: number
  uid: string
  conversation: string
  is_visible: boolean
  last_at: number
  last_message_id: number | null
  is_bound: boolean
  talks: number
  /** The items that were made for the chat, with their decisions. */
  items: { uid: string; result: string | null }[]
}

const chatsIn = ({ database }: Scratch) =>
  database.list<Chat>(sql`
    select chat.id, chat.uid, conversation_id as conversation, is_visible, last_at, last_message_id,
           contact_id is not null and item_id is null as is_bound,
           (select count(*) from talks where account_id = chat.account_id and chat_id = chat.id) as talks,
           coalesce((select json_agg(json_build_object('uid', item.uid, 'result', item.result)) from unsorted_items item
                      where item.account_id = chat.account_id and item.source_uid = channel.code || ':' || chat.uid), '[]') as items
      from chats chat join channels channel on channel.id = chat.channel_id`)

/** Each msgid that was acknowledged has one message, with the ids that every answer named. */
function expectPublished({ published }: ChatLoad, messages: Message[]) {
  const stored = messages.filter(({ is_imported }) => is_imported)
  expect(sorted(stored.map(publishedForm))).toEqual(sorted(published.map(publishedForm)))
  // A message that was acknowledged before another one was sent has arrived before it.
  const byName = new Map(stored.map((message) => [message.msgid, message.id]))
  for (const [writer, sent] of Map.groupBy(published, ({ writer }) => writer)) {
    const ids = sent.toSorted((a, b) => a.number - b.number).map(({ msgid }) => byName.get(msgid)!)
    expect(ids, writer).toEqual(ids.toSorted((a, b) => a - b))
  }
}

function publishedForm(message: Omit<ChatLoad['published'][0], 'writer' | 'number'> | Message) {
  const { uid, chat, conversation, msgid, is_outgoing, is_silent, msec_timestamp } = message
  return { uid, chat, conversation, msgid, is_outgoing, is_silent, msec_timestamp }
}

/** A message that a user saw answered is there once; one without an answer, once or not at all. */
function expectWritten({ written, doubts }: ChatLoad, messages: Message[]) {
  const stored = messages.filter(({ is_imported }) => !is_imported)
  const form = ({ uid, chat, text }: Pick<Message, 'uid' | 'chat' | 'text'>) => ({
    uid,
    chat,
    text,
  })
  const unanswered = new Set(doubts)
  const happened = stored.filter(({ text }) => unanswered.has(text))
  expect(new Set(happened.map(({ text }) => text)).size).toBe(happened.length)
  expect(sorted(stored.map(form))).toEqual(sorted([...happened, ...written].map(form)))
}

/** A conversation has one chat, with one talk and one item once a message of it is not silent. */
function expectChats({ accepted }: ChatLoad, chats: Chat[], messages: Message[]) {
  expect(new Set(chats.map(({ conversation }) => conversation)).size).toBe(chats.length)
  const seen = messages.filter(({ is_silent }) => !is_silent)
  const byChat = Map.groupBy(seen, ({ chat }) => chat)
  for (const { uid, items, is_visible, is_bound, talks, last_at, last_message_id } of chats) {
    const last = byChat.get(uid)?.at(-1)
    const found = { is_visible, talks, items: items.length, last_at }
    const expected = { is_visible: true, talks: 1, items: 1, last_at: last?.msec_timestamp }
    expect(found).toEqual(last ? expected : { is_visible: false, talks: 0, items: 0, last_at: 0 })
    expect(last_message_id).toBe(last?.id ?? null)
    const [item] = items
    expect(is_bound).toBe(item?.result === 'accepted')
    if (item && accepted.delete(item.uid)) expect(item.result).toBe('accepted')
  }
  expect(accepted).toEqual(new Set())
}

/** A thread, read page by page, has each message once, by its time and then by its arrival. */
async function expectThreads({ servers, token }: ChatLoad, chats: Chat[], messages: Message[]) {
  const api = client(servers[0]!, token)
  const byChat = Map.groupBy(messages, ({ chat }) => chat)
  for (const { id, uid, is_visible } of chats) {
    const first = `/web/v1/chats/${id}/messages?limit=40`
    if (!is_visible) expect((await api.get(first)).status).toBe(404)
    const thread: string[] = []
    for (let page: string | undefined = is_visible ? first : undefined; page;) {
      const { body } = await api.get(page)
      const ids = body._embedded.messages.map((each: { message_id: string }) => each.message_id)
      thread.unshift(...ids)
      page = body._links.older?.href
    }
    expect(thread).toEqual(is_visible ? byChat.get(uid)!.map(({ uid }) => uid) : [])
  }
}

/** Each message of a user has reached its channel, in the order of its chat, and ended well. */
function expectCallbacks({ arrivals, reported }: ChatLoad, messages: Message[], kills: number[]) {
  const sent = messages.filter(({ is_imported }) => !is_imported)
  const firsts = arrivals.filter(
    ({ id }, index) => arrivals.findIndex((arrival) => arrival.id === id) === index,
  )
  const orders = (list: { chat: string; id: string; text: string }[]) =>
    Object.fromEntries(
      [...Map.groupBy(list, ({ chat }) => chat)].map(([chat, all]) => [
        chat,
        all.map(({ id, text }) => ({ id, text })),
      ]),
    )
  expect(orders(firsts)).toEqual(orders(sent.map((message) => ({ ...message, id: message.uid }))))
  for (const { id, text } of arrivals)
    expect(firsts.find((first) => first.id === id)!.text).toBe(text)
  for (const repeats of Map.groupBy(arrivals, ({ id }) => id).values())
    for (const [index, repeat] of repeats.slice(1).entries())
      expect(isRepeatDue(repeats[index]!, repeat, kills), JSON.stringify(repeats)).toBe(true)
  // Programs report that messages were delivered or read; no callback may have failed.
  for (const { uid, status } of sent)
    expect(status).toBe(['sent', 'delivered', 'read'][reported.get(uid) ?? 0])
}

/** A callback is repeated where the channel was busy, or a server died after it had gone out. */
const isRepeatDue = (former: CallbackArrival, repeat: CallbackArrival, kills: number[]) =>
  former.status === 503 || kills.some((at) => at >= former.at - spareMs && at <= repeat.at)

/** Milliseconds between a kill and the arrival of what the server had sent before. */
const spareMs = 200

/** The messages that events of records tell of, one for each event. */
const eventsIn = async ({ database }: Scratch) =>
  sorted(
    await database.list<{ type: string; uid: string }>(sql`
      select type, value_after -> 0 -> 'message' ->> 'id' as uid from events
       where type in ('incoming_chat_message', 'outgoing_chat_message')`),
  )

/** The messages that the webhook has heard of; a notice that arrives again is the same notice. */
function receivedBy({ arrivals }: Receiver) {
  const received = new Map<string, { type: string; uid: string }>()
  for (const { body, headers } of arrivals)
    for (const type of ['message', 'outgoing_message'] as const) {
      const notices = parseNested(body) as Record<string, { add: Record<string, { id: string }> }>
      for (const [index, { id: uid }] of Object.entries(notices[type]?.add ?? {}))
        received.set(`${headers['x-kontor-delivery']} ${index}`, { type, uid })
    }
  return sorted([...received.values()])
}

const sorted = <Item extends { uid: string }>(items: Item[]): Item[] =>
  items.toSorted((a, b) => (a.uid < b.uid ? -1 : 1))
