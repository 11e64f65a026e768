import { pastedLines, orNull, plainText } from './field.ts'
import type { FieldKind, Labelled } from './field.ts'

/** The parts of an address in their order, with the ids that every address field has. */
export const addressParts = [
  [1, 'line1'],
  [2, 'line2'],
  [3, 'city'],
  [4, 'state'],
  [5, 'zip'],
  [6, 'country'],
] as const

/** Phones and e-mails, each with its label. */
export const multitext: FieldKind = {
  draftOf: ({ enums }, values) =>
    values === null
      ? [{ value: '', enum_id: enums?.[0]?.id }]
      : values.map(({ value, enum_id }) => ({ value: String(value), enum_id })),
  valuesOf: (_field, draft) =>
    orNull(
      (draft as readonly Labelled[])
        .filter(({ value }) => value.trim() !== '')
        .map(({ value, enum_id }) => ({
          value: value.trim(),
          ...(enum_id !== undefined && { enum_id }),
        })),
    ),
  copied: (_field, values) => (values ?? []).map(({ value }) => plainText(value)).join('\n'),
  // A text has no label: a value that is there keeps its own, and others get the first one.
  pasted: ({ enums }, text, _means, values) =>
    pastedLines(text).map((value) => ({
      value,
      enum_id: values?.find((known) => known.value === value)?.enum_id ?? enums?.[0]?.id,
    })),
  textOf: (_field, { value }) => plainText(value),
  filter: 'texts',
  longest: 256,
  isMany: true,
  hasLinks: true,
}

/** An address by its parts. */
export const smartAddress: FieldKind = {
  draftOf: (_field, values) =>
    addressParts.map(([id]) => ({
      value: plainText(values?.find(({ enum_id }) => enum_id === id)?.value),
      enum_id: id,
    })),
  valuesOf: multitext.valuesOf,
  copied: (_field, values) =>
    addressParts
      .map(([id]) => plainText(values?.find(({ enum_id }) => enum_id === id)?.value))
      .join('\n')
      .trimEnd(),
  pasted(_field, text) {
    const lines = pastedLines(text)
    return lines.length > addressParts.length
      ? undefined
      : addressParts.map(([id], index) => ({ value: lines[index] ?? '', enum_id: id }))
  },
  textOf: multitext.textOf,
  longest: 256,
}

/** Where a value leads: a phone, an e-mail or a page. Undefined for texts that lead nowhere. */
export function linkOf(type: string, code: string | null, value: unknown): string | undefined {
  const text = plainText(value).trim()
  if (type === 'url') {
    if (/^https?:\/\//i.test(text)) return text
    return /^[\w-]+(?:\.[\w-]+)+(?:[/?#]|$)/.test(text) ? `https://${text}` : undefined
  }
  if (type !== 'multitext') return undefined
  if (code === 'EMAIL') return /^[^\s@]+@[^\s@]+$/.test(text) ? `mailto:${text}` : undefined
  const number = text.replaceAll(/[^\d+]/g, '')
  return code === 'PHONE' && number.length > 2 ? `tel:${number}` : undefined
}
