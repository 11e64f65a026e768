// Commands with an embedded database and without a server beside them. Each starts the database,
// and stops it if no other process needs it.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { client } from '../../test/client.ts'
import { newHome } from '../../test/kontor.ts'
import type { Home, Outcome } from '../../test/kontor.ts'

let home: Home
beforeAll(async () => {
  home = await newHome()
})
afterAll(() => home.close())

function made({ code, stdout, stderr }: Outcome): Record<string, string> {
  expect([code, stderr]).toEqual([0, ''])
  return JSON.parse(stdout) as Record<string, string>
}

test('doctor finds a machine without a database in order, and leaves it so', async () => {
  const { code, stdout } = await home.run(['doctor'])
  expect(code).toBe(0)
  expect(stdout).toMatch(/^ok {4}database: none yet in \S+; "kontor start" makes it$/m)
  expect(await home.run(['doctor'])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('none yet'),
  })
})

test('migrate makes the database; what takes time is said beside the answer', async () => {
  const { code, stdout, stderr } = await home.run(['migrate'])
  expect([code, stdout]).toEqual([0, 'The database is up to date.\n'])
  expect(stderr).toMatch(
    /^Preparing a database in \S+ \(first start\)…\nMigrating the database: 0001_foundation\.sql\n/,
  )
  expect(await home.postmaster()).toBeUndefined()
})

test('each command works without a server, and the server then finds what they made', async () => {
  const demo = made(await home.run(['demo', '--json']))
  const token = made(await home.run(['token', '--json']))
  expect(made(await home.run(['code', '--json']))).toMatchObject({ client_id: demo['client_id'] })
  expect(made(await home.run(['user', 'create', 'me@example.com', '--json']))).toMatchObject({
    account: 'demo',
  })
  expect(made(await home.run(['account', 'create', 'north', '--json']))).toMatchObject({
    subdomain: 'north',
  })
  expect((await home.run(['doctor'])).stdout).toMatch(/^ok {4}migrations: all have run$/m)
  expect(await home.postmaster()).toBeUndefined()

  const running = await home.start()
  expect(running.said()).not.toContain('demo account')
  const { body } = await client(running, token['access_token']).get('/api/v4/account')
  expect(body).toMatchObject({ subdomain: 'demo' })
})
