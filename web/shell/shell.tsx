import { spotlight } from '@mantine/spotlight'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import { CommandMenu } from './command-menu.tsx'
import { ConnectionStrip } from './connection-strip.tsx'
import { useKeyboard, useShortcuts } from './keyboard.tsx'
import { NewBuild } from './new-build.tsx'
import { Rail } from './rail.tsx'
import { SessionEnded } from './session-ended.tsx'
import styles from './shell.module.css'
import { ShortcutSheet } from './shortcut-sheet.tsx'
import { TopBar } from './top-bar.tsx'

/** Its pages are in a table, so that their addresses have no type of their own. */
const settings: string = '/settings'

/** The frame of every screen: the rail, the top bar, and the screen as the main content. */
export function Shell({ children }: { children: ReactNode }) {
  const words = useTranslations('shell')
  const navigate = useNavigate()
  const [isHelpShown, setHelpShown] = useState(false)
  useKeyboard()
  useShortcuts(
    words('everywhere'),
    [
      { keys: ['mod+k'], text: words('commands'), run: spotlight.open },
      { keys: ['/'], text: words('search'), run: spotlight.open },
      { keys: ['?'], text: words('help'), run: () => setHelpShown(true) },
    ],
    true,
  )
  useShortcuts(words('goTo'), [
    { keys: ['g', 'h'], text: words('home'), run: () => void navigate({ to: '/' }) },
    { keys: ['g', 'l'], text: words('leads'), run: () => void navigate({ to: '/leads' }) },
    {
      keys: ['g', 'n'],
      text: words('notifications'),
      run: () => void navigate({ to: '/notifications' }),
    },
    {
      keys: ['g', 's'],
      text: words('settings'),
      run: () => void navigate({ to: settings }),
    },
  ])
  return (
    <div className={styles.shell}>
      <a href="#content" className={styles.skip}>
        {words('skip')}
      </a>
      <Rail />
      <div className={styles.side}>
        <TopBar onHelp={() => setHelpShown(true)} />
        <ConnectionStrip />
        <NewBuild />
        <main id="content" tabIndex={-1} className={styles.main}>
          {children}
        </main>
      </div>
      <CommandMenu />
      <ShortcutSheet opened={isHelpShown} onClose={() => setHelpShown(false)} />
      <SessionEnded />
    </div>
  )
}
