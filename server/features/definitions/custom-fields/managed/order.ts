import { highestSort } from '../../../../http/types.ts'

/**
 * The list with one of its members, or a new one, before another; null: at its end. Undefined where
 * the other is not in the list.
 */
export function movedBefore<Member extends { id: number | string | null }>(
  list: readonly Member[],
  moved: Member,
  before: number | string | null,
): Member[] | undefined {
  if (before === moved.id) return [...list]
  const others = list.filter(({ id }) => id !== moved.id)
  const index = before === null ? others.length : others.findIndex(({ id }) => id === before)
  return index < 0 ? undefined : others.toSpliced(index, 0, moved)
}

/**
 * Sorts that follow the order of the list. The sorts that the members have are given out again, so
 * that few rows change and other lists in the same row of numbers stay where they are.
 */
export function sortedAnew<Member extends { sort: number }>(list: readonly Member[]): Member[] {
  const sorts = list.map(({ sort }) => sort).toSorted((a, b) => a - b)
  for (let index = 1; index < sorts.length; index++)
    sorts[index] = Math.max(sorts[index]!, sorts[index - 1]! + 1)
  const fits = (sorts.at(-1) ?? 0) <= highestSort
  return list.map((member, index) => ({ ...member, sort: fits ? sorts[index]! : index + 1 }))
}
