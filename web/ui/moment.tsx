import { Tooltip } from '@mantine/core'
import { useFormatter, useNow } from 'use-intl'
import { useDayAndTime } from './day.ts'

/** The clock of the page ticks so often; by as much it is behind what has just happened. Milliseconds. */
const tickMs = 30_000

/**
 * Answers a function that says how long ago a moment was, or how far away it is: "5 minutes ago". Within a
 * tick it is "now": what has just happened is not in the future. `at` is Unix seconds.
 */
export function useDistance(): (at: number, style?: 'long' | 'short') => string {
  const format = useFormatter()
  const now = useNow({ updateInterval: tickMs })
  return (at, style = 'long') => {
    const date = new Date(at * 1000)
    const isNow = Math.abs(date.getTime() - now.getTime()) < tickMs
    return format.relativeTime(isNow ? now : date, { now, style })
  }
}

/** A moment in the past or the future: "5 minutes ago", and the whole date on demand. `at` is Unix seconds. */
export function Moment({ at }: { at: number }) {
  const format = useFormatter()
  const distance = useDistance()
  const date = new Date(at * 1000)
  return (
    <Tooltip label={format.dateTime(date, { dateStyle: 'full', timeStyle: 'medium' })}>
      <time dateTime={date.toISOString()}>{distance(at)}</time>
    </Tooltip>
  )
}

/** A date with its time. `at` is Unix seconds. */
export function DateTime({ at }: { at: number }) {
  const moment = useDayAndTime()
  return <time dateTime={new Date(at * 1000).toISOString()}>{moment(at)}</time>
}
