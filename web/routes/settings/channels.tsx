import { Badge, Modal } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import {
  accountConnectionsQuery,
  ownChannelsQuery,
  createChannel,
} from '../../features/channels/channels.ts'
import type { ShownChannel } from '../../features/channels/channels.ts'
import {
  ChannelFields,
  newChannel,
  sentSettings,
  useChannelRules,
} from '../../features/channels/fields.tsx'
import { DialogForm } from '../../ui/dialog-form.tsx'
import { useFilled } from '../../ui/form.ts'
import { ListRow } from '../../ui/list.tsx'
import { ManagedList } from '../../ui/managed-list.tsx'
import { DateTime } from '../../ui/moment.tsx'
import { ShownOnce } from '../../ui/shown-once.tsx'
import { settingsAt } from './pages.ts'

/** The channels that the account owns. */
export function Channels() {
  const words = useTranslations('channels')
  const query = useQuery(ownChannelsQuery)
  const { data: connections = [] } = useQuery(accountConnectionsQuery)
  const [isCreating, setCreating] = useState(false)
  return (
    <ManagedList
      title={words('title')}
      about={words('about')}
      isWide
      query={query}
      create={{ text: words('create'), run: () => setCreating(true) }}
      empty={{
        title: words('empty'),
        steps: (['register', 'connect', 'talk'] as const).map((step) => ({
          title: words(`steps.${step}`),
          text: words(`stepsText.${step}`),
        })),
      }}
      row={(each) => {
        const own = connections.filter(({ channel_id }) => channel_id === each.id)
        const isConnected = own.some(({ is_connected }) => is_connected)
        const hasError = own.some(({ last_error }) => last_error !== null)
        return (
          <ListRow
            key={each.id}
            to={settingsAt('channels', each.id)}
            name={each.name}
            about={
              <>
                <span>{each.hook_v2 ?? each.hook_v1 ?? words('noHook')}</span>
                <span>
                  {words.rich('createdAt', { time: () => <DateTime at={each.created_at} /> })}
                </span>
              </>
            }
            side={
              <>
                {hasError && <Badge color="danger">{words('hasError')}</Badge>}
                <Badge color={isConnected ? 'success' : 'gray'}>
                  {words(isConnected ? 'connected' : 'unconnected')}
                </Badge>
              </>
            }
          />
        )
      }}
    >
      <Creation opened={isCreating} onClose={() => setCreating(false)} />
    </ManagedList>
  )
}

/** Keeps what was typed while it is closed. */
function Creation({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const words = useTranslations('channels')
  const shared = useTranslations('ui')
  const client = useQueryClient()
  const navigate = useNavigate()
  const [made, setMade] = useState<ShownChannel>()
  const { form, submit, isPending, error } = useFilled({
    values: newChannel,
    validate: useChannelRules(),
    send: (values) => createChannel(sentSettings(values)),
    onDone: (answer) => {
      setMade(answer)
      onClose()
      void client.invalidateQueries({ queryKey: ownChannelsQuery.queryKey })
    },
  })
  return (
    <>
      <Modal
        opened={opened}
        onClose={onClose}
        title={words('create')}
        size="lg"
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
          <ChannelFields form={form} />
        </DialogForm>
      </Modal>
      <ShownOnce
        opened={made !== undefined}
        title={words('made', { name: made?.name ?? '' })}
        values={[
          { label: words('id'), value: made?.id ?? '' },
          { label: words('secret'), value: made?.secret ?? '' },
        ]}
        onClose={() => void navigate({ to: settingsAt('channels', made?.id) })}
      />
    </>
  )
}
