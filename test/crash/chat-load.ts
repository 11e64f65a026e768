// Programs of channels and users who write into the same chats, and remember what they were
// promised. A program repeats a message under its msgid until the message is acknowledged. A user
// writes once: a message without an answer is in doubt, sent or never written.
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { chatPath, hmac, sendSigned } from '../channels.ts'
import { avatar } from '../chats.ts'
import type { Published } from '../chats.ts'
import { client } from '../client.ts'
import { atSomeMoment } from '../moments.ts'
import { accept } from '../unsorted.ts'

/** A message that a program has published, and how it was acknowledged. */
export interface PublishedMessage {
  conversation: string
  msgid: string
  /** Counts the messages of one writer, which sends them one after another. */
  writer: string
  number: number
  msec_timestamp: number
  is_outgoing: boolean
  is_silent: boolean
  uid: string
  chat: string
}

/** A message that a user has written, as it was answered. */
export interface WrittenMessage {
  writer: number
  chat: string
  uid: string
  text: string
}

/** A callback as it arrived at a channel. Times are milliseconds since 1970. */
export interface CallbackArrival {
  at: number
  status: number
  /** The message, its text and its chat. */
  id: string
  text: string
  chat: string
}

export interface ChatLoad {
  /** The servers that run, or have just died. */
  servers: { url: string }[]
  token: string
  isOver: boolean
  published: PublishedMessage[]
  written: WrittenMessage[]
  /** The texts of messages of users that were not answered. */
  doubts: string[]
  /** The uids of items that a user has accepted for certain. */
  accepted: Set<string>
  arrivals: CallbackArrival[]
  /** The acknowledged reports of channels on deliveries: 1 delivered, 2 read. */
  reported: Map<string, number>
  /** Answers that are neither success nor "try again". */
  failures: string[]
}

export const newChatLoad = (begun: Pick<ChatLoad, 'servers' | 'token'>): ChatLoad => ({
  ...begun,
  isOver: false,
  published: [],
  written: [],
  doubts: [],
  accepted: new Set(),
  arrivals: [],
  reported: new Map(),
  failures: [],
})

/** A channel as `kontor channel create --json` answers. */
interface RegisteredChannel {
  id: string
  account_id: string
  secret: string
  bot_id: string
}

export interface ChatProgram extends RegisteredChannel {
  /** The path of publications. */
  scope: string
  /** Conversations of which a message was sent, acknowledged or not. */
  conversations: string[]
  /** Waits until all deliveries are reported, and takes no callbacks any more. */
  close(): Promise<void>
}

const upTo = (most: number) => Math.floor(Math.random() * most)
const oneOf = <Item>(items: readonly Item[]): Item => items[upTo(items.length)]!

/** Registers a channel, connects it, and takes its callbacks from then on. */
export async function openProgram(
  load: ChatLoad,
  register: (hook: string) => Promise<RegisteredChannel>,
): Promise<ChatProgram> {
  const reporting = new Set<Promise<void>>()
  const receiver = http.createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (part: string) => (body += part))
    request.on('end', () => void take(body, request.headers['x-signature'], response))
  })
  await new Promise<void>((resolve) => void receiver.listen(0, '127.0.0.1', resolve))
  const { port } = receiver.address() as AddressInfo
  const channel = await register(`http://127.0.0.1:${port}/:scope_id`)
  const connection = { account_id: channel.account_id, hook_api_version: 'v2' }
  const path = `${chatPath}/${channel.id}/connect`
  const connected = await sendSigned(at(load.servers[0]!), channel.secret, 'POST', path, connection)
  if (connected.status !== 200) throw new Error(`not connected: ${connected.text}`)
  const scope = `${chatPath}/${connected.body.scope_id}`

  /** Most callbacks are taken at once, some slowly, some at the second time only. */
  async function take(body: string, signature: unknown, response: http.ServerResponse) {
    if (signature !== hmac(channel.secret, body)) load.failures.push(`wrongly signed: ${body}`)
    const { conversation, message } = JSON.parse(body).message
    const { id, text } = message
    const isFirst = !load.arrivals.some((arrival) => arrival.id === id)
    const status = isFirst && Math.random() < 0.03 ? 503 : 200
    load.arrivals.push({ at: Date.now(), status, id, text, chat: conversation.id })
    await atSomeMoment(Math.random() < 0.1 ? 1200 : 20)
    response.writeHead(status).end()
    if (status === 200 && isFirst && Math.random() < 0.5) {
      const done = report(id).finally(() => reporting.delete(done))
      reporting.add(done)
    }
  }

  async function report(id: string) {
    for (const delivery_status of [1, 2].slice(0, 1 + upTo(2))) {
      const report = { msgid: id, delivery_status }
      const answer = await insist(load, (server) =>
        sendSigned(at(server), channel.secret, 'POST', `${scope}/${id}/delivery_status`, report),
      )
      if (answer) load.reported.set(id, delivery_status)
    }
  }

  return {
    ...channel,
    scope,
    conversations: [],
    async close() {
      await Promise.all(reporting)
      receiver.closeAllConnections()
      await new Promise((resolve) => void receiver.close(resolve))
    },
  }
}

