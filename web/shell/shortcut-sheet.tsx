import { Group, Kbd, Modal, Stack, Text, Title } from '@mantine/core'
import { useTranslations } from 'use-intl'
import { shownKey } from '../ui/shown-key.ts'
import { useRegistered } from './keyboard.tsx'

/** All keys that work on this page. */
export function ShortcutSheet({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const words = useTranslations('shell')
  const ui = useTranslations('ui')
  const registered = useRegistered()
  const areas = [...new Set(registered.map(({ area }) => area))]
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={words('help')}
      size="lg"
      closeButtonProps={{ 'aria-label': ui('close') }}
    >
      <Stack gap="lg">
        {areas.map((area) => (
          <section key={area} aria-label={area}>
            <Title order={3} mb="xs">
              {area}
            </Title>
            {registered
              .filter((each) => each.area === area)
              .flatMap(({ shortcuts }) => shortcuts)
              .map(({ keys, text }) => (
                <Group key={keys.join(' ')} justify="space-between" py={4} wrap="nowrap">
                  <Text>{text}</Text>
                  <ShortcutKeys keys={keys} />
                </Group>
              ))}
          </section>
        ))}
      </Stack>
    </Modal>
  )
}

/** The keys of a shortcut, one after the other. */
export const ShortcutKeys = ({ keys }: { keys: string[] }) => (
  <Group gap={4} wrap="nowrap">
    {keys.map((key, index) => (
      <Kbd key={`${index} ${key}`} size="xs">
        {shownKey(key)}
      </Kbd>
    ))}
  </Group>
)
