import { ActionIcon, Badge, Button, Modal, Radio, Stack, TextInput, Tooltip } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Pencil, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { segmentColors, stageColors, useColorNames } from '../../crm/colors.ts'
import { Swatches } from '../../crm/swatches.tsx'
import { bootstrapQuery, useBootstrap } from '../../crm/bootstrap.ts'
import { announceChanged } from '../../data/tabs.ts'
import {
  changeCustomersMode,
  editCustomerStatus,
  createCustomerStatus,
  dropCustomerStatus,
  placeCustomerStatus,
} from '../../features/customer-statuses/customer-statuses.ts'
import type {
  CustomerStatusSummary,
  WantedMode,
} from '../../features/customer-statuses/customer-statuses.ts'
import {
  createSegment,
  dropSegment,
  editSegment,
  presentSegment,
  segmentsQuery,
} from '../../features/segments/segments.ts'
import type { Segment, SegmentDraft } from '../../features/segments/segments.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { DialogForm } from '../../ui/dialog-form.tsx'
import { useFilled } from '../../ui/form.ts'
import { ListLine, ListRow, RecordList } from '../../ui/list.tsx'
import { OrderedList } from '../../ui/ordered-list.tsx'
import { PageFrame, PageSection } from '../../ui/page.tsx'
import { Empty, Unloaded } from '../../ui/states.tsx'
import { say } from '../../ui/toasts.ts'
import styles from './customers.module.css'

const modes = ['periodicity', 'segments', 'disabled'] as const

/** The most statuses of an account (interface: Limits). */
const mostStatuses = 30

/** How the account works with customers, who buy again and again. */
export function CustomersPage() {
  const words = useTranslations('customers')
  const { account } = useBootstrap()
  const mode = account.customers_mode as WantedMode
  return (
    <PageFrame title={words('title')} about={words('about')}>
      <PageSection title={words('mode')}>
        <Mode mode={mode} />
      </PageSection>
      <PageSection
        title={words('statuses')}
        about={words(mode === 'periodicity' ? 'statusesAbout' : 'statusesHidden')}
      >
        {mode === 'periodicity' && <Statuses />}
      </PageSection>
      <PageSection
        title={words('segments.title')}
        about={words(mode === 'segments' ? 'segments.about' : 'segments.hidden')}
      >
        {mode === 'segments' && <Segments />}
      </PageSection>
    </PageFrame>
  )
}

/** Asks for the vocabulary anew after a change, and tells the other tabs. */
function useRefreshedVocabulary() {
  const client = useQueryClient()
  return () => {
    announceChanged('bootstrap')
    return client.invalidateQueries({ queryKey: bootstrapQuery.queryKey })
  }
}

function Mode({ mode }: { mode: WantedMode }) {
  const words = useTranslations('customers')
  const ui = useTranslations('ui')
  const [wanted, setWanted] = useState<WantedMode>()
  const refresh = useRefreshedVocabulary()
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: changeCustomersMode,
    onSuccess: () => {
      setWanted(undefined)
      say(ui('saved'))
    },
    onSettled: refresh,
  })
  return (
    <>
      <Radio.Group value={mode} onChange={(chosen) => setWanted(chosen)}>
        <Stack gap="md">
          {modes.map((each) => (
            <Radio
              key={each}
              value={each}
              label={words(`modes.${each}`)}
              description={words(`modeAbouts.${each}`)}
            />
          ))}
        </Stack>
      </Radio.Group>
      <Confirm
        opened={wanted !== undefined}
        isSafe
        title={wanted ? words(`modeTitles.${wanted}`) : ''}
        text={
          wanted && (
            <>
              <span className={styles.part}>{words(`hides.${wanted}`)}</span>
              <span className={styles.part}>{words(`keeps.${wanted}`)}</span>
            </>
          )
        }
        action={words('change')}
        isPending={isPending}
        error={error}
        onConfirm={() => wanted && mutate(wanted)}
        onClose={() => {
          reset()
          setWanted(undefined)
        }}
      />
    </>
  )
}

