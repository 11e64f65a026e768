import { memo } from 'react'
import type { ReactNode } from 'react'
import styles from './feed.module.css'
import { useFeed } from './context.ts'
import { mentionsIn, textParts } from './rows.ts'

/** A text of other people, as text: its lines, links that can be followed, and mentioned colleagues. */
export const PlainText = memo(function PlainText({ text }: { text: string }) {
  const { vocabulary } = useFeed()
  return (
    <div className={styles.prose} dir="auto">
      {textParts(text).map(({ text: part, href }, index) =>
        href === undefined ? (
          <Mentions key={index} text={part} users={vocabulary.users} />
        ) : (
          <a key={index} href={href} target="_blank" rel="noopener noreferrer nofollow">
            {part}
          </a>
        ),
      )}
    </div>
  )
})

function Mentions({
  text,
  users,
}: {
  text: string
  users: readonly { id: number; name: string }[]
}) {
  const parts: ReactNode[] = []
  let from = 0
  for (const mention of mentionsIn(text, users)) {
    parts.push(
      text.slice(from, mention.from),
      <span key={mention.from} className={styles.mention}>
        {text.slice(mention.from, mention.to)}
      </span>,
    )
    from = mention.to
  }
  return (
    <>
      {parts}
      {text.slice(from)}
    </>
  )
}
