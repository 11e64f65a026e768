// A status is deleted, and its leads move on.
import sql from 'sql-template-tag'
import { expect, test } from 'vitest'
import { newAccount } from '../../../../../test/account.ts'
import {
  addLead,
  addLeads,
  faultsOf,
  listen,
  lost,
  plainly,
  readLead,
  won,
} from '../../../../../test/leads.ts'
import {
  newPipeline,
  ordinaryIn,
  pipelineOf,
  statusesOf,
  strays,
} from '../../../../../test/pipelines.ts'

/**
 * An account with a pipeline of the ordinary statuses A, B and C, and a function that deletes one
 * of them.
 */
async function atWork() {
  const account = await newAccount()
  const { api } = account
  const { id, at } = await pipelineOf(api, 'A', 'B', 'C')
  const path = statusesOf(id)
  const remove = (name: string, query = '') => api.delete(`${path}/${at[name]}${query}`)
  const inBin = async (lead: number) => (await api.delete(`/api/v4/leads/${lead}`)).status
  const rowOf = async (lead: number) =>
    account.kontor.database.row<{
      status_id: number
      updated_at: number
      closed_at: number | null
    }>(
      sql`select pipeline_id, status_id, updated_at, closed_at from leads where account_id = ${account.id} and id = ${lead}`,
    )
  return { account, api, id, at, path, remove, inBin, rowOf }
}

test('its leads move to the first status, as if somebody had moved them', async () => {
  const { account, api, id, at, path } = await atWork()
  const [moving, other] = await addLeads(api, [
    { status_id: at['B'], name: 'One' },
    { status_id: at['C'] },
  ])
  const before = await readLead(api, moving!)
  const recorded = await listen(account)
  const boss = await account.addUser({ is_admin: true })
  account.clock.ahead += 10
  expect((await boss.api.delete(`${path}/${at['B']}`)).status).toBe(204)
  expect(await ordinaryIn(api, id)).toEqual(['A 20', 'C 30'])
  expect((await api.get(`${path}/${at['B']}`)).status).toBe(404)

  const after = await readLead(api, moving!)
  expect(after).toEqual({
    ...before,
    status_id: at['A'],
    updated_by: boss.id,
    updated_at: expect.any(Number),
  })
  expect(after.updated_at).toBeGreaterThanOrEqual(before.updated_at + 10)
  expect((await readLead(api, other!)).status_id).toBe(at['C'])
  const { journal, events } = await recorded()
  const { updated_at, updated_by } = before
  expect(journal).toMatchObject([
    {
      entity_type: 'leads',
      entity_id: moving,
      actions: ['update', 'status'],
      created_by: boss.id,
      after: { status_id: at['A'] },
    },
  ])
  expect(journal[0]!.before).toEqual({ status_id: at['B'], updated_at, updated_by })
  const stage = (name: string) => [{ lead_status: { id: at[name], pipeline_id: id } }]
  expect(events.map(plainly)).toEqual([
    {
      type: 'lead_status_changed',
      entity_id: moving,
      created_by: boss.id,
      value_before: stage('B'),
      value_after: stage('A'),
    },
  ])
})

test('the first status goes to the next, or any to the one that is asked for, won too', async () => {
  const { api, at, remove } = await atWork()
  const [first, second] = await addLeads(api, [{ status_id: at['A'] }, { status_id: at['B'] }])
  expect((await remove('A')).status).toBe(204)
  expect((await readLead(api, first!)).status_id).toBe(at['B'])
  expect((await remove('B', `?move_to=${won}`)).status).toBe(204)
  for (const id of [first!, second!])
    expect(await readLead(api, id)).toMatchObject({ status_id: won, closed_at: expect.any(Number) })
})

test('a status without leads goes, and nothing is recorded', async () => {
  const { account, api, id, remove } = await atWork()
  const recorded = await listen(account)
  expect((await remove('C')).status).toBe(204)
  expect(await recorded()).toEqual({ journal: [], events: [] })
  expect(await ordinaryIn(api, id)).toEqual(['A 20', 'B 30'])
  expect((await remove('C')).status).toBe(404)
})

