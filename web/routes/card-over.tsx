// A card over the page that it was opened from, which stays as it is behind it.
import type { RecordType } from '../../server/records/description.ts'
import type { CardHint } from '../features/card/card.tsx'
import styles from './card.module.css'
import { OpenCard } from './card.tsx'

/** Shows another card: one more on the way back, or instead of the present one. */
export type ShowCard = (
  type: RecordType,
  id: number,
  how: { isFurther?: boolean; isInstead?: boolean },
) => void

export function CardOver({
  card: { type, id },
  hint,
  position,
  to,
  show,
  close,
}: {
  card: { type: RecordType; id: number }
  hint: CardHint | undefined
  /** Where the card is among its neighbours; undefined where it has none. */
  position: { index: number; of: number; isMore: boolean } | undefined
  /** Shows the neighbour at an index; undefined where none is there. */
  to: (index: number) => (() => void) | undefined
  show: ShowCard
  close: () => void
}) {
  return (
    <>
      <button
        type="button"
        className={styles.veil}
        tabIndex={-1}
        aria-hidden
        data-veil
        onClick={close}
      />
      <div className={styles.panel}>
        <OpenCard
          type={type}
          id={id}
          heading="h2"
          hint={hint}
          ways={{
            close,
            ...(position && {
              position: { at: position.index + 1, of: position.of, isMore: position.isMore },
              previous: to(position.index - 1),
              next: to(position.index + 1),
            }),
          }}
          open={(of, other) => show(of, other, { isFurther: true })}
        />
      </div>
    </>
  )
}
