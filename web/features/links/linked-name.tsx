import type { RecordType } from '../../../server/records/description.ts'
import { RecordLink } from '../../crm/record-link.tsx'
import styles from './links.module.css'
import { useLinks } from './context.ts'

/** The name of a linked record, which opens it in place of the card. */
export function LinkedName({ type, id, name }: { type: RecordType; id: number; name: string }) {
  const { open } = useLinks()
  return (
    <RecordLink type={type} id={id} open={open} className={styles.name} title={name}>
      {name}
    </RecordLink>
  )
}
