import { chosen, plainText } from './field.ts'
import type { FieldKind } from './field.ts'

/** One of the choices of the field. */
export const select: FieldKind = {
  draftOf: (_field, values) =>
    values?.[0]?.enum_id === undefined ? '' : String(values[0].enum_id),
  valuesOf: ({ enums }, draft) => (draft === '' ? null : chosen(enums, [draft as string])),
  textOf: (_field, { value }) => plainText(value),
  filter: 'choices',
  isChoice: true,
}

/** Several of them. */
export const multiselect: FieldKind = {
  draftOf: (_field, values) => (values ?? []).map(({ enum_id }) => String(enum_id)),
  valuesOf: ({ enums }, draft) => chosen(enums, draft as readonly string[]),
  textOf: (_field, { value }) => plainText(value),
  filter: 'choices',
  isChoice: true,
  isMany: true,
}

/** A box. Its draft is `yes` where it is ticked. */
export const checkbox: FieldKind = {
  draftOf: (_field, values) => (values?.[0]?.value === true ? 'yes' : ''),
  valuesOf: (_field, draft) => (draft === 'yes' ? [{ value: true }] : null),
  textOf: (_field, { value }, { flag }) => flag(value === true),
  filter: 'flag',
  isFlag: true,
}
