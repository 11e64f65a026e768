// Older programs: `login` and `api_key` in the query string of version-2 methods.
import { Writable } from 'node:stream'
import { pino } from 'pino'
import sql from 'sql-template-tag'
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { newAccount, proof } from '../../../../test/account.ts'
import type { TestAccount, TestUser } from '../../../../test/account.ts'
import { client } from '../../../../test/client.ts'
import { untilAwaited } from '../../../../test/locks.ts'
import { raw } from '../../../../test/raw.ts'
import { server } from '../../../../test/server.ts'
import { requestAt, signIn, withCookie } from '../../../../test/session.ts'
import { setAccount } from '../../people/accounts/accounts.ts'
import { setUser } from '../../people/users/users.ts'
import { buildApp } from '../../../app.ts'
import type { Kontor } from '../../../kontor.ts'
import { createApiKey } from './api-keys.ts'

const path = '/web/v1/api-keys'
const allPath = '/web/v1/account/api-keys'
const hooks = '/api/v2/webhooks'
const byWord = { timeout: 8000, interval: 20 }

let account: TestAccount
beforeAll(async () => {
  account = await newAccount()
})
afterEach(async () => {
  const { clock } = await server()
  clock.ahead = 0
})

interface Key {
  id: number
  api_key: string
}

async function addKey({ api }: TestUser, name = 'A program'): Promise<Key> {
  const { status, body } = await api.post(path, { name, ...proof })
  expect(status).toBe(201)
  return body
}

const pairOf = ({ email }: Pick<TestUser, 'email'>, { api_key }: Pick<Key, 'api_key'>) =>
  new URLSearchParams({ login: email, api_key }).toString()

/** The status of a version-2 method asked with a pair and nothing else. */
const statusBy = async (pair: string, kontor: Kontor = account.kontor) =>
  (await client(kontor).get(`${hooks}?${pair}`)).status

const wrongKey = (of: Key) => ({ api_key: of.api_key.slice(0, -4) + 'AAAA' })

const listed = async ({ api }: TestUser, at = path) =>
  ((await api.get(at)).body._embedded.api_keys as { id: number }[]).map(({ id }) => id)

describe('a key', () => {
  test('is shown once, listed without itself, and stored as a hash', async () => {
    const user = await account.addUser()
    const made = await user.api.post(path, { name: ' The old site ', ...proof })
    expect(made.status).toBe(201)
    const { api_key, ...rest } = made.body
    expect(api_key).toMatch(new RegExp(`^kontor-${account.id}-[A-Za-z0-9]{40}$`))
    expect(rest).toEqual({
      id: expect.any(Number),
      name: 'The old site',
      user_id: user.id,
      login: user.email,
      created_at: expect.any(Number),
      last_used_at: null,
      _links: { self: { href: `${account.kontor.url}${path}/${rest.id}` } },
    })
    expect((await user.api.get(path)).body._embedded.api_keys).toEqual([rest])
    const rows = await account.kontor.database.rows(
      sql`select *, encode(hash, 'escape') as text from api_keys where account_id = ${account.id}`,
    )
    expect(JSON.stringify(rows)).not.toContain(api_key.slice(-40))
  })

  test('is one of twenty at most, also where two are made at once', async () => {
    const user = await account.addUser()
    for (let n = 0; n < 19; n++) await addKey(user)
    const actor = { accountId: account.id, at: account.kontor.now() }
    const { second } = await account.kontor.database.transaction(async (tx) => {
      await createApiKey(tx, actor, user.id, { name: 'The twentieth' })
      const second = user.api.post(path, { name: 'Another', ...proof })
      await untilAwaited(tx)
      return { second }
    })
    expect((await second).status).toBe(422)
    await user.api.delete(`${path}/${(await listed(user))[0]}`)
    expect((await user.api.post(path, { name: 'Another', ...proof })).status).toBe(201)
  })

  test.each([
    {},
    { name: '' },
    { name: ' ' },
    { name: 'x'.repeat(256) },
    { name: 'x', user_id: 1 },
  ])('is not made of %j', async (draft) => {
    expect((await account.api.post(path, { ...draft, ...proof })).status).toBe(400)
  })

  test('is listed and deleted by its user and by administrators, who make none for others', async () => {
    const [one, two] = [await account.addUser(), await account.addUser()]
    const stranger = (await newAccount()).admin
    const [first, second] = [await addKey(one), await addKey(two)]
    expect(await listed(one)).toEqual([first.id])
    expect(await listed(account.admin)).not.toContain(first.id)
    expect(await listed(account.admin, `${allPath}?limit=250`)).toEqual(
      expect.arrayContaining([first.id, second.id]),
    )
    expect(await listed(stranger, allPath)).toEqual([])
    expect((await one.api.get(allPath)).status).toBe(403)
    const deletion = async ({ api }: TestUser, at: string) => (await api.delete(at)).status
    expect(await deletion(one, `${path}/${second.id}`)).toBe(404)
    expect(await deletion(one, `${allPath}/${second.id}`)).toBe(403)
    expect(await deletion(stranger, `${allPath}/${second.id}`)).toBe(404)
    expect(await deletion(account.admin, `${path}/${second.id}`)).toBe(404)
    expect(await deletion(account.admin, `${allPath}/${second.id}`)).toBe(204)
    expect(await deletion(account.admin, `${allPath}/${second.id}`)).toBe(404)
    expect([await listed(one), await listed(two)]).toEqual([[first.id], []])
  })

  test('says when it was used last, written once an hour', async () => {
    const { clock } = await server()
    const key = await addKey(account.admin)
    const pair = pairOf(account.admin, key)
    const lastUse = async () => {
      const found = (await account.api.get(path)).body._embedded.api_keys
      return found.find(({ id }: Key) => id === key.id).last_used_at
    }
    expect(await statusBy(pair)).toBe(200)
    const first = await lastUse()
    expect(first).toBeGreaterThan(account.kontor.now() - 60)
    clock.ahead = 1800
    expect([await statusBy(pair), await lastUse()]).toEqual([200, first])
    clock.ahead = 3700
    expect(await statusBy(pair)).toBe(200)
    expect(await lastUse()).toBeGreaterThanOrEqual(first + 3600)
  })
})

