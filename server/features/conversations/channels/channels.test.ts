// Channels as administrators register them, and the door of the chat protocol: who signs gets in.
import fc from 'fast-check'
import sql from 'sql-template-tag'
import { beforeAll, describe, expect, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import type { TestAccount } from '../../../../test/account.ts'
import { rowsOf } from '../../../../test/account-data.ts'
import { newPermit } from '../../../outgoing/guarded.ts'
import {
  addChannel,
  amojoIdOf,
  canonical,
  chatPath,
  connect,
  hmac,
  sendChat,
  sendSigned,
} from '../../../../test/channels.ts'
import type { TestChannel } from '../../../../test/channels.ts'
import { client } from '../../../../test/client.ts'
import { newPair } from '../../../../test/oauth.ts'
import { untilAwaited } from '../../../../test/locks.ts'
import { raw } from '../../../../test/raw.ts'
import { server } from '../../../../test/server.ts'
import { callLogOf, dropOldCalls } from '../../../access/call-log.ts'
import { serverItself } from '../../../access/user-access.ts'
import { setAccount } from '../../people/accounts/accounts.ts'
import { disableIntegration, enableIntegration } from '../../programs/integrations/integrations.ts'
import {
  connectionsOf,
  createChannel,
  deleteChannel,
  findConnection,
  noteConnectionErrors,
  signed,
} from './channels.ts'

const path = '/web/v1/channels'
/** Nobody has these ids. */
const nowhere = '00000000-0000-4000-8000-000000000000'

/** Limits have a test of their own. */
const unlimited = { rateLimitScope: 0, rateLimitAddress: 0, privateHooks: 'none' } as const

let account: TestAccount
let other: TestAccount
let amojoId: string
let elsewhere: string
beforeAll(async () => {
  account = await newAccount(unlimited)
  other = await newAccount(unlimited)
  amojoId = await amojoIdOf(account)
  elsewhere = await amojoIdOf(other)
})

const connectionsIn = async ({ api }: TestAccount) =>
  (await api.get('/web/v1/channel-connections')).body._embedded.connections
const scopesIn = async (whose: TestAccount) =>
  (await connectionsIn(whose))
    .filter(({ is_connected }: { is_connected: boolean }) => is_connected)
    .map(({ scope_id }: { scope_id: string }) => scope_id)
const connectPath = ({ id }: Pick<TestChannel, 'id'>) => `${chatPath}/${id}/connect`
const disconnect = (whose: TestAccount, { id, secret }: TestChannel, body: object) =>
  sendSigned(whose, secret, 'DELETE', `${chatPath}/${id}/disconnect`, body)

/** A channel of the operator of the server, who may allow any account. */
function addForAll(allowed_accounts: string[]) {
  const { database, now, secrets } = account.kontor
  return database.transaction((tx) =>
    createChannel(
      tx,
      secrets,
      serverItself(account.id, now()),
      { name: 'Line', allowed_accounts },
      newPermit('none'),
    ),
  )
}

describe('a channel', () => {
  test('is created with a secret that is shown once and stored encrypted', async () => {
    const made = await account.api.post(path, {
      name: 'Demo line 1',
      hook_v1: 'https://example.com/one/:scope_id',
      hook_v2: 'https://example.com/two?scope=:scope_id',
    })
    const { secret, ...channel } = made.body
    expect([made.status, secret]).toEqual([201, expect.stringMatching(/^[\da-f]{40}$/)])
    expect(channel).toEqual({
      id: expect.stringMatching(/^[\da-f-]{36}$/),
      code: expect.stringMatching(/^kontor\.ext\.\d+$/),
      name: 'Demo line 1',
      bot_id: expect.stringMatching(/^[\da-f-]{36}$/),
      bot_name: 'Demo line 1',
      hook_v1: 'https://example.com/one/:scope_id',
      hook_v2: 'https://example.com/two?scope=:scope_id',
      client_id: null,
      allowed_accounts: [],
      is_avatar_required: true,
      created_by: account.admin.id,
      created_at: expect.any(Number),
      updated_at: expect.any(Number),
      _links: { self: { href: `${account.kontor.url}${path}/${channel.id}` } },
    })
    expect((await account.api.get(`${path}/${channel.id}`)).body).toEqual(channel)
    const { body } = await account.api.get(path)
    expect(body._embedded.channels).toContainEqual(channel)
    const row = await account.kontor.database.row<{ text: string }>(
      sql`select channel::text || encode(secret, 'escape') as text from channels channel where id = ${channel.id}`,
    )
    expect(row!.text).not.toContain(secret)
    expect(row!.text).not.toContain(Buffer.from(secret).toString('hex'))
  })

  test.each([
    {},
    { name: '' },
    { name: '1 line' },
    { name: 'Линия' },
    { name: 'x'.repeat(101) },
    { name: 'Line', hook_v1: 'http://127.0.0.1/' },
    { name: 'Line', hook_v2: 'http://10.0.0.1/:scope_id' },
    { name: 'Line', hook_v1: 'ftp://example.com/' },
    { name: 'Line', hook_v1: 'https://:scope_id.example.com/' },
    { name: 'Line', hook_v1: 'https://example.com:scope_id/' },
    { name: 'Line', client_id: nowhere },
    { name: 'Line', allowed_accounts: [nowhere] },
    { name: 'Line', allowed_accounts: ['x'] },
    { name: 'Line', secret: 'a'.repeat(40) },
    { name: 'Line', is_avatar_required: 'no' },
  ])('is not created from %j', async (draft) => {
    const before = await rowsOf(account)
    expect((await account.api.post(path, draft)).status).toBe(400)
    expect(await rowsOf(account)).toEqual(before)
  })

  test('is changed, sent back as it was read, and deleted', async () => {
    const { id } = await addChannel(account, { hook_v1: 'https://example.com/a' })
    const read = (await account.api.get(`${path}/${id}`)).body
    expect((await account.api.patch(`${path}/${id}`, read)).body).toMatchObject({ name: 'Line' })
    const changed = await account.api.patch(`${path}/${id}`, {
      name: 'Other',
      hook_v1: null,
      is_avatar_required: false,
    })
    expect(changed.body).toMatchObject({
      name: 'Other',
      bot_name: 'Line',
      hook_v1: null,
      is_avatar_required: false,
    })
    expect((await account.api.patch(`${path}/${id}`, { hook_v1: 'http://[::1]/' })).status).toBe(
      400,
    )
    expect((await account.api.delete(`${path}/${id}`)).status).toBe(204)
    for (const [method, tail] of [
      ['GET', ''],
      ['PATCH', ''],
      ['DELETE', ''],
      ['POST', '/secret'],
      ['GET', '/connections'],
    ] as const) {
      const body = method === 'PATCH' ? { name: 'Again' } : undefined
      expect((await account.api.send(method, `${path}/${id}${tail}`, body)).status).toBe(404)
    }
  })

  test('belongs to one account, and to its administrators, not to integrations', async () => {
    const { id, secret } = await addChannel(account)
    const limited = await account.addUser()
    const app = client(account.kontor, (await newPair(account)).access_token)
    const ways: ['GET' | 'POST' | 'PATCH' | 'DELETE', string, object?][] = [
      ['GET', ''],
      ['PATCH', '', { name: 'Taken' }],
      ['POST', '/secret'],
      ['GET', '/connections'],
      ['DELETE', ''],
    ]
    for (const [method, tail, body] of ways) {
      const at = `${path}/${id}${tail}`
      expect((await other.api.send(method, at, body)).status).toBe(404)
      expect((await limited.api.send(method, at, body)).status).toBe(403)
      expect((await app.send(method, at, body)).status).toBe(403)
    }
    expect((await app.get(path)).status).toBe(403)
    expect((await app.post(path, { name: 'Line' })).status).toBe(403)
    expect((await app.get('/web/v1/channel-connections')).status).toBe(403)
    expect((await connect(account, { id, secret }, { account_id: amojoId })).status).toBe(200)
  })

  test('is one of a hundred at most', async () => {
    const full = await newAccount(unlimited)
    for (let n = 0; n < 100; n++) await addChannel(full)
    expect((await full.api.post(path, { name: 'Line' })).status).toBe(422)
    const [first] = (await full.api.get(path)).body._embedded.channels
    await full.api.delete(`${path}/${first.id}`)
    expect((await full.api.post(path, { name: 'Line' })).status).toBe(201)
  })

  test('takes only an own integration, and other accounts only with one', async () => {
    const { client_id } = await account.addIntegration({ is_public: true })
    const theirs = await other.addIntegration({ is_public: true })
    const refused = [
      { name: 'Line', client_id: theirs.client_id },
      { name: 'Line', allowed_accounts: [elsewhere] },
    ]
    for (const draft of refused) expect((await account.api.post(path, draft)).status).toBe(400)
    const both = { client_id, allowed_accounts: [elsewhere.toUpperCase(), elsewhere] }
    const { id } = await addChannel(account, both)
    const { body } = await account.api.get(`${path}/${id}`)
    expect(body.allowed_accounts).toEqual([elsewhere])
    const without = (change: object) =>
      account.api.patch(`${path}/${id}`, { client_id: null, ...change })
    expect((await without({})).status).toBe(400)
    expect((await without({ allowed_accounts: [] })).status).toBe(200)
  })
})

describe('connect', () => {
  test('answers the scope, with the defaults', async () => {
    const channel = await addChannel(account, { name: 'My line' })
    const { status, headers, body } = await connect(account, channel, { account_id: amojoId })
    expect([status, headers['content-type']]).toEqual([200, 'application/json'])
    expect(body).toEqual({
      account_id: amojoId,
      scope_id: `${channel.id}_${amojoId}`,
      title: 'My line',
      hook_api_version: 'v1',
      is_time_window_disabled: false,
    })
  })

  test('changes the connection when it is repeated, also with what it answered', async () => {
    const channel = await addChannel(account)
    const first = await connect(account, channel, { account_id: amojoId.toUpperCase() })
    const wish = { title: 'Shop', hook_api_version: 'v2', is_time_window_disabled: true }
    const second = await connect(account, channel, { account_id: amojoId, ...wish })
    expect(second.body).toEqual({ ...first.body, ...wish })
    expect((await connect(account, channel, second.body)).body).toEqual(second.body)
    const listed = (await account.api.get(`${path}/${channel.id}/connections`)).body
    expect(listed._embedded.connections).toEqual([
      {
        scope_id: first.body.scope_id,
        channel_id: channel.id,
        code: channel.code,
        channel_name: 'Line',
        account_id: amojoId,
        ...wish,
        has_hook: false,
        is_connected: true,
        connected_at: expect.any(Number),
        disconnected_at: null,
        last_error: null,
        last_error_at: null,
      },
    ])
  })

  test('at once makes one connection', async () => {
    const channel = await addChannel(account)
    const all = await Promise.all(
      Array.from({ length: 8 }, () => connect(account, channel, { account_id: amojoId })),
    )
    expect(new Set(all.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(all[0]!.status).toBe(200)
  })

  test.each([
    {},
    [],
    { account_id: 'x' },
    { account_id: 7 },
    { account_id: null },
    { account_id: nowhere, title: 7 },
    { account_id: null, title: null },
    { account_id: nowhere, title: 'x'.repeat(256) },
    { account_id: nowhere, hook_api_version: 'v3' },
    { account_id: nowhere, hook_api_version: 2 },
    { account_id: nowhere, is_time_window_disabled: 1 },
    { account_id: nowhere, is_time_window_disabled: 'true' },
    { account_id: nowhere, colour: 'red' },
    [{ account_id: nowhere }],
  ])('is refused with the body %j: nothing is converted', async (body) => {
    const channel = await addChannel(account)
    const answer = await connect(account, channel, body)
    expect([answer.status, answer.body.error_code, answer.body.error_type]).toEqual([
      400,
      400,
      'invalid_request',
    ])
    await account.api.delete(`${path}/${channel.id}`)
  })

  test('reaches no account but the owner and those that are allowed', async () => {
    const [own, shared] = [await addForAll([]), await addForAll([elsewhere])]
    const unknown = await connect(account, own, { account_id: nowhere })
    const foreign = await connect(account, own, { account_id: elsewhere })
    expect([unknown.status, foreign.status]).toEqual([404, 404])
    expect(foreign.body).toEqual(unknown.body)
    expect((await connect(account, shared, { account_id: elsewhere })).status).toBe(200)
    const scope = `${shared.id}_${elsewhere}`
    expect(await scopesIn(other)).toEqual([scope])
    expect(JSON.stringify(await connectionsIn(account))).not.toContain(elsewhere)
    const seen = (await account.api.get(`${path}/${shared.id}/connections`)).body
    expect(seen._embedded.connections).toMatchObject([{ scope_id: scope, is_connected: true }])
    const end = { allowed_accounts: [] }
    expect((await account.api.patch(`${path}/${shared.id}`, end)).status).toBe(200)
    expect(await scopesIn(other)).toEqual([])
    expect((await connect(account, shared, { account_id: elsewhere })).status).toBe(404)
  })

  test('takes an integration that is enabled in the account; disabling it disconnects there', async () => {
    const { database, now, secrets } = account.kontor
    const { client_id } = await account.addIntegration({ is_public: true })
    const channel = await addChannel(account, { client_id, allowed_accounts: [elsewhere] })
    const reach = async () => (await connect(account, channel, { account_id: elsewhere })).status
    const guest = () => ({ accountId: other.id, userId: other.admin.id, at: now() })
    const enable = () => database.transaction((tx) => enableIntegration(tx, guest(), client_id))
    expect(await reach()).toBe(404)
    await enable()
    expect(await reach()).toBe(200)
    expect((await connect(account, channel, { account_id: amojoId })).status).toBe(200)
    await database.transaction((tx) => disableIntegration(tx, secrets, guest(), client_id))
    expect(await scopesIn(other)).toEqual([])
    expect(await scopesIn(account)).toContain(`${channel.id}_${amojoId}`)
    expect(await reach()).toBe(404)
    await enable()
    expect(await scopesIn(other)).toEqual([])
    expect(await reach()).toBe(200)
    expect((await account.api.delete(`/web/v1/integrations/${client_id}`)).status).toBe(204)
    expect(await scopesIn(other)).toEqual([])
    expect((await connect(account, channel, { account_id: amojoId })).status).toBe(404)
  })

  test('in an account that is not paid is 402, and disconnect is not', async () => {
    const unpaid = await newAccount(unlimited)
    const channel = await addChannel(unpaid)
    const account_id = await amojoIdOf(unpaid)
    expect((await connect(unpaid, channel, { account_id })).status).toBe(200)
    const { database, now } = unpaid.kontor
    await database.transaction((tx) => setAccount(tx, now(), unpaid.subdomain, { isUnpaid: true }))
    expect((await connect(unpaid, channel, { account_id })).body).toMatchObject({
      error_code: 402,
      error_type: 'payment_required',
    })
    expect((await disconnect(unpaid, channel, { account_id })).status).toBe(200)
  })

  test('waits for a deletion of the channel, and then finds none', async () => {
    const channel = await addChannel(account)
    const { database, now } = account.kontor
    const actor = { accountId: account.id, at: now() }
    const { answer } = await database.transaction(async (tx) => {
      await deleteChannel(tx, actor, channel.id)
      const answer = connect(account, channel, { account_id: amojoId })
      await untilAwaited(tx)
      return { answer }
    })
    expect((await answer).status).toBe(404)
    expect(await scopesIn(account)).not.toContain(`${channel.id}_${amojoId}`)
  })
})

describe('disconnect', () => {
  test('ends the connection, again and again, and a new one begins anew', async () => {
    const { clock } = await server(unlimited)
    const channel = await addChannel(account)
    const body = { account_id: amojoId }
    const state = async () =>
      (await account.api.get(`${path}/${channel.id}/connections`)).body._embedded.connections[0]
    expect((await disconnect(account, channel, body)).status).toBe(200)
    await connect(account, channel, body)
    const before = await state()
    const ended = await disconnect(account, channel, body)
    expect([ended.status, ended.text]).toEqual([200, '{}'])
    const first = await state()
    expect(first).toMatchObject({ is_connected: false, disconnected_at: expect.any(Number) })
    clock.ahead = 60
    expect((await disconnect(account, channel, body)).status).toBe(200)
    expect((await state()).disconnected_at).toBe(first.disconnected_at)
    await connect(account, channel, body)
    const after = await state()
    expect(after).toMatchObject({ is_connected: true, disconnected_at: null })
    expect(after.connected_at).toBeGreaterThanOrEqual(before.connected_at + 60)
    clock.ahead = 0
  })

  test('of an account that the channel may not reach is 404', async () => {
    const channel = await addChannel(account)
    for (const account_id of [nowhere, elsewhere])
      expect((await disconnect(account, channel, { account_id })).status).toBe(404)
    expect((await disconnect(account, channel, {})).status).toBe(400)
  })

  test('comes with the deletion of the channel', async () => {
    const channel = await addChannel(account)
    await connect(account, channel, { account_id: amojoId })
    await account.api.delete(`${path}/${channel.id}`)
    expect(await scopesIn(account)).not.toContain(`${channel.id}_${amojoId}`)
    expect((await connect(account, channel, { account_id: amojoId })).status).toBe(404)
  })
})

describe('a signature', () => {
  const text = () => JSON.stringify({ account_id: amojoId })

  async function refusal(
    channel: Pick<TestChannel, 'id'>,
    headers: Record<string, string>,
    body: string | Buffer = text(),
  ) {
    const answer = await sendChat(account, 'POST', connectPath(channel), { body, headers })
    return [answer.status, answer.body?.error_type]
  }
  const refused = [403, 'invalid_signature']

  test('over the body alone is good in any case of letters, with any content type', async () => {
    const channel = await addChannel(account)
    const signature = hmac(channel.secret, text())
    for (const headers of [
      { 'x-signature': signature },
      { 'x-signature': signature.toUpperCase(), 'content-type': 'application/json' },
      { 'x-signature': signature, 'content-type': 'application/x-www-form-urlencoded' },
      { 'x-signature': signature, date: 'yesterday', 'content-md5': 'x' },
    ] as Record<string, string>[])
      expect(await refusal(channel, headers)).toEqual([200, undefined])
  })

  test('over the canonical form is good, within 15 minutes', async () => {
    const channel = await addChannel(account)
    const given = { method: 'POST', path: connectPath(channel), body: text() }
    const at = (minutes: number) => new Date(Date.now() + minutes * 60_000).toUTCString()
    const by = (change = {}) => refusal(channel, canonical(channel.secret, given, change))
    expect(await by()).toEqual([200, undefined])
    expect(await by({ date: at(14) })).toEqual([200, undefined])
    expect(await by({ date: at(16) })).toEqual(refused)
    expect(await by({ date: at(-16) })).toEqual(refused)
    expect(await by({ date: '' })).toEqual(refused)
    expect(await by({ 'content-md5': 'd41d8cd98f00b204e9800998ecf8427e' })).toEqual(refused)
    // The query is no part of the form.
    const request = { body: text(), headers: canonical(channel.secret, given) }
    const ask = async (query: string) =>
      (await sendChat(account, 'POST', given.path + query, request)).status
    expect(await ask('?x=1')).toBe(200)
    expect(await ask('?%zz')).toBe(400)
  })

  test('that is missing, wrong or of another secret is 403, before the body is looked at', async () => {
    const [channel, another] = [await addChannel(account), await addChannel(account)]
    const before = await rowsOf(account)
    for (const body of [text(), '', '{', '[]', Buffer.from([0xff, 0xfe])]) {
      for (const headers of [
        {},
        { 'x-signature': '' },
        { 'x-signature': 'x' },
        { 'x-signature': '0'.repeat(40) },
        { 'x-signature': hmac(another.secret, body) },
        { authorization: `Bearer ${account.admin.token}` },
      ] as Record<string, string>[])
        expect(await refusal(channel, headers, body)).toEqual(refused)
    }
    expect(await rowsOf(account)).toEqual(before)
  })

  test('with an empty body, or one that is no JSON, is 400', async () => {
    const channel = await addChannel(account)
    for (const body of ['', ' ', '{', 'a=b', '{"a":"\\ud800"}', '"x"', '['.repeat(40)]) {
      const headers = { 'x-signature': hmac(channel.secret, body) }
      expect((await refusal(channel, headers, body))[0]).toBe(400)
    }
    const given = { method: 'POST', path: connectPath(channel) }
    const headers = canonical(channel.secret, given)
    const answer = await sendChat(account, 'POST', given.path, { headers })
    expect([answer.status, answer.body.error_description]).toEqual([400, 'The body is empty'])
  })

  test('for an unknown channel is 404, and for none at all 403', async () => {
    const channel = await addChannel(account)
    for (const id of [nowhere, 'x', `${channel.id}x`, '%00', `${channel.id}_${amojoId}`]) {
      const signature = { 'x-signature': hmac(channel.secret, text()) }
      expect(await refusal({ id }, signature)).toEqual([404, 'not_found'])
      expect(await refusal({ id }, {})).toEqual(refused)
    }
    expect(
      await refusal(
        { id: channel.id.toUpperCase() },
        { 'x-signature': hmac(channel.secret, text()) },
      ),
    ).toEqual([200, undefined])
  })

  test('of a former secret is refused at once, on every server', async () => {
    const channel = await addChannel(account)
    const { kontor: another } = await server({ ...unlimited, databasePool: 3 })
    const on = (kontor: TestAccount['kontor'], secret: string) =>
      sendSigned({ kontor }, secret, 'POST', connectPath(channel), text())
    for (const kontor of [account.kontor, another])
      expect((await on(kontor, channel.secret)).status).toBe(200)
    const renewed = (await account.api.post(`${path}/${channel.id}/secret`)).body
    expect(renewed).toMatchObject({ id: channel.id })
    expect(renewed.secret).not.toBe(channel.secret)
    for (const kontor of [account.kontor, another]) {
      expect((await on(kontor, channel.secret)).status).toBe(403)
      expect((await on(kontor, renewed.secret)).status).toBe(200)
    }
  })

  test('is asked of no other method, and of no unknown path', async () => {
    const channel = await addChannel(account)
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE']) {
      const answer = await sendChat(account, method, connectPath(channel), { headers: {} })
      expect([answer.status, answer.body.error_type]).toEqual([405, 'method_not_allowed'])
    }
    for (const at of [chatPath, `${chatPath}/a/b/c/d/e`, `${chatPath}/${channel.id}/nothing`]) {
      const answer = await sendChat(account, 'POST', at, { body: text(), headers: {} })
      expect([answer.status, answer.body.error_code]).toEqual([404, 404])
    }
    const beside = await raw(account.kontor, { method: 'POST', path: `${chatPath}x` })
    expect(beside.headers['content-type']).toBe('application/problem+json')
  })
})

describe('bounds', () => {
  test('a body has at most 1 MiB', async () => {
    const channel = await addChannel(account)
    const long = (bytes: number) => JSON.stringify({ a: 'x'.repeat(bytes - 8) })
    const largest = await connectWith(channel, long(1024 * 1024))
    expect([largest.status, largest.body.error_type]).toEqual([400, 'invalid_request'])
    const larger = await connectWith(channel, long(1024 * 1024 + 1))
    expect([larger.status, larger.body.error_type]).toEqual([413, 'payload_too_large'])
    const many = JSON.stringify(Array.from({ length: 100_000 }, () => 1))
    expect((await connectWith(channel, many)).status).toBe(413)
  })

  const connectWith = ({ id, secret }: TestChannel, body: string) =>
    sendSigned(account, secret, 'POST', connectPath({ id }), body)

  test('a channel has a limit of its own, which only signed requests use up', async () => {
    const settings = { rateLimitScope: 3, rateLimitAddress: 0 }
    const limited = await newAccount(settings)
    const [one, two] = [await addChannel(limited), await addChannel(limited)]
    const account_id = await amojoIdOf(limited)
    const body = JSON.stringify({ account_id })
    for (let n = 0; n < 20; n++) {
      const headers = { 'x-signature': '0'.repeat(40) }
      await sendChat(limited, 'POST', connectPath(one), { body, headers })
    }
    // At once: time that passes lets more in.
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => connect(limited, one, { account_id })),
    )
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(6)
    const refused = answers.find(({ status }) => status === 429)!
    expect([refused.status, refused.body.error_type, refused.headers['retry-after']]).toEqual([
      429,
      'too_many_requests',
      '1',
    ])
    expect((await connect(limited, two, { account_id })).status).toBe(200)
  })

  test('wrong signatures of an address are limited, and right ones pass', async () => {
    const limited = await newAccount({ rateLimitAddress: 2 })
    const channel = await addChannel(limited)
    const wrong = async () => {
      const headers = { 'x-signature': '0'.repeat(40) }
      return (await sendChat(limited, 'POST', connectPath(channel), { body: '{}', headers })).status
    }
    const statuses = await Promise.all(Array.from({ length: 20 }, wrong))
    expect(new Set(statuses)).toEqual(new Set([403, 429]))
    const account_id = await amojoIdOf(limited)
    expect((await connect(limited, channel, { account_id })).status).toBe(200)
  })
})

