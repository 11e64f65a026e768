// The lines of a comparison: what two records say of each field, and what the merged one will say; pure.
import type { FieldPick, NewMerge } from '../../../server/features/application/merges/schema.ts'
import type { Value } from '../../crm/fields/field.ts'
import { fieldKinds } from '../../crm/fields/types.ts'
import type { Compared, ComparedField } from './merges.ts'

export type PickedSide = 'left' | 'right'
/** The record of which a value is taken, by its column. */
export type FieldChoice = PickedSide | 'both'
export type FieldChoices = Readonly<Record<string, FieldChoice>>

export interface ComparedRow {
  /** `name`, `responsible`, `company`, or the id of a field. */
  key: string
  /** The name of a field; undefined for the others. */
  name?: string
  left: string[]
  right: string[]
  /** Whether the values of both may stand side by side. */
  isMany: boolean
  /** Whether both are taken unless somebody picks one. */
  isAddress: boolean
}

/** The rows in which two records differ, and the number of fields in which they do not. */
export function comparedRows(
  left: Compared,
  right: Compared,
  texts: {
    user: (id: number) => string
    company: (id: number) => string
    value: (field: ComparedField, value: Value) => string
    hasCompany: boolean
  },
): { rows: ComparedRow[]; same: number } {
  const plain = (key: string, of: (each: Compared) => string[]): ComparedRow => ({
    key,
    left: of(left),
    right: of(right),
    isMany: false,
    isAddress: false,
  })
  const fields = new Map(
    [...(left.custom_fields_values ?? []), ...(right.custom_fields_values ?? [])].map((field) => [
      field.field_id,
      field,
    ]),
  )
  const all = [
    plain('name', ({ name }) => (name === '' ? [] : [name])),
    plain('responsible', ({ responsible_user_id: id }) => [texts.user(id)]),
    ...(texts.hasCompany
      ? [
          plain('company', ({ _embedded }) =>
            (_embedded.companies ?? []).map(({ id }) => texts.company(id)),
          ),
        ]
      : []),
    ...[...fields.values()].map((field): ComparedRow => {
      const of = (each: Compared) =>
        each.custom_fields_values
          ?.find(({ field_id }) => field_id === field.field_id)
          ?.values.map((value) => texts.value(field, value)) ?? []
      const { field_id, field_name, field_type, field_code } = field
      return {
        key: String(field_id),
        name: field_name,
        left: of(left),
        right: of(right),
        isMany: fieldKinds[field_type].isMany === true,
        isAddress: field_code === 'PHONE' || field_code === 'EMAIL',
      }
    }),
  ]
  const rows = all.filter((row) => row.left.join('\n') !== row.right.join('\n'))
  return { rows, same: all.length - rows.length }
}

/** The side that is taken where nobody picked: as the server does it. */
export function choiceOf(
  row: ComparedRow,
  choices: FieldChoices,
  survivor: PickedSide,
): FieldChoice {
  const picked = choices[row.key]
  if (picked) return picked
  if (row.isMany && row.isAddress) return 'both'
  const other = survivor === 'left' ? 'right' : 'left'
  return row.key === 'name' || row[survivor].length > 0 ? survivor : other
}

export function resultOf(row: ComparedRow, choice: FieldChoice, survivor: PickedSide): string[] {
  if (choice !== 'both') return row[choice]
  const [own, other] = survivor === 'left' ? [row.left, row.right] : [row.right, row.left]
  const keys = new Set(own.map(keyOf))
  return [...own, ...other.filter((text) => !keys.has(keyOf(text)) && keys.add(keyOf(text)))]
}

/** Phones are one number by their last ten digits; other texts are compared without case. */
const keyOf = (text: string) =>
  /^[\d\s()+.-]+$/.test(text) ? text.replaceAll(/\D/g, '').slice(-10) : text.trim().toLowerCase()

export function picksOf(
  rows: ComparedRow[],
  choices: FieldChoices,
  survivor: PickedSide,
): NonNullable<NewMerge['picks']> {
  const sideOf = (choice: FieldChoice): FieldPick =>
    choice === 'both' ? 'both' : choice === survivor ? 'into' : 'from'
  const picked = new Map(rows.map((row) => [row.key, sideOf(choiceOf(row, choices, survivor))]))
  const one = (key: string) => {
    const side = picked.get(key)
    return side === 'into' || side === 'from' ? side : undefined
  }
  const [name, responsible, company] = [one('name'), one('responsible'), one('company')]
  return {
    ...(name && { name }),
    ...(responsible && { responsible_user_id: responsible }),
    ...(company && { company }),
    fields: Object.fromEntries([...picked].filter(([key]) => /^\d+$/.test(key))),
  }
}
