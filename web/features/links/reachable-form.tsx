import { Button, Group, TextInput } from '@mantine/core'
import { useLayoutEffect, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { isSameValue } from '../../data/conflicts.ts'
import { useFilled } from '../../ui/form.ts'
import { DraftNotice } from '../../ui/draft-notice.tsx'
import { ReachInputs } from '../../ui/reach-inputs.tsx'
import { ProblemAlert } from '../../ui/states.tsx'
import { useFollowedDraft, useLeftDraft } from './left-draft.ts'
import styles from './links.module.css'

export interface ReachableValues extends Record<string, unknown> {
  name: string
  phone: string
  email: string
}

/** The name, the phone and the e-mail of a contact or a company, in its place. */
export function ReachableForm({
  label,
  member,
  values: given,
  base: begun = given,
  action,
  fieldOf,
  send,
  onDone,
  onCancel,
}: {
  label: string
  /** The name of its draft among those of the record's card. */
  member: string
  values: ReachableValues
  /** What stands there without what was typed; by default the values. */
  base?: ReachableValues
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
  const left = useLeftDraft<ReachableValues>(member)
  const [base] = useState(left?.base ?? begun)
  const first = useRef<HTMLInputElement>(null)
  // A draft that is offered leaves the focus where it is.
  const [isQuiet] = useState(left !== undefined)
  useLayoutEffect(() => {
    if (!isQuiet) first.current?.focus()
  }, [isQuiet])
  const { form, submit, isPending, error } = useFilled<ReachableValues, unknown>({
    values,
    validate: {
      name: (name, { phone, email }) =>
        (name + phone + email).trim() === '' ? words('nameMissing') : undefined,
    },
    fieldOf,
    send,
    onDone: () => {
      end()
      onDone()
    },
  })
  const [typedBefore] = useState(left?.draft)
  useLayoutEffect(() => {
    if (typedBefore) form.setValues(typedBefore)
    // Once, as the form appears.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [])
  const draft = form.getValues()
  const end = useFollowedDraft(member, isSameValue(draft, base) ? undefined : { draft, base })
  const cancel = () => {
    end()
    onCancel()
  }
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
        cancel()
      }}
    >
      <TextInput
        ref={first}
        label={words('name')}
        autoComplete="off"
        {...form.getInputProps('name')}
      />
      <ReachInputs form={form} phone={words('phone')} email={words('email')} />
      {left && <DraftNotice at={left.at} throwAway={cancel} />}
      <ProblemAlert error={error} />
      <Group gap="sm" justify="flex-end">
        <Button variant="default" size="compact-sm" onClick={cancel}>
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
export function reachableValues(text: string): ReachableValues {
  const blank = { name: '', phone: '', email: '' }
  if (text.includes('@')) return { ...blank, email: text }
  return /^[+\d(][\d\s().-]{4,}$/.test(text) ? { ...blank, phone: text } : { ...blank, name: text }
}
