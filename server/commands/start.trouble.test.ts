// Starts that fail or are interrupted.
import { cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import net from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { newHome } from '../../test/kontor.ts'
import type { Home } from '../../test/kontor.ts'

const root = path.join(import.meta.dirname, '../..')

let home: Home
beforeEach(async () => {
  home = await newHome()
})
afterEach(() => home.close())

test('a taken port is told in one line, and no database is left behind', async () => {
  const taken = net.createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => taken.once('listening', resolve))
  const { port } = taken.address() as AddressInfo
  const { code, stdout, stderr } = await home.run(['start'], { PORT: String(port) })
  taken.close()
  expect(code).toBe(1)
  expect(stderr).toBe(
    `kontor: port ${port} on 127.0.0.1 is taken by another program; set PORT to a free one\n`,
  )
  expect(stdout).not.toContain('demo account')
  expect(await home.postmaster()).toBeUndefined()

  const other = await home.run(['start'], { HOST: '192.0.2.1' })
  expect([other.code, other.stderr]).toEqual([
    1,
    'kontor: this machine has no address 192.0.2.1; set HOST to one it has\n',
  ])
  expect(await home.postmaster()).toBeUndefined()

  // Two failed starts have made no account. The first start that succeeds makes one.
  expect((await home.start()).said()).toContain('A demo account was made for you')
})

test.each(['Preparing a database', 'Migrating the database'])(
  'Ctrl-C while the first start says "%s" leaves no process behind, and the next start is good',
  async (line) => {
    const { child, said, ended } = home.begin(['start'])
    await vi.waitUntil(() => said().includes(line), { timeout: 60_000, interval: 5 })
    process.kill(-child.pid!, 'SIGINT')
    const { code, stdout, stderr } = await ended
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).not.toContain('ready')
    expect(await home.postmaster()).toBeUndefined()
    expect((await home.start()).said()).toContain('A demo account was made for you')
  },
)

test('a setting that cannot be is told in one line, before anything is made', async () => {
  const wrong = { PORT: 'http', KONTOR_URL: 'crm', EMPTY_LIST: '500' }
  const outcomes = await Promise.all(
    Object.entries(wrong).map(([name, value]) => home.run(['start'], { [name]: value })),
  )
  expect(
    outcomes.map(({ code, stdout, stderr }) => [code, stdout, stderr.split('\n').length]),
  ).toEqual([
    [1, '', 2],
    [1, '', 2],
    [1, '', 2],
  ])
  expect(outcomes[0]!.stderr).toBe(
    'kontor: PORT is "http", but it takes a whole number from 0 to 65535\n',
  )
})

test('sources of the web application that cannot be built end the start, and its database with it', async () => {
  const copy = await mkdtemp(path.join(tmpdir(), 'kontor-broken-'))
  onTestFinished(() => rm(copy, { recursive: true, force: true }))
  for (const name of ['bin', 'server', 'web', 'package.json', 'package-lock.json', 'tsconfig.json'])
    await cp(path.join(root, name), path.join(copy, name), {
      recursive: true,
      filter: (source) => !source.startsWith(path.join(root, 'web/dist')),
    })
  await symlink(path.join(root, 'node_modules'), path.join(copy, 'node_modules'))
  await writeFile(path.join(copy, 'web/main.tsx'), "import './nothing.ts'\n")
  const { code, stdout, stderr } = await home.begin(['start'], {}, copy).ended
  expect([code, stdout]).toEqual([1, expect.not.stringContaining('ready')])
  expect(stderr).toContain('nothing.ts')
  expect(await home.postmaster()).toBeUndefined()
})
