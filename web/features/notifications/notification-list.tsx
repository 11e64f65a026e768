import { Button, Group, SegmentedControl } from '@mantine/core'
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { AtSign, TriangleAlert, Unplug } from 'lucide-react'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { Moment } from '../../ui/moment.tsx'
import { Empty, Failure, ProblemText, Rows } from '../../ui/states.tsx'
import { warn } from '../../ui/toasts.ts'
import styles from './notification-list.module.css'
import type { MentionValues } from '../../../server/features/activity/notifications/schema.ts'
import { notificationsQuery, readNotifications } from './notifications.ts'
import type { Notification } from './notifications.ts'

/** The notifications of the user with their filter; `onOpen` runs when one is followed. */
export function NotificationList({ onOpen }: { onOpen?: () => void }) {
  const words = useTranslations('notifications')
  const ui = useTranslations('ui')
  const client = useQueryClient()
  const [isUnread, setUnread] = useState(false)
  const query = useInfiniteQuery(notificationsQuery(isUnread))
  const read = useMutation({
    mutationFn: readNotifications,
    onSettled: () =>
      Promise.all(
        ['notifications', 'counters'].map((key) => client.invalidateQueries({ queryKey: [key] })),
      ),
    onError: (error) => warn(ui('failed'), <ProblemText error={error} />),
  })
  const items = query.data?.pages.flatMap(({ _embedded }) => _embedded.notifications) ?? []
  const newest = items[0]
  return (
    <>
      <Group justify="space-between" mb="sm" gap="sm">
        <SegmentedControl
          size="xs"
          aria-label={words('filter')}
          value={isUnread ? 'unread' : 'all'}
          onChange={(value) => setUnread(value === 'unread')}
          data={[
            { value: 'all', label: words('all') },
            { value: 'unread', label: words('unread') },
          ]}
        />
        <Button
          variant="subtle"
          size="compact-sm"
          disabled={!newest || items.every(({ is_read }) => is_read)}
          loading={read.isPending}
          onClick={() => read.mutate({ up_to: newest!.id })}
        >
          {words('readAll')}
        </Button>
      </Group>
      {query.isPending ? (
        <Rows />
      ) : query.isError ? (
        <Failure error={query.error} retry={() => void query.refetch()} />
      ) : items.length === 0 ? (
        <Empty title={words(isUnread ? 'noneUnread' : 'none')} text={words('noneText')} />
      ) : (
        <>
          <ul className={styles.list}>
            {groupsOf(items).map((group) => (
              <Item
                key={group[0].id}
                group={group}
                onOpen={() => {
                  const ids = group.filter(({ is_read }) => !is_read).map(({ id }) => id)
                  if (ids.length > 0) read.mutate({ ids })
                  onOpen?.()
                }}
              />
            ))}
          </ul>
          {query.hasNextPage && (
            <Button
              variant="default"
              fullWidth
              mt="md"
              loading={query.isFetchingNextPage}
              onClick={() => void query.fetchNextPage()}
            >
              {ui('more')}
            </Button>
          )}
        </>
      )}
    </>
  )
}

type NotificationGroup = [newest: Notification, ...earlier: Notification[]]

/** The most notifications of a group: as many as are marked as read in one request. */
const mostInGroup = 250

/** Notifications of one kind about one webhook that follow each other are one row, the newest first. */
function groupsOf(items: readonly Notification[]): NotificationGroup[] {
  const groups: NotificationGroup[] = []
  for (const item of items) {
    const last = groups.at(-1)
    const isMore =
      last &&
      last.length < mostInGroup &&
      last[0].kind === item.kind &&
      item.kind !== 'mention' &&
      addressOf(last[0]) === addressOf(item)
    if (isMore) last.push(item)
    else groups.push([item])
  }
  return groups
}

/** The screen of what a notification is about. */
function addressOf(item: Notification): string {
  if (item.kind !== 'mention') return `/settings/webhooks/${item.values.webhook_id}`
  const { entity_type, entity_id } = item.values
  return entity_type === null ? '/notifications' : `/${entity_type}/${entity_id}`
}

const icons = { mention: AtSign, webhook_failing: TriangleAlert, webhook_disabled: Unplug } as const

function Item({ group, onOpen }: { group: NotificationGroup; onOpen: () => void }) {
  const words = useTranslations('notifications')
  const [newest, ...earlier] = group
  const { kind, created_at } = newest
  const is_read = group.every((each) => each.is_read)
  const Icon = icons[kind]
  const mentionText = ({ by_name: name, entity_name: record }: MentionValues) => {
    if (!name) return words('mention')
    return record ? words('mentionIn', { name, record }) : words('mentionBy', { name })
  }
  return (
    <li className={styles.item} data-unread={!is_read || undefined}>
      <span
        className={
          kind === 'mention' ? undefined : kind === 'webhook_disabled' ? styles.bad : styles.warning
        }
        aria-hidden
      >
        <Icon size={16} />
      </span>
      <Link to={addressOf(newest)} onClick={onOpen} className={styles.text}>
        <span>
          {newest.kind === 'mention'
            ? mentionText(newest.values)
            : words(newest.kind, { number: newest.values.invalid_answers })}
          {earlier.length > 0 && ` ${words('earlier', { number: earlier.length })}`}
        </span>
        <span className={styles.about} dir="auto">
          {newest.kind === 'mention'
            ? (newest.values.text ?? words('textHidden'))
            : newest.values.destination}
        </span>
      </Link>
      <span className={styles.when}>
        <Moment at={created_at} />
      </span>
      {!is_read && <span className={styles.dot} role="img" aria-label={words('isUnread')} />}
    </li>
  )
}
