// Files as users upload them, as browsers read them from signed addresses, and as the server fetches
// them after an answer.
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { mkdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { pino } from 'pino'
import sql from 'sql-template-tag'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import type { TestAccount, TestUser } from '../../../../test/account.ts'
import { slowly } from '../../../../test/moments.ts'
import { prove } from '../../../../test/prove.ts'
import { openObjectServer } from '../../../../test/s3.ts'
import type { ObjectServer } from '../../../../test/s3.ts'
import { scratchWithFiles } from '../../../../test/scratch.ts'
import type { ScratchWithFiles } from '../../../../test/scratch.ts'
import { buildApp } from '../../../app.ts'
import { serverItself } from '../../../access/user-access.ts'
import { readConfig } from '../../../config.ts'
import {
  addressOf,
  dropAbandonedFiles,
  fetchesChannel,
  fetchLater,
  filesByIds,
  requireOwnFile,
  startFetching,
} from './files.ts'
import type { Fetching, RemoteFile } from './files.ts'
import { cleanName } from './media-type.ts'
import { openDoor } from '../../../outgoing/door.ts'

const own = '/web/v1/files'
const png = Buffer.from('\x89PNG\r\n\x1a\n and the rest of a picture', 'latin1')
const mostBytes = 100_000

let scratch: ScratchWithFiles
let folder: string
let account: TestAccount
let other: TestAccount
let user: TestUser
beforeAll(async () => {
  // The worker fetches what is due in the whole database.
  scratch = await scratchWithFiles()
  folder = scratch.folder
  // The bound of other bodies is smaller, and does not count here.
  const settings = {
    databaseUrl: scratch.url,
    filesFolder: folder,
    fileMaxBytes: mostBytes,
    bodyLimit: 16_384,
    privateHooks: 'loopback' as const,
  }
  account = await newAccount(settings)
  other = await newAccount(settings)
  user = await account.addUser()
})
afterAll(async () => {
  await scratch.drop()
})

interface Upload {
  by?: { token: string }
  name?: string
  type?: string | undefined
  headers?: Record<string, string>
  to?: TestAccount
}

async function upload(
  body: Buffer | string | ReadableStream,
  { by = user, name = 'a.txt', type = 'text/plain', headers, to = account }: Upload = {},
) {
  const target = `${own}?name=${encodeURIComponent(name)}`
  const response = await fetch(to.kontor.url + target, {
    method: 'POST',
    headers: { authorization: `Bearer ${by.token}`, 'content-type': type, ...headers },
    body,
    ...(body instanceof ReadableStream && { duplex: 'half' }),
  })
  const text = await response.text()
  const answer = { status: response.status, headers: response.headers, body: JSON.parse(text) }
  await prove('POST', target, { ...answer, text })
  return answer
}

/** An uploaded file as its answer says, with its address. */
async function uploaded(body: Buffer | string, how: Upload = {}) {
  const { status, body: file } = await upload(body, how)
  expect([status, file.state]).toEqual([201, 'stored'])
  return file
}

async function read(address: string, headers: Record<string, string> = {}, method = 'GET') {
  const response = await fetch(address, { method, headers })
  return {
    status: response.status,
    headers: response.headers,
    body: Buffer.from(await response.arrayBuffer()),
  }
}

/** All files in the folder of files. */
const stored = () =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile())

const rowCount = async () =>
  (await scratch.database.row<{ count: number }>(sql`select count(*) as count from files`))!.count

