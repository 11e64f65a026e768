import sql from 'sql-template-tag'
import { expect, test } from 'vitest'
import { newAccount } from '../../../../../test/account.ts'
import type { Client } from '../../../../../test/client.ts'
import { faultsOf, listen } from '../../../../../test/leads.ts'
import { statusColors } from '../../../definitions/pipelines/statuses/schema.ts'
import type { CustomerStatus } from './schema.ts'

const path = '/api/v4/customers/statuses'

const statusesIn = async (api: Client): Promise<CustomerStatus[]> =>
  (await api.get(path)).body._embedded.statuses

const namesIn = async (api: Client) => (await statusesIn(api)).map(({ name }) => name)

const first = ['Recently purchased', 'Stage', 'Purchase expected', 'Did not purchase', 'Closed']

/** Creates statuses and answers their ids. */
async function add(api: Client, ...drafts: object[]): Promise<number[]> {
  const { status, body } = await api.post(path, drafts)
  expect(status).toBe(200)
  return body._embedded.statuses.map(({ id }: { id: number }) => id)
}

const setMode = (api: Client, mode: string, is_enabled: boolean) =>
  api.patch('/api/v4/customers/mode', { mode, is_enabled })

test('an account begins with a status of each type, in colors of the palette', async () => {
  const account = await newAccount()
  const { body } = await account.api.get(path)
  expect(body._total_items).toBe(5)
  expect(body._links.self.href).toMatch(/\/api\/v4\/customers\/statuses$/)
  const statuses: CustomerStatus[] = body._embedded.statuses
  expect(statuses.map(({ name }) => name)).toEqual(first)
  expect(statuses.map(({ type }) => type)).toEqual([4, 0, 1, 2, 3])
  expect(statuses.map(({ sort }) => sort)).toEqual([1, 2, 3, 4, 5])
  expect(statuses.map(({ is_default }) => is_default)).toEqual([true, false, true, true, true])
  expect(new Set(statuses.map(({ color }) => color)).size).toBe(5)
  const days = (type: string, value: number) => [[{ type, match: { value } }]]
  expect(statuses.map(({ conditions }) => conditions)).toEqual([
    days('after_purchase', 7),
    [],
    days('before_purchase', 7),
    days('after_next_date', 0),
    days('after_next_date', 30),
  ])
  for (const { id, color, account_id, _links } of statuses) {
    expect(statusColors).toContain(color)
    expect(account_id).toBe(account.id)
    expect(_links.self.href).toMatch(new RegExp(`${path}/${id}$`))
  }
})

test('everybody in the account reads them, by list and by link; the second page is empty', async () => {
  const account = await newAccount()
  const { api } = await account.addUser({ rights: {} })
  const [one] = await statusesIn(api)
  expect((await api.get(`${path}/${one!.id}`)).body).toEqual(one)
  expect((await api.get(`${path}?page=2`)).body._embedded.statuses).toEqual([])
  expect((await api.get(`${path}/999999999`)).status).toBe(404)
})

test('created statuses are ordinary ones, answered with id, request_id and link only', async () => {
  const account = await newAccount()
  const recorded = await listen(account)
  const made = await account.api.post(path, [
    { name: '  Warm ', sort: 3, color: '#98CBFF', request_id: 'warm' },
    { name: 'Cold', sort: 100_000 },
  ])
  expect(made.status).toBe(200)
  expect(made.body._total_items).toBe(2)
  const [warm, cold] = made.body._embedded.statuses
  expect(Object.keys(warm).toSorted()).toEqual(['_links', 'id', 'request_id'])
  expect([warm.request_id, cold.request_id]).toEqual(['warm', '1'])
  expect((await account.api.get(warm._links.self.href)).body).toMatchObject({
    id: warm.id,
    name: 'Warm',
    sort: 3,
    color: '#98cbff',
    type: 0,
    is_default: false,
    conditions: [],
  })
  expect((await account.api.get(cold._links.self.href)).body).toMatchObject({
    sort: 7,
    color: '#fffeb2',
  })
  expect(await namesIn(account.api)).toEqual([
    'Recently purchased',
    'Stage',
    'Warm',
    'Purchase expected',
    'Did not purchase',
    'Closed',
    'Cold',
  ])
  expect((await statusesIn(account.api)).map(({ sort }) => sort)).toEqual([1, 2, 3, 4, 5, 6, 7])
  expect(await recorded()).toEqual({ journal: [], events: [] })
})

test('a single status may be sent without a list, and one may be sent back as it was read', async () => {
  const { api } = await newAccount()
  expect((await api.post(path, { name: 'Alone', sort: '0' })).status).toBe(200)
  const [alone] = await statusesIn(api)
  expect(alone).toMatchObject({ name: 'Alone', sort: 1 })
  expect((await api.patch(`${path}/${alone!.id}`, alone)).body).toEqual({
    ...alone,
    request_id: '0',
  })
})

