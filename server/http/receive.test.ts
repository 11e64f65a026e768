// How bodies are read: the very bytes that programs send, and the bounds that a body meets.
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import fastify from 'fastify'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { newAccount } from '../../test/account.ts'
import type { TestAccount } from '../../test/account.ts'
import { addSeller } from '../../test/leads.ts'
import { raw } from '../../test/raw.ts'
import { server } from '../../test/server.ts'
import { openBodyBudget } from '../access/body-budget.ts'
import type { App } from '../kontor.ts'
import { scanStructure, mostStructure } from './structure.ts'
import { receiveBodies } from './receive.ts'
import { asProblem } from './problem.ts'

let account: TestAccount
beforeAll(async () => {
  account = await newAccount()
})

const form = 'application/x-www-form-urlencoded'
const json = 'application/json'

async function post(path: string, body: string | Buffer, type?: string) {
  const headers = {
    authorization: `Bearer ${account.admin.token}`,
    ...(type !== undefined && { 'content-type': type }),
  }
  const { status, text } = await raw(account.kontor, { method: 'POST', path, body, headers })
  return { status, body: JSON.parse(text) }
}

/** Sends each chunk by itself, and answers the status. */
function sendInChunks(path: string, type: string, chunks: (string | Buffer)[]): Promise<number> {
  const { hostname, port } = new URL(account.kontor.url)
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${account.admin.token}`, 'content-type': type }
    const sent = http.request({ host: hostname, port, method: 'POST', path, headers })
    sent.on('error', reject)
    sent.on('response', (answer) => {
      answer.resume()
      resolve(answer.statusCode!)
    })
    const next = () => {
      const chunk = chunks.shift()
      if (chunk === undefined) sent.end()
      else sent.write(chunk, () => setImmediate(next))
    }
    next()
  })
}

describe('a body without a useful content type', () => {
  const lead = '[{"name":"from curl"}]'

  test.each<[string, string | undefined, string]>([
    ['none', undefined, lead],
    ['text/plain', 'text/plain', lead],
    ['text/plain with a charset', 'text/plain; charset=UTF-8', lead],
    ['the form default of curl', form, lead],
    ['blanks before it', form, ` \r\n\t${lead}`],
    ['a byte order mark before it', undefined, `\u{feff}${lead}`],
    ['an object', form, '{"name":"from curl"}'],
    ['a text with the signs of a form', form, '[{"name":"a=1&b=%zz"}]'],
  ])('is read as JSON: %s', async (_, type, body) => {
    expect((await post('/api/v4/leads', body, type)).status).toBe(200)
  })

  test.each<[string, string | undefined, string, string]>([
    ['a true form', form, 'name=x', 'This method takes a JSON body'],
    ['JSON that does not parse', form, '[{"name":}]', 'This method takes a JSON body'],
    ['JSON that does not parse', undefined, '{"name"', 'The body must be JSON or form-encoded'],
    ['a number', undefined, '5', 'The body must be JSON or form-encoded'],
    ['a text', 'text/plain', '"name"', 'The body must be JSON or form-encoded'],
    ['another type', 'application/xml', lead, 'The body must be JSON or form-encoded'],
    [
      'the type of a file',
      'multipart/form-data; boundary=x',
      lead,
      'The body must be JSON or form-encoded',
    ],
  ])('is refused: %s', async (_, type, body, detail) => {
    expect(await post('/api/v4/leads', body, type)).toMatchObject({ status: 415, body: { detail } })
  })

  test.each<[string, string, number]>([
    ['a form', 'subscribe[0][url]=https://first-byte.example&subscribe[0][events][]=add_lead', 200],
    ['JSON', '\n{"subscribe":[{"url":"https://first-byte.example","events":["add_lead"]}]}', 200],
    ['JSON that does not parse', '{"subscribe":[', 400],
  ])('is read by its first byte where forms are taken: %s', async (_, body, expected) => {
    for (const type of [undefined, 'text/plain'])
      expect((await post('/api/v2/webhooks/subscribe', body, type)).status).toBe(expected)
  })

  test('counts as none when it is empty, whatever its type', async () => {
    for (const type of [json, 'text/plain', form, undefined])
      expect(await post('/api/v4/leads', '', type)).toMatchObject({
        status: 400,
        body: { detail: 'Request validation failed' },
      })
  })

  test('is not guessed outside the interface', async () => {
    for (const [path, type] of [
      ['/web/v1/session', 'text/plain'],
      ['/web/v1/session', form],
      ['/oauth2/access_token', 'text/plain'],
    ])
      expect((await post(path!, '{"email":"x"}', type)).status).toBe(415)
    expect((await post('/oauth2/access_token', 'grant_type=x', form)).status).toBe(400)
  })
})

describe('lists as PHP writes them', () => {
  test.each<[string, string]>([
    ['the batch', '{"0":{"name":"a"},"1":{"name":"b"}}'],
    ['tags', '[{"name":"a","_embedded":{"tags":{"0":{"name":"php"},"1":{"name":"list"}}}}]'],
    ['an item of one', '{"0":{"name":"a","_embedded":{"tags":{"0":{"name":"php"}}}}}'],
    ['an empty object', '[{"name":"a","_embedded":[]}]'],
  ])('%s', async (_, body) => {
    expect((await post('/api/v4/leads', body, json)).status).toBe(200)
  })

  test('the statuses of a pipeline, each with a request_id', async () => {
    const draft = {
      name: 'From PHP',
      sort: 9,
      _embedded: {
        statuses: { 0: { name: 'One', request_id: 's1' }, 1: { name: 'Two', request_id: 7 } },
      },
      request_id: 'p1',
    }
    const { status, body } = await post('/api/v4/leads/pipelines', JSON.stringify([draft]), json)
    expect(status).toBe(200)
    const [{ request_id, _embedded }] = body._embedded.pipelines
    expect(request_id).toBe('p1')
    expect(_embedded.statuses.map(({ name }: { name: string }) => name)).toContain('Two')
  })

  test('a request_id of a tag, a field and a value is not stored', async () => {
    const field = await post('/api/v4/leads/custom_fields', '[{"name":"F","type":"text"}]', json)
    const [{ id: field_id }] = field.body._embedded.custom_fields
    const values = { 0: { value: 'v', request_id: 'v' } }
    const draft = {
      name: 'named',
      custom_fields_values: { 0: { field_id, request_id: 'f', values } },
      _embedded: { tags: { 0: { name: 'named', request_id: 't' } } },
    }
    const { body } = await post('/api/v4/leads', JSON.stringify({ 0: draft }), json)
    const shown = (await account.api.get(`/api/v4/leads/${body._embedded.leads[0].id}`)).body
    expect(shown.custom_fields_values[0].values).toEqual([{ value: 'v' }])
    expect(JSON.stringify(shown)).not.toContain('request_id')
  })

  test.each<[string, string, string]>([
    ['a gap', '{"tags":{"0":{"name":"a"},"2":{"name":"b"}}}', '_embedded.tags InvalidType'],
    ['not from 0', '{"tags":{"1":{"name":"a"}}}', '_embedded.tags InvalidType'],
    ['another key', '{"tags":{"0":{"name":"a"},"x":1}}', '_embedded.tags InvalidType'],
    ['a leading zero', '{"tags":{"00":{"name":"a"}}}', '_embedded.tags InvalidType'],
    [
      'too many',
      `{"tags":${JSON.stringify(Object.fromEntries(Array.from({ length: 101 }, (_, n) => [n, { name: `${n}` }])))}}`,
      '_embedded.tags TooMany',
    ],
    ['a list for an object', '[{"tags":[]}]', '_embedded InvalidType'],
    [
      'a request_id that is no name',
      '{"tags":[{"name":"a","request_id":{}}]}',
      '_embedded.tags.0.request_id FieldNotExpected',
    ],
  ])('are refused with %s', async (_, embedded, fault) => {
    const { status, body } = await post(
      '/api/v4/leads',
      `[{"name":"x","_embedded":${embedded}}]`,
      json,
    )
    expect(status).toBe(400)
    const [{ errors }] = body['validation-errors']
    expect(
      errors.map(({ path, code }: { path: string; code: string }) => `${path} ${code}`),
    ).toEqual([fault])
  })

  test('are empty as an empty object, and a batch of nothing is refused', async () => {
    const { api } = account
    const field = await post('/api/v4/leads/custom_fields', '[{"name":"F","type":"text"}]', json)
    const [{ id: field_id }] = field.body._embedded.custom_fields
    const values = [{ value: 'v' }]
    const custom_fields_values = [{ field_id, values }]
    const draft = { name: 'full', custom_fields_values, _embedded: { tags: [{ name: 'named' }] } }
    const { body } = await post('/api/v4/leads', JSON.stringify([draft]), json)
    const path = `/api/v4/leads/${body._embedded.leads[0].id}`
    const change = { custom_fields_values: [{ field_id, values: {} }], _embedded: { tags: {} } }
    expect((await api.patch(path, change)).status).toBe(200)
    const shown = (await api.get(path)).body
    expect([shown.custom_fields_values, shown._embedded.tags]).toEqual([null, []])
    expect((await api.patch(path, { custom_fields_values: {} })).status).toBe(200)
    const before = (await api.get('/api/v4/leads')).body._embedded.leads.length
    for (const sent of [
      await post('/api/v4/leads', '{}', json),
      await post('/api/v4/leads', '', 'application/x-www-form-urlencoded'),
      await api.patch('/api/v4/leads', {}),
      await post('/api/v4/leads/complex', '{}', json),
    ])
      expect(sent.status).toBe(400)
    expect((await api.get('/api/v4/leads')).body._embedded.leads).toHaveLength(before)
    expect((await post('/api/v4/leads', '[{}]', json)).status).toBe(200)
    expect((await api.patch(path, {})).status).toBe(200)
  })

  test('a change of one record may be an empty list, which changes nothing', async () => {
    const { body } = await post('/api/v4/leads', '[{"name":"same"}]', json)
    const path = `/api/v4/leads/${body._embedded.leads[0].id}`
    expect((await account.api.patch(path, [])).status).toBe(200)
    expect((await account.api.patch(path, [{ name: 'x' }])).status).toBe(400)
  })
})

describe('the text of a body', () => {
  const broken = (text: string) => Buffer.from(text, 'latin1')

  test.each<[string, Buffer, string | undefined, number]>([
    ['a byte of Latin-1', broken('[{"name":"caf\xe9"}]'), json, 400],
    ['half a character', broken('[{"name":"\xd0"}]'), json, 400],
    ['an overlong character', broken('[{"name":"\xc0\xaf"}]'), json, 400],
    ['a surrogate', broken('[{"name":"\xed\xa0\x80"}]'), json, 400],
    ['Latin-1 without a type', broken('[{"name":"caf\xe9"}]'), undefined, 400],
    ['UTF-16', Buffer.from('[{"name":"x"}]', 'utf16le'), json, 400],
    ['another charset', Buffer.from('[{"name":"x"}]'), `${json}; charset=windows-1251`, 415],
    [
      'another charset, quoted',
      Buffer.from('[{"name":"x"}]'),
      `${json}; Charset="ISO-8859-1"`,
      415,
    ],
    ['UTF-8', Buffer.from('[{"name":"café"}]'), `${json};charset="UTF-8"`, 200],
    ['ASCII', Buffer.from('[{"name":"x"}]'), `${json}; charset=us-ascii`, 200],
  ])('%s', async (_, body, type, status) => {
    const before = await count()
    expect((await post('/api/v4/leads', body, type)).status).toBe(status)
    expect(await count()).toBe(before + (status === 200 ? 1 : 0))
  })

  test('a compressed body', async () => {
    const { status, text } = await raw(account.kontor, {
      method: 'POST',
      path: '/api/v4/leads',
      body: gzipSync('[{"name":"x"}]'),
      headers: {
        authorization: `Bearer ${account.admin.token}`,
        'content-type': json,
        'content-encoding': 'gzip',
      },
    })
    expect([status, JSON.parse(text).detail]).toEqual([415, 'The body must not be compressed'])
  })

  test('a form that is not UTF-8', async () => {
    const path = '/oauth2/access_token'
    expect((await post(path, broken('grant_type=caf\xe9'), form)).status).toBe(400)
    expect((await post(path, 'grant_type=%e9', form)).status).toBe(400)
  })

  const count = async () =>
    (await account.api.get('/api/v4/leads?limit=250')).body._embedded.leads.length
})

describe('the bounds of a body', () => {
  test('a form on a route without credentials is flat, has 32 pairs and 8 KiB at most', async () => {
    const { routes } = await server()
    const open = routes.filter(({ config }) => config?.access === 'public' && config.takesForms)
    expect(open.map(({ path }) => path)).toEqual([
      '/oauth2/access_token',
      '/oauth',
      '/login',
      '/reset/{token}',
      '/invite/{token}',
      '/setup',
    ])
    for (const { path } of open) {
      const ask = async (body: string) => {
        const headers = { 'content-type': form }
        const { status, text } = await raw(account.kontor, { method: 'POST', path, body, headers })
        return [status, /More than 32 parameters|deeper than 1 levels|too large/.exec(text)?.[0]]
      }
      const pairs = (count: number) => Array.from({ length: count }, (_, n) => `a${n}=1`).join('&')
      const fine = await ask('state=x')
      expect(fine[1]).toBeUndefined()
      expect(await ask(pairs(32))).toEqual(fine)
      expect(await ask(pairs(33))).toEqual([400, 'More than 32 parameters'])
      expect(await ask('a[]=1')).toEqual([400, 'deeper than 1 levels'])
      expect(await ask(`a=${'x'.repeat(8190)}`)).toEqual(fine)
      expect(await ask(`a=${'x'.repeat(8191)}`)).toEqual([413, 'too large'])
    }
  })

  test('a caller without the right is refused before the body is read', async () => {
    const seller = await addSeller(account, {})
    const nobody = await seller.api.get('/api/v4/leads')
    expect(nobody.status).toBe(403)
    for (const { method, path } of [
      { method: 'POST', path: '/api/v4/leads' },
      { method: 'PATCH', path: '/api/v4/leads/1' },
      { method: 'POST', path: '/api/v4/leads/complex' },
      { method: 'POST', path: '/api/v4/contacts/link' },
      { method: 'POST', path: '/api/v4/companies/1/notes' },
    ])
      expect(await sendHeaders(method, path, seller.token)).toBe(403)
    for (const path of ['/api/v4/roles', '/web/v1/integrations'])
      expect(await sendHeaders('POST', path, seller.token)).toBe(403)
  })

  test('a batch has a bounded number of structural characters', async () => {
    const most = mostStructure(account.kontor.config.bodyLimit)
    const keys = Array.from({ length: 250 }, (_, n) =>
      Object.fromEntries(Array.from({ length: 960 }, (_, m) => [`k${n}_${m}`, 0])),
    )
    expect((await post('/api/v4/leads', JSON.stringify(keys), json)).status).toBe(413)
    expect((await post('/api/v4/leads', `[${'0,'.repeat(most)}0]`, json)).status).toBe(413)
    // Signs in texts do not count.
    const name = JSON.stringify([{ name: ',:[{'.repeat(most / 4) }])
    expect((await post('/api/v4/leads', name, json)).status).toBe(400)
  })

  test('blanks before and between chunks hide no structural characters', async () => {
    const most = mostStructure(account.kontor.config.bodyLimit)
    const chunk = `${' '.repeat(2000)}${'0,'.repeat(10_000)}`
    const chunks = [
      `${' '.repeat(2000)}[0,`,
      ...Array.from({ length: most / 10_000 + 1 }, () => chunk),
    ]
    expect(await sendInChunks('/api/v4/leads', 'text/plain', [...chunks, '0]'])).toBe(413)
  })

  test('a byte order mark may come in several chunks', async () => {
    const chunks = [Buffer.of(0xef), Buffer.of(0xbb, 0xbf), ' ', '[{"name":"marked"}]']
    expect(await sendInChunks('/api/v4/leads', 'text/plain', chunks)).toBe(200)
  })

  test('the largest honest batches pass', () => {
    const values = Array.from({ length: 40 }, (_, n) => ({
      field_id: 100_000 + n,
      values: [{ value: `value ${n}`, enum_id: 1 }],
    }))
    const customers = Array.from({ length: 500 }, (_, n) => ({
      name: `${n}`,
      custom_fields_values: values,
    }))
    const bytes = Buffer.from(JSON.stringify(customers))
    const scan = scanStructure(mostStructure(4 * 1024 * 1024))
    for (let at = 0; at < bytes.length; at += 65_536)
      expect(() => scan.take(bytes.subarray(at, at + 65_536))).not.toThrow()
  })

  test('an object has 1,000 keys at most, also where the chunks of the body end within a text', () => {
    const object = (keys: number) =>
      Buffer.from(
        JSON.stringify(
          Object.fromEntries(Array.from({ length: keys }, (_, n) => [`\\"k:${n}`, '}'])),
        ),
      )
    const read = (bytes: Buffer, by: number) => {
      const scan = scanStructure(1e6)
      for (let at = 0; at < bytes.length; at += by) scan.take(bytes.subarray(at, at + by))
    }
    for (const by of [1, 7, 65_536]) {
      expect(() => read(object(1000), by)).not.toThrow()
      expect(() => read(object(1001), by)).toThrow('more than 1000 keys')
    }
  })

  test('of a refused body the rest is discarded, and the connection stays good', async () => {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
    const ask = (body?: string) =>
      raw(account.kontor, {
        method: body === undefined ? 'GET' : 'POST',
        path: body === undefined ? '/api/v4/account' : '/api/v4/leads',
        headers: { authorization: `Bearer ${account.admin.token}`, 'content-type': json },
        agent,
        ...(body !== undefined && { body }),
      })
    const refused = await ask(`[${'0,'.repeat(1_400_000)}0]`)
    expect([refused.status, refused.headers.connection]).toEqual([413, undefined])
    expect((await ask()).status).toBe(200)
    agent.destroy()
  })

  test('of many refused bodies the connections are closed', async () => {
    const { kontor, addUser } = await newAccount({ bodyLimit: 100_000 })
    const { token } = await addUser({ rights: {} })
    const ask = () =>
      raw(kontor, {
        method: 'POST',
        path: '/api/v4/leads',
        headers: { authorization: `Bearer ${token}`, 'content-type': json },
        body: `[${'0,'.repeat(49_000)}0]`,
      }).then(
        ({ status, headers }) => [status, headers.connection],
        // The rest of the body met a closed connection.
        () => [403, 'close'],
      )
    expect(await ask()).toEqual([403, undefined])
    const answers = []
    for (let count = 0; count < 40; count++) answers.push(await ask())
    expect(answers).toContainEqual([403, 'close'])
  })
})

