// Lists of links: their contents, their order, their pages, and what they leave out.
import { expect, test } from 'vitest'
import { newAccount } from '../../../test/account.ts'
import type { TestAccount } from '../../../test/account.ts'
import type { Answer, Client } from '../../../test/client.ts'
import { faultsOf } from '../../../test/leads.ts'
import { link, linksOf, shownIn, to } from '../../../test/links.ts'
import { addRecord, addRecords, pathOf } from '../../../test/records.ts'
import { client } from '../../../test/client.ts'

const count = (length: number) => Array.from({ length }, () => ({}))

/** A company with contacts and leads, linked in the opposite order of their ids. */
async function firm(account: TestAccount, [contacts, leads]: [number, number]) {
  const { api } = account
  const id = await addRecord(api, 'companies')
  const people = contacts ? await addRecords(api, 'contacts', count(contacts)) : []
  const deals = leads ? await addRecords(api, 'leads', count(leads)) : []
  const items = [
    ...people.map((each) => to('contacts', each)),
    ...deals.map((each) => to('leads', each)),
  ].toReversed()
  if (items.length > 0) await link(api, 'companies', id, ...items)
  return {
    id,
    people,
    deals,
    shown: [...people.map((each) => `contacts ${each}`), ...deals.map((each) => `leads ${each}`)],
  }
}

/** Follows the links from page to page. */
async function walk(api: Client, first: string): Promise<Answer[]> {
  const pages: Answer[] = []
  for (let next: string | undefined = first; next;) {
    const page: Answer = await api.get(next)
    pages.push(page)
    next = page.body._links.next?.href
  }
  return pages
}

test('contacts come first, then companies, then leads, each in the order of ids, with what the interface says of a link', async () => {
  const account = await newAccount()
  const { api, kontor } = account
  const { id, people, deals, shown } = await firm(account, [2, 2])
  const [contact, second] = people as [number, number]
  const lead = deals[0]!
  await link(api, 'leads', lead, to('contacts', second), to('contacts', contact))
  expect(await linksOf(api, 'companies', id)).toEqual(shown)
  expect(await linksOf(api, 'contacts', second)).toEqual([`companies ${id}`, `leads ${lead}`])
  const entity = { entity_id: lead, entity_type: 'leads' }
  expect((await api.get(`/api/v4/leads/${lead}/links`)).body).toEqual({
    _total_items: 3,
    _links: { self: { href: `${kontor.url}/api/v4/leads/${lead}/links?page=1&limit=250` } },
    _embedded: {
      links: [
        {
          ...entity,
          to_entity_id: contact,
          to_entity_type: 'contacts',
          metadata: { main_contact: false },
        },
        {
          ...entity,
          to_entity_id: second,
          to_entity_type: 'contacts',
          metadata: { main_contact: true },
        },
        { ...entity, to_entity_id: id, to_entity_type: 'companies', metadata: null },
      ],
    },
  })
})

test('the links of several records are listed in the order of the records', async () => {
  const account = await newAccount()
  const [one, two, bare] = [
    await firm(account, [1, 2]),
    await firm(account, [2, 0]),
    await firm(account, [0, 0]),
  ]
  const asked = [two.id, bare.id, one.id, 999_999_999, two.id]
    .map((id) => `filter[entity_id][]=${id}`)
    .join('&')
  const answer = await account.api.get(`/api/v4/companies/links?${asked}`)
  expect(shownIn(answer)).toEqual([...one.shown, ...two.shown])
  expect(answer.body._total_items).toBe(5)
  expect(
    answer.body._embedded.links.map(({ entity_id }: { entity_id: number }) => entity_id),
  ).toEqual([one.id, one.id, one.id, two.id, two.id])
  expect(
    shownIn(await account.api.get(`/api/v4/companies/links?filter[entity_id]=${two.id}`)),
  ).toEqual(two.shown)
})