test('leads in the bin move silently, stay as old as they are, and can be restored', async () => {
  const { account, api, at, remove, inBin, rowOf } = await atWork()
  const ids = await addLeads(api, [{ status_id: at['B'] }, { status_id: at['C'] }])
  for (const id of ids) expect(await inBin(id)).toBe(204)
  const before = await rowOf(ids[0]!)
  const recorded = await listen(account)
  account.clock.ahead += 50
  await remove('B')
  await remove('C', `?move_to=${lost}`)
  expect(await rowOf(ids[0]!)).toEqual({ ...before, status_id: at['A'] })
  expect(await rowOf(ids[1]!)).toMatchObject({ status_id: lost, closed_at: expect.any(Number) })
  expect(await recorded()).toEqual({ journal: [], events: [] })
  expect((await api.post(`/api/v4/leads/${ids[0]}/restore`)).body.status_id).toBe(at['A'])
})

test('what cannot go, or cannot go there, is refused and stays', async () => {
  const { account, api, id, at, path, remove } = await atWork()
  const other = await pipelineOf(api, 'X')
  const lead = await addLead(api, { status_id: at['B'] })
  const { statuses } = (await api.get(path)).body._embedded
  for (const status of statuses.filter(({ is_editable }: { is_editable: boolean }) => !is_editable))
    expect((await api.delete(`${path}/${status.id}`)).status).toBe(400)
  expect((await api.delete(`${statusesOf(other.id)}/${other.at['X']}`)).status).toBe(400)
  for (const to of [at['B'], other.at['X'], statuses[0].id, 999_999_999])
    expect(faultsOf(await remove('B', `?move_to=${to}`))).toEqual({
      0: ['NotSupportedChoice move_to'],
    })
  for (const query of ['?move_to=x', '?move_to=0', '?moveto=1', '?move_to[]=1&move_to[]=2'])
    expect([query, (await remove('B', query)).status]).toEqual([query, 400])
  expect((await api.delete(`${statusesOf(other.id)}/${at['B']}`)).status).toBe(404)
  expect((await api.delete(`${statusesOf(999_999_999)}/${at['B']}`)).body.detail).toBe(
    'Pipeline not found',
  )
  const seller = await account.addUser()
  expect((await seller.api.delete(`${path}/${at['B']}`)).status).toBe(403)
  expect(await ordinaryIn(api, id)).toEqual(['A 20', 'B 30', 'C 40'])
  expect((await readLead(api, lead)).status_id).toBe(at['B'])
})

test('descriptions go with their status', async () => {
  const { api, account } = await atWork()
  const descriptions = [{ level: 'newbie', description: 'Ask' }]
  const made = await newPipeline(api, {
    _embedded: { statuses: [{ name: 'A', descriptions }, { name: 'B' }] },
  })
  expect((await api.delete(made._embedded.statuses[1]._links.self.href)).status).toBe(204)
  const left = await account.kontor.database.rows(
    sql`select from status_descriptions where account_id = ${account.id}`,
  )
  expect(left).toEqual([])
})

test('thousands of leads move, each once, in the bin or not', async () => {
  const { account, api, at, remove } = await atWork()
  const ids: number[] = []
  for (let batch = 0; batch < 9; batch++)
    ids.push(
      ...(await addLeads(
        api,
        Array.from({ length: 250 }, () => ({ status_id: at['B'] })),
      )),
    )
  await account.kontor.database.rows(
    sql`update leads set is_deleted = true where account_id = ${account.id} and id % 3 = 0`,
  )
  const live = ids.filter((id) => id % 3 !== 0)
  expect((await remove('B')).status).toBe(204)
  expect(await strays(account)).toEqual([])
  const { id: account_id } = account
  const [where] = await account.kontor.database.rows(sql`
    select count(*) as leads, count(*) filter (where is_deleted) as binned from leads
     where account_id = ${account_id} and status_id = ${at['A']}`)
  expect(where).toEqual({ leads: ids.length, binned: ids.length - live.length })
  const moved = await account.kontor.database.rows<{ id: number }>(sql`
    select entity_id as id from events where account_id = ${account_id} and type = 'lead_status_changed' order by entity_id`)
  expect(moved.map(({ id }) => id)).toEqual(live)
  const journal = await account.kontor.database.rows<{ id: number }>(sql`
    select entity_id as id from journal where account_id = ${account_id} and actions = '{update,status}' order by entity_id`)
  expect(journal.map(({ id }) => id)).toEqual(live)
})
