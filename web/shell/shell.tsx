import { useEffect, useState } from 'react'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import { useBootstrap } from '../crm/bootstrap.ts'
import { GrantersContext } from '../ui/states.tsx'
import { say } from '../ui/toasts.ts'
import { undoLast } from '../ui/undo.ts'
import { CommandMenu, openCommands } from './command-menu.tsx'
import type { Destination } from './command-menu.tsx'
import { ConnectionStrip } from './connection-strip.tsx'
import { CreateDialog, fetchForms } from './create/create-dialog.tsx'
import { fetchNotifications } from './notification-panel.tsx'
import { CreateMenu } from './create/create-menu.tsx'
import { useCreatable } from './create/nouns.ts'
import type { Creation } from './create/nouns.ts'
import { useBlockedKeys, useKeyboard, useShortcuts } from './keyboard.tsx'
import { useLeftWrites } from './left-writes.tsx'
import { NewBuild } from './new-build.tsx'
import { Rail } from './rail.tsx'
import { SessionEnded } from './session-ended.tsx'
import styles from './shell.module.css'
import { ShortcutSheet } from './shortcut-sheet.tsx'
import { TopBar } from './top-bar.tsx'

/** Milliseconds after the first screen, when nobody waits for anything any more. */
const idleMs = 3000

/** The frame of every screen: the rail, the top bar, and the screen as the main content. */
export function Shell({
  destinations,
  children,
}: {
  destinations: Destination[]
  children: ReactNode
}) {
  const words = useTranslations('shell')
  const texts = useTranslations('create')
  const granters = useBootstrap()
    .users.filter(({ is_active, is_admin }) => is_active && is_admin)
    .map(({ name }) => name)
  const [isHelpShown, setHelpShown] = useState(false)
  const [isCreateShown, setCreateShown] = useState(false)
  const [creation, setCreation] = useState<Creation>()
  const creatable = useCreatable()
  const create = (next: Creation) => {
    setCreateShown(false)
    setCreation(next)
  }
  useKeyboard()
  useLeftWrites()
  useBlockedKeys(isHelpShown || creation !== undefined)
  useShortcuts(
    words('everywhere'),
    [
      { keys: ['mod+k'], text: words('commands'), run: openCommands },
      { keys: ['/'], text: words('search'), run: openCommands },
      { keys: ['?'], text: words('help'), run: () => setHelpShown(true) },
      {
        keys: ['mod+z'],
        text: words('undoLast'),
        run: () => {
          if (!undoLast()) say(words('nothingToUndo'))
        },
      },
    ],
    true,
  )
  useShortcuts(
    words('create'),
    [
      { keys: ['c'], text: texts('menu'), run: () => setCreateShown(true) },
      ...creatable.map(({ noun, letter }) => ({
        keys: ['c', letter],
        text: texts(`titles.${noun}`),
        run: () => create({ noun }),
      })),
    ],
    true,
  )
  useShortcuts(
    words('goTo'),
    destinations.flatMap(({ keys, title, run }) => (keys ? [{ keys, text: title, run }] : [])),
  )
  useEffect(() => {
    const timer = setTimeout(() => {
      fetchForms()
      fetchNotifications()
    }, idleMs)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div className={styles.shell}>
      <a href="#content" className={styles.skip}>
        {words('skip')}
      </a>
      <Rail />
      <div className={styles.side}>
        <TopBar
          onHelp={() => setHelpShown(true)}
          create={<CreateMenu opened={isCreateShown} onChange={setCreateShown} />}
        />
        <ConnectionStrip />
        <NewBuild />
        <main id="content" tabIndex={-1} className={styles.main}>
          <GrantersContext value={granters}>{children}</GrantersContext>
        </main>
      </div>
      <CommandMenu destinations={destinations} onCreate={create} />
      <CreateDialog creation={creation} onClose={() => setCreation(undefined)} />
      <ShortcutSheet opened={isHelpShown} onClose={() => setHelpShown(false)} />
      <SessionEnded />
    </div>
  )
}
