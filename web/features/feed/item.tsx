// One item of the feed: who did it, when, and what it says.
import type { RecordType } from '../../../server/records/description.ts'
import { RecordLink } from '../../crm/record-link.tsx'
import { ActionIcon, Button, Textarea } from '@mantine/core'
import {
  ArrowDownLeft,
  ArrowUpRight,
  Check,
  CheckCheck,
  CircleAlert,
  CircleCheck,
  Clock,
  Download,
  FileText,
  MapPin,
  PencilLine,
  Phone,
  PhoneMissed,
  Pin,
  PinOff,
  RotateCcw,
  StickyNote,
  Trash2,
  X,
} from 'lucide-react'
import { memo, useState } from 'react'
import type { ReactNode } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import { useDayAndTime } from '../../ui/day.ts'
import { clock, Player } from '../../ui/player.tsx'
import { useSizeText } from '../../ui/size.ts'
import { ProblemText } from '../../ui/states.tsx'
import { ChangeValues, useChangeName } from './change.tsx'
import styles from './feed.module.css'
import { nameOfUser, useFeed } from './scene.ts'
import { useReading } from './reading.ts'
import { PlainText } from './text.tsx'
import type {
  ChangeItem,
  Message,
  MessageItem,
  NoteItem,
  TaskItem,
  TimelineItem,
} from './timeline.ts'
import { leadingChange, wordOf } from './timeline.ts'

/** Answers a function that names the author of an item. */
export function useAuthor(): (item: TimelineItem) => string {
  const words = useTranslations('feed')
  const { vocabulary } = useFeed()
  return (item) => {
    if (item.kind === 'message') {
      const { author } = item.message
      const user = author.user_id === null ? undefined : nameOfUser(vocabulary, author.user_id)
      return user ?? author.name ?? words(author.type === 'bot' ? 'bot' : 'client')
    }
    return nameOfUser(vocabulary, item.created_by) ?? words('system')
  }
}

/** Answers a function that names the kind of an item, with its author: the label of its article. */
export function useItemName(): (item: TimelineItem) => string {
  const words = useTranslations('feed')
  const moment = useDayAndTime()
  const author = useAuthor()
  const changeName = useChangeName()
  return (item) =>
    words('itemName', {
      kind: item.kind === 'change' ? changeName(item.event) : words(`kind.${item.kind}`),
      author: author(item),
      at: moment(item.at / 1000),
    })
}

/** The hour and minute of an item; the whole date on demand. */
export function Time({ at }: { at: number }) {
  const format = useFormatter()
  const date = new Date(at)
  return (
    <time
      className={styles.time}
      dateTime={date.toISOString()}
      title={format.dateTime(date, { dateStyle: 'full', timeStyle: 'medium' })}
    >
      {format.dateTime(date, { timeStyle: 'short' })}
    </time>
  )
}

/** The record of an item, where it is another one than that of the card. */
export function OfRecord({ item: { entity } }: { item: TimelineItem }) {
  const words = useTranslations('feed')
  const { type, id, open } = useFeed()
  if (entity.type === type && entity.id === id) return undefined
  if (!['leads', 'contacts', 'companies', 'customers'].includes(entity.type)) return undefined
  return (
    <RecordLink
      type={entity.type as RecordType}
      id={entity.id}
      open={open}
      className={styles.ofRecord}
    >
      <bdi>{entity.name || words('numbered', { id: entity.id })}</bdi>
    </RecordLink>
  )
}

/** An article of the feed. `place` counts from 1, `total` is -1 while older items may follow. */
export const ItemView = memo(function ItemView({
  item,
  place,
  total,
}: {
  item: TimelineItem
  place: number
  total: number
}) {
  const itemName = useItemName()
  return (
    <article
      className={styles.item}
      data-key={item.key}
      data-kind={item.kind}
      data-sending={item.sending?.state}
      tabIndex={-1}
      aria-label={itemName(item)}
      aria-posinset={place}
      aria-setsize={total}
    >
      <Body item={item} />
      {item.sending?.state === 'failed' && <Unsent item={item} />}
    </article>
  )
})

