// The way that a list took to its rows (server/records/lists/find.ts), by the statements it ran.
import type { Sql } from 'sql-template-tag'
import type { Database } from '../../server/database/connect.ts'
import { bounds } from '../../server/records/lists/find.ts'

/** In the order in which they are tried. */
export const allWays = ['direct', 'lookUp', 'window', 'scan', 'middle', 'plain'] as const
export type TakenWay = (typeof allWays)[number]

export interface Ways {
  /** How often each was taken. */
  taken: Map<TakenWay, number>
  /** To be called between one list and the next: which way the last one took. */
  last(): TakenWay
}

/** Watches the lists that are asked of a database, one at a time. */
export function watchWays(database: Database): Ways {
  const steps: string[] = []
  const taken = new Map<TakenWay, number>()
  const { list, page, rows, cells } = database
  const note = (statement: Sql) => {
    const step = stepOf(statement)
    if (step) steps.push(step)
  }
  database.list = (statement) => {
    note(statement)
    return list(statement)
  }
  database.page = (statement) => {
    note(statement)
    return page(statement)
  }
  database.rows = (statement) => {
    note(statement)
    return rows(statement)
  }
  database.cells = (way, statement) => {
    note(statement)
    return cells(way, statement)
  }
  return {
    taken,
    last() {
      const way = wayOf(steps.splice(0))
      taken.set(way, (taken.get(way) ?? 0) + 1)
      return way
    },
  }
}

function stepOf({ text }: Sql): string | undefined {
  if (text.startsWith('explain')) return undefined
  if (/ as c0\b/.test(text)) return 'count'
  if (!/row_to_json\(shown\)|select row\(record\.id,/.test(text)) return undefined
  if (/select record\.\* from \(select id from/.test(text)) return 'scan'
  if (/offset 0\) record/.test(text)) return 'lookUp'
  return /limit \$\d+\) record/.test(text) ? 'window' : 'plain'
}

function wayOf(steps: string[]): TakenWay {
  const end = steps.at(-1)
  if (steps.length === 1 && end === 'plain') return 'direct'
  if (end === 'window' || end === 'plain' || end === 'scan') return end
  if (end === 'lookUp')
    return steps.filter((step) => step === 'count').length <= 1 && !steps.includes('window')
      ? 'lookUp'
      : 'middle'
  throw new Error(`no list takes these steps: ${steps.join()}`)
}

export type Bounds = typeof bounds

/** Does something under other bounds. */
export async function within<Result>(
  other: Partial<Bounds>,
  work: () => Promise<Result>,
): Promise<Result> {
  const unknown = Object.keys(other).filter((name) => !(name in bounds))
  if (unknown.length > 0) throw new Error(`there is no bound ${unknown.join(', ')}`)
  const usual = { ...bounds }
  Object.assign(bounds, other)
  try {
    return await work()
  } finally {
    Object.assign(bounds, usual)
  }
}
