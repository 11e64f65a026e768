// The selection on the board: the focused card, the selected ones, those that are dragged or lifted by
// keys, and the menus and dialogs that are open. Each card hears of its own marks only.

import type { CardAct } from './acts.ts'
import type { Field } from '../../crm/fields/field.ts'
import type { FilledField } from '../../crm/fields/field-dialog.tsx'

export type Dialog =
  | { kind: 'move'; ids: number[] }
  | { kind: 'assign'; ids: number[] }
  | { kind: 'tag'; ids: number[] }
  | { kind: 'task'; ids: number[] }
  | { kind: 'lost'; ids: number[]; onReason: (reason: number | null) => void }
  | {
      kind: 'fields'
      fields: Field[]
      ids: number[]
      onFilled: (values: FilledField[]) => void
    }

export interface Focus {
  statusId: number
  /** undefined: the header of the column. */
  id: number | undefined
}

export interface Drag {
  ids: number[]
  /** `keys`: lifted with the space bar, and `over` is chosen by the arrows. */
  by: 'pointer' | 'keys'
  /** The stages of the cards when they were taken. */
  from: Map<number, number>
  /** The stage, or the act of a target, that they would be dropped on. */
  over: number | CardAct['name'] | undefined
}

export interface Menu {
  id: number
  x: number
  y: number
}

interface State {
  focus: Focus | undefined
  selected: ReadonlySet<number>
  drag: Drag | undefined
  menu: Menu | undefined
  dialog: Dialog | undefined
  /** The column whose first card is being typed. */
  adding: number | undefined
  /** The stage that a phone shows. */
  stage: number | undefined
  /** The words of the live region. */
  said: string
  /** Cards that came back or are new, for a moment. */
  marked: ReadonlySet<number>
}

/** The marks of a card as one number, so that equal marks are equal. */
export const mark = { focused: 1, selected: 2, dragged: 4, fresh: 8 } as const

export interface BoardSelection {
  get(): State
  set(change: Partial<State>): void
  watch(watcher: () => void): () => void
  marksOf(id: number): number
  watchMarks(id: number, watcher: () => void): () => void
  select(ids: readonly number[], isSelected: boolean): void
  say(text: string): void
  /** Shows for a moment that a card is new here. */
  flash(ids: readonly number[]): void
}

const flashMs = 1600

export function makeSelection(): BoardSelection {
  let state: State = {
    focus: undefined,
    selected: new Set(),
    drag: undefined,
    menu: undefined,
    dialog: undefined,
    adding: undefined,
    stage: undefined,
    said: '',
    marked: new Set(),
  }
  const watchers = new Set<() => void>()
  const byCard = new Map<number, Set<() => void>>()

  const idsOf = ({ focus, selected, drag, marked }: State) => [
    ...(focus?.id === undefined ? [] : [focus.id]),
    ...selected,
    ...(drag?.ids ?? []),
    ...marked,
  ]

  function set(change: Partial<State>): void {
    const before = state
    state = { ...state, ...change }
    if (
      before.focus !== state.focus ||
      before.selected !== state.selected ||
      before.drag?.ids !== state.drag?.ids ||
      before.marked !== state.marked
    )
      for (const id of new Set([...idsOf(before), ...idsOf(state)]))
        for (const watcher of byCard.get(id) ?? []) watcher()
    for (const watcher of watchers) watcher()
  }

  return {
    get: () => state,
    set,
    watch(watcher) {
      watchers.add(watcher)
      return () => watchers.delete(watcher)
    },
    marksOf: (id) =>
      (state.focus?.id === id ? mark.focused : 0) |
      (state.selected.has(id) ? mark.selected : 0) |
      (state.drag?.ids.includes(id) ? mark.dragged : 0) |
      (state.marked.has(id) ? mark.fresh : 0),
    watchMarks(id, watcher) {
      const own = byCard.get(id) ?? new Set()
      byCard.set(id, own.add(watcher))
      return () => {
        own.delete(watcher)
        if (own.size === 0 && byCard.get(id) === own) byCard.delete(id)
      }
    },
    select(ids, isSelected) {
      const selected = new Set(state.selected)
      for (const id of ids) {
        if (isSelected) selected.add(id)
        else selected.delete(id)
      }
      set({ selected })
    },
    // A region speaks when its text changes; the same words again are a change too.
    say: (text) => set({ said: text === state.said ? `${text}\u00a0` : text }),
    flash(ids) {
      set({ marked: new Set([...state.marked, ...ids]) })
      setTimeout(() => {
        const marked = new Set(state.marked)
        for (const id of ids) marked.delete(id)
        set({ marked })
      }, flashMs)
    },
  }
}
