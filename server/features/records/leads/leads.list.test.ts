// Pages, orders and filters of the list of leads.
import { describe, expect, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import type { TestAccount } from '../../../../test/account.ts'
import type { Answer } from '../../../../test/client.ts'
import {
  addLead,
  addLeads,
  addPipeline,
  faultsOf,
  lost,
  mainPipeline,
  won,
} from '../../../../test/leads.ts'

const path = '/api/v4/leads'

const names = ({ body }: Answer): string[] =>
  body._embedded.leads.map(({ name }: { name: string }) => name)

/** The names of the leads that a query finds. */
async function find({ api }: TestAccount, query: string): Promise<string[]> {
  const answer = await api.get(`${path}?${query}`)
  expect(answer.status).toBe(200)
  return names(answer)
}

describe('pages and orders', () => {
  const letters = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ name: String.fromCharCode(97 + index) }))

  test('without a wish a page has 50 leads, the oldest id first', async () => {
    const { api, kontor } = await newAccount()
    const ids = await addLeads(
      api,
      Array.from({ length: 51 }, () => ({})),
    )
    const { body } = await api.get(path)
    expect(body._embedded.leads.map(({ id }: { id: number }) => id)).toEqual(ids.slice(0, 50))
    expect(body._page).toBe(1)
    expect(body._links).toEqual({
      self: { href: `${kontor.url}${path}?page=1&limit=50` },
      next: { href: expect.stringContaining(`${kontor.url}${path}?page=2&limit=50`) },
    })
  })

  test('every link of a page leads where it says, with the same filter and order', async () => {
    const account = await newAccount()
    const { api } = account
    await addLeads(api, [...letters(7), { name: 'too dear', price: 1000 }])
    const first = await api.get(
      `${path}?filter[price][to]=999&order[id]=desc&limit=3&with=contacts`,
    )
    expect(names(first)).toEqual(['g', 'f', 'e'])
    const second = await api.get(first.body._links.next.href)
    expect(names(second)).toEqual(['d', 'c', 'b'])
    const third = await api.get(second.body._links.next.href)
    expect(names(third)).toEqual(['a'])
    expect(Object.keys(third.body._links)).toEqual(['self', 'first', 'prev'])
    expect([first, second, third].map(({ body }) => body._page)).toEqual([1, 2, 3])
    for (const [from, link, to] of [
      [second, 'self', second],
      [second, 'first', first],
      [second, 'prev', first],
      [third, 'self', third],
      [third, 'first', first],
      [third, 'prev', second],
    ] as const) {
      const followed = await api.get(from.body._links[link].href)
      expect(followed.body).toEqual({ ...to.body, _links: expect.anything() })
      expect(followed.body._links.self).toEqual(to.body._links.self)
    }
  })

  test('next is there only when there is more', async () => {
    const { api } = await newAccount()
    await addLeads(api, letters(4))
    expect((await api.get(`${path}?limit=4`)).body._links.next).toBeUndefined()
    expect((await api.get(`${path}?limit=2&page=2`)).body._links.next).toBeUndefined()
    expect((await api.get(`${path}?limit=3`)).body._links.next).toBeDefined()
  })

  test('a page beyond the end is empty and leads back', async () => {
    const { api } = await newAccount()
    await addLeads(api, letters(3))
    const { status, body } = await api.get(`${path}?page=40&limit=2`)
    expect(status).toBe(200)
    expect(body._embedded.leads).toEqual([])
    expect(Object.keys(body._links)).toEqual(['self', 'first', 'prev'])
    expect(names(await api.get(body._links.first.href))).toEqual(['a', 'b'])
  })

  test('a page that nobody led to is found by counting, in every order', async () => {
    const { api } = await newAccount()
    await addLeads(api, letters(9))
    expect(names(await api.get(`${path}?page=3&limit=2`))).toEqual(['e', 'f'])
    expect(names(await api.get(`${path}?page=3&limit=2&order[id]=desc`))).toEqual(['e', 'd'])
  })

  test('more rows than the maximum count as the maximum, and self says so', async () => {
    const { api } = await newAccount()
    await addLeads(api, letters(2))
    const { status, body } = await api.get(`${path}?limit=100000`)
    expect(status).toBe(200)
    expect(body._links.self.href).toContain('limit=250')
  })

  test.for([
    'page=-1',
    'page=x',
    'page=1.5',
    'page=',
    'page=99999999999999999999',
    'limit=0',
    'limit=-5',
    'limit=ten',
    'limit[]=5',
  ])('%s is refused, and named', async (query) => {
    const { api } = await newAccount()
    const refused = await api.get(`${path}?${query}`)
    expect(refused.status).toBe(400)
    expect(Object.values(faultsOf(refused)).flat()[0]).toContain(
      query.slice(0, query.search(/[[=]/)),
    )
  })

  test.for([
    ['the links', 'next'],
    ['page numbers', 'page'],
  ] as const)(
    'a walk by %s neither skips nor repeats a lead while others come and go',
    async ([, way]) => {
      const account = await newAccount()
      for (const order of ['order[id]=desc', 'order[created_at]=asc', 'order[updated_at]=desc']) {
        const stays = await addLeads(
          account.api,
          Array.from({ length: 30 }, (_, index) => ({
            name: 'stays',
            created_at: 1000 + (index % 7),
          })),
        )
        const goes = await addLeads(
          account.api,
          Array.from({ length: 30 }, (_, index) => ({
            name: 'goes',
            created_at: 1000 + (index % 7),
          })),
        )
        const seen: number[] = []
        let next: string | undefined =
          `${path}?filter[name][]=stays&filter[name][]=goes&${order}&limit=7&page=1`
        for (let page = 1; next; page++) {
          const { body }: Answer = await account.api.get(next)
          seen.push(
            ...body._embedded.leads.flatMap(({ id, name }: { id: number; name: string }) =>
              name === 'stays' ? [id] : [],
            ),
          )
          // Leads go from the front of the list and new ones come in front of it and behind it.
          await account.api.patch(
            path,
            goes.splice(0, 4).map((id) => ({ id, name: 'gone' })),
          )
          await addLeads(account.api, [
            { name: 'goes', created_at: 1 },
            { name: 'goes', created_at: 5000 },
          ])
          next =
            body._links.next &&
            (way === 'next' ? body._links.next.href : next.replace(/page=\d+/, `page=${page + 1}`))
        }
        expect(seen.filter((id) => stays.includes(id))).toHaveLength(30)
        expect(new Set(seen)).toEqual(new Set(stays))
        await account.api.patch(
          path,
          stays.map((id) => ({ id, name: 'done' })),
        )
      }
    },
  )

  test('walks in another order, with another filter or of another length do not disturb each other', async () => {
    const { api } = await newAccount()
    await addLeads(api, letters(6))
    const walks = [
      'limit=2',
      'limit=2&order[id]=desc',
      'limit=3',
      'limit=2&filter[name][]=a&filter[name][]=c&filter[name][]=e',
    ]
    for (const walk of walks) await api.get(`${path}?${walk}`)
    const second = await Promise.all(
      walks.map(async (walk) => names(await api.get(`${path}?${walk}&page=2`)).join('')),
    )
    expect(second).toEqual(['cd', 'dc', 'def', 'e'])
  })

  test('a page shows the tags of its leads and nothing of another account', async () => {
    const account = await newAccount()
    const stranger = await newAccount()
    const id = await addLead(account.api, {
      name: 'mine',
      _embedded: { tags: [{ name: 'one' }, { name: 'two' }] },
    })
    await addLead(stranger.api, { name: 'theirs' })
    const { leads } = (await account.api.get(path)).body._embedded
    expect(leads).toHaveLength(1)
    expect(leads[0]).toEqual((await account.api.get(`${path}/${id}`)).body)
    expect(leads[0]._embedded.tags.map(({ name }: { name: string }) => name)).toEqual([
      'one',
      'two',
    ])
  })
})

