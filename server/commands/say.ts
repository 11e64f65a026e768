// How the commands speak: what was asked for goes to standard output, everything else beside it, and what went wrong is one line.
import { readConfig } from '../config.ts'
import { ConnectionLost } from '../database/connect.ts'
import { asProblem } from '../http/problem.ts'
import type { Problem } from '../http/problem.ts'
import type { Kontor } from '../kontor.ts'
import { openKontor, stopSignal } from '../main.ts'

export const say = (line: string) => console.log(line)
/** Progress goes beside the answer, so that a program can read the answer. */
export const mutter = (line: string) => console.error(line)

export interface Json {
  json?: boolean
}

/** Opens what a command works on, for `holder`, and closes it when the work is done. */
export async function open(holder: string, work: (kontor: Kontor) => Promise<void>): Promise<void> {
  const config = readConfig()
  // As `kontor start`: a database that this command has started is stopped by it too, whatever comes.
  const stop = config.databaseUrl === undefined ? stopSignal() : undefined
  const { kontor, close } = await openKontor(config, holder, mutter)
  await work(kontor).finally(close)
  if (stop?.aborted) process.exitCode = 130
}

/** What went wrong, in one line: what a constraint of the database refuses is said as it is over HTTP. */
export function explain(error: Error): string {
  if (error instanceof ConnectionLost)
    return `The database cannot be reached: ${error.message || 'nobody answers'}. Check DATABASE_URL`
  const problem = asProblem(error)
  return problem ? spoken(problem) : error.message
}

/** What commander complains about, in one line as all other complaints. */
export function oneLine(text: string): string {
  return text
    .trim()
    .replace(/^error:/, 'kontor:')
    .replace(/\.$/, '')
    .replaceAll(/\s*\n\s*/g, ' ')
}

/** Says what was made, a field a line, or what there is, one each line; or as JSON. */
export function answer(
  holder: string,
  { json }: Json,
  work: (kontor: Kontor) => Promise<object>,
): Promise<void> {
  return open(holder, async (kontor) => {
    const made = await work(kontor)
    if (json) say(JSON.stringify(made))
    else if (Array.isArray(made))
      for (const each of made)
        say(
          Object.values(each as object)
            .map(plain)
            .join('  '),
        )
    else {
      const width = Math.max(...Object.keys(made).map((key) => key.length))
      for (const [key, value] of Object.entries(made)) say(`${key.padEnd(width)}  ${plain(value)}`)
    }
  })
}

function plain(value: unknown): string {
  if (value === null || value === undefined) return '-'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** A problem of the interface in one line: what is wrong with which field. */
function spoken(problem: Problem): string {
  const items = problem.body()['validation-errors'] ?? []
  const faults = items.flatMap(({ errors }) =>
    errors.map(({ path, detail }) => `${path}: ${detail}`),
  )
  return [problem.message, ...faults].join(' ')
}
