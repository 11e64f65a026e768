import { expect, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import { faultsOf, listen } from '../../../../test/leads.ts'
import { newPipeline, ordinaryIn, pipelines } from '../../../../test/pipelines.ts'
import type { ShownStatus } from '../../../../test/pipelines.ts'

const summary = ({ id, name, sort, color, type }: ShownStatus) => [
  id < 1000 ? id : 0,
  name,
  sort,
  color,
  type,
]

test('a fresh account has one pipeline, the main one, with all that is shown of it', async () => {
  const { id: account_id, api, kontor } = await newAccount()
  const { body } = await api.get(pipelines)
  const [main] = body._embedded.pipelines
  const href = `${kontor.url}${pipelines}`
  expect(body).toMatchObject({ _total_items: 1, _links: { self: { href } } })
  expect(main).toEqual({
    id: main.id,
    name: 'Pipeline',
    sort: 1,
    is_main: true,
    is_unsorted_on: true,
    is_archive: false,
    account_id,
    _links: { self: { href: `${href}/${main.id}` } },
    _embedded: { statuses: main._embedded.statuses },
  })
  expect(main._embedded.statuses.map(summary)).toEqual([
    [0, 'Incoming leads', 10, '#c1c1c1', 1],
    [0, 'Initial contact', 20, '#99ccff', 0],
    [0, 'Discussions', 30, '#ffff99', 0],
    [0, 'Decision making', 40, '#ffcc66', 0],
    [0, 'Contract discussion', 50, '#ffcccc', 0],
    [142, 'Closed - won', 10_000, '#CCFF66', 0],
    [143, 'Closed - lost', 11_000, '#D5D8DB', 0],
  ])
  const status = main._embedded.statuses[1]
  expect(status).toEqual({
    id: status.id,
    name: 'Initial contact',
    sort: 20,
    is_editable: true,
    pipeline_id: main.id,
    color: '#99ccff',
    type: 0,
    account_id,
    _links: { self: { href: `${href}/${main.id}/statuses/${status.id}` } },
  })
  expect(
    main._embedded.statuses.map(({ is_editable }: { is_editable: boolean }) => is_editable),
  ).toEqual([false, true, true, true, true, false, false])
  expect((await api.get(main._links.self.href)).body).toEqual(main)
  expect((await api.get(`${pipelines}?page=1`)).body._embedded).toEqual(body._embedded)
  const { body: second } = await api.get(`${pipelines}?page=2`)
  expect([second._total_items, second._embedded.pipelines]).toEqual([0, []])
})

test('pipelines are made from an array or an object, with defaults for all but the name', async () => {
  const account = await newAccount()
  const { api, kontor } = account
  const recorded = await listen(account)
  const many = await api.post(pipelines, [
    { name: ' Partners ', sort: 700, is_unsorted_on: false, request_id: 'p' },
    { name: 'Next', is_archive: true },
  ])
  expect(many.status).toBe(200)
  expect(many.body).toMatchObject({
    _total_items: 2,
    _links: { self: { href: `${kontor.url}${pipelines}` } },
  })
  const [partners, next] = many.body._embedded.pipelines
  expect(partners).toMatchObject({
    name: 'Partners',
    sort: 700,
    is_main: false,
    is_unsorted_on: false,
    request_id: 'p',
  })
  expect(next).toMatchObject({
    name: 'Next',
    is_main: false,
    is_unsorted_on: true,
    is_archive: false,
    request_id: '1',
  })
  expect(partners._embedded.statuses.map(summary)).toEqual([
    [0, 'Initial contact', 20, '#99ccff', 0],
    [142, 'Closed - won', 10_000, '#CCFF66', 0],
    [143, 'Closed - lost', 11_000, '#D5D8DB', 0],
  ])
  expect((await api.post(pipelines, { name: 'One' })).body._embedded.pipelines).toMatchObject([
    { name: 'One', sort: 701 },
  ])
  const { request_id: _, ...read } = next
  expect((await api.get(next._links.self.href)).body).toEqual(read)
  const listed = (await api.get(pipelines)).body._embedded.pipelines
  expect(listed.map(({ name, sort }: ShownStatus) => `${name} ${sort}`)).toEqual([
    'Pipeline 1',
    'Next 3',
    'Partners 700',
    'One 701',
  ])
  expect(await recorded()).toEqual({ journal: [], events: [] })
})

test('statuses of a new pipeline come in the order of their sort; those that each has are only named', async () => {
  const { api } = await newAccount()
  const made = await newPipeline(api, {
    _embedded: {
      statuses: [
        { name: 'Unsaid' },
        { name: 'Second', sort: 200, color: '#FF8F92' },
        { name: ' First ', sort: 100, descriptions: [{ level: 'newbie', description: 'Ask' }] },
        { id: 143, name: 'Gone', sort: 5, color: '#000000' },
        { id: 142, name: 'Sold' },
        { type: 1, name: 'New ones' },
      ],
    },
  })
  expect(made._embedded.statuses.map(summary)).toEqual([
    [0, 'New ones', 10, '#c1c1c1', 1],
    [0, 'First', 20, '#fffeb2', 0],
    [0, 'Second', 30, '#ff8f92', 0],
    [0, 'Unsaid', 40, '#fffeb2', 0],
    [142, 'Sold', 10_000, '#CCFF66', 0],
    [143, 'Gone', 11_000, '#D5D8DB', 0],
  ])
  const first = made._embedded.statuses[1]._links.self.href
  expect((await api.get(`${first}?with=descriptions`)).body.descriptions).toMatchObject([
    { level: 'newbie', description: 'Ask' },
  ])
})

test('a pipeline that was read can be sent back as a new one', async () => {
  const { api } = await newAccount()
  const statuses = [{ name: 'A', color: '#f2f3f4' }, { name: 'B' }]
  const { request_id: _, ...read } = await newPipeline(api, {
    is_unsorted_on: true,
    _embedded: { statuses },
  })
  const copy = await newPipeline(api, read)
  expect(copy.id).not.toBe(read.id)
  expect(copy._embedded.statuses.map(summary)).toEqual(read._embedded.statuses.map(summary))
})

test('one bad pipeline refuses the batch, and every bad one is listed', async () => {
  const { api } = await newAccount()
  const within = (...statuses: object[]) => ({ name: 'x', _embedded: { statuses } })
  const refused = await api.post(pipelines, [
    { name: 'good' },
    {},
    { name: ' ' },
    { name: 'x', sort: -1, is_main: 'yes', is_unsorted_on: 5, request_id: 'many' },
    { name: 'x'.repeat(256) },
    { name: 'x', color: '#fffeb2' },
    within({ name: 'x', color: 'red' }, { sort: 10 }, { id: 142, name: '' }),
    within(
      { name: 'x', color: '#99ccff' },
      { id: 142, name: 'y' },
      { id: 142, name: 'z' },
      { name: 'v', descriptions: [{ level: 'master' }] },
    ),
    'pipeline',
  ])
  expect(refused.status).toBe(400)
  expect(faultsOf(refused)).toEqual({
    1: ['FieldMissing name'],
    2: ['NotBlank name'],
    many: expect.arrayContaining(['InvalidType is_main', 'InvalidType is_unsorted_on']),
    4: ['TooLong name'],
    5: ['FieldNotExpected color'],
    6: ['FieldMissing _embedded.statuses.1.name', 'NotBlank _embedded.statuses.2.name'],
    7: [
      'NotSupportedChoice _embedded.statuses.0.color',
      'NotUnique _embedded.statuses.2.id',
      'FieldMissing _embedded.statuses.3.descriptions.0.description',
    ],
    8: ['InvalidType '],
  })
  expect((await api.get(pipelines)).body._total_items).toBe(1)
})

test.for([
  ['no pipeline', []],
  ['251 pipelines', Array.from({ length: 251 }, () => ({ name: 'x' }))],
  ['a text', '"x"'],
])('a batch of %s is refused', async ([, body]) => {
  const { api } = await newAccount()
  expect((await api.post(pipelines, body)).status).toBe(400)
})

test('an account has fifty pipelines at most, a new pipeline 97 ordinary statuses', async () => {
  const { api } = await newAccount()
  const statuses = (count: number) => ({
    _embedded: { statuses: Array.from({ length: count }, (_, index) => ({ name: `${index}` })) },
  })
  expect((await api.post(pipelines, [{ name: 'x', ...statuses(98) }])).status).toBe(422)
  const full = await newPipeline(api, statuses(97))
  expect(await ordinaryIn(api, full.id)).toHaveLength(97)
  const drafts = Array.from({ length: 49 }, () => ({ name: 'x' }))
  expect((await api.post(pipelines, drafts)).status).toBe(422)
  expect((await api.post(pipelines, drafts.slice(1))).status).toBe(200)
  expect((await api.get(pipelines)).body._total_items).toBe(50)
  expect((await api.post(pipelines, drafts.slice(0, 1))).status).toBe(422)
})

test('another account has pipelines of its own', async () => {
  const [mine, other] = [await newAccount(), await newAccount()]
  const { id } = await newPipeline(mine.api)
  const missing = await other.api.get(`${pipelines}/${id}`)
  expect([missing.status, missing.body.detail]).toEqual([404, 'Pipeline not found'])
  expect((await other.api.patch(`${pipelines}/${id}`, { name: 'Mine' })).status).toBe(404)
  expect((await other.api.delete(`${pipelines}/${id}`)).status).toBe(404)
  expect((await other.api.get(pipelines)).body._total_items).toBe(1)
  expect((await mine.api.get(`${pipelines}/${id}`)).body.name).toBe('Another')
})
