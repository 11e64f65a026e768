import { ComingField } from '../../ui/focus.ts'
import { part } from '../../data/rest.ts'
import { ActionIcon, Button, Menu } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import {
  Bookmark,
  BookmarkPlus,
  ChevronDown,
  Pencil,
  Pin,
  PinOff,
  RefreshCw,
  RotateCcw,
  Trash2,
  Users,
} from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { useTranslations } from 'use-intl'
import { useRefusalText } from '../../ui/states.tsx'
import { say, warn } from '../../ui/toasts.ts'
import {
  canonical,
  changeView,
  pinView,
  screenIcons,
  viewedTypes,
  viewsOf,
  viewsQuery,
} from './views.ts'
import type { View, ViewedScreen } from './views.ts'
import styles from './views.module.css'

const dialogs = part('dialogs of views', () => import('./view-dialogs.tsx'))
const ViewName = lazy(async () => ({ default: (await dialogs()).ViewName }))
const ViewDeletion = lazy(async () => ({ default: (await dialogs()).ViewDeletion }))

type Dialog = { kind: 'save' } | { kind: 'rename'; view: View } | { kind: 'delete'; view: View }

/**
 * The saved views of a board or a list: filter, order and columns under a name. The address names the
 * open one, and the button says when the screen shows something else.
 */
export function ViewsMenu({
  screen,
  pipelineId,
  search,
  viewId,
  filterWords,
  hasFilterOf,
  onOpen,
}: {
  screen: ViewedScreen
  /** The pipeline of a board; null on a list. */
  pipelineId: number | null
  /** The query string of the screen without the name of the view. */
  search: string
  viewId: number | undefined
  /** The present filter, for the dialog. */
  filterWords: string
  /** Whether the screen has the filter of a view that was saved on the other screen of its records. */
  hasFilterOf: (view: View) => boolean
  onOpen: (view: View | undefined) => void
}) {
  const words = useTranslations('views')
  const client = useQueryClient()
  const refusalText = useRefusalText()
  const query = useQuery(viewsQuery)
  const [dialog, setDialog] = useState<Dialog>()
  const views = viewsOf(query.data ?? [], screen, pipelineId)
  const view = views.find(({ id }) => id === viewId)
  const isChanged =
    view !== undefined &&
    (view.screen === screen ? canonical(view.search) !== canonical(search) : !hasFilterOf(view))
  const groups = [
    { title: words('own'), views: views.filter(({ is_own }) => is_own) },
    { title: words('shared'), views: views.filter(({ is_own }) => !is_own) },
  ].filter((group) => group.views.length > 0)
  const reload = () => client.invalidateQueries({ queryKey: viewsQuery.queryKey })
  const update = useMutation({
    mutationFn: ({ id, screen: savedOn }: View) =>
      changeView(id, {
        search: canonical(search).slice(1),
        ...(savedOn !== screen && { screen, pipeline_id: pipelineId }),
      }),
    onSuccess: async ({ name }) => {
      await reload()
      say(words('updated', { name }))
    },
    onError: (error) => warn(words('failed'), refusalText(error)),
  })
  const pin = useMutation({
    mutationFn: ({ id, pinned_at }: View) => pinView(id, pinned_at === null),
    onSuccess: reload,
    onError: (error) => warn(words('failed'), refusalText(error)),
  })
  /** Where one menu has the views of a board and of a list. */
  const iconOf = (each: View) => {
    if (viewedTypes[screen] !== 'leads') return undefined
    const Icon = screenIcons[each.screen]
    return <Icon size={13} aria-label={words(each.screen === 'board' ? 'ofBoard' : 'ofList')} />
  }
  return (
    <>
      <Menu position="bottom-start" width={280}>
        <Menu.Target>
          <Button
            variant="default"
            className={styles.button}
            title={words('title')}
            leftSection={<Bookmark size={14} aria-hidden />}
            rightSection={<ChevronDown size={14} aria-hidden />}
            aria-label={
              view ? words(isChanged ? 'openChanged' : 'open', { name: view.name }) : words('title')
            }
          >
            <span className={styles.name} data-none={view ? undefined : true}>
              {view?.name ?? words('title')}
            </span>
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
                    <span className={styles.marks}>
                      {iconOf(each)}
                      {each.is_shared && <Users size={13} aria-label={words('isShared')} />}
                    </span>
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
          {view && (
            <Menu.Item
              leftSection={
                view.pinned_at === null ? (
                  <Pin size={14} aria-hidden />
                ) : (
                  <PinOff size={14} aria-hidden />
                )
              }
              onClick={() => pin.mutate(view)}
            >
              {words(view.pinned_at === null ? 'pin' : 'unpin')}
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
      <Suspense fallback={<ComingField />}>
        {(dialog?.kind === 'save' || dialog?.kind === 'rename') && (
          <ViewName
            view={dialog.kind === 'rename' ? dialog.view : undefined}
            screen={screen}
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
          <ViewDeletion
            view={dialog.view}
            onClose={() => setDialog(undefined)}
            onDone={async () => {
              setDialog(undefined)
              onOpen(undefined)
              await reload()
            }}
          />
        )}
      </Suspense>
    </>
  )
}
