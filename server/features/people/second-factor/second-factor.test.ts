// The second factor: how it is turned on and off, and how it guards the sign-in.
import sql from 'sql-template-tag'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { newAccount, proof } from '../../../../test/account.ts'
import type { TestAccount, TestUser } from '../../../../test/account.ts'
import { client } from '../../../../test/client.ts'
import { codeAt } from '../../../../test/second-factor.ts'
import { server } from '../../../../test/server.ts'
import { signIn } from '../../../../test/session.ts'
import { dropExpiredAccess } from '../../programs/oauth/oauth.ts'

const path = '/web/v1/second-factor'
const password = 'correct horse'

let account: TestAccount
beforeAll(async () => {
  account = await newAccount()
})
afterEach(async () => {
  const { clock } = await server()
  clock.ahead = 0
})

interface Guarded extends TestUser {
  secret: string
  recovery: string[]
  /** The code that turned the second factor on. It is used up. */
  used: string
}

/** Moves the clock so far that the next code is a new one. */
const nextStep = ({ clock }: TestAccount = account) => void (clock.ahead += 60)
const codeOf = (secret: string, { kontor }: TestAccount = account) => codeAt(secret, kontor.now())

async function begun(user: TestUser): Promise<string> {
  const { status, body } = await user.api.post(path, { password })
  expect(status).toBe(200)
  return body.secret
}

/** A user with a second factor. */
async function guarded(where = account, draft: object = {}): Promise<Guarded> {
  const user = await where.addUser({ password, ...draft })
  const secret = await begun(user)
  const used = codeOf(secret, where)
  const { status, body } = await user.api.post(`${path}/confirm`, { code: used })
  expect(status).toBe(200)
  return { ...user, secret, used, recovery: body.recovery_codes }
}

const enter = (
  { email }: Pick<TestUser, 'email'>,
  sent: object = {},
  { kontor }: TestAccount = account,
  headers: Record<string, string> = {},
) =>
  client(kontor).post(
    '/web/v1/session',
    { email, password, ...sent },
    { origin: kontor.url, ...headers },
  )
const statusWith = async (user: Pick<TestUser, 'email'>, code: string) =>
  (await enter(user, { code })).status

