// What searches need of texts that grow: counts of common trigrams, and blocks for short words.
import sql from 'sql-template-tag'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { stopAutovacuum } from '../../../test/autovacuum.ts'
import { scratchDatabase, type Scratch } from '../../../test/scratch.ts'
import { statisticsChannel } from '../../changes/growth.ts'
import { openSignals } from '../../changes/signals.ts'
import type { Signals } from '../../changes/signals.ts'
import type { App, Kontor } from '../../kontor.ts'
import { countTrigramsInBackground, sampling } from './common-trigrams.ts'
import { blocking, keepBlocksInBackground } from './text-blocks.ts'

const [usualSampling, usualBlocking] = [{ ...sampling }, { ...blocking }]
let scratch: Scratch
let signals: Signals
let hooks: (() => Promise<void>)[]
let kontor: Kontor
const app = {
  addHook: (_name: string, hook: () => Promise<void>) => hooks.push(hook),
  log: {
    error: (facts: unknown) => {
      throw new Error(JSON.stringify(facts))
    },
  },
} as unknown as App

beforeEach(async () => {
  scratch = await scratchDatabase()
  const { database } = scratch
  signals = openSignals(database)
  kontor = { database, signals } as Kontor
  hooks = []
  await database.list(sql`
    insert into accounts (id, subdomain, name, created_at, updated_at) values (1, 'one', 'One', 0, 0)`)
  await stopAutovacuum(database)
})
afterEach(async () => {
  for (const hook of hooks) await hook()
  Object.assign(sampling, usualSampling)
  Object.assign(blocking, usualBlocking)
  await signals.close()
  await scratch.drop()
})

/** Fills the texts of leads up to a number, and says that their statistics are new. */
async function grow(from: number, to: number): Promise<void> {
  await scratch.database.list(sql`
    insert into record_texts (account_id, entity_type, entity_id, text, grams)
    select 1, 'leads', n, 'lead ' || n, 'lead ' || n from generate_series(${from}::int, ${to}) n`)
  await scratch.database.list(sql`analyze record_texts_of_leads`)
  signals.notify(statisticsChannel, 'record_texts_of_leads')
}

test('the trigrams of a type are counted once it has many texts, and anew when they have doubled', async () => {
  Object.assign(sampling, { fewestTexts: 100 })
  const counted = async () =>
    (await scratch.database.row<{ texts: number }>(
      sql`select max(records)::int as texts from common_trigrams where entity_type = 'leads'`,
    ))!.texts
  countTrigramsInBackground(app, kontor)
  await grow(1, 99)
  await grow(100, 200)
  await expect.poll(counted).toBe(200)
  await grow(201, 399)
  // Contacts are counted after leads, so that leads were looked at before.
  await scratch.database.list(sql`
    insert into record_texts (account_id, entity_type, entity_id, text, grams)
    select 1, 'contacts', n, 'ann ' || n, 'ann ' || n from generate_series(1, 100) n`)
  await scratch.database.list(sql`analyze record_texts_of_contacts`)
  signals.notify(statisticsChannel, 'record_texts_of_contacts')
  await expect
    .poll(() =>
      scratch.database.row(sql`select from common_trigrams where entity_type = 'contacts'`),
    )
    .toBeDefined()
  expect(await counted()).toBe(200)
  await grow(400, 400)
  await expect.poll(counted).toBe(400)
})

test('the blocks of texts are made when these have become many', async () => {
  Object.assign(blocking, { fewestTexts: 100 })
  const blocked = () =>
    scratch.database.row(sql`select from blocked_texts where entity_type = 'leads'`)
  keepBlocksInBackground(app, kontor)
  await expect.poll(() => signals.connected()).toBe(true)
  await grow(1, 99)
  await grow(100, 100)
  await expect.poll(blocked).toBeDefined()
})
