// The types of tasks that an account adds, and what tasks make of them.
import sql from 'sql-template-tag'
import { expect, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import type { Client } from '../../../../test/client.ts'
import { faultsOf, listen } from '../../../../test/leads.ts'
import { meanwhile } from '../../../../test/origins.ts'
import { addRecord } from '../../../../test/records.ts'
import { deleteTaskType } from './task-types.ts'

const path = '/web/v1/task-types'
const tasks = '/api/v4/tasks'
const predefined = [
  { id: 1, name: 'Call', color: null, icon_id: null, code: 'FOLLOW_UP' },
  { id: 2, name: 'Meeting', color: null, icon_id: null, code: 'MEETING' },
]

async function addType(api: Client, name: string, draft: object = {}): Promise<number> {
  const { status, body } = await api.post(path, { name, color: '98cbff', ...draft })
  if (status !== 201) throw new Error(`the task type was refused: ${JSON.stringify(body)}`)
  return body.id
}

const chosen = async (api: Client) =>
  (await api.get('/api/v4/account?with=task_types')).body._embedded.task_types
/** The types without the number of their uses. */
const managed = async (api: Client) =>
  (await api.get(path)).body._embedded.task_types.map(
    ({ used: _, ...type }: { used?: number }) => type,
  )
const post = (api: Client, draft: object) =>
  api.post(tasks, [{ text: 'x', complete_till: 2_000_000_000, ...draft }])
async function addTask(api: Client, draft: object): Promise<number> {
  return (await post(api, draft)).body._embedded.tasks[0].id
}

test('types are created, changed and shown with the account after the predefined ones', async () => {
  const account = await newAccount()
  const { api } = account
  const newsSince = await listen(account)
  expect(await chosen(api)).toEqual(predefined)
  const { status, body } = await api.post(path, { name: ' Demo ', color: 'A1B2c3' })
  const demo = { id: body.id, name: 'Demo', color: 'a1b2c3', icon_id: null, code: null }
  expect([status, body]).toEqual([201, { ...demo, is_deleted: false }])
  expect(body.id).toBeGreaterThan(2)
  const visit = await addType(api, 'Visit', { icon_id: 7 })
  const changed = await api.patch(`${path}/${visit}`, { name: 'Site visit', color: '000000' })
  const asRead = {
    id: visit,
    name: 'Site visit',
    color: '000000',
    icon_id: 7,
    code: null,
    is_deleted: false,
  }
  expect([changed.status, changed.body]).toEqual([200, asRead])
  expect((await api.patch(`${path}/${visit}`, asRead)).body).toEqual(asRead)
  expect((await api.patch(`${path}/${visit}`, { icon_id: null })).body.icon_id).toBeNull()
  const types = [...predefined, demo, { ...asRead, icon_id: null }]
  expect(await chosen(api)).toEqual(
    types.map(({ is_deleted: _, ...type }: object & { is_deleted?: boolean }) => type),
  )
  expect(await managed(api)).toEqual(types.map((type) => ({ ...type, is_deleted: false })))
  expect(await newsSince()).toEqual({ journal: [], events: [] })
})

test('tasks are given a type of the account, and no other', async () => {
  const { api } = await newAccount()
  const type = await addType(api, 'Demo')
  const theirs = await addType((await newAccount()).api, 'Demo')
  const one = await addTask(api, { task_type_id: type })
  const other = await addTask(api, {})
  expect((await api.get(`${tasks}/${one}`)).body.task_type_id).toBe(type)
  const found = await api.get(`${tasks}?filter[task_type]=${type}`)
  expect(found.body._embedded.tasks.map(({ id }: { id: number }) => id)).toEqual([one])
  expect((await api.patch(`${tasks}/${other}`, { task_type_id: type })).status).toBe(200)
  for (const task_type_id of [theirs, 3, 999_999_999]) {
    const fault = { 0: ['NotSupportedChoice task_type_id'] }
    expect(faultsOf(await post(api, { task_type_id }))).toEqual(fault)
    expect(faultsOf(await api.patch(`${tasks}/${one}`, { task_type_id }))).toEqual(fault)
  }
})

test('a deleted type stays on its tasks and is readable, and is chosen no more', async () => {
  const { api } = await newAccount()
  const lead = await addRecord(api, 'leads')
  const [used, unused, binned, left] = [
    await addType(api, 'Used'),
    await addType(api, 'Unused'),
    await addType(api, 'Of a lead in the bin'),
    await addType(api, 'Of a deleted task'),
  ]
  const one = await addTask(api, { task_type_id: used })
  await addTask(api, { task_type_id: binned, entity_type: 'leads', entity_id: lead })
  await api.delete(`/api/v4/leads/${lead}`)
  await api.delete(`${tasks}/${await addTask(api, { task_type_id: left })}`)
  for (const id of [used, unused, binned, left]) {
    expect((await api.delete(`${path}/${id}`)).status).toBe(204)
    expect((await api.delete(`${path}/${id}`)).status).toBe(404)
    expect((await api.patch(`${path}/${id}`, { name: 'x' })).status).toBe(404)
    expect((await post(api, { task_type_id: id })).status).toBe(400)
  }
  expect(await chosen(api)).toEqual(predefined)
  expect((await managed(api)).slice(2)).toMatchObject([
    { id: used, name: 'Used', is_deleted: true },
    { id: binned, name: 'Of a lead in the bin', is_deleted: true },
  ])
  // The task is changed otherwise, and sent back as it was read.
  const read = (await api.get(`${tasks}/${one}`)).body
  expect(read.task_type_id).toBe(used)
  expect((await api.patch(`${tasks}/${one}`, { ...read, text: 'New' })).status).toBe(200)
  expect((await api.get(`${tasks}/${one}`)).body).toMatchObject({ text: 'New', task_type_id: used })
  const found = await api.get(`${tasks}?filter[task_type]=${used}`)
  expect(found.body._embedded.tasks).toHaveLength(1)
  // A type of the same name is the deleted one again.
  expect(await addType(api, 'USED', { color: 'ffffff', icon_id: 3 })).toBe(used)
  expect(await addType(api, 'Unused')).toBeGreaterThan(left)
  expect((await managed(api)).find((type: { id: number }) => type.id === used)).toEqual({
    id: used,
    name: 'USED',
    color: 'ffffff',
    icon_id: 3,
    code: null,
    is_deleted: false,
  })
  expect((await post(api, { task_type_id: used })).status).toBe(200)
})

test('a name is taken once, regardless of case, and the predefined types stay as they are', async () => {
  const { api } = await newAccount()
  const demo = await addType(api, 'Demo')
  const visit = await addType(api, 'Visit')
  const color = '98cbff'
  for (const name of ['demo', ' VISIT ', 'call', 'Meeting'])
    expect(faultsOf(await api.post(path, { name, color }))).toEqual({ 0: ['NotUnique name'] })
  expect(faultsOf(await api.patch(`${path}/${visit}`, { name: 'DEMO' }))).toEqual({
    0: ['NotUnique name'],
  })
  expect((await api.patch(`${path}/${demo}`, { name: 'DEMO' })).status).toBe(200)
  for (const id of [1, 2]) {
    expect((await api.patch(`${path}/${id}`, { name: 'x' })).status).toBe(400)
    expect((await api.delete(`${path}/${id}`)).status).toBe(400)
  }
  expect((await chosen(api)).map(({ name }: { name: string }) => name)).toEqual([
    'Call',
    'Meeting',
    'DEMO',
    'Visit',
  ])
})

test('malformed types are refused, and nothing is written', async () => {
  const { api } = await newAccount()
  const id = await addType(api, 'Demo')
  const before = await managed(api)
  const color = '98cbff'
  const drafts: object[] = [
    { name: ' ', color },
    { name: 'x'.repeat(101), color },
    { name: 5, color },
    { name: 'x', color: '#98cbff' },
    { name: 'x', color: '98cbf' },
    { name: 'x', color: 'red000' },
    { name: 'x', color: 5 },
    { name: 'x', color, icon_id: 'phone' },
    { name: 'x', color, icon_id: 0 },
    { name: 'x', color, icon_id: 2_147_483_648 },
    { name: 'x', color, sort: 1 },
  ]
  for (const draft of drafts) {
    expect([draft, (await api.post(path, draft)).status]).toEqual([draft, 400])
    expect([draft, (await api.patch(`${path}/${id}`, draft)).status]).toEqual([draft, 400])
  }
  for (const draft of [{}, { name: 'x' }, { color }, [{ name: 'x', color }]])
    expect([draft, (await api.post(path, draft)).status]).toEqual([draft, 400])
  expect((await api.patch(`${path}/x`, { color })).status).toBe(404)
  expect(await managed(api)).toEqual(before)
  expect(await addType(api, 'x'.repeat(100))).toBeGreaterThan(id)
})

test('only administrators in person write types, every user reads them, and no other account', async () => {
  const account = await newAccount()
  const other = await newAccount()
  const id = await addType(account.api, 'Demo')
  const user = await account.addUser({ rights: {} })
  expect((await managed(user.api)).map((type: { id: number }) => type.id)).toEqual([1, 2, id])
  expect((await chosen(user.api)).map((type: { id: number }) => type.id)).toEqual([1, 2, id])
  const draft = { name: 'x', color: '98cbff' }
  expect((await user.api.post(path, draft)).status).toBe(403)
  expect((await user.api.patch(`${path}/${id}`, draft)).status).toBe(403)
  expect((await user.api.delete(`${path}/${id}`)).status).toBe(403)
  expect(await managed(other.api)).toHaveLength(2)
  expect((await other.api.patch(`${path}/${id}`, draft)).status).toBe(404)
  expect((await other.api.delete(`${path}/${id}`)).status).toBe(404)
  expect(await managed(account.api)).toMatchObject([{}, {}, { id, name: 'Demo' }])
})

test('an account has 100 types at most, also when several add the last one, and 500 with deleted ones', async () => {
  const account = await newAccount()
  const { api, kontor } = account
  const fill = (from: number, to: number, isDeleted: boolean) =>
    kontor.database.transaction((tx) =>
      tx.rows(sql`
        insert into task_types (account_id, name, color, is_deleted)
        select ${account.id}::bigint, 'Type ' || n, '98cbff', ${isDeleted}::boolean from generate_series(${from}::int, ${to}::int) n`),
    )
  await fill(1, 99, false)
  const answers = await Promise.all(
    ['a', 'b', 'c'].map((name) => api.post(path, { name, color: '98cbff' })),
  )
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 422, 422])
  expect(await chosen(api)).toHaveLength(102)
  const [, , one, two] = await chosen(api)
  for (const { id } of [one, two]) await api.delete(`${path}/${id}`)
  await fill(1001, 1402, true)
  expect((await api.post(path, { name: 'New', color: '98cbff' })).status).toBe(422)
  expect((await api.post(path, { name: 'Type 1001', color: '98cbff' })).status).toBe(201)
})

