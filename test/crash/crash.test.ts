// Nothing that was answered with success is lost, and nothing exists by halves: a server under load and its database are killed at a
// random moment, several times, and each time what is found after the next start is compared with what was promised.
import { isDeepStrictEqual } from 'node:util'
import sql, { raw } from 'sql-template-tag'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { connect } from '../../server/database/connect.ts'
import type { Database } from '../../server/database/connect.ts'
import { borrowEmbedded } from '../../server/database/embedded.ts'
import { client } from '../client.ts'
import { ask, ended, readJob } from '../jobs.ts'
import { addLeads } from '../leads.ts'
import { addRecords } from '../records.ts'
import { gone, newHome, signal } from '../kontor.ts'
import type { Home, Running } from '../kontor.ts'
import { atSomeMoment } from '../moments.ts'
import { newLedger, tagName, write } from './load.ts'
import type { Ledger } from './load.ts'

/** As many rounds as fit: on a slow machine fewer than on a fast one, but never less than two. */
const rounds = { most: 5, least: 2, seconds: 20 }
const writers = 4

vi.setConfig({ testTimeout: 120_000 })

let home: Home
let running: Running
let token: string

beforeAll(async () => {
  home = await newHome()
  running = await home.start()
  const { stdout } = await home.run(['token', '--json'])
  token = (JSON.parse(stdout) as { access_token: string }).access_token
})
afterAll(() => home.close())

test('what was acknowledged is there after any number of kills, whole and told', async () => {
  const ledger = newLedger()
  const end = Date.now() + rounds.seconds * 1000
  for (
    let round = 1;
    round <= rounds.least || (round <= rounds.most && Date.now() < end);
    round++
  ) {
    const promised = ledger.leads.size
    const writing = Array.from({ length: writers }, () => write(running, token, ledger))
    await vi.waitUntil(() => ledger.leads.size > promised, { timeout: 30_000, interval: 5 })
    await atSomeMoment(600)
    await kill(running, Math.random() < 0.5)
    await Promise.all(writing)
    expect(ledger.failures, `the server said: ${running.said()}`).toEqual([])
    running = await home.start()
    await compare(ledger)
  }
})

test('a write that was committed and not answered is answered once it is sent again', async () => {
  const embedded = await borrowEmbedded(home.data, 'kontor test', () => undefined)
  const database = connect(embedded.url, 2)
  const run = (statement: string) => database.transaction((tx) => tx.list(raw(statement)))
  const kept = async () =>
    (await database.list<{ body: string }>(sql`select body from idempotency_keys`)).map(
      ({ body }) => body,
    )
  const body = [{ name: 'lead 0', price: 0 }]
  const post = () =>
    client(running, token).post('/api/v4/leads', body, { 'idempotency-key': 'crash' })
  try {
    // The commit takes long enough for the server to die meanwhile. The database ends it alone.
    await run(`create function linger() returns trigger language plpgsql as
      'begin perform pg_sleep(2); return null; end'`)
    await run(`create constraint trigger linger after insert on idempotency_keys
      deferrable initially deferred for each row execute function linger()`)
    const unanswered = post().then(
      () => 'answered',
      () => 'lost',
    )
    await vi.waitUntil(
      async () =>
        (
          await database.list<{ lingers: boolean }>(
            sql`select exists (select from pg_stat_activity where wait_event = 'PgSleep') as lingers`,
          )
        )[0]!.lingers,
      { timeout: 10_000, interval: 20 },
    )
    expect(await kept()).toEqual([])
    signal(running.server, 'SIGKILL')
    expect(await unanswered).toBe('lost')
    await vi.waitUntil(async () => (await kept()).length === 1, { timeout: 10_000, interval: 20 })
    await run('drop function linger cascade')
  } finally {
    await database.close()
    await embedded.stop()
  }
  await running.ended
  running = await home.start()
  const [first, second] = [await post(), await post()]
  expect(first.headers.get('idempotency-replayed')).toBe('true')
  expect([first.status, second.body]).toEqual([200, first.body])
  const { found } = await look()
  const { id } = first.body._embedded.leads[0]
  expect([...found.values()].flatMap((lead) => (lead.name === 'lead 0' ? lead.id : []))).toEqual([
    id,
  ])
  expect(found.get(id)).toMatchObject({ additions: 1, added_events: 1 })
})

