// The open tasks of the record, between the feed and the composer, and its pinned notes above it.
import { ActionIcon, Button, Menu, Popover, TextInput } from '@mantine/core'
import { Check, CircleAlert, Clock, Ellipsis, PencilLine, Pin, PinOff, Trash2 } from 'lucide-react'
import { memo, useLayoutEffect, useRef, useState } from 'react'
import { useFormatter, useNow, useTranslations } from 'use-intl'
import { DueInput, useDueText, useReadDue } from './due-input.tsx'
import styles from './feed.module.css'
import { NoteContent } from './note.tsx'
import { Act, OfRecord, useAuthor } from './parts.tsx'
import { useTaskType } from './task.tsx'
import { useFeed } from './context.ts'
import { nameOfUser } from '../../crm/bootstrap.ts'
import { PlainText } from './text.tsx'
import { TaskFields, taskOfDraft, useTaskDraft } from './task-fields.tsx'
import { wordOf } from '../../crm/logged.ts'
import type { NoteItem, TaskItem } from './rows.ts'

/** The tasks that are shown before the user asks for all. */
const mostShown = 3

export function Planned({ items }: { items: readonly TaskItem[] }) {
  const words = useTranslations('feed')
  const [isAll, setAll] = useState(false)
  if (items.length === 0) return undefined
  const shown = isAll ? items : items.slice(0, mostShown)
  return (
    <section className={styles.planned} aria-label={words('planned')}>
      <h3 className={styles.band}>
        {words('planned')} <span className={styles.count}>{items.length}</span>
      </h3>
      <ul className={styles.tasks}>
        {shown.map((item) => (
          <PlannedTask key={item.key} item={item} />
        ))}
      </ul>
      {items.length > mostShown && (
        <Button size="compact-xs" variant="subtle" onClick={() => setAll(!isAll)}>
          {isAll ? words('fewer') : words('allTasks', { count: items.length })}
        </Button>
      )}
    </section>
  )
}

const PlannedTask = memo(function PlannedTask({ item }: { item: TaskItem }) {
  const words = useTranslations('feed')
  const ui = useTranslations('ui')
  const { actions, vocabulary, isReadOnly } = useFeed()
  const taskType = useTaskType()
  const [mode, setMode] = useState<'closed' | 'result' | 'due' | 'edit'>('closed')
  const [result, setResult] = useState('')
  const { task } = item
  const may = item.may_edit && !isReadOnly && !item.sending
  const responsible = nameOfUser(vocabulary, task.responsible_user_id)
  const close = () => setMode('closed')
  const isResultRequired = vocabulary.account.is_task_result_required
  const [isTried, setTried] = useState(false)
  const isMissing = isResultRequired && result.trim() === ''
  const finish = () => {
    setTried(true)
    if (!isMissing) actions.complete(item, result.trim())
  }
  return (
    <li className={styles.plannedTask} data-key={item.key} data-sending={item.sending?.state}>
      <div className={styles.plannedLine}>
        <button
          type="button"
          className={styles.circle}
          data-unprinted
          disabled={!may}
          aria-expanded={mode === 'result'}
          aria-label={words('complete', { text: task.text.slice(0, 100) })}
          title={words('completeTask')}
          onClick={() => setMode(mode === 'result' ? 'closed' : 'result')}
        >
          <Check size={12} aria-hidden />
        </button>
        <div className={styles.plannedText}>
          <span className={styles.plannedMeta}>
            <b>{taskType(task.task_type_id)}</b>
            <Due at={task.complete_till} />
            {responsible !== undefined && <bdi className={styles.kind}>{responsible}</bdi>}
            <OfRecord item={item} />
          </span>
          <PlainText text={task.text} />
        </div>
        {may && (
          <span className={styles.plannedActs}>
            <Popover
              opened={mode === 'due'}
              onDismiss={() => setMode('closed')}
              position="top-end"
              width={300}
              trapFocus
            >
              <Popover.Target>
                <ActionIcon
                  size={24}
                  aria-label={words('changeDue')}
                  title={words('changeDue')}
                  onClick={() => setMode(mode === 'due' ? 'closed' : 'due')}
                >
                  <Clock size={14} />
                </ActionIcon>
              </Popover.Target>
              <Popover.Dropdown>
                <Snooze item={item} close={() => setMode('closed')} />
              </Popover.Dropdown>
            </Popover>
            <Menu position="top-end" width={180}>
              <Menu.Target>
                <ActionIcon size={24} aria-label={words('taskActions')}>
                  <Ellipsis size={14} />
                </ActionIcon>
              </Menu.Target>
              <Menu.Dropdown>
                <Menu.Item leftSection={<PencilLine size={14} />} onClick={() => setMode('edit')}>
                  {words('editTask')}
                </Menu.Item>
                <Menu.Item
                  color="danger"
                  leftSection={<Trash2 size={14} />}
                  onClick={() => actions.remove(item)}
                >
                  {words('deleteTask')}
                </Menu.Item>
              </Menu.Dropdown>
            </Menu>
          </span>
        )}
      </div>
      {mode === 'result' && (
        <form
          className={styles.resultLine}
          onSubmit={(event) => {
            event.preventDefault()
            finish()
          }}
          onKeyDown={(event) => {
            if (event.key !== 'Escape') return
            event.preventDefault()
            event.stopPropagation()
            close()
          }}
        >
          <TextInput
            aria-label={words('result')}
            placeholder={words(isResultRequired ? 'resultWanted' : 'resultExample')}
            aria-required={isResultRequired}
            error={isTried && isMissing && words('resultMissing')}
            dir="auto"
            // oxlint-disable-next-line jsx-a11y/no-autofocus -- the user asked to complete it
            autoFocus
            className={styles.grow}
            value={result}
            onChange={({ currentTarget }) => setResult(currentTarget.value)}
          />
          <Button type="submit">{words('done')}</Button>
          <Button variant="default" onClick={close}>
            {ui('cancel')}
          </Button>
        </form>
      )}
      {mode === 'edit' && <TaskEditor item={item} close={close} />}
    </li>
  )
})

