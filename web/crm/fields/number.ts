import { plainText } from './field.ts'
import type { FieldKind } from './field.ts'

export const numeric: FieldKind = {
  draftOf: (_field, values, { numbers }) =>
    values?.[0] ? numbers.typed(plainText(values[0].value)) : '',
  valuesOf: (_field, draft, { numbers }) => {
    const typed = (draft as string).trim()
    if (typed === '') return null
    const reading = numbers.read(typed)
    return 'fault' in reading ? reading : [{ value: reading.number }]
  },
  copied: (_field, values, { numbers }) =>
    values?.[0] ? numbers.typed(plainText(values[0].value)) : '',
  // Several cells are no number: their blanks would be read as signs of groups.
  pasted: (_field, text) => (/[\t\r\n]/.test(text.trim()) ? undefined : text.trim()),
  textOf: (_field, { value }, { number }) => number(Number(value)),
  filter: 'numbers',
}

export const monetary: FieldKind = {
  ...numeric,
  textOf: ({ currency }, { value }, { money }) => money(Number(value), currency),
  isAmount: true,
}

const { filter: _, ...withoutFilter } = monetary
/** The price of an element of a catalog; lists of records have no filter of it. */
export const price: FieldKind = withoutFilter
