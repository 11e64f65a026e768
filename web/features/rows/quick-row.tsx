// A new record as a line over the table: Enter saves it and begins the next.
import { ActionIcon, Button, TextInput } from '@mantine/core'
import { X } from 'lucide-react'
import { useId, useLayoutEffect, useRef, useState } from 'react'
import type { FormEvent } from 'react'
import { useTranslations } from 'use-intl'
import { addRecord, fieldOfReachable, reachableAt } from '../../crm/records.ts'
import { RecordLink } from '../../crm/record-link.tsx'
import { Problem } from '../../data/api.ts'
import { newKey } from '../../data/writes.ts'
import { useFaultText } from '../../ui/faults.ts'
import { NumberField, useNumbers } from '../../ui/number-field.tsx'
import { ProblemAlert } from '../../ui/states.tsx'
import { say } from '../../ui/toasts.ts'
import { useTableContext } from './context.ts'
import { askNamed } from './rows.ts'
import styles from './rows.module.css'

const blank = { name: '', phone: '', email: '', price: '' }
type Typed = typeof blank

/** `pipelineId`: that new leads go to; undefined: the main one. `close`: gives the focus to the table. */
export function QuickRow({
  pipelineId,
  close,
}: {
  pipelineId: number | undefined
  close: () => void
}) {
  const words = useTranslations('rows')
  const { store, selection, vocabulary, open } = useTableContext()
  const { type } = store.key
  const textOf = useFaultText()
  const [typed, setTyped] = useState(blank)
  const [error, setError] = useState<unknown>()
  const [faults, setFaults] = useState<Record<string, string>>({})
  const [isTried, setTried] = useState(false)
  const rules = { isWhole: true, min: 0, currency: vocabulary.account.currency }
  const numbers = useNumbers(rules)
  const form = useRef<HTMLFormElement>(null)
  const title = useId()
  /** What is sent again unchanged is done once. */
  const sent = useRef<{ text: string; key: string }>(undefined)
  useLayoutEffect(() => form.current?.querySelector('input')?.focus(), [])
  const set = (change: Partial<Typed>) => {
    setTyped((now) => ({ ...now, ...change }))
    setFaults({})
  }

  async function add(line: Typed): Promise<void> {
    const text = JSON.stringify(line)
    if (sent.current?.text !== text) sent.current = { text, key: newKey() }
    const { key } = sent.current
    const name = line.name.trim()
    const reach = reachableAt(line)
    const id =
      type === 'leads'
        ? await addRecord(
            'leads',
            {
              name,
              price: numbers.amount(line.price) ?? 0,
              ...(pipelineId !== undefined && { pipeline_id: pipelineId }),
            },
            key,
          )
        : await addRecord(
            type,
            { name, ...(reach.length > 0 && { custom_fields_values: reach }) },
            key,
          )
    sent.current = undefined
    store.wantOrder()
    const { value: _, ...whole } = store.key
    const isListed = (await askNamed(whole, [id]).catch(() => undefined))?.length !== 0
    const shown = name || `#${id}`
    if (isListed) return selection.say(words('added', { name: shown }))
    say(
      words.rich('addedElsewhere', {
        name: shown,
        link: (children) => (
          <RecordLink type={type} id={id} open={() => open(id)}>
            {children}
          </RecordLink>
        ),
      }),
    )
  }

  const submit = (event: FormEvent) => {
    event.preventDefault()
    const first = form.current?.querySelector('input')
    if (Object.values(typed).every((text) => text.trim() === '')) return first?.focus()
    if (type === 'leads' && numbers.fault(typed.price) !== undefined) return setTried(true)
    if (type !== 'contacts' && typed.name.trim() === '') {
      setFaults({ name: words('nameMissing') })
      return first?.focus()
    }
    setError(undefined)
    setTried(false)
    setTyped(blank)
    first?.focus()
    add(typed).catch((refusal: unknown) => {
      const found = (refusal instanceof Problem ? refusal.faults : []).map((fault) => [
        fieldOfReachable(fault.path, typed) ?? fault.path,
        textOf(fault),
      ])
      setFaults(Object.fromEntries(found) as Record<string, string>)
      setError(refusal)
      // The line is kept for another try, unless the next one is begun.
      setTyped((now) => (now === blank ? typed : now))
    })
  }
  const input = (name: keyof Typed, label: string, more: object = {}) => (
    <TextInput
      size="xs"
      autoComplete="off"
      label={label}
      value={typed[name]}
      error={faults[name]}
      onChange={({ target }) => set({ [name]: target.value })}
      {...more}
    />
  )
  return (
    <form
      ref={form}
      className={styles.quick}
      aria-labelledby={title}
      noValidate
      onSubmit={submit}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        event.stopPropagation()
        close()
      }}
    >
      <span id={title} className={styles.quickTitle}>
        {words(`new.${type}`)}
      </span>
      {input('name', words('columns.name'), { maxLength: 255, flex: 2 })}
      {type === 'leads' ? (
        <NumberField
          size="xs"
          flex={1}
          rules={rules}
          isTried={isTried}
          label={words('columns.price')}
          value={typed.price}
          onChange={(price) => set({ price })}
        />
      ) : (
        <>
          {input('phone', words('phone'), { type: 'tel', maxLength: 100, flex: 1 })}
          {input('email', words('email'), { type: 'email', maxLength: 255, flex: 1 })}
        </>
      )}
      <Button type="submit" size="xs">
        {words('add')}
      </Button>
      <ActionIcon size={24} aria-label={words('closeNew')} onClick={close}>
        <X size={14} />
      </ActionIcon>
      {Object.keys(faults).length === 0 && <ProblemAlert error={error} />}
    </form>
  )
}
