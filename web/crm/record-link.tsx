import type { ReactNode } from 'react'
import type { RecordType } from '../../server/records/description.ts'

/** A link to a record that `open` shows here; with a modifier key the browser opens it elsewhere. */
export function RecordLink({
  type,
  id,
  open,
  className,
  title,
  tabIndex,
  children,
}: {
  type: RecordType
  id: number
  open: (type: RecordType, id: number) => void
  className?: string | undefined
  title?: string
  /** -1 where the table around it has the focus. */
  tabIndex?: -1
  children: ReactNode
}) {
  return (
    <a
      href={`/${type}/${id}`}
      className={className}
      title={title}
      tabIndex={tabIndex}
      onClick={(event) => {
        const { ctrlKey, metaKey, shiftKey, altKey } = event
        if (ctrlKey || metaKey || shiftKey || altKey) return
        event.preventDefault()
        open(type, id)
      }}
    >
      {children}
    </a>
  )
}
