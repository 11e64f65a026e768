// Calls by the program of a channel to the methods of its scope: good ones, ones with one thing wrong,
// and bytes that are no call at all. All are signed as they should be, so that the bodies are read.
import fc from 'fast-check'
import { canonical, chatPath, hmac } from '../channels.ts'
import type { TestScope } from '../chats.ts'
import { anything, jsonOf, Literal, prototypes, spoiled } from './hostile.ts'
import type { Values } from './hostile.ts'
import type { FuzzedRequest } from './requests.ts'

/** Ids of Kontor that a call may name. */
export interface KnownIds {
  chats: string[]
  messages: string[]
  /** A user, and the bot. */
  authors: string[]
}

export type Method = 'bytes' | 'message' | 'chat' | 'typing' | 'reaction' | 'history'

/** Few names, so that calls meet one another, and some that are new. */
const conversations = [
  'talk-1',
  'talk-2',
  'talk-3',
  'разговор',
  "'; drop table chats; --",
  '{a,"b"}',
]
const names = ['message-1', 'message-2', 'message-3', '\\', '\u{1f600}', 'x'.repeat(255)]
const clients = ['client-1', 'client-2', '__proto__', 'ж'.repeat(255)]
const url = 'https://files.example.com/a.png'

const some = (values: readonly string[]): Values => fc.constantFrom<unknown>(...values)
const fresh = (word: string, max: number) => fc.nat({ max }).map((number) => `${word}-${number}`)
const conversation: Values = fc.oneof(some(conversations), fresh('conversation', 40))
const name: Values = fc.oneof(
  { weight: 1, arbitrary: some(names) },
  { weight: 4, arbitrary: fresh('name', 1_000_000) },
)
const maybe = (members: Record<string, Values>, requiredKeys: string[] = []): Values =>
  fc.record(members, { requiredKeys })

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.constantFrom('Hello', 'x'.repeat(20_000), '\u{1f600}'.repeat(20_000), '\u202e', 'a\nb'),
)
const time = fc.constantFrom(0, 1, 1_700_000_000, 1_700_000_001, 253_402_300_799)
/** Objects of other messengers, kept as they are sent. */
const open: Values = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.dictionary(fc.string({ maxLength: 10 }), fc.jsonValue({ maxDepth: 4 })),
  },
  { weight: 1, arbitrary: anything.map((each) => ({ each })) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<unknown>(
      ...prototypes,
      { text: 'x'.repeat(70_000) },
      { list: Array.from({ length: 30_000 }, () => 0) },
      { numbers: [1e308, -1e308, 5e-324, 1e21, 0.1, -0, new Literal('9'.repeat(300))] },
      Object.fromEntries(Array.from({ length: 41 }, (_, index) => [`key ${index}`, index])),
    ),
  },
)

function person(ref: Values): Values {
  return maybe(
    {
      id: some(clients),
      name: fc.constantFrom('Ann', ' ', 'x'.repeat(255), '<b>', 'Ё'),
      ref_id: ref,
      avatar: fc.constant(url),
      profile_link: fc.constantFrom('https://example.com', 'x', ''),
      profile: maybe({
        phone: fc.constantFrom('+7 999 111-22-33', '', ' ', 'none', '0'.repeat(255)),
        email: fc.constantFrom('ann@example.com', 'no e-mail', '', '@', 'ж'.repeat(255)),
      }),
    },
    ['id', 'name', 'avatar'],
  )
}

const contents: Record<string, Values> = {
  text: maybe({ text, media: some([url]) }, ['text']),
  location: maybe(
    {
      text,
      location: fc.record({
        lon: fc.constantFrom(-180, 0, 1e-300, 180),
        lat: fc.constantFrom(-90, 5e-324, 90),
      }),
    },
    ['location'],
  ),
  contact: maybe(
    { text, contact: fc.record({ name: some(['Bob', '']), phone: some(['+1', 'x'.repeat(255)]) }) },
    ['contact'],
  ),
  ...Object.fromEntries(
    ['picture', 'video', 'file', 'sticker', 'voice', 'audio'].map((type) => [
      type,
      maybe({ text, media: some([url]) }, ['media']),
    ]),
  ),
}

