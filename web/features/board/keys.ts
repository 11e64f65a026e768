// The keys of a board: those that move about work always, those that act are registered by the
// screen, so that the shortcut sheet and the command menu have them.
import type { KeyboardEvent } from 'react'
import { flushSync } from 'react-dom'
import { useTranslations } from 'use-intl'
import { isFocusLost } from '../../ui/focus.ts'
import { cardActs } from './acts.ts'
import { columnHandles, focusNow } from './focus.ts'
import { openQuickAdd } from './quick-add.tsx'
import { useBoard } from './context.ts'
import type { BoardContext } from './context.ts'

/** A shortcut as the registry of the shell takes it. */
interface Key {
  keys: string[]
  text: string
  run: () => void
}

type Words = ReturnType<typeof useTranslations<'board'>>

/** The columns that are shown, in their order. */
const columnsOf = ({ vocabulary }: BoardContext) => vocabulary.columns

/** Focuses a card, or the header of a column, and scrolls it into view. */
function focusOn(
  { selection, store, collapsed }: BoardContext,
  statusId: number,
  index: number,
): void {
  const order = store.order(statusId)
  const at = collapsed.has(statusId) ? -1 : Math.min(index, order.length - 1)
  const id = at < 0 ? undefined : order[at]
  if (at >= 0) columnHandles.get(statusId)?.scrollTo(at)
  // A card that is not loaded takes the focus no earlier than it comes.
  if (at >= 0 && id === undefined) return
  flushSync(() => selection.set({ focus: { statusId, id } }))
  focusNow(statusId, id)
}

/** The column and the place of the focus; the first card of the board without one. */
function present(board: BoardContext): { statusId: number; index: number } | undefined {
  const { selection, store } = board
  const { focus } = selection.get()
  const columns = columnsOf(board)
  if (focus && columns.some(({ id }) => id === focus.statusId))
    return {
      statusId: focus.statusId,
      index: focus.id === undefined ? -1 : store.order(focus.statusId).indexOf(focus.id),
    }
  const first = columns.find(({ id }) => store.order(id).length > 0) ?? columns[0]
  return first && { statusId: first.id, index: -1 }
}

function step(board: BoardContext, direction: 'up' | 'down' | 'left' | 'right'): void {
  const { selection, store } = board
  const columns = columnsOf(board)
  const { drag } = selection.get()
  if (drag?.by === 'keys') {
    if (direction === 'left' || direction === 'right') aim(board, direction === 'left' ? -1 : 1)
    return
  }
  const at = present(board)
  if (!at) return
  if (direction === 'up' || direction === 'down') {
    const index = at.index + (direction === 'up' ? -1 : 1)
    if (index >= store.order(at.statusId).length) return
    return focusOn(board, at.statusId, Math.max(-1, index))
  }
  const next =
    columns[columns.findIndex(({ id }) => id === at.statusId) + (direction === 'left' ? -1 : 1)]
  if (!next) return
  if (at.index < 0)
    return focusOn(
      board,
      next.id,
      store.order(next.id).length > 0 && selection.get().focus?.id !== undefined ? 0 : -1,
    )
  // The card beside it on screen, not the one with the same number.
  const y = columnHandles.get(at.statusId)?.yOf(at.index) ?? 0
  const index = columnHandles.get(next.id)?.indexAt(y) ?? 0
  focusOn(board, next.id, Math.max(0, index))
}

/** Chooses the stage for lifted cards. */
function aim(board: BoardContext, by: number): void {
  const { selection, sayTarget } = board
  const { drag } = selection.get()
  if (!drag) return
  const columns = columnsOf(board)
  const at = columns.findIndex(({ id }) => id === drag.over)
  const next = columns[at + by]
  if (!next) return
  selection.set({ drag: { ...drag, over: next.id } })
  document
    .querySelector(`[data-column="${next.id}"]`)
    ?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  sayTarget(next.id)
}

/** Lifts the focused card, or the selected ones with it. */
function lift(board: BoardContext, words: Words): void {
  const { selection, store, actions } = board
  const { focus, drag } = selection.get()
  if (drag || focus?.id === undefined || focus.id < 0) return
  const ids = actions.chosen(focus.id)
  if (!store.cards.shown(focus.id)?.may_edit) return selection.say(words('askRights'))
  const from = new Map(ids.map((id) => [id, store.cards.shown(id)?.status_id ?? 0]))
  store.hold(ids)
  selection.set({ drag: { ids, by: 'keys', from, over: focus.statusId } })
  selection.say(
    words('lifted', {
      count: ids.length,
      name: store.cards.shown(focus.id)?.name ?? '',
    }),
  )
}

function drop(board: BoardContext, words: Words): void {
  const { selection, store, actions } = board
  const { drag } = selection.get()
  if (!drag) return
  const { over } = drag
  if (typeof over === 'number' && drag.ids.some((id) => drag.from.get(id) !== over)) {
    actions.move(drag.ids, { pipelineId: store.search.pipelineId, statusId: over })
    selection.set({ drag: undefined })
  } else letGo(board, words)
  store.release()
}

/** Puts lifted cards back. */
function letGo({ selection, store }: BoardContext, words: Words): void {
  if (!selection.get().drag) return
  selection.set({ drag: undefined })
  store.release()
  selection.say(words('putBack'))
}

