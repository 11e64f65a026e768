import { expect, test } from 'vitest'
import { newAccount } from '../../../../../test/account.ts'
import { addField } from '../../../../../test/fields.ts'
import {
  addLead,
  addPipeline,
  lost,
  mainPipeline,
  readLead,
  won,
} from '../../../../../test/leads.ts'
import { newPipeline, ordinaryIn, pipelines, statusesOf } from '../../../../../test/pipelines.ts'

const own = (pipeline: number) => `/web/v1/pipelines/${pipeline}`

test('an archived pipeline keeps its leads, takes new ones, and comes back; the main one is not archived', async () => {
  const account = await newAccount()
  const { api } = account
  const { id, statuses } = await addPipeline(account)
  const lead = await addLead(api, { pipeline_id: id, status_id: statuses[0] })
  const isArchived = async () => (await api.get(`${pipelines}/${id}`)).body.is_archive
  expect((await api.send('PUT', `${own(id)}/archive`)).status).toBe(204)
  expect(await isArchived()).toBe(true)
  expect(await readLead(api, lead)).toMatchObject({ pipeline_id: id, status_id: statuses[0] })
  expect((await api.post('/api/v4/leads', [{ pipeline_id: id }])).status).toBe(200)
  expect((await api.delete(`${own(id)}/archive`)).status).toBe(204)
  expect(await isArchived()).toBe(false)

  const { id: main } = await mainPipeline(account)
  const { status, body } = await api.send('PUT', `${own(main)}/archive`)
  expect([status, body.detail]).toEqual([400, 'The main pipeline cannot be archived'])
  // Back is no change, and no fault.
  expect((await api.delete(`${own(main)}/archive`)).status).toBe(204)
})

test('an archived pipeline that becomes the main one is archived no more', async () => {
  const account = await newAccount()
  const { api } = account
  const { id } = await addPipeline(account)
  await api.send('PUT', `${own(id)}/archive`)
  const { body } = await api.patch(`${pipelines}/${id}`, { is_main: true })
  expect(body).toMatchObject({ is_main: true, is_archive: false })
})

test('a copy has the stages, their texts, colours and days, and the fields they require or hide', async () => {
  const account = await newAccount()
  const { api } = account
  const original = await newPipeline(api, {
    name: 'Sales',
    is_unsorted_on: false,
    _embedded: {
      statuses: [
        {
          name: 'Call',
          sort: 10,
          color: '#ffc8c8',
          descriptions: [{ level: 'newbie', description: 'Ring' }],
        },
        { name: 'Offer', sort: 20, color: '#87f2c0' },
        { id: won, name: 'Paid' },
        { id: lost, name: 'Gone' },
      ],
    },
  })
  const [call, offer] = original._embedded.statuses.filter(
    (each: { is_editable: boolean }) => each.is_editable,
  )
  const named = (status_id: number) => ({ pipeline_id: original.id, status_id })
  await api.patch(`${own(original.id)}/statuses/${offer.id}`, { stale_after_days: 14 })
  const { id: field } = await addField(account, 'leads', { name: 'Area', type: 'text' })
  await api.patch(`/api/v4/leads/custom_fields/${field}`, {
    required_statuses: [named(offer.id), named(won)],
    hidden_statuses: [named(call.id)],
  })
  const made = await api.post(`${own(original.id)}/copy`, { name: ' Service ' })
  expect(made.status).toBe(201)
  const { id } = made.body
  const { body: copy } = await api.get(`${pipelines}/${id}`)
  expect(copy).toMatchObject({ name: 'Service', is_main: false, is_unsorted_on: false })
  const { body } = await api.get(`${statusesOf(id)}?with=descriptions`)
  const statuses = body._embedded.statuses as {
    id: number
    name: string
    color: string
    descriptions: { level: string; description: string }[]
  }[]
  expect(
    statuses.map(({ name, color, descriptions }) => [
      name,
      color,
      descriptions.map(({ level, description }) => [level, description]),
    ]),
  ).toEqual([
    ['Call', '#ffc8c8', [['newbie', 'Ring']]],
    ['Offer', '#87f2c0', []],
    ['Paid', '#CCFF66', []],
    ['Gone', '#D5D8DB', []],
  ])
  const [copyOfCall, copyOfOffer] = statuses
  const { body: bootstrap } = await api.get('/web/v1/bootstrap')
  const shown = bootstrap.pipelines.find((each: { id: number }) => each.id === id)
  expect(
    shown.statuses.map((each: { stale_after_days: number | null }) => each.stale_after_days),
  ).toEqual([null, 14, null, null])
  const { body: ofField } = await api.get(`/api/v4/leads/custom_fields/${field}`)
  const inCopy = (status_id: number) => ({ pipeline_id: id, status_id })
  expect(ofField.required_statuses).toEqual(
    expect.arrayContaining([named(offer.id), named(won), inCopy(copyOfOffer!.id), inCopy(won)]),
  )
  expect(ofField.hidden_statuses).toEqual([named(call.id), inCopy(copyOfCall!.id)])
  expect(ofField.required_statuses).toHaveLength(4)
})

