// Notes of all types: what they say, and how they are pinned, edited and deleted.
import { Button, Textarea } from '@mantine/core'
import { FileText, MapPin, PencilLine, Pin, PinOff, StickyNote, Trash2 } from 'lucide-react'
import type { LucideIcon } from 'lucide-react'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import type { NoteType } from '../../../server/features/activity/notes/types.ts'
import { FileOfItem } from './attachment.tsx'
import styles from './feed.module.css'
import { ItemHeader, Act } from './parts.tsx'
import { useFeed } from './context.ts'
import { PlainText } from './text.tsx'
import type { NoteItem } from './rows.ts'
import { wordOf } from '../../crm/logged.ts'

/** Notes of every type that programs may write but calls, which have a form of their own (call.tsx). */
type NoteKind = Exclude<NoteType, 'call_in' | 'call_out'>

const icons: Record<NoteKind, LucideIcon> = {
  common: StickyNote,
  service_message: StickyNote,
  extended_service_message: StickyNote,
  message_cashier: StickyNote,
  geolocation: MapPin,
  sms_in: StickyNote,
  sms_out: StickyNote,
  attachment: FileText,
  site_visit: StickyNote,
  targeting_in: StickyNote,
  targeting_out: StickyNote,
  invoice_paid: StickyNote,
  bill_paid: StickyNote,
  zoom_meeting: StickyNote,
  ai_result: StickyNote,
}
const isNoteKind = (name: string): name is NoteKind => Object.hasOwn(icons, name)

export function NoteBody({ item }: { item: NoteItem }) {
  const words = useTranslations('feed')
  const [isEdited, setEdited] = useState(false)
  const { note_type, params } = item.note
  const Icon = isNoteKind(note_type) ? icons[note_type] : StickyNote
  const service = wordOf(params['service'])
  return (
    <div className={styles.note} data-common={note_type === 'common' || undefined}>
      <ItemHeader
        item={item}
        icon={<Icon size={14} />}
        kind={
          <>
            {words(`note.${isNoteKind(note_type) ? note_type : 'other'}`)}
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

export function NoteActions({ item, edit }: { item: NoteItem; edit: () => void }) {
  const words = useTranslations('feed')
  const { actions, isReadOnly } = useFeed()
  if (!item.may_edit || isReadOnly || item.sending) return undefined
  const isPinned = item.note.is_pinned === true
  return (
    <>
      <Act
        text={words(isPinned ? 'unpin' : 'pin')}
        icon={isPinned ? <PinOff size={14} /> : <Pin size={14} />}
        onClick={() => actions.pin(item, !isPinned)}
      />
      {item.note.note_type === 'common' && (
        <Act text={words('editNote')} icon={<PencilLine size={14} />} onClick={edit} />
      )}
      <Act
        text={words('deleteNote')}
        icon={<Trash2 size={14} />}
        onClick={() => actions.remove(item)}
      />
    </>
  )
}

export function NoteEditor({ item, close }: { item: NoteItem; close: () => void }) {
  const words = useTranslations('feed')
  const ui = useTranslations('ui')
  const { actions } = useFeed()
  const [value, setValue] = useState(wordOf(item.note.params['text']))
  const save = () => {
    if (value.trim() === '') return
    actions.editNote(item, value.trim())
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
  const location = [wordOf(params['latitude']), wordOf(params['longitude'])]
    .filter(Boolean)
    .join(', ')
  const about = [
    ['phone', wordOf(params['phone'])],
    ['address', wordOf(params['address'])],
    ['place', note_type === 'geolocation' ? location : ''],
    ['url', wordOf(params['url'])],
    ['campaign', wordOf(params['campaign'])],
    ['status', note_type === 'message_cashier' ? wordOf(params['status']) : ''],
  ] as const
  return (
    <>
      {note_type === 'attachment' && (
        <FileOfItem
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
