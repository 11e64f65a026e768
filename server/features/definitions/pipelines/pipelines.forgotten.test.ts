// A deleted status or pipeline disappears from everything that names it.
import sql from 'sql-template-tag'
import { expect, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import { addGroup, addLead, mainPipeline, won } from '../../../../test/leads.ts'
import { pipelineOf, pipelines, statusesOf } from '../../../../test/pipelines.ts'

interface Right {
  pipeline_id: number
  status_id: number
  rights: { view: string }
}

/** An account with a pipeline of A, B and C, and rights, fields and sources that name them. */
async function atWork() {
  const account = await newAccount()
  const { api, id: account_id, kontor } = account
  const [main, other] = [await mainPipeline(account), await pipelineOf(api, 'A', 'B', 'C')]
  const stages = [
    { pipeline_id: main.id, status_id: main.statuses[0] },
    { pipeline_id: other.id, status_id: other.at['A']! },
    { pipeline_id: other.id, status_id: other.at['B']! },
    { pipeline_id: other.id, status_id: won },
    { pipeline_id: main.id, status_id: won },
  ]
  const status_rights = stages.map((index) => ({
    entity_type: 'leads' as const,
    ...index,
    rights: { view: 'A' as const },
  }))
  const role = (await api.post('/api/v4/roles', { name: 'A role', rights: { status_rights } })).body
    ._embedded.roles[0]
  const user = await account.addUser({ rights: { status_rights } })
  const bare = await account.addUser({
    rights: { status_rights: null },
    group_id: await addGroup(account),
  })
  const named = async (path: string): Promise<Right[]> =>
    (await api.get(path)).body.rights.status_rights
  const viewed = async (path: string) =>
    (await named(path))
      .filter(({ rights }) => rights.view === 'A')
      .map(({ pipeline_id, status_id }) => ({ pipeline_id, status_id }))
  await kontor.database.rows(sql`
    insert into custom_fields (account_id, entity_type, name, type, sort, required_statuses, hidden_statuses)
    values (${account_id}, 'leads', 'A field', 'text', 900, ${JSON.stringify(stages)}, ${JSON.stringify(stages.slice(2))})`)
  const field = async () =>
    kontor.database.row(
      sql`select required_statuses, hidden_statuses from custom_fields where account_id = ${account_id} and sort = 900`,
    )
  const version = async () =>
    (await kontor.database.row<{ version: number }>(
      sql`select fields_version as version from accounts where id = ${account_id}`,
    ))!.version
  return { account, api, main, other, stages, role, user, bare, viewed, field, version }
}

test('rights and custom fields forget a status, and nothing else', async () => {
  const { account, api, other, stages, role, user, bare, viewed, field, version } = await atWork()
  const lead = await addLead(api, { status_id: other.at['B'] })
  expect((await user.api.get(`/api/v4/leads/${lead}`)).status).toBe(200)
  const known = await version()
  const before = await account.kontor.database.row(
    sql`select rights from users where id = ${bare.id}`,
  )
  // Of another pipeline, so that no deleted status is named.
  const last = `${statusesOf(other.id)}/${other.at['C']}`
  expect((await api.delete(last)).status).toBe(204)
  expect(await version()).toBe(known)
  expect(await viewed(`/api/v4/roles/${role.id}`)).toEqual(stages)

  expect((await api.delete(`${statusesOf(other.id)}/${other.at['B']}`)).status).toBe(204)
  const left = stages.toSpliced(2, 1)
  expect(await viewed(`/api/v4/roles/${role.id}`)).toEqual(left)
  expect(await viewed(`/api/v4/users/${user.id}`)).toEqual(left)
  expect(await field()).toEqual({ required_statuses: left, hidden_statuses: stages.slice(3) })
  expect(await version()).not.toBe(known)
  expect(
    await account.kontor.database.row(sql`select rights from users where id = ${bare.id}`),
  ).toEqual(before)
  const { rights } = (await api.get(`/api/v4/roles/${role.id}`)).body
  expect((await api.patch(`/api/v4/roles/${role.id}`, { rights })).status).toBe(202)
})

test('rights and custom fields forget a pipeline with its won and lost; sources and searches for duplicates go on without it', async () => {
  const { account, api, main, other, stages, role, user, viewed, field } = await atWork()
  const { id: account_id, integration, kontor } = account
  await kontor.database.rows(sql`
    insert into sources (account_id, name, external_id, pipeline_id)
    values (${account_id}, 'A', 'a', ${other.id}), (${account_id}, 'B', 'b', ${main.id})`)
  await kontor.database.rows(sql`
    insert into installations (account_id, client_id, created_by, created_at, duplicate_pipelines)
    values (${account_id}, ${integration.client_id}, 0, 0, ${[other.id, main.id]}::bigint[])
        on conflict (account_id, client_id) do update set duplicate_pipelines = excluded.duplicate_pipelines`)
  expect((await api.delete(`${pipelines}/${other.id}`)).status).toBe(204)
  const left = [stages[0], stages[4]]
  expect(await viewed(`/api/v4/roles/${role.id}`)).toEqual(left)
  expect(await viewed(`/api/v4/users/${user.id}`)).toEqual(left)
  expect(await field()).toEqual({ required_statuses: left, hidden_statuses: [stages[4]] })
  const sources = await kontor.database.rows(
    sql`select name, pipeline_id from sources where account_id = ${account_id} order by id`,
  )
  expect(sources).toEqual([
    { name: 'A', pipeline_id: main.id },
    { name: 'B', pipeline_id: main.id },
  ])
  const installed = await kontor.database.row(
    sql`select to_json(duplicate_pipelines) as ids from installations where account_id = ${account_id} and client_id = ${integration.client_id}`,
  )
  expect(installed).toEqual({ ids: [main.id] })
})

test('leads that were moved are seen by those who may see where they are', async () => {
  const { api, other, user } = await atWork()
  const lead = await addLead(api, { status_id: other.at['B'] })
  expect((await user.api.get(`/api/v4/leads/${lead}`)).status).toBe(200)
  await api.delete(`${statusesOf(other.id)}/${other.at['B']}?move_to=${other.at['C']}`)
  expect((await user.api.get(`/api/v4/leads/${lead}`)).status).toBe(403)
})
