// A card over the board of customers: the board stays as it is, and the neighbours of the card in its column are a key
// away.
import { useRef } from 'react'
import type { RecordType } from '../../server/records/description.ts'
import type { CardHint } from '../features/card/card.tsx'
import { customerColumns, useColumn, useCustomerBoard } from '../features/customer-board/context.ts'
import type { CustomerCard } from '../features/customer-board/store.ts'
import { CardOver } from './card-over.tsx'
import type { ShowCard } from './card-over.tsx'

export function CustomerPanel({
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
  const { store, hand } = useCustomerBoard()
  const known = type === 'customers' ? store.cards.shown(id) : undefined
  from.current ??= known?.status_id
  const statusId = from.current ?? 0
  const now = useColumn(statusId, () => store.order(statusId))
  // A card that leaves the column keeps the neighbours that it had there.
  const last = useRef(now)
  if (now.includes(id)) last.current = now
  const order = last.current
  const index = type === 'customers' ? order.indexOf(id) : -1
  const { isMore } = store.totals(statusId)
  const to = (at: number) => {
    const next = order[at]
    if (index < 0 || next === undefined) return undefined
    return () => {
      // The board follows behind the card, so that it fetches what comes next and keeps the focus.
      customerColumns.get(statusId)?.scrollTo(at)
      hand.set({ focus: { statusId, id: next } })
      show('customers', next, { isInstead: true })
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

const hintOf = (card: CustomerCard): CardHint => ({
  members: {
    id: card.id,
    name: card.name,
    status_id: card.status_id,
    responsible_user_id: card.responsible_user_id,
    tags: card.tags,
  },
})
