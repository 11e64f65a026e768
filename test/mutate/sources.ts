// Where the text of a fault stands. Files may move and lines may be broken anew without a change of the table.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { literally } from '../literally.ts'
import { serverFaults } from './faults.ts'
import type { Fault } from './faults.ts'
import { testsOf } from './plan.ts'
import { webFaults } from './web-faults.ts'

/** A fault, and the source file as it is with it. */
export interface Mutant extends Fault {
  planted: Planted
}

export interface Planted {
  /** Its path below the repository. */
  file: string
  text: string
}

/** All faults of both tables, planted; and a line for each that does not fit the sources. */
export function plantAll(root: string): { mutants: Mutant[]; misfits: string[] } {
  const tables = [
    { faults: serverFaults, sources: readSources(root, 'server') },
    { faults: webFaults, sources: readSources(root, 'web') },
  ]
  const misfits = [
    ...tables.flatMap(({ faults, sources }) => misfitsOf(root, faults, sources)),
    ...namedTwice(tables.flatMap(({ faults }) => faults)),
  ]
  if (misfits.length > 0) return { mutants: [], misfits }
  const mutants = tables.flatMap(({ faults, sources }) =>
    faults.map((fault) => ({ ...fault, planted: plant(fault, sources) })),
  )
  return { mutants, misfits }
}

/** The sources that faults are planted in: a folder but its tests and builds, by their paths below the repository. */
function readSources(root: string, folder: 'server' | 'web'): Map<string, string> {
  const names = readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
  const sources = names
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .filter((file) => /\.(?:tsx?|css|json)$/.test(file) && !file.endsWith('.test.ts'))
    .filter((file) => !file.startsWith('web/dist'))
    .toSorted()
  return new Map(sources.map((file) => [file, readFileSync(path.join(root, file), 'utf8')]))
}

/** The faults of a table, a line each: text that is nowhere or in several places, a missing test. */
export function misfitsOf(
  root: string,
  faults: readonly Fault[],
  sources: ReadonlyMap<string, string>,
): string[] {
  return faults.flatMap((fault) => {
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
      ...testsOf(fault).flatMap(({ file, titles }) => {
        if (!existsSync(path.join(root, file))) return [`${name}: there is no ${file}`]
        if (titles.length === 0) return []
        const text = readFileSync(path.join(root, file), 'utf8')
        return titles
          .filter((title) => !text.includes(title))
          .map((title) => `${name}: ${file} has no test ${JSON.stringify(title)}`)
      }),
    ]
  })
}

function namedTwice(faults: readonly Fault[]): string[] {
  const names = faults.map(({ name }) => name)
  return names
    .filter((name, index) => names.indexOf(name) < index)
    .map((name) => `${name}: is there twice`)
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
  const pattern = new RegExp(pieces.map(literally).join(String.raw`\s+`), 'g')
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
