// Shared by the forms of the create dialog: sending, the news that it is done, and the frame.
import type { RecordType } from '../../../server/records/description.ts'
import { Group, Kbd, Stack } from '@mantine/core'
import type { FormValidateInput } from '@mantine/form'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import { useBootstrap } from '../../crm/bootstrap.ts'
import { DialogForm } from '../../ui/dialog-form.tsx'
import { useFilled } from '../../ui/form.ts'
import { NumberField, useNumbers } from '../../ui/number-field.tsx'
import type { Numbers } from '../../ui/number-field.tsx'
import type { Filled } from '../../ui/form.ts'
import { say } from '../../ui/toasts.ts'
import { shownKey } from '../../ui/shown-key.ts'
import styles from './create.module.css'
import { UserChoice } from '../../crm/user-choice.tsx'
import type { Subject } from '../../crm/user-choice.tsx'

export interface NewProps {
  /** The text that the first field begins with. */
  text: string
  onDirty: (isDirty: boolean) => void
  onCancel: () => void
  onDone: () => void
}

/** A record that a form created, or that its task is of. */
export interface FormRecord {
  type: RecordType
  id: number
  name: string
}

/**
 * A form of the create dialog. `send` answers the record that the toast leads to, which also opens
 * unless `stays`.
 */
export function useNew<Values extends Record<string, unknown>>(
  { onDirty, onDone }: NewProps,
  {
    stays = false,
    stale,
    ...rest
  }: {
    values: Values
    validate?: FormValidateInput<Values>
    send: (values: Values, key: string) => Promise<FormRecord | undefined>
    fieldOf?: (path: string, sent: Values) => string
    stays?: boolean
    /** The nouns whose queries have other answers afterwards. */
    stale: string[]
  },
): Filled<Values> {
  const words = useTranslations('create')
  const client = useQueryClient()
  const navigate = useNavigate()
  const filled = useFilled<Values, FormRecord | undefined>({
    ...rest,
    onDone: (reached) => {
      for (const noun of stale) void client.invalidateQueries({ queryKey: [noun] })
      onDone()
      if (!reached) return void say(words('done'))
      const to = `/${reached.type}/${reached.id}`
      const link = (children: ReactNode) => (
        // Toasts stand outside of the router.
        <a
          href={to}
          onClick={(event) => {
            event.preventDefault()
            void navigate({ to })
          }}
        >
          {children}
        </a>
      )
      say(words.rich(stays ? 'createdTask' : 'created', { name: reached.name, link }))
      if (!stays) void navigate({ to })
    },
  })
  const isDirty = filled.form.isDirty()
  useEffect(() => onDirty(isDirty), [onDirty, isDirty])
  return filled
}

/** The frame of the form: its fields, Cancel and the action. The first field has the focus. */
export function NewForm({
  filled: { submit, isPending, error },
  onCancel,
  children,
}: {
  filled: Pick<Filled<Record<string, unknown>>, 'submit' | 'isPending' | 'error'>
  onCancel: () => void
  children: ReactNode
}) {
  const words = useTranslations('create')
  return (
    <DialogForm
      onSubmit={submit}
      onCancel={onCancel}
      action={words('create')}
      isPending={isPending}
      error={error}
      hint={
        <Group gap={4} mr="auto" className={styles.hint} aria-hidden>
          <Kbd size="xs">{shownKey('mod')}</Kbd>
          <Kbd size="xs">Enter</Kbd>
        </Group>
      }
    >
      <Stack gap="md">{children}</Stack>
    </DialogForm>
  )
}

/** Two fields beside each other where there is room. */
export const SideBySide = ({ children }: { children: ReactNode }) => (
  <div className={styles.pair}>{children}</div>
)

type Input<Value> = { value?: Value; onChange?: (value: never) => void; error?: ReactNode }

/** The responsible user: an active one. `subject` is the record that a task is about. */
export function Responsible({
  subject,
  ...input
}: Input<string> & { subject?: Subject | undefined }) {
  const words = useTranslations('create')
  const { users } = useBootstrap()
  return (
    <UserChoice
      label={words('responsible')}
      users={users.filter(({ is_active }) => is_active)}
      subject={subject}
      {...(input as object)}
    />
  )
}

/** Amounts in the currency of the account: in whole units. */
function useAmountRules() {
  const { currency } = useBootstrap().account
  return { isWhole: true, min: 0, currency }
}

export const useAmounts = (): Numbers => useNumbers(useAmountRules())

/** An amount in the currency of the account. */
export function Amount({
  label,
  value = '',
  onChange,
  ...input
}: {
  label: string
  value?: string
  onChange?: (typed: string) => void
  error?: ReactNode
}) {
  const { account } = useBootstrap()
  return (
    <NumberField
      label={label}
      rules={useAmountRules()}
      leftSection={
        <span className={styles.currency}>{account.currency_symbol ?? account.currency}</span>
      }
      value={value}
      onChange={(typed) => onChange?.(typed)}
      {...input}
    />
  )
}
