// Spans of days by name, such as "this week". An address and a saved view hold the name, so that it
// means another span tomorrow; a request holds the moments.

import { dayAt, startOfDay } from '../../ui/day.ts'

export const pastSpans = [
  'today',
  'yesterday',
  'this_week',
  'last_week',
  'this_month',
  'last_month',
  'last_7_days',
  'last_30_days',
] as const
export const comingSpans = ['overdue', 'today', 'tomorrow', 'this_week', 'next_7_days'] as const
/** Of a purchase that is due. */
export const dueSpans = [...comingSpans, 'this_month'] as const
export type DateSpan = (typeof pastSpans)[number] | (typeof comingSpans)[number]

const spans: readonly string[] = [...pastSpans, ...comingSpans]
export const isSpan = (text: string): text is DateSpan => spans.includes(text)

/** Both ends are in Unix seconds and included. */
export interface Ends {
  from?: number
  to?: number
}

/**
 * The moments of a span at a moment `now` (Unix seconds) in a time zone. `weekStartsOn`: 0 for Sunday to 6 for
 * Saturday.
 */
export function endsOfSpan(
  span: DateSpan,
  timeZone: string,
  now: number,
  weekStartsOn: number,
): Ends {
  const [year, month, day] = dateAt(timeZone, now)
  const weekday = (new Date(Date.UTC(year, month - 1, day)).getUTCDay() + 7 - weekStartsOn) % 7
  const days = (from: number, to: number): Ends => ({
    from: startOfDate(timeZone, year, month, day + from),
    to: startOfDate(timeZone, year, month, day + to + 1) - 1,
  })
  switch (span) {
    case 'today':
      return days(0, 0)
    case 'yesterday':
      return days(-1, -1)
    case 'tomorrow':
      return days(1, 1)
    case 'this_week':
      return days(-weekday, 6 - weekday)
    case 'last_week':
      return days(-weekday - 7, -weekday - 1)
    case 'this_month':
      return months(timeZone, year, month)
    case 'last_month':
      return months(timeZone, year, month - 1)
    case 'last_7_days':
      return days(-6, 0)
    case 'last_30_days':
      return days(-29, 0)
    case 'next_7_days':
      return days(0, 6)
    case 'overdue':
      // By the minute, so that the same request is sent for a while.
      return { to: now - (now % 60) - 1 }
  }
}

const months = (timeZone: string, year: number, month: number): Ends => ({
  from: startOfDate(timeZone, year, month, 1),
  to: startOfDate(timeZone, year, month + 1, 1) - 1,
})

/** Year, month (from 1) and day that clocks show at a moment. */
const dateAt = (timeZone: string, at: number) =>
  dayAt(at, timeZone).split('-').map(Number) as [number, number, number]

/** The first moment of a date; days and months beyond the end count on, as in `Date.UTC`. */
const startOfDate = (timeZone: string, year: number, month: number, day: number): number =>
  startOfDay(new Date(Date.UTC(year, month - 1, day)).toISOString().slice(0, 10), timeZone)

/** `2026-11-23` of a date field as day.month.year of the interface, and back. */
export const dayText = (iso: string): string => iso.split('-').toReversed().join('.')
export const isoOfDayText = (text: string): string =>
  text
    .split('.')
    .toReversed()
    .map((part) => part.padStart(2, '0'))
    .join('-')
