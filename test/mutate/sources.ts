// Where the text of a fault stands. Files may move and lines may be broken anew without a change of the table.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { literally } from '../literally.ts'
import type { Fault } from './fault.ts'
import { faults as access } from './faults/access.ts'
import { faults as activity } from './faults/features/activity.ts'
import { faults as application } from './faults/features/application.ts'
import { faults as conversations } from './faults/features/conversations.ts'
import { faults as definitions } from './faults/features/definitions.ts'
import { faults as people } from './faults/features/people.ts'
import { faults as programs } from './faults/features/programs.ts'
import { faults as records } from './faults/features/records.ts'
import { faults as http } from './faults/http.ts'
import { faults as sharedByRecords } from './faults/records.ts'
import { faults as server } from './faults/server.ts'
import { faults as web } from './faults/web.ts'
import { testsOf } from './plan.ts'

/** The faults of each folder. A source belongs to the deepest folder that holds it. */
const tables: Record<string, readonly Fault[]> = {
  'server/': server,
  'server/access/': access,
  'server/http/': http,
  'server/records/': sharedByRecords,
  'server/features/activity/': activity,
  'server/features/application/': application,
  'server/features/conversations/': conversations,
  'server/features/definitions/': definitions,
  'server/features/people/': people,
  'server/features/programs/': programs,
  'server/features/records/': records,
  'web/': web,
}

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
  const sources = new Map([...readSources(root, 'server'), ...readSources(root, 'web')])
  const folders = Object.entries(tables).map(([folder, faults]) => {
    const own = [...sources].filter(([file]) => folderOf(file) === folder)
    return { faults, sources: new Map(own) }
  })
  const misfits = [
    ...folders.flatMap(({ faults, sources }) => misfitsOf(root, faults, sources)),
    ...namedTwice(Object.values(tables).flat()),
  ]
  if (misfits.length > 0) return { mutants: [], misfits }
  const mutants = folders.flatMap(({ faults, sources }) =>
    faults.map((fault) => ({ ...fault, planted: plant(fault, sources) })),
  )
  return { mutants, misfits }
}

/** The folder of `tables` whose faults a source may have. */
function folderOf(file: string): string | undefined {
  const holding = Object.keys(tables).filter((folder) => file.startsWith(folder))
  return holding.toSorted((one, other) => other.length - one.length)[0]
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
    const found = matchesOf(fault, sources)
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
  const [found] = matchesOf(fault, sources)
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
function matchesOf({ find, in: end = '' }: Fault, sources: ReadonlyMap<string, string>): Found[] {
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