test('a page holds 250 links unless less is asked for, and pages follow each other without a gap', async () => {
  const account = await newAccount()
  const { api } = account
  const { id, shown } = await firm(account, [100, 150])
  const more = await addRecords(api, 'leads', count(3))
  await link(api, 'companies', id, ...more.map((each) => to('leads', each)))
  const all = [...shown, ...more.map((each) => `leads ${each}`)]
  const path = `/api/v4/companies/${id}/links`
  const pages = await walk(api, path)
  expect(pages.map(({ body }) => body._total_items)).toEqual([250, 3])
  expect(pages.flatMap(shownIn)).toEqual(all)
  expect((await api.get(`${path}?limit=1000`)).body._links.self.href).toContain('limit=250')

  const small = await walk(api, `${path}?limit=33`)
  expect(small).toHaveLength(8)
  expect(small.flatMap(shownIn)).toEqual(all)
  // Page numbers give the same, in order and out of order.
  for (const page of [2, 4, 8, 3])
    expect(shownIn(await api.get(`${path}?limit=33&page=${page}`))).toEqual(
      all.slice(33 * (page - 1), 33 * page),
    )
  const cold = await account.addUser()
  expect(shownIn(await cold.api.get(`${path}?limit=7&page=15`))).toEqual(all.slice(98, 105))
  expect(shownIn(await api.get(`${path}?page=100`))).toEqual([])
})

test('the links of several records are paged, too', async () => {
  const account = await newAccount()
  const firms = [
    await firm(account, [3, 2]),
    await firm(account, [0, 4]),
    await firm(account, [5, 0]),
  ]
  const all = firms.flatMap(({ shown }) => shown)
  const path = `/api/v4/companies/links?${firms.map(({ id }) => `filter[entity_id][]=${id}`).join('&')}`
  for (const limit of [1, 2, 3, 5, 14, 15]) {
    const pages = await walk(account.api, `${path}&limit=${limit}`)
    expect(pages.flatMap(shownIn)).toEqual(all)
    expect(pages).toHaveLength(Math.ceil(14 / limit))
  }
  const cold = await account.addUser()
  expect(shownIn(await cold.api.get(`${path}&limit=4&page=3`))).toEqual(all.slice(8, 12))
})

test('filters find links by their other ends', async () => {
  const account = await newAccount()
  const { api } = account
  const one = await firm(account, [2, 2])
  const two = await firm(account, [1, 0])
  const find = async (query: string) =>
    shownIn(await api.get(`/api/v4/companies/${one.id}/links?${query}`))
  const [lead] = one.deals
  const ends = one.people.map((id) => `&filter[to_entity_id][]=${id}`).join('')
  expect(await find(`filter[to_entity_type]=leads&filter[to_entity_id]=${lead}`)).toEqual([
    `leads ${lead}`,
  ])
  expect(await find(`filter[to_entity_type]=contacts${ends}`)).toEqual(
    one.people.map((id) => `contacts ${id}`),
  )
  for (const type of ['contacts', 'companies', 'customers', 'catalog_elements'])
    expect(await find(`filter[to_entity_type]=${type}&filter[to_entity_id]=999999999`)).toEqual([])
  expect(await find('filter[to_catalog_id]=5')).toEqual([])
  const many = `filter[entity_id][]=${one.id}&filter[entity_id][]=${two.id}`
  const [person] = two.people
  const found = await api.get(
    `/api/v4/companies/links?${many}&filter[to_entity_type]=contacts&filter[to_entity_id]=${person}`,
  )
  expect(shownIn(found)).toEqual([`contacts ${person}`])
})

test.for<[query: string, path: string]>([
  ['filter[to_entity_id]=5', 'filter[to_entity_type]'],
  ['filter[to_entity_type]=leads', 'filter[to_entity_id]'],
  ['filter[to_entity_id]=0&filter[to_entity_type]=leads', 'filter[to_entity_id][0]'],
  ['filter[to_entity_id]=5&filter[to_entity_type]=tasks', 'filter[to_entity_type]'],
  ['filter[to_catalog_id]=x', 'filter[to_catalog_id][0]'],
  ['filter[name]=x', 'filter[name]'],
  ['limit=0', 'limit'],
  ['page=0', 'page'],
  ['after=!', 'after'],
])('the query %s is refused at %s', async ([query, path]) => {
  const { api } = await newAccount()
  const id = await addRecord(api, 'companies')
  for (const at of [
    `/api/v4/companies/${id}/links?`,
    `/api/v4/companies/links?filter[entity_id][]=${id}&`,
  ]) {
    const refused = await api.get(at + query)
    expect([refused.status, faultsOf(refused)['0']]).toEqual([400, [expect.stringContaining(path)]])
  }
})

