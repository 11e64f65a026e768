import { useTranslations } from 'use-intl'
import { NotificationList } from '../features/notifications/notification-list.tsx'
import { Page } from '../ui/page.tsx'

export function Notifications() {
  const words = useTranslations('shell')
  return (
    <Page title={words('notifications')}>
      <NotificationList />
    </Page>
  )
}
