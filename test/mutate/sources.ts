// Where the text of a fault stands. Files may move and lines may be broken anew without a change of the table.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { Fault } from './faults.ts'

/** A place in a source file, and the file as it is with the fault. */
export interface Planted {
  /** Its path below the repository. */
  file: string
  text: string
}

/** The sources that faults are planted in: all of server/ but its tests, by their paths below the repository. */
export function readSources(root: string): Map<string, string> {
  const names = readdirSync(path.join(root, 'server'), { recursive: true, encoding: 'utf8' })
  const sources = names
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .toSorted()
  return new Map(
    sources.map((name) => {
      const file = `server/${name.replaceAll('\\', '/')}`
      return [file, readFileSync(path.join(root, file), 'utf8')]
    }),
  )
}

/** The faults of the table, a line each: text that is nowhere or in several places, a missing test, a name twice. */
export function wrongWith(
  root: string,
  faults: readonly Fault[],
  sources: ReadonlyMap<string, string>,
): string[] {
  return faults.flatMap((fault, place) => {
    const { name, find, replace, tests } = fault
    const found = placesOf(fault, sources)
    const where = found.map(({ file, line }) => `${file}:${line}`).join(', ')
    return [
      ...(found.length === 0 ? [`${name}: nowhere is ${JSON.stringify(find)}`] : []),
      ...(found.length > 1
        ? [`${name}: in ${found.length} places (${where}) is ${JSON.stringify(find)}`]
        : []),
      ...(find === replace ? [`${name}: changes nothing`] : []),
      ...(tests.length === 0 ? [`${name}: names no test`] : []),
      ...tests
        .filter((file) => !existsSync(path.join(root, file)))
        .map((file) => `${name}: there is no ${file}`),
      ...(faults.findIndex((other) => other.name === name) < place
        ? [`${name}: is there twice`]
        : []),
    ]
  })
}

/** A fault that has nothing wrong with it, planted. */
export function plant(fault: Fault, sources: ReadonlyMap<string, string>): Planted {
  const [found] = placesOf(fault, sources)
  if (!found) throw new Error(`${fault.name} stands nowhere`)
  const { file, from, to } = found
  const text = sources.get(file)!
  return { file, text: text.slice(0, from) + fault.replace + text.slice(to) }
}

interface Found {
  file: string
  line: number
  from: number
  to: number
}

/** White space counts as such, whatever of it: the format of a line that moves may change. */
function placesOf({ find, in: end = '' }: Fault, sources: ReadonlyMap<string, string>): Found[] {
  const pieces = find.trim().split(/\s+/)
  const pattern = new RegExp(
    pieces
      .map((piece) => piece.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`))
      .join(String.raw`\s+`),
    'g',
  )
  return [...sources]
    .filter(([file]) => `/${file}`.endsWith(end === '' ? '' : `/${end}`))
    .flatMap(([file, text]) =>
      [...text.matchAll(pattern)].map((match) => ({
        file,
        line: text.slice(0, match.index).split('\n').length,
        from: match.index,
        to: match.index + match[0].length,
      })),
    )
}
