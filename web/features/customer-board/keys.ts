// The keys of the board of customers: those that move about work always, those that act are registered by the screen, so
// that the shortcut sheet and the command menu have them.
import type { KeyboardEvent } from 'react'
import { flushSync } from 'react-dom'
import { useTranslations } from 'use-intl'
import { customerColumns, focusCustomer, useCustomerBoard } from './context.ts'
import type { CustomerBoardContext } from './context.ts'

interface Key {
  keys: string[]
  text: string
  run: () => void
}

type Words = ReturnType<typeof useTranslations<'customerBoard'>>

/** Focuses a card, or the head of a column where `index` is negative, and scrolls it into view. */
function focusOn({ hand, store, isPhone }: CustomerBoardContext, statusId: number, index: number) {
  const order = store.order(statusId)
  const at = Math.min(index, order.length - 1)
  const id = at < 0 ? undefined : order[at]
  if (isPhone) flushSync(() => hand.set({ statusId }))
  if (at >= 0) customerColumns.get(statusId)?.scrollTo(at)
  // A card that is not loaded takes the focus no earlier than it comes.
  if (at >= 0 && id === undefined) return
  flushSync(() => hand.set({ focus: { statusId, id } }))
  focusCustomer({ statusId, id })
}

/** The column and the place of the focus; the first card of the board without one. */
function present({ hand, store, statuses }: CustomerBoardContext) {
  const { focus } = hand.get()
  if (focus && statuses.some(({ id }) => id === focus.statusId))
    return {
      statusId: focus.statusId,
      index: focus.id === undefined ? -1 : store.order(focus.statusId).indexOf(focus.id),
    }
  const first = statuses.find(({ id }) => store.order(id).length > 0) ?? statuses[0]
  return first && { statusId: first.id, index: -1 }
}

function step(board: CustomerBoardContext, words: Words, direction: Direction): void {
  const { hand, store, statuses } = board
  const { drag } = hand.get()
  if (drag?.by === 'keys') {
    if (direction === 'left' || direction === 'right')
      aim(board, words, direction === 'left' ? -1 : 1)
    return
  }
  const at = present(board)
  if (!at) return
  if (direction === 'up' || direction === 'down') {
    const index = at.index + (direction === 'up' ? -1 : 1)
    if (index >= store.order(at.statusId).length) return
    return focusOn(board, at.statusId, Math.max(-1, index))
  }
  const column = statuses.findIndex(({ id }) => id === at.statusId)
  const next = statuses[column + (direction === 'left' ? -1 : 1)]
  if (!next) return
  if (at.index < 0) return focusOn(board, next.id, -1)
  // The card beside it on screen, not the one with the same number.
  const y = customerColumns.get(at.statusId)?.yOf(at.index) ?? 0
  focusOn(board, next.id, Math.max(0, customerColumns.get(next.id)?.indexAt(y) ?? 0))
}

type Direction = 'up' | 'down' | 'left' | 'right'

/** Chooses the status for a lifted card. */
function aim({ hand, store, statuses }: CustomerBoardContext, words: Words, by: number): void {
  const { drag } = hand.get()
  const next = drag && statuses[statuses.findIndex(({ id }) => id === drag.over) + by]
  if (!next) return
  hand.set({ drag: { ...drag, over: next.id }, statusId: next.id })
  document
    .querySelector(`[data-column="${next.id}"]`)
    ?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  hand.say(words('target', { status: next.name, count: store.totals(next.id).count }))
}

/** Lifts the focused card. */
function lift({ hand, store }: CustomerBoardContext, words: Words, askRights: string): void {
  const { focus, drag } = hand.get()
  const card = focus?.id === undefined ? undefined : store.cards.shown(focus.id)
  if (drag || !card) return
  if (!card.may_edit) return hand.say(askRights)
  store.hold(true)
  hand.set({ drag: { id: card.id, by: 'keys', over: card.status_id } })
  hand.say(words('lifted', { name: card.name }))
}

/** Drops a lifted card; `isBack`: where it was. */
function drop(
  { hand, store, actions }: CustomerBoardContext,
  putBack: string,
  isBack = false,
): void {
  const { drag } = hand.get()
  if (!drag) return
  hand.set({ drag: undefined })
  if (isBack || drag.over === undefined || drag.over === store.cards.shown(drag.id)?.status_id)
    hand.say(putBack)
  else actions.move(drag.id, drag.over)
  store.hold(false)
}

/** Puts a card back that somebody has lifted and left: the board waits for it with all that is new. */
export function putBackLifted(board: CustomerBoardContext, putBack: string): void {
  if (board.hand.get().drag?.by === 'keys') drop(board, putBack, true)
}

/** Listens to the keys that move about, which a user cannot switch off. */
export function useCustomerKeyDown(open: (id: number) => void): (event: KeyboardEvent) => void {
  const board = useCustomerBoard()
  const words = useTranslations('customerBoard')
  const shared = useTranslations('board')
  return (event) => {
    const { hand, store } = board
    const target = event.target as HTMLElement
    if (event.defaultPrevented || target.closest('form, input, [role="menu"], [role="dialog"]'))
      return
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const isOnHead = target.closest('[data-head]') !== null
    const { focus, drag } = hand.get()
    const putBack = shared('putBack')
    const moves: Record<string, () => void> = {
      ArrowUp: () => step(board, words, 'up'),
      ArrowDown: () => step(board, words, 'down'),
      ArrowLeft: () => step(board, words, 'left'),
      ArrowRight: () => step(board, words, 'right'),
      ...(!isOnHead && {
        ' ': () => (drag ? drop(board, putBack) : lift(board, words, shared('askRights'))),
        Enter: () => {
          if (drag) drop(board, putBack)
          else if (focus?.id !== undefined) open(focus.id)
        },
        Home: () => focus && focusOn(board, focus.statusId, 0),
        End: () => focus && focusOn(board, focus.statusId, store.order(focus.statusId).length - 1),
      }),
      ...(drag && { Escape: () => drop(board, putBack, true) }),
    }
    const move = moves[event.key]
    if (!move || (target.closest('button, a') && !isOnHead && [' ', 'Enter'].includes(event.key)))
      return
    event.preventDefault()
    move()
  }
}

/** The keys that act, for the registry of the shell. */
export function useCustomerBoardKeys(open: (id: number) => void): Key[] {
  const board = useCustomerBoard()
  const words = useTranslations('customerBoard')
  const shared = useTranslations('board')
  const { hand, actions, statuses } = board
  const withFocused = (run: (id: number) => void) => () => {
    const { focus, drag } = hand.get()
    if (focus?.id !== undefined && !drag) run(focus.id)
  }
  return [
    { keys: ['j'], text: words('keys.down'), run: () => step(board, words, 'down') },
    { keys: ['k'], text: words('keys.up'), run: () => step(board, words, 'up') },
    { keys: ['h'], text: words('keys.left'), run: () => step(board, words, 'left') },
    { keys: ['l'], text: words('keys.right'), run: () => step(board, words, 'right') },
    { keys: ['o'], text: words('keys.open'), run: withFocused(open) },
    { keys: ['m'], text: shared('moveTo'), run: withFocused(actions.chooseStatus) },
    { keys: ['b'], text: words('addPurchase'), run: withFocused(actions.addPurchase) },
    ...statuses.slice(0, 9).map(({ id, name }, at) => ({
      keys: [String(at + 1)],
      text: shared('keys.column', { stage: name }),
      run: () => focusOn(board, id, 0),
    })),
  ]
}
