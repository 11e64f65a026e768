import { decodeJwt } from 'jose'
import sql from 'sql-template-tag'
import { describe, expect, test } from 'vitest'
import { newAccount, proof } from '../../../../test/account.ts'
import type { TestAccount } from '../../../../test/account.ts'
import { client } from '../../../../test/client.ts'
import { faultsOf } from '../../../../test/leads.ts'
import { codeAt } from '../../../../test/second-factor.ts'
import { signIn } from '../../../../test/session.ts'
import { callLogOf } from '../../../access/call-log.ts'
import type { Credentials } from './integrations.ts'

const path = '/web/v1/integrations'
const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const password = 'correct horse'
const nowhere = '00000000-0000-4000-8000-000000000000'
const draft = { name: 'Mailer', redirect_uri: 'https://mailer.example/oauth' }

const make = async ({ api }: TestAccount, extra: object = {}) =>
  (await api.post(path, { ...draft, ...extra, ...proof })).body

test('an administrator makes an integration and finds it again, with its secret', async () => {
  const account = await newAccount()
  const settings = {
    description: 'Sends <b>mail</b>',
    scopes: ['crm', 'files'],
    empty_list: 204,
    forgiving_refresh: true,
    is_public: true,
    uninstall_hook: 'https://mailer.example/gone',
    origins: ['https://mailer.example', 'http://localhost:3000', 'http://[::1]:8080'],
    logo: `data:image/png;base64,${pixel}`,
  }
  const made = await account.api.post(path, { ...draft, ...settings, ...proof })
  expect(made.status).toBe(200)
  const { client_id, client_secret } = made.body
  expect(made.body).toMatchObject({
    ...draft,
    ...settings,
    is_own: true,
    is_enabled: true,
    has_logo: true,
  })
  expect([client_id, client_secret]).toEqual([
    expect.stringMatching(/^[\da-f-]{36}$/),
    expect.stringMatching(/^[A-Za-z\d]{64}$/),
  ])
  const { client_secret: _, ...rest } = made.body
  expect((await account.api.get(made.body._links.self.href)).body).toEqual(rest)
  const { integrations } = (await account.api.get(path)).body._embedded
  const ids = integrations.map((each: Credentials) => each.client_id)
  expect(new Set(ids)).toEqual(new Set([account.integration.client_id, client_id]))
  expect(JSON.stringify(integrations)).not.toContain(client_secret)
})

test('what is not said has a default', async () => {
  expect(await make(await newAccount())).toMatchObject({
    description: '',
    scopes: ['crm', 'notifications'],
    is_public: false,
    empty_list: null,
    forgiving_refresh: false,
    uninstall_hook: null,
    origins: [],
    logo: null,
    has_logo: false,
  })
})

test('an administrator changes what is said and nothing else', async () => {
  const account = await newAccount()
  const {
    client_id,
    updated_at: _,
    client_secret: _secret,
    ...before
  } = await make(account, { logo: `data:image/png;base64,${pixel}` })
  const change = { name: 'Post', scopes: ['notifications', 'crm', 'crm'], empty_list: 204 }
  const { body } = await account.api.patch(`${path}/${client_id}`, change)
  expect(body).toMatchObject({ ...before, ...change, scopes: ['crm', 'notifications'] })
  const plain = await account.api.patch(`${path}/${client_id}`, {
    logo: null,
    uninstall_hook: null,
  })
  expect(plain.body).toMatchObject({ name: 'Post', logo: null, has_logo: false })
})

test('origins are replaced as a whole, and each is kept once', async () => {
  const account = await newAccount()
  const [one, two] = ['https://one.example', 'https://two.example:8443']
  const { client_id } = await make(account, { origins: [one, two, one] })
  const change = async (origins: string[]) =>
    (await account.api.patch(`${path}/${client_id}`, { origins })).body.origins
  expect((await account.api.get(`${path}/${client_id}`)).body.origins).toEqual([one, two])
  expect(await change([two])).toEqual([two])
  expect(await change([])).toEqual([])
  const ten = Array.from({ length: 10 }, (_, n) => `https://${n}.example`)
  expect(await change(ten)).toEqual(ten)
})

