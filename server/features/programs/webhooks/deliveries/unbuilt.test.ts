// Changes whose notices cannot be built: they are set aside, shown, counted and replayed. The time
// zone of the account is broken here, so no notice of a task can be built; a mended one can.
import pino from 'pino'
import { Registry } from 'prom-client'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { newAccount } from '../../../../../test/account.ts'
import type { TestAccount } from '../../../../../test/account.ts'
import { addLead } from '../../../../../test/leads.ts'
import { openReceiver } from '../../../../../test/receiver.ts'
import type { Receiver } from '../../../../../test/receiver.ts'
import { scratchDatabase } from '../../../../../test/scratch.ts'
import type { Scratch } from '../../../../../test/scratch.ts'
import { entities } from '../../../../entities.ts'
import { parseNested } from '../../../../http/nested.ts'
import { startDeliveries } from './deliveries.ts'
import type { Sending } from '../../../../outgoing/sender.ts'

const day = 86_400

let scratch: Scratch
let account: TestAccount
let receiver: Receiver
let deliveries: Sending
const metrics = new Registry()

beforeAll(async () => {
  scratch = await scratchDatabase()
  receiver = await openReceiver()
  account = await newAccount({ databaseUrl: scratch.url, privateHooks: 'loopback' })
  deliveries = startDeliveries(account.kontor, entities, pino({ level: 'silent' }), {
    timeoutMs: 10_000,
    metrics,
  })
  await deliveries.ready
})
afterAll(async () => {
  await deliveries.stop()
  await receiver.close()
  await scratch.drop()
})
beforeEach(async () => {
  await inZone('Europe/Berlin')
  await unsubscribeAll()
})

async function unsubscribeAll(): Promise<void> {
  for (const { destination } of (await account.api.get('/api/v4/webhooks')).body._embedded.webhooks)
    await account.api.delete('/api/v4/webhooks', { destination })
}

async function inZone(timezone: string, { id } = account): Promise<void> {
  await scratch.database.rows(sql`update accounts set timezone = ${timezone} where id = ${id}`)
}
const breakZone = () => inZone('Mars/Olympus')

interface Hook {
  id: number
  path: string
  its: string
}

let paths = 0
async function subscribe(...settings: string[]): Promise<Hook> {
  const path = `/hook/${++paths}`
  const made = await account.api.post('/api/v4/webhooks', {
    destination: receiver.url + path,
    settings,
  })
  expect(made.status).toBe(200)
  return { id: made.body.id, path, its: `/web/v1/webhooks/${made.body.id}` }
}

async function addTask(text: string): Promise<number> {
  const made = await account.api.post('/api/v4/tasks', [{ text, complete_till: 5 }])
  expect(made.status).toBe(200)
  return made.body._embedded.tasks[0].id
}

const arrived = ({ path }: Hook) => receiver.arrivals.filter((each) => each.path === path)
/** The texts of the tasks that each message tells, in the order of arrival. */
const textsOf = (hook: Hook) =>
  arrived(hook).map(({ body }) => {
    const { task } = parseNested(body) as { task?: Record<string, { text: string }[]> }
    return Object.values(task ?? {}).flatMap((items) => items.map(({ text }) => text))
  })

interface Unbuilt {
  id: number
  entity_id: number
  error: string
  created_at: number
}
const unbuilt = async (query = '', api = account.api) =>
  (await api.get(`/web/v1/webhooks/unbuilt${query}`)).body._embedded.unbuilt as Unbuilt[]
const replay = async (api = account.api) => {
  const { status, body } = await api.post('/web/v1/webhooks/unbuilt/replay')
  expect(status).toBe(200)
  const { _links, ...outcome } = body
  return outcome as { replayed: number; deliveries: number; left: number }
}
const asideOf = (...entityIds: number[]) =>
  expect
    .poll(async () => (await unbuilt()).map(({ entity_id }) => entity_id))
    .toEqual(entityIds.toReversed())

async function measured(name: string): Promise<number> {
  const [, value] = new RegExp(`^${name} (\\S+)$`, 'm').exec(await metrics.metrics())!
  return Number(value)
}

test('they are set aside with the reason, counted and listed, and later notices go out', async () => {
  const hook = await subscribe('add_task', 'add_lead')
  const total = await measured('kontor_webhook_unbuilt_notices_total')
  expect(await measured('kontor_webhook_unbuilt_notices')).toBe(0)
  expect(await unbuilt()).toEqual([])
  await breakZone()
  const [one, two] = [await addTask('one'), await addTask('two')]
  const lead = await addLead(account.api)
  await expect.poll(() => arrived(hook).length).toBe(1)
  expect(parseNested(arrived(hook)[0]!.body)).toMatchObject({
    leads: { add: [{ id: `${lead}` }] },
  })
  const listed = await unbuilt()
  expect(listed).toMatchObject([
    { entity_type: 'tasks', entity_id: two, actions: ['add'] },
    { entity_type: 'tasks', entity_id: one, actions: ['add'] },
  ])
  for (const { id, error } of listed) expect(error).toContain(`change ${id} `)
  expect((await unbuilt('?limit=1')).map(({ entity_id }) => entity_id)).toEqual([two])
  expect((await unbuilt('?limit=1&page=2')).map(({ entity_id }) => entity_id)).toEqual([one])
  expect(await measured('kontor_webhook_unbuilt_notices')).toBe(2)
  expect(await measured('kontor_webhook_unbuilt_notices_total')).toBe(total + 2)

  // A notice that still cannot be built stays, with the time at which it was set aside.
  account.clock.ahead += day
  expect(await replay()).toEqual({ replayed: 0, deliveries: 0, left: 2 })
  expect(await unbuilt()).toEqual(listed)
  account.clock.ahead -= day

  await inZone('Europe/Berlin')
  expect(await replay()).toEqual({ replayed: 2, deliveries: 2, left: 0 })
  expect(await unbuilt()).toEqual([])
  expect(await measured('kontor_webhook_unbuilt_notices')).toBe(0)
  await expect.poll(() => textsOf(hook)).toEqual([[], ['one'], ['two']])
  expect(await replay()).toEqual({ replayed: 0, deliveries: 0, left: 0 })
})

