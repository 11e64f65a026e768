// npm run bench:feed -- [--large 5000000] [--small 50000] [--rounds 60]
//
// Measures the feed of a small and of a large account side by side, in one database and in turns, and
// says the ratio of their times. Both have 50 events, two notes and a completed task for each lead, over
// 24 months; a contact of ten leads each, with a chat of 20 messages; and one lead with 5,000 events and notes.
import pg from 'pg'
import { ensureEventPartitions } from '../server/changes/partitions.ts'
import { readConfig } from '../server/config.ts'
import { createAccount } from '../server/features/people/accounts/accounts.ts'
import { issueLongLivedToken } from '../server/features/programs/oauth/oauth.ts'
import { createUser } from '../server/features/people/users/users.ts'
import { openKontor } from '../server/open.ts'
import { format, open } from './connection.ts'
import { withoutIndexes } from './large/indexes.ts'
import { startTemporaryPostgres } from './postgres.ts'
import { startKontor } from './processes.ts'
import type { User } from './scenarios.ts'
import { printTimes, printTwoSizes, readTwoSizes, withoutLimits } from './two-sizes.ts'

interface Filled {
  id: number
  admin: User
  events: number
  leads: number
}

const sizes = readTwoSizes({ small: 50_000, large: 5_000_000 })
const say = (line: string) => console.error(line)
const day = 86_400
const end = Math.floor(Date.now() / 1000)
const begin = end - 24 * 30 * day

/** A lead of each turn, and a contact; lead 1 is the long one. */
const lead = ({ leads }: Filled, turn: number) => `leads/${2 + ((turn * 7919) % (leads - 1))}`
const contact = ({ leads }: Filled, turn: number) => `contacts/${1 + ((turn * 31) % (leads / 10))}`
const requests: { title: string; of: (account: Filled, turn: number) => string }[] = [
  { title: 'a lead', of: (account, turn) => lead(account, turn) },
  { title: 'a lead, its changes', of: (account, turn) => `${lead(account, turn)}?kinds=changes` },
  { title: 'a contact with ten leads and a chat', of: contact },
  {
    title: 'a contact alone',
    of: (account, turn) => `${contact(account, turn)}?only=true`,
  },
  { title: 'a lead with 5,000 events and notes', of: () => 'leads/1' },
  {
    title: 'the same, in the middle',
    of: (_, turn) =>
      `leads/1?before=${(begin + (end - begin) * (0.4 + turn / 1000)).toFixed(0)}000`,
  },
  { title: 'the same, a word that no text has', of: () => 'leads/1?query=nowhere' },
]

const postgres = await startTemporaryPostgres('feed')
const environment = { ...postgres.environment, ...withoutLimits }
try {
  const [small, large] = await fill([sizes.small, sizes.large])
  const kontor = await startKontor({ environment })
  try {
    await compare(kontor.port, small!, large!)
  } finally {
    await kontor.stop()
  }
} finally {
  await postgres.stop()
}

async function compare(port: number, small: Filled, large: Filled): Promise<void> {
  printTwoSizes({ small: small.events, large: large.events })
  const client = await open(port)
  for (const { title, of } of requests) {
    const times: [number[], number[]] = [[], []]
    for (let turn = -10; turn < sizes.rounds; turn++)
      for (const [index, account] of [small, large].entries()) {
        const call = { method: 'GET', path: `/web/v1/timeline/${of(account, turn + 10)}` } as const
        const { time, body } = await client.ask(format(call, account.admin, port))
        if (!String(body).startsWith(`{"items":[{`) && !call.path.includes(`query`))
          throw new Error(`${call.path}: ${String(body)}`)
        if (turn >= 0) times[index]!.push(time)
      }
    printTimes(title, ...times)
  }
  client.close()
}

async function fill(eventsOf: number[]): Promise<Filled[]> {
  const { kontor, close } = await openKontor(
    readConfig(environment),
    'kontor bench',
    () => undefined,
  )
  for (let month = begin; month < end; month += 25 * day)
    await ensureEventPartitions(kontor.database, new Date(month * 1000))
  const accounts: Filled[] = []
  for (const [index, events] of eventsOf.entries())
    accounts.push(
      await kontor.database.transaction(async (tx) => {
        const subdomain = `feed-${index}`
        const id = await createAccount(tx, end, { subdomain, name: 'Feed' })
        const email = `admin@${subdomain}.example`
        const userId = await createUser(tx, id, end, { name: 'admin', email, is_admin: true })
        const grant = { accountId: id, userId, at: end, expires_at: end + 100 * day }
        const token = await issueLongLivedToken(tx, kontor, grant)
        return { id, admin: { userId, token }, events, leads: events / 50 }
      }),
    )
  await close()
  const session = new pg.Client({ connectionString: postgres.url })
  // The failing statement reports the error too.
  session.on('error', () => undefined)
  await session.connect()
  await session.query(`set maintenance_work_mem = '512MB'; set synchronous_commit = off`)
  const tables = ['events', 'notes', 'tasks', 'leads', 'links']
  await withoutIndexes(session, tables, say, async () => {
    for (const account of accounts) await fillAccount(session, account)
  })
  say('vacuum')
  await session.query('vacuum analyze')
  await session.query('checkpoint')
  await session.end()
  return accounts
}

