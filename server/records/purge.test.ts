import sql, { join, raw } from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ensureEventPartitions } from '../changes/partitions.ts'
import type { Database } from '../database/connect.ts'
import { newAccount } from '../../test/account.ts'
import type { TestAccount } from '../../test/account.ts'
import { addCatalog, addElements, link, toElement } from '../../test/links.ts'
import { allKinds, needed } from '../../test/records.ts'
import { scratchDatabase, type Scratch } from '../../test/scratch.ts'
import type { RecordType } from './description.ts'
import { purgeBin, purgeOldest, purgePurchases, removePurchases } from './purge.ts'

const day = 86_400

/**
 * An account whose clock a test sets back: its deletions are old when the bin is purged at the real
 * time.
 */
let account: TestAccount
/** The purge goes through all accounts of a database; here there is one. */
let alone: Scratch

beforeAll(async () => {
  alone = await scratchDatabase()
  await ensureEventPartitions(alone.database, new Date())
  account = await newAccount({ binDays: 30, databaseUrl: alone.url })
})

afterAll(() => alone.drop())

const realTime = () => Math.floor(Date.now() / 1000)

async function daysAgo<Result>(days: number, work: () => Promise<Result>): Promise<Result> {
  account.clock.ahead = -days * day
  return await work().finally(() => (account.clock.ahead = 0))
}

/** The record is old: a deletion counts from its creation where the clock was put back. */
async function add(kind: RecordType, draft: object = {}): Promise<number> {
  const { status, body } = await account.api.post(`/api/v4/${kind}`, [
    { ...needed(kind), name: 'Bakery', created_at: 1, ...draft },
  ])
  expect(status).toBe(200)
  return body._embedded[kind][0].id
}

async function deleted(kind: RecordType, days: number): Promise<number> {
  const id = await add(kind)
  await daysAgo(days, async () =>
    expect((await account.api.delete(`/api/v4/${kind}/${id}`)).status).toBe(204),
  )
  return id
}

const purge = () => purgeBin(account.kontor.database, account.kontor.config.binDays, realTime())
const restore = async (kind: string, id: number) =>
  (await account.api.post(`/api/v4/${kind}/${id}/restore`)).status

describe.each(allKinds)('%s', (kind) => {
  test('that were deleted longer ago than the setting says are gone for good', async () => {
    const [old, young, live] = [await deleted(kind, 31), await deleted(kind, 29), await add(kind)]
    await purge()
    expect(await restore(kind, old)).toBe(404)
    expect(await restore(kind, young)).toBe(200)
    expect((await account.api.get(`/api/v4/${kind}/${live}`)).status).toBe(200)
    const bin = await account.api.get(`/api/v4/${kind}?with=only_deleted`)
    expect(bin.body._embedded[kind].map(({ id }: { id: number }) => id)).not.toContain(old)
  })

  test('leave their events behind', async () => {
    const id = await deleted(kind, 40)
    const events = async () =>
      (await account.api.get('/api/v4/events?limit=100')).body._embedded.events
    const recorded = (await events()).filter(
      ({ entity_id }: { entity_id: number }) => entity_id === id,
    )
    await purge()
    expect(await events()).toEqual(expect.arrayContaining(recorded))
    expect(recorded.length).toBeGreaterThan(0)
  })
})

test.each(['leads', 'customers'] as const)(
  'links of %s go from both ends, notes go, and the record at the other end stays',
  async (kind) => {
    const { database } = account.kontor
    const contact = await add('contacts')
    const other = await add('contacts')
    const holder = await add(kind, { _embedded: { contacts: [{ id: contact }, { id: other }] } })
    const note = { note_type: 'common', params: { text: 'Called' } }
    for (const id of [contact, other])
      expect((await account.api.post(`/api/v4/contacts/${id}/notes`, [note])).status).toBe(200)
    await daysAgo(31, () => account.api.delete(`/api/v4/contacts/${contact}`))
    const left = async (id: number) =>
      (await database.row<{ links: number; notes: number }>(sql`
      select (select count(*) from links where account_id = ${account.id}
                 and ((from_type = 'contacts' and from_id = ${id}) or (to_type = 'contacts' and to_id = ${id}))) as links,
             (select count(*) from notes where account_id = ${account.id} and entity_type = 'contacts' and entity_id = ${id}) as notes`))!
    const untouched = await left(other)
    // Besides the note of the user there is the one of the creation.
    expect(await left(contact)).toEqual({ links: 2, notes: 2 })
    await purge()
    expect(await left(contact)).toEqual({ links: 0, notes: 0 })
    expect(await left(other)).toEqual(untouched)
    const { body } = await account.api.get(`/api/v4/${kind}/${holder}?with=contacts`)
    expect(body._embedded.contacts).toMatchObject([{ id: other, is_main: true }])
  },
)

