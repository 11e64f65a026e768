import { draggable } from '@atlaskit/pragmatic-drag-and-drop/element/adapter'
import { setCustomNativeDragPreview } from '@atlaskit/pragmatic-drag-and-drop/element/set-custom-native-drag-preview'
import { Hourglass, MessageCircle } from 'lucide-react'
import { memo, useEffect, useRef, useSyncExternalStore } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import { useCardTexts } from './card-texts.ts'
import styles from './card.module.css'
import { mark } from './selection.ts'
import { useCard, useBoard } from './context.ts'
import type { Card } from './store.ts'

/** A place of a column whose card is not loaded. */
export const Placeholder = () => (
  <div className={styles.placeholder} aria-hidden>
    <span />
    <span />
    <span />
  </div>
)

/** A card in its place; it is drawn anew only when its lead, its place or its marks change. */
export const BoardCard = memo(function BoardCard({
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
  const card = useCard(id)
  const { selection, columnWidth } = useBoard()
  const marks = useSyncExternalStore(
    (watcher) => selection.watchMarks(id, watcher),
    () => selection.marksOf(id),
  )
  const element = useRef<HTMLElement>(null)
  useDrag(element, id, card?.may_edit ?? false)
  const texts = useCardTexts()
  if (!card) return <Placeholder />
  return (
    <article
      ref={element}
      role="listitem"
      className={styles.card}
      data-card={id}
      data-marks={marks || undefined}
      data-selected={(marks & mark.selected) > 0 || undefined}
      data-dragged={(marks & mark.dragged) > 0 || undefined}
      data-fresh={(marks & mark.fresh) > 0 || undefined}
      data-new={id < 0 || undefined}
      tabIndex={isTabStop ? 0 : -1}
      aria-label={texts.name(card)}
      aria-posinset={index + 1}
      aria-setsize={length}
      {...((marks & mark.selected) > 0 && { 'aria-current': true })}
    >
      <Face card={card} columnWidth={columnWidth} />
    </article>
  )
})

/** A test that counts how often cards are drawn puts a map here. */
const counted = globalThis as { drawnCards?: Map<number, number> }

const Face = memo(function Face({ card, columnWidth }: { card: Card; columnWidth: number }) {
  const words = useTranslations('board')
  const format = useFormatter()
  const texts = useCardTexts()
  counted.drawnCards?.set(card.id, (counted.drawnCards.get(card.id) ?? 0) + 1)
  const task = texts.task(card.closest_task_at)
  const { tags, rest } = fitting(card.tags, columnWidth)
  const who = texts.who(card)
  const responsible = texts.responsible(card)
  const days = texts.daysInStage(card)
  const stale = texts.staleAfter(card)
  return (
    <>
      {card.unread > 0 && (
        <span className={styles.unread} title={words('unread', { count: card.unread })}>
          <MessageCircle size={11} aria-hidden />
          {format.number(card.unread)}
        </span>
      )}
      <span className={styles.first}>
        <span className={styles.who}>{who}</span>
        <time className={styles.time} title={texts.moment(card.updated_at)}>
          {texts.shortMoment(card.updated_at)}
        </time>
      </span>
      <a className={styles.name} href={`/leads/${card.id}`} tabIndex={-1} draggable={false}>
        {texts.title(card)}
      </a>
      <span className={styles.third}>
        {card.price > 0 && <b>{texts.money(card.price)}</b>}
        <span className={styles.field}>{texts.field(card)}</span>
        {days > 0 && (
          <span
            className={styles.days}
            data-stale={stale !== undefined || undefined}
            title={words(stale === undefined ? 'daysInStage' : 'stale', { count: stale ?? days })}
          >
            {stale !== undefined && <Hourglass size={11} aria-hidden />}
            {words('days', { count: days })}
          </span>
        )}
      </span>
      <span className={styles.last}>
        {tags.map(({ id, name }) => (
          <span key={id} className={styles.tag}>
            {name}
          </span>
        ))}
        {rest > 0 && <i>+{rest}</i>}
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
        aria-label={words('cardMenu', { name: texts.title(card) })}
        data-act="menu"
      />
      <button
        type="button"
        className={styles.check}
        tabIndex={-1}
        aria-label={words('selectCard', { name: texts.title(card) })}
        data-act="select"
      />
    </>
  )
})

/** Makes a card draggable with the mouse; several selected ones are shown as their number. */
function useDrag(element: React.RefObject<HTMLElement | null>, id: number, mayEdit: boolean): void {
  const words = useTranslations('board')
  const { actions } = useBoard()
  useEffect(() => {
    // A long press opens the menu of the card on touch screens.
    if (!element.current || !mayEdit || id < 0 || matchMedia('(pointer: coarse)').matches) return
    return draggable({
      element: element.current,
      getInitialData: () => ({ cardId: id }),
      onGenerateDragPreview({ nativeSetDragImage }) {
        const { length } = actions.chosen(id)
        if (length < 2) return
        setCustomNativeDragPreview({
          nativeSetDragImage,
          render({ container }) {
            const preview = document.createElement('div')
            preview.className = styles.preview!
            preview.textContent = words('leads', { count: length })
            container.append(preview)
          },
        })
      },
    })
  }, [actions, element, id, mayEdit, words])
}

/** The width beside the tags of a card, and that of a letter and of a tag without any, in pixels. */
const besideTags = 124
const [letter, around] = [5.8, 18]

/** As many tags as fit, by their letters: measuring each card would cost a layout. */
function fitting(tags: Card['tags'], columnWidth: number): { tags: Card['tags']; rest: number } {
  const room = columnWidth - besideTags
  let width = 0
  const fit = tags.findIndex(({ name }, at) => {
    width += name.length * letter + around
    return at > 0 && width > room - (at < tags.length - 1 ? 22 : 0)
  })
  return fit < 0 ? { tags, rest: 0 } : { tags: tags.slice(0, fit), rest: tags.length - fit }
}

const initialsOf = (name: string): string =>
  name
    .split(/\s+/)
    .slice(0, 2)
    .map((word) => String.fromCodePoint(word.codePointAt(0) ?? 32))
    .join('')
    .toUpperCase()
