// Runs examples/channel.mjs as a stranger would: beside a server, as a process of its own.
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import path from 'node:path'
import sql from 'sql-template-tag'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { chatPath, hmac } from './channels.ts'
import type { Client } from './client.ts'
import { newHome, signal } from './kontor.ts'
import type { Home, Running } from './kontor.ts'
import { raw } from './raw.ts'
import { openReceiver } from './receiver.ts'
import { scratchDatabase } from './scratch.ts'
import type { Scratch } from './scratch.ts'
import { signIn } from './session.ts'

const example = path.join(import.meta.dirname, '../examples/channel.mjs')

let scratch: Scratch
let home: Home
let running: Running
let api: Client
let port: number
/** The environment of the example. */
let environment: Record<string, string>
const begun: ChildProcess[] = []

beforeAll(async () => {
  scratch = await scratchDatabase()
  home = await newHome({
    DATABASE_URL: scratch.url,
    KONTOR_SECRET_KEY: 'the key of the tests',
    ALLOW_PRIVATE_HOOKS: 'loopback',
  })
  running = await home.start()
  const [email, password] = ['boss@example.example', 'open sesame']
  await home.run(['account', 'create', 'example'])
  await home.run(['user', 'create', email, '--admin', '--password', password])
  api = (await signIn(running, { email, password })).api
  port = await freePort()
  const hook_v2 = `http://127.0.0.1:${port}/hook`
  const { status, body } = await api.post('/web/v1/channels', { name: 'Terminal', hook_v2 })
  expect(status).toBe(201)
  environment = {
    ADDRESS: `${running.url}${chatPath}/${body.id}`,
    SECRET: body.secret,
    ACCOUNT_ID: (await api.get('/api/v4/account?with=amojo_id')).body.amojo_id,
    HOOK_PORT: `${port}`,
  }
})
afterEach(() => {
  for (const child of begun.splice(0)) child.kill('SIGKILL')
})
afterAll(async () => {
  await home.close()
  await scratch.drop()
})

test('lines become messages of a client, and answers are printed and become read', async () => {
  const { child, said, saidLine } = start()
  await saidLine(/^Connected/m)
  child.stdin.write('Is the lamp in stock?\n\n')
  const [, msgid] = await saidLine(/^> ([\da-f-]{36})$/m)
  const items = (await api.get('/api/v4/leads/unsorted')).body._embedded.unsorted
  expect(items).toMatchObject([
    {
      category: 'chats',
      source_name: 'Terminal',
      metadata: { from: 'Ann', last_message_text: 'Is the lamp in stock?' },
    },
  ])
  const [chat] = (await api.get('/web/v1/chats')).body._embedded.chats
  expect(chat).toMatchObject({ client: { name: 'Ann' }, unsorted_uid: items[0].uid, unread: 1 })

  const thread = async () =>
    (await api.get(`/web/v1/chats/${chat.id}/messages`)).body._embedded.messages
  const written = { text: 'Yes, three of them' }
  expect((await api.post(`/web/v1/chats/${chat.id}/messages`, written)).status).toBe(201)
  await saidLine(/^< Yes, three of them$/m)
  const shown = [
    { message_id: msgid, text: 'Is the lamp in stock?', is_outgoing: false },
    { ...written, is_outgoing: true, status: 'read' },
  ]
  await expect.poll(thread).toMatchObject(shown)
  expect(said().match(/^>/gm)).toHaveLength(1)
  expect(said()).not.toMatch(/^!/m)
})

test('a line that Kontor does not take at once is sent again under its msgid', async () => {
  const { child, saidLine } = start()
  await saidLine(/^Connected/m)
  const { port } = new URL(running.url)
  signal(running.server, 'SIGTERM')
  await running.ended
  child.stdin.write('Hello?\n')
  await saidLine(/^! .*ECONNREFUSED.*sent again/m)
  running = await home.start({ PORT: port })
  await saidLine(/^> /m)
  const stored = sql`select count(*) as count from messages where text = 'Hello?'`
  expect(await scratch.database.row(stored)).toEqual({ count: 1 })
})

test('a callback with a wrong signature, or with none, is refused and not printed', async () => {
  const { said, saidLine, ended } = start()
  await saidLine(/^Connected/m)
  const body = JSON.stringify({ message: { message: { id: 'x', text: 'A lie', media: '' } } })
  const right = hmac(environment['SECRET']!, body)
  const signatures = [
    hmac('another secret', body),
    right.toUpperCase(),
    `${right}0`,
    '',
    'é'.repeat(40),
  ]
  for (const signature of signatures)
    expect(await call(body, { 'x-signature': signature }), signature).toBe(403)
  expect(await call(body, {})).toBe(403)
  expect(await call(`${body} `, { 'x-signature': right })).toBe(403)
  expect(said()).not.toContain('A lie')
  expect(ended()).toBeUndefined()
})

test.each([
  ['a wrong secret', { SECRET: 'wrong' }, /403: X-Signature .*is SECRET right/],
  ['a server that is not there', { ADDRESS: 'http://127.0.0.1:1/v2/x' }, /ECONNREFUSED|bad port/],
  ['another account', { ACCOUNT_ID: '0b7d7f0e-0000-4000-8000-0000000000aa' }, /404/],
  ['no address', { ADDRESS: '' }, /^channel: set ADDRESS, SECRET and ACCOUNT_ID$/m],
])('%s ends the example with one line that says so', async (_, wrong, why) => {
  const { child, said, ended } = start(wrong)
  child.stdin.write('Hello\n')
  await expect.poll(ended).toBe(1)
  expect(said()).toMatch(/^channel: .*\n$/)
  expect(said()).toMatch(why)
})

test('a port that is taken ends it the same way', async () => {
  const other = await openReceiver({ port })
  try {
    const { said, ended } = start()
    await expect.poll(ended).toBe(1)
    expect(said()).toMatch(/^channel: .*EADDRINUSE.*\n$/)
  } finally {
    await other.close()
  }
})

/** Starts the example; `said` is what it printed so far, `ended` its exit code. */
function start(changed: Record<string, string> = {}) {
  const env = { ...environment, ...changed }
  const child = spawn(process.execPath, [example], { env, stdio: 'pipe' })
  begun.push(child)
  let [said, code] = ['', undefined as number | null | undefined]
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (said += text))
  child.once('close', (end) => (code = end))
  // It may have ended before its input is written.
  child.stdin.on('error', () => undefined)
  async function saidLine(pattern: RegExp): Promise<string[]> {
    await expect.poll(() => said).toMatch(pattern)
    return [...pattern.exec(said)!]
  }
  return { child, said: () => said, ended: () => code, saidLine }
}

/** The status with which the example answers a callback. */
async function call(body: string, headers: Record<string, string>): Promise<number> {
  const url = `http://127.0.0.1:${port}`
  return (await raw({ url }, { method: 'POST', path: '/hook', headers, body })).status
}

async function freePort(): Promise<number> {
  const receiver = await openReceiver()
  await receiver.close()
  return receiver.port
}
