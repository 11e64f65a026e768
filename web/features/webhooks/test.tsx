import { Badge, Button, Group, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Send } from 'lucide-react'
import { useTranslations } from 'use-intl'
import { PageSection } from '../../ui/page.tsx'
import { ProblemText } from '../../ui/states.tsx'
import { DeliveryText } from './deliveries.tsx'
import { testWebhook, webhookQuery } from './webhooks.ts'
import type { Webhook } from './webhooks.ts'

/** Sends a test notice and shows what came back. */
export function WebhookTest({ webhook: { id, disabled } }: { webhook: Webhook }) {
  const words = useTranslations('webhooks')
  const client = useQueryClient()
  const test = useMutation({
    mutationFn: () => testWebhook(id),
    onSuccess: () => client.invalidateQueries({ queryKey: webhookQuery(id).queryKey }),
  })
  const isWell = test.data?.state === 'delivered'
  return (
    <PageSection title={words('test')} about={words('testAbout')}>
      <Stack gap="lg">
        <Group gap="sm">
          <Button
            leftSection={<Send size={16} />}
            loading={test.isPending}
            onClick={() => test.mutate()}
          >
            {words('testSend')}
          </Button>
          {disabled && <Text c="dimmed">{words('testDisabled')}</Text>}
          {test.data && (
            <Badge color={isWell ? 'success' : 'danger'} role="status">
              {words(isWell ? 'testArrived' : 'testFailed')}
            </Badge>
          )}
        </Group>
        {test.error && (
          <Text c="danger" role="alert">
            <ProblemText error={test.error} />
          </Text>
        )}
        {test.data && <DeliveryText delivery={test.data} />}
      </Stack>
    </PageSection>
  )
}
