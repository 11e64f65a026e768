import { expect, test } from 'vitest'
import { newAccount } from '../../../test/account.ts'
import {
  addGroup,
  addLead,
  addLeads,
  addPipeline,
  faultsOf,
  lost,
  mainPipeline,
  readLead,
  won,
} from '../../../test/leads.ts'

const path = '/api/v4/leads'

test('a lead without anything gets its defaults, and every field of the specification is there', async () => {
  const account = await newAccount()
  const { api, admin } = account
  const before = account.kontor.now()
  const id = await addLead(api)
  const pipeline = await mainPipeline(account)
  const { created_at, ...lead } = await readLead(api, id)
  expect(created_at).toBeGreaterThanOrEqual(before)
  expect(created_at).toBeLessThanOrEqual(account.kontor.now())
  expect(lead).toEqual({
    id,
    name: `Lead #${id}`,
    price: 0,
    responsible_user_id: admin.id,
    group_id: 0,
    status_id: pipeline.statuses[0],
    pipeline_id: pipeline.id,
    loss_reason_id: null,
    source_id: null,
    created_by: admin.id,
    updated_by: admin.id,
    updated_at: created_at,
    closed_at: null,
    closest_task_at: null,
    is_deleted: false,
    custom_fields_values: null,
    score: null,
    account_id: account.id,
    labor_cost: null,
    _links: { self: { href: `${account.kontor.url}/api/v4/leads/${id}` } },
    _embedded: { tags: [], companies: [] },
  })
})

test('a batch is answered in its order, with the request ids as they were sent or else the positions', async () => {
  const { api, kontor } = await newAccount()
  const names = ['Zoe', 'Adam', 'Мария', 'Adam']
  const { status, body } = await api.post(path, [
    { name: names[0], request_id: 'z' },
    { name: names[1] },
    { name: names[2], request_id: '' },
    { name: names[3], request_id: 17 },
  ])
  expect(status).toBe(200)
  const { leads } = body._embedded
  expect(leads.map(({ request_id }: { request_id: string }) => request_id)).toEqual([
    'z',
    '1',
    '',
    '17',
  ])
  expect(body._links.self.href).toBe(`${kontor.url}${path}`)
  const read = await Promise.all(
    leads.map(({ _links }: { _links: { self: { href: string } } }) => api.get(_links.self.href)),
  )
  expect(read.map((answer) => answer.body.name)).toEqual(names)
})

test("a visitor's id is accepted, and not kept", async () => {
  const { api } = await newAccount()
  const id = await addLead(api, { visitor_uid: '5692210d-58d0-468c-acb2-dce7f93eef87' })
  const read = await readLead(api, id)
  expect(read).not.toHaveProperty('visitor_uid')
  for (const visitor_uid of [null, 'x'.repeat(255)])
    expect((await api.patch(`${path}/${id}`, { visitor_uid })).body.updated_at).toBe(
      read.updated_at,
    )
  expect((await api.patch(path, [{ id, visitor_uid: 'x' }])).status).toBe(200)
  expect(await readLead(api, id)).toEqual(read)
  expect(faultsOf(await api.post(path, { visitor_uid: 'x'.repeat(256) }))).toEqual({
    0: ['TooLong visitor_uid'],
  })
})

test('what is sent is what is stored', async () => {
  const account = await newAccount()
  const group_id = await addGroup(account)
  const seller = await account.addUser({ group_id })
  const sent = {
    name: '  Заказ №17  ',
    price: 1500,
    responsible_user_id: seller.id,
    created_by: 0,
    updated_by: seller.id,
    created_at: 1_600_000_000,
    updated_at: 1_600_000_001,
  }
  const lead = await readLead(account.api, await addLead(account.api, sent))
  expect(lead).toMatchObject({ ...sent, name: 'Заказ №17', group_id })
})

test('numbers may come as text, and the fraction of a price is cut off', async () => {
  const { api, admin } = await newAccount()
  const ids = await addLeads(api, [
    { price: 99.99 },
    { price: '250' },
    { price: '99.99', responsible_user_id: String(admin.id) },
    { price: -1.5 },
    { price: Number.MAX_SAFE_INTEGER },
  ])
  const leads = await Promise.all(ids.map((id) => readLead(api, id)))
  expect(leads.map(({ price }) => price)).toEqual([99, 250, 99, -1, Number.MAX_SAFE_INTEGER])
})

