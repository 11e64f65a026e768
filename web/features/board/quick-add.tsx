import { isClosed } from '../../crm/stages.ts'
import { ActionIcon, Button, Group, TextInput } from '@mantine/core'
import { X } from 'lucide-react'
import { useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { NumberField, useNumbers } from '../../ui/number-field.tsx'
import { ProblemAlert } from '../../ui/states.tsx'
import type { QuickLead } from './actions.tsx'
import styles from './board.module.css'
import { focusNow } from './focus.ts'
import { useSelection, useBoard } from './context.ts'
import type { BoardContext } from './context.ts'

const blank = { name: '', contact: '', phone: '', price: '' }

/** The first card of a column as a form; Enter saves it and begins the next. */
export function QuickAdd({ statusId }: { statusId: number }) {
  const isOpen = useSelection(({ adding }) => adding === statusId)
  return isOpen ? <Form statusId={statusId} /> : undefined
}

/** Opens the form for a lead in a column that is shown: on a phone its stage, else the first open one. */
export function openQuickAdd({
  selection,
  vocabulary,
  collapsed,
  collapse,
  isPhone,
}: BoardContext): void {
  const { columns } = vocabulary
  const chosen = columns.find(({ id }) => isPhone && id === selection.get().stage)
  const unfolded = columns.find(({ id }) => isPhone || !(collapsed.has(id) || isClosed(id)))
  const column = chosen ?? unfolded ?? columns[0]
  if (!column) return
  if (collapsed.has(column.id)) collapse(column.id, false)
  selection.set({ adding: column.id, ...(isPhone && { stage: column.id }) })
}

function Form({ statusId }: { statusId: number }) {
  const words = useTranslations('board')
  const { actions, selection, vocabulary } = useBoard()
  const [lead, setLead] = useState(blank)
  const [error, setError] = useState<unknown>()
  const [isTried, setTried] = useState(false)
  const { currency } = vocabulary.account
  const rules = { isWhole: true, min: 0, currency }
  const numbers = useNumbers(rules)
  const first = useRef<HTMLInputElement>(null)
  const price = useRef<HTMLInputElement>(null)
  const close = () => {
    selection.set({ adding: undefined })
    focusNow(statusId, undefined)
  }
  const set = (change: Partial<typeof blank>) => setLead((now) => ({ ...now, ...change }))
  const save = () => {
    const draft: QuickLead = {
      name: lead.name.trim(),
      contact: lead.contact.trim(),
      phone: lead.phone.trim(),
      price: numbers.amount(lead.price) ?? 0,
    }
    if (draft.name === '' && draft.contact === '' && draft.phone === '') {
      first.current?.focus()
      return
    }
    if (numbers.fault(lead.price) !== undefined) {
      setTried(true)
      price.current?.focus()
      return
    }
    setError(undefined)
    setTried(false)
    setLead(blank)
    first.current?.focus()
    actions
      .add(statusId, { ...draft, name: draft.name || draft.contact || draft.phone })
      // The text is kept for another try, unless the next one is begun.
      .catch((refusal: unknown) => {
        setError(refusal)
        setLead((now) => (now === blank ? lead : now))
      })
  }
  return (
    <form
      className={styles.quick}
      aria-label={words('quickAdd')}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        save()
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        event.stopPropagation()
        close()
      }}
    >
      <TextInput
        ref={first}
        autoFocus
        size="xs"
        label={words('leadName')}
        maxLength={255}
        value={lead.name}
        onChange={({ target }) => set({ name: target.value })}
      />
      <TextInput
        size="xs"
        label={words('contactName')}
        maxLength={255}
        value={lead.contact}
        onChange={({ target }) => set({ contact: target.value })}
      />
      <Group gap={6} wrap="nowrap" align="flex-start">
        <TextInput
          size="xs"
          type="tel"
          flex={1}
          label={words('phone')}
          maxLength={100}
          value={lead.phone}
          onChange={({ target }) => set({ phone: target.value })}
        />
        <NumberField
          ref={price}
          size="xs"
          flex={1}
          rules={rules}
          isTried={isTried}
          label={words('price')}
          value={lead.price}
          onChange={(typed) => set({ price: typed })}
        />
      </Group>
      <ProblemAlert error={error} />
      <Group gap={6} wrap="nowrap">
        <Button type="submit" size="xs">
          {words('addLead')}
        </Button>
        <ActionIcon size={24} aria-label={words('closeAdd')} onClick={close}>
          <X size={14} />
        </ActionIcon>
      </Group>
    </form>
  )
}
