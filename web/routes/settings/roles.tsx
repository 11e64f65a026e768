import { Modal, Stack, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { createRole, rolesQuery } from '../../features/roles/roles.ts'
import type { Role } from '../../features/roles/roles.ts'
import { DialogForm } from '../../ui/dialog-form.tsx'
import { useFilled } from '../../ui/form.ts'
import { ListRow } from '../../ui/list.tsx'
import { ManagedList } from '../../ui/managed-list.tsx'
import { settingsAt } from './pages.ts'
import { Select } from '../../ui/select.tsx'

/** The roles of the account with the number of their users. */
export function Roles() {
  const words = useTranslations('roles')
  const query = useQuery(rolesQuery)
  const [isCreating, setCreating] = useState(false)
  return (
    <ManagedList
      title={words('title')}
      about={words('about')}
      query={query}
      create={{ text: words('create'), run: () => setCreating(true) }}
      empty={{ title: words('none'), text: words('noneText') }}
      row={(role) => (
        <ListRow
          key={role.id}
          to={settingsAt('roles', role.id)}
          name={role.name}
          about={words('number', { number: role._embedded?.users.length ?? 0 })}
        />
      )}
    >
      <Creation opened={isCreating} roles={query.data ?? []} onClose={() => setCreating(false)} />
    </ManagedList>
  )
}

function Creation({
  opened,
  roles,
  onClose,
}: {
  opened: boolean
  roles: Role[]
  onClose: () => void
}) {
  const words = useTranslations('roles')
  const shared = useTranslations('ui')
  const client = useQueryClient()
  const navigate = useNavigate()
  const { form, submit, isPending, error } = useFilled({
    values: { name: '', like: null as string | null },
    validate: { name: (name) => (name.trim() === '' ? words('nameMissing') : undefined) },
    send: ({ name, like }) =>
      createRole({ name, rights: roles.find(({ id }) => String(id) === like)?.rights ?? {} }),
    onDone: ({ id }) => {
      for (const key of ['roles', 'bootstrap']) void client.invalidateQueries({ queryKey: [key] })
      void navigate({ to: settingsAt('roles', id) })
    },
  })
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={words('create')}
      closeButtonProps={{ 'aria-label': shared('close') }}
    >
      <DialogForm
        onSubmit={submit}
        onCancel={onClose}
        action={words('create')}
        isPending={isPending}
        error={error}
      >
        <Stack gap="md">
          <TextInput
            label={words('name')}
            maxLength={255}
            required
            data-autofocus
            {...form.getInputProps('name')}
          />
          {roles.length > 0 && (
            <Select
              label={words('like')}
              placeholder={words('likeNone')}
              data={roles.map(({ id, name }) => ({ value: String(id), label: name }))}
              clearable
              clearButtonProps={{ 'aria-label': words('likeNone') }}
              {...form.getInputProps('like')}
            />
          )}
        </Stack>
      </DialogForm>
    </Modal>
  )
}
