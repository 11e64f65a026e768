import { Kbd } from '@mantine/core'
import { Search } from 'lucide-react'
import { useTranslations } from 'use-intl'
import { useSession } from '../features/session/session.ts'
import styles from './shell.module.css'
import { UserMenu } from './user-menu.tsx'

/** The account, the search, and the menu of the user. */
export function TopBar() {
  const words = useTranslations('shell')
  const { account } = useSession()
  return (
    <header className={styles.top}>
      <span className={styles.account}>{account.name}</span>
      <button type="button" className={styles.search}>
        <Search size={16} aria-hidden />
        <span>{words('search')}</span>
        <Kbd size="xs">Ctrl K</Kbd>
      </button>
      <UserMenu />
    </header>
  )
}
