// The box under the feed, in three modes: a message to the client, a note for colleagues, a task. What
// is typed is kept for each record and mode until it is sent.
import { ActionIcon, Button, Progress, Select, Tooltip } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Paperclip, X } from 'lucide-react'
import { useImperativeHandle, useLayoutEffect, useRef, useState } from 'react'
import type { ReactNode, Ref } from 'react'
import { useTranslations } from 'use-intl'
import { keep, useKept } from '../../data/kept.ts'
import { shownKey } from '../../ui/shown-key.ts'
import { Failure, ProblemText, useRefusalText } from '../../ui/states.tsx'
import { warn } from '../../ui/toasts.ts'
import { modes } from './acts.ts'
import type { ComposerMode } from './acts.ts'
import { startChat, writableQuery } from './chats.ts'
import type { Chat, ChatContact, Writable } from './chats.ts'
import { useReadDue } from './due-input.tsx'
import { useDraft } from './drafts.ts'
import { usePreferences } from '../../crm/preferences.ts'
import { filledTemplate, templatesQuery } from '../../crm/templates.ts'
import type { Template, TemplateValues } from '../../crm/templates.ts'
import { useNonViewers } from '../../crm/user-choice.tsx'
import styles from './feed.module.css'
import { Size } from './attachment.tsx'
import { useFeed } from './context.ts'
import { SuggestingText } from './suggest.tsx'
import type { TextHandle, Trigger } from './suggest.tsx'
import { TaskFields, taskOfDraft } from './task-fields.tsx'
import type { TypedTask } from './task-fields.tsx'
import { useUploads } from './uploads.ts'
import type { Uploads } from './uploads.ts'

const names = modes.map(({ name }) => name)

export interface ComposerHandle {
  /** Opens a mode with the focus in its text. */
  compose(mode: ComposerMode): void
  attach(files: Iterable<File>): void
}

/** The mode that the user composed in last. */
function useMode(): [ComposerMode, (mode: ComposerMode) => void] {
  const kept = useKept('composer')
  const mode = names.find((each) => each === kept) ?? 'note'
  return [mode, (next) => keep('composer', next)]
}

export function Composer({ ref, onSent }: { ref: Ref<ComposerHandle>; onSent: () => void }) {
  const words = useTranslations('feed')
  const { type, id } = useFeed()
  const [mode, setMode] = useMode()
  const uploads = useUploads()
  const text = useRef<TextHandle>(null)
  const frame = useRef<HTMLDivElement>(null)
  const [focusRequests, setFocusRequests] = useState(0)
  const focus = () => setFocusRequests((before) => before + 1)
  useLayoutEffect(() => {
    if (focusRequests > 0) text.current?.focus()
  }, [focusRequests])
  useImperativeHandle(ref, () => ({
    compose(next) {
      setMode(next)
      focus()
    },
    attach(files) {
      if (mode === 'task') setMode('note')
      uploads.add(files)
      focus()
    },
  }))
  return (
    <section
      ref={frame}
      className={styles.composer}
      data-mode={mode}
      aria-label={words('composer')}
    >
      <div className={styles.modes} role="tablist" aria-label={words('composer')}>
        {modes.map(({ name: each, icon: Icon, key: shortcut }) => (
          <Tooltip key={each} label={`${words(`acts.${each}`)}  ${shownKey(shortcut)}`}>
            <button
              type="button"
              role="tab"
              id={`composer-${each}`}
              className={styles.mode}
              aria-selected={each === mode}
              aria-keyshortcuts={shortcut}
              aria-controls="composer-panel"
              tabIndex={each === mode ? 0 : -1}
              onClick={() => {
                setMode(each)
                focus()
              }}
              onKeyDown={({ key }) => {
                const by = key === 'ArrowRight' ? 1 : key === 'ArrowLeft' ? -1 : 0
                if (by === 0) return
                const next = names[(names.indexOf(mode) + by + names.length) % names.length]!
                setMode(next)
                frame.current?.querySelector<HTMLElement>(`#composer-${next}`)?.focus()
              }}
            >
              <Icon size={14} aria-hidden />
              {words(`mode.${each}`)}
            </button>
          </Tooltip>
        ))}
      </div>
      <div role="tabpanel" id="composer-panel" aria-labelledby={`composer-${mode}`}>
        {mode === 'chat' && (
          <ChatComposer key={`${type} ${id}`} text={text} uploads={uploads} onSent={onSent} />
        )}
        {mode === 'note' && (
          <NoteComposer key={`${type} ${id}`} text={text} uploads={uploads} onSent={onSent} />
        )}
        {mode === 'task' && <TaskComposer key={`${type} ${id}`} text={text} onSent={onSent} />}
      </div>
    </section>
  )
}

