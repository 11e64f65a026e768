import tls from 'node:tls'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { newCertificate } from '../../test/certificate.ts'
import { openNameServer } from '../../test/name-server.ts'
import { openReceiver } from '../../test/receiver.ts'
import { readAnswer } from './answer-reader.ts'
import { causeOf, openDeliveryAttempts } from './attempt.ts'
import type { AttemptOptions } from './attempt.ts'
import { parseHosts } from '../http/names.ts'
import { newPermit } from './guarded.ts'

const loopback = newPermit('loopback')
const receiver = await openReceiver()
const nameServer = await openNameServer()
const attempts = open({ timeoutMs: 10_000 })
afterAll(async () => {
  await attempts.close()
  await receiver.close()
  await nameServer.close()
})

function open(options: Partial<AttemptOptions> = {}) {
  return openDeliveryAttempts({ nameServers: [nameServer.address], ...options })
}

/** Posts to a path of the receiver, or to an address. */
function post(address: string, by = attempts, signal?: AbortSignal, permit = loopback) {
  const there = address.startsWith('/') ? `${receiver.url}${address}` : address
  return by.attempt(there, permit, {}, 'a=b', signal)
}

const failed = (error: string, isOurs = false) => ({
  status: 0,
  error,
  milliseconds: expect.any(Number) as number,
  isOurs,
  isSent: expect.any(Boolean) as boolean,
})

/** The requests that a receiver got while something was done. */
async function arrivalsDuring(work: () => Promise<unknown>, path: string) {
  const before = receiver.arrivals.length
  await work()
  return receiver.arrivals.slice(before).filter((arrival) => arrival.path === path)
}

test('a request is posted with its headers and its body', async () => {
  const body = Buffer.from('имя=Анна')
  const { url } = receiver
  const answer = await attempts.attempt(`${url}/hook?key=1`, loopback, { 'x-one': '1' }, body)
  expect(answer).toEqual({ ...failed(''), status: 200, error: null })
  const arrival = {
    method: 'POST',
    path: '/hook?key=1',
    headers: { 'x-one': '1', 'content-length': String(body.length), host: new URL(url).host },
    body: 'имя=Анна',
  }
  expect(receiver.arrivals.at(-1)).toMatchObject(arrival)
  await attempts.attempt(`${url}/hook?key=1`, loopback, { 'x-one': '1' }, 'имя=Анна')
  expect(receiver.arrivals.at(-1)).toMatchObject(arrival)
})

test('a name and a password of an address are sent as a header', async () => {
  await post(receiver.url.replace('//', '//us%C3%A9r:a%3Ab@'))
  expect(receiver.arrivals.at(-1)!.headers['authorization']).toBe(
    `Basic ${Buffer.from('usér:a:b').toString('base64')}`,
  )
  expect(await post(receiver.url.replace('//', '//%E0%A4%A@'))).toMatchObject({ status: 200 })
})

test('a header that HTTP does not allow, and an address that is none, are not sent', async () => {
  const before = receiver.arrivals.length
  const answer = await attempts.attempt(receiver.url, loopback, { 'x-one': 'a\r\nx-two: b' }, '')
  expect(answer).toEqual(failed('local', true))
  expect(await post('ftp://example.com/')).toEqual(failed('bad address'))
  expect(await post('nowhere')).toEqual(failed('bad address'))
  expect(receiver.arrivals.length).toBe(before)
})

