import sql from 'sql-template-tag'
import { describe, expect, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import type { TestAccount } from '../../../../test/account.ts'
import { client } from '../../../../test/client.ts'
import type { Answer } from '../../../../test/client.ts'
import { cookieIn, requestAt, signIn, withCookie } from '../../../../test/session.ts'
import { setAccount } from '../accounts/accounts.ts'
import { dropExpiredAccess } from '../../programs/oauth/oauth.ts'
import { setUser } from '../users/users.ts'

const password = 'correct horse'
/**
 * The longest time for a notification between processes; remembered access would last ten seconds.
 */
const atOnce = { timeout: 2000, interval: 10 }
const unique = () => `${crypto.randomUUID()}@example.com`

test('a right password opens a session, and its cookie opens what a token would', async () => {
  const account = await newAccount()
  const { id, email } = await account.addUser({ name: 'Ann', email: unique(), password })
  const { answer, api } = await signIn(account.kontor, {
    email: ` ${email.toUpperCase()}`,
    password,
  })
  const here = { id: account.id, name: account.subdomain, subdomain: account.subdomain }
  expect(answer.body).toMatchObject({
    user: { id, name: 'Ann', email, is_admin: false },
    account: here,
    accounts: [here],
  })
  expect((await api.get('/api/v4/account')).body).toMatchObject({
    id: account.id,
    current_user_id: id,
  })
  expect((await api.post('/api/v4/leads', [{}])).status).toBe(200)
  expect((await api.get('/web/v1/session')).body).toEqual(answer.body)
})

test('the cookie is for this host, hidden from scripts and from other sites’ forms, and secure under https', async () => {
  const account = await newAccount()
  const { email } = await account.addUser({ email: unique(), password })
  const { answer } = await signIn(account.kontor, { email, password })
  expect(answer.headers.getSetCookie()).toEqual([
    expect.stringMatching(
      /^kontor_session=[A-Za-z\d]{43}; Path=\/; Max-Age=34560000; HttpOnly; SameSite=Lax$/,
    ),
    expect.stringMatching(
      /^kontor_browser=[A-Za-z\d]{43}; Path=\/; Max-Age=31536000; HttpOnly; SameSite=Lax$/,
    ),
  ])
  const secure = await newAccount({ url: 'https://crm.example.com' })
  const other = await secure.addUser({ email: unique(), password })
  const there = await client({ url: secure.address }).post('/web/v1/session', {
    email: other.email,
    password,
  })
  expect(there.headers.getSetCookie()).toEqual(
    Array.from({ length: 2 }, () => expect.stringMatching(/; Secure$/)),
  )
})

test('a wrong password, an unknown e-mail, no password and a deactivated user get the same answer', async () => {
  const account = await newAccount()
  const right = await account.addUser({ email: unique(), password })
  const without = await account.addUser({ email: unique() })
  const gone = await account.addUser({ email: unique(), password })
  await deactivate(account, gone.email)
  const attempts = [
    { email: right.email, password: 'wrong' },
    { email: unique(), password },
    { email: without.email, password },
    { email: gone.email, password },
    { email: right.email, password, account: 'elsewhere' },
  ]
  const answers = await Promise.all(
    attempts.map((attempt) => client(account.kontor).post('/web/v1/session', attempt)),
  )
  expect(
    answers.map(({ status, body, headers }) => [status, body.detail, headers.getSetCookie()]),
  ).toEqual(attempts.map(() => [401, 'Wrong e-mail or password', []]))
})

test('one e-mail in several accounts: the session holds those whose password was right, and one is chosen', async () => {
  const [one, two, three] = [await newAccount(), await newAccount(), await newAccount()]
  const email = unique()
  for (const account of [one, two]) await account.addUser({ email, password })
  await three.addUser({ email, password: 'another one' })
  const first = await signIn(one.kontor, { email, password })
  expect(first.answer.body.account.id).toBe(one.id)
  expect(first.answer.body.accounts.map(({ id }: { id: number }) => id)).toEqual([one.id, two.id])
  const second = await signIn(one.kontor, { email, password, account: two.subdomain })
  expect((await second.api.get('/api/v4/account')).body.id).toBe(two.id)
})

test('a session is good until it is ended here, and then nowhere', async () => {
  const account = await newAccount()
  const { email } = await account.addUser({ email: unique(), password })
  const [here, there] = [
    await signIn(account.kontor, { email, password }),
    await signIn(account.kontor, { email, password }),
  ]
  const ended = await here.api.delete('/web/v1/session')
  expect([ended.status, ended.headers.getSetCookie()[0]]).toEqual([
    204,
    expect.stringMatching(/^kontor_session=; Path=\/; Max-Age=0;/),
  ])
  await expect.poll(async () => (await here.api.get('/web/v1/session')).status, atOnce).toBe(401)
  expect((await here.api.delete('/web/v1/session')).status).toBe(204)
  expect((await there.api.get('/web/v1/session')).status).toBe(200)
})

test('signing in again replaces the browser’s session', async () => {
  const account = await newAccount()
  const { email } = await account.addUser({ email: unique(), password })
  const before = await signIn(account.kontor, { email, password })
  await before.api.post('/web/v1/session', { email, password })
  await expect.poll(async () => (await before.api.get('/web/v1/session')).status, atOnce).toBe(401)
})

test('signing out everywhere ends every browser of the user and nobody else’s, on every process', async () => {
  const account = await newAccount()
  const other = await newAccount({ journalDays: 5 })
  const { email } = await account.addUser({ email: unique(), password })
  const colleague = await account.addUser({ email: unique(), password })
  const [one, two] = [
    await signIn(account.kontor, { email, password }),
    await signIn(account.kontor, { email, password }),
  ]
  const theirs = await signIn(account.kontor, { email: colleague.email, password })
  const elsewhere = withCookie(other.kontor, two.cookie)
  expect((await elsewhere.get('/web/v1/session')).status).toBe(200)
  expect((await one.api.delete('/web/v1/sessions')).status).toBe(204)
  await expect.poll(async () => (await one.api.get('/web/v1/session')).status, atOnce).toBe(401)
  await expect.poll(async () => (await elsewhere.get('/web/v1/session')).status, atOnce).toBe(401)
  expect((await theirs.api.get('/web/v1/session')).status).toBe(200)
})

test('a deactivated user’s session is over at once', async () => {
  const account = await newAccount()
  const { email } = await account.addUser({ email: unique(), password })
  const { api } = await signIn(account.kontor, { email, password })
  expect((await api.get('/api/v4/account')).status).toBe(200)
  await deactivate(account, email)
  await expect.poll(async () => (await api.get('/api/v4/account')).status, atOnce).toBe(401)
})

test('a session lasts thirty days from its last use', async () => {
  const account = await newAccount({ journalDays: 6 })
  const { email } = await account.addUser({ email: unique(), password })
  const { api, cookie } = await signIn(account.kontor, { email, password })
  const day = 86_400
  for (const path of ['/web/v1/session', '/home', '/api/v4/account']) {
    account.clock.ahead += 29 * day
    const { status, headers } = await fetch(account.kontor.url + path, { headers: { cookie } })
    expect(status).toBe(200)
    // A browser that has signed in anew meanwhile must not get the old session back.
    expect(headers.getSetCookie()).toEqual([])
  }
  account.clock.ahead += 31 * day
  expect((await api.get('/api/v4/account')).status).toBe(401)
})

test('its use in one account lets a session last in all of them', async () => {
  const one = await newAccount({ url: 'http://crm.test', journalDays: 6 })
  const two = await newAccount({ url: 'http://crm.test', journalDays: 6 })
  const email = unique()
  for (const account of [one, two]) await account.addUser({ email, password })
  const credentials = { method: 'POST', path: '/web/v1/session', body: { email, password } }
  const cookie = cookieIn(await requestAt(one.address, `${one.subdomain}.crm.test`, credentials))
  const read = { path: '/api/v4/account', cookie }
  for (const account of [one, two]) {
    one.clock.ahead += 29 * 86_400
    const answer = await requestAt(one.address, `${account.subdomain}.crm.test`, read)
    expect(answer).toMatchObject({ status: 200, body: { id: account.id } })
  }
})

test('a write by cookie must come from a page of ours', async () => {
  const account = await newAccount()
  const { email } = await account.addUser({ email: unique(), password })
  const { cookie } = await signIn(account.kontor, { email, password })
  const { send } = client(account.kontor)
  const status = async (headers: Record<string, string>, method = 'POST', path = '/api/v4/leads') =>
    (await send(method, path, method === 'POST' ? [{}] : undefined, { cookie, ...headers })).status
  expect(await status({ origin: account.kontor.url })).toBe(200)
  expect(await status({ origin: account.kontor.url.replace('127.0.0.1', 'localhost') })).toBe(200)
  expect(await status({ 'sec-fetch-site': 'same-origin' })).toBe(200)
  for (const headers of [
    {},
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'none' },
    { origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' },
    { origin: `${account.kontor.url}.evil.example` },
    { origin: 'http://localhost:1' },
    { origin: `http://localhost.evil.example:${new URL(account.kontor.url).port}` },
  ])
    expect([headers, await status(headers as Record<string, string>)]).toEqual([headers, 403])
  expect(await status({ origin: 'https://evil.example' }, 'DELETE', '/web/v1/session')).toBe(403)
  expect(await status({ origin: 'https://evil.example' }, 'GET', '/api/v4/leads')).toBe(200)
})

test('another site may not sign a visitor in', async () => {
  const account = await newAccount()
  const { email } = await account.addUser({ email: unique(), password })
  const answer = await client(account.kontor).post(
    '/web/v1/session',
    { email, password },
    { origin: 'https://evil.example' },
  )
  expect(answer.status).toBe(403)
})

test('a request with a token ignores the cookie', async () => {
  const account = await newAccount()
  const { email } = await account.addUser({ email: unique(), password })
  const { cookie } = await signIn(account.kontor, { email, password })
  const both = await account.api.post('/api/v4/leads', [{}], {
    cookie,
    origin: 'https://evil.example',
  })
  expect(both.status).toBe(200)
  expect((await account.api.get('/api/v4/account', { cookie })).body.current_user_id).toBe(
    account.admin.id,
  )
  expect((await client(account.kontor, 'nonsense').get('/api/v4/account', { cookie })).status).toBe(
    401,
  )
})

test('the account of the address answers, where the session is signed in to it', async () => {
  const [one, two, three] = [
    await newAccount({ url: 'http://crm.test' }),
    await newAccount(),
    await newAccount(),
  ]
  const email = unique()
  for (const account of [one, two]) await account.addUser({ email, password })
  const at = (account: { subdomain: string } | undefined, path: string, cookie: string) =>
    requestAt(one.address, account ? `${account.subdomain}.crm.test` : 'crm.test', { path, cookie })
  const credentials = { method: 'POST', path: '/web/v1/session', body: { email, password } }
  const signed = await requestAt(one.address, `${two.subdomain}.crm.test`, credentials)
  expect(signed.body.account.id).toBe(two.id)
  const cookie = cookieIn(signed)
  expect((await at(undefined, '/api/v4/account', cookie)).body.id).toBe(two.id)
  expect((await at(one, '/api/v4/account', cookie)).body.id).toBe(one.id)
  expect((await at(three, '/api/v4/account', cookie)).status).toBe(401)
  expect((await requestAt(one.address, `${three.subdomain}.crm.test`, credentials)).status).toBe(
    401,
  )
})

test('ten wrong passwords close the e-mail for a quarter of an hour, for the right one too', async () => {
  const account = await newAccount({ journalDays: 7 })
  const { email } = await account.addUser({ email: unique(), password })
  const attempt = (word: string) =>
    client(account.kontor).post('/web/v1/session', { email, password: word })
  // All at once, so that none passes while the others are still being checked.
  const answers = await Promise.all(Array.from({ length: 12 }, () => attempt('wrong')))
  const statuses = answers.map(({ status }) => status)
  expect([401, 429].map((status) => statuses.filter((each) => each === status).length)).toEqual([
    10, 2,
  ])
  const closed = await attempt(password)
  expect(closed.status).toBe(429)
  expect(Number(closed.headers.get('retry-after'))).toBeGreaterThan(800)
  account.clock.ahead += 900
  expect((await attempt(password)).status).toBe(200)
})

describe('after wrong passwords of a stranger', () => {
  /** Sign-ins from addresses that a proxy on this machine names. */
  async function accountWithSessions(journalDays: number) {
    const account = await newAccount({ journalDays, trustedProxy: ['127.0.0.1'] })
    const user = await account.addUser({ email: unique(), password })
    const attempt = (word: string, cookie = '', email = user.email, from = '10.0.0.1') =>
      client(account.kontor).post(
        '/web/v1/session',
        { email, password: word },
        { 'x-forwarded-for': from, cookie, origin: account.kontor.url },
      )
    const guess = (email = user.email, network = 0) =>
      Promise.all(
        Array.from({ length: 10 }, (_, host) =>
          attempt('wrong', '', email, network === 0 ? undefined : `2001:db8:${network}::${host}`),
        ),
      )
    return { account, user, attempt, guess }
  }

  test('in one network, the user signs in from every other', async () => {
    const { attempt, guess, user } = await accountWithSessions(10)
    await guess(user.email, 1)
    expect((await attempt(password, '', user.email, '2001:db8:1::99')).status).toBe(429)
    expect((await attempt(password)).status).toBe(200)
  })

  test('in many networks, only browsers that the user has signed in with still sign in', async () => {
    const { attempt, guess, user } = await accountWithSessions(11)
    const known = cookiesIn(await attempt(password))
    for (let network = 1; network <= 10; network++) await guess(user.email, network)
    const closed = await attempt(password)
    expect(closed.status).toBe(429)
    expect(Number(closed.headers.get('retry-after'))).toBeGreaterThan(800)
    expect((await attempt(password, known)).status).toBe(200)
  })

  test('a browser that has signed in keeps its own count, and gets a new token each time', async () => {
    const { attempt, guess, user, account } = await accountWithSessions(12)
    const known = cookiesIn(await attempt(password))
    const stranger = unique()
    for (const email of [user.email, stranger]) await guess(email)
    const closed = await attempt(password)
    // An e-mail that nobody has gets the same answer.
    expect([closed.status, closed.body]).toEqual([
      429,
      (await attempt(password, '', stranger)).body,
    ])
    expect((await attempt(password, 'kontor_browser=made-up')).status).toBe(429)
    const back = await attempt(password, known)
    expect(back.status).toBe(200)
    expect((await attempt(password, known)).status).toBe(429)

    const other = await account.addUser({ email: unique(), password })
    const next = cookiesIn(back)
    await guess(other.email)
    expect((await attempt(password, next, other.email)).status).toBe(429)
    for (let time = 0; time < 10; time++) expect((await attempt('wrong', next)).status).toBe(401)
    const full = await attempt(password, next)
    expect(full.status).toBe(429)
    expect(Number(full.headers.get('retry-after'))).toBeGreaterThan(800)
  })

  test('a browser stays known after a sign-out everywhere, and is unknown after a new password and a year', async () => {
    const { attempt, guess, user, account } = await accountWithSessions(13)
    const first = cookiesIn(await attempt(password))
    const signOut = await withCookie(account.kontor, first).delete('/web/v1/sessions')
    expect(signOut.status).toBe(204)
    await guess()
    const second = await attempt(password, first)
    expect(second.status).toBe(200)
    await account.kontor.database.transaction((tx) =>
      setUser(tx, account.id, account.kontor.now(), user.email, { password }),
    )
    expect((await attempt(password, cookiesIn(second))).status).toBe(429)

    account.clock.ahead += 900
    const third = cookiesIn(await attempt(password))
    account.clock.ahead += 364 * 86_400
    await guess()
    const fourth = await attempt(password, third)
    expect(fourth.status).toBe(200)
    account.clock.ahead += 366 * 86_400
    await guess()
    expect((await attempt(password, cookiesIn(fourth))).status).toBe(429)
    // The browsers become older here: the time of this clock would drop the rows of other tests.
    const { database, now } = account.kontor
    await database.transaction((tx) =>
      tx.rows(
        sql`update known_browsers set expires_at = expires_at - ${account.clock.ahead}::bigint where account_id = ${account.id}`,
      ),
    )
    await dropExpiredAccess(database, now() - account.clock.ahead)
    expect(await browsersOf(account, user.id)).toBe(0)
  })

  test('a user has at most twenty known browsers, those of the latest sign-ins', async () => {
    const { attempt, guess, user, account } = await accountWithSessions(14)
    const first = cookiesIn(await attempt(password))
    account.clock.ahead += 1
    const second = cookiesIn(await attempt(password))
    account.clock.ahead += 1
    // Ten at once, because attempts count until their password has turned out right. The last one
    // is alone: of two that end together, neither sees the other's browser.
    for (const times of [10, 8, 1])
      await Promise.all(Array.from({ length: times }, () => attempt(password)))
    expect(await browsersOf(account, user.id)).toBe(20)
    await guess()
    expect((await attempt(password, first)).status).toBe(429)
    expect((await attempt(password, second)).status).toBe(200)
    expect(await browsersOf(account, user.id)).toBe(20)
  })

  test('two users of one browser are both known to it', async () => {
    const { attempt, guess, user, account } = await accountWithSessions(15)
    const other = await account.addUser({ email: unique(), password })
    const shared = cookiesIn(await attempt(password))
    const both = cookiesIn(await attempt(password, shared, other.email))
    for (const { email } of [user, other]) await guess(email)
    expect((await attempt(password, both)).status).toBe(200)
  })

  test('the access-granting window knows the browser too', async () => {
    const { attempt, guess, user, account } = await accountWithSessions(16)
    const known = cookiesIn(await attempt(password))
    await guess()
    const parameters = `client_id=${account.integration.client_id}`
    const page = await fetch(`${account.address}/oauth?${parameters}`)
    const visit = page.headers.getSetCookie()[0]!.split(';')[0]!
    const csrf = /name="csrf"\s+value="([^"]+)"/.exec(await page.text())![1]!
    const fields = { action: 'sign_in', question: parameters, csrf, email: user.email, password }
    const send = (cookie: string) =>
      fetch(`${account.address}/oauth`, {
        method: 'POST',
        redirect: 'manual',
        headers: { cookie, origin: account.kontor.url, 'x-forwarded-for': '10.0.0.1' },
        body: new URLSearchParams(fields),
      })
    expect((await send(visit)).status).toBe(429)
    const done = await send(`${visit}; ${known}`)
    expect(done.status).toBe(303)
    expect(done.headers.getSetCookie().map((cookie) => cookie.split('=')[0])).toEqual([
      'kontor_session',
      'kontor_browser',
    ])
  })
})

