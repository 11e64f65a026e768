// A program that asks for changes as the guide says (docs/guides/filters.md) misses none, while
// batches of 250 are written at once. `POLL_CHANGES` is the number of changes (bench/results has a
// run of 20,000).
import sql from 'sql-template-tag'
import { expect, test } from 'vitest'
import { newAccount } from '../../test/account.ts'
import type { TestAccount } from '../../test/account.ts'
import type { Client } from '../../test/client.ts'
import { addRecords } from '../../test/records.ts'
import { stretched } from '../../test/slow.ts'

const changes = Number(process.env['POLL_CHANGES'] ?? 3000)
const size = 250
const writers = 4
/** Seconds that the program asks for again. */
const overlap = 10

test(
  `of ${changes} changes under load, a program that asks for changes and for events misses none`,
  { timeout: stretched(Math.max(120_000, changes * 30)) },
  async () => {
    const account = await newAccount()
    const { api } = account
    const records = poll(api, '/api/v4/leads', 'leads', 'updated_at')
    const events = poll(api, '/api/v4/events', 'events', 'created_at')
    const writing = { isDone: false }
    const written = write(account).finally(() => (writing.isDone = true))
    while (!writing.isDone) {
      await records.ask()
      await events.ask()
    }
    await written
    await records.ask()
    await events.ask()

    const { id, kontor } = account
    const leads = await kontor.database.rows<{ id: number; name: string }>(
      sql`select id, name from leads where account_id = ${id}`,
    )
    expect(leads.length).toBeGreaterThan(0)
    const missed = leads.filter((lead) => records.taken.get(lead.id)?.['name'] !== lead.name)
    expect(missed).toEqual([])
    const received = await kontor.database.rows<{ id: string }>(
      sql`select id from events where account_id = ${id}`,
    )
    expect(received.length).toBeGreaterThanOrEqual(changes)
    expect(received.filter((event) => !events.taken.has(event.id))).toEqual([])
  },
)

/** Half of the batches make leads, the others change them; several are written at once. */
async function write({ api }: TestAccount): Promise<void> {
  const batches = Math.ceil(changes / size)
  const made: number[][] = []
  let next = 0
  const writer = async () => {
    for (let index = next++; index < batches; index = next++) {
      const ids =
        index % 2 === 1 ? made[Math.floor(index / 4) % Math.max(1, made.length)] : undefined
      if (ids) await rename(api, ids, `Batch ${index}`)
      else
        made.push(
          await addRecords(
            api,
            'leads',
            Array.from({ length: size }, () => ({ name: 'New' })),
          ),
        )
    }
  }
  await Promise.all(Array.from({ length: writers }, writer))
}

async function rename(api: Client, ids: number[], name: string): Promise<void> {
  const { status } = await api.patch(
    '/api/v4/leads',
    ids.map((id) => ({ id, name })),
  )
  expect(status).toBe(200)
}

type Taken = Record<string, unknown> & { id: number | string }

/** A program that asks for what changed since ten seconds before the greatest time that it saw. */
function poll(api: Client, path: string, collection: string, time: string) {
  const taken = new Map<number | string, Taken>()
  let greatest = 0
  return {
    taken,
    async ask() {
      const from = Math.max(0, greatest - overlap)
      let next: string | undefined = `${path}?filter[${time}][from]=${from}&limit=250`
      while (next) {
        const { status, body }: Awaited<ReturnType<Client['get']>> = await api.get(next)
        expect(status).toBe(200)
        for (const each of body._embedded[collection] as Taken[]) {
          taken.set(each.id, each)
          greatest = Math.max(greatest, each[time] as number)
        }
        next = body._links.next?.href
      }
    },
  }
}
