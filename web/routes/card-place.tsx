// The place of a card over another page, until its code has come.
import { CatchBoundary } from '@tanstack/react-router'
import { Suspense } from 'react'
import type { ReactNode } from 'react'
import { Failure } from '../ui/states.tsx'
import { Waiting } from '../ui/waiting.tsx'
import styles from './card.module.css'

/** `name`: of the card; another one is tried anew. */
export const CardPlace = ({ name, children }: { name: string; children: ReactNode }) => (
  <CatchBoundary
    getResetKey={() => name}
    // Without its code a card still has its page.
    errorComponent={({ error }) => (
      <div className={styles.panel}>
        <Failure error={error} retry={() => location.reload()} />
      </div>
    )}
  >
    <Suspense fallback={<Waiting />}>{children}</Suspense>
  </CatchBoundary>
)
