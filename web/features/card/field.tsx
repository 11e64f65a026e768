// A line of a card: the name of a field, its value, and in its place the control while it is edited.
import { ActionIcon, Checkbox, Loader, Tooltip, VisuallyHidden } from '@mantine/core'
import { Check, Pencil, X } from 'lucide-react'
import { memo, useId, useLayoutEffect, useRef, useState } from 'react'
import type { ClipboardEvent, FocusEvent, KeyboardEvent } from 'react'
import { useFormatter, useNow, useTranslations } from 'use-intl'
import { isTyping } from '../../ui/focus.ts'
import { Content } from '../../crm/fields/contents.tsx'
import { Control } from '../../crm/fields/controls.tsx'
import type { Field, Values } from '../../crm/fields/field.ts'
import { useValueTexts } from '../../crm/fields/texts.ts'
import { fieldKinds } from '../../crm/fields/types.ts'
import { ConflictNotice } from '../../ui/conflict.tsx'
import { dayAt } from '../../ui/day.ts'
import { DraftNotice } from '../../ui/draft-notice.tsx'
import { NumberReadings } from '../../ui/number-field.tsx'
import { useEdit } from './edit.ts'
import { FileValue } from './file.tsx'
import type { Edit, CardLine } from './edit.ts'
import styles from './field.module.css'
import { initialsOf, useOpenCard, userName } from './context.ts'
import { useIsFresh } from './store.ts'

/** A field of the record, edited in place. */
export const FieldLine = memo(function FieldLine({ row }: { row: CardLine }) {
  const words = useTranslations('card')
  const { store, mayEdit } = useOpenCard()
  const { field, key } = row
  const edit = useEdit(row)
  const id = useId()
  const button = useRef<HTMLButtonElement>(null)
  const isFresh = useIsFresh(store, key)
  const isEditable = mayEdit && !row.isReadOnly
  const isMissing = row.isRequired && edit.values === null
  useLayoutEffect(() => {
    if (edit.ended > 0) button.current?.focus({ preventScroll: true })
  }, [edit.ended])
  const names = { label: `${id}-name`, value: `${id}-value`, fault: `${id}-fault` }
  const onCopy = (event: ClipboardEvent) => {
    // The browser copies a selection, in a control or on the page.
    if (edit.isEditing || getSelection()?.isCollapsed === false) return
    const text = edit.copy()
    if (text === '') return
    event.clipboardData.setData('text/plain', text)
    event.preventDefault()
  }
  const onPaste = (event: ClipboardEvent) => {
    const { clipboardData } = event
    const isText = clipboardData.types.includes('text/plain') && clipboardData.files.length === 0
    if (edit.isEditing || !isEditable || !isText) return
    event.preventDefault()
    edit.paste(clipboardData.getData('text/plain'))
  }
  return (
    // The value inside has the focus; this only hears of the clipboard.
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions
    <div
      className={styles.line}
      onBlur={edit.forgetPaste}
      onCopy={onCopy}
      onPaste={onPaste}
      data-member={key}
      data-fresh={isFresh || undefined}
      data-editing={edit.isEditing || undefined}
      data-missing={isMissing || undefined}
    >
      <div className={styles.name}>
        <span id={names.label}>{field.name}</span>
        {row.isRequired && (
          <Tooltip label={words('required')}>
            <span className={styles.star} aria-hidden>
              *
            </span>
          </Tooltip>
        )}
        <Editors member={key} />
      </div>
      <div className={styles.side}>
        {field.type === 'checkbox' ? (
          <Flag edit={edit} isEditable={isEditable} label={names.label} />
        ) : field.type === 'file' ? (
          <FileValue row={row} edit={edit} isEditable={isEditable} names={names} button={button} />
        ) : edit.isEditing ? (
          <Editor field={field} edit={edit} names={names} isPlain={row.isKept ?? false} />
        ) : (
          <Shown
            field={field}
            values={edit.values}
            isEditable={isEditable}
            isDue={row.isDue ?? false}
            names={names}
            button={button}
            onEdit={() => edit.begin()}
          />
        )}
        <Tick state={edit.state} />
      </div>
      <FieldNotices field={field} edit={edit} faultId={names.fault} />
    </div>
  )
})

