import { Button, Group } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import {
  changeChannel,
  channelQuery,
  ownChannelsQuery,
  deleteChannel,
} from '../../features/channels/channels.ts'
import { putAnswer } from '../../data/answers.ts'
import type { Channel as Shape } from '../../features/channels/channels.ts'
import { ChannelConsole } from '../../features/channels/console.tsx'
import { ConnectionList } from '../../features/channels/connections.tsx'
import {
  ChannelFields,
  MoreChannelFields,
  sentSettings,
  useChannelRules,
  channelValues,
} from '../../features/channels/fields.tsx'
import { ChannelKeys } from '../../features/channels/keys.tsx'
import { SignatureCheck } from '../../features/channels/signature.tsx'
import { TryRequest } from '../../features/channels/try.tsx'
import { integrationsQuery } from '../../features/integrations/integrations.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { useFilled } from '../../ui/form.ts'
import { PageFrame, PageSection } from '../../ui/page.tsx'
import { SaveBar } from '../../ui/save-bar.tsx'
import { Unloaded } from '../../ui/states.tsx'
import { PageTabs } from '../../ui/tabs.tsx'
import { say } from '../../ui/toasts.ts'
import { settingsAt, useRecordId } from './pages.ts'

/** One chat channel: its keys, its connections, its settings and a request to try. */
export function ChannelPage() {
  const words = useTranslations('channels')
  const id = useRecordId()
  const { tab } = useSearch({ strict: false }) as { tab?: string }
  const query = useQuery(channelQuery(id))
  const channel = query.data
  const up = { to: settingsAt('channels'), title: words('title') }
  if (!channel)
    return (
      <PageFrame title={words('one')} up={up}>
        <Unloaded query={query} />
      </PageFrame>
    )
  return (
    <PageFrame title={channel.name} up={up}>
      <PageTabs
        tabs={[
          {
            name: 'overview',
            title: words('overview'),
            content: (
              <>
                <ChannelKeys channel={channel} />
                <ConnectionList id={id} />
              </>
            ),
          },
          {
            name: 'settings',
            title: words('settings'),
            content: (
              <>
                <Edit channel={channel} />
                <Ending channel={channel} />
              </>
            ),
          },
          {
            name: 'console',
            title: words('console'),
            content: (
              <>
                <ChannelConsole id={id} isSeen={tab === 'console'} />
                <SignatureCheck channel={channel} />
              </>
            ),
          },
          { name: 'try', title: words('try'), content: <TryRequest channel={channel} /> },
        ]}
      />
    </PageFrame>
  )
}

function Edit({ channel }: { channel: Shape }) {
  const words = useTranslations('channels')
  const shared = useTranslations('ui')
  const client = useQueryClient()
  const { data: integrations = [] } = useQuery(integrationsQuery)
  const { form, submit, isPending, error, notice, reset } = useFilled({
    values: channelValues(channel),
    present: async () =>
      channelValues(await client.fetchQuery({ ...channelQuery(channel.id), staleTime: 0 })),
    validate: useChannelRules(),
    send: (values) => changeChannel(channel.id, sentSettings(values)),
    onDone: (answer) => {
      putAnswer(client, channelQuery(channel.id).queryKey, answer)
      void client.invalidateQueries({ queryKey: ownChannelsQuery.queryKey, exact: true })
      say(shared('saved'))
    },
  })
  return (
    <form onSubmit={submit} noValidate>
      <PageSection title={words('general')}>
        <ChannelFields form={form} />
      </PageSection>
      <PageSection title={words('access')}>
        <MoreChannelFields
          form={form}
          integrations={integrations
            .filter(({ is_own }) => is_own)
            .map(({ client_id, name }) => ({ value: client_id, label: name }))}
        />
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

function Ending({ channel: { id, name } }: { channel: Shape }) {
  const words = useTranslations('channels')
  const shared = useTranslations('ui')
  const client = useQueryClient()
  const navigate = useNavigate()
  const [isAsking, setAsking] = useState(false)
  const ending = useMutation({
    mutationFn: () => deleteChannel(id),
    onSuccess: async () => {
      setAsking(false)
      await navigate({ to: settingsAt('channels') })
      client.removeQueries({ queryKey: channelQuery(id).queryKey })
      say(words('deleted', { name }))
      await client.invalidateQueries({ queryKey: ownChannelsQuery.queryKey })
    },
  })
  return (
    <PageSection title={words('delete')} about={words('deleteText')}>
      <Group>
        <Button color="danger" variant="light" onClick={() => setAsking(true)}>
          {words('delete')}
        </Button>
      </Group>
      <Confirm
        opened={isAsking}
        title={words('deleteAsk', { name })}
        text={words('deleteText')}
        action={shared('delete')}
        isPending={ending.isPending}
        error={ending.error}
        onConfirm={() => ending.mutate()}
        onClose={() => setAsking(false)}
      />
    </PageSection>
  )
}