describe('an upload', () => {
  test('is read again byte by byte, and only its uploader and administrators see it', async () => {
    const content = Buffer.from(Array.from({ length: 70_000 }, (_, index) => index % 251))
    const file = await uploaded(content, { name: 'data.bin', type: 'application/x-data; a=b' })
    expect(file).toMatchObject({
      name: 'data.bin',
      size: 70_000,
      type: 'application/x-data',
      created_by: user.id,
      error: null,
      _links: { self: { href: `${account.kontor.url}${own}/${file.id}` } },
    })
    const answer = await read(file.address)
    expect([answer.status, answer.body.equals(content)]).toEqual([200, true])
    const seen = await user.api.get(`${own}/${file.id}`)
    expect(seen.body).toMatchObject({ ...file, address: expect.stringContaining(file.uid) })
    expect((await account.api.get(`${own}/${file.id}`)).status).toBe(200)
    const colleague = await account.addUser()
    expect((await colleague.api.get(`${own}/${file.id}`)).status).toBe(404)
    expect((await other.api.get(`${own}/${file.id}`)).status).toBe(404)
  })

  test('that is too large is refused, by its length or by its bytes, and nothing stays', async () => {
    const before = [stored().length, await rowCount()]
    const large = Buffer.alloc(mostBytes + 1)
    expect((await upload(large)).status).toBe(413)
    const chunks = new ReadableStream({
      start(controller) {
        for (let part = 0; part < 11; part++) controller.enqueue(new Uint8Array(10_000))
        controller.close()
      },
    })
    expect((await upload(chunks)).status).toBe(413)
    expect([stored().length, await rowCount()]).toEqual(before)
    expect((await upload(large.subarray(1))).status).toBe(201)
  })

  test('that ends early, is empty, compressed or a form is refused, and nothing stays', async () => {
    const before = [stored().length, await rowCount()]
    const sent = http.request(account.kontor.url + own, {
      method: 'POST',
      headers: { authorization: `Bearer ${user.token}`, 'content-length': 1000 },
    })
    sent.on('error', () => undefined)
    sent.write('the beginning')
    await expect.poll(rowCount).toBe(before[1]! + 1)
    sent.destroy()
    await expect.poll(async () => [stored().length, await rowCount()]).toEqual(before)
    const empty = new ReadableStream({ start: (controller) => controller.close() })
    expect((await upload('')).status).toBe(400)
    expect((await upload(empty)).status).toBe(400)
    expect((await upload('x', { headers: { 'content-encoding': 'gzip' } })).status).toBe(415)
    expect((await upload('x', { type: 'multipart/form-data; boundary=b' })).status).toBe(415)
    expect([stored().length, await rowCount()]).toEqual(before)
  })

  test('of a JSON type is no body to parse, and keeps its bytes', async () => {
    const file = await uploaded('{"broken": ', { name: 'a.json', type: 'application/json' })
    expect(String((await read(file.address)).body)).toBe('{"broken": ')
  })

  test('has at most seven beside it from one account', async () => {
    const before = await rowCount()
    const busy = Array.from({ length: 8 }, () => {
      const headers = { authorization: `Bearer ${user.token}`, 'content-length': 10 }
      const sent = http.request(account.kontor.url + own, { method: 'POST', headers })
      sent.on('error', () => undefined).write('x')
      return sent
    })
    await expect.poll(rowCount).toBe(before + 8)
    expect((await upload('x')).status).toBe(429)
    expect((await upload('x', { by: other.admin, to: other })).status).toBe(201)
    for (const each of busy) each.destroy()
    await expect.poll(async () => (await upload('x')).status).toBe(201)
  })

  test('is attached by its uploader alone', async () => {
    const file = await uploaded('mine')
    const { database, now } = account.kontor
    const attach = (accountId: number, userId: number, id: number) =>
      database.transaction((tx) => requireOwnFile(tx, { accountId, userId, at: now() }, id))
    expect(await attach(account.id, user.id, file.id)).toMatchObject({ uid: file.uid, size: 4 })
    await expect(attach(account.id, account.admin.id, file.id)).rejects.toMatchObject({
      status: 400,
    })
    await expect(attach(other.id, user.id, file.id)).rejects.toMatchObject({ status: 400 })
    await expect(attach(account.id, user.id, 1)).rejects.toMatchObject({ status: 400 })
    expect(await filesByIds(database, { accountId: account.id }, [file.id, 1])).toEqual([
      {
        id: file.id,
        uid: file.uid,
        name: 'a.txt',
        type: 'text/plain',
        size: 4,
        state: 'stored',
      },
    ])
    expect(await filesByIds(database, { accountId: other.id }, [file.id])).toEqual([])
  })
})

