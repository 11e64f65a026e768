import { expect, test } from 'vitest'
import { newAccount } from '../../../../../test/account.ts'
import { faultsOf, listen, lost, mainPipeline, won } from '../../../../../test/leads.ts'
import { ordinaryIn, pipelineOf, pipelines, statusesOf } from '../../../../../test/pipelines.ts'
import { statusColors } from './schema.ts'

/** An account with a pipeline of the ordinary statuses A, B and C. */
async function atWork() {
  const account = await newAccount()
  const { id, at } = await pipelineOf(account.api, 'A', 'B', 'C')
  const path = statusesOf(id)
  const order = async () => (await ordinaryIn(account.api, id)).join(', ')
  const change = async (name: string, body: unknown) =>
    account.api.patch(`${path}/${at[name]}`, body)
  return { account, api: account.api, id, at, path, order, change }
}

test('statuses are listed, read one by one, and found in their own pipeline only', async () => {
  const { account, api, id, at, path } = await atWork()
  const { body } = await api.get(path)
  expect(body).toMatchObject({
    _total_items: 6,
    _links: { self: { href: `${account.kontor.url}${path}` } },
  })
  expect((await api.get(`${path}?page=1`)).body._embedded).toEqual(body._embedded)
  const { body: second } = await api.get(`${path}?page=2`)
  expect([second._total_items, second._embedded.statuses]).toEqual([0, []])
  const [pipeline] = [(await api.get(`${pipelines}/${id}`)).body]
  expect(body._embedded.statuses).toEqual(pipeline._embedded.statuses)
  for (const status of body._embedded.statuses)
    expect((await api.get(status._links.self.href)).body).toEqual(status)

  const main = await mainPipeline(account)
  const detail = async (address: string) => {
    const { status, body } = await api.get(address)
    return [status, body.detail]
  }
  expect(await detail(`${statusesOf(main.id)}/${at['A']}`)).toEqual([404, 'Status not found'])
  expect(await detail(`${path}/999999999`)).toEqual([404, 'Status not found'])
  expect(await detail(statusesOf(999_999_999))).toEqual([404, 'Pipeline not found'])
  const other = await newAccount()
  expect((await other.api.get(path)).status).toBe(404)
  expect((await other.api.post(path, [{ name: 'x', sort: 1 }])).status).toBe(404)
  expect((await other.api.patch(`${path}/${at['A']}`, { name: 'x' })).status).toBe(404)
  expect((await other.api.delete(`${path}/${at['A']}`)).status).toBe(404)
})

test('new statuses go between the others by their sort, and all are numbered anew', async () => {
  const { account, api, id, path, order } = await atWork()
  const recorded = await listen(account)
  const { status, body } = await api.post(path, [
    { name: ' Last ', sort: 200, color: '#EB93FF', request_id: 'l' },
    { name: 'D', sort: 100 },
    { name: 'Between', sort: 30 },
    { name: 'First', sort: 0 },
  ])
  expect(status).toBe(200)
  expect(Object.keys(body)).toEqual(['_total_items', '_embedded'])
  expect(body._total_items).toBe(4)
  const [last, d] = body._embedded.statuses
  expect(last).toMatchObject({
    name: 'Last',
    sort: 80,
    color: '#eb93ff',
    is_editable: true,
    type: 0,
    descriptions: [],
  })
  expect(last).toMatchObject({ pipeline_id: id, account_id: account.id, request_id: 'l' })
  expect(d).toMatchObject({ name: 'D', sort: 70, color: '#fffeb2', request_id: '1' })
  expect(await order()).toBe('First 20, A 30, Between 40, B 50, C 60, D 70, Last 80')
  expect(
    (await api.post(path, { name: 'One', sort: 2_147_483_647 })).body._embedded.statuses[0].sort,
  ).toBe(90)
  expect(await recorded()).toEqual({ journal: [], events: [] })
})

test('every color of the palette is taken, in any case', async () => {
  const { api, path } = await atWork()
  const drafts = statusColors.map((color) => ({
    name: color,
    sort: 100,
    color: color.toUpperCase(),
  }))
  const made = (await api.post(path, drafts)).body._embedded.statuses
  expect(made.map(({ color }: { color: string }) => color)).toEqual(statusColors)
})

test('one bad status refuses the batch, and every bad one is listed', async () => {
  const { api, path, order } = await atWork()
  const refused = await api.post(path, [
    { name: 'good', sort: 1 },
    { name: 'x' },
    { sort: 1 },
    { name: ' ', sort: -1 },
    { name: 'x', sort: 1, color: '#99ccff' },
    { name: 'x', sort: null, color: null },
    { name: 'x', sort: 1, colour: 'x', request_id: 'odd' },
    { name: 'x', sort: 1, color: 'red', descriptions: [{ level: 'master' }] },
  ])
  expect(refused.status).toBe(400)
  expect(faultsOf(refused)).toEqual({
    1: ['FieldMissing sort'],
    2: ['FieldMissing name'],
    3: expect.arrayContaining(['NotBlank name']),
    4: ['NotSupportedChoice color'],
    5: ['NotNullable sort'],
    odd: ['FieldNotExpected colour'],
    7: ['NotSupportedChoice color', 'FieldMissing descriptions.0.description'],
  })
  expect((await api.post(path, [])).status).toBe(400)
  expect(await order()).toBe('A 20, B 30, C 40')
})

