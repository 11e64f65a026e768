import { expect, test } from 'vitest'
import { newAccount } from '../../../test/account.ts'
import { addGroup, addLead, addLeads, faultsOf, listen, readLead } from '../../../test/leads.ts'
import { setUser } from '../users/users.ts'

const path = '/api/v4/leads'

/** An hour passes. */
const wait = (clock: { ahead: number }) => (clock.ahead += 3600)

test('only what is sent changes; the change has its time and its author', async () => {
  const account = await newAccount()
  const id = await addLead(account.api, {
    name: 'One',
    price: 5,
    _embedded: { tags: [{ name: 'a' }] },
  })
  const before = await readLead(account.api, id)
  const other = await account.addUser()
  wait(account.clock)
  const { status, body } = await other.api.patch(`${path}/${id}`, { price: '7.9' })
  const after = await readLead(account.api, id)
  expect(status).toBe(200)
  expect(after).toEqual({ ...before, price: 7, updated_by: other.id, updated_at: body.updated_at })
  expect(after.updated_at).toBeGreaterThan(before.updated_at)
})

test('the answer to one change is flat and embedded, and both links lead to the lead', async () => {
  const { api, kontor } = await newAccount()
  const id = await addLead(api)
  const { body } = await api.patch(`${path}/${id}`, { name: 'New', request_id: 'r' })
  const _links = { self: { href: `${kontor.url}${path}/${id}` } }
  const updated_at = expect.any(Number)
  const shown = { id, name: 'New', updated_at, _links }
  expect(body).toEqual({ ...shown, _embedded: { leads: [{ ...shown, request_id: 'r' }] } })
  expect((await api.get(body._links.self.href)).body).toMatchObject({
    id,
    name: 'New',
    updated_at: body.updated_at,
  })
})

test('what was read can be sent back, alone and in a batch, and nothing has happened', async () => {
  const account = await newAccount()
  const { api } = account
  const group_id = await addGroup(account)
  const { id: responsible_user_id } = await account.addUser({ group_id })
  const ids = await addLeads(api, [
    {},
    {
      status_id: 142,
      closed_at: 1_600_000_000,
      price: 5,
      _embedded: { tags: [{ name: 'a' }, { name: 'b' }] },
    },
    { responsible_user_id, created_by: 0, updated_by: 0, created_at: 1, updated_at: 2 },
  ])
  const before = await Promise.all(ids.map((id) => readLead(api, id)))
  const newsSince = await listen(account)
  wait(account.clock)
  for (const lead of before) {
    const { status, body } = await api.patch(`${path}/${lead.id}`, lead)
    expect([status, body.updated_at]).toEqual([200, lead.updated_at])
  }
  expect((await api.patch(path, before)).status).toBe(200)
  expect(
    (await api.patch(path, [{ id: ids[1], _embedded: { tags: [{ name: 'B' }, { name: 'a' }] } }]))
      .status,
  ).toBe(200)
  expect(await Promise.all(ids.map((id) => readLead(api, id)))).toEqual(before)
  expect(await newsSince()).toEqual({ journal: [], events: [] })
})

test('what was read can be sent back with one change, which then has its time', async () => {
  const account = await newAccount()
  const { api } = account
  const before = await readLead(api, await addLead(api, { updated_at: 5, updated_by: 0 }))
  const { body } = await api.patch(`${path}/${before.id}`, { ...before, price: 9 })
  expect(body.updated_at).toBeGreaterThan(5)
  expect(await readLead(api, before.id)).toEqual({
    ...before,
    price: 9,
    updated_at: body.updated_at,
    updated_by: account.admin.id,
  })
})

test('authors and times may be sent', async () => {
  const { api, admin } = await newAccount()
  const id = await addLead(api)
  await api.patch(`${path}/${id}`, { created_at: 10, created_by: 0, updated_at: 20, updated_by: 0 })
  expect(await readLead(api, id)).toMatchObject({
    created_at: 10,
    created_by: 0,
    updated_at: 20,
    updated_by: 0,
  })
  await api.patch(`${path}/${id}`, { updated_by: admin.id })
  const lead = await readLead(api, id)
  expect(lead.updated_by).toBe(admin.id)
  expect(lead.updated_at).toBeGreaterThan(20)
})

