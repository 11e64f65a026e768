import { expect, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import { addPipeline, faultsOf, listen, mainPipeline } from '../../../../test/leads.ts'
import {
  addSources,
  anotherIntegration,
  listSources,
  numberedOrigins,
} from '../../../../test/origins.ts'

const path = '/api/v4/sources'

test('sources are created with their defaults, in the order of the request', async () => {
  const account = await newAccount()
  const { id: pipeline_id } = await addPipeline(account)
  const recorded = await listen(account)
  const page = { id: 5, name: 'Page', link: '79990000000' }
  const services = [
    { type: 'whatsapp', params: { waba: true }, pages: [page] },
    { type: 'whatsapp' },
  ]
  const { status, body } = await account.api.post(path, [
    { name: ' Site ', external_id: 'site' },
    {
      name: 'Phone',
      external_id: ' ~',
      pipeline_id,
      default: true,
      origin_code: 'chat',
      services,
      request_id: 'b',
    },
  ])
  expect(status).toBe(200)
  const main = (await mainPipeline(account)).id
  const self = { self: { href: expect.stringContaining(path) } }
  expect(body).toEqual({
    _total_items: 2,
    _links: self,
    _embedded: {
      sources: [
        {
          id: expect.any(Number),
          name: 'Site',
          external_id: 'site',
          pipeline_id: main,
          default: false,
          origin_code: null,
          services: [],
          request_id: '0',
          _links: self,
        },
        {
          id: expect.any(Number),
          name: 'Phone',
          external_id: ' ~',
          pipeline_id,
          default: true,
          origin_code: 'chat',
          services: [
            {
              type: 'whatsapp',
              params: {
                waba: true,
                is_supports_list_message: false,
              },
              pages: [
                {
                  ...page,
                  id: '5',
                },
              ],
            },
            {
              type: 'whatsapp',
              params: {
                waba: false,
                is_supports_list_message: false,
              },
              pages: [],
            },
          ],
          request_id: 'b',
          _links: self,
        },
      ],
    },
  })
  const [first, second] = body._embedded.sources
  expect(second.id).toBeGreaterThan(first.id)
  const { request_id: _, ...source } = second
  expect((await account.api.get(source._links.self.href)).body).toEqual(source)
  expect((await listSources(account.api))[1]).toEqual(source)
  expect(
    (await account.api.post(path, { name: 'One', external_id: 'one' })).body._total_items,
  ).toBe(1)
  expect(await recorded()).toEqual({ journal: [], events: [] })
})

test('the list is whole, filtered by external ids, and empty as the caller wants it', async () => {
  const { api } = await newAccount()
  expect((await api.get(path)).body).toMatchObject({ _total_items: 0, _embedded: { sources: [] } })
  await addSources(api, ...numberedOrigins(3))
  const names = async (query: string) =>
    (await listSources(api, query)).map(({ external_id }) => external_id)
  expect(await names('')).toEqual(['place 0', 'place 1', 'place 2'])
  expect(await names('?filter[external_id]=place%201')).toEqual(['place 1'])
  expect(
    await names('?filter[external_id][]=place%202&filter[external_id][]=place%200&limit=1'),
  ).toEqual(['place 0', 'place 2'])
  expect(await names('?filter[external_id]=PLACE%201')).toEqual([])
  expect(await names('?page=2')).toEqual([])
  expect((await api.get(`${path}?filter[name]=x`)).status).toBe(400)
  const { body } = await api.get(`${path}?filter[external_id]=place%201`)
  expect((await api.get(body._links.self.href)).body).toEqual(body)

  const used = await newAccount({ emptyList: 204 })
  expect((await used.api.get(path)).status).toBe(204)
  await addSources(used.api, ...numberedOrigins(1))
  expect((await used.api.get(path)).status).toBe(200)
  expect((await used.api.get(`${path}?filter[external_id]=x`)).status).toBe(204)
  expect((await used.api.get(`${path}/999999999`)).status).toBe(404)
})

test('what is wrong is listed, and nothing is written', async () => {
  const account = await newAccount()
  const theirs = await mainPipeline(await newAccount())
  const { api } = account
  await addSources(api, { name: 'There', external_id: 'there' })
  const service = (more: object) => ({
    name: 'x',
    external_id: 'x',
    services: [{ type: 'whatsapp', ...more }],
  })
  const refused = await api.post(path, [
    { name: 'Good', external_id: 'good' },
    { name: ' ', external_id: 'there' },
    { name: 'Twice', external_id: 'good' },
    { external_id: '' },
    { name: 'x', external_id: 'x'.repeat(37) },
    { name: 'x', external_id: 'é' },
    { name: 'x', external_id: 'line\nbreak' },
    { name: 'x', external_id: 'x1', pipeline_id: theirs.id },
    { name: 'x', external_id: 'x2', default: 'yes', origin_code: 5 },
    service({ type: 'telegram' }),
    service({ pages: [{ id: 'a', name: 'b' }], params: { colour: true } }),
    {
      name: 'x',
      external_id: 'x',
      services: Array.from({ length: 11 }, () => ({ type: 'whatsapp' })),
    },
    service({ pages: Array.from({ length: 51 }, () => ({ id: '1', name: 'b', link: 'c' })) }),
    { name: 'x', external_id: 'x', colour: 'red' },
  ])
  expect(faultsOf(refused)).toEqual({
    1: ['NotBlank name'],
    2: ['NotUnique external_id'],
    3: ['FieldMissing name', 'InvalidFormat external_id'],
    4: ['TooLong external_id'],
    5: ['InvalidFormat external_id'],
    6: ['InvalidFormat external_id'],
    7: ['NotSupportedChoice pipeline_id'],
    8: ['InvalidType default', 'InvalidType origin_code'],
    9: ['NotSupportedChoice services.0.type'],
    10: ['FieldNotExpected services.0.params.colour', 'FieldMissing services.0.pages.0.link'],
    11: ['TooMany services'],
    12: ['TooMany services.0.pages'],
    13: ['FieldNotExpected colour'],
  })
  expect(faultsOf(await api.post(path, numberedOrigins(51)))).toEqual({ 0: ['TooMany '] })
  expect((await listSources(api)).map(({ name }) => name)).toEqual(['There'])
})

test('an integration has 100 sources at most, also when several add the last one; deleted ones do not count', async () => {
  const account = await newAccount()
  const { api } = account
  await addSources(api, ...numberedOrigins(50))
  await addSources(api, ...numberedOrigins(49, 50))
  const answers = await Promise.all(
    [200, 300, 400, 500].map((from) => api.post(path, numberedOrigins(1, from))),
  )
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(answers.filter(({ status }) => status === 400)).toHaveLength(3)
  const all = await listSources(api)
  expect(all).toHaveLength(100)
  await addSources(await anotherIntegration(account), ...numberedOrigins(1))
  await api.delete(`${path}/${all[0]!.id}`)
  expect((await api.post(path, numberedOrigins(2, 600))).status).toBe(400)
  expect((await api.post(path, numberedOrigins(1, 600))).status).toBe(200)
})
