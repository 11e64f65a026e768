import { Button, Modal, Text, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { putAnswer } from '../../data/answers.ts'
import { useRightsDraft } from '../../features/roles/draft.ts'
import { StageExceptions } from '../../features/roles/exceptions.tsx'
import { ListsAccess } from '../../features/roles/lists.tsx'
import { RightsMatrix } from '../../features/roles/matrix.tsx'
import { RightsPreview } from '../../features/roles/preview.tsx'
import { changeRole, deleteRole, roleQuery } from '../../features/roles/roles.ts'
import type { Role as Shown } from '../../features/roles/roles.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { DialogForm } from '../../ui/dialog-form.tsx'
import { useFilled } from '../../ui/form.ts'
import { PageFrame, PageSection } from '../../ui/page.tsx'
import { Unloaded } from '../../ui/states.tsx'
import { settingsAt, useRecordId } from './pages.ts'
import styles from './role.module.css'
import { useStages } from './stages.ts'

/** A role: its rights, what they mean, and its users. */
export function RolePage() {
  const words = useTranslations('roles')
  const id = useRecordId()
  const query = useQuery(roleQuery(id))
  if (query.data) return <Loaded key={query.data.id} role={query.data} />
  return (
    <PageFrame title={words('role')} up={{ to: settingsAt('roles'), title: words('title') }}>
      <Unloaded query={query} />
    </PageFrame>
  )
}

function Loaded({ role }: { role: Shown }) {
  const words = useTranslations('roles')
  const shared = useTranslations('ui')
  const client = useQueryClient()
  const navigate = useNavigate()
  const stages = useStages()
  const [open, setOpen] = useState<'rename' | 'delete'>()
  const { queryKey } = roleQuery(String(role.id))
  /** The answer to a change has no users; they stay. */
  const put = (changed: Shown) => {
    putAnswer<Shown>(client, queryKey, (old) => old && { ...old, ...changed })
    void client.invalidateQueries({ queryKey: ['roles'], exact: true })
    void client.invalidateQueries({ queryKey: ['users'] })
  }
  const draft = useRightsDraft(role.rights, async (rights) =>
    put(await changeRole(role.id, { rights })),
  )
  const remove = useMutation({
    mutationFn: () => deleteRole(role.id),
    onSuccess: async () => {
      await navigate({ to: settingsAt('roles') })
      for (const key of ['roles', 'users', 'bootstrap'])
        void client.invalidateQueries({ queryKey: [key] })
    },
  })
  const users = (role._embedded?.users ?? []) as { id: number; name: string }[]
  return (
    <PageFrame
      title={role.name}
      up={{ to: settingsAt('roles'), title: words('title') }}
      actions={
        <>
          <Button variant="default" onClick={() => setOpen('rename')}>
            {words('rename')}
          </Button>
          <Button variant="default" c="danger" onClick={() => setOpen('delete')}>
            {shared('delete')}
          </Button>
        </>
      }
    >
      <PageSection title={words('matrix')} about={words('matrixAbout')}>
        <RightsMatrix draft={draft} />
        <ListsAccess draft={draft} />
      </PageSection>
      <PageSection title={words('exceptions')} about={words('exceptionsAbout')}>
        <StageExceptions draft={draft} stages={stages} />
      </PageSection>
      <PageSection title={words('seeAs')} about={words('seeAsAbout')}>
        <RightsPreview rights={draft.rights} stages={stages} />
      </PageSection>
      <PageSection title={words('users')}>
        {users.length === 0 ? (
          <Text c="dimmed">{words('usersNone')}</Text>
        ) : (
          <ul className={styles.users}>
            {users.map(({ id, name }) => (
              <li key={id}>
                <Link to={settingsAt('users', id)}>{name}</Link>
              </li>
            ))}
          </ul>
        )}
      </PageSection>
      <Modal
        opened={open === 'rename'}
        onClose={() => setOpen(undefined)}
        title={words('rename')}
        closeButtonProps={{ 'aria-label': shared('close') }}
      >
        <Renaming
          role={role}
          onClose={() => setOpen(undefined)}
          onDone={(changed) => {
            put(changed)
            void client.invalidateQueries({ queryKey: ['bootstrap'] })
            setOpen(undefined)
          }}
        />
      </Modal>
      <Confirm
        opened={open === 'delete'}
        title={words('deleteOf', { name: role.name })}
        text={words('deleteText', { number: users.length })}
        action={shared('delete')}
        isPending={remove.isPending}
        error={remove.error}
        onConfirm={() => remove.mutate()}
        onClose={() => {
          setOpen(undefined)
          remove.reset()
        }}
      />
    </PageFrame>
  )
}

function Renaming({
  role,
  onClose,
  onDone,
}: {
  role: Shown
  onClose: () => void
  onDone: (changed: Shown) => void
}) {
  const words = useTranslations('roles')
  const shared = useTranslations('ui')
  const client = useQueryClient()
  const { form, submit, isPending, error, notice } = useFilled({
    values: { name: role.name },
    present: async () => {
      const { name } = await client.fetchQuery({ ...roleQuery(String(role.id)), staleTime: 0 })
      return { name }
    },
    validate: { name: (name) => (name.trim() === '' ? words('nameMissing') : undefined) },
    send: ({ name }) => changeRole(role.id, { name }),
    onDone,
  })
  return (
    <DialogForm
      onSubmit={submit}
      onCancel={onClose}
      action={shared('save')}
      isPending={isPending}
      error={error}
      notice={notice}
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
