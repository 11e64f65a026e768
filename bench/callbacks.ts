// npm run bench:callbacks [-- --messages 10] [--accounts 1] [--tree <folder>] [--profile <folder>]
//
// Measures how many messages leave for chat channels in a second: a backlog of messages in a thousand
// chats of ten channels, which the accounts share, beside a bare loop of the same requests. Those of one chat go out one by one.
// The Kontor of another folder can be measured.
import http from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import sql, { raw } from 'sql-template-tag'
import { readConfig } from '../server/config.ts'
import { connect } from '../server/database/connect.ts'
import type { Tx } from '../server/database/connect.ts'
import { createAccount } from '../server/features/people/accounts/accounts.ts'
import { openSecrets } from '../server/secrets.ts'
import { bareLoop } from './bare-loop.ts'
import { startTemporaryPostgres } from './postgres.ts'
import { startKontor } from './processes.ts'

const { values } = parseArgs({
  options: {
    messages: { type: 'string', default: '10' },
    accounts: { type: 'string', default: '1' },
    profile: { type: 'string' },
    tree: { type: 'string' },
  },
})
const [channels, chats, each] = [10, 1000, Number(values.messages)]
const accounts = Number(values.accounts)
const postgres = await startTemporaryPostgres('callbacks')
const environment = { ...postgres.environment, ALLOW_PRIVATE_HOOKS: 'loopback' }

/** Times of arrival (performance.now), and the latest body. */
const arrivals: number[] = []
let latest = ''
const receiver = http.createServer((request, response) => {
  const parts: Buffer[] = []
  request.on('data', (part: Buffer) => parts.push(part))
  request.on('end', () => {
    arrivals.push(performance.now())
    latest = Buffer.concat(parts).toString()
    response.end()
  })
})
await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
const address = `http://127.0.0.1:${(receiver.address() as { port: number }).port}`

const database = connect(postgres.url, 2)
try {
  // The first start makes the tables.
  await (await startKontor({ environment })).stop()
  await fill()
  const server = await startKontor({ environment }, values)
  while (arrivals.length < chats * each) await sleep(20)
  const perSecond = (chats * each) / ((arrivals.at(-1)! - arrivals[0]!) / 1000)
  const kept = sql`select from chat_callbacks limit 1`
  while ((await database.rows(kept)).length > 0) await sleep(20)
  const keptPerSecond = (chats * each) / ((performance.now() - arrivals[0]!) / 1000)
  await server.stop()
  const type = 'application/json'
  const floor = await bareLoop(address, latest, { count: chats * each, atOnce: 160, type })
  console.log(
    `${Math.round(perSecond)} callbacks/s (${Math.round(keptPerSecond)} with their ends), ${Math.round(floor)} by a bare loop: ratio ${(perSecond / floor).toFixed(3)}`,
  )
} finally {
  await database.close()
  receiver.closeAllConnections()
  receiver.close()
  await postgres.stop()
}

/** Messages that wait for their channels, with their callbacks and queues. */
async function fill(): Promise<void> {
  const secret = (await openSecrets(readConfig(environment))).encrypt('secret of the bench')
  for (let index = 0; index < accounts; index++)
    await database.transaction((tx) => fillAccount(tx, index, secret))
  for (const table of ['messages', 'chats', 'chat_callbacks', 'chat_queues', 'chat_clients'])
    await database.rows(raw(`analyze ${table}`))
}

async function fillAccount(tx: Tx, index: number, secret: Buffer): Promise<void> {
  const account = await createAccount(tx, 1, { subdomain: `lines-${index}`, name: 'Lines' })
  await tx.rows(sql`
      with channel as (
        insert into channels (account_id, name, bot_name, hook_v2, secret, created_by, created_at, updated_at)
        select ${account}, 'Line ' || n, 'Line', ${address}, ${secret}, 0, 0, 0 from generate_series(1, ${channels / accounts}::int) n
        returning id, number
      ), connected as (
        insert into channel_connections (account_id, channel_id, title, hook_api_version, is_time_window_disabled, connected_at, updated_at)
        select ${account}, id, 'Line', 'v2', false, 0, 0 from channel
      ), client as (
        insert into chat_clients (account_id, channel_id, client_id, name, created_at, updated_at)
        select ${account}, id, n, 'Ann', 0, 0 from channel, generate_series(1, ${chats / channels}::int) n
        returning uid, channel_id, client_id
      ), chat as (
        insert into chats (account_id, channel_id, conversation_id, client_uid, is_visible, last_at, unread, created_at, updated_at)
        select ${account}, channel_id, client_id, uid, true, 0, 0, 0, 0 from client returning id, channel_id, client_uid
      ), message as (
        insert into messages (account_id, chat_id, channel_id, is_outgoing, is_imported, is_silent, client_uid, type, text, content,
                              msec_timestamp, status, created_at, updated_at)
        select ${account}, id, channel_id, true, false, false, client_uid, 'text', 'It is in stock.', '{}', n, 'sending', 0, 0
          from chat, generate_series(1, ${each}::int) n order by n
        returning id, chat_id, channel_id
      ), callback as (
        insert into chat_callbacks (account_id, chat_id, message_id, created_at)
        select ${account}, chat_id, id, 0 from message order by id returning id, chat_id
      )
      insert into chat_queues (account_id, chat_id, channel_id, callback_id, due_at)
      select ${account}, chat_id, (select channel_id from chat where chat.id = chat_id), min(id), 0 from callback group by chat_id`)
}
