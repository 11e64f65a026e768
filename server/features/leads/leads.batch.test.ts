import { expect, test } from 'vitest'
import { newAccount } from '../../../test/account.ts'
import type { Answer } from '../../../test/client.ts'
import { addLead, addLeads, faultsOf, listen, readLead } from '../../../test/leads.ts'

const path = '/api/v4/leads'

const tagsOf = (lead: { _embedded: { tags: { name: string }[] } }) =>
  lead._embedded.tags.map(({ name }) => name)

test('a batch is answered in its order with its request ids', async () => {
  const { api } = await newAccount()
  const [a, b, c] = await addLeads(api, [{}, {}, {}])
  const { status, body } = await api.patch(path, [
    { id: c, name: 'C', request_id: 'last' },
    { id: String(a), name: 'A' },
    { id: b, name: 'B' },
  ])
  expect(status).toBe(200)
  const { leads } = body._embedded
  expect(
    leads.map(({ id, request_id }: { id: number; request_id: string }) => [id, request_id]),
  ).toEqual([
    [c, 'last'],
    [a, '1'],
    [b, '2'],
  ])
  const read: Answer[] = await Promise.all(
    leads.map(({ _links }: { _links: { self: { href: string } } }) => api.get(_links.self.href)),
  )
  expect(read.map((answer) => answer.body.name)).toEqual(['C', 'A', 'B'])
})

test('one bad item refuses the batch: unknown ids, ids of another account and bad values are all listed', async () => {
  const account = await newAccount()
  const { api } = account
  const theirs = await addLead((await newAccount()).api, { name: 'Theirs' })
  const [a, b] = await addLeads(api, [{ name: 'A' }, { name: 'B' }])
  const newsSince = await listen(account)
  const refused = await api.patch(path, [
    { id: a, name: 'changed', tags_to_add: [{ name: 'made for nobody' }] },
    { id: 999_999_999, name: 'changed' },
    { id: theirs, name: 'changed', request_id: 'theirs' },
    { name: 'no id' },
    { id: 0 },
    { id: b, price: 'much' },
    { id: b, status_id: 5 },
  ])
  expect(refused.status).toBe(400)
  expect(faultsOf(refused)).toEqual({
    1: ['EntityNotFound id'],
    theirs: ['EntityNotFound id'],
    3: ['FieldMissing id'],
    4: [expect.stringMatching(/ id$/)],
    5: ['InvalidType price'],
    6: ['NotSupportedChoice status_id'],
  })
  expect((await readLead(api, a!)).name).toBe('A')
  expect((await api.get('/api/v4/leads/tags')).body._embedded.tags).toEqual([])
  expect(await newsSince()).toEqual({ journal: [], events: [] })
})

test.for([
  ['251 changes', (id: number) => Array.from({ length: 251 }, () => ({ id }))],
  ['no change', () => []],
  ['a text', () => '"x"'],
  ['nothing', () => ''],
] as const)('a batch of %s is refused', async ([, body]) => {
  const { api } = await newAccount()
  const id = await addLead(api)
  expect((await api.patch(path, body(id))).status).toBe(400)
})

test('two items for one lead count one after the other, and both are answered', async () => {
  const account = await newAccount()
  const id = await addLead(account.api, {
    name: 'One',
    price: 1,
    _embedded: { tags: [{ name: 'a' }] },
  })
  const { status, body } = await account.api.patch(path, [
    { id, price: 5, tags_to_add: [{ name: 'b' }] },
    { id, price: 7, name: 'Two', tags_to_delete: [{ name: 'b' }], tags_to_add: [{ name: 'c' }] },
  ])
  expect(status).toBe(200)
  expect(body._embedded.leads.map(({ request_id }: { request_id: string }) => request_id)).toEqual([
    '0',
    '1',
  ])
  const lead = await readLead(account.api, id)
  expect([lead.name, lead.price, ...tagsOf(lead)]).toEqual(['Two', 7, 'a', 'c'])
})

test('250 leads are changed at once', async () => {
  const { api } = await newAccount()
  const ids = await addLeads(
    api,
    Array.from({ length: 250 }, () => ({})),
  )
  expect(
    (
      await api.patch(
        path,
        ids.map((id, place) => ({ id, price: place })),
      )
    ).status,
  ).toBe(200)
  const { leads } = (await api.get(`${path}?limit=250`)).body._embedded
  expect(leads.map(({ price }: { price: number }) => price)).toEqual(ids.map((_, place) => place))
})
