// The schema only moves forward. All data that a Kontor of the first schema left is there after the
// migrations, and is served.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Kontor } from '../server/kontor.ts'
import { client } from './client.ts'
import type { Client } from './client.ts'
import { fillFirstSchema, password } from './first-schema.ts'
import type { Held } from './first-schema.ts'
import { signIn } from './session.ts'
import { expectAllThere, upgrade } from './upgrade.ts'
import type { Upgraded } from './upgrade.ts'

const accounts = [1001, 1002]

let upgraded: Upgraded
let kontor: Kontor
const held = new Map<number, Held>()

beforeAll(async () => {
  upgraded = await upgrade('0001_foundation.sql', async (database) => {
    for (const account of accounts) held.set(account, await fillFirstSchema(database, account))
  })
  kontor = upgraded.kontor
})
// The server of this file closes before its database is dropped.
afterAll(() => upgraded.drop())

test('every row of every table is as it was, with new columns at most', () => {
  expect(Object.keys(upgraded.before)).toEqual(
    expect.arrayContaining(['accounts', 'events', 'followers', 'journal', 'leads', 'notes']),
  )
  expectAllThere(upgraded)
})

test.for(accounts)(
  'account %i: a token of before is good, and leads, tags and events are served',
  async (account) => {
    const api = client(kontor, held.get(account)!.access_token)
    const { leads } = (await api.get('/api/v4/leads?order[id]=desc&with=contacts')).body._embedded
    expect(leads.map(({ name, price }: { name: string; price: number }) => [name, price])).toEqual([
      [`Second of ${account}`, 20],
      [`First of ${account}`, 10],
    ])
    expect(leads[1]).toMatchObject({
      account_id: account,
      _embedded: { tags: [{ name: `tag of ${account}` }], companies: [], contacts: [] },
    })
    expect((await api.get(leads[1]._links.self.href)).body).toMatchObject({
      id: leads[1].id,
      closed_at: null,
    })
    expect((await api.get('/api/v4/leads/tags')).body._embedded.tags).toMatchObject([
      { name: `tag of ${account}` },
    ])
    const { events } = (await api.get('/api/v4/events')).body._embedded
    expect(
      events.map(({ type, entity_id }: { type: string; entity_id: number }) => [type, entity_id]),
    ).toEqual([
      ['sale_field_changed', leads[1].id],
      ['lead_added', leads[0].id],
      ['lead_added', leads[1].id],
    ])
    for (const of of ['users', 'contacts', 'companies', 'account'])
      expect((await api.get(`/api/v4/${of}`)).status).toBe(200)
  },
)

test.for(accounts)(
  'account %i: its refresh token is exchanged, and the new pair reads and writes',
  async (account) => {
    const { access_token: _, limited_token: __, ...fields } = held.get(account)!
    const exchange = () =>
      client(kontor).post('/oauth2/access_token', {
        ...fields,
        grant_type: 'refresh_token',
        redirect_uri: 'https://example.com/',
      })
    const { status, body } = await exchange()
    expect(status).toBe(200)
    expect((await exchange()).status).toBe(401)
    await worksOn(client(kontor, body.access_token))
  },
)

test.for(accounts)('account %i: rights of before hold, and its people sign in', async (account) => {
  const limited = client(kontor, held.get(account)!.limited_token)
  const { leads } = (await limited.get('/api/v4/leads')).body._embedded
  expect(leads.map(({ name }: { name: string }) => name)).toEqual([`Second of ${account}`])
  expect((await limited.post('/api/v4/leads', [{}])).status).toBe(403)
  expect((await limited.get('/api/v4/contacts')).status).toBe(403)
  const { api } = await signIn(kontor, { email: `admin@${account}.example`, password })
  expect((await api.get('/web/v1/integrations')).status).toBe(200)
})

/** Changes, deletes and restores an old lead beside a new contact. */
async function worksOn(api: Client): Promise<void> {
  const [lead] = (await api.get('/api/v4/leads')).body._embedded.leads
  const [contact] = (await api.post('/api/v4/contacts', [{ name: 'New' }])).body._embedded.contacts
  const made = await api.post('/api/v4/leads', [
    { name: 'New', _embedded: { contacts: [{ id: contact.id }] } },
  ])
  expect(made.status).toBe(200)
  expect(
    (await api.patch(`/api/v4/leads/${lead.id}`, { tags_to_add: [{ name: 'new' }] })).status,
  ).toBe(200)
  expect((await api.delete(`/api/v4/leads/${lead.id}`)).status).toBe(204)
  expect((await api.post(`/api/v4/leads/${lead.id}/restore`)).body.name).toBe(lead.name)
  const { events } = (await api.get('/api/v4/events?limit=3')).body._embedded
  expect(events.map(({ type }: { type: string }) => type)).toEqual([
    'lead_restored',
    'lead_deleted',
    'entity_tag_added',
  ])
}
