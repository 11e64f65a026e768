import styles from './shell.module.css'

/** A number beside an icon; nothing for 0. */
export const Badge = ({ number }: { number: number }) =>
  number > 0 && <span className={styles.badge}>{number > 99 ? '99+' : number}</span>