test.each(allKinds)('elements of catalogs leave purged %s, and stay on others', async (kind) => {
  const { api } = account
  const [element] = await addElements(api, await addCatalog(api), 'Lamp')
  const [gone, stays] = [await add(kind), await add(kind)]
  for (const id of [gone, stays]) await link(api, kind, id, toElement(element!))
  await daysAgo(31, () => api.delete(`/api/v4/${kind}/${gone}`))
  await purge()
  const rows = await account.kontor.database.rows<{ entity_id: number }>(sql`
    select entity_id from element_links where account_id = ${account.id} and element_id = ${element!.id}`)
  expect(rows).toEqual([{ entity_id: stays }])
})

describe('the purchases of a customer', () => {
  const transactions = (customer: number) => `/api/v4/customers/${customer}/transactions`
  const tables = [
    ['transactions', 'true'],
    ['transaction_elements', 'true'],
    ['notes', `note_type = 'transaction'`],
    ['purged_customers', 'true'],
  ] as const

  /** The rows of this account that purchases leave behind. */
  async function left(): Promise<Record<string, number>> {
    const counts = tables.map(
      ([table, which]) =>
        sql`(select count(*) from ${raw(table)} where account_id = ${account.id} and ${raw(which)}) as ${raw(table)}`,
    )
    return (await account.kontor.database.row<Record<string, number>>(sql`select ${join(counts)}`))!
  }

  /** A customer with 250 purchases, one of them deleted, and what was bought by each. */
  async function buyer(): Promise<number> {
    const { api } = account
    const made = await api.post('/api/v4/catalogs', [{ name: 'Goods' }])
    const catalog_id: number = made.body._embedded.catalogs[0].id
    const goods = await api.post(`/api/v4/catalogs/${catalog_id}/elements`, [{ name: 'Lamp' }])
    const bought = { id: goods.body._embedded.elements[0].id, metadata: { catalog_id } }
    const customer = await add('customers')
    const { status, body } = await api.post(
      transactions(customer),
      Array.from({ length: 250 }, (_, price) => ({
        price,
        _embedded: { catalog_elements: [bought] },
      })),
    )
    expect(status).toBe(200)
    await api.delete(`${transactions(customer)}/${body._embedded.transactions[7].id}`)
    return customer
  }

  test('go with it, and those of others stay', async () => {
    const [gone, kept] = [await buyer(), await buyer()]
    await daysAgo(31, () => account.api.delete(`/api/v4/customers/${gone}`))
    await purge()
    expect(await left()).toEqual({
      transactions: 250,
      transaction_elements: 250,
      notes: 249,
      purged_customers: 0,
    })
    const { body } = await account.api.get(`${transactions(kept)}?limit=500`)
    expect(body._embedded.transactions).toHaveLength(249)
    await daysAgo(31, () => account.api.delete(`/api/v4/customers/${kept}`))
    await purge()
    expect(Object.values(await left())).toEqual([0, 0, 0, 0])
  })

  test('go in steps, after the customer, which nobody can restore meanwhile', async () => {
    const { database } = account.kontor
    const ids = [await buyer(), await buyer()]
    for (const id of ids) await daysAgo(31, () => account.api.delete(`/api/v4/customers/${id}`))
    const gone = await database.transaction((tx) =>
      tx.list(purgeOldest(account.id, 'customers', realTime(), 500)),
    )
    expect(gone).toHaveLength(2)
    expect(await left()).toMatchObject({ transactions: 500, notes: 498, purged_customers: 2 })
    for (const id of ids) expect(await restore('customers', id)).toBe(404)
    expect((await account.api.get('/api/v4/customers/transactions')).body._embedded).toEqual({
      transactions: [],
    })
    const counts = []
    while (await database.transaction((tx) => purgePurchases(tx, account.id, 200)))
      counts.push((await left())['transactions'])
    expect(counts).toEqual([300, 100, 0])
    expect(Object.values(await left())).toEqual([0, 0, 0, 0])
  })
})

