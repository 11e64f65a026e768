import { availableParallelism } from 'node:os'
import type { Walked } from './load.ts'
import type { Scenario } from './scenarios.ts'
import type { Streamed } from './stream.ts'

/** One round of one server, with its processor time in milliseconds. */
export interface Measured {
  elapsed: number
  times: number[]
  server: number
  postgres: number
  client: number
}

/** The figures of one server in one scenario: medians over the rounds, times in milliseconds. */
export interface Figures {
  requests: number
  records: number
  p50: number
  p99: number
  /** Processor time per request in milliseconds; `postgres` and `client` likewise. */
  server: number
  postgres: number
  client: number
}

/** Another server in the same rounds. */
export interface Compared {
  figures: Figures
  /** Kontor's requests per second divided by the other's: the median over pairs of rounds. */
  ratio: number
  spread: [least: number, most: number]
  /** The ratio by processor time alone. Other load on the machine hardly affects it. */
  cpuRatio: number
}

export interface Result {
  kind: 'scenario'
  title: string
  kontor: Figures
  /** Undefined if the server was not measured. */
  floor?: Compared
  plain?: Compared
  /**
   * Undefined if there is no older commit or it does not support the request. Its ratio is that of
   * the medians.
   */
  older?: Compared
  aim: string
  met: boolean
}

/**
 * Medians of the first and the far page, asked for in turn, and of the first and last 50 pages on
 * the way.
 */
interface WalkFigures {
  first: number
  far: number
  walkBegin: number
  walkEnd: number
  ratio: number
}

export interface WalkResult extends WalkFigures {
  kind: 'walk'
  title: string
  older?: WalkFigures
  aim: string
  met: boolean
}

export interface StreamResult {
  kind: 'stream'
  kontor: Streamed
  older?: Streamed
}

export interface Memory {
  idle: number
  load: number
}

export interface Report {
  results: (Result | WalkResult | StreamResult)[]
  memory: Memory
  /** The older commit that was compared. */
  older?: { commit: string; memory: Memory }
}

/** `measured` holds each server's rounds in order. */
export function resultOf(
  { title, records, ratio, rate }: Scenario,
  measured: Record<'kontor' | 'floor' | 'plain' | 'older', Measured[]>,
): Result {
  const kontor = figuresOf(measured.kontor, records)
  const beside = (name: 'floor' | 'plain' | 'older') =>
    measured[name].length > 0 ? comparedOf(measured.kontor, measured[name], records) : undefined
  const [floor, plain, older] = [beside('floor'), beside('plain'), beside('older')]
  const aims = [ratio && `ratio ≥ ${ratio}`, rate && `≥ ${rate} records/s`].filter(Boolean)
  return {
    kind: 'scenario',
    title,
    kontor,
    ...(floor && { floor }),
    ...(plain && { plain }),
    ...(older && { older: { ...older, ratio: kontor.requests / older.figures.requests } }),
    aim: aims.join(', '),
    met: (floor?.ratio ?? 0) >= (ratio ?? 0) && kontor.records >= (rate ?? 0),
  }
}

function comparedOf(kontor: Measured[], other: Measured[], records: number): Compared {
  const [ours, figures] = [figuresOf(kontor, records), figuresOf(other, records)]
  const pairs = kontor.map((round, index) => perSecond(round) / perSecond(other[index]!))
  return {
    figures,
    ratio: median(pairs),
    spread: [Math.min(...pairs), Math.max(...pairs)],
    cpuRatio: cpuOf(figures) / cpuOf(ours),
  }
}

export function walkResultOf(
  by: 'page' | 'next',
  kontor: Walked,
  older: Walked | undefined,
): WalkResult {
  const figures = walkFiguresOf(kontor)
  return {
    kind: 'walk',
    title: `page ${kontor.walk.length} of a walk by ${by}`,
    ...figures,
    ...(older && { older: walkFiguresOf(older) }),
    aim: 'ratio ≥ 0.9',
    met: figures.ratio >= 0.9,
  }
}

function walkFiguresOf({ walk, first, far }: Walked): WalkFigures {
  const [one, last] = [median(first), median(far)]
  return {
    first: one,
    far: last,
    walkBegin: median(walk.slice(0, 50)),
    walkEnd: median(walk.slice(-50)),
    ratio: one / last,
  }
}

export function streamResultOf(kontor: Streamed, older: Streamed | undefined): StreamResult {
  return { kind: 'stream', kontor, ...(older && { older }) }
}

/** The report as text. */
export function report({ results, memory, older }: Report): string {
  const hasFloors = results.some((result) => result.kind === 'scenario' && result.floor)
  const streams = results.flatMap((result) => (result.kind === 'stream' ? result.kontor : []))
  return [
    ...(hasFloors || !older ? [...floorTable(results), '', ...streams.flatMap(streamOf)] : []),
    ...(older ? [`Beside ${older.commit}:`, ...olderTable(results), ''] : []),
    memoryOf("Kontor's process", memory),
    ...(older ? [memoryOf(`the process of ${older.commit}`, older.memory)] : []),
    `${availableParallelism()} processors, Node.js ${process.version}. CPU is processor time per request; "by CPU" is the ratio if only that counted.`,
  ].join('\n')
}

