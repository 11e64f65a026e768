import sql, { raw } from 'sql-template-tag'
import { describe, expect, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import type { TestAccount } from '../../../../test/account.ts'
import type { Answer } from '../../../../test/client.ts'
import {
  addLead,
  addLeads,
  addSeller,
  faultsOf,
  listen,
  mainPipeline,
  readLead,
} from '../../../../test/leads.ts'
import { untilAwaited } from '../../../../test/locks.ts'
import { addRecord, addRecords, allKinds, readRecord, tagNames } from '../../../../test/records.ts'
import { tagColors } from './schema.ts'

const path = '/api/v4/leads/tags'

const names = ({ body }: Answer): string[] =>
  body._embedded.tags.map(({ name }: { name: string }) => name)

test.for(allKinds)(
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
    for (const type of allKinds)
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
  ['251 tags', Array.from({ length: 251 }, (_, index) => ({ name: String(index) }))],
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
  const drafts = Array.from({ length: 250 }, (_, index) => ({ name: `Tag ${index}` }))
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
  'page=-1',
  'limit=x',
  'query=%00',
])('%s is refused', async (query) => {
  const { api } = await newAccount()
  expect((await api.get(`${path}?${query}`)).status).toBe(400)
})

test('a walk by links or by page numbers comes by every tag once; no page holds more than 250', async () => {
  const { api } = await newAccount()
  const all = Array.from({ length: 260 }, (_, index) => `Tag ${index}`)
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

test('everybody with a token lists tags; without one nobody does anything', async () => {
  const account = await newAccount()
  const [{ id }] = (await account.api.post(path, [{ name: 'a' }])).body._embedded.tags
  const unable = await account.addUser({ rights: {} })
  expect(names(await unable.api.get(path))).toEqual(['a'])
  const nobody = { authorization: 'Bearer x' }
  expect((await account.api.get(path, nobody)).status).toBe(401)
  expect((await account.api.post(path, [{ name: 'b' }], nobody)).status).toBe(401)
  expect((await account.api.patch(`${path}/${id}`, { name: 'b' }, nobody)).status).toBe(401)
  expect((await account.api.delete(`${path}/${id}`, undefined, nobody)).status).toBe(401)
  expect(names(await account.api.get(path))).toEqual(['a'])
})

describe('rights', () => {
  const none = { view: 'D', edit: 'D', add: 'D' } as const

  test('tags are created by users who may add or edit records of the type', async () => {
    const account = await newAccount()
    const all = { view: 'A', edit: 'A', add: 'A' } as const
    const made = async (rights: object) => {
      const { api } = await account.addUser({ rights })
      const answers = await Promise.all(
        allKinds.map((type) => api.post(`/api/v4/${type}/tags`, [{ name: 'a' }])),
      )
      return allKinds.filter((_, index) => answers[index]!.status === 200)
    }
    expect(await made({})).toEqual([])
    expect(await made({ leads: { view: 'A' } })).toEqual([])
    // Customers follow the rights of leads.
    expect(await made({ leads: { add: 'A' } })).toEqual(['leads', 'customers'])
    expect(await made({ contacts: { view: 'M', edit: 'M' } })).toEqual(['contacts'])
    expect(await made({ companies: { view: 'G', edit: 'G' } })).toEqual(['companies'])
    expect(await made({ leads: all, contacts: all, companies: all })).toEqual([...allKinds])
    const { id: pipeline_id, statuses } = await mainPipeline(account)
    const rights = { view: 'A', edit: 'A' }
    const [status_id] = statuses
    const status_rights = [{ entity_type: 'leads', pipeline_id, status_id, rights }]
    expect(await made({ status_rights })).toEqual(['leads'])
  })

  test('a user without the right leaves no tag', async () => {
    const account = await newAccount()
    const { api } = await account.addUser({ rights: { leads: { view: 'A' } } })
    expect((await api.post(path, [{ name: 'a' }])).status).toBe(403)
    expect(names(await account.api.get(path))).toEqual([])
  })

  test('tags in the body of a record need the right to the record and no other', async () => {
    const account = await newAccount()
    const adder = await addSeller(account, { add: 'A', view: 'M' })
    const id = await addLead(adder.api, { _embedded: { tags: [{ name: 'new' }] } })
    const editor = await addSeller(account, { view: 'A', edit: 'M' })
    await account.api.patch(`/api/v4/leads/${id}`, { responsible_user_id: editor.id })
    const tags_to_add = [{ name: 'newer' }]
    expect((await editor.api.patch(`/api/v4/leads/${id}`, { tags_to_add })).status).toBe(200)
    expect(tagNames(await readLead(account.api, id))).toEqual(['new', 'newer'])
  })

  test.for([
    ['nothing', none],
    ['adding', { ...none, add: 'A' }],
    ['viewing', { ...none, view: 'A' }],
    ['editing own', { ...none, view: 'A', edit: 'M' }],
    ["editing the group's", { ...none, view: 'A', edit: 'G' }],
  ] as const)('tags are neither changed nor deleted with the right to %s', async ([, leads]) => {
    const account = await newAccount()
    const [{ id }] = (await account.api.post(path, [{ name: 'a' }])).body._embedded.tags
    const { api } = await addSeller(account, leads)
    const answers = [
      await api.patch(path, [{ id, name: 'b' }]),
      await api.patch(`${path}/${id}`, { name: 'b' }),
      await api.delete(`${path}/${id}`),
      await api.delete(`${path}/999999999`),
    ]
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403])
    expect(names(await account.api.get(path))).toEqual(['a'])
  })

  test('the right to edit all leads lets a user change tags of leads and customers, no others', async () => {
    const account = await newAccount()
    const { api } = await addSeller(account, { view: 'A', edit: 'A' })
    for (const type of allKinds) {
      const at = `/api/v4/${type}/tags`
      const [{ id }] = (await account.api.post(at, [{ name: 'a' }])).body._embedded.tags
      const may = type === 'leads' || type === 'customers'
      expect((await api.patch(`${at}/${id}`, { name: 'b' })).status).toBe(may ? 200 : 403)
      expect((await api.delete(`${at}/${id}`)).status).toBe(may ? 204 : 403)
    }
  })

  test('nobody reaches the tags of another account or another type', async () => {
    const [mine, theirs] = [await newAccount(), await newAccount()]
    const [{ id }] = (await mine.api.post(path, [{ name: 'a' }])).body._embedded.tags
    for (const [api, at] of [
      [theirs.api, path],
      [mine.api, '/api/v4/contacts/tags'],
    ] as const) {
      expect((await api.patch(`${at}/${id}`, { name: 'b' })).status).toBe(404)
      expect((await api.delete(`${at}/${id}`)).status).toBe(404)
      expect(faultsOf(await api.patch(at, [{ id, name: 'b' }]))).toEqual({
        0: ['EntityNotFound id'],
      })
    }
    expect(names(await mine.api.get(path))).toEqual(['a'])
  })
})

