// The width of the columns: one for all of them, at the edge of each.
import { useRef } from 'react'
import type { KeyboardEvent, PointerEvent } from 'react'
import { useTranslations } from 'use-intl'
import styles from './board.module.css'
import { useSelection, useBoard } from './context.ts'

/** Pixels. */
export const usualWidth = 272
const [least, most] = [224, 400]
const step = 16

const within = (width: number) => Math.round(Math.min(most, Math.max(least, width)))

export function ColumnWidth({ statusId }: { statusId: number }) {
  const words = useTranslations('board')
  const { columnWidth, setColumnWidth } = useBoard()
  // It follows its header in the order of Tab, so that a board has one and not one for each column.
  const isTabStop = useSelection(
    ({ focus }) => focus?.statusId === statusId && focus.id === undefined,
  )
  const drag = useRef<{ x: number; columnCount: number; width: number }>(undefined)

  const columnsOf = (element: Element) => element.closest<HTMLElement>('[data-columns]')!
  /** While it is dragged, only styles change. */
  const preview = (element: Element, width: number) =>
    columnsOf(element).style.setProperty('--column-width', `${width}px`)

  const onPointerDown = (event: PointerEvent<HTMLElement>) => {
    if (event.button !== 0) return
    const { currentTarget, clientX, pointerId } = event
    currentTarget.setPointerCapture(pointerId)
    // Every column before the edge grows with it.
    const columns = [
      ...columnsOf(currentTarget).querySelectorAll('[data-column]:not([data-collapsed])'),
    ]
    const columnCount = 1 + columns.indexOf(currentTarget.closest('[data-column]')!)
    drag.current = { x: clientX, columnCount, width: columnWidth }
  }
  const onPointerMove = ({ currentTarget, clientX }: PointerEvent<HTMLElement>) => {
    if (!drag.current) return
    const { x, columnCount } = drag.current
    drag.current.width = within(columnWidth + (clientX - x) / columnCount)
    preview(currentTarget, drag.current.width)
  }
  const onPointerUp = () => {
    if (drag.current) setColumnWidth(drag.current.width)
    drag.current = undefined
  }
  const onPointerCancel = ({ currentTarget }: PointerEvent<HTMLElement>) => {
    drag.current = undefined
    preview(currentTarget, columnWidth)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const widths: Record<string, number> = {
      ArrowLeft: columnWidth - step,
      ArrowRight: columnWidth + step,
      Home: least,
      End: most,
    }
    const width = widths[event.key]
    if (width === undefined) return
    event.preventDefault()
    // The board would move its focus.
    event.stopPropagation()
    setColumnWidth(within(width))
  }
  return (
    <div
      role="separator"
      aria-orientation="vertical"
      aria-label={words('columnWidth')}
      aria-valuemin={least}
      aria-valuemax={most}
      aria-valuenow={columnWidth}
      tabIndex={isTabStop ? 0 : -1}
      className={styles.width}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={onPointerUp}
      onPointerCancel={onPointerCancel}
      onDoubleClick={() => setColumnWidth(usualWidth)}
      onKeyDown={onKeyDown}
    />
  )
}
