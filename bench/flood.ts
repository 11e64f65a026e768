// The scenario "flood": an account that is filled by batches, as by somebody who brings data, while
// others look around. One server takes the leads, another answers a list by price, a search and a
// third page, so that the database's processor time for each is known: PostgreSQL names the
// connections of the two apart. Nobody runs a command, from the first creation to the last look; the
// same requests are then asked in quiet: after VACUUM ANALYZE, by new servers.
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { format, open } from './connection.ts'
import type { Client } from './connection.ts'
import { startTemporaryPostgres } from './postgres.ts'
import { processorTime, root, startKontor } from './processes.ts'
import type { Server } from './processes.ts'

/** The database's processor time of a request, milliseconds: the mean of all windows, and the worst. */
interface Cost {
  mean: number
  worst: number
}

export interface Flooded {
  leads: number
  /** Leads that were made in a second. */
  rate: number
  /** From a tenth on, while leads are made; from the last one on; and in quiet. */
  costs: Record<string, { during: Cost; after: Cost; quiet: Cost }>
}

export interface FloodOptions {
  leads: number
  /** The tree of the Kontor to measure; the present one by default. */
  tree?: string | undefined
  /** An empty database, whose role owns it; one of an embedded PostgreSQL by default. */
  database?: string | undefined
  say: (line: string) => void
}

const key = 'the key of the bench'
const batch = 250
const [makers, readers] = [4, 4]
/** Milliseconds: of one look at one request, shorter where a flood is short; and of all looks after it. */
const [longestLookMs, afterMs] = [500, 30_000]
/** Each word of a name is that of so many leads in the end. */
const perWord = 50

/** The requests, for an account that has so many leads now and more in the end. */
const reads: Record<string, (turn: number, now: number, end: number) => string> = {
  'price filter': (turn, now) => {
    const from = (turn * 7919) % 900_000
    const to = from + Math.round((1_000_000 * 100) / now)
    return `limit=50&filter[price][from]=${from}&filter[price][to]=${to}`
  },
  search: (turn, _now, end) => `limit=50&query=${wordOf((turn * 7919) % (end / perWord))}`,
  'page 3': () => 'limit=50&page=3',
}

/** Words of six letters share their trigrams with other words, as names do. */
function wordOf(number: number): string {
  const letters = [
    'bcdfghklmnprstvz',
    'aeiou',
    'bcdfghklmnprstvz',
    'aeiou',
    'bcdfghklmnprstvz',
    'aeiou',
  ]
  let rest = (number * 48_271) % 512_000
  return letters
    .map((each) => {
      const letter = each[rest % each.length]!
      rest = Math.floor(rest / each.length)
      return letter
    })
    .join('')
}

export async function flood({ leads, tree = root, database, say }: FloodOptions): Promise<Flooded> {
  const postgres = database === undefined ? await startTemporaryPostgres('flood', say) : undefined
  const url = database ?? postgres!.url
  const folder = await mkdtemp(path.join(tmpdir(), 'kontor-flood-files-'))
  const environment = { KONTOR_DATA: folder, ...postgres?.environment, KONTOR_SECRET_KEY: key }
  const session = new pg.Client({ connectionString: url })
  const servers: Server[] = []
  const start = async (name: string) => {
    const server = await startKontor(
      { environment: { ...environment, DATABASE_URL: named(url, name) } },
      { tree },
    )
    servers.push(server)
    return server
  }
  try {
    await session.connect()
    const token = await openAccount(tree, {
      ...environment,
      DATABASE_URL: named(url, 'maker'),
    })
    const user = { userId: 0, token }
    const [maker, reader] = [await start('maker'), await start('reader')]
    const count = async () => {
      const { rows } = await session.query<{ made: number }>(
        `select count(*)::int as made from leads`,
      )
      return rows[0]!.made
    }
    const fields = await addFields(maker.port, token)
    const filling = { made: 0, endedAt: 0 }
    const look = async (port: number) => {
      const costs: Record<string, number> = {}
      for (const [name, read] of Object.entries(reads)) {
        const calls = Array.from(
          { length: 400 },
          (_, turn) => `/api/v4/leads?${read(turn, Math.max(filling.made, 1000), leads)}`,
        )
        costs[name] = await costOf(
          session,
          port,
          Math.min(longestLookMs, leads / 100),
          calls.map((path) => format({ method: 'GET', path }, user, port)),
        )
      }
      return costs
    }
    const during: Record<string, number>[] = []
    const begun = performance.now()
    const filled = fill(maker.port, token, leads, fields, (count) => (filling.made = count)).then(
      () => (filling.endedAt = performance.now()),
    )
    while (filling.endedAt === 0) {
      const from = filling.made
      const costs = await look(reader.port)
      if (from >= leads / 10 && filling.endedAt === 0) during.push(costs)
      say(`${filling.made} leads: ${describe(costs)}`)
    }
    await filled
    const after: Record<string, number>[] = []
    for (const end = performance.now() + afterMs; performance.now() < end;) {
      after.push(await look(reader.port))
      say(`after: ${describe(after.at(-1)!)}`)
    }
    if ((await count()) !== leads)
      throw new Error(`${await count()} leads are there instead of ${leads}`)
    for (let server = servers.pop(); server; server = servers.pop()) await server.stop()
    await session.query('vacuum analyze')
    const fresh = await start('reader')
    // The trigrams are counted at the start, and blocks for short words are made.
    await untilIdle(session)
    await look(fresh.port)
    const quiet: Record<string, number>[] = []
    for (let number = 0; number < 8; number++) quiet.push(await look(fresh.port))
    say(`quiet: ${describe(quiet.at(-1)!)}`)
    const costs = Object.fromEntries(
      Object.keys(reads).map((name) => {
        const of = (looks: Record<string, number>[]) => costOfAll(looks.map((each) => each[name]!))
        return [name, { during: of(during), after: of(after), quiet: of(quiet) }]
      }),
    )
    return { leads, rate: leads / ((filling.endedAt - begun) / 1000), costs }
  } finally {
    for (const server of servers) await server.stop()
    await session.end()
    await postgres?.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

/** A line for each size and request: milliseconds, and how many times those of quiet. */
export function floodReport(all: Flooded[]): string {
  const lines = all.flatMap(({ leads, rate, costs }) =>
    Object.entries(costs).map(([name, { during, after, quiet }]) => {
      const beside = ({ mean, worst }: Cost) =>
        `${mean.toFixed(2)} (${(mean / quiet.mean).toFixed(2)}; ${(worst / quiet.mean).toFixed(2)})`
      return `| ${leads.toLocaleString('en')} | ${rate.toFixed(0)} | ${name} | ${beside(during)} | ${beside(after)} | ${quiet.mean.toFixed(2)} |`
    }),
  )
  return `Processor time of the database per request in milliseconds (beside quiet: the mean; the worst look)

| leads | made per second | request | while they are made | right after | quiet |
|---|---|---|---|---|---|
${lines.join('\n')}`
}

const describe = (costs: Record<string, number>) =>
  Object.entries(costs)
    .map(([name, cost]) => `${name} ${cost.toFixed(2)}`)
    .join(', ')

function costOfAll(looks: number[]): Cost {
  return {
    mean: looks.reduce((sum, each) => sum + each, 0) / looks.length,
    worst: Math.max(...looks),
  }
}

/** PostgreSQL shows the name of a connection to everybody whose role it has. */
function named(url: string, name: string): string {
  return `${url}${url.includes('?') ? '&' : '?'}application_name=kontor%20${name}`
}

/** Creates the account with the code of the tree, and answers a token of its administrator. */
async function openAccount(tree: string, environment: Record<string, string>): Promise<string> {
  const run = async (...words: string[]) => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [path.join(tree, 'bin/kontor'), ...words],
      { env: { PATH: process.env['PATH'], ...environment } },
    )
    return stdout
  }
  await run('account', 'create', 'flood', '--name', 'Flood')
  await run('user', 'create', 'flood@bench.example', '--admin')
  return (JSON.parse(await run('token', '--json')) as { access_token: string }).access_token
}

