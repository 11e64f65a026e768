// The output of the commands: answers go to standard output, progress and errors to standard error,
// an error as one line.
import { readConfig } from '../config.ts'
import type { Problem } from '../http/problem.ts'
import type { Kontor } from '../kontor.ts'

export const printLine = (line: string) => console.log(line)
/** Progress goes to standard error, so that programs can read the answer. */
export const mutter = (line: string) => console.error(line)

export interface Json {
  json?: boolean
}

/** Opens Kontor for `holder`, runs the command, and closes it. */
export async function open(holder: string, work: (kontor: Kontor) => Promise<void>): Promise<void> {
  const config = readConfig()
  const { openKontor, stopSignal } = await import('../open.ts')
  // As `kontor start`: a command also stops the database that it started, whatever signal comes.
  const stop = config.databaseUrl === undefined ? stopSignal() : undefined
  const { kontor, close } = await openKontor(config, holder, mutter)
  await work(kontor).finally(close)
  if (stop?.aborted) process.exitCode = 130
}

/** An error as one line. A refusal by a constraint of the database reads as over HTTP. */
export async function explain(error: Error): Promise<string> {
  const { ConnectionLost } = await import('../database/connect.ts')
  const { asProblem } = await import('../http/problem.ts')
  if (error instanceof ConnectionLost)
    return `The database cannot be reached: ${error.message || 'nobody answers'}. Check DATABASE_URL`
  const problem = asProblem(error)
  return problem ? problemLine(problem) : error.message
}

/** A message of commander as one line, like all other errors. */
export function oneLine(text: string): string {
  return text
    .trim()
    .replace(/^error:/, 'kontor:')
    .replace(/\.$/, '')
    .replaceAll(/\s*\n\s*/g, ' ')
}

/** Prints one object with a line per field, or a list with a line per row; or either as JSON. */
export function answer(
  holder: string,
  { json }: Json,
  work: (kontor: Kontor) => Promise<object>,
): Promise<void> {
  return open(holder, async (kontor) => {
    const made = await work(kontor)
    if (json) printLine(JSON.stringify(made))
    else if (Array.isArray(made))
      for (const each of made)
        printLine(
          Object.values(each as object)
            .map(plain)
            .join('  '),
        )
    else {
      const width = Math.max(...Object.keys(made).map((key) => key.length))
      for (const [key, value] of Object.entries(made))
        printLine(`${key.padEnd(width)}  ${plain(value)}`)
    }
  })
}

function plain(value: unknown): string {
  if (value === null || value === undefined) return '-'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** A problem of the interface as one line that names each faulty field. */
function problemLine(problem: Problem): string {
  const items = problem.body()['validation-errors'] ?? []
  const faults = items.flatMap(({ errors }) =>
    errors.map(({ path, detail }) => `${path}: ${detail}`),
  )
  return [problem.message, ...faults].join(' ')
}
