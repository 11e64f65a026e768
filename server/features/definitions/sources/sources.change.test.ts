// Sources are changed and deleted, and belong to one integration.
import { expect, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import type { Client } from '../../../../test/client.ts'
import { addPipeline, faultsOf } from '../../../../test/leads.ts'
import {
  addSources,
  anotherIntegration,
  listSources,
  meanwhile,
  numberedOrigins,
} from '../../../../test/origins.ts'
import type { TestSource } from '../../../../test/origins.ts'
import { deleteSource } from './sources.ts'

const path = '/api/v4/sources'

const defaults = async (api: Client) => (await listSources(api)).map((source) => source.default)

test('one source is the default one: the last that is said to be, of each integration', async () => {
  const account = await newAccount()
  const { api } = account
  const other = await anotherIntegration(account)
  await addSources(other, { ...numberedOrigins(1)[0], default: true })
  const [first, second, third] = await addSources(
    api,
    ...numberedOrigins(3).map((draft, index) => ({ ...draft, default: index < 2 })),
  )
  expect(await defaults(api)).toEqual([false, true, false])
  await addSources(api, { name: 'x', external_id: 'x', default: true })
  expect(await defaults(api)).toEqual([false, false, false, true])
  const { body } = await api.patch(`${path}/${first!.id}`, { default: true })
  expect(body).toMatchObject({ id: first!.id, default: true })
  expect(await defaults(api)).toEqual([true, false, false, false])
  await api.patch(path, [
    { id: second!.id, default: true },
    { id: third!.id, default: true },
    { id: first!.id, name: 'New' },
  ])
  expect(await defaults(api)).toEqual([false, false, true, false])
  await api.patch(path, [{ id: third!.id, default: false }])
  expect(await defaults(api)).toEqual([false, false, false, false])
  expect(await defaults(other)).toEqual([true])
})

test('sources are changed, and what was read can be sent back', async () => {
  const account = await newAccount()
  const { api } = account
  const { id: pipeline_id } = await addPipeline(account)
  const [one, two] = await addSources(
    api,
    ...numberedOrigins(2).map((draft) => ({
      ...draft,
      origin_code: 'chat',
      services: [{ type: 'whatsapp' }],
    })),
  )
  const { body: read } = await api.get(`${path}/${one!.id}`)
  expect(await api.patch(`${path}/${one!.id}`, read)).toMatchObject({ status: 200, body: read })
  const { body } = await api.patch(path, [
    { id: two!.id, name: ' Two ', pipeline_id, origin_code: null, request_id: 'b' },
    { id: one!.id, services: null },
    { id: two!.id, name: 'Twice' },
  ])
  expect(body._total_items).toBe(3)
  expect(body._embedded.sources).toMatchObject([
    { id: two!.id, name: 'Twice', pipeline_id, origin_code: null, request_id: 'b' },
    { id: one!.id, name: 'A source', origin_code: 'chat', services: [], request_id: '1' },
    { id: two!.id, request_id: '2' },
  ])
  expect(await listSources(api)).toMatchObject([
    { id: one!.id, services: [] },
    { id: two!.id, name: 'Twice', external_id: 'place 1', services: [{ type: 'whatsapp' }] },
  ])
  const refused = await api.patch(path, [
    { id: one!.id, external_id: 'another', name: ' ' },
    { id: two!.id, pipeline_id: 999_999_999 },
    { id: 999_999_999, name: 'x', request_id: 'none' },
    { name: 'x' },
  ])
  expect(faultsOf(refused)).toEqual({
    0: ['NotBlank name'],
    1: ['NotSupportedChoice pipeline_id'],
    none: ['EntityNotFound id'],
    3: ['FieldMissing id'],
  })
  expect((await api.patch(`${path}/999999999`, { name: 'x' })).status).toBe(404)
  expect(faultsOf(await api.patch(`${path}/${one!.id}`, { external_id: 'x' }))).toEqual({
    0: ['FieldNotExpected external_id'],
  })
  expect(
    (
      await api.patch(
        path,
        numberedOrigins(51).map(() => ({ id: 1 })),
      )
    ).status,
  ).toBe(400)
})

test('a deleted source comes back under its old id, as it is created then', async () => {
  const { api } = await newAccount()
  const [one, two] = await addSources(
    api,
    ...numberedOrigins(2).map((draft) => ({ ...draft, origin_code: 'chat', default: true })),
  )
  expect((await api.delete(`${path}/${two!.id}`)).status).toBe(204)
  expect((await api.delete(`${path}/${two!.id}`)).status).toBe(404)
  expect((await api.get(`${path}/${two!.id}`)).status).toBe(404)
  expect((await api.patch(`${path}/${two!.id}`, { name: 'x' })).status).toBe(404)
  expect((await listSources(api)).map(({ id }) => id)).toEqual([one!.id])
  const [again, other] = await addSources(
    api,
    { name: 'Again', external_id: 'place 1' },
    { name: 'Other', external_id: 'other' },
  )
  expect(again).toMatchObject({ id: two!.id, name: 'Again', default: false, origin_code: null })
  expect(other!.id).toBeGreaterThan(two!.id)
})

test('a batch of deletions is done whole, or refused with all the ids that there are not', async () => {
  const account = await newAccount()
  const { api } = account
  const [foreign] = await addSources(await anotherIntegration(account), ...numberedOrigins(1))
  const [one, two, three] = await addSources(api, ...numberedOrigins(3))
  const refused = await api.delete(path, [
    { id: one!.id },
    { id: foreign!.id },
    { id: 999_999_999, request_id: 'none' },
  ])
  expect(refused.status).toBe(400)
  const unknown = { code: 'EntityNotFound', path: 'id', detail: expect.any(String) }
  expect(refused.body).toEqual({
    title: 'Bad Request',
    status: 400,
    type: expect.any(String),
    detail: 'Invalid request items',
    errors: [
      {
        request_id: '1',
        errors: unknown,
      },
      {
        request_id: 'none',
        errors: unknown,
      },
    ],
  })
  expect(faultsOf(await api.delete(path, [{ id: 999_999_999 }, { id: 'x' }]))).toEqual({
    1: ['InvalidType id'],
  })
  expect((await api.delete(path)).status).toBe(400)
  expect(await listSources(api)).toHaveLength(3)
  expect(
    (
      await api.delete(
        path,
        [one, { id: two!.id }, { id: two!.id }].map((each) => ({ ...each, request_id: 'x' })),
      )
    ).status,
  ).toBe(204)
  expect((await listSources(api)).map(({ id }) => id)).toEqual([three!.id])
})

test('what one integration has, no other and no other account sees or touches', async () => {
  const account = await newAccount()
  const [app, other] = [await anotherIntegration(account), await anotherIntegration(account)]
  const { api: alien } = await newAccount()
  const [ours] = await addSources(app, ...numberedOrigins(1))
  for (const api of [account.api, other, alien]) {
    expect(await listSources(api)).toEqual([])
    expect(await listSources(api, '?filter[external_id]=place%200')).toEqual([])
    expect((await api.get(`${path}/${ours!.id}`)).status).toBe(404)
    expect((await api.patch(`${path}/${ours!.id}`, { name: 'Taken' })).status).toBe(404)
    expect((await api.patch(path, [{ id: ours!.id, name: 'Taken' }])).status).toBe(400)
    expect((await api.delete(`${path}/${ours!.id}`)).status).toBe(404)
    expect((await api.delete(path, [{ id: ours!.id }])).status).toBe(400)
    // The same external id names another source there.
    const [own] = await addSources(api, ...numberedOrigins(1))
    expect(own!.id).not.toBe(ours!.id)
    expect((await listSources(api)).map(({ id }) => id)).toEqual([own!.id])
  }
  expect(await listSources(app)).toMatchObject([{ id: ours!.id, name: 'A source' }])
})

test('only administrators have sources', async () => {
  const account = await newAccount()
  const [{ id }] = (await addSources(account.api, ...numberedOrigins(1))) as [TestSource]
  const { api } = await account.addUser()
  const answers = [
    await api.get(path),
    await api.get(`${path}/${id}`),
    await api.post(path, numberedOrigins(1)),
    await api.delete(`${path}/${id}`),
    await api.patch(path, [{ id }]),
    await api.patch(`${path}/${id}`, {}),
    await api.delete(path, [{ id }]),
  ]
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 403))
})

test('a source that is created while it is deleted waits, and comes back', async () => {
  const account = await newAccount()
  const [{ id }] = (await addSources(account.api, ...numberedOrigins(1))) as [TestSource]
  const again = await meanwhile(
    account,
    (tx, actor) => deleteSource(tx, actor, id),
    () => addSources(account.api, { name: 'Again', external_id: 'place 0' }),
  )
  expect(again).toMatchObject([{ id, name: 'Again' }])
})
