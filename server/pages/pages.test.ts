// The pages of people who are not signed in, as a browser without scripts uses them: forms filled in
// and sent, redirects followed by hand. test/browser/pages.test.ts looks at them.
import sql from 'sql-template-tag'
import { expect, test } from 'vitest'
import { newAccount, proof } from '../../test/account.ts'
import type { TestAccount } from '../../test/account.ts'
import { atEndOfFile } from '../../test/endings.ts'
import { scratchDatabase } from '../../test/scratch.ts'
import { codeAt } from '../../test/second-factor.ts'
import { server } from '../../test/server.ts'
import { cookieIn, requestAt, signIn, withCookie } from '../../test/session.ts'
import type { Config } from '../config.ts'
import { setupCode } from '../features/application/setup/setup.ts'
import type { Kontor } from '../kontor.ts'

const password = 'correct horse'
type Address = Pick<Kontor, 'url'>

interface Answered {
  status: number
  headers: Headers
  text: string
  location: string | null
}

async function ask({ url }: Address, path: string, init: RequestInit = {}): Promise<Answered> {
  const answer = await fetch(url + path, { ...init, redirect: 'manual' })
  const { status, headers } = answer
  return { status, headers, text: await answer.text(), location: headers.get('location') }
}

const get = (kontor: Address, path: string, headers: Record<string, string> = {}) =>
  ask(kontor, path, { headers })

const post = (
  kontor: Address,
  path: string,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
) => ask(kontor, path, { method: 'POST', body: new URLSearchParams(fields), headers })

async function person() {
  const account = await newAccount()
  const email = `${crypto.randomUUID()}@example.com`
  const { id } = await account.addUser({ name: 'Ann Lee', email, password })
  return { account, kontor: account.kontor, email, id }
}

/** The value of a hidden field. */
const hiddenIn = ({ text }: Answered, name: string): string =>
  new RegExp(`type="hidden"\\s+name="${name}"\\s+value="([^"]*)"`).exec(text)?.[1] ?? ''

const tagOf = ({ text }: Answered, id: string): string =>
  new RegExp(`<[^>]*\\bid="${id}"[^>]*>`).exec(text)?.[0] ?? ''

async function linkOf(account: TestAccount, path: string, body?: object): Promise<string> {
  const { url } = (await account.api.post(path, { ...body, ...proof })).body
  return new URL(url).pathname
}

const invitationOf = (account: TestAccount, draft: object = {}) =>
  linkOf(account, '/web/v1/invitations', { email: `${crypto.randomUUID()}@example.com`, ...draft })

test('every page is for this moment, frames nowhere, and allows only its own style and script', async () => {
  const { account, kontor, email, id } = await person()
  const pages = [
    await get(kontor, '/login'),
    await get(kontor, '/login/forgot'),
    await get(kontor, await linkOf(account, `/web/v1/users/${id}/reset-link`)),
    await get(kontor, await invitationOf(account)),
    await get(kontor, '/reset/nonsense'),
    await post(kontor, '/login', { email, password: 'wrong' }),
    await post(kontor, '/login', { email, password }, { origin: 'https://evil.example' }),
  ]
  expect(pages.map(({ status }) => status)).toEqual([200, 200, 200, 200, 404, 401, 403])
  for (const { headers, text } of pages) {
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'x-frame-options': 'DENY',
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      'content-language': 'en',
    })
    const policy = headers.get('content-security-policy')!
    for (const part of ["default-src 'none'", "frame-ancestors 'none'", "form-action 'self'"])
      expect(policy).toContain(part)
    expect(policy).not.toContain('unsafe')
    const nonce = /'nonce-([^']+)'/.exec(policy)![1]
    expect(text).toContain(`<style nonce="${nonce}">`)
    const scripts = [...text.matchAll(/<script([^>]*)>([^]*?)<\/script>/g)]
    expect(scripts.map(([, attributes]) => attributes)).toEqual(
      scripts.map(() => ` nonce="${nonce}"`),
    )
    expect(scripts.map(([whole]) => whole).join('').length).toBeLessThan(10_000)
    expect(text).not.toMatch(/\son\w+=/)
  }
  const nonces = pages.map(({ headers }) => headers.get('content-security-policy'))
  expect(new Set(nonces).size).toBe(pages.length)
})

