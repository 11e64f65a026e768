import { Tooltip } from '@mantine/core'
import { useFormatter, useNow } from 'use-intl'
import { useDay } from './day.ts'

/** A moment in the past or the future: "5 minutes ago", and the whole date on demand. `at` is Unix seconds. */
export function Moment({ at }: { at: number }) {
  const format = useFormatter()
  const now = useNow({ updateInterval: 30_000 })
  const date = new Date(at * 1000)
  return (
    <Tooltip label={format.dateTime(date, { dateStyle: 'full', timeStyle: 'medium' })}>
      <time dateTime={date.toISOString()}>{format.relativeTime(date, now)}</time>
    </Tooltip>
  )
}

/** A date with its time. `at` is Unix seconds. */
export function DateTime({ at }: { at: number }) {
  const format = useFormatter()
  const day = useDay()
  const date = new Date(at * 1000)
  return (
    <time dateTime={date.toISOString()}>
      {day(at)}, {format.dateTime(date, { timeStyle: 'short' })}
    </time>
  )
}
