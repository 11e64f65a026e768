import { Button, Group, Modal, Stack, Switch, Text, Textarea } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { CopyField } from '../../ui/copy.tsx'
import { DialogForm } from '../../ui/dialog-form.tsx'
import { useFilled } from '../../ui/form.ts'
import { DateTime } from '../../ui/moment.tsx'
import { noProof, ProofInputs, proven, useProofRules } from '../../ui/proof.tsx'
import { invite } from './invitations.ts'
import type { Shown } from './invitations.ts'
import { Select } from '../../ui/select.tsx'

export interface SelectOption {
  value: string
  label: string
}

/** The addresses in a text, which commas, semicolons, spaces and lines part. */
const emailsIn = (text: string): string[] => text.split(/[\s,;]+/).filter(Boolean)

const blank = { emails: '', role_id: null as string | null, is_admin: false, ...noProof }

/** Asks whom to invite; then shows the links, which the server never shows again. */
export function Invite({
  opened,
  roles,
  groups,
  onClose,
}: {
  opened: boolean
  roles: SelectOption[]
  groups: SelectOption[]
  onClose: () => void
}) {
  const words = useTranslations('users')
  const shared = useTranslations('ui')
  const client = useQueryClient()
  const [made, setMade] = useState<Shown[]>()
  const { form, submit, isPending, error, reset } = useFilled({
    values: { ...blank, group_id: groups[0]?.value ?? '0' },
    validate: {
      ...useProofRules(),
      emails: (text) => {
        const emails = emailsIn(text)
        const wrong = emails.find((email) => !/^\S+@\S+$/.test(email))
        if (wrong !== undefined && emails.length > 1) return words('emailWrongOf', { email: wrong })
        return wrong === undefined && emails.length > 0 ? undefined : words('emailWrong')
      },
    },
    send: ({ emails, role_id, group_id, is_admin, password, code }) =>
      invite({
        ...proven({ password, code }),
        emails: emailsIn(emails),
        role_id: is_admin || role_id === null ? null : Number(role_id),
        group_id: Number(group_id),
        is_admin,
      }),
    onDone: (shown) => {
      form.setInitialValues({ ...blank, group_id: '0' })
      reset()
      setMade(shown)
      void client.invalidateQueries({ queryKey: ['invitations'] })
    },
  })
  const close = () => {
    onClose()
    setMade(undefined)
    form.setValues(noProof)
  }
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={
        made
          ? made.length === 1
            ? words('invited', { email: made[0]!.email })
            : words('invitedMany', { number: made.length })
          : words('invite')
      }
      closeOnClickOutside={false}
      closeButtonProps={{ 'aria-label': shared('close') }}
    >
      {made ? (
        <Links made={made} onClose={close} />
      ) : (
        <DialogForm
          onSubmit={submit}
          onCancel={close}
          action={words('makeLink', { number: emailsIn(form.values.emails).length })}
          isPending={isPending}
          error={error}
        >
          <Stack gap="md">
            <Textarea
              label={words('emails')}
              description={words('emailsAbout')}
              rows={2}
              autoComplete="off"
              spellCheck={false}
              required
              data-autofocus
              {...form.getInputProps('emails')}
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
            <ProofInputs form={form} />
          </Stack>
        </DialogForm>
      )}
    </Modal>
  )
}

/** The links of invitations, to be copied now. */
export function Links({ made, onClose }: { made: Shown[]; onClose: () => void }) {
  const words = useTranslations('users')
  const [first] = made
  return (
    <Stack gap="md">
      <Text>{words(made.length === 1 ? 'linkAbout' : 'linksAbout')}</Text>
      {made.map(({ id, email, url }) => (
        <CopyField key={id} label={made.length === 1 ? words('link') : email} value={url} />
      ))}
      <Text c="dimmed" size="xs">
        {words.rich('linkUntil', { time: () => <DateTime at={first!.expires_at} /> })}
      </Text>
      <Group justify="flex-end">
        <Button onClick={onClose} data-autofocus>
          {words('done')}
        </Button>
      </Group>
    </Stack>
  )
}