describe('for conversations', () => {
  test('connections are found in their account, with the address of the version and a signature', async () => {
    const channel = await addChannel(account, {
      name: 'Line with hooks',
      bot_name: 'Robot',
      hook_v1: 'https://example.com/one',
      hook_v2: 'https://example.com/:scope_id/two?s=:scope_id',
      is_avatar_required: false,
    })
    const { database, secrets, now } = account.kontor
    const find = (accountId = account.id) => findConnection(database, { accountId }, channel.id)
    expect(await find()).toBeUndefined()
    await connect(account, channel, { account_id: amojoId })
    expect((await find())?.hook).toBe('https://example.com/one')
    const { body } = await connect(account, channel, {
      account_id: amojoId,
      hook_api_version: 'v2',
    })
    const found = (await find())!
    expect(found).toMatchObject({
      scope_id: body.scope_id,
      channelId: channel.id,
      code: channel.code,
      channelName: 'Line with hooks',
      bot: { id: channel.bot_id, name: 'Robot' },
      accountId: account.id,
      amojoId,
      hook_api_version: 'v2',
      hook: `https://example.com/${body.scope_id}/two?s=${body.scope_id}`,
      isAvatarRequired: false,
    })
    expect(await connectionsOf(database, { accountId: account.id })).toContainEqual(found)
    expect(await find(other.id)).toBeUndefined()
    expect(signed(secrets, found, '{"a":1}')).toEqual({
      'content-type': 'application/json',
      'x-signature': hmac(channel.secret, '{"a":1}'),
    })

    const actor = { accountId: account.id, at: now() }
    await database.transaction((tx) =>
      noteConnectionErrors(tx, actor, new Map([[channel.id, 'timeout']])),
    )
    const shown = async () =>
      (await account.api.get(`${path}/${channel.id}/connections`)).body._embedded.connections[0]
    expect(await shown()).toMatchObject({ last_error: 'timeout', last_error_at: actor.at })
    await database.transaction((tx) =>
      noteConnectionErrors(tx, actor, new Map([[channel.id, null]])),
    )
    expect(await shown()).toMatchObject({ last_error: null, last_error_at: null })
    await disconnect(account, channel, { account_id: amojoId })
    expect(await find()).toBeUndefined()
  })
})

