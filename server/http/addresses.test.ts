// Which Host headers reach an account, which are refused, and which may stand in an answer.
import type { Socket } from 'node:net'
import { decodeJwt } from 'jose'
import { beforeAll, describe, expect, test } from 'vitest'
import { newAccount, proof } from '../../test/account.ts'
import type { TestAccount } from '../../test/account.ts'
import { addScope, avatar, publish } from '../../test/chats.ts'
import { client } from '../../test/client.ts'
import { raw } from '../../test/raw.ts'
import type { RawAnswer, RawRequest } from '../../test/raw.ts'
import type { Config } from '../config.ts'
import { accountAddress, hostOf, loopbackBaseOf } from './addresses.ts'

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
  const account = { subdomain: 'sales', is_first }
  expect(hostOf({ url }, account)).toBe(host)
  expect(accountAddress({ url }, account)).toBe(new URL(url).protocol + '//' + host)
})

/** How a server may be reached, and whether links of answers begin with the address that the caller used. */
const modes: Record<string, [settings: Partial<Config>, isNear: boolean]> = {
  'for this machine': [{}, true],
  'for this machine under a name': [{ url: 'http://crm.localhost:4000' }, true],
  'with a public address': [{ url: 'https://crm.example.com' }, false],
  'on every interface': [{ host: '0.0.0.0' }, false],
  'behind a proxy': [{ trustedProxy: ['127.0.0.1'] }, false],
}

/** Hosts that mean this machine, as a caller may write them. */
const loopbackHosts = (port: string) => [
  `localhost:${port}`,
  `127.0.0.1:${port}`,
  `[::1]:${port}`,
  `LocalHost:${port}`,
]

/** Hosts that must never stand in an answer: other ports, other names, and tricks with the near ones. */
const farHosts = (port: string) => [
  'localhost',
  '127.0.0.1',
  '[::1]',
  'localhost:1',
  '127.0.0.1:1',
  '[::1]:1',
  'localhost:',
  `localhost:0${port}`,
  `localhost:${port}0`,
  'evil.example',
  `evil.example:${port}`,
  `localhost.evil.example:${port}`,
  `localhost.:${port}`,
  `evil.localhost:${port}`,
  `evil-localhost:${port}`,
  `127.0.0.2:${port}`,
  `127.1:${port}`,
  `127a0b0c1:${port}`,
  `::1:${port}`,
  `[::2]:${port}`,
  `[::ffff:127.0.0.1]:${port}`,
  `evil@localhost:${port}`,
  `localhost:${port}@evil.example`,
  `localhost@evil.example:${port}`,
  `localhost:${port}/evil`,
  `localhost:${port}\\evil`,
  `localhost:${port}#evil`,
  `localhost:${port}?evil`,
  `localhost:${port},evil.example`,
  `evil.example, localhost:${port}`,
  `localhost:${port}"},"evil":{"href":"`,
]

/** Every address in an answer but those that clients wrote: of a receiver, and of a picture. */
const addressesIn = (text: string) =>
  [...text.matchAll(/"(https?:[^"]*)"/g)]
    .map(([, address]) => address!)
    .filter((address) => ![receiver, avatar].includes(address))
const receiver = 'https://receiver.example/'

