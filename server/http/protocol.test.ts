// The protocol of every route.
import http from 'node:http'
import net from 'node:net'
import zlib from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import { newAccount } from '../../test/account.ts'
import type { TestAccount } from '../../test/account.ts'
import { client } from '../../test/client.ts'
import { raw } from '../../test/raw.ts'
import { isPageRoute } from '../../test/pages.ts'
import type { RawAnswer, RawRequest } from '../../test/raw.ts'
import { routes } from '../../test/routes.ts'
import { server } from '../../test/server.ts'
import { isChat } from './chat.ts'

let account: TestAccount
beforeAll(async () => {
  account = await newAccount()
})

const problemType = 'application/problem+json'
const json = { 'content-type': 'application/json' }

const send = (request: RawRequest) =>
  raw(account.kontor, {
    ...request,
    headers: { authorization: `Bearer ${account.admin.token}`, ...request.headers },
  })

/**
 * Status and detail of an answer. Expects a problem with every member of one, or a failure of the
 * version-2 methods of unsorted items.
 */
function problemIn({ status, headers, text }: RawAnswer): [status: number, detail: string] {
  const failure = text.startsWith('{"status":"fail"') && (JSON.parse(text) as { error: string })
  if (failure) {
    expect(headers['content-type']).toBe('application/hal+json')
    return [status, failure.error]
  }
  expect(headers['content-type']).toBe(problemType)
  expect(headers['x-request-id']).toMatch(/^[\da-f-]{36}$/)
  const body = JSON.parse(text) as { status: number; type: string; title: string; detail: string }
  expect(body).toMatchObject({
    status,
    type: `https://httpstatus.es/${status}`,
    title: expect.stringMatching(/./),
  })
  return [status, body.detail]
}

/** Status and detail of an answer of the chat protocol, which has errors of its own form. */
function chatErrorIn({ status, headers, text }: RawAnswer): [status: number, detail: string] {
  expect(headers['content-type']).toBe('application/json')
  const body = JSON.parse(text) as { error_code: number; error_description: string }
  expect(body.error_code).toBe(status)
  return [status, body.error_description]
}

const filled = (path: string) => path.replaceAll(/\{\w+\}/g, '1')
/**
 * The access-granting window and the sign-in answer people with pages. Channels must sign
 * before anything is read (features/conversations/channels). All other routes answer programs.
 */
const programRoutes = routes.filter(({ path }) => !isPageRoute(path) && !isChat(path))
const paths = [...new Set(routes.map(({ path }) => path))].filter((path) => !isPageRoute(path))

test.each([
  '/api',
  '/api/v4',
  '/api/v4/',
  '/api/v4/nothing',
  '/api/v4/leads/1/nothing',
  '/api/v4/nothing/tags',
  '/API/V4/LEADS',
])('404 for %s, whatever the method and the body', async (path) => {
  for (const request of [
    { path },
    { path, method: 'POST', body: '{"broken', headers: json },
    { path, method: 'DELETE' },
  ])
    expect(problemIn(await send(request))).toEqual([404, 'There is nothing at this address'])
  // A client whose token has expired refreshes it at a 401.
  const isInterface = path.startsWith('/api/')
  const expired: Record<string, string> = { authorization: 'Bearer expired' }
  for (const headers of [{}, expired])
    expect(problemIn(await raw(account.kontor, { path, headers }))[0]).toBe(isInterface ? 401 : 404)
})

test('two Host headers are refused, equal or not', async () => {
  const { hostname, port } = new URL(account.kontor.url)
  for (const [one, two] of [
    ['a.example', 'a.example'],
    ['a.example', 'b.example'],
  ]) {
    const socket = net.connect(Number(port), hostname)
    socket.end(`GET /health HTTP/1.1\r\nHost: ${one}\r\nhost: ${two}\r\nConnection: close\r\n\r\n`)
    let text = ''
    for await (const chunk of socket) text += String(chunk)
    expect(text).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
  }
})

test.each(paths)(
  '405 for %s with the methods it takes, with a token and without, before the body is looked at',
  async (path) => {
    const methods = routes.filter((route) => route.path === path).map(({ method }) => method)
    const allowed = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].filter(
      (each) => !allowed.includes(each),
    )) {
      const body = method === 'GET' ? {} : { body: '{"broken', headers: json }
      for (const at of [filled(path), `${filled(path)}/`, `${filled(path)}?page=1&%zz`]) {
        for (const answer of [
          await send({ path: at, method, ...body }),
          await raw(account.kontor, { path: at, method, ...body }),
        ]) {
          expect((isChat(path) ? chatErrorIn : problemIn)(answer)[0]).toBe(405)
          expect(answer.headers.allow!.split(', ').toSorted()).toEqual(allowed.toSorted())
        }
      }
    }
  },
)