describe('the first status line decides', () => {
  test.each([99, 100, 101, 102, 103, 199, 200, 204, 299, 300, 302, 304, 400, 499, 500, 599, 999])(
    'also %i',
    async (status) => {
      expect(await post(`/status/${status}`)).toEqual({ ...failed(''), status, error: null })
      expect(await post('/status/200')).toMatchObject({ status: 200 })
    },
  )

  test('whatever follows: another status, headers that do not end, a body that does not', async () => {
    receiver.behave('/early', { before: [103], status: 500 })
    expect(await post('/early')).toMatchObject({ status: 103 })
    receiver.behave('/half', { raw: 'HTTP/1.1 204 Yes\r\nx-one: 1\r\n', after: 'close' })
    expect(await post('/half')).toMatchObject({ status: 204 })
    expect(await post('/huge')).toMatchObject({ status: 200 })
    receiver.behave('/upgrade', {
      status: 101,
      headers: { connection: 'upgrade', upgrade: 'tea' },
    })
    expect(await post('/upgrade')).toMatchObject({ status: 101 })
  })

  test.each([
    ['SSH-2.0-OpenSSH_9.9\r\n', 'not http'],
    ['\0\0\0', 'not http'],
    ['HTTP/2 200\r\n\r\n', 'not http'],
    ['HTTP/1.1 20\r\n\r\n', 'not http'],
    ['HTTP/1.1 2000\r\n\r\n', 'not http'],
    ['HTTP/1.1 000 Zero\r\n\r\n', 'not http'],
    [`HTTP/1.1 200 ${'x'.repeat(20_000)}`, 'not http'],
    ['HTTP/1.1 20', 'reset'],
  ])('%j is no status line', async (raw, error) => {
    receiver.behave('/raw', { raw, after: 'close' })
    expect(await post('/raw')).toEqual(failed(error))
  })

  test('but of a callback that is put off the head, too, as far as it arrives in time', async () => {
    const once = open({ timeoutMs: 1000, isOnce: true })
    const attemptAnsweredBy = async (raw: string, by = once, after?: 'close') => {
      receiver.behave('/busy', { raw, ...(after && { after }) })
      const { status, error, retryAfter } = await post('/busy', by)
      return [status, error, retryAfter]
    }
    const headers = 'HTTP/1.1 503 No\r\nretry-AFTER : 7\r\n'
    const none = 'HTTP/1.1 429 No\r\n'
    const early = 'HTTP/1.1 103 Hint\r\nretry-after: 9\r\n\r\n'
    expect(await attemptAnsweredBy(`${headers}\r\n`)).toEqual([503, null, '7'])
    expect(await attemptAnsweredBy(`${early}${none}\r\n`)).toEqual([429, null, undefined])
    expect(await attemptAnsweredBy(headers)).toEqual([503, null, undefined])
    expect(await attemptAnsweredBy(headers, once, 'close')).toEqual([503, null, undefined])
    expect(await attemptAnsweredBy('HTTP/1.1 200 OK\r\nretry-after: 7\r\n\r\n')).toEqual([
      200,
      null,
      undefined,
    ])
    expect(await attemptAnsweredBy(`${headers}\r\n`, attempts)).toEqual([503, null, undefined])
    receiver.behave('/busy', { status: 503, headers: { 'retry-after': '8' }, dripMs: 2 })
    expect(await post('/busy', once)).toMatchObject({ status: 503, retryAfter: '8' })
    await once.close()
  })

  test('a redirect is not followed', async () => {
    const target = encodeURIComponent(`${receiver.url}/elsewhere`)
    const heard = await arrivalsDuring(
      async () => expect(await post(`/redirect/${target}`)).toMatchObject({ status: 302 }),
      '/elsewhere',
    )
    expect(heard).toEqual([])
  })
})

test.each([
  ['HTTP/1.1 204 No\r\n\r\n', 204, 'complete'],
  ['HTTP/1.1 200\r\nContent-Length : 3\r\n\r\nabc', 200, 'complete'],
  ['HTTP/1.1 102 Wait\r\n\r\nHTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n', 102, 'complete'],
  [
    'HTTP/1.1 200 OK\r\ntransfer-encoding: Chunked\r\n\r\n3;a=b\r\n\r\n\r\r\n0a\r\n0123456789\r\n0\r\na: b\r\n\r\n',
    200,
    'complete',
  ],
  ['HTTP/1.1 200 OK\ncontent-length: 0\n\n', 200, 'head'],
  ['HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n', 200, 'endless'],
  ['HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nfffffff\r\n', 200, 'endless'],
  ['HTTP/1.1 100\r\n\r\nHTTP/1.1 2', 100, 'head'],
  ['HTTP/1.x 200\r\n', 0, 'broken'],
])('an answer reads the same in one piece and byte by byte: %j', (raw, status, state) => {
  const bytes = Buffer.from(raw)
  const [whole, pieces] = [readAnswer(), readAnswer()]
  whole.read(bytes)
  for (const at of bytes.keys()) pieces.read(bytes.subarray(at, at + 1))
  expect([whole.status, whole.state]).toEqual([status, state])
  expect([pieces.status, pieces.state]).toEqual([status, state])
})