describe('changes', () => {
  test.for(allKinds)('a tag of %s is renamed and found by its new name only', async (type) => {
    const account = await newAccount()
    const { api } = account
    const at = `/api/v4/${type}/tags`
    const [tag] = (await api.post(at, [{ name: 'wbe' }, { name: 'other' }])).body._embedded.tags
    const recorded = await listen(account)
    const answer = await api.patch(`${at}/${tag.id}`, { name: ' Веб ', request_id: 'r' })
    expect([answer.status, answer.body]).toEqual([
      200,
      { id: tag.id, name: 'Веб', color: null, request_id: 'r' },
    ])
    expect(names(await api.get(at))).toEqual(['Веб', 'other'])
    expect(names(await api.get(`${at}?filter[name]=${encodeURIComponent('ВЕБ')}`))).toEqual(['Веб'])
    expect(names(await api.get(`${at}?query=${encodeURIComponent('еб')}`))).toEqual(['Веб'])
    expect(names(await api.get(`${at}?filter[name]=wbe`))).toEqual([])
    expect(names(await api.get(`${at}?query=wbe`))).toEqual([])
    // The old name is free.
    const [fresh] = (await api.post(at, [{ name: 'wbe' }])).body._embedded.tags
    expect(fresh.id).toBeGreaterThan(tag.id)
    expect(await recorded()).toEqual({ journal: [], events: [] })
  })

  test.for(allKinds)('%s show the new name at once and are not changed', async (kind) => {
    const account = await newAccount()
    const { api } = account
    const at = `/api/v4/${kind}/tags`
    const id = await addRecord(api, kind, { _embedded: { tags: [{ name: 'a' }, { name: 'b' }] } })
    const before = await readRecord(api, kind, id)
    const [a] = before._embedded.tags
    const recorded = await listen(account)
    const sent = { name: 'z', color: '86c0fc' }
    const { color } = (await api.patch(`${at}/${a.id}`, sent)).body
    expect(color).toBe(kind === 'leads' ? '86C0FC' : null)
    const shown = { ...before._embedded, tags: [{ id: a.id, name: 'z', color }, expect.anything()] }
    expect(await readRecord(api, kind, id)).toEqual({ ...before, _embedded: shown })
    expect((await api.get(`/api/v4/${kind}`)).body._embedded[kind][0]._embedded).toEqual(shown)
    expect(await recorded()).toEqual({ journal: [], events: [] })
    // Records name the tag by its new name, and their events do.
    await api.patch(`/api/v4/${kind}/${id}`, { tags_to_delete: [{ name: 'Z' }] })
    expect((await recorded()).events).toMatchObject([
      { type: 'entity_tag_deleted', value_before: [{ tag: { name: 'z' } }], value_after: [] },
    ])
  })

  test('name and color are changed alone, what was read can be sent back, and an empty change is one', async () => {
    const { api } = await newAccount()
    const [{ id }] = (await api.post(path, [{ name: 'a', color: 'FF8F92' }])).body._embedded.tags
    const change = async (body: object) => {
      const { status, body: tag } = await api.patch(`${path}/${id}`, body)
      expect([status, tag.id]).toEqual([200, id])
      return [tag.name, tag.color, tag.request_id]
    }
    expect(await change({ name: 'b' })).toEqual(['b', 'FF8F92', '0'])
    expect(await change({ color: '86c0fc' })).toEqual(['b', '86C0FC', '0'])
    const [read] = (await api.get(path)).body._embedded.tags
    expect(await change(read)).toEqual(['b', '86C0FC', '0'])
    expect(await change({})).toEqual(['b', '86C0FC', '0'])
    expect(await change({ id: 1, name: 'B' })).toEqual(['B', '86C0FC', '0'])
    expect(await change({ color: null })).toEqual(['B', null, '0'])
    expect(await change({ color: 'FF8F92' })).toEqual(['B', 'FF8F92', '0'])
    expect(await change({ color: '' })).toEqual(['B', null, '0'])
    const [made] = (await api.post(path, [{ name: 'c', color: '' }])).body._embedded.tags
    expect(made.color).toBeNull()
  })

  test('records that were read before show a new name, a new color and a deletion at once', async () => {
    const { api } = await newAccount()
    const [lead] = await addRecords(api, 'leads', [{ _embedded: { tags: [{ name: 'old' }] } }])
    const shown = async () => {
      const { body } = await api.get(`/api/v4/leads/${lead!}`)
      const { body: page } = await api.get('/api/v4/leads')
      expect(page._embedded.leads[0]._embedded.tags).toEqual(body._embedded.tags)
      return body._embedded.tags
    }
    const [{ id }] = await shown()
    for (const change of [{ name: 'new' }, { color: tagColors[1] }, { name: 'newer' }]) {
      expect((await api.patch(`/api/v4/leads/tags/${id}`, change)).status).toBe(200)
      expect(await shown()).toMatchObject([{ id, ...change }])
    }
    expect((await api.delete(`/api/v4/leads/tags/${id}`)).status).toBe(204)
    expect(await shown()).toEqual([])
  })

  test('a batch is answered in its order, and items for one tag apply in turn', async () => {
    const { api } = await newAccount()
    const [a, b] = (await api.post(path, [{ name: 'a' }, { name: 'b' }])).body._embedded.tags
    const { status, body } = await api.patch(path, [
      { id: b.id, name: 'B', request_id: 'x' },
      { id: a.id, name: 'one', color: 'FF8F92' },
      { id: a.id, name: 'two' },
    ])
    const last = { id: a.id, name: 'two', color: 'FF8F92' }
    expect([status, body]).toEqual([
      200,
      {
        _embedded: {
          tags: [
            { id: b.id, name: 'B', color: null, request_id: 'x' },
            { ...last, request_id: '1' },
            { ...last, request_id: '2' },
          ],
        },
      },
    ])
    expect(names(await api.get(path))).toEqual(['two', 'B'])
    // One tag without a list.
    expect((await api.patch(path, { id: a.id, name: 'a' })).status).toBe(200)
    expect(names(await api.get(path))).toEqual(['a', 'B'])
  })

  test('tags exchange their names in one batch', async () => {
    const { api } = await newAccount()
    const tags = (await api.post(path, [{ name: 'a' }, { name: 'b' }, { name: 'c' }])).body
      ._embedded.tags as { id: number }[]
    const renamed = ['B', 'C', 'A']
    const items = tags.map(({ id }, index) => ({ id, name: renamed[index]! }))
    expect((await api.patch(path, items)).status).toBe(200)
    expect(names(await api.get(path))).toEqual(renamed)
    for (const name of renamed)
      expect(names(await api.get(`${path}?filter[name]=${name}`))).toEqual([name])
  })

  test('the name of another tag is refused in any case, and nothing is changed', async () => {
    const { api } = await newAccount()
    const sent = ['Веб', 'shop', 'phone'].map((name) => ({ name }))
    const [web, shop, phone] = (await api.post(path, sent)).body._embedded.tags
    await api.post('/api/v4/contacts/tags', [{ name: 'of contacts' }])
    const taken = ['NotUnique name']
    expect(faultsOf(await api.patch(`${path}/${shop.id}`, { name: ' вЕБ ' }))).toEqual({ 0: taken })
    expect(
      faultsOf(
        await api.patch(path, [
          { id: shop.id, name: 'new', request_id: 'first' },
          { id: phone.id, name: 'NEW', request_id: 'second' },
        ]),
      ),
    ).toEqual({ second: taken })
    // One keeps the name that another is to get.
    expect(
      faultsOf(
        await api.patch(path, [
          { id: shop.id, name: 'PHONE' },
          { id: phone.id, color: 'FF8F92' },
        ]),
      ),
    ).toEqual({ 0: taken })
    expect(names(await api.get(path))).toEqual(['Веб', 'shop', 'phone'])
    // Its own name in another case, and the name of a tag of another type, are free.
    expect((await api.patch(`${path}/${web.id}`, { name: 'веб' })).status).toBe(200)
    expect((await api.patch(`${path}/${shop.id}`, { name: 'of contacts' })).status).toBe(200)
    expect(names(await api.get(path))).toEqual(['веб', 'of contacts', 'phone'])
  })

  test('one bad change refuses the batch, and every bad one is listed', async () => {
    const { api } = await newAccount()
    const [{ id }] = (await api.post(path, [{ name: 'a' }])).body._embedded.tags
    const refused = await api.patch(path, [
      { id, name: 'b' },
      { name: 'no id' },
      { id: 999_999_999, name: 'c', color: 'red', request_id: 'unknown' },
      { id, name: '' },
      { id, name: '  ' },
      { id, name: 5 },
      { id, name: 'x'.repeat(256) },
      { id, color: 'red' },
      { id, colour: 'FF8F92' },
      { id: 'x' },
      'tag',
    ])
    expect(refused.status).toBe(400)
    expect(faultsOf(refused)).toEqual({
      1: ['FieldMissing id'],
      unknown: ['EntityNotFound id', 'NotSupportedChoice color'],
      3: ['NotBlank name'],
      4: ['NotBlank name'],
      5: ['InvalidType name'],
      6: ['TooLong name'],
      7: ['NotSupportedChoice color'],
      8: ['FieldNotExpected colour'],
      9: ['InvalidType id'],
      10: ['InvalidType '],
    })
    expect(faultsOf(await api.patch(`${path}/${id}`, { name: ' ' }))).toEqual({
      0: ['NotBlank name'],
    })
    for (const body of [[], Array.from({ length: 251 }, () => ({ id, name: 'b' })), '"x"', '7'])
      expect((await api.patch(path, body)).status).toBe(400)
    expect((await api.patch(`${path}/${id}`, [{ name: 'b' }])).status).toBe(400)
    expect((await api.patch(`${path}/999999999`, { name: 'b' })).status).toBe(404)
    expect((await api.patch(`${path}/x`, { name: 'b' })).status).toBe(404)
    expect(names(await api.get(path))).toEqual(['a'])
  })

  test('of several callers who give one name to different tags, one succeeds', async () => {
    const { api } = await newAccount()
    const tags = (
      await api.post(
        path,
        Array.from({ length: 8 }, (_, index) => ({ name: `t${index}` })),
      )
    ).body._embedded.tags as { id: number }[]
    const answers = await Promise.all(
      tags.map(({ id }, index) => api.patch(`${path}/${id}`, { name: index % 2 ? 'One' : 'ONE' })),
    )
    expect(answers.map(({ status }) => String(status)).toSorted()).toEqual([
      '200',
      ...Array(7).fill('400'),
    ])
    expect(names(await api.get(`${path}?filter[name]=one`))).toHaveLength(1)
  })
})

