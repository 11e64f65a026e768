// The protocol of routes that a test adds to the application.
import { Writable } from 'node:stream'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { newAccount } from '../../test/account.ts'
import { buildApp } from '../app.ts'
import type { App, Kontor } from '../kontor.ts'

/** The application with further routes, and its log. */
async function appWith(
  kontor: Kontor,
  add: (app: App) => void,
): Promise<{ app: App; log: () => string }> {
  let log = ''
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => done(void (log += String(chunk))),
  })
  const prepare = async (app: App) =>
    void app.register(async (routes) => add(routes as unknown as App))
  return { app: await buildApp(kontor, pino({ level: 'trace' }, stream), prepare), log: () => log }
}

test('a route that does not say who may call it keeps the server from starting', async () => {
  const { kontor } = await newAccount()
  await expect(appWith(kontor, (app) => void app.get('/open', () => 'come in'))).rejects.toThrow(
    'the route GET /open does not say who may call it',
  )
  await expect(
    appWith(kontor, (app) => void app.get('/open', { config: {} }, () => 'come in')),
  ).rejects.toThrow(/who may call/)
})

test.each(['POST', 'PATCH'] as const)(
  'a route for %s under /api/ that would ignore an Idempotency-Key keeps the server from starting',
  async (method) => {
    const { kontor } = await newAccount()
    const config = { access: 'user' } as const
    const name = method.toLowerCase() as 'post' | 'patch'
    const add = (app: App) => app[name]('/api/v4/leads/sold', { config }, () => 'sold')
    await expect(appWith(kontor, add)).rejects.toThrow(
      `the route ${method} /api/v4/leads/sold does not answer by writeHandler()`,
    )
  },
)

test('a route for administrators is closed to everybody else', async () => {
  const { kontor, admin, addUser } = await newAccount()
  const { app } = await appWith(
    kontor,
    (app) => void app.get('/desk', { config: { access: 'admin' } }, () => 'come in'),
  )
  const user = await addUser()
  const read = (token?: string) =>
    app.inject({
      url: '/desk',
      headers: { ...(token !== undefined && { authorization: `Bearer ${token}` }) },
    })
  expect((await read()).statusCode).toBe(401)
  const refused = await read(user.token)
  expect([refused.statusCode, refused.headers['content-type']]).toEqual([
    403,
    'application/problem+json',
  ])
  expect((await read(admin.token)).statusCode).toBe(200)
  await app.close()
})

test('what arrives while the server stops is answered as ever, and its connection ends', async () => {
  const { kontor } = await newAccount()
  let url = ''
  const late: Response[] = []
  const { app } = await appWith(kontor, (app) => {
    app.addHook('preClose', async () => {
      for (const path of ['/health', '/nothing']) late.push(await fetch(url + path))
    })
  })
  url = await app.listen({ port: 0, host: '127.0.0.1' })
  await app.close()
  expect(
    late.map(({ status, headers }) => [
      status,
      headers.get('content-type'),
      headers.get('connection'),
    ]),
  ).toEqual([
    [200, 'application/json', 'close'],
    [404, 'application/problem+json', 'close'],
  ])
})

const failures: Record<string, () => unknown> = {
  'an error': () => new Error('hush: the password is hush'),
  'an error with a status': () =>
    Object.assign(new Error('hush'), { statusCode: 418, code: 'HUSH', hush: 'hush' }),
  'an error of the system': () =>
    Object.assign(new Error('hush'), { code: 'ECONNRESET', path: '/hush' }),
  'a text': () => 'hush',
  'an object': () => ({ hush: 'hush', status: 200 }),
  nothing: () => undefined,
}

test.each(Object.entries(failures))(
  'a handler that throws %s answers 500 and tells nothing, but the log',
  async (_what, make) => {
    const { kontor } = await newAccount()
    const { app, log } = await appWith(
      kontor,
      (app) =>
        void app.get('/fails', { config: { access: 'public' } }, async () => {
          throw make()
        }),
    )
    const answer = await app.inject({ url: '/fails?hush=1' })
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([
      500,
      'application/problem+json',
    ])
    expect(answer.json()).toEqual({
      title: 'Internal Server Error',
      type: 'https://httpstatus.es/500',
      status: 500,
      detail: 'Something went wrong on the server',
    })
    expect(JSON.stringify(answer.headers) + answer.body).not.toMatch(/hush|\.ts|node:/)
    expect(log()).toContain(String(answer.headers['x-request-id']))
    await app.close()
  },
)
