// Where the focus and the scroll of a board are, outside of what React draws.

/** How the board reaches a column: to scroll it, and to know which cards are on screen. */
export interface ColumnHandle {
  scrollTo(place: number): void
  /** The place at a distance from the top of what is on screen, in pixels. */
  placeAt(y: number): number
  yOf(place: number): number
}

export const columnHandles = new Map<number, ColumnHandle>()

/** Frames within which a list draws a card that has just come. */
const patience = 20

/**
 * Puts the focus of the browser on a card, or on the head of a column, as soon as it is drawn.
 * `isShown`: the board scrolls there.
 */
export function focusNow(
  statusId: number,
  id: number | undefined,
  { isShown = true, frames = patience } = {},
): void {
  const target = document.querySelector<HTMLElement>(
    id === undefined ? `[data-head="${statusId}"]` : `[data-card="${id}"]`,
  )
  target?.focus({ preventScroll: true })
  // The list hides a card until it has measured it, and what is hidden takes no focus.
  if (target && document.activeElement === target) {
    if (isShown)
      target.closest('[data-column]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  } else if (frames > 0)
    requestAnimationFrame(() => {
      if (isFocusLost()) focusNow(statusId, id, { isShown, frames: frames - 1 })
    })
}

/** Nothing has the focus: what had it is gone. */
export const isFocusLost = (): boolean =>
  document.activeElement === null || document.activeElement === document.body
