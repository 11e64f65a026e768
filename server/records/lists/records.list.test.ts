// Lists of all types: filters, orders, pages, walks while others write, and pages that end early.
import { describe, expect, test } from 'vitest'
import { newAccount } from '../../../test/account.ts'
import type { Answer } from '../../../test/client.ts'
import { addFields, valueOf } from '../../../test/fields.ts'
import { faultsOf } from '../../../test/leads.ts'
import {
  addRecord,
  addRecords,
  addUserWith,
  allKinds,
  find,
  idsIn,
  kindsButLeads,
  letters,
  namesIn,
  pathOf,
} from '../../../test/records.ts'

describe.for(kindsButLeads)('lists of %s', (kind) => {
  const path = pathOf(kind)

  test('each filter finds by one value, by several and by a range, and all of them together', async () => {
    const account = await newAccount()
    const seller = await account.addUser()
    const [a, b, c] = await addRecords(account.api, kind, [
      { name: 'a', created_at: 1000, updated_at: 1100 },
      {
        name: 'b',
        created_at: 2000,
        updated_at: 2100,
        responsible_user_id: seller.id,
        created_by: 0,
      },
      { name: 'c', created_at: 3000, updated_at: 3100, updated_by: seller.id },
      { name: 'Ёлки и Палки', created_at: 4000, updated_at: 4100, created_by: seller.id },
    ])
    const found: [string, string][] = [
      ['', 'abcЁлки и Палки'],
      [`filter[id]=${b}`, 'b'],
      [`filter[id][]=${c}&filter[id][]=${a}&filter[id][]=999999999`, 'ac'],
      [`filter[id][7]=${c}&filter[id][3]=${a}`, 'ac'],
      ['filter[name]=B', 'b'],
      ['filter[name][]=a&filter[name][]=C', 'ac'],
      ['filter[name]=', ''],
      [`filter[name]=${encodeURIComponent('ЁЛКИ И ПАЛКИ')}`, 'Ёлки и Палки'],
      [`filter[name]=${encodeURIComponent("' or true --")}`, ''],
      [`filter[responsible_user_id]=${seller.id}`, 'b'],
      [
        `filter[responsible_user_id][]=${seller.id}&filter[responsible_user_id][]=${account.admin.id}`,
        'abcЁлки и Палки',
      ],
      ['filter[created_by]=0', 'b'],
      [`filter[created_by][]=0&filter[created_by][]=${seller.id}`, 'bЁлки и Палки'],
      [`filter[updated_by]=${seller.id}`, 'c'],
      ['filter[created_at]=3000', 'cЁлки и Палки'],
      ['filter[created_at][from]=2000&filter[created_at][to]=3000', 'bc'],
      ['filter[updated_at][to]=2100', 'ab'],
      ['filter[updated_at][from]=4101', ''],
      [
        `filter[name][]=b&filter[name][]=c&filter[created_by]=0&filter[updated_at][from]=1&filter[id]=${b}`,
        'b',
      ],
      [`filter[created_by]=0&filter[updated_by]=${seller.id}`, ''],
    ]
    for (const [query, expected] of found)
      expect([query, (await find(account, kind, query)).join('')]).toEqual([query, expected])
  })

  test.for([
    'filter[price]=5',
    'filter[statuses][0][status_id]=5',
    'filter[pipeline_id]=1',
    'filter[closed_at]=1',
    'filter[colour]=red',
  ])('the filter %s is none of theirs, and named', async (query) => {
    const refused = await (await newAccount()).api.get(`${path}?${query}`)
    expect([refused.status, faultsOf(refused)]).toEqual([
      400,
      { 0: [`FieldNotExpected ${/^filter\[\w+\]/.exec(query)![0]}`] },
    ])
  })

  test('every link of a page leads where it says; next is there only when there is more', async () => {
    const { api, kontor } = await newAccount()
    await addRecords(api, kind, letters(7))
    const first = await api.get(`${path}?order[id]=desc&limit=3`)
    const second = await api.get(first.body._links.next.href)
    const third = await api.get(second.body._links.next.href)
    expect([first, second, third].map((page) => namesIn(page, kind).join(''))).toEqual([
      'gfe',
      'dcb',
      'a',
    ])
    expect(Object.keys(third.body._links)).toEqual(['self', 'first', 'prev'])
    expect(namesIn(await api.get(third.body._links.prev.href), kind)).toEqual(['d', 'c', 'b'])
    expect(namesIn(await api.get(third.body._links.first.href), kind)).toEqual(['g', 'f', 'e'])
    expect((await api.get(`${path}?limit=7`)).body._links).toEqual({
      self: { href: `${kontor.url}${path}?page=1&limit=7` },
    })
    expect((await api.get(`${path}?limit=100000`)).body._links.self.href).toContain('limit=250')
    expect((await api.get(`${path}?page=40`)).body._embedded[kind]).toEqual([])
  })

  test.for(['next', 'page'] as const)(
    'a walk by %s neither skips nor repeats one while others come and go',
    async (way) => {
      const account = await newAccount()
      for (const order of ['order[id]=desc', 'order[created_at]=asc', 'order[updated_at]=desc']) {
        const drafts = (name: string) =>
          Array.from({ length: 20 }, (_, index) => ({ name, created_at: 1000 + (index % 7) }))
        const stays = await addRecords(account.api, kind, drafts('stays'))
        const goes = await addRecords(account.api, kind, drafts('goes'))
        const seen: number[] = []
        let next: string | undefined =
          `${path}?filter[name][]=stays&filter[name][]=goes&${order}&limit=7&page=1`
        for (let page = 1; next; page++) {
          const answer: Answer = await account.api.get(next)
          seen.push(...idsIn(answer, kind).filter((id) => stays.includes(id)))
          for (const id of goes.splice(0, 2)) await account.api.delete(`${path}/${id}`)
          await addRecords(
            account.api,
            kind,
            [1, 5000].map((created_at) => ({ name: 'goes', created_at })),
          )
          const { next: link } = answer.body._links
          next = link && (way === 'next' ? link.href : next.replace(/page=\d+/, `page=${page + 1}`))
        }
        expect(seen).toHaveLength(20)
        expect(new Set(seen)).toEqual(new Set(stays))
        await account.api.patch(
          path,
          stays.map((id) => ({ id, name: 'done' })),
        )
      }
    },
  )
})

