// Every route that is not public asks for a token, and only a good one is admitted.
import { createHmac, createPublicKey, generateKeyPairSync } from 'node:crypto'
import type { JsonWebKey } from 'node:crypto'
import { base64url, SignJWT } from 'jose'
import sql from 'sql-template-tag'
import { beforeAll, expect, test } from 'vitest'
import { newAccount } from '../../test/account.ts'
import type { TestAccount } from '../../test/account.ts'
import { client } from '../../test/client.ts'
import { newPair } from '../../test/oauth.ts'
import { closedRoutes } from '../../test/routes.ts'
import { signIn, withCookie } from '../../test/session.ts'
import type { Claims } from '../signing.ts'

let account: TestAccount
let good: string
beforeAll(async () => {
  account = await newAccount()
  good = (await newPair(account)).access_token
})

const [jwtHeader, payload, signature] = [0, 1, 2].map((part) => () => good.split('.')[part]!)
const header = (fields: object) => base64url.encode(JSON.stringify(fields))

/** The claims of the good token, signed by somebody else. */
async function forged(
  fields: { alg: string; kid?: string },
  key: Parameters<SignJWT['sign']>[0],
): Promise<string> {
  const claims = JSON.parse(Buffer.from(payload!(), 'base64url').toString('utf8')) as Record<
    string,
    unknown
  >
  return await new SignJWT(claims).setProtectedHeader({ typ: 'JWT', ...fields }).sign(key)
}

async function publicKey(): Promise<{ id: string; pem: string }> {
  const { id, public_key: key } = (await account.kontor.database.row<{
    id: string
    public_key: JsonWebKey
  }>(sql`select id, public_key from signing_keys limit 1`))!
  return {
    id,
    pem: createPublicKey({ key, format: 'jwk' }).export({ type: 'spki', format: 'pem' }).toString(),
  }
}

/** A token that this server did sign. */
async function signed(change: Partial<Claims>, at = account.kontor.now()): Promise<string> {
  const { grant_id } = JSON.parse(Buffer.from(payload!(), 'base64url').toString('utf8')) as {
    grant_id: number
  }
  const { id, admin, integration, kontor } = account
  const claims = {
    account_id: id,
    grant_id,
    user_id: admin.id,
    client_id: integration.client_id,
    scopes: ['crm'],
  }
  return kontor.signing.sign({ ...claims, exp: at + 1000, ...change }, at, 'x')
}

const refused: Record<string, () => string | undefined | Promise<string>> = {
  'no header': () => undefined,
  'an empty header': () => '',
  'the scheme alone': () => 'Bearer',
  'the scheme and spaces': () => 'Bearer   ',
  'no scheme': () => good,
  'another scheme': () => `Basic ${good}`,
  'two tokens': () => `Bearer ${good} ${good}`,
  'a comma': () => `Bearer ${good},`,
  'a token in quotes': () => `Bearer "${good}"`,
  'a word': () => 'Bearer word',
  dots: () => 'Bearer ..',
  'a token without its signature': () => `Bearer ${jwtHeader!()}.${payload!()}.`,
  'a token with a changed claim': () =>
    `Bearer ${jwtHeader!()}.${base64url.encode(JSON.stringify({ sub: '1' }))}.${signature!()}`,
  'a token whose claims are no JSON': () => `Bearer ${jwtHeader!()}.bm9uc2Vuc2U.${signature!()}`,
  'a token without an algorithm': () =>
    `Bearer ${header({ alg: 'none', typ: 'JWT' })}.${payload!()}.`,
  'a token without an algorithm, in capitals': () =>
    `Bearer ${header({ alg: 'NONE' })}.${payload!()}.${signature!()}`,
  'a token signed with another key': async () =>
    `Bearer ${await forged({ alg: 'RS256' }, generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey)}`,
  'a token signed with another key under the name of ours': async () => {
    const { id: kid } = await publicKey()
    return `Bearer ${await forged({ alg: 'RS256', kid }, generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey)}`
  },
  'a token with the public key as a shared secret': async () => {
    const { pem } = await publicKey()
    const signed = `${header({ alg: 'HS256', typ: 'JWT' })}.${payload!()}`
    return `Bearer ${signed}.${createHmac('sha256', pem).update(signed).digest('base64url')}`
  },
  'a token of our key that has expired': async () =>
    `Bearer ${await signed({ exp: account.kontor.now() - 1 })}`,
  'a token of our key without a grant': async () => `Bearer ${await signed({ grant_id: 1 })}`,
  'a token of our key for a grant of another account': async () =>
    `Bearer ${await signed({ account_id: 1 })}`,
}

