import { Button, Tabs, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Navigate, useNavigate, useSearch } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useTranslations } from 'use-intl'
import { useBootstrap } from '../../crm/bootstrap.ts'
import { putAnswer } from '../../data/answers.ts'
import { AddField, GroupNameDialog } from '../../features/fields/add.tsx'
import { FieldSettings } from '../../features/fields/edit.tsx'
import {
  fieldEntities,
  fieldsInGroup,
  fieldUsageQuery,
  fieldWrites,
  isCatalog,
  managedFieldsQuery,
  withFieldMoved,
} from '../../features/fields/fields.ts'
import type { FieldEntity, ManagedField, ManagedFields } from '../../features/fields/fields.ts'
import { Announced, FieldSections } from '../../features/fields/list.tsx'
import type { GroupOfFields } from '../../features/fields/list.tsx'
import { mayHoldValues, useUsageText } from '../../features/fields/usage.ts'
import { JobsStrip } from '../../features/jobs/jobs-strip.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { useIsNarrow } from '../../ui/narrow.ts'
import { PageFrame } from '../../ui/page.tsx'
import { Empty, Failure, ProblemText, Unloaded } from '../../ui/states.tsx'
import { warn } from '../../ui/toasts.ts'
import { settingsAt, useRecordId } from './pages.ts'
import { FieldsToRead } from './reading.tsx'

/** The page has an address for each entity; the first one is that of leads. */
export const FieldsPage = () => <Navigate to={settingsAt('fields', fieldEntities[0])} replace />

/** The fields of leads, contacts, companies, customers or segments. */
export function FieldsOfEntity() {
  const { me } = useBootstrap()
  return me.is_admin ? <Managed /> : <FieldsToRead />
}