function Body({ item }: { item: TimelineItem }) {
  switch (item.kind) {
    case 'note':
      return <NoteBody item={item} />
    case 'call':
      return <CallBody item={item} />
    case 'task':
      return <TaskBody item={item} />
    case 'change':
      return <ChangeBody item={item} />
    case 'message':
      return <MessageBody item={item} />
  }
}

/** It could not be sent: why, and the ways on. */
function Unsent({ item }: { item: TimelineItem }) {
  const words = useTranslations('feed')
  const ui = useTranslations('ui')
  const { store } = useFeed()
  return (
    <div className={styles.unsent} role="alert">
      <CircleAlert size={14} aria-hidden />
      <span>
        {words('notSent')} {/* After the page was loaded anew, the reason is not known any more. */}
        {item.sending?.error !== undefined && <ProblemText error={item.sending.error} />}
      </span>
      <Button size="compact-xs" variant="default" onClick={() => store.sendAgain(item.key)}>
        {ui('retry')}
      </Button>
      <Button
        size="compact-xs"
        variant="subtle"
        color="gray"
        onClick={() => store.takeAway(item.key)}
      >
        {ui('discard')}
      </Button>
    </div>
  )
}

function Head({
  item,
  icon,
  kind,
  actions,
}: {
  item: TimelineItem
  icon: ReactNode
  kind?: ReactNode
  actions?: ReactNode
}) {
  const author = useAuthor()
  return (
    <header className={styles.head}>
      <span className={styles.icon} aria-hidden>
        {icon}
      </span>
      <bdi className={styles.author} title={author(item)}>
        {author(item)}
      </bdi>
      {kind && <span className={styles.kind}>{kind}</span>}
      <OfRecord item={item} />
      {actions && <span className={styles.actions}>{actions}</span>}
      {item.sending?.state === 'sending' ? <Sending /> : <Time at={item.at} />}
    </header>
  )
}

function Sending() {
  const words = useTranslations('feed')
  return (
    <span className={styles.time} title={words('sending')}>
      <Clock size={12} role="img" aria-label={words('sending')} />
    </span>
  )
}

/** The kinds of notes that have a name of their own. */
const noteKinds = [
  'service_message',
  'extended_service_message',
  'message_cashier',
  'geolocation',
  'sms_in',
  'sms_out',
  'attachment',
  'site_visit',
  'targeting_in',
  'targeting_out',
  'invoice_paid',
  'bill_paid',
  'zoom_meeting',
  'ai_result',
] as const
type NoteKind = (typeof noteKinds)[number]
const isNoteKind = (name: string): name is NoteKind =>
  (noteKinds as readonly string[]).includes(name)

function NoteBody({ item }: { item: NoteItem }) {
  const words = useTranslations('feed')
  const [isEdited, setEdited] = useState(false)
  const { note_type, params } = item.note
  const Icon =
    note_type === 'attachment' ? FileText : note_type === 'geolocation' ? MapPin : StickyNote
  const service = wordOf(params['service'])
  return (
    <div className={styles.note} data-common={note_type === 'common' || undefined}>
      <Head
        item={item}
        icon={<Icon size={14} />}
        kind={
          <>
            {isNoteKind(note_type)
              ? words(`note.${note_type}`)
              : note_type === 'common'
                ? words('kind.note')
                : words('note.other')}
            {service !== '' && ` · ${service}`}
            {item.note.is_pinned && (
              <Pin size={12} role="img" aria-label={words('isPinned')} className={styles.pinMark} />
            )}
          </>
        }
        actions={<NoteActions item={item} edit={() => setEdited(true)} />}
      />
      {isEdited ? (
        <NoteEditor item={item} close={() => setEdited(false)} />
      ) : (
        <NoteContent item={item} />
      )}
    </div>
  )
}

