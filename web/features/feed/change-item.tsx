// Changes as items: alone, or those of one person that came together.
import { memo } from 'react'
import { useTranslations } from 'use-intl'
import { ChangeValues, useChangeName } from '../../crm/event-values.tsx'
import { useFeed } from './context.ts'
import styles from './feed.module.css'
import { useAuthor, useItemName, Time, OfRecord } from './parts.tsx'
import type { ChangeItem } from './rows.ts'
import { leadingChange } from './rows.ts'

export function ChangeBody({ item }: { item: ChangeItem }) {
  const author = useAuthor()
  return (
    <div className={styles.change}>
      <span className={styles.changeText}>
        <bdi className={styles.changer}>{author(item)}</bdi> <ChangeSentence item={item} />
        <OfRecord item={item} />
      </span>
      <Time at={item.at} />
    </div>
  )
}

function ChangeSentence({ item }: { item: ChangeItem }) {
  const name = useChangeName()
  const { open } = useFeed()
  return (
    <>
      <span className={styles.changeName}>{name(item.event)}</span>{' '}
      <ChangeValues item={item} open={open} />
    </>
  )
}

/** Changes of one person that came together: the most important one, and the rest on demand. */
export const FoldView = memo(function FoldView({
  items,
  index,
  total,
  isOpen,
  toggle,
}: {
  items: readonly ChangeItem[]
  index: number
  total: number
  isOpen: boolean
  toggle: (keys: readonly string[], isOpen: boolean) => void
}) {
  const words = useTranslations('feed')
  const author = useAuthor()
  const itemName = useItemName()
  const leading = leadingChange(items)
  const last = items.at(-1)!
  return (
    <article
      className={styles.item}
      data-key={last.key}
      data-kind="change"
      tabIndex={-1}
      aria-label={`${itemName(last)}, ${words('changes', { count: items.length })}`}
      aria-posinset={index}
      aria-setsize={total}
    >
      <div className={styles.change}>
        <span className={styles.changeText}>
          <bdi className={styles.changer}>{author(last)}</bdi>{' '}
          {!isOpen && <ChangeSentence item={leading} />}
          <OfRecord item={last} />{' '}
          <button
            type="button"
            className={styles.fold}
            aria-expanded={isOpen}
            onClick={() =>
              toggle(
                items.map(({ key }) => key),
                !isOpen,
              )
            }
          >
            {words('changes', { count: items.length })}
          </button>
        </span>
        <Time at={last.at} />
      </div>
      {isOpen && (
        <ul className={styles.unfolded}>
          {items.map((item) => (
            <li key={item.key} className={styles.change}>
              <span className={styles.changeText}>
                <ChangeSentence item={item} />
              </span>
              <Time at={item.at} />
            </li>
          ))}
        </ul>
      )}
    </article>
  )
})