test('a setting is in force for tokens at once', async () => {
  const account = await newAccount()
  const { client_id, ...made } = await make(account)
  const { access_token } = await pair(account, { client_id, ...made })
  const read = async () => (await client(account.kontor, access_token).get('/api/v4/leads')).status
  expect(await read()).toBe(200)
  await account.api.patch(`${path}/${client_id}`, { empty_list: 204 })
  await expect.poll(read, atOnce).toBe(204)
})

test.each([
  [{ redirect_uri: 'mailer.example/oauth' }, 'redirect_uri'],
  [{ redirect_uri: 'javascript:alert(1)' }, 'redirect_uri'],
  [{ redirect_uri: 'https://mailer.example/oauth#here' }, 'redirect_uri'],
  [{ redirect_uri: 'https://ann:secret@mailer.example/' }, 'redirect_uri'],
  [{ redirect_uri: 'https://mailer.example/o auth' }, 'redirect_uri'],
  [{ redirect_uri: 'http://mailer.example/oauth', is_public: true }, 'redirect_uri'],
  [{ redirect_uri: '' }, 'redirect_uri'],
  [{ uninstall_hook: 'ftp://mailer.example' }, 'uninstall_hook'],
  ...[
    'https://mailer.example/',
    'https://mailer.example/page',
    'https://mailer.example?x',
    'https://mailer.example#x',
    'https://ann:secret@mailer.example',
    'https://*.mailer.example',
    'https://Mailer.example',
    'HTTPS://mailer.example',
    'https://mailer.example:443',
    'https://mailer.example:99999',
    'https://mailer.example:',
    'https://mäiler.example',
    'https://[::01]',
    'http://127.1',
    'https:/mailer.example',
    'https://',
    'ftp://mailer.example',
    'file://',
    'chrome-extension://abcdef',
    'mailer.example',
    'null',
    '*',
    '',
    ' https://mailer.example',
    'https://mailer.example, https://other.example',
    `https://${'a.'.repeat(150)}example`,
  ].map((origin): [object, string] => [{ origins: ['https://a.example', origin] }, 'origins.1']),
  [{ origins: 'https://mailer.example' }, 'origins'],
  [{ origins: 5 }, 'origins'],
  [{ origins: Array.from({ length: 11 }, (_, n) => `https://${n}.example`) }, 'origins'],
  [{ scopes: ['everything'] }, 'scopes.0'],
  [{ scopes: [] }, 'scopes'],
  [{ empty_list: 404 }, 'empty_list'],
  [{ name: '' }, 'name'],
  [{ name: 'x'.repeat(256) }, 'name'],
  [{ logo: 'https://mailer.example/logo.png' }, 'logo'],
  [{ logo: `data:image/svg+xml;base64,${pixel}` }, 'logo'],
  [{ logo: `data:image/png;base64,${Buffer.from('<svg/>').toString('base64')}` }, 'logo'],
  [
    {
      logo: `data:image/png;base64,${Buffer.concat([Buffer.from(pixel, 'base64'), Buffer.alloc(200_000)]).toString('base64')}`,
    },
    'logo',
  ],
  [{ secret: 'mine' }, 'secret'],
])('a fault is named and nothing is made or changed: %o', async (fault, at) => {
  const account = await newAccount()
  const made = await account.api.post(path, { ...draft, ...fault, ...proof })
  expect([made.status, made.body['validation-errors'][0].errors[0].path]).toEqual([400, at])
  const { client_secret: _, ...before } = await make(account)
  expect((await account.api.patch(`${path}/${before.client_id}`, fault)).status).toBe(400)
  expect((await account.api.get(`${path}/${before.client_id}`)).body).toEqual(before)
})

test('a private integration, and one on this machine, may do without https; it cannot become public that way', async () => {
  const account = await newAccount()
  const plain = await make(account, { redirect_uri: 'http://inside.example/oauth' })
  expect((await account.api.patch(`${path}/${plain.client_id}`, { is_public: true })).status).toBe(
    400,
  )
  expect(
    await make(account, { redirect_uri: 'http://localhost:3000/oauth', is_public: true }),
  ).toMatchObject({
    is_public: true,
  })
})