test('while another process purges the account, this one waits, and then goes on', async () => {
  const { database } = account.kontor
  const id = await deleted('leads', 31)
  let purging: Promise<number> | undefined
  await database.transaction(async (tx) => {
    await tx.rows(
      sql`select pg_advisory_xact_lock(hashtextextended('kontor purge', ${account.id}::bigint))`,
    )
    purging = purge()
    const waits = sql`
      select from pg_locks where locktype = 'advisory' and not granted
         and database = (select oid from pg_database where datname = current_database())`
    await expect.poll(() => database.rows(waits)).toHaveLength(1)
    const left = await database.rows(
      sql`select id from leads where account_id = ${account.id} and id = ${id}`,
    )
    expect(left).toEqual([{ id }])
  })
  await purging
  expect(await restore('leads', id)).toBe(404)
})

describe('on a large bin', () => {
  let scratch: Scratch

  beforeAll(async () => {
    scratch = await scratchDatabase()
    await fill(scratch.database)
  })

  afterAll(() => scratch.drop())

  const ofChats: Record<RecordType, string[]> = {
    leads: ['chats_by_entity', 'talks_of_entity'],
    contacts: ['chats_by_contact', 'talks_of_contact'],
    companies: [],
    customers: ['chats_by_entity', 'talks_of_entity'],
  }

  test.each(allKinds)('the plan for %s walks indexes', async (kind) => {
    const statement = purgeOldest(1, kind, 70 * day, 500)
    const plan = JSON.stringify(
      await scratch.database.list(sql`explain (format json) ${statement}`),
    )
    expect(plan).not.toContain('Seq Scan')
    for (const index of [
      `${kind}_in_bin_by_deletion`,
      'links_pkey',
      'element_links_pkey',
      'notes_by_entity',
      'notes_of_record',
      'tasks_of_record',
      'files_pkey',
      ...ofChats[kind],
    ])
      expect(plan).toContain(index)
  })

  test('the plan for purchases walks indexes', async () => {
    const statement = removePurchases(1, [3, 6, 9], 5000)
    const plan = JSON.stringify(
      await scratch.database.list(sql`explain (format json) ${statement}`),
    )
    expect(plan).not.toContain('Seq Scan')
    for (const index of [
      'transactions_of_customer',
      'transactions_pkey',
      'transaction_elements_pkey',
      'notes_pkey',
    ])
      expect(plan).toContain(index)
  })

  test('it takes several chunks, and only the old', async () => {
    const left = () =>
      scratch.database.row(
        sql`select count(*) as count, min(updated_at) / ${day} as oldest from leads where is_deleted`,
      )
    expect(await left()).toEqual({ count: 2000, oldest: 60 })
    expect(await purgeBin(scratch.database, 30, 100 * day)).toBe(4 * 1500)
    expect(await left()).toEqual({ count: 500, oldest: 70 })
    expect(await purgeBin(scratch.database, 30, 100 * day)).toBe(0)
  })
})

/**
 * 20,000 records of each entity type, with 5 links, 2 notes and 2 tasks each; one in ten is in the bin, for
 * 30 or 40 days (day 100 is today).
 */
