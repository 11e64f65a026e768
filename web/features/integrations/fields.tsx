import {
  Button,
  Checkbox,
  FileButton,
  Input,
  Radio,
  Stack,
  Switch,
  TagsInput,
  Textarea,
  TextInput,
} from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { Image as ImageIcon } from 'lucide-react'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import styles from './fields.module.css'
import { scopes } from './integrations.ts'
import type { Integration } from './integrations.ts'

export interface IntegrationValues extends Record<string, unknown> {
  name: string
  description: string
  redirect_uri: string
  scopes: Integration['scopes']
  origins: string[]
  /** The status of an empty list; null: the client's User-Agent decides. */
  empty_list: Integration['empty_list']
  /** A data URL; null: none. */
  logo: string | null
}

export interface AllIntegrationValues extends IntegrationValues {
  uninstall_hook: string
  is_public: boolean
  forgiving_refresh: boolean
  manages_people: boolean
}

export const newIntegration: IntegrationValues = {
  name: '',
  description: '',
  redirect_uri: '',
  scopes: ['crm'],
  origins: [],
  empty_list: null,
  logo: null,
}

/** The rules that need no server. */
export function useIntegrationRules() {
  const words = useTranslations('integrations')
  return {
    name: (name: string) => (name.trim() === '' ? words('nameMissing') : undefined),
    redirect_uri: (uri: string) => (URL.canParse(uri) ? undefined : words('redirectWrong')),
    scopes: (chosen: string[]) => (chosen.length === 0 ? words('scopesMissing') : undefined),
  }
}

/** The name of an integration, its address and its scopes. */
export function IntegrationFields<Values extends IntegrationValues>({
  form,
}: {
  form: UseFormReturnType<Values>
}) {
  const words = useTranslations('integrations')
  return (
    <Stack gap="lg">
      <TextInput
        label={words('name')}
        description={words('nameAbout')}
        maxLength={255}
        required
        data-autofocus
        {...form.getInputProps('name')}
      />
      <TextInput
        label={words('redirect')}
        description={words('redirectAbout')}
        placeholder="https://app.example.com/oauth"
        type="url"
        inputMode="url"
        required
        {...form.getInputProps('redirect_uri')}
      />
      <Textarea
        label={words('description')}
        autosize
        minRows={2}
        maxRows={8}
        {...form.getInputProps('description')}
      />
      <EmptyList {...form.getInputProps('empty_list')} value={form.getValues().empty_list} />
      <Logo {...form.getInputProps('logo')} value={form.getValues().logo} />
      <Checkbox.Group
        label={words('scopes')}
        description={words('scopesAbout')}
        {...form.getInputProps('scopes')}
      >
        <Stack gap="sm" mt="sm">
          {scopes.map((scope) => (
            <Checkbox
              key={scope}
              value={scope}
              label={words(`scope.${scope}`)}
              description={words(`scopeAbout.${scope}`)}
            />
          ))}
        </Stack>
      </Checkbox.Group>
      <TagsInput
        label={words('origins')}
        description={words('originsAbout')}
        placeholder={form.getValues().origins.length === 0 ? 'https://app.example.com' : ''}
        maxTags={10}
        acceptValueOnBlur
        {...form.getInputProps('origins')}
      />
    </Stack>
  )
}

const emptyLists = [null, 204, 200] as const

/** Programs that were ported from the public service may fail on 200 with an empty list. */
function EmptyList({
  value,
  onChange,
  error,
}: {
  value: Integration['empty_list']
  onChange: (status: Integration['empty_list']) => void
  error?: ReactNode
}) {
  const words = useTranslations('integrations')
  return (
    <Radio.Group
      label={words('ported')}
      description={words('portedAbout')}
      value={String(value)}
      onChange={(chosen) => onChange(emptyLists.find((each) => String(each) === chosen) ?? null)}
      error={error}
    >
      <Stack gap="sm" mt="sm">
        {emptyLists.map((each) => (
          <Radio
            key={each}
            value={String(each)}
            label={words(`portedAnswer.${each ?? 'unknown'}`)}
            description={words(`portedAnswerAbout.${each ?? 'unknown'}`)}
          />
        ))}
      </Stack>
    </Radio.Group>
  )
}

/** As much as the server takes. */
const mostLogoBytes = 200_000
const logoTypes = ['image/png', 'image/jpeg', 'image/gif']

/** The picture that users see when they are asked to allow the integration. */
function Logo({
  value,
  onChange,
  error,
}: {
  value: string | null
  onChange: (logo: string | null) => void
  error?: ReactNode
}) {
  const words = useTranslations('integrations')
  const [fault, setFault] = useState<string>()
  const choose = (file: File | null) => {
    setFault(undefined)
    if (!file) return
    if (!logoTypes.includes(file.type)) setFault(words('logoType'))
    else if (file.size > mostLogoBytes) setFault(words('logoSize'))
    else {
      const reader = new FileReader()
      reader.onload = () => onChange(typeof reader.result === 'string' ? reader.result : null)
      reader.readAsDataURL(file)
    }
  }
  return (
    <Input.Wrapper
      label={words('logo')}
      description={words('logoAbout')}
      error={fault ?? error}
      labelElement="div"
    >
      <div className={styles.logo}>
        {value === null ? (
          <span className={styles.none} aria-hidden>
            <ImageIcon size={20} />
          </span>
        ) : (
          <img src={value} alt={words('logo')} className={styles.picture} />
        )}
        <FileButton
          onChange={choose}
          accept={logoTypes.join(',')}
          inputProps={{ 'aria-hidden': true }}
        >
          {(props) => (
            <Button variant="default" {...props}>
              {words(value === null ? 'logoChoose' : 'logoReplace')}
            </Button>
          )}
        </FileButton>
        {value !== null && (
          <Button variant="subtle" color="gray" onClick={() => onChange(null)}>
            {words('logoRemove')}
          </Button>
        )}
      </div>
    </Input.Wrapper>
  )
}

/** The settings that few integrations need. */
export function MoreIntegrationFields({ form }: { form: UseFormReturnType<AllIntegrationValues> }) {
  const words = useTranslations('integrations')
  return (
    <Stack gap="lg">
      <TextInput
        label={words('uninstallHook')}
        description={words('uninstallHookAbout')}
        type="url"
        inputMode="url"
        {...form.getInputProps('uninstall_hook')}
      />
      <Switch
        label={words('managesPeople')}
        description={words('managesPeopleAbout')}
        {...form.getInputProps('manages_people', { type: 'checkbox' })}
      />
      <Switch
        label={words('forgiving')}
        description={words('forgivingAbout')}
        {...form.getInputProps('forgiving_refresh', { type: 'checkbox' })}
      />
      <Switch
        label={words('public')}
        description={words('publicAbout')}
        {...form.getInputProps('is_public', { type: 'checkbox' })}
      />
    </Stack>
  )
}