describe('a version-2 method', () => {
  test('takes login and key, also by their older names and whatever the case of the e-mail', async () => {
    const { admin } = account
    const { api_key } = await addKey(admin)
    const subscribe = [{ url: 'https://example.com/by-key', events: ['add_lead'] }]
    const login = ` ${admin.email.toUpperCase()}`
    const pair = new URLSearchParams({ login, api_key }).toString()
    const made = await client(account.kontor).post(`${hooks}/subscribe?${pair}`, { subscribe })
    expect([made.status, made.body._embedded.items[0].result]).toEqual([200, true])
    const old = new URLSearchParams({ USER_LOGIN: admin.email, USER_HASH: api_key }).toString()
    const { body } = await client(account.kontor).get(`${hooks}?x=1&${old}`)
    expect(body._embedded.items[0]).toMatchObject({ url: subscribe[0]!.url, events: ['add_lead'] })
    const written = await account.kontor.database.row(
      sql`select created_by, client_id from webhooks where account_id = ${account.id} and destination = ${subscribe[0]!.url}`,
    )
    expect(written).toEqual({ created_by: admin.id, client_id: null })
  })

  test('takes a key with the rights of its user, in force at that moment', async () => {
    const user = await account.addUser()
    const pair = pairOf(user, await addKey(user))
    expect(await statusBy(pair)).toBe(403)
    await account.kontor.database.transaction((tx) =>
      setUser(tx, account.id, account.kontor.now(), user.email, { is_admin: true }),
    )
    await vi.waitFor(async () => expect(await statusBy(pair)).toBe(200), byWord)
  })

  test('answers a wrong pair like a wrong token', async () => {
    const [user, other, elsewhere] = [
      await account.addUser({ is_admin: true }),
      await account.addUser(),
      (await newAccount()).admin,
    ]
    const key = await addKey(user)
    const keyElsewhere = await addKey(elsewhere)
    const token = await client(account.kontor, 'no token').get(hooks)
    const moved = { api_key: key.api_key.replace(String(account.id), String(account.id + 1)) }
    for (const pair of [
      pairOf(user, wrongKey(key)),
      pairOf(other, key),
      pairOf({ email: 'nobody@example.com' }, key),
      pairOf(user, keyElsewhere),
      pairOf(user, moved),
      pairOf(user, { api_key: 'a word' }),
      pairOf(user, { api_key: `${key.api_key}\0` }),
      pairOf({ email: `${user.email}\0` }, key),
      pairOf({ email: 'x'.repeat(3000) }, key),
      pairOf(user, { api_key: '' }),
      `login=${user.email}`,
      `api_key=${key.api_key}`,
      `login[]=${user.email}&api_key[]=${key.api_key}`,
    ]) {
      const { status, body, headers } = await client(account.kontor).get(`${hooks}?${pair}`)
      expect([status, body, headers.get('www-authenticate')]).toEqual([
        401,
        token.body,
        token.headers.get('www-authenticate'),
      ])
    }
    expect(await statusBy(pairOf(user, key))).toBe(200)
  })

  test('asks the token where both are sent', async () => {
    const limited = await account.addUser()
    const pair = pairOf(account.admin, await addKey(account.admin))
    expect((await limited.api.get(`${hooks}?${pair}`)).status).toBe(403)
    expect((await client(account.kontor, 'no token').get(`${hooks}?${pair}`)).status).toBe(401)
    const wrong = pairOf(limited, { api_key: 'a word' })
    expect((await account.api.get(`${hooks}?${wrong}`)).status).toBe(200)
  })

  test('asks the key where a browser sends a session too', async () => {
    const password = 'Correct horse 1'
    const user = await account.addUser({ password })
    const { cookie } = await signIn(account.kontor, {
      email: user.email,
      password,
      account: account.subdomain,
    })
    const api = withCookie(account.kontor, cookie)
    expect((await api.get(hooks)).status).toBe(403)
    const pair = pairOf(account.admin, await addKey(account.admin))
    expect((await api.get(`${hooks}?${pair}`)).status).toBe(200)
    expect((await api.get(`${hooks}?login=x&api_key=y`)).status).toBe(401)
  })

  test('of an unknown path answers 404 to a key, and 401 without one', async () => {
    const pair = pairOf(account.admin, await addKey(account.admin))
    expect((await client(account.kontor).get(`/api/v2/nothing?${pair}`)).status).toBe(404)
    expect((await client(account.kontor).get('/api/v2/nothing?login=x&api_key=y')).status).toBe(401)
    const encoded = await raw(account.kontor, { path: `/api/%762/webhooks?${pair}` })
    expect(encoded.status).toBe(200)
  })

  test('takes X-Context-User-ID from an administrator', async () => {
    const user = await account.addUser()
    const ask = async (whose: TestUser, id: number) => {
      const pair = pairOf(whose, await addKey(whose))
      const headers = { 'x-context-user-id': String(id) }
      return (await client(account.kontor).get(`${hooks}?${pair}`, headers)).status
    }
    expect(await ask(account.admin, account.admin.id)).toBe(200)
    expect(await ask(account.admin, user.id)).toBe(403)
    expect(await ask(account.admin, 1)).toBe(401)
    expect(await ask(user, account.admin.id)).toBe(403)
  })

  test('of an unpaid account answers 402 to a write', async () => {
    const unpaid = await newAccount()
    const key = await addKey(unpaid.admin)
    const pair = pairOf(unpaid.admin, key)
    const { database, now } = unpaid.kontor
    await database.transaction((tx) => setAccount(tx, now(), unpaid.subdomain, { isUnpaid: true }))
    const subscribe = [{ url: 'https://example.com/x', events: ['add_lead'] }]
    const write = async () =>
      (await client(unpaid.kontor).post(`${hooks}/subscribe?${pair}`, { subscribe })).status
    const another = async () => (await unpaid.api.post(path, { name: 'Another', ...proof })).status
    await vi.waitFor(async () => expect(await write()).toBe(402), byWord)
    expect(await statusBy(pair, unpaid.kontor)).toBe(200)
    // The token was let in before, and is remembered until word of the change arrives.
    await vi.waitFor(async () => expect(await another()).toBe(402), byWord)
    expect((await unpaid.api.delete(`${path}/${key.id}`)).status).toBe(204)
  })

  test('at the host of another account knows the key not', async () => {
    const url = 'http://crm.example.com'
    const [one, two] = [await newAccount({ url }), await newAccount({ url })]
    const api = client({ url: one.address }, one.admin.token)
    const { body } = await api.post(path, { name: 'A program', ...proof })
    const address = `${hooks}?${pairOf(one.admin, body)}`
    const at = async (host: string) =>
      (await requestAt(one.address, host, { path: address })).status
    expect(await at('crm.example.com')).toBe(200)
    expect(await at(`${one.subdomain}.crm.example.com`)).toBe(200)
    expect(await at(`${two.subdomain}.crm.example.com`)).toBe(401)
  })

  test.each([
    ['GET', '/api/v4/account'],
    ['GET', '/api/v4/webhooks'],
    ['GET', '/web/v1/api-keys'],
    ['POST', '/web/v1/api-keys'],
    ['GET', '/oauth2/account/subdomain'],
  ])('is the only kind that a key opens: not %s %s', async (method, other) => {
    const pair = pairOf(account.admin, await addKey(account.admin))
    const body = method === 'POST' ? { name: 'x' } : undefined
    const { status } = await client(account.kontor).send(method, `${other}?${pair}`, body)
    expect(status).toBe(401)
  })
})