/** Gives the focus that nothing has to the card or the header that had it last. */
export function focusAgain({ selection }: BoardContext): void {
  const { focus } = selection.get()
  if (focus && isFocusLost()) focusNow(focus.statusId, focus.id)
}

/** Listens to the keys that move about, which a user cannot switch off. */
export function useKeyDown(open: (id: number) => void): (event: KeyboardEvent) => void {
  const board = useBoard()
  const words = useTranslations('board')
  return (event) => {
    const { selection, store } = board
    const target = event.target as HTMLElement
    if (event.defaultPrevented || target.closest('form, input, [role="menu"], [role="dialog"]'))
      return
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const isOnHeader = target.closest('[data-head]') !== null
    const { focus, drag, selected } = selection.get()
    const moves: Record<string, () => void> = {
      ArrowUp: () => step(board, 'up'),
      ArrowDown: () => step(board, 'down'),
      ArrowLeft: () => step(board, 'left'),
      ArrowRight: () => step(board, 'right'),
      ...(!isOnHeader && {
        ' ': () => (drag ? drop(board, words) : lift(board, words)),
        Enter: () => {
          if (drag) drop(board, words)
          else if (focus?.id !== undefined && focus.id > 0) open(focus.id)
        },
        Home: () => focus && focusOn(board, focus.statusId, 0),
        End: () => focus && focusOn(board, focus.statusId, store.order(focus.statusId).length - 1),
      }),
      Escape: () => {
        if (drag) letGo(board, words)
        else if (selected.size > 0) selection.set({ selected: new Set() })
      },
    }
    const move = moves[event.key]
    if (!move || (target.closest('button, a') && !isOnHeader && [' ', 'Enter'].includes(event.key)))
      return
    event.preventDefault()
    move()
  }
}

/** The keys that act, for the registry of the shell. */
export function useActingKeys(board: BoardContext, open: (id: number) => void): Key[] {
  const words = useTranslations('board')
  const { selection, store, vocabulary, collapse, collapsed } = board
  const focused = () => {
    const id = selection.get().focus?.id
    return id !== undefined && id > 0 ? id : undefined
  }
  /** On the selected cards, or the focused one. */
  const withChosen = (run: (ids: number[]) => void) => () => {
    const { selected } = selection.get()
    const id = focused()
    const ids = selected.size > 0 ? [...selected] : id === undefined ? [] : [id]
    if (ids.length > 0 && !selection.get().drag) run(ids)
  }
  return [
    { keys: ['j'], text: words('keys.down'), run: () => step(board, 'down') },
    { keys: ['k'], text: words('keys.up'), run: () => step(board, 'up') },
    { keys: ['h'], text: words('keys.left'), run: () => step(board, 'left') },
    { keys: ['l'], text: words('keys.right'), run: () => step(board, 'right') },
    {
      keys: ['o'],
      text: words('keys.open'),
      run: () => {
        const id = focused()
        if (id !== undefined) open(id)
      },
    },
    {
      keys: ['x'],
      text: words('keys.select'),
      run: () => {
        const id = focused()
        if (id !== undefined) selection.select([id], !selection.get().selected.has(id))
      },
    },
    { keys: ['shift+x'], text: words('keys.extend'), run: () => extendTo(board, focused()) },
    {
      keys: ['mod+a'],
      text: words('keys.selectAll'),
      run: () => {
        for (const { id } of vocabulary.columns)
          selection.select(
            store.order(id).filter((each) => each !== undefined && each > 0) as number[],
            true,
          )
        selection.say(words('selected', { count: selection.get().selected.size }))
      },
    },
    ...cardActs.flatMap(({ key, text, run }) =>
      key === undefined
        ? []
        : [{ keys: [key], text: words(text), run: withChosen((ids) => run(board, ids)) }],
    ),
    {
      keys: ['c', 'l'],
      text: words('newLead'),
      run: () => openQuickAdd(board),
    },
    {
      keys: ['shift+c'],
      text: words('collapse'),
      run: () => {
        const at = selection.get().focus?.statusId
        if (at === undefined) return
        // At once: a key that follows may put the focus elsewhere.
        flushSync(() => collapse(at, !collapsed.has(at)))
        focusNow(at, undefined)
      },
    },
    ...vocabulary.columns.slice(0, 9).map(({ id, name }, at) => ({
      keys: [String(at + 1)],
      text: words('keys.column', { stage: name }),
      run: () => focusOn(board, id, 0),
    })),
  ]
}

/** Selects the cards between the last selected one and this one, in one column. */
export function extendTo({ selection, store }: BoardContext, id: number | undefined): void {
  if (id === undefined) return
  const statusId = store.cards.shown(id)?.status_id
  const order = statusId === undefined ? [] : store.order(statusId)
  const last = [...selection.get().selected].findLast((each) => order.includes(each)) ?? id
  const [one, other] = [order.indexOf(last), order.indexOf(id)].toSorted((a, b) => a - b) as [
    number,
    number,
  ]
  selection.select(
    order.slice(one, other + 1).filter((each) => each !== undefined && each > 0) as number[],
    true,
  )
}
