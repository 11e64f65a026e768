// Folders and processes for tests of the embedded database. Each test has its own folder, empty or
// with a copy of a first start. Everything that a test started ends with it.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { chmod, cp, mkdir, mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, vi } from 'vitest'
import { borrowEmbedded, startEmbedded, type Embedded } from '../server/database/embedded.ts'
import { stageOf } from '../server/database/data-folder.ts'
import { isAlive } from '../server/database/processes.ts'

export const isRoot = process.getuid?.() === 0

/** The folder of the current test, and its data folder. */
export const here = { folder: '', data: '' }

/** A data folder after a first start. */
let model: string
const opened: Embedded[] = []
/** Processes to end after the test. */
export const spawned: ChildProcess[] = []

/** Called once at the top of a test file. */
export function useFolders(): void {
  vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

  beforeAll(async () => {
    model = path.join(await openFolder(), 'data')
    await (await startEmbedded(model, 'kontor start', () => undefined)).stop()
  })

  afterAll(() => rm(path.dirname(model), { recursive: true }))

  beforeEach(async () => {
    here.folder = await openFolder()
    here.data = path.join(here.folder, 'data')
  })

  afterEach(async () => {
    for (const child of spawned.splice(0)) child.kill('SIGKILL')
    for (const embedded of opened.splice(0).toReversed()) await embedded.stop()
    // A server that a killed process left behind.
    for (const file of readdirSync(here.folder, { recursive: true, encoding: 'utf8' })) {
      if (path.basename(file) !== 'postmaster.pid') continue
      const pid = Number.parseInt(await readFile(path.join(here.folder, file), 'utf8'), 10)
      if (pid > 1 && isAlive(pid)) process.kill(pid, 'SIGQUIT')
      await vi.waitUntil(() => !isAlive(pid), { timeout: 60_000 })
    }
    if (isRoot) await rm(stageOf(here.data), { recursive: true, force: true })
    await rm(here.folder, { recursive: true, force: true })
  })
}

async function openFolder(): Promise<string> {
  const made = await mkdtemp(path.join(os.tmpdir(), 'kontor-test-'))
  await chmod(made, 0o755)
  return made
}

/** Copies the files of a first start, which saves the test one. */
export async function seed(): Promise<void> {
  await cp(model, here.data, { recursive: true, preserveTimestamps: true })
  if (!isRoot) return
  const { uid, gid } = await stat(path.join(model, 'postgres'))
  for (const name of ['postgres', 'socket'])
    spawnSync('chown', ['-R', `${uid}:${gid}`, path.join(here.data, name)])
}

export async function move(name: string): Promise<void> {
  here.data = path.join(here.folder, name, 'data')
  await mkdir(path.dirname(here.data))
  await seed()
}

export async function start(say: (line: string) => void = () => undefined): Promise<Embedded> {
  const embedded = await startEmbedded(here.data, 'kontor start', say)
  opened.push(embedded)
  return embedded
}

export async function borrow(): Promise<Embedded> {
  const embedded = await borrowEmbedded(here.data, 'kontor code', () => undefined)
  opened.push(embedded)
  return embedded
}

/**
 * Starts another process that starts the database and keeps it until its input ends. `ready`
 * rejects with the output of that process.
 */
export function hold(name: string, account: { uid?: number; gid?: number } = {}) {
  const script = `
    import { startEmbedded } from ${JSON.stringify(pathToFileURL(path.join(import.meta.dirname, '../server/database/embedded.ts')).href)}
    const [data, holder] = process.argv.slice(1)
    const embedded = await startEmbedded(data, holder, () => {}).catch((error) => {
      console.log(JSON.stringify({ error: error.message }))
      process.exit(1)
    })
    console.log(JSON.stringify({ url: embedded.url }))
    process.stdin.on('end', () => embedded.stop().then(() => process.exit(0))).resume()`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, here.data, name], {
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

export async function postmaster(): Promise<number> {
  return Number.parseInt(
    await readFile(path.join(here.data, 'postgres/postmaster.pid'), 'utf8'),
    10,
  )
}

export async function query(url: string, text: string): Promise<object[]> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  return await client
    .query<object>(text)
    .then(({ rows }) => rows)
    .finally(() => client.end())
}
