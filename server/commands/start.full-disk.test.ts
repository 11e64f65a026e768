// A real full disk: a small file system in memory, mounted over the data folder. Mounting needs
// root on Linux; elsewhere these tests are skipped, and server/http/problem.test.ts still proves
// the answers.
import { spawnSync } from 'node:child_process'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import pg from 'pg'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { client } from '../../test/client.ts'
import type { Client } from '../../test/client.ts'
import { newHome } from '../../test/kontor.ts'
import type { Home } from '../../test/kontor.ts'

vi.setConfig({ testTimeout: 180_000, hookTimeout: 60_000 })

let home: Home
let isMounted = false
beforeEach(async ({ skip }) => {
  home = await newHome()
  const mounting = ['-t', 'tmpfs', '-o', 'size=160m,mode=755', 'tmpfs', home.data]
  isMounted = spawnSync('mount', mounting).status === 0
  if (!isMounted) skip('needs the right to mount a small disk (root on Linux)')
})
afterEach(async () => {
  // The mounted folder is emptied, but cannot be removed before it is unmounted.
  const left = await home.postmaster()
  if (left !== undefined) process.kill(left, 'SIGQUIT')
  if (left !== undefined)
    await vi.waitUntil(async () => (await home.postmaster()) === undefined, { timeout: 30_000 })
  if (isMounted) spawnSync('umount', ['-l', home.data])
  await home.close()
})

const ballast = () => path.join(home.data, 'ballast')
const full = 'The disk of the server is full'

/** Takes all space that is left. */
async function fill(): Promise<void> {
  for (const size of [1024 * 1024, 4096]) {
    const block = Buffer.alloc(size)
    while (
      await writeFile(ballast(), block, { flag: 'a' }).then(
        () => true,
        () => false,
      )
    );
  }
}

async function administrator(url: string): Promise<Client> {
  const { stdout } = await home.run(['token', '--json'])
  return client({ url }, (JSON.parse(stdout) as { access_token: string }).access_token)
}

const batch = (word: string) =>
  Array.from({ length: 250 }, (_, index) => ({ name: `${word} ${index} ${'x'.repeat(200)}` }))

/** Writes leads until an answer is not 200. */
async function writeUntilRefused(api: Client) {
  for (let round = 0; round < 100; round++) {
    const answer = await api.post('/api/v4/leads', batch(`${round}`))
    if (answer.status !== 200) return answer
  }
  throw new Error('the disk does not get full')
}

/**
 * Fills the disk, and makes the database write its log until it ends. The connection opens before:
 * PostgreSQL refuses a new one whose cache of the catalog has no room on the disk.
 */
async function fillAndExhaustLog(): Promise<void> {
  const password = (await readFile(path.join(home.data, 'postgres.password'), 'utf8')).trim()
  const socket = encodeURIComponent(path.join(home.data, 'socket'))
  const connection = new pg.Client({
    connectionString: `postgresql://kontor:${password}@/kontor?host=${socket}&port=5432&sslmode=disable`,
  })
  connection.on('error', () => undefined)
  await connection.connect()
  await fill()
  const message = `select pg_logical_emit_message(false, 'filling', repeat('x', 1000000))`
  for (let round = 0; round < 60; round++)
    if (!(await connection.query(message).catch(() => undefined))) return
  throw new Error('the database does not end')
}

test('a full disk is named by answers, reading goes on, and writing again needs no hand', async () => {
  const { url } = await home.start()
  const api = await administrator(url)
  const probe = async (path: string) => {
    const answer = await fetch(url + path)
    return [answer.status, ((await answer.json()) as { detail?: string }).detail]
  }
  expect((await probe('/ready'))[0]).toBe(200)
  await fill()
  const refused = await writeUntilRefused(api)
  expect([refused.status, refused.body.detail]).toEqual([503, full])
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await api.get('/api/v4/leads?limit=1')).status).toBe(200)
  expect((await probe('/health'))[0]).toBe(200)
  await expect.poll(() => probe('/ready'), { timeout: 3000 }).toEqual([503, full])
  expect((await home.run(['doctor'])).stdout).toMatch(/^fail {2}0\.0 GB free for .*: make room/m)

  await rm(ballast())
  expect((await api.post('/api/v4/leads', batch('after'))).status).toBe(200)
  await expect.poll(async () => (await probe('/ready'))[0], { timeout: 3000 }).toBe(200)
})

test('when the database ends for it, the server and each later start name it, and the next start has everything', async () => {
  const running = await home.start()
  const api = await administrator(running.url)
  const made = await api.post('/api/v4/leads', [{ name: 'Confirmed' }])
  const lead = made.body._embedded.leads[0].id
  await fillAndExhaustLog()
  const ended = await running.ended
  expect([ended.code, ended.stdout.includes(`The database ended: ${full}`)]).toEqual([1, true])

  const files = await readdir(home.data)
  for (let attempt = 0; attempt < 2; attempt++) {
    const { code, stderr } = await home.run(['start'])
    expect([code, stderr]).toEqual([1, expect.stringMatching(`^kontor: ${full}[^\n]*\n$`)])
  }
  expect((await readdir(home.data)).toSorted()).toEqual(files.toSorted())

  await rm(ballast())
  const again = await home.start()
  const { body } = await (await administrator(again.url)).get(`/api/v4/leads/${lead}`)
  expect(body).toMatchObject({ id: lead, name: 'Confirmed' })
})

test('a first start on a full disk names it and leaves nothing behind', async () => {
  await fill()
  const { code, stderr } = await home.run(['start'])
  expect([code, stderr]).toEqual([1, expect.stringMatching(`^kontor: ${full}`)])
  const drafts = (await readdir(home.data)).filter((name) =>
    /\.new-|\.password\.|\.key\./.test(name),
  )
  expect(drafts).toEqual([])
  await rm(ballast())
  expect((await home.start()).said()).toContain('A demo account was made for you')
})

test('a disk without room for more files is full too, whatever its free bytes', async () => {
  const remount = ['-o', 'remount,nr_inodes=300', home.data]
  expect(spawnSync('mount', remount).status).toBe(0)
  const { code, stderr } = await home.run(['start'])
  expect([code, stderr]).toEqual([1, expect.stringMatching(`^kontor: ${full}`)])
})