test('a form signs in, leads on, and leaves the cookies that the method leaves', async () => {
  const { kontor, email, id } = await person()
  const page = await get(kontor, '/login?next=%2Fsettings%2Fprofile%3Fa%3D1')
  const action = /action="([^"]*)"/.exec(page.text)![1]!
  expect(action).toBe('/login?next=%2Fsettings%2Fprofile%3Fa%3D1')
  const signedIn = await post(kontor, action, { email, password }, { origin: kontor.url })
  expect([signedIn.status, signedIn.location]).toEqual([303, '/settings/profile?a=1'])
  expect(signedIn.headers.getSetCookie()).toEqual([
    expect.stringMatching(
      /^kontor_session=[A-Za-z\d]{43}; Path=\/; Max-Age=34560000; HttpOnly; SameSite=Lax$/,
    ),
    expect.stringMatching(/^kontor_browser=[A-Za-z\d]{43}; .*HttpOnly; SameSite=Lax$/),
  ])
  const cookie = cookieIn(signedIn)
  const session = await withCookie(kontor, cookie).get('/web/v1/session')
  expect(session.body.user.id).toBe(id)
  // A user who is signed in needs no form.
  const again = await get(kontor, '/login?next=/settings/profile', { cookie })
  expect([again.status, again.location]).toEqual([303, '/settings/profile'])
})

test.each(['//evil.example', '/\\evil.example', 'https://evil.example', '/.//evil.example'])(
  'no sign-in leads to another server: next=%s',
  async (next) => {
    const { kontor, email } = await person()
    const path = `/login?next=${encodeURIComponent(next)}`
    const { headers, location } = await post(kontor, path, { email, password })
    expect(location).toBe('/')
    expect((await get(kontor, path, { cookie: cookieIn({ headers }) })).location).toBe('/')
    expect((await get(kontor, path)).text).toContain('action="/login"')
  },
)

test('a sign-in gives a new session, whatever cookie the browser had, and ends the old one', async () => {
  const { kontor, email } = await person()
  const planted = `kontor_session=${'x'.repeat(43)}`
  const first = cookieIn(await post(kontor, '/login', { email, password }, { cookie: planted }))
  expect(first).not.toBe(planted)
  const second = cookieIn(await post(kontor, '/login', { email, password }, { cookie: first }))
  expect(second).not.toBe(first)
  const statuses = [planted, first, second].map(
    async (cookie) => (await withCookie(kontor, cookie).get('/web/v1/session')).status,
  )
  expect(await Promise.all(statuses)).toEqual([401, 401, 200])
})

test('a wrong pair gets one neutral sentence, keeps the e-mail, and begins at the password', async () => {
  const { kontor, email } = await person()
  const attempts = [{ email, password: 'wrong' }, { email: `nobody-${email}`, password }, { email }]
  for (const attempt of attempts) {
    const page = await post(kontor, '/login?next=/settings', attempt as Record<string, string>)
    expect([page.status, page.headers.getSetCookie()]).toEqual([401, []])
    expect(page.text).toContain('role="alert" id="fault">Wrong e-mail or password.</p>')
    expect(page.text).toContain('action="/login?next=%2Fsettings"')
    expect(tagOf(page, 'email')).toContain(`value="${attempt.email}"`)
    expect(tagOf(page, 'email')).not.toContain('autofocus')
    const field = tagOf(page, 'password')
    for (const part of ['autofocus', 'aria-invalid="true"', 'aria-describedby="fault"'])
      expect(field).toContain(part)
    expect(field).not.toContain('value=')
  }
})

