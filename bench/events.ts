// npm run bench:events -- [sizes] [--keep folder] [--page]
//
// Asks the event log the requests of a filtered list, in logs of several sizes (100,000 and 10
// million events of 24 months by default), and compares them: p50 and p99 of one connection, and the
// ratio of the p50 to that of the first size. With --page, the pages of the web application are asked.
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import sql from 'sql-template-tag'
import { ensureEventPartitions } from '../server/changes/partitions.ts'
import { readConfig } from '../server/config.ts'
import { stageOf } from '../server/database/data-folder.ts'
import { startEmbedded } from '../server/database/embedded.ts'
import { createAccount } from '../server/features/people/accounts/accounts.ts'
import { issueLongLivedToken } from '../server/features/programs/oauth/oauth.ts'
import { createUser } from '../server/features/people/users/users.ts'
import { openKontor } from '../server/open.ts'
import { format, open } from './connection.ts'
import { startKontor } from './processes.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    keep: { type: 'string' },
    requests: { type: 'string', default: '300' },
    page: { type: 'boolean', default: false },
  },
})
const sizes = (positionals[0] ?? '100000,10000000').split(',').map(Number)
const requests = Number(values.requests)
const mutter = (line: string) => console.error(line)

const day = 86_400
const months = 24
const end = Math.floor(Date.now() / 1000)
const begin = end - months * 30 * day
/** Types by how often they come; the last is one event in ten thousand. */
const types = [
  'sale_field_changed',
  'lead_status_changed',
  'lead_added',
  'common_note_added',
  'entity_tag_added',
]
const rareType = 'lead_restored'
const users = 20

/** A request, and the share of the log that it finds. */
interface MeasuredRequest {
  title: string
  query(turn: number, size: number): string
}

const at = (part: number) => Math.floor(begin + (end - begin) * part)
const all: MeasuredRequest[] = [
  { title: 'the 100 newest', query: () => '' },
  {
    title: 'page 40, asked cold',
    query: () => '&page=40',
  },
  {
    title: 'of a lead',
    query: (turn, size) => `&filter[entity]=lead&filter[entity_id]=${1 + (turn % (size / 10))}`,
  },
  {
    title: 'of ten leads',
    query: (turn, size) =>
      `&filter[entity]=lead&filter[entity_id]=${Array.from({ length: 10 }, (_, n) => 1 + ((turn * 10 + n) % (size / 10))).join()}`,
  },
  {
    title: 'of a type',
    query: (turn) => `&filter[type]=${types[turn % types.length]}`,
  },
  { title: 'of a rare type', query: () => `&filter[type]=${rareType}` },
  { title: 'of a user', query: (turn) => `&filter[created_by]=${1 + (turn % users)}` },
  {
    title: 'of a type and a user',
    query: (turn) =>
      `&filter[type]=${types[turn % types.length]}&filter[created_by]=${1 + (turn % users)}`,
  },
  {
    title: 'of an entity type that is rare',
    query: () => '&filter[entity]=contact',
  },
  {
    title: 'with a value that is common',
    query: (turn) => `&filter[type]=sale_field_changed&filter[value_after][value]=${turn % 100}`,
  },
  {
    title: 'with a stage before and one after',
    query: (turn) =>
      `&filter[type]=lead_status_changed&filter[value_before][leads_statuses][0][pipeline_id]=1&filter[value_before][leads_statuses][0][status_id]=${1 + (turn % 5)}` +
      `&filter[value_after][leads_statuses][0][pipeline_id]=1&filter[value_after][leads_statuses][0][status_id]=${1 + ((turn + 1) % 5)}`,
  },
  {
    title: 'of an hour a year ago',
    query: (turn) =>
      `&filter[created_at][from]=${at(0.5) + turn * 3600}&filter[created_at][to]=${at(0.5) + (turn + 1) * 3600}`,
  },
  {
    title: 'of a type, until a year ago',
    query: (turn) =>
      `&filter[type]=${types[turn % types.length]}&filter[created_at][to]=${at(0.5)}`,
  },
]

/** The web application goes from page to page. */
const cases = all.filter(({ query }) => !values.page || !query(0, 1).includes('page='))
const list = values.page ? '/web/v1/events?' : '/api/v4/events?limit=100'

interface Measured {
  p50: number
  p99: number
}

const measured = new Map<number, Map<string, Measured>>()
for (const size of sizes) measured.set(size, await measureSize(size))
console.log(
  `| | ${sizes.map((size) => `p50 of ${size} | p99 | ratio`).join(' | ')} |\n|---|${sizes.map(() => '---|---|---|').join('')}`,
)
for (const { title } of cases) {
  const first = measured.get(sizes[0]!)!.get(title)!.p50
  const cells = sizes.map((size) => {
    const { p50, p99 } = measured.get(size)!.get(title)!
    return `${p50.toFixed(2)} ms | ${p99.toFixed(2)} ms | ${(p50 / first).toFixed(2)}`
  })
  console.log(`| ${title} | ${cells.join(' | ')} |`)
}

