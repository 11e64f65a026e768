import { Button, Modal } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { useBootstrap } from '../../crm/bootstrap.ts'
import { allCatalogsQuery } from '../../crm/catalogs.ts'
import { placeCatalog, mostCatalogs } from '../../features/catalogs/catalogs.ts'
import { NewCatalogForm } from '../../features/catalogs/new-catalog.tsx'
import { ListLine } from '../../ui/list.tsx'
import { OrderedList } from '../../ui/ordered-list.tsx'
import { PageFrame } from '../../ui/page.tsx'
import { Empty, Unloaded } from '../../ui/states.tsx'
import { settingsAt } from './pages.ts'

/** The catalogs of the account, in the order in which people see them. */
export function CatalogsPage() {
  const words = useTranslations('catalogs')
  const shared = useTranslations('ui')
  const client = useQueryClient()
  const navigate = useNavigate()
  const catalogs = allCatalogsQuery(useBootstrap())
  const query = useQuery({ ...catalogs, staleTime: 0 })
  const [isCreating, setCreating] = useState(false)
  const refresh = () => client.invalidateQueries({ queryKey: catalogs.queryKey, exact: true })
  const { data: all } = query
  const button = (
    <Button
      leftSection={<Plus size={16} />}
      disabled={(all?.length ?? 0) >= mostCatalogs}
      onClick={() => setCreating(true)}
    >
      {words('create')}
    </Button>
  )
  return (
    <PageFrame
      title={words('title')}
      about={
        <>
          {words('about')} {all && words('limit', { count: all.length, most: mostCatalogs })}
        </>
      }
      actions={all && all.length > 0 && button}
    >
      {!all ? (
        <Unloaded query={query} />
      ) : all.length === 0 ? (
        <Empty title={words('none')} text={words('noneText')} action={button} />
      ) : (
        <OrderedList
          label={words('title')}
          items={all}
          move={async (id, before) => {
            try {
              await placeCatalog(id, before)
            } finally {
              await refresh()
            }
          }}
          row={({ id, name, type, ...flags }) => (
            <ListLine
              to={settingsAt('catalogs', id)}
              name={name}
              about={
                <>
                  <span>{words(`type.${type}`)}</span>
                  {(type === 'products' || flags.can_show_in_cards) && (
                    <span>{words('inCards')}</span>
                  )}
                  {!flags.can_add_elements && <span>{words('closed')}</span>}
                </>
              }
            />
          )}
        />
      )}
      <Modal
        opened={isCreating}
        onClose={() => setCreating(false)}
        title={words('create')}
        closeButtonProps={{ 'aria-label': shared('close') }}
      >
        <NewCatalogForm
          all={all ?? []}
          onClose={() => setCreating(false)}
          onDone={(id) => {
            setCreating(false)
            void refresh()
            void navigate({ to: settingsAt('catalogs', id) })
          }}
        />
      </Modal>
    </PageFrame>
  )
}
