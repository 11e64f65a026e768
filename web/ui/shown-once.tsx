import { Alert, Button, Group, Modal, Stack } from '@mantine/core'
import { TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import { CopyField } from './copy.tsx'

/** Shows what the server never shows again. Only its button closes it. */
export function ShownOnce({
  opened,
  title,
  values,
  onClose,
  children,
}: {
  opened: boolean
  title: string
  values: { label: string; value: string }[]
  onClose: () => void
  /** How to use the values. */
  children?: ReactNode
}) {
  const words = useTranslations('ui')
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={title}
      size="lg"
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      <Stack gap="md">
        <Alert color="warning" icon={<TriangleAlert size={16} />}>
          {words('shownOnce')}
        </Alert>
        {values.map(({ label, value }) => (
          <CopyField key={label} label={label} value={value} />
        ))}
        {children}
        <Group justify="flex-end">
          <Button onClick={onClose}>{words('kept')}</Button>
        </Group>
      </Stack>
    </Modal>
  )
}