function NoteActions({ item, edit }: { item: NoteItem; edit: () => void }) {
  const words = useTranslations('feed')
  const { acts, isReadOnly } = useFeed()
  if (!item.may_edit || isReadOnly || item.sending) return undefined
  const isPinned = item.note.is_pinned === true
  return (
    <>
      <Act
        text={words(isPinned ? 'unpin' : 'pin')}
        icon={isPinned ? <PinOff size={14} /> : <Pin size={14} />}
        onClick={() => acts.pin(item, !isPinned)}
      />
      {item.note.note_type === 'common' && (
        <Act text={words('editNote')} icon={<PencilLine size={14} />} onClick={edit} />
      )}
      <Act
        text={words('deleteNote')}
        icon={<Trash2 size={14} />}
        onClick={() => acts.remove(item)}
      />
    </>
  )
}

export const Act = ({
  text: name,
  icon,
  onClick,
}: {
  text: string
  icon: ReactNode
  onClick: () => void
}) => (
  <ActionIcon size={24} aria-label={name} title={name} onClick={onClick}>
    {icon}
  </ActionIcon>
)

export function NoteEditor({ item, close }: { item: NoteItem; close: () => void }) {
  const words = useTranslations('feed')
  const ui = useTranslations('ui')
  const { acts } = useFeed()
  const [value, setValue] = useState(wordOf(item.note.params['text']))
  const save = () => {
    if (value.trim() === '') return
    acts.editNote(item, value.trim())
    close()
  }
  return (
    <div className={styles.editor}>
      <Textarea
        aria-label={words('noteText')}
        autosize
        minRows={2}
        maxRows={12}
        dir="auto"
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- the user asked to edit it
        autoFocus
        value={value}
        onChange={({ currentTarget }) => setValue(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) save()
          else if (event.key === 'Escape') close()
          else return
          // It closes the editor and not the card.
          event.preventDefault()
          event.stopPropagation()
        }}
      />
      <div className={styles.buttons}>
        <Button size="compact-sm" variant="default" onClick={close}>
          {ui('cancel')}
        </Button>
        <Button size="compact-sm" disabled={value.trim() === ''} onClick={save}>
          {ui('save')}
        </Button>
      </div>
    </div>
  )
}

/** The content of a note of any type. */
export function NoteContent({ item: { note } }: { item: NoteItem }) {
  const words = useTranslations('feed')
  const { note_type, params } = note
  const prose = wordOf(params['text'])
  const place = [wordOf(params['latitude']), wordOf(params['longitude'])].filter(Boolean).join(', ')
  const about = [
    ['phone', wordOf(params['phone'])],
    ['address', wordOf(params['address'])],
    ['place', note_type === 'geolocation' ? place : ''],
    ['url', wordOf(params['url'])],
    ['campaign', wordOf(params['campaign'])],
    ['status', note_type === 'message_cashier' ? wordOf(params['status']) : ''],
  ] as const
  return (
    <>
      {note_type === 'attachment' && (
        <Attachment
          media={note.file?.media ?? null}
          name={note.file?.file_name ?? wordOf(params['file_name'])}
          size={note.file?.file_size ?? null}
          isPicture={note.file?.type?.startsWith('image/') ?? false}
        />
      )}
      {prose !== '' && <PlainText text={prose} />}
      {about
        .filter(([, value]) => value !== '')
        .map(([name, value]) => (
          <div key={name} className={styles.about}>
            <span className={styles.kind}>{words(`param.${name}`)}</span>{' '}
            {name === 'phone' ? (
              <a href={`tel:${value.replaceAll(/[^\d+]/g, '')}`} dir="ltr">
                {value}
              </a>
            ) : (
              <PlainText text={value} />
            )}
          </div>
        ))}
    </>
  )
}

/** Files of this server are shown; the page may not load those of other hosts, which are links. */
const isOwn = (address: string): boolean => URL.parse(address)?.origin === location.origin