test('fields say to password managers what they are', async () => {
  const { account, kontor, id } = await person()
  const login = await get(kontor, '/login')
  expect(tagOf(login, 'email')).toMatch(/type="email".*autocomplete="username"/s)
  expect(tagOf(login, 'password')).toMatch(/type="password".*autocomplete="current-password"/s)
  for (const path of [
    await linkOf(account, `/web/v1/users/${id}/reset-link`),
    await invitationOf(account),
  ])
    expect(tagOf(await get(kontor, path), 'password')).toContain('autocomplete="new-password"')
})

test('too many wrong passwords: the page says how long to wait', async () => {
  const { kontor, email } = await person()
  const attempt = (headers = {}) => post(kontor, '/login', { email, password: 'wrong' }, headers)
  await Promise.all(Array.from({ length: 10 }, () => attempt()))
  const page = await attempt()
  expect([page.status, Number(page.headers.get('retry-after')) > 800]).toEqual([429, true])
  expect(page.text).toContain('Too many attempts. Try again in 15 min.')
  expect((await attempt({ 'accept-language': 'ru' })).text).toContain('через 15 мин.')
})

test('no other site signs anybody in or out', async () => {
  const { kontor, email } = await person()
  const { cookie } = await signIn(kontor, { email, password })
  const foreign = [{ origin: 'https://evil.example' }, { origin: 'null' }]
  for (const headers of foreign) {
    const refused = await post(kontor, '/login', { email, password }, headers)
    expect([refused.status, refused.headers.getSetCookie()]).toEqual([403, []])
    expect(refused.text).toContain('This form was sent by another page.')
    expect((await post(kontor, '/logout', {}, { cookie, ...headers })).status).toBe(403)
  }
  expect((await post(kontor, '/logout', {}, { cookie })).status).toBe(403)
  expect((await withCookie(kontor, cookie).get('/web/v1/session')).status).toBe(200)
  const out = await post(kontor, '/logout', {}, { cookie, origin: kontor.url })
  expect([out.status, out.location]).toEqual([303, '/login'])
  expect(out.headers.get('set-cookie')).toMatch(/^kontor_session=; Path=\/; Max-Age=0; HttpOnly/)
  expect((await withCookie(kontor, cookie).get('/web/v1/session')).status).toBe(401)
  expect((await post(kontor, '/logout', {})).status).toBe(303)
})

test('the second step asks for the code alone, and takes it once', async () => {
  const { account, kontor, email, id } = await person()
  const secret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'
  await kontor.database.transaction((tx) =>
    tx.rows(sql`
      insert into second_factors (account_id, user_id, secret, created_at, confirmed_at)
      values (${account.id}, ${id}, ${kontor.secrets.encrypt(secret)}, ${kontor.now()}, ${kontor.now()})`),
  )
  const step = await post(kontor, '/login?next=/settings', { email, password })
  const pair = hiddenIn(step, 'pair')
  expect([step.status, step.headers.getSetCookie(), pair.length > 40]).toEqual([401, [], true])
  expect(step.text).not.toContain(password)
  expect(step.text).not.toContain('role="alert"')
  expect(tagOf(step, 'code')).toMatch(/autocomplete="one-time-code".*autofocus/s)
  expect(tagOf(step, 'password')).toBe('')
  const wrong = await post(kontor, '/login', { pair, code: '000000' })
  expect([wrong.status, wrong.text.includes('That code is wrong')]).toEqual([401, true])
  for (const broken of [pair.slice(0, -3), 'x', kontor.secrets.encrypt('{}').toString('base64url')])
    expect((await post(kontor, '/login', { pair: broken, code: '1' })).text).toContain(
      'That took too long',
    )
  const code = codeAt(secret, kontor.now())
  const done = await post(kontor, '/login?next=/settings', {
    pair: hiddenIn(wrong, 'pair'),
    code: ` ${code} `,
  })
  expect([done.status, done.location]).toEqual([303, '/settings'])
  expect((await post(kontor, '/login', { pair, code })).status).toBe(401)
})

