import sql from 'sql-template-tag'
import { expect, test } from 'vitest'
import { newAccount } from '../../test/account.ts'
import type { TestAccount } from '../../test/account.ts'
import { actorOf as adminOf } from '../../test/actor.ts'
import { addLead, addLeads } from '../../test/leads.ts'
import { addWithNote } from '../../test/notes.ts'
import { connect, earlier } from '../database/connect.ts'
import type { Tx } from '../database/connect.ts'
import { startWriting } from '../access/actor.ts'
import type { Writer } from '../access/actor.ts'
import { chats, talks } from '../features/conversations/chats/chats.ts'
import { companies } from '../features/records/companies/companies.ts'
import { contacts } from '../features/records/contacts/contacts.ts'
import { customers } from '../features/records/customers/customers.ts'
import { elements } from '../features/records/elements/elements.ts'
import { tasks } from '../features/activity/tasks/tasks.ts'
import { unsortedItems } from '../features/records/unsorted/unsorted.ts'
import { leads } from '../features/records/leads/leads.ts'
import { messages } from '../features/conversations/messages/messages.ts'
import { signIn } from '../../test/session.ts'
import { declareEntities } from './entity.ts'
import { record } from './record.ts'
import type { Entry } from './record.ts'
import { newsChannel } from './signals.ts'
import { timeOfUlid } from './ulid.ts'

/** Unix seconds. Times of events stay near those of their ids. */
const minuteAgo = Math.floor(Date.now() / 1000) - 60

const actorOf = (account: TestAccount): Writer => ({
  ...adminOf(account),
  at: minuteAgo,
  isWriting: true,
})

const renamed = (id: number, events = 1): Entry => ({
  type: 'leads',
  id,
  actions: ['update'],
  before: { name: 'before' },
  events: Array.from({ length: events }, (_, index) => ({
    type: 'name_field_changed',
    value_before: [],
    value_after: [{ name_field_value: { name: `${index}` } }],
  })),
})

const lock = (tx: Tx, accountId: number, id: number) =>
  tx.rows(sql`select from leads where account_id = ${accountId} and id = ${id} for no key update`)

async function journalOf({ id, kontor }: TestAccount, lead: number) {
  return kontor.database.rows<{
    id: number
    created_at: number
    after: { id: number; name: string }
  }>(sql`
    select id, created_at, after from journal where account_id = ${id} and entity_id = ${lead} order by id`)
}

async function eventsOf({ id, kontor }: TestAccount, lead: number) {
  return kontor.database.rows<{
    id: string
    created_at: number
    value_after: [{ name_field_value: { name: string } }]
  }>(sql`
    select id, created_at, value_after from events where account_id = ${id} and entity_id = ${lead} order by id`)
}

test('the news of a batch carries the time of the request, and its events keep their order', async () => {
  const account = await newAccount()
  const [a, b] = await addLeads(account.api, [{ name: 'A' }, { name: 'B' }])
  await account.kontor.database.transaction((tx) =>
    record(tx, actorOf(account), [renamed(b!, 12), renamed(a!, 3)]),
  )
  for (const [lead, events] of [
    [a!, 3],
    [b!, 12],
  ] as const) {
    const journal = await journalOf(account, lead)
    expect(journal.at(-1)).toMatchObject({ created_at: minuteAgo, after: { id: lead } })
    const logged = (await eventsOf(account, lead)).filter(
      ({ created_at }) => created_at === minuteAgo,
    )
    expect(logged.map(({ value_after }) => Number(value_after[0].name_field_value.name))).toEqual(
      Array.from({ length: events }, (_, index) => index),
    )
  }
})

test('news of one lead is in the order of its changes, whichever transaction began first', async () => {
  const account = await newAccount()
  const actor = actorOf(account)
  const [contested, elsewhere] = await addLeads(account.api, [{ name: 'one' }, { name: 'two' }])
  const { database } = account.kontor
  const rename = (tx: Tx, name: string) =>
    tx.rows(
      sql`update leads set name = ${name} where account_id = ${account.id} and id = ${contested}`,
    )

  await database.transaction(async (early) => {
    // The early transaction has its number, and has journaled a change of another lead, before the
    // late one begins.
    await lock(early, account.id, elsewhere!)
    await record(early, actor, [renamed(elsewhere!)])
    await database.transaction(async (late) => {
      await lock(late, account.id, contested!)
      await rename(late, 'late')
      await record(late, actor, [renamed(contested!)])
    })
    await lock(early, account.id, contested!)
    await rename(early, 'early')
    await record(early, actor, [renamed(contested!)])
  })
  const names = (await journalOf(account, contested!)).map(({ after }) => after.name)
  expect(names).toEqual(['one', 'late', 'early'])
  const read = (await account.api.get(`/api/v4/leads/${contested}`)).body
  expect(read.name).toBe('early')
  const events = await eventsOf(account, contested!)
  expect(new Set(events.map(({ id }) => id)).size).toBe(3)
})

