import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import net, { type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig, type Config } from '../config.ts'
import { doctor } from './doctor.ts'

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'kontor-test-'))
})

afterAll(() => rm(folder, { recursive: true }))

test('a machine on which Kontor was never started is sound, and stays as it is', async () => {
  const data = path.join(folder, 'data')
  const { sound, lines } = await examined({ data, port: 0 })
  expect(sound).toBe(true)
  expect(lines.find((line) => line.includes('database'))).toMatch(/^ok +database: none yet/)
  expect(existsSync(data)).toBe(false)
})

test('a database that does not answer is a failure, and its password stays secret', async () => {
  const { sound, lines } = await examined({
    port: 0,
    databaseUrl: 'postgresql://kontor:open-sesame@127.0.0.1:1/crm?sslpassword=open-sesame',
    secretKey: 'open-sesame',
  })
  expect(sound).toBe(false)
  expect(lines.filter((line) => line.startsWith('fail'))).toEqual([
    expect.stringContaining('The database cannot be reached'),
  ])
  expect(lines.join('\n')).not.toContain('open-sesame')
  expect(lines).toContain(
    '      DATABASE_URL=postgresql://kontor:****@127.0.0.1:1/crm?sslpassword=****',
  )
  expect(lines).toContain('      KONTOR_SECRET_KEY=****')
})

test('a port that another program has is a failure', async () => {
  const other = net
    .createServer((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi'))
    .listen(0, '127.0.0.1')
  await new Promise((resolve) => other.once('listening', resolve))
  const { port } = other.address() as AddressInfo
  const { sound, lines } = await examined({ data: path.join(folder, 'none'), port })
  other.close()
  expect(sound).toBe(false)
  expect(lines).toContain(
    `fail  port ${port} on 127.0.0.1 is taken by another program: stop it, or set PORT to another number`,
  )
})

async function examined(settings: Partial<Config>) {
  const lines: string[] = []
  const sound = await doctor({ ...readConfig({}), ...settings }, (line) => lines.push(line))
  return { sound, lines }
}