describe('deletions', () => {
  /** The stored tags of a record, whatever answers show. */
  async function tagsKept({ id: account, kontor }: TestAccount, kind: string, id: number) {
    const [row] = await kontor.database.list<{ kept: number[] }>(sql`
      select to_json(tag_ids) as kept from ${raw(kind)} where account_id = ${account} and id = ${id}`)
    return row!.kept
  }
  const cleaned = async ({ id, kontor }: TestAccount) => {
    const left = () => kontor.database.list(sql`select from cleanups where account_id = ${id}`)
    await expect.poll(left, { timeout: 20_000 }).toEqual([])
  }

  /** While `work` runs, no clean-up begins: it waits for the transaction around it. */
  const beforeCleanUp = <Result>({ kontor }: TestAccount, work: () => Promise<Result>) =>
    kontor.database.transaction(work)

  test.for(allKinds)('a deleted tag of %s is gone, and its name is free', async (type) => {
    const account = await newAccount()
    const { api } = account
    const at = `/api/v4/${type}/tags`
    const [a] = (await api.post(at, [{ name: 'a' }, { name: 'b' }])).body._embedded.tags
    const recorded = await listen(account)
    const { status, body } = await api.delete(`${at}/${a.id}`)
    expect([status, body]).toEqual([204, undefined])
    expect((await api.delete(`${at}/${a.id}`)).status).toBe(404)
    expect((await api.patch(`${at}/${a.id}`, { name: 'c' })).status).toBe(404)
    expect(faultsOf(await api.patch(at, [{ id: a.id }]))).toEqual({ 0: ['EntityNotFound id'] })
    expect(names(await api.get(at))).toEqual(['b'])
    expect(names(await api.get(`${at}?filter[id]=${a.id}`))).toEqual([])
    expect(names(await api.get(`${at}?filter[name]=a`))).toEqual([])
    const [again] = (await api.post(at, [{ name: 'A' }])).body._embedded.tags
    expect(again).toMatchObject({ name: 'A', color: null })
    expect(again.id).toBeGreaterThan(a.id)
    await cleaned(account)
    expect(await recorded()).toEqual({ journal: [], events: [] })
  })

  test.for(allKinds)(
    '%s lose a deleted tag at once in answers, soon in the database, without any news',
    async (kind) => {
      const account = await newAccount()
      const { api } = account
      const tags = [{ name: 'a' }, { name: 'b' }]
      const [id, binned] = (await addRecords(api, kind, [
        { _embedded: { tags } },
        { _embedded: { tags } },
      ])) as [number, number]
      await api.delete(`/api/v4/${kind}/${binned}`)
      const before = await readRecord(api, kind, id)
      const [a, b] = before._embedded.tags
      const recorded = await listen(account)
      await beforeCleanUp(account, async () => {
        expect((await api.delete(`/api/v4/${kind}/tags/${a.id}`)).status).toBe(204)
        const after = { ...before, _embedded: { ...before._embedded, tags: [b] } }
        expect(await readRecord(api, kind, id)).toEqual(after)
        expect((await api.get(`/api/v4/${kind}`)).body._embedded[kind]).toEqual([after])
        expect(await tagsKept(account, kind, id)).toEqual([a.id, b.id])
        // A tag of the same name is another one, and nobody has it.
        await api.post(`/api/v4/${kind}/tags`, [{ name: 'a' }])
        expect(await readRecord(api, kind, id)).toEqual(after)
        const tags_to_add = [{ id: a.id }]
        expect(faultsOf(await api.patch(`/api/v4/${kind}`, [{ id, tags_to_add }]))).toEqual({
          0: ['NotSupportedChoice tags_to_add.0.id'],
        })
      })
      await cleaned(account)
      expect(await tagsKept(account, kind, id)).toEqual([b.id])
      expect(await tagsKept(account, kind, binned)).toEqual([b.id])
      expect(await recorded()).toEqual({ journal: [], events: [] })
      await api.post(`/api/v4/${kind}/${binned}/restore`)
      expect(tagNames(await readRecord(api, kind, binned))).toEqual(['b'])
    },
  )

  test.for(allKinds)(
    'before the clean-up, changes of %s tell of the other tags only',
    async (kind) => {
      const account = await newAccount()
      const { api } = account
      const drafts = Array.from({ length: 4 }, () => ({
        _embedded: { tags: [{ name: 'a' }, { name: 'b' }] },
      }))
      const ids = (await addRecords(api, kind, drafts)) as [number, number, number, number]
      const [a, b] = (await readRecord(api, kind, ids[0]))._embedded.tags
      await beforeCleanUp(account, async () => {
        await api.delete(`/api/v4/${kind}/tags/${a.id}`)
        const recorded = await listen(account)
        const changes = [
          { _embedded: { tags: [{ name: 'b' }] } },
          { _embedded: { tags: [{ name: 'c' }] } },
          { tags_to_add: [{ name: 'c' }], tags_to_delete: [{ name: 'a' }] },
          { name: 'New' },
        ]
        const items = changes.map((change, index) => ({ id: ids[index], ...change }))
        expect((await api.patch(`/api/v4/${kind}`, items)).status).toBe(200)
        const shown = await Promise.all(ids.map((id) => readRecord(api, kind, id)))
        expect(shown.map(tagNames)).toEqual([['b'], ['c'], ['b', 'c'], ['b']])
        const { events, journal } = await recorded()
        const logged = events.map(({ type, entity_id, value_before, value_after }) => [
          ids.indexOf(entity_id),
          type,
          ...[...value_before, ...value_after].map(({ tag }) => tag?.name),
        ])
        expect(logged.map(String).toSorted()).toEqual([
          '1,entity_tag_added,c',
          '1,entity_tag_deleted,b',
          '2,entity_tag_added,c',
          '3,name_field_changed,,',
        ])
        expect(journal.map(({ before }) => before!.tag_ids)).toEqual([[b.id], [b.id], undefined])
      })
      await cleaned(account)
      const [c] = (await readRecord(api, kind, ids[1]))._embedded.tags
      const kept = await Promise.all(ids.map((id) => tagsKept(account, kind, id)))
      expect(kept).toEqual([[b.id], [c.id], [b.id, c.id], [b.id]])
    },
  )

  test('a lead that is given the tag while it is deleted has it neither at once nor later', async () => {
    const account = await newAccount()
    const { api, kontor } = account
    const [tag] = (await api.post(path, [{ name: 'a' }])).body._embedded.tags
    const id = await addLead(api)
    let given: Promise<Answer> | undefined
    await kontor.database.transaction(async (tx) => {
      await tx.rows(sql`select from leads where id = ${id} for update`)
      // The change has found the tag and waits for the lead.
      given = api.patch(`/api/v4/leads/${id}`, { tags_to_add: [{ id: tag.id }] })
      await untilAwaited(tx)
      expect((await api.delete(`${path}/${tag.id}`)).status).toBe(204)
    })
    expect((await given!).status).toBe(200)
    expect(tagNames(await readLead(api, id))).toEqual([])
    await cleaned(account)
    expect(await tagsKept(account, 'leads', id)).toEqual([])
  })

  test('tags that are made, renamed, deleted and given at once leave nothing behind', async () => {
    const account = await newAccount()
    const { api } = account
    const ids = await addLeads(api, [{}, {}, {}, {}])
    const answers: number[] = []
    const ask = async (answer: Promise<Answer>) => {
      const { status, body } = await answer
      answers.push(status)
      return body
    }
    const name = (index: number) => `tag ${index % 3}`
    await Promise.all(
      ids.flatMap((id, caller) => [
        (async () => {
          for (let round = 0; round < 20; round++) {
            const made = await ask(
              api.post(path, [{ name: name(round) }, { name: name(round + 1) }]),
            )
            const [one, other] = made._embedded.tags
            expect([one.name, other.name]).not.toContain(undefined)
            if (caller % 2) await ask(api.patch(`${path}/${one.id}`, { name: `other ${round}` }))
            await ask(api.delete(`${path}/${one.id}`))
          }
        })(),
        (async () => {
          for (let round = 0; round < 20; round++)
            await ask(
              api.patch(`/api/v4/leads/${id}`, {
                tags_to_add: [{ name: name(round) }, { name: name(round + 1) }],
              }),
            )
        })(),
      ]),
    )
    // Another caller deletes a tag first (404) or gives its name to another one (400).
    expect([200, 204, 400, 404]).toEqual(expect.arrayContaining([...new Set(answers)]))
    await cleaned(account)
    const existing = new Set(
      ((await api.get(`${path}?limit=250`)).body._embedded.tags as { id: number }[]).map(
        (tag) => tag.id,
      ),
    )
    for (const id of ids)
      for (const tag of await tagsKept(account, 'leads', id)) expect(existing).toContain(tag)
  })
})