test('a replay keeps their order, under new ids, after what was sent meanwhile', async () => {
  const hook = await subscribe('add_task', 'update_task')
  await breakZone()
  const task = await addTask('first')
  await account.api.patch(`/api/v4/tasks/${task}`, { text: 'second' })
  await asideOf(task, task)
  await inZone('Europe/Berlin')
  await account.api.patch(`/api/v4/tasks/${task}`, { text: 'third' })
  await expect.poll(() => textsOf(hook)).toEqual([['third']])
  // Each tells the task as the change left it.
  expect(await replay()).toEqual({ replayed: 2, deliveries: 2, left: 0 })
  await expect.poll(() => textsOf(hook)).toEqual([['third'], ['first'], ['second']])
  const ids = arrived(hook).map(({ headers }) => Number(headers['x-kontor-delivery']))
  expect(ids).toEqual(ids.toSorted((one, other) => one - other))
  expect(new Set(ids).size).toBe(3)
  await expect
    .poll(async () => {
      const log = await account.api.get(`${hook.its}/deliveries`)
      return log.body._embedded.deliveries.map(({ state }: { state: string }) => state)
    })
    .toEqual(['delivered', 'delivered', 'delivered'])
})

test('two replays at once deliver each change once', async () => {
  const hook = await subscribe('add_task')
  await breakZone()
  const ids = [await addTask('a'), await addTask('b')]
  await asideOf(...ids)
  await inZone('Europe/Berlin')
  const both = await Promise.all([replay(), replay()])
  expect(both.map(({ replayed }) => replayed).toSorted((one, other) => one - other)).toEqual([0, 2])
  await expect.poll(() => textsOf(hook)).toEqual([['a'], ['b']])
  await addTask('c')
  await expect.poll(() => textsOf(hook)).toEqual([['a'], ['b'], ['c']])
})

test('a replay is for those that want the event now, and were there before the change', async () => {
  const [wanting, off, unwilling] = [
    await subscribe('add_task'),
    await subscribe('add_task'),
    await subscribe('add_task'),
  ]
  await breakZone()
  const task = await addTask('one')
  await asideOf(task)
  await inZone('Europe/Berlin')
  const late = await subscribe('add_task')
  await account.api.post('/api/v4/webhooks', {
    destination: receiver.url + unwilling.path,
    settings: ['add_lead'],
  })
  await scratch.database.rows(
    sql`update webhooks set is_disabled = true, disabled_at = 1 where id = ${off.id}`,
  )
  expect(await replay()).toEqual({ replayed: 1, deliveries: 2, left: 0 })
  await expect.poll(() => textsOf(wanting)).toEqual([['one']])
  const deliveries = (await account.api.get(`${off.its}/deliveries`)).body._embedded.deliveries
  expect(deliveries).toMatchObject([{ state: 'held', entities: [{ entity_id: task }] }])
  for (const hook of [late, unwilling, off]) expect(arrived(hook)).toEqual([])
})

test('those that nobody wants any more are removed by a replay', async () => {
  const hook = await subscribe('add_task')
  await breakZone()
  const task = await addTask('one')
  await asideOf(task)
  await unsubscribeAll()
  expect(await replay()).toEqual({ replayed: 1, deliveries: 0, left: 0 })
  expect(arrived(hook)).toEqual([])
})

test('they are shown and replayed to the administrators of the own account only', async () => {
  const hook = await subscribe('add_task')
  await breakZone()
  const task = await addTask('secret')
  await asideOf(task)
  await inZone('Europe/Berlin')
  const user = await account.addUser()
  expect((await user.api.get('/web/v1/webhooks/unbuilt')).status).toBe(403)
  expect((await user.api.post('/web/v1/webhooks/unbuilt/replay')).status).toBe(403)
  const other = await newAccount({ databaseUrl: scratch.url, privateHooks: 'loopback' })
  expect(await unbuilt('', other.api)).toEqual([])
  expect(await replay(other.api)).toEqual({ replayed: 0, deliveries: 0, left: 0 })
  expect(await unbuilt()).toHaveLength(1)
  expect(arrived(hook)).toEqual([])
  expect(await replay()).toMatchObject({ replayed: 1 })
})
