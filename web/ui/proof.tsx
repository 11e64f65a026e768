import { Modal, Stack, Text, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
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

/** The empty proof of a form, before its user has typed one and again once the form is sent or closed. */
export const noProof = { password: '', code: '' }

/** The values of a form as the server takes them: without a code where none was typed. */
export function proven<Values extends { code: string }>({
  code,
  ...others
}: Values): Omit<Values, 'code'> & { code?: string } {
  return code === '' ? others : { ...others, code }
}

/** The rules of a proof that need no server. */
export function useProofRules() {
  const words = useTranslations('ui')
  return {
    password: (password: string) => (password === '' ? words('proof.passwordMissing') : undefined),
  }
}

/**
 * The fields of a proof: the password of the user, and a code of the second factor once the server says
 * that it wants one.
 */
export function ProofInputs<Values extends { password: string; code: string }>({
  form,
  isFirst = false,
  hasFactor = false,
}: {
  form: UseFormReturnType<Values>
  /** The dialog begins with them. */
  isFirst?: boolean
  /** The second factor is known to be on: both are asked for at once. */
  hasFactor?: boolean
}) {
  const words = useTranslations('ui')
  return (
    <Stack gap="md">
      <Password
        label={words('proof.password')}
        autoComplete="current-password"
        data-autofocus={isFirst || undefined}
        {...form.getInputProps('password')}
      />
      <CodeInput form={form} hasFactor={hasFactor} />
    </Stack>
  )
}

/** The code of a proof. It comes with the first fault that the server finds at it, and then stays. */
export function CodeInput<Values extends { code: string }>({
  form,
  hasFactor = false,
}: {
  form: UseFormReturnType<Values>
  hasFactor?: boolean
}) {
  const words = useTranslations('ui')
  const [isCodeShown, setCodeShown] = useState(hasFactor)
  if (form.errors['code'] !== undefined && !isCodeShown) setCodeShown(true)
  if (!isCodeShown) return null
  return (
    <TextInput
      label={words('proof.code')}
      description={words('proof.codeAbout')}
      autoComplete="one-time-code"
      maxLength={64}
      autoFocus={!hasFactor}
      {...form.getInputProps('code')}
    />
  )
}

/** Asks who the user is before something that tells a secret or lets somebody in. */
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
  const { form, submit, isPending, error } = useFilled<typeof noProof, Answer>({
    values: noProof,
    validate: useProofRules(),
    send: (values) => send(proven(values)),
    onDone,
  })
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
        <ProofInputs form={form} isFirst />
      </Stack>
    </DialogForm>
  )
}