test('the pages speak the language of the browser, of the link, and then of the cookie', async () => {
  const { kontor } = await person()
  const title = async (path: string, headers = {}) =>
    /<h1[^>]*>([^<]*)/.exec((await get(kontor, path, headers)).text)![1]
  expect(await title('/login')).toBe('Sign in')
  expect(await title('/login', { 'accept-language': 'es-MX,es;q=0.9' })).toBe('Iniciar sesión')
  const chosen = await get(kontor, '/login?next=/settings&lang=ru', { 'accept-language': 'es' })
  expect(chosen.text).toContain('<html lang="ru">')
  expect(chosen.headers.getSetCookie()).toEqual([
    'kontor_language=ru; Path=/; Max-Age=31536000; HttpOnly; SameSite=Lax',
  ])
  expect(chosen.text).toContain('href="/login?next=/settings&#38;lang=pt"')
  const cookie = 'kontor_language=ru'
  expect(await title('/login/forgot', { cookie, 'accept-language': 'es' })).toBe('Забыли пароль?')
  expect((await get(kontor, '/login?lang=ru', { cookie })).headers.getSetCookie()).toEqual([])
  expect(await title('/login?lang=xx&lang[]=ru')).toBe('Sign in')
})

test('the page bears the name of the account that its address means', async () => {
  const { account, kontor } = await person()
  // The server of the tests has several accounts, so its bare address names none.
  expect((await get(kontor, '/login')).text).toContain('<span>Kontor</span>')
  const host = `${account.subdomain}.${new URL(kontor.url).host}`
  const { body } = await requestAt(kontor.url, host, { path: '/login' })
  expect(body).toContain(`<span>${account.subdomain}</span>`)
})

test('a reset link sets a new password once', async () => {
  const { account, kontor, email, id } = await person()
  const path = await linkOf(account, `/web/v1/users/${id}/reset-link`)
  const page = await get(kontor, path)
  expect(page.text).toContain(email)
  expect(page.text).toContain(`<span>${account.subdomain}</span>`)
  for (const [sent, text] of [
    ['short', 'at least 8 characters'],
    [email, 'must not be your e-mail'],
  ] as const) {
    const refused = await post(kontor, path, { password: sent })
    expect([refused.status, tagOf(refused, 'password').includes('aria-invalid')]).toEqual([
      400,
      true,
    ])
    expect(refused.text).toContain(text)
  }
  const foreign = { origin: 'https://evil.example' }
  expect((await post(kontor, path, { password: 'another horse' }, foreign)).status).toBe(403)
  const done = await post(kontor, path, { password: 'another horse' }, { origin: kontor.url })
  expect([done.status, done.location]).toEqual([303, '/login?changed=password'])
  expect((await get(kontor, done.location!)).text).toContain('Your new password is set')
  expect((await post(kontor, '/login', { email, password: 'another horse' })).status).toBe(303)
  const later = [await get(kontor, path), await post(kontor, path, { password: 'third horse' })]
  for (const { status, text } of later)
    expect([status, text.includes('This link is no longer valid')]).toEqual([404, true])
})

test('an invited person becomes a user and is signed in', async () => {
  const { account, kontor } = await person()
  const path = await invitationOf(account, { name: 'Bob' })
  const page = await get(kontor, path)
  expect(tagOf(page, 'name')).toContain('value="Bob"')
  const refused = await post(kontor, path, { name: 'www.evil.example', password: 'short' })
  expect(refused.status).toBe(400)
  for (const id of ['name', 'password'])
    expect([id, tagOf(refused, id).includes('aria-invalid')]).toEqual([id, id === 'password'])
  const joined = await post(
    kontor,
    path,
    { name: 'Bob Ray', password },
    { 'accept-language': 'pt', origin: kontor.url },
  )
  expect([joined.status, joined.location]).toEqual([303, '/'])
  const { body } = await withCookie(kontor, cookieIn(joined)).get('/web/v1/session')
  expect(body.user).toMatchObject({ name: 'Bob Ray', language: 'pt', is_admin: false })
  expect((await get(kontor, path)).status).toBe(404)
})