async function addFields(port: number, token: string): Promise<number[]> {
  const drafts = [
    { name: 'City', type: 'text' },
    { name: 'Weight', type: 'numeric' },
  ]
  const response = await fetch(`http://127.0.0.1:${port}/api/v4/leads/custom_fields`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(drafts),
  })
  if (response.status !== 201) throw new Error(`the fields were not made: ${response.status}`)
  const { _embedded } = (await response.json()) as {
    _embedded: { custom_fields: { id: number }[] }
  }
  return _embedded.custom_fields.map(({ id }) => id)
}

/** Makes the leads, batch by batch, by several connections. */
async function fill(
  port: number,
  token: string,
  leads: number,
  [city, weight]: number[],
  onMade: (made: number) => void,
): Promise<void> {
  let begun = 0
  let made = 0
  const draft = (number: number) => ({
    name: `Order ${number} of ${wordOf(number % (leads / perWord))}`,
    price: (number * 611_953) % 1_000_000,
    custom_fields_values: [
      { field_id: city, values: [{ value: `City ${number % 1000}` }] },
      { field_id: weight, values: [{ value: String(number % 10_000) }] },
    ],
  })
  const keepOn = async (client: Client) => {
    while (begun < leads) {
      const first = begun
      begun += batch
      const body = Array.from({ length: batch }, (_, index) => draft(first + index))
      await client.ask(
        format({ method: 'POST', path: '/api/v4/leads', body }, { userId: 0, token }, port),
      )
      onMade((made += batch))
    }
  }
  const clients = await Promise.all(Array.from({ length: makers }, () => open(port)))
  await Promise.all(clients.map(keepOn)).finally(() => {
    for (const client of clients) client.close()
  })
}

/** The processor time of the reader's connections, milliseconds, by their process. */
async function timesOf(session: pg.Client): Promise<Map<number, number>> {
  const { rows } = await session.query<{ pid: number }>(
    `select pid from pg_stat_activity where application_name = 'kontor reader'`,
  )
  return new Map(rows.map(({ pid }) => [pid, processorTime(pid)]))
}

/** Waits until the database has done what is done in the background. */
async function untilIdle(session: pg.Client): Promise<void> {
  for (let quiet = 0; quiet < 3;) {
    const { rows } = await session.query(
      `select from pg_stat_activity where state = 'active' and pid <> pg_backend_pid() and backend_type = 'client backend'`,
    )
    quiet = rows.length === 0 ? quiet + 1 : 0
    await pause(2000)
  }
}

/** Asks for a while by several connections. Answers the database's milliseconds of one request. */
async function costOf(
  session: pg.Client,
  port: number,
  lookMs: number,
  requests: Buffer[],
): Promise<number> {
  const before = await timesOf(session)
  const clients = await Promise.all(Array.from({ length: readers }, () => open(port)))
  const end = performance.now() + lookMs
  let sent = 0
  const keepOn = async (client: Client) => {
    while (performance.now() < end) {
      await client.ask(requests[sent % requests.length]!)
      sent++
    }
  }
  await Promise.all(clients.map(keepOn))
  for (const client of clients) client.close()
  const after = await timesOf(session)
  return [...after].reduce((sum, [pid, time]) => sum + time - (before.get(pid) ?? 0), 0) / sent
}
