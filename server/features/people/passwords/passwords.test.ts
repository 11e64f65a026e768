// Changing the own password, and setting one with a link of an administrator.
import { Writable } from 'node:stream'
import { pino } from 'pino'
import sql from 'sql-template-tag'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { newAccount, proof } from '../../../../test/account.ts'
import type { TestAccount, TestUser } from '../../../../test/account.ts'
import { client } from '../../../../test/client.ts'
import { server } from '../../../../test/server.ts'
import { cookieIn, requestAt, signIn } from '../../../../test/session.ts'
import { buildApp } from '../../../app.ts'
import { dropExpiredAccess } from '../../programs/oauth/oauth.ts'
import { setUser } from '../users/users.ts'

const old = 'correct horse'
const next = 'battery staple'

let account: TestAccount
beforeAll(async () => {
  account = await newAccount()
})
afterEach(async () => {
  const { clock } = await server()
  clock.ahead = 0
})

const change = (current_password: string, new_password: string) => ({
  current_password,
  new_password,
})

/** Until the notification of the change arrives, the process remembers the session. */
const isOut = ({ api }: Pick<TestUser, 'api'>) =>
  expect
    .poll(async () => (await api.get('/web/v1/session')).status, { timeout: 2000, interval: 10 })
    .toBe(401)

const entered = async (email: string, password: string) =>
  (await client(account.kontor).post('/web/v1/session', { email, password })).status

describe('the own password', () => {
  test('is changed: this browser stays, the others are out, and the old one is void', async () => {
    const { email, api: byToken } = await account.addUser({ password: old })
    const here = await signIn(account.kontor, { email, password: old })
    const there = await signIn(account.kontor, { email, password: old })
    expect((await here.api.post('/web/v1/password', change(old, next))).status).toBe(204)
    expect((await here.api.get('/web/v1/session')).status).toBe(200)
    await isOut(there)
    expect([await entered(email, old), await entered(email, next)]).toEqual([401, 200])
    expect((await byToken.post('/web/v1/password', change(next, old))).status).toBe(204)
    await isOut(here)
  })

  test('needs the present one, which may be guessed ten times in a quarter of an hour', async () => {
    const own = await newAccount({ journalDays: 21 })
    const { api } = await own.addUser({ password: old })
    const guess = (word: string) => api.post('/web/v1/password', change(word, next))
    const answers = await Promise.all(Array.from({ length: 12 }, () => guess('wrong')))
    const wrong = answers.filter(({ status }) => status === 400)
    expect(wrong).toHaveLength(10)
    expect(wrong[0]!.body['validation-errors'][0].errors).toEqual([
      { code: 'WrongPassword', path: 'current_password', detail: expect.any(String) },
    ])
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(2)
    const closed = await guess(old)
    expect(closed.status).toBe(429)
    expect(Number(closed.headers.get('retry-after'))).toBeGreaterThan(800)
    own.clock.ahead += 900
    expect((await guess(old)).status).toBe(204)
    own.clock.ahead = 0
  })

  test('of a user who has none is not changed', async () => {
    const { api } = await account.addUser()
    expect((await api.post('/web/v1/password', change('', next))).status).toBe(400)
    expect((await api.post('/web/v1/password', change('any', next))).status).toBe(400)
  })

  test('has 8 to 200 characters, and is not the e-mail', async () => {
    const email = `${crypto.randomUUID()}@example.com`
    const { api } = await account.addUser({ email, password: old })
    const fault = async (word: string) => {
      const { status, body } = await api.post('/web/v1/password', change(old, word))
      return [status, body['validation-errors'][0].errors[0].path]
    }
    for (const word of ['x'.repeat(7), 'x'.repeat(201), email, ` ${email.toUpperCase()} `])
      expect([word, ...(await fault(word))]).toEqual([word, 400, 'new_password'])
    expect((await api.post('/web/v1/password', { ...change(old, next), more: 1 })).status).toBe(400)
    expect(await entered(email, old)).toBe(200)
    expect((await api.post('/web/v1/password', change(old, 'x'.repeat(8)))).status).toBe(204)
    const most = 'y'.repeat(200)
    expect((await api.post('/web/v1/password', change('x'.repeat(8), most))).status).toBe(204)
    expect(await entered(email, most)).toBe(200)
  })

  test('is changed by one of two requests at once', async () => {
    const { email, api } = await account.addUser({ password: old })
    const words = ['the first word', 'the second word']
    const answers = await Promise.all(
      words.map((word) => api.post('/web/v1/password', change(old, word))),
    )
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
      204, 400,
    ])
    const winner = words[answers.findIndex(({ status }) => status === 204)]!
    expect(await entered(email, winner)).toBe(200)
  })
})

