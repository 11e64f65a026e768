import {
  ActionIcon,
  Button,
  Menu,
  Modal,
  SegmentedControl,
  Stack,
  Text,
  TextInput,
} from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import {
  Bookmark,
  BookmarkPlus,
  ChevronDown,
  Pencil,
  RefreshCw,
  RotateCcw,
  Trash2,
  Users,
} from 'lucide-react'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { Confirm } from '../../ui/confirm.tsx'
import { DialogForm } from '../../ui/dialog-form.tsx'
import { useFilled } from '../../ui/form.ts'
import { useRefusalText } from '../../ui/states.tsx'
import { say, warn } from '../../ui/toasts.ts'
import { addView, canonical, changeView, deleteView, viewsOf, viewsQuery } from './views.ts'
import type { View } from './views.ts'
import styles from './views.module.css'

type Dialog = { kind: 'save' } | { kind: 'rename'; view: View } | { kind: 'delete'; view: View }

/**
 * The saved views of a board: filter and order under a name. The address names the open one, and the
 * button says when the board shows something else.
 */
export function ViewsMenu({
  pipelineId,
  search,
  viewId,
  filterWords,
  onOpen,
}: {
  pipelineId: number
  /** The query string of the screen without the name of the view. */
  search: string
  viewId: number | undefined
  /** The present filter, for the dialog. */
  filterWords: string
  onOpen: (view: View | undefined) => void
}) {
  const words = useTranslations('views')
  const client = useQueryClient()
  const refusalText = useRefusalText()
  const query = useQuery(viewsQuery)
  const [dialog, setDialog] = useState<Dialog>()
  const views = viewsOf(query.data ?? [], pipelineId)
  const view = views.find(({ id }) => id === viewId)
  const isChanged = view !== undefined && canonical(view.search) !== canonical(search)
  const groups = [
    { title: words('own'), views: views.filter(({ is_own }) => is_own) },
    { title: words('shared'), views: views.filter(({ is_own }) => !is_own) },
  ].filter((group) => group.views.length > 0)
  const reload = () => client.invalidateQueries({ queryKey: viewsQuery.queryKey })
  const update = useMutation({
    mutationFn: ({ id }: View) => changeView(id, { search: canonical(search).slice(1) }),
    onSuccess: async ({ name }) => {
      await reload()
      say(words('updated', { name }))
    },
    onError: (error) => warn(words('failed'), refusalText(error)),
  })
  return (
    <>
      <Menu position="bottom-start" width={280} withInitialFocusPlaceholder={false}>
        <Menu.Target>
          <Button
            variant="default"
            className={styles.button}
            leftSection={<Bookmark size={14} aria-hidden />}
            rightSection={<ChevronDown size={14} aria-hidden />}
            aria-label={
              view ? words(isChanged ? 'openChanged' : 'open', { name: view.name }) : words('title')
            }
          >
            <span className={styles.name}>{view?.name ?? words('title')}</span>
            {isChanged && <span className={styles.changed} aria-hidden title={words('changed')} />}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {query.error && (
            <Menu.Item leftSection={<RefreshCw size={14} />} onClick={() => void query.refetch()}>
              {words('notLoaded')}
            </Menu.Item>
          )}
          {views.length === 0 && !query.error && (
            <Menu.Label className={styles.none}>{words('none')}</Menu.Label>
          )}
          {groups.map(({ title, views: own }) => (
            <div key={title} role="group" aria-label={title}>
              <Menu.Label>{title}</Menu.Label>
              {own.map((each) => (
                <Menu.RadioItem
                  key={each.id}
                  value={String(each.id)}
                  checked={each.id === viewId}
                  closeMenuOnClick
                  rightSection={
                    each.is_shared && <Users size={13} aria-label={words('isShared')} />
                  }
                  onClick={() => onOpen(each)}
                >
                  {each.name}
                </Menu.RadioItem>
              ))}
            </div>
          ))}
          <Menu.Divider />
          <Menu.Item
            leftSection={<BookmarkPlus size={14} aria-hidden />}
            onClick={() => setDialog({ kind: 'save' })}
          >
            {words('save')}
          </Menu.Item>
          {view && isChanged && (
            <Menu.Item
              leftSection={<RotateCcw size={14} aria-hidden />}
              onClick={() => onOpen(view)}
            >
              {words('reset')}
            </Menu.Item>
          )}
          {view && (
            <Menu.Item
              leftSection={<span className={styles.gap} />}
              onClick={() => onOpen(undefined)}
            >
              {words('leave')}
            </Menu.Item>
          )}
          {view?.may_change && (
            <>
              <Menu.Divider />
              <Menu.Label>{view.name}</Menu.Label>
              <Menu.Item
                leftSection={<RefreshCw size={14} aria-hidden />}
                disabled={!isChanged}
                onClick={() => update.mutate(view)}
              >
                {words('update')}
              </Menu.Item>
              <Menu.Item
                leftSection={<Pencil size={14} aria-hidden />}
                onClick={() => setDialog({ kind: 'rename', view })}
              >
                {words('rename')}
              </Menu.Item>
              <Menu.Item
                color="danger"
                leftSection={<Trash2 size={14} aria-hidden />}
                onClick={() => setDialog({ kind: 'delete', view })}
              >
                {words('delete')}
              </Menu.Item>
            </>
          )}
        </Menu.Dropdown>
      </Menu>
      {isChanged && view.may_change && (
        <ActionIcon
          size={28}
          aria-label={words('updateOf', { name: view.name })}
          title={words('update')}
          loading={update.isPending}
          onClick={() => update.mutate(view)}
        >
          <RefreshCw size={14} />
        </ActionIcon>
      )}
      {(dialog?.kind === 'save' || dialog?.kind === 'rename') && (
        <Name
          view={dialog.kind === 'rename' ? dialog.view : undefined}
          pipelineId={pipelineId}
          search={search}
          filterWords={filterWords}
          onClose={() => setDialog(undefined)}
          onDone={async (saved) => {
            setDialog(undefined)
            await reload()
            say(words(dialog.kind === 'save' ? 'saved' : 'renamed', { name: saved.name }))
            if (dialog.kind === 'save') onOpen(saved)
          }}
        />
      )}
      {dialog?.kind === 'delete' && (
        <Deletion
          view={dialog.view}
          onClose={() => setDialog(undefined)}
          onDone={async () => {
            setDialog(undefined)
            onOpen(undefined)
            await reload()
          }}
        />
      )}
    </>
  )
}

