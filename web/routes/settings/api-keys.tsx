import { Button, Modal, SegmentedControl, Stack, Text, TextInput } from '@mantine/core'
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { apiKeysQuery, createApiKey, deleteApiKey } from '../../features/api-keys/api-keys.ts'
import type { ApiKey, KeyOwner } from '../../features/api-keys/api-keys.ts'
import { useSession } from '../../features/session/session.ts'
import { CodeBlock } from '../../ui/code.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { DialogForm } from '../../ui/dialog-form.tsx'
import { useFilled } from '../../ui/form.ts'
import { ListRow } from '../../ui/list.tsx'
import { ManagedList } from '../../ui/managed-list.tsx'
import { DateTime, Moment } from '../../ui/moment.tsx'
import { noProof, ProofInputs, proven, useProofRules } from '../../ui/proof.tsx'
import { ShownOnce } from '../../ui/shown-once.tsx'
import { say } from '../../ui/toasts.ts'

/** The keys of programs that speak version 2. Administrators see those of all users. */
export function ApiKeys() {
  const words = useTranslations('apiKeys')
  const { user } = useSession()
  const client = useQueryClient()
  const [owner, setOwner] = useState<KeyOwner>('own')
  const [isCreating, setCreating] = useState(false)
  const [confirming, setConfirming] = useState<ApiKey>()
  const query = useInfiniteQuery(apiKeysQuery(owner))
  const deletion = useMutation({
    mutationFn: ({ id }: ApiKey) => deleteApiKey(owner, id),
    onSuccess: (_, { name }) => {
      setConfirming(undefined)
      say(words('deleted', { name }))
      return client.invalidateQueries({ queryKey: ['api-keys'] })
    },
  })
  return (
    <ManagedList
      title={words('title')}
      about={words('about')}
      isWide
      query={query}
      create={{ text: words('create'), run: () => setCreating(true) }}
      empty={{ title: words('empty'), text: words('emptyText') }}
      above={
        user.is_admin && (
          <SegmentedControl
            mb="md"
            aria-label={words('owner')}
            value={owner}
            onChange={setOwner}
            data={(['own', 'all'] as const).map((value) => ({
              value,
              label: words(`owners.${value}`),
            }))}
          />
        )
      }
      row={(key) => (
        <ListRow
          key={key.id}
          name={key.name}
          about={
            <>
              <span>{key.login}</span>
              <span>
                {words.rich('createdAt', { time: () => <DateTime at={key.created_at} /> })}
              </span>
            </>
          }
          side={
            <Text c="dimmed" size="sm">
              {key.last_used_at === null
                ? words('unused')
                : words.rich('usedAt', {
                    time: () => <Moment at={key.last_used_at ?? 0} />,
                  })}
            </Text>
          }
          actions={
            <Button
              variant="default"
              aria-label={`${words('delete')}: ${key.name}`}
              onClick={() => setConfirming(key)}
            >
              {words('delete')}
            </Button>
          }
        />
      )}
    >
      <Creation opened={isCreating} onClose={() => setCreating(false)} />
      <Confirm
        opened={confirming !== undefined}
        title={words('deleteAsk', { name: confirming?.name ?? '' })}
        text={words('deleteText')}
        action={words('delete')}
        isPending={deletion.isPending}
        error={deletion.error}
        onConfirm={() => confirming && deletion.mutate(confirming)}
        onClose={() => setConfirming(undefined)}
      />
    </ManagedList>
  )
}

const blank = { name: '', ...noProof }

/** Keeps the name that was typed while it is closed. */
function Creation({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const words = useTranslations('apiKeys')
  const shared = useTranslations('ui')
  const client = useQueryClient()
  const [made, setMade] = useState<Awaited<ReturnType<typeof createApiKey>>>()
  const { form, submit, isPending, error, reset } = useFilled({
    values: blank,
    validate: {
      ...useProofRules(),
      name: (name) => (name.trim() === '' ? words('nameMissing') : undefined),
    },
    send: (values) => createApiKey(proven(values)),
    onDone: (answer) => {
      form.setInitialValues(blank)
      reset()
      setMade(answer)
      onClose()
      void client.invalidateQueries({ queryKey: ['api-keys'] })
    },
  })
  const close = () => {
    form.setValues(noProof)
    onClose()
  }
  const call = (key: string) =>
    `curl '${location.origin}/api/v2/account?login=${encodeURIComponent(made?.login ?? '')}&api_key=${key}'`
  return (
    <>
      <Modal
        opened={opened}
        onClose={close}
        title={words('create')}
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
          <Stack gap="md">
            <TextInput
              label={words('name')}
              description={words('nameAbout')}
              leftSection={<KeyRound size={16} aria-hidden />}
              maxLength={255}
              required
              data-autofocus
              {...form.getInputProps('name')}
            />
            <ProofInputs form={form} />
          </Stack>
        </DialogForm>
      </Modal>
      <ShownOnce
        opened={made !== undefined}
        title={words('made', { name: made?.name ?? '' })}
        values={[
          { label: words('login'), value: made?.login ?? '' },
          { label: words('key'), value: made?.api_key ?? '' },
        ]}
        onClose={() => setMade(undefined)}
      >
        <div>
          <Text fw={500} mb={4}>
            {words('try')}
          </Text>
          <CodeBlock
            label={words('try')}
            value={call(made?.api_key ?? '')}
            shown={call('••••••••')}
          />
        </div>
      </ShownOnce>
    </>
  )
}
