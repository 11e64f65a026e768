// The acts on the cells of a table. Each is one request for all rows and offers to take it back: a cell that somebody
// else has changed since stays.
import type { useTranslations } from 'use-intl'
import { Problem } from '../../data/api.ts'
import { ChangeOvertaken, isSameValue } from '../../data/conflicts.ts'
import { isSame } from '../../crm/fields/field.ts'
import type { DraftFault, Means, Values } from '../../crm/fields/field.ts'
import { copiedText, fieldKinds, pastedDraft, valuesOf } from '../../crm/fields/types.ts'
import { say, warn } from '../../ui/toasts.ts'
import type { OfferUndo } from '../../ui/undo.ts'
import { blockText, cellsOf } from './clipboard.ts'
import type { PlacedColumn } from './context.ts'
import type { RowColumn } from './columns.ts'
import type { Row } from './rows.ts'
import { blockOf } from './selection.ts'
import type { TableSelection } from './selection.ts'
import type { RowStore } from './store.ts'
import type { RowWrite, RowWriter } from './writes.ts'

/** New values of a cell. */
export interface CellChange {
  id: number
  column: RowColumn
  values: Values
}

export interface TableActions {
  /**
   * Saves cells and offers to take that back. Throws the refusal where `isQuiet`; else says it. Answers whether it was
   * saved.
   */
  save: (cells: readonly CellChange[], text: string, isQuiet?: boolean) => Promise<boolean>
  /** Why a cell takes no change; undefined where it does. */
  refusal: (row: Row | undefined, column: RowColumn) => string | undefined
  /** The block of cells as a text of the clipboard. */
  copy: () => string
  paste: (text: string) => void
  /** Empties the block. */
  clear: () => void
  /** Takes the values of the first row of the block into its others. */
  fillDown: () => void
}

interface Parts {
  store: RowStore
  writer: RowWriter
  selection: TableSelection
  columns: () => readonly PlacedColumn[]
  means: (column: RowColumn) => Means
  faultText: (column: RowColumn, fault: DraftFault) => string
  words: ReturnType<typeof useTranslations<'rows'>>
  offerUndo: OfferUndo
  problemText: (problem: Problem) => string
}

/** The most cells that a paste changes. */
const mostCells = 25_000
/** The cells on screen take back an act with the key for so many milliseconds, also without the toast. */
const undoMs = 600_000

