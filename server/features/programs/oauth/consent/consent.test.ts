// The window as a program sees it: headers, refusals, and forms filled in by somebody else.
// test/browser covers the part of a browser.
import { expect, test } from 'vitest'
import { newAccount } from '../../../../../test/account.ts'
import type { TestAccount } from '../../../../../test/account.ts'
import { raw } from '../../../../../test/raw.ts'
import { codeAt } from '../../../../../test/second-factor.ts'
import { cookieIn, signIn } from '../../../../../test/session.ts'

const password = 'correct horse'

interface Shown {
  status: number
  headers: Headers
  text: string
  /** The hidden fields of the form. */
  fields: Record<string, string>
}

async function get({ kontor }: TestAccount, query: string, cookie = ''): Promise<Shown> {
  return shown(
    await fetch(`${kontor.url}/oauth?${query}`, { headers: { cookie }, redirect: 'manual' }),
  )
}

async function post(
  { kontor }: TestAccount,
  fields: Record<string, string>,
  cookie = '',
  headers = {},
): Promise<Shown> {
  const body = new URLSearchParams(fields)
  return shown(
    await fetch(`${kontor.url}/oauth`, {
      method: 'POST',
      body,
      headers: { cookie, ...headers },
      redirect: 'manual',
    }),
  )
}

async function shown(response: Response): Promise<Shown> {
  const text = await response.text()
  const hidden = text.matchAll(/<input\s+type="hidden"\s+name="([^"]*)"\s+value="([^"]*)"/g)
  const fields = Object.fromEntries([...hidden].map(([, name, value]) => [name!, decoded(value!)]))
  return { status: response.status, headers: response.headers, text, fields }
}

const decoded = (text: string) =>
  text.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))

/** Opens the window in the browser of a signed-in administrator. */
async function openConsent(account: TestAccount) {
  const email = `${crypto.randomUUID()}@example.com`
  await account.addUser({ email, password, is_admin: true })
  const { cookie } = await signIn(account.kontor, { email, password })
  const page = await get(account, `client_id=${account.integration.client_id}&state=s`, cookie)
  return { email, cookie, page }
}

test('every page is for this moment and this window only', async () => {
  const account = await newAccount()
  const { cookie, page } = await openConsent(account)
  const id = account.integration.client_id
  const pages = [
    page,
    await get(account, `client_id=${id}`),
    await get(account, 'client_id=nonsense'),
    await post(account, {}, cookie),
  ]
  expect(pages.map(({ status }) => status)).toEqual([200, 200, 400, 400])
  for (const { headers, text } of pages) {
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    })
    const policy = headers.get('content-security-policy')!
    for (const part of ["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'"])
      expect(policy).toContain(part)
    expect(policy).not.toContain('unsafe')
    expect(text).toContain(`<style nonce="${/'nonce-([^']+)'/.exec(policy)![1]}">`)
  }
  // A password is sent only to Kontor; redirects after a decision may lead elsewhere.
  expect(pages[1]!.headers.get('content-security-policy')).toContain("form-action 'self';")
  expect(page.headers.get('content-security-policy')).toContain("form-action 'self' https:;")
})

test.each([
  '',
  'client_id=',
  'client_id[]=a',
  `client_id=00000000-0000-4000-8000-000000000000`,
  `client_id=${'x'.repeat(65)}`,
  'client_id=%00',
  'client_id=%ff',
])('no integration, no window: %s', async (query) => {
  const { status, text, headers } = await get(await newAccount(), query)
  expect([status, headers.get('content-type'), text.includes('<form')]).toEqual([
    400,
    'text/html; charset=utf-8',
    false,
  ])
})

test.each(['state', 'mode', 'origin'])('%s has a bound', async (name) => {
  const account = await newAccount()
  expect(
    (await get(account, `client_id=${account.integration.client_id}&${name}=${'x'.repeat(4001)}`))
      .status,
  ).toBe(400)
})

test('an address of one’s own in the question changes nothing: results go to the stored one', async () => {
  const account = await newAccount()
  const { cookie } = await openConsent(account)
  const id = account.integration.client_id
  const evil =
    'redirect_uri=https://evil.example&redirect=https://evil.example&referer=evil.example'
  const { fields } = await get(account, `client_id=${id}&${evil}`, cookie)
  for (const action of ['allow', 'deny']) {
    const { status, headers } = await post(account, { ...fields, action }, cookie)
    expect([status, new URL(headers.get('location')!).origin]).toEqual([302, 'https://example.com'])
    expect(headers.get('location')).not.toContain('evil')
  }
})

