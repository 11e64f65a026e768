// Every route that changes how somebody comes in, and by what its caller proves who it is. The page
// docs/security.md shows the same table.
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import sql from 'sql-template-tag'
import { expect, test } from 'vitest'
import { newAccount, proof } from '../../../../test/account.ts'
import type { TestAccount } from '../../../../test/account.ts'
import { rows } from '../../../../test/routes.ts'
import { codeAt } from '../../../../test/second-factor.ts'
import { signIn } from '../../../../test/session.ts'

const both = 'password and code'
const session = 'session'
const ending = 'session; it only ends access'
const administrator = 'session of an administrator'

/** The proofs as the page names them. */
const proofs: Record<string, string> = {
  'POST /web/v1/session': both,
  'POST /login': both,
  'POST /web/v1/password': both,
  'POST /web/v1/second-factor': 'password',
  'POST /web/v1/second-factor/confirm': 'code of the new factor',
  'POST /web/v1/second-factor/recovery-codes': both,
  'DELETE /web/v1/second-factor': both,
  'DELETE /web/v1/users/{id}/second-factor': both,
  'POST /web/v1/users/{id}/reset-link': both,
  'POST /web/v1/invitations': both,
  'POST /web/v1/invitations/several': both,
  'POST /web/v1/invitations/{id}/link': both,
  'POST /web/v1/api-keys': both,
  'POST /web/v1/integrations': both,
  'POST /web/v1/integrations/{client_id}/secret': both,
  'POST /web/v1/integrations/{client_id}/secret/read': both,
  'POST /web/v1/integrations/{client_id}/token': both,
  'POST /web/v1/password-resets/{token}': 'the link',
  'POST /reset/{token}': 'the link',
  'POST /web/v1/invites/{token}': 'the link',
  'POST /invite/{token}': 'the link',
  'POST /api/v4/users': 'token of an administrator',
  'POST /api/v4/users/activate': administrator,
  'PATCH /web/v1/users/{id}': administrator,
  'PATCH /web/v1/integrations/{client_id}': administrator,
  'PUT /web/v1/integrations/{client_id}/installation': administrator,
  'POST /web/v1/integrations/{client_id}/code': administrator,
  'POST /web/v1/channels': administrator,
  'PATCH /web/v1/channels/{id}': administrator,
  'POST /web/v1/channels/{id}/secret': administrator,
  'POST /oauth': 'session, and the token of the form',
  'POST /oauth2/access_token': 'client secret, and a code or a refresh token',
  'POST /setup': 'none; only before there is an account',
  'POST /web/v1/setup': 'none; only before there is an account',
  'POST /logout': session,
  'DELETE /web/v1/session': session,
  'DELETE /web/v1/sessions': ending,
  'DELETE /web/v1/sessions/{id}': ending,
  'DELETE /web/v1/invitations/{id}': ending,
  'DELETE /web/v1/api-keys/{id}': ending,
  'DELETE /web/v1/account/api-keys/{id}': ending,
  'DELETE /web/v1/integrations/{client_id}': ending,
  'DELETE /web/v1/integrations/{client_id}/installation': ending,
  'DELETE /web/v1/integrations/{client_id}/grants/{id}': ending,
  'DELETE /web/v1/channels/{id}': ending,
  'POST /api/v4/users/deactivate': ending,
}

/** Routes of the application that change no access: one row here, and none in the page. */
const others = `
PATCH /web/v1/profile
PATCH /web/v1/preferences
PATCH /web/v1/account-settings
PUT /web/v1/account-logo DELETE /web/v1/account-logo
DELETE /web/v1/demo-data
POST /web/v1/presence
POST /web/v1/notifications/read
POST /web/v1/files
POST /web/v1/webhooks/* PATCH /web/v1/webhooks/* DELETE /web/v1/webhooks/*
POST /web/v1/channels/{id}/try
POST /web/v1/channels/{id}/signature
POST /web/v1/chats* POST /web/v1/messages/*
POST /web/v1/chat-templates* PATCH /web/v1/chat-templates/* DELETE /web/v1/chat-templates/*
POST /web/v1/users/{id}/handover
POST /web/v1/groups PATCH /web/v1/groups/* DELETE /web/v1/groups/*
POST /web/v1/customers/* PATCH /web/v1/customers/* PUT /web/v1/customers/*
POST /web/v1/views PATCH /web/v1/views/* PUT /web/v1/views/* DELETE /web/v1/views/*
POST /web/v1/bulk POST /web/v1/definition-jobs POST /web/v1/merges* POST /web/v1/jobs/*
POST /web/v1/catalogs/{id}/move
POST /web/v1/fields/* PUT /web/v1/fields/* PATCH /web/v1/fields/* DELETE /web/v1/fields/*
POST /web/v1/pipelines/* PATCH /web/v1/pipelines/* PUT /web/v1/pipelines/* DELETE /web/v1/pipelines/*
POST /web/v1/loss-reasons* PATCH /web/v1/loss-reasons/* DELETE /web/v1/loss-reasons/*
POST /web/v1/task-types* PATCH /web/v1/task-types/* DELETE /web/v1/task-types/*`
  .trim()
  .split(/ (?=[A-Z])|\n/)

