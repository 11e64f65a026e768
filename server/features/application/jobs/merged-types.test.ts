import sql from 'sql-template-tag'
import { expect, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import type { TestAccount } from '../../../../test/account.ts'
import type { Client } from '../../../../test/client.ts'
import { ended, readJob, undo } from '../../../../test/jobs.ts'
import type { TestJob } from '../../../../test/jobs.ts'
import { addLead, listen } from '../../../../test/leads.ts'

const path = '/web/v1/definition-jobs'
const types = '/web/v1/task-types'
const tasks = '/api/v4/tasks'
/** Predefined. */
const [call, meeting] = [1, 2]

async function merge(api: Client, task_type_id: number, into: number): Promise<TestJob> {
  const { status, body } = await api.post(path, { merge_task_type: { task_type_id, into } })
  expect([status, body]).toEqual([202, expect.objectContaining({ state: 'waiting' })])
  return body
}

async function withTypes(...names: string[]) {
  const account = await newAccount()
  const ids: number[] = []
  for (const [at, name] of names.entries()) {
    const { status, body } = await account.api.post(types, {
      name,
      color: '98cbff',
      icon_id: at + 1,
    })
    expect(status).toBe(201)
    ids.push(body.id)
  }
  return { account, api: account.api, ids: ids as [number, number, number] }
}

async function addTasks(api: Client, drafts: object[]): Promise<number[]> {
  const { status, body } = await api.post(
    tasks,
    drafts.map((draft) => ({ text: 'x', complete_till: 2_000_000_000, ...draft })),
  )
  expect([status, status === 200 ? '' : JSON.stringify(body)]).toEqual([200, ''])
  return body._embedded.tasks.map(({ id }: { id: number }) => id)
}

/** The types of tasks as they are stored, deleted tasks too. */
async function typesOf({ id, kontor: { database } }: TestAccount, ids: number[]) {
  const rows = await database.rows<{ id: number; type: number }>(
    sql`select id, task_type_id as type from tasks where account_id = ${id} and id = any(${ids}::bigint[])`,
  )
  return ids.map((each) => rows.find((row) => row.id === each)!.type)
}

const listed = async (api: Client) => (await api.get(types)).body._embedded.task_types

test('a type is merged into another with its tasks, completed ones and those of records in the bin too; the undo brings both back', async () => {
  const { account, api, ids } = await withTypes('Visit', 'Trip', 'Letter')
  const [visit, trip] = ids
  const before = await listed(api)
  const [lead, binned] = [await addLead(api, {}), await addLead(api, {})]
  const on = (entity_id: number) => ({ entity_type: 'leads', entity_id, task_type_id: visit })
  const made = await addTasks(api, [
    { task_type_id: visit },
    { ...on(lead), is_completed: true, result: { text: 'Done' } },
    on(binned),
    on(lead),
    on(lead),
    { task_type_id: visit },
    { task_type_id: trip },
  ])
  const [open, completed, , changes, goes, dropped] = made as [
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  await api.delete(`/api/v4/leads/${binned}`)
  const news = await listen(account)

  const job = await ended(api, await merge(api, visit, trip))
  expect(job).toMatchObject({
    kind: 'merge_task_type',
    entity_type: 'tasks',
    definition: { kind: 'merge_task_type', name: 'Visit', into: 'Trip' },
    state: 'done',
    total: 6,
    done: 6,
    skipped: 0,
    may_undo: true,
  })
  expect(await typesOf(account, made)).toEqual(made.map(() => trip))
  expect((await listed(api)).map(({ name }: { name: string }) => name)).toEqual([
    'Call',
    'Meeting',
    'Trip',
    'Letter',
  ])
  // Tasks of records outside of the bin tell of the change, and no lead does.
  const { journal, events } = await news()
  const told = [open, completed, changes, goes, dropped]
  expect(journal.map(({ entity_type, entity_id }) => [entity_type, entity_id])).toEqual(
    told.map((id) => ['tasks', id]),
  )
  expect(events.length).toBeGreaterThanOrEqual(told.length)
  const { body: shown } = await api.get(`${tasks}/${completed}`)
  expect(shown).toMatchObject({ task_type_id: trip, is_completed: true, result: { text: 'Done' } })

  await api.patch(`${tasks}/${changes}`, { task_type_id: meeting })
  await api.patch(`${tasks}/${goes}`, { text: 'Another text' })
  expect((await api.delete(`${tasks}/${dropped}`)).status).toBe(204)
  const undone = await undo(api, job)
  expect(undone).toMatchObject({ kind: 'undo', state: 'done', done: 4, skipped: 2 })
  expect(undone.faults).toEqual([
    { id: changes, detail: `Task ${changes} has been changed since.` },
    { id: dropped, detail: `There is no task ${dropped}.` },
  ])
  expect(await typesOf(account, made)).toEqual([visit, visit, visit, meeting, visit, trip, trip])
  expect((await api.get(`${tasks}/${goes}`)).body.text).toBe('Another text')
  const used = new Map([
    [meeting, 1],
    [visit, 4],
    [trip, 1],
  ])
  expect(await listed(api)).toEqual(
    before.map((type: { id: number }) => ({ ...type, used: used.get(type.id) ?? 0 })),
  )
})

test('no task keeps a type that programs give while it is merged', async () => {
  const { account, api, ids } = await withTypes('Visit')
  const [visit] = ids
  const some = (count: number) => Array.from({ length: count }, () => ({ task_type_id: visit }))
  await addTasks(api, some(250))
  await addTasks(api, some(60))
  const [moving] = await addTasks(api, [{ task_type_id: meeting }])
  const asked = await merge(api, visit, call)
  const seen: number[] = []
  const isRunning = async () => /waiting|running/.test((await readJob(api, asked.id)).state)
  const draft = { text: 'x', complete_till: 2_000_000_000, task_type_id: visit }
  while (await isRunning()) {
    const answers = await Promise.all([
      api.post(tasks, [draft, draft]),
      api.patch(`${tasks}/${moving}`, { task_type_id: visit }),
    ])
    seen.push(...answers.map(({ status }) => status))
  }
  // Refused once the type is gone, never failed.
  expect(seen.filter((status) => ![200, 400].includes(status))).toEqual([])
  const job = await ended(api, asked)
  expect(job).toMatchObject({ state: 'done', skipped: 0 })
  const withType = (type: number) =>
    account.kontor.database.rows(
      sql`select id from tasks where account_id = ${account.id} and task_type_id = ${type} order by id`,
    )
  expect(await withType(visit)).toEqual([])
  // The task that was given the type again and again is one record.
  const merged = await withType(call)
  expect(await undo(api, job)).toMatchObject({ state: 'done', done: merged.length, skipped: 0 })
  expect(await withType(visit)).toEqual(merged)
  expect((await api.post(tasks, [draft])).status).toBe(200)
})

test('a merge of types that cannot be is refused, and one whose target goes meanwhile leaves the type', async () => {
  const { account, api, ids } = await withTypes('Visit', 'Trip', 'Letter')
  const [visit, trip, letter] = ids
  const other = await newAccount()
  const seller = await account.addUser({ is_admin: false })
  const send = async (by: Client, task_type_id: number, into: number) =>
    (await by.post(path, { merge_task_type: { task_type_id, into } })).status
  expect([
    await send(api, visit, visit),
    await send(api, call, visit),
    await send(api, visit, 4_000_000),
    await send(api, 4_000_000, visit),
    await send(other.api, visit, trip),
    await send(seller.api, visit, trip),
  ]).toEqual([400, 400, 404, 404, 404, 403])
  await addTasks(api, [{ task_type_id: letter }])
  await api.delete(`${types}/${letter}`)
  // Hidden, not gone: it can be no target.
  expect(await send(api, visit, letter)).toBe(404)

  // An empty type is merged at once, and comes back once; another that has its name keeps it.
  const job = await ended(api, await merge(api, visit, trip))
  expect(job).toMatchObject({ state: 'done', total: 0, may_undo: true })
  const { body: second } = await api.post(types, { name: 'visit', color: '98cbff' })
  const refused = await undo(api, job)
  expect(refused).toMatchObject({ state: 'failed' })
  expect((await listed(api)).filter(({ id }: { id: number }) => id === visit)).toEqual([])
  expect((await api.delete(`${types}/${second.id}`)).status).toBe(204)
  expect(await undo(api, job)).toMatchObject({ state: 'done', done: 0 })
  expect((await api.post(`/web/v1/jobs/${job.id}/undo`)).status).toBe(400)
  expect((await listed(api)).map(({ id }: { id: number }) => id)).toEqual([
    call,
    meeting,
    visit,
    trip,
    letter,
  ])

  const [task] = await addTasks(api, [{ task_type_id: visit }])
  const late = await merge(api, visit, trip)
  await api.delete(`${types}/${trip}`)
  const end = await ended(api, late)
  // Whichever came first: the task has a type that there is.
  const [type] = await typesOf(account, [task!])
  expect([type, end.state]).toEqual(end.state === 'done' ? [trip, 'done'] : [visit, 'failed'])
})
