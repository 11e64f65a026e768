// `bin/kontor start` with an embedded database, from the first start on, and every way it can end.
import net from 'node:net'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { client } from '../../test/client.ts'
import { gone, newHome, signal } from '../../test/kontor.ts'
import type { Home, Running } from '../../test/kontor.ts'
import { isAlive } from '../database/processes.ts'

let home: Home
let running: Running
let access_token: string

beforeAll(async () => {
  home = await newHome({ NODE_ENV: 'production' })
  running = await home.start()
})
afterAll(() => home.close())

/**
 * Starts again, as the next test expects it, and checks that the data of the first start is there.
 */
async function startAgain(): Promise<void> {
  running = await home.start()
  expect(running.said()).not.toContain('demo account')
  expect(await countLeads()).toBe(40)
}

async function countLeads(): Promise<number> {
  const { body } = await client(running, access_token).get('/api/v4/leads?limit=250')
  return body._embedded.leads.length as number
}

/** Checks that no process of it runs any more. */
async function expectStopped({ server, postmaster }: Running): Promise<void> {
  await gone(server)
  expect(isAlive(postmaster!)).toBe(false)
  expect(
    await readFile(path.join(home.data, 'postgres/postmaster.pid'), 'utf8').catch(() => 'none'),
  ).toBe('none')
}

test('the first start says what a newcomer needs, and the command it shows works', async () => {
  const said = Object.fromEntries(
    [...running.said().matchAll(/^ {2}(\S+) {2,}(\S+)/gm)].map(([, name, value]) => [name, value]),
  )
  expect(said).toEqual({
    Account: 'demo',
    'E-mail': 'admin@demo.example',
    Password: expect.stringMatching(/^\w{16}$/),
    client_id: expect.stringMatching(/^[\da-f-]{36}$/),
    client_secret: expect.stringMatching(/^\w{64}$/),
    redirect_uri: 'https://example.com/oauth',
    code: expect.stringMatching(/^def50200-/),
  })
  expect(running.said()).toMatch(/^ {2}Sales e-mail {3}sales@demo\.example /m)
  expect(running.said()).toMatch(/^ {2}Sales password \w{16}$/m)
  const [, url, header, body] = /curl -s (\S+) -H '([^']+)' -d '([^']+)'/.exec(running.said())!
  expect(JSON.parse(body!)).toMatchObject({ client_id: said['client_id'], code: said['code'] })
  const [name, value] = header!.split(': ') as [string, string]
  const answer = await client(running).post(url!, body, { [name.toLowerCase()]: value })
  expect(answer.status).toBe(200)
  access_token = answer.body.access_token
  expect(await countLeads()).toBe(40)
  expect(running.said()).not.toMatch(/error|^\s+at /im)
})

test('commands work beside it', async () => {
  const port = new URL(running.url).port
  const [issued, token, user, doctor] = await Promise.all([
    home.run(['code', '--json']),
    home.run(['token', '--json']),
    home.run(['user', 'create', 'me@example.com', '--json']),
    home.run(['doctor'], { PORT: port }),
  ])
  const { code: fresh, ...integration } = JSON.parse(issued.stdout) as Record<string, string>
  const exchange = { ...integration, grant_type: 'authorization_code', code: fresh }
  expect((await client(running).post('/oauth2/access_token', exchange)).status).toBe(200)
  const lasting = JSON.parse(token.stdout) as { access_token: string }
  expect((await client(running, lasting.access_token).get('/api/v4/account')).status).toBe(200)
  expect(JSON.parse(user.stdout)).toMatchObject({ account: 'demo', email: 'me@example.com' })
  expect(doctor.stdout).toMatch(
    new RegExp(`^ok {4}port ${port} on 127\\.0\\.0\\.1 is answered by Kontor itself$`, 'm'),
  )
  for (const { code, stderr } of [issued, token, user, doctor])
    expect([code, stderr]).toEqual([0, ''])
})

test('a second copy on the same data folder is told so, and disturbs nobody', async () => {
  const { code, stdout, stderr } = await home.run(['start'])
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toMatch(
    /^kontor: Kontor is already running on \S+ \(kontor start, process \d+\)\. Stop it first.*\n$/,
  )
  expect(stderr).toContain(`process ${running.server})`)
  expect(await countLeads()).toBe(40)
})

test('Ctrl-C, which reaches the launcher and its server alike, stops it in order though a client dawdles', async () => {
  const { hostname, port } = new URL(running.url)
  const dawdler = net.connect(Number(port), hostname).on('error', () => undefined)
  dawdler.write(
    'POST /oauth2/access_token HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
  )
  await new Promise((resolve) => dawdler.once('connect', resolve))
  process.kill(-running.launcher.pid!, 'SIGINT')
  expect(await running.ended).toMatchObject({
    code: 0,
    signal: null,
    stdout: expect.stringMatching(/\nStopping…\nStopped\.\n$/),
  })
  await expectStopped(running)
  dawdler.destroy()
})

test('the second start keeps everything', async () => {
  await startAgain()
  expect(running.said()).toMatch(
    /^Kontor is ready at http:\/\/127\.0\.0\.1:\d+\nStop it with Ctrl-C.*\n$/,
  )
})

test('SIGINT to the launcher alone does too', async () => {
  running.launcher.kill('SIGINT')
  expect(await running.ended).toMatchObject({ code: 0, signal: null })
  await expectStopped(running)
})

test('SIGTERM stops it although nobody reads any more what it says', async () => {
  await startAgain()
  running.launcher.stdout!.destroy()
  running.launcher.stderr!.destroy()
  running.launcher.kill('SIGTERM')
  expect((await running.ended).code).toBe(0)
  await expectStopped(running)
})

test('a killed launcher takes its server with it, in order', async () => {
  await startAgain()
  if (running.server === running.launcher.pid) running.launcher.kill('SIGINT')
  else running.launcher.kill('SIGKILL')
  await expectStopped(running)
})

test('a killed server ends its launcher, and the next start recovers the database it left', async () => {
  await startAgain()
  const { postmaster } = running
  signal(running.server, 'SIGKILL')
  const { code, signal: by } = await running.ended
  expect([null, 137]).toContain(code)
  if (code === null) expect(by).toBe('SIGKILL')
  await startAgain()
  expect(running.postmaster).not.toBe(postmaster)
  expect(isAlive(postmaster!)).toBe(false)
})

test('a killed database ends the server, with a word', async () => {
  signal(running.postmaster!, 'SIGKILL')
  const { code, stdout } = await running.ended
  expect(code).toBe(1)
  expect(stdout).toMatch(/The database ended: .*Stopping…\nStopped\.\n$/)
  await startAgain()
})