interface ModeProps {
  text: Ref<TextHandle>
  uploads: Uploads
  onSent: () => void
}

const string = (value: string | number | undefined): string => String(value ?? '')

/**
 * Colleagues after "@", at the beginning of a word of `text`. `responsible` is the user whose task the text is: that
 * user may view it whatever the record.
 */
function useMentions(text: string, responsible?: number): Trigger {
  const words = useTranslations('feed')
  const { vocabulary, type, id: recordId } = useFeed()
  const nonViewers = useNonViewers({ type, id: recordId }, text.includes('@'))
  return {
    label: words('mentions'),
    pattern: /(?:^|[^\p{L}\p{N}_@.])@([^@\n]{0,40})$/u,
    find(typed) {
      const wanted = typed.toLocaleLowerCase()
      return vocabulary.users
        .filter(({ is_active, name }) => {
          const own = name.toLocaleLowerCase()
          // A name that is there already is not asked for any more.
          return (
            is_active &&
            !wanted.startsWith(`${own} `) &&
            (own.startsWith(wanted) || own.split(/\s+/).some((word) => word.startsWith(wanted)))
          )
        })
        .map(({ id, name }) => ({
          id,
          name,
          text: `@${name} `,
          ...(nonViewers.has(id) && id !== responsible && { about: words('notTold') }),
        }))
    },
  }
}

function NoteComposer({ text, uploads, onSent }: ModeProps) {
  const words = useTranslations('feed')
  const { actions, type, id } = useFeed()
  const [draft, change, clear] = useDraft(`${type} ${id} note`)
  const value = string(draft['text'])
  const mentions = useMentions(value)
  const ready = useReady(value, uploads)
  const send = () => {
    if (!ready) return
    actions.addNotes(value.trim(), ready.files)
    clear()
    uploads.clear()
    onSent()
  }
  return (
    <Box
      text={
        <SuggestingText
          ref={text}
          label={words('noteText')}
          placeholder={words('notePlaceholder')}
          value={value}
          onChange={(to) => change({ text: to })}
          onSend={send}
          onFiles={uploads.add}
          triggers={[mentions]}
          minRows={2}
        />
      }
      uploads={uploads}
      hint={words('noteHint')}
      action={words('addNote')}
      isReady={!!ready}
      send={send}
    />
  )
}

/** The stored files of a draft that can be sent; undefined while there is nothing, or a file is under way. */
function useReady(text: string, { uploads }: Uploads) {
  const files = uploads.flatMap(({ file }) => file ?? [])
  const isWaiting = uploads.some(({ file }) => !file)
  if (isWaiting || (text.trim() === '' && files.length === 0)) return undefined
  return { files }
}

/** The text, its files, and the button. */
function Box({
  text,
  uploads,
  hint,
  action,
  keys,
  isReady,
  isBusy = false,
  send,
  children,
}: {
  text: ReactNode
  uploads?: Uploads
  hint: string
  action: string
  /** The keys that send; by default Ctrl Enter. */
  keys?: string
  isReady: boolean
  isBusy?: boolean
  send: () => void
  children?: ReactNode
}) {
  const words = useTranslations('feed')
  const picker = useRef<HTMLInputElement>(null)
  return (
    <div className={styles.box}>
      {text}
      {children}
      {uploads && uploads.uploads.length > 0 && <UploadList uploads={uploads} />}
      <div className={styles.foot}>
        {uploads && (
          <>
            <ActionIcon
              size={28}
              aria-label={words('attach')}
              title={words('attach')}
              onClick={() => picker.current?.click()}
            >
              <Paperclip size={16} />
            </ActionIcon>
            <input
              ref={picker}
              type="file"
              multiple
              hidden
              aria-label={words('attach')}
              onChange={({ currentTarget }) => {
                uploads.add(currentTarget.files ?? [])
                currentTarget.value = ''
              }}
            />
          </>
        )}
        <span className={styles.hint}>{hint}</span>
        <Button
          disabled={!isReady}
          loading={isBusy}
          onClick={send}
          title={keys ?? words('sendKeys')}
        >
          {action}
        </Button>
      </div>
    </div>
  )
}

