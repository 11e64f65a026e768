import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import { ConnectionStrip } from './connection-strip.tsx'
import { Rail } from './rail.tsx'
import { SessionEnded } from './session-ended.tsx'
import styles from './shell.module.css'
import { TopBar } from './top-bar.tsx'

/** The frame of every screen: the rail, the top bar, and the screen as the main content. */
export function Shell({ children }: { children: ReactNode }) {
  const words = useTranslations('shell')
  return (
    <div className={styles.shell}>
      <a href="#content" className={styles.skip}>
        {words('skip')}
      </a>
      <Rail />
      <div className={styles.side}>
        <TopBar />
        <ConnectionStrip />
        <main id="content" tabIndex={-1} className={styles.main}>
          {children}
        </main>
      </div>
      <SessionEnded />
    </div>
  )
}
