// The values of the survivor, after a merge and after its undo: pure functions of the rows. An undo takes
// back what the merge changed and leaves alone what was changed since.
import { faultAt, invalidFor, invalidValue } from '../../../http/problem.ts'
import type { RecordRow } from '../../../records/description.ts'
import { phoneNamesOf } from '../../../records/fields/phones.ts'
import type { Field, Fields } from '../../../records/fields/definitions.ts'
import { mergeValues, shownOf, tooHeavy } from '../../../records/fields/values.ts'
import type { Kept, KeptValues } from '../../../records/fields/values.ts'
import { fieldTypeFacts } from '../../../records/fields/types.ts'
import { comparedDigits } from '../../activity/calls/calls.ts'
import type { FieldPick, Picks } from './schema.ts'

/** A row of either type; contacts have names in two parts. */
export type MergedRow = RecordRow & { first_name?: string; last_name?: string }

/** The columns that a merge decides about. */
const decided = [
  'name',
  'first_name',
  'last_name',
  'responsible_user_id',
  'group_id',
  'custom_fields_values',
  'tag_ids',
] as const
export type DecidedColumns = Partial<Pick<MergedRow, (typeof decided)[number]>>

export const decidedOf = (row: MergedRow): DecidedColumns =>
  Object.fromEntries(decided.flatMap((name) => (name in row ? [[name, row[name]]] : [])))

/** The types of fields whose values of two records may stand side by side. */
const unitable = ['multitext', 'multiselect', 'legal_entity']

/**
 * The survivor's row after a merge, without its time and author. Throws 400 for a pick that cannot be, and
 * where both values are too many together.
 */
export function mergedRow(
  fields: Fields,
  isTag: (id: number) => boolean,
  into: MergedRow,
  from: MergedRow,
  picks: Picks,
): MergedRow {
  const named = picks.name === 'from' ? from : into
  const led = picks.responsible_user_id === 'from' ? from : into
  const custom_fields_values = mergedValues(fields, into, from, picks.fields ?? {})
  const fault = custom_fields_values && tooHeavy(custom_fields_values)
  if (fault) throw invalidFor({ ...fault, path: 'picks.fields' })
  return {
    ...into,
    name: named.name,
    ...(into.first_name !== undefined && {
      first_name: named.first_name!,
      last_name: named.last_name!,
    }),
    responsible_user_id: led.responsible_user_id,
    group_id: led.group_id,
    custom_fields_values,
    tag_ids: [...new Set([...into.tag_ids, ...from.tag_ids].filter(isTag))],
  }
}

function mergedValues(
  fields: Fields,
  into: MergedRow,
  from: MergedRow,
  picks: NonNullable<Picks['fields']>,
): KeptValues {
  for (const [id, pick] of Object.entries(picks)) checkPick(fields.byId.get(Number(id)), id, pick)
  const merged = new Map<number, Kept[]>()
  for (const field of fields.list) {
    const [own, other] = [into, from].map(({ custom_fields_values }) =>
      shownOf(field, custom_fields_values?.[field.id] ?? []),
    ) as [Kept[], Kept[]]
    const pick = picks[field.id] ?? (isAddress(field) ? 'both' : own.length > 0 ? 'into' : 'from')
    const values = pick === 'both' ? united(field, own, other) : pick === 'into' ? own : other
    const { most } = fieldTypeFacts(field.type)
    if (values.length > most) {
      const detail = `The field ${field.name} would have more values than it may.`
      const fault = faultAt(`picks.fields.${field.id}`, 'TooMany', detail, most)
      throw invalidFor(fault)
    }
    merged.set(field.id, [...values])
  }
  return mergeValues(fields, into.custom_fields_values, merged)
}

function checkPick(field: Field | undefined, id: string, pick: FieldPick): void {
  const path = `picks.fields.${id}`
  if (!field) throw invalidValue('NotSupportedChoice', path, `There is no field ${id}.`)
  if (pick === 'both' && !unitable.includes(field.type))
    throw invalidValue(
      'NotSupportedChoice',
      path,
      `A field of the type ${field.type} has one value.`,
    )
}

/** Phones and e-mails: those of both records are kept, unless one is picked. */
const isAddress = ({ type, code }: Field): boolean =>
  type === 'multitext' && (code === 'PHONE' || code === 'EMAIL')

/** The values of both without doubles: of two phones that are one number, the first is kept. */
function united(field: Field, own: readonly Kept[], other: readonly Kept[]): Kept[] {
  const known = new Set(own.flatMap((kept) => keysOfValue(field, kept)))
  const fresh = other.filter((kept) => {
    const keys = keysOfValue(field, kept)
    const isNew = keys.some((key) => !known.has(key))
    for (const key of keys) known.add(key)
    return isNew
  })
  return [...own, ...fresh]
}

/**
 * Phones are compared as duplicates are looked for, by the last ten digits of each number, but with
 * their extensions: no extension is lost.
 */
function keysOfValue(field: Field, kept: Kept): string[] {
  if (field.type !== 'multitext') return [JSON.stringify(kept)]
  const [text] = kept as [string, number]
  const names = field.code === 'PHONE' ? phoneNamesOf(text, comparedDigits) : []
  return names.length > 0 ? names : [text.trim().toLowerCase()]
}

/**
 * The survivor's row after an undo. `before` and `after` are the columns around the merge. A column, a field
 * or a tag that is no longer as the merge left it keeps what it got since.
 */
export function undoneRow(
  fields: Fields,
  present: MergedRow,
  before: DecidedColumns,
  after: DecidedColumns,
): MergedRow {
  const back = Object.fromEntries(
    (['name', 'first_name', 'last_name', 'responsible_user_id'] as const).flatMap((column) =>
      column in present && present[column] === after[column] ? [[column, before[column]]] : [],
    ),
  )
  const valuesOf = (row: DecidedColumns, field: Field) =>
    shownOf(field, row.custom_fields_values?.[field.id] ?? [])
  const values = new Map(
    fields.list.map((field) => [
      field.id,
      undoneValues(
        field,
        valuesOf(present, field),
        valuesOf(before, field),
        valuesOf(after, field),
      ),
    ]),
  )
  const [were, became] = [before.tag_ids ?? [], after.tag_ids ?? []]
  return {
    ...present,
    ...back,
    custom_fields_values: mergeValues(fields, present.custom_fields_values, values),
    tag_ids: present.tag_ids.filter((id) => were.includes(id) || !became.includes(id)),
  }
}

function undoneValues(
  field: Field,
  present: readonly Kept[],
  before: readonly Kept[],
  after: readonly Kept[],
): Kept[] {
  const same = (one: readonly Kept[], other: readonly Kept[]) =>
    JSON.stringify(one) === JSON.stringify(other)
  if (same(present, after)) return [...before]
  if (same(before, after) || fieldTypeFacts(field.type).most === 1) return [...present]
  const texts = (list: readonly Kept[]) => new Set(list.map((kept) => JSON.stringify(kept)))
  const [are, were, became] = [texts(present), texts(before), texts(after)]
  const lost = before.filter((kept) => {
    const text = JSON.stringify(kept)
    return !became.has(text) && !are.has(text)
  })
  const own = present.filter((kept) => {
    const text = JSON.stringify(kept)
    return were.has(text) || !became.has(text)
  })
  return [...lost, ...own]
}