async function fill(database: Database): Promise<void> {
  const shared =
    'account_id, id, name, responsible_user_id, group_id, created_by, updated_by, created_at, updated_at, is_deleted'
  const row = `1 + n % 3, n, 'x', 1, 0, 1, 1, 0, case when n % 40 = 10 then 70 else 60 end * ${day}, n % 10 = 0`
  const client = await database.connection()
  await client.query(`
    insert into accounts (id, subdomain, name, created_at, updated_at) select n, 'account-' || n, 'x', 0, 0 from generate_series(1, 3) n`)
  const add = (kind: string, columns: string, values: string) =>
    client.query(
      `insert into ${kind} (${shared}, ${columns}) select ${row}, ${values} from generate_series(1, 20000) n`,
    )
  await add('leads', 'price, pipeline_id, status_id', '1, 1, 1')
  await add('contacts', 'first_name, last_name', `'', ''`)
  await add('customers', 'next_date, status_id', '1, 1')
  await client.query(
    `insert into companies (${shared}) select ${row} from generate_series(1, 20000) n`,
  )
  for (const kind of allKinds) {
    await client.query(`
      insert into links (account_id, from_type, from_id, to_type, to_id)
      select 1 + n % 3, '${kind}', n, 'customers', n + other from generate_series(1, 20000) n, generate_series(1, 5) other`)
    await client.query(`
      insert into element_links (account_id, entity_type, entity_id, element_id, catalog_id)
      select 1 + n % 3, '${kind}', n, element, 1 from generate_series(1, 20000) n, generate_series(1, 3) element`)
    await client.query(`
      insert into notes (account_id, entity_type, entity_id, note_type, params, responsible_user_id, group_id, created_by, updated_by, created_at, updated_at)
      select 1 + n % 3, '${kind}', n, type, '{}', 1, 0, 1, 1, 0, 0 from generate_series(1, 20000) n, unnest(array['common', 'entity_added']) type`)
    await client.query(`
      insert into tasks (account_id, text, task_type_id, responsible_user_id, group_id, entity_type, entity_id, complete_till, duration,
                         is_completed, result, created_by, updated_by, created_at, updated_at)
      select 1 + n % 3, 'x', 1, 1, 0, '${kind}', n, n, 0, other = 1, 'x', 1, 1, 0, 0 from generate_series(1, 20000) n, generate_series(1, 2) other`)
  }
  await client.query(`
    insert into notes (account_id, entity_type, entity_id, note_type, params, responsible_user_id, group_id, created_by, updated_by, created_at, updated_at)
    select account_id, 'tasks', id, 'task_result', '{}', 1, 0, 1, 1, 0, 0 from tasks where is_completed`)
  await client.query(`
    insert into channels (account_id, name, bot_name, secret, created_by, created_at, updated_at) values (1, 'Line', 'Line', '', 0, 0, 0)`)
  for (const [kind, from] of [['leads', 0] as const, ['customers', 20_000] as const]) {
    await client.query(`
      insert into chats (account_id, id, channel_id, client_uid, contact_id, entity_type, entity_id, created_at, updated_at)
      select 1 + n % 3, ${from} + n, (select id from channels limit 1), gen_random_uuid(), n, '${kind}', n, 0, 0 from generate_series(1, 20000) n`)
    await client.query(`
      insert into talks (account_id, id, chat_id, contact_id, entity_type, entity_id, is_read, created_at, updated_at)
      select 1 + n % 3, ${from} + n, ${from} + n, n, '${kind}', n, true, 0, 0 from generate_series(1, 20000) n`)
  }
  await client.query(`
    insert into transactions (account_id, customer_id, price, completed_at, note_id, created_by, updated_by, created_at, updated_at)
    select 1 + n % 3, n, 1, 0, nextval('notes_id'), 1, 1, 0, 0 from generate_series(1, 20000) n, generate_series(1, 2)`)
  await client.query(`
    insert into transaction_elements (account_id, transaction_id, element_id, catalog_id, quantity)
    select account_id, id, 1, 1, 1 from transactions`)
  await client.query(`
    insert into files (account_id, id, name, type, size, state, created_by, created_at, stored_at, attached_at)
    select 1 + n % 3, n, 'a.txt', 'text/plain', 1, 'stored', 1, 0, 0, 0 from generate_series(1, 20000) n`)
  await client.query(`update notes set file_id = id where note_type = 'common' and id % 10 = 0`)
  await client.query('vacuum analyze')
  await client.end()
}
