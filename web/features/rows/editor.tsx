// A cell in the user's hands: its draft, what is wrong with it, and what others did to the cell meanwhile. It ends as
// in a spreadsheet: Enter saves and goes down, Tab saves and goes on, Escape takes nothing. A page that is left saves
// it as the focus does that leaves the cell; what cannot be saved is kept for the card of the record.
import { TagsInput } from '@mantine/core'
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'react'
import type { FocusEvent, KeyboardEvent } from 'react'
import { useTranslations } from 'use-intl'
import { Control } from '../../crm/fields/controls.tsx'
import { isSame } from '../../crm/fields/field.ts'
import type { Draft, DraftFault, Values } from '../../crm/fields/field.ts'
import { useValueTexts } from '../../crm/fields/texts.ts'
import { draftOf, fieldKinds, valuesOf } from '../../crm/fields/types.ts'
import { useFoundTags } from '../../crm/tags.ts'
import { Problem } from '../../data/api.ts'
import { ChangeOvertaken, isOvertaken } from '../../data/conflicts.ts'
import { forgetEdit, keepEdit } from '../../data/kept-edits.ts'
import { followEdit } from '../../data/leaving.ts'
import { ConflictNotice } from '../../ui/conflict.tsx'
import { useProblemText } from '../../ui/faults.ts'
import { NumberReadings } from '../../ui/number-field.tsx'
import { warn } from '../../ui/toasts.ts'
import type { PlacedColumn } from './context.ts'
import { useTableContext } from './context.ts'
import type { Row, RowType } from './rows.ts'
import styles from './rows.module.css'

/** Where the focus goes after a cell: down, on, back, or nowhere. */
export type CellStep = 'down' | 'up' | 'right' | 'left' | 'stay'

/** Tags as values, with one that is typed and not confirmed. */
const tagsOf = (tags: readonly string[], typed: string): NonNullable<Values> =>
  [...new Set([...tags, typed.trim()])].filter(Boolean).map((value) => ({ value }))

const isRead = (next: Values | DraftFault): next is Values => next === null || Array.isArray(next)