const rest = {
  thumbnail: some([url]),
  file_name: some(['a.png', '../../etc/passwd', '\u202e']),
  file_size: fc.constantFrom(0, 1, 2 ** 53 - 1),
  media_duration: fc.constantFrom(0, 5, 2 ** 31),
  media_group_id: some(['1', 'x'.repeat(255)]),
  sticker_id: some(['1']),
  callback_data: some(['1', 'x'.repeat(4096)]),
  shared_post: open,
  post: open,
}

const message: Values = fc
  .constantFrom(...Object.keys(contents))
  .chain((type) =>
    fc
      .tuple(contents[type]!, maybe(rest))
      .map(([own, more]) => ({ ...(more as object), ...(own as object), type })),
  )

/** The body of a publication; edits carry a delivery status, too. */
function publication({ authors, chats, messages }: KnownIds): Values {
  const quoted = fc
    .tuple(maybe({ id: some(messages), msgid: some(names), text }), open)
    .map(([own, more]) => ({ ...(more as object), ...(own as object) }))
  const members = {
    timestamp: time,
    msgid: name,
    conversation_id: conversation,
    sender: person(some(authors)),
    message,
    msec_timestamp: time.map((seconds) => seconds * 1000),
    id: some(messages),
    conversation_ref_id: some([...chats, ...messages]),
    silent: fc.boolean(),
    source: fc.record({ external_id: some(['shop', '~'.repeat(40)]) }),
    receiver: person(some(chats)),
    reply_to: fc.tuple(fc.record({ message: quoted }), fc.option(open)).map(both),
    forwards: fc
      .tuple(fc.record({ messages: fc.array(quoted, { maxLength: 1 }) }), fc.option(open))
      .map(both),
  }
  const isNeeded = ['timestamp', 'msgid', 'conversation_id', 'sender', 'message']
  const added = maybe(members, isNeeded).map((payload) => ({ event_type: 'new_message', payload }))
  const status = maybe(
    {
      status_code: fc.constantFrom(1, 2, -1),
      error_code: fc.constantFrom(901, 905),
      error: text,
    },
    ['status_code'],
  )
  const edited = fc
    .tuple(maybe(members, ['timestamp', 'message']), fc.option(status, { nil: undefined }))
    .map(([sent, delivery_status]) => {
      const payload = sent as { message: object }
      const withStatus = {
        ...payload.message,
        ...(delivery_status !== undefined && { delivery_status }),
      }
      return { event_type: 'edit_message', payload: { ...payload, message: withStatus } }
    })
  return fc.oneof({ weight: 3, arbitrary: added }, { weight: 1, arbitrary: edited })
}

const both = ([own, more]: readonly [object, unknown]) => ({ ...(more as object | null), ...own })

function bodyOf(method: Method, known: KnownIds): { tail: string; values: Values } {
  const refs = some([...known.authors, ...known.chats])
  switch (method) {
    case 'chat': {
      const source = fc.record({ external_id: some(['shop']) })
      const members = { conversation_id: conversation, user: person(refs), source }
      return { tail: '/chats', values: maybe(members, ['conversation_id', 'user']) }
    }
    case 'typing': {
      const sender = maybe({ id: some(clients), more: open }, ['id'])
      const duration_ms = fc.constantFrom(1, 60_000)
      const members = { conversation_id: conversation, sender, duration_ms }
      return { tail: '/typing', values: maybe(members, ['conversation_id', 'sender']) }
    }
    case 'reaction': {
      const values = fc.constantFrom(0, 1).chain((index) => {
        /** Mostly the name of this message or of its chat. */
        const its = (each: string[]) => some([...Array<string>(7).fill(each[index]!), ...each])
        const members = {
          conversation_id: its(['talk-1', 'talk-2']),
          conversation_ref_id: its(known.chats),
          id: its(known.messages),
          msgid: its(['message-0', 'message-1']),
          user: maybe(
            {
              id: some(['client-1', 'client-2', 'nobody']),
              ref_id: some(known.authors),
              more: open,
            },
            ['id'],
          ),
          emoji: some(['\u{1f44d}', 'x'.repeat(32), '\u{1f468}\u200d\u{1f469}']),
          type: some(['react', 'unreact']),
        }
        return maybe(members, ['user', 'type', 'emoji', 'msgid'])
      })
      return { tail: '/react', values }
    }
    default:
      return { tail: '', values: publication(known) }
  }
}

