import { expect, test } from 'vitest'
import { newAccount } from '../../../test/account.ts'
import type { Answer } from '../../../test/client.ts'
import { addSeller, faultsOf, listen } from '../../../test/leads.ts'
import { tagColors } from './schema.ts'

const types = ['leads', 'contacts', 'companies', 'customers'] as const
const path = '/api/v4/leads/tags'

const names = ({ body }: Answer): string[] =>
  body._embedded.tags.map(({ name }: { name: string }) => name)

test.for(types)(
  'tags of %s are created in the order of the request and listed by id',
  async (type) => {
    const { api, kontor } = await newAccount()
    const { status, body } = await api.post(`/api/v4/${type}/tags`, [
      { name: ' web ', request_id: 'w' },
      { name: 'Магазин' },
    ])
    expect(status).toBe(200)
    const [web, shop] = body._embedded.tags
    expect(body).toEqual({
      _total_items: 2,
      _embedded: {
        tags: [
          { id: web.id, name: 'web', color: null, request_id: 'w' },
          { id: shop.id, name: 'Магазин', color: null, request_id: '1' },
        ],
      },
    })
    const listed = (await api.get(`/api/v4/${type}/tags`)).body
    expect(listed._page).toBe(1)
    expect(listed._links).toEqual({
      self: { href: `${kontor.url}/api/v4/${type}/tags?page=1&limit=50` },
    })
    expect(listed._embedded.tags).toMatchObject([
      { id: web.id, name: 'web', color: null },
      { id: shop.id, name: 'Магазин', color: null },
    ])
    expect((await api.get(listed._embedded.tags[1]._links.self.href)).body._embedded.tags).toEqual([
      listed._embedded.tags[1],
    ])
  },
)

test('one name has another id in each type and each account', async () => {
  const [one, two] = [await newAccount(), await newAccount()]
  const ids: number[] = []
  for (const { api } of [one, two])
    for (const type of types)
      ids.push(
        (await api.post(`/api/v4/${type}/tags`, [{ name: 'vip' }])).body._embedded.tags[0].id,
      )
  expect(new Set(ids).size).toBe(8)
  expect((await one.api.get(`${path}?filter[id]=${ids[4]}`)).body._embedded.tags).toEqual([])
})

test('a name that exists answers with its tag, in any case, sent before or twice in one request', async () => {
  const { api } = await newAccount()
  const [first] = (await api.post(path, [{ name: 'ВИП', color: 'ff8f92' }])).body._embedded.tags
  const { body } = await api.post(path, [
    { name: 'вип' },
    { name: 'new' },
    { name: 'NEW' },
    { name: 'ВИП', color: '86C0FC' },
  ])
  const { tags } = body._embedded
  expect(tags.map(({ name, color }: { name: string; color: string }) => [name, color])).toEqual([
    ['ВИП', 'FF8F92'],
    ['new', null],
    ['new', null],
    ['ВИП', 'FF8F92'],
  ])
  expect([tags[0].id, tags[3].id]).toEqual([first.id, first.id])
  expect(tags[1].id).toBe(tags[2].id)
  expect(names(await api.get(path))).toEqual(['ВИП', 'new'])
})

test('tags of leads have a color of the palette, others have none', async () => {
  const { api } = await newAccount()
  const drafts = tagColors.map((color) => ({ name: color, color }))
  const created = (await api.post(path, drafts)).body._embedded.tags
  expect(created.map(({ color }: { color: string }) => color)).toEqual(tagColors)
  expect(
    (await api.post('/api/v4/contacts/tags', [{ name: 'a', color: 'anything' }])).body._embedded
      .tags[0].color,
  ).toBeNull()
})

test('one bad tag refuses the batch, and every bad one is listed', async () => {
  const { api } = await newAccount()
  const refused = await api.post(path, [
    { name: 'good' },
    {},
    { name: '' },
    { name: '   ', request_id: 'blank' },
    { name: null },
    { name: 7 },
    { name: 'x'.repeat(256) },
    { name: 'red', color: 'red' },
    { name: 'a', id: 5 },
    'tag',
  ])
  expect(refused.status).toBe(400)
  expect(faultsOf(refused)).toEqual({
    1: ['FieldMissing name'],
    2: ['NotBlank name'],
    blank: ['NotBlank name'],
    4: ['NotNullable name'],
    5: ['InvalidType name'],
    6: ['TooLong name'],
    7: ['NotSupportedChoice color'],
    8: ['FieldNotExpected id'],
    9: ['InvalidType '],
  })
  expect(names(await api.get(path))).toEqual([])
})

