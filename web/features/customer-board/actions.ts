// The moves of customers. A move is shown at once, is not sent where somebody else has moved the customer meanwhile, and
// can be taken back. Where the answer of the server puts the customer elsewhere, the answer wins, and a message says why.
import type { useTranslations } from 'use-intl'
import { makeChangeSender, recordChange } from '../../crm/changes.ts'
import { Problem } from '../../data/api.ts'
import { ChangeOvertaken, isOvertaken } from '../../data/conflicts.ts'
import { warnWith } from '../../ui/toast-actions.tsx'
import { warn } from '../../ui/toasts.ts'
import type { OfferUndo } from '../../ui/undo.ts'
import { typeOfStatus } from './context.ts'
import type { CustomerHand, CustomerStatus } from './context.ts'
import type { CustomerCard, CustomerStore } from './store.ts'

/** What a move writes. */
type CustomerMove = Partial<Pick<CustomerCard, 'status_id' | 'next_date'>>

export interface CustomerActions {
  /** Moves a customer to a status, or asks first for what puts it there. */
  move(id: number, statusId: number): void
  /** Says when the next purchase is due; the card was moved to a status for it. */
  setDate(id: number, nextDate: number, statusId: number): void
  /** Opens the form of a new purchase. */
  addPurchase(id: number): void
  /** A purchase was added; `statusId`: the card was moved there for it. */
  bought(id: number, statusId: number | undefined): Promise<void>
  chooseStatus(id: number): void
}

/** Milliseconds for which the key takes back what was done on a board that is shown. */
const undoMs = 600_000
const path = '/api/v4/customers'

export function makeCustomerActions(board: {
  store: CustomerStore
  hand: CustomerHand
  statuses: () => readonly CustomerStatus[]
  nameOfUser: (id: number | undefined) => string | undefined
  words: ReturnType<typeof useTranslations<'customerBoard'>>
  boardWords: ReturnType<typeof useTranslations<'board'>>
  untitled: (id: number) => string
  offerUndo: OfferUndo
  /** Says a refusal in the user's language. */
  problemText: (problem: Problem) => string
}): CustomerActions {
  const { store, hand, statuses, nameOfUser, words, boardWords, untitled, offerUndo } = board
  const send = makeChangeSender()

  const statusOf = (id: number) => statuses().find((status) => status.id === id)
  const nameOf = (card: CustomerCard | undefined, id: number) => card?.name || untitled(id)

  /** The card, where the user may change it; says so where not. */
  function editable(id: number): CustomerCard | undefined {
    const card = store.cards.shown(id)
    if (card?.may_edit) return card
    if (card) warn(words('staysAsItIs', { name: nameOf(card, id) }), boardWords('askRights'))
    return undefined
  }

  const say = (card: CustomerCard) =>
    words('moved', { name: nameOf(card, card.id), status: statusOf(card.status_id)?.name ?? '' })

  /** Says where a customer is that was moved to another status. */
  function sayElsewhere(card: CustomerCard): void {
    const status = statusOf(card.status_id)
    const title = words('isElsewhere', { name: nameOf(card, card.id), status: status?.name ?? '' })
    if (status) warn(title, words(`why.${typeOfStatus(status)}`))
  }

  /** Says that somebody else has moved the customer, with a way to move it all the same. */
  function sayOvertaken(now: CustomerCard, again: () => void): void {
    warnWith(
      boardWords('conflict', {
        who: nameOfUser(store.lastChangedBy(now.id)) ?? boardWords('somebody'),
        name: nameOf(now, now.id),
        stage: statusOf(now.status_id)?.name ?? '',
      }),
      boardWords('conflictText'),
      { text: boardWords('moveAnyway'), run: again },
    )
  }

  /** The customer as it is now; undefined: it is gone. Throws where others have changed the same. */
  async function readNow(id: number, before: CustomerCard, change: CustomerMove) {
    const now = (await store.present([id])).get(id)
    const names = Object.keys(change) as (keyof CustomerMove)[]
    const isLate = names.some((name) => now && isOvertaken(before[name], now[name], change[name]))
    if (isLate) throw new ChangeOvertaken()
    return now
  }

  /** Sends a change of a customer, which should be in the status `statusId` afterwards. */
  async function write(id: number, change: CustomerMove, statusId: number): Promise<void> {
    const before = editable(id)
    if (!before) return
    const operation = store.begin(id, change)
    try {
      const now = await readNow(id, before, change)
      if (!now) {
        store.drop(operation)
        void store.refetch([id]).catch(() => undefined)
        return void warn(words('gone', { name: nameOf(before, id) }))
      }
      const changes = [recordChange(id, before, change)]
      const body = [{ id, ...change }]
      await send({ path, body, type: 'customers', changes }, async () => {
        const present = await store.present([id])
        return (each) => present.get(each)
      })
      store.confirm(operation)
    } catch (error) {
      store.drop(operation)
      await refused(error, before, () => void write(id, change, statusId))
      return
    }
    const after = await store
      .refetch([id])
      .then(async (found) => found.get(id) ?? (await store.present([id])).get(id))
      .catch(() => undefined)
    if (!after) return
    if (after.status_id !== statusId) return sayElsewhere(after)
    const back: CustomerMove = {
      status_id: before.status_id,
      ...(change.next_date !== undefined && { next_date: before.next_date }),
    }
    hand.say(say(after))
    offerUndo(say(after), () => void write(id, back, before.status_id), {
      on: { screen: store, ms: undoMs },
    })
  }

  async function refused(error: unknown, before: CustomerCard, again: () => void): Promise<void> {
    const { id } = before
    await store.refetch([id]).catch(() => undefined)
    if (error instanceof ChangeOvertaken) {
      const now =
        store.cards.snapshot(id) ?? (await store.present([id]).catch(() => undefined))?.get(id)
      if (now) sayOvertaken(now, again)
      return
    }
    warn(
      boardWords('notMoved', { name: nameOf(before, id) }),
      error instanceof Problem ? board.problemText(error) : words('noConnection'),
    )
  }

  return {
    move(id, statusId) {
      const card = editable(id)
      const status = statusOf(statusId)
      if (!card || !status || card.status_id === statusId) return
      const type = typeOfStatus(status)
      if (type === 'recent') hand.set({ dialog: { kind: 'purchase', id, statusId } })
      else if (type === 'expected') hand.set({ dialog: { kind: 'date', id, statusId } })
      else void write(id, { status_id: statusId }, statusId)
    },
    setDate: (id, nextDate, statusId) => void write(id, { next_date: nextDate }, statusId),
    addPurchase(id) {
      if (editable(id)) hand.set({ dialog: { kind: 'purchase', id } })
    },
    async bought(id, statusId) {
      const found = await store.refetch([id]).catch(() => undefined)
      const after = found?.get(id)
      if (after && statusId !== undefined && after.status_id !== statusId) sayElsewhere(after)
    },
    chooseStatus(id) {
      if (editable(id)) hand.set({ dialog: { kind: 'move', id } })
    },
  }
}
