// Every refusal of the token endpoint, in the words that programs look for.
import { randomUUID } from 'node:crypto'
import { Writable } from 'node:stream'
import { pino } from 'pino'
import { beforeAll, expect, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import type { TestAccount } from '../../../../test/account.ts'
import { client } from '../../../../test/client.ts'
import { exchange, newPair } from '../../../../test/oauth.ts'
import { buildApp } from '../../../app.ts'
import { connect } from '../../../database/connect.ts'

let account: TestAccount
beforeAll(async () => {
  account = await newAccount()
})

type Fields = Record<string, unknown>
interface Refusal {
  when: string
  fields: Fields | (() => Fields | Promise<Fields>)
  status: 400 | 401
  hint?: string
  title: string
}

const code = `def50200-1001-${'a'.repeat(64)}`
const token = `def50201-1001-${'a'.repeat(128)}`
const nowhere = { status: 401, title: 'invalid client' } as const
const unreadableCode = {
  status: 400,
  hint: 'Cannot decrypt the authorization code',
  title: 'invalid request',
} as const
const unreadableToken = {
  status: 401,
  hint: 'Cannot decrypt the refresh token',
  title: 'invalid request',
} as const
const unsupported = {
  status: 400,
  hint: 'Check that all required parameters have been provided',
  title: 'unsupported grant type',
} as const
const check = (name: string) =>
  ({ status: 400, hint: `Check the \`${name}\` parameter`, title: 'invalid request' }) as const

const refusals: Refusal[] = [
  { when: 'the client is unknown', fields: { code, client_id: randomUUID() }, ...nowhere },
  { when: 'the client is no id at all', fields: { code, client_id: "' or 1=1" }, ...nowhere },
  { when: 'the secret is wrong', fields: { code, client_secret: 'guessed' }, ...nowhere },
  {
    when: 'the secret is nearly right',
    fields: () => ({ code, client_secret: `${account.integration.client_secret} ` }),
    ...nowhere,
  },
  {
    when: 'the redirect URI is another',
    fields: { code, redirect_uri: 'https://example.com/oauth/' },
    ...nowhere,
  },
  {
    when: 'the redirect URI differs in case',
    fields: { code, redirect_uri: 'https://EXAMPLE.com/oauth' },
    ...nowhere,
  },
  {
    when: 'the secret is wrong at a refresh',
    fields: { refresh_token: token, client_secret: 'guessed' },
    ...nowhere,
  },
  { when: 'the code is nonsense', fields: { code: 'nonsense' }, ...unreadableCode },
  { when: 'the code was never issued', fields: { code }, ...unreadableCode },
  {
    when: 'the code names an account that is none',
    fields: { code: code.replace('1001', '9'.repeat(30)) },
    ...unreadableCode,
  },
  {
    when: 'the code is a refresh token',
    fields: async () => ({ code: (await newPair(account)).refresh_token }),
    ...unreadableCode,
  },
  {
    when: 'the code is of another client',
    fields: async () => ({ code: await account.code(await account.addIntegration({})) }),
    status: 400,
    hint: 'Authorization code was not issued to this client',
    title: 'invalid request',
  },
  {
    when: 'the code was used',
    async fields() {
      const code = await account.code()
      await exchange(account, { code })
      return { code }
    },
    status: 400,
    hint: 'Authorization code has been revoked',
    title: 'invalid request',
  },
  {
    when: 'the refresh token is nonsense',
    fields: { refresh_token: 'nonsense' },
    ...unreadableToken,
  },
  {
    when: 'the refresh token was never issued',
    fields: { refresh_token: token },
    ...unreadableToken,
  },
  {
    when: 'the refresh token is a code',
    fields: async () => ({ refresh_token: await account.code() }),
    ...unreadableToken,
  },
  { when: 'the grant type is missing', fields: { code, grant_type: undefined }, ...unsupported },
  { when: 'the grant type is unknown', fields: { code, grant_type: 'password' }, ...unsupported },
  {
    when: 'the grant type is a word of JavaScript',
    fields: { code, grant_type: 'constructor' },
    ...unsupported,
  },
  {
    when: 'the grant type is no text',
    fields: { code, grant_type: ['authorization_code'] },
    ...unsupported,
  },
  { when: 'the code is missing', fields: { grant_type: 'authorization_code' }, ...check('code') },
  { when: 'the code is empty', fields: { code: '' }, ...check('code') },
  { when: 'the code is no text', fields: { code: { $ne: '' } }, ...check('code') },
  {
    when: 'the refresh token is missing',
    fields: { grant_type: 'refresh_token' },
    ...check('refresh_token'),
  },
  {
    when: 'the refresh token is null',
    fields: { grant_type: 'refresh_token', refresh_token: null },
    ...check('refresh_token'),
  },
  { when: 'the client is missing', fields: { code, client_id: undefined }, ...check('client_id') },
  {
    when: 'the secret is missing',
    fields: { code, client_secret: undefined },
    ...check('client_secret'),
  },
  { when: 'the secret is a number', fields: { code, client_secret: 5 }, ...check('client_secret') },
  {
    when: 'the redirect URI is missing',
    fields: { code, redirect_uri: undefined },
    ...check('redirect_uri'),
  },
]

test.each(refusals)('$status where $when', async ({ fields, status, hint, title }) => {
  const answer = await exchange(account, typeof fields === 'function' ? await fields() : fields)
  expect(answer.status).toBe(status)
  expect(answer.headers.get('content-type')).toBe('application/problem+json')
  expect(answer.body).toEqual({
    ...(hint && { hint }),
    title,
    type: `https://httpstatus.es/${status}`,
    status,
    detail: expect.stringMatching(/^[A-Z].*/),
  })
  expect(JSON.stringify(answer.body)).not.toContain(account.integration.client_secret)
})

test.each([undefined, '', '[]', '"text"', 'null', '[{"grant_type":"authorization_code"}]'])(
  'a body that is no object of parameters (%s) lacks the grant type',
  async (body) => {
    const answer = await client(account.kontor).post('/oauth2/access_token', body)
    expect([answer.status, answer.body.title]).toEqual([400, 'unsupported grant type'])
  },
)

test('a failed exchange leaves the code good', async () => {
  const code = await account.code()
  expect((await exchange(account, { code, client_secret: 'wrong' })).status).toBe(401)
  expect((await exchange(account, { code }, await account.addIntegration({}))).status).toBe(400)
  expect((await exchange(account, { code })).status).toBe(200)
})

test('neither log nor answer tells a secret, whatever fails', async () => {
  let log = ''
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => done(void (log += String(chunk))),
  })
  const away = {
    ...account.kontor,
    database: connect('postgres://kontor:hush@127.0.0.1:1/kontor', 1),
  }
  const { client_secret } = account.integration
  const code = await account.code()
  let answers = ''
  for (const kontor of [account.kontor, away]) {
    const app = await buildApp(kontor, pino({ level: 'trace' }, stream))
    const send = async (payload: object | string, type = 'application/json') => {
      const headers = { 'content-type': type }
      answers += (
        await app.inject({ method: 'POST', url: '/oauth2/access_token', headers, payload })
      ).body
    }
    const fields = { ...account.integration, grant_type: 'authorization_code', code }
    await send({ ...fields, redirect_uri: 'https://example.com/elsewhere' })
    await send({ ...fields, client_id: 'unknown' })
    await send({ ...fields, code: 'unknown' })
    await send(`{"client_secret":"${client_secret}",}`)
    await send(`client_secret=${client_secret}&%zz`, 'application/x-www-form-urlencoded')
    await send(`client_secret=${client_secret}`, 'text/plain')
    await send(fields)
    await app.close()
  }
  await away.database.close()
  expect(log).toContain('a request')
  for (const secret of [client_secret, 'hush', code])
    expect(log + answers.replace(/"access_token".*/, '')).not.toContain(secret)
})
