// The one input of numbers and amounts: it keeps what was typed, says under it what is wrong, and
// offers both numbers where a text may mean either. Forms hold the typed text and read it by
// `useNumbers` when they are sent.
import { Button, TextInput } from '@mantine/core'
import type { TextInputProps } from '@mantine/core'
import { useMergedRef } from '@mantine/hooks'
import { useCallback, useRef, useState } from 'react'
import type { ReactNode, Ref } from 'react'
import { useFormatter, useLocale, useTranslations } from 'use-intl'
import { readTypedNumber, typedNumber } from './number.ts'
import type { NumberFault, NumberReading, NumberRules } from './number.ts'
import styles from './number-field.module.css'

export interface Numbers {
  read: (typed: string) => NumberReading
  /** The number of a text as the interface takes it; undefined for an empty one and a wrong one. */
  amount: (typed: string) => number | undefined
  /** The fault of a text; undefined where it has none, and while it is empty. */
  fault: (typed: string) => string | undefined
  faultText: (fault: NumberFault) => string
  /** A number of the interface as an editor begins with it. */
  typed: (number: string | number) => string
  /** The same as it is shown. */
  shown: (number: string) => string
}

/** Reads and writes the numbers of a field in the language of the user. */
export const useNumbers = (rules: NumberRules = {}): Numbers => useNumbersBy()(rules)

/** Answers a function that makes `useNumbers` of the rules of any field. */
export function useNumbersBy(): (rules: NumberRules) => Numbers {
  const words = useTranslations('ui.number')
  const format = useFormatter()
  const language = useLocale()
  return useCallback(
    (rules) => makeNumbers(rules, { words, format, language }),
    [words, format, language],
  )
}

interface Language {
  words: ReturnType<typeof useTranslations<'ui.number'>>
  format: ReturnType<typeof useFormatter>
  language: string
}

function makeNumbers(rules: NumberRules, { words, format, language }: Language): Numbers {
  const { currency } = rules
  const shown: Numbers['shown'] = (number) =>
    format.number(Number(number), {
      maximumFractionDigits: 10,
      ...(currency !== undefined && {
        style: 'currency',
        currency,
        currencyDisplay: 'narrowSymbol',
        minimumFractionDigits: 0,
      }),
    })
  const read: Numbers['read'] = (typed) => readTypedNumber(typed, language, rules)
  const faultText: Numbers['faultText'] = (fault) => {
    switch (fault.fault) {
      case 'foreign':
        return words('foreign', { text: fault.text })
      case 'badGroups':
        return words('badGroups', { example: format.number(1_234_567) })
      case 'tooLow':
      case 'tooHigh':
        return words(fault.fault, { limit: format.number(fault.limit) })
      case 'tooManyPlaces':
        return words('tooManyPlaces', { count: fault.limit })
      default:
        return words(fault.fault)
    }
  }
  return {
    read,
    faultText,
    shown,
    typed: (number) => typedNumber(String(number), language, rules),
    amount: (typed) => {
      const reading = read(typed)
      return 'fault' in reading ? undefined : Number(reading.number)
    },
    fault: (typed) => {
      const reading = typed.trim() === '' ? undefined : read(typed)
      return reading && 'fault' in reading ? faultText(reading) : undefined
    },
  }
}

interface NumberFieldProps extends Omit<
  TextInputProps,
  'value' | 'onChange' | 'error' | 'type' | 'inputMode'
> {
  rules?: NumberRules
  /** The text as it is typed. */
  value: string
  onChange: (typed: string) => void
  /** A number that was chosen where the text was ambiguous; by default it is typed. */
  onChoose?: (typed: string) => void
  /** What a form says of the field. A fault of the text itself goes before it. */
  error?: ReactNode
  /** The fault of the text stands here before the field is left. */
  isTried?: boolean
  ref?: Ref<HTMLInputElement>
}

export function NumberField({
  rules = {},
  value,
  onChange,
  onChoose = onChange,
  error,
  isTried = false,
  ref,
  onBlur,
  ...input
}: NumberFieldProps) {
  const numbers = useNumbers(rules)
  const [isLeft, setLeft] = useState(false)
  const own = useRef<HTMLInputElement>(null)
  const merged = useMergedRef(own, ref)
  const reading = value.trim() === '' ? undefined : numbers.read(value)
  const fault = reading && 'fault' in reading ? reading : undefined
  const isShown = fault !== undefined && (isLeft || isTried || Boolean(error))
  return (
    <TextInput
      autoComplete="off"
      {...input}
      ref={merged}
      inputMode={rules.isWhole ? 'numeric' : 'decimal'}
      value={value}
      error={
        isShown ? (
          <>
            {numbers.faultText(fault)}
            {fault.fault === 'ambiguous' && (
              <NumberReadings
                readings={fault.readings}
                numbers={numbers}
                onChoose={(typed) => {
                  setLeft(false)
                  onChoose(typed)
                  own.current?.focus()
                }}
              />
            )}
          </>
        ) : (
          error
        )
      }
      onChange={({ currentTarget }) => {
        setLeft(false)
        onChange(currentTarget.value)
      }}
      onBlur={(event) => {
        // A fault that came between would move the button away from the pointer.
        if (!(event.relatedTarget instanceof HTMLButtonElement)) setLeft(true)
        onBlur?.(event)
      }}
    />
  )
}

/** The two numbers that a text may mean, as buttons. */
export function NumberReadings({
  readings,
  numbers,
  onChoose,
  onCancel,
}: {
  readings: readonly string[]
  numbers: Pick<Numbers, 'shown' | 'typed'>
  onChoose: (typed: string) => void
  /** Escape asks for it; by default it goes on to what stands around. */
  onCancel?: () => void
}) {
  return (
    <span className={styles.readings}>
      {readings.map((number) => (
        <Button
          key={number}
          size="compact-xs"
          variant="default"
          onClick={() => onChoose(numbers.typed(number))}
          onKeyDown={(event) => {
            if (event.key !== 'Escape' || !onCancel) return
            event.stopPropagation()
            event.preventDefault()
            onCancel()
          }}
        >
          {numbers.shown(number)}
        </Button>
      ))}
    </span>
  )
}