test('so do fifty from one address, whatever the e-mails', async () => {
  const account = await newAccount({ journalDays: 8, rateLimitAddress: 0 })
  const { email } = await account.addUser({ email: unique(), password })
  const { post } = client(account.kontor)
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => post('/web/v1/session', { email: unique(), password })),
  )
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]))
  expect((await post('/web/v1/session', { email, password })).status).toBe(429)
})

test('who has the e-mail in one account may not guess at the password of another', async () => {
  const [one, two] = [await newAccount({ journalDays: 9 }), await newAccount()]
  const email = unique()
  await one.addUser({ email, password: 'guess 0' })
  await two.addUser({ email, password: 'guess 11' })
  const { post } = client(one.kontor)
  for (let guess = 1; guess <= 11; guess++) {
    // The administrator of one account sets what the stranger wants to try at the other.
    await one.kontor.database.transaction((tx) =>
      setUser(tx, one.id, one.kontor.now(), email, { password: `guess ${guess}` }),
    )
    const answer = await post('/web/v1/session', { email, password: `guess ${guess}` })
    expect([guess, answer.status]).toEqual([guess, guess <= 10 ? 200 : 429])
  }
})

test('a browser that is known in one account signs in there while another account is guessed at', async () => {
  const [one, two] = [await newAccount({ journalDays: 17 }), await newAccount()]
  const email = unique()
  await one.addUser({ email, password })
  let cookie = ''
  const sign = async (word: string, account?: string) => {
    const answer = await client(one.kontor).post(
      '/web/v1/session',
      { email, password: word, account },
      { cookie, origin: one.kontor.url },
    )
    if (answer.status === 200) cookie = cookiesIn(answer)
    return [answer.status, answer.body.accounts?.length]
  }
  expect(await sign(password)).toEqual([200, 1])
  await two.addUser({ email, password: 'another horse' })
  for (let guess = 0; guess < 10; guess++)
    await client(one.kontor).post('/web/v1/session', { email, password: 'wrong' })
  expect(await sign(password)).toEqual([200, 1])
  expect(await sign('another horse', two.subdomain)).toEqual([429, undefined])
  expect(await sign('another horse')).toEqual([401, undefined])
  one.clock.ahead += 900
  expect(await sign('another horse', two.subdomain)).toEqual([200, 1])
  await two.kontor.database.transaction((tx) =>
    setUser(tx, two.id, one.kontor.now(), email, { password }),
  )
  expect(await sign(password)).toEqual([200, 2])
})

