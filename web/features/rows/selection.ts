// What is selected in a table: the cell with the focus, the block of cells around it, and the rows that acts are for.
// Each row hears of its own marks only.

export interface Cell {
  row: number
  column: number
}

/** A block of cells: from the cell where it began to the one with the focus. */
export interface Block {
  from: Cell
  to: Cell
}

interface State {
  /** The cell with the focus; undefined before anything has it. */
  focus: Cell | undefined
  /** Where a block began; the focus is its other corner. */
  anchor: Cell | undefined
  /** The cell that is edited; `typed`: the letter that began it. */
  editing: { id: number; column: string; typed?: string } | undefined
  /** The ids of the selected rows. */
  selected: ReadonlySet<number>
  /** The row that was selected or taken out last. */
  lastSelected: number | undefined
  /** All rows that the filter finds. */
  isAll: boolean
  /** The words of the live region. */
  said: string
}

export interface TableSelection {
  get(): State
  set(change: Partial<State>): void
  watch(watcher: () => void): () => void
  select(ids: readonly number[], isSelected: boolean): void
  say(text: string): void
}

export function makeTableSelection(): TableSelection {
  let state: State = {
    focus: undefined,
    anchor: undefined,
    editing: undefined,
    selected: new Set(),
    lastSelected: undefined,
    isAll: false,
    said: '',
  }
  const watchers = new Set<() => void>()
  function set(change: Partial<State>): void {
    state = { ...state, ...change }
    for (const watcher of watchers) watcher()
  }
  return {
    get: () => state,
    set,
    watch(watcher) {
      watchers.add(watcher)
      return () => watchers.delete(watcher)
    },
    select(ids, isSelected) {
      const selected = new Set(state.selected)
      for (const id of ids) {
        if (isSelected) selected.add(id)
        else selected.delete(id)
      }
      set({ selected, isAll: false, lastSelected: ids.at(-1) })
    },
    // A region speaks when its text changes; the same words again are a change too.
    say: (text) => set({ said: text === state.said ? `${text}\u00a0` : text }),
  }
}

/** The block of cells, its corners in order; undefined where nothing has the focus. */
export function blockOf({
  focus,
  anchor = focus,
}: Pick<State, 'focus' | 'anchor'>): Block | undefined {
  if (!focus || !anchor) return undefined
  return {
    from: { row: Math.min(focus.row, anchor.row), column: Math.min(focus.column, anchor.column) },
    to: { row: Math.max(focus.row, anchor.row), column: Math.max(focus.column, anchor.column) },
  }
}

/** The columns of a row that are in the block, as `from-to`; empty for none. A row is drawn anew when it changes. */
export function marksOf(state: Pick<State, 'focus' | 'anchor'>, row: number): string {
  const block = blockOf(state)
  if (!block || row < block.from.row || row > block.to.row) return ''
  const isFocused = state.focus!.row === row
  return `${block.from.column}-${block.to.column}${isFocused ? `:${state.focus!.column}` : ''}`
}
