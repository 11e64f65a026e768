import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import { ProblemText } from './states.tsx'

/** Asks before something that takes much away, or brings much back. Cancel has the focus. */
export function Confirm({
  opened,
  title,
  text,
  action,
  isSafe = false,
  isPending,
  error,
  onConfirm,
  onClose,
  children,
}: {
  opened: boolean
  title: string
  text: ReactNode
  /** The word on the button. */
  action: string
  /** Nothing is taken away. */
  isSafe?: boolean
  isPending?: boolean
  error?: unknown
  onConfirm: () => void
  onClose: () => void
  /** Fields, for example for the password. */
  children?: ReactNode
}) {
  const words = useTranslations('ui')
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={title}
      closeButtonProps={{ 'aria-label': words('close') }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          onConfirm()
        }}
      >
        <Stack gap="md">
          <Text>{text}</Text>
          {children}
          {error !== undefined && error !== null && (
            <Text c="danger" role="alert">
              <ProblemText error={error} />
            </Text>
          )}
          <Group justify="flex-end" gap="sm">
            <Button
              variant="default"
              onClick={onClose}
              data-autofocus={children ? undefined : true}
            >
              {words('cancel')}
            </Button>
            <Button
              type="submit"
              loading={isPending ?? false}
              {...(!isSafe && { color: 'danger' })}
            >
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