describe('a second factor', () => {
  test('is begun with the password, and on after a code of the app', async () => {
    const user = await account.addUser({ password })
    const off = { is_on: false, confirmed_at: null, recovery_codes: 0 }
    expect((await user.api.get(path)).body).toEqual(off)
    const wrong = await user.api.post(path, { password: 'wrong' })
    expect([wrong.status, wrong.body['validation-errors'][0].errors[0]]).toMatchObject([
      400,
      { code: 'WrongPassword', path: 'password' },
    ])
    const { body } = await user.api.post(path, { password })
    expect(body.secret).toMatch(/^[A-Z2-7]{32}$/)
    const uri = new URL(body.uri)
    expect(decodeURIComponent(uri.pathname)).toContain(user.email)
    expect(Object.fromEntries(uri.searchParams)).toMatchObject({
      issuer: account.subdomain,
      secret: body.secret,
      period: '30',
      digits: '6',
    })
    expect(body.qr.size).toBeGreaterThan(40)
    expect(body.qr.path).toMatch(/^(?:M\d+ \d+h\d+v1h-\d+z)+$/)
    // Not asked for yet.
    expect((await user.api.get(path)).body).toEqual(off)
    expect((await enter(user)).status).toBe(200)
    const refused = await user.api.post(`${path}/confirm`, { code: '000000' })
    expect(refused.body['validation-errors'][0].errors[0]).toMatchObject({
      code: 'WrongCode',
      path: 'code',
    })
    const confirmed = await user.api.post(`${path}/confirm`, { code: codeOf(body.secret) })
    const { recovery_codes } = confirmed.body
    expect(new Set(recovery_codes).size).toBe(10)
    for (const code of recovery_codes) expect(code).toMatch(/^(?:[a-z0-9]{4}-){3}[a-z0-9]{4}$/)
    expect((await user.api.get(path)).body).toEqual({
      is_on: true,
      confirmed_at: expect.any(Number),
      recovery_codes: 10,
    })
    const [again, more] = [
      await user.api.post(path, { password }),
      await user.api.post(`${path}/confirm`, { code: codeOf(body.secret) }),
    ]
    expect([again.status, more.status]).toEqual([422, 422])
  })

  test('that is begun anew has another secret, and is forgotten after a day', async () => {
    const user = await account.addUser({ password })
    expect((await user.api.post(`${path}/confirm`, { code: '123456' })).status).toBe(422)
    const first = await begun(user)
    const second = await begun(user)
    const confirm = (secret: string) => user.api.post(`${path}/confirm`, { code: codeOf(secret) })
    expect((await confirm(first)).status).toBe(400)
    const { database, now } = account.kontor
    // Its rows become older here: a later time would drop those of other tests in this run.
    const older = () =>
      database.transaction((tx) =>
        tx.rows(
          sql`update second_factors set created_at = created_at - 86_402 where account_id = ${account.id} and user_id = ${user.id}`,
        ),
      )
    await older()
    await dropExpiredAccess(database, now())
    expect((await confirm(second)).status).toBe(422)
    const third = await begun(user)
    expect((await confirm(third)).status).toBe(200)
    await older()
    await dropExpiredAccess(database, now())
    expect((await user.api.get(path)).body.is_on).toBe(true)
  })

  test('that is confirmed twice at once has one set of recovery codes', async () => {
    const user = await account.addUser({ password })
    const code = codeOf(await begun(user))
    const answers = await Promise.all([1, 2].map(() => user.api.post(`${path}/confirm`, { code })))
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
      200, 422,
    ])
    expect((await user.api.get(path)).body.recovery_codes).toBe(10)
  })

  test('is turned off with the password and a code', async () => {
    const user = await guarded()
    const end = async (sent: object) => (await user.api.delete(path, sent)).status
    nextStep()
    const code = codeOf(user.secret)
    expect(await end({ password: 'wrong', code })).toBe(400)
    expect(await end({ password, code: '000000' })).toBe(400)
    expect(await end({ password })).toBe(400)
    expect(await end({ password, code })).toBe(204)
    expect((await enter(user)).status).toBe(200)
    expect(await end({ password, code })).toBe(404)
    expect((await user.api.post(`${path}/recovery-codes`, { password })).status).toBe(404)
    const other = await guarded()
    expect((await other.api.delete(path, { password, code: other.recovery[0] })).status).toBe(204)
  })

  test('has new recovery codes on demand, and then the old ones are void', async () => {
    const user = await guarded()
    nextStep()
    const code = codeOf(user.secret)
    const { body } = await user.api.post(`${path}/recovery-codes`, { password, code })
    expect(body.recovery_codes).toHaveLength(10)
    expect(await statusWith(user, user.recovery[0]!)).toBe(401)
    expect(await statusWith(user, body.recovery_codes[0])).toBe(200)
  })

  test('of another user is removed by an administrator in a browser', async () => {
    const user = await guarded()
    const draft = { password, is_admin: true }
    const admin = await account.addUser(draft)
    const { api } = await signIn(account.kontor, { email: admin.email, password })
    const stranger = await newAccount()
    const { email } = await stranger.addUser(draft)
    const foreign = (await signIn(account.kontor, { email, password })).api
    const at = `/web/v1/users/${user.id}/second-factor`
    expect((await admin.api.delete(at, { password })).status).toBe(403)
    expect((await foreign.delete(at, { password })).status).toBe(404)
    nextStep()
    const own = await signIn(account.kontor, {
      email: user.email,
      password,
      code: codeOf(user.secret),
    })
    expect((await own.api.delete(at, { password })).status).toBe(403)
    expect((await api.delete(`/web/v1/users/${admin.id}/second-factor`, { password })).status).toBe(
      400,
    )
    expect((await api.delete(at, { password })).status).toBe(204)
    expect((await api.delete(at, { password })).status).toBe(404)
    expect((await enter(user)).status).toBe(200)
  })

  test('is kept sealed, and its recovery codes hashed', async () => {
    const user = await guarded()
    const rows = await account.kontor.database.rows(sql`
      select encode(secret, 'escape') as text from second_factors where user_id = ${user.id}
       union all select encode(hash, 'escape') from recovery_codes where user_id = ${user.id}`)
    expect(rows).toHaveLength(11)
    const stored = JSON.stringify(rows)
    for (const secret of [user.secret, ...user.recovery])
      for (const text of [secret, secret.replaceAll('-', '')]) expect(stored).not.toContain(text)
  })

  test('stays after a new password by a link', async () => {
    const user = await guarded()
    const { url } = (await account.api.post(`/web/v1/users/${user.id}/reset-link`, proof)).body
    const token = url.split('/').at(-1)
    const next = 'battery staple'
    await client(account.kontor).post(`/web/v1/password-resets/${token}`, { password: next })
    expect((await enter(user, { password: next })).body.code).toBe('CodeNeeded')
    nextStep()
    expect((await enter(user, { password: next, code: codeOf(user.secret) })).status).toBe(200)
  })
})

