// Browsers that receive changes as they happen. Half belong to users who see all records, half to
// sellers who see a tenth each. Browsers and writer share this process, and so one clock.
import net from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { format, open } from './connection.ts'
import { processorTime, residentMemory } from './processes.ts'
import type { Account, User } from './scenarios.ts'

export interface StreamTask {
  kind: 'stream'
  account: Account
  port: number
  /** The ids of the processes of Kontor and PostgreSQL. */
  pid: number
  postmaster: number
  seconds: number
}

/** Times are in milliseconds, memory is in MiB; processor times are parts of one processor. */
export interface Streamed {
  browsers: number
  changes: number
  changesPerSecond: number
  messagesPerSecond: number
  /** Messages that did not arrive. */
  missed: number
  /**
   * From the answer to the writer until a browser receives the change; 0 if the browser was first.
   */
  p50: number
  p95: number
  p99: number
  most: number
  /** From the writer's request to its answer. */
  writeP50: number
  writeP95: number
  server: number
  postgres: number
  client: number
  memoryBefore: number
  memoryOpen: number
  memoryMost: number
}

const tabs = 25
const changesPerSecond = 200
const connections = 8

/** The time of the answer to a change, by lead. */
type Answered = Map<number, number>

export async function stream({
  account,
  port,
  pid,
  postmaster,
  seconds,
}: StreamTask): Promise<Streamed> {
  const answered: Answered = new Map()
  const heard = { delays: [] as number[], early: 0 }
  const memoryBefore = residentMemory(pid)
  const people = [...account.viewers, ...account.sellers].flatMap((user) =>
    Array.from({ length: tabs }, () => user),
  )
  const browsers = await Promise.all(people.map((user) => browse(user, port, answered, heard)))
  await pause(500)
  const memoryOpen = residentMemory(pid)
  let memoryMost = memoryOpen
  const watch = setInterval(() => (memoryMost = Math.max(memoryMost, residentMemory(pid))), 100)

  const own = process.cpuUsage()
  const before = [processorTime(pid), processorTime(postmaster, true)] as const
  const start = performance.now()
  const writes = await write(account, port, seconds, answered)
  const elapsed = performance.now() - start
  const expected = writes.length * (account.viewers.length + 1) * tabs
  const count = () => heard.delays.length + heard.early
  for (let wait = 0; wait < 100 && count() < expected; wait++) await pause(50)
  const after = [processorTime(pid), processorTime(postmaster, true)] as const
  const { user, system } = process.cpuUsage(own)
  clearInterval(watch)
  for (const browser of browsers) browser.destroy()

  const delays = Float64Array.from([...heard.delays, ...new Float64Array(heard.early)]).toSorted()
  const times = writes.toSorted((a, b) => a - b)
  const at = (sorted: ArrayLike<number>, part: number) =>
    sorted[Math.floor((sorted.length - 1) * part)] ?? NaN
  return {
    browsers: browsers.length,
    changes: writes.length,
    changesPerSecond: (writes.length / elapsed) * 1000,
    messagesPerSecond: (count() / elapsed) * 1000,
    missed: expected - count(),
    p50: at(delays, 0.5),
    p95: at(delays, 0.95),
    p99: at(delays, 0.99),
    most: at(delays, 1),
    writeP50: at(times, 0.5),
    writeP95: at(times, 0.95),
    server: (after[0] - before[0]) / elapsed,
    postgres: (after[1] - before[1]) / elapsed,
    client: (user + system) / 1000 / elapsed,
    memoryBefore,
    memoryOpen,
    memoryMost,
  }
}

/**
 * Changes another lead every few milliseconds, over a few connections. Answers the time of each
 * change.
 */
async function write(
  account: Account,
  port: number,
  seconds: number,
  answered: Answered,
): Promise<number[]> {
  const clients = await Promise.all(Array.from({ length: connections }, () => open(port)))
  const times: number[] = []
  const shift = Math.floor(Math.random() * 1_000_000)
  const [start, changes] = [performance.now(), Math.round(seconds * changesPerSecond)]
  let number = 0
  await Promise.all(
    clients.map(async (client) => {
      while (number < changes) {
        const turn = number++
        const due = start + (turn * 1000) / changesPerSecond
        if (due > performance.now()) await pause(due - performance.now())
        const id = account.first + ((turn * 7919) % account.leads)
        const path = `/api/v4/leads/${id}`
        const { time } = await client.ask(
          format({ method: 'PATCH', path, body: { price: turn + shift } }, account, port),
        )
        answered.set(id, performance.now())
        times.push(time)
      }
    }),
  )
  for (const client of clients) client.close()
  return times
}

/**
 * Opens a stream and resolves once it is ready. Compares each change with the time of the writer's
 * answer.
 */
function browse(
  { token }: User,
  port: number,
  answered: Answered,
  heard: { delays: number[]; early: number },
): Promise<net.Socket> {
  const socket = net.connect({ port, host: '127.0.0.1', noDelay: true })
  return new Promise((resolve, reject) => {
    socket.on('error', reject)
    socket.on('close', () => reject(new Error('the server closed a stream')))
    socket.write(
      `GET /web/v1/stream HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer ${token}\r\n\r\n`,
    )
    let rest = ''
    const look = (chunk: Buffer) => {
      const text = rest + chunk.toString('latin1')
      const now = performance.now()
      let end = 0
      for (let at = text.indexOf(key); at !== -1; at = text.indexOf(key, end)) {
        const comma = text.indexOf(',', at)
        if (comma === -1) break
        end = comma
        const then = answered.get(Number(text.slice(at + key.length, comma)))
        if (then === undefined) heard.early++
        else heard.delays.push(now - then)
      }
      // Keeps what may be the start of the next message.
      rest = text.slice(Math.max(end, text.lastIndexOf('\n', text.length - 2)))
    }
    let header = ''
    socket.on('data', function begin(chunk: Buffer) {
      header += chunk.toString('latin1')
      if (!header.includes('event: ready')) {
        if (!header.startsWith('HTTP/1.1 200')) reject(new Error(`a stream was refused: ${header}`))
        return
      }
      socket.off('data', begin).on('data', look)
      resolve(socket)
    })
  })
}

const key = '"entity_id":'
