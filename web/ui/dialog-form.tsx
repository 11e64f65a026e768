import { Button, Group } from '@mantine/core'
import type { FormEventHandler, ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import { ProblemAlert } from './states.tsx'

/** The form of a dialog: its fields, a refusal of the server, Cancel, and the action. */
export function DialogForm({
  onSubmit,
  onCancel,
  action,
  isPending,
  error,
  children,
}: {
  onSubmit: FormEventHandler<HTMLFormElement>
  onCancel: () => void
  /** The word on the button. */
  action: string
  isPending: boolean
  error: unknown
  children: ReactNode
}) {
  const words = useTranslations('ui')
  return (
    <form onSubmit={onSubmit} noValidate>
      {children}
      <ProblemAlert error={error} />
      <Group justify="flex-end" gap="sm" mt="lg">
        <Button variant="default" onClick={onCancel}>
          {words('cancel')}
        </Button>
        <Button type="submit" loading={isPending}>
          {action}
        </Button>
      </Group>
    </form>
  )
}
