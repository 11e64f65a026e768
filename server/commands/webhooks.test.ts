// `kontor webhook` beside a running server, and what the doctor says of deliveries.
import sql from 'sql-template-tag'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { client } from '../../test/client.ts'
import type { Client } from '../../test/client.ts'
import { newHome } from '../../test/kontor.ts'
import type { Home } from '../../test/kontor.ts'
import { addLead } from '../../test/leads.ts'
import { openReceiver } from '../../test/receiver.ts'
import type { Receiver } from '../../test/receiver.ts'
import { scratchDatabase } from '../../test/scratch.ts'
import type { Scratch } from '../../test/scratch.ts'
import { readConfig } from '../config.ts'
import { doctor } from './doctor.ts'

let scratch: Scratch
let home: Home
let receiver: Receiver
let api: Client

beforeAll(async () => {
  scratch = await scratchDatabase()
  receiver = await openReceiver()
  home = await newHome({ DATABASE_URL: scratch.url, ALLOW_PRIVATE_HOOKS: 'loopback' })
  const running = await home.start()
  await make('account', 'create', 'first')
  await make('user', 'create', 'boss@first.example', '--admin')
  api = client(running, (await make('token'))['access_token'] as string)
})
afterAll(async () => {
  await home.close()
  await receiver.close()
  await scratch.drop()
})

async function make(...args: string[]): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await home.run([...args, '--json'])
  expect([code, stderr]).toEqual([0, ''])
  return JSON.parse(stdout)
}

/** The one line of a command that fails. */
async function complain(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await home.run(args)
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toMatch(/^kontor: .*\n$/)
  return stderr.slice('kontor: '.length, -1)
}

let paths = 0
async function subscribe(...settings: string[]): Promise<{ id: string; path: string }> {
  const path = `/hook/${++paths}`
  const made = await api.post('/api/v4/webhooks', { destination: receiver.url + path, settings })
  return { id: String(made.body.id), path }
}
const arrived = ({ path }: { path: string }) =>
  receiver.arrivals.filter((each) => each.path === path)

test('a test notice is sent and its answer is told', async () => {
  const hook = await subscribe('add_lead')
  receiver.behave(hook.path, { status: 204 }, { status: 503 })
  expect(await make('webhook', 'test', hook.id)).toEqual({
    id: Number(hook.id),
    delivery_id: expect.any(Number),
    state: 'delivered',
    status: 204,
    error: null,
    duration: expect.any(Number),
  })
  expect(arrived(hook)).toHaveLength(1)
  const failed = await home.run(['webhook', 'test', hook.id])
  expect(failed.code).toBe(1)
  expect(failed.stdout).toMatch(/^state +failed$/m)
  expect(failed.stdout).toMatch(/^status +503$/m)
  expect(await complain('webhook', 'test', 'x')).toContain('"x" is no webhook')
  expect(await complain('webhook', 'test', '999999')).not.toBe('')
})

test('a delivery is replayed, or those of a range', async () => {
  const hook = await subscribe('add_lead')
  await addLead(api)
  await expect.poll(() => arrived(hook).length, { timeout: 10_000 }).toBe(1)
  const id = arrived(hook)[0]!.headers['x-kontor-delivery']!
  const isDelivered = async () =>
    (await api.get(`/web/v1/webhooks/${hook.id}/deliveries/${id}`)).body.state === 'delivered'
  await expect.poll(isDelivered).toBe(true)
  expect(await make('webhook', 'replay', hook.id, id)).toEqual({
    id: Number(hook.id),
    delivery_id: Number(id),
    state: 'waiting',
  })
  await expect.poll(() => arrived(hook).length, { timeout: 10_000 }).toBe(2)
  expect(arrived(hook)[1]).toMatchObject({ body: arrived(hook)[0]!.body })
  expect(arrived(hook)[1]!.headers['x-kontor-delivery']).toBe(id)
  await expect.poll(isDelivered).toBe(true)
  const range = async (...options: string[]) =>
    (await make('webhook', 'replay', hook.id, ...options))['replayed']
  expect(await range()).toBe(0)
  const delivered = ['--state', 'failed,delivered']
  expect(await range(...delivered, '--until', '2020-01-01')).toBe(0)
  expect(await range(...delivered, '--since', '2100-01-01T09:30:00+02:00')).toBe(0)
  const hourAgo = new Date(Date.now() - 3_600_000).toISOString().slice(0, 16) + 'Z'
  const soon = String(Math.floor(Date.now() / 1000) + 60)
  expect(await range(...delivered, '--since', hourAgo, '--until', soon)).toBe(1)
  await expect.poll(() => arrived(hook).length, { timeout: 10_000 }).toBe(3)
})

