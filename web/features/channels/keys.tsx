import { Button, Group, Stack } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { Confirm } from '../../ui/confirm.tsx'
import { CopyField } from '../../ui/copy.tsx'
import { PageSection } from '../../ui/page.tsx'
import { ShownOnce } from '../../ui/shown-once.tsx'
import { renewChannelSecret } from './channels.ts'
import type { Channel } from './channels.ts'

/** The secret with which the program of a channel signs its requests. */
export function ChannelKeys({ channel: { id, code, bot_id } }: { channel: Channel }) {
  const words = useTranslations('channels')
  const [isAsking, setAsking] = useState(false)
  const renewal = useMutation({
    mutationFn: () => renewChannelSecret(id),
    onSuccess: () => setAsking(false),
  })
  return (
    <PageSection
      title={words('keys')}
      about={words('keysAbout')}
      actions={
        <Group>
          <Button variant="default" onClick={() => setAsking(true)}>
            {words('renew')}
          </Button>
        </Group>
      }
    >
      <Stack gap="md">
        <CopyField label={words('id')} value={id} />
        <CopyField label={words('botId')} value={bot_id} />
        <CopyField label={words('code')} value={code} />
      </Stack>
      <Confirm
        opened={isAsking}
        title={words('renewAsk')}
        text={words('renewText')}
        action={words('renew')}
        isPending={renewal.isPending}
        error={renewal.error}
        onConfirm={() => renewal.mutate()}
        onClose={() => setAsking(false)}
      />
      <ShownOnce
        opened={renewal.data !== undefined}
        title={words('secret')}
        values={[{ label: words('secret'), value: renewal.data?.secret ?? '' }]}
        onClose={renewal.reset}
      />
    </PageSection>
  )
}
