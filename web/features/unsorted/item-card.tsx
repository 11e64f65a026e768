import { draggable } from '@atlaskit/pragmatic-drag-and-drop/element/adapter'
import { ActionIcon, Button, Menu } from '@mantine/core'
import {
  Check,
  ChevronDown,
  FileText,
  Link2,
  Mail,
  MessageCircle,
  Phone,
  Users,
  X,
} from 'lucide-react'
import { memo, useEffect, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { useDayAndTime } from '../../ui/day.ts'
import { useDistance } from '../../ui/moment.tsx'
import { clock, AudioPlayer } from '../../ui/player.tsx'
import styles from './unsorted.module.css'
import { recordingOf } from './unsorted.ts'
import type { WaitingItem } from './unsorted.ts'

export const icons = { sip: Phone, forms: FileText, chats: MessageCircle, mail: Mail }

export interface AcceptanceStage {
  id: number
  name: string
  color: string
}

export interface ItemActs {
  /** Into the first stage, or into one that the user chose. */
  accept: (item: WaitingItem, stage?: AcceptanceStage) => void
  decline: (item: WaitingItem) => void
  link: (item: WaitingItem) => void
}

/** Fields and tags that a card has room for. */
const [mostFields, mostTags] = [2, 3]

/** A request that waits: the name, tags and fields of its contact or lead, and how it came. */
export const UnsortedCard = memo(function UnsortedCard({
  item,
  stages,
  acts,
  userName,
  index,
  total,
  isTabStop,
  mayAccept,
}: {
  item: WaitingItem
  stages: readonly AcceptanceStage[]
  acts: ItemActs
  /** The name of a user by id. */
  userName: (id: number) => string | undefined
  index: number
  total: number
  isTabStop: boolean
  mayAccept: boolean
}) {
  const words = useTranslations('unsorted')
  const element = useRef<HTMLElement>(null)
  const [isDragged, setDragged] = useState(false)
  const { uid, category, source_name, preview, metadata, created_at, same_contacts } = item
  useEffect(() => {
    if (!element.current || !mayAccept) return
    return draggable({
      element: element.current,
      getInitialData: () => ({ unsortedUid: uid }),
      onDragStart: () => setDragged(true),
      onDrop: () => setDragged(false),
    })
  }, [uid, mayAccept])
  const name = itemTitle(item) ?? words('noName')
  const Icon = icons[category]
  const fields = (preview.custom_fields_values ?? []).flatMap(
    ({ field_id, field_name, values }) => {
      const text = (values as { value?: unknown }[])
        .map(({ value }) =>
          typeof value === 'string' || typeof value === 'number' ? String(value) : '',
        )
        .filter(Boolean)
        .join(', ')
      return text === '' || text === metadata.phone ? [] : [{ field_id, field_name, text }]
    },
  )
  return (
    <article
      ref={element}
      className={styles.card}
      data-item={uid}
      data-dragged={isDragged || undefined}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the keys act on it
      tabIndex={isTabStop ? 0 : -1}
      aria-label={words('itemName', {
        name,
        category: words(`one.${category}`),
        source: source_name,
        place: index,
        total,
      })}
    >
      <header className={styles.top}>
        <span className={styles.kind} data-category={category}>
          <Icon size={12} aria-hidden />
          <span>{words(`one.${category}`)}</span>
        </span>
        <span className={styles.source} title={source_name}>
          {source_name}
        </span>
        <Age at={created_at} />
      </header>
      <h3 className={styles.name}>{name}</h3>
      <ItemFacts item={item} userName={userName} />
      {fields.slice(0, mostFields).map(({ field_id, field_name, text }) => (
        <p key={field_id} className={styles.field} title={`${field_name}: ${text}`}>
          {text}
        </p>
      ))}
      {preview.tags.length > 0 && (
        <p className={styles.tags}>
          {preview.tags.slice(0, mostTags).map((tag) => (
            <span key={tag}>{tag}</span>
          ))}
          {preview.tags.length > mostTags && <span>+{preview.tags.length - mostTags}</span>}
        </p>
      )}
      {same_contacts.length > 0 && (
        <p className={styles.same}>
          <Users size={12} aria-hidden />
          <span>
            {words('also')}{' '}
            {same_contacts.map(({ id, name: other, leads }, at) => (
              <span key={id}>
                {at > 0 && '; '}
                <a href={`/contacts/${id}`}>{other || `#${id}`}</a>
                {leads > 0 && `, ${words('leads', { count: leads })}`}
              </span>
            ))}
          </span>
        </p>
      )}
      <footer className={styles.acts}>
        {mayAccept && (
          <span className={styles.accept}>
            <Button
              size="compact-sm"
              variant="light"
              leftSection={<Check size={14} aria-hidden />}
              aria-label={words('acceptItem', { name })}
              onClick={() => acts.accept(item)}
            >
              {words('accept')}
            </Button>
            <Menu position="bottom-start" width={220}>
              <Menu.Target>
                <ActionIcon
                  size={26}
                  variant="light"
                  color="accent"
                  aria-label={words('acceptInto', { name })}
                >
                  <ChevronDown size={14} />
                </ActionIcon>
              </Menu.Target>
              <Menu.Dropdown>
                <Menu.Label>{words('intoStage')}</Menu.Label>
                {stages.map((stage) => (
                  <Menu.Item
                    key={stage.id}
                    leftSection={
                      <span className={styles.bullet} style={{ background: stage.color }} />
                    }
                    onClick={() => acts.accept(item, stage)}
                  >
                    {stage.name}
                  </Menu.Item>
                ))}
              </Menu.Dropdown>
            </Menu>
          </span>
        )}
        {category === 'chats' && (
          <ActionIcon
            size={26}
            aria-label={words('linkItem', { name })}
            title={words('link')}
            onClick={() => acts.link(item)}
          >
            <Link2 size={15} />
          </ActionIcon>
        )}
        <ActionIcon
          size={26}
          className={styles.decline}
          aria-label={words('declineItem', { name })}
          title={words('decline')}
          onClick={() => acts.decline(item)}
        >
          <X size={15} />
        </ActionIcon>
      </footer>
    </article>
  )
})

/** The name of the request, or else who called or wrote. */
export const itemTitle = ({ preview, metadata }: WaitingItem): string | undefined =>
  preview.name || metadata.client?.name || metadata.phone || metadata.from || undefined

/** The details of the source: the call, the form, the last message. */
function ItemFacts({
  item,
  userName,
}: {
  item: WaitingItem
  userName: (id: number) => string | undefined
}) {
  const words = useTranslations('unsorted')
  const { category, metadata, uid } = item
  const shown = itemTitle(item)
  if (category === 'sip') {
    const { phone, link, duration, call_responsible: taker } = metadata
    const user = taker && /^\d+$/.test(taker) ? (userName(Number(taker)) ?? taker) : taker
    const about = [
      duration ? clock(duration) : words('missed'),
      ...(user ? [words('taker', { name: user })] : []),
    ]
    return (
      <div className={styles.call}>
        {link && <AudioPlayer src={recordingOf(uid)} />}
        <span>
          {phone !== shown && phone}
          <small>{about.join(' · ')}</small>
        </span>
      </div>
    )
  }
  if (category === 'chats' && metadata.last_message_text)
    return <blockquote className={styles.message}>{metadata.last_message_text}</blockquote>
  if (category === 'forms' && metadata.form_name && metadata.form_name !== shown)
    return <p className={styles.field}>{metadata.form_name}</p>
  return undefined
}

/** "2 min ago", and the whole date on demand. */
function Age({ at }: { at: number }) {
  const moment = useDayAndTime()
  const distance = useDistance()
  return (
    <time dateTime={new Date(at * 1000).toISOString()} className={styles.age} title={moment(at)}>
      {distance(at, 'short')}
    </time>
  )
}
