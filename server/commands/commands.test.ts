// The commands on a DATABASE_URL, beside a running server.
import sql from 'sql-template-tag'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { client } from '../../test/client.ts'
import { newHome } from '../../test/kontor.ts'
import type { Home, Running } from '../../test/kontor.ts'
import { scratchDatabase } from '../../test/scratch.ts'
import type { Scratch } from '../../test/scratch.ts'
import { verifyPassword } from '../secrets.ts'

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

type Made = Record<string, string>

/** The output of a command that succeeds. */
async function say(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await home.run(args)
  expect([code, stderr]).toEqual([0, ''])
  return stdout
}
const make = async (...args: string[]) => JSON.parse(await say(...args, '--json')) as Made

/** The one line of a command that fails. */
async function complain(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await home.run(args)
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toMatch(/^kontor: .*\n$/)
  return stderr.slice('kontor: '.length, -1)
}

async function exchange({ client_id, client_secret, redirect_uri, code }: Made): Promise<string> {
  const body = { client_id, client_secret, redirect_uri, code, grant_type: 'authorization_code' }
  const answer = await client(running).post('/oauth2/access_token', body)
  expect(answer.status).toBe(200)
  return answer.body.access_token as string
}

const accountOf = async (token: string) =>
  (await client(running, token).get('/api/v4/account')).body
const statusOf = async (token: string, path = 'account') =>
  (await client(running, token).get(`/api/v4/${path}`)).status

test('a database of somebody else gets no demo account unless it is asked for', async () => {
  expect(running.said()).toMatch(
    /^Kontor is ready at (\S+)\nThere is no account yet\. Set it up at \1\/setup\nStop it with Ctrl-C.*\n$/,
  )
  expect(await complain('token')).toBe(
    'there is no account yet; make one with "kontor demo" or "kontor account create"',
  )
  expect(await say('demo')).toMatch(
    /A demo account was made for you[^]*Account {8}demo\n[^]*curl -s /,
  )
  const second = await make('demo')
  expect(second).toMatchObject({ subdomain: 'demo-2', email: 'admin@demo-2.example' })
  expect(await accountOf(await exchange(second))).toMatchObject({ subdomain: 'demo-2' })
})

test('a demo account takes the time zone of the server', async () => {
  const { stdout } = await home.run(['demo', '--json'], { TZ: 'Asia/Tokyo' })
  const token = await exchange(JSON.parse(stdout) as Made)
  const { body } = await client(running, token).get('/api/v4/account?with=datetime_settings')
  expect(body._embedded.datetime_settings).toMatchObject({ timezone: 'Asia/Tokyo' })
})

test('code and token are for the first account and its administrator, or for whom is said', async () => {
  const [first, other, token, lines, bare] = await Promise.all([
    make('code'),
    make('code', '--account', 'demo-2', '--user', 'Admin@Demo-2.example'),
    make('token', '--account', 'demo-2', '--days', '1'),
    say('code'),
    say('token', '--account', 'demo-2'),
  ])
  expect(Object.keys(first)).toEqual(['code', 'client_id', 'client_secret', 'redirect_uri'])
  expect(await accountOf(await exchange(first))).toMatchObject({ subdomain: 'demo' })
  expect(await accountOf(await exchange(other))).toMatchObject({ subdomain: 'demo-2' })
  expect(Object.keys(token)).toEqual(['access_token'])
  expect(await accountOf(bare.trimEnd())).toMatchObject({ subdomain: 'demo-2' })
  expect(await accountOf(token['access_token']!)).toMatchObject({ subdomain: 'demo-2' })
  expect(
    await exchange(
      Object.fromEntries(
        lines
          .trim()
          .split('\n')
          .map((line) => line.split(/ +/)),
      ),
    ),
  ).toMatch(/\./)
})

