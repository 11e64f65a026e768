import { Badge, Button, Modal, Stack } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import {
  IntegrationFields,
  newIntegration,
  useIntegrationRules,
} from '../../features/integrations/fields.tsx'
import {
  createIntegration,
  integrationsQuery,
  secretQuery,
} from '../../features/integrations/integrations.ts'
import { putAnswer } from '../../data/answers.ts'
import { DialogForm } from '../../ui/dialog-form.tsx'
import { useFilled } from '../../ui/form.ts'
import { RecordList, RecordRow } from '../../ui/list.tsx'
import { Moment } from '../../ui/moment.tsx'
import { Page } from '../../ui/page.tsx'
import { noProof, ProofInputs, proven, useProofRules } from '../../ui/proof.tsx'
import { Unloaded } from '../../ui/states.tsx'
import { Steps } from '../../ui/steps.tsx'
import { settingsAt } from './pages.ts'

/** The integrations of the account. */
export function Integrations() {
  const words = useTranslations('integrations')
  const query = useQuery(integrationsQuery)
  const [isCreating, setCreating] = useState(false)
  const integrations = query.data
  const create = (
    <Button leftSection={<Plus size={16} />} onClick={() => setCreating(true)}>
      {words('create')}
    </Button>
  )
  return (
    <Page
      title={words('title')}
      about={words('about')}
      actions={integrations && integrations.length > 0 && create}
      isWide
    >
      {!integrations ? (
        <Unloaded query={query} />
      ) : integrations.length === 0 ? (
        <Steps
          title={words('empty')}
          steps={(['create', 'code', 'call'] as const).map((step) => ({
            title: words(`steps.${step}`),
            text: words(`stepsText.${step}`),
          }))}
          action={create}
        />
      ) : (
        <RecordList label={words('title')}>
          {integrations.map((each) => (
            <RecordRow
              key={each.client_id}
              to={settingsAt('integrations', each.client_id)}
              name={each.name}
              about={
                <>
                  <span>{each.scopes.map((scope) => words(`scope.${scope}`)).join(', ')}</span>
                  <span>{words('grantsNumber', { number: each.grants })}</span>
                  <span>
                    {each.last_used_at === null
                      ? words('neverCalled')
                      : words.rich('calledAt', {
                          time: () => <Moment at={each.last_used_at ?? 0} />,
                        })}
                  </span>
                  {!each.is_own && <span>{words('foreign')}</span>}
                </>
              }
              side={
                <Badge color={each.is_enabled ? 'success' : 'gray'}>
                  {words(each.is_enabled ? 'enabled' : 'disabled')}
                </Badge>
              }
            />
          ))}
        </RecordList>
      )}
      <Creation opened={isCreating} onClose={() => setCreating(false)} />
    </Page>
  )
}

const blank = { ...newIntegration, ...noProof }

/** Keeps what was typed while it is closed, but no proof. */
function Creation({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const words = useTranslations('integrations')
  const shared = useTranslations('ui')
  const client = useQueryClient()
  const navigate = useNavigate()
  const { form, submit, isPending, error } = useFilled({
    values: blank,
    validate: { ...useIntegrationRules(), ...useProofRules() },
    send: (values) => createIntegration(proven(values)),
    onDone: ({ client_id, client_secret }) => {
      form.setInitialValues(blank)
      form.setValues(noProof)
      putAnswer(client, secretQuery(client_id).queryKey, client_secret)
      void client.invalidateQueries({ queryKey: integrationsQuery.queryKey })
      void navigate({ to: settingsAt('integrations', client_id) })
    },
  })
  const close = () => {
    form.setValues(noProof)
    onClose()
  }
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={words('create')}
      size="lg"
      closeOnClickOutside={false}
      closeButtonProps={{ 'aria-label': shared('close') }}
    >
      <DialogForm
        onSubmit={submit}
        onCancel={close}
        action={words('create')}
        isPending={isPending}
        error={error}
      >
        <Stack gap="lg">
          <IntegrationFields form={form} />
          <ProofInputs form={form} />
        </Stack>
      </DialogForm>
    </Modal>
  )
}
