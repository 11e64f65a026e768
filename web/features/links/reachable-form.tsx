import { Button, Group, TextInput } from '@mantine/core'
import { useLayoutEffect, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { useFilled } from '../../ui/form.ts'
import { ReachInputs } from '../../ui/reach-inputs.tsx'
import { ProblemAlert } from '../../ui/states.tsx'
import styles from './links.module.css'

export interface ReachableValues extends Record<string, unknown> {
  name: string
  phone: string
  email: string
}

/** The name, the phone and the e-mail of a contact or a company, in its place. */
export function ReachableForm({
  label,
  values: given,
  action,
  fieldOf,
  send,
  onDone,
  onCancel,
}: {
  label: string
  values: ReachableValues
  action: string
  /** The field of a fault's path. */
  fieldOf: (path: string, sent: ReachableValues) => string
  send: (values: ReachableValues, key: string) => Promise<unknown>
  onDone: () => void
  onCancel: () => void
}) {
  const words = useTranslations('links')
  const ui = useTranslations('ui')
  // Changes by others do not take away the text that is being typed.
  const [values] = useState(given)
  const first = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => first.current?.focus(), [])
  const { form, submit, isPending, error } = useFilled<ReachableValues, unknown>({
    values,
    validate: {
      name: (name, { phone, email }) =>
        (name + phone + email).trim() === '' ? words('nameMissing') : undefined,
    },
    fieldOf,
    send,
    onDone,
  })
  return (
    <form
      aria-label={label}
      className={styles.form}
      noValidate
      onSubmit={submit}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        event.stopPropagation()
        event.preventDefault()
        onCancel()
      }}
    >
      <TextInput
        ref={first}
        label={words('name')}
        autoComplete="off"
        {...form.getInputProps('name')}
      />
      <ReachInputs form={form} phone={words('phone')} email={words('email')} />
      <ProblemAlert error={error} />
      <Group gap="sm" justify="flex-end">
        <Button variant="default" size="compact-sm" onClick={onCancel}>
          {ui('cancel')}
        </Button>
        <Button type="submit" size="compact-sm" loading={isPending}>
          {action}
        </Button>
      </Group>
    </form>
  )
}

/** The text typed to find somebody, as the first values of somebody new. */
export function valuesOf(text: string): ReachableValues {
  const blank = { name: '', phone: '', email: '' }
  if (text.includes('@')) return { ...blank, email: text }
  return /^[+\d(][\d\s().-]{4,}$/.test(text) ? { ...blank, phone: text } : { ...blank, name: text }
}