test('a replay that cannot be meant is refused', async () => {
  const hook = await subscribe('add_lead')
  const refused: [refusal: string, ...args: string[]][] = [
    ['name a webhook'],
    ['"x" is no webhook', 'x'],
    ['"x" is no delivery', hook.id, 'x'],
    ['has no range', hook.id, '1', '--since', '1'],
    ['is about all webhooks', hook.id, '--unbuilt'],
    ['is about all webhooks', '--unbuilt', '--until', '1'],
    ['"soon" is no time', hook.id, '--since', 'soon'],
    ['"2026-13-01" is no time', hook.id, '--since', '2026-13-01'],
    ['"2026-01-01T10:00" is no time', hook.id, '--until', '2026-01-01T10:00'],
    ['"waiting" is no state', hook.id, '--state', 'waiting'],
  ]
  const said = await Promise.all(
    refused.map(([, ...args]) => complain('webhook', 'replay', ...args)),
  )
  for (const [index, [refusal]] of refused.entries()) expect(said[index]).toContain(refusal)
  expect(await complain('webhook', 'replay', hook.id, '999999')).not.toBe('')
  expect(arrived(hook)).toEqual([])
})

test('notices that could not be built are told by the doctor, shown and replayed', async () => {
  const hook = await subscribe('add_task')
  const inZone = (timezone: string) =>
    scratch.database.rows(sql`update accounts set timezone = ${timezone}`)
  expect(await examined()).toMatch(/^ok {4}webhooks: all notices/m)
  await inZone('Mars/Olympus')
  await api.post('/api/v4/tasks', [{ text: 'Call', complete_till: 5 }])
  await expect
    .poll(async () => (await api.get('/web/v1/webhooks/unbuilt')).body._embedded.unbuilt.length, {
      timeout: 10_000,
    })
    .toBe(1)
  expect(await examined()).toMatch(/^warn {2}webhooks: 1 change could not be told/m)
  const { stdout } = await home.run(['webhook', 'unbuilt'])
  expect(stdout).toContain('tasks')
  expect(await make('webhook', 'replay', '--unbuilt')).toEqual({
    replayed: 0,
    deliveries: 0,
    left: 1,
  })
  await inZone('Europe/Berlin')
  expect(await make('webhook', 'replay', '--unbuilt')).toEqual({
    replayed: 1,
    deliveries: 1,
    left: 0,
  })
  await expect.poll(() => arrived(hook).length, { timeout: 10_000 }).toBe(1)
  expect((await home.run(['webhook', 'unbuilt', '--json'])).stdout).toBe('[]\n')
  expect(await examined()).toMatch(/^ok {4}webhooks: all notices/m)
})

test('the doctor tells of first attempts that wait for more than a minute', async () => {
  const { database } = scratch
  // These have no bodies, so the server that runs here leaves them.
  const late = 'webhooks: deliveries to'
  expect(await examined()).toMatch(/^ok {4}webhooks: no delivery waits/m)
  const now = Date.now()
  await database.rows(sql`
    insert into webhooks (account_id, id, destination, settings, sort, is_disabled, disabled_at, after_journal_id, created_by, created_at, updated_at)
    select 7, n, 'https://late.example/' || n, '{add_lead}', 1, n = 9003, case n when 9003 then 1 end, 0, 1, 1, 1 from generate_series(9001, 9004) n`)
  const wait = (webhook: number, ageMs: number, due: number) =>
    database.rows(sql`
      insert into deliveries (account_id, webhook_id, body_id, event, records, created_at, due_at)
      values (7, ${webhook}, 0, 'add_lead', '{leads 1}', ${now - ageMs}, ${due})`)
  // A retry, a webhook that is off, and one that has waited for moments.
  await wait(9001, 7_200_000, now + 3_600_000)
  await wait(9003, 7_200_000, 0)
  await wait(9004, 5000, 0)
  expect(await examined()).not.toContain(late)
  await wait(9001, 2.5 * 3_600_000, 0)
  await wait(9001, 3_600_000, 0)
  expect(await examined()).toMatch(
    /^warn {2}webhooks: deliveries to 1 destination wait.* for 2 h:/m,
  )
  await wait(9002, 120_000, 0)
  expect(await examined()).toMatch(
    /^warn {2}webhooks: deliveries to 2 destinations wait.* for 2 h:/m,
  )
  await database.rows(sql`delete from deliveries where account_id = 7`)
  await database.rows(sql`delete from webhooks where account_id = 7`)
  expect(await examined()).toMatch(/^ok {4}webhooks: no delivery waits/m)
})

/** The lines of the doctor, as `kontor doctor` prints them. */
async function examined(): Promise<string> {
  const lines: string[] = []
  const config = { ...readConfig({}), port: 0, databaseUrl: scratch.url, data: home.data }
  expect(await doctor(config, (line) => lines.push(line))).toBe(true)
  return lines.join('\n')
}
