// One field: name and code are saved together, everything else as soon as it is changed.
import { Button, Code, Group, Modal, Select, Stack, Switch, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useRef } from 'react'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import { useFilled } from '../../ui/form.ts'
import { Setting } from '../../ui/setting.tsx'
import { ProblemAlert } from '../../ui/states.tsx'
import { say } from '../../ui/toasts.ts'
import { useCurrencies } from './currencies.ts'
import styles from './edit.module.css'
import type { FieldEntity, FieldMembers, FieldWrites, ManagedField } from './fields.ts'
import { OptionsEditor } from './options.tsx'
import { FieldStages } from './stages.tsx'
import { namedType, typeIcons } from './type-icons.ts'
import { useUsageText } from './usage.ts'
import type { UsageOfField } from './usage.ts'

interface Props {
  entity: FieldEntity
  field: ManagedField
  usage: UsageOfField | undefined
  writes: FieldWrites
  /** The field after the latest change, which keys may be ahead of drawing. */
  now: () => ManagedField
  /** Shows an answer of the server, or what it will be. */
  onChanged: (field: ManagedField) => void
  /** Asks for all anew. */
  onSaved: () => void
  onRemove: () => void
  onClose: () => void
  /** A question stands over the dialog: Escape answers that. */
  isAsking: boolean
  announce: (text: string) => void
}

const asked: FieldEntity[] = ['leads', 'contacts', 'companies']

export function FieldSettings(props: Props) {
  const shared = useTranslations('ui')
  return (
    <Modal
      opened
      size={640}
      onClose={props.onClose}
      closeOnEscape={!props.isAsking}
      title={props.field.name}
      closeButtonProps={{ 'aria-label': shared('close') }}
    >
      <Editor key={props.field.id} {...props} />
    </Modal>
  )
}

function Editor({
  entity,
  field,
  usage,
  writes,
  now,
  onChanged,
  onSaved,
  onRemove,
  announce,
}: Props) {
  const words = useTranslations('fields')
  const shared = useTranslations('ui')
  const usageText = useUsageText()
  const type = namedType(field.type)
  const Icon = typeIcons[type]
  return (
    <Stack gap="lg">
      <div className={styles.facts}>
        <Icon size={16} aria-hidden />
        <span>{words(`type.${type}`)}</span>
        {usage && <span>{usageText(usage)}</span>}
      </div>
      <Text size="sm" c="dimmed">
        {field.is_predefined ? words('predefinedAbout') : words('typeStays')}
      </Text>
      <Naming field={field} writes={writes} onSaved={onSaved} />
      {field.chained_lists && (
        <Text>
          {words('dependsOn', {
            names: field.chained_lists.map(({ title }) => title).join(' › '),
          })}
        </Text>
      )}
      {field.enums && !field.is_predefined && type !== 'smart_address' && (
        <section aria-label={words('options')}>
          <Text fw={500} mb="xs">
            {words('options')}
          </Text>
          <OptionsEditor
            field={field}
            writes={writes}
            now={now}
            onChanged={onChanged}
            say={announce}
          />
        </section>
      )}
      <Members entity={entity} field={field} writes={writes} onSaved={onSaved} />
      {asked.includes(entity) && (
        <FieldStages field={field} list="required" writes={writes} onChanged={onChanged} />
      )}
      {entity === 'leads' && (
        <FieldStages field={field} list="hidden" writes={writes} onChanged={onChanged} />
      )}
      {field.is_deletable && (
        <Group justify="flex-end">
          <Button variant="default" c="danger" onClick={onRemove}>
            {shared('delete')}
          </Button>
        </Group>
      )}
    </Stack>
  )
}