test('a deleted tag goes off its records, although both are killed before it is gone', async () => {
  const api = client(running, token)
  const [tag] = (await api.post('/api/v4/leads/tags', [{ name: 'deleted' }])).body._embedded.tags
  const draft = { name: 'lead', _embedded: { tags: [{ id: tag.id }] } }
  for (let batch = 0; batch < 8; batch++)
    await addLeads(
      api,
      Array.from({ length: 250 }, () => draft),
    )
  expect((await api.delete(`/api/v4/leads/tags/${tag.id}`)).status).toBe(204)
  await kill(running, false)
  running = await home.start()
  const left = () =>
    inDatabase((database) =>
      database.list(sql`
        select id from cleanups union all select id from leads where ${tag.id} = any(tag_ids)`),
    )
  await expect.poll(left, { timeout: 30_000, interval: 500 }).toEqual([])
})

test.for([
  ['leads', 'tag', 'lead'],
  ['leads', 'move', 'lead'],
  ['contacts', 'field', 'contact'],
] as const)(
  'a job of %s, %s, and its undo go on exactly where they were, whenever both are killed',
  async ([type, kind, entity]) => {
    const api = () => client(running, token)
    const name = `of a job ${type} ${kind}`
    const [field] = (await api().post(`/api/v4/${type}/custom_fields`, [{ name, type: 'text' }]))
      .body._embedded.custom_fields
    const [pipeline] = (await api().get('/api/v4/leads/pipelines')).body._embedded.pipelines
    const stages = pipeline._embedded.statuses.filter((each: { type: number }) => each.type === 0)
    const any = <Item>(items: readonly Item[]) => items[Math.floor(Math.random() * items.length)]!
    const ids: number[] = []
    for (let batch = 0; batch < 8; batch++) {
      const drafts = Array.from({ length: 250 }, () => ({
        name,
        ...(type === 'leads' && { status_id: any<{ id: number }>(stages.slice(1)).id }),
        _embedded: { tags: [{ name: any(['old', 'other']) }] },
        custom_fields_values: any([
          null,
          [{ field_id: field.id, values: [{ value: any(['a', 'b']) }] }],
        ]),
      }))
      ids.push(...(await addRecords(api(), type, drafts)))
    }
    const rows = () =>
      inDatabase((database) =>
        database.list(sql`
          select to_jsonb(record) - '{updated_at,updated_by}'::text[] as row from ${raw(type)} record
           where id = any(${ids}::bigint[]) order by id`),
      )
    const before = await rows()
    const actions = {
      tag: { tag: { add: [name] } },
      move: { move: { pipeline_id: pipeline.id, status_id: stages[0].id } },
      field: {
        field: { custom_fields_values: [{ field_id: field.id, values: [{ value: 'new' }] }] },
      },
    }
    const filter = `filter[name]=${encodeURIComponent(name)}`
    const job = await ask(api(), { entity_type: type, filter, action: actions[kind] })
    const killIn = async (id: number) => {
      const done = Math.floor(Math.random() * ids.length)
      await vi.waitUntil(
        async () => {
          const now = await readJob(api(), id)
          return now.done >= done || now.state === 'done'
        },
        { timeout: 30_000, interval: 5 },
      )
      await kill(running, Math.random() < 0.5)
      running = await home.start()
    }
    await killIn(job.id)
    const all = { state: 'done', total: ids.length, done: ids.length, skipped: 0 }
    expect(await ended(api(), job)).toMatchObject(all)
    expect((await rows()).filter((row, index) => isDeepStrictEqual(row, before[index]))).toEqual([])
    const types = {
      tag: ['entity_tag_added', 'entity_tag_deleted'],
      move: ['lead_status_changed'],
      field: ['custom_field_value_changed'],
    }[kind]
    const told = () =>
      inDatabase((database) =>
        database.list<{ records: number; events: number }>(sql`
          select count(distinct entity_id)::int as records, count(*)::int as events from events
           where entity_id = any(${ids}::bigint[]) and entity_type = ${entity} and type = any(${types}::text[])`),
      )
    // Each record once, and once more by the undo.
    expect(await told()).toEqual([{ records: ids.length, events: ids.length }])
    const { status, body } = await api().post(`/web/v1/jobs/${job.id}/undo`)
    expect(status).toBe(202)
    await killIn(body.id)
    expect(await ended(api(), body)).toMatchObject(all)
    expect(await rows()).toEqual(before)
    expect(await told()).toEqual([{ records: ids.length, events: 2 * ids.length }])
  },
)

