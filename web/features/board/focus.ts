// Where the focus and the scroll of a board are, outside of what React draws.
import { focusWhenThere } from '../../ui/focus.ts'

/** How the board reaches a column: to scroll it, and to know which cards are on screen. */
export interface ColumnHandle {
  scrollTo(place: number): void
  /** The place at a distance from the top of what is on screen, in pixels. */
  indexAt(y: number): number
  yOf(place: number): number
}

export const columnHandles = new Map<number, ColumnHandle>()

/**
 * Puts the focus of the browser on a card, or on the header of a column, as soon as it is drawn.
 * `isShown`: the board scrolls there.
 */
export function focusNow(statusId: number, id: number | undefined, { isShown = true } = {}): void {
  const selector = id === undefined ? `[data-head="${statusId}"]` : `[data-card="${id}"]`
  focusWhenThere(() => document.querySelector<HTMLElement>(selector), {
    onFocus(target) {
      if (isShown)
        target.closest('[data-column]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
    },
  })
}
