import { Button, TextInput, UnstyledButton } from '@mantine/core'
import { Calendar } from 'lucide-react'
import { useRef } from 'react'
import { useFormatter, useTimeZone, useTranslations } from 'use-intl'
import { clockAt, momentAt, useMonthFirst } from '../../ui/day.ts'
import { presetDue, presets, readDue } from './due.ts'
import styles from './feed.module.css'

/** Answers a function that reads a typed date as the user writes dates. */
export function useReadDue(): (text: string) => number | undefined {
  const timeZone = useTimeZone() ?? 'UTC'
  const isMonthFirst = useMonthFirst()
  return (text) => readDue(text, { now: Math.floor(Date.now() / 1000), timeZone, isMonthFirst })
}

/** Answers a function that says when a task is due, with the day of the week. */
export function useDueText(): (at: number) => string {
  const format = useFormatter()
  return (at) =>
    format.dateTime(new Date(at * 1000), {
      weekday: 'short',
      day: 'numeric',
      month: 'short',
      hour: 'numeric',
      minute: '2-digit',
    })
}

/**
 * When a task is due: typed as people say it, with what was understood under it, offered, or from the
 * calendar. `onChange` gets the text; a moment that is chosen becomes one.
 */
export function DueInput({
  value,
  onChange,
  autoFocus = false,
}: {
  value: string
  onChange: (text: string) => void
  autoFocus?: boolean
}) {
  const words = useTranslations('feed')
  const timeZone = useTimeZone() ?? 'UTC'
  const read = useReadDue()
  const dueText = useDueText()
  const calendar = useRef<HTMLInputElement>(null)
  const at = read(value)
  const now = () => Math.floor(Date.now() / 1000)
  const put = (moment: number) => onChange(clockAt(moment, timeZone).replace('T', ' '))
  const isPast = at !== undefined && at < now()
  return (
    <div className={styles.due}>
      <TextInput
        aria-label={words('due')}
        placeholder={words('dueExample')}
        value={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
        dir="auto"
        data-autofocus={autoFocus || undefined}
        autoComplete="off"
        rightSectionWidth={30}
        rightSectionPointerEvents="all"
        rightSection={
          <UnstyledButton
            className={styles.calendar}
            aria-label={words('calendar')}
            onClick={() => {
              if (!calendar.current) return
              calendar.current.value = clockAt(at ?? now(), timeZone)
              calendar.current.showPicker()
            }}
          >
            <Calendar size={15} aria-hidden />
          </UnstyledButton>
        }
      />
      <input
        ref={calendar}
        type="datetime-local"
        className={styles.picker}
        tabIndex={-1}
        aria-hidden
        onChange={({ currentTarget }) =>
          currentTarget.value !== '' && put(momentAt(currentTarget.value, timeZone))
        }
      />
      <div className={styles.dueMore}>
        <p
          className={styles.understood}
          data-fault={at === undefined || isPast || undefined}
          role="status"
        >
          {at === undefined
            ? value.trim() !== '' && words('notUnderstood')
            : `${dueText(at)}${isPast ? ` · ${words('inPast')}` : ''}`}
        </p>
        <div className={styles.presets} role="group" aria-label={words('presets')}>
          {presets.map((preset) => (
            <Button
              key={preset}
              size="compact-xs"
              variant="default"
              onClick={() => put(presetDue(preset, { now: now(), timeZone }))}
            >
              {words(`preset.${preset}`)}
            </Button>
          ))}
        </div>
      </div>
    </div>
  )
}
