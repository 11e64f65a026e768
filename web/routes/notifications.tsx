import { useTranslations } from 'use-intl'
import { NotificationList } from '../features/notifications/notification-list.tsx'
import { PageFrame } from '../ui/page.tsx'

export function Notifications() {
  const words = useTranslations('shell')
  return (
    <PageFrame title={words('notifications')}>
      <NotificationList />
    </PageFrame>
  )
}
