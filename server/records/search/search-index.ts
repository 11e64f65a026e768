// The index rows of a record: the keys of its custom field values, and its search text.
import type { Fields } from '../fields/definitions.ts'
import type { KeyChange } from '../fields/field-index.ts'
import { keysOf, markEnd, searchLines } from '../fields/values.ts'
import type { Keys } from '../fields/values.ts'
import type { RecordDescription, RecordRow } from '../description.ts'
import type { IndexedRow } from '../writing/statements.ts'
import { gramForm, withoutMarks, searchForm } from './text.ts'

/** The placeholder for the id of a new record, in a name derived from that id. */
export const idMark = '\uE00C'

/** A new record with its index rows. */
export function indexedRow<Row extends RecordRow>(
  description: RecordDescription,
  fields: Fields,
  row: Omit<Row, 'id'>,
): IndexedRow<Row> {
  const { untitled } = description
  const isUntitled = row.name === '' && untitled !== undefined
  const named = isUntitled ? { ...row, name: untitled(idMark) } : row
  const text = textOf(description, fields, row, isUntitled ? named.name : withoutMarks(row.name))
  return {
    ...named,
    ...keysOf(fields, row.custom_fields_values),
    isUntitled,
    text,
    grams: gramForm(text),
  }
}

/** The index rows that a change adds and removes; undefined where there are none. */
export function indexChange<Row extends RecordRow>(
  description: RecordDescription,
  fields: Fields,
  before: Row,
  after: Row,
): KeyChange | undefined {
  const [was, is] = [
    keysOf(fields, before.custom_fields_values),
    keysOf(fields, after.custom_fields_values),
  ]
  const [added, removed] = [without(is, was), without(was, is)]
  const [old, text] = [before, after].map((row) => textOf(description, fields, row))
  const sizes = [added, removed].map(({ numbers, texts }) => numbers.length + texts.length)
  if (old === text && sizes.every((size) => size === 0)) return undefined
  const losing = new Set(removed.texts.map(({ field_id }) => field_id))
  const staying = is.texts.filter(({ field_id }) => losing.has(field_id))
  return { id: after.id, added, removed, staying, ...(old !== text && { text: text! }) }
}

/**
 * The most characters of one line of a search text, not counting the mark of its field, and of all
 * lines of a record.
 */
const [longestLine, longestText] = [2000, 20_000]

/**
 * The search text: the name, the texts that the entity type adds, and the lines of custom fields.
 * Marks appear only in a derived `name`.
 */
function textOf<Row extends RecordRow>(
  description: RecordDescription,
  fields: Fields,
  row: Omit<Row, 'id'>,
  name = withoutMarks(row.name),
): string {
  const own = description.searched?.(row).filter(Boolean).map(withoutMarks) ?? []
  return searchTextOf([name, ...own, ...searchLines(fields, row.custom_fields_values)])
}

/** A search text of lines, the name first; lines beyond the limit are left out. */
export function searchTextOf(lines: string[]): string {
  let length = -1
  const forms: string[] = []
  for (const line of lines) {
    // One character may be eighteen when it is decomposed.
    const form = cut(searchForm(cut(line)))
    if (length + 1 + form.length > longestText) continue
    length += 1 + form.length
    forms.push(form)
  }
  return forms.join('\n')
}

function cut(line: string): string {
  const most = line.indexOf(markEnd) + 1 + longestLine
  return line.length > most ? line.slice(0, most).toWellFormed() : line
}

function without(keys: Keys, others: Keys): Keys {
  const name = ({ field_id, value }: { field_id: number; value: string | number }) =>
    `${field_id} ${value}`
  const known = {
    numbers: new Set(others.numbers.map(name)),
    texts: new Set(others.texts.map(name)),
  }
  return {
    numbers: keys.numbers.filter((key) => !known.numbers.has(name(key))),
    texts: keys.texts.filter((key) => !known.texts.has(name(key))),
  }
}