describe('access ends at once, on every server', () => {
  /** An administrator's pair that two servers have let in. */
  async function remembered() {
    const { kontor: other } = await server({ databasePool: 3 })
    const user = await account.addUser({ is_admin: true })
    const key = await addKey(user)
    const pair = pairOf(user, key)
    const servers = [account.kontor, other]
    for (const each of servers) expect(await statusBy(pair, each)).toBe(200)
    const expectEverywhere = async (status: number) => {
      for (const each of servers)
        await vi.waitFor(async () => expect(await statusBy(pair, each)).toBe(status), byWord)
    }
    return { user, key, expectEverywhere }
  }

  test('for a deleted key, and not for the others of its user', async () => {
    const { user, key, expectEverywhere } = await remembered()
    const kept = await addKey(user)
    expect((await user.api.delete(`${path}/${key.id}`)).status).toBe(204)
    await expectEverywhere(401)
    expect(await statusBy(pairOf(user, kept))).toBe(200)
  })

  test('for a deactivated user, also after the activation', async () => {
    const { user, expectEverywhere } = await remembered()
    const set = (isActive: boolean) =>
      account.kontor.database.transaction((tx) =>
        setUser(tx, account.id, account.kontor.now(), user.email, { isActive }),
      )
    await set(false)
    await expectEverywhere(401)
    await set(true)
    const { api } = await signIn(account.kontor, { email: user.email, ...proof })
    const fresh = await addKey({ ...user, api })
    await vi.waitFor(async () => expect(await statusBy(pairOf(user, fresh))).toBe(200), byWord)
    await expectEverywhere(401)
  })
})