test('the referer is the public host, also for a person who uses another name of this machine', async () => {
  const account = await newAccount()
  const { cookie, page } = await openConsent(account)
  const { host: known, port } = new URL(account.kontor.url)
  const host = `localhost:${port}`
  const type = 'application/x-www-form-urlencoded'
  const { status, headers } = await raw(account.kontor, {
    method: 'POST',
    path: '/oauth',
    headers: { host, origin: `http://${host}`, cookie, 'content-type': type },
    body: new URLSearchParams({ ...page.fields, action: 'allow' }).toString(),
  })
  expect(status).toBe(302)
  expect(new URL(headers.location!).searchParams.get('referer')).toBe(known)
})

test('a decision needs the session and its own form', async () => {
  const account = await newAccount()
  const mine = await openConsent(account)
  const other = await openConsent(account)
  const allow = { ...mine.page.fields, action: 'allow' }
  const visit = cookieIn(await get(account, `client_id=${account.integration.client_id}`))
  for (const [fields, cookie, headers] of [
    [{ ...allow, csrf: '' }, mine.cookie, {}],
    [{ ...allow, csrf: other.page.fields['csrf']! }, mine.cookie, {}],
    [allow, other.cookie, {}],
    [allow, visit, {}],
    [allow, '', {}],
    [allow, mine.cookie, { origin: 'https://evil.example' }],
    [allow, mine.cookie, { 'sec-fetch-site': 'cross-site' }],
    [allow, mine.cookie, { 'sec-fetch-site': 'same-site', origin: 'null' }],
    [{ ...allow, action: 'sign_out', csrf: '' }, mine.cookie, {}],
  ] as const) {
    const { status, headers: answered } = await post(account, fields, cookie, headers)
    expect([fields, headers, status, answered.get('location'), answered.get('set-cookie')]).toEqual(
      [fields, headers, 403, null, null],
    )
  }
  expect(
    (await post(account, allow, mine.cookie, { origin: 'null', 'sec-fetch-site': 'same-origin' }))
      .status,
  ).toBe(302)
})

test('nobody is signed in by another page: the form needs the cookie that came with it', async () => {
  const account = await newAccount()
  const { email } = await openConsent(account)
  const here = await get(account, `client_id=${account.integration.client_id}`)
  const visit = cookieIn(here)
  expect(here.headers.get('set-cookie')).toMatch(
    /^kontor_visit=[A-Za-z\d]{43}; Path=\/oauth; HttpOnly; SameSite=Lax$/,
  )
  const fields = { ...here.fields, action: 'sign_in', email, password }
  const theirs = cookieIn(await get(account, `client_id=${account.integration.client_id}`))
  for (const cookie of ['', theirs]) {
    const refused = await post(account, fields, cookie)
    expect([
      refused.status,
      refused.headers.get('set-cookie')?.includes('kontor_session') ?? false,
    ]).toEqual([403, false])
    expect(refused.text).toContain('Your browser did not send our cookie')
  }
  const { status, headers } = await post(account, fields, visit)
  expect([status, headers.get('location')]).toEqual([
    303,
    `/oauth?client_id=${account.integration.client_id}`,
  ])
  expect(headers.get('set-cookie')).toMatch(/^kontor_session=[A-Za-z\d]{43}; /)
})

test('too many wrong passwords are told as such', async () => {
  const account = await newAccount({ journalDays: 11 })
  const { email } = await openConsent(account)
  const here = await get(account, `client_id=${account.integration.client_id}`)
  const attempt = () =>
    post(account, { ...here.fields, action: 'sign_in', email, password: 'wrong' }, cookieIn(here))
  await Promise.all(Array.from({ length: 10 }, attempt))
  const { status, headers, text } = await attempt()
  expect([status, Number(headers.get('retry-after')) > 800]).toEqual([429, true])
  expect(text).toContain('Too many attempts. Try again in 15 min.')
})

test('what changed since it was shown is shown again before it is allowed', async () => {
  const account = await newAccount()
  const { cookie, page } = await openConsent(account)
  await account.api.patch(`/web/v1/integrations/${account.integration.client_id}`, {
    scopes: ['crm', 'files_delete'],
  })
  const again = await post(account, { ...page.fields, action: 'allow' }, cookie)
  expect([again.status, again.fields['scopes']]).toEqual([200, 'crm files_delete'])
  expect((await post(account, { ...again.fields, action: 'allow' }, cookie)).status).toBe(302)
})