/** Asks for the name and for whom the view is. */
function Name({
  view,
  pipelineId,
  search,
  filterWords,
  onClose,
  onDone,
}: {
  /** undefined: a new one, of the present filter. */
  view: View | undefined
  pipelineId: number
  search: string
  filterWords: string
  onClose: () => void
  onDone: (view: View) => void
}) {
  const words = useTranslations('views')
  const shared = useTranslations('ui')
  const { form, submit, isPending, error } = useFilled({
    values: { name: view?.name ?? '', is_shared: view?.is_shared ?? false },
    validate: { name: (name) => (name.trim() === '' ? words('nameMissing') : undefined) },
    send: ({ name, is_shared }) =>
      view
        ? changeView(view.id, { name: name.trim(), is_shared })
        : addView({
            name: name.trim(),
            is_shared,
            screen: 'board',
            pipeline_id: pipelineId,
            search: canonical(search).slice(1),
          }),
    onDone,
  })
  return (
    <Modal
      opened
      onClose={onClose}
      title={words(view ? 'rename' : 'save')}
      closeButtonProps={{ 'aria-label': shared('close') }}
    >
      <DialogForm
        onSubmit={submit}
        onCancel={onClose}
        action={shared('save')}
        isPending={isPending}
        error={error}
      >
        <Stack gap="md">
          {!view && (
            <Text c="dimmed">
              {filterWords === '' ? words('holdsAll') : words('holds', { filter: filterWords })}
            </Text>
          )}
          <TextInput
            label={words('name')}
            maxLength={60}
            required
            data-autofocus
            {...form.getInputProps('name')}
          />
          <SegmentedControl
            fullWidth
            aria-label={words('for')}
            data={[
              { value: 'private', label: words('forMe') },
              { value: 'shared', label: words('forAll') },
            ]}
            value={form.values.is_shared ? 'shared' : 'private'}
            onChange={(value) => form.setFieldValue('is_shared', value === 'shared')}
          />
        </Stack>
      </DialogForm>
    </Modal>
  )
}

function Deletion({
  view,
  onClose,
  onDone,
}: {
  view: View
  onClose: () => void
  onDone: () => void
}) {
  const words = useTranslations('views')
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => deleteView(view.id),
    onSuccess: onDone,
  })
  return (
    <Confirm
      opened
      title={words('deleteTitle', { name: view.name })}
      text={words(view.is_shared ? 'deleteShared' : 'deleteText')}
      action={words('delete')}
      isPending={isPending}
      error={error}
      onConfirm={() => mutate()}
      onClose={onClose}
    />
  )
}