/** A server on a database without an account. */
async function emptyServer(settings: Partial<Config> = {}) {
  const scratch = await scratchDatabase()
  atEndOfFile(() => scratch.drop())
  return server({ databaseUrl: scratch.url, ...settings })
}

const company = {
  step: '1',
  company: 'Pumps & Co.',
  language: 'es',
  timezone: 'Europe/Madrid',
  currency: 'EUR',
  name: 'Ann Boss',
  email: 'ann@pumps.example',
  password: 'Passw0rd',
}
const sales = { step: '2', sales_process: 'simple', customers: 'periodicity' }
const last = { step: '3' }

/** A visitor of the setup, whose browser keeps the answers. */
function visitor(kontor: Kontor) {
  let cookie = ''
  const keep = (answer: Awaited<ReturnType<typeof get>>) => {
    const set = answer.headers.getSetCookie().find((each) => each.startsWith('kontor_setup='))
    if (set) cookie = set.split(';', 1)[0]!
    return answer
  }
  return {
    get: async (path = '/setup', headers = {}) =>
      keep(await get(kontor, path, { cookie, ...headers })),
    post: async (fields: Record<string, string>, headers = {}) =>
      keep(await post(kontor, '/setup', fields, { cookie, ...headers })),
    cookie: () => cookie,
  }
}

test('the first visitor sets the server up in three steps, each of which is kept', async () => {
  const { kontor } = await emptyServer()
  expect((await get(kontor, '/login')).location).toBe('/setup')
  const ann = visitor(kontor)
  const page = await ann.get('/setup', { 'accept-language': 'pt' })
  expect(page.text).toMatch(/<option value="pt" selected/)
  expect(page.text).toMatch(/<option value="BRL" selected/)
  expect(page.text).not.toContain('id="code"')
  const refused = await ann.post({ ...company, password: 'short', company: ' ' })
  expect([refused.status, refused.text.includes('role="alert"')]).toEqual([400, true])
  expect(tagOf(refused, 'company-fault')).not.toBe('')
  expect(tagOf(refused, 'email')).toContain('value="ann@pumps.example"')
  expect(tagOf(refused, 'company')).toContain('autofocus')
  for (const password of ['short', company.email]) {
    const short = await ann.post({ ...company, password })
    expect(tagOf(short, 'password')).toContain('autofocus')
    expect([short.status, tagOf(short, 'password').includes('password-fault')]).toEqual([400, true])
  }
  // A step that is not reached yet shows the one that is.
  expect(tagOf(await ann.get('/setup?step=3'), 'company')).not.toBe('')
  for (const early of [sales, last]) expect((await ann.post(early)).location).toBe('/setup')

  const first = await ann.post(company)
  expect([first.status, first.location]).toEqual([303, '/setup?step=2&lang=es'])
  const [kept] = first.headers.getSetCookie()
  expect(kept).toMatch(/; Path=\/setup; Max-Age=3600; HttpOnly; SameSite=Lax$/)
  expect(Buffer.from(kept!, 'base64url').toString()).not.toContain(company.password)
  // A reload goes on where the person was.
  expect((await ann.get()).text).toContain('name="sales_process"')
  // The stages and fields are named before a choice, in the language of the account.
  const offered = (await ann.get('/setup?step=2&lang=en')).text
  for (const name of ['Shop', 'lang="es"', 'Pedido nuevo', 'Forma de entrega', 'Jefe de obra'])
    expect([name, offered.includes(name)]).toEqual([name, name !== 'Jefe de obra'])
  expect((await ann.post({ ...sales, sales_process: 'other' })).status).toBe(400)
  expect((await ann.post({ ...sales, sales_process: 'long' })).location).toBe('/setup?step=3')
  expect((await ann.get()).text).toContain('name="demo"')
  const back = await ann.get('/setup?step=2')
  expect(back.text).toMatch(/value="long"\s+checked/)
  const begun = await ann.get('/setup?step=1')
  expect(tagOf(begun, 'company')).toContain('value="Pumps &#38; Co."')
  expect(tagOf(begun, 'password')).not.toMatch(/required|value=/)
  const { password: _, ...unchanged } = company
  expect((await ann.post({ ...unchanged, company: 'Pumps' })).location).toContain('/setup?step=2')
  expect(await kontor.database.rows(sql`select from accounts`)).toHaveLength(0)

  const done = await ann.post(last, { origin: kontor.url })
  expect([done.status, done.location]).toEqual([303, '/'])
  expect(ann.cookie()).toBe('kontor_setup=')
  const { body } = await withCookie(kontor, cookieIn(done)).get('/web/v1/session')
  expect(body).toMatchObject({
    user: { name: 'Ann Boss', language: 'es', is_admin: true },
    account: { name: 'Pumps' },
  })
  await signIn(kontor, { email: company.email, password: company.password })
  for (const again of [await get(kontor, '/setup'), await post(kontor, '/setup', company)])
    expect([again.status, again.location]).toEqual([303, '/login'])
})

