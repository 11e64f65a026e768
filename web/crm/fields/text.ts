import { pastedLines, plainText } from './field.ts'
import type { FieldKind } from './field.ts'

/** Texts of up to `longest` characters. */
const texts = (longest: number): FieldKind => ({
  draftOf: (_field, values) => plainText(values?.[0]?.value),
  valuesOf: (_field, draft) => {
    const text = (draft as string).trim()
    return text === '' ? null : [{ value: text }]
  },
  copied: (_field, values) => plainText(values?.[0]?.value),
  pasted: (_field, text) => pastedLines(text).filter(Boolean).join(' ').replaceAll('\t', ' '),
  textOf: (_field, { value }) => plainText(value),
  filter: 'texts',
  longest,
})

export const text = texts(256)
export const url: FieldKind = { ...texts(2048), hasLinks: true }
export const streetaddress = texts(2048)
export const trackingData: FieldKind = { ...texts(2048), isOffBoard: true }

/** Several lines; blanks at the ends of a text of lines are the user's. */
export const textarea: FieldKind = {
  ...texts(65_535),
  valuesOf: (_field, draft) => ((draft as string).trim() === '' ? null : [{ value: draft }]),
  pasted: (_field, text) => text.replaceAll('\r\n', '\n').replace(/\n$/, ''),
}
