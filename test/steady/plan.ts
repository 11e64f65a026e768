// Which test files a steady run takes, in which order and chunks, and what it says at its end.
import { digestOf, shuffled } from '../runs/digest.ts'
import type { Outcome } from '../runs/outcome.ts'

/** What slows the tests of a run down. */
export interface Weather {
  /** Processes that keep a core busy each. */
  busy: number
  /** The most times that pages are slower; 1 leaves them as they are. */
  slowPages: number
  /** The most milliseconds that an answer to a page is kept back. */
  slowAnswers: number
}

/** The files that a process runs one after the other: what is run, kept and run again as one. */
export interface Chunk {
  round: number
  /** The seed of its round. */
  seed: number
  /** Its place in the round, from 1. */
  number: number
  files: string[]
}

/** The result of a chunk that ended. */
export interface Ended extends Chunk, Pick<Outcome, 'begun' | 'failed' | 'tests'> {
  seconds: number
  /** The file with the whole output, where something failed. */
  output?: string | undefined
}

/** A file of pages takes 20 to 90 seconds. A process starts in 5, as long as a dozen others take, or a tenth of that. */
const filesOfChunk = { pages: 1, servers: 12 }

export type Suite = keyof typeof filesOfChunk

export const suites = Object.keys(filesOfChunk) as Suite[]

/** The test files of a suite whose paths contain one of the names, or all where there is none. */
export function testFilesOf(
  files: readonly string[],
  suite: Suite,
  names: readonly string[],
): string[] {
  return files
    .filter((file) => /^(?:server|bin|test|docs)\/.*\.test\.ts$/.test(file))
    .filter((file) => file.startsWith('test/browser/') === (suite === 'pages'))
    .filter((file) => names.length === 0 || names.some((name) => file.includes(name)))
}

/** The chunks of all rounds. Each round has the next seed, and so another order. */
export function chunksOf(
  files: readonly string[],
  suite: Suite,
  seed: number,
  rounds: number,
): Chunk[] {
  const size = filesOfChunk[suite]
  return Array.from({ length: rounds }, (_, index) => {
    const inOrder = shuffled(files, String(seed + index), (file) => file)
    return Array.from({ length: Math.ceil(files.length / size) }, (_, at) => ({
      round: index + 1,
      seed: seed + index,
      number: at + 1,
      files: inOrder.slice(at * size, (at + 1) * size),
    }))
  }).flat()
}

/** The key of a chunk among the chunks of a run. */
export function keyOf({ seed, files }: Chunk): string {
  return digestOf(String(seed), ...files)
}

/** The rounds with their sums, and each failure with the command that runs its chunk again. */
export function summaryOf(ended: readonly Ended[], commandOf: (chunk: Chunk) => string): string {
  const rounds = [...Map.groupBy(ended, ({ round }) => round)]
  const failed = ended.filter(({ output }) => output !== undefined)
  return [
    rowOf(['round', 'seed', 'files', 'tests', 'failed', 'seconds']),
    ...rounds.map(([round, its]) =>
      rowOf([
        round,
        its[0]!.seed,
        sum(its, ({ files }) => files.length),
        sum(its, ({ begun }) => begun),
        sum(its, (chunk) => failuresOf(chunk).length),
        sum(its, ({ seconds }) => seconds).toFixed(1),
      ]),
    ),
    ...failed.flatMap((chunk) => [
      '',
      ...failuresOf(chunk).map((line) => `FAILED  ${line}`),
      `  round ${chunk.round}, seed ${chunk.seed}; its output: ${chunk.output}`,
      `  again: ${commandOf(chunk)}`,
    ]),
  ].join('\n')
}

/** A line for each test that failed, and for each file that failed beside its tests. */
export function failuresOf({ failed, tests }: Pick<Outcome, 'failed' | 'tests'>): string[] {
  const others = failed.filter(({ file }) => tests.every((test) => test.file !== file))
  return [
    ...tests.map(({ file, title, why }) => `${file} > ${title}: ${why}`),
    ...others.map(({ file, why }) => `${file}: ${why}`),
  ]
}

function sum(chunks: readonly Ended[], amountOf: (chunk: Ended) => number): number {
  return chunks.reduce((total, chunk) => total + amountOf(chunk), 0)
}

function rowOf(cells: readonly (string | number)[]): string {
  return cells.map((cell) => String(cell).padStart(9)).join('')
}