test('null clears what may be empty and is refused elsewhere', async () => {
  const { api } = await newAccount()
  const id = await addLead(api, {
    name: 'One',
    price: 5,
    status_id: 142,
    _embedded: { tags: [{ name: 'a' }] },
  })
  const refused = await api.patch(`${path}/${id}`, {
    name: null,
    price: null,
    responsible_user_id: null,
    status_id: null,
    pipeline_id: null,
    created_at: null,
    updated_at: null,
    created_by: null,
    updated_by: null,
    tags_to_add: null,
  })
  expect(refused.status).toBe(400)
  expect(new Set(faultsOf(refused)[0]?.map((fault) => fault.split(' ')[0]))).toEqual(
    new Set(['NotNullable']),
  )
  expect(faultsOf(refused)[0]).toHaveLength(10)
  const before = await readLead(api, id)
  const taken = await api.patch(`${path}/${id}`, {
    loss_reason_id: null,
    closed_at: null,
    custom_fields_values: null,
    _embedded: { tags: null },
  })
  expect(taken.status).toBe(200)
  const after = await readLead(api, id)
  expect(after).toEqual({
    ...before,
    updated_at: after.updated_at,
    _embedded: { tags: [], companies: [] },
  })
})

test('an emptied name becomes the name of a nameless lead', async () => {
  const { api } = await newAccount()
  const id = await addLead(api, { name: 'One' })
  await api.patch(`${path}/${id}`, { name: ' ' })
  expect((await readLead(api, id)).name).toBe(`Lead #${id}`)
})

test('a new responsible user brings the group along', async () => {
  const account = await newAccount()
  const group_id = await addGroup(account)
  const member = await account.addUser({ group_id })
  const id = await addLead(account.api)
  await account.api.patch(`${path}/${id}`, { responsible_user_id: member.id })
  expect(await readLead(account.api, id)).toMatchObject({
    responsible_user_id: member.id,
    group_id,
  })
  await account.api.patch(`${path}/${id}`, { responsible_user_id: account.admin.id })
  expect(await readLead(account.api, id)).toMatchObject({
    responsible_user_id: account.admin.id,
    group_id: 0,
  })
})

test.for(['[]', '[{"name":"x"}]', '"x"', 'null', '', '7'])(
  'one lead is not changed by %s',
  async (body) => {
    const { api } = await newAccount()
    const id = await addLead(api)
    expect((await api.patch(`${path}/${id}`, body)).status).toBe(400)
  },
)

test('the id of the path wins over one in the body', async () => {
  const { api } = await newAccount()
  const [a, b] = await addLeads(api, [{ name: 'A' }, { name: 'B' }])
  expect((await api.patch(`${path}/${a}`, { id: b, name: 'New' })).body.id).toBe(a)
  expect((await api.patch(`${path}/${a}`, { id: 'x', price: 1 })).status).toBe(200)
  expect([(await readLead(api, a!)).name, (await readLead(api, b!)).name]).toEqual(['New', 'B'])
})

test('a user who has gone may stay where they are named, but is put nowhere new', async () => {
  const account = await newAccount()
  const gone = await account.addUser()
  const [theirs, mine] = await addLeads(account.api, [
    { responsible_user_id: gone.id, created_by: gone.id },
    {},
  ])
  await account.kontor.database.transaction((tx) =>
    setUser(tx, account.id, account.kontor.now(), gone.email, { isActive: false }),
  )
  const lead = await readLead(account.api, theirs!)
  expect((await account.api.patch(`${path}/${theirs}`, { ...lead, price: 3 })).status).toBe(200)
  const refused = await account.api.patch(`${path}/${mine}`, { responsible_user_id: gone.id })
  expect(faultsOf(refused)).toEqual({ 0: ['NotSupportedChoice responsible_user_id'] })
})