test('a change names what it changes, also of a default status; the others make room', async () => {
  const { api } = await newAccount()
  const [recent, stage, expected] = await statusesIn(api)
  const to = async (id: number, change: object) => {
    const { status, body } = await api.patch(`${path}/${id}`, change)
    expect(status).toBe(200)
    return body
  }
  expect(await to(stage!.id, { name: ' Regular ', request_id: 'r' })).toMatchObject({
    id: stage!.id,
    name: 'Regular',
    sort: 2,
    color: stage!.color,
    request_id: 'r',
  })
  expect(await to(expected!.id, { color: '#EB93FF' })).toMatchObject({
    name: 'Purchase expected',
    color: '#eb93ff',
    is_default: true,
    type: 1,
  })
  expect(await to(recent!.id, { sort: 3 })).toMatchObject({ sort: 3 })
  expect(await namesIn(api)).toEqual([
    'Regular',
    'Purchase expected',
    'Recently purchased',
    'Did not purchase',
    'Closed',
  ])
  expect(await to(recent!.id, { sort: 2 })).toMatchObject({ sort: 2 })
  expect(await to(recent!.id, { sort: 9000 })).toMatchObject({ sort: 5 })
  expect(await to(recent!.id, { sort: 0 })).toMatchObject({ sort: 1 })
  expect((await statusesIn(api)).map(({ sort }) => sort)).toEqual([1, 2, 3, 4, 5])
  // A request_id alone is something, and what only reads is ignored.
  expect(await to(recent!.id, { request_id: 5 })).toMatchObject({ request_id: '5', sort: 1 })
  expect(
    await to(recent!.id, { name: 'New', type: 0, is_default: false, conditions: [[{}]], id: 7 }),
  ).toMatchObject({
    id: recent!.id,
    name: 'New',
    type: 4,
    is_default: true,
    conditions: recent!.conditions,
  })
})

test('administrators move one before another, and two moves at once are both done', async () => {
  const account = await newAccount()
  const { api } = account
  const [recent, stage, expected, missed, closed] = (await statusesIn(api)).map(({ id }) => id)
  const move = async (id: number, before: number | null, by = api) =>
    (await by.post(`/web/v1/customers/statuses/${id}/move`, { before })).status
  expect(await Promise.all([move(recent!, null), move(closed!, stage!)])).toEqual([204, 204])
  const order = async () => (await statusesIn(api)).map(({ id }) => id)
  const middle = [stage, expected, missed]
  expect(await order()).toEqual([closed, ...middle, recent])
  expect((await statusesIn(api)).map(({ sort }) => sort)).toEqual([1, 2, 3, 4, 5])
  const present = await order()
  expect([await move(stage!, 999_999), await move(999_999, null)]).toEqual([400, 404])
  const seller = await account.addUser({ rights: {} })
  expect(await move(stage!, null, seller.api)).toBe(403)
  const other = await newAccount()
  expect(await move(stage!, null, other.api)).toBe(404)
  await setMode(api, 'segments', true)
  expect(await move(stage!, null)).toBe(422)
  await setMode(api, 'periodicity', true)
  expect(await order()).toEqual(present)
})

test('faulty statuses are refused with all their faults, and nothing changes', async () => {
  const { api } = await newAccount()
  const [{ id }] = (await statusesIn(api)) as [CustomerStatus]
  const answer = await api.post(path, [
    { sort: 1 },
    { name: ' ', sort: -1 },
    { name: 'x'.repeat(256), sort: 1.5, color: 'red' },
    { name: 'Good', sort: 1 },
    { name: 'Odd', sort: 1, color: '#ccff66' },
    { name: 'Unknown', sort: 1, position: 2 },
    { name: 'None' },
  ])
  expect(answer.status).toBe(400)
  expect(faultsOf(answer)).toMatchObject({
    0: ['FieldMissing name'],
    4: ['NotSupportedChoice color'],
    5: ['FieldNotExpected position'],
    6: ['FieldMissing sort'],
  })
  expect(Object.keys(faultsOf(answer))).toEqual(['0', '1', '2', '4', '5', '6'])
  for (const body of [[], 'x', null, [[]]]) expect((await api.post(path, body)).status).toBe(400)
  expect((await api.patch(`${path}/${id}`, {})).status).toBe(400)
  expect((await api.patch(`${path}/${id}`, { type: 0 })).status).toBe(400)
  expect((await api.patch(`${path}/${id}`, { name: '' })).status).toBe(400)
  expect((await api.patch(`${path}/${id}`, { name: null })).status).toBe(400)
  expect(faultsOf(await api.patch(`${path}/${id}`, { color: '#000000', request_id: 'a' }))).toEqual(
    { a: ['NotSupportedChoice color'] },
  )
  expect((await api.patch(`${path}/999999999`, { name: 'x' })).status).toBe(404)
  expect((await api.patch(`${path}/x`, { name: 'x' })).status).toBe(404)
  expect(await namesIn(api)).toEqual(first)
})

