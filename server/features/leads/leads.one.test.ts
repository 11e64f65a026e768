import { expect, test } from 'vitest'
import { newAccount } from '../../../test/account.ts'
import type { TestAccount } from '../../../test/account.ts'
import { client } from '../../../test/client.ts'
import { addLead, addSeller } from '../../../test/leads.ts'

const path = '/api/v4/leads'

test('a lead is read by its id, and its own link leads to it', async () => {
  const { api } = await newAccount()
  const id = await addLead(api, { name: 'One' })
  const { status, body } = await api.get(`${path}/${id}`)
  expect(status).toBe(200)
  expect(body).toMatchObject({ id, name: 'One' })
  expect((await api.get(body._links.self.href)).body).toEqual(body)
})

test.for([
  '0',
  'abc',
  '1152921504606846976',
  '-1',
  '1.5',
  '1e3',
  '0x10',
  '%00',
  '99999999999999999999999',
  'null',
])('there is no lead %s, neither to read nor to change', async (id) => {
  const { api } = await newAccount()
  expect((await api.get(`${path}/${id}`)).status).toBe(404)
  expect((await api.patch(`${path}/${id}`, { name: 'New' })).status).toBe(404)
})

test("a lead that is missing or another account's is not found", async () => {
  const { api } = await newAccount()
  const theirs = await addLead((await newAccount()).api)
  for (const id of [theirs, 999_999_999]) {
    expect((await api.get(`${path}/${id}`)).status).toBe(404)
    expect((await api.patch(`${path}/${id}`, { name: 'New' })).status).toBe(404)
  }
})

test('a lead that the caller may not view is forbidden', async () => {
  const account = await newAccount()
  const seller = await addSeller(account, { view: 'M' })
  const id = await addLead(account.api)
  expect((await seller.api.get(`${path}/${id}`)).status).toBe(403)
})

/** A client of an integration that expects 204. */
async function usedTo204(account: TestAccount) {
  const integration = await account.addIntegration({ empty_list: 204 })
  const { body } = await account.api.post('/oauth2/access_token', {
    client_id: integration.client_id,
    client_secret: integration.client_secret,
    grant_type: 'authorization_code',
    code: await account.code(integration),
    redirect_uri: 'https://example.com/oauth',
  })
  return client(account.kontor, body.access_token)
}

test('an integration used to 204 gets it for an empty list and a missing lead, and nobody else does', async () => {
  const account = await newAccount()
  const api = await usedTo204(account)
  expect((await api.get(path)).status).toBe(204)
  expect((await api.get(`${path}/999999999`)).status).toBe(204)
  expect((await api.get('/api/v4/leads/tags')).status).toBe(204)
  expect((await api.get('/api/v4/events')).status).toBe(204)
  expect((await account.api.get(path)).body._embedded.leads).toEqual([])

  const id = await addLead(api, { name: 'One' })
  expect((await api.get(path)).body._embedded.leads).toHaveLength(1)
  expect((await api.get(`${path}?page=2`)).status).toBe(204)
  expect((await api.get(`${path}/${id}`)).status).toBe(200)
  expect((await api.get('/api/v4/events/00000000000000000000000000')).status).toBe(404)
  expect((await api.patch(`${path}/999999999`, { name: 'New' })).status).toBe(404)
})

test('a whole server may have the habit', async () => {
  const { api } = await newAccount({ emptyList: 204 })
  expect((await api.get(path)).status).toBe(204)
  expect((await api.get(`${path}/999999999`)).status).toBe(204)
})
