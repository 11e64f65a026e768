// Which transactions wait for which when pipelines, statuses and leads change concurrently, and
// which do not.
import sql from 'sql-template-tag'
import { expect, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import type { Answer } from '../../../../test/client.ts'
import { addLead, addLeads, faultsOf, mainPipeline, readLead } from '../../../../test/leads.ts'
import { untilAwaited } from '../../../../test/locks.ts'
import {
  actorIn,
  newPipeline,
  pipelineOf,
  pipelines,
  statusesOf,
  strays,
  whileDeleting,
} from '../../../../test/pipelines.ts'
import { promote } from './pipelines.ts'
import { lockAccount } from '../../../access/account.ts'
import { deleteStatus } from './statuses/statuses.ts'
import { changeLeads } from '../../records/leads/leads.ts'

const path = '/api/v4/leads'

test('a change that does not move a lead waits for nobody', async () => {
  const account = await newAccount()
  const { api, kontor } = account
  const main = await mainPipeline(account)
  const id = await addLead(api)
  const answers = await kontor.database.transaction(async (tx) => {
    await tx.rows(sql`select from pipelines where account_id = ${account.id} for update`)
    return [
      await api.patch(`${path}/${id}`, { name: 'New', price: 5, tags_to_add: [{ name: 'a' }] }),
      await api.patch(`${path}/${id}`, { status_id: 142 }),
      await api.delete(`${path}/${id}`),
      await api.post(`${path}/${id}/restore`),
      await api.get(`${pipelines}/${main.id}`),
    ]
  })
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 204, 200, 200])
})

test('those who put leads into one pipeline do not wait for each other, nor for who renames it', async () => {
  const account = await newAccount()
  const { api, kontor } = account
  const { id, at } = await pipelineOf(api, 'A', 'B')
  const answers = await kontor.database.transaction(async (tx) => {
    await tx.rows(sql`select from pipelines where account_id = ${account.id} for key share`)
    return [
      await api.post(path, [{}, { pipeline_id: id }, { status_id: at['B'] }]),
      await api.patch(`${pipelines}/${id}`, { name: 'New', sort: 9 }),
      await api.post(statusesOf(id), [{ name: 'C', sort: 9 }]),
      await api.patch(`${statusesOf(id)}/${at['A']}`, { sort: 100 }),
    ]
  })
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
})

test('a lead for the main pipeline, while another becomes it, goes to that one', async () => {
  const account = await newAccount()
  const { api, kontor } = account
  const { id } = await newPipeline(api)
  const answer = await kontor.database.transaction(async (tx) => {
    await tx.rows(lockAccount(actorIn(account)))
    await promote(tx, actorIn(account), id)
    const answer = api.post(path, [{}])
    await untilAwaited(tx)
    return { answer }
  })
  const [lead] = (await answer.answer).body._embedded.leads
  expect((await readLead(api, lead.id)).pipeline_id).toBe(id)
})

test('rights that name a status, while it goes, wait and are refused', async () => {
  const account = await newAccount()
  const { api } = account
  const { id: pipeline_id, at } = await pipelineOf(api, 'A', 'B')
  const right = { entity_type: 'leads', pipeline_id, status_id: at['B'], rights: { view: 'A' } }
  const gone = { pipeline_id, status_id: at['B']! }
  const name = () =>
    api.post('/api/v4/roles', [{ name: 'A role', rights: { status_rights: [right] } }])
  const answer = await whileDeleting(
    account,
    (database) => deleteStatus(database, actorIn(account), changeLeads, gone),
    name,
  )
  expect(faultsOf(answer)).toEqual({ 0: ['NotSupportedChoice rights.status_rights.0.status_id'] })
})

const answersOf = (answers: Answer[]) =>
  answers.map(({ status }) => status).toSorted((one, other) => one - other)

test('two who delete the last two pipelines, or statuses, leave one', async () => {
  const account = await newAccount()
  const { api } = account
  const main = await mainPipeline(account)
  const { id, at } = await pipelineOf(api, 'A', 'B')
  const statuses = await Promise.all(
    ['A', 'B'].map((name) => api.delete(`${statusesOf(id)}/${at[name]}`)),
  )
  expect(answersOf(statuses)).toEqual([204, 400])
  const both = await Promise.all([main.id, id].map((each) => api.delete(`${pipelines}/${each}`)))
  expect(answersOf(both)).toEqual([204, 400])
  const { body } = await api.get(pipelines)
  expect(body._embedded.pipelines).toMatchObject([{ is_main: true, sort: 1 }])
})

test('whatever meets, every lead is somewhere, and every answer is one that may come', async () => {
  const account = await newAccount()
  const { api } = account
  const ids = await addLeads(
    api,
    Array.from({ length: 30 }, () => ({})),
  )
  const statuses = new Set<number>()
  for (let round = 0; round < 6; round++) {
    const { id, at } = await pipelineOf(api, 'A', 'B', 'C', 'D')
    const stages = [
      { pipeline_id: id },
      ...['A', 'B', 'C', 'D'].map((name) => ({ status_id: at[name] })),
      { pipeline_id: id, status_id: 143 },
    ]
    const moves = ids.map(
      (lead, n) => () =>
        api.patch(path, [
          { id: lead, ...stages[(n + round) % 6] },
          { id: ids[(n + 7) % 30], name: 'x' },
        ]),
    )
    const news = stages.map((index) => () => api.post(path, [index, {}]))
    const deletions = [
      ...['A', 'B', 'C'].map((name) => () => api.delete(`${statusesOf(id)}/${at[name]}`)),
      () => api.delete(`${pipelines}/${id}`),
      () => api.patch(`${pipelines}/${id}`, { is_main: true }),
    ]
    const bin = ids.slice(0, 5).map((lead) => async () => {
      await api.delete(`${path}/${lead}`)
      return api.post(`${path}/${lead}/restore`)
    })
    const mixed = [...moves.slice(0, 15), ...deletions, ...news, ...bin, ...moves.slice(15)]
    for (const { status } of await Promise.all(mixed.map((ask) => ask()))) statuses.add(status)
    expect(await strays(account)).toEqual([])
  }
  expect([...statuses].filter((status) => ![200, 204, 400, 404].includes(status))).toEqual([])
  expect([...statuses]).toEqual(expect.arrayContaining([200, 204, 400]))
})
