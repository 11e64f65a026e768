// Short messages at the edge of the screen. Failures stay until they are closed.
import { notifications } from '@mantine/notifications'
import type { ReactNode } from 'react'

/** Says that something is done. */
export const say = (message: ReactNode): string =>
  notifications.show({ message, color: 'success', autoClose: 4000, withCloseButton: false })

/** Says that something failed. */
export const warn = (title: string, message?: ReactNode): string =>
  notifications.show({
    title,
    message,
    color: 'danger',
    autoClose: false,
    role: 'alert',
    closeButtonProps: { 'aria-label': title },
  })
