// The members of records as fields, so that cards and lists type, show, filter and paste them alike. Ids below zero are
// no ids of the account's fields.
import type { Field, FieldEnum, FieldType, Value, Values } from './field.ts'

/** The members of a field that a description leaves out. */
const bare = { code: null, currency: null, enums: null, chained_lists: null }

export const memberField = (field: Partial<Field> & { name: string; type: FieldType }): Field => ({
  id: -1,
  ...bare,
  ...field,
})

/** A member as a field: how it is read, and how a change of it is shown and sent. */
export interface MemberField {
  field: Field
  read: (stored: never) => Values
  write: (values: Values) => { change: object; body: object }
}

const only = (key: string, value: unknown) => ({ change: { [key]: value }, body: { [key]: value } })

/** A member that holds the id of one of some choices. */
export const choiceMember = (
  key: string,
  name: string,
  enums: readonly FieldEnum[],
): MemberField => ({
  field: memberField({ name, type: 'select', enums }),
  read: (id: number | null) => {
    const found = enums.find((each) => each.id === id)
    return found ? [{ value: found.value, enum_id: found.id }] : null
  },
  write: (values) => only(key, values?.[0]?.enum_id ?? null),
})

const numberOf = (values: Values): number => Number(values?.[0]?.value ?? 0)

/** A whole number; 0 is none. */
export const amountMember = (
  key: string,
  name: string,
  type: 'monetary' | 'numeric',
): MemberField => ({
  field: memberField({ name, type }),
  read: (value: number | null) =>
    value === null || value === 0 ? null : [{ value: String(value) }],
  write: (values) => only(key, numberOf(values)),
})

/** A text. */
export const plainMember = (key: string, name: string): MemberField => ({
  field: memberField({ name, type: 'text' }),
  read: (text: string | null) => (text === null || text === '' ? null : [{ value: text }]),
  write: (values) => only(key, typeof values?.[0]?.value === 'string' ? values[0].value : ''),
})

/** A moment that nobody types. */
export const momentMember = (name: string): Pick<MemberField, 'field' | 'read'> => ({
  field: memberField({ name, type: 'date_time' }),
  read: (at: number | null) => (at === null ? null : [{ value: at } satisfies Value]),
})
