// The source of a lead, which belongs to the integration that created it.
import sql from 'sql-template-tag'
import { expect, test } from 'vitest'
import { newAccount } from '../../../test/account.ts'
import type { Client } from '../../../test/client.ts'
import {
  addLead,
  addLeads,
  addPipeline,
  faultsOf,
  listen,
  mainPipeline,
  readLead,
  won,
} from '../../../test/leads.ts'
import { anotherIntegration } from '../../../test/origins.ts'

const path = '/api/v4/leads'

async function addSource(api: Client, draft: object = {}): Promise<number> {
  const { body } = await api.post('/api/v4/sources', [
    { name: 'The site', external_id: 'site', ...draft },
  ])
  return body._embedded.sources[0].id
}

const from = (external_id: string, more: object = {}) => ({
  ...more,
  _embedded: { source: { external_id, type: 'widget' } },
})

test('a lead comes from a source of the integration, alone and in a batch', async () => {
  const account = await newAccount()
  const api = await anotherIntegration(account)
  const source = await addSource(api)
  await addSource(account.api)
  const [one, two, none] = await addLeads(api, [
    from('site'),
    from('site', { name: 'Two' }),
    { _embedded: { source: null } },
  ])
  const alone = (await api.post(path, from('site'))).body._embedded.leads[0].id
  for (const id of [one!, two!, alone])
    expect(await readLead(api, id)).toMatchObject({ source_id: source })
  expect(await readLead(api, none!)).toMatchObject({ source_id: null })
  const newsSince = await listen(account)
  await api.patch(`${path}/${one}`, {
    source_id: 5,
    _embedded: { source: { external_id: { any: 'thing' } } },
    price: 3,
  })
  expect(await readLead(api, one!)).toMatchObject({ source_id: source, price: 3 })
  expect((await newsSince()).journal).toMatchObject([
    { before: { price: 0 }, after: { source_id: source } },
  ])
})

test('it goes into the pipeline of its source unless it says a place of its own', async () => {
  const account = await newAccount()
  const { api } = account
  const [main, other] = [await mainPipeline(account), await addPipeline(account)]
  await addSource(api, { pipeline_id: other.id })
  const drafts = [
    {},
    { pipeline_id: main.id },
    { status_id: main.statuses[1] },
    { status_id: won },
    { pipeline_id: other.id },
  ]
  const ids = await addLeads(
    api,
    drafts.map((draft) => from('site', draft)),
  )
  const places = []
  for (const id of ids) {
    const { pipeline_id, status_id } = await readLead(api, id)
    places.push([pipeline_id, status_id])
  }
  expect(places).toEqual([
    [other.id, other.statuses[0]],
    [main.id, main.statuses[0]],
    [main.id, main.statuses[1]],
    [main.id, won],
    [other.id, other.statuses[0]],
  ])
  // The main pipeline replaces one that was deleted meanwhile.
  await account.kontor.database.transaction((tx) =>
    tx.rows(sql`update sources set pipeline_id = 999999999 where account_id = ${account.id}`),
  )
  expect((await api.get('/api/v4/sources')).body._embedded.sources).toMatchObject([
    { pipeline_id: main.id },
  ])
  const id = await addLead(api, from('site'))
  expect(await readLead(api, id)).toMatchObject({
    pipeline_id: main.id,
    status_id: main.statuses[0],
  })
})

test("a source that is unknown, deleted or another's is refused at its place", async () => {
  const account = await newAccount()
  const { api } = account
  await addSource(await anotherIntegration(account), { external_id: "another's" })
  await addSource((await newAccount()).api, { external_id: 'of another account' })
  await api.delete(`/api/v4/sources/${await addSource(api, { external_id: 'deleted' })}`)
  const newsSince = await listen(account)
  const refused = await api.post(path, [
    from("another's"),
    from('of another account'),
    from('deleted'),
    from('unknown'),
    ...[{ external_id: '' }, { external_id: 'x', type: 'form' }, 'site'].map((source) => ({
      _embedded: { source },
    })),
  ])
  const place = ['NotSupportedChoice _embedded.source.external_id']
  expect(faultsOf(refused)).toEqual({
    0: place,
    1: place,
    2: place,
    3: place,
    4: ['InvalidFormat _embedded.source.external_id'],
    5: ['NotSupportedChoice _embedded.source.type'],
    6: ['InvalidType _embedded.source'],
  })
  expect(await newsSince()).toEqual({ journal: [], events: [] })
})

test('a source as with=source shows it is accepted for a new lead, and says nothing', async () => {
  const { api } = await newAccount()
  const source = await addSource(api, { external_id: 'site' })
  const shown = [{ id: source, name: 'A source' }, null, {}].map((each) => ({
    _embedded: { source: each },
  }))
  for (const id of await addLeads(api, shown))
    expect((await readLead(api, id)).source_id).toBeNull()
})

test('with=source embeds the source, whosever it is and when it was deleted, to whoever sees the lead', async () => {
  const account = await newAccount()
  const api = await anotherIntegration(account)
  const source = await addSource(api, { name: 'The "site"' })
  const [none, id] = await addLeads(api, [{}, from('site')])
  await api.delete(`/api/v4/sources/${source}`)
  const seller = await account.addUser({
    rights: { leads: { view: 'A', edit: 'A', add: 'A', delete: 'A', export: 'A' } },
  })
  const { body: read } = await seller.api.get(`${path}/${id}?with=source,loss_reason`)
  expect(read._embedded).toEqual({
    tags: [],
    companies: [],
    loss_reason: [],
    source: { id: source, name: 'The "site"' },
  })
  const { leads } = (await seller.api.get(`${path}?with=source`)).body._embedded
  expect(leads.map(({ _embedded }: typeof read) => _embedded.source)).toEqual([
    null,
    { id: source, name: 'The "site"' },
  ])
  expect((await seller.api.get(`${path}/${none}?with=source`)).body._embedded.source).toBeNull()
  expect((await readLead(api, id!))._embedded).not.toHaveProperty('source')
  expect((await seller.api.patch(`${path}/${id}`, read)).status).toBe(200)
})

test('with=source_id is known, and with=is_price_modified_by_robot says that no robot did', async () => {
  const { api } = await newAccount()
  const id = await addLead(api)
  const plain = await readLead(api, id)
  expect(plain).not.toHaveProperty('is_price_modified_by_robot')
  expect((await api.get(`${path}/${id}?with=source_id`)).body).toEqual(plain)
  const shown = { ...plain, is_price_modified_by_robot: false }
  expect((await api.get(`${path}/${id}?with=is_price_modified_by_robot,source_id`)).body).toEqual(
    shown,
  )
  expect((await api.get(`${path}?with=is_price_modified_by_robot`)).body._embedded.leads).toEqual([
    shown,
  ])
  expect((await api.patch(`${path}/${id}`, shown)).status).toBe(200)
})