/** Items are spread over the months, and over the leads. */
async function fillAccount(session: pg.Client, { id, events, leads }: Filled): Promise<void> {
  say(`${events} events`)
  const time = (number: string, all: number) =>
    `(${begin} + (${end - begin})::bigint * ${number} / ${all})::bigint`
  const long = 5000
  const event = (number: string, of: string, all: number) => `
    insert into events (account_id, id, type, entity_type, entity_id, created_by, created_at, value_before, value_after)
    select ${id}, ulid_time(at * 1000) || lpad(to_hex(${number}), 16, '0'),
           case n / ${leads} % 3 when 0 then 'common_note_added' else 'sale_field_changed' end, 'lead', ${of}, 1, at,
           case n / ${leads} % 3 when 0 then '[]' else '[{"sale_field_value":{"sale":1}}]' end::jsonb,
           case n / ${leads} % 3 when 0 then '[{"note":{"id":1}}]' else '[{"sale_field_value":{"sale":2}}]' end::jsonb
      from generate_series(1, ${all}) n, lateral (select ${time('n', all)} as at) at;`
  const note = (of: string, all: number) => `
    insert into notes (account_id, entity_type, entity_id, note_type, params, responsible_user_id, group_id, created_by, updated_by, created_at, updated_at)
    select ${id}, 'leads', ${of}, 'common', '{"text": "Call them back after three"}', 1, 0, 1, 1, at, at
      from generate_series(1, ${all}) n, lateral (select ${time('n', all)} as at) at;`
  await session.query(`
    insert into leads (account_id, id, name, price, responsible_user_id, group_id, pipeline_id, status_id, created_by, updated_by, created_at, updated_at)
    select ${id}, n, 'Order ' || n, n, 1, 0, 1, 143, 1, 1, ${begin}, ${end} from generate_series(1, ${leads}) n;
    insert into contacts (account_id, id, name, first_name, last_name, responsible_user_id, group_id, created_by, updated_by, created_at, updated_at)
    select ${id}, n, 'Ann ' || n, 'Ann', n, 1, 0, 1, 1, ${begin}, ${end} from generate_series(1, ${leads / 10}) n;
    insert into links (account_id, from_type, from_id, to_type, to_id)
    select ${id}, link.* from generate_series(1, ${leads}) n,
           lateral (values ('leads', n, 'contacts', 1 + n % ${leads / 10}), ('contacts', 1 + n % ${leads / 10}, 'leads', n)) link;
    ${event('n', `2 + n % ${leads - 1}`, events)}
    ${event(`n + ${events}`, '1', long)}
    ${note(`2 + n % ${leads - 1}`, 2 * leads)}
    ${note('1', long)}
    insert into tasks (account_id, text, task_type_id, responsible_user_id, group_id, entity_type, entity_id, complete_till, duration,
                       is_completed, completed_at, created_by, updated_by, created_at, updated_at)
    select ${id}, 'Call', 1, 1, 0, 'leads', n, at, 0, true, at, 1, 1, at, at
      from generate_series(1, ${leads}) n, lateral (select ${time('n', leads)} as at) at;
    with channel as (
      insert into channels (account_id, number, name, bot_name, secret, allowed_accounts, is_avatar_required, created_by, created_at, updated_at)
      values (${id}, ${id}, 'Line', 'Bot', '', '{}', false, 1, 0, 0) returning id
    ), client as (
      insert into chat_clients (account_id, channel_id, client_id, name, created_at, updated_at)
      select ${id}, id, 'client-' || n, 'Ann', 0, 0 from channel, generate_series(1, ${leads / 10}) n returning uid, channel_id, client_id
    ), chat as (
      insert into chats (account_id, channel_id, conversation_id, client_uid, contact_id, is_visible, last_at, unread, created_at, updated_at)
      select ${id}, channel_id, client_id, uid, substr(client_id, 8)::bigint, true, 0, 0, 0, 0 from client returning id, channel_id, client_uid
    )
    insert into messages (account_id, chat_id, channel_id, is_outgoing, is_imported, is_silent, client_uid, type, text, content, msec_timestamp,
                          created_at, updated_at)
    select ${id}, id, channel_id, false, false, false, client_uid, 'text', 'Is it in stock?', '{}', ${time('n', 20)} * 1000, 0, 0
      from chat, generate_series(1, 20) n`)
}
