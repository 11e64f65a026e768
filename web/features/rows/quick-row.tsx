// A new record as a line over the table: Enter saves it and begins the next. A line that is not sent stays for the next
// time, and one that is refused comes back, or is said with all that was typed.
import { ActionIcon, Button, TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { X } from 'lucide-react'
import { useId, useImperativeHandle, useLayoutEffect, useRef, useState } from 'react'
import type { FormEvent, Ref } from 'react'
import { useTranslations } from 'use-intl'
import { addRecord, fieldOfReachable, reachableAt } from '../../crm/records.ts'
import { RecordLink } from '../../crm/record-link.tsx'
import { Problem } from '../../data/api.ts'
import { newKey } from '../../data/writes.ts'
import { dayAfter, dayAt, startOfDay } from '../../ui/day.ts'
import { useFaultText } from '../../ui/faults.ts'
import { NumberField, useNumbers } from '../../ui/number-field.tsx'
import { ProblemAlert, useRefusalText } from '../../ui/states.tsx'
import { say, warn } from '../../ui/toasts.ts'
import { useTableContext } from './context.ts'
import { askNamed } from './rows.ts'
import type { RowType } from './rows.ts'
import styles from './rows.module.css'

/** `date`: of the next purchase of a customer, which a line proposes. */
const blank = { name: '', phone: '', email: '', price: '', date: '' }
type Line = typeof blank

const isBlank = ({ date: _, ...line }: Line): boolean =>
  Object.values(line).every((text) => text.trim() === '')

/** Days to the next purchase of a new customer. */
const monthOfDays = 30
/** The fields of a line, by the type of the record. */
const lineInputs: Record<RowType, readonly (keyof Line)[]> = {
  leads: ['name', 'price'],
  contacts: ['name', 'phone', 'email'],
  companies: ['name', 'phone', 'email'],
  customers: ['name', 'date', 'price'],
}

/** The lines that are not sent yet, for as long as the page lives. */
const begun = new Map<RowType, Line>()

/** A line that was sent: the same line once more has the same key, so that it is added once. */
interface SentLine {
  text: string
  key: string
  isUnderWay: boolean
}

export interface QuickRowHandle {
  focus: () => void
}

/** `pipelineId`: that new leads go to; undefined: the main one. `close`: gives the focus to the table. */
export function QuickRow({
  ref,
  pipelineId,
  close,
}: {
  ref: Ref<QuickRowHandle>
  pipelineId: number | undefined
  close: () => void
}) {
  const words = useTranslations('rows')
  const { store, selection, vocabulary } = useTableContext()
  const navigate = useNavigate()
  const { type } = store.key
  const textOf = useFaultText()
  const refusalText = useRefusalText()
  const { timezone, currency } = vocabulary.account
  const emptyLine = (): Line => ({
    ...blank,
    ...(type === 'customers' && {
      date: dayAfter(dayAt(Date.now() / 1000, timezone), monthOfDays),
    }),
  })
  const [line, setLine] = useState(() => begun.get(type) ?? emptyLine())
  const [error, setError] = useState<unknown>()
  const [faults, setFaults] = useState<Partial<Line>>({})
  const [isTried, setTried] = useState(false)
  const rules = { isWhole: true, min: 0, currency }
  const numbers = useNumbers(rules)
  const inputs = lineInputs[type]
  const form = useRef<HTMLFormElement>(null)
  const title = useId()
  const sent = useRef<SentLine[]>([])
  /** As it is typed, also for answers that come later; undefined once the line is closed. */
  const typed = useRef<Line | undefined>(line)
  const focus = () => form.current?.querySelector('input')?.focus()
  useImperativeHandle(ref, () => ({ focus }))
  useLayoutEffect(() => {
    focus()
    return () => {
      typed.current = undefined
    }
  }, [])
  const change = (next: Line) => {
    typed.current = next
    if (isBlank(next)) begun.delete(type)
    else begun.set(type, next)
    setLine(next)
  }
  const set = (part: Partial<Line>) => {
    change({ ...line, ...part })
    setFaults({})
  }

  async function send({ name, price, phone, email, date }: Line, key: string): Promise<number> {
    if (type === 'customers')
      return addRecord(
        'customers',
        {
          name: name.trim(),
          next_date: startOfDay(date, timezone),
          next_price: numbers.amount(price) ?? 0,
        },
        key,
      )
    if (type === 'leads')
      return addRecord(
        'leads',
        {
          name: name.trim(),
          price: numbers.amount(price) ?? 0,
          ...(pipelineId !== undefined && { pipeline_id: pipelineId }),
        },
        key,
      )
    const reach = reachableAt({ phone, email })
    const reached = reach.length > 0 && { custom_fields_values: reach }
    return addRecord(type, { name: name.trim(), ...reached }, key)
  }

  async function add(next: Line): Promise<void> {
    const text = JSON.stringify(next)
    let own = sent.current.find((each) => each.text === text && !each.isUnderWay)
    if (own) own.isUnderWay = true
    else sent.current.push((own = { text, key: newKey(), isUnderWay: true }))
    try {
      const id = await send(next, own.key)
      sent.current = sent.current.filter((each) => each !== own)
      store.wantOrder()
      await tell(id, next.name.trim() || `#${id}`)
    } catch (refusal) {
      own.isUnderWay = false
      refused(next, refusal)
    }
  }

  /** Says that a record was added; with the way to it where the list does not show it. */
  async function tell(id: number, name: string): Promise<void> {
    const { value: _, ...whole } = store.key
    const isListed = (await askNamed(whole, [id]).catch(() => undefined))?.length !== 0
    if (isListed) return selection.say(words('added', { name }))
    const open = () => void navigate({ to: `/${type}/${id}` })
    say(
      words.rich('addedElsewhere', {
        name,
        link: (children) => (
          <RecordLink type={type} id={id} open={open}>
            {children}
          </RecordLink>
        ),
      }),
    )
  }

  /** The line comes back for another try; where the next one is begun, all that was typed is said. */
  function refused(former: Line, refusal: unknown): void {
    const present = typed.current ?? begun.get(type) ?? emptyLine()
    if (typed.current === undefined || !isBlank(present)) {
      if (isBlank(present)) begun.set(type, former)
      const texts = inputs.map((name) => former[name]).filter((text) => text.trim() !== '')
      warn(words('notAdded', { line: texts.join(' · ') }), refusalText(refusal))
      return
    }
    const found = (refusal instanceof Problem ? refusal.faults : []).map((fault) => [
      fieldOfReachable(fault.path, former) ?? inputOf(fault.path),
      textOf(fault),
    ])
    setFaults(Object.fromEntries(found) as Partial<Line>)
    setError(refusal)
    change(former)
  }

  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isBlank(line)) return focus()
    if (inputs.includes('price') && numbers.fault(line.price) !== undefined) return setTried(true)
    if (type !== 'contacts' && line.name.trim() === '') {
      setFaults({ name: words('nameMissing') })
      return focus()
    }
    if (inputs.includes('date') && line.date === '') {
      setFaults({ date: words('dateMissing') })
      return form.current?.querySelector<HTMLElement>('[type=date]')?.focus()
    }
    setError(undefined)
    setFaults({})
    setTried(false)
    change(emptyLine())
    focus()
    void add(line)
  }
  const input = (name: keyof Line, label: string, more: object = {}) => (
    <TextInput
      size="xs"
      autoComplete="off"
      label={label}
      value={line[name]}
      error={faults[name]}
      onChange={({ target }) => set({ [name]: target.value })}
      {...more}
    />
  )
  const named = Object.keys(faults) as (keyof Line)[]
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
      {inputs.includes('date') &&
        input('date', words('columns.next_date'), { type: 'date', max: '9999-12-31', flex: 1 })}
      {inputs.includes('price') ? (
        <NumberField
          size="xs"
          flex={1}
          rules={rules}
          isTried={isTried}
          error={faults.price}
          label={words(type === 'customers' ? 'columns.next_price' : 'columns.price')}
          value={line.price}
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
      {(named.length === 0 || named.some((name) => !inputs.includes(name))) && (
        <ProblemAlert error={error} />
      )}
    </form>
  )
}

/** The field of a line that a fault of the interface is about, which has other names for those of customers. */
const inputOf = (path: string): string => {
  const name = path.split('.').at(-1) ?? path
  return { next_date: 'date', next_price: 'price' }[name] ?? path
}
