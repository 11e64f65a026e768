import { ActionIcon, Kbd, Tooltip } from '@mantine/core'
import { spotlight } from '@mantine/spotlight'
import { CircleHelp, Search } from 'lucide-react'
import { useTranslations } from 'use-intl'
import { useBootstrap } from '../features/bootstrap/bootstrap.ts'
import { shownKey } from './keyboard.tsx'
import styles from './shell.module.css'
import { TitlePlace } from './title.tsx'
import { UserMenu } from './user-menu.tsx'

/** The account, the search, the help, and the menu of the user. */
export function TopBar({ onHelp }: { onHelp: () => void }) {
  const words = useTranslations('shell')
  const { account } = useBootstrap()
  return (
    <header className={styles.top}>
      <TitlePlace>{account.name}</TitlePlace>
      <button type="button" className={styles.search} onClick={spotlight.open}>
        <Search size={16} aria-hidden />
        <span>{words('search')}</span>
        <Kbd size="xs" className={styles.keys}>
          {shownKey('mod+k')}
        </Kbd>
      </button>
      <Tooltip label={words('help')}>
        <ActionIcon size={32} aria-label={words('help')} onClick={onHelp}>
          <CircleHelp size={18} />
        </ActionIcon>
      </Tooltip>
      <UserMenu />
    </header>
  )
}