test('the totals of the board equal a plain count and sum, whenever both are killed between moves', async () => {
  const api = () => client(running, token)
  const { body } = await api().get('/api/v4/leads/pipelines')
  const [pipeline] = body._embedded.pipelines as {
    id: number
    _embedded: { statuses: { id: number; type: number }[] }
  }[]
  const stages = pipeline!._embedded.statuses.flatMap(({ id, type }) => (type === 0 ? id : []))
  const drafts = Array.from({ length: 200 }, (_, price) => ({ name: 'of a stage', price }))
  const ids = await addLeads(api(), drafts)
  let answered = 0
  /** Moves leads of its own, and changes their prices, until the server is gone. */
  const move = async (index: number) => {
    const mine = ids.filter((_, each) => each % 20 === index)
    const any = <Item>(items: Item[]) => items[Math.floor(Math.random() * items.length)]!
    for (;;) {
      const change = { status_id: any(stages), price: Math.floor(Math.random() * 1000) }
      const items = mine.slice(0, 1 + Math.floor(Math.random() * 10))
      try {
        const { status } = await api().patch(
          '/api/v4/leads',
          items.map((id) => ({ id, ...change })),
        )
        if (status === 200) answered++
      } catch {
        return
      }
    }
  }
  for (let round = 0; round < rounds.least; round++) {
    answered = 0
    const moving = Array.from({ length: 20 }, (_, index) => move(index))
    await vi.waitUntil(() => answered > 100, { timeout: 30_000, interval: 5 })
    await kill(running, Math.random() < 0.5)
    await Promise.all(moving)
    running = await home.start()
    const counted = await inDatabase((database) =>
      database.list<{ status_id: number; count: number; sum: number }>(sql`
        select status_id, count(*)::int as count, sum(price)::float8 as sum from leads
         where pipeline_id = ${pipeline!.id} and not is_deleted and unsorted_id is null group by status_id`),
    )
    const { body: totals } = await api().get(
      `/web/v1/board/totals?pipeline_id=${pipeline!.id}&closed=true`,
    )
    const shown = totals.columns as { status_id: number; count: number; sum: number }[]
    const byStage = (list: typeof shown) =>
      Object.fromEntries(
        list
          .filter(({ count }) => count > 0)
          .map((each) => [each.status_id, [each.count, each.sum]]),
      )
    expect(byStage(shown)).toEqual(byStage(counted))
    expect(shown.every((each) => !('is_more' in each) || each.is_more === false)).toBe(true)
  }
})

/** Both at once, one of them a moment earlier. */
async function kill({ server, postmaster, ended }: Running, databaseFirst: boolean): Promise<void> {
  const [first, second] = databaseFirst ? [postmaster!, server] : [server, postmaster!]
  signal(first, 'SIGKILL')
  await atSomeMoment(20)
  signal(second, 'SIGKILL')
  await ended
  await gone(server)
  await gone(postmaster!)
}

/** A lead as the database has it, with what was told of it. */
interface Found {
  id: number
  name: string
  price: number
  is_tagged: boolean
  /** Rows of the journal: of the addition, of changes; the price in the last one. */
  additions: number
  updates: number
  told_price: number
  /** Events: of the addition with a note that exists, of changes of the price; the price in the last one. */
  added_events: number
  price_events: number
  event_price: number | null
}

