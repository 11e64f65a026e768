// Messages of chats, and how far they have come.
import { Button } from '@mantine/core'
import { Check, CheckCheck, CircleAlert, Clock, MapPin, Phone, RotateCcw, X } from 'lucide-react'
import { useTranslations } from 'use-intl'
import { AudioPlayer } from '../../ui/player.tsx'
import { isOwn, FileOfItem } from './attachment.tsx'
import styles from './feed.module.css'
import { useAuthor, Time, OfRecord } from './parts.tsx'
import { useReading } from './reading.ts'
import { useFeed } from './context.ts'
import { PlainText } from './text.tsx'
import type { Message, MessageItem } from './rows.ts'

export function MessageBody({ item }: { item: MessageItem }) {
  const words = useTranslations('feed')
  const { actions, isReadOnly } = useFeed()
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
              onClick={() => actions.sendMessageAgain(item)}
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
            <AudioPlayer src={media} seconds={0} />
          </span>
        ) : (
          <FileOfItem
            media={media}
            name={name}
            size={file_size}
            isPicture={type === 'picture' || type === 'sticker'}
          />
        ))}
      {media === null && file_name !== null && (
        <FileOfItem media={null} name={name} size={file_size} isPicture={false} />
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
