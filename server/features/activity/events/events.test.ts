import sql from 'sql-template-tag'
import { expect, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import type { TestAccount } from '../../../../test/account.ts'
import type { Answer } from '../../../../test/client.ts'
import { addLead, addLeads, faultsOf, newsOf } from '../../../../test/leads.ts'
import { setAccount } from '../../people/accounts/accounts.ts'

const path = '/api/v4/events'

const ids = ({ body }: Answer): string[] =>
  body._embedded.events.map(({ id }: { id: string }) => id)

/** An account with this many events: one lead whose price changes again and again. */
async function history(count: number): Promise<TestAccount> {
  const account = await newAccount()
  const id = await addLead(account.api)
  for (let price = 1; price < count; price++)
    await account.api.patch(`/api/v4/leads/${id}`, { price })
  return account
}

test('events come newest first; their ids have 26 characters, sort as the changes happened and are all different', async () => {
  const account = await history(6)
  await addLeads(
    account.api,
    Array.from({ length: 20 }, () => ({})),
  )
  const listed = ids(await account.api.get(path))
  expect(listed).toHaveLength(26)
  for (const id of listed) expect(id).toMatch(/^[0-9a-z]{26}$/)
  expect(new Set(listed).size).toBe(26)
  expect(listed).toEqual(listed.toSorted().toReversed())
  const { events } = await newsOf(account)
  expect(events.slice(1, 6).map(({ value_after }) => value_after[0].sale_field_value.sale)).toEqual(
    [1, 2, 3, 4, 5],
  )
})

test('an event has the members of the interface and nothing else', async () => {
  const account = await newAccount()
  const { url } = account.kontor
  const entity_id = await addLead(account.api)
  const [event] = (await account.api.get(path)).body._embedded.events
  expect(event).toEqual({
    id: expect.any(String),
    type: 'lead_added',
    entity_id,
    entity_type: 'lead',
    created_by: account.admin.id,
    created_at: expect.any(Number),
    value_after: [{ note: { id: expect.any(Number) } }],
    value_before: [],
    account_id: account.id,
    _links: { self: { href: `${url}/api/v4/events/${event.id}` } },
    _embedded: {
      entity: { id: entity_id, _links: { self: { href: `${url}/api/v4/leads/${entity_id}` } } },
    },
  })
})

test('a walk by links or page numbers comes by every event once, while new ones arrive', async () => {
  const account = await history(11)
  const before = ids(await account.api.get(path))
  for (const way of ['next', 'page'] as const) {
    const walked: string[] = []
    let next: string | undefined = `${path}?limit=3&page=1`
    for (let page = 1; next; page++) {
      const answer: Answer = await account.api.get(next)
      walked.push(...ids(answer))
      await addLead(account.api)
      next =
        answer.body._links.next &&
        (way === 'next' ? answer.body._links.next.href : `${path}?limit=3&page=${page + 1}`)
    }
    expect(walked.filter((id) => before.includes(id))).toEqual(before)
    expect(new Set(walked).size).toBe(walked.length)
  }
})

test('a walk crosses from the newest months into the older ones, in any order of pages', async () => {
  const account = await newAccount()
  const { api, kontor, id } = account
  const day = 86_400_000
  const ages = [0, 44, 45, 45.001, 46, 46, 100, 200]
  await kontor.database.transaction((tx) =>
    tx.rows(sql`
      insert into events (account_id, id, type, entity_type, entity_id, created_by, created_at, value_before, value_after)
      select ${id}, ulid_time(at) || lpad(to_hex(place), 16, '0'), case place % 2 when 0 then 'lead_deleted' else 'lead_restored' end,
             'lead', place, ${account.admin.id}, at / 1000, '[]', '[]'
        from unnest(${ages.map((age) => Date.now() - Math.floor(age * day))}::bigint[]) with ordinality as event(at, place)`),
  )
  const all = ids(await api.get(path))
  expect(all).toHaveLength(ages.length)
  expect(all).toEqual(all.toSorted().toReversed())
  const since = Math.floor((Date.now() - 45.5 * day) / 1000)
  for (const query of [
    '',
    'filter[type]=lead_deleted,lead_restored',
    `filter[created_by]=${account.admin.id}`,
    'filter[entity]=lead',
    'filter[created_at][from]=1',
    `filter[created_at][to]=${since}`,
  ])
    for (const limit of [1, 2, 3, 7])
      for (const way of ['next', 'page', 'cold'] as const) {
        const walked: string[] = []
        let next: string | undefined = `${path}?limit=${limit}&${query}`
        for (let page = 1; next; page++) {
          const answer: Answer = await api.get(next)
          walked.push(...ids(answer))
          const more = answer.body._links.next?.href
          const other = way === 'cold' ? `&with=${limit}` : ''
          next =
            more &&
            (way === 'next' ? more : `${path}?limit=${limit}&page=${page + 1}&${query}${other}`)
        }
        const expected = query.includes('[to]') ? all.slice(4) : all
        expect([query, limit, way, walked]).toEqual([query, limit, way, expected])
      }
})

test('links back lead where they say, and a page beyond the end is empty', async () => {
  const { api } = await history(5)
  const first = await api.get(`${path}?limit=2`)
  const second = await api.get(first.body._links.next.href)
  const third = await api.get(second.body._links.next.href)
  expect(third.body._links.next).toBeUndefined()
  expect(ids(await api.get(third.body._links.prev.href))).toEqual(ids(second))
  expect(ids(await api.get(third.body._links.first.href))).toEqual(ids(first))
  expect(ids(await api.get(third.body._links.self.href))).toEqual(ids(third))
  expect(ids(await api.get(`${path}?limit=2&page=9`))).toEqual([])
})

test('no page holds more than 100 events', async () => {
  const { api } = await newAccount()
  await addLeads(
    api,
    Array.from({ length: 101 }, () => ({})),
  )
  const answer = await api.get(`${path}?limit=250`)
  expect(ids(answer)).toHaveLength(100)
  expect(answer.body._links.self.href).toContain('limit=100')
  expect(ids(await api.get(answer.body._links.next.href))).toHaveLength(1)
})

test.for(['page=-1', 'limit=0', 'limit=x', 'after=%00', 'page=2&after=!'])(
  '%s is refused',
  async (query) => {
    const { api } = await newAccount()
    expect((await api.get(`${path}?${query}`)).status).toBe(400)
  },
)

test('a filter that is not known is refused and named', async () => {
  const { api } = await newAccount()
  const refused = await api.get(`${path}?filter[colour]=red`)
  expect(refused.status).toBe(400)
  expect(faultsOf(refused)).toEqual({ 0: ['FieldNotExpected filter[colour]'] })
})

test.for([
  'x',
  '0',
  '00000000000000000000000000',
  '%00',
  '0'.repeat(27),
  "01'or'1'='1'000000000000000",
])('there is no event %s', async (id) => {
  const { api } = await newAccount()
  expect((await api.get(`${path}/${id}`)).status).toBe(404)
})

test('an event of another account is not there, neither in the list nor alone', async () => {
  const [mine, theirs] = [await history(2), await history(3)]
  const strange = ids(await theirs.api.get(path))
  expect(ids(await mine.api.get(path))).toHaveLength(2)
  for (const id of strange) expect((await mine.api.get(`${path}/${id}`)).status).toBe(404)
  // A cursor from another account only leads into the caller's own list.
  const answer = await mine.api.get(`${path}?page=2&after=${strange[0]}`)
  for (const { account_id } of answer.body._embedded.events) expect(account_id).toBe(mine.id)
})

test('an account that is not paid reads its leads, but neither its events nor writes anything', async () => {
  const account = await newAccount()
  const { api, kontor, subdomain } = account
  const id = await addLead(api)
  const [event] = ids(await api.get(path))
  const pay = (isUnpaid: boolean) =>
    kontor.database.transaction((tx) => setAccount(tx, kontor.now(), subdomain, { isUnpaid }))
  const heard = () => expect.poll(async () => (await api.get(path)).status)

  await pay(true)
  await heard().toBe(402)
  expect((await api.get(`${path}/${event}`)).status).toBe(402)
  expect((await api.post('/api/v4/leads', [{}])).status).toBe(402)
  expect((await api.patch('/api/v4/leads', [{ id, name: 'x' }])).status).toBe(402)
  expect((await api.patch(`/api/v4/leads/${id}`, { name: 'x' })).status).toBe(402)
  expect((await api.post('/api/v4/leads/tags', [{ name: 'x' }])).status).toBe(402)
  expect((await api.get(`/api/v4/leads/${id}`)).status).toBe(200)
  expect((await api.get('/api/v4/leads')).status).toBe(200)
  expect((await api.get('/api/v4/leads/tags')).status).toBe(200)

  await pay(false)
  await heard().toBe(200)
  expect((await api.patch(`/api/v4/leads/${id}`, { name: 'x' })).status).toBe(200)
})

test('nobody reads events without a token', async () => {
  const { api } = await newAccount()
  expect((await api.get(path, { authorization: '' })).status).toBe(401)
})