describe.each(Object.entries(modes))('a server %s', (_mode, [settings, isLoopback]) => {
  let account: TestAccount
  let port: string
  let reads: string[]
  beforeAll(async () => {
    const made = await newAccount(settings)
    port = new URL(made.address).port
    const kontor = { ...made.kontor, url: made.address }
    account = { ...made, kontor, api: client(kontor, made.admin.token) }
    const { body } = await account.api.post('/api/v4/leads', [{ name: 'One' }, { name: 'Two' }])
    const lead: number = body._embedded.leads[0].id
    const subscription = { destination: receiver, settings: ['add_lead'] }
    await account.api.post('/api/v4/webhooks', subscription)
    await publish(await addScope(account), {})
    reads = [
      '/api/v4/leads?limit=1',
      '/api/v4/leads?limit=1&page=2',
      `/api/v4/leads/${lead}`,
      '/api/v4/events?limit=1',
      '/api/v4/talks',
      '/api/v4/webhooks',
      '/api/v2/webhooks',
      '/api/v4/account?with=drive_url',
      '/web/v1/chats',
      '/web/v1/webhooks',
      '/developers/openapi.json',
    ]
  })

  const ask = (host: string, path: string, more: Partial<RawRequest> = {}) =>
    raw(account.kontor, {
      path,
      ...more,
      headers: { host, authorization: `Bearer ${account.admin.token}`, ...more.headers },
    })
  /** Expects of these reads at a host that all links begin with an address. */
  async function expectLinks(host: string, base: string, paths = reads): Promise<void> {
    const answers = await Promise.all(paths.map((path) => ask(host, path)))
    for (const [index, { status, text }] of answers.entries()) {
      const path = paths[index]!
      expect([status, host, path]).toEqual([200, host, path])
      // The document has addresses of other servers as examples.
      const links = path.startsWith('/developers')
        ? [JSON.parse(text).servers[0].url]
        : addressesIn(text)
      expect(links.length).toBeGreaterThan(0)
      expect(links.filter((link) => !`${link}/`.startsWith(`${base}/`))).toEqual([])
    }
  }
  const publicUrl = () => settings.url ?? account.address

  test('answers a near host with links to there, unless others reach it', async () => {
    for (const host of loopbackHosts(port))
      await expectLinks(host, isLoopback ? `http://${host.toLowerCase()}` : publicUrl())
  })

  test('answers any other host with links to its public address', async () => {
    const some = ['/api/v4/leads?limit=1', '/api/v2/webhooks', '/web/v1/chats']
    for (const host of farHosts(port)) await expectLinks(host, publicUrl(), some)
    await expectLinks(`evil.example:${port}`, publicUrl())
  })

  test('leads a client that stays at its host to page 2', async () => {
    if (!isLoopback) return
    for (const host of loopbackHosts(port)) {
      const { text } = await ask(host, '/api/v4/leads?limit=1')
      const next = new URL(JSON.parse(text)._links.next.href)
      expect(next.host).toBe(host.toLowerCase())
      const second = await ask(host, next.pathname + next.search)
      expect(JSON.parse(second.text)._embedded.leads[0].name).toBe('Two')
    }
  })

  test('tells other people and programs its public address', async () => {
    const send = async (path: string, body: object) => {
      const headers = { 'content-type': 'application/json' }
      const sent = { method: 'POST', headers, body: JSON.stringify(body) }
      return JSON.parse((await ask(`localhost:${port}`, path, sent)).text)
    }
    const invited = { email: `a@${account.subdomain}.example`, ...proof }
    const several = { emails: [`b@${account.subdomain}.example`], ...proof }
    const { id } = await account.addUser()
    const first = await send('/web/v1/invitations', invited)
    const links = [
      first.url,
      (await send(`/web/v1/invitations/${first.id}/link`, proof)).url,
      (await send('/web/v1/invitations/several', several))._embedded.invitations[0].url,
      (await send(`/web/v1/users/${id}/reset-link`, proof)).url,
    ]
    for (const link of links) {
      expect(link.startsWith(`${publicUrl()}/`)).toBe(true)
      expect(new URL(link).pathname).toMatch(/^\/(?:invite|reset)\//)
    }

    const code = { ...account.integration, grant_type: 'authorization_code' }
    const pair = await send('/oauth2/access_token', { ...code, code: await account.code() })
    const host = new URL(publicUrl()).host
    expect(decodeJwt(pair.access_token)).toMatchObject({ api_domain: host, base_domain: host })
    const { text } = await ask(`localhost:${port}`, '/oauth2/account/subdomain')
    expect(JSON.parse(text).domain).toBe(
      hostOf({ url: publicUrl() }, { subdomain: account.subdomain, is_first: false }),
    )
  })
})

test.each([
  ['http', 'localhost', 80, 'http://localhost'],
  ['http', '[::1]:80', 80, 'http://[::1]:80'],
  ['https', '127.0.0.1', 443, 'https://127.0.0.1'],
  ['https', 'localhost:8443', 8443, 'https://localhost:8443'],
  ['http', 'localhost', 443, undefined],
  ['https', 'localhost', 80, undefined],
  ['http', 'localhost', 8080, undefined],
  ['http', 'localhost:8080\n', 8080, undefined],
  ['http', '', 8080, undefined],
  ['http', 'localhost:8080', undefined, undefined],
] as const)('%s at %j on port %s is %s', (protocol, host, localPort, base) => {
  const socket = { localPort } as Socket
  expect(loopbackBaseOf({ protocol, host, socket })).toBe(base)
})
