import { Popover, ScrollArea, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Bell } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { useTranslations } from 'use-intl'
import { countersQuery } from '../crm/bootstrap.ts'
import { part } from '../data/rest.ts'
import { Rows } from '../ui/states.tsx'
import { Badge } from './badge.tsx'
import styles from './shell.module.css'

const load = async () => ({
  default: (await import('../features/notifications/notification-list.tsx')).NotificationList,
})
const NotificationList = lazy(part('notifications', load))

/** So that they open at once, and without a connection. */
export const fetchNotifications = (): void => void load().catch(() => undefined)

/** The entry of the rail that shows the notifications beside it. */
export function NotificationPanel() {
  const words = useTranslations('shell')
  const texts = useTranslations('notifications')
  const { data: counters } = useQuery(countersQuery)
  const unread = counters?.notifications ?? 0
  const [isOpen, setOpen] = useState(false)
  return (
    <Popover
      opened={isOpen}
      onChange={setOpen}
      position="right-end"
      width={400}
      trapFocus
      withinPortal
    >
      <Popover.Target>
        <button type="button" className={styles.entry} onClick={() => setOpen(!isOpen)}>
          <Bell size={20} aria-hidden />
          <span>{words('notifications')}</span>
          <Badge number={unread} text={words('unread', { number: unread })} />
        </button>
      </Popover.Target>
      <Popover.Dropdown p="md" role="dialog" aria-label={words('notifications')}>
        <Text fw={600} mb="sm">
          {words('notifications')}
        </Text>
        <ScrollArea.Autosize mah="60dvh">
          {isOpen && (
            <Suspense fallback={<Rows />}>
              <NotificationList onOpen={() => setOpen(false)} />
            </Suspense>
          )}
        </ScrollArea.Autosize>
        <Link to="/notifications" className={styles.all} onClick={() => setOpen(false)}>
          {texts('openAll')}
        </Link>
      </Popover.Dropdown>
    </Popover>
  )
}
