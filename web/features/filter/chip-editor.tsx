import { Button, Checkbox, Group, Stack, TagsInput, Text, TextInput } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import type { ReactElement } from 'react'
import { useTranslations } from 'use-intl'
import { useZones } from '../../crm/fields/texts.ts'
import { comingSpans, dayText, dueSpans, isoOfDayText, isSpan, pastSpans } from './dates.ts'
import { dayAfter, dayAt, startOfDay } from '../../ui/day.ts'
import { NumberField, useNumbers } from '../../ui/number-field.tsx'
import { rulesOf } from './fields.ts'
import type { FilterField } from './fields.ts'
import type { Chip } from './filter.ts'
import styles from './filter.module.css'
import { begins } from './suggest.ts'

interface Props {
  field: FilterField
  chip: Chip
  onChange: (chip: Chip) => void
  onDone: () => void
}

/** The fields of one filter, in the forms that the interface takes. */
export function ChipEditor(props: Props): ReactElement {
  const { field } = props
  if (field.options) return <Choices {...props} />
  switch (field.form) {
    case 'number':
    case 'numbers':
      return <Numbers {...props} />
    case 'time':
    case 'task':
    case 'due':
    case 'day':
      return <Days {...props} />
    case 'texts':
    case 'ids':
    case 'names':
      return <Texts {...props} />
    case 'words':
    case 'text':
    // These have options.
    case 'users':
    case 'choices':
    case 'stages':
    case 'statuses':
    case 'flag':
      return <Words {...props} />
  }
}

/** From how many choices on they are searched. */
const manyChoices = 8

/** One choice or several. They count at once. */
function Choices({ field: { label, options = [], form }, chip, onChange, onDone }: Props) {
  const words = useTranslations('filter')
  const [typed, setTyped] = useState('')
  const list = useRef<HTMLDivElement>(null)
  const found = options.filter((option) => typed === '' || begins(option.label, typed))
  const toggle = (value: string) => {
    const isOn = chip.values.includes(value)
    const values =
      form === 'flag'
        ? isOn
          ? []
          : [value]
        : isOn
          ? chip.values.filter((each) => each !== value)
          : [...chip.values, value]
    onChange({ name: chip.name, values })
  }
  const boxes = () => [...(list.current?.querySelectorAll('input') ?? [])]
  const step = (from: EventTarget, by: number) => {
    const all = boxes()
    const at = all.indexOf(from as HTMLInputElement)
    all[Math.min(Math.max(at + by, 0), all.length - 1)]?.focus()
  }
  return (
    <Stack gap="sm">
      {options.length > manyChoices && (
        <TextInput
          aria-label={words('findChoice', { filter: label })}
          placeholder={words('find')}
          value={typed}
          data-autofocus
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'ArrowDown') {
              event.preventDefault()
              boxes()[0]?.focus()
            } else if (event.key === 'Enter') {
              event.preventDefault()
              if (typed === '') onDone()
              else if (found[0]) {
                toggle(found[0].value)
                setTyped('')
              }
            }
          }}
        />
      )}
      <div ref={list} role="group" aria-label={label} className={styles.choices}>
        {found.map(({ value, label: text, color, isFormer }, index) => (
          <Checkbox
            key={value}
            size="xs"
            className={styles.choice}
            {...(index === 0 && options.length <= manyChoices && { 'data-autofocus': true })}
            label={
              <>
                {color && <span className={styles.bullet} style={{ background: color }} />}
                <span data-former={isFormer}>{text}</span>
              </>
            }
            checked={chip.values.includes(value)}
            onChange={() => toggle(value)}
            onKeyDown={(event) => {
              if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
                event.preventDefault()
                step(event.target, event.key === 'ArrowDown' ? 1 : -1)
              } else if (event.key === 'Enter') {
                event.preventDefault()
                onDone()
              }
            }}
          />
        ))}
        {found.length === 0 && (
          <Text c="dimmed" size="xs">
            {words('noChoice')}
          </Text>
        )}
      </div>
    </Stack>
  )
}

/** A range, either end of which may be missing. */
function Numbers({ field, chip, onChange, onDone }: Props) {
  const words = useTranslations('filter')
  const { label, currency } = field
  const rules = rulesOf(field)
  const numbers = useNumbers(rules)
  const single = chip.values.length === 1 ? chip.values[0] : undefined
  const begun = (end: string | undefined) => (end === undefined ? '' : numbers.typed(end))
  const [from, setFrom] = useState(begun(single ?? chip.from))
  const [to, setTo] = useState(begun(single ?? chip.to))
  const [isTried, setTried] = useState(false)
  const submit = () => {
    const ends: Pick<Chip, 'from' | 'to'> = {}
    for (const [end, typed] of [
      ['from', from],
      ['to', to],
    ] as const) {
      if (typed.trim() === '') continue
      const reading = numbers.read(typed)
      if ('fault' in reading) return setTried(true)
      ends[end] = reading.number
    }
    onChange({ name: chip.name, values: [], ...ends })
    onDone()
  }
  const end = {
    rules,
    isTried,
    rightSection: currency && <span className={styles.currency}>{currency}</span>,
    rightSectionWidth: 48,
  }
  return (
    <form
      aria-label={label}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <Group gap="sm" grow align="flex-start">
        <NumberField
          {...end}
          label={words('fromLabel')}
          value={from}
          onChange={setFrom}
          data-autofocus
        />
        <NumberField {...end} label={words('toLabel')} value={to} onChange={setTo} />
      </Group>
      <Apply />
    </form>
  )
}

