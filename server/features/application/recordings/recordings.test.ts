import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import type { TestAccount } from '../../../../test/account.ts'
import { addLead, addPipeline } from '../../../../test/leads.ts'
import { raw } from '../../../../test/raw.ts'
import { addItem, addSorter, itemOf } from '../../../../test/unsorted.ts'

const sound = Buffer.from(Array.from({ length: 5000 }, (_, index) => index % 251))
const settings = { privateHooks: 'loopback', fileMaxBytes: 8000, callRecordings: 'link' } as const

interface ProviderRequest {
  path: string
  headers: http.IncomingHttpHeaders
}

let account: TestAccount
let exchange: http.Server
let address: string
const requests: ProviderRequest[] = []

/** A telephone system that answers as the path says. */
beforeAll(async () => {
  account = await newAccount(settings)
  exchange = http.createServer(({ url = '', headers }, response) => {
    requests.push({ path: url, headers })
    const [, range] = /^bytes=(\d+)-(\d*)$/.exec(headers.range ?? '') ?? []
    const { pathname, searchParams } = new URL(url, 'http://pbx')
    const type = searchParams.get('type') ?? 'audio/mpeg'
    switch (pathname.split('.')[0]) {
      case '/parts': {
        if (range === undefined) return response.writeHead(200, { 'content-type': type }).end(sound)
        const from = Number(range)
        if (from >= sound.length) return response.writeHead(416).end()
        const to = Math.min(
          Number(/-(\d+)$/.exec(headers.range!)?.[1] ?? Infinity),
          sound.length - 1,
        )
        return response
          .writeHead(206, {
            'content-type': type,
            'content-range': `bytes ${from}-${to}/${sound.length}`,
            'set-cookie': 'a=b',
          })
          .end(sound.subarray(from, to + 1))
      }
      case '/whole':
        return response
          .writeHead(200, { 'content-type': type, 'content-length': sound.length })
          .end(sound)
      case '/away': {
        const left = Number(searchParams.get('times'))
        const to = searchParams.get('to') ?? (left > 1 ? `/away?times=${left - 1}` : '/whole.mp3')
        return response.writeHead(302, { location: to }).end()
      }
      case '/large':
        return response.writeHead(200, { 'content-type': type, 'content-length': 8001 }).end()
      case '/endless': {
        response.writeHead(200, { 'content-type': type })
        const timer = setInterval(() => response.write(sound), 5)
        return response.on('close', () => clearInterval(timer))
      }
      case '/busy':
        return response.writeHead(500).end()
      case '/slow':
        return void response.writeHead(200, { 'content-type': type }).write('a')
      default:
        return response.writeHead(404, { 'content-type': 'audio/mpeg' }).end('nothing')
    }
  })
  await new Promise<void>((resolve) => exchange.listen(0, '127.0.0.1', resolve))
  address = `http://127.0.0.1:${(exchange.address() as AddressInfo).port}`
})
afterAll(() => void exchange.close())

/** Adds the note of a call; answers the path of its recording. */
async function addCall(
  link: string,
  of: TestAccount = account,
  draft: object = {},
): Promise<string> {
  const lead = await addLead(of.api, draft)
  const params = { uniq: `${lead}`, duration: 1, source: 'pbx', phone: '1', link }
  const { body } = await of.api.post(`/api/v4/leads/${lead}/notes`, [
    { note_type: 'call_in', params },
  ])
  return `/web/v1/recordings/notes/${body._embedded.notes[0].id}`
}

const play = (
  path: string,
  headers: Record<string, string> = {},
  user = account.admin,
  method = 'GET',
) =>
  fetch(account.kontor.url + path, {
    method,
    redirect: 'manual',
    headers: { authorization: `Bearer ${user.token}`, ...headers },
  })

const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer())

