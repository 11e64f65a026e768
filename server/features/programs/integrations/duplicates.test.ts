// The pipelines in which an integration's complex creation looks for duplicates are part of its
// installation.
import sql from 'sql-template-tag'
import { expect, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import { addPipeline, faultsOf, mainPipeline } from '../../../../test/leads.ts'
import { meanwhile } from '../../../../test/origins.ts'
import { actorIn, whileDeleting } from '../../../../test/pipelines.ts'
import { deletePipeline } from '../../definitions/pipelines/pipelines.ts'
import { setDuplicatePipelines } from './integrations.ts'

const path = '/web/v1/integrations'

async function prepared() {
  const account = await newAccount()
  const at = `${path}/${account.integration.client_id}`
  const put = (body?: unknown) => account.api.send('PUT', `${at}/installation`, body)
  const shown = async () => (await account.api.get(at)).body.duplicate_pipelines
  return {
    account,
    at,
    put,
    shown,
    main: (await mainPipeline(account)).id,
    other: (await addPipeline(account)).id,
  }
}

test('nowhere at first; what is said stays until something else is said', async () => {
  const { account, at, put, shown, main, other } = await prepared()
  expect(await shown()).toEqual([])
  expect(
    (await put({ duplicate_pipelines: [other, main, other] })).body.duplicate_pipelines,
  ).toEqual([main, other])
  for (const body of [undefined, {}])
    expect((await put(body)).body.duplicate_pipelines).toEqual([main, other])
  const [listed] = (await account.api.get(path)).body._embedded.integrations
  expect(listed.duplicate_pipelines).toEqual([main, other])
  await account.api.delete(`${at}/installation`)
  await put({ duplicate_pipelines: [main] })
  expect(await shown()).toEqual([main])
  await put({ duplicate_pipelines: [] })
  expect(await shown()).toEqual([])
})

test('a pipeline that was deleted is no longer shown', async () => {
  const { account, put, shown, main, other } = await prepared()
  await put({ duplicate_pipelines: [main, other] })
  expect((await account.api.delete(`/api/v4/leads/pipelines/${other}`)).status).toBe(204)
  expect(await shown()).toEqual([main])
})

test('a pipeline that goes while it is named is refused, and one that is named while it goes is forgotten', async () => {
  const { account, put, main, other } = await prepared()
  const { id, integration } = account
  const kept = async () =>
    (await account.kontor.database.row<{ ids: number[] }>(
      sql`select to_json(duplicate_pipelines) as ids from installations
           where account_id = ${id} and client_id = ${integration.client_id}`,
    ))!.ids
  const sent = { duplicate_pipelines: [main, other] }
  const named = await meanwhile(
    account,
    (tx, actor) =>
      setDuplicatePipelines(tx, actor, integration.client_id, sent.duplicate_pipelines),
    () => account.api.delete(`/api/v4/leads/pipelines/${other}`),
  )
  expect([named.status, await kept()]).toEqual([204, [main]])
  const next = (await addPipeline(account)).id
  const refused = await whileDeleting(
    account,
    (database) => deletePipeline(database, actorIn(account), next),
    () => put({ duplicate_pipelines: [main, next] }),
  )
  expect(faultsOf(refused)).toEqual({ 0: ['NotSupportedChoice duplicate_pipelines.1'] })
  expect(await kept()).toEqual([main])
})

test('unknown pipelines, those of another account and too many are refused, and nothing is installed', async () => {
  const { account, at, put, shown, main } = await prepared()
  const theirs = (await mainPipeline(await newAccount())).id
  await account.api.delete(`${at}/installation`)
  expect(faultsOf(await put({ duplicate_pipelines: [main, theirs, 999_999_999] }))).toEqual({
    0: ['NotSupportedChoice duplicate_pipelines.1', 'NotSupportedChoice duplicate_pipelines.2'],
  })
  const many = Array.from({ length: 51 }, () => main)
  for (const bad of [many, main, [0], ['x'], [2 ** 53]])
    expect([bad, (await put({ duplicate_pipelines: bad })).status]).toEqual([bad, 400])
  for (const bad of ['text', { pipelines: [] }])
    expect([bad, (await put(bad)).status]).toEqual([bad, 400])
  expect((await account.api.get(at)).body.is_enabled).toBe(false)
  expect((await put({ duplicate_pipelines: many.slice(1) })).status).toBe(200)
  expect(await shown()).toEqual([main])
})

test('each account says it for itself, also of an integration of another', async () => {
  const [mine, theirs] = [await newAccount(), await newAccount()]
  const { client_id } = await mine.addIntegration({ is_public: true })
  const at = `${path}/${client_id}`
  const pipeline = (await mainPipeline(theirs)).id
  const put = await theirs.api.send('PUT', `${at}/installation`, {
    duplicate_pipelines: [pipeline],
  })
  expect([put.status, put.body.duplicate_pipelines]).toEqual([200, [pipeline]])
  expect((await mine.api.get(at)).body.duplicate_pipelines).toEqual([])
  const kept = await theirs.kontor.database.rows<{ account_id: number }>(
    sql`select account_id from installations where client_id = ${client_id} and duplicate_pipelines <> '{}'`,
  )
  expect(kept).toEqual([{ account_id: theirs.id }])
})
