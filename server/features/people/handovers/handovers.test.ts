// Handing everything over that a user is responsible for.
import sql from 'sql-template-tag'
import { beforeAll, expect, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import type { TestAccount, TestUser } from '../../../../test/account.ts'
import { newsOf } from '../../../../test/inbox.ts'
import { addRecord, addRecords, allKinds, needed, readRecord } from '../../../../test/records.ts'
import { handedTypes } from './schema.ts'
import type { HandoverStep } from './schema.ts'

let account: TestAccount
let to: TestUser
beforeAll(async () => {
  account = await newAccount()
  to = await account.addUser({ name: 'Their heir' })
})

const path = ({ id }: Pick<TestUser, 'id'>) => `/web/v1/users/${id}/handover`
const none = Object.fromEntries(handedTypes.map((type) => [type, 0]))

const addTask = async (user: TestUser, more: object = {}): Promise<number> => {
  const draft = { text: 'Call', complete_till: account.kontor.now() + 3600 }
  const sent = { ...draft, responsible_user_id: user.id, ...more }
  return (await account.api.post('/api/v4/tasks', [sent])).body._embedded.tasks[0].id
}
const taskOf = async (id: number) => (await account.api.get(`/api/v4/tasks/${id}`)).body

/** One record of each type, an open and a completed task, and a lead in the bin. */
async function userWithRecords() {
  const user = await account.addUser()
  const its = { responsible_user_id: user.id }
  const ids = {} as Record<(typeof allKinds)[number], number>
  for (const kind of allKinds)
    ids[kind] = await addRecord(account.api, kind, { ...needed(kind), name: 'Theirs', ...its })
  const binned = await addRecord(account.api, 'leads', { name: 'In the bin', ...its })
  await account.api.delete(`/api/v4/leads/${binned}`)
  const open = await addTask(user, { entity_type: 'leads', entity_id: ids.leads })
  const done = await addTask(user, { is_completed: true, result: { text: 'Called' } })
  return { user, ids, binned, open, done }
}

/** Repeats the request until nothing is left, and answers the steps. */
async function handOver(user: TestUser, to_user_id: number): Promise<HandoverStep[]> {
  const steps: HandoverStep[] = []
  while (!steps.at(-1)?.is_done) {
    const { status, body } = await account.api.post(path(user), { to_user_id })
    expect([status, body]).toEqual([200, body])
    steps.push(body)
  }
  return steps
}

test('everything that a user is responsible for goes to another, a type at a time', async () => {
  const { user, ids, binned, open, done } = await userWithRecords()
  const all = { leads: 1, contacts: 1, companies: 1, customers: 1, tasks: 1 }
  expect((await account.api.get(path(user))).body).toEqual(all)
  const steps = await handOver(user, to.id)
  expect(steps).toEqual([
    ...handedTypes.map((type) => ({ moved: { ...none, [type]: 1 }, is_done: false })),
    { moved: none, is_done: true },
  ])
  for (const kind of allKinds) {
    const { responsible_user_id } = await readRecord(account.api, kind, ids[kind])
    expect([kind, responsible_user_id]).toEqual([kind, to.id])
  }
  expect((await taskOf(open)).responsible_user_id).toBe(to.id)
  // Completed tasks stay with the user who did them, and so does the bin.
  expect((await taskOf(done)).responsible_user_id).toBe(user.id)
  const lead = await account.kontor.database.row(
    sql`select responsible_user_id from leads where account_id = ${account.id} and id = ${binned}`,
  )
  expect(lead).toEqual({ responsible_user_id: user.id })
  expect((await account.api.get(path(user))).body).toEqual(none)
})

test('each record has the event and the news of a changed responsible user', async () => {
  const { user, ids, open } = await userWithRecords()
  const { journal, events } = await newsOf(account, () => handOver(user, to.id))
  expect(journal.map(({ entity_type, entity_id }) => [entity_type, entity_id])).toEqual([
    ...allKinds.map((kind) => [kind, ids[kind]]),
    ['tasks', open],
  ])
  expect(journal.map(({ actions }) => actions.includes('responsible'))).toEqual(
    journal.map(() => true),
  )
  expect(events).toEqual(journal.map(() => 'entity_responsible_changed'))
})

test('many leads go in batches of 250', async () => {
  const user = await account.addUser()
  const drafts = Array.from({ length: 130 }, () => ({ responsible_user_id: user.id }))
  await addRecords(account.api, 'leads', drafts)
  await addRecords(account.api, 'leads', drafts)
  const steps = await handOver(user, to.id)
  expect(steps.map(({ moved }) => moved.leads)).toEqual([250, 10, 0])
})

test('a deactivated user hands over, and nobody hands over to one', async () => {
  const { user, ids } = await userWithRecords()
  await account.api.post('/api/v4/users/deactivate', [{ id: user.id }])
  await handOver(user, to.id)
  expect((await readRecord(account.api, 'leads', ids.leads)).responsible_user_id).toBe(to.id)
  const other = await newAccount()
  for (const to_user_id of [user.id, to.id, other.admin.id, 1]) {
    const { status, body } = await account.api.post(path(to), { to_user_id })
    expect([status, body['validation-errors']?.[0].errors[0].path]).toEqual([400, 'to_user_id'])
  }
  expect((await account.api.post(path(other.admin), { to_user_id: to.id })).status).toBe(404)
  expect((await account.api.get(path(other.admin))).status).toBe(404)
  for (const body of [{}, { to_user_id: null }, { to_user_id: to.id, deactivate: true }])
    expect((await account.api.post(path(user), body)).status).toBe(400)
})
