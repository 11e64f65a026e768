// Every test runs real PostgreSQL in a folder of its own, and real processes where it is about processes.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { chmod, chown, cp, mkdir, mkdtemp, readFile, readlink, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises'
import { existsSync, readdirSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { bundledBinaries, completeLinks, copyBinaries } from './binaries.ts'
import { borrowEmbedded, startEmbedded, type Embedded } from './embedded.ts'
import { stageOf } from './place.ts'
import { isAlive } from './processes.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const isRoot = process.getuid?.() === 0
const nobody = 65_534
const nobodyReaches =
  isRoot && spawnSync('/bin/sh', ['-c', `test -x "$0"`, process.execPath], { uid: nobody, gid: nobody, cwd: '/' }).status === 0

/** A data folder as the first start leaves it. */
let model: string
let folder: string
let data: string
const opened: Embedded[] = []
const spawned: ChildProcess[] = []

beforeAll(async () => {
  model = path.join(await openFolder(), 'data')
  await (await startEmbedded(model, 'kontor start', () => undefined)).stop()
})

afterAll(() => rm(path.dirname(model), { recursive: true }))

beforeEach(async () => {
  folder = await openFolder()
  data = path.join(folder, 'data')
})

afterEach(async () => {
  for (const child of spawned.splice(0)) child.kill('SIGKILL')
  for (const embedded of opened.splice(0).toReversed()) await embedded.stop()
  // A server that a killed process left behind.
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (path.basename(file) !== 'postmaster.pid') continue
    const pid = Number.parseInt(await readFile(path.join(folder, file), 'utf8'), 10)
    if (pid > 1 && isAlive(pid)) process.kill(pid, 'SIGQUIT')
    await vi.waitUntil(() => !isAlive(pid), { timeout: 60_000 })
  }
  if (isRoot) await rm(stageOf(data), { recursive: true, force: true })
  await rm(folder, { recursive: true, force: true })
})

test('the first start makes a database that knows Cyrillic, the second finds what was written', async () => {
  const first = await start()
  await query(first.url, 'create table words (word text)')
  await query(first.url, `insert into words values ('Ёж')`)
  await first.stop()

  const said: string[] = []
  const second = await start((line) => said.push(line))
  expect(await query(second.url, 'select lower(word) as word from words')).toEqual([{ word: 'ёж' }])
  expect(said).toEqual([])
  const settings = `select current_setting('server_encoding') as encoding, current_setting('fsync') as fsync, current_setting('jit') as jit,
    current_setting('listen_addresses') as addresses, datlocprovider as provider from pg_database where datname = 'kontor'`
  expect(await query(second.url, settings)).toEqual([
    { encoding: 'UTF8', fsync: 'on', jit: 'off', addresses: '', provider: 'b' },
  ])
})

test('what belongs to the database is closed to others', async () => {
  await start()
  const modeOf = async (name: string) => ((await stat(path.join(data, name))).mode & 0o777).toString(8)
  expect(await modeOf('postgres')).toBe('700')
  expect(await modeOf('socket')).toBe('700')
  expect(await modeOf('postgres.password')).toBe('600')
  expect(await modeOf('postgres.log')).toBe('600')
})

test('a killed PostgreSQL is told of, and the next start recovers what was committed', async () => {
  await seed()
  const first = await start()
  await query(first.url, 'create table survivors (id int)')
  process.kill(await postmaster(), 'SIGKILL')
  expect((await first.lost).message).toContain('ended unexpectedly')
  await first.stop()

  const second = await start()
  expect(await query(second.url, 'select * from survivors')).toEqual([])
})

test('a stopped database is not a lost one', async () => {
  await seed()
  const embedded = await start()
  let lost = false
  void embedded.lost.then(() => (lost = true))
  await embedded.stop()
  await embedded.stop()
  expect(lost).toBe(false)
})

test('the database of a killed Kontor is taken over', async () => {
  await seed()
  const holder = hold('kontor start')
  const { url } = await holder.ready
  await query(url, 'create table survivors (id int)')
  const orphan = await postmaster()
  holder.child.kill('SIGKILL')
  await holder.ended
  expect(isAlive(orphan)).toBe(true)

  const embedded = await start()
  expect(await query(embedded.url, 'select * from survivors')).toEqual([])
  expect(isAlive(orphan)).toBe(false)
})

test('a second Kontor is refused, with the name of the first', async () => {
  await seed()
  const holder = hold('kontor start')
  const { url } = await holder.ready
  await expect(start()).rejects.toThrow(
    `Kontor is already running on ${data} (kontor start, process ${holder.child.pid}). Stop it first, or set KONTOR_DATA to another folder`,
  )
  expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }])
})

test('of several first starts at once, one wins', async () => {
  const holders = ['kontor start', 'kontor start', 'kontor start'].map((name) => hold(name))
  const outcomes = await Promise.allSettled(holders.map(({ ready }) => ready))
  const winners = outcomes.filter(({ status }) => status === 'fulfilled')
  expect(winners).toHaveLength(1)
  const reasons = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [String(outcome.reason)] : []))
  for (const reason of reasons) expect(reason).toContain('Kontor is already running')
})