function Attachment({
  media,
  name,
  size,
  isPicture,
}: {
  media: string | null
  name: string
  size: number | null
  isPicture: boolean
}) {
  const words = useTranslations('feed')
  const [isBroken, setBroken] = useState(false)
  const shown = name || words('file')
  if (media === null)
    return (
      <span className={styles.file}>
        <FileText size={16} aria-hidden />
        <bdi>{shown}</bdi>
      </span>
    )
  if (isPicture && isOwn(media) && !isBroken)
    return (
      <a href={media} target="_blank" rel="noopener noreferrer" className={styles.picture}>
        <img src={media} alt={shown} loading="lazy" onError={() => setBroken(true)} />
      </a>
    )
  return (
    <a href={media} target="_blank" rel="noopener noreferrer" className={styles.file}>
      <Download size={16} aria-hidden />
      <bdi>{shown}</bdi>
      <Size bytes={size} />
    </a>
  )
}

/** The size of a file: "12 kB". */
export function Size({ bytes }: { bytes: number | null }) {
  const sizeText = useSizeText()
  if (bytes === null) return undefined
  return <span className={styles.kind}>{sizeText(bytes)}</span>
}

/** The results of calls (interface: Note types). */
const callStates = {
  1: 'message',
  2: 'later',
  3: 'absent',
  4: 'talked',
  5: 'wrong',
  6: 'noAnswer',
  7: 'busy',
} as const

function CallBody({ item }: { item: NoteItem }) {
  const words = useTranslations('feed')
  const { vocabulary } = useFeed()
  const { note_type, params, id } = item.note
  const isIn = note_type === 'call_in'
  const seconds = Number(params['duration'] ?? 0)
  const phone = wordOf(params['phone'])
  const link = wordOf(params['link'])
  const taker = wordOf(params['call_responsible'])
  const status = callStates[Number(params['call_status']) as keyof typeof callStates] as
    | (typeof callStates)[keyof typeof callStates]
    | undefined
  const result = wordOf(params['call_result'])
  const by = nameOfUser(vocabulary, Number(taker)) ?? (/^\d*$/.test(taker) ? '' : taker)
  return (
    <div className={styles.call}>
      <Head
        item={item}
        icon={seconds === 0 ? <PhoneMissed size={14} /> : <Phone size={14} />}
        kind={
          <>
            {isIn ? (
              <ArrowDownLeft size={12} aria-hidden />
            ) : (
              <ArrowUpRight size={12} aria-hidden />
            )}
            {words(isIn ? 'callIn' : 'callOut')}
          </>
        }
        actions={<NoteActions item={item} edit={() => undefined} />}
      />
      <div className={styles.callLine}>
        {link !== '' && <Player src={`/web/v1/recordings/notes/${id}`} seconds={seconds} />}
        {phone !== '' && (
          <a href={`tel:${phone.replaceAll(/[^\d+]/g, '')}`} dir="ltr">
            {phone}
          </a>
        )}
        <span className={styles.kind}>
          {[
            link === '' && seconds > 0 ? clock(seconds) : '',
            status
              ? words(`callState.${status}`)
              : seconds === 0
                ? words('callState.noAnswer')
                : '',
            by === '' ? '' : words('taker', { name: by }),
          ]
            .filter(Boolean)
            .join(' · ')}
        </span>
      </div>
      {result !== '' && <PlainText text={result} />}
    </div>
  )
}