test('there is no such type of record', async () => {
  const { api } = await newAccount()
  expect((await api.get('/api/v4/tasks/tags')).status).toBe(404)
})

describe('as administrators manage them', () => {
  const managed = async (api: TestAccount['api'], query = '') =>
    (await api.get(`/web/v1/tags/contacts${query}`)).body

  test('tags are listed by their names, with the records that have each, those of the bin too', async () => {
    const account = await newAccount()
    const { api } = account
    const [vip, other] = (
      await api.post('/api/v4/contacts/tags', [{ name: 'VIP' }, { name: 'магазин' }])
    ).body._embedded.tags
    await api.post(path, [{ name: 'of leads' }])
    const having = { _embedded: { tags: [{ id: vip.id }] } }
    const [one] = await addRecords(api, 'contacts', [having, having, {}])
    await api.delete(`/api/v4/contacts/${one}`)
    expect(await managed(api)).toEqual({
      _embedded: {
        tags: [
          { ...vip, used: 2, request_id: undefined },
          { ...other, used: 0, request_id: undefined },
        ],
      },
      has_more: false,
    })
    expect((await managed(api, '?query=агаз'))._embedded.tags).toMatchObject([{ id: other.id }])
    const stranger = await newAccount()
    expect((await managed(stranger.api))._embedded.tags).toEqual([])
  })

  test('a walk by the last name comes by every tag once', async () => {
    const { api } = await newAccount()
    const all = Array.from({ length: 120 }, (_, index) => `Tag ${String(index).padStart(3, '0')}`)
    await api.post(
      '/api/v4/contacts/tags',
      all.toReversed().map((name) => ({ name })),
    )
    const walked: string[] = []
    for (let query = ''; ;) {
      const { _embedded, has_more } = await managed(api, query)
      walked.push(..._embedded.tags.map(({ name }: { name: string }) => name))
      if (!has_more) break
      query = `?after=${encodeURIComponent(walked.at(-1)!.toUpperCase())}`
    }
    expect(walked).toEqual(all)
    expect((await managed(api, '?limit=7'))._embedded.tags).toHaveLength(7)
  })

  test.for(['limit=51', 'limit=0', 'filter[id]=1', 'query=%00'])('%s is refused', async (query) => {
    const { api } = await newAccount()
    expect((await api.get(`/web/v1/tags/contacts?${query}`)).status).toBe(400)
    expect((await api.get('/web/v1/tags/tasks')).status).toBe(404)
  })
})