test('only administrators manage integrations, with a session as well as with a token, and no integration does', async () => {
  const account = await newAccount()
  const password = 'correct horse'
  const email = `${crypto.randomUUID()}@example.com`
  await account.addUser({ email, password, is_admin: true })
  const limited = await account.addUser()
  const { api } = await signIn(account.kontor, { email, password })
  expect((await api.get(path)).status).toBe(200)
  expect((await api.post(path, { ...draft, password })).status).toBe(200)
  const { access_token } = await pair(account, account.integration)
  const mine = `${path}/${account.integration.client_id}`
  for (const refused of [limited.api, client(account.kontor, access_token)])
    for (const [method, at] of routesOf(mine))
      expect([method, at, (await refused.send(method, at)).status]).toEqual([method, at, 403])
  for (const [method, at] of routesOf(mine))
    expect((await client(account.kontor).send(method, at)).status).toBe(401)
})

test('another account sees nothing of a private integration', async () => {
  const [mine, other] = [await newAccount(), await newAccount()]
  const { client_id } = mine.integration
  for (const [method, at, body] of routesOf(`${path}/${client_id}`).slice(2)) {
    expect([method, at, (await other.api.send(method, at, body)).status]).toEqual([method, at, 404])
  }
  expect((await mine.api.get(`${path}/${client_id}`)).body.is_enabled).toBe(true)
  for (const bad of [nowhere, 'nonsense'])
    expect((await mine.api.get(`${path}/${bad}`)).status).toBe(404)
})

test('another account may let a public integration in, without seeing its secret or changing it', async () => {
  const [mine, other] = [await newAccount(), await newAccount()]
  const { client_id } = await make(mine, {
    is_public: true,
    uninstall_hook: 'https://mailer.example/gone?key=secret',
  })
  const at = `${path}/${client_id}`
  const let_in = await other.api.send('PUT', `${at}/installation`)
  expect(let_in.body).toMatchObject({ is_own: false, is_enabled: true, uninstall_hook: null })
  expect(let_in.body).not.toHaveProperty('client_secret')
  expect((await other.api.post(`${at}/code`)).status).toBe(200)
  for (const [method, path, body] of [
    ['PATCH', at, { name: 'Theirs' }],
    ['DELETE', at],
    ['POST', `${at}/secret`, { password }],
    ['POST', `${at}/secret/read`, { password }],
    ['POST', `${at}/token`, { days: 1, ...proof }],
  ] as const)
    expect([method, path, (await other.api.send(method, path, body)).status]).toEqual([
      method,
      path,
      403,
    ])
  const listed = (await other.api.get(path)).body._embedded.integrations
  expect(listed).toHaveLength(2)
  expect(listed).toContainEqual(expect.objectContaining({ client_id, uninstall_hook: null }))
})

test('a new secret works and the old one does not, from one exchange to the next', async () => {
  const account = await newAccount()
  const { api } = await account.addUser({ password, is_admin: true })
  const { client_id, client_secret: old } = await make(account)
  const { body } = await api.post(`${path}/${client_id}/secret`, { password })
  expect(body.client_secret).not.toBe(old)
  const exchange = async (client_secret: string) =>
    (
      await tokens(
        account,
        { client_id, client_secret, redirect_uri: draft.redirect_uri },
        await codeOf(account, client_id),
      )
    ).status
  expect([await exchange(old), await exchange(body.client_secret)]).toEqual([401, 200])
  const read = await api.post(`${path}/${client_id}/secret/read`, { password })
  expect(read.body.client_secret).toBe(body.client_secret)
})