test('any bytes under any signature are let in or refused, and a refusal stores nothing', async () => {
  const channel = await addChannel(account)
  const { scope_id } = (await connect(account, channel, { account_id: amojoId })).body
  const before = await rowsOf(account)
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 200 }).map((each) => Buffer.from(each)),
    fc.json().map((each) => Buffer.from(each)),
    fc.constantFrom('', '{', 'null', '{"account_id":0}', '﻿{}').map((each) => Buffer.from(each)),
  )
  const signature = fc.constantFrom('of body', 'canonical', 'wrong', 'of another body', 'garbage')
  const header = fc.stringMatching(/^[ -~]{0,30}$/)
  const requests = fc.record({
    body: bytes,
    signature,
    header,
    method: fc.constantFrom('POST', 'POST', 'POST', 'DELETE', 'GET'),
    tail: fc.constantFrom(
      `${channel.id}/connect`,
      `${channel.id}/disconnect`,
      scope_id,
      ...['chats', 'typing', 'react', 'chats/x/history'].map((below) => `${scope_id}/${below}`),
    ),
    odd: fc.option(fc.constantFrom('content-type', 'date', 'content-md5', 'content-encoding')),
  })
  const statuses = new Set<number>()
  await fc.assert(
    fc.asyncProperty(requests, async ({ body, signature, header, method, tail, odd }) => {
      const path = `${chatPath}/${tail}`
      const ways: Record<typeof signature, Record<string, string>> = {
        'of body': { 'x-signature': hmac(channel.secret, body) },
        canonical: canonical(channel.secret, { method, path, body }),
        wrong: { 'x-signature': hmac('another secret', body) },
        'of another body': { 'x-signature': hmac(channel.secret, `${body.toString()} `) },
        garbage: { 'x-signature': header },
      }
      const headers = { ...ways[signature], ...(odd && { [odd]: header }) }
      const { status } = await sendChat(account, method, path, { body, headers })
      statuses.add(status)
      // Nobody can guess a chat, whose history is then empty.
      if (status === 204) expect([method, tail]).toEqual(['GET', `${scope_id}/chats/x/history`])
      else expect(status).toBeGreaterThanOrEqual(400)
      expect(status).toBeLessThan(500)
    }),
    { numRuns: 600, seed: 20_261_122 },
  )
  expect([...statuses]).toEqual(expect.arrayContaining([400, 403, 405]))
  expect(await rowsOf(account)).toEqual(before)
})

