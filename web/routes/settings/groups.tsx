import { ActionIcon, Modal, TextInput, Tooltip } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { createGroup, deleteGroup, groupsQuery, renameGroup } from '../../features/groups/groups.ts'
import type { Group } from '../../features/groups/groups.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { DialogForm } from '../../ui/dialog-form.tsx'
import { useFilled } from '../../ui/form.ts'
import { ListRow } from '../../ui/list.tsx'
import { ManagedList } from '../../ui/managed-list.tsx'

/** The queries that a change of the groups makes stale: users say their group, and the shell knows all names. */
const stale = ['groups', 'users', 'bootstrap']

/** The groups of the account; the built-in group is the first and stays. */
export function Groups() {
  const words = useTranslations('groups')
  const shared = useTranslations('ui')
  const client = useQueryClient()
  const query = useQuery(groupsQuery)
  const [named, setNamed] = useState<Group | 'new'>()
  const [leaving, setLeaving] = useState<Group>()
  const refresh = () =>
    Promise.all(stale.map((key) => client.invalidateQueries({ queryKey: [key] })))
  const remove = useMutation({
    mutationFn: deleteGroup,
    onSuccess: () => setLeaving(undefined),
    onSettled: refresh,
  })
  return (
    <ManagedList
      title={words('title')}
      about={words('about')}
      query={query}
      create={{ text: words('create'), run: () => setNamed('new') }}
      row={(group) => (
        <ListRow
          key={group.id}
          name={group.name}
          about={
            <>
              <span>{words('number', { number: group.users })}</span>
              {group.id === 0 && <span>{words('builtIn')}</span>}
            </>
          }
          actions={
            <>
              <Tooltip label={words('rename')}>
                <ActionIcon
                  aria-label={words('renameOf', { name: group.name })}
                  onClick={() => setNamed(group)}
                >
                  <Pencil size={16} />
                </ActionIcon>
              </Tooltip>
              {group.id !== 0 && (
                <Tooltip label={shared('delete')}>
                  <ActionIcon
                    aria-label={words('deleteOf', { name: group.name })}
                    onClick={() => {
                      remove.reset()
                      setLeaving(group)
                    }}
                  >
                    <Trash2 size={16} />
                  </ActionIcon>
                </Tooltip>
              )}
            </>
          }
        />
      )}
    >
      <Modal
        opened={named !== undefined}
        onClose={() => setNamed(undefined)}
        title={named === 'new' ? words('create') : words('rename')}
        closeButtonProps={{ 'aria-label': shared('close') }}
      >
        {named && (
          <NameForm
            group={named}
            onClose={() => setNamed(undefined)}
            onDone={() => {
              setNamed(undefined)
              void refresh()
            }}
          />
        )}
      </Modal>
      <Confirm
        opened={leaving !== undefined}
        title={words('deleteOf', { name: leaving?.name ?? '' })}
        text={words('deleteText', {
          number: leaving?.users ?? 0,
          name: query.data?.find(({ id }) => id === 0)?.name ?? '',
        })}
        action={shared('delete')}
        isPending={remove.isPending}
        error={remove.error}
        onConfirm={() => leaving && remove.mutate(leaving.id)}
        onClose={() => setLeaving(undefined)}
      />
    </ManagedList>
  )
}

function NameForm({
  group,
  onClose,
  onDone,
}: {
  group: Group | 'new'
  onClose: () => void
  onDone: () => void
}) {
  const words = useTranslations('groups')
  const shared = useTranslations('ui')
  const client = useQueryClient()
  const { form, submit, isPending, error, notice } = useFilled({
    values: { name: group === 'new' ? '' : group.name },
    present: async () => {
      if (group === 'new') return undefined
      const groups = await client.fetchQuery({ ...groupsQuery, staleTime: 0 })
      const now = groups.find(({ id }) => id === group.id)
      return now && { name: now.name }
    },
    validate: { name: (name) => (name.trim() === '' ? words('nameMissing') : undefined) },
    send: ({ name }) => (group === 'new' ? createGroup(name) : renameGroup(group.id, name)),
    onDone,
  })
  return (
    <DialogForm
      onSubmit={submit}
      onCancel={onClose}
      action={group === 'new' ? words('create') : shared('save')}
      isPending={isPending}
      error={error}
      notice={notice}
    >
      <TextInput
        label={words('name')}
        maxLength={100}
        required
        data-autofocus
        {...form.getInputProps('name')}
      />
    </DialogForm>
  )
}
