// npm run bench:unsorted -- [seconds]
//
// Measures unsorted items: the intake of 50 forms per request, beside the same statements from a bare
// server; accepting 250 items in one request, beside complex creation of the same records; and lists
// of 500 and 250 items while many wait.
import { fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import path from 'node:path'
import { format, open } from './connection.ts'
import type { Client } from './connection.ts'
import { makeFixture } from './fixture.ts'
import { begun, startKontor } from './processes.ts'
import type { Call } from './scenarios.ts'

const seconds = Number(process.argv[2] ?? 10)
const connections = 4
const quiet = () => undefined
const fixture = await makeFixture(quiet)
const { account, environment } = fixture
const kontor = await startKontor(fixture)
const floor = fork(path.join(import.meta.dirname, 'floor-unsorted.ts'), [JSON.stringify(account)], {
  env: { PATH: process.env['PATH'], ...environment },
})
const floorPort = await begun<number>(floor, 'the floor', (resolve) =>
  floor.once('message', resolve),
)

const forms = '/api/v4/leads/unsorted/forms'
const form = (): object => ({
  source_name: 'Shop',
  source_uid: randomUUID(),
  metadata: {
    form_id: 'cb',
    form_name: 'Call back',
    form_page: 'https://shop.example/',
    ip: '192.0.2.9',
  },
  _embedded: {
    leads: [{ name: 'Call back', price: 100 }],
    contacts: [{ name: 'Ann Lee', custom_fields_values: [phone()] }],
  },
})
const phone = () => ({
  field_code: 'PHONE',
  values: [{ value: `+1555${String(Math.floor(Math.random() * 1e9)).padStart(9, '0')}` }],
})
const times = (count: number, make: () => object) => Array.from({ length: count }, make)

try {
  const intake = (): Call => ({ method: 'POST', path: forms, body: times(50, form) })
  await load('warm up', kontor.port, intake, 2)
  await load('warm up', floorPort, intake, 2)
  const rates: { kontor: number; floor: number }[] = []
  for (let round = 0; round < 3; round++)
    rates.push({
      floor: await load('floor', floorPort, intake, seconds),
      kontor: await load('Kontor', kontor.port, intake, seconds),
    })
  const median = (list: number[]) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)]!
  const ours = median(rates.map(({ kontor }) => kontor))
  const bare = median(rates.map(({ floor }) => floor))
  say(
    `intake of 50 forms: ${(ours * 50).toFixed(0)} items/s, ${(ours / bare).toFixed(2)} of the floor`,
  )
  await accept()
  for (const [title, at] of [
    ['list 500 (version 2)', '/api/v2/incoming_leads?page_size=500'],
    ['list 250 (version 4)', '/api/v4/leads/unsorted?limit=250'],
    ['list 50 cards', '/web/v1/unsorted?limit=50'],
    ['list 50 leads, while the items wait', '/api/v4/leads?limit=50'],
    ['list 50 leads, the newest first', '/api/v4/leads?limit=50&order[id]=desc'],
  ] as const)
    say(
      `${title}: ${(await load(title, kontor.port, () => ({ method: 'GET', path: at }), 5)).toFixed(0)} requests/s`,
    )
} finally {
  floor.disconnect()
  await kontor.stop()
  await fixture.stop()
}

/** Accepts 250 items at once, beside complex creation of 250 leads with contacts. */
async function accept(): Promise<void> {
  const client = await open(kontor.port)
  const accepted: number[] = []
  const created: number[] = []
  for (let turn = 0; turn < 12; turn++) {
    const added = await ask(client, { method: 'POST', path: forms, body: times(250, form) })
    const uids = (added as { _embedded: { unsorted: { uid: string }[] } })._embedded.unsorted
    const body = { accept: uids.map(({ uid }) => uid), user_id: account.userId }
    const start = performance.now()
    await ask(client, { method: 'POST', path: '/api/v2/incoming_leads/accept', body })
    accepted.push(performance.now() - start)
    const complex = times(50, () => ({
      name: 'Call back',
      price: 100,
      _embedded: { contacts: [{ name: 'Ann Lee', custom_fields_values: [phone()] }] },
    }))
    const from = performance.now()
    for (let part = 0; part < 5; part++)
      await ask(client, { method: 'POST', path: '/api/v4/leads/complex', body: complex })
    created.push(performance.now() - from)
  }
  client.close()
  const middle = (list: number[]) => list.slice(2).toSorted((a, b) => a - b)[5]!
  say(
    `accept 250 in one request: ${middle(accepted).toFixed(0)} ms; complex creation of the same in 5 requests: ${middle(created).toFixed(0)} ms`,
  )
}

async function ask(client: Client, call: Call): Promise<unknown> {
  return JSON.parse((await client.ask(format(call, account, kontor.port))).body.toString())
}

/** Requests per second over all connections. */
async function load(
  title: string,
  port: number,
  make: () => Call,
  length: number,
): Promise<number> {
  const clients = await Promise.all(Array.from({ length: connections }, () => open(port)))
  const start = performance.now()
  let count = 0
  const keepOn = async (client: Client) => {
    while (performance.now() < start + length * 1000) {
      await client.ask(format(make(), account, port))
      count++
    }
  }
  await Promise.all(clients.map(keepOn))
  const rate = (count / (performance.now() - start)) * 1000
  for (const client of clients) client.close()
  console.error(`${title}: ${rate.toFixed(1)}/s`)
  return rate
}

function say(line: string): void {
  console.log(line)
}