const isOther = (name: string) =>
  others.some((each) => (each.endsWith('*') ? name.startsWith(each.slice(0, -1)) : name === each))

const closed = /^(?:POST|PUT|PATCH|DELETE) \/(?!api\/|v2\/)|^\w+ \/api\/v4\/users/

test('every route that changes something outside of the interface has a row', () => {
  const served = rows
    .map(({ method, path }) => `${method} ${path}`)
    .filter((name) => closed.test(name) && !name.startsWith('GET '))
  expect(served.filter((name) => !(name in proofs) && !isOther(name))).toEqual([])
  expect(Object.keys(proofs).filter((name) => !served.includes(name) || isOther(name))).toEqual([])
})

test('the page on security shows the same table', () => {
  const page = readFileSync(new URL('../../../../docs/security.md', import.meta.url), 'utf8')
  const shown = [...page.matchAll(/^\| `((?:POST|PUT|PATCH|DELETE) [^`]+)` \| (.+?) *\|$/gm)]
  expect(Object.fromEntries(shown.map(([, name, proof]) => [name, proof]))).toEqual(proofs)
})

/** The requests that take password and code in a body of their own, without them. */
const bodies: Record<string, (account: TestAccount) => object> = {
  'POST /web/v1/password': () => ({ new_password: 'battery staple 2' }),
  'POST /web/v1/second-factor/recovery-codes': () => ({}),
  'DELETE /web/v1/second-factor': () => ({}),
  'DELETE /web/v1/users/{id}/second-factor': () => ({}),
  'POST /web/v1/users/{id}/reset-link': () => ({}),
  'POST /web/v1/invitations': () => ({ email: `${randomUUID()}@example.com` }),
  'POST /web/v1/invitations/several': () => ({ emails: [`${randomUUID()}@example.com`] }),
  'POST /web/v1/invitations/{id}/link': () => ({}),
  'POST /web/v1/api-keys': () => ({ name: 'A program' }),
  'POST /web/v1/integrations': () => ({ name: 'x', redirect_uri: 'https://example.com/back' }),
  'POST /web/v1/integrations/{client_id}/secret': () => ({}),
  'POST /web/v1/integrations/{client_id}/secret/read': () => ({}),
  'POST /web/v1/integrations/{client_id}/token': () => ({ days: 1 }),
}
const signIns = ['POST /web/v1/session', 'POST /login']

test('every route of password and code is asked here, but the sign-in', () => {
  const withBoth = Object.keys(proofs).filter((name) => proofs[name] === both)
  expect(Object.keys(bodies).toSorted()).toEqual(
    withBoth.filter((name) => !signIns.includes(name)).toSorted(),
  )
})

const password = 'Right horse 1'

/** A new account, and an administrator of it in a browser. */
async function signedInAdmin() {
  const account = await newAccount()
  const admin = await account.addUser({ password, is_admin: true })
  const { api } = await signIn(account.kontor, { email: admin.email, password })
  return { account, admin, api }
}

/** All by which somebody comes into the account, as one text. */
async function entries({ id, kontor }: TestAccount): Promise<string> {
  const tables = [
    sql`select id, password_hash from users where account_id = ${id} order by id`,
    sql`select user_id, secret, confirmed_at from second_factors where account_id = ${id} order by user_id`,
    sql`select user_id, hash from recovery_codes where account_id = ${id} order by user_id, hash`,
    sql`select user_id, hash from api_keys where account_id = ${id} order by hash`,
    sql`select user_id, hash from sessions where account_id = ${id} order by hash`,
    sql`select hash from password_resets where account_id = ${id} order by hash`,
    sql`select hash from invitations where account_id = ${id} order by hash`,
    sql`select id from grants where account_id = ${id} order by id`,
    sql`select client_id, secret from integrations where account_id = ${id} order by client_id`,
  ]
  const found = await Promise.all(tables.map((statement) => kontor.database.rows(statement)))
  return JSON.stringify(found)
}

test.for(Object.entries(bodies))(
  '%s is refused without each part of the proof, and changes nothing then',
  async ([name, bodyOf]) => {
    const { account, api } = await signedInAdmin()
    const { secret } = (await api.post('/web/v1/second-factor', { password })).body
    let steps = 0
    /** A code of its own for each use: none is good twice. */
    const nextCode = () => {
      account.clock.ahead += 30 * Math.min(1, steps++)
      return codeAt(secret, account.kontor.now())
    }
    await api.post('/web/v1/second-factor/confirm', { code: nextCode() })
    const other = await account.addUser({ password })
    const theirs = await signIn(account.kontor, { email: other.email, password })
    const begun = (await theirs.api.post('/web/v1/second-factor', { password })).body
    await theirs.api.post('/web/v1/second-factor/confirm', {
      code: codeAt(begun.secret, account.kontor.now()),
    })
    const email = `${randomUUID()}@example.com`
    const invited = (await account.api.post('/web/v1/invitations', { email, ...proof })).body
    const [method, path] = name
      .replace('/invitations/{id}', `/invitations/${invited.id}`)
      .replace('{id}', String(other.id))
      .replace('{client_id}', account.integration.client_id)
      .split(' ') as [string, string]
    const word = path === '/web/v1/password' ? 'current_password' : 'password'
    const ask = (parts: object) => api.send(method, path, { ...bodyOf(account), ...parts })
    const before = await entries(account)
    const wrong: [object, string][] = [
      [{}, word],
      [{ code: nextCode() }, word],
      [{ [word]: 'wrong', code: nextCode() }, word],
      [{ [word]: password }, 'code'],
      [{ [word]: password, code: '' }, 'code'],
      [{ [word]: password, code: '000000' }, 'code'],
    ]
    for (const [parts, at] of wrong) {
      const { status, body } = await ask(parts)
      const { errors } = body['validation-errors'][0]
      expect([parts, status, errors.map((each: { path: string }) => each.path)]).toEqual([
        parts,
        400,
        [at],
      ])
    }
    expect(await entries(account)).toBe(before)
    const code = nextCode()
    const done = await ask({ [word]: password, code })
    expect([200, 201, 204]).toContain(done.status)
    // The code is used up.
    expect((await ask({ [word]: password, code })).status).not.toBeLessThan(400)
    account.clock.ahead = 0
  },
)

test('a code stays good where the request is refused for another reason', async () => {
  const { account, admin, api } = await signedInAdmin()
  const { secret } = (await api.post('/web/v1/second-factor', { password })).body
  const [{ code: first }, second] = [
    { code: codeAt(secret, account.kontor.now()) },
    codeAt(secret, account.kontor.now() + 30),
  ]
  await api.post('/web/v1/second-factor/confirm', { code: first })
  account.clock.ahead = 30
  const invite = async (email: string) =>
    (await api.post('/web/v1/invitations', { email, password, code: second })).status
  expect(await invite(admin.email)).toBe(400)
  expect(await invite(`${randomUUID()}@example.com`)).toBe(201)
  expect(await invite(`${randomUUID()}@example.com`)).toBe(400)
  account.clock.ahead = 0
})

test('a session makes no users with passwords of its own: it invites people', async () => {
  const { admin, api } = await signedInAdmin()
  const draft = {
    name: 'Ann',
    email: `${randomUUID()}@example.com`,
    password: 'Right horse 2',
    rights: { is_free: true },
  }
  expect((await api.post('/api/v4/users', [draft])).status).toBe(403)
  const change = { password: 'Right horse 3' }
  expect((await api.patch(`/web/v1/users/${admin.id}`, change)).status).toBe(400)
  expect((await admin.api.post('/api/v4/users', [draft])).status).toBe(201)
})