test.for([
  ['251 tags', Array.from({ length: 251 }, (_, place) => ({ name: String(place) }))],
  ['no tag', []],
  ['a text', '"x"'],
  ['U+0000', String.raw`[{"name":"a\u0000"}]`],
  ['a lone surrogate', String.raw`[{"name":"\udfff"}]`],
])('a batch of %s is refused', async ([, body]) => {
  const { api } = await newAccount()
  expect((await api.post(path, body)).status).toBe(400)
  expect(names(await api.get(path))).toEqual([])
})

test('250 tags are one request, and an object counts as one', async () => {
  const { api } = await newAccount()
  const drafts = Array.from({ length: 250 }, (_, place) => ({ name: `Tag ${place}` }))
  expect((await api.post(path, drafts)).body._total_items).toBe(250)
  expect((await api.post(path, { name: 'Alone' })).body._total_items).toBe(1)
})

test('tags are found by a part of the name, by the whole name and by ids', async () => {
  const { api } = await newAccount()
  const { tags } = (
    await api.post(path, [
      { name: 'Новый клиент' },
      { name: 'клиентка' },
      { name: '100%_sure' },
      { name: 'C:\\' },
    ])
  ).body._embedded
  const find = async (query: string) => names(await api.get(`${path}?${query}`))
  expect(await find(`query=${encodeURIComponent('КЛИЕНТ')}`)).toEqual(['Новый клиент', 'клиентка'])
  expect(await find('query=%25')).toEqual(['100%_sure'])
  expect(await find('query=_')).toEqual(['100%_sure'])
  expect(await find('query=%5C')).toEqual(['C:\\'])
  expect(await find('query=')).toHaveLength(4)
  expect(await find(`filter[name]=${encodeURIComponent('КЛИЕНТКА')}`)).toEqual(['клиентка'])
  expect(await find(`filter[name]=${encodeURIComponent('клиент')}`)).toEqual([])
  expect(await find(`filter[id]=${tags[2].id}`)).toEqual(['100%_sure'])
  expect(await find(`filter[id][]=${tags[3].id}&filter[id][]=${tags[0].id}`)).toEqual([
    'Новый клиент',
    'C:\\',
  ])
  expect(await find(`filter[id]=${tags[0].id}&query=nothing`)).toEqual([])
})

test.for([
  'filter[color]=FF8F92',
  'filter[id]=x',
  'filter[name][]=a&filter[name][]=b',
  'page=0',
  'limit=x',
  'query=%00',
])('%s is refused', async (query) => {
  const { api } = await newAccount()
  expect((await api.get(`${path}?${query}`)).status).toBe(400)
})

test('a walk by links or by page numbers comes by every tag once; no page holds more than 250', async () => {
  const { api } = await newAccount()
  const all = Array.from({ length: 260 }, (_, place) => `Tag ${place}`)
  await api.post(
    path,
    all.slice(0, 250).map((name) => ({ name })),
  )
  await api.post(
    path,
    all.slice(250).map((name) => ({ name })),
  )
  const first = await api.get(`${path}?limit=1000`)
  expect(names(first)).toHaveLength(250)
  expect(first.body._links.self.href).toContain('limit=250')
  expect([...names(first), ...names(await api.get(first.body._links.next.href))]).toEqual(all)

  const walked: string[] = []
  for (let page = 1; page <= 6; page++)
    walked.push(...names(await api.get(`${path}?limit=50&page=${page}`)))
  expect(walked).toEqual(all)
  expect(names(await api.get(`${path}?limit=50&page=7`))).toEqual([])
})

test('everybody with a token may list and make tags; without one nobody may', async () => {
  const account = await newAccount()
  const seller = await addSeller(account, {})
  const recorded = await listen(account)
  expect((await seller.api.post(path, [{ name: 'a' }])).status).toBe(200)
  expect(names(await seller.api.get(path))).toEqual(['a'])
  expect((await account.api.get(path, { authorization: 'Bearer x' })).status).toBe(401)
  expect(
    (await account.api.post(path, [{ name: 'b' }], { authorization: 'Bearer x' })).status,
  ).toBe(401)
  expect(await recorded()).toEqual({ journal: [], events: [] })
})

test('there is no such type of record', async () => {
  const { api } = await newAccount()
  expect((await api.get('/api/v4/tasks/tags')).status).toBe(404)
})