describe('a link for a new password', () => {
  const addLink = async ({ id }: Pick<TestUser, 'id'>, by = account.admin) => {
    const { status, body } = await by.api.post(`/web/v1/users/${id}/reset-link`, proof)
    expect(status).toBe(200)
    return body as { url: string; expires_at: number }
  }
  const at = (url: string) => `/web/v1/password-resets/${url.split('/').at(-1)}`
  const read = (url: string) => client(account.kontor).get(at(url))
  const use = (url: string, password = next) =>
    client(account.kontor).post(at(url), { password }, { origin: account.kontor.url })

  test('says whom it is for, sets the password once, and ends all sessions', async () => {
    const user = await account.addUser({ name: 'Ann', password: old })
    const here = await signIn(account.kontor, { email: user.email, password: old })
    const { url, expires_at } = await addLink(user)
    expect(url).toMatch(new RegExp(`^${account.kontor.url}/reset/[A-Za-z0-9]{43}$`))
    expect(expires_at - account.kontor.now()).toBeGreaterThan(86_390)
    const { name, email } = { name: 'Ann', ...user }
    const shown = { account: account.subdomain, name, email, expires_at }
    expect((await read(url)).body).toEqual(shown)
    expect((await use(url)).status).toBe(204)
    await isOut(here)
    expect([await entered(email, old), await entered(email, next)]).toEqual([401, 200])
    expect([(await read(url)).status, (await use(url)).status]).toEqual([404, 404])
  })

  test('is good for one of two uses at once', async () => {
    const user = await account.addUser({ password: old })
    const { url } = await addLink(user)
    const words = ['the first word', 'the second word']
    const answers = await Promise.all(words.map((word) => use(url, word)))
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
      204, 404,
    ])
    const winner = words[answers.findIndex(({ status }) => status === 204)]!
    expect(await entered(user.email, winner)).toBe(200)
  })

  test('refuses a short, a long and a telling password, and stays good', async () => {
    const user = await account.addUser({ password: old })
    const { url } = await addLink(user)
    for (const word of ['x'.repeat(7), 'x'.repeat(201), user.email]) {
      const { status, body } = await use(url, word)
      expect([status, body['validation-errors'][0].errors[0].path]).toEqual([400, 'password'])
    }
    expect((await client(account.kontor).post(at(url), {})).status).toBe(400)
    expect((await use(url)).status).toBe(204)
  })

  test('is void after a day, after another link, and after any new password', async () => {
    const user = await account.addUser({ password: old })
    const first = await addLink(user)
    const second = await addLink(user)
    expect([(await read(first.url)).status, (await read(second.url)).status]).toEqual([404, 200])
    account.clock.ahead = 86_400
    expect([(await read(second.url)).status, (await use(second.url)).status]).toEqual([404, 404])
    account.clock.ahead = 0
    await user.api.post('/web/v1/password', change(old, next))
    expect((await read(second.url)).status).toBe(404)
    const third = await addLink(user)
    await account.kontor.database.transaction((tx) =>
      setUser(tx, account.id, account.kontor.now(), user.email, { password: 'Correct horse 1' }),
    )
    expect((await read(third.url)).status).toBe(404)
    for (const token of ['x', 'x'.repeat(43), 'x'.repeat(150)])
      expect((await use(`/${token}`)).status).toBe(404)
  })

  test('is void for a deactivated user, and when its administrator is one no longer', async () => {
    const user = await account.addUser({ password: old })
    const admin = await account.addUser({ is_admin: true })
    const { url } = await addLink(user, admin)
    const set = (email: string, settings: object) =>
      account.kontor.database.transaction((tx) =>
        setUser(tx, account.id, account.kontor.now(), email, settings),
      )
    await set(admin.email, { is_admin: false })
    expect([(await read(url)).status, (await use(url)).status]).toEqual([404, 404])
    await set(admin.email, { is_admin: true, isActive: false })
    expect((await read(url)).status).toBe(404)
    const again = await addLink(user)
    await set(user.email, { isActive: false })
    expect((await read(again.url)).status).toBe(404)
    const refused = await account.api.post(`/web/v1/users/${user.id}/reset-link`, proof)
    expect(refused.status).toBe(400)
    await set(user.email, { isActive: true })
    expect((await read(again.url)).status).toBe(404)
  })

  test('is made by administrators of the account, for its users', async () => {
    const user = await account.addUser()
    const stranger = await newAccount()
    const path = `/web/v1/users/${user.id}/reset-link`
    expect((await user.api.post(path, proof)).status).toBe(403)
    expect((await stranger.api.post(path, proof)).status).toBe(404)
    expect((await account.api.post('/web/v1/users/1/reset-link', proof)).status).toBe(404)
  })

  test('is not used from a page of another site, nor at the address of another account', async () => {
    const one = await newAccount({ url: 'http://crm.test' })
    const two = await newAccount({ url: 'http://crm.test' })
    const user = await one.addUser()
    const { email } = await one.addUser({ password: old, is_admin: true })
    const host = `${one.subdomain}.crm.test`
    const method = 'POST'
    const signedIn = await requestAt(one.address, host, {
      method,
      path: '/web/v1/session',
      body: { email, password: old },
    })
    const cookie = cookieIn(signedIn)
    const path = `/web/v1/users/${user.id}/reset-link`
    const page: string = (
      await requestAt(one.address, host, { method, path, cookie, body: { password: old } })
    ).body.url
    expect(page.startsWith(`http://${one.subdomain}.crm.test/reset/`)).toBe(true)
    const statusAt = async (host: string) =>
      (await requestAt(one.address, host, { path: at(page), cookie: '' })).status
    expect(await statusAt(`${two.subdomain}.crm.test`)).toBe(404)
    expect(await statusAt(`${one.subdomain}.crm.test`)).toBe(200)
    expect(await statusAt('crm.test')).toBe(200)
    const { url: own } = await addLink(await account.addUser())
    const foreign = await client(account.kontor).post(
      at(own),
      { password: next },
      { origin: 'https://evil.example' },
    )
    expect(foreign.status).toBe(403)
  })

  test('may be tried as often as the address may ask, and leaves with its expiry', async () => {
    const own = await newAccount({ rateLimitAddress: 1 })
    const guesses = Array.from({ length: 4 }, () => client(own.kontor).get(at('x'.repeat(43))))
    const statuses = (await Promise.all(guesses)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(0)
    const { id } = await account.addUser()
    await addLink({ id })
    const { database, now } = account.kontor
    const left = () =>
      database.rows(
        sql`select 1 as one from password_resets where account_id = ${account.id} and user_id = ${id}`,
      )
    await dropExpiredAccess(database, now())
    expect(await left()).toHaveLength(1)
    // The link becomes older here: a later time would drop the rows of other tests in this run.
    await database.transaction((tx) =>
      tx.rows(
        sql`update password_resets set expires_at = ${now() - 1} where account_id = ${account.id} and user_id = ${id}`,
      ),
    )
    await dropExpiredAccess(database, now())
    expect(await left()).toHaveLength(0)
  })

  test('stands in no log line, metric or table', async () => {
    let log = ''
    const stream = new Writable({
      write: (chunk: Buffer, _encoding, done) => done(void (log += String(chunk))),
    })
    const app = await buildApp(
      account.kontor,
      pino({ level: 'trace' }, stream),
      async (building) => {
        building.addHook('onRequest', async (request) =>
          request.log.info({ req: request }, 'asked'),
        )
        building.addHook('preHandler', async ({ body }) => {
          if (JSON.stringify(body ?? '').includes('a bug')) throw new Error('a bug')
        })
      },
    )
    const reset = (await addLink(await account.addUser())).url
    const draft = { email: `${crypto.randomUUID()}@example.com`, ...proof }
    const invite = (await account.api.post('/web/v1/invitations', draft)).body.url as string
    const tokens = [reset, invite].map((url) => url.split('/').at(-1)!)
    const ask = async (method: 'GET' | 'POST', url: string, payload?: object) =>
      (await app.inject({ method, url, ...(payload && { payload }) })).statusCode
    const [one, two] = [`/web/v1/password-resets/${tokens[0]}`, `/web/v1/invites/${tokens[1]}`]
    for (const path of [one, two]) {
      expect(await ask('GET', path)).toBe(200)
      expect(await ask('GET', `${path}?%zz`)).toBe(400)
      expect(await ask('POST', path, {})).toBe(400)
      expect(await ask('POST', path, { name: 'a bug', password: 'a bug a bug' })).toBe(500)
    }
    for (const url of [reset, invite]) await ask('GET', new URL(url).pathname)
    expect(await ask('POST', one, { password: next })).toBe(204)
    expect(await ask('POST', two, { name: 'Ann', password: next })).toBe(200)
    const metrics = (await app.inject('/metrics')).body
    await app.close()
    expect(log.match(/"asked"/g)!.length).toBeGreaterThan(11)
    expect(log).toContain('a bug')
    const stored = await account.kontor.database.rows(sql`
      select encode(hash, 'escape') as text from password_resets
       union all select encode(hash, 'escape') from invitations`)
    for (const token of tokens)
      for (const text of [log, metrics, JSON.stringify(stored)]) expect(text).not.toContain(token)
  })
})
