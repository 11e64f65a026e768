// Many requests at once, and one that is cut off: no change is lost, recorded twice or recorded out
// of order, and no change is half written.
import sql from 'sql-template-tag'
import { expect, test } from 'vitest'
import { newAccount } from '../../../test/account.ts'
import type { TestAccount } from '../../../test/account.ts'
import { addLead, addLeads, listen, readLead } from '../../../test/leads.ts'
import type { Tx } from '../../database/connect.ts'
import type { Actor } from '../../access/actor.ts'
import { newFaults } from '../../http/batch.ts'
import { fullRights } from '../../access/rights.ts'
import { changeLeads, createLeads } from './leads.ts'

const path = '/api/v4/leads'

test('changes of one lead at the same time are all kept and told in the order in which they happened', async () => {
  const account = await newAccount()
  const users = await Promise.all([1, 2, 3].map(() => account.addUser()))
  const id = await addLead(account.api, { price: 0 })
  const newsSince = await listen(account)
  const changes = [
    ...Array.from({ length: 8 }, (_, place) => ({ price: 100 + place })),
    ...Array.from({ length: 8 }, (_, place) => ({
      tags_to_add: [{ name: `tag ${place}` }, { name: 'all' }],
    })),
    { name: 'New' },
    { status_id: 142 },
    { created_at: 77 },
    { responsible_user_id: users[0]!.id },
  ]
  const answers = await Promise.all(
    changes.map((body, place) => users[place % 3]!.api.patch(`${path}/${id}`, body)),
  )
  expect(answers.map(({ status }) => status)).toEqual(changes.map(() => 200))

  const lead = await readLead(account.api, id)
  expect(lead).toMatchObject({
    name: 'New',
    status_id: 142,
    created_at: 77,
    responsible_user_id: users[0]!.id,
  })
  expect(lead._embedded.tags.map(({ name }: { name: string }) => name).toSorted()).toEqual(
    ['all', ...Array.from({ length: 8 }, (_, place) => `tag ${place}`)].toSorted(),
  )
  const { journal, events } = await newsSince()
  expect(journal).toHaveLength(changes.length)
  const prices = events.filter(({ type }) => type === 'sale_field_changed')
  expect(prices).toHaveLength(8)
  const chain = prices.map(({ value_before, value_after }) => [
    value_before[0].sale_field_value.sale,
    value_after[0].sale_field_value.sale,
  ])
  expect(chain.map(([before]) => before)).toEqual([
    0,
    ...chain.slice(0, -1).map(([, after]) => after),
  ])
  expect(lead.price).toBe(chain.at(-1)![1])
  // The journal has the same order: each row begins where the previous one ended.
  for (const [place, { before }] of journal.entries()) {
    const previous = journal[place - 1]?.after
    if (previous) expect(previous).toMatchObject(before!)
  }
  const tags = events
    .filter(({ type }) => type === 'entity_tag_added')
    .flatMap(({ value_after }) => value_after)
  expect(tags).toHaveLength(9)
})

test('batches that overlap in opposite order never stand in the way of their callers', async () => {
  const account = await newAccount()
  const ids = await addLeads(
    account.api,
    Array.from({ length: 12 }, () => ({})),
  )
  for (let round = 1; round <= 10; round++) {
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, caller) => {
        const order = caller % 2 ? ids : ids.toReversed()
        const tags = ['x', 'y', 'z'].map((name) => ({ name: `${name} ${round}` }))
        const tags_to_add = caller % 3 ? tags : tags.toReversed()
        return account.api.patch(
          path,
          order.map((id) => ({ id, price: 100 * round + caller, tags_to_add })),
        )
      }),
    )
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
  }
  const { leads } = (await account.api.get(path)).body._embedded
  // Each batch applies as a whole: all leads have the price of the last batch.
  expect(new Set(leads.map(({ price }: { price: number }) => price)).size).toBe(1)
  for (const lead of leads) expect(lead._embedded.tags).toHaveLength(30)
})

test('batches that make the same new tags in different order at the same time make each tag once', async () => {
  const account = await newAccount()
  for (let round = 1; round <= 5; round++) {
    const names = Array.from({ length: 20 }, (_, place) => `Tag ${round}.${place}`)
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, caller) => {
        const mine = caller % 2 ? names : names.toReversed()
        const cased = caller % 3 ? mine : mine.map((name) => name.toUpperCase())
        return account.api.post(
          path,
          cased.map((name, place) => ({
            _embedded: { tags: [{ name }, { name: cased[(place + 7) % 20] }] },
          })),
        )
      }),
    )
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    const tags = (await account.api.get(`/api/v4/leads/tags?limit=250&query=tag ${round}.`)).body
      ._embedded.tags
    expect(tags).toHaveLength(20)
  }
})

