// One caller deletes a status or a pipeline while another puts a lead there. In either order, no
// lead ends up in a stage that does not exist.
import { expect, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import type { TestAccount } from '../../../../test/account.ts'
import type { Answer } from '../../../../test/client.ts'
import { addLead, faultsOf, lost, mainPipeline, readLead } from '../../../../test/leads.ts'
import { untilAwaited } from '../../../../test/locks.ts'
import {
  actorIn,
  batchOf,
  pipelineOf,
  pipelines,
  statusesOf,
  strays,
  whileDeleting,
} from '../../../../test/pipelines.ts'
import { deleteRecord, restoreRecord } from '../../../records/writing/bin.ts'
import type { Tx } from '../../../database/connect.ts'
import { changeLeads, createLeads, leads } from '../../records/leads/leads.ts'
import { deletePipeline } from './pipelines.ts'
import { deleteStatus } from './statuses/statuses.ts'

const path = '/api/v4/leads'

async function atWork() {
  const account = await newAccount()
  const [main, other] = [await mainPipeline(account), await pipelineOf(account.api, 'A', 'B', 'C')]
  const removeStatus = (name: string) =>
    account.api.delete(`${statusesOf(other.id)}/${other.at[name]}`)
  const removePipeline = (id: number) => account.api.delete(`${pipelines}/${id}`)
  return { account, api: account.api, main, other, removeStatus, removePipeline }
}

/**
 * Runs `first` up to its commit, starts `second`, which has to wait, commits the first, and answers
 * the result of the second.
 */
async function inOrder(
  account: TestAccount,
  first: (tx: Tx) => Promise<unknown>,
  second: () => Promise<Answer>,
): Promise<Answer> {
  return account.kontor.database
    .transaction(async (tx) => {
      await first(tx)
      const answer = second()
      await untilAwaited(tx)
      return { answer }
    })
    .then(({ answer }) => answer)
}

test.for(['create', 'change'] as const)(
  'to %s a lead in a status first: the deletion waits and takes it along',
  async (way) => {
    const { account, api, other, removeStatus } = await atWork()
    const [id, index] = [await addLead(api), { status_id: other.at['B']! }]
    const write = (tx: Tx) =>
      way === 'create'
        ? createLeads(tx, actorIn(account), batchOf(index))
        : changeLeads(tx, actorIn(account), batchOf({ id, ...index }))
    expect((await inOrder(account, write, () => removeStatus('B'))).status).toBe(204)
    expect(await strays(account)).toEqual([])
    const moved = (await api.get(`${path}?filter[pipeline_id]=${other.id}`)).body._embedded.leads
    expect(moved).toMatchObject([{ status_id: other.at['A'] }])
  },
)

test.for(['create', 'change'] as const)(
  'the deletion first: to %s a lead in the status waits and is refused',
  async (way) => {
    const { account, api, other } = await atWork()
    const id = await addLead(api)
    const index = { status_id: other.at['B']! }
    const gone = { pipeline_id: other.id, status_id: other.at['B']! }
    const write = () =>
      way === 'create' ? api.post(path, [index]) : api.patch(path, [{ id, ...index }])
    const answer = await whileDeleting(
      account,
      (database) => deleteStatus(database, actorIn(account), changeLeads, gone),
      write,
    )
    expect(faultsOf(answer)).toEqual({ 0: ['NotSupportedChoice status_id'] })
    expect(await strays(account)).toEqual([])
  },
)

test('a lead for the first status of a pipeline, while that goes, is put into the next', async () => {
  const { account, api, other } = await atWork()
  const id = await addLead(api)
  const gone = { pipeline_id: other.id, status_id: other.at['A']! }
  const move = () => api.patch(`${path}/${id}`, { pipeline_id: other.id })
  const answer = await whileDeleting(
    account,
    (database) => deleteStatus(database, actorIn(account), changeLeads, gone),
    move,
  )
  expect(answer.status).toBe(200)
  expect(await readLead(api, id)).toMatchObject({ pipeline_id: other.id, status_id: other.at['B'] })
})

test('a lead in a pipeline first: the deletion of the pipeline waits and is refused', async () => {
  const { account, api, other, removePipeline } = await atWork()
  const create = (tx: Tx) => createLeads(tx, actorIn(account), batchOf({ pipeline_id: other.id }))
  const refused = await inOrder(account, create, () => removePipeline(other.id))
  expect([refused.status, refused.body.detail]).toEqual([
    400,
    'This pipeline holds 1 lead, it cannot be deleted',
  ])
  expect(await strays(account)).toEqual([])
  expect((await api.get(pipelines)).body._total_items).toBe(2)
})

test('the deletion of a pipeline first: a lead for it waits and is refused', async () => {
  const { account, api, other } = await atWork()
  const create = () => api.post(path, [{ pipeline_id: other.id, status_id: lost }])
  const answer = await whileDeleting(
    account,
    (database) => deletePipeline(database, actorIn(account), other.id),
    create,
  )
  expect(faultsOf(answer)).toEqual({ 0: ['NotSupportedChoice pipeline_id'] })
  expect(await strays(account)).toEqual([])
})

test('a lead for the main pipeline, while that goes, is put into the one that becomes it', async () => {
  const { account, api, main, other } = await atWork()
  const create = () => api.post(path, [{ name: 'New' }, { status_id: lost }])
  const answer = await whileDeleting(
    account,
    (database) => deletePipeline(database, actorIn(account), main.id),
    create,
  )
  expect(answer.status).toBe(200)
  const placed = (await api.get(path)).body._embedded.leads
  expect(placed).toMatchObject([
    { pipeline_id: other.id, status_id: other.at['A'] },
    { pipeline_id: other.id, status_id: lost },
  ])
})

test('a lead that goes into the bin or comes out of it while its status goes is taken along', async () => {
  const { account, api, other, removeStatus } = await atWork()
  const id = await addLead(api, { status_id: other.at['C'] })
  const into = (tx: Tx) => deleteRecord(tx, actorIn(account), leads, id)
  expect((await inOrder(account, into, () => removeStatus('C'))).status).toBe(204)
  expect(await strays(account)).toEqual([])
  await api.post(`${path}/${id}/restore`)
  await api.patch(`${path}/${id}`, { status_id: other.at['B'] })
  await api.delete(`${path}/${id}`)
  const out = (tx: Tx) => restoreRecord(tx, actorIn(account), leads, id)
  expect((await inOrder(account, out, () => removeStatus('B'))).status).toBe(204)
  expect(await readLead(api, id)).toMatchObject({ status_id: other.at['A'], is_deleted: false })
})

test('a lead that comes out of the bin of a pipeline that goes keeps it', async () => {
  const { account, api, other, removePipeline } = await atWork()
  const id = await addLead(api, { status_id: other.at['C'] })
  await api.delete(`${path}/${id}`)
  const out = (tx: Tx) => restoreRecord(tx, actorIn(account), leads, id)
  expect((await inOrder(account, out, () => removePipeline(other.id))).status).toBe(400)
  expect(await readLead(api, id)).toMatchObject({ pipeline_id: other.id, status_id: other.at['C'] })
})

/** A source whose leads go to the other pipeline, and a lead from it. */
async function withSource() {
  const around = await atWork()
  const source = { name: 'A site', external_id: 'site', pipeline_id: around.other.id }
  const made = await around.api.post('/api/v4/sources', [source])
  expect(made.status).toBe(200)
  return { ...around, draft: { _embedded: { source: { external_id: 'site' } } } }
}

test('a lead from a source first: the deletion of its pipeline waits and is refused', async () => {
  const { account, api, other, removePipeline, draft } = await withSource()
  const create = (tx: Tx) => createLeads(tx, actorIn(account), batchOf(draft))
  expect((await inOrder(account, create, () => removePipeline(other.id))).status).toBe(400)
  expect((await api.get(path)).body._embedded.leads).toMatchObject([{ pipeline_id: other.id }])
  expect(await strays(account)).toEqual([])
})

test('the deletion of the pipeline of a source first: a lead from it waits and goes to the main pipeline', async () => {
  const { account, api, main, other, draft } = await withSource()
  const create = () => api.post(path, [draft])
  const answer = await whileDeleting(
    account,
    (database) => deletePipeline(database, actorIn(account), other.id),
    create,
  )
  expect(answer.status).toBe(200)
  expect((await api.get(path)).body._embedded.leads).toMatchObject([
    { pipeline_id: main.id, status_id: main.statuses[0] },
  ])
  expect(await strays(account)).toEqual([])
})
