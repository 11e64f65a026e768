// The results that are kept from run to run, so that a run that was stopped goes on where it was. Each has a line, written as soon as
// it is known; of two with the same key the later counts.
import { appendFileSync, mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

export interface Results<About extends object> {
  has(key: string): boolean
  /** The result that was kept under a key. */
  get(key: string): About | undefined
  add(key: string, about: About): void
}

/** The results in a folder, which is made where there is none. */
export function openResults<About extends object>(folder: string): Results<About> {
  const file = path.join(folder, 'results.jsonl')
  mkdirSync(folder, { recursive: true })
  const known = new Map(
    linesOf(file).map((line) => {
      const { key, ...about } = JSON.parse(line) as About & { key: string }
      return [key, about as object as About]
    }),
  )
  return {
    has: (key) => known.has(key),
    get: (key) => known.get(key),
    add(key, about) {
      known.set(key, about)
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