test.each(programRoutes.filter(({ method }) => method === 'GET'))(
  'HEAD $path answers as GET, without the body',
  async ({ path }) => {
    const [headRequest, get] = [
      await send({ path: filled(path), method: 'HEAD' }),
      await send({ path: filled(path) }),
    ]
    expect([headRequest.status, headRequest.text]).toEqual([get.status, ''])
    for (const name of ['content-type', 'content-length', 'cache-control'])
      expect(headRequest.headers[name]).toBe(get.headers[name])
    expect(headRequest.headers['x-request-id']).toMatch(/./)
  },
)

test.each(programRoutes.filter(({ method }) => method === 'GET'))(
  '$path ignores a body and a slash at the end',
  async ({ path }) => {
    const plain = await send({ path: filled(path) })
    const odd = await send({
      path: `${filled(path)}/`,
      body: '{"broken',
      headers: { 'content-type': 'text/strange' },
    })
    expect([odd.status, odd.headers['content-type']]).toEqual([
      plain.status,
      plain.headers['content-type'],
    ])
  },
)

const brokenQueries = {
  'percent sign': '%zz',
  'half a character': 'a=%e2%82',
  'U+0000': 'a=%00',
  'open bracket': 'filter[id=1',
  'no name': '=1',
  'too deep': `a${'[b]'.repeat(40)}=1`,
  'too many': Array.from({ length: 2100 }, (_, index) => `a${index}`).join('&'),
}

test.each(programRoutes)(
  '400 for a query string that cannot be read: $method $path',
  async ({ method, path }) => {
    for (const query of Object.values(brokenQueries)) {
      const [status, detail] = problemIn(
        await send({ method, path: `${filled(path)}?${query}`, headers: json, body: '[]' }),
      )
      expect(status).toBe(400)
      expect(detail).toMatch(/parameter/)
    }
  },
)

const writes = routes.filter(({ method, path }) => method !== 'GET' && !isChat(path))

test.each(writes)(
  '$method $path refuses what it cannot read, and says where',
  async ({ method, path }) => {
    const write = (body: string, type: string) =>
      send({ method, path: filled(path), body, headers: { 'content-type': type } })
    const broken = '[\n  {"name": "x"},\n  {"name": }\n]'
    for (const type of [
      'application/json',
      'application/json; charset=utf-8',
      'application/hal+json',
    ])
      expect(problemIn(await write(broken, type))).toEqual([
        400,
        'Invalid JSON at line 3, column 12',
      ])
    expect(problemIn(await write('{"a":"\\u0000"}', 'application/json'))).toEqual([
      400,
      'U+0000 is in a text, at a',
    ])
    // Where forms are taken, the first byte decides, and then the JSON has to be right.
    const takesForms = path.startsWith('/api/v2/')
    expect(problemIn(await write(broken, 'text/plain'))[0]).toBe(takesForms ? 400 : 415)
    for (const type of [
      'text/json',
      'application/xml',
      'multipart/form-data; boundary=x',
      'nonsense',
    ])
      expect(problemIn(await write('{}', type))[0]).toBe(415)
    expect(
      problemIn(
        await write(`["${'x'.repeat(account.kontor.config.bodyLimit)}"]`, 'application/json'),
      )[0],
    ).toBe(413)
  },
)

test('of what anybody may send no more than 64 KiB is read', async () => {
  const { routes } = await server()
  const open = routes.filter(
    ({ method, config }) => method !== 'GET' && config?.access === 'public',
  )
  expect(open.map(({ method, path }) => `${method} ${path}`)).toContain('POST /oauth2/access_token')
  for (const { method, path } of open) {
    const answer = await send({ method, path, headers: json, body: `["${'x'.repeat(64 * 1024)}"]` })
    expect([method, path, answer.status]).toEqual([method, path, 413])
  }
})

test.each([
  ['/api/v4/account', 200, 'application/hal+json'],
  ['/api/v4/leads', 200, 'application/hal+json'],
  ['/api/v4/leads/1', 404, problemType],
  ['/api/v4/events/no-id', 404, problemType],
  ['/api/v4/leads?limit=0', 400, problemType],
  ['/health', 200, 'application/json'],
])('%s answers %s as %s and nothing more', async (path, status, type) => {
  const { headers, ...answer } = await send({ path })
  expect([answer.status, headers['content-type']]).toEqual([status, type])
  expect(headers).toMatchObject({
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  })
  expect(Number(headers['content-length'])).toBe(Buffer.byteLength(answer.text))
})

