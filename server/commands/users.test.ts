// Users, roles and groups at the command line, beside a running server.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { client } from '../../test/client.ts'
import { newHome } from '../../test/kontor.ts'
import type { Home, Running } from '../../test/kontor.ts'
import { scratchDatabase } from '../../test/scratch.ts'
import type { Scratch } from '../../test/scratch.ts'

let scratch: Scratch
let home: Home
let running: Running

beforeAll(async () => {
  scratch = await scratchDatabase()
  home = await newHome({ DATABASE_URL: scratch.url })
  running = await home.start()
})
afterAll(async () => {
  await home.close()
  await scratch.drop()
})

async function say(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await home.run(args)
  expect([code, stderr]).toEqual([0, ''])
  return stdout
}
// oxlint-disable-next-line typescript/no-explicit-any -- what a test looks for is what it proves
const ask = async (...args: string[]): Promise<any> => JSON.parse(await say(...args, '--json'))

test('people are put into groups and roles from the command line', async () => {
  await ask('account', 'create', 'east')
  await ask('user', 'create', 'boss@east.example', '--account', 'east', '--admin')
  const group = await ask('group', 'create', 'North')
  expect(group).toMatchObject({ name: 'North', users: 0 })
  const role = await ask(
    'role',
    'create',
    'Seller',
    '--rights',
    '{"leads":{"view":"M","edit":"A","add":"A"}}',
  )
  expect(role).toMatchObject({
    name: 'Seller',
    rights: { leads: { view: 'M', edit: 'M', add: 'A', delete: 'D' } },
  })
  await ask('user', 'create', 'ann@east.example', '--name', 'Ann', '--group', String(group.id))
  expect(await ask('user', 'set', 'ann@east.example', '--role', String(role.id))).toMatchObject({
    email: 'ann@east.example',
    group_name: 'North',
    role_name: 'Seller',
    is_admin: false,
    is_active: true,
  })
  const { access_token } = await ask('token', '--user', 'ann@east.example')
  const ann = client(running, access_token)
  expect((await ann.get('/api/v4/contacts')).status).toBe(403)
  expect((await ann.post('/api/v4/leads', [{ name: 'x' }])).status).toBe(200)

  await ask(
    'user',
    'set',
    'ann@east.example',
    '--admin',
    '--group',
    '0',
    '--role',
    'none',
    '--name',
    'Ann Lee',
  )
  await expect.poll(async () => (await ann.get('/api/v4/users')).status).toBe(200)
  const users = await ask('user', 'list')
  expect(users).toMatchObject([
    { email: 'boss@east.example', is_admin: true },
    { email: 'ann@east.example', name: 'Ann Lee', is_admin: true, group_id: 0, role_id: null },
  ])
  expect(await ask('group', 'list')).toMatchObject([
    { id: 0, users: 2 },
    { id: group.id, users: 0 },
  ])
  expect(await ask('role', 'list')).toMatchObject([{ id: role.id, name: 'Seller' }])
  const of = ['--user', 'ann@east.example']
  const made = await ask('api-key', 'create', ...of, '--name', 'The old site')
  expect(made).toMatchObject({ account: 'east', name: 'The old site', login: 'ann@east.example' })
  const byKey = new URLSearchParams({ login: made.login, api_key: made.api_key }).toString()
  const statusByKey = async () => (await client(running).get(`/api/v2/webhooks?${byKey}`)).status
  expect(await statusByKey()).toBe(200)
  const keys = await ask('api-key', 'list')
  expect(keys).toMatchObject([{ id: made.id, login: 'ann@east.example', name: 'The old site' }])
  expect([keys[0].last_used_at, JSON.stringify(keys)]).toEqual([
    expect.any(Number),
    expect.not.stringContaining(made.api_key),
  ])
  expect(await ask('api-key', 'list', '--user', 'boss@east.example')).toEqual([])
  expect(await ask('api-key', 'delete', String(made.id))).toEqual({ id: made.id, is_deleted: true })
  await expect.poll(statusByKey).toBe(401)
  expect(await say('user', 'list')).toMatch(
    /^\d+ {2}boss@east.example {2}boss@east.example {2}true /,
  )
  // A command moves the user; the running server moves the user's records.
  const lead = (await ann.get('/api/v4/leads')).body._embedded.leads[0]
  expect(lead.group_id).toBe(0)
})