test('the last step invites people, and shows their links', async () => {
  const { kontor } = await emptyServer()
  const ann = visitor(kontor)
  await ann.post(company)
  await ann.post(sales)
  for (const invite of [
    'bob',
    company.email,
    `bob@pumps.example, ${company.email.toUpperCase()}`,
  ]) {
    const refused = await ann.post({ ...last, invite })
    expect([refused.status, tagOf(refused, 'invite').includes('invite-fault')]).toEqual([400, true])
  }
  expect(await kontor.database.rows(sql`select from accounts`)).toHaveLength(0)
  const emails = ['bob@pumps.example', 'kim@pumps.example']
  const made = await ann.post({ ...last, invite: emails.join(',\n') })
  expect(made.status).toBe(200)
  const links = [...made.text.matchAll(/value="(http[^"]+\/invite\/[^"]+)"/g)].map(
    ([, url]) => url!,
  )
  expect(links).toHaveLength(2)
  for (const [index, url] of links.entries()) {
    const page = await get(kontor, new URL(url).pathname)
    expect(page.text).toContain(emails[index]!)
  }
  const { body } = await withCookie(kontor, cookieIn(made)).get('/web/v1/invitations')
  expect(body._embedded.invitations.map(({ email }: { email: string }) => email)).toEqual(emails)
})

test('answers that this server has not sealed, or of another hour, begin anew', async () => {
  const { kontor, clock } = await emptyServer()
  const ann = visitor(kontor)
  await ann.post(company)
  const good = ann.cookie()
  const foreign = kontor.secrets.encrypt('{"purpose":"another"}').toString('base64url')
  for (const cookie of [`${good}x`, 'kontor_setup=x', `kontor_setup=${foreign}`])
    expect(tagOf(await get(kontor, '/setup', { cookie }), 'company')).not.toBe('')
  clock.ahead += 3601
  expect(tagOf(await get(kontor, '/setup', { cookie: good }), 'company')).not.toBe('')
})

test('a server that others may reach asks for the code in its log', async () => {
  const { kontor } = await emptyServer({ trustedProxy: ['10.0.0.1'] })
  expect(tagOf(await get(kontor, '/setup'), 'code')).toContain('autofocus')
  const ann = visitor(kontor)
  const refused = await ann.post({ ...company, code: 'wrong' })
  expect([refused.status, tagOf(refused, 'code-fault') !== '', ann.cookie()]).toEqual([
    400,
    true,
    '',
  ])
  for (let attempt = 1; attempt < 10; attempt++) await ann.post({ ...company, code: 'wrong' })
  const late = await ann.post({ ...company, code: setupCode(kontor) })
  expect([late.status, late.text.includes('Try again in 15 min.')]).toEqual([429, true])
})
