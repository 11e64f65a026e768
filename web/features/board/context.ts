// Shared by the parts of a board: its store, the selection, the words of the account,
// and the acts. The screen provides it (web/routes/board.tsx).
import { createContext, useContext, useSyncExternalStore } from 'react'
import type { Bootstrap } from '../../../server/features/application/bootstrap/schema.ts'
import { unsortedType } from '../../crm/stages.ts'
import type { BoardActions } from './actions.tsx'
import type { BoardSelection } from './selection.ts'
import type { Card, Store } from './store.ts'

export type Pipeline = Bootstrap['pipelines'][number]
export type Stage = Pipeline['statuses'][number]

/** The stages that leads can be moved to, in the order of the pipeline. */
export const stagesOf = ({ statuses }: Pipeline): Stage[] =>
  statuses.filter(({ type }) => type !== unsortedType)

export type BoardVocabulary = Pick<
  Bootstrap,
  | 'me'
  | 'account'
  | 'users'
  | 'pipelines'
  | 'loss_reasons'
  | 'task_types'
  | 'tags'
  | 'custom_fields'
> & {
  pipeline: Pipeline
  /** The stages that are columns, in their order. */
  columns: Stage[]
}

export interface BoardContext {
  store: Store
  selection: BoardSelection
  vocabulary: BoardVocabulary
  actions: BoardActions
  /** The height of a card, in pixels. */
  cardHeight: number
  isPhone: boolean
  /** Collapsed columns. */
  collapsed: ReadonlySet<number>
  collapse: (statusId: number, isCollapsed: boolean) => void
  /** Of each column that is not collapsed, in pixels. */
  columnWidth: number
  setColumnWidth: (width: number) => void
  /** Says the stage that lifted cards would go to. */
  sayTarget: (statusId: number) => void
}

const Context = createContext<BoardContext | undefined>(undefined)
export const BoardProvider = Context.Provider

export function useBoard(): BoardContext {
  const board = useContext(Context)
  if (!board) throw new Error('a part of the board stands outside of it')
  return board
}

/** A member of the selection. */
export function useSelection<Value>(
  select: (state: ReturnType<BoardSelection['get']>) => Value,
): Value {
  const { selection } = useBoard()
  return useSyncExternalStore(selection.watch, () => select(selection.get()))
}

export function useCard(id: number): Card | undefined {
  const { cards } = useBoard().store
  return useSyncExternalStore(
    (watcher) => cards.watch(id, watcher),
    () => cards.shown(id),
  )
}
