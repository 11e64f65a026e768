import { createContext, useContext, useMemo } from 'react'
import { useFormatter, useLocale, useTimeZone } from 'use-intl'

/** The languages that write a day like this: 23/11/2026, 11/23/2026, 2026-11-23. */
const writers = { day_first: 'en-GB', month_first: 'en-US', iso: 'sv-SE' } as const

export type DateOrder = keyof typeof writers | 'language'

/** How the user likes dates; `language`: as usual in the language of the page. */
export const DateOrders = createContext<DateOrder>('language')

/** Writes the day of a moment in Unix seconds as the user likes it: of the user's zone, or of another one. */
export function useDay(zone?: string): (at: number) => string {
  const order = useContext(DateOrders)
  const format = useFormatter()
  const own = useTimeZone()
  const timeZone = zone ?? own
  return useMemo(() => {
    if (order === 'language')
      return (at) => format.dateTime(new Date(at * 1000), { dateStyle: 'medium', timeZone })
    const two = '2-digit'
    const day = { year: 'numeric', month: two, day: two } as const
    const { format: write } = new Intl.DateTimeFormat(writers[order], { ...day, timeZone })
    return (at) => write(at * 1000)
  }, [order, format, timeZone])
}

/** Whether the user writes the month before the day. */
export function useMonthFirst(): boolean {
  const order = useContext(DateOrders)
  const language = useLocale()
  return order === 'month_first' || (order === 'language' && language === 'en')
}

/** Writes the day and the time of a moment in Unix seconds, in the user's zone. */
export function useDayAndTime(): (at: number) => string {
  const day = useDay()
  const format = useFormatter()
  return useMemo(
    () => (at) => `${day(at)}, ${format.dateTime(new Date(at * 1000), { timeStyle: 'short' })}`,
    [day, format],
  )
}

/** The clocks of a zone at a moment in Unix seconds, as fields for times have it: `2026-11-23T18:30`. */
export function clockAt(at: number, timeZone: string): string {
  const two = '2-digit'
  const parts = { year: 'numeric', month: two, day: two, hour: two, minute: two } as const
  const written = new Intl.DateTimeFormat('sv-SE', { ...parts, timeZone }).format(at * 1000)
  return written.replace(' ', 'T')
}

/** The day of a zone at a moment in Unix seconds, as fields for days have it: `2026-11-23`. */
export const dayAt = (at: number, timeZone: string): string => clockAt(at, timeZone).slice(0, 10)

/** The day so many days after a day like `2026-11-23`. */
export const dayAfter = (day: string, count = 1): string =>
  new Date(Date.parse(`${day}T00:00Z`) + count * 86_400_000).toISOString().slice(0, 10)

/** The moment in Unix seconds at which a day like `2026-11-23` begins in a zone. */
export const startOfDay = (day: string, timeZone: string): number =>
  momentAt(`${day}T00:00`, timeZone)

/**
 * The moment in Unix seconds at which clocks in a zone show `clock` (see `clockAt`). An hour that the
 * zone leaves out is the one after it, and of an hour that it repeats the first.
 */
export function momentAt(clock: string, timeZone: string): number {
  const wanted = Date.parse(`${clock}Z`) / 1000
  const offset = (at: number) => Date.parse(`${clockAt(at, timeZone)}Z`) / 1000 - at
  // The offset a day before and after it hold any change of the clocks between them.
  const [before, after] = [offset(wanted - 86_400), offset(wanted + 86_400)]
  const found = [wanted - before, wanted - after].filter((at) => clockAt(at, timeZone) === clock)
  return found.length > 0 ? Math.min(...found) : wanted - before
}
