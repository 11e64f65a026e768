// The keys of a table: those that move about work always, those that act are registered by the screen, so that the
// sheet of shortcuts and the command menu have them.
import type { KeyboardEvent } from 'react'
import { useTranslations } from 'use-intl'
import { useTableContext } from './context.ts'
import type { TableContext } from './context.ts'
import { isSelected } from './selection.ts'
import type { Cell } from './selection.ts'

interface Screen {
  reveal: (row: number, column?: number) => void
  pageRows: () => number
}

type Direction = 'up' | 'down' | 'left' | 'right'

const steps: Record<Direction, Cell> = {
  up: { row: -1, column: 0 },
  down: { row: 1, column: 0 },
  left: { row: 0, column: -1 },
  right: { row: 0, column: 1 },
}

function goTo(
  { selection, store, columns }: TableContext,
  screen: Screen,
  to: Cell,
  isExtended = false,
): void {
  const row = Math.max(0, Math.min(store.length() - 1, to.row))
  const column = Math.max(0, Math.min(columns.length - 1, to.column))
  const { focus, anchor } = selection.get()
  selection.set({
    focus: { row, column },
    anchor: isExtended ? (anchor ?? focus ?? { row, column }) : { row, column },
  })
  screen.reveal(row, column)
}

const presentCell = ({ selection }: TableContext): Cell =>
  selection.get().focus ?? { row: 0, column: 0 }

export function moveCell(
  table: TableContext,
  screen: Screen,
  direction: Direction,
  isExtended = false,
): void {
  const { row, column } = presentCell(table)
  const by = steps[direction]
  goTo(table, screen, { row: row + by.row, column: column + by.column }, isExtended)
}

/** Listens to the keys that move about, which a user cannot switch off. */
export function useTableKeys(screen: Screen): {
  onKeyDown: (event: KeyboardEvent, edit: (cell: Cell) => void) => void
  move: (direction: Direction) => void
} {
  const table = useTableContext()
  const { selection, store, columns, actions, open } = table
  return {
    move: (direction) => moveCell(table, screen, direction),
    onKeyDown(event, edit) {
      const { key, shiftKey, ctrlKey, metaKey, altKey, target, currentTarget } = event
      if (event.defaultPrevented || target !== currentTarget || altKey) return
      const isMod = ctrlKey || metaKey
      const cell = presentCell(table)
      const end = { row: store.length() - 1, column: columns.length - 1 }
      const to = (row: number, column: number) => () =>
        goTo(table, screen, { row, column }, shiftKey)
      const by = (direction: Direction) => () => moveCell(table, screen, direction, shiftKey)
      const moves: Record<string, () => void> = {
        ArrowUp: isMod ? to(0, cell.column) : by('up'),
        ArrowDown: isMod ? to(end.row, cell.column) : by('down'),
        ArrowLeft: isMod ? to(cell.row, 0) : by('left'),
        ArrowRight: isMod ? to(cell.row, end.column) : by('right'),
        Home: isMod ? to(0, 0) : to(cell.row, 0),
        End: isMod ? to(end.row, end.column) : to(cell.row, end.column),
        PageUp: to(cell.row - screen.pageRows(), cell.column),
        PageDown: to(cell.row + screen.pageRows(), cell.column),
        Enter: () => {
          const id = store.idAt(cell.row)
          if (isMod && id !== undefined) open(id)
          else edit(cell)
        },
        F2: () => edit(cell),
        Delete: actions.clear,
        Backspace: actions.clear,
        Escape: () => {
          const { selected, isAll } = selection.get()
          if (selected.size > 0 || isAll) selection.selectNone()
          else selection.set({ anchor: cell })
        },
        ...(isMod && { d: actions.fillDown }),
        ...(!shiftKey && { ' ': table.togglePeek }),
        ...(shiftKey && { ' ': () => toggleRow(table) }),
      }
      const move = moves[key]
      if (!move) return
      event.preventDefault()
      move()
    },
  }
}

function toggleRow({ selection, store }: TableContext): void {
  const state = selection.get()
  const id = state.focus && store.idAt(state.focus.row)
  if (id !== undefined) selection.select([id], !isSelected(state, id))
}

/** Selects the rows from the one that was selected last to the one with the focus. */
function extendRows({ selection, store }: TableContext): void {
  const { focus, lastSelected } = selection.get()
  if (!focus) return
  const last = lastSelected === undefined ? -1 : store.indexOf(lastSelected)
  const from = last < 0 ? focus.row : last
  const [first, end] = [Math.min(from, focus.row), Math.max(from, focus.row)]
  const ids = Array.from({ length: end - first + 1 }, (_, index) => store.idAt(first + index))
  selection.select(
    ids.filter((id) => id !== undefined),
    true,
  )
}

export interface TableKey {
  keys: string[]
  text: string
  run?: () => void
}

/** The keys that act, for the registry of the shell. `edit` begins to edit the cell with the focus. */
export function useActingTableKeys(
  table: TableContext,
  screen: Screen & { focus: () => void; edit: () => void; add: (() => void) | undefined },
): TableKey[] {
  const words = useTranslations('rows')
  const { selection, store, open, compare } = table
  const onRow = (run: (id: number) => void) => () => {
    const id = store.idAt(presentCell(table).row)
    if (id !== undefined) run(id)
  }
  const move = (direction: Direction) => () => {
    screen.focus()
    moveCell(table, screen, direction)
  }
  return [
    { keys: ['j'], text: words('keys.down'), run: move('down') },
    { keys: ['k'], text: words('keys.up'), run: move('up') },
    { keys: ['h'], text: words('keys.left'), run: move('left') },
    { keys: ['l'], text: words('keys.right'), run: move('right') },
    { keys: ['e'], text: words('keys.edit'), run: screen.edit },
    ...(screen.add ? [{ keys: ['n'], text: words(`new.${store.key.type}`), run: screen.add }] : []),
    { keys: ['o'], text: words('keys.open'), run: onRow(open) },
    { keys: ['space'], text: words('keys.peek') },
    ...(compare ? [{ keys: ['d'], text: words('keys.compare'), run: onRow(compare) }] : []),
    { keys: ['x'], text: words('keys.select'), run: () => toggleRow(table) },
    { keys: ['shift+x'], text: words('keys.extend'), run: () => extendRows(table) },
    { keys: ['mod+a'], text: words('keys.selectAll'), run: selection.selectAll },
    { keys: ['mod+c'], text: words('keys.copy') },
    { keys: ['mod+v'], text: words('keys.paste') },
    { keys: ['mod+d'], text: words('keys.fillDown') },
  ]
}