test('what was right counts for nothing: signing in often closes nothing', async () => {
  const account = await newAccount()
  const { email } = await account.addUser({ email: unique(), password })
  for (let time = 0; time < 12; time++) {
    const { answer } = await signIn(account.kontor, { email, password })
    expect(answer.status).toBe(200)
  }
})

test('an unpaid account still lets its people out', async () => {
  const account = await newAccount()
  const { email } = await account.addUser({ email: unique(), password })
  const { api } = await signIn(account.kontor, { email, password })
  await account.kontor.database.transaction((tx) =>
    setAccount(tx, account.kontor.now(), account.subdomain, { isUnpaid: true }),
  )
  expect((await api.post('/api/v4/leads', [{}])).status).toBe(402)
  expect((await api.delete('/web/v1/sessions')).status).toBe(204)
})

test.each([
  [{}, ['email', 'password']],
  [{ email: 5, password: '' }, ['email', 'password']],
  [{ email: 'a@b.c', password: 'x', account: 5, remember: true }, ['account', 'remember']],
])('a malformed sign-in names what is wrong: %j', async (body, paths) => {
  const { kontor } = await newAccount()
  const answer = await client(kontor).post('/web/v1/session', body)
  expect(answer.status).toBe(400)
  expect(
    answer.body['validation-errors'][0].errors.map(({ path }: { path: string }) => path).toSorted(),
  ).toEqual(paths)
})

test('the database keeps no token', async () => {
  const account = await newAccount()
  const { email } = await account.addUser({ email: unique(), password })
  const { cookie } = await signIn(account.kontor, { email, password })
  const rows = await account.kontor.database.rows<{ text: string }>(
    sql`select session::text as text from sessions session where account_id = ${account.id}`,
  )
  expect(rows.length).toBe(1)
  expect(rows[0]!.text).not.toContain(cookie.split('=')[1])
  expect(rows[0]!.text).not.toContain(Buffer.from(cookie.split('=')[1]!).toString('hex'))
})

/** The cookies that a sign-in leaves in a browser, as the browser sends them. */
function cookiesIn({ headers }: Answer): string {
  return headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ')
}

async function browsersOf({ id, kontor }: TestAccount, user: number): Promise<number> {
  const rows = await kontor.database.rows(
    sql`select from known_browsers where account_id = ${id} and user_id = ${user}`,
  )
  return rows.length
}

async function deactivate({ id, kontor }: TestAccount, email: string): Promise<void> {
  await kontor.database.transaction((tx) =>
    setUser(tx, id, kontor.now(), email, { isActive: false }),
  )
}
