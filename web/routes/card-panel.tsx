// A card over the board: the board stays as it is, with its scroll, and the neighbours of the card in
// its column are a key away.
import type { RecordType } from '../../server/records/description.ts'
import { useRef, useSyncExternalStore } from 'react'
import { columnHandles } from '../features/board/focus.ts'
import { useBoard } from '../features/board/context.ts'
import type { Card } from '../features/board/store.ts'
import type { CardHint } from '../features/card/card.tsx'
import { CardOver } from './card-over.tsx'
import type { ShowCard } from './card-over.tsx'

export function CardPanel({
  card: { type, id },
  from,
  show,
  close,
}: {
  card: { type: RecordType; id: number }
  /** The column that the card was opened from. */
  from: React.RefObject<number | undefined>
  show: ShowCard
  close: () => void
}) {
  const { store, selection } = useBoard()
  const known = type === 'leads' ? store.cards.shown(id) : undefined
  from.current ??= known?.status_id
  const column = from.current ?? 0
  const now = useSyncExternalStore(
    (watcher) => store.watchOrder(column, watcher),
    () => store.order(column),
  )
  // A card that leaves the column keeps the neighbours that it had there.
  const last = useRef(now)
  if (now.includes(id)) last.current = now
  const order = last.current
  const index = type === 'leads' ? order.indexOf(id) : -1
  const { isMore } = store.totals(column)
  const to = (at: number) => {
    const next = order[at]
    if (index < 0 || next === undefined || next < 0) return undefined
    return () => {
      // The board follows behind the card, so that it fetches what comes next and keeps the focus.
      columnHandles.get(column)?.scrollTo(at)
      selection.set({ focus: { statusId: column, id: next } })
      show('leads', next, { isInstead: true })
    }
  }
  return (
    <CardOver
      card={{ type, id }}
      hint={known && hintOf(known)}
      position={index >= 0 ? { index, of: order.length, isMore } : undefined}
      to={to}
      show={show}
      close={close}
    />
  )
}

const hintOf = (card: Card): CardHint => ({
  enteredAt: card.entered_at,
  members: {
    id: card.id,
    name: card.name,
    price: card.price,
    pipeline_id: card.pipeline_id,
    status_id: card.status_id,
    responsible_user_id: card.responsible_user_id,
    tags: card.tags,
  },
})
