import { Modal, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import { DialogForm } from './dialog-form.tsx'
import { useFilled } from './form.ts'
import { Password } from './password.tsx'

export interface Proof extends Record<string, unknown> {
  password: string
  code?: string
}

/**
 * Asks for the password of the user before something secret. A code of the second factor is asked for
 * once the server says that it wants one.
 */
export function ProofDialog<Answer>({
  opened,
  title,
  text,
  action,
  send,
  onDone,
  onClose,
}: {
  opened: boolean
  title: string
  text: ReactNode
  /** The word on the button. */
  action: string
  send: (proof: Proof) => Promise<Answer>
  onDone: (answer: Answer) => void
  onClose: () => void
}) {
  const words = useTranslations('ui')
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={title}
      closeButtonProps={{ 'aria-label': words('close') }}
    >
      <ProofForm {...{ text, action, send, onDone, onClose }} />
    </Modal>
  )
}

/** It is mounted while the dialog is open: no password stays in the page. */
function ProofForm<Answer>({
  text,
  action,
  send,
  onDone,
  onClose,
}: {
  text: ReactNode
  action: string
  send: (proof: Proof) => Promise<Answer>
  onDone: (answer: Answer) => void
  onClose: () => void
}) {
  const words = useTranslations('ui')
  const [isCodeAsked, setCodeAsked] = useState(false)
  const { form, submit, isPending, error } = useFilled<{ password: string; code: string }, Answer>({
    values: { password: '', code: '' },
    validate: {
      password: (password) => (password === '' ? words('proof.passwordMissing') : undefined),
    },
    send: ({ password, code }) => send(code === '' ? { password } : { password, code }),
    onDone,
  })
  if (form.errors['code'] !== undefined && !isCodeAsked) setCodeAsked(true)
  return (
    <DialogForm
      onSubmit={submit}
      onCancel={onClose}
      action={action}
      isPending={isPending}
      error={error}
    >
      <Stack gap="md">
        <Text>{text}</Text>
        <Password
          label={words('proof.password')}
          autoComplete="current-password"
          data-autofocus
          {...form.getInputProps('password')}
        />
        {isCodeAsked && (
          <TextInput
            label={words('proof.code')}
            description={words('proof.codeAbout')}
            autoComplete="one-time-code"
            maxLength={64}
            autoFocus
            {...form.getInputProps('code')}
          />
        )}
      </Stack>
    </DialogForm>
  )
}