function Statuses() {
  const words = useTranslations('customers')
  const shared = useTranslations('ui')
  const { customer_statuses: statuses } = useBootstrap()
  const refresh = useRefreshedVocabulary()
  const [open, setOpen] = useState<CustomerStatusSummary | 'new'>()
  const [leaving, setLeaving] = useState<CustomerStatusSummary>()
  const remove = useMutation({
    mutationFn: dropCustomerStatus,
    onSuccess: () => setLeaving(undefined),
    onSettled: refresh,
  })
  return (
    <>
      <OrderedList
        label={words('statuses')}
        items={statuses}
        move={async (id, before) => {
          try {
            await placeCustomerStatus(id, before)
          } finally {
            await refresh()
          }
        }}
        row={(status) => (
          <ListLine
            name={status.name}
            mark={
              <span className={styles.swatch} style={{ background: status.color }} aria-hidden />
            }
            about={typeText(words, status.type)}
            side={
              status.is_default && (
                <Badge variant="light" color="gray" size="sm">
                  {words('default')}
                </Badge>
              )
            }
            actions={
              <>
                <Tooltip label={words('edit')}>
                  <ActionIcon
                    size={28}
                    aria-label={words('editOf', { name: status.name })}
                    onClick={() => setOpen(status)}
                  >
                    <Pencil size={16} />
                  </ActionIcon>
                </Tooltip>
                {!status.is_default && (
                  <Tooltip label={shared('delete')}>
                    <ActionIcon
                      size={28}
                      aria-label={words('deleteOf', { name: status.name })}
                      onClick={() => {
                        remove.reset()
                        setLeaving(status)
                      }}
                    >
                      <Trash2 size={16} />
                    </ActionIcon>
                  </Tooltip>
                )}
              </>
            }
          />
        )}
      />
      <div className={styles.foot}>
        <Button
          variant="default"
          leftSection={<Plus size={16} />}
          disabled={statuses.length >= mostStatuses}
          onClick={() => setOpen('new')}
        >
          {words('add')}
        </Button>
        <span className={styles.count}>
          {words('count', { number: statuses.length, most: mostStatuses })}
        </span>
      </div>
      <Modal
        opened={open !== undefined}
        onClose={() => setOpen(undefined)}
        title={words(open === 'new' ? 'add' : 'edit')}
        closeButtonProps={{ 'aria-label': shared('close') }}
      >
        {open && (
          <StatusForm
            status={open}
            sort={addedSort(statuses)}
            onClose={() => setOpen(undefined)}
            onDone={() => {
              setOpen(undefined)
              void refresh()
            }}
          />
        )}
      </Modal>
      <Confirm
        opened={leaving !== undefined}
        title={words('deleteOf', { name: leaving?.name ?? '' })}
        text={words('deleteText')}
        action={shared('delete')}
        isPending={remove.isPending}
        error={remove.error}
        onConfirm={() => leaving && remove.mutate(leaving.id)}
        onClose={() => setLeaving(undefined)}
      />
    </>
  )
}

/** The most segments of an account (interface: Limits). */
const mostSegments = 100

