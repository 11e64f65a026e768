import { pastedLines, orNull, plainText } from './field.ts'
import type { FieldKind, Value } from './field.ts'

/** The members of a legal entity that its form asks, in their order. */
export const legalParts = [
  'name',
  'vat_id',
  'tax_registration_reason_code',
  'address',
  'real_address',
  'director',
  'bank_account_number',
  'bank_code',
] as const

/** A member in one line. */
const oneLine = (value: unknown) =>
  plainText(value)
    .trim()
    .replaceAll(/\s*\n\s*/g, ', ')

/** Objects, of which a reader is told the name. */
const objects: FieldKind = {
  draftOf: (_field, values) => values?.map(({ value }) => value as object) ?? [],
  valuesOf: (_field, draft) =>
    orNull(
      (draft as readonly Record<string, unknown>[])
        .map((value) => ({ value: withoutEmpty(value) }))
        .filter(({ value }) => Object.keys(value).length > 0),
    ),
  copied: (_field, values) =>
    (values ?? []).map(({ value }) => plainText((value as { name?: unknown }).name)).join('\n'),
  textOf: (_field, { value }) => {
    if (typeof value !== 'object' || value === null) return plainText(value)
    const { name, file_name, description, address } = value as Record<string, unknown>
    return plainText(name ?? file_name ?? description ?? address) || JSON.stringify(value)
  },
}

export const legalEntity: FieldKind = {
  ...objects,
  draftOf: (field, values, means) =>
    values === null ? [{ name: '' }] : objects.draftOf(field, values, means),
  /** The members of the form, one in a line; a second entity begins after an empty line. */
  copied: (_field, values) =>
    (values ?? [])
      .map(({ value }) =>
        legalParts
          .map((part) => oneLine((value as Record<string, unknown>)[part]) || '-')
          .join('\n')
          .replace(/(?:\n-)+$/, ''),
      )
      .join('\n\n'),
  pasted(_field, text, _means, values) {
    const entities = pastedLines(text)
      .join('\n')
      .split(/\n{2,}/)
      .map((each) => each.split('\n'))
    return entities.some((lines) => lines.length > legalParts.length)
      ? undefined
      : entities.map((lines, entity) => ({
          // Members that the form does not have stay.
          ...(values?.[entity]?.value as object | undefined),
          ...Object.fromEntries(
            legalParts.map((part, index) => [part, (lines[index] ?? '').replace(/^-$/, '')]),
          ),
        }))
  },
  isMany: true,
}

/** One file, as the step that stores it names it. */
export const file: FieldKind = {
  ...objects,
  draftOf: (_field, values) => (values?.[0] ? [values[0].value as object] : []),
  copied: (_field, values) =>
    plainText((values?.[0]?.value as { file_name?: unknown } | undefined)?.file_name),
  isOffBoard: true,
}

/** Elements of catalogs, one of each that the field chains. */
export const chainedList: FieldKind = {
  draftOf: (_field, values) => values ?? [],
  valuesOf: (_field, draft) => orNull(draft as readonly Value[]),
  copied: () => '',
  // Events of the log tell a text instead.
  textOf: (_field, { value, catalog_element_id }) =>
    catalog_element_id === undefined ? plainText(value) : `#${catalog_element_id}`,
  isOffBoard: true,
}

/** What documents of catalogs hold: lines of invoices, payers, suppliers, links. */
export const ofDocuments: FieldKind = { ...objects, isReadOnly: true }

const withoutEmpty = (object: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(object).filter(
      ([, value]) => value !== null && value !== undefined && value !== '',
    ),
  )