test('a task that is given a type while the type is deleted waits, and is refused', async () => {
  const account = await newAccount()
  const id = await addType(account.api, 'Demo')
  const refused = await meanwhile(
    account,
    (tx, actor) => deleteTaskType(tx, actor, id),
    () => post(account.api, { task_type_id: id }),
  )
  expect(faultsOf(refused)).toEqual({ 0: ['NotSupportedChoice task_type_id'] })
  expect(await managed(account.api)).toHaveLength(2)
})

test.for(['removed', 'hidden'])(
  'a type that is changed while it is deleted is not found, where it is %s',
  async (outcome) => {
    const account = await newAccount()
    const { api } = account
    const id = await addType(api, 'Demo')
    if (outcome === 'hidden') await addTask(api, { task_type_id: id })
    const refused = await meanwhile(
      account,
      (tx, actor) => deleteTaskType(tx, actor, id),
      () => api.patch(`${path}/${id}`, { name: 'Other' }),
    )
    expect(refused.status).toBe(404)
    const left = outcome === 'hidden' ? [{ id, name: 'Demo', is_deleted: true }] : []
    expect(await managed(api)).toMatchObject([{}, {}, ...left])
  },
)

test('types move among their own, the predefined ones stay first, and programs keep the order of creation', async () => {
  const account = await newAccount()
  const { api } = account
  const [a, b, c] = [await addType(api, 'a'), await addType(api, 'b'), await addType(api, 'c')]
  const move = async (id: number, before: number | null) =>
    (await api.post(`${path}/${id}/move`, { before })).status
  const order = async () => (await managed(api)).slice(2).map(({ name }: { name: string }) => name)
  expect(await Promise.all([move(c, a), move(a, null)])).toEqual([204, 204])
  expect((await order()).join('')).toMatch(/^(cba|bca)$/)
  expect(await move(b, c)).toBe(204)
  expect(await order()).toEqual(['b', 'c', 'a'])
  const named = ({ name }: { name: string }) => name
  const shell = (await api.get('/web/v1/bootstrap')).body.task_types
  expect(shell.map(named)).toEqual(['Call', 'Meeting', 'b', 'c', 'a'])
  expect((await chosen(api)).map(named)).toEqual(['Call', 'Meeting', 'a', 'b', 'c'])
  expect([await move(1, a), await move(a, 1), await move(a, 999_999)]).toEqual([400, 400, 400])
  expect(await move(999_999, null)).toBe(404)
  // A type that comes back stands at the end.
  await addTask(api, { task_type_id: b })
  await api.delete(`${path}/${b}`)
  expect([await move(b, null), await move(a, b)]).toEqual([404, 400])
  await addType(api, 'b')
  expect(await order()).toEqual(['c', 'a', 'b'])
})

test('administrators see how many tasks have a type, up to a bound', async () => {
  const account = await newAccount()
  const { api } = account
  const id = await addType(api, 'Demo')
  await addTask(api, { task_type_id: id })
  await api.delete(`${tasks}/${await addTask(api, { task_type_id: id })}`)
  await account.kontor.database.transaction((tx) =>
    tx.rows(sql`
      insert into tasks (account_id, text, task_type_id, responsible_user_id, group_id, complete_till, duration,
                         is_completed, created_by, updated_by, created_at, updated_at)
      select ${account.id}::bigint, 'Visit', 2, ${account.admin.id}::bigint, 0, 1, 0, false, 0, 0, 1, 1 from generate_series(1, 1005)`),
  )
  const used = (types: { used?: number }[]) => types.map((type) => type.used)
  expect(used((await api.get(path)).body._embedded.task_types)).toEqual([0, 1001, 1])
  const user = await account.addUser({ rights: {} })
  expect(used((await user.api.get(path)).body._embedded.task_types)).toEqual([
    undefined,
    undefined,
    undefined,
  ])
})