const at = ({ url }: { url: string }) => ({ kontor: { url } }) as Parameters<typeof sendSigned>[0]

let count = 0

/** Publishes messages one after another, into new and known conversations, until it is over. */
export async function publishAll(load: ChatLoad, channel: ChatProgram): Promise<void> {
  const writer = `writer ${++count}`
  for (let number = 1; !load.isOver; number++) {
    const conversation = conversationOf(channel)
    const msgid = `${writer} ${number}`
    // Not in order, and often at the same time as another one.
    const msec_timestamp = Math.floor((Date.now() - upTo(1000)) / 50) * 50
    const [is_outgoing, is_silent] = [Math.random() < 0.1, Math.random() < 0.1]
    const person = { id: `client of ${conversation}`, name: 'Ann', avatar }
    const bot = { id: 'bot', name: 'Bot', ref_id: channel.bot_id }
    const payload = {
      timestamp: Math.floor(msec_timestamp / 1000),
      msec_timestamp,
      msgid,
      conversation_id: conversation,
      silent: is_silent,
      ...(is_outgoing ? { sender: bot, receiver: person } : { sender: person }),
      message: { type: 'text', text: msgid },
    }
    const body = { event_type: 'new_message', payload }
    const send = () =>
      insist(load, (server) => sendSigned(at(server), channel.secret, 'POST', channel.scope, body))
    const answers = await Promise.all(Math.random() < 0.1 ? [send(), send()] : [send()])
    const acknowledged = answers.map((answer) => answer?.body.new_message as Published | undefined)
    const [first, second = first] = acknowledged
    if (!first) return
    if (first.msgid !== second?.msgid) load.failures.push(`${msgid} has two ids`)
    const message = { conversation, msgid, writer, number, msec_timestamp, is_outgoing, is_silent }
    load.published.push({ ...message, uid: first.msgid, chat: first.conversation_id })
  }
}

/** Often the newest one, so that the first messages of a conversation come at once. */
function conversationOf({ id, conversations }: ChatProgram): string {
  if (conversations.length === 0 || Math.random() < 0.05)
    conversations.push(`${id} ${conversations.length + 1}`)
  return Math.random() < 0.3 ? conversations.at(-1)! : oneOf(conversations)
}

interface InboxChat {
  id: number
  chat_id: string
  unsorted_uid: string | null
}

/** Answers clients, and accepts some of the items that wait, until the load is over. */
export async function answerAll(load: ChatLoad, writer: number): Promise<void> {
  for (let number = 1; !load.isOver; number++) {
    await atSomeMoment(50)
    const api = client(oneOf(load.servers), load.token)
    const list = await once(load, () => api.get('/web/v1/chats?tab=all&order=newest&limit=50'))
    const chats: InboxChat[] = list?.body._embedded.chats ?? []
    if (chats.length === 0) continue
    const chat = oneOf(chats)
    if (chat.unsorted_uid !== null && Math.random() < 0.3) await acceptItem(chat.unsorted_uid)
    const text = `answer ${writer} ${number}`
    const answer = await once(load, () => api.post(`/web/v1/chats/${chat.id}/messages`, { text }))
    if (answer) load.written.push({ writer, chat: chat.chat_id, uid: answer.body.uid, text })
    else load.doubts.push(text)
  }

  async function acceptItem(uid: string) {
    const api = client(oneOf(load.servers), load.token)
    // Another user may have accepted the item meanwhile.
    const answer = await once(load, () => accept(api, { uid }), [404, 422])
    if (answer?.status === 200) load.accepted.add(uid)
  }
}

/** Sends a request to one server or another until it succeeds; undefined once it was refused. */
async function insist<Answer extends { status: number; body: unknown }>(
  load: ChatLoad,
  send: (server: { url: string }) => Promise<Answer>,
): Promise<Answer | undefined> {
  while (load.failures.length === 0) {
    const answer = await once(load, () => send(oneOf(load.servers)))
    if (answer) return answer
    await atSomeMoment(100)
  }
  return undefined
}

/** The answer; undefined where none came, or the server was busy. Other refusals are failures. */
async function once<Answer extends { status: number; body: unknown }>(
  { failures }: ChatLoad,
  send: () => Promise<Answer>,
  allowed: number[] = [],
): Promise<Answer | undefined> {
  try {
    const answer = await send()
    if (answer.status < 300 || allowed.includes(answer.status)) return answer
    if (answer.status !== 503) failures.push(`${answer.status} ${JSON.stringify(answer.body)}`)
  } catch (error) {
    // A connection that broke was to be expected; an answer against the document was not.
    const isBroken = error instanceof TypeError || 'code' in (error as object)
    if (!isBroken) failures.push(String(error))
  }
  return undefined
}
