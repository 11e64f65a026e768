import { ActionIcon, Badge, Button, Modal, Radio, Stack, TextInput, Tooltip } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ArrowDown, ArrowUp, GripVertical, Pencil, Plus, Trash2 } from 'lucide-react'
import { useLayoutEffect, useRef, useState } from 'react'
import type { KeyboardEvent } from 'react'
import { useTranslations } from 'use-intl'
import { bootstrapQuery, useBootstrap } from '../../crm/bootstrap.ts'
import { announceChanged } from '../../data/tabs.ts'
import {
  changeCustomersMode,
  editCustomerStatus,
  createCustomerStatus,
  dropCustomerStatus,
  statusPalette,
} from '../../features/customer-statuses/customer-statuses.ts'
import type {
  CustomerStatusSummary,
  WantedMode,
} from '../../features/customer-statuses/customer-statuses.ts'
import { StatusPalette } from '../../features/customer-statuses/palette.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { useOrders } from '../../ui/conflict.tsx'
import { DialogForm } from '../../ui/dialog-form.tsx'
import { useFilled } from '../../ui/form.ts'
import { PageFrame, PageSection } from '../../ui/page.tsx'
import { ProblemAlert } from '../../ui/states.tsx'
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
  const { customer_statuses: present } = useBootstrap()
  const refresh = useRefreshedVocabulary()
  const [open, setOpen] = useState<CustomerStatusSummary | 'new'>()
  const [leaving, setLeaving] = useState<CustomerStatusSummary>()
  const [announced, setAnnounced] = useState('')
  const list = useRef<HTMLUListElement>(null)
  /** The status whose button keeps the focus when its row has moved, and which of its buttons. */
  const focused = useRef<{ id: number; act: string }>(undefined)
  const move = useMutation({
    mutationFn: ({ id, sort }: { id: number; sort: number }) => editCustomerStatus(id, { sort }),
    onSettled: refresh,
  })
  const remove = useMutation({
    mutationFn: dropCustomerStatus,
    onSuccess: () => setLeaving(undefined),
    onSettled: refresh,
  })
  const statuses =
    move.isPending && present.find(({ id }) => id === move.variables.id)
      ? movedTo(present, move.variables)
      : present
  const order = statuses.map(({ id }) => id).join()
  useLayoutEffect(() => {
    if (!focused.current) return
    const { id, act } = focused.current
    const button = list.current?.querySelector<HTMLButtonElement>(
      `[data-status="${id}"] [data-act="${act}"]`,
    )
    // At the end of the list the button of that direction goes.
    const other = list.current?.querySelector<HTMLElement>(`[data-status="${id}"] [data-act=grip]`)
    if (button && !button.disabled) button.focus()
    else other?.focus()
    focused.current = undefined
  }, [order])

  function moveBy(status: CustomerStatusSummary, by: number, act: string): void {
    const index = statuses.indexOf(status) + by
    if (move.isPending || index < 0 || index >= statuses.length) return
    focused.current = { id: status.id, act }
    moveTo(status, index)
  }
  function moveTo(status: CustomerStatusSummary, index: number): void {
    if (index === statuses.indexOf(status)) return
    move.mutate({ id: status.id, sort: index + 1 })
    setAnnounced(
      words('moved', { name: status.name, position: index + 1, number: statuses.length }),
    )
  }
  const onKeys = (status: CustomerStatusSummary, act: string) => (event: KeyboardEvent) => {
    const by = { ArrowUp: -1, ArrowLeft: -1, ArrowDown: 1, ArrowRight: 1 }[event.key]
    if (by === undefined || !event.altKey || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    event.stopPropagation()
    moveBy(status, by, act)
  }
  const [dragged, setDragged] = useState<number>()
  const [over, setOver] = useState<number>()

  return (
    <>
      <ProblemAlert error={move.error} />
      <ul ref={list} className={styles.list} aria-label={words('statuses')}>
        {statuses.map((status, index) => (
          <li
            key={status.id}
            className={styles.row}
            data-status={status.id}
            data-over={over === index && dragged !== status.id ? true : undefined}
            onDragOver={(event) => {
              if (dragged === undefined) return
              event.preventDefault()
              setOver(index)
            }}
            onDrop={(event) => {
              event.preventDefault()
              const moved = statuses.find(({ id }) => id === dragged)
              if (moved && !move.isPending) moveTo(moved, index)
            }}
          >
            <button
              type="button"
              className={styles.grip}
              data-act="grip"
              draggable
              aria-label={words('moveOf', { name: status.name })}
              title={words('moveAbout')}
              onKeyDown={onKeys(status, 'grip')}
              onDragStart={(event) => {
                setDragged(status.id)
                event.dataTransfer.effectAllowed = 'move'
                event.dataTransfer.setData('text/plain', status.name)
              }}
              onDragEnd={() => {
                setDragged(undefined)
                setOver(undefined)
              }}
            >
              <GripVertical size={16} aria-hidden />
            </button>
            <span className={styles.swatch} style={{ background: status.color }} aria-hidden />
            <div className={styles.words}>
              <div className={styles.title}>
                <span className={styles.name}>{status.name}</span>
                {status.is_default && (
                  <Badge variant="light" color="gray" size="sm">
                    {words('default')}
                  </Badge>
                )}
              </div>
              <span className={styles.type}>{typeText(words, status.type)}</span>
            </div>
            <div className={styles.actions}>
              {([-1, 1] as const).map((by) => {
                const act = by < 0 ? 'up' : 'down'
                return (
                  <ActionIcon
                    key={act}
                    data-act={act}
                    size={28}
                    aria-label={words(act, { name: status.name })}
                    disabled={index + by < 0 || index + by >= statuses.length}
                    onClick={() => moveBy(status, by, act)}
                    onKeyDown={onKeys(status, act)}
                  >
                    {by < 0 ? <ArrowUp size={16} /> : <ArrowDown size={16} />}
                  </ActionIcon>
                )
              })}
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
            </div>
          </li>
        ))}
      </ul>
      <div className={styles.foot}>
        <Button
          variant="default"
          leftSection={<Plus size={16} />}
          disabled={statuses.length >= mostStatuses}
          onClick={() => setOpen('new')}
        >
          {words('add')}
        </Button>
        <span className={styles.type}>
          {words('count', { number: statuses.length, most: mostStatuses })}
        </span>
      </div>
      <div role="status" className={styles.announced}>
        {announced}
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
            present={open === 'new' ? undefined : present.find(({ id }) => id === open.id)}
            sort={addedSort(present)}
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

const types = ['ordinary', 'expected', 'overdue', 'closed', 'recent'] as const

const typeText = (words: ReturnType<typeof useTranslations<'customers'>>, type: number): string =>
  words(`types.${types[type] ?? 'ordinary'}`)

/** The statuses once the one with `id` has taken the place `sort`. */
function movedTo(
  statuses: readonly CustomerStatusSummary[],
  { id, sort }: { id: number; sort: number },
): CustomerStatusSummary[] {
  const moved = statuses.find((each) => each.id === id)!
  const others = statuses.filter((each) => each !== moved)
  return [...others.slice(0, sort - 1), moved, ...others.slice(sort - 1)]
}

/** The place of a new status: after the last ordinary one. */
const addedSort = (statuses: readonly CustomerStatusSummary[]): number =>
  (statuses.findLast(({ type }) => type === 0)?.sort ?? statuses.length) + 1

function StatusForm({
  status,
  present,
  sort,
  onClose,
  onDone,
}: {
  status: CustomerStatusSummary | 'new'
  /** The status as it is now; undefined once somebody has deleted it. */
  present: CustomerStatusSummary | undefined
  sort: number
  onClose: () => void
  onDone: () => void
}) {
  const words = useTranslations('customers')
  const ui = useTranslations('ui')
  const orders = useOrders()
  const isNew = status === 'new'
  const begun = isNew ? { name: '', color: statusPalette.paleYellow } : status
  const { form, submit, isPending, error } = useFilled<{ name: string; color: string }, unknown>({
    values: { name: begun.name, color: begun.color },
    validate: { name: (name) => (name.trim() === '' ? words('nameMissing') : undefined) },
    send: async ({ name, color }, key) => {
      if (isNew) return createCustomerStatus({ name, color, sort }, key)
      const goesOn = await orders.decide({
        base: { name: begun.name, color: begun.color },
        present: present && { name: present.name, color: present.color },
        wanted: { name, color },
        text: words('changedMeanwhile', { name: present?.name ?? '' }),
      })
      const change = {
        ...(name.trim() !== begun.name && { name }),
        ...(color !== begun.color && { color }),
      }
      if (!goesOn || Object.keys(change).length === 0) return undefined
      return editCustomerStatus(status.id, change)
    },
    onDone,
  })
  return (
    <DialogForm
      onSubmit={submit}
      onCancel={onClose}
      action={isNew ? words('add') : ui('save')}
      isPending={isPending && !orders.notice}
      error={error}
    >
      <TextInput
        label={words('name')}
        maxLength={255}
        data-autofocus
        {...form.getInputProps('name')}
      />
      <StatusPalette
        value={form.getValues().color}
        onChange={(color) => form.setFieldValue('color', color)}
      />
      {orders.notice}
    </DialogForm>
  )
}