/**
 * The refusal of the server, the change of somebody else that waits for an answer, and that the draft is one
 * that was left.
 */
export function FieldNotices({
  field,
  edit,
  faultId,
}: {
  field: Field
  edit: Edit
  faultId: string
}) {
  const words = useTranslations('card')
  const texts = useValueTexts()
  const { fault, readings, theirs, unread, offeredAt } = edit
  return (
    <>
      {offeredAt !== undefined && <DraftNotice at={offeredAt} throwAway={edit.cancel} />}
      {fault !== undefined && (
        <p key={unread} id={faultId} className={styles.fault} role="alert">
          {fault}
          {readings.length > 0 && (
            <NumberReadings
              readings={readings}
              numbers={edit.numbers}
              onChoose={(typed) => edit.commit(typed, true)}
              onCancel={edit.cancel}
            />
          )}
        </p>
      )}
      {theirs && (
        <ConflictNotice
          text={
            theirs.values === null
              ? words('theyCleared', { who: theirs.who })
              : words('theirs', { who: theirs.who, value: texts.all(field, theirs.values) })
          }
          focusRequests={edit.focusRequests}
          isAbove={fieldKinds[field.type].isChoice === true}
          keepMine={edit.keepMine}
          takeTheirs={edit.takeTheirs}
        />
      )}
    </>
  )
}

/** That a change is on its way, and for a moment that the server has it. */
export function Tick({ state }: { state: Edit['state'] }) {
  const ui = useTranslations('ui')
  return (
    <span className={styles.tick} role="status">
      {state === 'saving' && <Loader size={12} aria-hidden />}
      {(state === 'saved' || state === 'copied') && (
        <>
          <Check size={15} aria-hidden />
          <VisuallyHidden>{ui(state)}</VisuallyHidden>
        </>
      )}
    </span>
  )
}

/** The users who edit this field in another browser. */
export function Editors({ member }: { member: string }) {
  const words = useTranslations('card')
  const { others, bootstrap } = useOpenCard()
  const here = others.filter(({ field }) => field === member)
  return here.map(({ tab, userId }) => {
    const name = userName(bootstrap, userId) ?? words('somebody')
    return (
      <Tooltip key={tab} label={words('editsThis', { name })}>
        <span className={styles.editor} role="img" aria-label={words('editsThis', { name })}>
          {initialsOf(name)}
        </span>
      </Tooltip>
    )
  })
}

interface Names {
  label: string
  value: string
  fault: string
}

/** Whether a button of the mouse is down. */
let isPressed = false
for (const [name, isDown] of [
  ['mousedown', true],
  ['mouseup', false],
] as const)
  addEventListener(name, () => (isPressed = isDown), { capture: true })

/**
 * The control in the place of the value. It saves when the focus leaves it. A draft that is offered
 * leaves the focus where it is.
 */
