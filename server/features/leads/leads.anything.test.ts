// Any request gets an answer of the OpenAPI document (test/client.ts checks each), and a refused
// request has written nothing.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { newAccount } from '../../../test/account.ts'
import { addLead, listen } from '../../../test/leads.ts'

const path = '/api/v4/leads'

const number = fc.oneof(
  fc.integer(),
  fc.double(),
  fc.constantFrom(0, -1, 142, 143, 2 ** 31, 2 ** 53, 2 ** 63, 1e308, -1e308, 5e-324),
)
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('', ' ', '0', '1e5', 'null', "'; drop table leads; --", '\u202e', '😀'),
)
const anything: fc.Arbitrary<unknown> = fc.oneof(
  fc.boolean(),
  fc.constant(null),
  number,
  text,
  fc.jsonValue({ maxDepth: 3 }),
)
const tags = fc.oneof(
  anything,
  fc.array(fc.record({ id: anything, name: text }, { requiredKeys: [] }), { maxLength: 4 }),
)

const draft = fc.record(
  {
    id: anything,
    name: fc.oneof(text, anything),
    price: fc.oneof(number, anything),
    status_id: anything,
    pipeline_id: anything,
    responsible_user_id: anything,
    created_by: anything,
    updated_by: anything,
    created_at: anything,
    updated_at: anything,
    closed_at: anything,
    loss_reason_id: anything,
    custom_fields_values: anything,
    request_id: anything,
    is_deleted: anything,
    _embedded: fc.oneof(anything, fc.record({ tags }, { requiredKeys: [] })),
    tags_to_add: tags,
    tags_to_delete: tags,
  },
  { requiredKeys: [] },
)

const runs = { numRuns: 150 }

test('any body is taken whole or refused whole, by every method that writes leads', async () => {
  const account = await newAccount()
  const id = await addLead(account.api)
  const way = fc.constantFrom(
    ['POST', path] as const,
    ['PATCH', path] as const,
    ['PATCH', `${path}/${id}`] as const,
  )
  await fc.assert(
    fc.asyncProperty(
      way,
      fc.oneof(draft, fc.array(draft, { maxLength: 3 }), anything),
      async ([method, to], body) => {
        const newsSince = await listen(account)
        const { status } = await account.api.send(method, to, JSON.stringify(body))
        expect([200, 400]).toContain(status)
        if (status === 400) expect(await newsSince()).toEqual({ journal: [], events: [] })
      },
    ),
    runs,
  )
})

test('any single field is taken or refused by itself', async () => {
  const account = await newAccount()
  const id = await addLead(account.api)
  await fc.assert(
    fc.asyncProperty(draft, async (fields) => {
      for (const [key, value] of Object.entries(fields)) {
        const { status } = await account.api.patch(`${path}/${id}`, { [key]: value })
        expect([200, 400]).toContain(status)
      }
    }),
    { numRuns: 60 },
  )
})

test('any query is answered or refused', async () => {
  const { api } = await newAccount()
  await addLead(api)
  const key = fc.constantFrom(
    'page',
    'limit',
    'after',
    'order[id]',
    'order[created_at]',
    'order',
    'with',
    'filter',
    'filter[]',
    'filter[id]',
    'filter[id][]',
    'filter[name]',
    'filter[name][]',
    'filter[price]',
    'filter[price][from]',
    'filter[price][to]',
    'filter[created_at][from]',
    'filter[closed_at]',
    'filter[statuses][0][status_id]',
    'filter[statuses][0][pipeline_id]',
    'filter[pipeline_id][7]',
    'a[b',
    ']',
  )
  const value = fc.oneof(
    text,
    number.map(String),
    fc.integer({ min: 1, max: 300 }).map(String),
    fc.constantFrom('asc', 'desc', '1.2', '%'),
  )
  const pair = fc
    .tuple(key, value)
    .map(([name, its]) => `${name}=${its === '%' ? its : encodeURIComponent(its.toWellFormed())}`)
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(path, `${path}/tags`, '/api/v4/events'),
      fc.array(pair, { maxLength: 4 }),
      async (to, pairs) => {
        expect([200, 400]).toContain((await api.get(`${to}?${pairs.join('&')}`)).status)
      },
    ),
    { numRuns: 300 },
  )
})
