// `kontor channel` and `kontor message` beside a running server.
import sql from 'sql-template-tag'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { client } from '../../test/client.ts'
import { hmac } from '../../test/channels.ts'
import { newHome } from '../../test/kontor.ts'
import type { Home, Running } from '../../test/kontor.ts'
import { raw } from '../../test/raw.ts'
import { openReceiver } from '../../test/receiver.ts'
import { scratchDatabase } from '../../test/scratch.ts'
import type { Scratch } from '../../test/scratch.ts'

let scratch: Scratch
let home: Home
let running: Running
beforeAll(async () => {
  scratch = await scratchDatabase()
  home = await newHome({ DATABASE_URL: scratch.url, ALLOW_PRIVATE_HOOKS: 'none' })
  running = await home.start()
  await make('account', 'create', 'first')
  await make('account', 'create', 'second')
  await make('user', 'create', 'boss@first.example', '--admin')
})
afterAll(async () => {
  await home.close()
  await scratch.drop()
})

// oxlint-disable-next-line typescript/no-explicit-any -- what a test looks for is what it proves
async function make(...args: string[]): Promise<any> {
  const { code, stdout, stderr } = await home.run([...args, '--json'])
  expect([code, stderr]).toEqual([0, ''])
  return JSON.parse(stdout)
}

/** The one line of a command that fails. */
async function complain(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await home.run(args)
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toMatch(/^kontor: .*\n$/)
  return stderr
}

async function connect(id: string, secret: string, account_id: string): Promise<number> {
  const body = JSON.stringify({ account_id })
  const answer = await raw(running, {
    method: 'POST',
    path: `/v2/origin/custom/${id}/connect`,
    headers: { 'x-signature': hmac(secret, body) },
    body,
  })
  return answer.status
}

test('a channel is created, listed, given a new secret and deleted', async () => {
  const hooks = ['--hook-v1', 'https://example.com/a', '--hook-v2', 'https://example.com/:scope_id']
  const created = ['--name', 'Demo', ...hooks, '--account', 'first', '--no-avatar']
  const made = await make('channel', 'create', ...created)
  expect(made).toEqual({
    id: expect.stringMatching(/^[\da-f-]{36}$/),
    account: 'first',
    account_id: expect.stringMatching(/^[\da-f-]{36}$/),
    name: 'Demo',
    code: expect.stringMatching(/^kontor\.ext\.\d+$/),
    secret: expect.stringMatching(/^[\da-f]{40}$/),
    bot_id: expect.stringMatching(/^[\da-f-]{36}$/),
    scope_base: `${made.id}_`,
    address: expect.stringMatching(new RegExp(`/v2/origin/custom/${made.id}$`)),
  })
  const api = client(running, (await make('token'))['access_token'])
  const seen = (await api.get(`/web/v1/channels/${made.id}`)).body
  expect(seen).toMatchObject({ hook_v1: 'https://example.com/a', is_avatar_required: false })
  expect(await make('channel', 'list')).toEqual([
    {
      id: made.id,
      code: made.code,
      name: 'Demo',
      hook_v1: 'https://example.com/a',
      hook_v2: 'https://example.com/:scope_id',
    },
  ])
  expect(await make('channel', 'list', '--account', 'second')).toEqual([])
  expect(await connect(made.id, made.secret, made.account_id)).toBe(200)
  const { secret } = await make('channel', 'rotate', made.id)
  expect(await connect(made.id, made.secret, made.account_id)).toBe(403)
  expect(await connect(made.id, secret, made.account_id)).toBe(200)
  await complain('channel', 'delete', made.id, '--account', 'second')
  expect(await make('channel', 'delete', made.id)).toEqual({ id: made.id, is_deleted: true })
  expect(await connect(made.id, secret, made.account_id)).toBe(404)
})

