import { Button, Group, Select, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { Confirm } from '../../ui/confirm.tsx'
import { DateTime } from '../../ui/moment.tsx'
import { PageSection } from '../../ui/page.tsx'
import { ShownOnce } from '../../ui/shown-once.tsx'
import { endSignatures, renewSigningSecret, webhookQuery } from './webhooks.ts'
import type { Webhook } from './webhooks.ts'

/** For how long former secrets sign beside a new one, in seconds. */
const overlaps = { atOnce: 0, hour: 3600, day: 86_400, week: 604_800 } as const

/** The secret that signs the deliveries. */
export function SigningSecret({ webhook: { id, signature } }: { webhook: Webhook }) {
  const words = useTranslations('webhooks')
  const client = useQueryClient()
  const [confirming, setConfirming] = useState<'renew' | 'end'>()
  const [overlap, setOverlap] = useState<keyof typeof overlaps>('day')
  const refresh = () => {
    setConfirming(undefined)
    return client.invalidateQueries({ queryKey: webhookQuery(id).queryKey, exact: true })
  }
  const renewal = useMutation({
    mutationFn: () => renewSigningSecret(id, overlaps[overlap]),
    onSuccess: refresh,
  })
  const ending = useMutation({ mutationFn: () => endSignatures(id), onSuccess: refresh })
  return (
    <PageSection title={words('signing')} about={words('signingAbout')}>
      {signature && (
        <Text mb="sm">
          {words.rich('signedSince', { time: () => <DateTime at={signature.created_at} /> })}{' '}
          {signature.overlap_until !== null &&
            words.rich('overlapUntil', {
              time: () => <DateTime at={signature.overlap_until ?? 0} />,
            })}
        </Text>
      )}
      <Group gap="sm">
        <Button
          variant="default"
          loading={renewal.isPending && !signature}
          onClick={() => (signature ? setConfirming('renew') : renewal.mutate())}
        >
          {words(signature ? 'renewSecret' : 'sign')}
        </Button>
        {signature && (
          <Button variant="default" onClick={() => setConfirming('end')}>
            {words('signNoMore')}
          </Button>
        )}
      </Group>
      <Confirm
        opened={confirming === 'renew'}
        title={words('renewSecret')}
        text={words('renewText')}
        action={words('renewSecret')}
        isPending={renewal.isPending}
        error={renewal.error}
        onConfirm={() => renewal.mutate()}
        onClose={() => setConfirming(undefined)}
      >
        <Select
          label={words('overlap')}
          data={(Object.keys(overlaps) as (keyof typeof overlaps)[]).map((value) => ({
            value,
            label: words(`overlaps.${value}`),
          }))}
          value={overlap}
          allowDeselect={false}
          data-autofocus
          onChange={(value) => value && setOverlap(value)}
        />
      </Confirm>
      <Confirm
        opened={confirming === 'end'}
        title={words('signNoMore')}
        text={words('signNoMoreText')}
        action={words('signNoMore')}
        isPending={ending.isPending}
        error={ending.error}
        onConfirm={() => ending.mutate()}
        onClose={() => setConfirming(undefined)}
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