describe('the time', () => {
  test('is for everything before the status line', async () => {
    const short = open({ timeoutMs: 1000 })
    nameServer.know('silent.test', [])
    const mute = await openReceiver({ certificate: newCertificate('mute') })
    mute.welcome = 'silence'
    const inTime = post('/delay/300')
    const results = await Promise.all(
      ['/delay/30000', '/drip/1000', '/silence', mute.url, 'http://silent.test/'].map((address) =>
        post(address, short),
      ),
    )
    expect(results.map(({ error }) => error)).toEqual(Array<string>(5).fill('timeout'))
    expect(await inTime).toMatchObject({ status: 200 })
    // Whether a timeout is ours depends on the machine; while it is not busy, none is.
    while ((await post('/silence', short)).isOurs);
    await mute.close()
    await short.close()
  })

  test('does not count against the receiver while the event loop is late', async () => {
    const short = open({ timeoutMs: 1000 })
    const block = () => {
      for (const end = performance.now() + 1300; performance.now() < end;);
    }
    const silent = post('/silence', short)
    const answered = post('/late', short)
    await receiver.heard(receiver.arrivals.length + 2)
    block()
    expect(await answered).toMatchObject({ status: 200 })
    expect(await silent).toEqual(failed('timeout', true))
    await short.close()
  })
})