/** Puts one more member into one of the objects of a value. */
function grown(values: Values): Values {
  const stray = fc.oneof(
    fc.constantFrom(...prototypes),
    fc.tuple(fc.string({ maxLength: 12 }), anything).map((pair) => Object.fromEntries([pair])),
  )
  return fc.tuple(values, fc.nat(), stray).map(([value, index, more]) => {
    const count = objectsIn(value)
    let left = count === 0 ? -1 : index % count
    const grow = (each: unknown): unknown => {
      if (Array.isArray(each)) return each.map(grow)
      if (!isObject(each)) return each
      const isHere = left-- === 0
      const members = Object.entries(each).map(([key, inner]) => [key, grow(inner)] as const)
      return Object.fromEntries([...members, ...(isHere ? Object.entries(more) : [])])
    }
    return grow(value)
  })
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !(value instanceof Literal)

function objectsIn(value: unknown): number {
  if (!isObject(value)) return 0
  const inner = Object.values(value).reduce<number>((sum, each) => sum + objectsIn(each), 0)
  return inner + (Array.isArray(value) ? 0 : 1)
}

/** Cuts a text, or changes a few of its characters. */
const mangled = (texts: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(texts, fc.nat(), fc.nat({ max: 12 }), fc.string({ unit: 'binary', maxLength: 6 }))
    .map(([json, at, length, more]) => {
      const index = at % (json.length + 1)
      return json.slice(0, index) + more + json.slice(index + length)
    })

const queries = [
  '',
  '?limit=50',
  '?limit=1&offset=1',
  '?offset=1000000',
  '?limit=9007199254740991',
  '?limit=1e300',
  '?limit=0',
  '?offset=-1',
  '?offset=1000001',
  '?offset=0.5',
  '?limit[]=1',
  '?limit=1&limit=2',
  '?offset[__proto__]=1',
  '?__proto__[limit]=1',
  '?limit=%00',
  '?limit=%ff',
  '?x=y&&&=',
  `?${'a[b]'.repeat(300)}=1`,
]

/** Calls of a scope: two of three are good but for one thing, or as they should be. */
export function callsOf(
  method: Method,
  scope: TestScope,
  known: KnownIds,
): fc.Arbitrary<FuzzedRequest> {
  if (method === 'history') {
    const chat = fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(...known.chats) },
      {
        weight: 1,
        arbitrary: fc.constantFrom(
          ...known.messages,
          ...known.chats.map((uid) => uid.toUpperCase()),
          'x',
          '%00',
          '%ff',
          '%2f',
          '__proto__',
          `{${known.chats[0]!}}`,
          'x'.repeat(300),
        ),
      },
    )
    return fc.tuple(chat, fc.constantFrom(...queries)).map(([uid, query]) => {
      const path = `${chatPath}/${scope.scopeId}/chats/${uid}/history`
      const headers = canonical(scope.secret, { method: 'GET', path })
      return { method: 'GET', path: path + query, headers }
    })
  }
  const { tail, values } = bodyOf(method, known)
  const json = fc.oneof(values, spoiled(values), grown(values)).map(jsonOf)
  const bytes: fc.Arbitrary<Buffer> =
    method === 'bytes'
      ? fc.oneof(
          fc.uint8Array({ maxLength: 200 }).map((each) => Buffer.from(each)),
          fc.json().map((each) => Buffer.from(each)),
          anything.map((each) => Buffer.from(jsonOf(each))),
          mangled(json).map((each) => Buffer.from(each)),
        )
      : json.map((each) => Buffer.from(each))
  const tails = method === 'bytes' ? ['', '/chats', '/typing', '/react'] : [tail]
  return fc.tuple(bytes, fc.constantFrom(...tails)).map(([body, below]) => ({
    method: 'POST',
    path: scope.path + below,
    headers: { 'content-type': 'application/json', 'x-signature': hmac(scope.secret, body) },
    body,
  }))
}
