// The acts on cards. The menu of a card, the bar of the selection, the targets of a drag and the keys, and with them the
// command menu and the sheet of shortcuts, are made from this table.
import {
  ArrowRightLeft,
  CircleCheck,
  CircleX,
  ListTodo,
  Tag,
  Trash2,
  UserRound,
} from 'lucide-react'
import type { LucideIcon } from 'lucide-react'
import { lost, won } from '../../crm/stages.ts'
import type { BoardContext } from './context.ts'
import type { Card } from './store.ts'

export interface CardAct {
  /** Its word where there is little room, too. */
  name: 'move' | 'assign' | 'tag' | 'task' | 'won' | 'lost' | 'delete'
  /** Its words on menus and on the sheet. */
  text: 'moveTo' | 'assignTo' | 'tagThem' | 'addTask' | 'closeWon' | 'closeLost' | 'delete'
  icon: LucideIcon
  /** The key that does it to the selected cards, or else to the one with the focus. */
  key?: string
  /** Where it stands beside the menu of a card. */
  on: 'bar' | 'targets' | 'both'
  /** Whether the user may do it to a card. */
  may: (card: Card) => boolean
  /** Does it, or opens the dialog that asks for more. What can be undone offers that itself (actions.tsx). */
  run: (board: BoardContext, ids: number[]) => void
}

const mayEdit = ({ may_edit }: Card) => may_edit

const inDialog =
  (kind: 'move' | 'assign' | 'tag' | 'task'): CardAct['run'] =>
  ({ selection }, ids) =>
    selection.set({ dialog: { kind, ids } })

const closing =
  (statusId: number): CardAct['run'] =>
  ({ actions, store }, ids) =>
    actions.move(ids, { pipelineId: store.search.pipelineId, statusId })

export const cardActs: readonly CardAct[] = [
  {
    name: 'move',
    text: 'moveTo',
    icon: ArrowRightLeft,
    key: 'm',
    on: 'bar',
    may: mayEdit,
    run: inDialog('move'),
  },
  {
    name: 'assign',
    text: 'assignTo',
    icon: UserRound,
    key: 'a',
    on: 'bar',
    may: mayEdit,
    run: inDialog('assign'),
  },
  {
    name: 'tag',
    text: 'tagThem',
    icon: Tag,
    key: '#',
    on: 'bar',
    may: mayEdit,
    run: inDialog('tag'),
  },
  {
    name: 'task',
    text: 'addTask',
    icon: ListTodo,
    key: 't',
    on: 'bar',
    may: mayEdit,
    run: inDialog('task'),
  },
  {
    name: 'won',
    text: 'closeWon',
    icon: CircleCheck,
    key: 'w',
    on: 'targets',
    may: mayEdit,
    run: closing(won),
  },
  {
    name: 'lost',
    text: 'closeLost',
    icon: CircleX,
    key: 'shift+w',
    on: 'targets',
    may: mayEdit,
    run: closing(lost),
  },
  {
    name: 'delete',
    text: 'delete',
    icon: Trash2,
    on: 'both',
    may: ({ may_delete }) => may_delete,
    run: ({ actions }, ids) => actions.remove(ids),
  },
]

export const onBar: readonly CardAct[] = cardActs.filter(({ on }) => on !== 'targets')
/** Those on which cards can be dropped, from the left. */
export const targets: readonly CardAct[] = cardActs.filter(({ on }) => on !== 'bar').toReversed()
