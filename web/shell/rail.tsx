import { useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import {
  Bell,
  Building2,
  CircleUser,
  House,
  Kanban,
  Package,
  PanelLeftClose,
  PanelLeftOpen,
  ScrollText,
  Settings,
  UserRound,
} from 'lucide-react'
import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import {
  countersQuery,
  useBootstrap,
  useHasCustomers,
  useMayView,
  useMayViewCatalogs,
} from '../crm/bootstrap.ts'
import { logoAddress } from '../features/account/account.ts'
import {
  addressOfView,
  pinnedViews,
  screenIcons,
  useViewsOfRights,
} from '../features/views/views.ts'
import { useChangePreferences, usePreferences } from '../crm/preferences.ts'
import { KontorMark } from '../ui/mark.tsx'
import { useIsNarrow } from '../ui/narrow.ts'
import { Badge } from './badge.tsx'
import { NotificationPanel } from './notification-panel.tsx'
import styles from './shell.module.css'

/** The main navigation: a rail of icons at the left, on phones a bar at the bottom. */
export function Rail() {
  const words = useTranslations('shell')
  const { account } = useBootstrap()
  const { data: counters } = useQuery(countersQuery)
  const due = counters ? counters.tasks.overdue + counters.tasks.today : 0
  const unread = counters?.notifications ?? 0
  const requests = counters?.unsorted ?? 0
  const isNarrow = useIsNarrow()
  const { rail_pinned: isPinned } = usePreferences()
  const { mutate: change } = useChangePreferences()
  const hasCustomers = useHasCustomers()
  const [mayViewContacts, mayViewCompanies] = [useMayView('contacts'), useMayView('companies')]
  const mayViewCatalogs = useMayViewCatalogs()
  return (
    <nav
      className={styles.rail}
      aria-label={words('navigation')}
      data-pinned={isPinned || undefined}
    >
      <Link to="/" className={styles.brand} aria-label={account.logo ? account.name : 'Kontor'}>
        {account.logo === null ? (
          <KontorMark size={28} />
        ) : (
          <img
            src={logoAddress(account.logo)}
            alt={words('logoOf', { name: account.name })}
            className={styles.logo}
          />
        )}
        {isPinned && <span className={styles.name}>{account.logo ? account.name : 'Kontor'}</span>}
      </Link>
      {/* Tasks have no page yet: this one shows how many wait. */}
      <Entry to="/home" icon={House} text={words('home')}>
        <Badge
          number={due}
          text={words('tasksDue', { number: due })}
          isBad={(counters?.tasks.overdue ?? 0) > 0}
        />
      </Entry>
      <Entry to="/leads" icon={Kanban} text={words('leads')}>
        <Badge number={requests} text={words('requestsWait', { number: requests })} />
      </Entry>
      {mayViewContacts && <Entry to="/contacts" icon={UserRound} text={words('contacts')} />}
      {mayViewCompanies && <Entry to="/companies" icon={Building2} text={words('companies')} />}
      {/* The bar of a phone has no room for these: there they are in the menu of the user. */}
      {!isNarrow && hasCustomers && (
        <Entry to="/customers" icon={CircleUser} text={words('customers')} />
      )}
      {!isNarrow && mayViewCatalogs && (
        <Entry to="/products" icon={Package} text={words('products')} />
      )}
      {!isNarrow && <Entry to="/events" icon={ScrollText} text={words('events')} />}
      {!isNarrow && <PinnedViews />}
      <div className={styles.space} />
      {isNarrow ? (
        <Entry to="/notifications" icon={Bell} text={words('notifications')}>
          <Badge number={unread} text={words('unread', { number: unread })} />
        </Entry>
      ) : (
        <NotificationPanel />
      )}
      <Entry to="/settings" icon={Settings} text={words('settings')} />
      <button
        type="button"
        className={`${styles.entry} ${styles.pin}`}
        aria-pressed={isPinned}
        aria-label={words(isPinned ? 'unpinRail' : 'pinRail')}
        onClick={() => change({ rail_pinned: !isPinned })}
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
  children,
}: {
  to: string
  icon: LucideIcon
  text: string
  /** A badge. */
  children?: ReactNode
}) {
  return (
    <Link to={to} className={styles.entry}>
      <Icon size={20} aria-hidden />
      <span>{text}</span>
      {children}
    </Link>
  )
}

/** The saved views that the user has pinned. */
function PinnedViews() {
  const words = useTranslations('views')
  const open = useSearch({
    strict: false,
    select: (search: Record<string, unknown>) => search['view'],
  })
  const views = pinnedViews(useViewsOfRights())
  if (views.length === 0) return undefined
  return (
    <div className={styles.pinned} role="group" aria-label={words('pinned')}>
      {views.map((view) => {
        const { to, search } = addressOfView(view)
        const Icon = screenIcons[view.screen]
        const isOpen = String(view.id) === open
        return (
          <Link
            key={view.id}
            to={to}
            search={search as never}
            className={styles.entry}
            title={view.name}
            // Its path alone is that of the whole list.
            activeOptions={{ includeSearch: true }}
            // The view stays open while its filter is changed.
            data-status={isOpen ? 'active' : undefined}
            aria-current={isOpen ? 'page' : undefined}
          >
            <Icon size={20} aria-hidden />
            <span>{view.name}</span>
          </Link>
        )
      })}
    </div>
  )
}
