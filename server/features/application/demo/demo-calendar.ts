// When something happened in the year of the demo account: at work, on workdays of the account.
import { dayOf, midnight } from '../../../records/fields/days.ts'

export const daySeconds = 86_400
const hourSeconds = 3600

/** When the account is made, in Unix seconds, and its time zone. */
export interface Calendar {
  now: number
  timezone: string
}

/** The newest moment of the year: an hour ago. */
export const latest = ({ now }: Calendar): number => now - hourSeconds

/** A moment in working hours of a workday, so many days ago or a little before; `position` varies the hour. */
export function workTime(calendar: Calendar, daysAgo: number, position: number): number {
  const { now, timezone } = calendar
  // Today has no working hours yet, where the account is made at night.
  if (daysAgo < 1) return Math.min(latest(calendar), now - Math.round(daysAgo * daySeconds))
  const day = dayOf(timezone, now) - Math.ceil(daysAgo)
  return midnight(timezone, day - daysSinceFriday(day)) + (9 * 60 + ((position * 47) % 480)) * 60
}

/** 1 and 2 at a weekend, 0 on other days. */
function daysSinceFriday(day: number): number {
  // 1 January 1970 was a Thursday.
  const weekday = (day + 4) % 7
  return weekday === 6 ? 1 : weekday === 0 ? 2 : 0
}

/**
 * The same at parts of a life that began at `born`: 0 is its first moment, 1 its last. Each is an hour after the one before
 * at least, as far as the newest moment of the year lets it.
 */
export function timesWithin(
  calendar: Calendar,
  { born, end }: { born: number; end: number },
  parts: readonly number[],
  position: number,
): number[] {
  const times: number[] = []
  for (const [index, part] of parts.entries()) {
    const daysAgo = (calendar.now - (born + (end - born) * part)) / daySeconds
    const earliest = (times.at(-1) ?? born) + hourSeconds
    const worked = workTime(calendar, daysAgo, position + index * 3)
    times.push(Math.min(latest(calendar), Math.max(earliest, worked)))
  }
  return times
}