test('managing people and roles is shown, and given with the access', async () => {
  const account = await newAccount()
  const at = `/web/v1/integrations/${account.integration.client_id}`
  const { cookie, page } = await openConsent(account)
  expect(page.text).not.toContain('Manage people and roles')
  await account.api.patch(at, { manages_people: true })
  const again = await post(account, { ...page.fields, action: 'allow' }, cookie)
  expect([again.status, again.fields['scopes']]).toEqual([200, 'crm notifications manages_people'])
  expect(again.text).toContain('Manage people and roles')
  await account.api.send('PUT', `${at}/installation`, { manages_people: false })
  expect((await post(account, { ...again.fields, action: 'allow' }, cookie)).status).toBe(302)
  expect((await account.api.get(at)).body.may_manage_people).toBe(true)
})

test('an account that the person is not signed in to, or may not let it into, cannot be chosen', async () => {
  const [account, other] = [await newAccount(), await newAccount()]
  const { cookie, page } = await openConsent(account)
  for (const id of [String(other.id), '', 'NaN', '1e999'])
    expect(
      (await post(account, { ...page.fields, account: id, action: 'allow' }, cookie)).status,
    ).toBe(403)
})

test('a private integration of another account cannot be let in', async () => {
  const [mine, theirs] = [await newAccount(), await newAccount()]
  const { cookie, page } = await openConsent(mine)
  const { client_id } = theirs.integration
  const refused = await get(mine, `client_id=${client_id}`, cookie)
  expect([refused.status, refused.text.includes('value="allow"')]).toEqual([403, false])
  const parameters = `client_id=${client_id}`
  expect(
    (await post(mine, { ...page.fields, question: parameters, action: 'allow' }, cookie)).status,
  ).toBe(403)
})

test('a deactivated user is asked to sign in', async () => {
  const account = await newAccount()
  const { email, cookie } = await openConsent(account)
  const user = (await account.api.get('/api/v4/users')).body._embedded.users.find(
    (each: { email: string }) => each.email === email,
  )
  await account.api.post('/api/v4/users/deactivate', [{ id: user.id }])
  expect((await get(account, `client_id=${account.integration.client_id}`, cookie)).text).toContain(
    'name="password"',
  )
})

test('a user with a second factor is asked for a code, without scripts', async () => {
  const account = await newAccount()
  const { email, api } = await account.addUser({ password, is_admin: true })
  const { secret } = (await api.post('/web/v1/second-factor', { password })).body
  const codeNow = () => codeAt(secret, account.kontor.now())
  await api.post('/web/v1/second-factor/confirm', { code: codeNow() })
  const page = await get(account, `client_id=${account.integration.client_id}`)
  const visit = cookieIn(page)
  const enter = (sent: Record<string, string>) =>
    post(account, { ...page.fields, action: 'sign_in', email, password, ...sent }, visit)
  const isCodeRequested = ({ text }: Shown) => /<input\s+type="text"\s+id="code"/.test(text)
  expect(isCodeRequested(page)).toBe(false)
  const guess = await enter({ password: 'wrong' })
  expect([guess.status, isCodeRequested(guess)]).toEqual([401, false])
  const asks = await enter({})
  expect([asks.status, isCodeRequested(asks), asks.text.includes(email)]).toEqual([401, true, true])
  expect(asks.text).not.toContain(password)
  expect(asks.headers.getSetCookie().join()).not.toContain('kontor_session')
  const wrong = await enter({ code: '000000' })
  expect([wrong.status, isCodeRequested(wrong)]).toEqual([401, true])
  expect(wrong.text).toContain('That code is wrong')
  // A wrong password beside a code says nothing about the code.
  const both = await enter({ password: 'wrong', code: '000000' })
  expect([isCodeRequested(both), both.text.includes('Wrong e-mail or password')]).toEqual([
    false,
    true,
  ])
  account.clock.ahead += 60
  const { pair = '' } = wrong.fields
  const entered = await post(
    account,
    { ...page.fields, action: 'sign_in', pair, code: codeNow() },
    visit,
  )
  account.clock.ahead = 0
  expect([entered.status, entered.headers.getSetCookie().join()]).toEqual([
    303,
    expect.stringContaining('kontor_session'),
  ])
})