test('the operator of the server allows other accounts', async () => {
  const other = await scratch.database.row<{ amojo_id: string }>(
    sql`select amojo_id from accounts where subdomain = 'second'`,
  )
  const [closed, open] = [
    await make('channel', 'create', '--name', 'Closed'),
    await make('channel', 'create', '--name', 'Open', '--allow', 'second'),
  ]
  expect(await connect(closed.id, closed.secret, other!.amojo_id)).toBe(404)
  expect(await connect(open.id, open.secret, other!.amojo_id)).toBe(200)
})

test('a mistake is one line', async () => {
  expect(await complain('channel', 'create', '--name', '1')).toContain('name')
  const hook = ['--name', 'Line', '--hook-v1', 'http://127.0.0.1/']
  expect(await complain('channel', 'create', ...hook)).toContain('hook_v1')
  await complain('channel', 'create', '--name', 'Line', '--allow', 'nobody')
  await complain('channel', 'rotate', 'x')
  await complain('channel', 'rotate', '00000000-0000-4000-8000-000000000000')
})

test('a message is sent into a chat, by a user or the bot of the channel', async () => {
  const receiver = await openReceiver()
  onTestFinished(() => receiver.close())
  const database = scratch.database
  const made = await make('channel', 'create', '--name', 'Bot line', '--account', 'first')
  await database.transaction((tx) =>
    tx.rows(sql`update channels set hook_v2 = ${receiver.url} where id = ${made.id}`),
  )
  const body = JSON.stringify({ account_id: made.account_id, hook_api_version: 'v2' })
  const headers = { 'x-signature': hmac(made.secret, body) }
  const path = `/v2/origin/custom/${made.id}/connect`
  expect((await raw(running, { method: 'POST', path, headers, body })).status).toBe(200)
  const chat = await database.transaction((tx) =>
    tx.row<{ id: number; uid: string }>(sql`
      with client as (
        insert into chat_clients (account_id, channel_id, client_id, name, created_at, updated_at)
        select id, ${made.id}, 'cl-1', 'Ann', 1, 1 from accounts where subdomain = 'first' returning account_id, uid
      )
      insert into chats (account_id, channel_id, conversation_id, client_uid, created_at, updated_at)
      select account_id, ${made.id}::uuid, 'cv-1', uid, 1, 1 from client returning id, uid`),
  )
  const send = ['message', 'send', '--account', 'first', '--chat', String(chat!.id)]
  const sent = await make(...send, '--text', 'From the shell')
  expect(sent).toEqual({
    id: expect.any(Number),
    uid: expect.stringMatching(/^[\da-f-]{36}$/),
    chat: chat!.id,
    status: 'sending',
  })
  // Programs know the chat by its UUID.
  const named = (uid: string) => ['message', 'send', '--account', 'first', '--chat', uid]
  const write = [...named(chat!.uid.toUpperCase()), '--text', 'By a user']
  const byUser = await make(...write, '--user', 'boss@first.example')
  expect(byUser['chat']).toBe(chat!.id)
  const writers = await database.rows<{ email: string | null }>(sql`
    select (select email from users where id = user_id) as email from messages where chat_id = ${chat!.id} order by id`)
  expect(writers.map(({ email }) => email)).toEqual([null, 'boss@first.example'])
  // The running server may not reach a private address, and shows why.
  await expect
    .poll(async () => {
      const rows = await database.rows<{ error: string | null }>(
        sql`select error from messages where id in (${sent.id}, ${byUser.id})`,
      )
      return rows.map(({ error }) => error)
    })
    .toEqual(Array(2).fill('The address of the channel is private, which is not allowed'))
  expect(receiver.arrivals).toEqual([])
  expect(await complain(...send, '--text', ' ')).toContain('text')
  expect(await complain('message', 'send', '--chat', '1', '--text', 'x')).toContain('not found')
  const unknown = '00000000-0000-4000-8000-000000000000'
  expect(await complain(...named(unknown), '--text', 'x')).toContain('not found')
  const elsewhere = ['message', 'send', '--account', 'second', '--chat', chat!.uid]
  expect(await complain(...elsewhere, '--text', 'x')).toContain('not found')
  expect(await complain('message', 'send', '--chat', 'x', '--text', 'x')).toContain('no id')
})