test.each(Object.entries(refused))('401 for %s', async (_what, make) => {
  const authorization = await make()
  const answer = await client(account.kontor).get(
    '/api/v4/account',
    authorization === undefined ? {} : { authorization },
  )
  expect(answer.status).toBe(401)
  expect(answer.headers.get('www-authenticate')).toBe('Bearer')
  expect(answer.body).toEqual({
    title: 'Unauthorized',
    type: 'https://httpstatus.es/401',
    status: 401,
    detail: 'Unauthorized',
  })
})

test.each([...closedRoutes])(
  '$method $path asks for a token before it looks at anything else',
  async ({ method, path }) => {
    const at = path.replaceAll(/\{\w+\}/g, 'no-such-thing') + '?limit=nonsense&%zz'
    const body = method === 'GET' ? undefined : '{"broken'
    for (const headers of [
      {},
      { authorization: 'Bearer word' },
      { authorization: `Bearer ${good}x` },
    ] as Record<string, string>[])
      expect((await client(account.kontor).send(method, at, body, headers)).status).toBe(401)
  },
)

test.each(['Bearer', 'bearer', 'BEARER', 'Bearer  '])(
  '200 for the good token after "%s"',
  async (scheme) => {
    const answer = await client(account.kontor).get('/api/v4/account', {
      authorization: `${scheme} ${good}`,
    })
    expect(answer.status).toBe(200)
  },
)

/** The same bytes in other letters: the last letter of 256 bytes has four bits that are left over. */
const respelled = (text: string) => {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const other = Array.from(letters).find(
    (letter) =>
      letter !== text.at(-1) &&
      Buffer.from(text.slice(0, -1) + letter, 'base64url').equals(Buffer.from(text, 'base64url')),
  )
  return text.slice(0, -1) + other
}
const spellings: Record<string, (part: string) => string> = {
  'one sign of padding': (part) => `${part}=`,
  'all its padding': (part) => `${part}==`,
  'too much padding': (part) => `${part}===`,
  'a space in it': (part) => `${part.slice(0, 4)} ${part.slice(4)}`,
  'a tilde in it': (part) => `${part.slice(0, 4)}~${part.slice(4)}`,
}
const parts = ['header', 'payload', 'signature']

test.each(
  parts.flatMap((name, at) =>
    Object.entries(spellings).map(([what, spell]) => ({ name, at, what, spell })),
  ),
)('a token has one spelling: 401 with $what in the $name', async ({ at, spell }) => {
  const spelled = good.split('.').map((part, index) => (index === at ? spell(part) : part))
  const authorization = `Bearer ${spelled.join('.')}`
  // Also once the good spelling is remembered.
  for (const [sent, status] of [
    [authorization, 401],
    [`Bearer ${good}`, 200],
    [authorization, 401],
  ] as const) {
    const answer = await client(account.kontor).get('/api/v4/account', { authorization: sent })
    expect(answer.status).toBe(status)
  }
  const { signing, now } = account.kontor
  expect(await signing.verify(spelled.join('.'), now())).toBeUndefined()
})

test('a signature has one spelling: 401 with other bits left over, and in letters of base64', async () => {
  const text = signature!()
  const inBase64 = text.replaceAll('-', '+').replaceAll('_', '/')
  for (const other of [respelled(text), inBase64]) {
    expect(other).not.toBe(text)
    const token = `${jwtHeader!()}.${payload!()}.${other}`
    expect((await client(account.kontor, token).get('/api/v4/account')).status).toBe(401)
    expect(await account.kontor.signing.verify(token, account.kontor.now())).toBeUndefined()
  }
})

test('a token in the query string or a cookie is none', async () => {
  const api = client(account.kontor)
  expect((await api.get(`/api/v4/account?access_token=${good}`)).status).toBe(401)
  expect((await api.get('/api/v4/account', { cookie: `access_token=${good}` })).status).toBe(401)
})

test('a good token and a session stay good when the clock is put back, and end when they should', async () => {
  const here = await newAccount({ journalDays: 5 })
  const password = 'correct horse'
  const user = await here.addUser({ password })
  const { access_token } = await newPair(here)
  const { cookie } = await signIn(here.kontor, { email: user.email, password })
  const statuses = async () => [
    (await client(here.kontor, access_token).get('/api/v4/account')).status,
    (await withCookie(here.kontor, cookie).get('/api/v4/account')).status,
  ]
  // No answer of before is remembered: each time is more than ten seconds away from the last one.
  for (const ahead of [-60, -6, -86_400, -400 * 86_400, 86_400 - 60]) {
    here.clock.ahead = ahead
    expect([ahead, await statuses()]).toEqual([ahead, [200, 200]])
  }
  here.clock.ahead = 86_400
  expect(await statuses()).toEqual([401, 200])
  here.clock.ahead = 31 * 86_400
  expect(await statuses()).toEqual([401, 401])
})
