// Days are those of the account: a value is the moment at which its day begins there, and every reader sees the same
// day.
import { clockAt, dayAt, momentAt, startOfDay } from '../../ui/day.ts'
import type { FieldKind } from './field.ts'

/** While a year is typed it is one of the first centuries. */
const isTyped = (clock: string) =>
  /^[1-9]\d{3}-/.test(clock) && !Number.isNaN(Date.parse(`${clock}Z`))

/** The day that a text begins with, as a draft has it, and what follows: 2026-12-31, 31.12.2026, 31/12/2026. */
function dayIn(text: string, isMonthFirst: boolean): { day: string; rest: string } | undefined {
  const [all, year, month, date] = /^(\d{4})-(\d{1,2})-(\d{1,2})(?!\d)/.exec(text) ?? []
  if (year) return dayOf(year, month!, date!, text.slice(all!.length))
  const [whole, one, sign, other, last] =
    /^(\d{1,2})([./-])(\d{1,2})\2(\d{4})(?!\d)/.exec(text) ?? []
  if (!last) return undefined
  const rest = text.slice(whole!.length)
  return isMonthFirst && sign === '/'
    ? dayOf(last, one!, other!, rest)
    : dayOf(last, other!, one!, rest)
}

function dayOf(year: string, month: string, date: string, rest: string) {
  const day = [year, month.padStart(2, '0'), date.padStart(2, '0')].join('-')
  const isDay = !Number.isNaN(Date.parse(day)) && new Date(day).toISOString().startsWith(day)
  return isDay ? { day, rest: rest.trim() } : undefined
}

/** The time of a text in 24 hours: 15:00, 15:00:30, 3:00 pm. */
function timeIn(text: string): string | undefined {
  const [, hour, minute, half] =
    /^(\d{1,2}):([0-5]\d)(?::[0-5]\d)?\s*([ap]\.?\s?m\.?)?$/i.exec(text.replace(/^[T,]\s*/, '')) ??
    []
  if (hour === undefined || Number(hour) > (half ? 12 : 23)) return undefined
  const hours = half ? (Number(hour) % 12) + (/^p/i.test(half) ? 12 : 0) : Number(hour)
  return `${String(hours).padStart(2, '0')}:${minute!}`
}

/** A day. */
export const date: FieldKind = {
  draftOf: (_field, values, { zones }) =>
    values?.[0] ? dayAt(Number(values[0].value), zones.account) : '',
  valuesOf: (_field, draft, { zones }) => {
    const typed = (draft as string).trim()
    if (typed === '') return null
    if (!isTyped(`${typed}T00:00`)) return 'date'
    return [{ value: startOfDay(typed, zones.account) }]
  },
  copied: (_field, values, { zones }) =>
    values?.[0] ? dayAt(Number(values[0].value), zones.account) : '',
  pasted(_field, text, { isMonthFirst }) {
    if (text.trim() === '') return ''
    const found = dayIn(text.trim(), isMonthFirst)
    // A spreadsheet may write the midnight of a day.
    return found && (found.rest === '' || timeIn(found.rest) === '00:00') ? found.day : undefined
  },
  textOf: (_field, { value }, { day }) => day(Number(value)),
  filter: 'day',
  isDay: true,
}

/** A moment, by the clocks of the user. */
export const dateTime: FieldKind = {
  draftOf: (_field, values, { zones }) =>
    values?.[0] ? clockAt(Number(values[0].value), zones.user) : '',
  valuesOf: (_field, draft, { zones }) => {
    const typed = (draft as string).trim()
    if (typed === '') return null
    return isTyped(typed) ? [{ value: momentAt(typed, zones.user) }] : 'date'
  },
  copied: (_field, values, { zones }) =>
    values?.[0] ? clockAt(Number(values[0].value), zones.user).replace('T', ' ') : '',
  pasted(_field, text, { isMonthFirst }) {
    if (text.trim() === '') return ''
    const found = dayIn(text.trim(), isMonthFirst)
    const time = found && (found.rest === '' ? '00:00' : timeIn(found.rest))
    return time && `${found.day}T${time}`
  },
  textOf: (_field, { value }, { moment }) => moment(Number(value)),
  filter: 'day',
}
