// The acts on a record. The menu of its card and the keys, and by them the command menu and the sheet of shortcuts, are
// made from this table.
import { ArrowRightLeft, Plus, ScrollText, SquarePen, Trash2, UserRound } from 'lucide-react'
import type { LucideIcon } from 'lucide-react'
import type { RecordType } from '../../../server/records/description.ts'
import type { RecordCard } from './record.ts'

/** An open card, for acts on it. Each does nothing where the user may not. */
export interface CardHandle {
  editFirst: () => void
  move: () => void
  assign: () => void
  tag: () => void
  /** Shows what happened to the record, on the page of the log. */
  openLog: () => void
  /** Puts the record into the bin; what it did offers its undo. */
  remove: () => void
  /** Shows a group of fields by its number, from 0. */
  showGroup: (place: number) => void
  show: (side: CardPart) => void
}

/** The parts of a card; a phone shows one at a time. */
export type CardPart = 'details' | 'feed' | 'purchases'

export interface RecordAct {
  name: 'edit' | 'move' | 'assign' | 'tag' | 'log' | 'delete'
  /** Its words on the menu and on the sheet. */
  text: 'keys.first' | 'moveTo' | 'assignTo' | 'editTags' | 'openLog' | 'delete'
  icon: LucideIcon
  key?: string
  /** Whether the menu of the card has it. The first field and the stages are in sight beside the menu. */
  isOnMenu: boolean
  /** Whether records of a type have it. */
  isOf: (type: RecordType) => boolean
  /** Whether the user may do it to a record. */
  may: (rights: RecordCard['may']) => boolean
  /** Does it, or opens what asks for more. */
  run: (card: CardHandle) => void
}

const every = () => true
const mayEdit: RecordAct['may'] = ({ edit }) => edit

export const recordActs: readonly RecordAct[] = [
  {
    name: 'edit',
    text: 'keys.first',
    icon: SquarePen,
    key: 'e',
    isOnMenu: false,
    isOf: every,
    may: mayEdit,
    run: (card) => card.editFirst(),
  },
  {
    name: 'assign',
    text: 'assignTo',
    icon: UserRound,
    key: 'a',
    isOnMenu: true,
    isOf: every,
    may: mayEdit,
    run: (card) => card.assign(),
  },
  {
    name: 'tag',
    text: 'editTags',
    icon: Plus,
    key: '#',
    isOnMenu: true,
    isOf: every,
    may: mayEdit,
    run: (card) => card.tag(),
  },
  {
    name: 'move',
    text: 'moveTo',
    icon: ArrowRightLeft,
    key: 'm',
    isOnMenu: false,
    isOf: (type) => type === 'leads',
    may: mayEdit,
    run: (card) => card.move(),
  },
  {
    name: 'log',
    text: 'openLog',
    icon: ScrollText,
    key: 'l',
    isOnMenu: true,
    isOf: every,
    may: () => true,
    run: (card) => card.openLog(),
  },
  {
    name: 'delete',
    text: 'delete',
    icon: Trash2,
    isOnMenu: true,
    isOf: every,
    may: (rights) => rights.delete,
    run: (card) => card.remove(),
  },
]
