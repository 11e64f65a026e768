import { Select, Stack, Text, TextInput } from '@mantine/core'
import { useTranslations } from 'use-intl'
import { DialogForm } from '../../ui/dialog-form.tsx'
import { useFilled } from '../../ui/form.ts'
import { catalogTypes, createCatalog } from './catalogs.ts'
import type { Catalog, CatalogType } from './catalogs.ts'

/** Asks for the type and the name of a new catalog. A type that the account has already is not offered. */
export function NewCatalogForm({
  all,
  onClose,
  onDone,
}: {
  all: readonly Catalog[]
  onClose: () => void
  onDone: (id: number) => void
}) {
  const words = useTranslations('catalogs')
  const isFree = (type: CatalogType) =>
    type === 'regular' || !all.some((catalog) => catalog.type === type)
  const { form, submit, isPending, error } = useFilled<{ name: string; type: CatalogType }, number>(
    {
      values: { name: '', type: catalogTypes.find(isFree)! },
      validate: { name: (text) => (text.trim() === '' ? words('nameMissing') : undefined) },
      send: createCatalog,
      onDone,
    },
  )
  return (
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
        <Select
          label={words('typeLabel')}
          description={words('typeStays')}
          allowDeselect={false}
          data={catalogTypes.map((value) => ({
            value,
            label: isFree(value)
              ? words(`type.${value}`)
              : words('taken', { type: words(`type.${value}`) }),
            disabled: !isFree(value),
          }))}
          {...form.getInputProps('type')}
        />
        <Text size="sm" c="dimmed" role="status">
          {words(`typeAbout.${form.values.type}`)}
        </Text>
      </Stack>
    </DialogForm>
  )
}
