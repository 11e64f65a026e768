// Requests that meet, and connections that are cut: every change is kept, and told once, in order.
import sql from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import { describe, expect, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import type { TestAccount } from '../../../../test/account.ts'
import { actorOf } from '../../../../test/actor.ts'
import { addLead, addLeads, listen, mainPipeline, readLead } from '../../../../test/leads.ts'
import { addSources, meanwhile } from '../../../../test/origins.ts'
import { untilAwaited } from '../../../../test/locks.ts'
import { actorIn, batchOf, pipelineOf, pipelines, strays } from '../../../../test/pipelines.ts'
import { addRecord } from '../../../../test/records.ts'
import { createComplexOrUnsorted } from '../complex/waiting.ts'
import { lockAccount } from '../../../access/account.ts'
import { changePipeline, promote } from '../../definitions/pipelines/pipelines.ts'
import { removePipeline } from '../../definitions/pipelines/queries.ts'
import { deleteStatus } from '../../definitions/pipelines/statuses/statuses.ts'
import { changeSources } from '../../definitions/sources/sources.ts'
import type { Database, Tx } from '../../../database/connect.ts'
import { newFaults } from '../../../http/batch.ts'
import { changeLeads, createLeads } from './leads.ts'

const path = '/api/v4/leads'

// No change is lost, none is told twice or out of order, and half a change is none.
describe('changes that meet', () => {
  test('changes of one lead at the same time are all kept and told in the order in which they happened', async () => {
    const account = await newAccount()
    const users = await Promise.all([1, 2, 3].map(() => account.addUser()))
    const id = await addLead(account.api, { price: 0 })
    const newsSince = await listen(account)
    const changes = [
      ...Array.from({ length: 8 }, (_, index) => ({ price: 100 + index })),
      ...Array.from({ length: 8 }, (_, index) => ({
        tags_to_add: [{ name: `tag ${index}` }, { name: 'all' }],
      })),
      { name: 'New' },
      { status_id: 142 },
      { created_at: 77 },
      { responsible_user_id: users[0]!.id },
    ]
    const answers = await Promise.all(
      changes.map((body, index) => users[index % 3]!.api.patch(`${path}/${id}`, body)),
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
      ['all', ...Array.from({ length: 8 }, (_, index) => `tag ${index}`)].toSorted(),
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
    // The journal is in the same order, each row beginning where the one before it ended.
    for (const [index, { before }] of journal.entries()) {
      const previous = journal[index - 1]?.after
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
    // Each batch counts whole: all leads have the price of the one that was last.
    expect(new Set(leads.map(({ price }: { price: number }) => price)).size).toBe(1)
    for (const lead of leads) expect(lead._embedded.tags).toHaveLength(30)
  })

  test('batches that make the same new tags in different order at the same time make each tag once', async () => {
    const account = await newAccount()
    for (let round = 1; round <= 5; round++) {
      const names = Array.from({ length: 20 }, (_, index) => `Tag ${round}.${index}`)
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, caller) => {
          const mine = caller % 2 ? names : names.toReversed()
          const cased = caller % 3 ? mine : mine.map((name) => name.toUpperCase())
          return account.api.post(
            path,
            cased.map((name, index) => ({
              _embedded: { tags: [{ name }, { name: cased[(index + 7) % 20] }] },
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
      const tags = Array.from({ length: 200 }, (_, index) => ({ name: `Tag ${round}.${index}` }))
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
          const changes = order.map((id, index) => ({
            id,
            price: 10 * round + caller,
            tags_to_add: tags_to_add.slice(index * 10, index * 10 + 50),
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
      // Cut where the verb has locked the lead and goes on to write it.
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
})

// A creation holds its pipelines and sources in the order of the deletions, so neither blocks the
// other for good.
describe('pipelines and sources that are held', () => {
  const from = (external_id: string, more: object = {}) => ({
    ...more,
    _embedded: { source: { external_id, type: 'widget' } },
  })

  /** An account whose main pipeline is younger than that of its source `site`. */
  async function prepared() {
    const account = await newAccount()
    const { api } = account
    const old = await mainPipeline(account)
    const main = await pipelineOf(api, 'A')
    await api.patch(`${pipelines}/${main.id}`, { is_main: true })
    const [source] = await addSources(api, {
      name: 'The site',
      external_id: 'site',
      pipeline_id: old.id,
    })
    return { account, api, old, main, source: source!.id }
  }

  /** The database, with a count of the transactions that were begun. */
  function counting({ kontor: { database } }: TestAccount) {
    let begun = 0
    const counted: Database = {
      ...database,
      transaction: (work) =>
        database.transaction((tx) => {
          begun++
          return work(tx)
        }),
    }
    return { database: counted, begun: () => begun }
  }

  type Make = (tx: Tx, account: TestAccount, drafts: object[]) => Promise<unknown>

  const makers: Record<string, Make> = {
    createLeads: (tx, account, drafts) => createLeads(tx, actorIn(account), batchOf(...drafts)),
    createComplex: (tx, account, drafts) =>
      createComplexOrUnsorted(tx, actorIn(account), batchOf(...drafts)),
  }

  test.for(Object.entries(makers))(
    '%s waits for the pipeline of a source before it holds the main one',
    async ([, make]) => {
      const { account, old, main } = await prepared()
      const { database, begun } = counting(account)
      const { database: closers, begun: closed } = counting(account)
      const lockLead = (tx: Tx, id: number) =>
        tx.rows(
          sql`select from pipelines where account_id = ${account.id} and id = ${id} for update`,
        )
      let made: Promise<unknown> | undefined
      await closers.transaction(async (tx) => {
        await lockLead(tx, old.id)
        made ??= database.transaction((other) =>
          make(other, account, [{}, from('site'), from('site', { status_id: 142 })]),
        )
        await untilAwaited(tx)
        await lockLead(tx, main.id)
      })
      await made
      expect([begun(), closed()]).toEqual([1, 1])
    },
  )

  test('a lead whose source says where it goes does not wait for the main pipeline', async () => {
    const { account, api, old, main } = await prepared()
    const { status, body } = await account.kontor.database.transaction(async (tx) => {
      await tx.rows(
        sql`select from pipelines where account_id = ${account.id} and id = ${main.id} for update`,
      )
      return api.post(path, [from('site'), from('site')])
    })
    expect(status).toBe(200)
    expect((await readLead(api, body._embedded.leads[1].id)).pipeline_id).toBe(old.id)
  })

  test('a source that leads elsewhere when its turn comes is followed, and stays as it is until the lead is there', async () => {
    const { account, api, old, main, source } = await prepared()
    const answer = await account.kontor.database.transaction(async (tx) => {
      await tx.rows(
        sql`select from pipelines where account_id = ${account.id} and id = ${old.id} for update`,
      )
      const answer = api.post(path, [from('site')])
      await untilAwaited(tx)
      await changeSources(tx, actorIn(account), '', batchOf({ id: source, pipeline_id: main.id }))
      return { answer }
    })
    const [lead] = (await answer.answer).body._embedded.leads
    expect((await readLead(api, lead.id)).pipeline_id).toBe(main.id)
    const changed = await meanwhile(
      account,
      (tx) => makers['createLeads']!(tx, account, [from('site')]),
      () => api.patch(`/api/v4/sources/${source}`, { pipeline_id: old.id }),
    )
    expect(changed.status).toBe(200)
  })

  test('leads of sources are made beside deletions and changes of the main pipeline, and no transaction is run again', async () => {
    const { account, api, old, main, source } = await prepared()
    const actor = actorIn(account)
    const { database, begun } = counting(account)
    let expected = 0
    const once = (work: (tx: Tx) => Promise<unknown>) => {
      expected++
      return database.transaction(work)
    }
    for (let round = 0; round < 12; round++) {
      const doomed = await pipelineOf(api, 'B', 'C', 'D')
      const drafts = [
        {},
        from('site'),
        from('site', { status_id: 142 }),
        { pipeline_id: doomed.id },
      ]
      const order = round % 2 ? drafts : drafts.toReversed()
      const turns = [main.id, old.id, doomed.id, main.id].map(
        (id) => () => once((tx) => changePipeline(tx, actor, id, { is_main: true })),
      )
      const moves = [main.id, old.id].map(
        (pipeline_id) => () =>
          once((tx) => changeSources(tx, actor, '', batchOf({ id: source, pipeline_id }))),
      )
      const made = Object.values(makers).flatMap((make) =>
        Array.from({ length: 5 }, () => () => once((tx) => make(tx, account, order))),
      )
      // One transaction moves the leads, one deletes the status.
      const deletions = ['B', 'C'].map((name) => () => {
        expected += 2
        return deleteStatus(database, actor, changeLeads, {
          pipeline_id: doomed.id,
          status_id: doomed.at[name]!,
        })
      })
      const all = [
        made[0]!,
        turns[0]!,
        made[1]!,
        deletions[0]!,
        made[2]!,
        turns[1]!,
        moves[0]!,
        made[3]!,
        turns[2]!,
        made[4]!,
      ]
      await Promise.all(
        [...all, ...made.slice(5), deletions[1]!, moves[1]!, turns[3]!].map((work) => work()),
      )
      expect(await strays(account)).toEqual([])
    }
    expect(begun()).toBe(expected)
  })
})

// Statements wait for those before them only where they need an answer.
describe('round trips', () => {
  /** How often a verb sends statements while none is on its way, besides `begin` and `commit`. */
  async function roundTrips({ kontor }: TestAccount, work: (tx: Tx) => Promise<unknown>) {
    let [count, waiting] = [0, 0]
    await kontor.database.transaction(async (tx) => {
      ;[count, waiting] = [0, 0]
      const rows = async <Row extends object>(statement: Sql) => {
        if (waiting++ === 0) count++
        return tx.rows<Row>(statement).finally(() => waiting--)
      }
      await work({ ...tx, rows })
    })
    return count
  }

  test('a plain lead is made in two, one with new tags in five, and a lead is changed in three', async () => {
    const account = await newAccount()
    const actor = actorIn(account)
    const create = (draft: object) =>
      roundTrips(account, (tx) => createLeads(tx, actor, batchOf(draft)))
    expect(await create({ name: 'Plain', price: 5 })).toBe(2)
    const tagged = { name: 'Tagged', _embedded: { tags: [{ name: 'new' }] } }
    expect([await create(tagged), await create(tagged)]).toEqual([5, 3])
    const id = await addLead(account.api)
    const change = (draft: object) =>
      roundTrips(account, (tx) => changeLeads(tx, actor, batchOf({ id, ...draft })))
    expect(await change({ name: 'Changed', price: 6 })).toBe(3)
  })

  test('a lead that has waited for the main pipeline to go holds the one that became it', async () => {
    const account = await newAccount()
    const { api, kontor } = account
    const { database } = kontor
    const actor = actorIn(account)
    const old = await mainPipeline(account)
    const { id: next } = await pipelineOf(api, 'A')
    const contact = await addRecord(api, 'contacts')
    const lead = { _embedded: { contacts: [{ id: contact }] } }
    const answer = await database.transaction(async (tx) => {
      await tx.rows(sql`select from contacts where account_id = ${account.id} for update`)
      const answer = await database.transaction(async (deletion) => {
        await deletion.rows(lockAccount(actor))
        await promote(deletion, actor, next)
        await deletion.rows(removePipeline(actor, old.id))
        const answer = api.post(path, [lead])
        await untilAwaited(deletion)
        return { answer }
      })
      await untilAwaited(tx)
      const taking = database.rows(
        sql`select from pipelines where account_id = ${account.id} and id = ${next} for update nowait`,
      )
      await expect(taking).rejects.toMatchObject({ code: '55P03' })
      return answer
    })
    const [{ id }] = (await answer.answer).body._embedded.leads
    expect((await readLead(api, id)).pipeline_id).toBe(next)
  })
})
