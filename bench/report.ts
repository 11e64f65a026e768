import { availableParallelism } from 'node:os'
import type { Scenario } from './scenarios.ts'
import type { Streamed } from './stream.ts'

/** One round of one server, with the processor time in milliseconds that it took. */
export interface Measured {
  elapsed: number
  times: number[]
  server: number
  postgres: number
  client: number
}

/** Figures of one server in one scenario: medians over the rounds, times in milliseconds. */
export interface Figures {
  requests: number
  records: number
  p50: number
  p99: number
  /** Processor time per request. */
  server: number
  postgres: number
  client: number
}

export interface Result {
  name: string
  title: string
  kontor: Figures
  floor: Figures
  /** Kontor's requests per second as a part of the floor's: the median over pairs of rounds, and the least and the most. */
  ratio: number
  spread: [least: number, most: number]
  /** What the ratio would be if only processor time counted: what else the machine does hardly moves it. */
  cpuRatio: number
  aim: string
  met: boolean
}

export interface WalkResult {
  name: string
  title: string
  /** Medians of the first and the far page, in turn after the walk; of the first and last 50 pages of the walk itself. */
  first: number
  far: number
  walkBegin: number
  walkEnd: number
  ratio: number
  aim: string
  met: boolean
}

export interface Memory {
  idle: number
  load: number
}

export function resultOf(
  { name, title, records, ratio, rate }: Scenario,
  kontor: Measured[],
  floor: Measured[],
): Result {
  const ours = figuresOf(kontor, records)
  const theirs = figuresOf(floor, records)
  const pairs = kontor.map((round, place) => perSecond(round) / perSecond(floor[place]!))
  const whole = median(pairs)
  const aims = [ratio && `ratio ≥ ${ratio}`, rate && `≥ ${rate} records/s`].filter(Boolean)
  return {
    name,
    title,
    kontor: ours,
    floor: theirs,
    ratio: whole,
    spread: [Math.min(...pairs), Math.max(...pairs)],
    cpuRatio: (theirs.server + theirs.postgres) / (ours.server + ours.postgres),
    aim: aims.join(', '),
    met: whole >= (ratio ?? 0) && ours.records >= (rate ?? 0),
  }
}

export function walkResultOf(
  by: 'page' | 'next',
  { walk, first, far }: { walk: number[]; first: number[]; far: number[] },
): WalkResult {
  const [one, last] = [median(first), median(far)]
  return {
    name: `walk-${by}`,
    title: `page ${walk.length} of a walk by ${by}`,
    first: one,
    far: last,
    walkBegin: median(walk.slice(0, 50)),
    walkEnd: median(walk.slice(-50)),
    ratio: one / last,
    aim: 'ratio ≥ 0.9',
    met: one / last >= 0.9,
  }
}

/** The report in words. */
export function report(
  results: (Result | WalkResult)[],
  streamed: Streamed | undefined,
  memory: Memory,
): string {
  const rows = results.map((result) => ('first' in result ? walkRow(result) : rowOf(result)))
  const heads =
    '|requests/s|records/s|p50 ms|p99 ms|ratio|(rounds)|by CPU|CPU ms: Node|floor|database|floor|client|aim|'.split(
      '|',
    )
  return [
    ...table([heads, ...rows]),
    '',
    ...(streamed ? streamOf(streamed) : []),
    `Memory of Kontor's process: ${memory.idle.toFixed(0)} MiB idle (aim < 120), ${memory.load.toFixed(0)} MiB at most under load (aim < 220)`,
    `${availableParallelism()} processors, Node.js ${process.version}. CPU is processor time per request; "by CPU" is the ratio if only that counted.`,
  ].join('\n')
}

function streamOf(streamed: Streamed): string[] {
  const { browsers, changesPerSecond, messagesPerSecond, missed, p50, p95, p99, most } = streamed
  const ms = (time: number) => `${time.toFixed(1)} ms`
  const percent = (part: number) => `${(100 * part).toFixed(0)} %`
  const memory = [streamed.memoryBefore, streamed.memoryOpen, streamed.memoryMost]
    .map((each) => each.toFixed(0))
    .join(', ')
  return [
    `${browsers} browsers, ${changesPerSecond.toFixed(0)} changes/s, ${messagesPerSecond.toFixed(0)} messages/s, ${missed} missed`,
    `from the answer of a write to a browser: p50 ${ms(p50)}, p95 ${ms(p95)}, p99 ${ms(p99)}, most ${ms(most)}`,
    `a write: p50 ${ms(streamed.writeP50)}, p95 ${ms(streamed.writeP95)}`,
    `one processor: Kontor ${percent(streamed.server)}, database ${percent(streamed.postgres)}, browsers ${percent(streamed.client)}`,
    `memory of Kontor's process before, with all streams open, and at most: ${memory} MiB`,
    '',
  ]
}

function rowOf({ title, kontor, floor, ratio, spread, cpuRatio, aim, met }: Result): string[] {
  const range = spread.map((each) => each.toFixed(2)).join('–')
  const figures = [
    kontor.requests.toFixed(0),
    kontor.records.toFixed(0),
    kontor.p50.toFixed(2),
    kontor.p99.toFixed(2),
  ]
  const times = [kontor.server, floor.server, kontor.postgres, floor.postgres, kontor.client].map(
    (each) => each.toFixed(3),
  )
  return [
    title,
    ...figures,
    ratio.toFixed(2),
    range,
    cpuRatio.toFixed(2),
    ...times,
    aim,
    aim && (met ? 'met' : 'MISSED'),
  ]
}

function walkRow({ title, first, far, walkBegin, walkEnd, ratio, aim, met }: WalkResult): string[] {
  const times = `${first.toFixed(2)} → ${far.toFixed(2)}`
  const walk = `${walkBegin.toFixed(2)} → ${walkEnd.toFixed(2)}`
  return [
    title,
    '',
    '',
    times,
    '',
    ratio.toFixed(2),
    walk,
    '',
    '',
    '',
    '',
    '',
    '',
    aim,
    met ? 'met' : 'MISSED',
  ]
}

function table(rows: string[][]): string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  return rows.map((row) =>
    row
      .map((cell, column) => cell[column ? 'padStart' : 'padEnd'](widths[column]!))
      .join('  ')
      .trimEnd(),
  )
}

function figuresOf(rounds: Measured[], records: number): Figures {
  const times = rounds.flatMap((round) => round.times).toSorted((a, b) => a - b)
  const requests = median(rounds.map(perSecond))
  const per = (field: 'server' | 'postgres' | 'client') =>
    median(rounds.map((round) => round[field] / round.times.length))
  const at = (part: number) => times[Math.floor((times.length - 1) * part)]!
  return {
    requests,
    records: requests * records,
    p50: at(0.5),
    p99: at(0.99),
    server: per('server'),
    postgres: per('postgres'),
    client: per('client'),
  }
}

function perSecond({ times, elapsed }: Measured): number {
  return (times.length / elapsed) * 1000
}

function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return (
    (sorted[Math.floor((sorted.length - 1) / 2)]! + sorted[Math.ceil((sorted.length - 1) / 2)]!) / 2
  )
}
