import { Select, Stack, Switch, TagsInput, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useTranslations } from 'use-intl'
import type { Channel } from './channels.ts'

export interface ChannelValues extends Record<string, unknown> {
  name: string
  bot_name: string
  hook_v1: string
  hook_v2: string
  client_id: string
  allowed_accounts: string[]
  is_avatar_required: boolean
}

export const newChannel: ChannelValues = {
  name: '',
  bot_name: '',
  hook_v1: '',
  hook_v2: '',
  client_id: '',
  allowed_accounts: [],
  is_avatar_required: true,
}

export const channelValues = (channel: Channel): ChannelValues => ({
  name: channel.name,
  bot_name: channel.bot_name,
  hook_v1: channel.hook_v1 ?? '',
  hook_v2: channel.hook_v2 ?? '',
  client_id: channel.client_id ?? '',
  allowed_accounts: channel.allowed_accounts,
  is_avatar_required: channel.is_avatar_required,
})

/** The values as the server takes them; without a name of its own, a bot has that of the channel. */
export const sentSettings = (values: ChannelValues) => ({
  ...values,
  bot_name: values.bot_name || values.name,
  hook_v1: values.hook_v1 || null,
  hook_v2: values.hook_v2 || null,
  client_id: values.client_id || null,
})

/** The rules that need no server. */
export function useChannelRules() {
  const words = useTranslations('channels')
  const hook = (address: string) =>
    address === '' || URL.canParse(address.replaceAll(':scope_id', 'scope'))
      ? undefined
      : words('hookWrong')
  return {
    name: (name: string) => (/^[A-Za-z][ -~]*$/.test(name) ? undefined : words('nameWrong')),
    hook_v1: hook,
    hook_v2: hook,
  }
}

/** The name of a channel and the address of its callbacks. */
export function ChannelFields({ form }: { form: UseFormReturnType<ChannelValues> }) {
  const words = useTranslations('channels')
  return (
    <Stack gap="lg">
      <TextInput
        label={words('name')}
        description={words('nameAbout')}
        maxLength={100}
        required
        data-autofocus
        {...form.getInputProps('name')}
      />
      <TextInput
        label={words('botName')}
        description={words('botNameAbout')}
        maxLength={255}
        {...form.getInputProps('bot_name')}
      />
      <TextInput
        label={words('hook2')}
        description={words('hookAbout')}
        placeholder="https://bridge.example.com/hook/:scope_id"
        inputMode="url"
        {...form.getInputProps('hook_v2')}
      />
      <TextInput
        label={words('hook1')}
        description={words('hook1About')}
        inputMode="url"
        {...form.getInputProps('hook_v1')}
      />
    </Stack>
  )
}

/** The users who may connect a channel, and who may write over it. */
export function MoreChannelFields({
  form,
  integrations,
}: {
  form: UseFormReturnType<ChannelValues>
  integrations: { value: string; label: string }[]
}) {
  const words = useTranslations('channels')
  return (
    <Stack gap="lg">
      <Select
        label={words('integration')}
        description={words('integrationAbout')}
        placeholder={words('integrationNone')}
        data={integrations}
        clearable
        {...form.getInputProps('client_id')}
        value={form.getValues().client_id || null}
        onChange={(value) => form.setFieldValue('client_id', value ?? '')}
      />
      <TagsInput
        label={words('allowed')}
        description={words('allowedAbout')}
        maxTags={250}
        acceptValueOnBlur
        {...form.getInputProps('allowed_accounts')}
      />
      <Switch
        label={words('avatar')}
        description={words('avatarAbout')}
        {...form.getInputProps('is_avatar_required', { type: 'checkbox' })}
      />
    </Stack>
  )
}
