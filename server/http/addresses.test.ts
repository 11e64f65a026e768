// Many accounts on one server: which Host headers reach an account, and which are refused.
import { decodeJwt } from 'jose'
import { beforeAll, expect, test } from 'vitest'
import { newAccount } from '../../test/account.ts'
import type { TestAccount } from '../../test/account.ts'
import { raw } from '../../test/raw.ts'
import type { RawAnswer } from '../../test/raw.ts'
import { accountAddress, hostOf } from './addresses.ts'

let ours: TestAccount
let theirs: TestAccount
let bare: string
beforeAll(async () => {
  ours = await newAccount()
  theirs = await newAccount()
  bare = new URL(ours.kontor.url).host
  await ours.api.post('/api/v4/leads', [{ name: 'One' }, { name: 'Two' }])
})

const read = (host: string, path: string) =>
  raw(ours.kontor, { path, headers: { host, authorization: `Bearer ${ours.admin.token}` } })

/** Sends a code, or other fields, for our integration to the token endpoint of a host. */
async function exchangeAt(host: string, fields: object): Promise<RawAnswer> {
  const body = JSON.stringify({ ...ours.integration, grant_type: 'authorization_code', ...fields })
  const headers = { host, 'content-type': 'application/json' }
  return raw(ours.kontor, { method: 'POST', path: '/oauth2/access_token', headers, body })
}

/** Every address in an answer. */
const links = (text: string) =>
  [...text.matchAll(/"(?:href|drive_url)":"([^"]*)"/g)].map(([, href]) => href!)

const paths = [
  '/api/v4/leads?limit=1',
  '/api/v4/leads?limit=1&page=2',
  '/api/v4/events',
  '/api/v4/account?with=drive_url',
]

test.each(paths)(
  '%s at the address of the own account answers with links to there',
  async (path) => {
    for (const host of [`${ours.subdomain}.${bare}`, `${ours.subdomain.toUpperCase()}.${bare}`]) {
      const { status, text } = await read(host, path)
      expect(status).toBe(200)
      expect(links(text).length).toBeGreaterThan(0)
      for (const link of links(text))
        expect(link.startsWith(`http://${ours.subdomain}.${bare}`)).toBe(true)
    }
  },
)

test.each(paths)('%s at the address of another account, or of none, is refused', async (path) => {
  for (const subdomain of [theirs.subdomain, 'nobody', 'a'.repeat(2000)]) {
    const { status, headers } = await read(`${subdomain}.${bare}`, path)
    expect([status, headers['content-type']]).toEqual([401, 'application/problem+json'])
  }
})

const strange: Record<string, () => string> = {
  'another host': () => 'evil.example',
  'another port': () => '127.0.0.1:1',
  nothing: () => '',
  quotes: () => `a"b.${bare}`,
  'the end of a link': () => `"},"x":{"href":"http://evil.example`,
  markup: () => `<script>.${bare}`,
  'a path': () => `evil.example/${ours.subdomain}.${bare}`,
  'a user': () => `evil@${bare}`,
  'a backslash': () => `evil\\.${bare}`,
  'a percent sign': () => `%0d%0a.${bare}`,
  'two subdomains': () => `evil.${ours.subdomain}.${bare}`,
  'a dot in front': () => `.${bare}`,
  'our address inside another': () => `${ours.subdomain}.${bare}.evil.example`,
  'an address in version 6': () => '[::1]:80',
}

test.each(Object.entries(strange))(
  'a Host header that holds %s changes nothing',
  async (_what, host) => {
    for (const path of paths) {
      const { status, text } = await read(host(), path)
      expect(status).toBe(200)
      JSON.parse(text)
      for (const link of links(text))
        expect(link.startsWith(`${ours.kontor.url}/`) || link === ours.kontor.url).toBe(true)
      expect(text).not.toContain('evil')
    }
  },
)

test('the whole address in the request line, as proxies send it, changes nothing either', async () => {
  for (const target of [
    'http://evil.example/api/v4/leads?limit=1',
    `${ours.kontor.url}/api/v4/leads?limit=1`,
  ]) {
    const { status, text } = await read(bare, target)
    expect(status).toBe(200)
    for (const link of links(text))
      expect(link.startsWith(`${ours.kontor.url}/api/v4/leads`)).toBe(true)
  }
})

test('the token endpoint answers at the address of the account, and the token names it', async () => {
  const answer = await exchangeAt(`${ours.subdomain}.${bare}`, { code: await ours.code() })
  expect(answer.status).toBe(200)
  const { access_token } = JSON.parse(answer.text) as { access_token: string }
  expect(decodeJwt(access_token)).toMatchObject({
    api_domain: `${ours.subdomain}.${bare}`,
    account_id: ours.id,
  })
})

test('the token endpoint answers 404 where there is no account', async () => {
  const code = await ours.code()
  const answer = await exchangeAt(`nobody.${bare}`, { code })
  expect([answer.status, answer.headers['content-type']]).toEqual([404, 'application/problem+json'])
  expect((await exchangeAt(bare, { code })).status).toBe(200)
})

test('a code and a refresh token are not known at the address of another account, and stay good', async () => {
  const host = `${theirs.subdomain}.${bare}`
  const code = await ours.code()
  const refused = await exchangeAt(host, { code })
  expect([refused.status, JSON.parse(refused.text)]).toMatchObject([
    400,
    { hint: 'Cannot decrypt the authorization code' },
  ])
  const { refresh_token } = JSON.parse((await exchangeAt(bare, { code })).text) as {
    refresh_token: string
  }
  const again = await exchangeAt(host, { grant_type: 'refresh_token', refresh_token })
  expect([again.status, JSON.parse(again.text)]).toMatchObject([
    401,
    { hint: 'Cannot decrypt the refresh token' },
  ])
  expect((await exchangeAt(bare, { grant_type: 'refresh_token', refresh_token })).status).toBe(200)
})

test.each([
  ['https://crm.example:8443', true, 'crm.example:8443'],
  ['https://crm.example:8443', false, 'sales.crm.example:8443'],
  ['http://127.0.0.1:8080', false, '127.0.0.1:8080'],
  ['http://[::1]:8080', false, '[::1]:8080'],
  ['http://localhost:8080', false, 'localhost:8080'],
])('at %s the first account (%s) answers at %s', (url, is_first, host) => {
  const place = { subdomain: 'sales', is_first }
  expect(hostOf({ url }, place)).toBe(host)
  expect(accountAddress({ url }, place)).toBe(new URL(url).protocol + '//' + host)
})