test('a command beside a server borrows its database and leaves it running', async () => {
  await seed()
  const server = await start()
  const command = await borrow()
  expect(command.url).toBe(server.url)
  await command.stop()
  expect(await query(server.url, 'select 1 as one')).toEqual([{ one: 1 }])
})

test('a command without a server has a database for its time', async () => {
  await seed()
  const command = await borrow()
  const pid = await postmaster()
  await command.stop()
  expect(isAlive(pid)).toBe(false)
})

test('a command that brought the database waits for the one that borrowed it', async () => {
  await seed()
  const first = await borrow()
  const second = await borrow()
  const stopping = first.stop()
  expect(await query(second.url, 'select 1 as one')).toEqual([{ one: 1 }])
  await second.stop()
  await stopping
  expect(existsSync(path.join(data, 'postgres/postmaster.pid'))).toBe(false)
})

test('a process number that now belongs to another program stops nobody', async () => {
  await seed()
  const first = await start()
  const pid = await postmaster()
  const socketLock = path.join(data, 'socket/.s.PGSQL.5432.lock')
  const notes = [path.join(data, 'postgres/postmaster.pid'), socketLock]
  process.kill(pid, 'SIGKILL')
  await first.lost
  const stranger = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
  spawned.push(stranger)
  for (const note of notes) await writeFile(note, (await readFile(note, 'utf8')).replace(String(pid), String(stranger.pid)))

  const second = await start()
  expect(await query(second.url, 'select 1 as one')).toEqual([{ one: 1 }])
  expect(isAlive(stranger.pid!)).toBe(true)
})

test('a note that a power cut left empty stops nobody', async () => {
  await seed()
  const first = await start()
  process.kill(await postmaster(), 'SIGKILL')
  await first.lost
  await truncate(path.join(data, 'postgres/postmaster.pid'))
  await start()
})

test('a first start that was killed half-way is begun anew', async () => {
  await mkdir(path.join(data, 'postgres.new-999999999-0/cluster'), { recursive: true })
  await writeFile(path.join(data, 'postgres.password'), '')
  const embedded = await start()
  expect(await query(embedded.url, 'select 1 as one')).toEqual([{ one: 1 }])
  expect(readdirSync(data).toSorted()).toEqual(['postgres', 'postgres.log', 'postgres.password', 'socket'])
})

test('a lost password is replaced', async () => {
  await seed()
  await rm(path.join(data, 'postgres.password'))
  const { url } = await start()
  expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }])
})

test('a folder may have any name', async () => {
  await move('Отдел продаж, "Юг" 100% & $HOME')
  const { url } = await start()
  expect(decodeURIComponent(url)).toContain(path.join(data, 'socket'))
  expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }])
})

test('where the path is too long for a socket, it lies elsewhere as long as it is needed', async () => {
  await move('п'.repeat(60))
  const embedded = await start()
  expect(await query(embedded.url, 'select 1 as one')).toEqual([{ one: 1 }])
  const socket = new URL(embedded.url.replace('@/', '@x/')).searchParams.get('host')!
  expect(path.basename(socket)).toMatch(/^kontor-/)
  expect((await stat(socket)).mode & 0o777).toBe(0o700)
  const command = await borrow()
  expect(command.url).toBe(embedded.url)
  await command.stop()
  await embedded.stop()
  expect(existsSync(socket)).toBe(false)
})

test('another version of PostgreSQL is refused', async () => {
  await seed()
  await writeFile(path.join(data, 'postgres/PG_VERSION'), '17\n')
  await expect(start()).rejects.toThrow(`${data} holds a database of PostgreSQL 17, this Kontor runs 18`)
})

test('a setting that PostgreSQL does not take is told in its own words', async () => {
  await seed()
  await writeFile(path.join(data, 'postgres/postgresql.conf'), 'no_such_setting = 1\n')
  await expect(start()).rejects.toThrow(/did not start in .*no_such_setting/)
})

test('a link to a folder that is gone is no reason to begin with an empty database', async () => {
  await symlink(path.join(folder, 'gone'), data)
  await expect(start()).rejects.toThrow('which does not exist')
  expect(existsSync(path.join(folder, 'gone'))).toBe(false)
})

test.runIf(isRoot)('below a closed folder, root keeps the data where its user reaches it', async () => {
  await chmod(folder, 0o700)
  await mkdir(data)
  await writeFile(path.join(data, 'secret.key'), 'secret', { mode: 0o600 })
  const said: string[] = []
  const first = await start((line) => said.push(line))
  const kept = path.join(stageOf(data), 'data')
  expect(said[0]).toContain(`the data is kept in ${kept}`)
  expect(await readlink(data)).toBe(kept)
  expect(await readFile(path.join(data, 'secret.key'), 'utf8')).toBe('secret')
  expect((await stat(path.join(data, 'secret.key'))).mode & 0o777).toBe(0o600)
  expect((await stat(folder)).mode & 0o777).toBe(0o700)
  await query(first.url, 'create table survivors (id int)')
  await first.stop()

  // As killed between the move and the link.
  await rm(data)
  const second = await start()
  expect(await query(second.url, 'select * from survivors')).toEqual([])
})