function UploadList({ uploads: { uploads, remove, retry } }: { uploads: Uploads }) {
  const words = useTranslations('feed')
  const ui = useTranslations('ui')
  return (
    <ul className={styles.uploads} aria-label={words('attachments')}>
      {uploads.map(({ id, name, size, progress, error, file }) => (
        <li key={id} className={styles.upload} data-failed={error !== undefined || undefined}>
          <bdi className={styles.uploadName}>{name}</bdi>
          <Size bytes={size} />
          {error !== undefined ? (
            <>
              <span className={styles.uploadFault} role="alert">
                <ProblemText error={error} />
              </span>
              <Button size="compact-xs" variant="default" onClick={() => retry(id)}>
                {ui('retry')}
              </Button>
            </>
          ) : (
            !file && (
              <Progress
                className={styles.progress}
                value={progress * 100}
                size={4}
                aria-label={words('uploading', { name })}
              />
            )
          )}
          <ActionIcon
            size={24}
            aria-label={words('removeFile', { name })}
            onClick={() => remove(id)}
          >
            <X size={14} />
          </ActionIcon>
        </li>
      ))}
    </ul>
  )
}

function TaskComposer({ text, onSent }: Omit<ModeProps, 'uploads'>) {
  const words = useTranslations('feed')
  const { actions, type, id, vocabulary } = useFeed()
  const [draft, change, clear] = useDraft(`${type} ${id} task`)
  const read = useReadDue()
  const typed: TypedTask = {
    text: string(draft['text']),
    due: string(draft['due'] ?? words('dueDefault')),
    type: Number(draft['type'] ?? vocabulary.task_types[0]?.id ?? 1),
    user: Number(draft['user'] ?? vocabulary.me.id),
    duration: Number(draft['duration'] ?? 0),
  }
  const mentions = useMentions(typed.text, typed.user)
  const task = taskOfDraft(typed, read)
  const send = () => {
    if (!task) return
    actions.addTask(task)
    clear()
    onSent()
  }
  return (
    <Box
      text={
        <SuggestingText
          ref={text}
          label={words('taskText')}
          placeholder={words('taskPlaceholder')}
          value={typed.text}
          onChange={(to) => change({ text: to })}
          onSend={send}
          triggers={[mentions]}
        />
      }
      hint=""
      action={words('addTask')}
      isReady={!!task}
      send={send}
    >
      <TaskFields draft={typed} change={change} />
    </Box>
  )
}

/** Where a message goes: a chat, or a channel and a contact who has none there yet. */
type Target = { key: string; label: string; isConnected: boolean } & (
  | { kind: 'chat'; chat: Chat }
  | { kind: 'new'; channelId: string; person: ChatContact; chat?: undefined }
)

/** The contact who reads the message; a client whom no contact stands for has a name alone. */
const clientOf = (target: Target, people: readonly ChatContact[]): Omit<ChatContact, 'id'> =>
  target.kind === 'new'
    ? target.person
    : (people.find(({ id }) => id === target.chat.contact_id) ?? target.chat.client)

function targetsOf({ chats, people, openings }: Writable): Target[] {
  return [
    ...chats.map((chat): Target => ({
      kind: 'chat',
      key: `chat ${chat.id}`,
      label: `${chat.channel.title} · ${chat.client.name}`,
      isConnected: chat.channel.is_connected,
      chat,
    })),
    ...openings.flatMap(({ channel_id, title, contact_id }): Target[] => {
      const person = people.find(({ id }) => id === contact_id)
      const isThere = chats.some(
        (chat) => chat.contact_id === contact_id && chat.channel.id === channel_id,
      )
      if (!person || isThere) return []
      return [
        {
          kind: 'new',
          key: `new ${channel_id} ${contact_id}`,
          label: `${title} · ${person.name}`,
          isConnected: true,
          channelId: channel_id,
          person,
        },
      ]
    }),
  ]
}

