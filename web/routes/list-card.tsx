// A card over a list: the table stays as it is, with its scroll, and the neighbours of the row are a key away.
import { useRef, useSyncExternalStore } from 'react'
import type { RecordType } from '../../server/records/description.ts'
import type { CardHint } from '../features/card/card.tsx'
import { useTableContext } from '../features/rows/context.ts'
import type { Row } from '../features/rows/rows.ts'
import { CardOver } from './card-over.tsx'
import type { ShowCard } from './card-over.tsx'

export function ListCard({
  card: { type, id },
  show,
  close,
}: {
  card: { type: RecordType; id: number }
  show: ShowCard
  close: () => void
}) {
  const { store, selection, reveal } = useTableContext()
  useSyncExternalStore(store.watch, store.version)
  const isOfList = type === store.key.type
  const now = isOfList ? store.indexOf(id) : -1
  // A row that leaves the list keeps the neighbours that it had there.
  const last = useRef(now)
  if (now >= 0) last.current = now
  const index = isOfList ? last.current : -1
  const { isMore } = store.count()
  const before = store.rowsBefore(index)
  const of = Math.max(store.rowsBefore(store.length()), before + 1)
  const position = index >= 0 ? { index: before, of, isMore } : undefined
  const to = (number: number) => {
    // Headings of groups are passed over.
    const step = number < before ? -1 : 1
    let at = index + step
    while (store.groupAt(at)) at += step
    const next = store.idAt(at)
    if (index < 0 || next === undefined) return undefined
    return () => {
      selection.set({ focus: { row: at, column: 0 }, anchor: undefined })
      reveal(at)
      show(type, next, { isInstead: true })
    }
  }
  const known = isOfList ? store.rows.shown(id) : undefined
  return (
    <CardOver
      card={{ type, id }}
      hint={known && hintOf(known)}
      position={position}
      to={to}
      show={show}
      close={close}
    />
  )
}

const hintOf = (row: Row): CardHint => ({
  members: {
    id: row.id,
    name: row.name,
    responsible_user_id: row.responsible_user_id,
    tags: row.tags,
    ...(row.price !== undefined && { price: row.price }),
    ...(row.pipeline_id !== undefined && { pipeline_id: row.pipeline_id }),
    ...(row.status_id !== undefined && { status_id: row.status_id }),
  },
})
