import { ActionIcon, Kbd, Tooltip } from '@mantine/core'
import { CircleHelp, Search } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import { useBootstrap } from '../crm/bootstrap.ts'
import { openCommands } from './command-menu.tsx'
import { shownKey } from '../ui/shown-key.ts'
import styles from './shell.module.css'
import { TitleSlot } from './title.tsx'
import { UserMenu } from './user-menu.tsx'

/** The account, the search, what can be created, the help, and the menu of the user. */
export function TopBar({ onHelp, create }: { onHelp: () => void; create: ReactNode }) {
  const words = useTranslations('shell')
  const { account } = useBootstrap()
  return (
    <header className={styles.top}>
      <TitleSlot>{account.name}</TitleSlot>
      <button type="button" className={styles.search} onClick={openCommands}>
        <Search size={16} aria-hidden />
        <span>{words('search')}</span>
        <Kbd size="xs" className={styles.keys}>
          {shownKey('mod+k')}
        </Kbd>
      </button>
      {create}
      <Tooltip label={words('help')}>
        <ActionIcon size={32} aria-label={words('help')} onClick={onHelp}>
          <CircleHelp size={18} />
        </ActionIcon>
      </Tooltip>
      <UserMenu />
    </header>
  )
}