function TaskBody({ item }: { item: TaskItem }) {
  const words = useTranslations('feed')
  const { acts, isReadOnly, vocabulary } = useFeed()
  const taskType = useTaskType()
  const { task } = item
  const result = Array.isArray(task.result) ? '' : task.result.text
  const responsible = nameOfUser(vocabulary, task.responsible_user_id)
  return (
    <div className={styles.task}>
      <Head
        item={item}
        icon={
          task.is_completed ? (
            <CircleCheck size={14} className={styles.done} />
          ) : (
            <Clock size={14} />
          )
        }
        kind={
          <>
            {task.is_completed
              ? words('taskOf', { type: taskType(task.task_type_id) })
              : taskType(task.task_type_id)}
            {responsible !== undefined && task.responsible_user_id !== item.created_by && (
              <> · {words('for', { name: responsible })}</>
            )}
          </>
        }
        actions={
          item.may_edit &&
          !isReadOnly &&
          !item.sending && (
            <>
              <Act
                text={words('reopen')}
                icon={<RotateCcw size={14} />}
                onClick={() => acts.changeTask(item, { is_completed: false } as never)}
              />
              <Act
                text={words('deleteTask')}
                icon={<Trash2 size={14} />}
                onClick={() => acts.remove(item)}
              />
            </>
          )
        }
      />
      <div className={styles.taskText} data-done={task.is_completed || undefined}>
        <PlainText text={task.text} />
      </div>
      {result !== '' && (
        <div className={styles.result}>
          <PlainText text={result} />
        </div>
      )}
    </div>
  )
}

/** Answers a function that names a type of task in the user's language. */
export function useTaskType(): (id: number) => string {
  const words = useTranslations('feed')
  const { vocabulary } = useFeed()
  return (id) => {
    const type = vocabulary.task_types.find((each) => each.id === id)
    if (type?.code === 'FOLLOW_UP' || type?.code === 'MEETING')
      return words(`taskType.${type.code}`)
    return type?.name ?? words('kind.task')
  }
}

function ChangeBody({ item }: { item: ChangeItem }) {
  const author = useAuthor()
  return (
    <div className={styles.change}>
      <span className={styles.changeText}>
        <bdi className={styles.changer}>{author(item)}</bdi> <ChangeSentence item={item} />
        <OfRecord item={item} />
      </span>
      <Time at={item.at} />
    </div>
  )
}

function ChangeSentence({ item }: { item: ChangeItem }) {
  const name = useChangeName()
  return (
    <>
      <span className={styles.changeName}>{name(item.event)}</span> <ChangeValues item={item} />
    </>
  )
}

/** Changes of one person that came together: the most important one, and the rest on demand. */
export const FoldView = memo(function FoldView({
  items,
  place,
  total,
  isOpen,
  toggle,
}: {
  items: readonly ChangeItem[]
  place: number
  total: number
  isOpen: boolean
  toggle: (keys: readonly string[], isOpen: boolean) => void
}) {
  const words = useTranslations('feed')
  const author = useAuthor()
  const itemName = useItemName()
  const leading = leadingChange(items)
  const last = items.at(-1)!
  return (
    <article
      className={styles.item}
      data-key={last.key}
      data-kind="change"
      tabIndex={-1}
      aria-label={`${itemName(last)}, ${words('changes', { count: items.length })}`}
      aria-posinset={place}
      aria-setsize={total}
    >
      <div className={styles.change}>
        <span className={styles.changeText}>
          <bdi className={styles.changer}>{author(last)}</bdi>{' '}
          {!isOpen && <ChangeSentence item={leading} />}
          <OfRecord item={last} />{' '}
          <button
            type="button"
            className={styles.fold}
            aria-expanded={isOpen}
            onClick={() =>
              toggle(
                items.map(({ key }) => key),
                !isOpen,
              )
            }
          >
            {words('changes', { count: items.length })}
          </button>
        </span>
        <Time at={last.at} />
      </div>
      {isOpen && (
        <ul className={styles.unfolded}>
          {items.map((item) => (
            <li key={item.key} className={styles.change}>
              <span className={styles.changeText}>
                <ChangeSentence item={item} />
              </span>
              <Time at={item.at} />
            </li>
          ))}
        </ul>
      )}
    </article>
  )
})

