// A pipeline is deleted only when it holds no leads.
import sql from 'sql-template-tag'
import { expect, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import { addLead, addLeads, listen, mainPipeline, readLead, won } from '../../../../test/leads.ts'
import { newPipeline, pipelineOf, pipelines, strays } from '../../../../test/pipelines.ts'

async function atWork() {
  const account = await newAccount()
  const { api } = account
  const [main, other] = [await mainPipeline(account), await pipelineOf(api, 'A', 'B')]
  const remove = (id: number) => api.delete(`${pipelines}/${id}`)
  const left = async () => {
    const { body } = await api.get(pipelines)
    return body._embedded.pipelines.map(({ id, sort, is_main }: Record<string, unknown>) => [
      id,
      sort,
      is_main,
    ])
  }
  return { account, api, main, other, remove, left }
}

test('a pipeline without leads goes with its statuses, and nothing is recorded', async () => {
  const { account, api, main, other, remove, left } = await atWork()
  const recorded = await listen(account)
  expect((await remove(other.id)).status).toBe(204)
  expect(await left()).toEqual([[main.id, 1, true]])
  for (const path of [
    `${other.id}`,
    `${other.id}/statuses`,
    `${other.id}/statuses/${other.at['A']}`,
  ])
    expect((await api.get(`${pipelines}/${path}`)).status).toBe(404)
  const { kontor, id } = account
  expect(
    await kontor.database.rows(
      sql`select from statuses where account_id = ${id} and pipeline_id = ${other.id}`,
    ),
  ).toEqual([])
  expect((await remove(other.id)).status).toBe(404)
  expect(await recorded()).toEqual({ journal: [], events: [] })
})

test('one with leads stays, and says how many there are', async () => {
  const { api, main, other, remove, left } = await atWork()
  const refusal = async () => {
    const { status, body } = await remove(other.id)
    return [status, body?.detail]
  }
  const [first, ...more] = await addLeads(
    api,
    Array.from({ length: 3 }, (_, index) => ({
      pipeline_id: other.id,
      ...(index === 0 && { status_id: won }),
    })),
  )
  expect(await refusal()).toEqual([400, 'This pipeline holds 3 leads, it cannot be deleted'])
  for (const id of more) await api.patch(`/api/v4/leads/${id}`, { pipeline_id: main.id })
  expect(await refusal()).toEqual([400, 'This pipeline holds 1 lead, it cannot be deleted'])
  expect(await left()).toHaveLength(2)
  await api.delete(`/api/v4/leads/${first}`)
  expect(await refusal()).toEqual([204, undefined])
})

test('it does not count further than a thousand', async () => {
  const { api, other, remove } = await atWork()
  for (let batch = 0; batch < 5; batch++)
    await addLeads(
      api,
      Array.from({ length: 250 }, () => ({ pipeline_id: other.id })),
    )
  expect((await remove(other.id)).body.detail).toBe(
    'This pipeline holds more than 1000 leads, it cannot be deleted',
  )
})

test('leads of its bin go to the main pipeline silently, won and lost as they are, and can be restored', async () => {
  const { account, api, main, other, remove } = await atWork()
  const ids = await addLeads(api, [
    { status_id: other.at['B'] },
    { pipeline_id: other.id, status_id: won },
  ])
  const before = []
  for (const id of ids) {
    before.push(await readLead(api, id))
    await api.delete(`/api/v4/leads/${id}`)
  }
  const recorded = await listen(account)
  account.clock.ahead += 50
  const rows = () =>
    account.kontor.database.rows(
      sql`select id, updated_at, closed_at from leads where account_id = ${account.id} order by id`,
    )
  const [aged] = [await rows()]
  expect((await remove(other.id)).status).toBe(204)
  expect(await rows()).toEqual(aged)
  expect(await recorded()).toEqual({ journal: [], events: [] })
  expect(await strays(account)).toEqual([])
  const stages = [
    { status_id: main.statuses[0] },
    { status_id: won, closed_at: before[1].closed_at },
  ]
  for (const [index, id] of ids.entries())
    expect((await api.post(`/api/v4/leads/${id}/restore`)).body).toMatchObject({
      pipeline_id: main.id,
      ...stages[index],
    })
})

test('a bin of more than a thousand goes, too', async () => {
  const { account, api, main, other, remove } = await atWork()
  for (let batch = 0; batch < 9; batch++)
    await addLeads(
      api,
      Array.from({ length: 250 }, () => ({ pipeline_id: other.id })),
    )
  const { id, kontor } = account
  await kontor.database.rows(sql`update leads set is_deleted = true where account_id = ${id}`)
  expect((await remove(other.id)).status).toBe(204)
  const [moved] = await kontor.database.rows(
    sql`select count(*) as leads from leads where account_id = ${id} and pipeline_id = ${main.id} and status_id = ${main.statuses[0]}`,
  )
  expect(moved).toEqual({ leads: 2250 })
})

test('when the main pipeline goes the next becomes it; the last one stays', async () => {
  const { account, api, main, other, remove, left } = await atWork()
  const { id: third } = await newPipeline(api, { sort: 1 })
  const lead = await addLead(api)
  expect((await remove(main.id)).status).toBe(400)
  await api.delete(`/api/v4/leads/${lead}`)
  expect((await remove(main.id)).status).toBe(204)
  expect(await left()).toEqual([
    [third, 1, true],
    [other.id, 2, false],
  ])
  expect((await api.post(`/api/v4/leads/${lead}/restore`)).body.pipeline_id).toBe(third)
  expect((await readLead(api, await addLead(api))).pipeline_id).toBe(third)
  expect((await remove(other.id)).status).toBe(204)
  const last = await remove(third)
  expect([last.status, last.body.detail]).toEqual([
    400,
    'An account needs a pipeline, the last one cannot be deleted',
  ])
  const seller = await account.addUser()
  expect((await seller.api.delete(`${pipelines}/${third}`)).status).toBe(403)
})
