import { Button, Group, Radio, Select, Stack } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { putAnswer } from '../../data/answers.ts'
import { DeliveryLog } from '../../features/webhooks/deliveries.tsx'
import { EventMatrix } from '../../features/webhooks/events.tsx'
import { HealthBar, SwitchedOff, WebhookState } from '../../features/webhooks/health.tsx'
import { SigningSecret } from '../../features/webhooks/signing.tsx'
import { WebhookTest } from '../../features/webhooks/test.tsx'
import {
  changeWebhook,
  subscribe,
  unsubscribe,
  webhookQuery,
  webhooksQuery,
} from '../../features/webhooks/webhooks.ts'
import type { EventName, Webhook as Shape } from '../../features/webhooks/webhooks.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { CopyField } from '../../ui/copy.tsx'
import { useFilled } from '../../ui/form.ts'
import { PageFrame, PageSection } from '../../ui/page.tsx'
import { SaveBar } from '../../ui/save-bar.tsx'
import { Unloaded } from '../../ui/states.tsx'
import { PageTabs } from '../../ui/tabs.tsx'
import { say } from '../../ui/toasts.ts'
import { settingsAt, useRecordId } from './pages.ts'
import styles from './webhooks.module.css'

/** One webhook: its settings, its deliveries and a test. */
export function WebhookPage() {
  const words = useTranslations('webhooks')
  const id = Number(useRecordId())
  const query = useQuery(webhookQuery(id))
  const webhook = query.data
  const up = { to: settingsAt('webhooks'), title: words('title') }
  if (!webhook)
    return (
      <PageFrame title={words('one')} up={up}>
        <Unloaded query={query} />
      </PageFrame>
    )
  return (
    <PageFrame
      title={new URL(webhook.destination).host}
      up={up}
      about={webhook.destination}
      actions={
        <>
          {!webhook.disabled && <HealthBar webhook={webhook} />}
          <WebhookState webhook={webhook} />
        </>
      }
      isWide
    >
      <Stack gap="lg">
        {webhook.disabled && <SwitchedOff webhook={webhook} />}
        <PageTabs
          tabs={[
            {
              name: 'settings',
              title: words('settings'),
              content: (
                <div className={styles.column}>
                  <Edit webhook={webhook} />
                  <SigningSecret webhook={webhook} />
                  <Ending webhook={webhook} />
                </div>
              ),
            },
            { name: 'deliveries', title: words('deliveries'), content: <DeliveryLog id={id} /> },
            { name: 'test', title: words('test'), content: <WebhookTest webhook={webhook} /> },
          ]}
        />
      </Stack>
    </PageFrame>
  )
}

interface Values extends Record<string, unknown> {
  settings: EventName[]
  format: Shape['format']
  deletion_form: Shape['deletion_form']
}

const valuesOf = ({ settings, format, deletion_form }: Shape): Values => ({
  settings: settings.toSorted(),
  format,
  deletion_form,
})

function Edit({ webhook }: { webhook: Shape }) {
  const words = useTranslations('webhooks')
  const shared = useTranslations('ui')
  const client = useQueryClient()
  const { id, destination } = webhook
  const { form, submit, isPending, error, notice, reset } = useFilled<Values, Shape>({
    values: valuesOf(webhook),
    present: async () => valuesOf(await client.fetchQuery({ ...webhookQuery(id), staleTime: 0 })),
    validate: {
      settings: (events) => (events.length === 0 ? words('eventsMissing') : undefined),
    },
    send: async (values, _key, changed) => {
      if (changed.settings) await subscribe(destination, values.settings)
      return changeWebhook(id, { format: values.format, deletion_form: values.deletion_form })
    },
    onDone: (answer) => {
      putAnswer(client, webhookQuery(id).queryKey, answer)
      void client.invalidateQueries({ queryKey: webhooksQuery.queryKey, exact: true })
      say(shared('saved'))
    },
  })
  return (
    <form onSubmit={submit} noValidate>
      <PageSection title={words('subscription')}>
        <Stack gap="lg">
          <CopyField
            label={words('address')}
            description={words('addressFixed')}
            value={destination}
          />
          <EventMatrix {...form.getInputProps('settings')} />
        </Stack>
      </PageSection>
      <PageSection title={words('form')} about={words('formAbout')}>
        <Stack gap="lg">
          <Radio.Group label={words('format')} {...form.getInputProps('format')}>
            <Stack gap="sm" mt="xs">
              <Radio value="form" label={words('formats.form')} />
              <Radio value="json" label={words('formats.json')} />
            </Stack>
          </Radio.Group>
          <Select
            label={words('deletions')}
            maw={420}
            allowDeselect={false}
            data={(['id', 'list'] as const).map((value) => ({
              value,
              label: words(`deletionForms.${value}`),
            }))}
            {...form.getInputProps('deletion_form')}
          />
        </Stack>
      </PageSection>
      <SaveBar
        isDirty={form.isDirty()}
        isPending={isPending}
        error={error}
        notice={notice}
        onDiscard={reset}
      />
    </form>
  )
}

function Ending({ webhook }: { webhook: Shape }) {
  const words = useTranslations('webhooks')
  const shared = useTranslations('ui')
  const client = useQueryClient()
  const navigate = useNavigate()
  const { id, destination, disabled } = webhook
  const [confirming, setConfirming] = useState<'pause' | 'delete'>()
  const close = () => setConfirming(undefined)
  const pausing = useMutation({
    mutationFn: () => changeWebhook(id, { disabled: true }),
    onSuccess: (answer) => {
      close()
      putAnswer(client, webhookQuery(id).queryKey, answer)
      return client.invalidateQueries({ queryKey: webhooksQuery.queryKey })
    },
  })
  const ending = useMutation({
    mutationFn: () => unsubscribe(destination),
    onSuccess: async () => {
      close()
      await navigate({ to: settingsAt('webhooks') })
      client.removeQueries({ queryKey: webhookQuery(id).queryKey })
      say(words('deleted'))
      await client.invalidateQueries({ queryKey: webhooksQuery.queryKey })
    },
  })
  return (
    <PageSection title={words('endings')} about={words('endingsAbout')}>
      <Group gap="sm">
        {!disabled && (
          <Button variant="default" onClick={() => setConfirming('pause')}>
            {words('switchOff')}
          </Button>
        )}
        <Button color="danger" variant="light" onClick={() => setConfirming('delete')}>
          {words('delete')}
        </Button>
      </Group>
      <Confirm
        opened={confirming === 'pause'}
        title={words('switchOffAsk')}
        text={words('switchOffText')}
        action={words('switchOff')}
        isPending={pausing.isPending}
        error={pausing.error}
        onConfirm={() => pausing.mutate()}
        onClose={close}
      />
      <Confirm
        opened={confirming === 'delete'}
        title={words('deleteAsk')}
        text={
          <>
            <b>{destination}</b>
            <br />
            {words('deleteText')}
          </>
        }
        action={shared('delete')}
        isPending={ending.isPending}
        error={ending.error}
        onConfirm={() => ending.mutate()}
        onClose={close}
      />
    </PageSection>
  )
}