test('followers are woken after a commit that told news, never after a rollback or without news', async () => {
  const account = await newAccount()
  const id = await addLead(account.api)
  let woken = 0
  const database = connect(process.env['KONTOR_TEST_DATABASE']!, 1, 10, (channel) => {
    if (channel === newsChannel) woken++
  })
  try {
    await database.transaction((tx) => record(tx, actorOf(account), []))
    expect(woken).toBe(0)
    await expect(
      database.transaction(async (tx) => {
        await record(tx, actorOf(account), [renamed(id)])
        throw new Error('changed my mind')
      }),
    ).rejects.toThrow('changed my mind')
    expect(woken).toBe(0)
    await database.transaction(async (tx) => {
      await record(tx, actorOf(account), [renamed(id)])
      expect(woken).toBe(0)
    })
    expect(woken).toBe(1)
  } finally {
    await database.close()
  }
  expect(await journalOf(account, id)).toHaveLength(2)
})

test('news of ids that the account does not have is no news', async () => {
  const [account, stranger] = [await newAccount(), await newAccount()]
  const theirs = await addLead(stranger.api)
  await account.kontor.database.transaction((tx) =>
    record(tx, actorOf(account), [renamed(theirs, 0), renamed(999_999_999, 0)]),
  )
  await account.kontor.database.transaction((tx) =>
    record(tx, actorOf(account), [renamed(theirs, 0)]),
  )
  expect(await journalOf(account, theirs)).toEqual([])
  expect(await eventsOf(account, theirs)).toEqual([])
  expect(await journalOf(stranger, theirs)).toHaveLength(1)
})

test('news of notes that the account, or the kind, does not have is no news', async () => {
  const [account, stranger] = [await newAccount(), await newAccount()]
  const own = await addWithNote(account.api, 'contacts')
  const theirs = await addWithNote(stranger.api, 'leads')
  const news = async () => [
    await journalOf(account, own.entity),
    await eventsOf(account, own.entity),
  ]
  const before = await news()
  await account.kontor.database.transaction(async (tx) => {
    for (const noteId of [theirs.id, own.id])
      for (const id of [theirs.entity, own.entity, 999_999_999])
        await record(tx, actorOf(account), [{ ...renamed(id, 0), actions: ['note'], noteId }])
  })
  expect(await news()).toEqual(before)
  expect(await journalOf(account, theirs.entity)).toEqual([])
  expect(await eventsOf(account, theirs.entity)).toEqual([])
  expect(await journalOf(stranger, theirs.entity)).toHaveLength(2)
})

test('a journal row names the request that made the change and the surface it came through', async () => {
  const account = await newAccount()
  const { kontor, id } = account
  const rows = () =>
    kontor.database.rows<{ request_id: string; surface: string }>(sql`
      select request_id, surface from journal where account_id = ${id} order by id`)
  const api = await account.api.post('/api/v4/leads', [{ name: 'a' }, { name: 'b' }])
  const request_id = api.headers.get('x-request-id')
  expect(await rows()).toEqual([
    { request_id, surface: 'api' },
    { request_id, surface: 'api' },
  ])
  const password = 'a long enough password'
  const { email } = await account.addUser({ is_admin: true, password })
  const web = await signIn(kontor, { email, password })
  const changed = await web.api.post('/api/v4/contacts', [{ name: 'c' }])
  expect(changed.status).toBe(200)
  expect((await rows()).at(-1)).toEqual({
    request_id: changed.headers.get('x-request-id'),
    surface: 'web',
  })
})

test('the server does not start where an entity type of the journal declares no news, or news for webhooks without a form', () => {
  const ofChats = [chats, talks, messages]
  const all = [leads, contacts, companies, customers, elements, unsortedItems, ...ofChats, tasks]
  expect(() => declareEntities([leads, contacts])).toThrow('companies does not declare its news')
  expect(() => declareEntities([...all, leads])).toThrow('declared twice')
  const { webhook: _, ...formless } = tasks
  expect(() => declareEntities([...all.slice(0, -1), formless])).toThrow('tasks has no form')
  const untold = { ...formless, news: { ...tasks.news, webhook: [] } }
  expect(declareEntities([...all.slice(0, -1), untold]).size).toBe(all.length)
})

test('what is written in the past bears the times of then, in its records and its events', async () => {
  const account = await newAccount()
  const { database } = account.kontor
  const id = await addLead(account.api)
  const day = 86_400
  const [yesterday, year] = [1, 365].map((days) => account.kontor.now() - days * day) as [
    number,
    number,
  ]
  await database.transaction(async (tx) => {
    for (const [days, at] of [
      [365, year],
      [1, yesterday],
    ] as const) {
      const then = earlier(tx, days * day)
      await lock(then, account.id, id)
      const writer = startWriting(then, adminOf(account))
      expect(Math.abs(writer.at - at)).toBeLessThan(60)
      await record(then, writer, [renamed(id)])
    }
  })
  const events = (await eventsOf(account, id)).slice(-3)
  const times = events.map((event) => Math.floor(timeOfUlid(event.id) / 1000))
  const sorted = [year, yesterday, account.kontor.now()]
  for (const [index, expected] of sorted.entries()) {
    expect(Math.abs(times.toSorted((one, other) => one - other)[index]! - expected)).toBeLessThan(
      60,
    )
    expect(times[index]! - events[index]!.created_at).toBeLessThan(3)
  }
})