/** When a task is due, marked where that is past or today. */
function Due({ at }: { at: number }) {
  const words = useTranslations('feed')
  const format = useFormatter()
  const now = useNow({ updateInterval: 60_000 })
  const dueText = useDueText()
  const date = new Date(at * 1000)
  const day = (each: Date) => format.dateTime(each, { dateStyle: 'short' })
  const isToday = day(date) === day(now)
  const state = date < now ? 'late' : isToday ? 'today' : 'later'
  return (
    <span className={styles.dueMark} data-state={state}>
      {state === 'late' && <CircleAlert size={12} aria-hidden />}
      <time dateTime={date.toISOString()}>
        {isToday
          ? words('todayAt', { time: format.dateTime(date, { timeStyle: 'short' }) })
          : dueText(at)}
      </time>
      {state === 'late' && <span> · {words('late')}</span>}
    </span>
  )
}

function Snooze({ item, close }: { item: TaskItem; close: () => void }) {
  const words = useTranslations('feed')
  const ui = useTranslations('ui')
  const { actions } = useFeed()
  const read = useReadDue()
  const [text, setText] = useState('')
  const at = read(text)
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (at === undefined) return
        close()
        actions.changeTask(item, { complete_till: at })
      }}
    >
      <p className={styles.label}>{words('changeDue')}</p>
      <DueInput value={text} onChange={setText} autoFocus />
      <div className={styles.buttons}>
        <Button variant="default" onClick={close}>
          {ui('cancel')}
        </Button>
        <Button type="submit" disabled={at === undefined}>
          {ui('save')}
        </Button>
      </div>
    </form>
  )
}

function TaskEditor({ item, close }: { item: TaskItem; close: () => void }) {
  const words = useTranslations('feed')
  const ui = useTranslations('ui')
  const { actions } = useFeed()
  const read = useReadDue()
  const { draft, change } = useTaskDraft(item.task)
  const field = useRef<HTMLTextAreaElement>(null)
  useLayoutEffect(() => field.current?.focus(), [])
  const task = taskOfDraft(draft, read)
  return (
    <form
      className={styles.taskEditor}
      onSubmit={(event) => {
        event.preventDefault()
        if (!task) return
        const changed = Object.fromEntries(
          Object.entries(task).filter(
            ([member, value]) => item.task[member as keyof typeof task] !== value,
          ),
        )
        close()
        if (Object.keys(changed).length > 0) actions.changeTask(item, changed)
      }}
      onKeyDown={(event) => {
        const { key, ctrlKey, metaKey, currentTarget, target } = event
        const isOpen = (target as HTMLElement).getAttribute('aria-expanded') === 'true'
        if (key === 'Enter' && (ctrlKey || metaKey)) currentTarget.requestSubmit()
        else if (key === 'Escape' && !isOpen) close()
        else return
        // It closes the editor and not the card.
        event.preventDefault()
        event.stopPropagation()
      }}
    >
      <textarea
        ref={field}
        className={styles.plainField}
        aria-label={words('taskText')}
        dir="auto"
        rows={2}
        value={draft.text}
        onChange={({ currentTarget }) => change({ text: currentTarget.value })}
      />
      <TaskFields draft={draft} change={change} />
      <div className={styles.buttons}>
        <Button variant="default" onClick={close}>
          {ui('cancel')}
        </Button>
        <Button type="submit" disabled={!task}>
          {ui('save')}
        </Button>
      </div>
    </form>
  )
}

/** The pinned notes of the record, each as one line that opens. */
export function Pinned({ items }: { items: readonly NoteItem[] }) {
  const words = useTranslations('feed')
  if (items.length === 0) return undefined
  return (
    <section className={styles.pinned} aria-label={words('pinnedNotes')}>
      {items.map((item) => (
        <PinnedNote key={item.key} item={item} />
      ))}
    </section>
  )
}

function PinnedNote({ item }: { item: NoteItem }) {
  const words = useTranslations('feed')
  const { actions, isReadOnly } = useFeed()
  const author = useAuthor()
  const [isOpen, setOpen] = useState(false)
  const { params } = item.note
  const line = wordOf(params['text']) || wordOf(params['file_name'])
  return (
    <div className={styles.pinnedNote}>
      <Pin size={14} aria-hidden className={styles.pinMark} />
      <button
        type="button"
        className={styles.pinnedLine}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <bdi className={styles.author}>{author(item)}</bdi>
        {!isOpen && (
          <span className={styles.clipped} dir="auto">
            {line}
          </span>
        )}
      </button>
      {item.may_edit && !isReadOnly && (
        <Act
          text={words('unpin')}
          icon={<PinOff size={14} />}
          onClick={() => actions.pin(item, false)}
        />
      )}
      {isOpen && (
        <div className={styles.pinnedBody}>
          <NoteContent item={item} />
        </div>
      )}
    </div>
  )
}