test('keys that are only read are ignored', async () => {
  const { api, id: account_id } = await newAccount()
  const id = await addLead(api, {
    id: 7,
    group_id: 5,
    source_id: 'x',
    closest_task_at: 1,
    is_deleted: true,
    score: 4,
    account_id: 1,
    labor_cost: 9,
    _links: {},
  })
  const lead = await readLead(api, id)
  expect(id).not.toBe(7)
  expect(lead).toMatchObject({
    account_id,
    group_id: 0,
    source_id: null,
    closest_task_at: null,
    is_deleted: false,
    score: null,
  })
})

test('a status alone says the pipeline, a pipeline alone its first ordinary status', async () => {
  const account = await newAccount()
  const main = await mainPipeline(account)
  const other = await addPipeline(account)
  const drafts = [
    { status_id: other.statuses[1] },
    { pipeline_id: other.id },
    { pipeline_id: other.id, status_id: other.statuses[2] },
    { status_id: won },
    { status_id: lost, pipeline_id: other.id },
    { status_id: main.statuses[1], pipeline_id: main.id },
  ]
  const ids = await addLeads(account.api, drafts)
  const leads = await Promise.all(ids.map((id) => readLead(account.api, id)))
  expect(leads.map(({ pipeline_id, status_id }) => [pipeline_id, status_id])).toEqual([
    [other.id, other.statuses[1]],
    [other.id, other.statuses[0]],
    [other.id, other.statuses[2]],
    [main.id, won],
    [other.id, lost],
    [main.id, main.statuses[1]],
  ])
})

test('a lead that is created won or lost is closed now, or when it says; an open one is not closed', async () => {
  const account = await newAccount()
  const ids = await addLeads(account.api, [
    { status_id: won },
    { status_id: lost, closed_at: 1_500_000_000 },
    { closed_at: 1_500_000_000 },
  ])
  const [now, then, open] = await Promise.all(ids.map((id) => readLead(account.api, id)))
  expect(now.closed_at).toBe(now.created_at)
  expect(then.closed_at).toBe(1_500_000_000)
  expect(open.closed_at).toBeNull()
})

test('a status that is unknown, of another pipeline, of another account or unsorted is refused, as is an unknown pipeline', async () => {
  const account = await newAccount()
  const main = await mainPipeline(account)
  const other = await addPipeline(account)
  const strangers = await addPipeline(await newAccount())
  const refused = await account.api.post(path, [
    { status_id: 999_999_999 },
    { status_id: other.statuses[0], pipeline_id: main.id },
    { status_id: main.unsorted },
    { pipeline_id: 999_999_999 },
    { pipeline_id: strangers.id },
    { status_id: strangers.statuses[0] },
    { pipeline_id: 999_999_999, status_id: won },
  ])
  expect(refused.status).toBe(400)
  expect(faultsOf(refused)).toEqual({
    0: ['NotSupportedChoice status_id'],
    1: ['NotSupportedChoice status_id'],
    2: ['NotSupportedChoice status_id'],
    3: ['NotSupportedChoice pipeline_id'],
    4: ['NotSupportedChoice pipeline_id'],
    5: ['NotSupportedChoice status_id'],
    6: ['NotSupportedChoice pipeline_id'],
  })
})

test('250 leads are one request; their ids grow in the order of the request', async () => {
  const { api } = await newAccount()
  const ids = await addLeads(
    api,
    Array.from({ length: 250 }, (_, place) => ({
      name: `Lead ${place}`,
      _embedded: { tags: [{ name: `tag ${place % 5}` }] },
    })),
  )
  expect(new Set(ids).size).toBe(250)
  expect(ids).toEqual(ids.toSorted((a, b) => a - b))
  const { leads } = (await api.get(`${path}?limit=250`)).body._embedded
  expect(leads.map(({ name }: { name: string }) => name)).toEqual(
    Array.from({ length: 250 }, (_, place) => `Lead ${place}`),
  )
})

test('an object instead of an array counts as one item', async () => {
  const { api } = await newAccount()
  const { body } = await api.post(path, { name: 'Alone', request_id: 'only' })
  expect(body._embedded.leads).toMatchObject([{ request_id: 'only' }])
})

test('a responsible user of no group is in group 0, whoever creates the lead', async () => {
  const account = await newAccount()
  const group_id = await addGroup(account)
  const member = await account.addUser({ group_id })
  const own = await readLead(account.api, await addLead(member.api))
  const admins = await readLead(
    account.api,
    await addLead(member.api, { responsible_user_id: account.admin.id }),
  )
  expect([own.group_id, admins.group_id]).toEqual([group_id, 0])
  expect([own.created_by, admins.created_by]).toEqual([member.id, member.id])
})
