// Writers that remember what they were promised: every answer of success is noted, and what was on its way when the server died is in
// doubt, all of it or none of it. And what the tests of crashes share: how a server dies, and what is left to be told.
import sql from 'sql-template-tag'
import { client } from '../client.ts'
import type { Answer, Client } from '../client.ts'
import { gone, signal } from '../kontor.ts'
import type { Running } from '../kontor.ts'
import type { Scratch } from '../scratch.ts'

/** A lead whose creation was acknowledged, as the last acknowledged change left it. */
export interface Promised {
  name: string
  price: number
  /** Acknowledged changes of the price. */
  changes: number
}

/** A request without an answer: new leads by name, or new prices by id. */
export type Doubt = { names: string[] } | { prices: Map<number, number> }

export interface Ledger {
  leads: Map<number, Promised>
  doubts: Doubt[]
  /** Answers that are neither success nor "try again". */
  failures: string[]
}

export const newLedger = (): Ledger => ({ leads: new Map(), doubts: [], failures: [] })

export const tagName = 'under load'

let number = 0
const upTo = (most: number) => 1 + Math.floor(Math.random() * most)

/** Writes until the server is gone: batches of new leads, changes of many, changes of one, each writer to leads of its own. */
export async function write(
  server: { url: string },
  token: string,
  { leads, doubts, failures }: Ledger,
): Promise<void> {
  const api = client(server, token)
  const mine: number[] = []
  const some = () => [
    ...new Set(Array.from({ length: upTo(10) }, () => mine[upTo(mine.length) - 1]!)),
  ]
  for (;;) {
    if (mine.length === 0 || Math.random() < 0.4) {
      const drafts = Array.from({ length: upTo(25) }, () => ({
        name: `lead ${++number}`,
        price: number,
      }))
      const body = drafts.map((draft) => ({ ...draft, _embedded: { tags: [{ name: tagName }] } }))
      const answer = await ask(api.post, '/api/v4/leads', body, failures)
      if (!answer) return void doubts.push({ names: drafts.map(({ name }) => name) })
      for (const [index, { id }] of (answer.body._embedded.leads as { id: number }[]).entries()) {
        leads.set(id, { ...drafts[index]!, changes: 0 })
        mine.push(id)
      }
    } else {
      const prices = new Map(some().map((id) => [id, ++number]))
      const items = [...prices].map(([id, price]) => ({ id, price }))
      const answer =
        items.length === 1
          ? await ask(
              api.patch,
              `/api/v4/leads/${items[0]!.id}`,
              { price: items[0]!.price },
              failures,
            )
          : await ask(api.patch, '/api/v4/leads', items, failures)
      if (!answer) return void doubts.push({ prices })
      for (const { id, price } of items) {
        const lead = leads.get(id)!
        leads.set(id, { ...lead, price, changes: lead.changes + 1 })
      }
    }
  }
}

/** The answer of success, undefined when there is none. */
async function ask(
  send: Client['post'],
  path: string,
  body: unknown,
  failures: string[],
): Promise<Answer | undefined> {
  try {
    const answer = await send(path, body)
    if (answer.status === 200) return answer
    if (answer.status !== 503) failures.push(JSON.stringify(answer.body))
  } catch (error) {
    // A connection that broke is what was to be expected; an answer that is not what the document promises is not.
    if ((error as Error).message !== 'fetch failed' && (error as Error).name !== 'TypeError')
      failures.push(String(error))
  }
  return undefined
}

/** How long a test crashes servers. Longer runs find rarer holes. */
export const crashSeconds = Number(process.env['CRASH_SECONDS'] ?? 15)

export async function killServer({ server }: Running): Promise<void> {
  signal(server, 'SIGKILL')
  await gone(server)
}

/** Changes that webhooks have not followed yet, and deliveries that wait. */
export async function untoldChanges({ database }: Scratch): Promise<number> {
  const row = await database.row<{ left: number }>(sql`
    select (select count(*) from journal, followers
             where name = 'webhooks' and id > low_water and not handled @> id)
         + (select count(*) from deliveries where due_at is not null and attempts = 0) as left`)
  return row!.left
}