function Segments() {
  const words = useTranslations('customers')
  const shared = useTranslations('ui')
  const client = useQueryClient()
  const query = useQuery(segmentsQuery)
  const refreshVocabulary = useRefreshedVocabulary()
  const refresh = () =>
    Promise.all([refreshVocabulary(), client.invalidateQueries({ queryKey: ['customers'] })])
  const [open, setOpen] = useState<Segment | 'new'>()
  const [leaving, setLeaving] = useState<Segment>()
  const remove = useMutation({
    mutationFn: dropSegment,
    onSuccess: () => setLeaving(undefined),
    onSettled: refresh,
  })
  if (!query.data) return <Unloaded query={query} />
  const segments = query.data
  return (
    <>
      {segments.length === 0 ? (
        <Empty title={words('segments.none')} text={words('segments.noneText')} />
      ) : (
        <RecordList label={words('segments.title')}>
          {segments.map((segment) => (
            <ListRow
              key={segment.id}
              name={segment.name}
              mark={
                <span
                  className={styles.swatch}
                  style={{ background: `#${segment.color}` }}
                  aria-hidden
                />
              }
              about={
                <span>{words('segments.customers', { number: segment.customers_count })}</span>
              }
              actions={
                <>
                  <Tooltip label={words('segments.edit')}>
                    <ActionIcon
                      size={28}
                      aria-label={words('editOf', { name: segment.name })}
                      onClick={() => setOpen(segment)}
                    >
                      <Pencil size={16} />
                    </ActionIcon>
                  </Tooltip>
                  <Tooltip label={shared('delete')}>
                    <ActionIcon
                      size={28}
                      aria-label={words('deleteOf', { name: segment.name })}
                      onClick={() => {
                        remove.reset()
                        setLeaving(segment)
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
      )}
      <div className={styles.foot}>
        <Button
          variant="default"
          leftSection={<Plus size={16} />}
          disabled={segments.length >= mostSegments}
          onClick={() => setOpen('new')}
        >
          {words('segments.add')}
        </Button>
        <span className={styles.count}>
          {words('count', { number: segments.length, most: mostSegments })}
        </span>
      </div>
      <Modal
        opened={open !== undefined}
        onClose={() => setOpen(undefined)}
        title={words(open === 'new' ? 'segments.add' : 'segments.edit')}
        closeButtonProps={{ 'aria-label': shared('close') }}
      >
        {open && (
          <SegmentForm
            segment={open}
            onClose={() => setOpen(undefined)}
            onDone={() => {
              setOpen(undefined)
              void refresh()
            }}
          />
        )}
      </Modal>
      <Confirm
        opened={leaving !== undefined}
        title={words('deleteOf', { name: leaving?.name ?? '' })}
        text={words('segments.deleteText', { number: leaving?.customers_count ?? 0 })}
        action={shared('delete')}
        isPending={remove.isPending}
        error={remove.error}
        onConfirm={() => leaving && remove.mutate(leaving.id)}
        onClose={() => setLeaving(undefined)}
      />
    </>
  )
}

function SegmentForm({
  segment,
  onClose,
  onDone,
}: {
  segment: Segment | 'new'
  onClose: () => void
  onDone: () => void
}) {
  const words = useTranslations('customers')
  const ui = useTranslations('ui')
  const colors = useTranslations('colors')
  const colorName = useColorNames()
  const isNew = segment === 'new'
  const begun: SegmentDraft = isNew
    ? { name: '', color: segmentColors[0] }
    : { name: segment.name, color: segment.color }
  const { form, submit, isPending, error, notice } = useFilled<SegmentDraft, unknown>({
    values: begun,
    present: async () => {
      if (isNew) return undefined
      const now = await presentSegment(segment.id)
      return now && { name: now.name, color: now.color }
    },
    validate: { name: (name) => (name.trim() === '' ? words('nameMissing') : undefined) },
    send: async (filled, key, changed) => {
      if (isNew) return createSegment(filled, key)
      return Object.keys(changed).length > 0 ? editSegment(segment.id, changed) : undefined
    },
    onDone,
  })
  return (
    <DialogForm
      onSubmit={submit}
      onCancel={onClose}
      action={isNew ? words('segments.add') : ui('save')}
      isPending={isPending}
      error={error}
      notice={notice}
    >
      <TextInput
        label={words('name')}
        maxLength={255}
        data-autofocus
        {...form.getInputProps('name')}
      />
      <Swatches<string>
        legend={colors('title')}
        chosen={form.values.color.toLowerCase()}
        choose={(color) => form.setFieldValue('color', color ?? begun.color)}
        choices={segmentColors.map((value) => ({
          value,
          name: colorName(`#${value}`),
          style: { background: `#${value}` },
        }))}
      />
    </DialogForm>
  )
}

const types = ['ordinary', 'expected', 'overdue', 'closed', 'recent'] as const

const typeText = (words: ReturnType<typeof useTranslations<'customers'>>, type: number): string =>
  words(`types.${types[type] ?? 'ordinary'}`)

/** The place of a new status: after the last ordinary one. */
const addedSort = (statuses: readonly CustomerStatusSummary[]): number =>
  (statuses.findLast(({ type }) => type === 0)?.sort ?? statuses.length) + 1

interface StatusValues extends Record<string, unknown> {
  name: string
  color: string
}

function StatusForm({
  status,
  sort,
  onClose,
  onDone,
}: {
  status: CustomerStatusSummary | 'new'
  sort: number
  onClose: () => void
  onDone: () => void
}) {
  const words = useTranslations('customers')
  const ui = useTranslations('ui')
  const colors = useTranslations('colors')
  const colorName = useColorNames()
  const isNew = status === 'new'
  const begun = isNew ? { name: '', color: stageColors[0] } : status
  const client = useQueryClient()
  const { form, submit, isPending, error, notice } = useFilled<StatusValues, unknown>({
    values: { name: begun.name, color: begun.color },
    present: async () => {
      if (isNew) return undefined
      const { customer_statuses } = await client.fetchQuery({ ...bootstrapQuery, staleTime: 0 })
      const now = customer_statuses.find(({ id }) => id === status.id)
      return now && { name: now.name, color: now.color }
    },
    validate: { name: (name) => (name.trim() === '' ? words('nameMissing') : undefined) },
    send: async ({ name, color }, key, changed) => {
      if (isNew) return createCustomerStatus({ name, color, sort }, key)
      if (Object.keys(changed).length === 0) return undefined
      return editCustomerStatus(status.id, changed)
    },
    onDone,
  })
  return (
    <DialogForm
      onSubmit={submit}
      onCancel={onClose}
      action={isNew ? words('add') : ui('save')}
      isPending={isPending}
      error={error}
      notice={notice}
    >
      <TextInput
        label={words('name')}
        maxLength={255}
        data-autofocus
        {...form.getInputProps('name')}
      />
      <Swatches
        legend={colors('title')}
        chosen={form.values.color.toLowerCase()}
        choose={(color) => form.setFieldValue('color', color ?? begun.color)}
        choices={stageColors.map((value) => ({
          value,
          name: colorName(value),
          style: { background: value },
        }))}
      />
    </DialogForm>
  )
}