/** The name, and the code by which programs name the field. */
function Naming({ field, writes, onSaved }: Pick<Props, 'field' | 'writes' | 'onSaved'>) {
  const words = useTranslations('fields')
  const shared = useTranslations('ui')
  const { name, code, is_predefined } = field
  /** What stood there when the typing began: another value since is somebody else's. */
  const begun = useRef({ name, code: code ?? '' })
  const { form, submit, isPending, error, reset } = useFilled({
    values: { name, code: code ?? '' },
    validate: { name: (text) => (text.trim() === '' ? words('nameMissing') : undefined) },
    send: (values) => {
      const members: FieldMembers = {
        // The user sends the member that was typed, not the one that a colleague has changed beside it.
        ...(values.name.trim() !== begun.current.name && { name: values.name }),
        ...(values.code.trim() !== begun.current.code && { code: values.code.trim() || null }),
      }
      return Object.keys(members).length > 0 ? writes.change(field.id, members) : Promise.resolve()
    },
    onDone: () => {
      say(shared('saved'))
      onSaved()
    },
  })
  if (!form.isDirty()) begun.current = { name, code: code ?? '' }
  const overtaken = (key: 'name' | 'code', value: string): ReactNode =>
    form.isDirty(key) && begun.current[key] !== value && form.values[key] !== value
      ? words('overtaken', { value: value === '' ? '–' : value })
      : undefined
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <TextInput
          label={words('name')}
          maxLength={255}
          required
          data-autofocus
          description={overtaken('name', name)}
          {...form.getInputProps('name')}
        />
        {is_predefined ? (
          code !== null && (
            <Text size="sm">
              {words('code')}: <Code>{code}</Code>
            </Text>
          )
        ) : (
          <TextInput
            label={words('code')}
            maxLength={255}
            description={overtaken('code', code ?? '') ?? words('codeAbout')}
            {...form.getInputProps('code')}
          />
        )}
        <ProblemAlert error={error} />
        {form.isDirty() && (
          <Group gap="sm">
            <Button type="submit" loading={isPending}>
              {shared('save')}
            </Button>
            <Button
              variant="default"
              onClick={() => {
                // What is there now, which others may have changed since the typing began.
                form.setInitialValues({ name, code: code ?? '' })
                reset()
              }}
            >
              {shared('discard')}
            </Button>
          </Group>
        )}
      </Stack>
    </form>
  )
}

const reminders = ['never', 'day', 'week', 'month'] as const

/** Members that are saved one by one, as soon as they are changed. */
function Members({
  entity,
  field,
  writes,
  onSaved,
}: Pick<Props, 'entity' | 'field' | 'writes' | 'onSaved'>) {
  const words = useTranslations('fields')
  const currencies = useCurrencies()
  const { mutate, variables, ...save } = useMutation({
    mutationFn: (members: FieldMembers) => writes.change(field.id, members),
    onSuccess: onSaved,
    scope: { id: 'fields' },
  })
  const mayChange = !field.is_predefined
  const saveOf = (key: keyof FieldMembers) =>
    variables && key in variables ? save : { isSuccess: false, submittedAt: 0, error: null }
  return (
    <div>
      {entity !== 'segments' && (
        <Setting
          title={words('apiOnly')}
          about={words('apiOnlyAbout')}
          save={saveOf('is_api_only')}
        >
          {(names) => (
            <Switch
              {...names}
              disabled={!mayChange}
              checked={field.is_api_only}
              onChange={({ target }) => mutate({ is_api_only: target.checked })}
            />
          )}
        </Setting>
      )}
      {field.type === 'birthday' && (
        <Setting title={words('remind')} about={words('remindAbout')} save={saveOf('remind')}>
          {(names) => (
            <Select
              {...names}
              allowDeselect={false}
              data={reminders.map((value) => ({ value, label: words(`reminders.${value}`) }))}
              value={field.remind ?? 'never'}
              onChange={(remind) => mutate({ remind })}
            />
          )}
        </Setting>
      )}
      {field.type === 'monetary' && (
        <Setting title={words('currency')} about={words('currencyAbout')} save={saveOf('currency')}>
          {(names) => (
            <Select
              {...names}
              searchable
              allowDeselect={false}
              data={currencies}
              value={field.currency}
              onChange={(currency) => currency !== null && mutate({ currency })}
            />
          )}
        </Setting>
      )}
    </div>
  )
}
