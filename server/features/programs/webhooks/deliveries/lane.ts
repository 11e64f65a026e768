// The order within one subscription; pure. Notices of a record go out in the order of the changes: a
// delivery waits while an attempt for one of its records is under way, or an earlier delivery of
// the record has not been attempted. It never waits for a scheduled retry.
import type { DueDelivery } from './queries.ts'

/** The deliveries that a lane holds, beside those whose ends the database refuses. */
export const roomOfLane = 64
/** Refused ends that take no room: each read passes over them, and each is tried again. */
const mostRefused = 256

export interface Lane {
  /** The deliveries that wait, are under way, or have ended and are not kept in the database yet. */
  known: ReadonlySet<number>
  /** The highest id of the deliveries that were ever added; 0: none. */
  highest(): number
  /** How many deliveries may be added; none where the number is below 1. */
  room(): number
  /** Deliveries that wait for their turn. */
  add(deliveries: DueDelivery[]): void
  /** Takes the deliveries that may go out now, so many at most. */
  take(most: number): DueDelivery[]
  /** An attempt has ended: its records are free. */
  end(delivery: DueDelivery): void
  /** An attempt failed on this machine: the delivery waits again, at its place. */
  again(delivery: DueDelivery): void
  /** The database refuses the end of the attempt, which takes no room until it is kept. */
  refuse(id: number): void
  /** The end of the attempt is kept in the database. */
  forget(id: number): void
  /** The number of attempts under way. */
  underWay(): number
  /** The number of attempts that are under way or not kept yet, without refused ones. */
  unkept(): number
}

export function newLane(): Lane {
  const known = new Set<number>()
  const refused = new Set<number>()
  const busy = new Map<string, number>()
  let waiting: DueDelivery[] = []
  let underWay = 0
  let highest = 0
  const wait = (deliveries: DueDelivery[]) => {
    waiting = [...waiting, ...deliveries].toSorted((one, other) => one.id - other.id)
  }
  const end = ({ records }: DueDelivery) => {
    underWay--
    for (const record of records) {
      const left = busy.get(record)! - 1
      if (left === 0) busy.delete(record)
      else busy.set(record, left)
    }
  }
  return {
    known,
    highest: () => highest,
    room: () => roomOfLane - known.size + Math.min(refused.size, mostRefused),
    add(deliveries) {
      for (const { id } of deliveries) {
        known.add(id)
        highest = Math.max(highest, id)
      }
      wait(deliveries)
    },
    take(most) {
      if (most <= 0 || waiting.length === 0) return []
      const taken: DueDelivery[] = []
      const left: DueDelivery[] = []
      const awaited = new Set<string>()
      for (const delivery of waiting) {
        const isFree = delivery.records.every((record) => !busy.has(record) && !awaited.has(record))
        if (isFree && taken.length < most) {
          taken.push(delivery)
          for (const record of delivery.records) busy.set(record, (busy.get(record) ?? 0) + 1)
        } else {
          left.push(delivery)
          for (const record of delivery.records) awaited.add(record)
        }
      }
      waiting = left
      underWay += taken.length
      return taken
    },
    end,
    again(delivery) {
      end(delivery)
      wait([delivery])
    },
    refuse: (id) => void refused.add(id),
    forget(id) {
      known.delete(id)
      refused.delete(id)
    },
    underWay: () => underWay,
    unkept: () => known.size - refused.size - waiting.length,
  }
}
