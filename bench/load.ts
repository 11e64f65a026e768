// The load, in a process of its own: kept-alive connections over plain sockets, each with one
// request at a time. On two cores every cycle of the client is one that the server lacks, so it
// reads only the status and length of an answer.
import { format, open } from './connection.ts'
import type { Client } from './connection.ts'
import { farPage, scenarios } from './scenarios.ts'
import type { Account } from './scenarios.ts'
import { stream } from './stream.ts'
import type { Streamed, StreamTask } from './stream.ts'

/** A task of this process: one round, or one run through the pages. */
export type Task =
  | StreamTask
  | ({ account: Account; port: number } & (
      | { kind: 'round'; scenario: string; bySeller: boolean; connections: number; seconds: number }
      | { kind: 'walk'; by: 'page' | 'next'; seconds: number }
    ))

/** Times are in milliseconds. */
export interface Round {
  /** From the first request to the last answer. */
  elapsed: number
  times: number[]
  /** Processor time of this process. */
  cpu: number
}

export interface Walked {
  /** One per page on the way to the far page. */
  walk: number[]
  /** The first and the far page, asked for in turn afterwards. */
  first: number[]
  far: number[]
}

process.on('message', (task: Task) => {
  work(task).then(
    (result) => process.send?.({ result }),
    (error: Error) => process.send?.({ error: error.message }),
  )
})
process.once('disconnect', () => process.exit())

function work(task: Task): Promise<Round | Walked | Streamed> {
  switch (task.kind) {
    case 'round':
      return round(task)
    case 'walk':
      return walk(task)
    case 'stream':
      return stream(task)
  }
}

async function round({
  account,
  port,
  scenario,
  bySeller,
  connections,
  seconds,
}: Task & { kind: 'round' }): Promise<Round> {
  const calls = scenarios.find(({ name }) => name === scenario)!.calls(account)
  const requests = calls.map((call) => format(call, bySeller ? account.sellers[0]! : account, port))
  const times: number[] = []
  const clients = await Promise.all(Array.from({ length: connections }, () => open(port)))
  let turn = Math.floor(Math.random() * requests.length)
  const cpu = process.cpuUsage()
  const start = performance.now()
  const end = start + seconds * 1000
  // A request that has begun is waited for, so none of this round runs in the next.
  const keepOn = async (client: Client) => {
    while (performance.now() < end)
      times.push((await client.ask(requests[turn++ % requests.length]!)).time)
  }
  await Promise.all(clients.map(keepOn))
  const elapsed = performance.now() - start
  const { user, system } = process.cpuUsage(cpu)
  for (const client of clients) client.close()
  return { elapsed, times, cpu: (user + system) / 1000 }
}

/**
 * Goes from page 1 to the far page, by page number or by `next`, then asks for both ends in turn.
 */
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
    path =
      by === 'next'
        ? _links.next.href.replace(/^https?:\/\/[^/]+/, '')
        : `/api/v4/leads?limit=50&page=${page + 1}`
  }
  for (const end = performance.now() + seconds * 1000; performance.now() < end;) {
    result.first.push((await client.ask(request(start))).time)
    result.far.push((await client.ask(request(path))).time)
  }
  client.close()
  return result
}
