import { expect, test } from 'vitest'
import { newAccount } from '../../../test/account.ts'
import { addLead, addLeads, readLead } from '../../../test/leads.ts'

const path = '/api/v4/leads'

const tagsOf = (lead: { _embedded: { tags: { name: string }[] } }) =>
  lead._embedded.tags.map(({ name }) => name)

test('tags are replaced by a list, kept without one, detached by null and by an empty list', async () => {
  const { api } = await newAccount()
  const id = await addLead(api, { _embedded: { tags: [{ name: 'a' }, { name: 'b' }] } })
  const change = async (body: object) => {
    expect((await api.patch(`${path}/${id}`, body)).status).toBe(200)
    return tagsOf(await readLead(api, id))
  }
  expect(await change({ _embedded: { tags: [{ name: 'c' }, { name: 'B' }] } })).toEqual(['c', 'b'])
  expect(await change({ price: 1 })).toEqual(['c', 'b'])
  expect(await change({ _embedded: {} })).toEqual(['c', 'b'])
  expect(await change({ _embedded: { tags: [] } })).toEqual([])
  expect(await change({ _embedded: { tags: [{ name: 'a' }] } })).toEqual(['a'])
  expect(await change({ _embedded: { tags: null } })).toEqual([])
})

test('single tags are added and deleted by name and by id; what is not there need not be deleted', async () => {
  const { api } = await newAccount()
  const [web, shop] = (await api.post('/api/v4/leads/tags', [{ name: 'web' }, { name: 'shop' }]))
    .body._embedded.tags
  const id = await addLead(api, { _embedded: { tags: [{ name: 'a' }, { id: web.id }] } })
  const change = async (body: object) => {
    expect((await api.patch(`${path}/${id}`, body)).status).toBe(200)
    return tagsOf(await readLead(api, id))
  }
  expect(await change({ tags_to_add: [{ name: 'A' }, { name: 'b' }, { id: shop.id }] })).toEqual([
    'a',
    'web',
    'b',
    'shop',
  ])
  expect(
    await change({
      tags_to_delete: [{ name: 'WEB ' }, { id: shop.id }, { name: 'unknown' }, { id: 999_999_999 }],
    }),
  ).toEqual(['a', 'b'])
  expect(
    await change({
      tags_to_add: [{ name: 'c' }, { name: 'd' }],
      tags_to_delete: [{ name: 'd' }, { name: 'a' }],
    }),
  ).toEqual(['b', 'c'])
  // A list of tags overrides single tags.
  expect(
    await change({
      _embedded: { tags: [{ name: 'z' }] },
      tags_to_add: [{ name: 'y' }],
      tags_to_delete: [{ name: 'z' }],
    }),
  ).toEqual(['z'])
  expect((await api.get('/api/v4/leads/tags?filter[name]=unknown')).body._embedded.tags).toEqual([])
})

test('tags are named by id or name; an unknown name is made, another case is the same tag, a repetition counts once', async () => {
  const { api } = await newAccount()
  const existing = (await api.post('/api/v4/leads/tags', [{ name: 'Постоянный', color: 'FF8F92' }]))
    .body._embedded.tags[0]
  const id = await addLead(api, {
    _embedded: {
      tags: [
        { name: ' web ' },
        { id: existing.id },
        { name: 'WEB' },
        { name: 'ПОСТОЯННЫЙ' },
        { id: existing.id, name: 'other' },
      ],
    },
  })
  const { tags } = (await readLead(api, id))._embedded
  expect(tags).toEqual([
    { id: expect.any(Number), name: 'web', color: null },
    { id: existing.id, name: 'Постоянный', color: 'FF8F92' },
  ])
  const listed = (await api.get('/api/v4/leads/tags')).body._embedded.tags
  expect(listed.map(({ name }: { name: string }) => name)).toEqual(['Постоянный', 'web'])
})

test('tags may be null or none, and tags_to_add works at creation too', async () => {
  const { api } = await newAccount()
  const ids = await addLeads(api, [
    { _embedded: { tags: null } },
    { _embedded: { tags: [] } },
    { tags_to_add: [{ name: 'new' }] },
  ])
  const leads = await Promise.all(ids.map((id) => readLead(api, id)))
  expect(
    leads.map(({ _embedded }) => _embedded.tags.map(({ name }: { name: string }) => name)),
  ).toEqual([[], [], ['new']])
})