describe.for(allKinds)('any list of %s', (kind) => {
  const path = pathOf(kind)

  test.for([
    'filter[id]=x',
    'filter[id]=0',
    'filter[id][]=9223372036854775808',
    'filter[created_at][from]=yesterday',
    'filter=all',
    'filter[updated_at]=-1',
    'order[name]=asc',
    'order[id]=up',
    'order=id',
    'order[id]=asc&order[created_at]=asc',
    'filter[name]=%00',
    'filter[name]=%ff',
    'page=x',
    'limit=0',
    'limit[]=5',
    'after=%00',
    'page=2&after=zzz',
    'page=2&after=1.2.3',
  ])('%s is refused', async (query) => {
    expect((await (await newAccount()).api.get(`${path}?${query}`)).status).toBe(400)
  })

  test('a list has an order by creation, change or id, in both directions; equal times follow the id', async () => {
    const account = await newAccount()
    await addRecords(account.api, kind, [
      { name: 'a', created_at: 30, updated_at: 200 },
      { name: 'b', created_at: 10, updated_at: 300 },
      { name: 'c', created_at: 30, updated_at: 100 },
      { name: 'd', created_at: 20, updated_at: 300 },
    ])
    for (const [order, expected] of [
      ['', 'abcd'],
      ['order[id]=asc', 'abcd'],
      ['order[id]=desc', 'dcba'],
      ['order[created_at]=asc', 'bdac'],
      ['order[created_at]=desc', 'cadb'],
      ['order[updated_at]=asc', 'cabd'],
      ['order[updated_at]=desc', 'dbac'],
    ] as const) {
      expect((await find(account, kind, order)).join('')).toBe(expected)
      const walked: string[] = []
      for (let next = `${path}?${order}&limit=1`; next;) {
        const answer = await account.api.get(next)
        walked.push(...namesIn(answer, kind))
        next = answer.body._links.next?.href
      }
      expect(walked.join('')).toBe(expected)
      expect(await find(account, kind, `${order}&limit=1&page=3`)).toEqual([expected[2]])
    }
  })

  test('a repeated key is a list, on every page; page 0 is page 1, and an order has any case', async () => {
    const account = await newAccount()
    const ids = await addRecords(account.api, kind, letters(5))
    const query = [
      ...ids.slice(1).map((id) => `filter[id]=${id}`),
      ...['b', 'd', 'x', 'e'].map((name) => `filter[name]=${name}`),
      'with=contacts&with=catalog_elements&limit=9&limit=2&page=0&order[id]=ASC&order[id]=DESC',
    ].join('&')
    const first = await account.api.get(`${path}?${query}`)
    expect([first.body._page, namesIn(first, kind)]).toEqual([1, ['e', 'd']])
    const self = first.body._links.self.href as string
    expect(decodeURIComponent(self)).toContain('&order[id]=desc&page=1&limit=2')
    expect(decodeURIComponent(self)).toContain('with=contacts,catalog_elements')
    expect((await account.api.get(self)).body).toEqual(first.body)
    const second = await account.api.get(first.body._links.next.href)
    expect(namesIn(second, kind)).toEqual(['b'])
    expect(await find(account, kind, `${query}&page=2`)).toEqual(['b'])
  })

  test('two callers who walk at the same time see their own pages', async () => {
    const account = await newAccount()
    const user = await addUserWith(account, kind, { view: 'M' })
    await addRecords(account.api, kind, letters(6))
    await addRecords(
      account.api,
      kind,
      ['x', 'y', 'z'].map((name) => ({ name, responsible_user_id: user.id })),
    )
    for (const [query, all, own] of [
      ['limit=2', 'ab', 'xy'],
      ['limit=2&page=2', 'cd', 'z'],
    ] as const) {
      expect((await find(account, kind, query)).join('')).toBe(all)
      expect((await find(user, kind, query)).join('')).toBe(own)
    }
    expect(
      await find(user, kind, 'filter[name][]=a&filter[name][]=x&order[created_at]=desc'),
    ).toEqual(['x'])
  })
})

