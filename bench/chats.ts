// npm run bench:chats -- [seconds] [--messages 1000000]
//
// Measures chats among many messages, of which one chat has a tenth: signed publications to known
// conversations whose lead is open, to one busy conversation, and of new conversations; and pages of
// the thread of the busy chat. Each beside the same statements from a bare server (floor-chats.ts).
import { fork } from 'node:child_process'
import { createHmac, randomUUID } from 'node:crypto'
import path from 'node:path'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { readConfig } from '../server/config.ts'
import { openSecrets } from '../server/secrets.ts'
import { format, open } from './connection.ts'
import type { Client } from './connection.ts'
import { makeFixture } from './fixture.ts'
import type { Fixture } from './fixture.ts'
import { withoutIndexes } from './large/indexes.ts'
import { begun, startKontor } from './processes.ts'

/** A channel that publishes, and the account that it is connected to. */
export interface BenchScope {
  channelId: string
  secret: string
  code: string
  /** The path of publications. */
  path: string
  /** The busy chat has the first id. */
  firstChat: number
  chats: number
  /** A place in the busy chat with nine tenths of its messages after it. */
  deep: string
}

/** Makes the request of a turn for the server at a port. */
type Make = (port: number) => Buffer

interface Measured {
  perSecond: number
  /** Milliseconds. */
  times: number[]
}

const avatar = 'https://img.example.com/ann.png'
const connections = 4

await main()

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { messages: { type: 'string', default: '1000000' } },
  })
  const seconds = Number(positionals[0] ?? 10)
  const fixture = await makeFixture(() => undefined)
  const { account } = fixture
  // Limits have tests of their own.
  const environment = { ...fixture.environment, RATE_LIMIT_SCOPE: '0', RATE_LIMIT_ADDRESS: '0' }
  try {
    const scope = await fill(fixture, Number(values.messages))
    const kontor = await startKontor({ environment })
    const floor = fork(
      path.join(import.meta.dirname, 'floor-chats.ts'),
      [JSON.stringify(account), JSON.stringify(scope)],
      { env: { PATH: process.env['PATH'], ...environment } },
    )
    try {
      const floorPort = await begun<number>(floor, 'the floor', (resolve) =>
        floor.once('message', resolve),
      )
      const busy = `/web/v1/chats/${scope.firstChat}/messages?limit=50`
      const reading =
        (at: string): Make =>
        () =>
          format({ method: 'GET', path: at }, account, kontor.port)
      const scenarios: [title: string, make: Make][] = [
        ['publish to known conversations', () => publication(scope, scope.chats)],
        ['publish to one busy conversation', () => publication(scope, 1)],
        ['publish new conversations', () => publication(scope, 0)],
        ['the newest 50 of a thread', reading(busy)],
        ['50 of a thread, deep in it', reading(`${busy}&before=${scope.deep}`)],
      ]
      console.log('| | requests/s | floor | ratio | p50 | floor | p99 | floor |')
      console.log('|---|---|---|---|---|---|---|---|')
      for (const [title, make] of scenarios) {
        await compare(title, make, kontor.port, floorPort)
        await measure(make, kontor.port, Math.min(2, seconds))
        await measure(make, floorPort, Math.min(2, seconds))
        const rounds: { ours: Measured; bare: Measured }[] = []
        for (let round = 0; round < 3; round++)
          rounds.push({
            bare: await measure(make, floorPort, seconds),
            ours: await measure(make, kontor.port, seconds),
          })
        console.log(rowOf(title, rounds))
      }
    } finally {
      floor.disconnect()
      await kontor.stop()
    }
  } finally {
    await fixture.stop()
  }
}

