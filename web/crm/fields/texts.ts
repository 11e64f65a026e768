// The values of fields as texts to read, the same on cards, boards, in feeds and comparisons.
import { createContext, useContext, useMemo } from 'react'
import { useFormatter, useTimeZone, useTranslations } from 'use-intl'
import { useDay, useDayAndTime } from '../../ui/day.ts'
import { useBootstrap } from '../bootstrap.ts'
import type { Field, Value, Values, ValueFormats, Zones } from './field.ts'
import { fieldKinds } from './types.ts'

/** The zone of the account, and that of the user: the account's where the user has none. */
export function useZones(): Zones {
  const account = useBootstrap().account.timezone
  const user = useTimeZone() ?? account
  return useMemo(() => ({ account, user }), [account, user])
}

/** A field as far as its values are shown. */
type ShownField = Pick<Field, 'type' | 'currency'>

export interface ValueTexts {
  /** One value. */
  one: (field: ShownField, value: Value) => string
  /** All values of a field in one line; empty for none. */
  all: (field: ShownField, values: Values) => string
  /** A value as an event of the log tells it. */
  logged: (field: ShownField, text: string) => string
  money: (amount: number, currency?: string | null) => string
}

/** Made once for all screens (routes/root.tsx). */
export const TextsOfValues = createContext<ValueTexts | undefined>(undefined)

export function useValueTexts(): ValueTexts {
  const texts = useContext(TextsOfValues)
  if (!texts) throw new Error('a value of a field stands outside of the application')
  return texts
}

export function useMakeValueTexts(): ValueTexts {
  const words = useTranslations('ui')
  const format = useFormatter()
  const zones = useZones()
  const day = useDay(zones.account)
  const moment = useDayAndTime()
  const usual = useBootstrap().account.currency
  return useMemo(() => {
    const money = (amount: number, currency: string | null = null) =>
      format.number(amount, {
        style: 'currency',
        currency: currency ?? usual,
        currencyDisplay: 'narrowSymbol',
        minimumFractionDigits: Number.isInteger(amount) ? 0 : 2,
        maximumFractionDigits: 2,
      })
    const writing: ValueFormats = {
      money,
      number: (value) => format.number(value, { maximumFractionDigits: 10 }),
      day,
      moment,
      flag: (isSet) => words(isSet ? 'yes' : 'no'),
    }
    const one: ValueTexts['one'] = (field, value) =>
      fieldKinds[field.type].textOf(field as Field, value, writing)
    return {
      one,
      money,
      logged: (field, text) =>
        one(field, { value: fieldKinds[field.type].isFlag ? text === '1' : text }),
      all: (field, values) => (values ?? []).map((value) => one(field, value)).join(', '),
    }
  }, [words, format, day, moment, usual])
}
