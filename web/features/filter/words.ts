// Chips in the language of the user: on the chip itself, and where a dialog repeats the filter.
import { useFormatter, useTranslations } from 'use-intl'
import { useDay } from '../../ui/day.ts'
import { isSpan } from './dates.ts'
import type { FilterField } from './fields.ts'
import { hasSpans } from './filter.ts'
import type { Chip } from './filter.ts'

export interface ChipWords {
  label: string
  value: string
}

/** Answers a function that says a chip: `{ label: 'Price', value: 'from $1,000' }`. */
export function useChipWords(fields: readonly FilterField[]) {
  const words = useTranslations('filter')
  const format = useFormatter()
  const day = useDay()
  return (chip: Chip): ChipWords => {
    const { name, values, from, to, isUnknown } = chip
    const field = fields.find((each) => each.name === name)
    if (isUnknown || !field)
      return {
        label: words('unknown'),
        value: values.map((value) => `${name}=${value}`).join(', '),
      }
    const { label, form, options, currency } = field
    const number = (text: string) =>
      format.number(Number(text), {
        maximumFractionDigits: 10,
        ...(currency !== undefined && {
          style: 'currency',
          currency,
          minimumFractionDigits: 0,
        }),
      })
    const one = (text: string): string => {
      const option = options?.find(({ value }) => value === text)
      if (option) return option.label
      if (hasSpans(form) && isSpan(text)) return words(`spans.${text}`)
      switch (form) {
        case 'task':
          return text === '0' ? words('noTask') : day(Number(text))
        case 'time':
        case 'due':
          return day(Number(text))
        case 'day':
          return /^\d+$/.test(text) ? day(Number(text)) : text
        case 'number':
        case 'numbers':
          return number(text)
        case 'words':
        case 'text':
        case 'texts':
          return words('quoted', { text })
        // An id that is typed, or a choice that is not on the list any more.
        case 'ids':
        case 'users':
        case 'choices':
        case 'stages':
        case 'statuses':
        case 'flag':
          return `#${text}`
        case 'names':
          return text
      }
    }
    if (values.length > 0)
      return { label, value: format.list(values.map(one), { type: 'disjunction' }) }
    if (from !== undefined && to !== undefined)
      return { label, value: one(from) === one(to) ? one(from) : `${one(from)} – ${one(to)}` }
    return {
      label,
      value:
        from === undefined ? words('upTo', { end: one(to!) }) : words('from', { end: one(from) }),
    }
  }
}
