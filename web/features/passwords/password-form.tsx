import { Button, Group, Stack } from '@mantine/core'
import { useTranslations } from 'use-intl'
import type { PasswordChange } from '../../../server/features/people/passwords/schema.ts'
import { ask } from '../../data/api.ts'
import { useFilled } from '../../ui/form.ts'
import { Password } from '../../ui/password.tsx'
import { CodeInput, proven } from '../../ui/proof.tsx'
import { ProblemAlert } from '../../ui/states.tsx'

const blank = { current_password: '', code: '', new_password: '' }
const shortest = 8

/** A new password for the user with this e-mail; `onDone` runs once the server has it. */
export function PasswordForm({ email, onDone }: { email: string; onDone: () => void }) {
  const words = useTranslations('security')
  const { form, submit, isPending, error } = useFilled({
    values: { ...blank },
    validate: {
      current_password: (text) => (text === '' ? words('missing') : undefined),
      new_password: (text) => (text.length < shortest ? words('passwordAbout') : undefined),
    },
    send: (values) => {
      const body: PasswordChange = proven(values)
      return ask<undefined>('/web/v1/password', { method: 'POST', body })
    },
    onDone: () => {
      form.setInitialValues({ ...blank })
      form.reset()
      onDone()
    },
  })
  return (
    <form onSubmit={submit} noValidate>
      {/* Password managers look for the name that the password belongs to. */}
      <input type="text" autoComplete="username" value={email} readOnly hidden />
      <Stack gap="lg" maw={420}>
        <Password
          label={words('presentPassword')}
          autoComplete="current-password"
          {...form.getInputProps('current_password')}
        />
        <Password
          label={words('newPassword')}
          description={words('passwordAbout')}
          autoComplete="new-password"
          {...form.getInputProps('new_password')}
        />
        <CodeInput form={form} />
        <ProblemAlert error={error} />
        <Group>
          <Button type="submit" loading={isPending}>
            {words('changePassword')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
