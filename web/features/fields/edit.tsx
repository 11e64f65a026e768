// One field: name and code are saved together, everything else as soon as it is changed.
import { Button, Code, Group, Modal, Select, Stack, Switch, Text, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { ComponentProps } from 'react'
import { useTranslations } from 'use-intl'
import { MergeDialogs } from '../../crm/merge-dialogs.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { useFilled } from '../../ui/form.ts'
import { Setting } from '../../ui/setting.tsx'
import { ProblemAlert } from '../../ui/states.tsx'
import { say } from '../../ui/toasts.ts'
import { useCurrencies } from './currencies.ts'
import styles from './edit.module.css'
import { CategoryTree } from './categories.tsx'
import { endOption, isCatalog, managedFieldsQuery } from './fields.ts'
import type { FieldEntity, FieldMembers, FieldWrites, ManagedField } from './fields.ts'
import { OptionsEditor } from './options.tsx'
import type { AskedOption } from './options.tsx'
import { FieldStages } from './stages.tsx'
import { namedType, typeIcons } from './type-icons.ts'
import { useUsageText } from './usage.ts'
import type { UsageOfField } from './usage.ts'

interface Props {
  entity: FieldEntity
  field: ManagedField
  usage: UsageOfField | undefined
  writes: FieldWrites
  /** Shows an answer of the server, or what it will be. */
  onChanged: (field: ManagedField) => void
  /** Asks for all anew. */
  onSaved: () => void
  onRemove: () => void
  onClose: () => void
  /** A question stands over the dialog: Escape answers that. */
  isAsking: boolean
}

const asked: FieldEntity[] = ['leads', 'contacts', 'companies']

export function FieldSettings(props: Props) {
  const shared = useTranslations('ui')
  const [leaving, setLeaving] = useState<AskedOption>()
  return (
    <>
      <Modal
        opened
        size={640}
        onClose={props.onClose}
        closeOnEscape={!props.isAsking && !leaving}
        title={props.field.name}
        closeButtonProps={{ 'aria-label': shared('close') }}
      >
        <Editor key={props.field.id} {...props} onLeaving={setLeaving} />
      </Modal>
      {leaving && <OptionLeaves {...props} {...leaving} onClose={() => setLeaving(undefined)} />}
    </>
  )
}

/** Asks which option takes the place of one that records have, or whether none shall. */
function OptionLeaves({
  entity,
  field,
  writes,
  option,
  act,
  onChanged,
  onClose,
}: AskedOption &
  Pick<Props, 'entity' | 'field' | 'writes' | 'onChanged'> & { onClose: () => void }) {
  const words = useTranslations('fields')
  const shared = useTranslations('ui')
  const client = useQueryClient()
  const { id, value } = option
  const end = useMutation({
    mutationFn: async () => {
      if (isCatalog(entity)) onChanged(await writes.removeOption(field.id, id, true))
      else await endOption(field.id, id, undefined)
    },
    onSuccess: onClose,
    onSettled: () => client.invalidateQueries({ queryKey: ['jobs'] }),
  })
  if (act === 'delete')
    return (
      <Confirm
        opened
        title={words('deleteOf', { name: value })}
        text={words(isCatalog(entity) ? 'deleteTakenText' : 'deleteOptionText')}
        action={shared('delete')}
        isPending={end.isPending}
        error={end.error}
        onConfirm={() => end.mutate()}
        onClose={onClose}
      />
    )
  return (
    <MergeDialogs
      title={words('mergeOptionOf', { name: value })}
      hint={words('mergeOptionHint')}
      targets={(field.enums ?? []).flatMap((each) =>
        each.id === id
          ? []
          : { id: each.id, name: each.value, color: each.color?.slice(1) ?? null, icon_id: null },
      )}
      question={({ name }) => words('mergeOptionInto', { name: value, into: name })}
      text={words('mergeOptionText')}
      action={words('mergeOptionDo')}
      send={(into) => endOption(field.id, id, into.id)}
      onClose={onClose}
    />
  )
}

function Editor({
  entity,
  field,
  usage,
  writes,
  onChanged,
  onSaved,
  onRemove,
  onLeaving,
}: Props & Pick<ComponentProps<typeof OptionsEditor>, 'onLeaving'>) {
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
        {words(
          !field.is_predefined
            ? 'typeStays'
            : isCatalog(entity)
              ? 'predefinedOfCatalog'
              : 'predefinedAbout',
        )}
      </Text>
      <Naming entity={entity} field={field} writes={writes} onSaved={onSaved} />
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
            mayMerge={entity !== 'segments' && !isCatalog(entity)}
            mayTake={entity !== 'segments'}
            writes={writes}
            onChanged={onChanged}
            onLeaving={onLeaving}
          />
        </section>
      )}
      {field.nested && (
        <section aria-label={words('categories')}>
          <Text fw={500} mb="xs">
            {words('categories')}
          </Text>
          <CategoryTree field={field} writes={writes} onChanged={onChanged} />
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
function Naming({
  entity,
  field,
  writes,
  onSaved,
}: Pick<Props, 'entity' | 'field' | 'writes' | 'onSaved'>) {
  const words = useTranslations('fields')
  const shared = useTranslations('ui')
  const client = useQueryClient()
  const { name, code, is_predefined } = field
  const { form, submit, isPending, error, notice, reset } = useFilled({
    values: { name, code: code ?? '' },
    present: async () => {
      const all = await client.fetchQuery({ ...managedFieldsQuery(entity), staleTime: 0 })
      const now = all.fields.find(({ id }) => id === field.id)
      return now && { name: now.name, code: now.code ?? '' }
    },
    validate: { name: (text) => (text.trim() === '' ? words('nameMissing') : undefined) },
    send: async (_values, _key, changed) => {
      const members: FieldMembers = {
        ...(changed.name !== undefined && { name: changed.name }),
        ...(changed.code !== undefined && { code: changed.code.trim() || null }),
      }
      if (Object.keys(members).length > 0) await writes.change(field.id, members)
    },
    onDone: () => {
      say(shared('saved'))
      onSaved()
    },
  })
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <TextInput
          label={words('name')}
          maxLength={255}
          required
          data-autofocus
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
            description={words('codeAbout')}
            {...form.getInputProps('code')}
          />
        )}
        <ProblemAlert error={error} />
        {notice}
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
  /** While a change is under way, what it will be. */
  const shownAs = (key: 'is_required' | 'is_visible') =>
    (save.isPending ? variables?.[key] : undefined) ?? field[key]
  const saveOf = (key: keyof FieldMembers) =>
    variables && key in variables ? save : { isSuccess: false, submittedAt: 0, error: null }
  return (
    <div>
      {isCatalog(entity) && (
        <>
          <Setting
            title={words('mustFill')}
            about={words('mustFillAbout')}
            save={saveOf('is_required')}
          >
            {(names) => (
              <Switch
                {...names}
                disabled={!mayChange}
                checked={shownAs('is_required')}
                onChange={({ target }) => mutate({ is_required: target.checked })}
              />
            )}
          </Setting>
          <Setting title={words('shown')} about={words('shownAbout')} save={saveOf('is_visible')}>
            {(names) => (
              <Switch
                {...names}
                checked={shownAs('is_visible')}
                onChange={({ target }) => mutate({ is_visible: target.checked })}
              />
            )}
          </Setting>
        </>
      )}
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