export function CellEditor({
  row,
  column,
  onEnd,
}: {
  row: Row
  column: PlacedColumn
  onEnd: (step: CellStep) => void
}) {
  const words = useTranslations('rows')
  const card = useTranslations('card')
  const texts = useValueTexts()
  const { store, actions, zones, numbersOf, isMonthFirst, vocabulary } = useTableContext()
  const problemText = useProblemText()
  const { field } = column
  const numbers = numbersOf(column)
  const means = { zones, numbers, isMonthFirst }
  const isTags = column.kind === 'tags'
  const start = (values: Values): Draft =>
    isTags ? (values ?? []).map(({ value }) => String(value)) : draftOf(field, values, means)
  const [base, setBase] = useState<Values>(() => column.read(row))
  const [initial] = useState<Draft>(() => start(base))
  const [draft, setDraft] = useState<Draft>(initial)
  const [fault, setFault] = useState<string>()
  const [requests, setRequests] = useState(0)
  /** The letters of a tag that is not confirmed yet. */
  const [typed, setTyped] = useState('')
  const box = useRef<HTMLDivElement>(null)
  const isOpen = useRef(true)
  const id = useId()
  const record = `${store.key.type} ${row.id}`
  const known = column.read(store.rows.snapshot(row.id) ?? row)
  const wanted: Values | DraftFault = isTags
    ? (draft as string[]).map((value) => ({ value }))
    : valuesOf(field, draft, means)
  const isTouched = !isSame(draft, initial)
  const isLate = isRead(wanted) && isOvertaken(base, known, wanted)

  const keep = () => !isTags && keepEdit(record, column.member, { draft, base, at: Date.now() })

  function faultIn(next: Values | DraftFault): string | undefined {
    if (next === 'date') return card('faults.date')
    if (!isRead(next)) return numbers.faultText(next)
    if (next === null && column.isKept && base !== null) return words('needsValue')
    return undefined
  }

  function close(step: CellStep): void {
    isOpen.current = false
    forgetEdit(record, column.member)
    onEnd(step)
  }

  /** `isForced`: over what others did. */
  function commit(next: Draft = draft, step: CellStep = 'stay', isForced = false): void {
    if (!isOpen.current) return
    const values: Values | DraftFault = isTags
      ? tagsOf(next as string[], typed)
      : valuesOf(field, next, means)
    const read = isRead(values) && values !== null && values.length === 0 ? null : values
    if ((isSame(next, initial) && typed.trim() === '') || isSame(read, column.read(row)))
      return close(step)
    setDraft(next)
    const wrong = faultIn(read)
    setFault(wrong)
    if (wrong !== undefined || !isRead(read)) return
    if (!isForced && isOvertaken(base, known, read)) return setRequests((count) => count + 1)
    const made = column.write!(read, row)
    if ('needed' in made) return setFault(words('needed', { fields: made.needed.join(', ') }))
    // The cell shows the change at once; a refusal brings the draft back.
    close(step)
    void actions
      .save(
        [{ id: row.id, column, values: read }],
        words('changed', { column: column.label }),
        true,
      )
      .catch((error: unknown) => {
        if (!isTags) keepEdit(record, column.member, { draft: next, base, at: Date.now() })
        warn(
          words('notSaved', { column: column.label, name: row.name || `#${row.id}` }),
          error instanceof ChangeOvertaken
            ? words('overtaken')
            : error instanceof Problem
              ? problemText(error)
              : String(error),
        )
      })
  }

  /** Saves what can be saved, and keeps the rest for the card of the record. */
  function leave(): void {
    if (!isOpen.current || (!isTouched && typed.trim() === '')) return
    if (!isTags && (isLate || faultIn(wanted) !== undefined)) keep()
    else commit()
  }

  const latest = useRef({ leave, keep })
  useLayoutEffect(() => {
    latest.current = { leave, keep }
  })
  useEffect(() => {
    store.hold(true)
    const stop = followEdit({
      leave: () => latest.current.leave(),
      keep: () => latest.current.keep(),
    })
    return () => {
      stop()
      store.hold(false)
      // The row went out of sight, or out of the list.
      latest.current.leave()
    }
  }, [store])
  useLayoutEffect(() => {
    // A choice that is taken has a button of its own, before the input.
    const input =
      box.current?.querySelector<HTMLElement>('input:not([type=hidden]), textarea') ??
      box.current?.querySelector<HTMLElement>('button')
    input?.focus({ preventScroll: true })
    if (input instanceof HTMLInputElement && input.type === 'text') input.select()
  }, [])

  const onBlur = ({ relatedTarget, currentTarget }: FocusEvent) => {
    const to = relatedTarget as HTMLElement | null
    if (currentTarget.contains(to) || to?.closest('[data-portal], [data-notice]')) return
    // A wrong or late value keeps its editor open until the user decides.
    if (isTouched && (isLate || faultIn(wanted) !== undefined)) return setFault(faultIn(wanted))
    commit()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const { key, shiftKey, ctrlKey, metaKey, target } = event
    event.stopPropagation()
    const element = target as HTMLElement
    const isListOpen = element.getAttribute('aria-expanded') === 'true'
    if (key === 'Escape' && !isListOpen) {
      event.preventDefault()
      return close('stay')
    }
    if (key === 'Tab') {
      // Controls of several parts are walked through first.
      const parts = [
        ...(box.current?.querySelectorAll<HTMLElement>(
          'input:not([type=hidden]), textarea, button',
        ) ?? []),
      ]
      const at = parts.indexOf(element)
      if (parts[at + (shiftKey ? -1 : 1)]) return
      event.preventDefault()
      return commit(draft, shiftKey ? 'left' : 'right')
    }
    if (key !== 'Enter' || isListOpen || element.tagName === 'BUTTON') return
    const isLong = element.tagName === 'TEXTAREA' && !(ctrlKey || metaKey)
    if (isLong) return
    event.preventDefault()
    commit(draft, shiftKey ? 'up' : 'down')
  }
  return (
    // The controls inside take the keys; this only hears them on their way.
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions
    <div ref={box} className={styles.editor} onBlur={onBlur} onKeyDown={onKeyDown}>
      <span id={`${id}-name`} hidden>
        {column.label}
      </span>
      {isTags ? (
        <TagsCell
          type={store.key.type}
          labelledBy={`${id}-name`}
          first={vocabulary.tags[store.key.type]}
          value={draft as string[]}
          typed={typed}
          onType={setTyped}
          onChange={setDraft}
        />
      ) : fieldKinds[field.type].isFlag ? undefined : (
        <Control
          field={field}
          draft={draft}
          isQuiet={false}
          onChange={(next) => {
            setFault(undefined)
            setDraft(next)
          }}
          onCommit={(next) => commit(next, 'stay')}
          aria={{
            'aria-labelledby': `${id}-name`,
            'aria-describedby': fault === undefined ? undefined : `${id}-fault`,
            'aria-invalid': fault === undefined ? undefined : true,
          }}
        />
      )}
      {fault !== undefined && (
        <div id={`${id}-fault`} className={styles.fault} role="alert">
          {fault}
          {typeof wanted === 'object' && wanted && 'readings' in wanted && (
            <NumberReadings
              readings={(wanted as { readings: readonly string[] }).readings}
              numbers={numbers}
              onChoose={(typed) => commit(typed, 'stay')}
              onCancel={() => close('stay')}
            />
          )}
        </div>
      )}
      {isTouched && isLate && (
        <ConflictNotice
          text={
            known === null
              ? words('theyCleared')
              : words('theirs', { value: texts.all(field, known) })
          }
          focusRequests={requests}
          keepMine={() => {
            setBase(known)
            commit(draft, 'stay', true)
          }}
          takeTheirs={() => close('stay')}
        />
      )}
    </div>
  )
}

function TagsCell({
  type,
  labelledBy,
  first,
  value,
  typed,
  onType,
  onChange,
}: {
  type: RowType
  labelledBy: string
  first: readonly { name: string }[]
  value: string[]
  typed: string
  onType: (typed: string) => void
  onChange: (value: string[]) => void
}) {
  const { tags } = useFoundTags(type, typed)
  return (
    <TagsInput
      aria-labelledby={labelledBy}
      className={styles.tagsInput}
      maxTags={100}
      data={[...new Set([...first, ...tags].map(({ name }) => name))]}
      searchValue={typed}
      onSearchChange={onType}
      value={value}
      onChange={onChange}
    />
  )
}
