import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Bell, House, PanelLeftClose, PanelLeftOpen, Settings } from 'lucide-react'
import type { LucideIcon } from 'lucide-react'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { unreadQuery } from '../features/notifications/notifications.ts'
import { Mark } from '../ui/mark.tsx'
import styles from './shell.module.css'

/** The main navigation: a rail of icons at the left, on phones a bar at the bottom. */
export function Rail() {
  const words = useTranslations('shell')
  const { data: notifications } = useQuery(unreadQuery)
  const [isPinned, setPinned] = useState(false)
  return (
    <nav
      className={styles.rail}
      aria-label={words('navigation')}
      data-pinned={isPinned || undefined}
    >
      <Link to="/" className={styles.brand} aria-label={words('home')}>
        <Mark size={28} />
        {isPinned && 'Kontor'}
      </Link>
      <Entry to="/" icon={House} text={words('home')} isExact />
      <div className={styles.space} />
      <Entry
        to="/notifications"
        icon={Bell}
        text={words('notifications')}
        number={notifications?.unread ?? 0}
      />
      <Entry to="/settings" icon={Settings} text={words('settings')} />
      <button
        type="button"
        className={`${styles.entry} ${styles.pin}`}
        aria-pressed={isPinned}
        aria-label={words(isPinned ? 'unpinRail' : 'pinRail')}
        onClick={() => setPinned(!isPinned)}
      >
        {isPinned ? <PanelLeftClose size={18} /> : <PanelLeftOpen size={18} />}
      </button>
    </nav>
  )
}

function Entry({
  to,
  icon: Icon,
  text,
  number = 0,
  isExact = false,
}: {
  to: string
  icon: LucideIcon
  text: string
  /** Shown beside the icon, if it is above 0. */
  number?: number
  isExact?: boolean
}) {
  return (
    <Link to={to} className={styles.entry} activeOptions={{ exact: isExact }}>
      <Icon size={20} aria-hidden />
      <span>{text}</span>
      {number > 0 && <span className={styles.badge}>{number > 99 ? '99+' : number}</span>}
    </Link>
  )
}