function Managed() {
  const words = useTranslations('fields')
  const shell = useTranslations('shell')
  const settings = useTranslations('settings')
  const navigate = useNavigate()
  const isNarrow = useIsNarrow()
  const id = useRecordId()
  const entity = fieldEntities.find((each) => each === id)
  const [adding, setAdding] = useState<'field' | 'group'>()
  const query = useQuery({
    ...managedFieldsQuery(entity ?? 'leads'),
    enabled: entity !== undefined,
  })
  return (
    <PageFrame
      title={words('title')}
      about={words('about')}
      {...(isNarrow && { up: { to: settingsAt(), title: settings('title') } })}
      isWide
      actions={
        query.data && (
          <>
            {query.data.groups.length > 0 && (
              <Button variant="default" onClick={() => setAdding('group')}>
                {words('addGroup')}
              </Button>
            )}
            <Button leftSection={<Plus size={16} />} onClick={() => setAdding('field')}>
              {words('add')}
            </Button>
          </>
        )
      }
    >
      {!entity ? (
        <Empty title={shell('notFound')} text={shell('notFoundText')} />
      ) : (
        <Tabs
          value={entity}
          onChange={(name) => name && void navigate({ to: settingsAt('fields', name) })}
        >
          <Tabs.List mb="lg">
            {fieldEntities.map((each) => (
              <Tabs.Tab key={each} value={each}>
                {words(`entity.${each}`)}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {fieldEntities.map((each) => (
            <Tabs.Panel key={each} value={each}>
              {each === entity &&
                (query.data ? (
                  <FieldsOf
                    key={entity}
                    entity={entity}
                    all={query.data}
                    adding={adding}
                    setAdding={setAdding}
                  />
                ) : (
                  <Unloaded query={query} />
                ))}
            </Tabs.Panel>
          ))}
        </Tabs>
      )}
    </PageFrame>
  )
}

/** The groups and fields of an entity or a catalog, and the dialogs that change them. */
export function FieldsOf({
  entity,
  all,
  adding,
  setAdding,
}: {
  entity: FieldEntity
  all: ManagedFields
  adding: 'field' | 'group' | undefined
  setAdding: (adding?: 'field' | 'group') => void
}) {
  const words = useTranslations('fields')
  const shared = useTranslations('ui')
  const client = useQueryClient()
  const navigate = useNavigate()
  const { field: opened } = useSearch({ strict: false }) as { field?: number | string }
  const writes = useMemo(() => fieldWrites(entity), [entity])
  const { queryKey } = managedFieldsQuery(entity)
  const counted = useQuery(fieldUsageQuery(entity))
  const usage = useMemo(
    () => new Map((counted.data?.fields ?? []).map((each) => [each.id, each])),
    [counted.data],
  )
  const [said, setSaid] = useState('')
  const [naming, setNaming] = useState<GroupOfFields>()
  const [removing, setRemoving] = useState<ManagedField>()
  /** The field that the user has deleted: the page then says nothing of it. */
  const [removed, setRemoved] = useState<number>()
  const [leaving, setLeaving] = useState<GroupOfFields>()
  const now = () => client.getQueryData<ManagedFields>(queryKey) ?? all
  const put = (change: (before: ManagedFields) => ManagedFields) =>
    putAnswer<ManagedFields>(client, queryKey, (before) => before && change(before))
  const putField = (field: ManagedField) =>
    put((before) => ({
      ...before,
      fields: before.fields.map((each) => (each.id === field.id ? field : each)),
    }))
  const refresh = () => void client.invalidateQueries({ queryKey: ['fields', entity] })
  const open = (id?: number) =>
    void navigate({ to: '.', search: (id === undefined ? {} : { field: id }) as never })
  const failed = (error: Error) => {
    warn(words('notMoved'), <ProblemText error={error} />)
    refresh()
  }
  const moving = useMutation({
    mutationFn: ({ id, group, before }: { id: number; group: string; before: number | null }) =>
      writes.move(id, group === 'default' ? null : group, before),
    onSuccess: putField,
    onError: failed,
    scope: { id: 'fields' },
  })
  const move = (id: number, group: string, before: number | null) => {
    const field = now().fields.find((each) => each.id === id)
    if (!field || before === id) return
    const after = withFieldMoved(now(), id, group === 'default' ? null : group, before)
    put(() => after)
    const list = fieldsInGroup(after, group)
    setSaid(
      words('moved', {
        name: field.name,
        place: list.findIndex((each) => each.id === id) + 1,
        count: list.length,
        group: all.groups.find((each) => each.id === group)?.name ?? words('title'),
      }),
    )
    moving.mutate({ id, group, before })
  }
  const movingGroup = useMutation({
    mutationFn: ({ id, before }: { id: string; before: string | null }) =>
      writes.moveGroup(id, before),
    onError: failed,
    scope: { id: 'fields' },
  })
  const moveGroup = (id: string, before: string | null) => {
    const { groups } = now()
    const group = groups.find((each) => each.id === id)
    if (!group || before === id) return
    const others = groups.filter((each) => each !== group)
    const at = before === null ? others.length : others.findIndex((each) => each.id === before)
    put((before) => ({ ...before, groups: others.toSpliced(at, 0, group) }))
    setSaid(words('movedGroup', { name: group.name, place: at + 1, count: all.groups.length }))
    movingGroup.mutate({ id, before })
  }
  const removeGroup = useMutation({
    mutationFn: (id: string) => writes.removeGroup(id),
    onSuccess: () => setLeaving(undefined),
    onSettled: refresh,
  })
  const shown = all.fields.find(({ id }) => String(id) === String(opened))
  const isGone = opened !== undefined && !shown && String(opened) !== String(removed)
  const close = () => {
    setAdding(undefined)
    setNaming(undefined)
  }
  return (
    <>
      {!isCatalog(entity) && <JobsStrip />}
      {isGone && (
        <Empty
          title={words('goneField')}
          text={words('goneFieldText')}
          action={
            <Button variant="default" onClick={() => open()}>
              {shared('close')}
            </Button>
          }
        />
      )}
      {all.fields.length === 0 && all.groups.length <= (isCatalog(entity) ? 1 : 0) ? (
        <Empty
          title={words('none')}
          text={words(isCatalog(entity) ? 'noneOfCatalog' : 'noneText')}
          action={
            <Button leftSection={<Plus size={16} />} onClick={() => setAdding('field')}>
              {words('add')}
            </Button>
          }
        />
      ) : (
        <FieldSections
          entity={entity}
          all={all}
          now={now}
          usage={usage}
          acts={{
            open: ({ id }) => open(id),
            remove: setRemoving,
            rename: setNaming,
            removeGroup: (group) => {
              removeGroup.reset()
              setLeaving(group)
            },
            move,
            moveGroup,
          }}
        />
      )}
      {counted.error && <Failure error={counted.error} retry={() => void counted.refetch()} />}
      <Announced text={said} />
      {adding === 'field' && (
        <AddField
          all={all}
          writes={writes}
          onClose={close}
          onDone={() => {
            close()
            refresh()
          }}
        />
      )}
      {(adding === 'group' || naming) && (
        <GroupNameDialog
          group={naming ?? 'new'}
          all={all}
          writes={writes}
          onClose={close}
          onDone={() => {
            close()
            refresh()
          }}
        />
      )}
      {shown && (
        <FieldSettings
          entity={entity}
          field={shown}
          usage={usage.get(shown.id)}
          writes={writes}
          onChanged={putField}
          onSaved={refresh}
          onRemove={() => setRemoving(shown)}
          onClose={() => open()}
          isAsking={removing !== undefined}
        />
      )}
      {removing && (
        <RemoveField
          key={removing.id}
          field={removing}
          usage={usage.get(removing.id)}
          remove={() => writes.remove(removing.id)}
          onClose={() => setRemoving(undefined)}
          onDone={() => {
            setRemoving(undefined)
            setRemoved(removing.id)
            if (shown?.id === removing.id) open()
            put((before) => ({
              ...before,
              fields: before.fields.filter(({ id }) => id !== removing.id),
            }))
            refresh()
          }}
        />
      )}
      <Confirm
        opened={leaving !== undefined}
        title={words('deleteOf', { name: leaving?.name ?? '' })}
        text={words('deleteGroupText', {
          count: leaving ? fieldsInGroup(all, leaving.id).length : 0,
          group: all.groups.find(({ id }) => id === 'default')?.name ?? '',
        })}
        action={words('deleteGroup')}
        isPending={removeGroup.isPending}
        error={removeGroup.error}
        onConfirm={() => leaving && removeGroup.mutate(leaving.id)}
        onClose={() => setLeaving(undefined)}
      />
    </>
  )
}

/** Where records have values, which go with the field, its name is typed. */
function RemoveField({
  field,
  usage,
  remove,
  onClose,
  onDone,
}: {
  field: ManagedField
  usage: Parameters<typeof mayHoldValues>[0]
  remove: () => Promise<void>
  onClose: () => void
  onDone: () => void
}) {
  const words = useTranslations('fields')
  const shared = useTranslations('ui')
  const usageText = useUsageText()
  const [typed, setTyped] = useState('')
  const [isWrong, setWrong] = useState(false)
  const { mutate, isPending, error } = useMutation({ mutationFn: remove, onSuccess: onDone })
  const isAsked = mayHoldValues(usage)
  return (
    <Confirm
      opened
      title={words('deleteOf', { name: field.name })}
      text={
        isAsked
          ? words('deleteUsed', { usage: usage ? usageText(usage) : '–' })
          : words('deleteUnused')
      }
      action={shared('delete')}
      isPending={isPending}
      error={error}
      onConfirm={() => {
        if (isAsked && typed.trim() !== field.name.trim()) setWrong(true)
        else mutate()
      }}
      onClose={onClose}
    >
      {isAsked && (
        <TextInput
          label={words('typeName', { name: field.name })}
          data-autofocus
          value={typed}
          error={isWrong && words('typeNameWrong')}
          onChange={({ target }) => {
            setWrong(false)
            setTyped(target.value)
          }}
        />
      )}
    </Confirm>
  )
}
