import { Button, Group, Modal, Select, Stack, Switch, Text, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { CopyField } from '../../ui/copy.tsx'
import { DialogForm } from '../../ui/dialog-form.tsx'
import { useFilled } from '../../ui/form.ts'
import { DateTime } from '../../ui/moment.tsx'
import { invite } from './invitations.ts'

export interface Choice {
  value: string
  label: string
}

/** Asks whom to invite; then shows the link, which the server never shows again. */
export function Invite({
  opened,
  roles,
  groups,
  onClose,
}: {
  opened: boolean
  roles: Choice[]
  groups: Choice[]
  onClose: () => void
}) {
  const words = useTranslations('users')
  const shared = useTranslations('ui')
  const client = useQueryClient()
  const [link, setLink] = useState<{ url: string; expires_at: number; email: string }>()
  const { form, submit, isPending, error, reset } = useFilled({
    values: {
      email: '',
      role_id: null as string | null,
      group_id: groups[0]?.value ?? '0',
      is_admin: false,
    },
    validate: {
      email: (email) => (/^\S+@\S+$/.test(email.trim()) ? undefined : words('emailWrong')),
    },
    send: async ({ email, role_id, group_id, is_admin }) => {
      const made = await invite({
        email: email.trim(),
        role_id: is_admin || role_id === null ? null : Number(role_id),
        group_id: Number(group_id),
        is_admin,
      })
      return { ...made, email }
    },
    onDone: (made) => {
      setLink(made)
      void client.invalidateQueries({ queryKey: ['invitations'] })
    },
  })
  const close = () => {
    onClose()
    setLink(undefined)
    if (link) {
      form.setInitialValues({ email: '', role_id: null, group_id: '0', is_admin: false })
      reset()
    }
  }
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={link ? words('invited', { email: link.email }) : words('invite')}
      closeOnClickOutside={false}
      closeButtonProps={{ 'aria-label': shared('close') }}
    >
      {link ? (
        <Stack gap="md">
          <Text>{words('linkAbout')}</Text>
          <CopyField label={words('link')} value={link.url} />
          <Text c="dimmed" size="xs">
            {words.rich('linkUntil', { time: () => <DateTime at={link.expires_at} /> })}
          </Text>
          <Group justify="flex-end">
            <Button onClick={close} data-autofocus>
              {words('done')}
            </Button>
          </Group>
        </Stack>
      ) : (
        <DialogForm
          onSubmit={submit}
          onCancel={close}
          action={words('makeLink')}
          isPending={isPending}
          error={error}
        >
          <Stack gap="md">
            <TextInput
              label={words('email')}
              type="email"
              autoComplete="off"
              required
              data-autofocus
              {...form.getInputProps('email')}
            />
            <Switch
              label={words('admin')}
              description={words('adminAbout')}
              {...form.getInputProps('is_admin', { type: 'checkbox' })}
            />
            {!form.values.is_admin && (
              <Select
                label={words('role')}
                description={words('roleAbout')}
                placeholder={words('noRole')}
                data={roles}
                clearable
                clearButtonProps={{ 'aria-label': words('noRole') }}
                {...form.getInputProps('role_id')}
              />
            )}
            <Select
              label={words('group')}
              data={groups}
              allowDeselect={false}
              {...form.getInputProps('group_id')}
            />
          </Stack>
        </DialogForm>
      )}
    </Modal>
  )
}
