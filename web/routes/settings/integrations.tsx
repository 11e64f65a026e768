import { Badge, Modal, Stack } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
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
import { ListRow } from '../../ui/list.tsx'
import { ManagedList } from '../../ui/managed-list.tsx'
import { Moment } from '../../ui/moment.tsx'
import { noProof, ProofInputs, proven, useProofRules } from '../../ui/proof.tsx'
import { settingsAt } from './pages.ts'

/** The integrations of the account. */
export function Integrations() {
  const words = useTranslations('integrations')
  const query = useQuery(integrationsQuery)
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
        steps: (['create', 'code', 'call'] as const).map((step) => ({
          title: words(`steps.${step}`),
          text: words(`stepsText.${step}`),
        })),
      }}
      row={(each) => (
        <ListRow
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
      )}
    >
      <Creation opened={isCreating} onClose={() => setCreating(false)} />
    </ManagedList>
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
