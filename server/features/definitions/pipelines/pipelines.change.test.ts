import sql from 'sql-template-tag'
import { expect, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import type { TestAccount } from '../../../../test/account.ts'
import { addLead, faultsOf, listen, mainPipeline, readLead } from '../../../../test/leads.ts'
import { newPipeline, pipelines } from '../../../../test/pipelines.ts'

const one = (id: number) => `${pipelines}/${id}`

/** Every pipeline as `name sort`, the main one with a star. */
async function arranged({ api }: TestAccount): Promise<string[]> {
  const { body } = await api.get(pipelines)
  return body._embedded.pipelines.map(
    ({ name, sort, is_main }: { name: string; sort: number; is_main: boolean }) =>
      `${name} ${sort}${is_main ? ' *' : ''}`,
  )
}

test('a pipeline is renamed, moved and answered whole, and nothing is recorded', async () => {
  const account = await newAccount()
  const { api } = account
  const { id } = await newPipeline(api)
  const recorded = await listen(account)
  const changed = await api.patch(one(id), { name: ' Partners ', sort: 90, request_id: 'mine' })
  expect(changed.status).toBe(200)
  const { request_id, ...read } = changed.body
  expect(request_id).toBe('mine')
  expect(read).toMatchObject({ id, name: 'Partners', sort: 90, is_main: false })
  expect((await api.get(one(id))).body).toEqual(read)
  expect((await api.patch(one(id), read)).body).toEqual({ ...read, request_id: '0' })
  expect(await recorded()).toEqual({ journal: [], events: [] })
})

test('what is only read, and statuses, are left as they are', async () => {
  const { api } = await newAccount()
  const { request_id: _, ...made } = await newPipeline(api)
  const sent = {
    name: 'New',
    id: 5,
    is_archive: true,
    account_id: 5,
    _links: {},
    _embedded: { statuses: [] },
  }
  expect((await api.patch(one(made.id), sent)).body).toEqual({
    ...made,
    name: 'New',
    request_id: '0',
  })
})

test('one pipeline is the main one, the first, with sort 1; the one that was takes the place of the next', async () => {
  const account = await newAccount()
  const { api } = account
  const { id } = await newPipeline(api, { name: 'B', sort: 40 })
  expect((await api.patch(one(id), { is_main: true })).body).toMatchObject({
    is_main: true,
    sort: 1,
  })
  expect(await arranged(account)).toEqual(['B 1 *', 'Pipeline 40'])
  expect((await readLead(api, await addLead(api))).pipeline_id).toBe(id)

  await newPipeline(api, { name: 'C', sort: 30, is_main: true })
  expect(await arranged(account)).toEqual(['C 1 *', 'B 30', 'Pipeline 40'])
  await api.post(pipelines, [
    { name: 'D', is_main: true },
    { name: 'E', is_main: true },
    { name: 'F' },
  ])
  expect(await arranged(account)).toEqual(['E 1 *', 'B 30', 'Pipeline 40', 'D 41', 'C 42', 'F 43'])
})

test('the main pipeline stays the main one and the first until another becomes it', async () => {
  const account = await newAccount()
  const { id } = await mainPipeline(account)
  expect((await account.api.patch(one(id), { is_main: false })).status).toBe(200)
  expect((await account.api.patch(one(id), { sort: 90, name: 'Main' })).body).toMatchObject({
    sort: 1,
    is_main: true,
  })
  expect(await arranged(account)).toEqual(['Main 1 *'])
})

test('with unsorted leads turned off their status is not listed, and its leads stay readable', async () => {
  const account = await newAccount()
  const { api, kontor } = account
  const main = await mainPipeline(account)
  const id = await addLead(api)
  await kontor.database.rows(
    sql`update leads set status_id = ${main.unsorted} where account_id = ${account.id} and id = ${id}`,
  )

  const off = await api.patch(one(main.id), { is_unsorted_on: false })
  const shown = async () => {
    const { body } = await api.get(`${one(main.id)}/statuses`)
    return [
      body._total_items,
      body._embedded.statuses.some((status: { type: number }) => status.type === 1),
    ]
  }
  expect([off.status, off.body.is_unsorted_on, off.body._embedded.statuses.length]).toEqual([
    200,
    false,
    6,
  ])
  expect(await shown()).toEqual([6, false])
  expect((await readLead(api, id)).status_id).toBe(main.unsorted)
  // A lead names it, so it can be asked for.
  expect((await api.get(`${one(main.id)}/statuses/${main.unsorted}`)).body).toMatchObject({
    id: main.unsorted,
    type: 1,
  })
  await api.patch(one(main.id), { is_unsorted_on: true })
  expect(await shown()).toEqual([7, true])
})

test('the unsorted status of a new pipeline is closed to those who may not see it, at once', async () => {
  const account = await newAccount()
  const seller = await account.addUser({ rights: { leads: { view: 'A' } } })
  const rights = async () =>
    (await account.api.get(`/api/v4/users/${seller.id}`)).body.rights.status_rights
  expect((await seller.api.get('/api/v4/leads')).status).toBe(200)
  const { id } = await newPipeline(account.api)
  expect((await rights()).map((right: { pipeline_id: number }) => right.pipeline_id)).toEqual([
    (await mainPipeline(account)).id,
    id,
  ])
  const lead = await addLead(account.api, { pipeline_id: id })
  await account.kontor.database.rows(sql`
    update leads set status_id = (select id from statuses where account_id = ${account.id} and pipeline_id = ${id} and type = 1)
     where account_id = ${account.id} and id = ${lead}`)
  await expect.poll(async () => (await seller.api.get(`/api/v4/leads/${lead}`)).status).toBe(403)
})

test('a change that says nothing, or nothing that there is, is refused', async () => {
  const account = await newAccount()
  const { id } = await mainPipeline(account)
  const patch = (body: unknown) => account.api.patch(one(id), body)
  for (const body of [
    {},
    { request_id: 'x' },
    { _embedded: {} },
    [{ name: 'x' }],
    '"x"',
    undefined,
  ])
    expect((await patch(body)).status).toBe(400)
  expect(faultsOf(await patch({ name: '', sort: 'x', colour: 1 }))).toEqual({
    0: expect.arrayContaining(['NotBlank name', 'InvalidType sort', 'FieldNotExpected colour']),
  })
  expect((await account.api.patch(one(999_999_999), { name: 'x' })).status).toBe(404)
  expect((await account.api.patch(pipelines, [{ id, name: 'x' }])).status).toBe(405)
  expect(await arranged(account)).toEqual(['Pipeline 1 *'])
})