describe('the secret is shown and renewed to who proves to be its administrator', () => {
  const asks = ['secret', 'secret/read']

  test.for(asks)('%s asks for the password', async (tail) => {
    const account = await newAccount()
    const { api } = await account.addUser({ password, is_admin: true })
    const { client_id, client_secret } = await make(account)
    const at = `${path}/${client_id}`
    expect(JSON.stringify((await api.get(at)).body)).not.toContain(client_secret)
    for (const [body, fault] of [
      [{ password: 'wrong' }, 'WrongPassword password'],
      [{}, 'FieldMissing password'],
    ] as const)
      expect(faultsOf(await api.post(`${at}/${tail}`, body))).toEqual({ 0: [fault] })
    const read = await api.post(`${at}/secret/read`, { password })
    expect(read.body).toMatchObject({ client_id, client_secret })
  })

  test.for(asks)('%s asks for a code too, where the second factor is on', async (tail) => {
    const account = await newAccount()
    const { kontor } = account
    const { api } = await account.addUser({ password, is_admin: true })
    const { client_id } = await make(account)
    const { secret } = (await api.post('/web/v1/second-factor', { password })).body
    await api.post('/web/v1/second-factor/confirm', { code: codeAt(secret, kontor.now()) })
    const at = `${path}/${client_id}/${tail}`
    for (const [code, fault] of [
      [undefined, 'FieldMissing code'],
      ['', 'NotBlank code'],
      [' ', 'NotBlank code'],
      ['000000', 'WrongCode code'],
    ] as const)
      expect([code, faultsOf(await api.post(at, { password, code }))]).toEqual([
        code,
        { 0: [fault] },
      ])
    const next = codeAt(secret, kontor.now() + 30)
    const faults = faultsOf(await api.post(at, { password: 'wrong', code: next }))
    expect(faults).toEqual({ 0: ['WrongPassword password'] })
    expect((await api.post(at, { password, code: next })).status).toBe(200)
    const again = faultsOf(await api.post(at, { password, code: next }))
    expect(again).toEqual({ 0: ['WrongCode code'] })
  })
})

describe('what an integration did', () => {
  test('its calls are listed, the newest first, with the reason of a refusal and their rate', async () => {
    const account = await newAccount()
    const { integration, api } = account
    const at = `${path}/${integration.client_id}`
    expect((await api.get(`${at}/calls`)).body._embedded.calls).toEqual([])
    const its = client(account.kontor, (await pair(account, integration)).access_token)
    await its.get('/api/v4/leads?limit=1&query=Ann%20Lee')
    await its.post('/api/v4/leads', [{ name: 5 }])
    await its.get('/web/v1/integrations')
    await api.get('/api/v4/leads')
    const { calls } = (await api.get(`${at}/calls`)).body._embedded
    const user = { user_id: account.admin.id, user_name: 'The administrator' }
    expect(calls).toMatchObject([
      { ...user, method: 'GET', path: '/web/v1/integrations', status: 403 },
      {
        ...user,
        method: 'POST',
        path: '/api/v4/leads',
        status: 400,
        fault: expect.stringMatching(/^name: /),
      },
      { ...user, path: '/api/v4/leads?limit=1&query=Ann%20Lee', status: 200, fault: null },
    ])
    const shared = calls.filter((call: (typeof calls)[0]) => call.called_at === calls[0].called_at)
    expect(calls[0].rate).toBe(shared.length)
  })

  test('the last 200 are kept, of this integration alone', async () => {
    const account = await newAccount()
    const other = await make(account)
    const log = callLogOf(account.kontor)
    const called = (client_id: string, index: number) =>
      log.noteIntegration(
        {
          account_id: account.id,
          client_id,
          user_id: account.admin.id,
          method: 'GET',
          path: `/${index}\u0000`,
          status: 200,
          fault: null,
          milliseconds: 1,
          called_at: index,
        },
        undefined,
      )
    const { client_id } = account.integration
    called(other.client_id, 1)
    for (let index = 0; index < 150; index++) called(client_id, index)
    await log.write()
    for (let index = 150; index < 400; index++) called(client_id, index)
    const { calls } = (await account.api.get(`${path}/${client_id}/calls`)).body._embedded
    expect(calls).toHaveLength(200)
    expect([calls[0].path, calls.at(-1).path]).toEqual(['/399', '/200'])
    const rows = await account.kontor.database.rows(
      sql`select from integration_calls where account_id = ${account.id}`,
    )
    expect(rows).toHaveLength(201)
    const { body } = await account.api.get(`${path}/${other.client_id}/calls`)
    expect(body._embedded.calls).toMatchObject([{ path: '/1' }])
  })

  test('grants are counted, and say when they were used, five minutes apart at least', async () => {
    const account = await newAccount({ databasePool: 5 })
    const { api, integration, kontor, clock } = account
    const at = `${path}/${integration.client_id}`
    const grant = async () => (await grants(account, integration.client_id))[0]
    const listed = async () => {
      const { integrations } = (await api.get(path)).body._embedded
      const { grants, last_used_at } = integrations[0]
      return { grants, last_used_at }
    }
    expect(await listed()).toEqual({ grants: 0, last_used_at: null })
    const its = client(kontor, (await pair(account, integration)).access_token)
    await pair(account, integration)
    expect(await grant()).toMatchObject({ last_used_at: null })
    const call = async () => {
      await its.get('/api/v4/account')
      await callLogOf(kontor).write()
    }
    const began = kontor.now()
    await call()
    const used = (await listed()).last_used_at
    expect(used).toBeGreaterThanOrEqual(began)
    expect(await listed()).toEqual({ grants: 2, last_used_at: used })
    expect(await grants(account, integration.client_id)).toMatchObject([
      { last_used_at: null },
      { last_used_at: used },
    ])
    clock.ahead += 200
    await call()
    expect((await listed()).last_used_at).toBe(used)
    clock.ahead += 101
    await call()
    expect((await listed()).last_used_at).toBeGreaterThanOrEqual(used + 300)
    const { id } = (await grants(account, integration.client_id))[1]!
    await api.delete(`${at}/grants/${id}`)
    expect(await listed()).toEqual({ grants: 1, last_used_at: null })
  })
})

