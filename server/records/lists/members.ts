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
export const textMember = (key: string): Member => ({
  key,
  kind: 'text',
  column: sql`record.${raw(key)}`,
})
export const constant = (key: string, value: boolean | null): Member => ({
  key,
  kind: 'constant',
  json: JSON.stringify(value),
})

/**
 * The columns that `membersRead` takes: all numbers as one row, which costs least, then each text.
 * `leading` are whole numbers that are no members, and come first in the row.
 */
export const memberColumns = (members: readonly Member[], leading: readonly Sql[]): Sql[] => [
  sql`row(${join([...leading, ...columns(members, 'number')])})`,
  ...columns(members, 'text'),
]

const columns = (members: readonly Member[], kind: 'number' | 'text'): Sql[] =>
  members.flatMap((member) => (member.kind === kind ? member.column : []))

/**
 * The function that takes rows that begin with `memberColumns`. It answers the numbers, of which the
 * first `leading` are no members, and the beginning of the record's JSON: each member followed by a
 * comma.
 */
export function membersRead(
  members: readonly Member[],
  leading: number,
): (cells: Cells) => { numbers: string[]; opened: string } {
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
  return (cells) => {
    // PostgreSQL writes a row as (1,2,,4).
    const numbers = cells[0]!.slice(1, -1).split(',')
    let [number, text] = [leading, 1]
    let opened = ''
    for (const { before, kind } of parts)
      opened +=
        before + (kind === 'number' ? numbers[number++] || 'null' : JSON.stringify(cells[text++]))
    return { numbers, opened: opened + before }
  }
}
