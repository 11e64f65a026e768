import { Button, Group } from '@mantine/core'
import type { FormEventHandler, KeyboardEvent, ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import { ProblemAlert } from './states.tsx'

/**
 * The form of a dialog: its fields, a refusal of the server, Cancel, and the action. Ctrl Enter does
 * the action from every field.
 */
export function DialogForm({
  onSubmit,
  onCancel,
  action,
  isPending,
  error,
  notice,
  hint,
  children,
}: {
  onSubmit: FormEventHandler<HTMLFormElement>
  onCancel: () => void
  /** The word on the button. */
  action: string
  isPending: boolean
  error: unknown
  /** Asks whose values stay. */
  notice?: ReactNode
  /** Beside the buttons. */
  hint?: ReactNode
  children: ReactNode
}) {
  const words = useTranslations('ui')
  return (
    <form onSubmit={onSubmit} onKeyDown={submitByKeys} noValidate>
      {children}
      <ProblemAlert error={error} />
      {notice}
      <Group justify="flex-end" gap="sm" mt="lg">
        {hint}
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

function submitByKeys(event: KeyboardEvent<HTMLFormElement>): void {
  const { key, ctrlKey, metaKey, currentTarget } = event
  if (key !== 'Enter' || !(ctrlKey || metaKey)) return
  event.preventDefault()
  currentTarget.requestSubmit()
}
