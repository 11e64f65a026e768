import { dropTargetForElements } from '@atlaskit/pragmatic-drag-and-drop/element/adapter'
import { useEffect, useRef } from 'react'
import { useTranslations } from 'use-intl'
import { targets } from './acts.ts'
import type { CardAct } from './acts.ts'
import styles from './board.module.css'
import { useSelection, useBoard } from './context.ts'

/** Rises from the bottom while cards are dragged: to win, to lose, to delete. */
export function DropBar() {
  const { store } = useBoard()
  const ids = useSelection(({ drag }) => (drag?.by === 'pointer' ? drag.ids : undefined))
  if (!ids) return undefined
  const cards = ids.flatMap((id) => store.cards.shown(id) ?? [])
  return (
    <div className={styles.dropBar}>
      {targets
        // Moves leave out cards that may not be changed, and say so; a deletion is of all or of none.
        .filter(({ name, may }) => name !== 'delete' || cards.every(may))
        .map((act) => (
          <Target key={act.name} act={act} />
        ))}
    </div>
  )
}

function Target({ act: { name, icon: Icon } }: { act: CardAct }) {
  const words = useTranslations('board')
  const element = useRef<HTMLDivElement>(null)
  const isOver = useSelection(({ drag }) => drag?.over === name)
  useEffect(() => {
    if (!element.current) return
    return dropTargetForElements({ element: element.current, getData: () => ({ act: name }) })
  }, [name])
  return (
    <div
      ref={element}
      className={styles.dropTarget}
      data-kind={name}
      data-over={isOver || undefined}
    >
      <Icon size={18} aria-hidden />
      {words(name)}
    </div>
  )
}