/** The densest batches that honest programs send: every item with all that it may hold, or nearly. */
const values = (count: number) =>
  Array.from({ length: count }, (_, n) => ({
    field_id: 1_000_000 + n,
    values: [{ value: 'x', enum_id: n + 1 }],
  }))
const items = (count: number, item: (n: number) => object) =>
  JSON.stringify(Array.from({ length: count }, (_, n) => item(n)))
const tags = Array.from({ length: 10 }, (_, n) => ({ name: `tag ${n}` }))

const denseRecord = (n: number) => ({
  name: `${n}`,
  request_id: `${n}`,
  custom_fields_values: values(50),
  _embedded: { tags },
})

test.each<[path: string, count: number, item: (n: number) => object]>([
  ['leads', 250, (n) => ({ ...denseRecord(n), price: n })],
  ['contacts', 250, denseRecord],
  ['companies', 250, denseRecord],
  [
    'customers',
    500,
    (n: number) => ({
      name: `${n}`,
      request_id: `${n}`,
      next_date: 1_900_000_000,
      custom_fields_values: values(40),
    }),
  ],
  [
    'leads/complex',
    50,
    (n: number) => ({
      name: `${n}`,
      request_id: `${n}`,
      custom_fields_values: values(40),
      _embedded: {
        contacts: [{ custom_fields_values: values(40) }],
        companies: [{ custom_fields_values: values(40) }],
        tags,
      },
    }),
  ],
])(
  'the densest honest batch of %s is read: only its fields are not there',
  async (path, count, item) => {
    const { status, body } = await post(`/api/v4/${path}`, items(count, item), json)
    expect(status).toBe(400)
    const faults = body['validation-errors'] as { errors: { path: string }[] }[]
    expect(faults).toHaveLength(Math.min(count, 250))
    expect(faults[0]!.errors[0]!.path).toMatch(/custom_fields_values.0.field_id$/)
    expect(body.detail).toMatch(/more faults than are listed$/)
  },
)

