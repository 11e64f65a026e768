// The orders of a column, as the server has them (server/features/application/board/schema.ts), so that a card
// finds its place without a request.
import type { BoardSort, Card } from '../../../server/features/application/board/schema.ts'
import { isClosed } from '../../crm/stages.ts'

export const sorts = ['task', 'activity', 'created', 'price', 'name'] as const satisfies BoardSort[]

type Comparison = (one: Card, other: Card) => number

/** 0: due before the end of today, late ones too; 1: without a task; 2: later. */
export function groupOfTask(dueAt: number | null, todayEndsAt: number): 0 | 1 | 2 {
  if (dueAt === null) return 1
  return dueAt < todayEndsAt ? 0 : 2
}

/** Compares two cards; never 0 for two records. `todayEndsAt` is Unix seconds. */
export function comparisonOf(sort: BoardSort, todayEndsAt: number): Comparison {
  const first: Record<BoardSort, Comparison> = {
    task: (one, other) =>
      groupOfTask(one.closest_task_at, todayEndsAt) -
        groupOfTask(other.closest_task_at, todayEndsAt) ||
      (one.closest_task_at ?? 0) - (other.closest_task_at ?? 0),
    activity: (one, other) => other.updated_at - one.updated_at,
    created: () => 0,
    price: (one, other) => other.price - one.price,
    name: (one, other) => compareNames(one.name, other.name),
  }
  return (one, other) =>
    (isOver(one) && isOver(other) ? 0 : first[sort](one, other)) || other.id - one.id
}

/** Won and lost are ordered by the highest id in every order. */
const isOver = ({ status_id }: Card) => isClosed(status_id)

/**
 * The order of names that PostgreSQL has (`C.UTF-8`): each code point in lower case by itself, compared
 * by its number. JavaScript lowers some letters by those beside them, and compares halves of pairs.
 */
export function compareNames(one: string, other: string): number {
  if (one === other) return 0
  const [first, second] = [lowered(one), lowered(other)]
  const index = first.findIndex((letter, at) => letter !== second[at])
  if (index < 0) return first.length - second.length
  return (first[index] ?? -1) - (second[index] ?? -1)
}

const lowered = (text: string): number[] =>
  Array.from(text, (letter) => letter.toLowerCase().codePointAt(0)!)
