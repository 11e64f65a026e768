import { decodeJwt, decodeProtectedHeader } from 'jose'
import { expect, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import { client } from '../../../../test/client.ts'
import { exchange, newPair, pairIn, refresh, statusWith } from '../../../../test/oauth.ts'

const formTypes = [
  'application/x-www-form-urlencoded',
  'application/x-www-form-urlencoded; charset=utf-8',
  'APPLICATION/X-WWW-FORM-URLENCODED;charset=UTF-8',
]

test('a code becomes a pair of tokens, and the access token opens the account', async () => {
  const account = await newAccount()
  const answer = await exchange(account, { code: await account.code() })
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toBe('application/json')
  expect(answer.headers.get('cache-control')).toBe('no-store')
  expect(Object.keys(answer.body)).toEqual([
    'token_type',
    'expires_in',
    'server_time',
    'access_token',
    'refresh_token',
  ])
  expect(answer.body).toMatchObject({
    token_type: 'Bearer',
    expires_in: 86_400,
    server_time: expect.any(Number),
  })
  const { status, body } = await client(account.kontor, answer.body.access_token).get(
    '/api/v4/account',
  )
  expect([status, body.id, body.current_user_id]).toEqual([200, account.id, account.admin.id])
})

test('a refresh token becomes another pair', async () => {
  const account = await newAccount()
  const first = await newPair(account)
  const second = pairIn(await refresh(account, first))
  expect(second.refresh_token).not.toBe(first.refresh_token)
  expect(await statusWith(account, second)).toBe(200)
})

test.each(formTypes)('both grants come as %s too', async (type) => {
  const account = await newAccount()
  const send = (fields: Record<string, string>) => {
    const body = new URLSearchParams({ ...account.integration, ...fields }).toString()
    return client(account.kontor).post('/oauth2/access_token', body, { 'content-type': type })
  }
  const first = pairIn(await send({ grant_type: 'authorization_code', code: await account.code() }))
  const second = pairIn(
    await send({ grant_type: 'refresh_token', refresh_token: first.refresh_token }),
  )
  expect(await statusWith(account, second)).toBe(200)
})

test('an authorization header, a foreign parameter and a media type with a charset do not disturb', async () => {
  const account = await newAccount()
  const body = {
    ...account.integration,
    grant_type: 'authorization_code',
    code: await account.code(),
    scope: 'crm',
  }
  const headers = {
    authorization: 'Bearer nonsense',
    'content-type': 'application/json; charset=utf-8',
  }
  const answer = await client(account.kontor).post('/oauth2/access_token', body, headers)
  expect(answer.status).toBe(200)
})

test('the access token tells programs what they read from it', async () => {
  const account = await newAccount()
  const { access_token } = await newPair(account)
  expect(decodeProtectedHeader(access_token)).toMatchObject({ typ: 'JWT', alg: 'RS256' })
  const claims = decodeJwt(access_token)
  const host = new URL(account.kontor.url).host
  expect(claims).toMatchObject({
    aud: account.integration.client_id,
    sub: String(account.admin.id),
    account_id: account.id,
    api_domain: host,
    base_domain: host,
    version: 2,
    scopes: ['crm', 'notifications'],
    jti: expect.stringMatching(/^[\da-f-]{36}$/),
  })
  expect(claims.nbf).toBe(claims.iat)
  expect(claims.exp).toBe(claims.iat! + 86_400)
})

test('codes and pairs of one integration live side by side', async () => {
  const account = await newAccount()
  const codes = [await account.code(), await account.code()]
  const pairs = [
    pairIn(await exchange(account, { code: codes[1] })),
    pairIn(await exchange(account, { code: codes[0] })),
  ]
  expect(
    new Set(pairs.flatMap(({ access_token, refresh_token }) => [access_token, refresh_token])).size,
  ).toBe(4)
  expect(await Promise.all(pairs.map((pair) => statusWith(account, pair)))).toEqual([200, 200])
})