function actorOf({ id, subdomain, admin, kontor }: TestAccount): Actor {
  return {
    accountId: id,
    subdomain,
    userId: admin.id,
    groupId: 0,
    isAdmin: true,
    rights: fullRights,
    clientId: null,
    scopes: [],
    emptyList: 200,
    isUnpaid: false,
    requestId: '00000000-0000-4000-8000-000000000000',
    surface: 'api',
    at: kontor.now(),
  }
}

async function cutOff({ kontor }: TestAccount, tx: Tx): Promise<void> {
  const { pid } = (await tx.row<{ pid: number }>(sql`select pg_backend_pid() as pid`))!
  await kontor.database.rows(sql`select pg_terminate_backend(${pid}, 5000)`)
}

const items = <Value extends object>(...values: Value[]) => ({
  items: values.map((value, index) => ({ index, request_id: String(index), value })),
  faults: newFaults(),
})

test('verbs that meet wait for each other and never collide: no transaction has to be run again', async () => {
  const account = await newAccount()
  const actor = actorOf(account)
  const ids = await addLeads(
    account.api,
    Array.from({ length: 12 }, () => ({})),
  )
  let attempts = 0
  for (let round = 1; round <= 6; round++) {
    const tags = Array.from({ length: 200 }, (_, place) => ({ name: `Tag ${round}.${place}` }))
    const callers = Array.from({ length: 8 }, (_, caller) =>
      account.kontor.database.transaction(async (tx) => {
        attempts++
        const tags_to_add = caller % 2 ? tags : tags.toReversed()
        const order = caller % 3 ? ids : ids.toReversed()
        if (caller % 4 === 0)
          return createLeads(
            tx,
            actor,
            items(...tags_to_add.map((tag) => ({ tags_to_add: [tag] }))),
          )
        const changes = order.map((id, place) => ({
          id,
          price: 10 * round + caller,
          tags_to_add: tags_to_add.slice(place * 10, place * 10 + 50),
        }))
        return changeLeads(tx, actor, items(...changes))
      }),
    )
    await Promise.all(callers)
  }
  expect(attempts).toBe(6 * 8)
})

test('a connection that is cut before the end leaves nothing of a creation', async () => {
  const account = await newAccount()
  let statements = 0
  const cut = account.kontor.database.transaction(async (tx) => {
    await createLeads(
      tx,
      actorOf(account),
      items({ name: 'One', _embedded: { tags: [{ name: 'a' }] } }, {}),
    )
    statements++
    await cutOff(account, tx)
    await tx.rows(sql`select 1`).catch(() => statements++)
  })
  await expect(cut).rejects.toThrow()
  expect(statements).toBe(2)
  expect(
    await account.kontor.database.row(sql`
      select (select count(*) from leads where account_id = ${account.id}) as leads,
             (select count(*) from tags where account_id = ${account.id}) as tags,
             (select count(*) from notes where account_id = ${account.id}) as notes,
             (select count(*) from journal where account_id = ${account.id}) as journal,
             (select count(*) from events where account_id = ${account.id}) as events`),
  ).toEqual({ leads: 0, tags: 0, notes: 0, journal: 0, events: 0 })
  expect((await account.api.get(path)).body._embedded.leads).toEqual([])
})

test('a connection that is cut in the middle of a verb leaves nothing of a change, and the next change goes through', async () => {
  const account = await newAccount()
  const id = await addLead(account.api, { name: 'Old' })
  const newsSince = await listen(account)
  const cut = account.kontor.database.transaction(async (tx) => {
    // Cuts the connection after the verb has locked the lead and before it writes.
    const cutting: Tx = {
      ...tx,
      rows: async (statement) => {
        if (statement.text.includes('update leads')) await cutOff(account, tx)
        return tx.rows(statement)
      },
    }
    await changeLeads(cutting, actorOf(account), items({ id, name: 'New' }))
  })
  await expect(cut).rejects.toThrow()
  expect((await readLead(account.api, id)).name).toBe('Old')
  expect(await newsSince()).toEqual({ journal: [], events: [] })
  expect((await account.api.patch(`${path}/${id}`, { name: 'New' })).status).toBe(200)
  expect((await newsSince()).events).toHaveLength(1)
})
