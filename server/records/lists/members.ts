// The members of a record in answers. PostgreSQL answers their columns as texts, and this process
// makes JSON of them: row_to_json took half of the time that the database needs for a page
// (docs/decisions/0063-one-statement.md).
import sql, { join, raw } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Cells } from '../../database/connect.ts'

/** A member of the JSON of a record. */
export type Member = { key: string } & (
  | { kind: 'number' | 'text'; column: Sql }
  /** `json` is its value in all records. */
  | { kind: 'constant'; json: string }
)

/** A column of whole numbers, or an expression for one, of a row named `record`. */
export const number = (key: string, column: Sql = sql`record.${raw(key)}`): Member => ({
  key,
  kind: 'number',
  column,
})
export const numbers = (...keys: string[]): Member[] => keys.map((key) => number(key))
export const text = (key: string): Member => ({
  key,
  kind: 'text',
  column: sql`record.${raw(key)}`,
})
export const constant = (key: string, value: boolean | null): Member => ({
  key,
  kind: 'constant',
  json: JSON.stringify(value),
})

/** The columns that `openedBy` reads: all numbers as one row, which costs least, then each text. */
export const memberColumns = (members: readonly Member[]): Sql[] => [
  sql`row(${join(columns(members, 'number'))})`,
  ...columns(members, 'text'),
]

const columns = (members: readonly Member[], kind: 'number' | 'text'): Sql[] =>
  members.flatMap((member) => (member.kind === kind ? member.column : []))

/**
 * The function that makes the beginning of a record's JSON, each member followed by a comma, from the
 * cells of `memberColumns`, of which `first` is the place of the first one.
 */
export function openedBy(members: readonly Member[]): (cells: Cells, first: number) => string {
  const parts: { before: string; kind: 'number' | 'text' }[] = []
  let before = '{'
  for (const member of members) {
    before += `"${member.key}":`
    if (member.kind === 'constant') before += `${member.json},`
    else {
      parts.push({ before, kind: member.kind })
      before = ','
    }
  }
  return (cells, first) => {
    // PostgreSQL writes a row as (1,2,,4).
    const numbers = cells[first]!.slice(1, -1).split(',')
    let [number, text] = [0, first + 1]
    let opened = ''
    for (const { before, kind } of parts)
      opened +=
        before + (kind === 'number' ? numbers[number++] || 'null' : JSON.stringify(cells[text++]))
    return opened + before
  }
}
