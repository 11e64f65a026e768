// The moves of customers. A move is shown at once, is not sent where somebody else has moved the customer meanwhile, and
// can be taken back. Where the answer of the server puts the customer elsewhere, the answer wins, and a message says why.
import type { useTranslations } from 'use-intl'
import { makeChangeSender, recordChange } from '../../crm/changes.ts'
import { isPassing, Problem } from '../../data/api.ts'
import { ChangeOvertaken, isOvertaken } from '../../data/conflicts.ts'
import type { Operation } from '../../data/overlay.ts'
import { warnWith } from '../../ui/toast-actions.tsx'
import { say as sayDone, warn } from '../../ui/toasts.ts'
import type { OfferUndo } from '../../ui/undo.ts'
import { typeOfStatus } from './context.ts'
import type { CustomerHand, StatusColumn } from './context.ts'
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
  statuses: () => readonly StatusColumn[]
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

  const moved = (card: CustomerCard) =>
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

  /**
   * The customer as it is now; undefined: it is gone. Throws where others have changed the same. While the connection is
   * cut, the change is sent until it is back, and compared then.
   */
  async function readNow(before: CustomerCard, change: CustomerMove) {
    const now = await store.present([before.id]).then(
      (found) => found.get(before.id),
      (problem: unknown) => {
        if (isPassing(problem)) return before
        throw problem
      },
    )
    const names = Object.keys(change) as (keyof CustomerMove)[]
    const isTaken = names.some((name) => now && isOvertaken(before[name], now[name], change[name]))
    if (isTaken) throw new ChangeOvertaken()
    return now
  }

  /** The end of the last write of each customer. */
  const turns = new Map<number, Promise<void>>()

  /** Shows a change at once, and sends it behind the earlier ones of its customer. */
  function write(
    id: number,
    change: CustomerMove,
    statusId: number,
    isUndo = false,
    before = editable(id),
  ): void {
    if (!before) return
    const operation = store.begin(id, change)
    const turn = (turns.get(id) ?? Promise.resolve()).then(() =>
      finish(operation, before, change, statusId, isUndo),
    )
    turns.set(id, turn)
  }

  /** Writes once more, also where the filter does not find the customer any more. */
  async function writeAgain(
    before: CustomerCard,
    change: CustomerMove,
    statusId: number,
    isUndo: boolean,
  ): Promise<void> {
    const { id } = before
    if (store.cards.shown(id)) return write(id, change, statusId, isUndo)
    const now = (await store.present([id]).catch(() => undefined))?.get(id)
    if (!now) return void warn(words('gone', { name: nameOf(before, id) }))
    write(id, change, statusId, isUndo, now)
  }

  /** Sends a change of a customer, which should be in the status `statusId` afterwards. */
  async function finish(
    operation: Operation<CustomerCard>,
    before: CustomerCard,
    change: CustomerMove,
    statusId: number,
    isUndo: boolean,
  ): Promise<void> {
    const { id } = before
    try {
      const now = await readNow(before, change)
      if (!now) {
        store.drop(operation)
        void store.refetch([id]).catch(() => undefined)
        return void warn(words('gone', { name: nameOf(before, id) }))
      }
      const changes = [recordChange(id, before, change)]
      await send({ path, body: [{ id, ...change }], type: 'customers', changes }, async () => {
        const present = await store.present([id]).catch(() => undefined)
        return (each) => present?.get(each)
      })
      store.confirm(operation)
    } catch (error) {
      store.drop(operation)
      return refused(error, before, () => void writeAgain(before, change, statusId, isUndo))
    }
    const after = await readBack(id)
    if (!after) return undefined
    const isElsewhere = after.status_id !== statusId
    if (isElsewhere) sayElsewhere(after)
    if (isUndo) return isElsewhere ? undefined : void sayDone(boardWords('undone'))
    const back: CustomerMove = {
      status_id: before.status_id,
      ...(change.next_date !== undefined && { next_date: before.next_date }),
    }
    hand.say(moved(after))
    offerUndo(moved(after), () => void writeAgain(after, back, before.status_id, true), {
      on: { screen: store, ms: undoMs },
    })
    return undefined
  }

  /** The customer after a change, also where the filter does not find it any more. */
  async function readBack(id: number): Promise<CustomerCard | undefined> {
    try {
      return (await store.refetch([id])).get(id) ?? (await store.present([id])).get(id)
    } catch {
      // A cut connection ends with news of all that was missed.
      return undefined
    }
  }

  async function refused(refusal: unknown, before: CustomerCard, again: () => void): Promise<void> {
    const { id } = before
    await store.refetch([id]).catch(() => undefined)
    if (refusal instanceof ChangeOvertaken) {
      const now =
        store.cards.snapshot(id) ?? (await store.present([id]).catch(() => undefined))?.get(id)
      if (now) sayOvertaken(now, again)
      return
    }
    warn(
      boardWords('notMoved', { name: nameOf(before, id) }),
      refusal instanceof Problem ? board.problemText(refusal) : words('noConnection'),
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
      else write(id, { status_id: statusId }, statusId)
    },
    setDate: (id, nextDate, statusId) => write(id, { next_date: nextDate }, statusId),
    addPurchase(id) {
      if (editable(id)) hand.set({ dialog: { kind: 'purchase', id } })
    },
    async bought(id, statusId) {
      const after = await readBack(id)
      if (after && statusId !== undefined && after.status_id !== statusId) sayElsewhere(after)
    },
    chooseStatus(id) {
      if (editable(id)) hand.set({ dialog: { kind: 'move', id } })
    },
  }
}
