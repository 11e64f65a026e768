// The selection in a table: the cell with the focus, the block of cells around it, and the rows that acts are for.
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
  /** The cell that is edited. */
  editing: { id: number; column: string } | undefined
  /** The ids of the selected rows. */
  selected: ReadonlySet<number>
  /** The row that was selected or taken out last. */
  lastSelected: number | undefined
  /** All rows that the filter finds, without those of `left`. */
  isAll: boolean
  left: ReadonlySet<number>
  /** The words of the live region. */
  said: string
}

export interface TableSelection {
  get(): State
  set(change: Partial<State>): void
  watch(watcher: () => void): () => void
  select(ids: readonly number[], isSelected: boolean): void
  /** Selects all rows that the filter finds. */
  selectAll(): void
  selectNone(): void
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
    left: new Set(),
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
      const { isAll } = state
      // Of all, those that are taken out are remembered.
      const marked = new Set(isAll ? state.left : state.selected)
      for (const id of ids) {
        if (isSelected !== isAll) marked.add(id)
        else marked.delete(id)
      }
      set({ ...(isAll ? { left: marked } : { selected: marked }), lastSelected: ids.at(-1) })
    },
    selectAll: () => set({ isAll: true, selected: new Set(), left: new Set() }),
    selectNone: () => set({ isAll: false, selected: new Set(), left: new Set() }),
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

/** The order of a list, as far as it has come. */
interface FollowedOrder {
  idAt: (index: number) => number | undefined
  indexOf: (id: number) => number
  watch: (watcher: () => void) => () => void
}

/**
 * Keeps the focus and the block on their records while rows come and go above them. A block whose rows are not
 * neighbours any more becomes the cell with the focus. Answers the function that stops it.
 */
export function followRows(order: FollowedOrder, selection: TableSelection): () => void {
  let ids: { focus?: number | undefined; anchor?: number | undefined } = {}
  let isMoving = false
  const remember = () => {
    const { focus, anchor } = selection.get()
    ids = { focus: focus && order.idAt(focus.row), anchor: anchor && order.idAt(anchor.row) }
  }
  /** Where a record is now; the present row where its page has not come, undefined where it is gone. */
  const rowOf = (id: number | undefined, present: number): number | undefined => {
    const there = order.idAt(present)
    if (id === undefined || there === id) return present
    const at = order.indexOf(id)
    if (at >= 0) return at
    return there === undefined ? present : undefined
  }
  const follow = () => {
    const { focus, anchor } = selection.get()
    if (!focus) return
    const row = rowOf(ids.focus, focus.row)
    const from = anchor && rowOf(ids.anchor, anchor.row)
    const isWhole =
      row !== undefined &&
      (!anchor || (from !== undefined && row - from === focus.row - anchor.row))
    if (row === focus.row && isWhole && from === anchor?.row) return remember()
    const to = { ...focus, row: row ?? focus.row }
    isMoving = true
    selection.set({ focus: to, anchor: isWhole && anchor ? { ...anchor, row: from! } : to })
    isMoving = false
    remember()
  }
  remember()
  const stops = [selection.watch(() => !isMoving && remember()), order.watch(follow)]
  return () => stops.forEach((stop) => stop())
}

/** Whether an act on the selection is for a row. */
export const isSelected = (
  { selected, isAll, left }: Pick<State, 'selected' | 'isAll' | 'left'>,
  id: number,
): boolean => (isAll ? !left.has(id) : selected.has(id))
