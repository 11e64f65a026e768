// A refresh token is used once. The answer to a repeat depends on its time and on the setting of
// the integration.
import { pino } from 'pino'
import { afterEach, expect, test, vi } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import type { TestAccount } from '../../../../test/account.ts'
import { client } from '../../../../test/client.ts'
import type { Answer } from '../../../../test/client.ts'
import { exchange, grantOf, newPair, pairIn, refresh, statusWith } from '../../../../test/oauth.ts'
import type { Pair } from '../../../../test/oauth.ts'
import { raw } from '../../../../test/raw.ts'
import { server } from '../../../../test/server.ts'
import { buildApp } from '../../../app.ts'

const revoked = [401, 'Token has been revoked']
const statusAndHint = ({ status, body }: Answer) => [status, body.hint]

afterEach(async () => {
  const { clock } = await server()
  clock.ahead = 0
})

/** A revocation takes a moment to reach the server; remembered access would last ten seconds. */
async function expectRefused(account: TestAccount, pair: Pair): Promise<void> {
  await vi.waitFor(async () => expect(await statusWith(account, pair)).toBe(401), { timeout: 8000 })
}

test('a repeat within a minute is refused, and nothing else happens', async () => {
  const account = await newAccount()
  const first = await newPair(account)
  const second = pairIn(await refresh(account, first))
  account.clock.ahead = 30
  expect(statusAndHint(await refresh(account, first))).toEqual(revoked)
  expect(statusAndHint(await refresh(account, first))).toEqual(revoked)
  expect(await statusWith(account, first)).toBe(200)
  expect(await statusWith(account, second)).toBe(200)
  expect((await refresh(account, second)).status).toBe(200)
})

test('a repeat later revokes the whole family, and no other', async () => {
  const account = await newAccount()
  const [first, neighbour] = [await newPair(account), await newPair(account)]
  const second = pairIn(await refresh(account, first))
  const third = pairIn(await refresh(account, second))
  expect(new Set([first, second, third].map(grantOf)).size).toBe(1)
  // Makes the server remember them as valid.
  expect(
    await Promise.all([first, second, third].map((pair) => statusWith(account, pair))),
  ).toEqual([200, 200, 200])

  account.clock.ahead = 70
  expect(statusAndHint(await refresh(account, first))).toEqual(revoked)
  for (const pair of [first, second, third]) await expectRefused(account, pair)
  expect(statusAndHint(await refresh(account, third))).toEqual(revoked)
  expect(await statusWith(account, neighbour)).toBe(200)
  expect((await refresh(account, neighbour)).status).toBe(200)
})

test('after the clock was put back, a used token is refused, and nothing else happens', async () => {
  const account = await newAccount()
  const forgiving = await account.addIntegration({ forgiving_refresh: true })
  for (const integration of [account.integration, forgiving]) {
    account.clock.ahead = 0
    const first = await newPair(account, integration)
    const second = pairIn(await refresh(account, first, integration))
    account.clock.ahead = -3600
    expect(statusAndHint(await refresh(account, first, integration))).toEqual(revoked)
    expect(await statusWith(account, second)).toBe(200)
    expect((await refresh(account, second, integration)).status).toBe(200)
  }
})

test('of two refreshes with one token at once one wins, and its pair lives', async () => {
  const account = await newAccount()
  const first = await newPair(account)
  const answers = await Promise.all(Array.from({ length: 6 }, () => refresh(account, first)))
  const won = answers.filter(({ status }) => status === 200)
  expect(won).toHaveLength(1)
  for (const answer of answers.filter((each) => each !== won[0]))
    expect(statusAndHint(answer)).toEqual(revoked)
  const second = pairIn(won[0]!)
  expect(await statusWith(account, second)).toBe(200)
  expect((await refresh(account, second)).status).toBe(200)
})

test('of two exchanges of one code at once one wins, and its pair lives', async () => {
  const account = await newAccount()
  const code = await account.code()
  const answers = await Promise.all(Array.from({ length: 6 }, () => exchange(account, { code })))
  const won = answers.filter(({ status }) => status === 200)
  expect(won).toHaveLength(1)
  for (const answer of answers.filter((each) => each !== won[0]))
    expect(statusAndHint(answer)).toEqual([400, 'Authorization code has been revoked'])
  expect(await statusWith(account, pairIn(won[0]!))).toBe(200)
})

test('a forgiving integration gets a new pair within the first minute, and all of them live', async () => {
  const account = await newAccount()
  const forgiving = await account.addIntegration({ forgiving_refresh: true })
  const first = await newPair(account, forgiving)
  const answered = pairIn(await refresh(account, first, forgiving))
  account.clock.ahead = 30
  const repeated = pairIn(await refresh(account, first, forgiving))
  expect(repeated.refresh_token).not.toBe(answered.refresh_token)
  expect(grantOf(repeated)).toBe(grantOf(answered))
  expect((await refresh(account, answered, forgiving)).status).toBe(200)
  expect((await refresh(account, repeated, forgiving)).status).toBe(200)

  // The minute counts from the first use; a repeat does not prolong it.
  account.clock.ahead = 70
  expect(statusAndHint(await refresh(account, first, forgiving))).toEqual(revoked)
  await expectRefused(account, repeated)
})