describe('an address', () => {
  test('opens its file until it ends, and nothing else', async () => {
    const file = await uploaded('secret')
    const theirs = await uploaded('theirs', { by: other.admin, to: other })
    const right = new URL(file.address)
    expect(right.pathname).toBe(`/files/${account.id}/${file.uid}/a.txt`)
    const changed = (change: (url: URL) => void) => {
      const url = new URL(right)
      change(url)
      return read(url.href).then(({ status }) => status)
    }
    const { searchParams } = right
    const later = String(Number(searchParams.get('expires')) + 1)
    const signature = searchParams.get('signature')!
    const last = signature.endsWith('0') ? '1' : '0'
    expect(
      await Promise.all([
        changed(() => undefined),
        changed((url) => (url.pathname = url.pathname.replace('a.txt', 'b.txt'))),
        changed((url) => url.searchParams.set('expires', later)),
        changed((url) => url.searchParams.set('expires', `0${searchParams.get('expires')}`)),
        changed((url) => url.searchParams.set('signature', signature.slice(0, -1) + last)),
        changed((url) => url.searchParams.delete('signature')),
        changed((url) => url.searchParams.delete('expires')),
        changed((url) => (url.search = '')),
        changed((url) => (url.pathname = url.pathname.replace(file.uid, theirs.uid))),
        changed((url) => (url.pathname = url.pathname.replace(`/${account.id}/`, `/${other.id}/`))),
        changed((url) => (url.pathname = new URL(theirs.address).pathname)),
      ]),
    ).toEqual([200, 200, ...Array(9).fill(403)])
    const { kontor, clock } = account
    const brief = addressOf(kontor, account.id, file, { expiresIn: 60 })
    clock.ahead = 59
    expect((await read(brief)).status).toBe(200)
    clock.ahead = 76
    expect((await read(brief)).status).toBe(403)
    clock.ahead = 0
    const nobody = { uid: '00000000-0000-4000-8000-000000000000', name: 'x' }
    expect((await read(addressOf(kontor, account.id, nobody))).status).toBe(404)
  })

  test('stays the same for a while, so that browsers keep what they have', async () => {
    const file = await uploaded('kept')
    const { kontor, clock } = account
    const expires = () =>
      Number(new URL(addressOf(kontor, account.id, file)).searchParams.get('expires'))
    const first = expires()
    expect(first - kontor.now()).toBeGreaterThanOrEqual(86_400)
    expect(first - kontor.now()).toBeLessThanOrEqual(1.25 * 86_400)
    expect(first % 21_600).toBe(0)
    clock.ahead = 86_400
    expect(expires()).toBe(first + 86_400)
    clock.ahead = 0
  })

  test('answers one range, a 304, and its head', async () => {
    const { address } = await uploaded('0123456789', { name: 'a.mp3', type: 'audio/mpeg' })
    const ranged = async (range: string, more = {}) => {
      const { status, headers, body } = await read(address, { range, ...more })
      return [status, headers.get('content-range'), status < 400 ? String(body) : '']
    }
    expect(await ranged('bytes=2-4')).toEqual([206, 'bytes 2-4/10', '234'])
    expect(await ranged('bytes=7-')).toEqual([206, 'bytes 7-9/10', '789'])
    expect(await ranged('bytes=-2')).toEqual([206, 'bytes 8-9/10', '89'])
    expect(await ranged('bytes=-20')).toEqual([206, 'bytes 0-9/10', '0123456789'])
    expect(await ranged('bytes=5-99')).toEqual([206, 'bytes 5-9/10', '56789'])
    expect(await ranged('bytes=10-')).toEqual([416, 'bytes */10', ''])
    expect(await ranged('bytes=-0')).toEqual([416, 'bytes */10', ''])
    for (const odd of ['bytes=4-2', 'bytes=0-1,3-4', 'items=0-1', 'bytes=-', 'bytes=a-'])
      expect(await ranged(odd)).toEqual([200, null, '0123456789'])
    const whole = await read(address)
    const etag = whole.headers.get('etag')!
    expect(whole.headers.get('accept-ranges')).toBe('bytes')
    expect(whole.headers.get('content-length')).toBe('10')
    expect(await ranged('bytes=0-1', { 'if-range': etag })).toEqual([206, 'bytes 0-1/10', '01'])
    expect((await ranged('bytes=0-1', { 'if-range': '"other"' }))[0]).toBe(200)
    expect((await read(address, { 'if-none-match': etag })).status).toBe(304)
    const headAnswer = await read(address, {}, 'HEAD')
    expect([
      headAnswer.status,
      headAnswer.headers.get('content-length'),
      headAnswer.body.length,
    ]).toEqual([200, '10', 0])
  })

  test.each([
    ['a.png', 'image/png', png, 'inline', 'image/png'],
    ['a.bin', undefined, png, 'inline', 'image/png'],
    ['a.mp4', 'video/mp4', 'film', 'inline', 'video/mp4'],
    ['a.ogg', 'Audio/OGG; codecs=opus', 'sound', 'inline', 'audio/ogg'],
    ['a.png', 'image/png', '<html><script>', 'attachment', 'application/octet-stream'],
    ['a.svg', 'image/svg+xml', '<svg onload="x"/>', 'attachment', 'image/svg+xml'],
    ['a.html', 'text/html', '<script>', 'attachment', 'text/html'],
    ['a.js', 'text/javascript', 'alert(1)', 'attachment', 'text/javascript'],
    ['a.pdf', 'application/pdf', '%PDF-1.7', 'attachment', 'application/pdf'],
    ['a', 'application/x-www-form-urlencoded', 'x', 'attachment', 'application/octet-stream'],
  ])('of %s as %s answers safely', async (name, type, body, how, judged) => {
    const file = await uploaded(body, { name, type })
    expect(file.type).toBe(judged)
    const { headers } = await read(file.address)
    expect(headers.get('content-disposition')).toMatch(new RegExp(`^${how}; `))
    expect(headers.get('content-type')).toBe(how === 'inline' ? judged : 'application/octet-stream')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('content-security-policy')).toBe("sandbox; default-src 'none'")
    expect(headers.get('cache-control')).toMatch(/^private, max-age=\d+, immutable$/)
    expect(headers.get('set-cookie')).toBeNull()
  })

  test.each([
    ['Счёт №5.pdf', 'Счёт №5.pdf'],
    ['a"b\\c%d.txt', 'a"b_c%d.txt'],
    ["it's (1)*.txt", "it's (1)*.txt"],
    ['../../etc/passwd', '.._.._etc_passwd'],
    ['..', 'file'],
    ['', 'file'],
    ['a\r\nb', 'a__b'],
    ['😀'.repeat(120) + '.png', '😀'.repeat(120) + '.png'],
  ])('says the name %j', async (name, expected) => {
    const file = await uploaded('x', { name })
    expect(file.name).toBe(expected)
    const { status, headers } = await read(file.address)
    expect(status).toBe(200)
    const [, plain, whole] =
      /^attachment; filename="([ -~]*)"; filename\*=UTF-8''([\w.~!#$&+^`|%-]+)$/.exec(
        headers.get('content-disposition')!,
      )!
    expect(plain).not.toMatch(/["\\]/)
    expect(decodeURIComponent(whole!)).toBe(expected)
  })

  test('a long name keeps its ending', () => {
    expect(cleanName(`${'я'.repeat(300)}.jpeg`)).toBe(`${'я'.repeat(250)}.jpeg`)
    expect(cleanName(`\ud800a`)).toBe('\ufffda')
  })

  test('leaves nothing open when its reader goes', async () => {
    const big = await uploaded(Buffer.alloc(mostBytes), { name: 'big.bin' })
    const sent = http.get(big.address)
    const [response] = (await once(sent, 'response')) as [http.IncomingMessage]
    response.destroy()
    expect((await read(big.address)).body.length).toBe(mostBytes)
    const lost = await uploaded('lost')
    await rm(path.join(folder, String(account.id), lost.uid.slice(0, 2), lost.uid))
    expect((await read(lost.address)).status).toBe(404)
  })
})

describe('fetching', () => {
  let source: http.Server
  let url: string
  let heard: string[]
  let answers: Record<string, http.RequestListener>
  let fetching: Fetching | undefined
  let clock: { aheadMs: number }
  let actor: ReturnType<typeof serverItself>

  beforeAll(async () => {
    source = http.createServer((request, response) => {
      const { pathname } = new URL(request.url!, url)
      heard.push(pathname)
      const listener = answers[pathname]
      if (listener) listener(request, response)
      else response.writeHead(404).end()
    })
    source.listen(0, '127.0.0.1')
    await once(source, 'listening')
    url = `http://127.0.0.1:${(source.address() as AddressInfo).port}`
  })
  afterAll(() => {
    source.closeAllConnections()
    source.close()
  })
  beforeEach(() => {
    heard = []
    answers = {}
    clock = { aheadMs: 0 }
    actor = serverItself(account.id, account.kontor.now())
  })
  afterEach(async () => {
    await fetching?.stop()
    fetching = undefined
    await scratch.database.transaction((tx) =>
      tx.rows(sql`delete from files where state = 'fetching'`),
    )
  })

  function start(options: { timeoutMs?: number; hooks?: 'none' | 'loopback' } = {}) {
    const { hooks = 'loopback', timeoutMs } = options
    const config = { ...account.kontor.config, privateHooks: hooks }
    const nowMs = () => Date.now() + clock.aheadMs
    const { database } = account.kontor
    const door = openDoor(config, database, scratch.url)
    fetching = startFetching({ ...account.kontor, config, door }, pino({ level: 'silent' }), {
      nowMs,
      ...(timeoutMs !== undefined && { timeoutMs }),
    })
  }

  const later = (file: RemoteFile) =>
    account.kontor.database.transaction((tx) => {
      tx.afterCommit(() => account.kontor.signals.notify(fetchesChannel))
      return fetchLater(tx, actor, file)
    })

  interface Stored {
    uid: string
    name: string
    type: string
    size: number | null
    state: string
    error: string | null
    attempts: number
    due_at: number | null
  }
  const rowOf = async (id: number) =>
    (await scratch.database.row<Stored>(
      sql`select uid, name, type, size, state, error, attempts, due_at from files where id = ${id}`,
    ))!
  const ends = (id: number, state = 'stored') =>
    expect.poll(async () => (await rowOf(id)).state, { timeout: 10_000 }).toBe(state)
  const fails = async (id: number, error: string) => {
    await ends(id, 'failed')
    expect(await rowOf(id)).toMatchObject({ error, due_at: null })
  }

  test('stores media after the answer, under its own type and name', async () => {
    answers['/p'] = (_request, response) =>
      response.writeHead(200, { 'content-type': 'image/jpeg' }).end(png)
    answers['/v/voice%20note.ogg'] = (_request, response) => response.end('sound')
    const picture = await later({ address: `${url}/p?token=1`, name: 'Фото.png', size: 5 })
    const voice = await later({ address: `${url}/v/voice%20note.ogg`, type: 'audio/ogg' })
    expect(await rowOf(picture)).toMatchObject({ state: 'fetching', size: 5, attempts: 0 })
    const waiting = addressOf(account.kontor, account.id, await rowOf(picture))
    const early = await read(waiting)
    expect([early.status, early.headers.get('retry-after')]).toEqual([404, '5'])
    start()
    await ends(picture)
    await ends(voice)
    expect(await rowOf(picture)).toMatchObject({
      name: 'Фото.png',
      type: 'image/png',
      size: png.length,
      error: null,
    })
    expect(await rowOf(voice)).toMatchObject({ name: 'voice note.ogg', type: 'audio/ogg', size: 5 })
    const answer = await read(waiting)
    expect([answer.status, answer.body.equals(png)]).toEqual([200, true])
    // Nobody uploaded it: administrators see it by its id, users do not.
    expect((await account.api.get(`${own}/${picture}`)).status).toBe(200)
    expect((await user.api.get(`${own}/${picture}`)).status).toBe(404)
  })

  test('reaches no private address, by number, by name or by redirect', async () => {
    answers['/metadata'] = (_request, response) => response.end('secret')
    const { port } = new URL(url)
    const addresses = [
      `${url}/metadata`,
      `http://localhost:${port}/metadata`,
      `http://[::1]:${port}/`,
    ]
    start({ hooks: 'none' })
    for (const address of addresses) await fails(await later({ address }), 'private address')
    expect(heard).toEqual([])
    await fetching!.stop()
    start()
    answers['/away'] = (_request, response) =>
      response.writeHead(302, { location: 'http://169.254.169.254/latest' }).end()
    const redirected = await later({ address: `${url}/away` })
    await fails(redirected, 'private address')
    expect(heard).toEqual(['/away'])
    await fails(await later({ address: 'ftp://example.com/x' }), 'bad address')
    await fails(await later({ address: 'no address' }), 'bad address')
  })

  test('follows three redirects, and no more', async () => {
    for (const index of [4, 3, 2, 1])
      answers[`/${index}`] = (_request, response) =>
        response.writeHead(index % 2 ? 302 : 307, { location: `/${index - 1}` }).end()
    answers['/0'] = (_request, response) => response.end('here')
    start()
    await ends(await later({ address: `${url}/3` }))
    await fails(await later({ address: `${url}/4` }), 'too many redirects')
    expect(heard).toEqual(['/3', '/2', '/1', '/0', '/4', '/3', '/2', '/1'])
  })

  test('gives up at once where nothing will change, and keeps the reason', async () => {
    answers['/gone'] = (_request, response) => response.writeHead(410).end()
    answers['/zip'] = (_request, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end('x')
    answers['/large'] = (_request, response) =>
      response.writeHead(200, { 'content-length': mostBytes + 1 }).write('x')
    answers['/liar'] = (_request, response) => {
      response.writeHead(200)
      for (let part = 0; part < 11; part++) response.write(Buffer.alloc(10_000))
      response.end()
    }
    answers['/teapot'] = (request) =>
      request.socket.write('HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: tea\r\n\r\n')
    const before = stored().length
    start()
    for (const [name, reason] of [
      ['none', 'status 404'],
      ['gone', 'status 410'],
      ['zip', 'compressed'],
      ['large', 'too large'],
      ['liar', 'too large'],
      ['teapot', 'not http'],
    ])
      await fails(await later({ address: `${url}/${name}` }), reason!)
    expect(heard.length).toBe(6)
    expect(stored().length).toBe(before)
    const failed = await later({ address: `${url}/none` })
    await ends(failed, 'failed')
    const address = addressOf(account.kontor, account.id, await rowOf(failed))
    const answer = await read(address)
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([404, null])
  })

  test('tries again after 5 s, 30 s, 2 min and 10 min, then fails with the reason', async () => {
    answers['/busy'] = (_request, response) => response.writeHead(503).end()
    const id = await later({ address: `${url}/busy` })
    start()
    for (const [index, wait] of [5000, 30_000, 120_000, 600_000].entries()) {
      await expect
        .poll(async () => (await rowOf(id)).error && heard.length, { timeout: 10_000 })
        .toBe(index + 1)
      await expect
        .poll(async () => (await rowOf(id)).due_at! - Date.now() - clock.aheadMs)
        .toBeLessThanOrEqual(wait)
      const { due_at, error, attempts } = await rowOf(id)
      expect([error, attempts]).toEqual(['status 503', index + 1])
      expect(due_at! - Date.now() - clock.aheadMs).toBeGreaterThan(wait - 5000)
      clock.aheadMs += wait
      fetching!.wake()
    }
    await fails(id, 'status 503')
    expect(heard.length).toBe(5)
  })

  test('tries again what broke off, was silent or was refused', async () => {
    const { port } = new URL(url)
    answers['/half'] = (request, response) => {
      response.writeHead(200, { 'content-length': 100 }).write('the beginning')
      void slowly(20).then(() => request.socket.destroy())
    }
    answers['/silent'] = () => undefined
    answers['/slow'] = (_request, response) => void response.writeHead(200).write('x')
    answers['/many'] = (_request, response) => response.writeHead(429).end()
    answers['/empty'] = (_request, response) => response.end()
    start({ timeoutMs: 300 })
    const expected: Record<string, string> = {
      [`${url}/half`]: 'reset',
      [`${url}/silent`]: 'timeout',
      [`${url}/slow`]: 'timeout',
      [`${url}/many`]: 'status 429',
      [`${url}/empty`]: 'empty',
      'http://127.0.0.1:1/': 'refused',
      [`https://127.0.0.1:${port}/`]: 'tls',
    }
    const begun = Object.entries(expected).map(async ([address, error]) => {
      const id = await later({ address })
      await expect.poll(async () => (await rowOf(id)).error, { timeout: 10_000 }).toBe(error)
      expect(await rowOf(id)).toMatchObject({ state: 'fetching', attempts: 1 })
    })
    await Promise.all(begun)
    expect(readdirSync(path.join(folder, 'incoming'))).toEqual([])
    // A file whose source came right in the meantime is stored.
    answers['/half'] = (_request, response) => response.end('whole')
    clock.aheadMs = 5001
    fetching!.wake()
    await expect
      .poll(async () => {
        const found = await scratch.database.row<{ state: string }>(
          sql`select state from files where source = ${`${url}/half`}`,
        )
        return found!.state
      })
      .toBe('stored')
  })

  test('a process that dies leaves its file to the next when the lease ends', async () => {
    answers['/once'] = (_request, response) => response.end('file')
    const id = await later({ address: `${url}/once` })
    await scratch.database.transaction((tx) =>
      tx.rows(
        sql`update files set attempts = 1, due_at = ${Date.now() + 120_000} where id = ${id}`,
      ),
    )
    start()
    answers['/due'] = (_request, response) => response.end('file')
    await ends(await later({ address: `${url}/due` }))
    expect([heard, (await rowOf(id)).state]).toEqual([['/due'], 'fetching'])
    clock.aheadMs = 121_000
    fetching!.wake()
    await ends(id)
    expect(await rowOf(id)).toMatchObject({ attempts: 2, size: 4 })
    // A file that every process dies of is given up.
    const deadly = await scratch.database.transaction(async (tx) => {
      const file = await fetchLater(tx, actor, { address: `${url}/once` })
      await tx.rows(sql`update files set attempts = 5 where id = ${file}`)
      return file
    })
    await fails(deadly, 'interrupted')
    expect(heard).toEqual(['/due', '/once'])
  })

  test('two processes share the files, and each is fetched once', async () => {
    const ids: number[] = []
    for (let index = 0; index < 20; index++) {
      answers[`/${index}`] = (_request, response) => void slowly(20).then(() => response.end('x'))
      ids.push(await later({ address: `${url}/${index}` }))
    }
    start()
    const second = startFetching(
      { ...account.kontor, database: scratch.another() },
      pino({ level: 'silent' }),
    )
    for (const id of ids) await ends(id)
    await second.stop()
    expect(heard.toSorted()).toEqual(ids.map((_, index) => `/${index}`).toSorted())
  })

  test('a slow source of one account holds up no other account', async () => {
    answers['/never'] = () => undefined
    answers['/fast'] = (_request, response) => response.end('x')
    for (let index = 0; index < 20; index++) await later({ address: `${url}/never` })
    const theirs = await other.kontor.database.transaction((tx) =>
      fetchLater(tx, serverItself(other.id, 0), { address: `${url}/fast` }),
    )
    start()
    await ends(theirs)
    expect(heard.filter((each) => each === '/never').length).toBe(4)
    // A stop gives them back at once, and as if they had not been tried.
    await fetching!.stop()
    const given = await scratch.database.row<{ count: number }>(sql`
      select count(*) as count from files
       where state = 'fetching' and attempts = 0 and due_at <= ${Date.now()}`)
    expect(given!.count).toBe(20)
  })
})

test('the upkeep removes uploads that died and those that nothing refers to, after their time', async () => {
  const { kontor } = account
  const { database } = kontor
  await dropAbandonedFiles(kontor)
  const [dead, unattached, young, attached] = [
    await uploaded('dead'),
    await uploaded('unattached'),
    await uploaded('young'),
    await uploaded('attached'),
  ]
  const week = kontor.now() - 7 * 86_400
  await database.transaction(async (tx) => {
    await requireOwnFile(tx, { accountId: account.id, userId: user.id, at: week }, attached.id)
    await tx.rows(sql`
      update files set state = 'fetching', stored_at = null, due_at = ${Date.now() - 1000}
       where id = ${dead.id}`)
    await tx.rows(sql`
      update files set stored_at = ${week - 1} where id in (${unattached.id}, ${attached.id})`)
    await tx.rows(sql`update files set stored_at = ${week + 60} where id = ${young.id}`)
  })
  const incoming = path.join(folder, 'incoming')
  await mkdir(incoming, { recursive: true })
  await writeFile(path.join(incoming, 'old'), 'x')
  await writeFile(path.join(incoming, 'new'), 'x')
  const yesterday = Date.now() / 1000 - 86_460
  await utimes(path.join(incoming, 'old'), yesterday, yesterday)
  await dropAbandonedFiles(kontor)
  expect(readdirSync(incoming)).toEqual(['new'])
  await rm(path.join(incoming, 'new'))
  const index = ({ uid }: { uid: string }) =>
    path.join(folder, String(account.id), uid.slice(0, 2), uid)
  expect([dead, unattached, young, attached].map((file) => existsSync(index(file)))).toEqual([
    false,
    false,
    true,
    true,
  ])
  const left = await filesByIds(
    database,
    { accountId: account.id },
    [dead, unattached, young, attached].map(({ id }) => id),
  )
  expect(new Set(left.map(({ id }) => id))).toEqual(new Set([young.id, attached.id]))
})

describe('a bucket', () => {
  let bucket: ObjectServer
  let far: TestAccount
  beforeAll(async () => {
    bucket = await openObjectServer()
    far = await newAccount({
      databaseUrl: scratch.url,
      filesFolder: folder,
      filesS3Bucket: 'files',
      filesS3Endpoint: bucket.url,
      filesS3Prefix: 'kontor/',
      filesS3AccessKey: 'AKIATEST',
      filesS3SecretKey: 'open-sesame',
      filesS3Region: 'eu-north-1',
    })
  })
  afterAll(() => bucket.close())

  test('keeps files instead of the folder, by signed requests', async () => {
    const before = stored().length
    const file = await uploaded(png, { by: far.admin, to: far, name: 'a.png', type: 'image/png' })
    const index = `/files/kontor/${far.id}/${file.uid.slice(0, 2)}/${file.uid}`
    expect(bucket.objects.get(index)).toEqual({ bytes: png, type: 'image/png' })
    expect(stored().length).toBe(before)
    const whole = await read(file.address)
    expect([whole.status, whole.body.equals(png)]).toEqual([200, true])
    const part = await read(file.address, { range: 'bytes=1-3' })
    expect([part.status, String(part.body)]).toEqual([206, 'PNG'])
    expect(bucket.requests.map(({ method, path: requested }) => `${method} ${requested}`)).toEqual([
      `PUT ${index}`,
      `GET ${index}`,
      `GET ${index}`,
    ])
    expect(bucket.requests[0]!.length).toBe(String(png.length))
    for (const { authorization } of bucket.requests)
      expect(authorization).toMatch(
        /^AWS4-HMAC-SHA256 Credential=AKIATEST\/\d{8}\/eu-north-1\/s3\/aws4_request, SignedHeaders=.*host.*, Signature=[\da-f]{64}$/,
      )
    bucket.objects.clear()
    expect((await read(file.address)).status).toBe(404)
  })

  test('that does not answer is 503, and what was uploaded goes', async () => {
    const file = await uploaded('x', { by: far.admin, to: far })
    const before = [stored().length, await rowCount()]
    bucket.failing = 403
    const { status, headers } = await upload('x', { by: far.admin, to: far })
    expect([status, headers.get('retry-after')]).toEqual([503, '5'])
    expect((await read(file.address)).status).toBe(503)
    // The log says why, and repeats no address that would open the file.
    const lines: string[] = []
    const app = await buildApp(
      far.kontor,
      pino({ level: 'trace' }, { write: (line) => void lines.push(line) }),
    )
    const { search, pathname } = new URL(file.address)
    expect((await app.inject({ url: pathname + search })).statusCode).toBe(503)
    await app.close()
    expect(lines.join()).toContain('The store of files does not answer')
    expect(lines.join()).not.toContain(new URLSearchParams(search).get('signature'))
    bucket.failing = undefined
    expect(stored().length).toBe(before[0])
    // The row waits for the upkeep, because its object could not be removed.
    await scratch.database.transaction((tx) =>
      tx.rows(sql`update files set due_at = 0 where state = 'fetching'`),
    )
    await dropAbandonedFiles(far.kontor)
    expect(await rowCount()).toBe(before[1])
    expect(bucket.requests.at(-1)!.method).toBe('DELETE')
  })
})

test('settings of files are checked at the start', async () => {
  expect(readConfig({})).toMatchObject({
    filesFolder: undefined,
    fileMaxBytes: 104_857_600,
    fileAddressSeconds: 86_400,
    filesS3Bucket: undefined,
    filesS3Region: 'us-east-1',
  })
  const bucket = { FILES_S3_BUCKET: 'b' }
  expect(readConfig({ ...bucket, FILES_S3_ENDPOINT: 'http://minio:9000' })).toMatchObject({
    filesS3Bucket: 'b',
    filesS3Endpoint: 'http://minio:9000',
    filesS3Prefix: '',
  })
  expect(() => readConfig({ FILES_S3_REGION: 'x' })).toThrow('FILES_S3_BUCKET is not set')
  expect(() => readConfig({ ...bucket, FILES_S3_ACCESS_KEY: 'a' })).toThrow('SECRET_KEY is not set')
  expect(() => readConfig({ ...bucket, FILES_S3_SECRET_KEY: 'a' })).toThrow('ACCESS_KEY is not set')
  expect(() => readConfig({ ...bucket, FILES_S3_ENDPOINT: 'minio' })).toThrow('FILES_S3_ENDPOINT')
  expect(() => readConfig({ FILE_MAX_BYTES: '10' })).toThrow('FILE_MAX_BYTES')
  expect(() => readConfig({ FILE_ADDRESS_SECONDS: 'x' })).toThrow('FILE_ADDRESS_SECONDS')
  // The library is loaded for a bucket only.
  const storage = await readFile(new URL('storage.ts', import.meta.url), 'utf8')
  expect(storage).not.toMatch(/^import (?!type).*aws-sdk/m)
})