describe('a sign-in', () => {
  test('asks for a code after the right password, and takes each code once', async () => {
    const user = await guarded()
    const missing = await enter(user)
    expect([missing.status, missing.body.code]).toEqual([401, 'CodeNeeded'])
    const guess = await enter(user, { password: 'wrong' })
    expect([guess.status, guess.body.code]).toEqual([401, undefined])
    // That very code, for the step of the clock may have changed since.
    const used = await enter(user, { code: user.used })
    expect([used.status, used.body.code]).toEqual([401, 'WrongCode'])
    nextStep()
    const code = codeOf(user.secret)
    expect((await enter(user, { code, password: 'wrong' })).body.code).toBeUndefined()
    expect(await statusWith(user, `${code.slice(0, 3)} ${code.slice(3)}`)).toBe(200)
    expect(await statusWith(user, code)).toBe(401)
    nextStep()
    const next = codeOf(user.secret)
    const both = await Promise.all([1, 2].map(() => statusWith(user, next)))
    expect(both.toSorted((one, other) => one - other)).toEqual([200, 401])
  })

  test('takes the codes of the step before and the step after, and no older one', async () => {
    const user = await guarded()
    // To the begin of a step, which then lasts longer than the test.
    account.clock.ahead = 300
    account.clock.ahead += 30 - (account.kontor.now() % 30)
    const at = account.kontor.now()
    const statuses = []
    for (const late of [-60, -30, 0, 30, 60])
      statuses.push(await statusWith(user, codeAt(user.secret, at + late)))
    expect(statuses).toEqual([401, 200, 200, 200, 401])
    // An earlier code is not good after a later one.
    expect(await statusWith(user, codeAt(user.secret, at))).toBe(401)
  })

  test('takes each recovery code once, however it is written', async () => {
    const user = await guarded()
    const [first, second, third] = user.recovery as [string, string, string]
    expect(await statusWith(user, first)).toBe(200)
    expect(await statusWith(user, first)).toBe(401)
    expect(await statusWith(user, ` ${second.replaceAll('-', '').toUpperCase()} `)).toBe(200)
    const both = await Promise.all([1, 2].map(() => statusWith(user, third)))
    expect(both.toSorted((one, other) => one - other)).toEqual([200, 401])
    expect((await user.api.get(path)).body.recovery_codes).toBe(7)
    const other = await guarded()
    expect(await statusWith(user, other.recovery[0]!)).toBe(401)
  })

  test('counts wrong codes: ten close the user, also from other networks, but not a known browser', async () => {
    const own = await newAccount({ journalDays: 22, trustedProxy: ['127.0.0.1'] })
    const user = await guarded(own)
    nextStep(own)
    const from = (address: string, sent: object, cookie = '') =>
      enter(user, sent, own, { 'x-forwarded-for': address, cookie })
    const first = await from('10.0.0.9', { code: codeOf(user.secret, own) })
    expect(first.status).toBe(200)
    const known = first.headers
      .getSetCookie()
      .map((cookie) => cookie.split(';', 1)[0])
      .join('; ')
    nextStep(own)
    const code = codeOf(user.secret, own)
    // A right password in between must not make the count begin anew.
    for (let guess = 0; guess < 5; guess++) {
      expect((await from('10.0.0.1', { code: '000000' })).status).toBe(401)
      expect((await from('10.0.0.1', {})).status).toBe(401)
    }
    expect((await from('10.0.0.1', { code })).status).toBe(429)
    for (let guess = 0; guess < 5; guess++)
      expect((await from('10.0.0.2', { code: '000000' })).status).toBe(401)
    const closed = await from('10.0.0.3', { code })
    expect(closed.status).toBe(429)
    expect(Number(closed.headers.get('retry-after'))).toBeGreaterThan(700)
    expect((await from('10.0.0.3', { code }, known)).status).toBe(200)
    own.clock.ahead += 900
    expect((await from('10.0.0.3', { code: codeOf(user.secret, own) })).status).toBe(200)
  })

  test('with one password in several accounts holds those where the code fits or none is needed', async () => {
    const [two, three] = [await newAccount(), await newAccount()]
    const email = `${crypto.randomUUID()}@example.com`
    const here = await guarded(account, { email })
    const there = await guarded(two, { email })
    await three.addUser({ email, password })
    const ids = async (sent: object) => {
      const { status, body } = await enter(here, sent)
      return status === 200
        ? [body.account.id, body.accounts.map(({ id }: { id: number }) => id)]
        : [status, body.code]
    }
    expect(await ids({})).toEqual([401, 'CodeNeeded'])
    expect(await ids({ account: two.subdomain })).toEqual([401, 'CodeNeeded'])
    expect(await ids({ account: three.subdomain })).toEqual([three.id, [three.id]])
    expect(await ids({ code: '000000' })).toEqual([401, 'WrongCode'])
    nextStep()
    expect(await ids({ code: codeOf(here.secret) })).toEqual([account.id, [account.id, three.id]])
    expect(await ids({ account: account.subdomain, code: codeOf(there.secret) })).toEqual([
      401,
      'WrongCode',
    ])
    // A code that signed nobody in is not used up.
    expect(await ids({ code: codeOf(there.secret) })).toEqual([two.id, [two.id, three.id]])
  })
})
