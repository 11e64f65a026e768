import type { RecordType } from '../../../server/records/description.ts'
import styles from './links.module.css'
import { useLinkScene } from './scene.ts'

/** The name of a record, which opens it in place of the card; with a modifier in another tab. */
export function RecordLink({ type, id, name }: { type: RecordType; id: number; name: string }) {
  const { open } = useLinkScene()
  return (
    <a
      href={`/${type}/${id}`}
      className={styles.name}
      title={name}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
        event.preventDefault()
        open(type, id)
      }}
    >
      {name}
    </a>
  )
}