test('a copy is refused that would bring a field beyond a hundred required stages', async () => {
  const account = await newAccount()
  const { api } = account
  const names = Array.from({ length: 60 }, (_, index) => ({ name: `Stage ${index}` }))
  const original = await newPipeline(api, { _embedded: { statuses: names } })
  const required = (original._embedded.statuses as { id: number; is_editable: boolean }[])
    .filter(({ is_editable }) => is_editable)
    .map(({ id }) => ({ pipeline_id: original.id, status_id: id }))
  const { id: field } = await addField(account, 'leads', { name: 'Area', type: 'text' })
  await api.patch(`/api/v4/leads/custom_fields/${field}`, { required_statuses: required })
  expect((await api.post(`${own(original.id)}/copy`, { name: 'Twice' })).status).toBe(422)
  const { body } = await api.get(pipelines)
  expect(body._embedded.pipelines).toHaveLength(2)
})

test('a copy beyond the fiftieth pipeline is refused', async () => {
  const account = await newAccount()
  const { id } = await mainPipeline(account)
  const some = Array.from({ length: 49 }, (_, index) => ({ name: `Pipeline ${index}` }))
  expect((await account.api.post(pipelines, some)).status).toBe(200)
  expect((await account.api.post(`${own(id)}/copy`, { name: 'One more' })).status).toBe(422)
})

test('a stage is put before the one that is named, whatever others have moved meanwhile', async () => {
  const account = await newAccount()
  const { api } = account
  const { id, statuses } = await addPipeline(account)
  const [first, second, third] = statuses
  const move = async (stage: number, before: number | null) =>
    (await api.post(`${own(id)}/statuses/${stage}/move`, { before })).status
  expect(await move(third, first)).toBe(204)
  expect(await ordinaryIn(api, id)).toEqual(['Third 20', 'First 30', 'Second 40'])
  expect(await move(third, null)).toBe(204)
  expect(await move(second, first)).toBe(204)
  expect(await ordinaryIn(api, id)).toEqual(['Second 20', 'First 30', 'Third 40'])
  expect(await move(first, first)).toBe(400)
  expect(await move(first, won)).toBe(400)
  expect(await move(first, 1)).toBe(400)
  expect(await move(won, first)).toBe(400)
  expect(await move(1, first)).toBe(404)
})

test('days of a stage are one to a thousand, and no stage that every pipeline has has any', async () => {
  const account = await newAccount()
  const { api } = account
  const { id, statuses, unsorted } = await addPipeline(account)
  const set = async (stage: number, stale_after_days: unknown) =>
    (await api.patch(`${own(id)}/statuses/${stage}`, { stale_after_days })).status
  for (const days of [1, 1000, null]) expect(await set(statuses[0], days)).toBe(204)
  for (const days of [0, 1001, 1.5, 'x']) expect(await set(statuses[0], days)).toBe(400)
  for (const stage of [unsorted, won, lost]) expect(await set(stage, 3)).toBe(400)
  expect(await set(1, 3)).toBe(404)
  // No program hears of the days.
  await set(statuses[0], 9)
  const { body } = await api.get(`${statusesOf(id)}/${statuses[0]}`)
  expect(Object.keys(body)).not.toContain('stale_after_days')
})

test('pipelines are shaped by the administrators of their account', async () => {
  const account = await newAccount()
  const stranger = await newAccount()
  const seller = await account.addUser({ is_admin: false })
  const { id, statuses } = await addPipeline(account)
  const stage = `${own(id)}/statuses/${statuses[0]}`
  for (const [by, answer] of [
    [seller.api, 403],
    [stranger.api, 404],
  ] as const)
    for (const asked of [
      by.send('PUT', `${own(id)}/archive`),
      by.delete(`${own(id)}/archive`),
      by.post(`${own(id)}/copy`, { name: 'Mine' }),
      by.patch(stage, { stale_after_days: 3 }),
      by.post(`${stage}/move`, { before: null }),
    ])
      expect((await asked).status).toBe(answer)
})
