import { ActionIcon, Button } from '@mantine/core'
import { ArrowRightLeft, ListTodo, Tag, Trash2, UserRound, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import styles from './board.module.css'
import { useHands, useScene } from './scene.ts'

/** The acts on the selected cards; `children` are acts on all that a filter finds. */
export function SelectionBar({ children }: { children?: ReactNode }) {
  const words = useTranslations('board')
  const { hands, actions } = useScene()
  const selected = useHands((state) => state.selected)
  const isDragging = useHands(({ drag }) => drag?.by === 'pointer')
  if (selected.size === 0 || isDragging) return undefined
  const ids = [...selected]
  const open = (kind: 'move' | 'assign' | 'tag' | 'task') => () =>
    hands.set({ dialog: { kind, ids } })
  return (
    <div className={styles.selection} role="toolbar" aria-label={words('selection')}>
      <b>{words('selected', { count: ids.length })}</b>
      {children}
      <Act icon={ArrowRightLeft} text={words('move')} onClick={open('move')} />
      <Act icon={UserRound} text={words('assign')} onClick={open('assign')} />
      <Act icon={Tag} text={words('tag')} onClick={open('tag')} />
      <Act icon={ListTodo} text={words('task')} onClick={open('task')} />
      <Act icon={Trash2} text={words('delete')} onClick={() => actions.remove(ids)} />
      <ActionIcon
        size={28}
        aria-label={words('clearSelection')}
        onClick={() => hands.set({ selected: new Set() })}
      >
        <X size={16} />
      </ActionIcon>
    </div>
  )
}

const Act = ({
  icon: Icon,
  text,
  onClick,
}: {
  icon: typeof X
  text: string
  onClick: () => void
}) => (
  <Button
    variant="subtle"
    color="gray"
    size="compact-sm"
    leftSection={<Icon size={15} aria-hidden />}
    onClick={onClick}
  >
    {text}
  </Button>
)