describe('the bodies of one account at once', () => {
  /** A server that answers a body when it is told to, with a limit of 1,000 bytes a body. */
  async function slowServer(now: () => number = () => 0) {
    const app = fastify({ bodyLimit: 1000 }) as unknown as App
    let refused = 0
    app.addHook('onRequest', async (request) => {
      request.actor = { accountId: Number(request.headers['x-account']) } as never
    })
    app.setErrorHandler(async (error, _request, reply) =>
      reply.code(asProblem(error)!.status).send(),
    )
    receiveBodies(
      app,
      openBodyBudget(1000, () => refused++, now),
    )
    const waiting: (() => void)[] = []
    app.post('/', { config: { access: 'user' } }, async ({ bodyCost, headers }) => {
      bodyCost!.spend(Number(headers['x-spend'] ?? 0))
      if (headers['x-wait']) await new Promise<void>((resolve) => waiting.push(resolve))
      return ''
    })
    await app.listen({ port: 0, host: '127.0.0.1' })
    const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
    const send = (accountId: number, bytes: number, headers: Record<string, string> = {}) =>
      raw(
        { url },
        {
          method: 'POST',
          path: '/',
          body: `"${'x'.repeat(bytes - 2)}"`,
          headers: { 'content-type': json, 'x-account': String(accountId), ...headers },
        },
      ).then(({ status }) => status)
    const arrived = (count: number) =>
      vi.waitUntil(() => waiting.length >= count, { timeout: 60_000, interval: 5 })
    const answerAll = () => waiting.splice(0).forEach((resolve) => resolve())
    return { app, send, arrived, answerAll, refused: () => refused }
  }

  test('hold at most four times BODY_LIMIT, and those of all accounts sixteen times', async () => {
    const { app, send, arrived, answerAll, refused } = await slowServer()
    const uploads: Promise<number>[] = []
    for (let accountId = 1; accountId <= 4; accountId++)
      for (let n = 0; n < 4; n++) uploads.push(send(accountId, 1000, { 'x-wait': '1' }))
    await arrived(16)
    expect(await send(1, 900)).toBe(429)
    expect(await send(5, 900)).toBe(503)
    expect(refused()).toBe(2)
    answerAll()
    expect(new Set(await Promise.all(uploads))).toEqual(new Set([200]))
    expect(await send(1, 1000)).toBe(200)
    await app.close()
  })

  test('are forgotten where the client goes away', async () => {
    const { app, send, arrived, answerAll } = await slowServer()
    const { port } = app.server.address() as AddressInfo
    const gone = Array.from({ length: 4 }, () => {
      const request = http.request({
        host: '127.0.0.1',
        port,
        method: 'POST',
        agent: false,
        headers: { 'content-type': json, 'x-account': '1', 'x-wait': '1', 'content-length': 1000 },
      })
      request.on('error', () => undefined).end(`"${'x'.repeat(998)}"`)
      return request
    })
    await arrived(4)
    expect(await send(1, 900)).toBe(429)
    for (const request of gone) request.destroy()
    await expect.poll(() => send(1, 900)).toBe(200)
    answerAll()
    await app.close()
  })

  test('may take 1.5 s of the process, then a quarter of its time; small ones pass all the same', async () => {
    let clock = 0
    const budget = openBodyBudget(
      1e6,
      () => undefined,
      () => clock,
    )
    const request = (accountId: number) => ({ actor: { accountId } }) as never
    const large = 100_000
    budget.open(request(1), large).spend(1500)
    budget.open(request(1), large).spend(1)
    expect(() => budget.open(request(1), large)).toThrow('too much time')
    expect(() => budget.open(request(1), 0).grow(large)).toThrow('too much time')
    budget.open(request(1), 1000).grow(1000)
    budget.open(request(2), large).grow(large)
    clock = 4
    budget.open(request(1), large).spend(0)
  })

  test('a body that was let in is not refused for its own time', () => {
    const budget = openBodyBudget(
      1e6,
      () => undefined,
      () => 0,
    )
    const request = { actor: { accountId: 1 } } as never
    const [one, other] = [budget.open(request, 100_000), budget.open(request, 100_000)]
    one.spend(1501)
    one.requireTime()
    expect(() => other.requireTime()).toThrow('too much time')
  })

  test('count four times where they are refused, and are asked again before they are read', () => {
    const budget = openBodyBudget(
      1e6,
      () => undefined,
      () => 0,
    )
    const request = { actor: { accountId: 1 } } as never
    const waiting = budget.open(request, 100_000)
    waiting.requireTime()
    const refused = budget.open(request, 100_000)
    refused.spend(300)
    refused.spend(76)
    budget.open(request, 100_000)
    refused.refuse()
    expect(() => budget.open(request, 100_000)).toThrow('too much time')
    expect(() => waiting.requireTime()).toThrow('too much time')
  })
})

/** The status of a request that declares a body of 2 MB and sends none of it. */
async function sendHeaders(method: string, path: string, token: string): Promise<number> {
  const { hostname, port } = new URL(account.kontor.url)
  return new Promise((resolve, reject) => {
    const request = http.request({
      host: hostname,
      port,
      method,
      path,
      agent: false,
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': json,
        'content-length': 2_000_000,
      },
    })
    request.on('error', reject)
    request.on('response', (response) => {
      resolve(response.statusCode!)
      request.destroy()
    })
    request.flushHeaders()
  })
}