describe('compression', () => {
  let many: string
  beforeAll(async () => {
    many = `/api/v4/leads?filter[name]=compressed`
    await account.api.post(
      '/api/v4/leads',
      Array.from({ length: 20 }, () => ({ name: 'compressed' })),
    )
  })

  test.each<[string | undefined, string | undefined]>([
    ['gzip', 'gzip'],
    ['br', 'br'],
    ['gzip, deflate, br, zstd', 'br'],
    ['br;q=0.5, gzip;q=1', 'gzip'],
    ['BR;q=0,*', 'gzip'],
    ['*', 'br'],
    ['gzip;q=0', undefined],
    ['deflate', undefined],
    ['identity', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('of a list for Accept-Encoding: %s', async (takes, encoding) => {
    const plain = await bytesOf(many)
    const answer = await bytesOf(many, takes)
    expect(answer.headers['content-encoding']).toBe(encoding)
    expect(answer.headers.vary).toBe('accept-encoding')
    expect(Number(answer.headers['content-length'])).toBe(answer.bytes.length)
    const decoded =
      encoding === 'br'
        ? zlib.brotliDecompressSync(answer.bytes)
        : encoding === 'gzip'
          ? zlib.gunzipSync(answer.bytes)
          : answer.bytes
    expect(decoded.toString()).toBe(plain.bytes.toString())
    if (encoding) expect(answer.bytes.length).toBeLessThan(plain.bytes.length / 4)
  })

  test('leaves out small answers, pages and streams', async () => {
    for (const path of ['/api/v4/leads?filter[id]=1', '/health', '/oauth', '/web/v1/session'])
      expect((await bytesOf(path, 'br')).headers['content-encoding']).toBeUndefined()
    const stream = await send({ path: '/web/v1/stream', headers: { 'accept-encoding': 'gzip' } })
    expect([stream.status, stream.headers['content-encoding']]).toEqual([200, undefined])
  })

  test('can be switched off', async () => {
    const silent = await newAccount({ compression: false })
    await silent.api.post(
      '/api/v4/leads',
      Array.from({ length: 20 }, () => ({})),
    )
    const { headers } = await bytesOf('/api/v4/leads', 'br', silent)
    expect([headers['content-encoding'], headers.vary]).toEqual([undefined, undefined])
  })

  async function bytesOf(path: string, takes?: string, of = account) {
    return await new Promise<{ headers: http.IncomingHttpHeaders; bytes: Buffer }>(
      (resolve, reject) => {
        const headers = {
          authorization: `Bearer ${of.admin.token}`,
          ...(takes !== undefined && { 'accept-encoding': takes }),
        }
        http
          .get(of.kontor.url + path, { headers }, (response) => {
            const chunks: Buffer[] = []
            response.on('data', (chunk: Buffer) => chunks.push(chunk))
            response.on('end', () =>
              resolve({ headers: response.headers, bytes: Buffer.concat(chunks) }),
            )
          })
          .on('error', reject)
      },
    )
  }
})

test('every answer has a request id of its own', async () => {
  const ids = await Promise.all(
    [
      '/api/v4/account',
      '/api/v4/account',
      '/nothing',
      '/api/v4/leads?%zz',
      '/%zz',
      `/api/v4/leads/${'9'.repeat(1000)}`,
    ].map(async (path) => (await send({ path })).headers['x-request-id']),
  )
  expect(ids.every((id) => /^[\da-f-]{36}$/.test(String(id)))).toBe(true)
  expect(new Set(ids).size).toBe(ids.length)
})

test('addresses that cannot be read or are too long', async () => {
  expect(problemIn(await send({ path: '/api/v4/%zz' }))).toEqual([400, 'The address is not valid'])
  expect(problemIn(await send({ path: `/api/v4/leads/${'9'.repeat(1000)}` }))).toEqual([
    414,
    'The address is too long',
  ])
  expect(
    problemIn(await send({ path: `/api/v4/leads?filter[name]=${'x'.repeat(20_000)}` }))[0],
  ).toBe(431)
  expect(
    (
      await client(account.kontor, account.admin.token).get(
        `/api/v4/leads?filter[name]=${'x'.repeat(200)}`,
      )
    ).status,
  ).toBe(200)
})

test('what is no HTTP gets a problem too, and the end of the connection', async () => {
  const { hostname, port } = new URL(account.kontor.url)
  const socket = net.connect(Number(port), hostname)
  socket.end('NONSENSE\r\n\r\n')
  let text = ''
  for await (const chunk of socket) text += String(chunk)
  expect(text).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
  expect(text).toMatch(/content-type: application\/problem\+json\r\n/)
  expect(JSON.parse(text.slice(text.indexOf('{')))).toMatchObject({
    status: 400,
    detail: 'This is not a valid HTTP request',
  })
})