test('six repeats at once to a forgiving integration give six pairs that live', async () => {
  const account = await newAccount()
  const forgiving = await account.addIntegration({ forgiving_refresh: true })
  const first = await newPair(account, forgiving)
  const pairs = (
    await Promise.all(Array.from({ length: 6 }, () => refresh(account, first, forgiving)))
  ).map(pairIn)
  expect(await Promise.all(pairs.map((pair) => statusWith(account, pair)))).toEqual([
    200, 200, 200, 200, 200, 200,
  ])
})

test('a refresh token of another integration of the same account is refused, and stays good', async () => {
  const account = await newAccount()
  const other = await account.addIntegration({})
  const pair = await newPair(account)
  expect(statusAndHint(await refresh(account, pair, other))).toEqual(revoked)
  expect((await refresh(account, pair)).status).toBe(200)
})

// The account of a token (interface: Account of a token).
const current = '/oauth2/account/current/subdomain'
const withToken = (account: TestAccount, token: string, path = current) =>
  client(account.kontor).get(path, { 'x-refresh-token': token })

test('a refresh token names its account and host, and is not used up', async () => {
  const account = await newAccount()
  const pair = await newPair(account)
  const { status, headers, body } = await withToken(account, pair.refresh_token)
  const host = account.kontor.url.split('//')[1]!
  expect([status, headers.get('content-type')]).toEqual([200, 'application/json'])
  expect(body).toEqual({
    id: account.id,
    subdomain: account.subdomain,
    domain: host,
    top_level_domain: host.replace(/:\d+$/, ''),
  })
  expect((await account.api.get('/oauth2/account/subdomain')).body).toEqual(body)
  const next = pairIn(await refresh(account, pair))
  expect((await withToken(account, next.refresh_token)).body).toEqual(body)
})

test('the host is that of the account where accounts have hosts of their own', async () => {
  const account = await newAccount()
  const { refresh_token, access_token } = await newPair(account)
  const named = { ...account.kontor, url: 'https://crm.example.com:8443' }
  const app = await buildApp(named, pino({ level: 'silent' }))
  const ask = async (url: string, headers: Record<string, string>) =>
    (await app.inject({ url, headers })).json()
  const domain = `${account.subdomain}.crm.example.com:8443`
  const shown = { subdomain: account.subdomain, domain, top_level_domain: 'com' }
  for (const host of [domain, 'crm.example.com:8443'])
    expect(await ask(current, { host, 'x-refresh-token': refresh_token })).toMatchObject(shown)
  const authorization = `Bearer ${access_token}`
  expect(await ask('/oauth2/account/subdomain', { authorization })).toMatchObject(shown)
  const elsewhere = { host: 'other.crm.example.com:8443', 'x-refresh-token': refresh_token }
  expect(await ask(current, elsewhere)).toMatchObject({ status: 401 })
  await app.close()
})

test('an access token names its account and host, too', async () => {
  const account = await newAccount()
  const stranger = await newAccount()
  const { access_token, refresh_token } = await newPair(account)
  const ask = (headers: Record<string, string>) => client(account.kontor).get(current, headers)
  const authorization = `Bearer ${access_token}`
  const body = (await withToken(account, refresh_token)).body
  expect((await ask({ authorization })).body).toEqual(body)
  expect((await ask({ authorization, 'x-refresh-token': '' })).body).toEqual(body)
  // A token made on the server has no refresh token.
  expect((await ask({ authorization: `Bearer ${account.admin.token}` })).body).toEqual(body)

  // Where a refresh token is sent, it alone decides.
  const theirs = (await newPair(stranger)).refresh_token
  expect((await ask({ authorization, 'x-refresh-token': theirs })).body.id).toBe(stranger.id)
  expect((await ask({ authorization, 'x-refresh-token': 'x' })).status).toBe(401)

  for (const wrong of [`Bearer ${refresh_token}`, 'Bearer x', access_token, 'Basic YTpi', ''])
    expect((await ask({ authorization: wrong })).status).toBe(401)
  const port = new URL(account.kontor.url).port
  const headers = { host: `${stranger.subdomain}.127.0.0.1:${port}`, authorization }
  expect((await raw(account.kontor, { path: current, headers })).status).toBe(401)
  account.clock.ahead = 2 * 86_400
  expect((await ask({ authorization })).status).toBe(401)
  account.clock.ahead = 0
  const at = `/web/v1/integrations/${account.integration.client_id}/installation`
  expect((await account.api.send('DELETE', at)).status).toBe(204)
  expect((await ask({ authorization })).status).toBe(401)
})

test('tokens that could not be exchanged name no account', async () => {
  const account = await newAccount()
  const used = await newPair(account)
  const next = pairIn(await refresh(account, used))
  const long = `def50201-${account.id}-${'x'.repeat(128)}`
  for (const token of ['', 'x', used.refresh_token, used.access_token, long])
    expect((await withToken(account, token)).status).toBe(401)
  expect((await client(account.kontor).get(current)).status).toBe(401)
  // The token of another account's place.
  const moved = next.refresh_token.replace(`-${account.id}-`, '-1-')
  expect((await withToken(account, moved)).status).toBe(401)
  // Asking with a used token revokes nothing.
  expect((await withToken(account, next.refresh_token)).status).toBe(200)
  account.clock.ahead = 100 * 86_400
  expect((await withToken(account, next.refresh_token)).status).toBe(401)
  account.clock.ahead = 0
  const at = `/web/v1/integrations/${account.integration.client_id}/installation`
  expect((await account.api.send('DELETE', at)).status).toBe(204)
  expect((await withToken(account, next.refresh_token)).status).toBe(401)
  expect((await client(account.kontor).get('/oauth2/account/subdomain')).status).toBe(401)
})
