// The acts on a feed as a whole. The tabs of the composer and the keys, and by them the command menu and the sheet of
// shortcuts, are made from this table; what is done to one item stands beside it, in actions.tsx.
import { ListTodo, MessageCircle, MoveUp, Pin, StickyNote } from 'lucide-react'
import type { LucideIcon } from 'lucide-react'

/** A tab of the composer. */
export type ComposerMode = 'chat' | 'note' | 'task'

/** A feed that is drawn, for acts on it. */
export interface FeedHandle {
  /** Opens the box in a mode, with the focus in it. */
  compose(mode: ComposerMode): void
  /** Pins the note that has the focus, else the latest one, or takes its pin. */
  pin(): void
  toUnread(): void
}

export interface FeedAct {
  /** Its words stand below `acts`. */
  name: ComposerMode | 'pin' | 'unread'
  icon: LucideIcon
  key: string
  /** Whether it opens a field: letters that are typed before it has come are kept for it. */
  isField: boolean
  run: (feed: FeedHandle) => void
}

const composing = (name: ComposerMode, icon: LucideIcon, key: string) => ({
  name,
  icon,
  key,
  isField: true,
  run: (feed: FeedHandle) => feed.compose(name),
})

/** In the order of the tabs. */
export const modes = [
  composing('chat', MessageCircle, 'r'),
  composing('note', StickyNote, 'n'),
  composing('task', ListTodo, 't'),
]

export const feedActs: readonly FeedAct[] = [
  ...modes,
  { name: 'pin', icon: Pin, key: 'p', isField: false, run: (feed) => feed.pin() },
  { name: 'unread', icon: MoveUp, key: 'u', isField: false, run: (feed) => feed.toUnread() },
]