test.for(allKinds)(
  'an empty search for %s asks for nothing, and a list of texts is none',
  async (kind) => {
    const account = await newAccount()
    await addRecords(account.api, kind, letters(2))
    for (const query of ['query=', 'query=%20'])
      expect(await find(account, kind, query)).toEqual(['a', 'b'])
    const refused = await account.api.get(`${pathOf(kind)}?query[]=a`)
    expect([refused.status, Object.values(faultsOf(refused)).flat()[0]]).toEqual([
      400,
      expect.stringMatching(/ query/),
    ])
  },
)

test('the list of leads is served at the singular path too', async () => {
  const account = await newAccount()
  await addRecords(account.api, 'leads', letters(5))
  const first = await account.api.get('/api/v4/lead?limit=2&order[id]=desc&with=contacts')
  expect(namesIn(first, 'leads')).toEqual(['e', 'd'])
  expect(first.body._embedded).toEqual(
    (await account.api.get('/api/v4/leads?limit=2&order[id]=desc&with=contacts')).body._embedded,
  )
  expect(first.body._links.next.href).toContain(`${account.kontor.url}/api/v4/lead?`)
  expect(namesIn(await account.api.get(first.body._links.next.href), 'leads')).toEqual(['c', 'b'])
  const denied = await addUserWith(account, 'leads', { add: 'A' })
  expect((await denied.api.get('/api/v4/lead')).status).toBe(403)
  expect((await account.api.get('/api/v4/lead?filter[colour]=red')).status).toBe(400)
  expect((await account.api.get('/api/v4/lead/1')).status).toBe(404)
})

// Pages of heavy records end before their limit.
describe('heavy records', () => {
  const longestPage = 16 * 1024 * 1024

  test('a page of heavy records ends early, and the next begins with the one that did not fit', async () => {
    const account = await newAccount({ bodyLimit: 64 * 1024 * 1024 })
    const { api } = account
    const fields = await addFields(
      account,
      'leads',
      Array.from({ length: 4 }, () => ({ type: 'textarea' as const })),
    )
    const custom_fields_values = fields.map((field) =>
      valueOf(field, { value: 'x'.repeat(64_000) }),
    )
    const light = await addRecord(api, 'leads', { name: 'Light' })
    const heavy = await addRecords(
      api,
      'leads',
      Array.from({ length: 70 }, (_, index) => ({ price: index % 7, custom_fields_values })),
    )
    const all = [light, ...heavy]

    const path = '/api/v4/leads?limit=70'
    const first = await api.get(path)
    const count = idsIn(first, 'leads').length
    const length = (lead: object) => JSON.stringify(lead).length
    const shown = first.body._embedded.leads.reduce(
      (sum: number, lead: object) => sum + length(lead),
      0,
    )
    expect(shown).toBeLessThanOrEqual(longestPage)
    expect(shown + length(first.body._embedded.leads.at(-1))).toBeGreaterThan(longestPage)
    expect(idsIn(first, 'leads')).toEqual(all.slice(0, count))

    const { next } = first.body._links
    const hinted = await api.get(next.href)
    const counted = await api.get(`${path}&page=2`)
    for (const second of [hinted, counted]) {
      expect(idsIn(second, 'leads')).toEqual(all.slice(count))
      expect(second.body._page).toBe(2)
      expect(Object.keys(second.body._links)).toEqual(['self', 'first', 'prev'])
    }

    const sorted = `${path}&order[updated_at]=desc`
    const begin = await api.get(sorted)
    const end = await api.get(begin.body._links.next.href)
    expect([...idsIn(begin, 'leads'), ...idsIn(end, 'leads')]).toEqual(all.toReversed())

    expect(idsIn(await api.get('/api/v4/leads?limit=60'), 'leads')).toEqual(all.slice(0, 60))
  })
})