async function measureSize(size: number): Promise<Map<string, Measured>> {
  const { keep } = values
  const data = keep
    ? path.resolve(keep, `events-${size}`)
    : await mkdtemp(path.join(tmpdir(), 'kontor-events-'))
  await mkdir(data, { recursive: true })
  const embedded = await startEmbedded(data, 'kontor bench', mutter)
  const environment = {
    DATABASE_URL: embedded.url,
    KONTOR_DATA: data,
    KONTOR_SECRET_KEY: 'the key of the bench',
  }
  try {
    const note = path.join(data, 'token')
    if (!existsSync(note)) await writeFile(note, await fill(environment, size))
    const server = await startKontor({ environment })
    try {
      return await ask(server.port, await readFile(note, 'utf8'), size)
    } finally {
      await server.stop()
    }
  } finally {
    await embedded.stop()
    if (!keep)
      for (const folder of [data, stageOf(data)]) await rm(folder, { recursive: true, force: true })
  }
}

async function ask(port: number, token: string, size: number): Promise<Map<string, Measured>> {
  const client = await open(port)
  const answers = new Map<string, Measured>()
  for (const { title, query } of cases) {
    const times: number[] = []
    for (let turn = 0; turn < requests + 50; turn++) {
      const call = { method: 'GET' as const, path: list + query(turn, size) }
      const { time } = await client.ask(format(call, { token, userId: 0 }, port))
      if (turn >= 50) times.push(time)
    }
    times.sort((one, two) => one - two)
    answers.set(title, {
      p50: times[Math.floor(requests / 2)]!,
      p99: times[Math.floor(requests * 0.99)]!,
    })
  }
  client.close()
  return answers
}

/** Makes an account with a log of this size, and answers the token of its administrator. */
async function fill(environment: Record<string, string>, size: number): Promise<string> {
  const { kontor, close } = await openKontor(readConfig(environment), 'kontor bench', mutter)
  const { database } = kontor
  try {
    for (let month = begin; month < end; month += 100 * day)
      await ensureEventPartitions(database, new Date(month * 1000))
    const [account, token] = await database.transaction(async (tx) => {
      const account = await createAccount(tx, end, { subdomain: 'log', name: 'A long log' })
      const draft = { name: 'A user', email: 'user@log.example', is_admin: true }
      const userId = await createUser(tx, account, end, draft)
      const expires_at = end + 100 * day
      const issued = { accountId: account, userId, at: end, expires_at }
      return [account, await issueLongLivedToken(tx, kontor, issued)] as const
    })
    mutter(`Writing ${size} events…`)
    await database.rows(sql`
      insert into events (account_id, id, type, entity_type, entity_id, created_by, created_at, value_before, value_after)
      select ${account}, ulid_time(at * 1000) || lpad(to_hex(n), 16, '0'), type,
             case when n % 10000 = 7 then 'contact' else 'lead' end, 1 + n % ${size / 10}::bigint, 1 + n / 7 % ${users}::bigint, at,
             case type when 'sale_field_changed' then jsonb_build_array(jsonb_build_object('sale_field_value', jsonb_build_object('sale', (n / 5 + 1) % 100)))
                       when 'lead_status_changed' then jsonb_build_array(jsonb_build_object('lead_status', jsonb_build_object('id', 1 + n / 5 % 5, 'pipeline_id', 1)))
                       else '[]' end,
             case type when 'sale_field_changed' then jsonb_build_array(jsonb_build_object('sale_field_value', jsonb_build_object('sale', n / 5 % 100)))
                       when 'lead_status_changed' then jsonb_build_array(jsonb_build_object('lead_status', jsonb_build_object('id', 1 + (n / 5 + 1) % 5, 'pipeline_id', 1)))
                       when 'entity_tag_added' then '[{"tag":{"name":"A tag"}}]' else '[{"note":{"id":1}}]' end
        from generate_series(1, ${size}::bigint) n,
             lateral (select ${begin}::bigint + (${end}::bigint - ${begin}::bigint) * n / ${size}::bigint,
                             case when n % 10000 = 3 then ${rareType} else (${types}::text[])[1 + n % ${types.length}::bigint] end) event(at, type)`)
    await database.rows(sql`
      insert into event_keys (account_id, key, event_id)
      select account_id, side || ' sale ' || (value -> 0 -> 'sale_field_value' ->> 'sale'), id
        from events, lateral (values ('before', value_before), ('after', value_after)) each(side, value)
       where account_id = ${account} and type = 'sale_field_changed'
      union all
      select account_id, side || ' stage 1:' || (value -> 0 -> 'lead_status' ->> 'id'), id
        from events, lateral (values ('before', value_before), ('after', value_after)) each(side, value)
       where account_id = ${account} and type = 'lead_status_changed'`)
    await database.rows(sql`vacuum analyze`)
    return token
  } finally {
    await close()
  }
}
