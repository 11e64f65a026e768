import { lost, won } from '../../crm/stages.ts'
import { dropTargetForElements } from '@atlaskit/pragmatic-drag-and-drop/element/adapter'
import { CircleCheck, CircleX, Trash2 } from 'lucide-react'
import type { LucideIcon } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { useTranslations } from 'use-intl'
import styles from './board.module.css'
import { useHands, useScene } from './scene.ts'

/** Rises from the bottom while cards are dragged: to win, to lose, to delete. */
export function DropBar() {
  const words = useTranslations('board')
  const { store } = useScene()
  const ids = useHands(({ drag }) => (drag?.by === 'pointer' ? drag.ids : undefined))
  if (!ids) return undefined
  const mayDelete = ids.every((id) => store.cards.shown(id)?.may_delete)
  return (
    <div className={styles.dropBar}>
      {mayDelete && <Target icon={Trash2} text={words('delete')} isDeletion />}
      <Target icon={CircleX} text={words('lost')} statusId={lost} />
      <Target icon={CircleCheck} text={words('won')} statusId={won} />
    </div>
  )
}

function Target({
  icon: Icon,
  text,
  statusId,
  isDeletion = false,
}: {
  icon: LucideIcon
  text: string
  statusId?: number
  isDeletion?: boolean
}) {
  const element = useRef<HTMLDivElement>(null)
  const isOver = useHands(({ drag }) => drag?.over === (statusId ?? -1))
  useEffect(() => {
    if (!element.current) return
    return dropTargetForElements({
      element: element.current,
      // No stage has the number -1; it only says which target the pointer is over.
      getData: () => ({ statusId: statusId ?? -1, isDeletion }),
    })
  }, [statusId, isDeletion])
  return (
    <div
      ref={element}
      className={styles.dropTarget}
      data-kind={isDeletion ? 'delete' : statusId === won ? 'won' : 'lost'}
      data-over={isOver || undefined}
    >
      <Icon size={18} aria-hidden />
      {text}
    </div>
  )
}
