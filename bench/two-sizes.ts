// The steps of the benches that measure a small and a large account in turns, and print the ratio of their times.
import { parseArgs } from 'node:util'

export interface TwoSizes {
  small: number
  large: number
  rounds: number
}

/** Reads `--small`, `--large` and `--rounds` (60 by default) of the command. */
export function readTwoSizes(usual: { small: number; large: number }): TwoSizes {
  const { values } = parseArgs({
    options: {
      large: { type: 'string', default: String(usual.large) },
      small: { type: 'string', default: String(usual.small) },
      rounds: { type: 'string', default: '60' },
    },
  })
  const { small, large, rounds } = values
  return { small: Number(small), large: Number(large), rounds: Number(rounds) }
}

/** A lasting connection must not be refused for asking often. */
export const withoutLimits = { RATE_LIMIT_SCOPE: '0', RATE_LIMIT_ADDRESS: '0' }

export function printTwoSizes({ small, large }: Pick<TwoSizes, 'small' | 'large'>): void {
  console.log(
    `| | p50 at ${small} | p95 | p50 at ${large} | p95 | ratio of p50 |\n|---|---|---|---|---|---|`,
  )
}

/** The times are milliseconds. */
export function printTimes(title: string, small: number[], large: number[]): void {
  const [one, other] = [percentilesOf(small), percentilesOf(large)]
  const cells = [one.p50, one.p95, other.p50, other.p95].map((time) => time.toFixed(1))
  console.log(`| ${[title, ...cells, (other.p50 / one.p50).toFixed(2)].join(' | ')} |`)
}

function percentilesOf(times: number[]): { p50: number; p95: number } {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (part: number) => sorted[Math.floor(sorted.length * part)]!
  return { p50: at(0.5), p95: at(0.95) }
}
