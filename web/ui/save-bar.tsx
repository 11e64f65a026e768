import { Button, Group, Modal, Text } from '@mantine/core'
import { useBlocker } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import styles from './save-bar.module.css'
import { ProblemText } from './states.tsx'

/**
 * The end of a form: appears once something is changed, and asks before the page is left without
 * saving.
 */
export function SaveBar({
  isDirty,
  isPending,
  error,
  notice,
  onDiscard,
}: {
  isDirty: boolean
  isPending: boolean
  error: unknown
  /** Asks whose values stay. */
  notice?: ReactNode
  onDiscard: () => void
}) {
  const words = useTranslations('ui')
  const blocker = useBlocker({
    // A change of the search alone, such as another tab of the page, keeps the form.
    shouldBlockFn: ({ current, next }) => isDirty && current.pathname !== next.pathname,
    enableBeforeUnload: isDirty,
    withResolver: true,
  })
  return (
    <>
      {notice}
      {isDirty && (
        <div className={styles.bar}>
          <div className={styles.said} role="status">
            {error ? (
              <Text c="danger" role="alert">
                <ProblemText error={error} />
              </Text>
            ) : (
              words('unsaved')
            )}
          </div>
          <Button variant="default" onClick={onDiscard}>
            {words('discard')}
          </Button>
          <Button type="submit" loading={isPending}>
            {words('save')}
          </Button>
        </div>
      )}
      <Modal
        opened={blocker.status === 'blocked'}
        onClose={() => blocker.reset?.()}
        title={words('leave')}
        closeButtonProps={{ 'aria-label': words('close') }}
      >
        <Text>{words('leaveText')}</Text>
        <Group justify="flex-end" gap="sm" mt="lg">
          <Button variant="default" onClick={() => blocker.proceed?.()}>
            {words('discard')}
          </Button>
          <Button data-autofocus onClick={() => blocker.reset?.()}>
            {words('stay')}
          </Button>
        </Group>
      </Modal>
    </>
  )
}
