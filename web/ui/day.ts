import { createContext, useContext, useMemo } from 'react'
import { useFormatter, useTimeZone } from 'use-intl'

/** The languages that write a day like this: 23/11/2026, 11/23/2026, 2026-11-23. */
const writers = { day_first: 'en-GB', month_first: 'en-US', iso: 'sv-SE' } as const

export type DateOrder = keyof typeof writers | 'language'

/** How the user likes dates; `language`: as usual in the language of the page. */
export const DateOrders = createContext<DateOrder>('language')

/** Writes the day of a moment in Unix seconds as the user likes it. */
export function useDay(): (at: number) => string {
  const order = useContext(DateOrders)
  const format = useFormatter()
  const timeZone = useTimeZone()
  return useMemo(() => {
    if (order === 'language')
      return (at) => format.dateTime(new Date(at * 1000), { dateStyle: 'medium' })
    const two = '2-digit'
    const day = { year: 'numeric', month: two, day: two } as const
    const { format: write } = new Intl.DateTimeFormat(writers[order], { ...day, timeZone })
    return (at) => write(at * 1000)
  }, [order, format, timeZone])
}