/** Spans by name, or two days. */
function Days({ field: { label, form }, chip, onChange, onDone }: Props) {
  const words = useTranslations('filter')
  const zones = useZones()
  // Days of fields and of purchases are those of the account.
  const timeZone = form === 'day' || form === 'due' ? zones.account : zones.user
  const spans = form === 'task' ? comingSpans : form === 'due' ? dueSpans : pastSpans
  const iso = (text: string | undefined): string =>
    text === undefined
      ? ''
      : /^\d+$/.test(text)
        ? dayAt(Number(text), timeZone)
        : isoOfDayText(text)
  const single = chip.values.length === 1 && !isSpan(chip.values[0]!) && chip.values[0] !== '0'
  const [from, setFrom] = useState(iso(single ? chip.values[0] : chip.from))
  const [to, setTo] = useState(iso(single ? chip.values[0] : chip.to))
  const text = (day: string, isEnd: boolean): string => {
    if (form === 'day') return dayText(day)
    return String(isEnd ? startOfDay(dayAfter(day), timeZone) - 1 : startOfDay(day, timeZone))
  }
  const pick = (value: string) => {
    onChange({ name: chip.name, values: chip.values[0] === value ? [] : [value] })
    onDone()
  }
  return (
    <form
      aria-label={label}
      onSubmit={(event) => {
        event.preventDefault()
        onChange({
          name: chip.name,
          values: [],
          ...(from !== '' && { from: text(from, false) }),
          ...(to !== '' && { to: text(to, true) }),
        })
        onDone()
      }}
    >
      <div className={styles.spans} role="group" aria-label={words('spansTitle')}>
        {[...spans, ...(form === 'task' ? (['0'] as const) : [])].map((span, index) => (
          <button
            key={span}
            type="button"
            className={styles.span}
            aria-pressed={chip.values[0] === span}
            {...(index === 0 && { 'data-autofocus': true })}
            onClick={() => pick(span)}
          >
            {span === '0' ? words('noTask') : words(`spans.${span}`)}
          </button>
        ))}
      </div>
      <Group gap="sm" grow mt="sm">
        <TextInput
          type="date"
          label={words('fromLabel')}
          value={from}
          min="1000-01-01"
          max={to || '9999-12-31'}
          onChange={({ currentTarget }) => setFrom(currentTarget.value)}
        />
        <TextInput
          type="date"
          label={words('toLabel')}
          value={to}
          min={from || '1000-01-01'}
          max="9999-12-31"
          onChange={({ currentTarget }) => setTo(currentTarget.value)}
        />
      </Group>
      <Apply />
    </form>
  )
}

/** One text or several; a record has one of them as a whole. Ids are numbers. */
function Texts({ field: { label, form }, chip, onChange, onDone }: Props) {
  const words = useTranslations('filter')
  const [values, setValues] = useState(chip.values)
  const [typed, setTyped] = useState('')
  const isWrong = form === 'ids' && typed !== '' && !/^[1-9]\d{0,14}$/.test(typed)
  return (
    <form
      aria-label={label}
      onSubmit={(event) => {
        event.preventDefault()
        if (isWrong) return
        onChange({
          name: chip.name,
          values: [...new Set([...values, ...(typed === '' ? [] : [typed])])],
        })
        onDone()
      }}
    >
      <TagsInput
        label={label}
        description={words(form === 'ids' ? 'idsAbout' : 'textsAbout')}
        error={isWrong ? words('notNumber') : undefined}
        value={values}
        searchValue={typed}
        onSearchChange={setTyped}
        onChange={(next) =>
          setValues(form === 'ids' ? next.filter((each) => /^[1-9]\d{0,14}$/.test(each)) : next)
        }
        splitChars={form === 'ids' ? [',', ' '] : []}
        data-autofocus
      />
      <Apply />
    </form>
  )
}

/** Words that a record must contain, or a whole text. */
function Words({ field: { label, form }, chip, onChange, onDone }: Props) {
  const words = useTranslations('filter')
  const [text, setText] = useState(chip.values[0] ?? '')
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.select(), [])
  return (
    <form
      aria-label={label}
      onSubmit={(event) => {
        event.preventDefault()
        onChange({ name: chip.name, values: text.trim() === '' ? [] : [text.trim()] })
        onDone()
      }}
    >
      <TextInput
        ref={field}
        label={label}
        description={words(form === 'text' ? 'textAbout' : 'wordsAbout')}
        value={text}
        maxLength={200}
        data-autofocus
        onChange={({ currentTarget }) => setText(currentTarget.value)}
      />
      <Apply />
    </form>
  )
}

function Apply() {
  const words = useTranslations('filter')
  return (
    <Group justify="flex-end" mt="sm">
      <Button type="submit" size="xs">
        {words('apply')}
      </Button>
    </Group>
  )
}