test('a key that is there still is refused while its user is deactivated', async () => {
  const user = await account.addUser({ is_admin: true })
  const pair = pairOf(user, await addKey(user))
  // A deactivation deletes the keys; a row that was put back by hand has them still.
  const setActive = (isActive: boolean) =>
    account.kontor.database.rows(
      sql`update users set is_active = ${isActive} where account_id = ${account.id} and id = ${user.id}`,
    )
  await setActive(false)
  expect(await statusBy(pair)).toBe(401)
  await setActive(true)
  expect(await statusBy(pair)).toBe(200)
})

describe('wrong keys', () => {
  test('for a login answer 429 after ten from an address; the right key passes, and begins anew', async () => {
    const { clock, kontor } = await server()
    const user = await account.addUser({ is_admin: true })
    const key = await addKey(user)
    const guess = () => client(kontor).get(`${hooks}?${pairOf(user, wrongKey(key))}`)
    const statuses = []
    for (let n = 0; n < 12; n++) statuses.push((await guess()).status)
    expect(statuses).toEqual([...Array(10).fill(401), 429, 429])
    expect(Number((await guess()).headers.get('retry-after'))).toBeGreaterThan(800)
    expect(await statusBy(pairOf(user, key))).toBe(200)
    expect((await guess()).status).toBe(429)
    clock.ahead = 901
    expect((await guess()).status).toBe(401)
  })

  test('do not close the sign-in of the user', async () => {
    const password = 'Correct horse 1'
    const user = await account.addUser({ password })
    for (let n = 0; n < 12; n++) await statusBy(pairOf(user, { api_key: 'a word' }))
    const { answer } = await signIn(account.kontor, { email: user.email, password })
    expect(answer.status).toBe(200)
  })

  test('from one address are limited whatever the login, before the database is asked', async () => {
    const limited = await newAccount({ rateLimitAddress: 3 })
    const guesses = Array.from({ length: 20 }, (_, n) =>
      statusBy(pairOf({ email: `${n}@example.com` }, { api_key: 'a word' }), limited.kontor),
    )
    const statuses = await Promise.all(guesses)
    expect(statuses.filter((status) => status === 401).length).toBeGreaterThanOrEqual(6)
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(10)
  })
})

