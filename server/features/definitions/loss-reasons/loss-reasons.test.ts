import sql from 'sql-template-tag'
import { expect, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import type { Client } from '../../../../test/client.ts'
import { addLeads, faultsOf, listen, lost } from '../../../../test/leads.ts'
import { reasonKept, withReasons } from '../../../../test/origins.ts'

const path = '/api/v4/leads/loss_reasons'

const namesIn = async (api: Client, query = '') =>
  (await api.get(path + query)).body._embedded.loss_reasons.map(
    ({ name }: { name: string }) => name,
  )

test('reasons are created in the order of the request, after those that are there', async () => {
  const account = await newAccount()
  const recorded = await listen(account)
  const made = await account.api.post(path, [
    { name: '  Too dear ' },
    { name: 'No need', sort: 100_000, request_id: 'b' },
    { name: 'Silence', request_id: 7 },
  ])
  expect(made.status).toBe(200)
  expect(made.body._total_items).toBe(3)
  expect(made.body._embedded.loss_reasons).toMatchObject([
    { name: 'Too dear', sort: 1, request_id: '0' },
    { name: 'No need', sort: 100_000, request_id: 'b' },
    { name: 'Silence', sort: 100_001, request_id: '7' },
  ])
  const one = await account.api.post(path, { name: 'A rival', sort: '5' })
  expect(one.body._embedded.loss_reasons).toMatchObject([
    { name: 'A rival', sort: 5, request_id: '0' },
  ])
  expect(await namesIn(account.api)).toEqual(['Too dear', 'A rival', 'No need', 'Silence'])
  expect(await recorded()).toEqual({ journal: [], events: [] })
})

test('everybody in the account reads them, by list and by link', async () => {
  const account = await newAccount()
  const { api } = await account.addUser({ rights: {} })
  const { body: none } = await api.get(path)
  expect(none).toEqual({
    _total_items: 0,
    _embedded: { loss_reasons: [] },
    _links: { self: { href: expect.stringMatching(/\/api\/v4\/leads\/loss_reasons$/) } },
  })
  const [made] = (await account.api.post(path, [{ name: 'Silence' }])).body._embedded.loss_reasons
  const { request_id: _, ...reason } = made
  const { _total_items, _links, _embedded } = (await api.get(path)).body
  expect({ _total_items, _embedded }).toEqual({
    _total_items: 1,
    _embedded: { loss_reasons: [reason] },
  })
  expect((await api.get(_links.self.href)).body._total_items).toBe(1)
  expect((await api.get(reason._links.self.href)).body).toEqual(reason)
  expect(Object.keys(reason)).toEqual(['id', 'name', 'sort', 'created_at', 'updated_at', '_links'])
})

test('the list has one page, and what follows is empty as the caller wants it', async () => {
  const { api } = await newAccount()
  await api.post(path, [{ name: 'Silence' }])
  expect(await namesIn(api, '?page=1&limit=1')).toEqual(['Silence'])
  expect(await namesIn(api, '?page=2')).toEqual([])
  expect(await namesIn(api, '?page=0')).toEqual(['Silence'])
  expect((await api.get(`${path}?page=-1`)).status).toBe(400)
  const used = await newAccount({ emptyList: 204 })
  expect((await used.api.get(path)).status).toBe(204)
  await used.api.post(path, [{ name: 'Silence' }])
  expect((await used.api.get(path)).status).toBe(200)
  expect((await used.api.get(`${path}?page=2`)).status).toBe(204)
  expect((await used.api.get(`${path}/999999999`)).status).toBe(404)
})

test('a reason is changed where something differs, and what was read can be sent back', async () => {
  const { api, kontor } = await newAccount()
  const [made] = (await api.post(path, [{ name: 'Silence', sort: 3 }])).body._embedded.loss_reasons
  await kontor.database.transaction((tx) =>
    tx.rows(sql`update loss_reasons set updated_at = 5 where id = ${made.id}`),
  )
  const { body: read } = await api.get(made._links.self.href)
  const same = await api.patch(made._links.self.href, read)
  expect([same.status, same.body]).toEqual([200, { ...read, request_id: '0' }])
  const { body: named } = await api.patch(made._links.self.href, {
    name: ' No answer ',
    request_id: 'x',
  })
  expect(named).toEqual({
    ...read,
    name: 'No answer',
    updated_at: named.updated_at,
    request_id: 'x',
  })
  expect(named.updated_at).toBeGreaterThan(5)
  expect((await api.patch(made._links.self.href, { sort: 9 })).body).toMatchObject({
    name: 'No answer',
    sort: 9,
  })
  expect((await api.get(made._links.self.href)).body).toMatchObject({ name: 'No answer', sort: 9 })
})

test('what is wrong is listed, and nothing is written', async () => {
  const { api } = await newAccount()
  const refused = await api.post(path, [
    { name: 'Good' },
    { name: '' },
    { name: ' \t' },
    { sort: 1 },
    { name: 'x'.repeat(256) },
    { name: 'x', sort: -1 },
    { name: 'x', sort: 2_147_483_648 },
    { name: 'x', colour: 'red' },
    { name: null, sort: null },
    'no reason',
  ])
  expect(refused.status).toBe(400)
  expect(faultsOf(refused)).toEqual({
    1: ['NotBlank name'],
    2: ['NotBlank name'],
    3: ['FieldMissing name'],
    4: ['TooLong name'],
    5: ['TooLow sort'],
    6: ['TooHigh sort'],
    7: ['FieldNotExpected colour'],
    8: ['NotNullable name'],
    9: ['InvalidType '],
  })
  expect(faultsOf(await api.post(path, []))).toEqual({ 0: ['TooFew '] })
  const many = Array.from({ length: 251 }, () => ({ name: 'x' }))
  expect(faultsOf(await api.post(path, many))).toEqual({ 0: ['TooMany '] })
  expect(await namesIn(api)).toEqual([])

  const [made] = (await api.post(path, [{ name: 'x'.repeat(255), sort: 2_147_483_647 }])).body
    ._embedded.loss_reasons
  const { href } = made._links.self
  expect(faultsOf(await api.patch(href, { name: ' ', sort: 1 }))).toEqual({ 0: ['NotBlank name'] })
  expect(faultsOf(await api.patch(href, { name: '', sort: 'x' }))).toEqual({
    0: ['NotBlank name', 'InvalidType sort'],
  })
  expect((await api.patch(href, [{ name: 'x' }])).status).toBe(400)
  expect((await api.get(href)).body).toMatchObject({ sort: 2_147_483_647, name: 'x'.repeat(255) })
  // The last `sort` has no successor, so the next reason shares it.
  expect((await api.post(path, { name: 'y' })).body._embedded.loss_reasons[0].sort).toBe(
    2_147_483_647,
  )
})

test('an account has 500 reasons at most, also when several add the last one', async () => {
  const { api } = await newAccount()
  const batch = (length: number) =>
    Array.from({ length }, (_, index) => ({ name: `Reason ${index}` }))
  await api.post(path, batch(250))
  await api.post(path, batch(249))
  const answers = await Promise.all([1, 2, 3, 4].map(() => api.post(path, batch(1))))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(answers.filter(({ status }) => status === 422)).toHaveLength(3)
  const { body } = await api.get(path)
  expect(body._total_items).toBe(500)
  expect((await api.delete(body._embedded.loss_reasons[0]._links.self.href)).status).toBe(204)
  expect((await api.post(path, batch(2))).status).toBe(422)
  expect((await api.post(path, batch(1))).body._embedded.loss_reasons[0].sort).toBe(501)
})

test('only administrators write, and nobody reaches the reasons of another account', async () => {
  const account = await newAccount()
  const [{ id }] = (await account.api.post(path, [{ name: 'Ours' }])).body._embedded.loss_reasons
  const seller = await account.addUser()
  expect((await seller.api.post(path, [{ name: 'New' }])).status).toBe(403)
  expect((await seller.api.patch(`${path}/${id}`, { name: 'New' })).status).toBe(403)
  expect((await seller.api.delete(`${path}/${id}`)).status).toBe(403)
  const { api: alien } = await newAccount()
  expect(await namesIn(alien)).toEqual([])
  expect((await alien.get(`${path}/${id}`)).status).toBe(404)
  expect((await alien.patch(`${path}/${id}`, { name: 'New' })).status).toBe(404)
  expect((await alien.delete(`${path}/${id}`)).status).toBe(404)
  expect(await namesIn(account.api)).toEqual(['Ours'])
})

test('a deleted reason is gone', async () => {
  const { api } = await newAccount()
  const [{ id }, other] = (await api.post(path, [{ name: 'One' }, { name: 'Other' }])).body
    ._embedded.loss_reasons
  expect((await api.delete(`${path}/${id}`)).status).toBe(204)
  expect((await api.delete(`${path}/${id}`)).status).toBe(404)
  expect((await api.get(`${path}/${id}`)).status).toBe(404)
  expect((await api.patch(`${path}/${id}`, { name: 'New' })).status).toBe(404)
  expect(await namesIn(api)).toEqual(['Other'])
  expect(other.id).toBeGreaterThan(id)
})

test('a deleted reason goes off its leads soon, without anything else happening, and nothing is recorded', async () => {
  const { account, api, dear, silent } = await withReasons()
  const [one, other] = (await addLeads(
    api,
    [dear, silent].map((loss_reason_id) => ({ status_id: lost, loss_reason_id })),
  )) as [number, number]
  const recorded = await listen(account)
  expect((await api.delete(`${path}/${dear}`)).status).toBe(204)
  await expect.poll(() => reasonKept(account, one), { timeout: 20_000 }).toBeNull()
  expect(await reasonKept(account, other)).toBe(silent)
  const left = () =>
    account.kontor.database.rows(sql`select from cleanups where account_id = ${account.id}`)
  await expect.poll(left, { timeout: 20_000 }).toEqual([])
  expect(await recorded()).toEqual({ journal: [], events: [] })
})

const managedPath = '/web/v1/loss-reasons'
const managedIn = async (api: Client) => (await api.get(managedPath)).body._embedded.loss_reasons

test('administrators draw reasons, and see how many leads have each; programs see neither', async () => {
  const account = await newAccount()
  const { api } = account
  const recorded = await listen(account)
  const made = await api.post(managedPath, { name: ' Too dear ', color: 'A1B2c3', icon_id: 4 })
  expect([made.status, made.body]).toEqual([
    201,
    { id: expect.any(Number), name: 'Too dear', color: 'a1b2c3', icon_id: 4, used: 0 },
  ])
  const [plain] = (await api.post(path, [{ name: 'Silence' }])).body._embedded.loss_reasons
  expect(await recorded()).toEqual({ journal: [], events: [] })
  const { id } = made.body
  const [kept, binned] = await addLeads(api, [
    { status_id: lost, loss_reason_id: id },
    { status_id: lost, loss_reason_id: id },
  ])
  await api.delete(`/api/v4/leads/${binned}`)
  expect(await managedIn(api)).toEqual([
    { ...made.body, used: 1 },
    { id: plain.id, name: 'Silence', color: null, icon_id: null, used: 0 },
  ])
  const changed = await api.patch(`${managedPath}/${id}`, { icon_id: null })
  expect(changed.body).toEqual({ ...made.body, icon_id: null, used: 1 })
  // A change of the name by a program leaves the colour.
  await api.patch(`${path}/${id}`, { name: 'Dear' })
  expect((await managedIn(api))[0]).toMatchObject({ name: 'Dear', color: 'a1b2c3' })
  expect(Object.keys((await api.get(`${path}/${id}`)).body)).not.toContain('color')
  const { loss_reasons } = (await api.get('/web/v1/bootstrap')).body
  expect(loss_reasons[0]).toMatchObject({ name: 'Dear', color: 'a1b2c3', icon_id: null })
  expect((await api.delete(`${managedPath}/${id}`)).status).toBe(204)
  expect((await api.get(`/api/v4/leads/${kept}`)).body.loss_reason_id).toBeNull()
  for (const [method, to] of [
    ['patch', `${managedPath}/${id}`],
    ['delete', `${managedPath}/${id}`],
  ] as const)
    expect((await api[method](to, { name: 'x' })).status).toBe(404)
  for (const draft of [{ name: ' ' }, { color: 'red' }, { icon_id: 0 }, { sort: 1 }])
    expect((await api.patch(`${managedPath}/${plain.id}`, draft)).status).toBe(400)
})

test('a reason moves before another one, and two who arrange at once both have their moves', async () => {
  const account = await newAccount()
  const { api } = account
  const names = ['a', 'b', 'c', 'd']
  const ids: number[] = []
  for (const name of names) ids.push((await api.post(managedPath, { name })).body.id)
  const [a, b, c, d] = ids as [number, number, number, number]
  const move = (id: number, before: number | null) =>
    api.post(`${managedPath}/${id}/move`, { before })
  const answers = await Promise.all([move(d, a), move(a, null)])
  expect(answers.map(({ status }) => status)).toEqual([204, 204])
  expect((await namesIn(api)).join('')).toMatch(/^(dbca|bcda)$/)
  await move(d, b)
  await move(a, c)
  expect(await namesIn(api)).toEqual(['d', 'b', 'a', 'c'])
  expect((await move(b, b)).status).toBe(204)
  expect(await namesIn(api)).toEqual(['d', 'b', 'a', 'c'])
  expect((await move(a, 999_999)).status).toBe(400)
  expect((await move(999_999, a)).status).toBe(404)
  expect((await api.post(`${managedPath}/${a}/move`, {})).status).toBe(400)
  const other = await newAccount()
  expect((await other.api.post(`${managedPath}/${a}/move`, { before: null })).status).toBe(404)
})