test('a code says when it ends, and carries the scopes of its moment', async () => {
  const account = await newAccount()
  const made = await make(account, { scopes: ['crm'] })
  const issued = await account.api.post(`${path}/${made.client_id}/code`)
  expect(issued.body.expires_at - account.kontor.now()).toBeGreaterThan(1190)
  await account.api.patch(`${path}/${made.client_id}`, { scopes: ['crm', 'files_delete'] })
  const { access_token } = (await tokens(account, made, issued.body.code)).body
  expect(decodeJwt(access_token)['scopes']).toEqual(['crm'])
})

test('a long-lived token is shown once, is listed among the grants, and ends on its day', async () => {
  const account = await newAccount({ journalDays: 9 })
  const { client_id } = await make(account)
  const { body } = await account.api.post(`${path}/${client_id}/token`, { days: 2, ...proof })
  const read = async () =>
    (await client(account.kontor, body.access_token).get('/api/v4/account')).status
  expect(await read()).toBe(200)
  expect(decodeJwt(body.access_token)).toMatchObject({ aud: client_id, exp: body.expires_at })
  expect((await grants(account, client_id)).map(({ expires_at }) => expires_at)).toEqual([
    body.expires_at,
  ])
  account.clock.ahead += 2 * 86_400
  expect(await read()).toBe(401)
  expect(await grants(account, client_id)).toEqual([])
  for (const days of [0, 1827, 1.5, 'many', null])
    expect((await account.api.post(`${path}/${client_id}/token`, { days, ...proof })).status).toBe(
      400,
    )
})

test('grants are listed, the newest first, and one that is revoked ends alone', async () => {
  const account = await newAccount()
  const made = await make(account)
  const [one, two] = [await pair(account, made), await pair(account, made)]
  const listed = await grants(account, made.client_id)
  expect(listed).toMatchObject([
    {
      id: grantOf(two),
      user_id: account.admin.id,
      user_name: 'The administrator',
      is_full_access: true,
      expires_at: null,
    },
    { id: grantOf(one), scopes: ['crm', 'notifications'] },
  ])
  expect((await grants(account, made.client_id, '?limit=1&page=2')).map(({ id }) => id)).toEqual([
    grantOf(one),
  ])
  const at = `${path}/${made.client_id}/grants`
  expect(
    (await account.api.delete(`${path}/${account.integration.client_id}/grants/${grantOf(one)}`))
      .status,
  ).toBe(404)
  expect((await account.api.delete(`${at}/${grantOf(one)}`)).status).toBe(204)
  await expect.poll(() => statusWith(account, one), atOnce).toBe(401)
  expect((await refresh(account, made, one)).status).toBe(401)
  expect(await statusWith(account, two)).toBe(200)
  expect((await account.api.delete(`${at}/${grantOf(one)}`)).status).toBe(404)
})