test('an account has 30 statuses at most, also when several add the last one', async () => {
  const { api } = await newAccount()
  const drafts = (length: number) =>
    Array.from({ length }, (_, index) => ({ name: `Status ${index}`, sort: 50 }))
  expect((await api.post(path, drafts(26))).status).toBe(422)
  const ids = await add(api, ...drafts(24))
  const answers = await Promise.all([1, 2, 3, 4].map(() => api.post(path, drafts(1))))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(answers.filter(({ status }) => status === 422)).toHaveLength(3)
  expect(await statusesIn(api)).toHaveLength(30)
  expect((await api.delete(`${path}/${ids[0]}`)).status).toBe(204)
  expect((await api.post(path, drafts(2))).status).toBe(422)
  expect((await api.post(path, drafts(1))).status).toBe(200)
})

test('an ordinary status is deleted and the others close the gap; a default one stays', async () => {
  const { api } = await newAccount()
  const [warm] = await add(api, { name: 'Warm', sort: 1 })
  for (const { id, is_default } of await statusesIn(api))
    if (is_default) expect((await api.delete(`${path}/${id}`)).status).toBe(400)
  expect((await api.delete(`${path}/${warm}`)).status).toBe(204)
  expect((await api.delete(`${path}/${warm}`)).status).toBe(404)
  expect((await api.get(`${path}/${warm}`)).status).toBe(404)
  expect((await api.patch(`${path}/${warm}`, { name: 'x' })).status).toBe(404)
  expect(await namesIn(api)).toEqual(first)
  expect((await statusesIn(api)).map(({ sort }) => sort)).toEqual([1, 2, 3, 4, 5])
})

test('only administrators write, and nobody reaches the statuses of another account', async () => {
  const account = await newAccount()
  const [id] = await add(account.api, { name: 'Ours', sort: 50 })
  const seller = await account.addUser({ rights: { leads: { view: 'A', edit: 'A', add: 'A' } } })
  expect((await seller.api.post(path, [{ name: 'New', sort: 1 }])).status).toBe(403)
  expect((await seller.api.patch(`${path}/${id}`, { name: 'New' })).status).toBe(403)
  expect((await seller.api.delete(`${path}/${id}`)).status).toBe(403)
  expect((await setMode(seller.api, 'segments', true)).status).toBe(403)
  const { api: alien } = await newAccount()
  expect(await namesIn(alien)).toEqual(first)
  expect((await alien.get(`${path}/${id}`)).status).toBe(404)
  expect((await alien.patch(`${path}/${id}`, { name: 'New' })).status).toBe(404)
  expect((await alien.delete(`${path}/${id}`)).status).toBe(404)
  expect(await namesIn(account.api)).toEqual([...first, 'Ours'])
})

test('a mode turns the other off, and the account names the one that is on', async () => {
  const account = await newAccount()
  const other = await newAccount()
  const { api } = account
  const shown = async () => (await api.get('/api/v4/account')).body.customers_mode
  const set = async (mode: string, is_enabled: boolean) => {
    const { status, body } = await setMode(api, mode, is_enabled)
    expect([status, body]).toEqual([200, { mode, is_enabled }])
    const { is_periodicity_on, is_segments_on } = (await account.kontor.database.row<{
      is_periodicity_on: boolean
      is_segments_on: boolean
    }>(sql`select is_periodicity_on, is_segments_on from accounts where id = ${account.id}`))!
    return [is_periodicity_on, is_segments_on, await shown()]
  }
  expect(await shown()).toBe('periodicity')
  expect(await set('segments', false)).toEqual([true, false, 'periodicity'])
  expect(await set('segments', true)).toEqual([false, true, 'segments'])
  expect(await set('periodicity', false)).toEqual([false, true, 'segments'])
  expect(await set('segments', false)).toEqual([false, false, 'disabled'])
  expect(await set('periodicity', true)).toEqual([true, false, 'periodicity'])
  expect((await other.api.get('/api/v4/account')).body.customers_mode).toBe('periodicity')
  for (const body of [{}, { mode: 'segments' }, { mode: 'both', is_enabled: true }, []])
    expect((await api.patch('/api/v4/customers/mode', body)).status).toBe(400)
  expect(await shown()).toBe('periodicity')
})

test('without periodic purchases statuses are not read or created, but changed and deleted', async () => {
  const { api } = await newAccount()
  const [id] = await add(api, { name: 'Ours', sort: 50 })
  await setMode(api, 'segments', true)
  expect((await api.get(path)).status).toBe(422)
  expect((await api.get(`${path}/${id}`)).status).toBe(422)
  expect((await api.post(path, [{ name: 'New', sort: 1 }])).status).toBe(422)
  expect((await api.patch(`${path}/${id}`, { name: 'Renamed' })).body).toMatchObject({
    id,
    name: 'Renamed',
  })
  expect((await api.delete(`${path}/${id}`)).status).toBe(204)
  await setMode(api, 'periodicity', true)
  expect(await namesIn(api)).toEqual(first)
})
