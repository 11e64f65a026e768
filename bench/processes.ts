// The bench's processes and their cost: Kontor, the floors and the load, each a Node.js process.
import { fork, spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { Fixture } from './fixture.ts'
import type { Round, Task, Walked } from './load.ts'
import type { Streamed, StreamTask } from './stream.ts'

export interface Server {
  pid: number
  port: number
  stop(): Promise<void>
}

/** The folder of the present tree. */
export const root = path.join(import.meta.dirname, '..')

interface Start {
  /** The tree of the Kontor to start; the present one by default. */
  tree?: string | undefined
  /** The folder for a CPU profile, written when the process stops. */
  profile?: string | undefined
}

/** Starts the real server as `npm start` does. */
export async function startKontor(
  { environment }: Pick<Fixture, 'environment'>,
  { tree = root, profile }: Start = {},
): Promise<Server> {
  const profiling =
    profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${path.resolve(profile)}`]
  const child = spawn(
    process.execPath,
    [...flagsOf(tree), ...profiling, path.join(tree, 'bin/kontor'), 'start'],
    {
      env: { PATH: process.env['PATH'], ...environment, PORT: '0', LOG_LEVEL: 'error' },
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    },
  )
  let said = ''
  const port = await begun<number>(child, 'Kontor', (resolve) =>
    child.stdout!.setEncoding('utf8').on('data', (text: string) => {
      said += text
      const [, found] = /ready at http:\/\/[^:]+:(\d+)/.exec(said) ?? []
      if (found) resolve(Number(found))
    }),
  )
  return { pid: child.pid!, port, stop: () => stop(child) }
}

/** The flags that `npm start` passes to Node.js. */
function flagsOf(tree: string): string[] {
  const { scripts } = JSON.parse(readFileSync(path.join(tree, 'package.json'), 'utf8')) as {
    scripts: { start: string }
  }
  return scripts.start.split(' ').filter((word) => word.startsWith('--'))
}

/** Starts the first floor (floor.ts) or the second (plain.ts). */
export async function startFloor(
  name: 'floor' | 'plain',
  { account, environment }: Fixture,
): Promise<Server> {
  const child = fork(path.join(import.meta.dirname, `${name}.ts`), [JSON.stringify(account)], {
    env: { PATH: process.env['PATH'], ...environment },
  })
  const port = await begun<number>(child, `the floor ${name}`, (resolve) =>
    child.once('message', resolve),
  )
  return { pid: child.pid!, port, stop: () => stop(child) }
}

export interface Load {
  round(task: Task & { kind: 'round' }): Promise<Round>
  walk(task: Task & { kind: 'walk' }): Promise<Walked>
  stream(task: StreamTask): Promise<Streamed>
  stop(): Promise<void>
}

export function startLoad(): Load {
  const child = fork(path.join(import.meta.dirname, 'load.ts'), { serialization: 'advanced' })
  const ask = async (task: Task) => {
    child.send(task)
    const answer = await begun<{ result?: unknown; error?: string }>(child, 'the load', (resolve) =>
      child.once('message', resolve),
    )
    if (answer.error !== undefined)
      throw new Error(`${JSON.stringify({ ...task, account: undefined })}: ${answer.error}`)
    return answer.result
  }
  return {
    round: (task) => ask(task) as Promise<Round>,
    walk: (task) => ask(task) as Promise<Walked>,
    stream: (task) => ask(task) as Promise<Streamed>,
    stop: () => stop(child),
  }
}

/** Waits for a sign of a process. Throws if the process ends first. */
export function begun<Sign>(
  child: ChildProcess,
  name: string,
  listen: (resolve: (sign: Sign) => void) => void,
): Promise<Sign> {
  return new Promise((resolve, reject) => {
    const ended = (code: number | null) => reject(new Error(`${name} ended with ${code}`))
    child.once('exit', ended)
    listen((sign) => {
      child.off('exit', ended)
      resolve(sign)
    })
  })
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  await ended
}

/** Processor time of a process in milliseconds, on request with its children; NaN without /proc. */
export function processorTime(pid: number, children = false): number {
  if (!existsSync('/proc/self/stat')) return NaN
  if (!children) return ticksOf(pid)?.time ?? 0
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return all
    .map((each) => ticksOf(Number(each)))
    .reduce((sum, each) => sum + (each?.parent === pid ? each.time : 0), 0)
}

/** A tick of /proc is 10 ms on every Linux. */
function ticksOf(pid: number): { parent: number; time: number } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return { parent: Number(fields[1]), time: (Number(fields[11]) + Number(fields[12])) * 10 }
  } catch {
    return undefined
  }
}

/** Resident memory of a process in MiB; NaN without /proc. */
export function residentMemory(pid: number): number {
  if (!existsSync('/proc/self/status')) return NaN
  const [, kib] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kib ?? NaN) / 1024
}