export function Editor({
  field,
  edit,
  names,
  isPlain = false,
}: {
  field: Field
  edit: Edit
  names: Names
  /** Without a way to empty the field. */
  isPlain?: boolean
}) {
  const words = useTranslations('card')
  const box = useRef<HTMLDivElement>(null)
  const [isQuiet] = useState(edit.offeredAt !== undefined || (edit.isBack && isTyping()))
  const { corrected } = edit
  const latest = useRef(edit)
  useLayoutEffect(() => {
    latest.current = edit
  })
  useLayoutEffect(() => {
    if (isQuiet && corrected === 0) return
    const input = box.current?.querySelector<HTMLElement>(
      'input:not([type=hidden]), textarea, button',
    )
    input?.focus()
    if (input instanceof HTMLInputElement && input.type === 'text') input.select()
  }, [isQuiet, corrected])
  const onBlur = ({ relatedTarget, currentTarget }: FocusEvent) => {
    // A list of choices stands outside of the control, and is a part of it all the same.
    const to = relatedTarget as HTMLElement | null
    if (currentTarget.contains(to) || to?.closest('[data-portal], [data-notice]')) return
    // A field that closes, or says what is wrong, moves what stands below it: the click lands first.
    if (!isPressed) return edit.leaveField()
    const leave = () => latest.current.leaveField()
    addEventListener('mouseup', leave, { capture: true, once: true })
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const { key, ctrlKey, metaKey, target } = event
    const isOpen = (target as HTMLElement).getAttribute('aria-expanded') === 'true'
    if (key === 'Escape' && !isOpen) {
      event.stopPropagation()
      event.preventDefault()
      edit.cancel()
    }
    const isButton = (target as HTMLElement).tagName === 'BUTTON'
    const isLong = (target as HTMLElement).tagName === 'TEXTAREA' && !(ctrlKey || metaKey)
    if (key !== 'Enter' || isOpen || isButton || isLong) return
    event.preventDefault()
    edit.commit(undefined, true)
  }
  return (
    // The controls inside take the keys; this only hears them on their way.
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions
    <div ref={box} className={styles.editing} onBlur={onBlur} onKeyDown={onKeyDown}>
      <Control
        field={field}
        draft={edit.draft}
        isQuiet={isQuiet}
        onChange={edit.setDraft}
        onCommit={(draft) => edit.commit(draft, true)}
        aria={{
          'aria-labelledby': names.label,
          'aria-describedby': edit.fault === undefined ? undefined : names.fault,
          'aria-invalid': edit.fault === undefined ? undefined : true,
        }}
      />
      {edit.values !== null && !isPlain && (
        <Tooltip label={words('clear')}>
          <ActionIcon
            size={24}
            className={styles.clear}
            aria-label={words('clearField', { field: field.name })}
            onClick={edit.clear}
          >
            <X size={14} />
          </ActionIcon>
        </Tooltip>
      )}
    </div>
  )
}

function Flag({ edit, isEditable, label }: { edit: Edit; isEditable: boolean; label: string }) {
  return (
    <div className={styles.flag}>
      <Checkbox
        size="xs"
        checked={edit.values?.[0]?.value === true}
        disabled={!isEditable}
        aria-labelledby={label}
        data-edit={isEditable || undefined}
        onChange={({ target }) => edit.saveFlag(target.checked)}
      />
    </div>
  )
}

/** The value to read, and a way to edit it. */
function Shown({
  field,
  values,
  isEditable,
  isDue,
  names,
  button,
  onEdit,
}: {
  field: Field
  values: Values
  isEditable: boolean
  isDue: boolean
  names: Names
  button: React.RefObject<HTMLButtonElement | null>
  onEdit: () => void
}) {
  const words = useTranslations('card')
  const hasLinks = fieldKinds[field.type].hasLinks === true && values !== null
  const content = (
    <>
      {values === null ? (
        <span className={styles.nothing}>{words(isEditable ? 'add' : 'nothing')}</span>
      ) : (
        <Content field={field} values={values} />
      )}
      {isDue && values !== null && <Due at={Number(values[0]!.value)} />}
    </>
  )
  if (!isEditable) return <div className={styles.readOnly}>{content}</div>
  if (!hasLinks)
    return (
      <button
        ref={button}
        type="button"
        className={styles.value}
        data-edit
        aria-labelledby={`${names.label} ${names.value}`}
        onClick={onEdit}
      >
        <span id={names.value}>{content}</span>
      </button>
    )
  return (
    <div className={styles.links}>
      {content}
      <button
        ref={button}
        type="button"
        className={styles.pencil}
        data-edit
        aria-label={words('editField', { field: field.name })}
        onClick={onEdit}
      >
        <Pencil size={13} aria-hidden />
      </button>
    </div>
  )
}

const dayMs = 86_400_000

/** How many days away a day is, in the zone of the account. */
function Due({ at }: { at: number }) {
  const format = useFormatter()
  const { zones } = useOpenCard()
  const now = useNow({ updateInterval: 60_000 })
  const dayOf = (moment: number) => Date.parse(dayAt(moment, zones.account))
  const days = Math.round((dayOf(at) - dayOf(now.getTime() / 1000)) / dayMs)
  const unit = Math.abs(days) < 60 ? 'day' : Math.abs(days) < 720 ? 'month' : 'year'
  const text = format.relativeTime(now.getTime() + days * dayMs, { now, unit })
  return (
    <span className={styles.due} data-late={days < 0 || undefined}>
      {' · '}
      {text}
    </span>
  )
}
