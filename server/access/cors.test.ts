// Pages of other sites that call the interface: which headers an answer has for which origin.
import { describe, expect, test, vi } from 'vitest'
import { newAccount, proof } from '../../test/account.ts'
import type { TestAccount } from '../../test/account.ts'
import { newPair } from '../../test/oauth.ts'
import { raw } from '../../test/raw.ts'
import type { RawAnswer } from '../../test/raw.ts'
import { server } from '../../test/server.ts'
import { password } from '../../test/routes/fixture.ts'
import { signIn } from '../../test/session.ts'

let number = 0
/** An origin that no other test has named. */
const newOrigin = () => `https://page-${++number}-${process.pid}.example`

/** An account with an integration that names an origin. */
async function withOrigin(settings = {}) {
  const account = await newAccount(settings)
  const origin = newOrigin()
  const integration = await account.addIntegration({ origins: [origin] })
  await untilAllowed(account, origin)
  return { account, origin, integration }
}

interface Preflight {
  method?: string
  path?: string
  host?: string
  token?: string
  headers?: Record<string, string>
  body?: string
}

function ask(
  { kontor }: Pick<TestAccount, 'kontor'>,
  origin: string,
  { method = 'GET', path = '/api/v4/account', host, token, headers, body }: Preflight = {},
): Promise<RawAnswer> {
  return raw(kontor, {
    method,
    path,
    ...(body !== undefined && { body }),
    headers: {
      origin,
      ...(host !== undefined && { host }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...headers,
    },
  })
}

const preflight = (
  account: Pick<TestAccount, 'kontor'>,
  origin: string,
  preflightHeaders: Preflight = {},
) =>
  ask(account, origin, {
    method: 'OPTIONS',
    ...preflightHeaders,
    headers: {
      'access-control-request-method': 'PATCH',
      'access-control-request-headers': 'authorization,content-type',
      ...preflightHeaders.headers,
    },
  })

/** Word of a change takes a moment. Without it what is remembered lasts for ten seconds. */
const byWord = { timeout: 8000, interval: 20 }

const untilAllowed = (account: TestAccount, origin: string) =>
  vi.waitFor(async () => expect((await preflight(account, origin)).status).toBe(204), byWord)

/** The origin that may read an answer. */
const readerOf = ({ headers }: RawAnswer) => headers['access-control-allow-origin']

const corsIn = ({ headers }: RawAnswer) =>
  Object.keys(headers).filter((name) => name.startsWith('access-control-') || name === 'vary')

/** The host of an account on the server. */
const hostOf = ({ kontor, subdomain }: TestAccount) => `${subdomain}.${new URL(kontor.url).host}`

describe('a preflight', () => {
  test('of an origin that an enabled integration names is allowed, whatever the path', async () => {
    const { account, origin } = await withOrigin()
    for (const path of ['/api/v4/leads', '/api/v4/leads/1?x=1', '/api/v4/nothing', '/api/v4']) {
      const { status, headers, text } = await preflight(account, origin, { path })
      expect([status, text]).toEqual([204, ''])
      expect(headers).toMatchObject({
        'access-control-allow-origin': origin,
        'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
        'access-control-allow-headers': 'authorization,content-type',
        'access-control-max-age': '600',
        vary: 'origin, access-control-request-headers',
        'x-request-id': expect.any(String),
      })
      expect(headers['access-control-allow-credentials']).toBeUndefined()
    }
  })

  test('of any other origin, and any other OPTIONS, is answered as ever', async () => {
    const { account, origin } = await withOrigin()
    const path = '/api/v4/leads'
    const plain = await raw(account.kontor, { method: 'OPTIONS', path })
    const stranger = await preflight(account, newOrigin(), { path })
    const bareOptions = await ask(account, origin, { method: 'OPTIONS', path })
    const noOrigin = await raw(account.kontor, {
      method: 'OPTIONS',
      path,
      headers: { 'access-control-request-method': 'GET' },
    })
    for (const answer of [plain, stranger, bareOptions, noOrigin]) {
      expect(answer.status).toBe(405)
      expect(answer.text).toBe(plain.text)
      expect(Object.keys(answer.headers)).toEqual(Object.keys(plain.headers))
      expect(corsIn(answer)).toEqual([])
    }
    expect((await preflight(account, newOrigin(), { path: '/api/v4/nothing' })).status).toBe(401)
  })

  test.each([
    'https://page.example.evil',
    'http://page.example',
    'https://page.example:8443',
    'https://PAGE.example',
    'https://sub.page.example',
    'https://page.example/',
    'null',
    '*',
    '',
  ])('of %s is not that of https://page.example', async (other) => {
    const account = await newAccount()
    await account.addIntegration({ origins: ['https://page.example'] })
    await untilAllowed(account, 'https://page.example')
    expect((await preflight(account, other)).status).toBe(405)
  })

  test('at the host of an account asks that account only', async () => {
    const { account, origin } = await withOrigin()
    const other = await newAccount()
    expect((await preflight(account, origin, { host: hostOf(account) })).status).toBe(204)
    expect((await preflight(account, origin, { host: hostOf(other) })).status).toBe(405)
    expect((await preflight(account, origin, { host: 'elsewhere.example' })).status).toBe(204)
  })

  test.each(['/oauth2/access_token', '/oauth', '/web/v1/session', '/health', '/api/v4x', '/api'])(
    'is never allowed at %s',
    async (path) => {
      const { account, origin } = await withOrigin()
      const answer = await preflight(account, origin, { path })
      expect([401, 404, 405]).toContain(answer.status)
      expect(corsIn(answer)).toEqual([])
    },
  )

  test('repeats no headers that are no names', async () => {
    const { account, origin } = await withOrigin()
    const headers = { 'access-control-request-headers': 'x, "y" \u00ff' }
    const answer = await preflight(account, origin, { headers })
    expect(answer.status).toBe(204)
    expect(answer.headers['access-control-allow-headers']).toBeUndefined()
  })
})

describe('an answer', () => {
  test('to a token may be read by the origins of the account, and shows what programs need', async () => {
    const { account, origin, integration } = await withOrigin()
    const { access_token } = await newPair(account, integration)
    for (const token of [access_token, account.admin.token]) {
      const answer = await ask(account, origin, { token })
      expect(answer.status).toBe(200)
      expect(answer.headers).toMatchObject({
        'access-control-allow-origin': origin,
        'access-control-expose-headers':
          'Idempotency-Replayed, Retry-After, WWW-Authenticate, X-Request-Id',
        vary: 'origin',
      })
      expect(answer.headers['access-control-allow-credentials']).toBeUndefined()
    }
    expect(corsIn(await ask(account, newOrigin(), { token: access_token }))).toEqual([])
    const headers = { authorization: `Bearer ${access_token}` }
    expect(corsIn(await raw(account.kontor, { path: '/api/v4/account', headers }))).toEqual([])
  })

  test('to a caller of another account may not, though its preflight is allowed', async () => {
    const { account, origin } = await withOrigin()
    const other = await newAccount()
    expect((await preflight(other, origin)).status).toBe(204)
    const answer = await ask(other, origin, { token: other.admin.token })
    expect([answer.status, corsIn(answer)]).toEqual([200, []])
    const refused = await ask(other, origin, { token: other.admin.token, path: '/api/v4/leads/1' })
    expect([refused.status, corsIn(refused)]).toEqual([404, []])
    expect(readerOf(await ask(account, origin, { token: account.admin.token }))).toBe(origin)
  })

  test('that refuses may be read, too', async () => {
    const { account, origin } = await withOrigin({ rateLimitIntegration: 4 })
    const user = await account.addUser({ rights: { leads: { view: 'D' } } })
    const refused: [number, Preflight][] = [
      [400, { method: 'POST', path: '/api/v4/leads', body: '{', token: account.admin.token }],
      [403, { path: '/api/v4/leads', token: user.token }],
      [403, { path: '/api/v4/users', token: user.token }],
      [404, { path: '/api/v4/leads/1', token: account.admin.token }],
      [404, { path: '/api/v4/nothing', token: account.admin.token }],
      [405, { method: 'PUT', path: '/api/v4/leads', token: account.admin.token }],
      [401, { token: 'forged' }],
      [401, {}],
    ]
    for (const [status, preflightHeaders] of refused) {
      const headers = { 'content-type': 'application/json' }
      const answer = await ask(account, origin, { headers, ...preflightHeaders })
      expect([status, answer.status, readerOf(answer)]).toEqual([status, status, origin])
      const stranger = await ask(account, newOrigin(), { headers, ...preflightHeaders })
      expect([stranger.status, corsIn(stranger)]).toEqual([status, []])
      account.clock.passedMs += 500
    }
    const { token } = await account.addUser()
    const many = await Promise.all(
      Array.from({ length: 20 }, () => ask(account, origin, { token })),
    )
    const limited = many.filter(({ status }) => status === 429)
    expect(limited.length).toBeGreaterThan(0)
    for (const answer of many) expect(readerOf(answer)).toBe(origin)
  })

  test('without a known caller asks the account that the host names', async () => {
    const { account, origin } = await withOrigin()
    const other = await newAccount()
    expect(readerOf(await ask(account, origin, { host: hostOf(account) }))).toBe(origin)
    expect(corsIn(await ask(account, origin, { host: hostOf(other) }))).toEqual([])
    // A token is no token at the address of another account.
    const astray = { host: hostOf(other), token: account.admin.token }
    const answer = await ask(account, origin, astray)
    expect([answer.status, corsIn(answer)]).toEqual([401, []])
  })

  test('to a session may not, whether it is good or not', async () => {
    const { account, origin } = await withOrigin()
    const user = await account.addUser({ password, is_admin: true })
    const { email } = user
    const { cookie } = await signIn(account.kontor, { email, password })
    const read = await ask(account, origin, { headers: { cookie } })
    expect([read.status, corsIn(read)]).toEqual([200, []])
    const headers = { cookie, 'content-type': 'application/json' }
    const path = '/api/v4/leads'
    const write = await ask(account, origin, { method: 'POST', path, headers, body: '[{}]' })
    expect([write.status, corsIn(write)]).toEqual([403, []])
    const ended = await ask(account, origin, { headers: { cookie: 'kontor_session=x' } })
    expect([ended.status, corsIn(ended)]).toEqual([401, []])
    // The token decides where there is one.
    const both = await ask(account, origin, { token: account.admin.token, headers: { cookie } })
    expect([both.status, readerOf(both)]).toEqual([200, origin])
  })

  test.each<[string, Preflight]>([
    ['the token endpoint', { method: 'POST', path: '/oauth2/access_token', body: '{}' }],
    ['the web’s own methods', { path: '/web/v1/session' }],
    ['the health of the server', { path: '/health' }],
  ])('of %s may not', async (_, preflightHeaders) => {
    const { account, origin } = await withOrigin()
    const headers = { 'content-type': 'application/json' }
    const answer = await ask(account, origin, {
      ...preflightHeaders,
      headers,
      token: account.admin.token,
    })
    expect(corsIn(answer)).toEqual([])
  })

  test('tells a page that its write was answered before', async () => {
    const { account, origin } = await withOrigin()
    const write = () =>
      ask(account, origin, {
        method: 'POST',
        path: '/api/v4/leads',
        token: account.admin.token,
        headers: { 'content-type': 'application/json', 'idempotency-key': 'a page' },
        body: '[{}]',
      })
    const [first, second] = [await write(), await write()]
    expect([readerOf(first), readerOf(second)]).toEqual([origin, origin])
    expect(second.headers['idempotency-replayed']).toBe('true')
  })
})

describe('what an integration names', () => {
  const path = '/web/v1/integrations'
  const allowed = async (account: Pick<TestAccount, 'kontor'>, origin: string) =>
    (await preflight(account, origin)).status === 204

  test('counts as soon as it is changed, in every process', async () => {
    const account = await newAccount()
    const other = await server({ databasePool: 3 })
    const accounts = [account, other]
    const [first, second] = [newOrigin(), newOrigin()]
    const draft = { name: 'Pages', redirect_uri: 'https://example.com/', origins: [first] }
    for (const account of accounts) expect(await allowed(account, first)).toBe(false)
    const { client_id } = (await account.api.post(path, { ...draft, ...proof })).body
    const expectOnly = async (...named: string[]) => {
      for (const account of accounts)
        await vi.waitFor(async () => {
          const found = []
          for (const each of [first, second]) if (await allowed(account, each)) found.push(each)
          expect(found).toEqual(named)
        }, byWord)
    }
    await expectOnly(first)
    await account.api.patch(`${path}/${client_id}`, { origins: [second] })
    await expectOnly(second)
    await account.api.send('DELETE', `${path}/${client_id}/installation`)
    await expectOnly()
    await account.api.send('PUT', `${path}/${client_id}/installation`)
    await expectOnly(second)
    await account.api.patch(`${path}/${client_id}`, { origins: [first, second] })
    await expectOnly(first, second)
    await account.api.send('DELETE', `${path}/${client_id}`)
    await expectOnly()
  })

  test('counts in every account that has let a public integration in, and in no other', async () => {
    const [maker, guest, stranger] = [await newAccount(), await newAccount(), await newAccount()]
    const origin = newOrigin()
    const { client_id } = await maker.addIntegration({ is_public: true, origins: [origin] })
    await guest.api.send('PUT', `${path}/${client_id}/installation`)
    const reads = async (account: TestAccount) =>
      readerOf(await ask(account, origin, { token: account.admin.token }))
    const readers = async () => [await reads(maker), await reads(guest), await reads(stranger)]
    await expect.poll(readers, byWord).toEqual([origin, origin, undefined])
    // The guest sees which pages it lets in.
    expect((await guest.api.get(`${path}/${client_id}`)).body.origins).toEqual([origin])
    await guest.api.send('DELETE', `${path}/${client_id}/installation`)
    await expect.poll(readers, byWord).toEqual([origin, undefined, undefined])
  })
})