function memoryOf(whose: string, { idle, load }: Memory): string {
  return `Memory of ${whose}: ${idle.toFixed(0)} MiB idle (aim < 100), ${load.toFixed(0)} MiB at most under load (aim < 200)`
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

/** Kontor beside its floors: `ratio` is to the first floor, `plain` to the second. */
function floorTable(results: Report['results']): string[] {
  const headings = [
    '',
    'requests/s',
    'records/s',
    'p50 ms',
    'p99 ms',
    'ratio',
    '(rounds)',
    'by CPU',
    'plain',
    '(rounds)',
    'by CPU',
    'CPU ms: Node',
    'floor',
    'plain',
    'database',
    'floor',
    'plain',
    'client',
    'aim',
    '',
  ]
  const rows = results.flatMap((result) => {
    if (result.kind === 'stream') return []
    return [result.kind === 'walk' ? walkRow(result, headings.length) : rowOf(result)]
  })
  return table([headings, ...rows])
}

function rowOf({ title, kontor, floor, plain, aim, met }: Result): string[] {
  const figures = [
    kontor.requests.toFixed(0),
    kontor.records.toFixed(0),
    kontor.p50.toFixed(2),
    kontor.p99.toFixed(2),
  ]
  const sides = [kontor, floor?.figures, plain?.figures]
  const times = [
    ...sides.map((side) => side?.server),
    ...sides.map((side) => side?.postgres),
    kontor.client,
  ]
  const verdict = [aim, aim && (met ? 'met' : 'MISSED')]
  return [
    title,
    ...figures,
    ...ratiosOf(floor),
    ...ratiosOf(plain),
    ...times.map((time) => fixed(time, 3)),
    ...verdict,
  ]
}

function walkRow(
  { title, first, far, walkBegin, walkEnd, ratio, aim, met }: WalkResult,
  width: number,
): string[] {
  const cells = [
    title,
    '',
    '',
    fromTo(first, far),
    '',
    ratio.toFixed(2),
    fromTo(walkBegin, walkEnd),
  ]
  return [
    ...cells,
    ...Array.from({ length: width - cells.length - 2 }, () => ''),
    aim,
    met ? 'met' : 'MISSED',
  ]
}

/** Kontor beside an older commit, each figure now and then. */
function olderTable(results: Report['results']): string[] {
  const pairs = ['requests/s', 'p50 ms', 'p99 ms'].flatMap((heading) => [heading, 'older'])
  const headings = [
    '',
    ...pairs,
    'ratio',
    '(rounds)',
    'by CPU',
    'CPU ms: Node',
    'older',
    'database',
    'older',
  ]
  return table([headings, ...results.map(olderRow)])
}

function olderRow(result: Report['results'][number]): string[] {
  switch (result.kind) {
    case 'stream':
      return olderStreamRow(result)
    case 'walk':
      return olderWalkRow(result)
    case 'scenario': {
      const { title, kontor, older } = result
      const then = older?.figures
      const figures = [
        kontor.requests.toFixed(0),
        then?.requests.toFixed(0) ?? notThere,
        ...[kontor.p50, then?.p50, kontor.p99, then?.p99].map((time) => fixed(time, 2)),
      ]
      const times = [kontor.server, then?.server, kontor.postgres, then?.postgres]
      return [title, ...figures, ...ratiosOf(older), ...times.map((time) => fixed(time, 3))]
    }
  }
}

/** The medians of the first and the far page. The ratio is that of the far pages. */
function olderWalkRow({ title, older, ...now }: WalkResult): string[] {
  const pages = [fromTo(now.first, now.far), older ? fromTo(older.first, older.far) : notThere]
  return [
    title,
    '',
    '',
    ...pages,
    '',
    '',
    older ? fixed(older.far / now.far, 2) : '',
    '',
    '',
    '',
    '',
    '',
    '',
  ]
}

/**
 * Times from the answer of a write to its arrival in a browser. Changes come at a fixed pace, so
 * only CPU has a ratio.
 */
function olderStreamRow({ kontor, older }: StreamResult): string[] {
  const each = (part: 'server' | 'postgres', of?: Streamed) =>
    of && (of[part] / of.changesPerSecond) * 1000
  const cpu = (of: Streamed) => (of.server + of.postgres) / of.changesPerSecond
  const times = [kontor.p50, older?.p50, kontor.p99, older?.p99].map((time) => fixed(time, 2))
  const cpuTimes = [
    each('server', kontor),
    each('server', older),
    each('postgres', kontor),
    each('postgres', older),
  ]
  return [
    `a change, told to ${kontor.browsers} browsers`,
    kontor.changesPerSecond.toFixed(0),
    older?.changesPerSecond.toFixed(0) ?? notThere,
    ...times,
    '',
    '',
    older ? fixed(cpu(older) / cpu(kontor), 2) : '',
    ...cpuTimes.map((time) => fixed(time, 3)),
  ]
}

const notThere = 'not there'

/**
 * Ratio, its range over the rounds, and the ratio by CPU. Empty cells for a server that did not
 * take part.
 */
function ratiosOf(compared: Compared | undefined): string[] {
  if (!compared) return ['', '', '']
  const { ratio, spread, cpuRatio } = compared
  return [ratio.toFixed(2), spread.map((each) => each.toFixed(2)).join('–'), cpuRatio.toFixed(2)]
}

function fromTo(from: number, to: number): string {
  return `${from.toFixed(2)} → ${to.toFixed(2)}`
}

function fixed(figure: number | undefined, digits: number): string {
  return figure?.toFixed(digits) ?? ''
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

function cpuOf({ server, postgres }: Figures): number {
  return server + postgres
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