test('an account is opened, renamed, and marked unpaid and paid', async () => {
  expect(await make('account', 'create', 'north', '--name', 'Sales North')).toMatchObject({
    subdomain: 'north',
    name: 'Sales North',
  })
  expect(await complain('account', 'create', 'north')).toBe('Another account has this subdomain')
  expect(await complain('token', '--account', 'north')).toBe('the account has no administrator')
  await make('user', 'create', 'boss@north.example', '--account', 'north', '--admin')
  const { access_token: token } = await make('token', '--account', 'north')
  expect(await make('account', 'set', 'north', '--name', 'North')).toEqual({
    subdomain: 'north',
    name: 'North',
  })
  expect(await accountOf(token!)).toMatchObject({ name: 'North' })
  expect(await make('account', 'set', 'north', '--timezone', 'Asia/Tokyo')).toEqual({
    subdomain: 'north',
    timezone: 'Asia/Tokyo',
  })
  const settings = await client(running, token).get('/api/v4/account?with=datetime_settings')
  expect(settings.body._embedded.datetime_settings).toMatchObject({ timezone: 'Asia/Tokyo' })
  expect(await make('account', 'create', 'lima', '--timezone', 'America/Lima')).toMatchObject({
    timezone: 'America/Lima',
  })
  expect(await make('account', 'set', 'north', '--unpaid')).toEqual({
    subdomain: 'north',
    is_unpaid: true,
  })
  await vi.waitFor(async () => expect(await statusOf(token!, 'events')).toBe(402), {
    timeout: 8000,
  })
  await make('account', 'set', 'north', '--paid')
  await vi.waitFor(async () => expect(await statusOf(token!, 'events')).toBe(200), {
    timeout: 8000,
  })
})

test('a user is added with rights, and turned off and on', async () => {
  const rights = '{"leads":{"view":"A"}}'
  const made = await make(
    'user',
    'create',
    'Clerk@Demo.example',
    '--name',
    'A clerk',
    '--rights',
    rights,
  )
  expect(made).toMatchObject({
    account: 'demo',
    name: 'A clerk',
    password: expect.stringMatching(/^\w{16}$/),
    is_admin: false,
  })
  const person = async () =>
    (await scratch.database.row<{ password_hash: string; rights: object }>(
      sql`select password_hash, rights from users where email = 'clerk@demo.example'`,
    ))!
  expect(await verifyPassword(made['password']!, (await person()).password_hash)).toBe(true)
  expect((await person()).rights).toMatchObject({
    leads: { view: 'A', edit: 'D', add: 'D' },
    contacts: { view: 'D' },
  })

  const { access_token } = await make('token', '--user', 'clerk@demo.example')
  const api = client(running, access_token)
  expect((await api.get('/api/v4/leads')).status).toBe(200)
  expect((await api.post('/api/v4/leads', [{ name: 'x' }])).status).toBe(403)
  expect(await make('user', 'set', 'CLERK@demo.example', '--no-active')).toMatchObject({
    is_active: false,
  })
  await vi.waitFor(async () => expect(await statusOf(access_token!)).toBe(401), { timeout: 8000 })
  expect(await complain('token', '--user', 'clerk@demo.example')).toBe(
    'there is no active user clerk@demo.example in the account',
  )
  await make('user', 'set', 'clerk@demo.example', '--active', '--password', 'a new one')
  expect(await statusOf(access_token!)).toBe(401)
  const { access_token: fresh } = await make('token', '--user', 'clerk@demo.example')
  expect(await statusOf(fresh!)).toBe(200)
  expect(await verifyPassword('a new one', (await person()).password_hash)).toBe(true)
})

test('an integration is made as it is wished and installed', async () => {
  const wishes = [
    '--empty-list',
    '204',
    '--forgiving-refresh',
    '--redirect-uri',
    'https://example.com/a?b=c',
    '--origins',
    'https://a.example, https://b.example:8443',
  ]
  await make('account', 'create', 'south')
  await make('user', 'create', 'boss@south.example', '--account', 'south', '--admin')
  const made = await make('integration', 'create', 'Bridge', '--account', 'south', ...wishes)
  expect(Object.keys(made)).toEqual(['client_id', 'client_secret', 'redirect_uri'])
  const issued = await make('code', '--account', 'south')
  expect(issued).toMatchObject(made)
  expect(await statusOf(await exchange(issued), 'leads')).toBe(204)
})

