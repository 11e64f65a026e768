// No notice is lost: two servers on one database write and deliver, and are killed at random again
// and again. In the end each change has arrived at the receiver, the first arrivals of each record
// in the order of its changes, and nothing arrived that no change caused.
import sql from 'sql-template-tag'
import { expect, test, vi } from 'vitest'
import { parseNested } from '../../server/http/nested.ts'
import { client } from '../client.ts'
import { newHome } from '../kontor.ts'
import type { Home, Running } from '../kontor.ts'
import { atSomeMoment } from '../moments.ts'
import { openReceiver } from '../receiver.ts'
import type { Receiver } from '../receiver.ts'
import { scratchDatabase } from '../scratch.ts'
import type { Scratch } from '../scratch.ts'
import { crashSeconds, killServer, newLedger, untoldChanges, write } from './load.ts'

const path = '/hook'

vi.setConfig({ testTimeout: 120_000 + crashSeconds * 2000 })

interface Change {
  entity_id: number
  actions: string[]
  price: number
}

test('every change reaches a webhook, in the order of its record, whichever processes die', async () => {
  const scratch = await scratchDatabase()
  const receiver = await openReceiver()
  const home = await newHome({
    DATABASE_URL: scratch.url,
    KONTOR_SECRET_KEY: 'the key of the tests',
    ALLOW_PRIVATE_HOOKS: 'loopback',
    LOG_LEVEL: 'error',
  })
  try {
    await run(home, receiver)
    const changes = await changesOf(scratch)
    const arrived = arrivalsOf(receiver)
    expect(changes.length).toBeGreaterThan(50)
    expect(firstOf(arrived)).toEqual(Object.fromEntries(byRecord(changes)))
    // A delivery that arrives twice counts once.
    expect(
      new Set(
        receiver.arrivals.map(({ body, headers }) => `${headers['x-kontor-delivery']} ${body}`),
      ).size,
    ).toBe(new Set(receiver.arrivals.map(({ body }) => body)).size)
  } finally {
    await home.close()
    await receiver.close()
    await scratch.drop()
  }

  async function run(home: Home, receiver: Receiver): Promise<void> {
    const servers = [await home.start(), await home.start()]
    await home.run(['account', 'create', 'crash'])
    await home.run(['user', 'create', 'boss@crash.example', '--account', 'crash', '--admin'])
    await home.run(['integration', 'create', '--account', 'crash', '--name', 'Crash'])
    const { stdout } = await home.run(['token', '--json'])
    const token = (JSON.parse(stdout) as { access_token: string }).access_token
    const made = await client(servers[0]!, token).post('/api/v4/webhooks', {
      destination: receiver.url + path,
      settings: ['add_lead', 'update_lead'],
    })
    expect(made.status).toBe(200)
    receiver.behave(path, ...Array.from({ length: 500 }, (_, n) => ({ delayMs: (n * 7) % 40 })))
    const ledger = newLedger()
    const writing: Promise<void>[] = []
    const load = (server: Running) => writing.push(write(server, token, ledger))
    for (const server of servers) load(server)
    const end = Date.now() + crashSeconds * 1000
    while (Date.now() < end) {
      await atSomeMoment(1500)
      const index = Math.random() < 0.5 ? 0 : 1
      await killServer(servers[index]!)
      servers[index] = await home.start()
      load(servers[index])
    }
    for (const server of servers) await killServer(server)
    await Promise.all(writing)
    expect(ledger.failures).toEqual([])
    await home.start()
    await expect.poll(() => untoldChanges(scratch), { timeout: 60_000, interval: 200 }).toBe(0)
  }
})

/** The changes of leads that webhooks hear of, in their order. */
const changesOf = ({ database }: Scratch) =>
  database.list<Change>(sql`
    select entity_id, actions, (after ->> 'price')::bigint as price from journal
     where entity_type = 'leads' and actions && array['add', 'update']
       and id > (select after_journal_id from webhooks)
     order by id`)

/** The changes that arrived, in the order of arrival. */
function arrivalsOf(receiver: Receiver): Change[] {
  return receiver.arrivals.flatMap(({ body }) => {
    const { leads } = parseNested(body) as {
      leads: Record<string, { id: string; price: string }[]>
    }
    return Object.entries(leads).flatMap(([action, items]) =>
      items.map(({ id, price }) => ({
        entity_id: Number(id),
        actions: [action],
        price: Number(price),
      })),
    )
  })
}

/** The prices of each lead by its changes: the load gives each change another. */
function byRecord(changes: Change[]): Map<string, number[]> {
  const prices = new Map<string, number[]>()
  for (const { entity_id, price } of changes) {
    const known = prices.get(`${entity_id}`) ?? []
    prices.set(`${entity_id}`, [...known, price])
  }
  return prices
}

/** A notice may arrive twice, and only its first arrival counts. */
const firstOf = (arrived: Change[]) =>
  Object.fromEntries([...byRecord(arrived)].map(([id, prices]) => [id, [...new Set(prices)]]))