function MessageBody({ item }: { item: MessageItem }) {
  const words = useTranslations('feed')
  const { acts, isReadOnly } = useFeed()
  const author = useAuthor()
  const end = useReading(item)
  const { message } = item
  return (
    <div className={styles.message} data-outgoing={message.is_outgoing || undefined}>
      <div className={styles.bubble}>
        <header className={styles.bubbleHead}>
          <bdi className={styles.author}>{author(item)}</bdi>
          {/* The client is the contact. */}
          {(message.is_outgoing || item.entity.type !== 'contacts') && <OfRecord item={item} />}
        </header>
        {message.reply_to && (
          <blockquote className={styles.quoted}>
            <bdi>{message.reply_to.text || words(`messageType.${message.reply_to.type}`)}</bdi>
          </blockquote>
        )}
        <MessageContent message={message} />
        <footer ref={end} className={styles.bubbleFoot}>
          {message.reactions.length > 0 && (
            <span className={styles.reactions}>
              {message.reactions.map(({ emoji }) => emoji).join(' ')}
            </span>
          )}
          <Time at={item.at} />
          {message.is_outgoing && (
            <Delivery message={message} isSending={item.sending?.state === 'sending'} />
          )}
        </footer>
      </div>
      {message.status === 'error' && (
        <p className={styles.deliveryFault} role="note">
          <CircleAlert size={12} aria-hidden />
          <span>{deliveryFault(message, words)}</span>
          {message.can_send_again && !isReadOnly && (
            <Button
              size="compact-xs"
              variant="default"
              leftSection={<RotateCcw size={12} aria-hidden />}
              onClick={() => acts.sendMessageAgain(item)}
            >
              {words('sendAgain')}
            </Button>
          )}
        </p>
      )}
    </div>
  )
}

const faultCodes = [901, 902, 903, 904] as const

function deliveryFault(
  { error, error_code }: Message,
  words: ReturnType<typeof useTranslations<'feed'>>,
): string {
  const known = faultCodes.find((code) => code === error_code)
  if (known !== undefined) return words(`deliveryFault.${known}`)
  return error ?? words('notDelivered')
}

/** How far an outgoing message has come, as marks with a text. */
function Delivery({ message: { status }, isSending }: { message: Message; isSending: boolean }) {
  const words = useTranslations('feed')
  const state = isSending ? 'sending' : (status ?? 'sent')
  const name = words(`delivery.${state}`)
  const Icon = { sending: Clock, sent: Check, delivered: CheckCheck, read: CheckCheck, error: X }[
    state
  ]
  return (
    <span className={styles.delivery} data-state={state} title={name}>
      <Icon size={13} role="img" aria-label={name} />
    </span>
  )
}

function MessageContent({ message }: { message: Message }) {
  const words = useTranslations('feed')
  const { type, text: said, media, file_name, file_size, location: spot, contact } = message
  const name = file_name ?? words(`messageType.${type}`)
  return (
    <>
      {media !== null &&
        ((type === 'voice' || type === 'audio') && isOwn(media) ? (
          <span className={styles.callLine}>
            <Player src={media} seconds={0} />
          </span>
        ) : (
          <Attachment
            media={media}
            name={name}
            size={file_size}
            isPicture={type === 'picture' || type === 'sticker'}
          />
        ))}
      {media === null && file_name !== null && (
        <Attachment media={null} name={name} size={file_size} isPicture={false} />
      )}
      {said !== '' && <PlainText text={said} />}
      {spot && (
        <span className={styles.file}>
          <MapPin size={14} aria-hidden />
          <bdi dir="ltr">
            {spot.lat}, {spot.lon}
          </bdi>
        </span>
      )}
      {contact && (
        <span className={styles.file}>
          <Phone size={14} aria-hidden />
          <bdi>{contact.name}</bdi>
          <a href={`tel:${contact.phone.replaceAll(/[^\d+]/g, '')}`} dir="ltr">
            {contact.phone}
          </a>
        </span>
      )}
    </>
  )
}