describe('a connection', () => {
  test('is used again, also after an answer in chunks', async () => {
    const kept = open()
    receiver.behave('/chunks', {
      raw: 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nx-sum: 1\r\n\r\n',
    })
    const paths = ['/once', '/chunks', '/status/204', '/status/500', '/once']
    const before = receiver.connections
    for (const path of paths) await post(path, kept)
    expect(receiver.connections).toBe(before + 1)
    await kept.close()
  })

  test.each([
    'HTTP/1.1 200 OK\r\n\r\n',
    'HTTP/1.0 200 OK\r\ncontent-length: 0\r\n\r\n',
    'HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n',
    'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\nHTTP/1.1 500 Smuggled\r\n\r\n',
    'HTTP/1.1 200 OK\r\ncontent-length: 0\r\ncontent-length: 3\r\n\r\n',
    'HTTP/1.1 200 OK\r\ncontent-length: 0\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
    'HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n',
    'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nlong\r\n',
    'HTTP/1.1 101 Other\r\n\r\n',
    'HTTP/1.1 099 Odd\r\ncontent-length: 0\r\n\r\n',
  ])('is not used again after %j', async (raw) => {
    const kept = open()
    receiver.behave('/raw', { raw })
    const before = receiver.connections
    await post('/raw', kept)
    expect(await post('/once', kept)).toMatchObject({ status: 200 })
    expect(receiver.connections).toBe(before + 2)
    await kept.close()
  })

  test.each(['reset', 'close'] as const)(
    'that the receiver has just ended (%s) is no failure: the request goes out on another',
    async (instead) => {
      const kept = open()
      receiver.behave('/stale', {}, { instead }, {})
      const heard = await arrivalsDuring(async () => {
        await post('/stale', kept)
        expect(await post('/stale', kept)).toMatchObject({ status: 200 })
      }, '/stale')
      expect(heard).toHaveLength(3)
      await kept.close()
    },
  )

  test('that fails at its first request, or in its answer, is a failure', async () => {
    const kept = open()
    receiver.behave('/partly', {}, { raw: 'HTTP/1.1 2', after: 'reset' })
    const heard = await arrivalsDuring(async () => {
      expect(await post('/reset', kept)).toEqual(failed('reset'))
      expect(await post('/close', kept)).toEqual(failed('reset'))
      await post('/partly', kept)
      expect(await post('/partly', kept)).toEqual(failed('reset'))
    }, '/partly')
    expect(heard).toHaveLength(2)
    await kept.close()
  })

  test('with an answer that does not end is closed: by length, or beside others of the receiver', async () => {
    const kept = open({ timeoutMs: 120_000 })
    const slow = await openReceiver()
    await Promise.all(Array.from({ length: 5 }, () => post(`${slow.url}/huge`, kept)))
    await until(() => slow.sockets.size === 0)
    slow.behave('/slow', { raw: 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n' })
    await Promise.all(Array.from({ length: 50 }, () => post(`${slow.url}/slow`, kept)))
    await until(() => slow.sockets.size === 16)
    await kept.close()
    await expect.poll(() => slow.sockets.size).toBe(0)
    await slow.close()
  })

  test('with an answer that does not end is closed beside 512 others of any receivers', async () => {
    const kept = open({ timeoutMs: 120_000 })
    const slow = await openReceiver()
    slow.behave('/slow', { raw: 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n' })
    const toMany = async (from: number) => {
      const hosts = Array.from({ length: 20 }, (_, index) => `slow${from + index}.localhost`)
      const posts = hosts.flatMap((host) =>
        Array.from({ length: 16 }, () => post(`http://${host}:${slow.port}/slow`, kept)),
      )
      expect(new Set((await Promise.all(posts)).map(({ status }) => status))).toEqual(
        new Set([200]),
      )
    }
    await toMany(0)
    await until(() => slow.sockets.size === 320)
    await toMany(20)
    await until(() => slow.sockets.size === 512)
    // An answer that was cut off makes room.
    for (const socket of [...slow.sockets].slice(0, 100)) socket.destroy()
    await until(() => slow.sockets.size === 412)
    await toMany(40)
    await until(() => slow.sockets.size === 512)
    await kept.close()
    await slow.close()
  })

  test('that cannot be made is a failure with a name', async () => {
    const gone = await openReceiver()
    await gone.close()
    expect(await post(gone.url)).toEqual(failed('refused'))
    const rude = await openReceiver()
    rude.welcome = 'reset'
    expect(await post(rude.url)).toEqual(failed('reset'))
    await rude.close()
  })
})

test.each(['EPERM', 'EACCES'])('a connection that is forbidden (%s) is like no way', (code) => {
  const url = new URL('https://example.com/')
  const error = (other: string) =>
    Object.assign(new Error(other), { code: other, syscall: 'connect' })
  const noWay = causeOf(error('EHOSTUNREACH'), url)
  expect(noWay[0]).toBe('unreachable')
  expect(causeOf(error(code), url)).toEqual(noWay)
  expect(causeOf(error('EMFILE'), url)).toEqual(['local', true])
})

describe('TLS', () => {
  test('needs a certificate that this machine knows, for the right name', async () => {
    const certificate = newCertificate('receiver')
    const secure = await openReceiver({ certificate })
    expect(await post(secure.url)).toEqual(failed('tls'))
    expect(await post(secure.url.replace('https', 'http'))).toMatchObject({ status: 0 })
    expect(await post(receiver.url.replace('http', 'https'))).toEqual(failed('tls'))
    expect(secure.arrivals).toEqual([])

    const usual = tls.getCACertificates()
    tls.setDefaultCACertificates([...usual, certificate.cert])
    try {
      nameServer.know('other.test', ['127.0.0.1'])
      expect(await post(`https://other.test:${secure.port}/`)).toEqual(failed('tls'))
      expect(secure.arrivals).toEqual([])
      for (const path of ['/one', '/status/500', '/one']) await post(`${secure.url}${path}`)
      expect(secure.arrivals.map(({ connection }) => connection)).toEqual(
        Array<number>(3).fill(secure.connections),
      )
      secure.behave('/stale', { instead: 'close' }, {})
      expect(await post(`${secure.url}/stale`)).toMatchObject({ status: 200 })
      expect(await post(`https://localhost:${secure.port}/by-name`)).toMatchObject({ status: 200 })
    } finally {
      tls.setDefaultCACertificates(usual)
    }
    await secure.close()
  })
})

describe('names', () => {
  test('are asked once for many attempts; one that nobody knows is a failure', async () => {
    nameServer.know('many.test', ['127.0.0.1'])
    const address = `http://Many.test:${receiver.port}/by-name`
    const results = await Promise.all(Array.from({ length: 20 }, () => post(address)))
    expect(results.map(({ status }) => status)).toEqual(Array(20).fill(200))
    expect(nameServer.queries.filter((name) => name === 'many.test')).toHaveLength(1)
    expect(await post('http://unknown.test/')).toEqual(failed('dns'))
  })

  test('of this machine need no name server', async () => {
    const alone = open({ nameServers: ['127.0.0.1:9'] })
    const { port } = receiver
    expect(await post(`http://localhost:${port}/`, alone)).toMatchObject({ status: 200 })
    expect(await post(`http://a.localhost.:${port}/`, alone)).toMatchObject({ status: 200 })
    // A name server of this machine that is not there is no fault of the receiver.
    expect(await post('http://example.test/', alone)).toMatchObject({ status: 0, isOurs: true })
    await alone.close()
  })

  test('of the hosts file', () => {
    const text = '# all\n127.0.0.1 localhost Box # here\n\n::1\tlocalhost\r\nbad line\n'
    expect([...parseHosts(text)]).toEqual([
      [
        'localhost',
        [
          { address: '127.0.0.1', family: 4 },
          { address: '::1', family: 6 },
        ],
      ],
      ['box', [{ address: '127.0.0.1', family: 4 }]],
    ])
  })

  test('that do not answer delay no others, and end with their attempts', async () => {
    const many = open({ timeoutMs: 10_000 })
    nameServer.know('live.test', ['127.0.0.1'])
    let ended = 0
    const stop = new AbortController()
    const dead = Array.from({ length: 1000 }, async (_, index) => {
      nameServer.know(`dead${index}.test`, [])
      const result = await post(`http://dead${index}.test/`, many, stop.signal)
      ended++
      return result
    })
    expect(await post(`http://live.test:${receiver.port}/`, many)).toMatchObject({ status: 200 })
    expect(ended).toBe(0)
    stop.abort()
    expect(await Promise.all(dead)).toEqual(Array(1000).fill(failed('aborted', true)))
    await many.close()
  })
})

describe('private addresses', () => {
  /** Posts as somebody who reaches public addresses only. */
  const postFar = (address: string) => post(address, attempts, undefined, newPermit('none'))

  test.each([
    '127.0.0.1',
    'localhost',
    '2130706433',
    '0x7f.1',
    '017700000001',
    '0.0.0.0',
    '10.1.2.3',
    '172.16.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[fe80::1]',
    '[fd00::1]',
    '[64:ff9b::7f00:1]',
  ])('are refused: %s', async (host) => {
    const before = receiver.connections
    expect(await postFar(`http://${host}:${receiver.port}/`)).toEqual(failed('private address'))
    expect(receiver.connections).toBe(before)
  })

  test.each([
    [['127.0.0.1']],
    [['192.168.1.1']],
    [['::1']],
    [['::ffff:7f00:1']],
    [['fe80::1']],
    [['8.8.8.8', '127.0.0.1']],
    [['8.8.8.8', '::1']],
  ])('are refused behind names: %j', async (addresses) => {
    const name = `private${addresses.join('-').replaceAll(/\W/g, '-')}.test`
    nameServer.know(name, addresses)
    const before = receiver.connections
    expect(await postFar(`http://${name}:${receiver.port}/`)).toEqual(failed('private address'))
    expect(receiver.connections).toBe(before)
  })

  test('are refused though a connection to them stands that another may use', async () => {
    nameServer.know('shared.test', ['127.0.0.1'])
    const address = `http://shared.test:${receiver.port}/`
    const before = receiver.connections
    for (let time = 0; time < 2; time++) expect(await post(address)).toMatchObject({ status: 200 })
    expect(receiver.connections).toBe(before + 1)
    expect(await postFar(address)).toEqual(failed('private address'))
  })

  test('are refused when a name turns to them: the checked address is the one in use', async () => {
    nameServer.know('turning.test', ['127.0.0.1'], ['10.0.0.1'])
    receiver.behave('/closing', { after: 'close' })
    const address = `http://turning.test:${receiver.port}/closing`
    expect(await post(address)).toMatchObject({ status: 200 })
    expect(nameServer.queries.filter((name) => name === 'turning.test')).toHaveLength(1)
    const later = open()
    expect(await post(address, later)).toEqual(failed('private address'))
    await later.close()
  })
})

describe('an end from outside', () => {
  test('is ours: the signal of the caller, and the end of the process', async () => {
    const ending = open()
    const stop = new AbortController()
    const before = receiver.arrivals.length
    const first = post('/silence', ending, stop.signal)
    const second = post('/silence', ending)
    await receiver.heard(before + 2)
    stop.abort()
    expect(await first).toEqual(failed('aborted', true))
    await ending.close()
    expect(await second).toEqual(failed('aborted', true))
    expect(await post('/', ending)).toEqual(failed('aborted', true))
    expect(await post('/', attempts, AbortSignal.abort())).toEqual(failed('aborted', true))
    expect(receiver.arrivals.length).toBe(before + 2)
  })
})

/** Waits for something that happens soon; the test's own time ends the wait. */
async function until(isSo: () => boolean) {
  await vi.waitUntil(isSo, { timeout: 60_000, interval: 5 })
}
