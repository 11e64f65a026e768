// A page of settings with things that have a name, a colour and an icon, in the order in which people are offered
// them: types of tasks, loss reasons.
import { ActionIcon, Button, Modal, Tooltip } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { UseQueryResult } from '@tanstack/react-query'
import { Pencil, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import { Confirm } from '../../ui/confirm.tsx'
import { ListLine, ListRow, RecordList } from '../../ui/list.tsx'
import { FixedRow, OrderedList } from '../../ui/ordered-list.tsx'
import { PageFrame, PageSection } from '../../ui/page.tsx'
import { Empty, Unloaded } from '../../ui/states.tsx'
import { DrawnForm } from './drawn-form.tsx'
import type { DrawnDraft, DrawnThing } from './drawn-form.tsx'
import { Drawing, isDrawn } from '../../crm/icons.tsx'

/** The server counts the uses of a thing so far. */
export const usesCounted = 1000

export interface UsedThing extends DrawnThing {
  /** More than `usesCounted` stands for all that is more. */
  used?: number
  is_deleted?: boolean
}

export function DrawnList<Thing extends UsedThing>({
  title,
  about,
  create,
  empty,
  query,
  queryKey,
  nameLength,
  hasColor = false,
  isFixed,
  nameOf,
  usesOf,
  gone,
  deleteText,
  add,
  change,
  place,
  remove,
  above,
  actionsOf,
  children,
}: {
  title: string
  about: string
  /** The text of the button. */
  create: string
  empty?: { title: string; text: string }
  query: UseQueryResult<Thing[]>
  /** Of the list. */
  queryKey: string
  nameLength: number
  hasColor?: boolean
  /** Stays what and where it is. */
  isFixed?: (thing: Thing) => boolean
  nameOf?: (thing: Thing) => string
  usesOf: (thing: Thing) => string
  /** The section of those that are deleted and still in use. */
  gone?: { title: string; about: string }
  deleteText: (thing: Thing) => ReactNode
  add: (draft: DrawnDraft) => Promise<unknown>
  change: (id: number, draft: Partial<DrawnDraft>) => Promise<unknown>
  place: (id: number, before: number | null) => Promise<unknown>
  remove: (id: number) => Promise<unknown>
  /** Between the heading and the list. */
  above?: ReactNode
  /** Of a row, besides those of every page. */
  actionsOf?: (thing: Thing) => ReactNode
  /** The dialogs of the page. */
  children?: ReactNode
}) {
  const words = useTranslations('drawing')
  const shared = useTranslations('ui')
  const client = useQueryClient()
  const [edited, setEdited] = useState<number | 'new'>()
  const [leaving, setLeaving] = useState<Thing>()
  const refresh = () =>
    Promise.all([queryKey, 'bootstrap'].map((key) => client.invalidateQueries({ queryKey: [key] })))
  const removal = useMutation({
    mutationFn: remove,
    onSuccess: () => setLeaving(undefined),
    onSettled: refresh,
  })
  const { data } = query
  const present = data?.filter((thing) => !thing.is_deleted) ?? []
  const own = present.filter((thing) => !isFixed?.(thing))
  const deleted = data?.filter((thing) => thing.is_deleted) ?? []
  const isAnyDrawn = data?.some(isDrawn) === true
  const name = nameOf ?? ((thing: Thing) => thing.name)
  const button = (
    <Button leftSection={<Plus size={16} />} onClick={() => setEdited('new')}>
      {create}
    </Button>
  )
  const line = (thing: Thing, actions?: ReactNode) => (
    <ListLine
      name={name(thing)}
      mark={isAnyDrawn && <Drawing of={thing} />}
      about={
        <>
          <span>{usesOf(thing)}</span>
          {isFixed?.(thing) && <span>{words('builtIn')}</span>}
        </>
      }
      actions={actions}
    />
  )
  return (
    <PageFrame title={title} about={about} actions={data && (!empty || data.length > 0) && button}>
      {above}
      {!data ? (
        <Unloaded query={query} />
      ) : empty && data.length === 0 ? (
        <Empty {...empty} action={button} />
      ) : (
        <OrderedList
          label={title}
          items={own}
          above={present.map(
            (thing) => isFixed?.(thing) && <FixedRow key={thing.id}>{line(thing)}</FixedRow>,
          )}
          move={async (id, before) => {
            try {
              await place(id, before)
            } finally {
              await refresh()
            }
          }}
          row={(thing) =>
            line(
              thing,
              <>
                <Tooltip label={words('edit')}>
                  <ActionIcon
                    aria-label={words('editOf', { name: thing.name })}
                    onClick={() => setEdited(thing.id)}
                  >
                    <Pencil size={16} />
                  </ActionIcon>
                </Tooltip>
                {actionsOf?.(thing)}
                <Tooltip label={shared('delete')}>
                  <ActionIcon
                    aria-label={words('deleteOf', { name: thing.name })}
                    onClick={() => {
                      removal.reset()
                      setLeaving(thing)
                    }}
                  >
                    <Trash2 size={16} />
                  </ActionIcon>
                </Tooltip>
              </>,
            )
          }
        />
      )}
      {gone && deleted.length > 0 && (
        <PageSection title={gone.title} about={gone.about}>
          <RecordList label={gone.title}>
            {deleted.map((thing) => (
              <ListRow
                key={thing.id}
                name={thing.name}
                mark={<Drawing of={thing} />}
                about={<span>{usesOf(thing)}</span>}
              />
            ))}
          </RecordList>
        </PageSection>
      )}
      <Modal
        opened={edited !== undefined}
        onClose={() => setEdited(undefined)}
        title={edited === 'new' ? create : words('edit')}
        closeButtonProps={{ 'aria-label': shared('close') }}
      >
        {edited !== undefined && (
          <DrawnForm
            thing={present.find(({ id }) => id === edited)}
            present={async (id) => (await query.refetch()).data?.find((each) => each.id === id)}
            action={edited === 'new' ? create : shared('save')}
            nameLength={nameLength}
            hasColor={hasColor}
            send={(draft) => (edited === 'new' ? add(draft as DrawnDraft) : change(edited, draft))}
            onClose={() => setEdited(undefined)}
            onDone={() => {
              setEdited(undefined)
              void refresh()
            }}
          />
        )}
      </Modal>
      <Confirm
        opened={leaving !== undefined}
        title={words('deleteOf', { name: leaving?.name ?? '' })}
        text={leaving && deleteText(leaving)}
        action={shared('delete')}
        isPending={removal.isPending}
        error={removal.error}
        onConfirm={() => leaving && removal.mutate(leaving.id)}
        onClose={() => setLeaving(undefined)}
      />
      {children}
    </PageFrame>
  )
}
