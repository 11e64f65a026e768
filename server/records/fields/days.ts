// Days of an account: they begin at midnight in its time zone. All times are Unix seconds, negative before 1970 (birthdays).

const daySeconds = 86_400
const clocks = new Map<string, Intl.DateTimeFormat>()

/** The moment at which the day of a moment begins. */
export function startOfDay(timezone: string, at: number): number {
  return midnight(timezone, Math.floor((at + offset(timezone, at)) / daySeconds))
}

/** The moment at which the day that a text such as 31.12.2026 names begins, undefined for a text that names none. */
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
 * The first moment of the day with a number (days since 1970): where clocks skip midnight, the moment they skip to, and so where they skip
 * the whole day (Samoa had no 30 December 2011).
 */
function midnight(timezone: string, day: number): number {
  const local = day * daySeconds
  // The offset before and after the day's begin differ where clocks change; the earlier moment that is already in the day is its begin.
  const guesses = [
    local - offset(timezone, local - daySeconds / 2),
    local - offset(timezone, local + daySeconds / 2),
  ]
  if (guesses[0] === guesses[1]) return guesses[0]!
  const inside = guesses.filter(
    (at) => Math.floor((at + offset(timezone, at)) / daySeconds) === day,
  )
  return inside.length > 0 ? Math.min(...inside) : Math.max(...guesses)
}

/**
 * How far the local clock is ahead of UTC at a moment, in seconds. Told by the name of the offset, `GMT-04:56:02`: the parts of a date take
 * four times as long, and are of the Julian calendar before 1582.
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
