// What a catalog is called and how its elements are used. The name is saved by its button, each
// switch as soon as it is changed.
import { Button, Group, Stack, Switch, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { useFilled } from '../../ui/form.ts'
import { Setting, Settings } from '../../ui/setting.tsx'
import { ProblemAlert } from '../../ui/states.tsx'
import { say } from '../../ui/toasts.ts'
import { changeCatalog } from './catalogs.ts'
import type { Catalog, CatalogFlag } from './catalogs.ts'

export function CatalogSettings({
  catalog,
  present,
  refresh,
}: {
  catalog: Catalog
  /** The catalog as the server has it now. */
  present: () => Promise<Catalog | undefined>
  refresh: () => Promise<unknown>
}) {
  const flags: CatalogFlag[] = [
    'can_add_elements',
    // Cards always offer products.
    ...(catalog.type === 'products' ? [] : ['can_show_in_cards' as const]),
    'can_link_multiple',
  ]
  return (
    <Settings>
      <CatalogName catalog={catalog} present={present} refresh={refresh} />
      {flags.map((flag) => (
        <FlagSetting key={flag} catalog={catalog} flag={flag} refresh={refresh} />
      ))}
    </Settings>
  )
}

function CatalogName({ catalog, present, refresh }: Parameters<typeof CatalogSettings>[0]) {
  const words = useTranslations('catalogs')
  const shared = useTranslations('ui')
  const { form, submit, isPending, error, notice, reset } = useFilled({
    values: { name: catalog.name },
    present: async () => {
      const now = await present()
      return now && { name: now.name }
    },
    validate: { name: (text) => (text.trim() === '' ? words('nameMissing') : undefined) },
    send: ({ name }) => changeCatalog(catalog.id, { name }),
    onDone: () => {
      say(shared('saved'))
      void refresh()
    },
  })
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm" maw={420} mb="md">
        <TextInput label={words('name')} maxLength={255} required {...form.getInputProps('name')} />
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
                form.setInitialValues({ name: catalog.name })
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

function FlagSetting({
  catalog,
  flag,
  refresh,
}: {
  catalog: Catalog
  flag: CatalogFlag
  refresh: () => Promise<unknown>
}) {
  const words = useTranslations('catalogs')
  const change = useMutation({
    mutationFn: async (isOn: boolean) => {
      await changeCatalog(catalog.id, { [flag]: isOn })
      await refresh()
    },
  })
  return (
    <Setting title={words(`flag.${flag}`)} about={words(`flagAbout.${flag}`)} save={change}>
      {(names) => (
        <Switch
          {...names}
          checked={change.isPending ? change.variables : catalog[flag]}
          onChange={({ currentTarget }) => change.mutate(currentTarget.checked)}
        />
      )}
    </Setting>
  )
}
