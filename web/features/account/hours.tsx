// The working hours: for each day of the week the spans in which somebody works.
import { ActionIcon, Button, TextInput, Tooltip } from '@mantine/core'
import { Plus, X } from 'lucide-react'
import { useLocale, useTranslations } from 'use-intl'
import { dayNumbers, weekdayNames } from './account.ts'
import type { TypedSpan, Weekday } from './account.ts'
import type { AccountChanges } from './changes.tsx'
import { dayName } from './choices.ts'
import styles from './hours.module.css'

/** As many as the server takes. */
const mostOfDay = 6
const dayMinutes = 1440
const usual: TypedSpan = { from: 540, to: 1080 }
const workdays: readonly Weekday[] = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday']

/** Why the spans of a day cannot be saved; undefined where they can. */
export function hoursFault(
  spans: readonly TypedSpan[],
): 'missing' | 'order' | 'overlap' | undefined {
  if (spans.some(({ from, to }) => from === null || to === null)) return 'missing'
  if (spans.some(({ from, to }) => from! >= to!)) return 'order'
  const inOrder = sortedSpans(spans)
  const overlaps = inOrder.some(({ from }, index) => index > 0 && from! < inOrder[index - 1]!.to!)
  return overlaps ? 'overlap' : undefined
}

export const sortedSpans = (spans: readonly TypedSpan[]): TypedSpan[] =>
  spans.toSorted((one, other) => (one.from ?? 0) - (other.from ?? 0))

/** The days in the order of the account, beginning with `weekStartsOn`. */
export function WorkingHoursEditor({
  changes,
  weekStartsOn,
  notice,
}: {
  changes: AccountChanges
  weekStartsOn: number
  /** Stands under the spans of a day. */
  notice: (day: Weekday) => React.ReactNode
}) {
  const words = useTranslations('general')
  const position = (day: Weekday) => (dayNumbers[day] + 7 - weekStartsOn) % 7
  const days = weekdayNames.toSorted((one, other) => position(one) - position(other))
  const isEmpty = days.every((day) => changes.value(day).length === 0)
  return (
    <>
      {isEmpty && (
        <div className={styles.empty}>
          <span>{words('noHours')}</span>
          <Button
            variant="default"
            onClick={() => {
              for (const day of workdays) changes.type(day, [usual])
            }}
          >
            {words('usualHours')}
          </Button>
        </div>
      )}
      <ul className={styles.days} aria-label={words('hours')}>
        {days.map((day) => (
          <Day key={day} day={day} changes={changes} notice={notice(day)} />
        ))}
      </ul>
    </>
  )
}

function Day({
  day,
  changes,
  notice,
}: {
  day: Weekday
  changes: AccountChanges
  notice: React.ReactNode
}) {
  const words = useTranslations('general')
  const language = useLocale()
  const name = dayName(language, dayNumbers[day])
  const spans = changes.value(day)
  const change = (next: TypedSpan[]) => changes.type(day, next)
  const set = (at: number, part: Partial<TypedSpan>) =>
    change(spans.map((span, index) => (index === at ? { ...span, ...part } : span)))
  const fault = changes.isTyped(day) ? hoursFault(spans) : undefined
  return (
    <li className={styles.day} data-faulty={fault && true}>
      <span className={styles.name}>{name}</span>
      <div className={styles.spans}>
        {spans.length === 0 && <span className={styles.free}>{words('dayOff')}</span>}
        {spans.map((span, index) => (
          <div key={index} className={styles.span} role="group" aria-label={name}>
            <TextInput
              type="time"
              aria-label={words('from', { day: name })}
              value={clockText(span.from)}
              onChange={({ currentTarget }) => set(index, { from: minutesIn(currentTarget.value) })}
            />
            <span aria-hidden>–</span>
            <TextInput
              type="time"
              aria-label={words('to', { day: name })}
              value={clockText(span.to)}
              onChange={({ currentTarget }) => {
                const to = minutesIn(currentTarget.value)
                // Midnight as an end is that of the end of the day.
                set(index, { to: to === 0 ? dayMinutes : to })
              }}
            />
            <Tooltip label={words('removeSpan')}>
              <ActionIcon
                size={28}
                aria-label={words('removeSpanOf', { day: name })}
                onClick={() => change(spans.filter((_, at) => at !== index))}
              >
                <X size={16} />
              </ActionIcon>
            </Tooltip>
          </div>
        ))}
        {fault && (
          <span className={styles.fault} role="alert">
            {words(`hoursFault.${fault}`)}
          </span>
        )}
        {notice}
      </div>
      <Tooltip label={words('addSpan')}>
        <ActionIcon
          size={28}
          aria-label={words('addSpanOf', { day: name })}
          disabled={spans.length >= mostOfDay}
          onClick={() => change([...spans, nextSpan(spans)])}
        >
          <Plus size={16} />
        </ActionIcon>
      </Tooltip>
    </li>
  )
}

/** The usual hours, or the afternoon after what there is: an hour later, until the evening. */
function nextSpan(spans: readonly TypedSpan[]): TypedSpan {
  const last = spans.at(-1)
  if (!last) return usual
  const from = last.to === null ? null : last.to + 60
  return from === null || from + 60 > dayMinutes
    ? { from: null, to: null }
    : { from, to: Math.min(from + 240, dayMinutes) }
}

const clockText = (minutes: number | null): string => {
  if (minutes === null) return ''
  const [hours, rest] = [Math.floor(minutes / 60) % 24, minutes % 60]
  return `${String(hours).padStart(2, '0')}:${String(rest).padStart(2, '0')}`
}

function minutesIn(text: string): number | null {
  const [, hours, minutes] = /^(\d{2}):(\d{2})/.exec(text) ?? []
  return hours === undefined ? null : Number(hours) * 60 + Number(minutes)
}

/** The spans of a day as a text; an empty one where nobody works. */
export const hoursText = (spans: readonly TypedSpan[]): string =>
  spans.map(({ from, to }) => `${clockText(from)}–${clockText(to)}`).join(', ')
