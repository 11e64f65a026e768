// The order of a short list that people arrange: each move says what the moved one comes before, and the
// whole list is numbered anew in the transaction of the move. So two people who arrange a list at
// once both have their moves, and neither sends an order that the other has changed.
import { Type } from '../http/type.ts'
import { Id, Nullable } from '../http/types.ts'
import { invalidValue, notFound } from '../http/problem.ts'

/** At most so many uses of something in such a list are counted. */
export const mostUses = 1000

/** `before` of a move. */
export const Placement = Type.Object(
  { before: Nullable({ ...Id, description: 'Which one it then stands before; null: the last' }) },
  { additionalProperties: false },
)

/** The ids with one of them moved. An unknown one: 404; `before` that is not in the list: 400. */
export function placedBefore(ids: number[], id: number, before: number | null): number[] {
  if (!ids.includes(id)) throw notFound()
  if (before === id) return ids
  const others = ids.filter((each) => each !== id)
  const at = before === null ? others.length : others.indexOf(before)
  if (at === -1) throw invalidValue('NotSupportedChoice', 'before', 'The list has no such id.')
  return others.toSpliced(at, 0, id)
}