test('the recording of a call is played whole, in a form that no browser runs', async () => {
  const response = await play(await addCall(`${address}/whole.mp3?secret=1`), { cookie: 'x=1' })
  expect(response.status).toBe(200)
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'audio/mpeg',
    'content-length': '5000',
    'content-disposition': 'inline; filename="recording"',
    'content-security-policy': "sandbox; default-src 'none'",
    'x-content-type-options': 'nosniff',
    'cache-control': 'private, no-store',
    'accept-ranges': 'bytes',
  })
  expect(await bytesOf(response)).toEqual(sound)
  // The exchange learns nothing of the user.
  const { headers } = requests.at(-1)!
  expect(headers).toMatchObject({ 'user-agent': 'Kontor', 'accept-encoding': 'identity' })
  expect([headers.authorization, headers.cookie, headers.referer]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
})

test('a part is asked for and answered as a part', async () => {
  const path = await addCall(`${address}/parts.mp3`)
  const part = await play(path, { range: 'bytes=1000-1999' })
  expect([part.status, part.headers.get('content-range'), part.headers.get('set-cookie')]).toEqual([
    206,
    'bytes 1000-1999/5000',
    null,
  ])
  expect(await bytesOf(part)).toEqual(sound.subarray(1000, 2000))
  const rest = await play(path, { range: 'bytes=4990-' })
  expect(await bytesOf(rest)).toEqual(sound.subarray(4990))
  expect((await play(path, { range: 'bytes=5000-' })).status).toBe(416)
  for (const range of ['bytes=0-1,5-6', 'chapters=1-2', 'bytes=a-b'])
    expect((await play(path, { range })).status).toBe(200)
  expect(requests.at(-1)!.headers.range).toBeUndefined()
  // A server without parts answers all.
  expect((await play(await addCall(`${address}/whole.mp3`), { range: 'bytes=0-9' })).status).toBe(
    200,
  )
})

test('HEAD tells the form without the sound', async () => {
  const response = await play(await addCall(`${address}/whole.mp3`), {}, account.admin, 'HEAD')
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'audio/mpeg'])
  expect((await bytesOf(response)).length).toBe(0)
})

test.for([
  ['/whole.mp3?type=audio/x-wav', 'audio/x-wav'],
  ['/whole.wav?type=application/octet-stream', 'audio/wav'],
  ['/whole?type=binary/octet-stream', 'audio/mpeg'],
] as const)('%s is played as %s', async ([path, type]) => {
  const response = await play(await addCall(address + path))
  expect([response.status, response.headers.get('content-type')]).toEqual([200, type])
})

test.for([
  ['/whole.mp3?type=text/html', 'not a sound'],
  ['/whole.mp3?type=image/svg%2Bxml', 'not a sound'],
  ['/whole.mp3?type=video/mp4', 'not a sound'],
  ['/large.mp3', 'too large'],
  ['/nothing.mp3', 'status 404'],
  ['/away?times=4', 'too many redirects'],
  ['/away?to=http://10.0.0.1/whole.mp3', 'private address'],
  ['/away?to=http://[::ffff:10.0.0.1]/whole.mp3', 'private address'],
  ['/away?to=file:///etc/passwd', 'bad address'],
] as const)('%s is not played: %s', async ([path, why]) => {
  const response = await play(await addCall(address + path))
  const text = await response.text()
  expect([response.status, response.headers.get('content-type')]).toEqual([
    404,
    'application/problem+json',
  ])
  expect(JSON.parse(text).detail).toBe(`The recording cannot be played: ${why}`)
  expect(text).not.toContain(address)
})

test('a recording that may be had later is answered 503', async () => {
  const response = await play(await addCall(`${address}/busy.mp3`))
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '10'])
})

test('three redirects are followed', async () => {
  expect(await bytesOf(await play(await addCall(`${address}/away?times=3`)))).toEqual(sound)
})

test('a sound without an end is broken off', async () => {
  const response = await play(await addCall(`${address}/endless.mp3`))
  expect(response.status).toBe(200)
  await expect(bytesOf(response)).rejects.toThrow()
})