test('the list of several records takes 1 to 250 ids', async () => {
  const { api } = await newAccount()
  const ids = (many: number) =>
    Array.from({ length: many }, (_, place) => `filter[entity_id][]=${place + 1}`).join('&')
  const status = async (query: string) => (await api.get(`/api/v4/leads/links?${query}`)).status
  expect(await Promise.all(['', 'filter[entity_id][]=0', ids(251)].map(status))).toEqual([
    400, 400, 400,
  ])
  expect(await status(ids(250))).toBe(200)
  for (const after of ['x', '5', '5f.7', '99999999999999999a.1', '5a.x'])
    expect(await status(`${ids(1)}&page=2&after=${after}`)).toBe(400)
})

test('what lies in the bin, and what the caller may not view, is in no list', async () => {
  const account = await newAccount()
  const { api } = account
  const view = { view: 'A', edit: 'A', add: 'A', delete: 'D', export: 'D' } as const
  const limited = { ...view, view: 'M', edit: 'M' } as const
  const user = await account.addUser({ rights: { companies: limited, contacts: limited } })
  const mine = { responsible_user_id: user.id }
  const [own, foreign] = (await addRecords(api, 'companies', [mine, {}])) as [number, number]
  const [a, b, c] = (await addRecords(api, 'contacts', [mine, {}, mine])) as [
    number,
    number,
    number,
  ]
  const lead = await addRecord(api, 'leads')
  await link(api, 'companies', own, to('contacts', a), to('contacts', b), to('leads', lead))
  await link(api, 'companies', foreign, to('contacts', c))
  const many = `/api/v4/companies/links?filter[entity_id][]=${own}&filter[entity_id][]=${foreign}`
  expect(await linksOf(user.api, 'companies', own)).toEqual([`contacts ${a}`])
  expect((await user.api.get(`/api/v4/companies/${foreign}/links`)).status).toBe(403)
  expect(shownIn(await user.api.get(many))).toEqual([`contacts ${a}`])
  expect(shownIn(await api.get(many))).toHaveLength(4)

  await api.delete(`${pathOf('contacts')}/${a}`)
  expect(await linksOf(api, 'companies', own)).toEqual([`contacts ${b}`, `leads ${lead}`])
  await api.delete(`${pathOf('companies')}/${own}`)
  expect((await api.get(`/api/v4/companies/${own}/links`)).status).toBe(404)
  expect(shownIn(await api.get(many))).toEqual([`contacts ${c}`])
  await api.post(`${pathOf('companies')}/${own}/restore`)
  await api.post(`${pathOf('contacts')}/${a}/restore`)
  expect(await linksOf(api, 'companies', own)).toEqual([
    `contacts ${a}`,
    `contacts ${b}`,
    `leads ${lead}`,
  ])

  const blind = await account.addUser({ rights: { contacts: view } })
  for (const at of [`/api/v4/companies/${own}/links`, many])
    expect((await blind.api.get(at)).status).toBe(403)
  expect((await (await newAccount()).api.get(`/api/v4/companies/${own}/links`)).status).toBe(404)
})

test('an integration whose empty lists are 204 is answered so', async () => {
  const account = await newAccount()
  const id = await addRecord(account.api, 'leads')
  const integration = await account.addIntegration({ empty_list: 204 })
  const exchange = {
    ...integration,
    grant_type: 'authorization_code',
    code: await account.code(integration),
  }
  const { access_token } = (await client(account.kontor).post('/oauth2/access_token', exchange))
    .body
  const api = client(account.kontor, access_token)
  for (const path of [`/api/v4/leads/${id}/links`, `/api/v4/leads/links?filter[entity_id][]=${id}`])
    expect((await api.get(path)).status).toBe(204)
  expect((await api.get('/api/v4/leads/999999999/links')).status).toBe(404)
})