test.runIf(isRoot)('data that root copied back from a backup is given to the database again', async () => {
  await seed()
  spawnSync('chown', ['-R', '0:0', data])
  await chmod(path.join(data, 'postgres'), 0o755)
  const embedded = await start()
  expect(await query(embedded.url, 'select 1 as one')).toEqual([{ one: 1 }])
})

test.runIf(nobodyReaches)('an ordinary user needs no other', async () => {
  await chown(folder, nobody, nobody)
  const holder = hold('kontor start', { uid: nobody, gid: nobody })
  const { url } = await holder.ready
  expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }])
  expect((await stat(path.join(data, 'postgres'))).uid).toBe(nobody)
  holder.child.stdin.end()
  await holder.ended
  // Root goes on with the files of that user.
  const embedded = await start()
  expect(await query(embedded.url, 'select 1 as one')).toEqual([{ one: 1 }])
  expect((await stat(path.join(data, 'postgres'))).uid).toBe(nobody)
})

test('a copy of the programs runs, and replaces the one before it', async () => {
  const stage = path.join(folder, 'stage')
  await mkdir(path.join(stage, 'postgresql-17.1.0-beta.2'), { recursive: true })
  const copy = await copyBinaries(await bundledBinaries(), stage)
  expect(readdirSync(stage)).toEqual([path.basename(copy.home)])
  const account = isRoot ? { uid: nobody, gid: nobody } : {}
  expect(spawnSync(copy.postgres, ['--version'], { ...account, cwd: '/', encoding: 'utf8' }).stdout).toContain('PostgreSQL) 18')
})

test('links that an install script should have made are made', async () => {
  const home = path.join(folder, 'package/native')
  await mkdir(path.join(home, 'lib'), { recursive: true })
  await writeFile(path.join(home, 'lib/libpq.so.5.18'), 'library')
  const pair = { source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so.5' }
  await writeFile(path.join(home, 'pg-symlinks.json'), JSON.stringify([pair]))
  for (const _ of ['once', 'again']) await completeLinks(home)
  expect(await readFile(path.join(home, 'lib/libpq.so.5'), 'utf8')).toBe('library')
  expect(await readlink(path.join(home, 'lib/libpq.so.5'))).toBe('libpq.so.5.18')
})

async function openFolder(): Promise<string> {
  const made = await mkdtemp(path.join(os.tmpdir(), 'kontor-test-'))
  await chmod(made, 0o755)
  return made
}

/** Spares the test a first start. */
async function seed(): Promise<void> {
  await cp(model, data, { recursive: true, preserveTimestamps: true })
  if (!isRoot) return
  const { uid, gid } = await stat(path.join(model, 'postgres'))
  for (const name of ['postgres', 'socket']) spawnSync('chown', ['-R', `${uid}:${gid}`, path.join(data, name)])
}

async function move(name: string): Promise<void> {
  data = path.join(folder, name, 'data')
  await mkdir(path.dirname(data))
  await seed()
}

async function start(say: (line: string) => void = () => undefined): Promise<Embedded> {
  const embedded = await startEmbedded(data, 'kontor start', say)
  opened.push(embedded)
  return embedded
}

async function borrow(): Promise<Embedded> {
  const embedded = await borrowEmbedded(data, 'kontor code', () => undefined)
  opened.push(embedded)
  return embedded
}

/** Another process that starts the database and keeps it until its input ends. `ready` rejects with what it said instead. */
function hold(name: string, account: { uid?: number; gid?: number } = {}) {
  const script = `
    import { startEmbedded } from ${JSON.stringify(pathToFileURL(path.join(import.meta.dirname, 'embedded.ts')).href)}
    const [data, holder] = process.argv.slice(1)
    const embedded = await startEmbedded(data, holder, () => {}).catch((error) => {
      console.log(JSON.stringify({ error: error.message }))
      process.exit(1)
    })
    console.log(JSON.stringify({ url: embedded.url }))
    process.stdin.on('end', () => embedded.stop().then(() => process.exit(0))).resume()`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, data, name], {
    ...account,
    cwd: '/',
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  spawned.push(child)
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const ready = new Promise<{ url: string }>((resolve, reject) => {
    createInterface(child.stdout).once('line', (line) => {
      const answer = JSON.parse(line) as { url: string; error?: string }
      if (answer.error) reject(new Error(answer.error))
      else resolve(answer)
    })
    child.once('exit', () => reject(new Error('it ended without a word')))
  })
  return { child, ready, ended }
}

async function postmaster(): Promise<number> {
  return Number.parseInt(await readFile(path.join(data, 'postgres/postmaster.pid'), 'utf8'), 10)
}

async function query(url: string, text: string): Promise<object[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return await client
    .query<object>(text)
    .then(({ rows }) => rows)
    .finally(() => client.end())
}
