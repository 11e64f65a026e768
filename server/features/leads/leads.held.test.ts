// The pipelines and sources of new leads are locked in the same order as in their deletion, so that
// no two requests deadlock.
import sql from 'sql-template-tag'
import { expect, test } from 'vitest'
import { newAccount } from '../../../test/account.ts'
import type { TestAccount } from '../../../test/account.ts'
import { mainPipeline, readLead } from '../../../test/leads.ts'
import { addSources, meanwhile } from '../../../test/origins.ts'
import {
  actorIn,
  batchOf,
  pidOf,
  pipelineOf,
  pipelines,
  strays,
  untilAwaited,
} from '../../../test/pipelines.ts'
import type { Database, Tx } from '../../database/connect.ts'
import { createComplex } from '../complex/complex.ts'
import { changePipeline } from '../pipelines/pipelines.ts'
import { deleteStatus } from '../pipelines/statuses/statuses.ts'
import { changeSources } from '../sources/sources.ts'
import { createLeads } from './leads.ts'

const path = '/api/v4/leads'
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

/** The database, with a count of the transactions that began. */
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
  createComplex: (tx, account, drafts) => createComplex(tx, actorIn(account), batchOf(...drafts)),
}

test.for(Object.entries(makers))(
  '%s waits for the pipeline of a source before it holds the main one',
  async ([, make]) => {
    const { account, old, main } = await prepared()
    const { database, begun } = counting(account)
    const { database: closers, begun: closed } = counting(account)
    const hold = (tx: Tx, id: number) =>
      tx.rows(sql`select from pipelines where account_id = ${account.id} and id = ${id} for update`)
    let made: Promise<unknown> | undefined
    await closers.transaction(async (tx) => {
      await hold(tx, old.id)
      made ??= database.transaction((other) =>
        make(other, account, [{}, from('site'), from('site', { status_id: 142 })]),
      )
      await untilAwaited(account, await pidOf(tx))
      await hold(tx, main.id)
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
    await untilAwaited(account, await pidOf(tx))
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
    const drafts = [{}, from('site'), from('site', { status_id: 142 }), { pipeline_id: doomed.id }]
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
    // One transaction changes the leads, one deletes the status.
    const deletions = ['B', 'C'].map((name) => () => {
      expected += 2
      return deleteStatus(database, actor, { pipeline_id: doomed.id, status_id: doomed.at[name]! })
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
