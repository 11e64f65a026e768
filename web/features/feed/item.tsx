// One item of the feed: its article, and what it says by its kind.
import { Button } from '@mantine/core'
import { CircleAlert } from 'lucide-react'
import { memo } from 'react'
import { useTranslations } from 'use-intl'
import { ProblemText } from '../../ui/states.tsx'
import { CallBody } from './call.tsx'
import { ChangeBody } from './change-item.tsx'
import styles from './feed.module.css'
import { MessageBody } from './message.tsx'
import { NoteBody } from './note.tsx'
import { useItemName } from './parts.tsx'
import { useFeed } from './context.ts'
import { TaskBody } from './task.tsx'
import type { FeedItem } from './rows.ts'

/** An article of the feed. `index` counts from 1, `total` is -1 while older items may follow. */
export const ItemView = memo(function ItemView({
  item,
  index,
  total,
}: {
  item: FeedItem
  index: number
  total: number
}) {
  const itemName = useItemName()
  return (
    <article
      className={styles.item}
      data-key={item.key}
      data-kind={item.kind}
      data-sending={item.sending?.state}
      tabIndex={-1}
      aria-label={itemName(item)}
      aria-posinset={index}
      aria-setsize={total}
    >
      <Body item={item} />
      {item.sending?.state === 'failed' && <Unsent item={item} />}
    </article>
  )
})

function Body({ item }: { item: FeedItem }) {
  switch (item.kind) {
    case 'note':
      return <NoteBody item={item} />
    case 'call':
      return <CallBody item={item} />
    case 'task':
      return <TaskBody item={item} />
    case 'change':
      return <ChangeBody item={item} />
    case 'message':
      return <MessageBody item={item} />
  }
}

/** It could not be sent: why, and the ways on. */
function Unsent({ item }: { item: FeedItem }) {
  const words = useTranslations('feed')
  const ui = useTranslations('ui')
  const { store } = useFeed()
  return (
    <div className={styles.unsent} role="alert">
      <CircleAlert size={14} aria-hidden />
      <span>
        {words('notSent')} {/* After the page was loaded anew, the reason is not known any more. */}
        {item.sending?.error !== undefined && <ProblemText error={item.sending.error} />}
      </span>
      <Button size="compact-xs" variant="default" onClick={() => store.sendAgain(item.key)}>
        {ui('retry')}
      </Button>
      <Button
        size="compact-xs"
        variant="subtle"
        color="gray"
        onClick={() => store.takeAway(item.key)}
      >
        {ui('discard')}
      </Button>
    </div>
  )
}
