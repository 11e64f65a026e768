// Days are those of the account: a value is the moment at which its day begins there, and every reader sees the same
// day.
import { clockAt, dayAt, momentAt, startOfDay } from '../../ui/day.ts'
import type { FieldKind } from './field.ts'

/** While a year is typed it is one of the first centuries. */
const isTyped = (clock: string) =>
  /^[1-9]\d{3}-/.test(clock) && !Number.isNaN(Date.parse(`${clock}Z`))

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
  textOf: (_field, { value }, { moment }) => moment(Number(value)),
  filter: 'day',
}
