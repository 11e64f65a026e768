import sql from 'sql-template-tag'
import { expect, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import type { TestAccount } from '../../../../test/account.ts'
import type { Client } from '../../../../test/client.ts'
import { addField } from '../../../../test/fields.ts'
import { ask, ended, lockLead, readJob, undo } from '../../../../test/jobs.ts'
import type { TestJob } from '../../../../test/jobs.ts'
import {
  addLead,
  addLeads,
  addPipeline,
  listen,
  lost,
  readLead,
  won,
} from '../../../../test/leads.ts'
import { newPipeline, statusesOf, strays } from '../../../../test/pipelines.ts'

const path = '/web/v1/definition-jobs'

async function remove(
  api: Client,
  pipeline_id: number,
  status_id: number,
  move_to: number,
): Promise<TestJob> {
  const { status, body } = await api.post(path, {
    delete_status: { pipeline_id, status_id, move_to },
  })
  expect([status, body]).toEqual([202, expect.objectContaining({ state: 'waiting' })])
  return body
}

const some = (count: number, draft: object) => Array.from({ length: count }, () => draft)
const stageOf = async (api: Client, id: number): Promise<number> =>
  (await readLead(api, id)).status_id

/** The row of a lead in the bin. */
const binned = ({ id: account, kontor: { database } }: TestAccount, id: number) =>
  database.row<{ status_id: number; is_deleted: boolean }>(
    sql`select status_id, is_deleted from leads where account_id = ${account} and id = ${id}`,
  )

/** All that names the stages of a pipeline, without the times of descriptions. */
async function namesOf(
  { api }: TestAccount,
  pipeline: number,
  field: number,
  role: number,
  user: number,
) {
  const { body: statuses } = await api.get(`${statusesOf(pipeline)}?with=descriptions`)
  const { body: ofField } = await api.get(`/api/v4/leads/custom_fields/${field}`)
  const { body: ofRole } = await api.get(`/api/v4/roles/${role}`)
  const { body: ofUser } = await api.get(`/api/v4/users/${user}`)
  return {
    statuses: statuses._embedded.statuses,
    required: ofField.required_statuses,
    hidden: ofField.hidden_statuses,
    role: ofRole.rights.status_rights,
    user: ofUser.rights.status_rights,
  }
}

test('a stage goes with its leads moved; its undo brings back id, texts, fields, rights and leads', async () => {
  const account = await newAccount()
  const { api, kontor } = account
  const { id: pipeline_id, statuses } = await addPipeline(account)
  const [first, second, third] = statuses as [number, number, number]
  await api.patch(`${statusesOf(pipeline_id)}/${second}`, {
    descriptions: [
      { level: 'newbie', description: 'Call' },
      { level: 'master', description: 'Meet' },
    ],
  })
  const named = { pipeline_id, status_id: second }
  const { id: field } = await addField(account, 'leads', { name: 'Area', type: 'text' })
  await api.patch(`/api/v4/leads/custom_fields/${field}`, {
    required_statuses: [{ pipeline_id, status_id: third }, named],
    hidden_statuses: [named],
  })
  const rights = { view: 'D', edit: 'D', delete: 'D', export: 'D' } as const
  const status_rights = [first, second].map((status_id) => ({
    entity_type: 'leads' as const,
    pipeline_id,
    status_id,
    rights,
  }))
  const role = (await api.post('/api/v4/roles', [{ name: 'Seller', rights: { status_rights } }]))
    .body._embedded.roles[0].id
  const user = await account.addUser({ rights: { status_rights: status_rights.slice(1) } })
  await kontor.database.transaction((tx) =>
    tx.rows(
      sql`update statuses set stale_after_days = 9 where account_id = ${account.id} and id = ${second}`,
    ),
  )
  const before = await namesOf(account, pipeline_id, field, role, user.id)
  const ids = await addLeads(api, some(4, { pipeline_id, status_id: second }))
  const [stays, moves, goes, inBin] = ids as [number, number, number, number]
  await api.delete(`/api/v4/leads/${inBin}`)
  expect(await binned(account, inBin)).toMatchObject({ is_deleted: true })
  const { entered_at } = (await kontor.database.row<{ entered_at: number }>(
    sql`update leads set entered_at = 1700000000 where account_id = ${account.id} and id = ${stays} returning entered_at`,
  ))!
  const news = await listen(account)

  const job = await ended(api, await remove(api, pipeline_id, second, third))
  expect(job).toMatchObject({
    kind: 'delete_status',
    definition: { kind: 'delete_status', name: 'Second', into: 'Third' },
    state: 'done',
    total: ids.length,
    done: ids.length,
    skipped: 0,
    may_undo: true,
  })
  const after = await namesOf(account, pipeline_id, field, role, user.id)
  expect(after.statuses.map(({ id }: { id: number }) => id)).not.toContain(second)
  expect(JSON.stringify([after.required, after.hidden, after.role, after.user])).not.toContain(
    String(second),
  )
  for (const id of [stays, moves, goes]) expect(await stageOf(api, id)).toBe(third)
  expect(await binned(account, inBin)).toEqual({ status_id: third, is_deleted: true })
  // Each lead outside the bin tells of its move, under the name of who asked.
  const { events } = await news()
  expect(events.map(({ type, entity_id }) => [type, entity_id])).toEqual(
    [stays, moves, goes].map((id) => ['lead_status_changed', id]),
  )

  await api.patch(`/api/v4/leads/${moves}`, { pipeline_id, status_id: first })
  await api.delete(`/api/v4/leads/${goes}`)
  const undone = await undo(api, job)
  expect(undone).toMatchObject({
    definition: { name: 'Second' },
    state: 'done',
    done: 2,
    skipped: 2,
  })
  expect(undone.faults.map(({ id }) => id)).toEqual([moves, goes])
  expect(await namesOf(account, pipeline_id, field, role, user.id)).toEqual(before)
  expect(await stageOf(api, stays)).toBe(second)
  expect(await stageOf(api, moves)).toBe(first)
  expect(await binned(account, goes)).toMatchObject({ status_id: third })
  expect(await binned(account, inBin)).toEqual({ status_id: second, is_deleted: true })
  expect(
    await kontor.database.row(
      sql`select lead.entered_at, status.stale_after_days
            from leads lead join statuses status on status.account_id = lead.account_id and status.id = lead.status_id
           where lead.account_id = ${account.id} and lead.id = ${stays}`,
    ),
  ).toEqual({ entered_at, stale_after_days: 9 })
})

test('an empty stage comes back too, once; a second undo finds nothing to take back', async () => {
  const account = await newAccount()
  const { api } = account
  const { id, statuses } = await addPipeline(account)
  const job = await ended(api, await remove(api, id, statuses[0], won))
  expect(job).toMatchObject({ state: 'done', total: 0, may_undo: true })
  expect(await undo(api, job)).toMatchObject({ state: 'done', done: 0 })
  const listed = async () =>
    (await api.get(statusesOf(id))).body._embedded.statuses.map((each: { id: number }) => each.id)
  expect(await listed()).toContain(statuses[0])
  expect((await api.post(`/web/v1/jobs/${job.id}/undo`)).status).toBe(400)
})

test('what cannot be deleted is refused before anything moves', async () => {
  const account = await newAccount()
  const { api } = account
  const { id, statuses } = await addPipeline(account)
  const other = await newPipeline(api, { name: 'Other' })
  const [unsorted] = (await api.get(statusesOf(id))).body._embedded.statuses
  const stranger = await newAccount()
  const seller = await account.addUser({ is_admin: false })
  const send = (by: Client, pipeline_id: number, status_id: number, move_to: number) =>
    by.post(path, { delete_status: { pipeline_id, status_id, move_to } })
  for (const [by, pipeline, status, target, answer] of [
    [api, id, statuses[0], 1, 400],
    [api, id, statuses[0], statuses[0], 400],
    [api, id, unsorted.id, statuses[0], 400],
    [api, id, lost, statuses[0], 400],
    [api, id, 1, statuses[0], 404],
    [api, 1, statuses[0], statuses[1], 404],
    [api, other.id, statuses[0], statuses[1], 404],
    [seller.api, id, statuses[0], statuses[1], 403],
    [stranger.api, id, statuses[0], statuses[1], 404],
  ] as const)
    expect([(await send(by, pipeline, status, target)).status, pipeline, status, target]).toEqual([
      answer,
      pipeline,
      status,
      target,
    ])
  expect((await api.post(path, {})).status).toBe(400)
  expect((await api.get('/web/v1/jobs')).body.jobs).toEqual([])
})

test('leads that colleagues and programs bring meanwhile are not lost', async () => {
  const account = await newAccount()
  const { api } = account
  const { id: pipeline_id, statuses } = await addPipeline(account)
  const [first, second, third] = statuses as [number, number, number]
  await addLeads(api, some(250, { pipeline_id, status_id: second }))
  const movers = await addLeads(api, some(40, { pipeline_id, status_id: first }))
  const asked = await remove(api, pipeline_id, second, third)
  const statusesSeen: number[] = []
  const bring = async (send: () => Promise<{ status: number }>) => {
    while ((await readJob(api, asked.id)).state.match(/waiting|running/))
      statusesSeen.push((await send()).status)
  }
  await Promise.all([
    bring(() => api.post('/api/v4/leads', some(5, { pipeline_id, status_id: second }))),
    bring(() => {
      const id = movers[statusesSeen.length % movers.length]!
      return api.patch(`/api/v4/leads/${id}`, { pipeline_id, status_id: second })
    }),
  ])
  const job = await ended(api, asked)
  expect(job).toMatchObject({ state: 'done', skipped: 0 })
  // Refused once the stage is gone, never failed.
  expect(statusesSeen.filter((status) => ![200, 400].includes(status))).toEqual([])
  expect(await strays(account)).toEqual([])
  const undone = await undo(api, job)
  expect(undone).toMatchObject({ state: 'done', done: job.done })
})

test('a job that is cancelled, or whose user is no administrator any more, leaves the stage', async () => {
  const account = await newAccount()
  const { api, kontor } = account
  const { id: pipeline_id, statuses } = await addPipeline(account)
  const [first, second, third] = statuses as [number, number, number]
  const boss = await account.addUser({ is_admin: true })
  const lead = await addLead(api, { pipeline_id, status_id: first })
  // Of one user, one job at a time is done: the others wait behind this one.
  const letGo = await lockLead(account, lead)
  const held = await ask(boss.api, {
    ids: [lead],
    action: { assign: { responsible_user_id: boss.id } },
  })
  const cancelled = await remove(boss.api, pipeline_id, first, third)
  await boss.api.post(`/web/v1/jobs/${cancelled.id}/cancel`)
  expect(await ended(boss.api, cancelled)).toMatchObject({ state: 'cancelled', may_undo: false })
  const refused = await remove(boss.api, pipeline_id, second, third)
  await kontor.database.transaction((tx) =>
    tx.rows(
      sql`update users set is_admin = false where account_id = ${account.id} and id = ${boss.id}`,
    ),
  )
  await letGo()
  await ended(boss.api, held)
  expect(await ended(boss.api, refused)).toMatchObject({
    state: 'failed',
    detail: 'The user is no longer an administrator',
    may_undo: false,
  })
  const { body } = await api.get(statusesOf(pipeline_id))
  expect(body._embedded.statuses.map((each: { id: number }) => each.id)).toEqual(
    expect.arrayContaining(statuses),
  )
})

test('a stage of a pipeline that is gone stays gone, and the undo says why', async () => {
  const account = await newAccount()
  const { api } = account
  const { id, statuses } = await addPipeline(account)
  const job = await ended(api, await remove(api, id, statuses[0], statuses[1]))
  await api.delete(`/api/v4/leads/pipelines/${id}`)
  expect(await undo(api, job)).toMatchObject({ state: 'failed', detail: 'Pipeline not found' })
})

test('leads of the bin come back from a stage that closes, open and with their time in the stage', async () => {
  const account = await newAccount()
  const { api, kontor } = account
  const { id: pipeline_id, statuses } = await addPipeline(account)
  const lead = await addLead(api, { pipeline_id, status_id: statuses[0] })
  await api.delete(`/api/v4/leads/${lead}`)
  const rowOf = () =>
    kontor.database.row<{ status_id: number; closed_at: number | null; entered_at: number }>(
      sql`select status_id, closed_at, entered_at from leads where account_id = ${account.id} and id = ${lead}`,
    )
  await kontor.database.transaction((tx) =>
    tx.rows(
      sql`update leads set entered_at = 1700000000 where account_id = ${account.id} and id = ${lead}`,
    ),
  )
  const job = await ended(api, await remove(api, pipeline_id, statuses[0], won))
  expect(await rowOf()).toMatchObject({ status_id: won })
  expect(await undo(api, job)).toMatchObject({ state: 'done', done: 1, skipped: 0 })
  expect(await rowOf()).toEqual({
    status_id: statuses[0],
    closed_at: null,
    entered_at: 1_700_000_000,
  })
})

test('no lead goes back to a stage that has been deleted anew, in the bin or not', async () => {
  const account = await newAccount()
  const { api, kontor } = account
  const { id: pipeline_id, statuses } = await addPipeline(account)
  const [first, second] = statuses
  const [live, inBin] = (await addLeads(api, some(2, { pipeline_id, status_id: first }))) as [
    number,
    number,
  ]
  await api.delete(`/api/v4/leads/${inBin}`)
  const job = await ended(api, await remove(api, pipeline_id, first, second))
  // As a job is that was cancelled before it deleted the stage, which somebody deletes then.
  await kontor.database.transaction((tx) =>
    tx.rows(
      sql`update jobs set definition = (definition::jsonb - 'taken')::json where account_id = ${account.id} and id = ${job.id}`,
    ),
  )
  expect(await undo(api, job)).toMatchObject({ state: 'done', done: 0, skipped: 2 })
  expect(await stageOf(api, live)).toBe(second)
  expect(await binned(account, inBin)).toEqual({ status_id: second, is_deleted: true })
})

test('a role that lost its last exception meanwhile has the one for the stage again', async () => {
  const account = await newAccount()
  const { api } = account
  const { id: pipeline_id, statuses } = await addPipeline(account)
  const exception = {
    entity_type: 'leads',
    pipeline_id,
    status_id: statuses[0],
    rights: { view: 'D', edit: 'D', delete: 'D', export: 'D' },
  }
  const made = await api.post('/api/v4/roles', [
    { name: 'Seller', rights: { status_rights: [exception] } },
  ])
  const role = made.body._embedded.roles[0].id
  const job = await ended(api, await remove(api, pipeline_id, statuses[0], statuses[1]))
  await api.patch(`/api/v4/roles/${role}`, { rights: { status_rights: null } })
  await undo(api, job)
  const { status, body } = await api.get(`/api/v4/roles/${role}`)
  expect([status, body.rights.status_rights]).toEqual([
    200,
    expect.arrayContaining([expect.objectContaining({ status_id: statuses[0] })]),
  ])
})

test('a failure that says nothing of the records ends the job, which is not tried for ever', async () => {
  const account = await newAccount()
  const { api, kontor } = account
  const { id: pipeline_id, statuses } = await addPipeline(account)
  const job = await ended(api, await remove(api, pipeline_id, statuses[0], statuses[1]))
  await kontor.database.transaction((tx) =>
    tx.rows(
      sql`update jobs set definition = jsonb_set(definition::jsonb, '{taken,status,name}', 'null')::json
           where account_id = ${account.id} and id = ${job.id}`,
    ),
  )
  expect(await undo(api, job)).toMatchObject({ state: 'failed', may_undo: false })
})