async function compare(ledger: Ledger): Promise<void> {
  const { found, orphans } = await look()
  expect(orphans).toEqual({ events: 0, journal: 0, notes: 0, demo: 40 })
  checkLedger(ledger, found)
  for (const [id, promised] of ledger.leads) {
    const { name, price, changes } = promised
    const lead = found.get(id)
    if (!lead)
      throw new Error(`lead ${id} (${JSON.stringify(promised)}) was acknowledged and is lost`)
    expect(lead).toEqual({
      id,
      name,
      price,
      is_tagged: true,
      additions: 1,
      updates: changes,
      told_price: price,
      added_events: 1,
      price_events: changes,
      event_price: changes > 0 ? price : null,
    })
  }
  expect([...found.keys()].filter((id) => !ledger.leads.has(id))).toEqual([])
}

/** A write in doubt has happened as a whole or not at all; from now on it counts as promised, or as never sent. */
function checkLedger(ledger: Ledger, found: Map<number, Found>): void {
  const byName = new Map([...found.values()].map((lead) => [lead.name, lead]))
  for (const doubt of ledger.doubts.splice(0)) {
    if ('names' in doubt) {
      const made = doubt.names.flatMap((name) => byName.get(name) ?? [])
      expect([0, doubt.names.length]).toContain(made.length)
      for (const { id, name } of made)
        ledger.leads.set(id, { name, price: Number(name.slice('lead '.length)), changes: 0 })
    } else {
      const changed = [...doubt.prices].filter(([id, price]) => found.get(id)?.price === price)
      expect([0, doubt.prices.size]).toContain(changed.length)
      for (const [id, price] of changed) {
        const lead = ledger.leads.get(id)!
        ledger.leads.set(id, { ...lead, price, changes: lead.changes + 1 })
      }
    }
  }
}

async function look() {
  return inDatabase(async (database) => {
    const found = await database.list<Found>(sql`
      with told as (
        select entity_id, count(*) filter (where 'add' = any(actions)) as additions,
               count(*) filter (where 'update' = any(actions)) as updates,
               (array_agg((after ->> 'price')::bigint order by id desc))[1] as told_price
          from journal where entity_type = 'leads' group by entity_id
      ), happened as (
        select event.entity_id, count(*) filter (where event.type = 'lead_added' and note.id is not null) as added_events,
               count(*) filter (where event.type = 'sale_field_changed') as price_events,
               (array_agg((event.value_after -> 0 -> 'sale_field_value' ->> 'sale')::bigint order by event.id desc)
                  filter (where event.type = 'sale_field_changed'))[1] as event_price
          from events event
          left join notes note on note.account_id = event.account_id and note.entity_type = 'leads'
           and note.entity_id = event.entity_id and note.id = (event.value_after -> 0 -> 'note' ->> 'id')::bigint
         where event.entity_type = 'lead' group by event.entity_id
      )
      select lead.id, lead.name, lead.price, additions, updates, told_price, added_events, price_events, event_price,
             exists (select from tags where tags.account_id = lead.account_id and tags.id = any(lead.tag_ids)
                        and tags.name = ${tagName}) as is_tagged
        from leads lead left join told on told.entity_id = lead.id left join happened on happened.entity_id = lead.id
       where lead.name like 'lead %'`)
    const [orphans] = await database.list<Record<string, number>>(sql`
      with known as (select id from leads)
      select (select count(*) from events where entity_type = 'lead' and entity_id not in (table known)) as events,
             (select count(*) from journal where entity_type = 'leads' and entity_id not in (table known)) as journal,
             (select count(*) from notes where entity_type = 'leads' and entity_id not in (table known)) as notes,
             (select count(*) from leads where name not like 'lead %' and unsorted_id is null) as demo`)
    return { found: new Map(found.map((lead) => [lead.id, lead])), orphans }
  })
}

async function inDatabase<Result>(work: (database: Database) => Promise<Result>): Promise<Result> {
  const embedded = await borrowEmbedded(home.data, 'kontor test', () => undefined)
  const database = connect(embedded.url, 2)
  try {
    return await work(database)
  } finally {
    await database.close()
    await embedded.stop()
  }
}