test('an integration is listed, changed, ended, let in again, and gets a new secret', async () => {
  await make('account', 'create', 'east')
  await make('user', 'create', 'boss@east.example', '--account', 'east', '--admin')
  const east = ['--account', 'east']
  const { client_id, client_secret } = await make(
    'integration',
    'create',
    'Bridge',
    ...east,
    '--redirect-uri',
    'http://x.example/',
  )
  const changed = await make(
    'integration',
    'set',
    client_id!,
    ...east,
    '--scopes',
    'files,crm',
    '--empty-list',
    '204',
    '--origins',
    'https://a.example',
  )
  expect(changed).toEqual({
    client_id,
    scopes: ['files', 'crm'],
    empty_list: 204,
    origins: ['https://a.example'],
  })
  expect(await say('integration', 'list', ...east)).toBe(
    `${client_id}  enabled  own  crm,files  http://x.example/  Bridge\n`,
  )
  const api = client(running, await exchange(await make('code', ...east)))
  const pipeline = (await api.get('/api/v4/leads/pipelines')).body._embedded.pipelines[0].id
  const duplicates = (ids: string) =>
    make('integration', 'set', client_id!, ...east, '--duplicate-pipelines', ids)
  expect(await duplicates(`${pipeline}, ${pipeline}`)).toEqual({
    client_id,
    duplicate_pipelines: [pipeline, pipeline],
  })
  expect(await duplicates('')).toEqual({ client_id, duplicate_pipelines: [] })
  expect(
    await complain('integration', 'set', client_id!, ...east, '--duplicate-pipelines', '1,x'),
  ).toBe('"x" is no id of a pipeline; ids have commas between')
  expect(
    await complain('integration', 'set', client_id!, ...east, '--duplicate-pipelines', '7'),
  ).toContain('There is no pipeline 7.')
  const token = await exchange(await make('code', ...east))
  expect(await statusOf(token, 'leads')).toBe(204)
  const [{ id }] = (await make('integration', 'grants', client_id!, ...east)) as unknown as [
    { id: number },
  ]
  expect(await make('integration', 'revoke', client_id!, String(id), ...east)).toEqual({
    client_id,
    id,
    is_revoked: true,
  })
  await expect.poll(() => statusOf(token), { timeout: 2000 }).toBe(401)
  expect(await make('integration', 'disable', client_id!, ...east)).toEqual({
    client_id,
    is_enabled: false,
  })
  expect(await say('integration', 'list', ...east)).toContain('disabled')
  expect(await make('integration', 'enable', client_id!, ...east)).toEqual({
    client_id,
    is_enabled: true,
  })
  const rotated = await make('integration', 'rotate', client_id!, ...east)
  expect(rotated['client_secret']).not.toBe(client_secret)
  expect(await make('code', ...east)).toMatchObject(rotated)
})

test('webhooks are listed and enabled, followers are listed and forgotten', async () => {
  const east = ['--account', 'east']
  const { client_id } = await make(
    'integration',
    'create',
    'Hooks',
    '--redirect-uri',
    'http://x.example/',
    ...east,
  )
  expect(client_id).toBeDefined()
  const api = client(running, await exchange(await make('code', ...east)))
  const destination = 'https://receiver.example/hook'
  const made = await api.post('/api/v4/webhooks', { destination, settings: ['add_lead'] })
  const id = String(made.body.id)
  const { database } = scratch
  await database.rows(sql`update webhooks set is_disabled = true, disabled_at = 1`)
  expect(await say('webhook', 'list', ...east)).toBe(`${id}  disabled  add_lead  ${destination}\n`)
  expect(await make('webhook', 'enable', id, ...east)).toEqual({ id: Number(id), state: 'enabled' })
  expect(await say('webhook', 'list', ...east)).toContain('enabled')
  expect(await complain('webhook', 'enable', 'x', ...east)).toContain('"x" is no webhook')
  expect(await complain('webhook', 'enable', '999999', ...east)).not.toBe('')

  await database.rows(sql`
    insert into followers (name, low_water, system_identifier, updated_at) values ('gone', 0, '', 0)`)
  expect(await say('follower', 'list')).toMatch(/^gone  \d+  0$/m)
  expect(await make('follower', 'forget', 'gone')).toEqual({ name: 'gone', is_forgotten: true })
  expect(await say('follower', 'list')).not.toContain('gone')
  expect(await complain('follower', 'forget', 'gone')).toContain('there is no follower "gone"')
})

test('migrate finds nothing to do, doctor finds all well and hides what is secret', async () => {
  expect(await say('migrate')).toBe('The database is up to date.\n')
  const outcome = await home.run(['doctor'], { KONTOR_SECRET_KEY: 'hush' })
  expect(outcome.stdout).toMatch(/^ok {4}database \(DATABASE_URL\): PostgreSQL 18/m)
  expect(outcome.stdout).not.toMatch(/^fail/m)
  expect(outcome.stdout).not.toContain('hush')
  expect(outcome.stdout).not.toContain(/:\/\/\w+:(\w+)@/.exec(scratch.url)![1])
  expect(outcome.code).toBe(0)
})

test('a key that is not the one the secrets were encrypted with is told in one line', async () => {
  const { code, stderr } = await home.run(['code'], { KONTOR_SECRET_KEY: 'another' })
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(
      /^kontor: the secrets in this database were encrypted with another key: .*\n$/,
    ),
  ])
})
