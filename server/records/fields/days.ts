// Days of an account, which begin at midnight in its time zone. All times are Unix seconds,
// negative before 1970 (birthdays).

const daySeconds = 86_400
const clocks = new Map<string, Intl.DateTimeFormat>()

/** The beginning of the day that contains a moment. */
export function startOfDay(timezone: string, at: number): number {
  return midnight(timezone, dayOf(timezone, at))
}

/** The day that contains a moment, as days since 1970. */
export function dayOf(timezone: string, at: number): number {
  return Math.floor((at + offset(timezone, at)) / daySeconds)
}

/**
 * The beginning of the day that a text such as 31.12.2026 names; undefined where the text names
 * none.
 */
export function dayOfText(timezone: string, text: string): number | undefined {
  const [, day, month, year] = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/.exec(text) ?? []
  if (year === undefined) return undefined
  const date = new Date(0)
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day))
  if (date.getUTCDate() !== Number(day) || date.getUTCMonth() !== Number(month) - 1)
    return undefined
  return midnight(timezone, date.getTime() / 1000 / daySeconds)
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