describe('a trial', () => {
  test('sends a request as the program of the channel, and answers as it is answered', async () => {
    const account = await newAccount({ rateLimitScope: 0 })
    const { id } = await addChannel(account)
    const account_id = await amojoIdOf(account)
    const attempt = (request: object, channel = id, api = account.api) =>
      api.post(`/web/v1/channels/${channel}/try`, request)
    const connecting = { method: 'POST', path: `${chatPath}/${id}/connect`, body: { account_id } }
    const connected = await attempt(connecting)
    const answered = (status: number, body: object | null) => ({
      status: 200,
      body: { status, body },
    })
    expect(connected).toMatchObject(answered(200, { scope_id: `${id}_${account_id}` }))
    const scope = `${chatPath}/${id}_${account_id}`
    const payload = {
      timestamp: 1,
      msgid: 'tried',
      conversation_id: 'tried',
      sender: { id: 'a', name: 'Ann', avatar: 'https://example.com/a.png' },
      message: { type: 'text', text: 'Tried' },
    }
    const body = { event_type: 'new_message', payload }
    const sent = await attempt({ method: 'POST', path: scope, body })
    expect(sent).toMatchObject(answered(200, { new_message: { ref_id: 'tried' } }))
    const path = `${scope}/chats/${sent.body.body.new_message.conversation_id}/history?limit=1`
    const history = await attempt({ method: 'GET', path })
    expect(history.body.body.messages[0].message.text).toBe('Tried')
    const other = await addChannel(account)
    const stranger = await newAccount()
    const refused = await attempt({ method: 'POST', path: scope, body: {} })
    expect(refused).toMatchObject(answered(400, { error_code: 400 }))
    expect([
      (await attempt({ method: 'GET', path: '/api/v4/account' })).status,
      (await attempt({ method: 'GET', path: `${chatPath}/${id}/../../../../metrics` })).status,
      (await attempt({ method: 'GET', path: `${chatPath}/${id}/%2e%2e/%2e%2e/connect` })).status,
      (await attempt({ method: 'GET', path: `${chatPath}/${id}x/connect` })).status,
      (await attempt(connecting, other.id)).status,
      (await attempt(connecting, id, stranger.api)).status,
    ]).toEqual([400, 404, 404, 404, 404, 404])
  })
})

