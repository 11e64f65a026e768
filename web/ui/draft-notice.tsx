import { Button } from '@mantine/core'
import { useTranslations } from 'use-intl'
import styles from './draft-notice.module.css'
import { Moment } from './moment.tsx'

/** Says when the draft beside it was left, in milliseconds since 1970, and throws it away. */
export function DraftNotice({ at, throwAway }: { at: number; throwAway: () => void }) {
  const words = useTranslations('ui')
  return (
    <div className={styles.left} data-notice>
      <span>{words.rich('draftLeft', { at: () => <Moment at={at / 1000} /> })}</span>
      <Button size="compact-sm" variant="subtle" px={4} mx={-4} onClick={throwAway}>
        {words('throwAway')}
      </Button>
    </div>
  )
}
