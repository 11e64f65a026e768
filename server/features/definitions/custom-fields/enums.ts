// The choices of a field. A sent list replaces the stored one: an entry with an id keeps that
// choice, an entry without an id is new, and choices that are missing are deleted (interface:
// Custom field).
import { Problem } from '../../../http/problem.ts'
import type { Fault } from '../../../http/problem.ts'
import { highestSort } from '../../../http/types.ts'
import type { Category, Choice } from './queries.ts'
import type { CategoryDraft, EnumDraft } from './schema.ts'

/** Choices of all fields of one entity type or catalog at most. */
const mostChoices = 20_000

/**
 * The choices after a list was sent, in their order; new ones have no id. Reports faults to
 * `fault`.
 */
export function workOutEnums(
  sent: EnumDraft[],
  before: Choice[],
  fault: (fault: Fault) => void,
): Choice[] {
  const known = new Map(before.map((choice) => [choice.id, choice]))
  const [ids, codes] = [new Set<number>(), new Set<string>()]
  let sort = 0
  const choices = sent.map((draft, index): Choice => {
    const path = (key: string) => `enums.${index}.${key}`
    const id = draft.id ?? null
    const stored = id === null ? undefined : known.get(id)
    if (id !== null && !stored)
      fault({
        code: 'NotSupportedChoice',
        path: path('id'),
        detail: `The field has no choice ${id}.`,
      })
    else if (id !== null && ids.has(id))
      fault({ code: 'NotUnique', path: path('id'), detail: 'This choice is named twice.' })
    if (id !== null) ids.add(id)

    const value = draft.value ?? stored?.value
    if (value === undefined && id === null)
      fault({ code: 'FieldMissing', path: path('value'), detail: 'This field is missing.' })
    else if (value?.trim() === '')
      fault({ code: 'NotBlank', path: path('value'), detail: 'This value should not be blank.' })

    const code = draft.code === undefined ? (stored?.code ?? null) : (draft.code?.trim() ?? null)
    if (code !== null && codes.has(code))
      fault({
        code: 'NotUnique',
        path: path('code'),
        detail: 'Another choice of the field has this code.',
      })
    if (code !== null) codes.add(code)

    // Without `sort`, a choice takes its position in the list.
    sort = draft.sort ?? stored?.sort ?? Math.min(sort + 1, highestSort)
    return { id, value: value ?? '', sort, code }
  })
  return choices.toSorted((a, b) => a.sort - b.sort)
}

/** The most levels of a tree of categories. */
export const mostCategoryLevels = 10

/**
 * The categories after a list was sent, parents before their children; new ones have no id, and name
 * a parent without an id by its position. Reports faults to `fault`.
 */
export function workOutTree(
  sent: CategoryDraft[],
  before: Category[],
  fault: (fault: Fault) => void,
): Category[] {
  const known = new Map(before.map((category) => [category.id, category]))
  const [byId, byName] = [new Map<number, number>(), new Map<string, number>()]
  for (const [index, { id, request_id }] of sent.entries()) {
    const path = (key: string) => `nested.${index}.${key}`
    if (id && !known.has(id))
      fault({
        code: 'NotSupportedChoice',
        path: path('id'),
        detail: `The field has no category ${id}.`,
      })
    else if (id && byId.has(id))
      fault({ code: 'NotUnique', path: path('id'), detail: 'This category is named twice.' })
    if (id) byId.set(id, index)
    if (request_id && byName.has(request_id))
      fault({ code: 'NotUnique', path: path('request_id'), detail: 'This name is given twice.' })
    if (request_id) byName.set(request_id, index)
  }

  /** The position of the parent of a category: undefined on the first level, or after a fault. */
  const parents = sent.map(({ id, parent_id, parent_request_id }, index) => {
    const stored = parent_request_id ? undefined : known.get(id ?? null)?.parent_id
    const parent = parent_id === undefined ? stored : parent_id
    if (!parent && !parent_request_id) return undefined
    const found = parent_request_id ? byName.get(parent_request_id) : byId.get(parent!)
    if (found === undefined)
      fault({
        code: 'NotSupportedChoice',
        path: `nested.${index}.${parent_request_id ? 'parent_request_id' : 'parent_id'}`,
        detail: `The list has no category ${parent_request_id ?? parent}.`,
      })
    return found
  })
  const levelOf = (index: number): number => {
    let level = 1
    for (let up = parents[index]; up !== undefined && level <= mostCategoryLevels; up = parents[up])
      level++
    return level
  }
  let sort = 0
  const tree = sent.map((draft, index) => {
    const id = draft.id ?? null
    const stored = id === null ? undefined : known.get(id)
    const value = (draft.value ?? stored?.value)?.trim()
    const path = `nested.${index}.value`
    if (value === undefined) fault({ code: 'FieldMissing', path, detail: 'This field is missing.' })
    else if (value === '')
      fault({ code: 'NotBlank', path, detail: 'This value should not be blank.' })
    const level = levelOf(index)
    if (level > mostCategoryLevels)
      fault({
        code: 'TooMany',
        limit: mostCategoryLevels,
        path: `nested.${index}.parent_id`,
        detail: `A tree has at most ${mostCategoryLevels} levels, and no category is below itself.`,
      })
    sort = draft.sort ?? stored?.sort ?? Math.min(sort + 1, highestSort)
    return { id, level, place: index, value: value ?? '', sort }
  })
  const inOrder = tree.toSorted((a, b) => a.level - b.level || a.sort - b.sort)
  const indexOf = new Map(inOrder.map((category, index) => [category.place, index]))
  return inOrder.map(({ id, place: index, value, sort }): Category => {
    const parent = parents[index]
    const parent_id = parent === undefined ? null : (sent[parent]!.id ?? null)
    const isNew = parent !== undefined && parent_id === null
    return { id, parent_id, value, sort, ...(isNew && { parentPlace: indexOf.get(parent)! }) }
  })
}

/** The ids of the deleted choices, or categories. */
export function removedEnums(
  before: { id: number | null }[] | null,
  after: { id: number | null }[] | null,
): number[] {
  const stay = new Set(after?.map(({ id }) => id))
  return (before ?? []).flatMap(({ id }) => (id === null || stay.has(id) ? [] : id))
}

/** Refuses more than the limit. An account above the limit may still reduce the number. */
export function forbidMoreChoices(path: string, there: number, more: number): void {
  if (more > 0 && there + more > mostChoices)
    throw new Problem(
      422,
      `The custom fields of ${path} can have ${mostChoices} choices in all, and they have ${there}`,
    )
}
