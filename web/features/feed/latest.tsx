// The last items of a record in short: what, who, when, and the first words. The feed of its card has all of them.
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import type { RecordType } from '../../../server/records/description.ts'
import { ask } from '../../data/api.ts'
import { useDayAndTime } from '../../ui/day.ts'
import { ProblemText, Rows } from '../../ui/states.tsx'
import { ChangeValues, useChangeName } from '../../crm/event-values.tsx'
import styles from './feed.module.css'
import { useAuthor } from './parts.tsx'
import { wordOf } from '../../crm/logged.ts'
import type { FeedItem, FeedPage } from './rows.ts'
import { feedPath } from './store.ts'

const mostItems = 5

export function LatestItems({
  type,
  id,
  open,
}: {
  type: RecordType
  id: number
  /** Opens the card of another record. */
  open: (type: RecordType, id: number) => void
}) {
  const words = useTranslations('feed')
  const changeName = useChangeName()
  const author = useAuthor()
  const moment = useDayAndTime()
  const { data, error } = useQuery({
    // A list asks anew for what stands under its rows.
    queryKey: ['rows', type, 'latest', id],
    queryFn: ({ signal }) =>
      ask<FeedPage>(
        feedPath(
          { type, id, filter: 'all', query: '', isOnly: false },
          { limit: String(mostItems) },
        ),
        { signal },
      ),
  })
  if (error) return <ProblemText error={error} />
  if (!data) return <Rows />
  if (data.items.length === 0) return undefined
  return (
    <ul className={styles.latest}>
      {data.items.toReversed().map((item) => (
        <li key={item.key}>
          <b>{item.kind === 'change' ? changeName(item.event) : words(`kind.${item.kind}`)}</b>
          <small>
            {author(item)}, {moment(item.at / 1000)}
          </small>
          {item.kind === 'change' && (
            <p>
              <ChangeValues item={item} open={open} />
            </p>
          )}
          {textOf(item) !== '' && <p dir="auto">{textOf(item)}</p>}
        </li>
      ))}
    </ul>
  )
}

function textOf(item: FeedItem): string {
  switch (item.kind) {
    case 'task':
      return item.task.text
    case 'message':
      return item.message.text
    case 'change':
      return ''
    default:
      return wordOf(item.note.params['text']) || wordOf(item.note.params['phone'])
  }
}