export function makeTableActions({
  store,
  writer,
  selection,
  columns,
  means,
  faultText,
  words,
  offerUndo,
  problemText,
}: Parts): TableActions {
  const textOf = (error: unknown): string =>
    error instanceof ChangeOvertaken
      ? words('overtaken')
      : error instanceof Problem
        ? problemText(error)
        : String(error)

  const refusal: TableActions['refusal'] = (row, column) => {
    if (store.key.bin) return words('bin.readOnly')
    if (!column.write) return words('readOnly')
    if (row && !row.may_edit) return words('noRight')
    return undefined
  }

  /** The changes of each row, the parts of its body joined, and the cells that they make. */
  function writesOf(cells: readonly CellChange[], rowOf = store.rows.shown) {
    const writes = new Map<number, RowWrite>()
    const made: CellChange[] = []
    const refused: string[] = []
    for (const cell of cells) {
      const { id, column, values } = cell
      const row = rowOf(id)
      if (!row || !column.write) continue
      if (values === null && column.isKept) {
        refused.push(`${column.label}: ${words('needsValue')}`)
        continue
      }
      const own = column.write(values, row)
      if ('needed' in own) {
        refused.push(words('needed', { fields: own.needed.join(', ') }))
        continue
      }
      made.push(cell)
      const present = writes.get(id)
      writes.set(id, {
        id,
        change: { ...present?.change, ...own.change },
        body: joined(present?.body ?? {}, own.body),
      })
    }
    return { writes: [...writes.values()], made, refused }
  }

  const save: TableActions['save'] = async (cells, text, isQuiet = false) => {
    const { writes, made, refused } = writesOf(cells)
    if (refused.length > 0) warn(words('notChanged'), [...new Set(refused)].join(' '))
    if (writes.length === 0) return false
    const changes = new Map(writes.map(({ id, change }) => [id, change]))
    const done = made.map(({ id, column }): DoneCell => {
      const row = store.rows.shown(id)!
      const after = { ...row, ...changes.get(id) } as Row
      return { id, column, before: column.read(row), after: column.read(after) }
    })
    try {
      await writer.save(writes)
    } catch (error) {
      if (isQuiet) throw error
      warn(words('notChanged'), textOf(error))
      return false
    }
    offerUndo(text, () => void takeBack(done), { on: { screen: store, ms: undoMs } })
    return true
  }

  /** Writes the values of before where the cells are still as the act left them. */
  async function takeBack(done: readonly DoneCell[]): Promise<void> {
    const ids = [...new Set(done.map(({ id }) => id))]
    // A record may not be one of the list any more: the act took it out of the filter.
    const present = await store.present(ids).catch(() => undefined)
    const rowOf = (id: number) => (present ? present.get(id) : store.rows.shown(id))
    const back = done.filter(({ id, column, after }) => {
      const row = rowOf(id)
      return row !== undefined && isSameCell(column, column.read(row), after)
    })
    const { writes } = writesOf(
      back.map(({ id, column, before }) => ({ id, column, values: before })),
      rowOf,
    )
    try {
      if (writes.length > 0) await writer.save(writes)
      if (back.length < done.length) warn(words('partlyBack'))
      else say(words('takenBack'))
    } catch (error) {
      warn(words('notChanged'), textOf(error))
    }
  }

  /** The block; undefined where there is none, or where it is too large or not all of it has come: that is said. */
  const cellsOfBlock = () => {
    const block = blockOf(selection.get())
    if (!block) return undefined
    const height = block.to.row - block.from.row + 1
    if (height * (block.to.column - block.from.column + 1) > mostCells) {
      warn(words('tooManyCells', { count: mostCells }))
      return undefined
    }
    const shown = columns().slice(block.from.column, block.to.column + 1)
    const ids = Array.from({ length: height }, (_, index) => block.from.row + index)
      .filter((index) => store.groupAt(index) === undefined)
      .map(store.idAt)
    if (ids.includes(undefined)) {
      warn(words('notLoaded'))
      return undefined
    }
    return { block, columns: shown, ids }
  }

  /** The positions of so many rows, from one on; headings of groups are none. */
  const rowsFrom = (first: number, count: number): number[] => {
    const found: number[] = []
    for (let index = first; found.length < count && index < store.length(); index++)
      if (store.groupAt(index) === undefined) found.push(index)
    return found
  }

  const textOfCell = (id: number | undefined, column: RowColumn): string => {
    const row = id === undefined ? undefined : store.rows.shown(id)
    if (!row) return ''
    if (column.kind === 'tags') return row.tags.map(({ name }) => name).join('\n')
    return copiedText(column.field, column.read(row), means(column))
  }

  function paste(text: string): void {
    const found = cellsOfBlock()
    if (!found || text === '') return
    const { block, ids: own } = found
    const given = cellsOf(text)
    const [height, width] = [given.length, Math.max(...given.map((row) => row.length))]
    const all = columns()
    // One cell fills the block; a block that is a multiple of the text is filled by it, as in spreadsheets.
    const rowsOfBlock = own.length
    const columnsOfBlock = block.to.column - block.from.column + 1
    const rowCount = rowsOfBlock % height === 0 ? rowsOfBlock : height
    const columnCount = columnsOfBlock % width === 0 ? columnsOfBlock : width
    if (rowCount * columnCount > mostCells)
      return void warn(words('tooManyCells', { count: mostCells }))
    const changes: CellChange[] = []
    const faults: string[] = []
    const targets = rowsFrom(block.from.row, rowCount)
    for (const [down, index] of targets.entries()) {
      const id = store.idAt(index)
      const row = id === undefined ? undefined : store.rows.shown(id)
      if (!row) continue
      for (let right = 0; right < columnCount; right++) {
        const column = all[block.from.column + right]
        if (!column) continue
        const cell = given[down % height]![right % width]
        // A line of the text may be shorter than others.
        if (cell === undefined) continue
        const refused = refusal(row, column)
        if (refused !== undefined) {
          faults.push(`${column.label}: ${refused}`)
          continue
        }
        const read = readCell(row, column, cell)
        if (typeof read === 'string') faults.push(`${column.label}: ${read}`)
        else if (!isSame(read.values, column.read(row)))
          changes.push({ id: row.id, column, values: read.values })
      }
    }
    if (faults.length > 0)
      warn(words('notPasted', { count: faults.length }), [...new Set(faults)].slice(0, 5).join(' '))
    const [top, left] = [block.from.row, block.from.column]
    selection.set({
      anchor: { row: top, column: left },
      focus: {
        row: targets.at(-1) ?? top,
        column: Math.min(left + columnCount, all.length) - 1,
      },
    })
    if (changes.length > 0) void save(changes, words('pasted', { count: changes.length }))
  }

  function readCell(row: Row, column: RowColumn, text: string): { values: Values } | string {
    if (column.kind === 'tags')
      return {
        // A tag may have a comma of its own.
        values: text
          .split(text.trim().includes('\n') ? '\n' : /[,;]/)
          .map((name) => name.trim())
          .filter(Boolean)
          .map((value) => ({ value })),
      }
    const own = means(column)
    const draft = pastedDraft(column.field, text, own, column.read(row))
    if (draft === undefined) return words('noSuchValue', { text: text.slice(0, 60) })
    if (fieldKinds[column.field.type].isFlag) return { values: [{ value: draft === 'yes' }] }
    const values = valuesOf(column.field, draft, own)
    if (values !== null && !Array.isArray(values)) return faultText(column, values as DraftFault)
    if (values === null && column.isKept) return words('needsValue')
    return { values: values as Values }
  }

  return {
    save,
    refusal,
    copy() {
      const found = cellsOfBlock()
      if (!found) return ''
      return blockText(found.ids.map((id) => found.columns.map((column) => textOfCell(id, column))))
    },
    paste,
    clear() {
      const found = cellsOfBlock()
      const changes = (found?.ids ?? []).flatMap((id) =>
        found!.columns.flatMap((column): CellChange[] => {
          const row = id === undefined ? undefined : store.rows.shown(id)
          if (!row || refusal(row, column) !== undefined || column.isKept) return []
          if (column.read(row) === null) return []
          const isFlag = fieldKinds[column.field.type].isFlag
          return [{ id: row.id, column, values: isFlag ? [{ value: false }] : null }]
        }),
      )
      if (changes.length > 0) void save(changes, words('cleared', { count: changes.length }))
    },
    fillDown() {
      const found = cellsOfBlock()
      const [first, ...others] = found?.ids ?? []
      const source = first === undefined ? undefined : store.rows.shown(first)
      if (!found || !source) return
      const changes = others.flatMap((id) =>
        found.columns.flatMap((column): CellChange[] => {
          const row = id === undefined ? undefined : store.rows.shown(id)
          if (!row || refusal(row, column) !== undefined) return []
          const values = column.read(source)
          return isSame(values, column.read(row)) ? [] : [{ id: row.id, column, values }]
        }),
      )
      if (changes.length > 0) void save(changes, words('filled', { count: changes.length }))
    },
  }
}

/** A cell that an act changed: its values before, and as the act left them. */
interface DoneCell {
  id: number
  column: RowColumn
  before: Values
  after: Values
}

/** Tags have no order. */
function isSameCell({ kind }: RowColumn, one: Values, other: Values): boolean {
  const names = (values: Values) => (values ?? []).map(({ value }) => String(value)).toSorted()
  return kind === 'tags' ? isSameValue(names(one), names(other)) : isSameValue(one, other)
}

/** Two bodies of one record as one: the values of fields are a list, and tags stand beside segments. */
function joined(one: object, other: object): object {
  const [first, second] = [one, other] as { custom_fields_values?: object[]; _embedded?: object }[]
  const fields = [...(first!.custom_fields_values ?? []), ...(second!.custom_fields_values ?? [])]
  const embedded = { ...first!._embedded, ...second!._embedded }
  return {
    ...one,
    ...other,
    ...(fields.length > 0 && { custom_fields_values: fields }),
    ...(Object.keys(embedded).length > 0 && { _embedded: embedded }),
  }
}