describe('filters', () => {
  test.for([
    'filter[colour]=red',
    'filter[price][around]=5',
    'filter[custom]=1',
    'filter[statuses][0][status_id]=5',
  ])('the filter %s is refused, and named', async (query) => {
    const { api } = await newAccount()
    const refused = await api.get(`${path}?${query}`)
    expect(refused.status).toBe(400)
    const messages = Object.values(faultsOf(refused)).flat().join()
    expect(messages).toContain(
      query.startsWith('filter[statuses]')
        ? 'filter[statuses][0][pipeline_id]'
        : query.split('=')[0],
    )
  })

  test('each filter finds by one value, by several and by a range, and all of them together', async () => {
    const account = await newAccount()
    const main = await mainPipeline(account)
    const other = await addPipeline(account)
    const seller = await account.addUser()
    const [a, b, c, d, e] = await addLeads(account.api, [
      { name: 'a', price: 10, created_at: 1000, updated_at: 1100 },
      {
        name: 'b',
        price: 20,
        created_at: 2000,
        updated_at: 2100,
        responsible_user_id: seller.id,
        created_by: 0,
      },
      {
        name: 'c',
        price: 30,
        created_at: 3000,
        updated_at: 3100,
        status_id: won,
        closed_at: 3050,
        updated_by: seller.id,
      },
      {
        name: 'd',
        price: 40,
        created_at: 4000,
        updated_at: 4100,
        status_id: other.statuses[0],
        created_by: seller.id,
      },
      {
        name: 'e',
        price: 50,
        created_at: 5000,
        updated_at: 5100,
        pipeline_id: other.id,
        status_id: lost,
        closed_at: 5050,
      },
    ])
    expect(d).toBeLessThan(e!)
    const found: [string, string][] = [
      ['', 'abcde'],
      [`filter[id]=${b}`, 'b'],
      [`filter[id][]=${c}&filter[id][]=${a}&filter[id][]=999999999`, 'ac'],
      [`filter[id][0]=${c}&filter[id][1]=${a}`, 'ac'],
      [`filter[id][7]=${c}&filter[id][3]=${a}`, 'ac'],
      ['filter[name]=B', 'b'],
      ['filter[name][]=a&filter[name][]=E', 'ae'],
      ['filter[name]=', ''],
      ['filter[price]=30', 'c'],
      ['filter[price][from]=30', 'cde'],
      ['filter[price][to]=30', 'abc'],
      ['filter[price][from]=20&filter[price][to]=40', 'bcd'],
      ['filter[price][from]=40&filter[price][to]=20', ''],
      [`filter[statuses][0][pipeline_id]=${main.id}&filter[statuses][0][status_id]=${won}`, 'c'],
      [
        `filter[statuses][0][pipeline_id]=${main.id}&filter[statuses][0][status_id]=${main.statuses[0]}` +
          `&filter[statuses][1][pipeline_id]=${other.id}&filter[statuses][1][status_id]=${lost}`,
        'abe',
      ],
      [
        `filter[statuses][0][pipeline_id]=${main.id}&filter[statuses][0][status_id]=${other.statuses[0]}`,
        '',
      ],
      [
        `filter[statuses][4][status_id]=${won}&filter[statuses][9][pipeline_id]=${other.id}` +
          `&filter[statuses][4][pipeline_id]=${main.id}&filter[statuses][9][status_id]=${lost}`,
        'ce',
      ],
      [`filter[pipeline_id]=${other.id}`, 'de'],
      [`filter[pipeline_id][]=${other.id}&filter[pipeline_id][]=${main.id}`, 'abcde'],
      [`filter[responsible_user_id]=${seller.id}`, 'b'],
      [
        `filter[responsible_user_id][]=${seller.id}&filter[responsible_user_id][]=${account.admin.id}`,
        'abcde',
      ],
      ['filter[created_by]=0', 'b'],
      [`filter[created_by][]=0&filter[created_by][]=${seller.id}`, 'bd'],
      [`filter[updated_by]=${seller.id}`, 'c'],
      ['filter[created_at]=3000', 'cde'],
      ['filter[created_at][from]=2000&filter[created_at][to]=3000', 'bc'],
      ['filter[updated_at][to]=3100', 'abc'],
      ['filter[updated_at][from]=4101', 'e'],
      ['filter[closed_at][from]=1', 'ce'],
      ['filter[closed_at][from]=3050&filter[closed_at][to]=3050', 'c'],
      ['filter[closed_at]=5000', 'e'],
      [
        `filter[pipeline_id]=${other.id}&filter[price][from]=50&filter[name]=e&filter[closed_at][from]=1&filter[id]=${e}`,
        'e',
      ],
      [`filter[pipeline_id]=${other.id}&filter[created_by]=0`, ''],
    ]
    for (const [query, expected] of found)
      expect([query, (await find(account, query)).join('')]).toEqual([query, expected])
  })

  test('a name is found in any case, in any alphabet, and only whole', async () => {
    const account = await newAccount()
    await addLeads(account.api, [
      { name: 'Ёлки и Палки' },
      { name: 'ΟΔΟΣ' },
      { name: '100% sure_thing' },
      { name: 'Ёлки' },
    ])
    expect(await find(account, `filter[name]=${encodeURIComponent('ЁЛКИ И ПАЛКИ')}`)).toEqual([
      'Ёлки и Палки',
    ])
    expect(await find(account, `filter[name]=${encodeURIComponent('οδοσ')}`)).toEqual(['ΟΔΟΣ'])
    expect(await find(account, `filter[name]=${encodeURIComponent('100% SURE_THING')}`)).toEqual([
      '100% sure_thing',
    ])
    expect(await find(account, `filter[name]=${encodeURIComponent('100% sure%thing')}`)).toEqual([])
    expect(await find(account, `filter[name]=${encodeURIComponent("' or true --")}`)).toEqual([])
  })
})
