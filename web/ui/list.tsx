import { Link } from '@tanstack/react-router'
import { ChevronRight } from 'lucide-react'
import type { ComponentProps, ReactNode } from 'react'
import styles from './list.module.css'

/** Records under each other, divided by hairlines. */
export const RecordList = ({ label, children }: { label: string; children: ReactNode }) => (
  <ul className={styles.list} aria-label={label}>
    {children}
  </ul>
)

/** A record of a list. With `to` its name opens it, and so does the whole row for a pointer. */
export function ListRow({
  children,
  ...line
}: ComponentProps<typeof ListLine> & {
  /** Under the row, over its whole width. */
  children?: ReactNode
}) {
  return (
    <li className={styles.row} data-linked={line.to === undefined ? undefined : true}>
      <ListLine {...line} />
      {children}
    </li>
  )
}

/** What stands in a row. */
export function ListLine({
  to,
  name,
  isCode = false,
  about,
  side,
  actions,
  mark,
}: {
  to?: string
  name: string
  /** What the record looks like, before its name. */
  mark?: ReactNode
  /** For addresses and other names that programs read. */
  isCode?: boolean
  /** A line under the name. */
  about?: ReactNode
  /** State, at the right. */
  side?: ReactNode
  actions?: ReactNode
}) {
  const text = <span className={isCode ? styles.code : styles.name}>{name}</span>
  return (
    <div className={styles.line}>
      {mark}
      <div className={styles.words} data-marked={mark !== undefined || undefined}>
        {to === undefined ? (
          text
        ) : (
          <Link to={to} className={styles.link}>
            {text}
          </Link>
        )}
        {about && <div className={styles.about}>{about}</div>}
      </div>
      {side && <div className={styles.side}>{side}</div>}
      {actions && <div className={styles.actions}>{actions}</div>}
      {to !== undefined && <ChevronRight size={16} className={styles.chevron} aria-hidden />}
    </div>
  )
}
