// The scrollbar over all rows, also over more than a browser can scroll: the box is at most `mostPixels` high. Beyond
// that the rows stand closer to its top than they would, by `offset`. Small steps scroll pixel by pixel; where a step
// crosses to another part of the list, `offset` changes, and the box is scrolled to where the rows are. A jump of the
// scrollbar goes to the same share of the list.

/** Firefox scrolls no further than 17.8 million pixels. */
export const mostPixels = 12_000_000

export interface ScrollSpace {
  /** Of all rows, in pixels. */
  total: number
  /** Of the box that is scrolled. */
  height: number
}

export const spaceOf = (total: number): ScrollSpace => ({
  total,
  height: Math.min(total, mostPixels),
})

export interface ScrollState {
  /** Where the box is scrolled to. */
  scrollTop: number
  /** How much further down the rows are than the box. */
  offset: number
}

/** The first pixel of the list on screen. */
export const topOf = ({ scrollTop, offset }: ScrollState): number => scrollTop + offset

/** The state that shows a pixel of the list at the top. `view` is the height of what is on screen. */
export function stateAt(top: number, { total, height }: ScrollSpace, view: number): ScrollState {
  const [most, furthest] = [Math.max(0, total - view), Math.max(0, height - view)]
  const wanted = Math.min(Math.max(0, top), most)
  if (total === height) return { scrollTop: wanted, offset: 0 }
  const scrollTop = Math.round((wanted / most) * furthest)
  return { scrollTop, offset: wanted - scrollTop }
}

/**
 * The state after the box was scrolled to `scrollTop`. A step within the screen moves as far as it says; its
 * `scrollTop` is another one where the box has to be put elsewhere.
 */
export function afterScroll(
  before: ScrollState,
  scrollTop: number,
  space: ScrollSpace,
  view: number,
): ScrollState {
  const { total, height } = space
  if (total === height) return { scrollTop, offset: 0 }
  const isStep = Math.abs(scrollTop - before.scrollTop) < view
  const furthest = height - view
  if (!isStep) {
    const top = (scrollTop / furthest) * (total - view)
    return { scrollTop, offset: top - scrollTop }
  }
  const top = Math.min(Math.max(0, scrollTop + before.offset), total - view)
  // Near the ends of the box, and where the scrollbar has drifted from the share of the list, it is put right.
  const right = stateAt(top, space, view)
  const hasDrifted = Math.abs(right.scrollTop - scrollTop) > view
  const isAtEnd = (scrollTop <= 0 && top > 0) || (scrollTop >= furthest && top < total - view)
  return hasDrifted || isAtEnd ? right : { scrollTop, offset: top - scrollTop }
}
