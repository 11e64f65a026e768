// Measures how fast a request is answered, and checks the answer.
import type pg from 'pg'
import { formatNested } from '../../server/http/nested.ts'
import type { Tellable } from '../../server/http/nested.ts'
import { format, open } from '../connection.ts'
import type { Client } from '../connection.ts'
import type { LargeAccount, Type } from '../large/account.ts'
import { processorTime } from '../processes.ts'
import type { ListSearch, MeasuredRequest } from '../list-requests/parts.ts'
import { countOf } from '../list-requests/count.ts'

export interface Setting {
  account: LargeAccount
  session: pg.Client
  port: number
  /** The ids of the measured processes. */
  pids: { kontor: number; postmaster: number }
  /** Requests of the single connection, for p50 and p99. */
  requests: number
  /** How long eight connections ask. */
  seconds: number
  /** Whether a refused request counts as not supported yet. */
  partial: boolean
  /** Messages about wrong answers. */
  wrong: string[]
}

/** Times are in milliseconds; NaN for a request that is not supported yet. */
export interface Measured {
  /** The records that match the first request. */
  matches: number
  /** The records in the answer to the first request. */
  answered: number
  p50: number
  p99: number
  /** Requests per second of eight connections. */
  perSecond: number
  /**
   * Processor time of Kontor and PostgreSQL per request. Other load on the machine hardly affects
   * it.
   */
  cpu: number
  note: string
}

export const connections = 8
/** Records per page. */
export const limit = 50
/** Milliseconds. A request that takes longer is asked less often, and the table says so. */
const patience = 30_000
const warming = 10

export async function measureRequest(
  { title, type, ask }: MeasuredRequest,
  setting: Setting,
): Promise<Measured> {
  const { account, session, port, requests, partial, wrong } = setting
  const searches = Array.from({ length: requests }, (_, turn) => ask(turn, account))
  const prepared = searches.map((each) =>
    format({ method: 'GET', path: pathOf(type, each) }, account, port),
  )
  const { rows } = await session.query<{ count: number }>(countOf(account, type, searches[0]!))
  const matches = rows[0]!.count
  const client = await open(port)
  try {
    const answered = recordsIn(await client.ask(prepared[0]!), type)
    if (answered !== Math.min(limit, matches))
      wrong.push(
        `${type}, ${title}: ${matches} match, ${answered} of ${limit} answered: ${pathOf(type, searches[0]!)}`,
      )
    const { times, isCut } = await inTurn(client, prepared)
    const busy = await atOnce(prepared, setting)
    const at = (part: number) => times[Math.floor((times.length - 1) * part)]!
    return {
      matches,
      answered,
      p50: at(0.5),
      p99: at(0.99),
      ...busy,
      note: isCut ? `${times.length} requests` : '',
    }
  } catch (error) {
    const { message } = error as Error
    if (!partial || !message.includes('HTTP/1.1 400'))
      throw new Error(`${type}, ${title}: ${message}`, { cause: error })
    return { matches, answered: NaN, p50: NaN, p99: NaN, perSecond: NaN, cpu: NaN, note: 'not yet' }
  } finally {
    client.close()
  }
}

export function pathOf(type: Type, search: ListSearch): string {
  return `/api/v4/${type}?${formatNested({ limit, ...(search as Record<string, Tellable>) })}`
}

function recordsIn({ body }: { body: Buffer }, type: Type): number {
  const { _embedded } = JSON.parse(body.toString()) as { _embedded: Record<Type, unknown[]> }
  return _embedded[type].length
}

async function inTurn(
  client: Client,
  requests: Buffer[],
): Promise<{ times: number[]; isCut: boolean }> {
  const times: number[] = []
  const end = performance.now() + patience
  for (const request of requests.slice(0, warming))
    if (performance.now() < end) await client.ask(request)
  for (const request of requests) {
    if (performance.now() > end) break
    times.push((await client.ask(request)).time)
  }
  return { times: times.toSorted((a, b) => a - b), isCut: times.length < requests.length }
}

async function atOnce(requests: Buffer[], { port, pids, seconds }: Setting) {
  const clients = await Promise.all(Array.from({ length: connections }, () => open(port)))
  const spent = () => processorTime(pids.kontor) + processorTime(pids.postmaster, true)
  const before = spent()
  const start = performance.now()
  let turn = 0
  let done = 0
  const keepOn = async (client: Client) => {
    for (; performance.now() < start + seconds * 1000; done++)
      await client.ask(requests[turn++ % requests.length]!)
  }
  await Promise.all(clients.map(keepOn)).finally(() => clients.forEach((client) => client.close()))
  return { perSecond: (done / (performance.now() - start)) * 1000, cpu: (spent() - before) / done }
}
