import { Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { useBootstrap } from '../../crm/bootstrap.ts'
import { allCatalogsQuery } from '../../crm/catalogs.ts'
import { putAnswer } from '../../data/answers.ts'
import { CatalogSettings } from '../../features/catalogs/catalog-settings.tsx'
import type { Catalog } from '../../features/catalogs/catalogs.ts'
import { CategoryTree } from '../../features/fields/categories.tsx'
import { fieldWrites, managedFieldsQuery } from '../../features/fields/fields.ts'
import type { ManagedFields } from '../../features/fields/fields.ts'
import { PageFrame, PageSection } from '../../ui/page.tsx'
import { Empty, Unloaded } from '../../ui/states.tsx'
import { FieldsOf } from './fields.tsx'
import { settingsAt, useRecordId } from './pages.ts'

/** A catalog: what it is called, how its elements are used, their fields and their categories. */
export function CatalogPage() {
  const words = useTranslations('catalogs')
  const id = Number(useRecordId())
  const catalogs = allCatalogsQuery(useBootstrap())
  const query = useQuery(catalogs)
  const client = useQueryClient()
  const catalog = query.data?.find((each) => each.id === id)
  const up = { to: settingsAt('catalogs'), title: words('title') }
  if (!query.data || !catalog)
    return (
      <PageFrame title={words('catalog')} up={up}>
        {query.data ? (
          <Empty title={words('gone')} text={words('goneText')} />
        ) : (
          <Unloaded query={query} />
        )}
      </PageFrame>
    )
  return (
    <PageFrame key={id} title={catalog.name} up={up} isWide about={words(`type.${catalog.type}`)}>
      <PageSection title={words('catalog')}>
        <CatalogSettings
          catalog={catalog}
          present={async () => {
            const now = await client.fetchQuery({ ...catalogs, staleTime: 0 })
            return now.find((each) => each.id === id)
          }}
          refresh={() => client.invalidateQueries({ queryKey: catalogs.queryKey, exact: true })}
        />
      </PageSection>
      <CatalogFields catalog={catalog} />
    </PageFrame>
  )
}

function CatalogFields({ catalog }: { catalog: Catalog }) {
  const words = useTranslations('catalogs')
  const fields = useTranslations('fields')
  const client = useQueryClient()
  const entity = `catalogs:${catalog.id}` as const
  const managed = managedFieldsQuery(entity)
  const query = useQuery(managed)
  const [adding, setAdding] = useState<'field' | 'group'>()
  const all = query.data
  return (
    <>
      <PageSection
        title={fields('title')}
        about={words(catalog.type === 'products' ? 'fieldsOfProducts' : 'fieldsAbout')}
        actions={
          all && (
            <>
              <Button variant="default" onClick={() => setAdding('group')}>
                {fields('addGroup')}
              </Button>
              <Button leftSection={<Plus size={16} />} onClick={() => setAdding('field')}>
                {fields('add')}
              </Button>
            </>
          )
        }
      >
        {all ? (
          <FieldsOf entity={entity} all={all} adding={adding} setAdding={setAdding} />
        ) : (
          <Unloaded query={query} />
        )}
      </PageSection>
      {all?.fields
        .filter(({ nested }) => nested !== null)
        .map((field) => (
          <PageSection
            key={field.id}
            title={words('categoriesOf', { field: field.name })}
            about={words('categoriesAbout')}
          >
            <CategoryTree
              field={field}
              writes={fieldWrites(entity)}
              onChanged={(changed) =>
                putAnswer<ManagedFields>(
                  client,
                  managed.queryKey,
                  (before) =>
                    before && {
                      ...before,
                      fields: before.fields.map((each) => (each.id === field.id ? changed : each)),
                    },
                )
              }
            />
          </PageSection>
        ))}
    </>
  )
}
