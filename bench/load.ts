// The load, in a process of its own: kept-alive connections, each with one request at a time, over plain sockets. On two cores every
// cycle that the client takes is one the server lacks, so it looks for nothing in an answer but its status and its length.
import net from 'node:net'
import { farPage, scenarios } from './scenarios.ts'
import type { Account, Call } from './scenarios.ts'

/** What the bench asks of this process: one round, or one walk. */
export type Task = { account: Account; port: number } & (
  | { kind: 'round'; scenario: string; connections: number; seconds: number }
  | { kind: 'walk'; by: 'page' | 'next'; seconds: number }
)

/** Times are milliseconds. */
export interface Round {
  /** From the first request to the last answer. */
  elapsed: number
  times: number[]
  /** Processor time of this process. */
  cpu: number
}

export interface Walked {
  /** One per page of the walk. */
  walk: number[]
  /** The first and the far page, asked for in turn after the walk. */
  first: number[]
  far: number[]
}

process.on('message', (task: Task) => {
  const work = task.kind === 'round' ? round(task) : walk(task)
  work.then(
    (result) => process.send?.({ result }),
    (error: Error) => process.send?.({ error: error.message }),
  )
})
process.once('disconnect', () => process.exit())

async function round({ account, port, scenario, connections, seconds }: Task & { kind: 'round' }): Promise<Round> {
  const calls = scenarios.find(({ name }) => name === scenario)!.calls(account)
  const requests = calls.map((call) => format(call, account, port))
  const times: number[] = []
  const clients = await Promise.all(Array.from({ length: connections }, () => open(port)))
  let turn = Math.floor(Math.random() * requests.length)
  const cpu = process.cpuUsage()
  const start = performance.now()
  const end = start + seconds * 1000
  // A request that has begun is waited for, so that nothing of this round is left to the next.
  const keepOn = async (client: Client) => {
    while (performance.now() < end) times.push((await client.ask(requests[turn++ % requests.length]!)).time)
  }
  await Promise.all(clients.map(keepOn))
  const elapsed = performance.now() - start
  const { user, system } = process.cpuUsage(cpu)
  for (const client of clients) client.close()
  return { elapsed, times, cpu: (user + system) / 1000 }
}

/** Goes from page 1 to the far page, by counting or by following `next`, then asks for both ends in turn. */
async function walk({ account, port, by, seconds }: Task & { kind: 'walk' }): Promise<Walked> {
  const client = await open(port)
  const start = `/api/v4/leads?limit=50&page=1`
  const request = (path: string) => format({ method: 'GET', path }, account, port)
  const result: Walked = { walk: [], first: [], far: [] }
  let path = start
  for (let page = 1; ; page++) {
    const { time, body } = await client.ask(request(path))
    result.walk.push(time)
    if (page === farPage) break
    const { _links } = JSON.parse(body.toString()) as { _links: { next: { href: string } } }
    path = by === 'next' ? _links.next.href.replace(/^https?:\/\/[^/]+/, '') : `/api/v4/leads?limit=50&page=${page + 1}`
  }
  for (const end = performance.now() + seconds * 1000; performance.now() < end;) {
    result.first.push((await client.ask(request(start))).time)
    result.far.push((await client.ask(request(path))).time)
  }
  client.close()
  return result
}

function format({ method, path, body }: Call, { token }: Account, port: number): Buffer {
  const text = body === undefined ? '' : JSON.stringify(body)
  const type = text && `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n`
  return Buffer.from(
    `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer ${token}\r\n${type}\r\n${text}`,
  )
}

interface Client {
  ask(request: Buffer): Promise<Answer>
  close(): void
}

interface Answer {
  time: number
  body: Buffer
}

async function open(port: number): Promise<Client> {
  const socket = net.connect({ port, host: '127.0.0.1', noDelay: true })
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject))
  let settle = (_answer: Buffer | Error) => undefined as void
  let chunks: Buffer[] = []
  let missing = Infinity
  socket.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    if (missing === Infinity) missing = missingOf(Buffer.concat(chunks)) ?? Infinity
    else missing -= chunk.length
    if (missing > 0) return
    const answer = Buffer.concat(chunks)
    chunks = []
    missing = Infinity
    settle(
      answer.toString('latin1', 9, 12) === '200'
        ? answer
        : new Error(`an answer was not 200: ${answer.toString().slice(0, 1000)}`),
    )
  })
  socket.on('error', (error) => settle(error)).on('close', () => settle(new Error('the server closed a connection')))
  return {
    ask: (request) =>
      new Promise((resolve, reject) => {
        const start = performance.now()
        settle = (answer) => {
          if (answer instanceof Error) reject(answer)
          else resolve({ time: performance.now() - start, body: answer.subarray(answer.indexOf('\r\n\r\n') + 4) })
        }
        socket.write(request)
      }),
    close: () => socket.destroy(),
  }
}

/** Bytes that an answer still lacks, undefined while its head is not whole. */
function missingOf(answer: Buffer): number | undefined {
  const head = answer.indexOf('\r\n\r\n')
  if (head === -1) return undefined
  const [, length] = /\r\ncontent-length: (\d+)/i.exec(answer.toString('latin1', 0, head)) ?? []
  return head + 4 + Number(length ?? 0) - answer.length
}
