import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, expect, test } from 'vitest'
import { isRefused, newPermit, send } from './guarded.ts'

const heard: string[] = []
const target = createServer((request, response) => {
  heard.push(`${request.method} ${request.url}`)
  if (request.url === '/moved') response.writeHead(302, { location: '/elsewhere' }).end()
  else if (request.url === '/long') response.end('x'.repeat(1_000_000))
  else if (request.url === '/silent') response.write('a')
  else if (request.url === '/other')
    request.socket.write(
      'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: tea\r\n\r\n',
    )
  else request.pipe(response)
})
await new Promise<void>((resolve) => void target.listen(0, '127.0.0.1', resolve))
const { port } = target.address() as AddressInfo
afterAll(() => {
  target.closeAllConnections()
  target.close()
})

const usual = { timeoutMs: 2000, permit: newPermit('loopback') }

test('a request is sent and its answer comes back; redirects are not followed', async () => {
  const answer = await send(`http://127.0.0.1:${port}/echo`, {
    ...usual,
    method: 'POST',
    body: 'hello',
  })
  expect([answer.status, answer.body.toString()]).toEqual([200, 'hello'])
  expect((await send(`http://localhost:${port}/moved`, usual)).status).toBe(302)
  expect(heard).not.toContain('GET /elsewhere')
})

test('of a long answer the beginning is kept', async () => {
  expect((await send(`http://127.0.0.1:${port}/long`, usual)).body.length).toBe(65_536)
})

test('the time is for everything: an answer that does not end is given up', async () => {
  await expect(
    send(`http://127.0.0.1:${port}/silent`, { ...usual, timeoutMs: 200 }),
  ).rejects.toThrow()
})

test('an answer that asks for another protocol is an answer', async () => {
  expect((await send(`http://127.0.0.1:${port}/other`, usual)).status).toBe(101)
})

test.each([
  `http://127.0.0.1:${port}/`,
  `http://localhost:${port}/by-name`,
  `http://2130706433:${port}/`,
  `http://0x7f.1:${port}/`,
  `http://[::1]:${port}/`,
  `http://[::ffff:127.0.0.1]:${port}/`,
  `http://0.0.0.0:${port}/`,
])('without leave nothing reaches this machine: %s', async (address) => {
  const before = heard.length
  await expect(send(address, { ...usual, permit: newPermit('none') })).rejects.toThrow(
    'private address',
  )
  expect(heard.length).toBe(before)
})

test.each([
  ['8.8.8.8', 'none', false],
  ['168.63.129.17', 'none', false],
  ['2606:4700:4700::1111', 'none', false],
  ['::ffff:8.8.8.8', 'none', false],
  ...[
    '10.1.2.3',
    '172.31.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '168.63.129.16',
    '0.0.0.0',
    '255.255.255.255',
    '224.0.0.1',
  ].map((address) => [address, 'loopback', true] as const),
  ...[
    '::',
    'fe80::1',
    'fd00::1',
    'ff02::1',
    '::ffff:10.0.0.1',
    '64:ff9b::a00:1',
    '2002:a00:1::',
    '::7f00:1',
  ].map((address) => [address, 'loopback', true] as const),
  ['127.0.0.1', 'none', true],
  ['127.8.8.8', 'loopback', false],
  ['::1', 'none', true],
  ['::1', 'loopback', false],
  ['::ffff:127.0.0.1', 'none', true],
  ['192.168.1.1', 'all', false],
] as const)('%s with leave for %s is refused: %s', (address, allow, refused) => {
  expect(isRefused(address, allow)).toBe(refused)
})
