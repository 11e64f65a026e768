import { VisuallyHidden } from '@mantine/core'
import styles from './shell.module.css'

/** A number beside an icon, and `text` for those who hear it; nothing for 0. */
export const Badge = ({
  number,
  text,
  isBad = false,
}: {
  number: number
  text: string
  /** Something is late. */
  isBad?: boolean
}) =>
  number > 0 && (
    <>
      <span className={styles.badge} data-bad={isBad || undefined} aria-hidden>
        {number > 99 ? '99+' : number}
      </span>
      <VisuallyHidden>{text}</VisuallyHidden>
    </>
  )