test('a user plays four at once, and has the next when one of them ends', async () => {
  const path = await addCall(`${address}/parts.mp3`)
  const slow = await addCall(`${address}/slow.mp3`)
  const other = await account.addUser({ is_admin: true })
  // `fetch` opens new connections in place of those that it gives up.
  const begun = await Promise.all(
    Array.from(
      { length: 4 },
      () =>
        new Promise<http.IncomingMessage>((resolve) =>
          http.get(
            account.kontor.url + slow,
            { agent: false, headers: { authorization: `Bearer ${other.token}` } },
            resolve,
          ),
        ),
    ),
  )
  const statuses = begun.map(({ statusCode }) => statusCode)
  expect(statuses).toEqual([200, 200, 200, 200])
  expect((await play(path, {}, other)).status).toBe(429)
  expect((await play(path)).status).toBe(200)
  for (const response of begun) response.destroy()
  await expect.poll(async () => (await play(path, {}, other)).status).toBe(200)
})

test('without private addresses none is asked', async () => {
  const guarded = await newAccount({ privateHooks: 'none' })
  const before = requests.length
  const { port } = new URL(address)
  for (const host of ['127.0.0.1', 'localhost', '[::1]', '0.0.0.0', '2130706433']) {
    const path = await addCall(`http://${host}:${port}/whole.mp3`, guarded)
    const { status } = await raw(guarded.kontor, {
      path,
      headers: { authorization: `Bearer ${guarded.admin.token}` },
    })
    expect([host, status]).toEqual([host, 404])
  }
  expect(requests.length).toBe(before)
})

test('a recording is played for those who may view the record', async () => {
  const mine = await account.addUser({ rights: { leads: { view: 'M' } } })
  const own = await addCall(`${address}/whole.mp3`, account, { responsible_user_id: mine.id })
  const other = await addCall(`${address}/whole.mp3`)
  expect((await play(own, {}, mine)).status).toBe(200)
  expect((await play(other, {}, mine)).status).toBe(403)
  const stranger = await newAccount(settings)
  expect((await play(own, {}, stranger.admin)).status).toBe(404)
  expect((await play('/web/v1/recordings/notes/999999999')).status).toBe(404)
})

test('a note without a recording has none', async () => {
  for (const link of ['', 'javascript:alert(1)', 'file:///etc/passwd'])
    expect([link, (await play(await addCall(link))).status]).toEqual([link, 404])
  const lead = await addLead(account.api)
  const { body } = await account.api.post(`/api/v4/leads/${lead}/notes`, [
    { note_type: 'common', params: { text: 'link' } },
  ])
  expect((await play(`/web/v1/recordings/notes/${body._embedded.notes[0].id}`)).status).toBe(404)
})

test('the call of an unsorted item is played while it waits', async () => {
  const { metadata } = itemOf('sip')
  const draft = { metadata: { ...metadata, link: `${address}/whole.mp3` } }
  const { uid } = await addItem(account.api, draft, 'sip')
  const path = `/web/v1/recordings/unsorted/${uid}`
  expect(await bytesOf(await play(path))).toEqual(sound)
  const nobody = await account.addUser({ rights: { leads: { view: 'A' } } })
  expect((await play(path, {}, nobody)).status).toBe(403)
  // Who sorts another pipeline may not hear those of this one.
  const elsewhere = await addSorter(account, { view: 'A' }, {}, await addPipeline(account))
  expect((await play(path, {}, elsewhere)).status).toBe(403)
  expect((await play(path, {}, await addSorter(account, { view: 'A' }))).status).toBe(200)
  const stranger = await newAccount(settings)
  expect((await play(path, {}, stranger.admin)).status).toBe(404)
  const form = await addItem(account.api)
  expect((await play(`/web/v1/recordings/unsorted/${form.uid}`)).status).toBe(404)
  await account.api.delete(`/api/v4/leads/unsorted/${uid}/decline`)
  expect((await play(path)).status).toBe(404)
})
