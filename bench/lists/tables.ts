// The report in Markdown: every size beside the smallest, and how many times as long a request
// takes there.
import { availableParallelism, loadavg, totalmem } from 'node:os'
import type { Created } from './create.ts'
import type { Measured } from './measure.ts'
import type { Walked } from './walk.ts'

/** The measurements in an account of one size, by title. */
export interface Sized {
  leads: number
  requests: Map<string, Measured>
  walks: Map<string, Walked>
  created: Created[]
}

export function tablesOf(sizes: Sized[]): string {
  const named = sizes.map(({ leads }) => leads.toLocaleString('en'))
  const small = sizes[0]!
  const requests = [...small.requests.keys()].map((title) => {
    const each = sizes.map((size) => size.requests.get(title)!)
    const note = each.map(({ note }) => note).find(Boolean) ?? ''
    const [first, last] = [each[0]!, each.at(-1)!]
    return [
      title,
      ...each.flatMap(cellsOf),
      ratioOf(first.p50, last.p50),
      ratioOf(first.cpu, last.cpu),
      note,
    ]
  })
  const walks = [...small.walks.keys()].map((title) => [
    title,
    ...sizes.flatMap((size) => {
      const { page, first, far } = size.walks.get(title)!
      return [page.toLocaleString('en'), `${time(first)} → ${time(far)}`, ratioOf(first, far)]
    }),
  ])
  const created = small.created.map(({ connections }, index) => [
    `${connections}`,
    ...sizes.flatMap(({ created }) => {
      const { recordsPerSecond, p50, p99 } = created[index]!
      return [whole(recordsPerSecond), `${time(p50)}, ${time(p99)}`]
    }),
  ])
  const eachSize = (...titles: string[]) =>
    named.flatMap((size) => titles.map((title) => `${size}: ${title}`))
  return [
    `${new Date().toISOString().slice(0, 16).replace('T', ' ')}, ${availableParallelism()} cores, ${whole(totalmem() / 2 ** 30)} GiB, ` +
      `Node.js ${process.versions.node}, load average ${loadavg()[1]!.toFixed(1)}. Milliseconds, pages of 50; requests per second of 8 connections, and the processor time of Kontor and PostgreSQL for each.\n`,
    table(
      [
        'Question',
        ...eachSize('matches', 'records', 'p50', 'p99', 'requests/s', 'CPU'),
        'ratio of p50',
        'by CPU',
        '',
      ],
      requests,
    ),
    table(['Walk by `next`', ...eachSize('page', 'page 1 → it', 'ratio')], walks),
    table(
      ['Create 250 leads with 5 values, connections', ...eachSize('records/s', 'p50, p99')],
      created,
    ),
  ]
    .filter(Boolean)
    .join('\n')
}

function cellsOf({ matches, answered, p50, p99, perSecond, cpu }: Measured): string[] {
  return [
    matches.toLocaleString('en'),
    whole(answered),
    time(p50),
    time(p99),
    whole(perSecond),
    time(cpu),
  ]
}

function ratioOf(one: number, other: number): string {
  return Number.isNaN(other / one) ? '' : (other / one).toFixed(2)
}

function time(milliseconds: number): string {
  if (Number.isNaN(milliseconds)) return ''
  return milliseconds < 10 ? milliseconds.toFixed(2) : whole(milliseconds)
}

function whole(number: number): string {
  return Number.isNaN(number) ? '' : Math.round(number).toLocaleString('en')
}

function table(headings: string[], rows: string[][]): string {
  if (rows.length === 0) return ''
  const line = (cells: string[]) => `| ${cells.join(' | ')} |\n`
  return [line(headings), `|${'---|'.repeat(headings.length)}\n`, ...rows.map(line)].join('')
}
