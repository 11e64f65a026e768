// Runs bin/kontor as users do: as separate processes, on a data folder of its own. What begins here
// goes through the launcher where the machine's own Node.js is too old. What only runs to its end has
// this process's Node.js: a quarter of a command's time is that of a second one (test/launch.test.ts).
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { vi } from 'vitest'
import { stageOf } from '../server/database/data-folder.ts'
import { commandOf, isAlive } from '../server/database/processes.ts'

export interface Outcome {
  code: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
}

export interface Running {
  url: string
  launcher: ChildProcess
  /** The server's process: the launcher's own if its Node.js is new enough. */
  server: number
  /** The process of the server's embedded database. */
  postmaster: number | undefined
  /** The output so far. */
  said(): string
  ended: Promise<Outcome>
}

export interface Home {
  data: string
  /** Runs a command to its end, on the Node.js of this process. */
  run(args: string[], settings?: Record<string, string>): Promise<Outcome>
  /** Starts the server and waits until it prints that it is ready. */
  start(settings?: Record<string, string>): Promise<Running>
  /** Begins a command, of another copy of Kontor where a folder is named. `said` is its output so far. */
  begin(
    args: string[],
    settings?: Record<string, string>,
    folder?: string,
  ): { child: ChildProcess; said: () => string; ended: Promise<Outcome> }
  /** The process of the database in the data folder, undefined if none runs. */
  postmaster(): Promise<number | undefined>
  /** Ends every process that was started here and removes the data folder. */
  close(): Promise<void>
}

const root = path.join(import.meta.dirname, '..')
/** Compiling Kontor takes half the time of a short command, and these tests run hundreds. */
const NODE_COMPILE_CACHE = path.join(root, 'node_modules/.cache/kontor-test')

/**
 * An empty data folder. `settings` are environment variables for all commands. The port is a free
 * one by default.
 */
export async function newHome(settings: Record<string, string> = {}): Promise<Home> {
  const data = await mkdtemp(path.join(tmpdir(), 'kontor-test-'))
  const begun: ChildProcess[] = []
  const servers: number[] = []

  const spawnWith: (node: string) => Home['begin'] =
    (node) =>
    (args, more = {}, cwd = root) => {
      // No variable of the run's own environment: a developer's settings must not change a test.
      const { PATH = '', HOME = '/' } = process.env
      const env = {
        PATH,
        HOME,
        NODE_COMPILE_CACHE,
        KONTOR_DATA: data,
        PORT: '0',
        ...settings,
        ...more,
      }
      // A process group of its own, as in a terminal: Ctrl-C reaches all its processes.
      const child = spawn(node, ['bin/kontor', ...args], {
        cwd,
        env,
        detached: true,
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      begun.push(child)
      let [stdout, stderr] = ['', '']
      child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
      child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
      const ended = new Promise<Outcome>((resolve, reject) => {
        child.once('error', reject)
        child.once('close', (code, signal) => resolve({ code, signal, stdout, stderr }))
      })
      return { child, said: () => stdout + stderr, ended }
    }

  const begin = spawnWith('node')

  async function postmaster(): Promise<number | undefined> {
    const note = await readFile(path.join(data, 'postgres/postmaster.pid'), 'utf8').catch(() => '')
    const pid = Number.parseInt(note, 10)
    return pid > 1 && isAlive(pid) ? pid : undefined
  }

  return {
    data,
    begin,
    run: (args, more) => spawnWith(process.execPath)(args, more).ended,
    async start(more) {
      const { child, said, ended } = begin(['start'], more)
      let outcome: Outcome | undefined
      void ended.then((end) => (outcome = end))
      await vi.waitFor(
        () => {
          if (!outcome && !/^Stop it with Ctrl-C/m.test(said()))
            throw new Error(`the server does not become ready: ${said()}`)
        },
        { timeout: 60_000, interval: 20 },
      )
      if (outcome) throw new Error(`the server ended: ${said()}`)
      const url = /ready at (\S+)/.exec(said())![1]!
      const server = await serverOf(child.pid!)
      servers.push(server)
      return { url, launcher: child, server, postmaster: await postmaster(), said, ended }
    },
    postmaster,
    async close() {
      for (const { pid } of begun) signal(pid!, 'SIGKILL')
      for (const pid of servers) signal(pid, 'SIGKILL')
      const left = await postmaster()
      if (left !== undefined) signal(left, 'SIGQUIT')
      if (left !== undefined) await gone(left)
      await rm(stageOf(data), { recursive: true, force: true })
      await rm(data, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** Waits for the end of a process. */
export async function gone(pid: number): Promise<void> {
  await vi.waitUntil(() => !isAlive(pid), { timeout: 60_000, interval: 20 })
}

/** Sends a signal to a process that may have ended. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

async function serverOf(launcher: number): Promise<number> {
  for (const pid of await childrenOf(launcher))
    if (!/postgres(?:\.exe)? -D /.test(await commandOf(pid))) return pid
  return launcher
}

async function childrenOf(parent: number): Promise<number[]> {
  if (!existsSync('/proc/self/stat')) {
    const listed = spawn('ps', ['-axo', 'pid=,ppid='], { stdio: ['ignore', 'pipe', 'ignore'] })
    let text = ''
    for await (const chunk of listed.stdout) text += String(chunk)
    const pairs = text
      .trim()
      .split('\n')
      .map((line) => line.trim().split(/\s+/).map(Number))
    return pairs.filter(([, ppid]) => ppid === parent).map(([pid]) => pid!)
  }
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  const stats = await Promise.all(
    ids.map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')),
  )
  return ids.filter((_, index) => Number(/.*\) \S (\d+)/.exec(stats[index]!)?.[1]) === parent)
}
