import { draggable } from '@atlaskit/pragmatic-drag-and-drop/element/adapter'
import { CalendarClock } from 'lucide-react'
import { memo, useEffect, useRef } from 'react'
import { useTranslations } from 'use-intl'
import { useCustomerCard, useHand } from './context.ts'
import styles from './customer-board.module.css'
import type { CustomerCard } from './store.ts'
import { useCustomerTexts } from './texts.ts'

/** A place of a column whose card is not loaded. */
export const CustomerPlaceholder = () => (
  <div className={styles.placeholder} aria-hidden>
    <span />
    <span />
    <span />
  </div>
)

/** A customer in its place; it is drawn anew only when it, its place or its marks change. */
export const CustomerOnBoard = memo(function CustomerOnBoard({
  id,
  index,
  length,
  isTabStop,
}: {
  id: number
  index: number
  length: number
  isTabStop: boolean
}) {
  const card = useCustomerCard(id)
  const isDragged = useHand(({ drag }) => drag?.id === id)
  const element = useRef<HTMLElement>(null)
  const texts = useCustomerTexts()
  const mayEdit = card?.may_edit ?? false
  useEffect(() => {
    // A finger scrolls; the menu of a card moves it.
    if (!element.current || !mayEdit || matchMedia('(pointer: coarse)').matches) return undefined
    return draggable({ element: element.current, getInitialData: () => ({ customerId: id }) })
  }, [id, mayEdit])
  if (!card) return <CustomerPlaceholder />
  return (
    <article
      ref={element}
      role="listitem"
      className={styles.card}
      data-customer={id}
      data-dragged={isDragged || undefined}
      tabIndex={isTabStop ? 0 : -1}
      aria-label={texts.name(card)}
      aria-posinset={index + 1}
      aria-setsize={length}
    >
      <Face card={card} />
    </article>
  )
})

const Face = memo(function Face({ card }: { card: CustomerCard }) {
  const words = useTranslations('customerBoard')
  const board = useTranslations('board')
  const texts = useCustomerTexts()
  const [last, next, task] = [texts.last(card), texts.next(card), texts.task(card)]
  const responsible = texts.responsible(card)
  return (
    <>
      <span className={styles.first}>
        <span className={styles.bought} title={last.title}>
          {last.text}
        </span>
        <span className={styles.next} data-late={next.isLate || undefined} title={next.title}>
          <CalendarClock size={12} aria-hidden />
          {next.text}
        </span>
      </span>
      <a className={styles.name} href={`/customers/${card.id}`} tabIndex={-1} draggable={false}>
        {texts.title(card)}
      </a>
      <span className={styles.third}>
        {card.next_price > 0 && (
          <b title={words('expects', { amount: texts.money(card.next_price) })}>
            {texts.money(card.next_price)}
          </b>
        )}
        {card.purchases_count > 0 && (
          <span className={styles.sums}>
            {words('sums', {
              total: texts.money(card.ltv),
              average: texts.money(card.average_check),
            })}
          </span>
        )}
      </span>
      <span className={styles.last}>
        {card.periodicity > 0 && (
          <span className={styles.period}>{words('every', { count: card.periodicity })}</span>
        )}
        <span className={styles.task} data-task={task.kind} title={task.title}>
          {task.text}
        </span>
        <span
          className={styles.avatar}
          title={responsible}
          data-tone={card.responsible_user_id % 5}
        >
          {initialsOf(responsible)}
        </span>
      </span>
      <button
        type="button"
        className={styles.menu}
        tabIndex={-1}
        aria-label={board('cardMenu', { name: texts.title(card) })}
        data-act="menu"
      />
    </>
  )
})

const initialsOf = (name: string): string =>
  name
    .split(/\s+/)
    .slice(0, 2)
    .map((word) => String.fromCodePoint(word.codePointAt(0) ?? 32))
    .join('')
    .toUpperCase()
