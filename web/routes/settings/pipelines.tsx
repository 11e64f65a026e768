import { Modal, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { bootstrapQuery, useBootstrap } from '../../crm/bootstrap.ts'
import { createPipeline, mostPipelines } from '../../features/pipelines/pipelines.ts'
import { DialogForm } from '../../ui/dialog-form.tsx'
import { useFilled } from '../../ui/form.ts'
import { ManagedList } from '../../ui/managed-list.tsx'
import { settingsAt } from './pages.ts'
import { PipelineLine, PipelinesToRead } from './reading.tsx'

/** The pipelines of the account, the main one first, archived ones last. */
export function Pipelines() {
  const { me } = useBootstrap()
  return me.is_admin ? <Managed /> : <PipelinesToRead />
}

function Managed() {
  const words = useTranslations('pipelines')
  const query = useQuery(bootstrapQuery)
  const [isCreating, setCreating] = useState(false)
  const all = query.data?.pipelines
  const pipelines = all?.toSorted((a, b) => Number(a.is_archive) - Number(b.is_archive))
  const count = all?.length ?? 0
  return (
    <ManagedList
      title={words('title')}
      about={
        <>
          {words('about')} {all && words('limit', { count, most: mostPipelines })}
        </>
      }
      query={{ ...query, data: pipelines, hasNextPage: undefined }}
      create={{
        text: words('create'),
        isDisabled: count >= mostPipelines,
        run: () => setCreating(true),
      }}
      row={(pipeline) => <PipelineLine key={pipeline.id} pipeline={pipeline} />}
    >
      <Modal
        opened={isCreating}
        onClose={() => setCreating(false)}
        title={words('create')}
        closeButtonProps={{ 'aria-label': words('close') }}
      >
        <NamedPipeline
          name=""
          action={words('create')}
          send={(name) =>
            createPipeline(
              name,
              words('firstStage'),
              all?.find(({ is_main }) => is_main),
            )
          }
          onClose={() => setCreating(false)}
        />
      </Modal>
    </ManagedList>
  )
}

/** Asks for the name of a new pipeline, and opens it. */
export function NamedPipeline({
  name,
  action,
  send,
  onClose,
}: {
  name: string
  action: string
  send: (name: string) => Promise<number>
  onClose: () => void
}) {
  const words = useTranslations('pipelines')
  const client = useQueryClient()
  const navigate = useNavigate()
  const { form, submit, isPending, error } = useFilled({
    values: { name },
    validate: { name: (typed) => (typed.trim() === '' ? words('nameMissing') : undefined) },
    send: async (typed) => {
      const id = await send(typed.name)
      await client.refetchQueries({ queryKey: bootstrapQuery.queryKey })
      return id
    },
    onDone: (id) => {
      onClose()
      void navigate({ to: settingsAt('pipelines', id) })
    },
    fieldOf: () => 'name',
  })
  return (
    <DialogForm
      onSubmit={submit}
      onCancel={onClose}
      action={action}
      isPending={isPending}
      error={error}
    >
      <TextInput
        label={words('name')}
        maxLength={255}
        required
        data-autofocus
        {...form.getInputProps('name')}
      />
    </DialogForm>
  )
}