function ChatComposer({ text, uploads, onSent }: ModeProps) {
  const words = useTranslations('feed')
  const { actions, type, id, name, vocabulary } = useFeed()
  const refusalText = useRefusalText()
  const query = useQuery(writableQuery(type, id))
  const { data: templates } = useQuery(templatesQuery)
  const targets = query.data ? targetsOf(query.data) : []
  const [draft, change, clear] = useDraft(`${type} ${id} chat`)
  const [isStarting, setStarting] = useState(false)
  const { enter_sends } = usePreferences()
  // The keyboard of a phone has no other key for a new line.
  const isTouched = useMediaQuery('(pointer: coarse)', undefined, {
    getInitialValueInEffect: false,
  })
  const isSentByEnter = enter_sends && !isTouched
  const target = targets.find(({ key }) => key === draft['to']) ?? targets[0]
  const client = target && clientOf(target, query.data?.people ?? [])
  const triggers = useTemplates(templates, {
    'contact.name': client?.name,
    // A client whose names nobody has told apart is called by the whole of it.
    'contact.first_name': client?.first_name || client?.name,
    'record.name': name,
    'user.name': vocabulary.me.name,
    'account.name': vocabulary.account.name,
  })
  const value = string(draft['text'])
  const files = useReady(value, uploads)
  const ready = target?.isConnected ? files : undefined

  async function send(): Promise<void> {
    if (!ready || !target || isStarting) return
    let chatId = target.chat?.id
    if (target.kind === 'new') {
      setStarting(true)
      try {
        chatId = (await startChat(target.channelId, target.person.id)).id
      } catch (error) {
        return void warn(words('noChat'), refusalText(error))
      } finally {
        setStarting(false)
      }
    }
    actions.sendMessages(chatId!, value.trim(), ready.files)
    clear()
    if (draft['to'] !== undefined && target.kind === 'chat') change({ to: target.key })
    uploads.clear()
    onSent()
    if (target.kind === 'new') void query.refetch()
  }

  if (query.isPending) return <div className={styles.waiting} role="status" aria-busy />
  if (query.isError) return <Failure error={query.error} retry={() => void query.refetch()} />
  if (!target) return <Unwritable people={query.data.people} />
  return (
    <Box
      text={
        <>
          <div className={styles.recipient}>
            <span className={styles.label}>{words('to')}</span>
            {targets.length === 1 ? (
              <bdi className={styles.strong}>{target.label}</bdi>
            ) : (
              <Select
                aria-label={words('recipient')}
                size="xs"
                className={styles.grow}
                data={targets.map(({ key, label }) => ({ value: key, label }))}
                value={target.key}
                allowDeselect={false}
                searchable={targets.length > 8}
                onChange={(to) => to !== null && change({ to })}
              />
            )}
          </div>
          {target.isConnected ? (
            <SuggestingText
              ref={text}
              label={words('messageText')}
              placeholder={words('messagePlaceholder')}
              value={value}
              onChange={(to) => change({ text: to })}
              onSend={() => void send()}
              isSentByEnter={isSentByEnter}
              onFiles={uploads.add}
              triggers={triggers}
              minRows={2}
            />
          ) : (
            <p className={styles.unwritable} role="note">
              {words('disconnected', { channel: target.chat?.channel.title ?? '' })}
            </p>
          )}
        </>
      }
      {...(target.isConnected && { uploads })}
      hint={target.isConnected ? words(target.kind === 'new' ? 'firstMessage' : 'chatHint') : ''}
      action={words('send')}
      keys={words(isSentByEnter ? 'sendKey' : 'sendKeys')}
      isReady={!!ready}
      isBusy={isStarting}
      send={() => void send()}
    />
  )
}

/** Templates after "/", where a line begins. */
function useTemplates(templates: readonly Template[] = [], values: TemplateValues): Trigger[] {
  const words = useTranslations('feed')
  return [
    {
      label: words('templates'),
      pattern: /(?:^|\n)\/([^\n/]{0,40})$/,
      find(typed) {
        const wanted = typed.toLocaleLowerCase()
        return templates
          .filter(({ name }) => name.toLocaleLowerCase().includes(wanted))
          .map(({ id, name, content }) => {
            const text = filledTemplate(content, values)
            return { id, name, about: text, text }
          })
      },
    },
  ]
}

/** The router does not know the paths of settings by their types. */
const channelsPage: string = '/settings/channels'

/** Why nothing can be written, and what helps. */
function Unwritable({ people }: { people: readonly ChatContact[] }) {
  const words = useTranslations('feed')
  const { type, vocabulary } = useFeed()
  const isAdmin = vocabulary.me.is_admin
  return (
    <div className={styles.unwritable} role="note">
      <p>{words(people.length === 0 && type !== 'contacts' ? 'noContact' : 'noChats')}</p>
      {isAdmin && <Link to={channelsPage}>{words('channels')}</Link>}
    </div>
  )
}
