// A cell of an element in edit: its draft, what is wrong with it, and what others did to the cell meanwhile. It ends as
// in a spreadsheet: Enter saves and goes down, Tab saves and goes on, Escape takes nothing. A draft that cannot be saved
// stays in this browser and is offered when the cell is edited again.
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'react'
import type { FocusEvent, KeyboardEvent } from 'react'
import { useTranslations } from 'use-intl'
import type { CatalogElement } from '../../crm/catalogs.ts'
import { useBootstrap } from '../../crm/bootstrap.ts'
import { Control } from '../../crm/fields/controls.tsx'
import { isSame } from '../../crm/fields/field.ts'
import type { Draft, DraftFault, Values } from '../../crm/fields/field.ts'
import { useValueTexts, useZones } from '../../crm/fields/texts.ts'
import { draftOf, fieldKinds, valuesOf } from '../../crm/fields/types.ts'
import { isOvertaken } from '../../data/conflicts.ts'
import { forgetEdit, keepEdit, readEdit } from '../../data/kept-edits.ts'
import { followEdit } from '../../data/leaving.ts'
import { ConflictNotice } from '../../ui/conflict.tsx'
import { useMonthFirst } from '../../ui/day.ts'
import { DraftNotice } from '../../ui/draft-notice.tsx'
import { NumberReadings, useNumbers } from '../../ui/number-field.tsx'
import type { ElementColumn } from './columns.ts'
import styles from './products.module.css'

/** Where the mark goes after a cell; `gone`: the focus is elsewhere already. */
export type CellEnd = 'down' | 'up' | 'right' | 'left' | 'stay' | 'gone'

/** Saves a cell, and says a refusal. */
export type SaveElement = (
  element: CatalogElement,
  column: ElementColumn,
  base: Values,
  values: Values,
  draft?: Draft,
) => Promise<void>

/** An element as kept drafts name it. */
export const recordOfElement = (id: number): string => `catalog_elements ${id}`

const isRead = (next: Values | DraftFault): next is Values => next === null || Array.isArray(next)

export function CellEdit({
  element,
  column,
  save,
  onEnd,
}: {
  element: CatalogElement
  column: ElementColumn
  save: SaveElement
  onEnd: (end: CellEnd) => void
}) {
  const words = useTranslations('rows')
  const card = useTranslations('card')
  const texts = useValueTexts()
  const { currency: usual } = useBootstrap().account
  const { field } = column
  const { isAmount } = fieldKinds[field.type]
  const numbers = useNumbers(isAmount ? { currency: field.currency ?? usual } : {})
  const means = { zones: useZones(), numbers, isMonthFirst: useMonthFirst() }
  const record = recordOfElement(element.id)
  const known = column.read(element)
  const [left, setLeft] = useState(() => readEdit(record, column.name))
  const [base, setBase] = useState<Values>(() => (left ? (left.base as Values) : known))
  const [initial] = useState<Draft>(() => draftOf(field, known, means))
  const [draft, setDraft] = useState<Draft>(() => (left?.draft as Draft | undefined) ?? initial)
  const [fault, setFault] = useState<string>()
  const [requests, setRequests] = useState(0)
  const box = useRef<HTMLDivElement>(null)
  const isOpen = useRef(true)
  const id = useId()
  const wanted = valuesOf(field, draft, means)
  const isTouched = left !== undefined || !isSame(draft, initial)
  const isLate = isRead(wanted) && isOvertaken(base, known, wanted)

  const keep = () => keepEdit(record, column.name, { draft, base, at: Date.now() })

  function faultIn(next: Values | DraftFault): string | undefined {
    if (next === 'date') return card('faults.date')
    if (!isRead(next)) return numbers.faultText(next)
    // A field that became required later may be empty.
    if (next === null && column.isKept && known !== null) return words('needsValue')
    return undefined
  }

  function close(end: CellEnd): void {
    isOpen.current = false
    forgetEdit(record, column.name)
    onEnd(end)
  }

  /** `isForced`: over what others did. */
  function commit(next: Draft = draft, end: CellEnd = 'stay', isForced = false): void {
    if (!isOpen.current) return
    const values = valuesOf(field, next, means)
    const read = isRead(values) && values?.length === 0 ? null : values
    if (isSame(next, draftOf(field, known, means)) || isSame(read, known)) return close(end)
    setDraft(next)
    const wrong = faultIn(read)
    setFault(wrong)
    if (wrong !== undefined || !isRead(read)) return
    if (!isForced && isOvertaken(base, known, read)) return setRequests((count) => count + 1)
    close(end)
    void save(element, column, isForced ? known : base, read, next)
  }

  /** Saves what can be saved, and keeps the rest. */
  function leave(): void {
    if (!isOpen.current || !isTouched) return
    if (isLate || faultIn(wanted) !== undefined) keep()
    else commit(draft, 'gone')
  }

  const latest = useRef({ leave, keep })
  useLayoutEffect(() => {
    latest.current = { leave, keep }
  })
  useEffect(() => {
    // A page that is left keeps the draft: the server is first asked what others did meanwhile.
    const stop = followEdit({
      leave: () => latest.current.keep(),
      keep: () => latest.current.keep(),
    })
    return () => {
      stop()
      latest.current.leave()
    }
  }, [])
  useLayoutEffect(() => {
    const input = box.current?.querySelector<HTMLElement>(
      'input:not([type=hidden]), textarea, button',
    )
    input?.focus({ preventScroll: true })
    if (input instanceof HTMLInputElement && input.type === 'text') input.select()
  }, [])

  const onBlur = ({ relatedTarget, currentTarget }: FocusEvent) => {
    const to = relatedTarget as HTMLElement | null
    if (currentTarget.contains(to) || to?.closest('[data-portal], [data-notice]')) return
    // A wrong or late value keeps its editor open until the user decides.
    if (isTouched && (isLate || faultIn(wanted) !== undefined)) return setFault(faultIn(wanted))
    commit(draft, 'gone')
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const { key, shiftKey, ctrlKey, metaKey, target } = event
    event.stopPropagation()
    const control = target as HTMLElement
    const isListOpen = control.getAttribute('aria-expanded') === 'true'
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
      if (parts[parts.indexOf(control) + (shiftKey ? -1 : 1)]) return
      event.preventDefault()
      return commit(draft, shiftKey ? 'left' : 'right')
    }
    if (key !== 'Enter' || isListOpen || control.tagName === 'BUTTON') return
    if (control.tagName === 'TEXTAREA' && !(ctrlKey || metaKey)) return
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
      <Control
        field={field}
        draft={draft}
        isQuiet={false}
        onChange={(next) => {
          setFault(undefined)
          setLeft(undefined)
          setDraft(next)
        }}
        onCommit={(next) => commit(next, 'stay')}
        aria={{
          'aria-labelledby': `${id}-name`,
          'aria-describedby': fault === undefined ? undefined : `${id}-fault`,
          'aria-invalid': fault === undefined ? undefined : true,
        }}
      />
      {fault !== undefined && (
        <div id={`${id}-fault`} className={styles.fault} role="alert">
          {fault}
          {typeof wanted === 'object' && wanted && 'readings' in wanted && (
            <NumberReadings
              readings={wanted.readings}
              numbers={numbers}
              onChoose={(typed) => commit(typed, 'stay')}
              onCancel={() => close('stay')}
            />
          )}
        </div>
      )}
      {left && !isLate && <DraftNotice at={left.at} throwAway={() => close('stay')} />}
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