describe('neither login nor key is repeated', () => {
  test('in any log line, answer, link, kept answer or metric, whatever the request does', async () => {
    let log = ''
    const stream = new Writable({
      write: (chunk: Buffer, _encoding, done) => done(void (log += String(chunk))),
    })
    const logger = pino({ level: 'trace' }, stream)
    const app = await buildApp(account.kontor, logger, async (app) => {
      app.addHook('onRequest', async (request) => {
        request.log.info(
          { req: request, raw: request.raw.url, whole: request.originalUrl },
          'asked',
        )
      })
      void app.register(async (routes) => {
        const config = { access: 'user' } as const
        routes.get('/api/v2/broken', { config }, () => {
          throw new Error('a bug')
        })
      })
    })
    const { admin, kontor } = account
    const { api_key } = await addKey(admin)
    const secrets = [api_key, api_key.slice(-40), admin.email, encodeURIComponent(admin.email)]
    const authorization = `Bearer ${admin.token}`
    const pair = pairOf(admin, { api_key })
    const wrong = pairOf(admin, { api_key: `${api_key}x` })
    let answered = ''
    const ask = async (method: 'GET' | 'POST', url: string, payload?: object, headers = {}) => {
      const answer = await app.inject({ method, url, headers, ...(payload && { payload }) })
      answered += JSON.stringify(answer.headers) + answer.body
      return answer.statusCode
    }
    const subscribe = [{ url: 'https://example.com/kept', events: ['add_lead'] }]
    const keyed = { 'idempotency-key': 'told-once' }
    const isOne = { authorization }
    expect(await ask('GET', `${hooks}?${pair}`)).toBe(200)
    expect(await ask('GET', `${hooks}?${wrong}`)).toBe(401)
    expect(await ask('GET', `${hooks}?${pair}&%zz`)).toBe(400)
    expect(await ask('GET', `${hooks}?%zz&${wrong}`)).toBe(401)
    expect(await ask('GET', `/api/v2/nothing?${pair}`)).toBe(404)
    expect(await ask('GET', `/api/v2/%zz?${pair}`)).toBe(400)
    expect(await ask('GET', `/api/v2/broken?${pair}`)).toBe(500)
    expect(await ask('POST', `${hooks}?${pair}`, {})).toBe(405)
    expect(await ask('POST', `${hooks}/subscribe?${pair}`, { subscribe: 7 })).toBe(400)
    expect(await ask('POST', `${hooks}/subscribe?${pair}`, { subscribe }, keyed)).toBe(200)
    expect(await ask('POST', `${hooks}/subscribe?${pair}`, { subscribe }, keyed)).toBe(200)
    // With another key, or none, it is the same request of the same user.
    const again = pairOf(admin, await addKey(admin))
    expect(await ask('POST', `${hooks}/subscribe?${again}`, { subscribe }, keyed)).toBe(200)
    expect(await ask('GET', `/api/v4/leads?${pair}`)).toBe(401)
    expect(await ask('GET', `/api/v4/leads?limit=1&${pair}`, undefined, isOne)).toBe(200)
    expect(await ask('GET', `/api/v4/webhooks?${pair}`, undefined, isOne)).toBe(200)
    expect(await ask('GET', `/api/v4/leads?filter[x]=1&${pair}`, undefined, isOne)).toBe(400)
    expect(await ask('GET', `/metrics?${pair}`)).toBe(200)
    expect(await ask('GET', `/oauth?client_id=x&${pair}`)).toBe(400)
    await app.close()
    expect(answered.match(/idempotency-replayed/g)).toHaveLength(2)
    expect(log.match(/"asked"/g)!.length).toBeGreaterThan(14)
    expect(log).toContain('a bug')
    for (const secret of secrets) {
      expect(log).not.toContain(secret)
      expect(answered).not.toContain(secret)
    }
    const kept = await kontor.database.rows(
      sql`select body from idempotency_keys where account_id = ${account.id}`,
    )
    expect(kept.length).toBeGreaterThan(0)
    expect(JSON.stringify(kept)).not.toMatch(/api_key|kontor-\d/)
  })

  test('in the links of lists, which keep their other parameters', async () => {
    await account.api.post('/api/v4/leads', [{ name: 'One' }, { name: 'Two' }])
    const pair = pairOf(account.admin, await addKey(account.admin))
    const { body } = await account.api.get(`/api/v4/leads?limit=1&${pair}&order[id]=asc`)
    expect(JSON.stringify(body._links)).not.toMatch(/api_key|login/)
    expect(body._links.next.href).toContain('order%5Bid%5D=asc')
  })
})
