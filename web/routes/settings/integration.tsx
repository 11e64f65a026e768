import { Badge, Button, Checkbox, Group, Switch, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { putAnswer } from '../../data/answers.ts'
import { IntegrationCalls } from '../../features/integrations/calls.tsx'
import {
  IntegrationFields,
  MoreIntegrationFields,
  useIntegrationRules,
} from '../../features/integrations/fields.tsx'
import type { AllIntegrationValues } from '../../features/integrations/fields.tsx'
import { Grants } from '../../features/integrations/grants.tsx'
import {
  changeIntegration,
  deleteIntegration,
  disableIntegration,
  integrationQuery,
  integrationsQuery,
  letManagePeople,
} from '../../features/integrations/integrations.ts'
import type { Integration as Shape } from '../../features/integrations/integrations.ts'
import { IntegrationKeys } from '../../features/integrations/keys.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { useFilled } from '../../ui/form.ts'
import { PageFrame, PageSection } from '../../ui/page.tsx'
import { SaveBar } from '../../ui/save-bar.tsx'
import { ProblemText, Unloaded } from '../../ui/states.tsx'
import { PageTabs } from '../../ui/tabs.tsx'
import { say } from '../../ui/toasts.ts'
import { settingsAt, useRecordId } from './pages.ts'

/** One integration: its keys, its grants and its settings. */
export function IntegrationPage() {
  const words = useTranslations('integrations')
  const id = useRecordId()
  const { tab } = useSearch({ strict: false }) as { tab?: string }
  const query = useQuery(integrationQuery(id))
  const integration = query.data
  if (!integration)
    return (
      <PageFrame
        title={words('one')}
        up={{ to: settingsAt('integrations'), title: words('title') }}
      >
        <Unloaded query={query} />
      </PageFrame>
    )
  return (
    <PageFrame
      title={integration.name}
      about={integration.description}
      up={{ to: settingsAt('integrations'), title: words('title') }}
      actions={
        <Badge color={integration.is_enabled ? 'success' : 'gray'}>
          {words(integration.is_enabled ? 'enabled' : 'disabled')}
        </Badge>
      }
    >
      <PageTabs
        tabs={[
          {
            name: 'keys',
            title: words('keys'),
            content: <IntegrationKeys integration={integration} />,
          },
          {
            name: 'grants',
            title: words('grants'),
            content: <Grants id={id} />,
          },
          {
            name: 'log',
            title: words('log'),
            content: <IntegrationCalls id={id} isSeen={tab === 'log'} />,
          },
          {
            name: 'settings',
            title: words('settings'),
            content: (
              <>
                {integration.is_own && <Edit integration={integration} />}
                {!integration.is_own && <PeopleRight integration={integration} />}
                <Endings integration={integration} />
              </>
            ),
          },
        ]}
      />
    </PageFrame>
  )
}

const valuesOf = (integration: Shape): AllIntegrationValues => ({
  name: integration.name,
  description: integration.description,
  redirect_uri: integration.redirect_uri,
  scopes: integration.scopes,
  origins: integration.origins,
  empty_list: integration.empty_list,
  logo: integration.logo,
  uninstall_hook: integration.uninstall_hook ?? '',
  is_public: integration.is_public,
  forgiving_refresh: integration.forgiving_refresh,
  manages_people: integration.manages_people,
})

function Edit({ integration }: { integration: Shape }) {
  const words = useTranslations('integrations')
  const shared = useTranslations('ui')
  const client = useQueryClient()
  const { client_id } = integration
  const { form, submit, isPending, error, notice, reset } = useFilled<AllIntegrationValues, Shape>({
    values: valuesOf(integration),
    present: async () =>
      valuesOf(await client.fetchQuery({ ...integrationQuery(client_id), staleTime: 0 })),
    validate: useIntegrationRules(),
    send: ({ uninstall_hook, ...values }) =>
      changeIntegration(client_id, { ...values, uninstall_hook: uninstall_hook || null }),
    onDone: (answer) => {
      putAnswer(client, integrationQuery(client_id).queryKey, answer)
      void client.invalidateQueries({ queryKey: integrationsQuery.queryKey, exact: true })
      say(shared('saved'))
    },
  })
  return (
    <form onSubmit={submit} noValidate>
      <PageSection title={words('general')}>
        <IntegrationFields form={form} />
      </PageSection>
      <PageSection title={words('advanced')}>
        <MoreIntegrationFields form={form} />
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

/** An integration of another account: this one decides what it may do here. */
function PeopleRight({ integration }: { integration: Shape }) {
  const words = useTranslations('integrations')
  const client = useQueryClient()
  const { client_id, is_enabled, manages_people, may_manage_people } = integration
  const change = useMutation({
    mutationFn: (mayManage: boolean) => letManagePeople(client_id, mayManage),
    onSuccess: (answer) => putAnswer(client, integrationQuery(client_id).queryKey, answer),
  })
  if (!is_enabled || !(manages_people || may_manage_people)) return undefined
  return (
    <PageSection title={words('rights')}>
      <Switch
        label={words('managesPeople')}
        description={words('managesPeopleAbout')}
        checked={change.isPending ? change.variables : may_manage_people}
        onChange={({ currentTarget }) => change.mutate(currentTarget.checked)}
      />
      {change.error && (
        <Text c="danger" role="alert" mt="sm">
          <ProblemText error={change.error} />
        </Text>
      )}
    </PageSection>
  )
}

function Endings({ integration }: { integration: Shape }) {
  const words = useTranslations('integrations')
  const shared = useTranslations('ui')
  const client = useQueryClient()
  const navigate = useNavigate()
  const { client_id, name, is_enabled, is_own, people } = integration
  const [confirming, setConfirming] = useState<'disable' | 'delete'>()
  const [takesPeople, setTakesPeople] = useState(false)
  const ending = useMutation({
    mutationFn: (what: 'disable' | 'delete') =>
      (what === 'disable' ? disableIntegration : deleteIntegration)(client_id, takesPeople),
    onSuccess: async (_, what) => {
      setConfirming(undefined)
      if (what === 'delete') {
        await navigate({ to: settingsAt('integrations') })
        client.removeQueries({ queryKey: integrationQuery(client_id).queryKey })
        say(words('deleted', { name }))
      }
      await client.invalidateQueries({ queryKey: integrationsQuery.queryKey })
      if (takesPeople) await client.invalidateQueries({ queryKey: ['users'] })
    },
  })
  if (!is_enabled && !is_own) return undefined
  const ask = (what: 'disable' | 'delete') => {
    ending.reset()
    setTakesPeople(false)
    setConfirming(what)
  }
  const offer = people > 0 && (
    <Checkbox
      label={words('takePeople', { number: people })}
      description={words('takePeopleAbout')}
      checked={takesPeople}
      onChange={({ currentTarget }) => setTakesPeople(currentTarget.checked)}
    />
  )
  return (
    <PageSection title={words('endings')} about={words('endingsAbout')}>
      <Group gap="sm">
        {is_enabled && (
          <Button variant="default" onClick={() => ask('disable')}>
            {words('disable')}
          </Button>
        )}
        {is_own && (
          <Button color="danger" variant="light" onClick={() => ask('delete')}>
            {words('delete')}
          </Button>
        )}
      </Group>
      <Confirm
        opened={confirming === 'disable'}
        title={words('disableAsk', { name })}
        text={words('disableText')}
        action={words('disable')}
        isPending={ending.isPending}
        error={ending.error}
        onConfirm={() => ending.mutate('disable')}
        onClose={() => setConfirming(undefined)}
      >
        {offer}
      </Confirm>
      <Confirm
        opened={confirming === 'delete'}
        title={words('deleteAsk', { name })}
        text={words('deleteText')}
        action={shared('delete')}
        isPending={ending.isPending}
        error={ending.error}
        onConfirm={() => ending.mutate('delete')}
        onClose={() => setConfirming(undefined)}
      >
        {offer}
      </Confirm>
    </PageSection>
  )
}