describe('what passed between a channel and its program', () => {
  const callsOf = async ({ id }: Pick<TestChannel, 'id'>) =>
    (await account.api.get(`${path}/${id}/calls`)).body._embedded.calls

  test('is listed, the newest first, with the reason of a refusal', async () => {
    const channel = await addChannel(account)
    expect(await callsOf(channel)).toEqual([])
    const at = connectPath(channel)
    const body = JSON.stringify({ account_id: amojoId })
    await connect(account, channel, { account_id: amojoId })
    await sendSigned(account, 'another secret', 'POST', at, body)
    await sendChat(account, 'POST', at, { body, headers: {} })
    await connect(account, channel, { account_id: 5 })
    const headers = canonical(channel.secret, { method: 'POST', path: at, body: 'another body' })
    await sendChat(account, 'POST', `${at}?x=y`, { body, headers })
    await sendSigned(account, channel.secret, 'POST', `${chatPath}/${channel.id}_${nowhere}`, {})
    const call = { is_incoming: true, method: 'POST', path: at, milliseconds: expect.any(Number) }
    const scope = `${chatPath}/${channel.id}_${nowhere}`
    const isOf = 'X-Signature does not fit the request'
    expect(await callsOf(channel)).toMatchObject([
      { ...call, path: scope, status: 404, fault: expect.stringContaining('not connected') },
      { ...call, path: `${at}?x=y`, status: 403, fault: expect.stringContaining('Content-MD5') },
      { ...call, status: 400, fault: expect.stringMatching(/^account_id: /) },
      { ...call, status: 403, fault: expect.stringContaining('X-Signature is missing') },
      { ...call, status: 403, fault: isOf },
      { ...call, status: 200, fault: null },
    ])
  })

  test('is kept for a hundred requests, and of no channel that is not there', async () => {
    const channel = await addChannel(account)
    const { database } = account.kontor
    // Among so many channels PostgreSQL looks for each in the calls, and not the other way round.
    await database.rows(sql`
      insert into channels (account_id, name, bot_name, secret, created_by, created_at, updated_at)
      select ${(await newAccount()).id}::bigint, name, bot_name, secret, created_by, created_at, updated_at
        from channels, generate_series(1, 1000) where id = ${channel.id}`)
    await database.rows(sql`analyze channels`)
    const log = callLogOf(account.kontor)
    for (let index = 0; index < 130; index++)
      for (const channel_id of [channel.id, nowhere])
        log.noteChannel({
          channel_id,
          is_incoming: index % 2 === 0,
          method: 'POST',
          path: `/${index}`,
          status: 0,
          fault: 'timeout',
          milliseconds: 5,
          called_at: index,
        })
    await log.write()
    const calls = await callsOf(channel)
    expect([calls.length, calls[0].path, calls.at(-1).path]).toEqual([100, '/129', '/30'])
    expect(calls[0]).toMatchObject({ is_incoming: false, status: 0, fault: 'timeout' })
    const rows = await database.rows(sql`select from channel_calls where channel_id = ${nowhere}`)
    expect(rows).toEqual([])
  })

  test('is dropped a month after the last call', async () => {
    const channel = await addChannel(account)
    const { database, now } = account.kontor
    await connect(account, channel, { account_id: amojoId })
    expect(await callsOf(channel)).toHaveLength(1)
    await dropOldCalls(database, now())
    expect(await callsOf(channel)).toHaveLength(1)
    await database.transaction((tx) =>
      tx.rows(sql`
        update channel_calls set called_at = called_at - 2592001000 where channel_id = ${channel.id}`),
    )
    await dropOldCalls(database, now())
    expect(await callsOf(channel)).toEqual([])
  })
})

test('the signatures of a request are worked out for the owner of the channel', async () => {
  const channel = await addChannel(account)
  const ask = (body: object, api = account.api) => api.post(`${path}/${channel.id}/signature`, body)
  const at = connectPath(channel)
  const body = JSON.stringify({ account_id: amojoId, title: 'Ünïcode' })
  const { body: signed } = await ask({ method: 'POST', path: `${at}?x=y`, body })
  expect(signed.of_body).toBe(hmac(channel.secret, body))
  const headers = {
    'content-type': 'application/json',
    'content-md5': signed.content_md5,
    date: signed.date,
    'x-signature': signed.of_request,
  }
  expect((await sendChat(account, 'POST', at, { body, headers })).status).toBe(200)
  const given = { method: 'GET', path: at, content_type: 'text/plain', date: 'yesterday' }
  const { canonical: lines, of_request } = (await ask(given)).body
  expect(lines).toBe(
    ['GET', 'd41d8cd98f00b204e9800998ecf8427e', 'text/plain', 'yesterday', at].join('\n'),
  )
  expect(of_request).toBe(hmac(channel.secret, lines))
  expect((await ask(given, other.api)).status).toBe(404)
  expect((await ask({ path: at })).status).toBe(400)
})
