// The choices of a field. A sent list replaces the stored one: an entry with an id keeps that
// choice, an entry without an id is new, and choices that are missing are deleted (entities
// reference, 15.3).
import type { Fault } from '../../http/problem.ts'
import { highestSort } from '../../http/types.ts'
import type { Choice } from './queries.ts'
import type { EnumDraft } from './schema.ts'

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
  const choices = sent.map((draft, place): Choice => {
    const path = (key: string) => `enums.${place}.${key}`
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

/** The ids of the deleted choices. */
export function removedEnums(before: Choice[] | null, after: Choice[] | null): number[] {
  const stay = new Set(after?.map(({ id }) => id))
  return (before ?? []).flatMap(({ id }) => (id === null || stay.has(id) ? [] : id))
}
