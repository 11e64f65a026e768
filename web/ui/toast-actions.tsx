// Short messages with a way on: a button beside the text.
import { Button, Group } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import type { ReactNode } from 'react'
import { warn } from './toasts.ts'

/** Says that something is done, with a button beside it, for some milliseconds. Answers how to close it. */
export function offer(
  message: string,
  action: string,
  run: () => void,
  { shownMs, onClose }: { shownMs: number; onClose: () => void },
): () => void {
  const id: string = notifications.show({
    message: <WithButton message={message} text={action} onClick={run} />,
    color: 'success',
    autoClose: shownMs,
    onClose,
    withCloseButton: false,
  })
  return () => notifications.hide(id)
}

/** Says that something failed, with a way on. */
export function warnWith(
  title: string,
  message: ReactNode,
  { text, run }: { text: string; run: () => void },
): void {
  const id: string = warn(
    title,
    <WithButton
      message={message}
      text={text}
      onClick={() => {
        notifications.hide(id)
        run()
      }}
    />,
  )
}

const WithButton = ({
  message,
  text,
  onClick,
}: {
  message: ReactNode
  text: string
  onClick: () => void
}) => (
  <Group gap="sm" justify="space-between" wrap="nowrap">
    <span>{message}</span>
    <Button variant="light" size="compact-sm" flex="none" onClick={onClick}>
      {text}
    </Button>
  </Group>
)
