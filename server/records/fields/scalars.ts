// Reads the plain values of custom fields: texts, numbers, times (interface: Values by type; Type
// leniency). Each function answers the stored value, or adds a fault with `complain`.
import type { Said } from '../../http/problem.ts'
import { latestTime } from '../../http/types.ts'
import { dayOf, midnight, storedDay } from './days.ts'
import type { DayZones } from './days.ts'
import { fieldTypeFacts } from './types.ts'
import type { FieldType } from './types.ts'

/** Adds a fault at a path below a value. */
export type Complain = (path: string, ...said: Said) => undefined

/**
 * A text, not trimmed; undefined for a text of only spaces. Numbers and booleans are taken as their
 * texts.
 */
export function readText(type: FieldType, complain: Complain, value: unknown): string | undefined {
  // Numbers beyond the safe integers have lost digits in transit.
  const isPlain =
    typeof value === 'boolean' ||
    (typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER)
  if (typeof value !== 'string' && !isPlain)
    return complain('value', 'InvalidType', 'This value should be of type string.')
  const longest = fieldTypeFacts(type).longest!
  const text = String(value)
  if (text.length > longest && (text.length > 2 * longest || Array.from(text).length > longest))
    return complain(
      'value',
      'TooLong',
      `This value is too long. It should have ${longest} characters or less.`,
      longest,
    )
  return text.trim() === '' ? undefined : text
}

export function readFlag(complain: Complain, value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value
  return value === 0 || value === 1
    ? value === 1
    : complain('value', 'InvalidType', 'This value should be of type bool.')
}

/** The most digits before and after the decimal point. */
const [mostWhole, mostDecimals] = [20, 10]
/** The most characters of a number, with leading and trailing zeros. */
const longestNumber = 64
const decimal = /^(-?)0*(\d+?)(?:\.(\d*?)0*)?$/

/**
 * A number, or a number as text, in its shortest form, so that equal numbers have equal texts. A
 * text with too many decimal places is refused. A JSON number is rounded, because its further
 * places come from binary arithmetic (0.1 + 0.2).
 */
export function readNumber(complain: Complain, value: unknown): string | undefined {
  if (typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER)
    return complain(
      'value',
      'InvalidFormat',
      'A number beyond 9007199254740991 is sent as text, or its last digits are lost.',
    )
  const text =
    typeof value === 'number'
      ? inDigits(value)
      : typeof value === 'string'
        ? value.trim()
        : undefined
  if (text === undefined)
    return complain('value', 'InvalidType', 'This value should be of type float.')
  // The expression takes time quadratic in the number of zeros.
  const [, minus = '', whole, decimals = ''] =
    (text.length <= longestNumber && decimal.exec(text)) || []
  if (
    whole === undefined ||
    text.endsWith('.') ||
    whole.length > mostWhole ||
    decimals.length > mostDecimals
  )
    return complain(
      'value',
      'InvalidFormat',
      `A number has up to ${mostWhole} digits and ${mostDecimals} decimal places.`,
    )
  const shortest = decimals === '' ? whole : `${whole}.${decimals}`
  return shortest === '0' ? '0' : `${minus}${shortest}`
}

function inDigits(value: number): string {
  const text = String(value)
  const decimals = text.length - 1 - text.indexOf('.')
  return text.includes('e') || (text.includes('.') && decimals > mostDecimals)
    ? value.toFixed(mostDecimals)
    : text
}

/** The beginning of the year 1: times of values and filters lie between it and `latestTime`. */
export const earliestTime = -62_135_596_800

/** A moment in Unix seconds, from a number, a number as text, or an RFC 3339 text. */
export function readTime(complain: Complain, value: unknown): number | undefined {
  if (typeof value !== 'string' && typeof value !== 'number')
    return complain('value', 'InvalidType', 'This value should be of type int.')
  const at = secondsNamed(value)
  if (isTime(at)) return at
  return complain(
    'value',
    'InvalidFormat',
    'A time is given in Unix seconds, or like 2026-12-31T23:59:59+03:00.',
  )
}

const secondsNamed = (value: string | number): number =>
  typeof value === 'string' && !/^-?\d+$/.test(value) ? secondsOf(value) : Number(value) + 0

/** A day as it is stored. */
export function readDay(zones: DayZones, complain: Complain, value: unknown): number | undefined {
  if (typeof value !== 'string' && typeof value !== 'number')
    return complain('value', 'InvalidType', 'This value should be of type int.')
  const day = dayNamed(zones.timezone, value)
  if (day !== undefined && isTime(midnight(zones.timezone, day))) return storedDay(zones, day)
  return complain(
    'value',
    'InvalidFormat',
    'A day is given like 2026-12-31, in Unix seconds, or like 2026-12-31T23:59:59+03:00.',
  )
}

/**
 * The day that a value of a body or a filter names, as days since 1970; undefined where it names
 * none. A bare date, and a text at 00:00:00 of its own offset, keep the day that is written:
 * programs write the midnights of their own zones. Any other text, like a time stamp, is a moment,
 * whose day is that of the account.
 */
export function dayNamed(timezone: string, sent: string | number): number | undefined {
  const [, date, time = '00:00:00'] = (typeof sent === 'string' && written.exec(sent)) || []
  const isBare = date === sent
  const at = isBare ? secondsOf(`${date}T00:00:00Z`) : secondsNamed(sent)
  if (!isTime(at)) return undefined
  return date === undefined || time !== '00:00:00'
    ? dayOf(timezone, at)
    : dayOf('UTC', secondsOf(`${date}T00:00:00Z`))
}

/** A date, alone or with a time of day. */
const written = /^(\d{4}-\d{2}-\d{2})(?:$|T(\d{2}:\d{2}:\d{2}))/i

const isTime = (at: number): boolean =>
  Number.isInteger(at) && at >= earliestTime && at <= latestTime

/** A day as days since 1970, as the bare date that names it in every zone. */
export const dateText = (day: number): string =>
  new Date(midnight('UTC', day) * 1000).toISOString().slice(0, 10)

/**
 * The moment of an RFC 3339 text; NaN for any other text and for dates such as 30 February, which
 * Date.parse reads as 2 March.
 */
function secondsOf(text: string): number {
  const [, date, time] =
    /^(\d{4}-\d{2}-\d{2})T([01]\d|2[0-3]):\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/i.exec(
      text,
    ) ?? []
  if (time === undefined || !isDate(date!)) return Number.NaN
  return Math.floor(Date.parse(text.toUpperCase()) / 1000)
}

function isDate(text: string): boolean {
  const at = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text)
}
