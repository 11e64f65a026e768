import type { ReactNode } from 'react'
import { useFeed } from './scene.ts'
import type { RecordType } from './timeline.ts'

/** A link to another record: in the place of this card, or where the browser is told to open it. */
export function RecordLink({
  type,
  id,
  className,
  children,
}: {
  type: RecordType
  id: number
  className: string | undefined
  children: ReactNode
}) {
  const { open } = useFeed()
  return (
    <a
      href={`/${type}/${id}`}
      className={className}
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
