import { Modal, SegmentedControl, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { Confirm } from '../../ui/confirm.tsx'
import { DialogForm } from '../../ui/dialog-form.tsx'
import { useFilled } from '../../ui/form.ts'
import { addView, canonical, changeView, deleteView } from './views.ts'
import type { View, ViewedScreen } from './views.ts'

/** Asks for the name and for whom the view is. */
export function ViewName({
  view,
  screen,
  pipelineId,
  search,
  filterWords,
  onClose,
  onDone,
}: {
  /** undefined: a new one, of the present filter. */
  view: View | undefined
  screen: ViewedScreen
  pipelineId: number | null
  search: string
  filterWords: string
  onClose: () => void
  onDone: (view: View) => void
}) {
  const words = useTranslations('views')
  const shared = useTranslations('ui')
  const isBoard = screen === 'board'
  const { form, submit, isPending, error } = useFilled({
    values: { name: view?.name ?? '', is_shared: view?.is_shared ?? false },
    validate: { name: (name) => (name.trim() === '' ? words('nameMissing') : undefined) },
    send: ({ name, is_shared }) =>
      view
        ? changeView(view.id, { name: name.trim(), is_shared })
        : addView({
            name: name.trim(),
            is_shared,
            screen,
            pipeline_id: pipelineId,
            search: canonical(search).slice(1),
          }),
    onDone,
  })
  return (
    <Modal
      opened
      onClose={onClose}
      title={words(view ? 'rename' : 'save')}
      closeButtonProps={{ 'aria-label': shared('close') }}
    >
      <DialogForm
        onSubmit={submit}
        onCancel={onClose}
        action={shared('save')}
        isPending={isPending}
        error={error}
      >
        <Stack gap="md">
          {!view && (
            <Text c="dimmed">
              {filterWords === ''
                ? words(isBoard ? 'holdsAll' : 'holdsColumns')
                : words(isBoard ? 'holds' : 'holdsColumnsAnd', { filter: filterWords })}
            </Text>
          )}
          <TextInput
            label={words('name')}
            maxLength={60}
            required
            data-autofocus
            {...form.getInputProps('name')}
          />
          <SegmentedControl
            fullWidth
            aria-label={words('for')}
            data={[
              { value: 'private', label: words('forMe') },
              { value: 'shared', label: words('forAll') },
            ]}
            value={form.values.is_shared ? 'shared' : 'private'}
            onChange={(value) => form.setFieldValue('is_shared', value === 'shared')}
          />
        </Stack>
      </DialogForm>
    </Modal>
  )
}

/** Asks before a view is deleted. */
export function ViewDeletion({
  view,
  onClose,
  onDone,
}: {
  view: View
  onClose: () => void
  onDone: () => void
}) {
  const words = useTranslations('views')
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => deleteView(view.id),
    onSuccess: onDone,
  })
  return (
    <Confirm
      opened
      title={words('deleteTitle', { name: view.name })}
      text={words(view.is_shared ? 'deleteShared' : 'deleteText')}
      action={words('delete')}
      isPending={isPending}
      error={error}
      onConfirm={() => mutate()}
      onClose={onClose}
    />
  )
}
