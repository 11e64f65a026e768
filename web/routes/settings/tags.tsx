import { ActionIcon, Button, Modal, Tabs, TextInput, Tooltip } from '@mantine/core'
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { Navigate, useNavigate } from '@tanstack/react-router'
import { Merge, Pencil, Plus, Search, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import type { RecordType } from '../../../server/records/description.ts'
import { useBootstrap } from '../../crm/bootstrap.ts'
import { Drawing } from '../../crm/icons.tsx'
import { MergeDialogs } from '../../crm/merge-dialogs.tsx'
import { useFoundTags } from '../../crm/tags.ts'
import type { Tag } from '../../crm/tags.ts'
import { usesCounted } from '../../features/drawn-lists/drawn-list.tsx'
import { JobsStrip } from '../../features/jobs/jobs-strip.tsx'
import { TagForm } from '../../features/tags/tag-form.tsx'
import { dropTag, managedTagsQuery, mergeTag, taggedTypes } from '../../features/tags/tags.ts'
import type { ManagedTag } from '../../features/tags/tags.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { ListRow, RecordList } from '../../ui/list.tsx'
import { useIsNarrow } from '../../ui/narrow.ts'
import { PageFrame } from '../../ui/page.tsx'
import { Empty, Unloaded } from '../../ui/states.tsx'
import { useTyped } from '../../ui/waiting.tsx'
import { settingsAt, useRecordId } from './pages.ts'

/** Milliseconds without a key after which the server is asked. */
const pauseMs = 150

/** The page has an address for each type of records; the first one is that of leads. */
export const TagsPage = () => <Navigate to={settingsAt('tags', taggedTypes[0])} replace />

/** The tags of leads, contacts, companies or customers, by their names. */
export function TagsOfType() {
  const words = useTranslations('tags')
  const shell = useTranslations('shell')
  const fields = useTranslations('fields')
  const settings = useTranslations('settings')
  const navigate = useNavigate()
  const isNarrow = useIsNarrow()
  const id = useRecordId()
  const type = taggedTypes.find((each) => each === id)
  const [isAdding, setAdding] = useState(false)
  return (
    <PageFrame
      title={words('title')}
      about={words('about')}
      {...(isNarrow && { up: { to: settingsAt(), title: settings('title') } })}
      actions={
        type && (
          <Button leftSection={<Plus size={16} />} onClick={() => setAdding(true)}>
            {words('create')}
          </Button>
        )
      }
    >
      {!type ? (
        <Empty title={shell('notFound')} text={shell('notFoundText')} />
      ) : (
        <Tabs
          value={type}
          onChange={(name) => name && void navigate({ to: settingsAt('tags', name) })}
        >
          <Tabs.List mb="lg">
            {taggedTypes.map((each) => (
              <Tabs.Tab key={each} value={each}>
                {fields(`entity.${each}`)}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {taggedTypes.map((each) => (
            <Tabs.Panel key={each} value={each}>
              {each === type && <OfType type={type} isAdding={isAdding} setAdding={setAdding} />}
            </Tabs.Panel>
          ))}
        </Tabs>
      )}
    </PageFrame>
  )
}

function OfType({
  type,
  isAdding,
  setAdding,
}: {
  type: RecordType
  isAdding: boolean
  setAdding: (isAdding: boolean) => void
}) {
  const words = useTranslations('tags')
  const shared = useTranslations('ui')
  const client = useQueryClient()
  const [typed, setTyped] = useState('')
  const text = useTyped(typed.trim(), pauseMs)
  const query = useInfiniteQuery({
    ...managedTagsQuery(type, text),
    placeholderData: (before) => before,
  })
  const tags = query.data?.pages.flatMap((page) => page._embedded.tags) ?? []
  const [edited, setEdited] = useState<ManagedTag>()
  const [merged, setMerged] = useState<ManagedTag>()
  const [leaving, setLeaving] = useState<ManagedTag>()
  const refresh = () =>
    Promise.all(
      ['tags', 'jobs', 'bootstrap'].map((key) => client.invalidateQueries({ queryKey: [key] })),
    )
  const removal = useMutation({
    mutationFn: dropTag,
    onSuccess: () => setLeaving(undefined),
    onSettled: refresh,
  })
  const usesOf = ({ used }: ManagedTag) =>
    used > usesCounted
      ? words('moreUses', { number: usesCounted })
      : words('uses', { number: used })
  const close = () => {
    setEdited(undefined)
    setAdding(false)
  }
  return (
    <>
      <JobsStrip />
      <TextInput
        mb="md"
        maw={320}
        leftSection={<Search size={14} aria-hidden />}
        aria-label={words('search')}
        placeholder={words('search')}
        maxLength={255}
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
      />
      {!query.data ? (
        <Unloaded query={query} />
      ) : tags.length === 0 && text === '' ? (
        <Empty title={words('none')} text={words('noneText')} />
      ) : tags.length === 0 ? (
        <p role="status">{shared('nothingFound')}</p>
      ) : (
        <>
          <RecordList label={words('title')}>
            {tags.map((tag) => (
              <ListRow
                key={tag.id}
                name={tag.name}
                mark={type === 'leads' && <Drawing of={{ color: tag.color, icon_id: null }} />}
                about={<span>{usesOf(tag)}</span>}
                actions={
                  <>
                    <Tooltip label={words('edit')}>
                      <ActionIcon
                        aria-label={words('editOf', { name: tag.name })}
                        onClick={() => setEdited(tag)}
                      >
                        <Pencil size={16} />
                      </ActionIcon>
                    </Tooltip>
                    <Tooltip label={words('merge')}>
                      <ActionIcon
                        aria-label={words('mergeOf', { name: tag.name })}
                        onClick={() => setMerged(tag)}
                      >
                        <Merge size={16} />
                      </ActionIcon>
                    </Tooltip>
                    <Tooltip label={shared('delete')}>
                      <ActionIcon
                        aria-label={words('deleteOf', { name: tag.name })}
                        onClick={() => {
                          removal.reset()
                          setLeaving(tag)
                        }}
                      >
                        <Trash2 size={16} />
                      </ActionIcon>
                    </Tooltip>
                  </>
                }
              />
            ))}
          </RecordList>
          {query.hasNextPage && (
            <Button
              variant="default"
              fullWidth
              mt="md"
              loading={query.isFetchingNextPage}
              onClick={() => void query.fetchNextPage()}
            >
              {shared('more')}
            </Button>
          )}
        </>
      )}
      <Modal
        opened={isAdding || edited !== undefined}
        onClose={close}
        title={words(edited ? 'edit' : 'create')}
        closeButtonProps={{ 'aria-label': shared('close') }}
      >
        <TagForm
          type={type}
          tag={edited && (tags.find(({ id }) => id === edited.id) ?? edited)}
          action={edited ? shared('save') : words('create')}
          onClose={close}
          onDone={() => {
            close()
            void refresh()
          }}
        />
      </Modal>
      {merged && (
        <MergeTag
          type={type}
          tag={merged}
          text={
            merged.used > usesCounted
              ? words('mergeMore', { number: usesCounted })
              : words('mergeText', { number: merged.used })
          }
          onClose={() => setMerged(undefined)}
        />
      )}
      <Confirm
        opened={leaving !== undefined}
        title={words('deleteOf', { name: leaving?.name ?? '' })}
        text={
          leaving &&
          (leaving.used > usesCounted
            ? words('deleteMore', { number: usesCounted })
            : words('deleteText', { number: leaving.used }))
        }
        action={shared('delete')}
        isPending={removal.isPending}
        error={removal.error}
        onConfirm={() => leaving && removal.mutate(leaving.id)}
        onClose={() => setLeaving(undefined)}
      />
    </>
  )
}

/** Asks into which tag another one goes: the first come with the page, and the server finds the others. */
function MergeTag({
  type,
  tag,
  text,
  onClose,
}: {
  type: RecordType
  tag: ManagedTag
  text: string
  onClose: () => void
}) {
  const words = useTranslations('tags')
  const [typed, setTyped] = useState('')
  const { tags: found, isFetching, error } = useFoundTags(type, typed)
  const first = useBootstrap().tags[type]
  const byId = new Map<number, Tag>([...first, ...found].map((each) => [each.id, each]))
  byId.delete(tag.id)
  const others = [...byId.values()].toSorted((a, b) => a.name.localeCompare(b.name))
  return (
    <MergeDialogs
      title={words('mergeOf', { name: tag.name })}
      hint={words('mergeHint')}
      targets={others.map((each) => ({ ...each, icon_id: null }))}
      search={{ onType: setTyped, isFetching, error }}
      question={({ name }) => words('mergeInto', { name: tag.name, into: name })}
      text={text}
      action={words('mergeDo')}
      send={({ id }) => mergeTag(tag.id, id)}
      onClose={onClose}
    />
  )
}