test('disabling ends every token at once on every process, and enabling gives none back', async () => {
  const account = await newAccount()
  const another = await newAccount({ journalDays: 10 })
  const made = await make(account)
  const given = await pair(account, made)
  const lasting = (await account.api.post(`${path}/${made.client_id}/token`, { days: 5, ...proof }))
    .body
  const waiting = await codeOf(account, made.client_id)
  const everywhere = () =>
    Promise.all([
      statusWith(account, given),
      statusWith(another, given),
      statusWith(account, lasting),
      statusWith(another, lasting),
    ])
  expect(await everywhere()).toEqual([200, 200, 200, 200])
  expect((await account.api.delete(`${path}/${made.client_id}/installation`)).status).toBe(204)
  await expect.poll(everywhere, atOnce).toEqual([401, 401, 401, 401])
  expect((await account.api.post(`${path}/${made.client_id}/code`)).status).toBe(403)
  expect((await refresh(account, made, given)).status).toBe(401)
  expect(
    (await account.api.send('PUT', `${path}/${made.client_id}/installation`)).body.is_enabled,
  ).toBe(true)
  expect(await everywhere()).toEqual([401, 401, 401, 401])
  expect((await refresh(account, made, given)).status).toBe(401)
  expect((await tokens(account, made, waiting)).status).toBe(400)
  expect(await statusWith(account, await pair(account, made))).toBe(200)
})

test('deleting ends it in every account', async () => {
  const [mine, other] = [await newAccount(), await newAccount()]
  const made = await make(mine, { is_public: true })
  await other.api.send('PUT', `${path}/${made.client_id}/installation`)
  const [here, there] = [await pair(mine, made), await pair(other, made)]
  expect((await mine.api.delete(`${path}/${made.client_id}`)).status).toBe(204)
  await expect
    .poll(() => Promise.all([statusWith(mine, here), statusWith(mine, there)]), atOnce)
    .toEqual([401, 401])
  for (const { api } of [mine, other])
    expect((await api.get(`${path}/${made.client_id}`)).status).toBe(404)
  expect((await mine.api.delete(`${path}/${made.client_id}`)).status).toBe(404)
  expect((await refresh(mine, made, here)).status).toBe(401)
})

/**
 * The longest time for a notification between processes; remembered access would last ten seconds.
 */
const atOnce = { timeout: 2000, interval: 10 }

interface Pair {
  access_token: string
  refresh_token?: string
}

function routesOf(at: string): [method: string, path: string, body?: unknown][] {
  return [
    ['GET', path],
    ['POST', path, draft],
    ['GET', at],
    ['PATCH', at, { name: 'Another' }],
    ['DELETE', at],
    ['POST', `${at}/secret`, { password }],
    ['POST', `${at}/secret/read`, { password }],
    ['PUT', `${at}/installation`],
    ['DELETE', `${at}/installation`],
    ['POST', `${at}/code`],
    ['POST', `${at}/token`, { days: 1, ...proof }],
    ['GET', `${at}/calls`],
    ['GET', `${at}/grants`],
    ['DELETE', `${at}/grants/1`],
  ]
}

async function codeOf({ api }: TestAccount, client_id: string): Promise<string> {
  return (await api.post(`${path}/${client_id}/code`)).body.code
}

function tokens(
  { kontor }: TestAccount,
  { client_id, client_secret, redirect_uri }: Credentials,
  code: string,
) {
  return client(kontor).post('/oauth2/access_token', {
    grant_type: 'authorization_code',
    client_id,
    client_secret,
    redirect_uri,
    code,
  })
}

async function pair(account: TestAccount, made: Credentials): Promise<Pair> {
  return (await tokens(account, made, await codeOf(account, made.client_id))).body
}

function refresh(
  { kontor }: TestAccount,
  { client_id, client_secret, redirect_uri }: Credentials,
  { refresh_token }: Pair,
) {
  const grant = {
    grant_type: 'refresh_token',
    client_id,
    client_secret,
    redirect_uri,
    refresh_token,
  }
  return client(kontor).post('/oauth2/access_token', grant)
}

async function statusWith({ kontor }: TestAccount, { access_token }: Pair): Promise<number> {
  return (await client(kontor, access_token).get('/api/v4/account')).status
}

async function grants(
  { api }: TestAccount,
  client_id: string,
  query = '',
): Promise<{ id: number; expires_at: number | null }[]> {
  return (await api.get(`${path}/${client_id}/grants${query}`)).body._embedded.grants
}

function grantOf({ access_token }: Pair): number {
  return decodeJwt<{ grant_id: number }>(access_token).grant_id
}
