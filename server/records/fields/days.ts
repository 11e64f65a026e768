// Days of an account, which begin at midnight in its time zone. All times are Unix seconds,
// negative before 1970 (birthdays). A stored day is a moment of a zone that stays when the account
// changes its own, so that a change moves nothing that is stored.

/** The zones of an account (decision 91). */
export interface DayZones {
  /** IANA name of the zone in which days are read and shown. */
  timezone: string
  /** That in which the stored moments of days begin. It never changes. */
  storedTimezone: string
}

/** A day, as days since 1970, as it is stored. */
export const storedDay = ({ storedTimezone }: DayZones, day: number): number =>
  midnight(storedTimezone, day)

/** The moment at which a stored day begins in the zone of the account. */
export const shownDay = ({ timezone, storedTimezone }: DayZones, stored: number): number =>
  timezone === storedTimezone ? stored : midnight(timezone, dayOf(storedTimezone, stored))

const daySeconds = 86_400
const clocks = new Map<string, Intl.DateTimeFormat>()

/** The beginning of the day that contains a moment. */
export function midnightBefore(timezone: string, at: number): number {
  return midnight(timezone, dayOf(timezone, at))
}

/** The day that contains a moment, as days since 1970. */
export function dayOf(timezone: string, at: number): number {
  return Math.floor((at + offset(timezone, at)) / daySeconds)
}

/**
 * The day that a filter writes like 31.12.2026 or 2026-12-31, as days since 1970; undefined where
 * the text names none.
 */
export function dayOfText(text: string): number | undefined {
  const [, first, month, last] =
    /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/.exec(text) ?? /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? []
  const [day, year] = text.includes('-') ? [last, first] : [first, last]
  if (year === undefined || Number(year) === 0) return undefined
  const date = new Date(0)
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day))
  if (date.getUTCDate() !== Number(day) || date.getUTCMonth() !== Number(month) - 1)
    return undefined
  return date.getTime() / 1000 / daySeconds
}

/**
 * The first moment of a day, given as days since 1970. Where clocks skip midnight it is the moment
 * they skip to, also where they skip the whole day (Samoa had no 30 December 2011).
 */
export const midnight = (timezone: string, day: number): number =>
  momentOf(timezone, day * daySeconds)

/** The moment so many days later at which the clock shows the same time of day. */
export const daysLater = (timezone: string, at: number, days: number): number =>
  momentOf(timezone, at + offset(timezone, at) + days * daySeconds)

/** The time of the clocks at a moment, as `YYYY-MM-DD hh:mm:ss`. */
export const localTime = (timezone: string, at: number): string =>
  new Date((at + offset(timezone, at)) * 1000).toISOString().slice(0, 19).replace('T', ' ')

/** The first moment at which clocks show a local time, or the one they skip to where they skip it. */
function momentOf(timezone: string, local: number): number {
  // Where clocks change, the offsets before and after the moment differ. It is the earlier of both
  // at which the time is shown.
  const guesses = [
    local - offset(timezone, local - daySeconds / 2),
    local - offset(timezone, local + daySeconds / 2),
  ]
  if (guesses[0] === guesses[1]) return guesses[0]!
  const shown = guesses.filter((at) => at + offset(timezone, at) === local)
  return shown.length > 0 ? Math.min(...shown) : Math.max(...guesses)
}

/**
 * The seconds by which local time is ahead of UTC at a moment, read from the name of the offset,
 * `GMT-04:56:02`. Date parts take four times as long and follow the Julian calendar before 1582.
 */
function offset(timezone: string, at: number): number {
  if (timezone === 'UTC') return 0
  let clock = clocks.get(timezone)
  if (!clock) {
    clock = new Intl.DateTimeFormat('en-US', {
      timeZone: timezone,
      hour: 'numeric',
      timeZoneName: 'longOffset',
    })
    clocks.set(timezone, clock)
  }
  const [, sign, hours, minutes, seconds = 0] =
    /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(clock.format(at * 1000)) ?? []
  if (sign === undefined) return 0
  const size = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)
  return sign === '-' ? -size : size
}
