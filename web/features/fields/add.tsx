// A new field, and a new group or its new name.
import { Modal, MultiSelect, Select, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { useBootstrap } from '../../crm/bootstrap.ts'
import { allCatalogsQuery, catalogsQuery } from '../../crm/catalogs.ts'
import { DialogForm } from '../../ui/dialog-form.tsx'
import { useFilled } from '../../ui/form.ts'
import styles from './add.module.css'
import { useCurrencies } from './currencies.ts'
import { textLines } from './fields.ts'
import type { FieldOfForm, FieldWrites, ManagedFields } from './fields.ts'
import type { GroupOfFields } from './list.tsx'
import { namedTypes, typeIcons } from './type-icons.ts'
import type { NamedType } from './type-icons.ts'

interface Values extends Record<string, unknown> {
  type: NamedType
  name: string
  group_id: string
  enums: string
  currency: string
  chained_lists: string[]
  search_in: string
  code: string
}

/** What a field links to besides the elements of one catalog. */
const linkedTo = ['contacts_and_companies', 'contacts', 'companies'] as const

const withOptions = new Set<NamedType>(['select', 'multiselect', 'radiobutton'])

export function AddField({
  all,
  writes,
  onClose,
  onDone,
}: {
  all: ManagedFields
  writes: FieldWrites
  onClose: () => void
  onDone: (id: number) => void
}) {
  const words = useTranslations('fields')
  const shared = useTranslations('ui')
  return (
    <Modal
      opened
      onClose={onClose}
      title={words('add')}
      size={520}
      closeButtonProps={{ 'aria-label': shared('close') }}
    >
      <FieldForm all={all} writes={writes} onClose={onClose} onDone={onDone} />
    </Modal>
  )
}

function FieldForm({ all, writes, onClose, onDone }: Parameters<typeof AddField>[0]) {
  const words = useTranslations('fields')
  const bootstrap = useBootstrap()
  const currencies = useCurrencies()
  const catalogs = useQuery(catalogsQuery(bootstrap))
  const { data: linked = [] } = useQuery(allCatalogsQuery(bootstrap))
  const nameOf = (id: string) => catalogs.data?.find((each) => String(each.id) === id)?.name ?? id
  const { form, submit, isPending, error } = useFilled<
    Values,
    { _embedded: { custom_fields: { id: number }[] } }
  >({
    values: {
      type: 'text',
      name: '',
      group_id: 'default',
      enums: '',
      currency: bootstrap.account.currency,
      chained_lists: [],
      search_in: 'contacts_and_companies',
      code: '',
    },
    validate: {
      name: (text) => (text.trim() === '' ? words('nameMissing') : undefined),
      enums: (text, { type }) =>
        withOptions.has(type) && textLines(text).length === 0 ? words('optionsMissing') : undefined,
      chained_lists: (ids, { type }) =>
        type === 'chained_list' && ids.length === 0 ? words('catalogsMissing') : undefined,
    },
    send: (values, key) => writes.add(bodyOf(values, all.groups.length > 0, nameOf), key),
    onDone: ({ _embedded }) => onDone(_embedded.custom_fields[0]!.id),
  })
  const { type, enums } = form.values
  const count = new Set(textLines(enums).map((line) => line.toLowerCase())).size
  return (
    <DialogForm
      onSubmit={submit}
      onCancel={onClose}
      action={words('add')}
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
        <Select
          label={words('typeLabel')}
          description={words('typeStays')}
          allowDeselect={false}
          maxDropdownHeight={360}
          data={namedTypes
            .filter((name) => all.types.includes(name))
            .map((value) => ({ value, label: words(`type.${value}`) }))}
          renderOption={({ option }) => <TypeOption type={option.value as NamedType} />}
          {...form.getInputProps('type')}
        />
        <Text size="sm" c="dimmed" role="status">
          {words(`typeAbout.${type}`)}
        </Text>
        {all.groups.length > 1 && (
          <Select
            label={words('group')}
            allowDeselect={false}
            data={all.groups.map(({ id, name }) => ({ value: id, label: name }))}
            {...form.getInputProps('group_id')}
          />
        )}
        {withOptions.has(type) && (
          <Textarea
            label={words('options')}
            description={words('optionsAbout', { count })}
            required
            autosize
            minRows={4}
            maxRows={12}
            {...form.getInputProps('enums')}
          />
        )}
        {type === 'monetary' && (
          <Select
            label={words('currency')}
            searchable
            allowDeselect={false}
            data={currencies}
            {...form.getInputProps('currency')}
          />
        )}
        {type === 'chained_list' && (
          <MultiSelect
            label={words('catalogs')}
            description={words('catalogsAbout')}
            required
            maxValues={5}
            data={(catalogs.data ?? []).map(({ id, name }) => ({ value: String(id), label: name }))}
            {...form.getInputProps('chained_lists')}
          />
        )}
        {type === 'linked_entity' && (
          <Select
            label={words('searchIn')}
            allowDeselect={false}
            data={[
              ...linkedTo.map((value) => ({ value, label: words(`linkedTo.${value}`) })),
              ...linked.map(({ id, name }) => ({ value: String(id), label: name })),
            ]}
            {...form.getInputProps('search_in')}
          />
        )}
        <TextInput
          label={words('code')}
          description={words('codeAbout')}
          maxLength={255}
          {...form.getInputProps('code')}
        />
      </Stack>
    </DialogForm>
  )
}

function TypeOption({ type }: { type: NamedType }) {
  const words = useTranslations('fields')
  const Icon = typeIcons[type]
  return (
    <span className={styles.type}>
      <Icon size={16} aria-hidden />
      <span>
        <span className={styles.typeName}>{words(`type.${type}`)}</span>
        <span className={styles.typeAbout}>{words(`typeAbout.${type}`)}</span>
      </span>
    </span>
  )
}

/** A pasted list may name a choice twice; it becomes one. Each catalog depends on the one before it. */
function bodyOf(
  { type, name, group_id, enums, currency, chained_lists, search_in, code }: Values,
  hasGroups: boolean,
  nameOf: (id: string) => string,
): FieldOfForm {
  const seen = new Set<string>()
  const choices = textLines(enums).filter((line) => {
    const isNew = !seen.has(line.toLowerCase())
    seen.add(line.toLowerCase())
    return isNew
  })
  return {
    type,
    name,
    ...(hasGroups && group_id !== 'default' && { group_id }),
    ...(code.trim() !== '' && { code: code.trim() }),
    ...(withOptions.has(type) && { enums: choices.map((value) => ({ value })) }),
    ...(type === 'monetary' && { currency }),
    ...(type === 'linked_entity' && { search_in }),
    ...(type === 'chained_list' && {
      chained_lists: chained_lists.map((id, index) => ({
        title: nameOf(id),
        catalog_id: Number(id),
        parent_catalog_id: index === 0 ? null : Number(chained_lists[index - 1]),
      })),
    }),
  }
}

/** A new group at the end, or another name of one. */
export function GroupNameDialog({
  group,
  all,
  writes,
  onClose,
  onDone,
}: {
  group: GroupOfFields | 'new'
  all: ManagedFields
  writes: FieldWrites
  onClose: () => void
  onDone: () => void
}) {
  const words = useTranslations('fields')
  const shared = useTranslations('ui')
  const title = group === 'new' ? words('addGroup') : words('rename')
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      closeButtonProps={{ 'aria-label': shared('close') }}
    >
      <GroupForm group={group} all={all} writes={writes} onClose={onClose} onDone={onDone} />
    </Modal>
  )
}

function GroupForm({ group, all, writes, onClose, onDone }: Parameters<typeof GroupNameDialog>[0]) {
  const words = useTranslations('fields')
  const shared = useTranslations('ui')
  const last = all.groups.at(-1)?.sort ?? 0
  const { form, submit, isPending, error } = useFilled<{ name: string }, unknown>({
    values: { name: group === 'new' ? '' : group.name },
    validate: { name: (name) => (name.trim() === '' ? words('nameMissing') : undefined) },
    send: ({ name }, key) =>
      group === 'new' ? writes.addGroup(name, last + 1, key) : writes.renameGroup(group.id, name),
    onDone,
  })
  return (
    <DialogForm
      onSubmit={submit}
      onCancel={onClose}
      action={group === 'new' ? words('addGroup') : shared('save')}
      isPending={isPending}
      error={error}
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
