// The results that are kept from run to run, so that a run that was stopped goes on where it was. Each has a line, written as soon as
// it is known. Only good ones are kept: a fault that survived is planted again, whatever has changed.
import { appendFileSync, mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

export interface Results {
  has(key: string): boolean
  /** Keeps that this went well; `about` is for readers of the file. */
  add(key: string, about: object): void
}

export function openResults(folder: string): Results {
  const file = path.join(folder, 'results.jsonl')
  mkdirSync(folder, { recursive: true })
  const keys = new Set(linesOf(file).map((line) => (JSON.parse(line) as { key: string }).key))
  return {
    has: (key) => keys.has(key),
    add(key, about) {
      keys.add(key)
      appendFileSync(file, `\n${JSON.stringify({ key, ...about })}\n`)
    },
  }
}

/** None where nothing was kept. A run that was killed may have left half a line. */
function linesOf(file: string): string[] {
  try {
    return readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('{') && line.endsWith('}'))
  } catch {
    return []
  }
}
