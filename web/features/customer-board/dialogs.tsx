// What the board of customers asks before it moves a card: the status, the date of the next purchase, or the purchase.
import { Button, Group, Modal, TextInput } from '@mantine/core'
import { useLayoutEffect, useRef, useState } from 'react'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import { dayAfter, dayAt, startOfDay } from '../../ui/day.ts'
import { DialogForm } from '../../ui/dialog-form.tsx'
import { Picker } from '../../ui/picker.tsx'
import { focusCustomerAgain, useCustomerBoard, useHand } from './context.ts'
import type { CustomerDialog } from './context.ts'
import styles from './customer-board.module.css'
import type { CustomerCard } from './store.ts'
import { useCustomerTexts } from './texts.ts'

interface Props<Dialog> {
  dialog: Dialog
  card: CustomerCard
  close: () => void
}

/** The dialog that is open, one at a time. */
export function CustomerDialogs({
  purchase,
}: {
  purchase: (props: { id: number; done: () => void; close: () => void }) => ReactNode
}) {
  const { hand, store, actions } = useCustomerBoard()
  const dialog = useHand((state) => state.dialog)
  const isOpen = dialog !== undefined
  useLayoutEffect(() => {
    if (!isOpen) focusCustomerAgain(hand)
  }, [isOpen, hand])
  // A customer that leaves the filter meanwhile takes nothing away that is typed about it.
  const kept = useRef<CustomerCard>(undefined)
  const now = dialog && (store.cards.shown(dialog.id) ?? store.cards.snapshot(dialog.id))
  if (now || !dialog) kept.current = now
  const card = now ?? kept.current
  if (!dialog || !card) return undefined
  const close = () => hand.set({ dialog: undefined })
  switch (dialog.kind) {
    case 'move':
      return <Move dialog={dialog} card={card} close={close} />
    case 'date':
      return <NextDate dialog={dialog} card={card} close={close} />
    case 'purchase':
      return (
        <Purchase card={card} close={close}>
          {purchase({
            id: card.id,
            done: () => {
              close()
              void actions.bought(card.id, dialog.statusId)
            },
            close,
          })}
        </Purchase>
      )
  }
}

function Move({ card, close }: Props<CustomerDialog>) {
  const words = useTranslations('customerBoard')
  const board = useTranslations('board')
  const texts = useCustomerTexts()
  const { statuses, actions } = useCustomerBoard()
  return (
    <Picker
      title={board('moveTitle', { count: 1, name: texts.title(card) })}
      hint={words('findStatus')}
      choices={statuses.map(({ id, name, color }) => ({
        key: String(id),
        text: name,
        color,
        // In a group, the status after the present one is offered first.
        group: words('statuses'),
        isChosen: id === card.status_id,
      }))}
      onPick={(key) => {
        close()
        actions.move(card.id, Number(key))
      }}
      onClose={close}
    />
  )
}

/** Days up to which a next date is near. */
const nearDays = 7

function NextDate({ dialog, card, close }: Props<Extract<CustomerDialog, { kind: 'date' }>>) {
  const words = useTranslations('customerBoard')
  const board = useTranslations('board')
  const ui = useTranslations('ui')
  const texts = useCustomerTexts()
  const { actions, vocabulary } = useCustomerBoard()
  const { timezone } = vocabulary.account
  const today = dayAt(Date.now() / 1000, timezone)
  // A date that is near already may stay; any other one would put the customer elsewhere.
  const known = card.next_date > 0 ? dayAt(card.next_date, timezone) : ''
  const isNear = known >= today && known <= dayAfter(today, nearDays)
  const [date, setDate] = useState(isNear ? known : dayAfter(today))
  const [isTried, setTried] = useState(false)
  return (
    <Modal
      opened
      onClose={close}
      title={words('dateTitle', { name: texts.title(card) })}
      size={400}
      closeButtonProps={{ 'aria-label': ui('close') }}
    >
      <DialogForm
        onSubmit={(event) => {
          event.preventDefault()
          setTried(true)
          if (date === '') return
          close()
          actions.setDate(card.id, startOfDay(date, timezone), dialog.statusId)
        }}
        onCancel={close}
        action={board('move')}
        isPending={false}
        error={undefined}
      >
        <TextInput
          data-autofocus
          type="date"
          max="9999-12-31"
          label={words('dateLabel')}
          value={date}
          error={isTried && date === '' && board('needed')}
          onChange={({ target }) => setDate(target.value)}
        />
        <Group gap={6} mt={6}>
          {(['dueToday', 'dueTomorrow'] as const).map((key, at) => (
            <Button
              key={key}
              variant="default"
              size="compact-sm"
              onClick={() => setDate(dayAfter(today, at))}
            >
              {board(key)}
            </Button>
          ))}
        </Group>
      </DialogForm>
    </Modal>
  )
}

function Purchase({
  card,
  close,
  children,
}: {
  card: CustomerCard
  close: () => void
  children: ReactNode
}) {
  const words = useTranslations('customerBoard')
  const ui = useTranslations('ui')
  const texts = useCustomerTexts()
  return (
    <Modal
      opened
      onClose={close}
      title={words('purchaseTitle', { name: texts.title(card) })}
      size={560}
      closeButtonProps={{ 'aria-label': ui('close') }}
    >
      <div className={styles.purchase}>{children}</div>
    </Modal>
  )
}