test('a pipeline has a hundred statuses at most, with the three that each has', async () => {
  const { api, path } = await atWork()
  const drafts = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ name: `${index}`, sort: 1000 + index }))
  expect((await api.post(path, drafts(95))).status).toBe(422)
  expect((await api.get(path)).body._total_items).toBe(6)
  expect((await api.post(path, drafts(94))).status).toBe(200)
  expect((await api.get(path)).body._total_items).toBe(100)
  expect((await api.post(path, drafts(1))).status).toBe(422)
})

test('a status is changed and answered whole, and nothing is recorded', async () => {
  const { account, api, at, path, change } = await atWork()
  const recorded = await listen(account)
  const { status, body } = await change('B', { name: ' New ', color: '#F2F3F4', request_id: 'b' })
  expect(status).toBe(200)
  const { request_id, descriptions, ...read } = body
  expect([request_id, descriptions]).toEqual(['b', []])
  expect(read).toMatchObject({ id: at['B'], name: 'New', color: '#f2f3f4', sort: 30 })
  expect((await api.get(`${path}/${at['B']}`)).body).toEqual(read)
  expect((await change('B', read)).body).toEqual({ ...body, request_id: '0' })
  expect(await recorded()).toEqual({ journal: [], events: [] })
})

test.for([
  ['A', 30, 'B 20, A 30, C 40'],
  ['A', 40, 'B 20, C 30, A 40'],
  ['A', 10_500, 'B 20, C 30, A 40'],
  ['C', 20, 'C 20, A 30, B 40'],
  ['C', 30, 'A 20, C 30, B 40'],
  ['C', 0, 'C 20, A 30, B 40'],
  ['B', 35, 'A 20, B 30, C 40'],
  ['B', 30, 'A 20, B 30, C 40'],
] as const)('%s sent to %i stands there: %s', async ([name, sort, expected]) => {
  const { change, order } = await atWork()
  expect((await change(name, { sort })).status).toBe(200)
  expect(await order()).toBe(expected)
})

test('a color that is outside the palette can be sent back, and no other', async () => {
  const { api, account } = await atWork()
  const main = await mainPipeline(account)
  const path = `${statusesOf(main.id)}/${main.statuses[0]}`
  expect((await api.patch(path, { color: '#99CCFF' })).body.color).toBe('#99ccff')
  expect(faultsOf(await api.patch(path, { color: '#ffcc66' }))).toEqual({
    0: ['NotSupportedChoice color'],
  })
})

test('statuses that every pipeline has are renamed, in one pipeline alone, and nothing else of them changes', async () => {
  const { account, api, path } = await atWork()
  const main = await mainPipeline(account)
  const { statuses } = (await api.get(path)).body._embedded
  for (const { id } of statuses.filter(
    ({ is_editable }: { is_editable: boolean }) => !is_editable,
  )) {
    const { body: before } = await api.get(`${path}/${id}`)
    const named = await api.patch(`${path}/${id}`, { ...before, name: `Called ${id}` })
    expect(named.body).toEqual({
      ...before,
      name: `Called ${id}`,
      descriptions: [],
      request_id: '0',
    })
    const sent = {
      name: 'x',
      sort: 500,
      color: '#fffeb2',
      descriptions: [{ level: 'master', description: 'x' }],
    }
    expect(faultsOf(await api.patch(`${path}/${id}`, sent))).toEqual({
      0: ['NotSupportedChoice sort', 'NotSupportedChoice color', 'NotSupportedChoice descriptions'],
    })
    expect((await api.get(`${path}/${id}`)).body.name).toBe(`Called ${id}`)
  }
  for (const id of [won, lost])
    expect((await api.get(`${statusesOf(main.id)}/${id}`)).body.name).toMatch(/^Closed/)
})

test('a change that says nothing, or nothing that there is, is refused', async () => {
  const { api, id, path, change, order } = await atWork()
  for (const body of [{}, { request_id: 'x' }, { type: 1 }, [{ name: 'x' }], '"x"', undefined])
    expect((await change('A', body)).status).toBe(400)
  expect(faultsOf(await change('A', { name: '', color: 'blue', sort: 'x' }))).toEqual({
    0: expect.arrayContaining(['NotBlank name', 'InvalidType sort']),
  })
  expect((await api.patch(`${path}/999999999`, { name: 'x' })).status).toBe(404)
  expect((await api.patch(`${statusesOf(999_999_999)}/${won}`, { name: 'x' })).status).toBe(404)
  expect((await api.get(`${pipelines}/${id}/statuses/x`)).status).toBe(404)
  expect(await order()).toBe('A 20, B 30, C 40')
})