/** A signed text of the client of a conversation among the first `known`; 0: of a new one. */
function publication({ path: at, secret }: BenchScope, known: number): Buffer {
  const name = known === 0 ? randomUUID() : String(1 + Math.floor(Math.random() * known))
  const payload = {
    timestamp: Math.floor(Date.now() / 1000),
    msgid: randomUUID(),
    conversation_id: `talk-${name}`,
    sender: { id: `client-${name}`, name: 'Ann Lee', avatar },
    message: { type: 'text', text: 'When will the order arrive?' },
  }
  const body = JSON.stringify({ event_type: 'new_message', payload })
  const signature = createHmac('sha1', secret).update(body).digest('hex')
  return Buffer.from(
    `POST ${at} HTTP/1.1\r\nhost: 127.0.0.1\r\nx-signature: ${signature}\r\ncontent-type: application/json\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}

/** Throws where the servers answer otherwise: the same bytes, or for new messages the same members. */
async function compare(title: string, make: Make, kontor: number, floor: number): Promise<void> {
  const ask = async (port: number) => {
    const client = await open(port)
    const { body } = await client.ask(make(port))
    client.close()
    return body.toString()
  }
  const [ours, theirs] = [await ask(kontor), await ask(floor)]
  const shape = (json: string) =>
    JSON.stringify(JSON.parse(json), (_key, value: unknown) =>
      typeof value === 'string' ? 'a text' : value,
    )
  const isRead = title.includes('thread')
  if (isRead ? ours !== theirs : shape(ours) !== shape(theirs))
    throw new Error(`${title}: Kontor answers\n${ours}\nand the floor\n${theirs}`)
}

async function measure(make: Make, port: number, seconds: number): Promise<Measured> {
  const clients = await Promise.all(Array.from({ length: connections }, () => open(port)))
  const times: number[] = []
  const start = performance.now()
  const keepOn = async (client: Client) => {
    while (performance.now() < start + seconds * 1000)
      times.push((await client.ask(make(port))).time)
  }
  await Promise.all(clients.map(keepOn))
  const perSecond = (times.length / (performance.now() - start)) * 1000
  for (const client of clients) client.close()
  return { perSecond, times }
}

function rowOf(title: string, rounds: { ours: Measured; bare: Measured }[]): string {
  const median = (list: number[]) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)]!
  const [ours, bare] = [rounds.map((round) => round.ours), rounds.map((round) => round.bare)]
  const rate = (of: Measured[]) => median(of.map(({ perSecond }) => perSecond)).toFixed(0)
  const at = (of: Measured[], part: number) => {
    const times = of.flatMap((round) => round.times).toSorted((a, b) => a - b)
    return `${times[Math.floor((times.length - 1) * part)]!.toFixed(2)} ms`
  }
  const ratio = median(rounds.map((round) => round.ours.perSecond / round.bare.perSecond))
  const cells = [
    rate(ours),
    rate(bare),
    ratio.toFixed(2),
    at(ours, 0.5),
    at(bare, 0.5),
    at(ours, 0.99),
    at(bare, 0.99),
  ]
  return `| ${title} | ${cells.join(' | ')} |`
}

/**
 * Makes a channel that the account is connected to, and chats of it with an open lead, the contact of
 * that and an open talk each. The first chat gets a tenth of the messages, the others the rest evenly.
 */
async function fill({ account, environment }: Fixture, messages: number): Promise<BenchScope> {
  const [id, secret] = [account.id, 'the secret of the bench']
  const secrets = await openSecrets(readConfig(environment))
  const session = new pg.Client({ connectionString: environment['DATABASE_URL'] })
  await session.connect()
  const [chats, busy] = [Math.ceil(messages / 50), messages / 10]
  try {
    const { rows } = await session.query<{ id: string; code: string; amojo_id: string }>(
      `with made as (
         insert into channels (account_id, name, bot_name, secret, created_by, created_at, updated_at)
         values ($1, 'Bench', 'Bench', $2, 0, 0, 0) returning id, code
       ), connected as (
         insert into channel_connections (account_id, channel_id, title, hook_api_version, is_time_window_disabled, connected_at, updated_at)
         select $1, id, 'Bench', 'v2', false, 0, 0 from made
       )
       select made.id, made.code, account.amojo_id from made, accounts account where account.id = $1`,
      [id, secrets.encrypt(secret)],
    )
    const { id: channelId, code, amojo_id } = rows[0]!
    const tables = ['chat_clients', 'chats', 'talks', 'messages']
    await withoutIndexes(
      session,
      tables,
      () => undefined,
      async () => {
        for (const statement of [
          `insert into chat_clients (account_id, channel_id, client_id, name, avatar, created_at, updated_at)
           select ${id}, '${channelId}', 'client-' || n, 'Ann Lee', '${avatar}', 0, 0 from generate_series(1, ${chats}) n`,
          `insert into chats (account_id, id, channel_id, conversation_id, client_uid, contact_id, entity_type, entity_id, talk_id, is_visible,
                              last_at, created_at, updated_at)
           select ${id}, 1000 + n, '${channelId}', 'talk-' || n, client.uid, lead.id, 'leads', lead.id, 1000 + n, true, 1760000000000, 0, 0
             from generate_series(1, ${chats}) n
             join chat_clients client on client.client_id = 'client-' || n
             join (select id, row_number() over (order by id) as place from leads
                    where account_id = ${id} and closed_at is null and not is_deleted) lead on lead.place = n`,
          `insert into talks (account_id, id, chat_id, contact_id, entity_type, entity_id, is_read, created_at, updated_at)
           select account_id, id, id, contact_id, entity_type, entity_id, true, 0, 0 from chats`,
          `insert into messages (account_id, id, chat_id, channel_id, msgid, talk_id, is_outgoing, is_imported, is_silent, client_uid, contact_id,
                                 entity_type, entity_id, type, text, content, msec_timestamp, status, created_at, updated_at)
           select ${id}, 1000 + n, chat.id, '${channelId}', 'message-' || n, chat.talk_id, n % 3 = 0, true, false, chat.client_uid,
                  chat.contact_id, chat.entity_type, chat.entity_id, 'text', 'Where is order ' || n || '?', '{}', 1700000000000 + n * 1000::bigint,
                  case when n % 3 = 0 then 'read' end, 1700000000 + n, 1700000000 + n
             from generate_series(1, ${messages}) n
             join chats chat on chat.id = 1001 + case when n <= ${busy} then 0 else 1 + n % ${chats - 1} end`,
          `select setval('chats_id', 1000 + ${chats}), setval('talks_id', 1000 + ${chats}), setval('messages_id', 1000 + ${messages})`,
        ])
          await session.query(statement)
      },
    )
    await session.query(`vacuum analyze ${tables.join(', ')}`)
    await session.query('checkpoint')
    // Message n of the busy chat has the id 1000 + n.
    const index = Math.floor(busy / 10)
    const deep = `${1_700_000_000_000 + index * 1000}.${1000 + index}`
    const scope = { channelId, secret, code, firstChat: 1001, chats, deep }
    return { ...scope, path: `/v2/origin/custom/${channelId}_${amojo_id}` }
  } finally {
    await session.end()
  }
}
