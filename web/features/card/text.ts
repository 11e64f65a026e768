// The values of fields as texts to read.
import { useMemo } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import { useDay } from '../../ui/day.ts'
import { useCardScene } from './scene.ts'
import { isAmount, isDay, isNumber, textOf } from './values.ts'
import type { Field, Value, Values } from './values.ts'

export interface ValueTexts {
  /** One value. */
  one: (field: Field, value: Value) => string
  /** All values of a field in one line; empty for none. */
  all: (field: Field, values: Values) => string
  money: (amount: number, currency?: string | null) => string
}

const codes = ['WORK', 'WORKDD', 'MOB', 'FAX', 'HOME', 'OTHER', 'PRIV'] as const

/** The label of a phone or an e-mail in the user's language. */
export function useLabelText(): (code: string) => string {
  const words = useTranslations('card')
  return (code) => {
    const known = codes.find((each) => each === code)
    return known ? words(`labels.${known}`) : code
  }
}

export function useValueTexts(): ValueTexts {
  const words = useTranslations('card')
  const format = useFormatter()
  const day = useDay()
  const { bootstrap, zones } = useCardScene()
  return useMemo(() => {
    const { currency: usual } = bootstrap.account
    const money = (amount: number, currency: string | null = null) =>
      format.number(amount, {
        style: 'currency',
        currency: currency ?? usual,
        currencyDisplay: 'narrowSymbol',
        minimumFractionDigits: Number.isInteger(amount) ? 0 : 2,
        maximumFractionDigits: 2,
      })
    const one: ValueTexts['one'] = ({ type, currency }, { value, ...rest }) => {
      if (isAmount(type)) return money(Number(value), currency)
      if (isNumber(type)) return format.number(Number(value), { maximumFractionDigits: 10 })
      // A day is the same day in every zone of a reader.
      if (isDay(type))
        return format.dateTime(new Date(Number(value) * 1000), {
          dateStyle: 'medium',
          timeZone: zones.account,
        })
      if (type === 'date_time') {
        const time = format.dateTime(new Date(Number(value) * 1000), { timeStyle: 'short' })
        return `${day(Number(value))}, ${time}`
      }
      if (type === 'checkbox') return words(value === true ? 'yes' : 'no')
      if (type === 'chained_list') return `#${rest.catalog_element_id}`
      if (typeof value !== 'object' || value === null) return textOf(value)
      const { name, file_name, description, address } = value as Record<string, unknown>
      return textOf(name ?? file_name ?? description ?? address) || JSON.stringify(value)
    }
    return {
      one,
      money,
      all: (field, values) => (values ?? []).map((value) => one(field, value)).join(', '),
    }
  }, [words, format, day, bootstrap, zones])
}
