import { Button, Group, Modal, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useTranslations } from 'use-intl'
import { ask, onSessionEnd } from '../data/api.ts'

/**
 * Asks to sign in again in another window, over the page as it is: what was typed stays. The dialog
 * closes by itself once the session is back.
 */
export function SessionEnded() {
  const words = useTranslations('shell')
  const client = useQueryClient()
  const [isEnded, setEnded] = useState(false)
  useEffect(() => onSessionEnd(() => setEnded(true)), [])
  const look = () =>
    void ask('/web/v1/session').then(
      () => {
        setEnded(false)
        void client.invalidateQueries()
      },
      () => undefined,
    )
  useEffect(() => {
    if (!isEnded) return undefined
    addEventListener('focus', look)
    return () => removeEventListener('focus', look)
  })
  return (
    <Modal
      opened={isEnded}
      onClose={look}
      title={words('sessionEnded')}
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      <Text>{words('sessionEndedText')}</Text>
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={look}>
          {words('continue')}
        </Button>
        <Button component="a" href="/login" target="_blank" rel="opener" data-autofocus>
          {words('signInAgain')}
        </Button>
      </Group>
    </Modal>
  )
}
