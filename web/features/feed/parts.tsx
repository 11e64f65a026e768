// The parts that items of every kind have: who did it, when, and on which record.
import { ActionIcon } from '@mantine/core'
import { Clock } from 'lucide-react'
import type { ReactNode } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import type { RecordType } from '../../../server/records/description.ts'
import { useBootstrap } from '../../crm/bootstrap.ts'
import { RecordLink } from '../../crm/record-link.tsx'
import { useDayAndTime } from '../../ui/day.ts'
import { useChangeName } from '../../crm/event-values.tsx'
import styles from './feed.module.css'
import { useFeed } from './context.ts'
import { nameOfUser } from '../../crm/bootstrap.ts'
import type { FeedItem } from './rows.ts'

/** Answers a function that names the author of an item. */
export function useAuthor(): (item: FeedItem) => string {
  const words = useTranslations('feed')
  const vocabulary = useBootstrap()
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
export function useItemName(): (item: FeedItem) => string {
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
export function OfRecord({ item: { entity } }: { item: FeedItem }) {
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

export function ItemHeader({
  item,
  icon,
  kind,
  actions,
}: {
  item: FeedItem
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
