// What the parts of the board of customers share. The screen provides it (web/routes/customers-board.tsx).
import { createContext, useContext, useSyncExternalStore } from 'react'
import type { Bootstrap } from '../../../server/features/application/bootstrap/schema.ts'
import { focusWhenThere, isFocusLost } from '../../ui/focus.ts'
import type { CustomerActions } from './actions.ts'
import type { CustomerCard, CustomerStore } from './store.ts'

export type StatusColumn = Bootstrap['customer_statuses'][number]

/** The types of statuses, as the server names them. */
export const statusTypes = ['ordinary', 'expected', 'overdue', 'closed', 'recent'] as const

export const typeOfStatus = ({ type }: StatusColumn): (typeof statusTypes)[number] =>
  statusTypes[type] ?? 'ordinary'

export interface CustomerFocus {
  statusId: number
  /** undefined: the head of the column. */
  id: number | undefined
}

/** What the user holds and has open. */
interface Hand {
  focus: CustomerFocus | undefined
  /** The card that is dragged, or lifted with the space bar. */
  drag: { id: number; by: 'pointer' | 'keys'; over: number | undefined } | undefined
  menu: { id: number; x: number; y: number } | undefined
  dialog: CustomerDialog | undefined
  /** The status that a phone shows. */
  statusId: number | undefined
  /** The words of the live region. */
  said: string
}

export type CustomerDialog =
  | { kind: 'move'; id: number }
  /** Asks when the next purchase is due: the card was moved to this status. */
  | { kind: 'date'; id: number; statusId: number }
  /** `statusId`: where the card was moved to. */
  | { kind: 'purchase'; id: number; statusId?: number }

export interface CustomerHand {
  get(): Hand
  set(change: Partial<Hand>): void
  watch(watcher: () => void): () => void
  say(text: string): void
}

export function makeCustomerHand(): CustomerHand {
  let hand: Hand = {
    focus: undefined,
    drag: undefined,
    menu: undefined,
    dialog: undefined,
    statusId: undefined,
    said: '',
  }
  const watchers = new Set<() => void>()
  const set = (change: Partial<Hand>) => {
    hand = { ...hand, ...change }
    for (const watcher of watchers) watcher()
  }
  return {
    get: () => hand,
    set,
    watch(watcher) {
      watchers.add(watcher)
      return () => watchers.delete(watcher)
    },
    // A region speaks when its text changes; the same words again are a change too.
    say: (text) => set({ said: text === hand.said ? `${text}\u00a0` : text }),
  }
}

export interface CustomerBoardContext {
  store: CustomerStore
  hand: CustomerHand
  actions: CustomerActions
  vocabulary: Bootstrap
  /** The statuses that are columns, in their order. */
  statuses: readonly StatusColumn[]
  /** The height of a card, in pixels. */
  cardHeight: number
  isPhone: boolean
  /** The look of columns, which is that of the board of leads. */
  frame: CSSModuleClasses
}

const Context = createContext<CustomerBoardContext | undefined>(undefined)
export const CustomerBoardProvider = Context.Provider

export function useCustomerBoard(): CustomerBoardContext {
  const board = useContext(Context)
  if (!board) throw new Error('a part of the board stands outside of it')
  return board
}

/** A member of what the user holds. */
export function useHand<Value>(select: (hand: Hand) => Value): Value {
  const { hand } = useCustomerBoard()
  return useSyncExternalStore(hand.watch, () => select(hand.get()))
}

/** Something of a column, drawn anew when it changes. */
export function useColumn<Value>(statusId: number, read: (store: CustomerStore) => Value): Value {
  const { store } = useCustomerBoard()
  return useSyncExternalStore(
    (watcher) => store.watch(statusId, watcher),
    () => read(store),
  )
}

export function useCustomerCard(id: number): CustomerCard | undefined {
  const { cards } = useCustomerBoard().store
  return useSyncExternalStore(
    (watcher) => cards.watch(id, watcher),
    () => cards.shown(id),
  )
}

/** How the board reaches a column: to scroll it, and to know which cards are on screen. */
interface CustomerColumnHandle {
  scrollTo(place: number): void
  /** The place at a distance from the top of what is on screen, in pixels. */
  indexAt(y: number): number
  yOf(place: number): number
}

export const customerColumns = new Map<number, CustomerColumnHandle>()

/** Puts the focus of the browser on a card, or on the head of a column, as soon as it is drawn. */
export function focusCustomer({ statusId, id }: CustomerFocus): void {
  const selector = id === undefined ? `[data-head="${statusId}"]` : `[data-customer="${id}"]`
  focusWhenThere(() => document.querySelector<HTMLElement>(selector), {
    onFocus: (target) =>
      target.closest('[data-column]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' }),
  })
}

/** Gives the focus that nothing has to the card or the head that had it last. */
export function focusCustomerAgain(hand: CustomerHand): void {
  const { focus } = hand.get()
  if (focus && isFocusLost()) focusCustomer(focus)
}
