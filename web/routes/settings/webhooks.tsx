import { Modal, Stack, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { EventMatrix } from '../../features/webhooks/events.tsx'
import { HealthBar, SwitchedOff, WebhookState } from '../../features/webhooks/health.tsx'
import { mostActive, subscribe, webhooksQuery } from '../../features/webhooks/webhooks.ts'
import type { EventName, Webhook } from '../../features/webhooks/webhooks.ts'
import { DialogForm } from '../../ui/dialog-form.tsx'
import { useFilled } from '../../ui/form.ts'
import { ListRow } from '../../ui/list.tsx'
import { ManagedList } from '../../ui/managed-list.tsx'
import { Moment } from '../../ui/moment.tsx'
import { settingsAt } from './pages.ts'
import styles from './webhooks.module.css'

/** The webhooks of the account with their health. */
export function Webhooks() {
  const words = useTranslations('webhooks')
  const query = useQuery(webhooksQuery)
  const [isCreating, setCreating] = useState(false)
  const webhooks = query.data
  const active = webhooks?.filter(({ disabled }) => !disabled).length ?? 0
  return (
    <ManagedList
      title={words('title')}
      about={
        webhooks && webhooks.length > 0
          ? words(active >= mostActive ? 'full' : 'active', { number: active, most: mostActive })
          : words('about')
      }
      isWide
      query={query}
      create={{
        text: words('create'),
        isDisabled: active >= mostActive,
        run: () => setCreating(true),
      }}
      empty={{
        title: words('empty'),
        steps: (['address', 'events', 'log'] as const).map((step) => ({
          title: words(`steps.${step}`),
          text: words(`stepsText.${step}`),
        })),
      }}
      row={(webhook) => <Row key={webhook.id} webhook={webhook} />}
    >
      <Creation opened={isCreating} onClose={() => setCreating(false)} />
    </ManagedList>
  )
}

function Row({ webhook }: { webhook: Webhook }) {
  const words = useTranslations('webhooks')
  const { id, destination, settings, health, disabled } = webhook
  return (
    <ListRow
      to={settingsAt('webhooks', id)}
      name={destination}
      isCode
      about={
        <>
          <span>{words('eventsNumber', { number: settings.length })}</span>
          {health.latest_attempt_at !== null && (
            <span>
              {words.rich('latestAttempt', {
                time: () => <Moment at={health.latest_attempt_at ?? 0} />,
              })}
            </span>
          )}
        </>
      }
      side={
        <>
          {!disabled && <HealthBar webhook={webhook} />}
          <span className={styles.state}>
            <WebhookState webhook={webhook} />
          </span>
        </>
      }
    >
      {disabled && (
        <div className={styles.off}>
          <SwitchedOff webhook={webhook} />
        </div>
      )}
    </ListRow>
  )
}

/** Keeps what was typed while it is closed. */
function Creation({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const words = useTranslations('webhooks')
  const shared = useTranslations('ui')
  const client = useQueryClient()
  const navigate = useNavigate()
  const { form, submit, isPending, error } = useFilled({
    values: { destination: '', settings: ['add_lead', 'update_lead'] as EventName[] },
    validate: {
      destination: (address) => (URL.canParse(address) ? undefined : words('addressWrong')),
      settings: (events) => (events.length === 0 ? words('eventsMissing') : undefined),
    },
    send: ({ destination, settings }) => subscribe(destination, settings),
    onDone: ({ id }) => {
      void client.invalidateQueries({ queryKey: webhooksQuery.queryKey })
      void navigate({ to: settingsAt('webhooks', id), search: { tab: 'test' } as never })
    },
  })
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={words('create')}
      size={820}
      closeOnClickOutside={false}
      closeButtonProps={{ 'aria-label': shared('close') }}
    >
      <DialogForm
        onSubmit={submit}
        onCancel={onClose}
        action={words('create')}
        isPending={isPending}
        error={error}
      >
        <Stack gap="lg">
          <TextInput
            label={words('address')}
            description={words('addressAbout')}
            placeholder="https://app.example.com/hook"
            type="url"
            inputMode="url"
            required
            data-autofocus
            {...form.getInputProps('destination')}
          />
          <EventMatrix {...form.getInputProps('settings')} />
        </Stack>
      </DialogForm>
    </Modal>
  )
}
